"""The threads of the target: listing them, finding one, the tree of groups.

Suspending and resuming is the business of ``execution``; frames beyond the top one that of ``stack``.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from jdbpy.errors import UsageError
from jdbpy.session.model import ThreadGroup, ThreadInfo
from jdbpy.session.target import Target
from jdbpy.session.thread_groups import read_groups
from jdbpy.session.thread_reader import TOP, ThreadReader, wire_thread

_CANDIDATES = 5
"""Threads that an error names when several fit."""


class Threads:
    """Component ``session.threads``."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._reader = ThreadReader(target)

    async def list(self, with_frames: bool = False) -> list[ThreadInfo]:
        """All live threads, in the agent's order; ``with_frames`` adds the top frames of those that are suspended.

        Virtual threads are among them as far as they are known: those that an event has stopped, and all that the
        agent tells when it was started with includevirtualthreads=y. wire: 3 trips, 2 when groups and classes are
        known, whatever the number of threads.
        """
        self._target.require_alive()
        read = await self._reader.read(await self._reader.all_threads(), TOP if with_frames else None)
        return [each.info for each in read]

    async def find(self, text: str) -> ThreadInfo:
        """The thread with this id ("17", "#17", "0x11"), or this name; ``*`` in a name stands for anything.

        A name may be cut short or written in other case as long as it tells one thread. Raises UsageError when no
        thread fits, or several. wire: by id 1 trip, by name 2.
        """
        number = _number(text)
        if number is not None:
            return await self._by_id(number)
        found = await self.find_all(text)
        if len(found) == 1:
            return found[0]
        if not found:
            raise UsageError(f"no thread is called '{text}'", hint="'threads' lists them", code="NO_SUCH_THREAD")
        names = ", ".join(f'{info.id} "{info.name}"' for info in found[:_CANDIDATES])
        more = f" and {len(found) - _CANDIDATES} more" if len(found) > _CANDIDATES else ""
        raise UsageError(
            f"'{text}' fits {len(found)} threads: {names}{more}", hint="name one by its id", code="AMBIGUOUS_THREAD"
        )

    async def find_all(self, text: str) -> Sequence[ThreadInfo]:
        """The threads that a name or a pattern with ``*`` fits: exactly if any does, else in other case, else in part.

        wire: 2 trips.
        """
        threads = await self.list()
        lower = text.lower()
        for fits in (
            lambda name: name == text,
            lambda name: name.lower() == lower,
            lambda name: fnmatchcase(name.lower(), lower),
            lambda name: name.lower().startswith(lower),
            lambda name: lower in name.lower(),
        ):
            found = [info for info in threads if fits(info.name)]
            if found:
                return found
        return []

    async def groups(self) -> tuple[ThreadGroup, ...]:
        """The tree of thread groups with their live threads.

        wire: 1 trip, 1 for each level of groups, 1 for all threads.
        """
        self._target.require_alive()
        tree = await read_groups(self._target.conn)
        return tree.with_threads({each.info.id: each.info for each in await self._reader.read(tree.threads())})

    async def _by_id(self, number: int) -> ThreadInfo:
        self._target.require_alive()
        if number > 0:
            found = await self._reader.read([wire_thread(number)])
            if found:
                return found[0].info
        raise UsageError(f"there is no thread {number}", hint="'threads' lists them", code="NO_SUCH_THREAD")


def _number(text: str) -> int | None:
    """The id that a text spells, or None."""
    try:
        return int(text.removeprefix("#"), 0)
    except ValueError:
        return None
