"""Tools that begin and end debugging, let the target run to a stop, and set what stops it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import jdbpy
from jdbpy import JdbpyError, Limits, PointOptions, StateError, SuspendPolicy, TimedOut, UsageError
from jdbpy.mcp.answers import Body
from jdbpy.mcp.debugging import Debugging, Rights
from jdbpy.mcp.tools import Within, tool
from jdbpy.process.openings import launch_words
from jdbpy.task_groups import open_nursery

if TYPE_CHECKING:
    from jdbpy.api import Stop, Thread, Vm

AROUND = 3
"""Lines of source before and after the line of a stop."""

_AT_A_STOP = Limits(depth=0, string=200, elements=10, fields=10)

Seconds = Annotated[float, "longest wait, in seconds", Within(0, 3600)]
ThreadName = Annotated[str, "id or name; default: the thread that stopped last"]


def attaching(address: str, rights: Rights) -> AbstractAsyncContextManager[Vm]:
    """Return what attaches to a JVM."""
    return jdbpy.attach(address, **rights.options)


def launching(command: tuple[str, ...], cwd: str, rights: Rights) -> AbstractAsyncContextManager[Vm]:
    """Return what launches a JVM."""
    return jdbpy.launch(*command, cwd=cwd or None, **rights.options)


@tool()
async def attach(
    debugging: Debugging,
    address: Annotated[
        str, "[HOST:]PORT of its debugger agent; default: the one named when the server was started"
    ] = "",
) -> Body:
    """Debug a running JVM. It keeps running until something suspends it, and after detach."""
    if not address and debugging.given is None:
        raise UsageError("attach needs an address, [HOST:]PORT", code="WRONG_ARGUMENT")
    if "://" in address and not debugging.rights.changes:
        raise StateError(
            "this server may not start ssh and the like to reach a JVM",
            hint="its user can name the address: jdbpy mcp attach ADDRESS",
            code="NOT_ALLOWED",
        )
    opening = partial(attaching, address) if address else debugging.given
    assert opening is not None
    return _opened(debugging, await debugging.open(opening))


@tool()
async def launch(
    debugging: Debugging,
    command: Annotated[tuple[str, ...], 'what follows "java": ["-cp", "classes", "com.acme.Main"]'],
    cwd: Annotated[str, "working directory"] = "",
) -> Body:
    """Start a JVM and debug it; needs --allow-changes. It stands before main: set breakpoints, then run_until_stop."""
    if not debugging.rights.changes:
        raise StateError(
            "this server may not start programs",
            hint="its user can start it with --allow-changes, or name the program: jdbpy mcp launch ...",
            code="NOT_ALLOWED",
        )
    launch_words(command, "WRONG_ARGUMENT")
    return _opened(debugging, await debugging.open(partial(launching, command, cwd)))


def _opened(debugging: Debugging, vm: Vm) -> Body:
    session = vm.session
    allowed = "all" if debugging.rights.changes else "read and suspend"
    if session.remote and allowed != "all" and not debugging.rights.suspend:
        allowed = "read"
    return {"vm": vm.info.to_dict(), "launched": session.launched, "remote": session.remote, "allowed": allowed}


@tool(repeatable=True)
async def detach(debugging: Debugging) -> Body:
    """Stop debugging: breakpoints are removed and everything runs on; a launched JVM is ended."""
    await debugging.leave()
    return {}


@tool()
async def run_until_stop(
    debugging: Debugging,
    timeout: Seconds = 10.0,
    thread: Annotated[str, "resume only this thread (id or name)"] = "",
) -> Body:
    """Resume and wait for the next stop (breakpoint, exception...), which comes with source and variables.
    Several stopped threads come one by one. After the timeout stop is null and the program runs on; pause suspends it.
    timeout 0 only resumes, also what has stopped meanwhile: passed tells those stops.
    """
    vm = await debugging.vm()
    if thread:
        await (await vm.find_thread(thread)).resume()
    elif not timeout:
        passed = await _run_on(vm)
        return {"stop": None, "passed": [each.to_dict() for each in passed]} if passed else {"stop": None}
    elif vm.is_suspended:
        await vm.resume()
    if not timeout:
        return {"stop": None}
    return await _stop_within(debugging, vm, timeout)


async def _run_on(vm: Vm) -> list[jdbpy.Stopped]:
    """Resume everything, and return the stops that nobody was told before: nobody waits for them now."""
    passed: list[jdbpy.Stopped] = []
    while vm.is_suspended:
        left = await vm.session.execution.resume_if_stopped()
        if not left:
            break
        for stop in left:
            vm.session.take(stop)
        passed += left
    return passed


async def _stop_within(debugging: Debugging, vm: Vm, timeout: float) -> Body:
    try:
        return await stopped(debugging, await vm.wait(timeout))
    except TimedOut:
        return {"stop": None, "waited": timeout}
    except StateError as error:
        if error.code != "VM_DEAD":
            raise
        return {"stop": None, "ended": True}


@tool(repeatable=True)
async def pause(debugging: Debugging, thread: Annotated[str, "suspend only this thread (id or name)"] = "") -> Body:
    """Suspend all threads where they are, until run_until_stop."""
    vm = await debugging.vm()
    if not thread:
        return await stopped(debugging, await vm.pause())
    found = await vm.find_thread(thread)
    await found.suspend()
    return {"thread": (await found.info).to_dict(), "frame": (await found.frame).to_dict()}


@tool()
async def step(
    debugging: Debugging,
    kind: Annotated[Literal["over", "into", "out", "instruction"], "over or into calls, out of the method"] = "over",
    thread: ThreadName = "",
    count: Annotated[int, "how many steps; not with out", Within(1, 1000)] = 1,
    timeout: Seconds = 10.0,
) -> Body:
    """Step a stopped thread to its next line and wait for it; the stop says what a method returned.
    After the timeout stop is null, and the step goes on; so it does where a stop of another thread suspends all: that
    one is returned then.
    """
    vm = await debugging.vm()
    found = await debugging.thread(thread)
    try:
        stop = await _unless_all_stop(debugging, found, partial(_step, found, kind, count, timeout))
    except TimedOut:
        return {"stop": None, "waited": timeout}
    except StateError:
        if vm.has_ended:
            return {"stop": None, "ended": True}
        raise
    if stop is None:
        return {**await _stop_within(debugging, vm, timeout), "step": "goes on when the thread is resumed"}
    return await stopped(debugging, stop)


async def _step(thread: Thread, kind: str, count: int, timeout: float) -> Stop:
    match kind:
        case "over":
            return await thread.next(count, timeout=timeout)
        case "into":
            return await thread.step(count, timeout=timeout)
        case "out":
            return await thread.finish(timeout=timeout)
        case _:
            return await thread.step_instruction(count, timeout=timeout)


async def _unless_all_stop(
    debugging: Debugging, thread: Thread, stepping: Callable[[], Awaitable[Stop]]
) -> Stop | None:
    """Return where a step ends; None as soon as a stop of another thread suspends this one too."""
    stop: Stop | None = None
    failed: JdbpyError | None = None

    async def watch() -> None:
        await debugging.all_stopped_by_another(thread.id)
        nursery.cancel_scope.cancel()

    async with open_nursery() as nursery:
        nursery.start_soon(watch)
        try:
            stop = await stepping()
        except JdbpyError as error:
            failed = error
        nursery.cancel_scope.cancel()
    if failed is not None:
        raise failed
    return stop


async def stopped(debugging: Debugging, stop: Stop) -> Body:
    """Return a stop with its source lines and variables. wire: what these take."""
    debugging.selected = stop
    record = stop.record
    found: Body = {"stop": stop.to_dict()}
    if stop.warning:
        found["warning"] = stop.warning
    if record.frame is None:
        return found
    session = (await debugging.vm()).session
    window = await session.sources.window(record.frame, AROUND)
    if window is not None:
        found["source"] = window.to_dict()
    try:
        found["variables"] = [each.to_dict() for each in await session.stack.variables(record.frame, _AT_A_STOP)]
    except JdbpyError as error:
        found["variables_error"] = error.message
    return found


@tool()
async def set_breakpoint(
    debugging: Debugging,
    at: Annotated[str, "Class:LINE, File.java:LINE, Class.method or Class.method(int,String)"] = "",
    exception: Annotated[str, "instead: where this exception or a subclass is thrown; * for any"] = "",
    field: Annotated[str, "instead: where Class.field is about to change"] = "",
    condition: Annotated[str, "boolean Java expression there; $exc, $old and $new are the exception and values"] = "",
    log: Annotated[str, "do not stop: report this text, Java expressions in braces: total {order.total}"] = "",
    hits: Annotated[str, 'which hits count: "== 3", ">= 10", "% 100"'] = "",
    suspend: Annotated[Literal["", "thread", "all"], "default: all of a local JVM, the thread of a remote one"] = "",
    temporary: Annotated[bool, "remove it at its first stop"] = False,
) -> Body:
    """Set a breakpoint, also in a class that is not loaded yet. What log reports comes as notices of later answers."""
    vm = await debugging.vm()
    if sum(map(bool, (at, exception, field))) != 1:
        raise UsageError("set_breakpoint needs one of at, exception and field", code="WRONG_ARGUMENT")
    if log and not at:
        raise UsageError("log goes with at only", code="WRONG_ARGUMENT")
    policy = {"": None, "thread": SuspendPolicy.THREAD, "all": SuspendPolicy.ALL}[suspend]
    options = PointOptions(policy=policy, temporary=temporary, condition=condition, hits=hits, log=log)
    session = vm.session
    if at:
        made = await session.breakpoints.add_with(at, options)
    elif exception:
        made = await session.catchpoints.exception(exception, options=options)
    else:
        made = await session.watchpoints.add(field, options=options)
    return {"breakpoint": made.to_dict()}


@tool(reads=True)
async def breakpoints(debugging: Debugging) -> Body:
    """The breakpoints that are set, with their places, conditions and hits."""
    return {"breakpoints": [each.to_dict() for each in (await debugging.vm()).session.points.list()]}


@tool(repeatable=True)
async def remove_breakpoint(
    debugging: Debugging,
    number: Annotated[int, "of the breakpoint; 0 removes all", Within(0, 1_000_000)],
) -> Body:
    """Remove a breakpoint; returns those that are left."""
    points = (await debugging.vm()).session.points
    numbers = [each.number for each in points.list()] if not number else [number]
    if numbers:
        await points.remove(numbers)
    return {"breakpoints": [each.to_dict() for each in points.list()]}
