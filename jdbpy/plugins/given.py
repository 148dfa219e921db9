"""The objects that the user's Python is given: of ``jdbpy.api``, and of ``jdbpy.sync`` for code in a thread."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any

import trio

from jdbpy.api.breakpoints import Stop
from jdbpy.api.hits import Reported
from jdbpy.api.vm import Vm, frame_of, reported, stop_of, thread_of
from jdbpy.errors import StateError
from jdbpy.session.model.events import Report, Stopped
from jdbpy.session.model.threads import ThreadRef
from jdbpy.session.session import Session

if TYPE_CHECKING:
    from jdbpy.sync.portal import Portal


class UserObjects:
    """The objects of one session."""

    def __init__(self, session: Session, nursery: trio.Nursery) -> None:
        self.vm = Vm(session, nursery)
        self._session = session
        self._nursery = nursery

    @cached_property
    def sync(self) -> ModuleType:
        """Return the module ``jdbpy.sync``, which plug-ins in ``async def`` do without."""
        import jdbpy.sync

        return jdbpy.sync

    @cached_property
    def portal(self) -> Portal:
        """Return the way from the user's threads into the session's loop."""
        made: Portal = self.sync.portal.Portal.within(self._nursery)
        return made

    def wrapped(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return objects of ``jdbpy.api`` as those of ``jdbpy.sync``."""
        return {name: self.sync.portal.wrap(self.portal, value) for name, value in given.items()}

    def stop(self, stop: Stopped) -> Stop:
        """Return a stop. No trip."""
        return stop_of(self.vm, stop)

    def reported(self, report: Report) -> Reported:
        """Return a hit that was reported. No trip."""
        return reported(self.vm, report)

    async def given(self, name: str) -> Any:
        """Return the object for a parameter of that name. Raises StateError where there is none. wire: 1 trip for a
        frame."""
        if name == "vm":
            return self.vm
        if name == "frame":
            return frame_of(self.vm, await self._session.stack.selected())
        if name == "thread":
            selected = self._session.selection[0]
            if selected is None:
                raise StateError("no thread is selected", hint="there is one at each stop", code="NO_THREAD")
            return thread_of(self.vm, ThreadRef(selected, self._session.selected_thread_name))
        last = self._session.last_stop
        if self._session.snapshot_info is not None:
            hint = "'thread' and 'frame' are those of the moment at which it was taken"
            raise StateError("a snapshot has no stop", hint=hint, code="NOT_STOPPED")
        if self._session.ending is not None:
            raise StateError("the target has ended", code="NOT_STOPPED")
        if last is None or not self._session.is_current(last):
            raise StateError("no stop: no thread stands at an event", code="NOT_STOPPED")
        return self.stop(last)
