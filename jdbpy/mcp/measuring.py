"""Tools that measure: calls of a method, deadlocks, equal stacks, hot methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Protocol

import trio

from jdbpy import JdbpyError, StateError
from jdbpy.api import Hits, Vm
from jdbpy.api.opening import attach
from jdbpy.drawing.units import in_words
from jdbpy.mcp.answers import Body
from jdbpy.mcp.debugging import Debugging
from jdbpy.mcp.inspecting import Limit
from jdbpy.mcp.tools import Within, tool
from jdbpy.task_groups import open_nursery

_EVERY_CLASS = 1_000_000

MOST_A_SECOND = 200
"""Reports of calls that are asked for: a method that is called more often is not slowed by all of them."""


async def running(debugging: Debugging) -> Vm:
    """Return the JVM. Raises StateError while all threads are suspended."""
    vm = await debugging.vm()
    if vm.session.suspended_everything:
        raise StateError(
            "all threads are suspended: nothing is called",
            hint="run_until_stop with timeout 0 resumes them",
            code="SUSPENDED",
        )
    return vm


@tool()
async def trace(
    debugging: Debugging,
    method: Annotated[str, "Class.method, Class.method(int,String), or a class for all its methods"],
    seconds: Annotated[float, "how long", Within(0.1, 300)] = 5.0,
    condition: Annotated[str, "boolean Java expression, at the call"] = "",
    stack: Annotated[int, "frames of each call", Within(0, 50)] = 0,
    limit: Limit = 20,
) -> Body:
    """Watch calls of a method while the program runs: arguments, results, threads, each call once. Suspends nothing for
    longer than reading the arguments takes; returns early when limit calls and returns have come.
    """
    vm = await running(debugging)
    calls: list[Body] = []
    returns: list[Body] = []
    began = trio.current_time()
    async with vm.entries(method, when=condition, stack=stack, limit=MOST_A_SECOND) as entered:
        async with vm.returns(method, limit=MOST_A_SECOND) as left:
            async with open_nursery() as nursery:
                nursery.start_soon(_collect, entered, calls, seconds, limit)
                nursery.start_soon(_collect, left, returns, seconds, limit)
            counts = entered.breakpoint.hits, left.breakpoint.hits
            waits = entered.breakpoint.message
    found: Body = {
        "method": method,
        "seconds": round(trio.current_time() - began, 3),
        "calls": counts[0],
        "returns": counts[1],
        "traced": paired(sorted(calls + returns, key=lambda each: each["time_ns"]))[:limit],
    }
    if waits:
        found["waiting"] = waits
    return found


def paired(reports: Sequence[Body]) -> list[Body]:
    """Return each call once, in the order in which they began, from the reports of begins and ends in their order."""
    made: list[Body] = []
    under_way: dict[Any, list[Body]] = {}
    begun: dict[int, int] = {}
    for report in reports:
        thread = report.get("thread") or {}
        place = report["location"] if "location" in report else (report.get("stack") or [{}])[0]
        method = f"{place.get('class')}.{place.get('method')}{place.get('signature', '')}"
        calls = under_way.setdefault(thread.get("id"), [])
        if report["event"] == "method-entry":
            call: Body = {"time": report["time"], "thread": thread.get("name"), "method": method}
            call["arguments"] = {each["name"]: each.get("value") for each in report.get("arguments", ())}
            if len(report.get("stack", ())) > 1:
                call["callers"] = [_place(each) for each in report["stack"][1:]]
            begun[id(call)] = report["time_ns"]
            calls.append(call)
            made.append(call)
            continue
        at = next((index for index in reversed(range(len(calls))) if calls[index]["method"] == method), None)
        if at is None:  # it was under way before
            call = {"time": report["time"], "thread": thread.get("name"), "method": method, "began": "before"}
            made.append(call)
        else:
            call = calls[at]
            del calls[at:]  # an exception has ended those inside
            call["ms"] = round((report["time_ns"] - begun[id(call)]) / 1e6, 3)
        returned = report.get("return_value")
        call["returned"] = returned.get("value") if isinstance(returned, dict) else returned
    return made


async def _collect(hits: Hits, into: list[Body], seconds: float, count: int) -> None:
    async for hit in hits.take(seconds, count):
        into.append(hit.to_dict())


@tool()
async def diagnose(
    debugging: Debugging,
    what: Annotated[
        Literal["all", "hits", "deadlocks", "stacks", "hot", "load", "heap"],
        "hits: why breakpoints did or did not stop; hot: methods by own time, waits left out; stacks: equal ones; "
        "load: threads by processor time and allocation with top frames, memory, collections: runs methods of beans; "
        "heap: instances by class, with growth since the last time: two moments show a leak",
    ] = "all",
    seconds: Annotated[float, "of looking for hot methods, or at the load", Within(0.1, 60)] = 1.0,
    limit: Limit = 10,
    pid: Annotated[
        int,
        "process of a JVM of this machine that is looked at for this call only, also without the debugger agent",
        Within(0, 1 << 31),
    ] = 0,
) -> Body:
    """Return why a breakpoint did not stop, by reason; why a program hangs or is slow: deadlocks, threads with equal
    stacks, methods that take the time.
    A running program is suspended for moments only; one of a pid without the debugger agent not at all.
    """
    if pid:
        async with attach(f"pid://{pid}", read_only=True, allow_suspend=True) as vm:
            return await _diagnosed(_Looked(vm), what, seconds, limit)
    return await _diagnosed(debugging, what, seconds, limit)


class Looked(Protocol):
    """What is diagnosed."""

    heap: tuple[float, dict[str, int]] | None

    async def vm(self) -> Vm:
        """Return the JVM."""


class _Looked:
    """A JVM that is looked at once."""

    def __init__(self, vm: Vm) -> None:
        self.heap: tuple[float, dict[str, int]] | None = None
        self._vm = vm

    async def vm(self) -> Vm:
        return self._vm


async def _diagnosed(debugging: Looked, what: str, seconds: float, limit: int) -> Body:
    await debugging.vm()
    parts = {"hits": _hits, "deadlocks": _deadlocks, "stacks": _stacks, "hot": _hot, "load": _load, "heap": _heap}
    found: Body = {}
    for name, part in parts.items():
        if what != name and (what != "all" or name in ("heap", "load")):  # only where that is asked for
            continue
        try:
            told = await part(debugging, seconds, limit)
            found.update(told if name == "stacks" else {name: told})
        except JdbpyError as error:
            if what != "all":
                raise
            found[name] = {"error": error.message}
    return found


@tool()
async def profile(
    debugging: Debugging,
    seconds: Annotated[float, "how long", Within(0.1, 300)] = 5.0,
    kind: Annotated[
        Literal["cpu", "wall", "alloc", "lock", "exceptions"],
        "wall: with waits; alloc: bytes",
    ] = "cpu",
    pattern: Annotated[str, "of methods: com.acme.*"] = "",
    limit: Limit = 10,
) -> Body:
    """Return the hottest methods and paths of the running program, by its flight recorder."""
    vm = await debugging.vm()
    found = await vm.profile(seconds, kind, pattern)
    stacks = found.stacks
    return {
        "what": stacks.title,
        "source": found.source,
        "seconds": round(found.seconds, 3),
        "samples": found.samples,
        "total": in_words(stacks.total, stacks.unit),
        "methods": [
            {"method": each.name, "own": f"{stacks.share(each.own):.1%}", "total": f"{stacks.share(each.total):.1%}"}
            for each in stacks.methods()[:limit]
            if each.own
        ],
        "hot_paths": [
            f"{stacks.share(weight):.0%} by way of {' > '.join(path[-6:])}" for path, weight in stacks.hot_paths()
        ],
        "threads": [f"{name}: {found.share(weight):.1%}" for name, weight in found.threads.most_common(5)],
        "notes": list(found.notes),
    }


_IDLE = frozenset(
    (
        "java.lang.Object.wait",
        "java.lang.Object.wait0",
        "java.lang.Thread.sleep",
        "java.lang.Thread.sleep0",
        "java.lang.Thread.sleepNanos0",
        "java.lang.ref.Reference.waitForReferencePendingList",
        "jdk.internal.misc.Unsafe.park",
        "sun.misc.Unsafe.park",
        "sun.nio.ch.EPoll.wait",
        "sun.nio.ch.Net.accept",
        "sun.nio.ch.Net.poll",
    )
)
"""Native methods in which threads wait: time spent there is no work."""


async def _hits(debugging: Looked, seconds: float, limit: int) -> Any:
    return (await (await debugging.vm()).decisions(count=limit)).to_dict()


async def _deadlocks(debugging: Looked, seconds: float, limit: int) -> Any:
    return (await (await debugging.vm()).deadlocks()).to_dict()


_FRAMES = 20
"""Frames of a stack that are shown; whole stacks are compared."""


async def _stacks(debugging: Looked, seconds: float, limit: int) -> Body:
    """Return equal stacks, and what threads are not among them."""
    vm = await debugging.vm()
    session = vm.session
    paused = not vm.is_suspended and not session.agent_line
    if paused:
        await vm.pause()
    try:
        groups = await session.stack.folded()
    finally:
        if paused:
            with session.finishing():
                await vm.resume()
    shown = [group for group in groups if not group.error]
    left_out = ""
    if session.agent_line:  # there virtual threads come from a dump of their own
        try:
            virtual = await session.threads.virtual_folded()
        except StateError as error:
            if error.code == "NEEDS_AGENT":  # else there are none
                left_out = f"virtual threads: {error.message}"
        else:
            platform = [each.replace(threads=tuple(one for one in each.threads if not one.virtual)) for each in shown]
            shown = [*(each for each in platform if each.threads), *virtual]
            shown.sort(key=lambda group: -len(group.threads))
    stacks: list[Body] = []
    for group in shown[:limit]:
        found: Body = {
            "threads": len(group.threads),
            "names": [each.name for each in group.threads[:5]],
            "states": sorted({each.state for each in group.threads}),
            "frames": [_place(frame.to_dict()) for frame in group.frames[:_FRAMES]],
        }
        if len(group.frames) > _FRAMES:
            found["more_frames"] = len(group.frames) - _FRAMES
        stacks.append(found)
    return {"stacks": stacks, "stacks_left_out": left_out} if left_out else {"stacks": stacks}


def _place(frame: Body) -> str:
    return f"{frame.get('class')}.{frame.get('method')}({frame.get('source') or 'native'}:{frame.get('line') or 0})"


async def _heap(debugging: Looked, seconds: float, limit: int) -> Any:
    histogram = await (await debugging.vm()).session.heap.histogram(limit=_EVERY_CLASS)
    now, counts = trio.current_time(), {each.class_name: 0 for each in histogram.classes}
    for each in histogram.classes:
        counts[each.class_name] += each.count  # of all loaders
    before, debugging.heap = debugging.heap, (now, counts)
    found: Body = {"instances": sum(counts.values())}
    if before is None:
        ordered = sorted(counts, key=lambda name: -counts[name])[:limit]
        found["classes"] = [{"class": name, "instances": counts[name]} for name in ordered]
        found["next"] = "diagnose heap again, later, tells what has grown"
        return found
    grown = {name: counts.get(name, 0) - before[1].get(name, 0) for name in {*counts, *before[1]}}
    ordered = sorted((name for name in grown if grown[name]), key=lambda name: (-grown[name], name))[:limit]
    found["since_seconds"] = round(now - before[0], 3)
    found["grown"] = sum(grown.values())
    found["classes"] = [{"class": name, "instances": counts.get(name, 0), "grown": grown[name]} for name in ordered]
    return found


async def _load(debugging: Looked, seconds: float, limit: int) -> Any:
    return (await (await debugging.vm()).top(seconds, most=limit)).to_dict()


async def _hot(debugging: Looked, seconds: float, limit: int) -> Any:
    vm = await debugging.vm()
    async with vm.sample("*", seconds) as spent:
        found = await spent.result()
    busy = [each for each in found.methods if f"{each.class_name}.{each.method}" not in _IDLE]
    methods = sorted(busy, key=lambda each: -each.own)[:limit]
    return {
        "seconds": round(found.seconds, 3),
        "looks": found.looks,
        "methods": [
            {"method": f"{each.class_name}.{each.method}", "own": round(each.own, 3), "total": round(each.total, 3)}
            for each in methods
        ],
    }
