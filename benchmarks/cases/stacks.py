"""All stacks of a program with many threads, and the list of its threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager

import jdbpy
from benchmarks.bench import Bench, Link, Stopwatch, in_thread
from benchmarks.figures import Result, Sample, measure
from benchmarks.processes import processor_time
from benchmarks.rivals import jdi
from benchmarks.rivals.conversation import Conversation, open_jdb, open_jdbpy
from benchmarks.rivals.floor import Command, Floor, count, ids
from benchmarks.rivals.terminal import open_prompt

_ALL_THREADS = (1, 4, b"")
_SUSPEND = (1, 8, b"")
_WHOLE_STACK = b"\0\0\0\0\xff\xff\xff\xff"

WAITING_FRAMES = 5
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


async def fold(bench: Bench) -> list[Result]:
    """``where all --fold`` of very many threads with deep stacks that are all the same, and the agent's part in it."""
    command, threads, frames = "where all --fold", 2000, 100
    arguments = (str(threads), str(frames - WAITING_FRAMES))

    async def by_agent() -> Sample:
        async with bench.target("Crowd", *arguments) as target, open_jdbpy(target.address) as conversation:
            await conversation.ask("suspend")
            before = processor_time(target.pid)
            await conversation.ask(command)
            return Sample(processor_time(target.pid) - before)

    result = await _crowd(
        bench, command, threads=threads, frames=frames, rtt=0, bare=_bare_where_all, with_rivals=False
    )
    agent = await measure("the agent's processor time, for jdbpy", bench.effort, by_agent)
    return [result.replace(figures=(*result.figures, agent))]


async def paging(bench: Bench) -> list[Result]:
    """100,000 lines through a pager: the time until its first page is there."""
    threads, frames = 1000, 100
    arguments = (str(threads), str(frames - WAITING_FRAMES))

    async def first_page() -> Sample:
        async with bench.near_target("Crowd", *arguments) as link, open_prompt(link.address) as terminal:
            await terminal.run("suspend")
            watch = Stopwatch(link)
            await terminal.type("where all\r")
            await terminal.until(b"Reference Handler")  # one of the JVM's own, which come first
            sample = watch.sample()
            await terminal.type("q")
            return sample

    async def whole() -> Sample:
        async with bench.near_target("Crowd", *arguments) as link, open_jdbpy(link.address) as conversation:
            await conversation.ask("suspend")
            watch = Stopwatch(link)
            await conversation.ask("where all")
            return watch.sample()

    async def floor() -> Sample:
        async with bench.near_target("Crowd", *arguments) as link:
            return await in_thread(lambda: _bare(link, _bare_where_all, [_SUSPEND]))

    contenders = {"floor": floor, "jdbpy": first_page, "jdbpy, all of it": whole}
    work = f"`where all` of {threads * frames:,} frames: the first page in the pager (floor: receiving)"
    return [await bench.compare(work, "loopback", contenders)]


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
    arguments = (str(threads), str(frames - WAITING_FRAMES))

    def target() -> AbstractAsyncContextManager[Link]:
        return bench.far_target("Crowd", *arguments, rtt=rtt) if rtt else bench.near_target("Crowd", *arguments)

    async def asked(conversation: Conversation, link: Link) -> Sample:
        if command != "threads":
            await conversation.ask("suspend")
        watch = Stopwatch(link)
        text = await conversation.ask(command)
        if command != "where all --fold" and text.count("crowd-") < threads:
            raise RuntimeError(f"{command} has not shown {threads} threads: {text[:2000]}")
        return watch.sample()

    async def by_command_line() -> Sample:
        async with target() as link, open_jdbpy(link.address) as conversation:
            return await asked(conversation, link)

    async def by_jdb() -> Sample:
        async with (
            target() as link,
            open_jdb(bench.jvm, link.address) as conversation,
        ):
            return await asked(conversation, link)

    async def by_jdi() -> Sample:
        async with target() as link:
            if command == "where all":
                return await jdi.work(bench.jvm, link, "where-all", at_least=threads * frames)
            return await jdi.work(bench.jvm, link, "threads", at_least=threads)

    async def by_script() -> Sample:
        async with target() as link, jdbpy.attach_session(link.address) as session:
            if command != "threads":
                await session.execution.suspend()
            watch = Stopwatch(link)
            if command == "where all --fold":
                found = sum(len(equal.threads) for equal in await session.stack.folded())
            else:
                found = len(await (session.stack.all() if command == "where all" else session.threads.list()))
            if found < threads:
                raise RuntimeError(f"only {found} threads")
            return watch.sample()

    async def by_floor() -> Sample:
        async with target() as link:
            return await in_thread(lambda: _bare(link, bare, [] if command == "threads" else [_SUSPEND]))

    contenders = {"floor": by_floor, "jdbpy": by_command_line, "jdbpy, from a script": by_script}
    if with_rivals:
        contenders |= {"JDI": by_jdi, "jdb": by_jdb}
    size = f"{threads:,} threads" + ("" if command == "threads" else f" of {frames} frames")
    return await bench.compare(
        f"`{command}`, {size}", f"{rtt * 1000:.0f} ms" if rtt else "loopback", contenders, rivals_at_once=True
    )


def _bare(link: Link, work: Callable[[Floor], None], before: Sequence[Command]) -> Sample:
    with Floor(link.host, link.port, before) as floor:
        watch = Stopwatch(link)
        work(floor)
        return watch.sample()


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
