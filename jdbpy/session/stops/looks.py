"""Over a slow link: what the variables at a stop hold is looked at as soon as the stop is read.

Whoever looks at variables asks first what their objects are, then what is in them. The first question is asked here,
unasked, while somebody reads the stop. It fills memories that never become wrong, and decides nothing.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import trio

from jdbpy.errors import JdbpyError

if TYPE_CHECKING:
    from jdbpy.session.stack.frame_memory import RawFrameVariables
    from jdbpy.session.target import Target


PAUSE = 0.003
"""How long after a stop was read, in seconds: what it shows goes first, and whoever goes on at once wants no look."""


class Looks:
    """The looks at the stops of one target, at the last one only: an earlier one that was not begun is left out."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._wanted: tuple[int, int, RawFrameVariables] | None = None  # of a thread, in an epoch
        self._more = trio.lowlevel.ParkingLot()

    def expect(self, thread_id: int, variables: RawFrameVariables) -> None:
        """The top frame of a thread that has stopped holds these. wire: no wait."""
        self._wanted = thread_id, self._target.suspension.epoch_of(thread_id), variables
        self._more.unpark()

    async def run(self) -> None:
        """Looks when there is something to look at, for ever."""
        while True:
            if self._wanted is None:
                await self._more.park()
            await trio.sleep(PAUSE)
            wanted, self._wanted = self._wanted, None
            if wanted is None or self._target.suspension.epoch_of(wanted[0]) != wanted[1]:
                continue
            variables = wanted[2]
            from jdbpy.session.values.glances import glance_at  # not loaded for who only attaches

            reader = self._target.objects.reader
            with suppress(JdbpyError):  # whoever needs it meets it again
                await reader.run(glance_at(reader, [variables.this, *variables.slots.values()]))
