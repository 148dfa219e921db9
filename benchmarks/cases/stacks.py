"""All stacks of a program with many threads, and the list of its threads."""

from __future__ import annotations

import time
from collections.abc import Callable

import jdbpy
from benchmarks.bench import Bench, Stopwatch, in_thread
from benchmarks.figures import Figure, Result, Sample, measure
from benchmarks.relay import Relay
from benchmarks.rivals import jdi
from benchmarks.rivals.conversation import Conversation, jdb_of, open_jdb, open_jdbpy
from benchmarks.rivals.floor import Floor, count, ids
from benchmarks.rivals.jdi import has_jdi

_ALL_THREADS = (1, 4, b"")
_SUSPEND = (1, 8, b"")
_WHOLE_STACK = b"\0\0\0\0\xff\xff\xff\xff"

_WAITING_FRAMES = 5
"""Frames that Crowd's threads have besides its own: those of Thread.run and of waiting."""


async def where_all(bench: Bench) -> list[Result]:
    """``where all`` with all threads suspended, nothing known before."""
    return [
        await _crowd(bench, "where all", threads=200, frames=20, rtt=0.1, bare=_bare_where_all),
        await _crowd(bench, "where all", threads=1000, frames=20, rtt=0.02, bare=_bare_where_all, with_rivals=False),
    ]


async def threads(bench: Bench) -> list[Result]:
    """``threads`` of a running program, nothing known before."""
    return [await _crowd(bench, "threads", threads=200, frames=20, rtt=0.1, bare=_bare_threads)]


async def _crowd(
    bench: Bench,
    command: str,
    *,
    threads: int,
    frames: int,
    rtt: float,
    bare: Callable[[Floor], None],
    with_rivals: bool = True,
) -> Result:
    arguments = (str(threads), str(frames - _WAITING_FRAMES))

    async def asked(conversation: Conversation, relay: Relay) -> Sample:
        if command == "where all":
            await conversation.ask("suspend")
        watch = Stopwatch(relay)
        text, _ = await conversation.ask(command)
        if text.count("crowd-") < threads:
            raise RuntimeError(f"{command} has not shown {threads} threads: {text[:2000]}")
        return watch.sample()

    async def by_command_line() -> Sample:
        async with bench.far_target("Crowd", *arguments, rtt=rtt) as relay, open_jdbpy(relay.address) as conversation:
            return await asked(conversation, relay)

    async def by_jdb() -> Sample:
        async with (
            bench.far_target("Crowd", *arguments, rtt=rtt) as relay,
            open_jdb(str(jdb_of(bench.jvm)), relay.address) as conversation,
        ):
            return await asked(conversation, relay)

    async def by_jdi() -> Sample:
        async with bench.far_target("Crowd", *arguments, rtt=rtt) as relay:
            if command == "where all":
                return await jdi.work(bench.jvm, relay, "where-all", threads * frames)
            return await jdi.work(bench.jvm, relay, "threads", threads)

    async def by_script() -> Sample:
        async with bench.far_target("Crowd", *arguments, rtt=rtt) as relay, jdbpy.attach(relay.address) as session:
            if command == "where all":
                await session.execution.suspend()
            watch = Stopwatch(relay)
            found = await (session.stack.all() if command == "where all" else session.threads.list())
            if len(found) < threads:
                raise RuntimeError(f"only {len(found)} threads")
            return watch.sample()

    async def by_floor() -> Sample:
        async with bench.far_target("Crowd", *arguments, rtt=rtt) as relay:

            def work() -> Sample:
                with Floor(relay.host, relay.port, [_SUSPEND] if command == "where all" else []) as floor:
                    before = relay.traffic()
                    start = time.perf_counter()
                    bare(floor)
                    return Sample(time.perf_counter() - start, relay.traffic().since(before).waves)

            return await in_thread(work)

    figures: list[Figure] = [
        await measure("floor", bench.effort, by_floor),
        await measure("jdbpy", bench.effort, by_command_line),
        await measure("jdbpy, from a script", bench.effort, by_script),
    ]
    if with_rivals and has_jdi(bench.jvm):
        figures += [await measure("JDI", bench.effort, by_jdi), await measure("jdb", bench.effort, by_jdb)]
    link = f"{rtt * 1000:.0f} ms"
    size = f"{threads:,} threads" + (f" of {frames} frames" if command == "where all" else "")
    return Result(f"`{command}`, {size}", link, tuple(figures))


def _bare_where_all(floor: Floor) -> None:
    """Names, states and frames of all threads, then names and lines of all their classes and methods: 3 trips."""
    [all_threads] = floor.wave([_ALL_THREADS])
    thread_ids = ids(all_threads, 4, count(all_threads))
    replies = floor.wave(
        [(11, 1, thread) for thread in thread_ids]
        + [(11, 4, thread) for thread in thread_ids]
        + [(11, 6, thread + _WHOLE_STACK) for thread in thread_ids]
    )
    methods: set[bytes] = set()
    for stack in replies[2 * len(thread_ids) :]:
        if stack:
            # a frame: frame id, type tag, class id, method id, index
            methods.update(stack[at + 9 : at + 25] for at in range(4, 4 + count(stack) * 33, 33))
    classes = sorted({method[:8] for method in methods})
    floor.wave(
        [(2, command, clazz) for clazz in classes for command in (1, 5, 7)]  # Signature, Methods, SourceFile
        + [(6, 1, method) for method in sorted(methods)]  # LineTable
    )


def _bare_threads(floor: Floor) -> None:
    """Names, states and groups of all threads, then the names of the groups: 3 trips."""
    [all_threads] = floor.wave([_ALL_THREADS])
    thread_ids = ids(all_threads, 4, count(all_threads))
    replies = floor.wave([(11, command, thread) for command in (1, 4, 5) for thread in thread_ids])
    groups = sorted({group for group in replies[2 * len(thread_ids) :] if group})
    floor.wave([(12, 1, group) for group in groups])
