"""Virtual threads as a dump of all threads tells of them: with their stacks, mounted or not.

The agent does not list virtual threads, and gives no stack of one that is not suspended. The JVM itself writes all of
them to a file (``Thread.dump_to_file``, Java 21), which is brought here and removed: over the attach socket where no
agent is, else by methods run in the target. Owns when it can be asked to: before Java 25 while the program runs, since
then while all of it is suspended (``releases.DUMPS_THAT_CRASH``), and so never without the agent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import overload

import trio

from jdbpy.errors import JdbpyError, StateError
from jdbpy.garbage import no_collection
from jdbpy.session.eval.utility_calls import CallRunner
from jdbpy.session.events.target import Target
from jdbpy.session.inspect.hotspot import ANSWER_LOST, run_diagnostic_command
from jdbpy.session.inspect.target_files import TargetFiles
from jdbpy.session.java.dump_file import DumpedFrame, DumpedVirtualThread, parse_dump_file
from jdbpy.session.java.releases import DUMPS_THAT_CRASH
from jdbpy.session.model.threads import (
    EVERY_THREAD,
    NO_STATE,
    STATES,
    EqualStacks,
    FrameInfo,
    Location,
    StackTrace,
    ThreadFilter,
    ThreadInfo,
    ThreadRef,
    fits,
)
from jdbpy.session.values.thread_fields import dumps_are_safe, require_virtual_threads
from jdbpy.wire.lazy_records import OnDemand

MOST_BYTES = 256 << 20
"""Bytes of a file that are fetched: those of some 250,000 threads."""

_REMOVAL = 5.0
"""Seconds for removing the file."""

_STATES = {
    "": NO_STATE,
    "NEW": "not started",
    "RUNNABLE": "running",
    "BLOCKED": "waiting for a monitor",
    "WAITING": "waiting",
    "TIMED_WAITING": "waiting",
    "TERMINATED": "ended",
}
"""States in the words of the agent, which calls a virtual thread that sleeps waiting."""


class DumpedStack(OnDemand[FrameInfo]):
    """The frames of one thread, made when they are looked at."""

    __slots__ = ("_frames", "_places", "_thread", "_total")

    def __init__(self, frames: Sequence[DumpedFrame], places: _DumpedPlaces, thread: ThreadRef, total: int) -> None:
        self._frames = frames
        self._places = places
        self._thread = thread
        self._total = total

    def __len__(self) -> int:
        return len(self._frames)

    def __iter__(self) -> Iterator[FrameInfo]:
        for index, frame in enumerate(self._frames, 1):
            yield FrameInfo(
                index, self._places.of(frame), self._thread, native=frame.native, height=self._total - index
            )

    @overload
    def __getitem__(self, index: int) -> FrameInfo: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[FrameInfo]: ...

    def __getitem__(self, index: int | slice) -> FrameInfo | Sequence[FrameInfo]:
        return tuple(self)[index]

    def __hash__(self) -> int:
        return hash(tuple(self))


class _DumpedPlaces:
    """Frames of dumps as places in code, each made once."""

    def __init__(self) -> None:
        self._known: dict[int, Location] = {}

    def of(self, frame: DumpedFrame) -> Location:
        found = self._known.get(id(frame))
        if found is None:
            found = self._known[id(frame)] = Location(
                frame.class_name,
                frame.method,
                "",
                frame.file or None,
                frame.line or None,
                -1 if frame.native else frame.line,
            )
        return found


class VirtualThreads:
    """The virtual threads of one target. Each question takes a dump of its own."""

    def __init__(self, target: Target, runner: CallRunner) -> None:
        self._target = target
        self._runner = runner
        self._files = TargetFiles(runner)

    async def infos(self, chosen: ThreadFilter, most: int) -> list[ThreadInfo]:
        """Return them with their innermost frames: the first ``most`` (0: all) that the filter lets through."""
        places = _DumpedPlaces()
        found = [info for _, info in self._chosen(await self._read(), places, chosen)]
        return found[:most] if most else found

    async def stacks(self, chosen: ThreadFilter, count: int | None) -> list[StackTrace]:
        """Return their stacks: all frames, or the first ``count``."""
        places = _DumpedPlaces()
        return [
            StackTrace(info, DumpedStack(each.frames[:count], places, _ref(info), len(each.frames)), len(each.frames))
            for each, info in self._chosen(await self._read(), places, chosen)
        ]

    async def folded(self, chosen: ThreadFilter, count: int | None) -> list[EqualStacks]:
        """Return their stacks, equal ones once: those of most threads first."""
        places = _DumpedPlaces()
        found = self._chosen(await self._read(), places, chosen)
        keys = {id(each.frames): tuple(map(id, each.frames[:count])) for each, _ in found}
        groups: dict[tuple[int, ...], list[ThreadInfo]] = {}
        firsts: dict[tuple[int, ...], DumpedVirtualThread] = {}
        for each, info in found:
            key = keys[id(each.frames)]
            groups.setdefault(key, []).append(info)
            firsts.setdefault(key, each)
        folded = []
        for key, infos in groups.items():
            frames = firsts[key].frames
            stack = DumpedStack(frames[:count], places, _ref(infos[0]), len(frames))
            folded.append(EqualStacks(tuple(infos), tuple(stack)))
        return sorted(folded, key=lambda group: -len(group.threads))

    def _chosen(
        self, threads: Sequence[DumpedVirtualThread], places: _DumpedPlaces, chosen: ThreadFilter
    ) -> list[tuple[DumpedVirtualThread, ThreadInfo]]:
        """Return the threads that live and that the filter lets through."""
        if STATES.get(chosen.state) and threads and not any(each.state for each in threads):
            raise StateError(
                f"Java {self._target.info.version} does not tell the states of virtual threads",
                hint="choose by name; Java 25 and later tell them",
                code="NOT_AVAILABLE",
            )
        known = bool(self._target.agent_line)  # there the ids of threads are those of dumps
        with no_collection():
            found = [(each, _info(each, places, known)) for each in threads if each.state != "TERMINATED"]
        return found if chosen == EVERY_THREAD else [each for each in found if fits(chosen, each[1])]

    async def _read(self) -> list[DumpedVirtualThread]:
        """Return the threads of a new dump. Raises StateError before Java 21, and where none can be taken."""
        target = self._target
        target.require_alive()
        require_virtual_threads(target)
        if not dumps_are_safe(target):
            raise StateError(
                f"Java {target.info.version} may crash when it dumps virtual threads while they run (JDK-8364343), and "
                "suspending them needs the debugger agent, which this JVM was started without",
                hint=f"start it with {target.agent_line}",
                code="NEEDS_AGENT",
            )
        diagnostics = target.diagnostics
        data = await diagnostics.thread_file() if diagnostics is not None else await self._by_methods()
        return await trio.to_thread.run_sync(parse_dump_file, data)

    async def _by_methods(self) -> bytes:
        """Return the dump that the target writes when a method of it is run. wire: some 20 trips, and 2 for every
        4 MB."""
        target = self._target
        held = target.suspension.everything_held
        if target.at_least(DUMPS_THAT_CRASH) and not held:
            raise StateError(
                f"Java {target.info.version} may crash when it dumps virtual threads while they run (JDK-8364343)",
                hint="'pause' suspends them, and it is safe then; 'cont' lets them run on",
                code="NOT_AVAILABLE",
            )
        if held and not target.at_least(DUMPS_THAT_CRASH):
            raise StateError(
                f"Java {target.info.version} cannot dump its virtual threads while all threads are suspended",
                hint="it would wait for one that is being mounted; 'cont' first",
                code="NOT_AVAILABLE",
            )
        path = await self._files.temporary(".json")
        try:
            said = await run_diagnostic_command(self._runner, f'Thread.dump_to_file -format=json "{path}"')
            if said != ANSWER_LOST and not said.startswith("Created"):
                raise StateError(f"the JVM has written no file of its threads: {said.strip()[:200]}", code="NO_ANSWER")
            return await self._files.read(path, MOST_BYTES)
        finally:
            with trio.move_on_after(_REMOVAL, shield=True), suppress(JdbpyError):
                await self._files.remove(path)


def _info(thread: DumpedVirtualThread, places: _DumpedPlaces, known: bool) -> ThreadInfo:
    number = thread.number if known else 0
    info = ThreadInfo(
        number,
        thread.name,
        _STATES.get(thread.state, NO_STATE),
        suspended=False,
        suspend_count=0,
        virtual=True,
        daemon=True,
        priority=5,
        java_id=thread.number,
        container=thread.container,
    )
    top = next(iter(DumpedStack(thread.frames[:1], places, _ref(info), len(thread.frames))), None)
    return info if top is None else info.replace(frame=top)


def _ref(info: ThreadInfo) -> ThreadRef:
    return ThreadRef(info.id, info.name)
