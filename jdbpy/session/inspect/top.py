"""The component ``session.top``: what the threads of a target use, between two moments.

Owns the figures of the thread bean: processor times and allocated bytes of all threads in one call each, so that a
thousand threads cost what ten do; and the top frames of the few that are shown, which the target itself reads
(ThreadMXBean.getThreadInfo). No thread is suspended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import trio

from jdbpy.errors import JdbpyError
from jdbpy.record import Record
from jdbpy.session.concurrency import both
from jdbpy.session.eval.target import Raw, Ref
from jdbpy.session.eval.utility_calls import FACTORY, CallRunner, UtilityCall, UtilityCalls, on
from jdbpy.session.events.target import Target
from jdbpy.session.inspect.memory import read_areas
from jdbpy.session.model.heap import MemoryArea
from jdbpy.session.model.operating import Collections, TargetLoad, ThreadLoad

DEPTH = 8
"""Frames that are read of a thread that is shown."""

MOST_SHOWN = 200
"""Threads whose frames are read at most: the target stands still while it reads them."""

_THREADS = "java.lang.management.ThreadMXBean"
_SUN_THREADS = "com.sun.management.ThreadMXBean"
_SYSTEM = "com.sun.management.OperatingSystemMXBean"
_INFO = "java.lang.management.ThreadInfo"
_FRAME = "java.lang.StackTraceElement"
_STATE = "java.lang.Thread$State"
_NATIVE = -2
"""Java's line number of a native method."""


class Sample(Record):
    """The figures of all threads at a moment, by Java's ids; nanoseconds and bytes.

    ``process`` is the time of the process just before the times of its threads were read, and just after.
    """

    clock: int
    cpu: Mapping[int, int]
    allocated: Mapping[int, int]
    process: tuple[int, int] | None
    areas: tuple[MemoryArea, ...]


class TopReader:
    """The load of one target. Runs methods of the target's beans: StateError when none can be run."""

    def __init__(self, target: Target, runner: CallRunner) -> None:
        self._target = target
        self._runner = runner

    @property
    def stands_still(self) -> bool:
        """True if everything is suspended: nothing is used between two moments. No trip."""
        return self._target.suspension.everything_held

    async def during(self, seconds: float, *, most: int = 10, by_allocation: bool = False) -> TargetLoad:
        """Return what is used in the next seconds; where everything stands still, since each thread began, at once.

        wire: as ``sample`` and ``since``.
        """
        before = None if self.stands_still else await self.sample()
        if before is not None:
            await trio.sleep(seconds)
        return (await self.since(before, most=most, by_allocation=by_allocation))[0]

    async def sample(self) -> Sample:
        """Return the figures of all threads now. wire: 12 trips over a link, 8 again."""
        async with self._runner.calls("the load of the target") as calls:
            return (await self._sample(calls))[1]

    async def since(
        self, earlier: Sample | None, *, most: int = 10, by_allocation: bool = False, depth: int = DEPTH
    ) -> tuple[TargetLoad, Sample]:
        """Return what was used since a moment, and that of now; without one, since each thread began.

        ``most`` threads are told, those that have used the most time, or allocated the most. wire: 8 trips for the
        figures, 7 for the frames of those that are told, whatever their number.
        """
        async with self._runner.calls("the load of the target") as calls:
            bean, now = await self._sample(calls)
            begun = earlier or Sample(0, {}, {}, (0, 0), ())
            used = {each: max(0, time - begun.cpu.get(each, 0)) for each, time in now.cpu.items()}
            grown = {each: max(0, size - begun.allocated.get(each, 0)) for each, size in now.allocated.items()}
            first, second = (grown, used) if by_allocation else (used, grown)
            order = sorted(now.cpu, key=lambda each: (-first.get(each, 0), -second.get(each, 0), each))
            chosen = order[: min(most, MOST_SHOWN)]
            told = await _told(calls, bean, chosen, depth)
        seconds = (now.clock - begun.clock) / 1e9 if earlier is not None else await self._uptime()
        seconds = max(seconds, 1e-9)
        threads = [
            ThreadLoad(
                each,
                name,
                state,
                used[each] / 1e9 / seconds,
                used[each] / 1e9,
                grown.get(each),
                now.cpu[each] / 1e9,
                frames,
            )
            for each, (name, state, frames) in zip(chosen, told, strict=True)
            if name or used[each]
        ]
        process = None
        if now.process is not None and begun.process is not None:
            # Around the times of its threads, of which it has no less: each is read at a moment of its own.
            process = (now.process[1] - begun.process[0]) / 1e9 / seconds
        load = TargetLoad(
            seconds,
            tuple(threads),
            len(now.cpu),
            sum(used.values()) / 1e9 / seconds,
            process,
            sum(grown.values()) if now.allocated else None,
            tuple(each for each in now.areas if each.kind != "collector"),
            _collected(begun.areas, now.areas),
            since_start=earlier is None,
        )
        return load, now

    async def _uptime(self) -> float:
        async with self._runner.calls("the clock of the target") as calls:
            signature = "()Ljava/lang/management/RuntimeMXBean;"
            bean = await calls.static(FACTORY, "getRuntimeMXBean", signature)
            found = await calls.call(bean, "java.lang.management.RuntimeMXBean", "getUptime", "()J")
            return found / 1e3 if isinstance(found, int) else 0.0

    async def _sample(self, calls: UtilityCalls) -> tuple[Raw, Sample]:
        """Return the thread bean and the figures; times and clocks by one batch, so that they belong together."""
        await calls.expect(load=[FACTORY, _THREADS, _SUN_THREADS, _SYSTEM])
        # Not as beans of the platform by their interfaces: Java 8 does not know that of the threads so.
        threads, system = await calls.all(
            UtilityCall(FACTORY, "getThreadMXBean", "()Ljava/lang/management/ThreadMXBean;"),
            UtilityCall(FACTORY, "getOperatingSystemMXBean", "()Ljava/lang/management/OperatingSystemMXBean;"),
            slow=True,
        )
        ids = await calls.call(threads, _THREADS, "getAllThreadIds", "()[J")
        process = on(system, _SYSTEM, "getProcessCpuTime", "()J")
        before, clock, times, after, sizes = await calls.outcomes(
            process,
            UtilityCall("java.lang.System", "nanoTime", "()J"),
            on(threads, _SUN_THREADS, "getThreadCpuTime", "([J)[J", ids),
            process,
            on(threads, _SUN_THREADS, "getThreadAllocatedBytes", "([J)[J", ids),
            of_a_moment=True,
        )
        for needed in (clock, times):
            if isinstance(needed, JdbpyError):
                raise needed
        known = None if isinstance(sizes, JdbpyError) else sizes
        (numbers, used, grown), areas = await both(
            lambda: calls.arrays([ids, None if isinstance(times, JdbpyError) else times, known]),
            lambda: read_areas(calls),
        )
        cpu = {each: time for each, time in _pairs(numbers, used) if time >= 0}
        allocated = {each: size for each, size in _pairs(numbers, grown) if size >= 0}
        spent = (before, after) if isinstance(before, int) and isinstance(after, int) and before >= 0 else None
        return threads, Sample(clock if isinstance(clock, int) else 0, cpu, allocated, spent, areas)


def _pairs(ids: Sequence[Raw], figures: Sequence[Raw]) -> list[tuple[int, int]]:
    """Return ids with their figures; none where the figures are not known."""
    return [
        (each, figure)
        for each, figure in zip(ids, figures, strict=False)
        if isinstance(each, int) and isinstance(figure, int)
    ]


async def _told(
    calls: UtilityCalls, bean: Raw, ids: Sequence[int], depth: int
) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return name, state and top frames of threads by Java's ids; empty ones of what has ended. wire: 7 trips."""
    if not ids:
        return []
    array = await calls.longs(len(ids))
    await calls.fill(array, ids)
    signature = "([JI)[Ljava/lang/management/ThreadInfo;"
    infos = await calls.array(await calls.call(bean, _THREADS, "getThreadInfo", signature, array, depth))
    calls.declare(_INFO, *infos)
    rows, states = await both(
        lambda: calls.fields(infos, _INFO, "threadName", "threadState", "stackTrace"), lambda: calls.constants(_STATE)
    )
    stacks = await calls.arrays([row[2] if row else None for row in rows])
    frames = [frame for stack in stacks for frame in stack]
    calls.declare(_FRAME, *frames)
    places = await calls.fields(frames, _FRAME, "declaringClass", "methodName", "fileName", "lineNumber")
    texts = iter(
        await calls.texts(
            [*(row[0] if row else None for row in rows), *(text for place in places for text in place[:3])]
        )
    )
    names = [next(texts) or "" for _ in rows]
    words = iter([_place(next(texts), next(texts), next(texts), place[3]) for place in places])
    found = []
    for name, row, stack in zip(names, rows, stacks, strict=True):
        state = states.get(row[1].id, "") if row and isinstance(row[1], Ref) else ""
        found.append((name, state.lower().replace("_", "-"), tuple(next(words) for _ in stack)))
    return found


def _place(class_name: str | None, method: str | None, file: str | None, line: Raw) -> str:
    """``com.acme.Order.total(Order.java:42)``, as Java writes it."""
    number = f":{line}" if isinstance(line, int) and line >= 0 else ""
    where = "Native Method" if line == _NATIVE else f"{file}{number}" if file else "Unknown Source"
    return f"{class_name}.{method}({where})"


def _collected(before: Sequence[MemoryArea], after: Sequence[MemoryArea]) -> tuple[Collections, ...]:
    known = {each.name: each for each in before if each.kind == "collector"}
    found = []
    for each in after:
        if each.kind == "collector":
            old = known.get(each.name)
            count = (each.collections or 0) - ((old.collections or 0) if old else 0)
            time = (each.milliseconds or 0) - ((old.milliseconds or 0) if old else 0)
            found.append(Collections(each.name, count, time))
    return tuple(found)
