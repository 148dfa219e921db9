"""The figures of the target's own management beans on its memory; they are run in the target, on the stopped thread
or in one of the debugger's own.

Owns the names of their methods and the reading of their answers. Needs the modules java.management and jdk.management
in the target; a runtime image without them is answered in words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jdbpy.errors import UsageError
from jdbpy.session.concurrency import both
from jdbpy.session.eval.utility_calls import FACTORY, CallRunner, UtilityCall, UtilityCalls, on
from jdbpy.session.inspect.diagnostic_texts import counters_in, memory_in
from jdbpy.session.inspect.hotspot import run_diagnostic_command
from jdbpy.session.java.signatures import java_name
from jdbpy.session.model.heap import ClassCount, ClassHistogram, MemoryArea

if TYPE_CHECKING:
    from jdbpy.session.eval.target import Raw

_MEMORY = "java.lang.management.MemoryMXBean"
_POOL = "java.lang.management.MemoryPoolMXBean"
_MANAGER = "java.lang.management.MemoryManagerMXBean"
_COLLECTOR = "java.lang.management.GarbageCollectorMXBean"
_USAGE = "java.lang.management.MemoryUsage"
_DIAGNOSTICS = "com.sun.management.HotSpotDiagnosticMXBean"
_GET_USAGE = f"()L{_USAGE.replace('.', '/')};"
_ROW = re.compile(r"^\s*\d+:\s+(\d+)\s+(\d+)\s+(\S+)", re.MULTILINE)


class Usage:
    """The memory of one target, as its beans see it. All methods run code in the target: StateError when none can."""

    def __init__(self, runner: CallRunner) -> None:
        self._runner = runner

    async def collect(self) -> None:
        """System.gc() in the target. wire: 3 trips, 1 again."""
        if self._runner.diagnostics is not None:
            await self._runner.diagnostics.run("GC.run")
            return
        async with self._runner.calls("a garbage collection") as calls:
            await calls.static("java.lang.System", "gc", "()V")

    async def memory(self) -> tuple[MemoryArea, ...]:
        """Heap, non-heap, pools and collectors. wire: 9 trips over a link, 5 again."""
        told = self._runner.diagnostics
        if told is not None:
            return memory_in(counters_in(await told.counters()), await told.run("GC.heap_info"))
        async with self._runner.calls("the memory of the target") as calls:
            return await read_areas(calls)

    async def histogram(self, pattern: str, *, limit: int) -> ClassHistogram:
        """Instances and bytes by class, counted by the target itself after a collection (GC.class_histogram)."""
        text = await run_diagnostic_command(self._runner, "GC.class_histogram")
        wanted = re.compile(re.escape(pattern).replace(r"\*", ".*") if pattern else ".*")
        rows = [ClassCount(_class_name(name), 0, int(count), int(size)) for count, size, name in _ROW.findall(text)]
        rows = [row for row in rows if wanted.fullmatch(row.class_name)]
        rows.sort(key=lambda row: -(row.bytes or 0))
        total = sum(row.count for row in rows)
        return ClassHistogram(
            tuple(rows[:limit]), total, max(0, len(rows) - limit), sum(row.bytes or 0 for row in rows)
        )

    async def size_of(self, class_name: str) -> int | None:
        """Bytes that one instance of a class takes, from the target's own histogram; None for arrays, which differ."""
        histogram = await self.histogram(class_name, limit=1)
        if not histogram.classes or class_name.endswith("]"):
            return None
        [row] = histogram.classes
        return (row.bytes or 0) // row.count

    async def dump(self, path: str, *, live: bool = True) -> None:
        """Write an HPROF file on the target's machine; it must not exist. ``live``: reachable objects only.

        Raises UsageError for a name the VM refuses (JDK 13 and later want ``.hprof``).
        """
        if not path.endswith(".hprof"):
            raise UsageError("the file must end in .hprof", hint="for example heapdump /tmp/app.hprof")
        if self._runner.diagnostics is not None:
            await self._runner.diagnostics.dump_heap(path, live=live)
            return
        async with self._runner.calls("writing a heap dump") as calls:
            _, [name] = await both(
                lambda: calls.expect(load=[FACTORY], beans=[_DIAGNOSTICS]), lambda: calls.strings([path])
            )
            [bean] = await calls.all(await calls.bean(_DIAGNOSTICS))
            calls.declare(_DIAGNOSTICS, bean)
            await calls.call(bean, _DIAGNOSTICS, "dumpHeap", "(Ljava/lang/String;Z)V", name, live)


async def read_areas(calls: UtilityCalls) -> tuple[MemoryArea, ...]:
    """Return heap, non-heap, pools and collectors, in a block of calls. wire: 8 trips over a link, 5 again."""
    await calls.expect("java.util.List", load=[FACTORY, _MEMORY, _POOL, _MANAGER, _COLLECTOR, _USAGE])
    memory, *lists = await calls.all(
        UtilityCall(FACTORY, "getMemoryMXBean", "()Ljava/lang/management/MemoryMXBean;"),
        UtilityCall(FACTORY, "getMemoryPoolMXBeans", "()Ljava/util/List;"),
        UtilityCall(FACTORY, "getGarbageCollectorMXBeans", "()Ljava/util/List;"),
        slow=True,  # the first time beans are made
    )
    heap, other, *arrays = await calls.all(
        on(memory, _MEMORY, "getHeapMemoryUsage", _GET_USAGE),
        on(memory, _MEMORY, "getNonHeapMemoryUsage", _GET_USAGE),
        *(on(each, "java.util.List", "toArray", "()[Ljava/lang/Object;") for each in lists),
    )
    pools, collectors = await calls.arrays(arrays)
    # What the lists are declared to hold, and what a collector is besides.
    calls.declare(_POOL, *pools)
    calls.declare(_COLLECTOR, *collectors)
    calls.declare(_MANAGER, *collectors)
    answers = iter(
        await calls.all(
            *(on(each, _POOL, "getName", "()Ljava/lang/String;") for each in pools),
            *(on(each, _MANAGER, "getName", "()Ljava/lang/String;") for each in collectors),
            *(on(each, _POOL, "getUsage", _GET_USAGE) for each in pools),
            *(on(each, _COLLECTOR, "getCollectionCount", "()J") for each in collectors),
            *(on(each, _COLLECTOR, "getCollectionTime", "()J") for each in collectors),
        )
    )
    named = [next(answers) for _ in (*pools, *collectors)]
    usages = [heap, other, *(next(answers) for _ in pools)]
    names, rows = await both(
        lambda: calls.texts(named), lambda: calls.fields(usages, _USAGE, "used", "committed", "max")
    )
    counts = [next(answers) for _ in collectors]
    times = [next(answers) for _ in collectors]
    kinds = ["heap", "non-heap", *("pool" for _ in pools)]
    areas = [
        _area(name or "", kind, row) for name, kind, row in zip(["heap", "non-heap", *names], kinds, rows, strict=False)
    ]
    areas += [
        MemoryArea(name or "", "collector", 0, 0, None, _whole(count), _whole(time))
        for name, count, time in zip(names[len(pools) :], counts, times, strict=True)
    ]
    return tuple(areas)


def _area(name: str, kind: str, usage: Sequence[Raw]) -> MemoryArea:
    """``usage`` are the bytes used, committed, and at most; of a pool that is no longer valid there are none."""
    used, committed, most = map(_whole, usage or (0, 0, 0))
    return MemoryArea(name, kind, used, committed, most if most > 0 else None)


def _whole(raw: Raw) -> int:
    return raw if isinstance(raw, int) else 0


def _class_name(name: str) -> str:
    """Return a name as the histogram writes it ("[I", "[Ljava.lang.String;") as Java does."""
    return java_name(name.replace(".", "/")) if name.startswith("[") else name
