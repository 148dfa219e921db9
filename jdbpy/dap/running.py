"""Threads that run and stop: threads, continue, steps, also into one of several calls, pause, restartFrame, the end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import jdbpy
from jdbpy import JdbpyError, StateError, UsageError
from jdbpy.dap.adapter import Adapter
from jdbpy.dap.code import CodeOf, code_at, disassembly, instruction_reference
from jdbpy.dap.protocol import Body, NoArguments, request
from jdbpy.escape import escape
from jdbpy.record import Record

if TYPE_CHECKING:
    from jdbpy import StepDepth


class ContinueArguments(Record):
    """Arguments of ``continue`` and steps."""

    threadId: int
    singleThread: bool = False
    granularity: str = "statement"
    targetId: int | None = None


class Pause(Record):
    """Arguments of ``pause``."""

    threadId: int = 0


class RestartFrame(Record):
    """Arguments of ``restartFrame``."""

    frameId: int


@request("threads")
async def threads(adapter: Adapter, args: NoArguments) -> Body:
    """Return all live threads. wire: 2 or 3 trips."""
    found = await adapter.session.threads.list()
    return {"threads": [{"id": adapter.thread_number(each.id), "name": escape(each.name)} for each in found]}


@request("continue", ContinueArguments, in_order=True, supportsSingleThreadExecutionRequests=True)
async def continue_(adapter: Adapter, args: ContinueArguments) -> Body:
    """Resume everything if everything is suspended, else the thread alone: it may be one of several that stopped."""
    session = adapter.session
    thread = adapter.thread_id(args.threadId)
    everything = session.suspended_everything and not args.singleThread
    if everything:
        await session.execution.resume()
    else:
        await session.execution.resume(thread)
    return {"allThreadsContinued": everything}


@request("next", ContinueArguments, in_order=True, supportsSteppingGranularity=True)
async def next_(adapter: Adapter, args: ContinueArguments) -> None:
    await _step(adapter, args, jdbpy.StepDepth.OVER)


_CALL = re.compile(r'(?:Interface)?Method (?:([^\s"]+)\.)?"?(<init>|[^\s:".]+)"?:\(.*')


class FrameArguments(Record):
    """Arguments of ``stepInTargets``."""

    frameId: int


@request("stepInTargets", FrameArguments, supportsStepInTargetsRequest=True)
async def step_in_targets(adapter: Adapter, args: FrameArguments) -> Body:
    """Return the calls that the line of the innermost frame has still to make. wire: 3 trips, none again."""
    frame = adapter.frame(args.frameId)
    adapter.step_targets.clear()
    place = frame.location
    if frame.native or frame.index != 1:
        return {"targets": []}
    found = await disassembly(adapter, CodeOf(place.class_name, place.method, place.signature))
    line: int | None = None
    targets: list[Body] = []
    for each in found.instructions if found is not None else ():
        line = each.line if each.line is not None else line
        call = _CALL.fullmatch(each.meaning) if each.name.startswith("invoke") else None
        if call is None or line != place.line or each.index < place.code_index:
            continue
        owner = (call[1] or place.class_name).replace("/", ".").rpartition(".")[2]
        name = f"new {owner}" if call[2] == "<init>" else f"{owner}.{call[2]}"
        number = len(targets) + 1
        adapter.step_targets[number] = frame.thread.id, each.index, instruction_reference(adapter, place)
        targets.append({"id": number, "label": escape(name), "line": adapter.line_out(line)})
    _tell_apart(targets)
    return {"targets": targets}


def _tell_apart(targets: list[Body]) -> None:
    """Number the calls that have one label, in the order in which they are made."""
    labels = [each["label"] for each in targets]
    for index, each in enumerate(targets):
        if (count := labels.count(labels[index])) > 1:
            each["label"] = f"{labels[index]} ({labels[: index + 1].count(labels[index])} of {count})"


@request("stepIn", ContinueArguments, in_order=True)
async def step_in(adapter: Adapter, args: ContinueArguments) -> None:
    if args.targetId is None:
        await _step(adapter, args, jdbpy.StepDepth.INTO)
        return
    thread = adapter.thread_id(args.threadId)
    of, index, reference = adapter.step_targets.get(args.targetId, (0, 0, ""))
    if of != thread:
        raise UsageError(f"no step target {args.targetId}", code="NO_SUCH_TARGET")
    await _step_to_call(adapter, args, thread, index, reference)


async def _step_to_call(adapter: Adapter, args: ContinueArguments, thread: int, index: int, reference: str) -> None:
    """Step over the line, but for the call at an index: there a breakpoint of ours ends it, and it is stepped into."""
    session = adapter.session
    here = int(reference, 16) & 0xFFFF
    if here != index:
        place = await code_at(adapter, reference, index - here)
        options = jdbpy.PointOptions(temporary=True, thread=thread, policy=session.default_policy, internal=True)
        point = await session.breakpoints.add_with(place, options)
        adapter.calls[point.number] = thread
        try:
            await _step(adapter, args, jdbpy.StepDepth.OVER)
        except BaseException:
            del adapter.calls[point.number]
            await session.points.remove([point.number])
            raise
        return
    await _step(adapter, args, jdbpy.StepDepth.INTO)


@request("stepOut", ContinueArguments, in_order=True)
async def step_out(adapter: Adapter, args: ContinueArguments) -> None:
    await _step(adapter, args, jdbpy.StepDepth.OUT)


async def _step(adapter: Adapter, args: ContinueArguments, depth: StepDepth) -> None:
    size = jdbpy.StepSize.MIN if args.granularity == "instruction" else jdbpy.StepSize.LINE
    thread = adapter.thread_id(args.threadId)
    await adapter.session.execution.start_step(depth, size, thread_id=thread, alone=args.singleThread)


@request("pause", Pause, at_once=True)
async def pause(adapter: Adapter, args: Pause) -> None:
    """Suspend everything; the thread alone where hits suspend only their thread. wire: 3 or 4 trips."""
    session = adapter.session
    if args.threadId and session.default_policy is jdbpy.SuspendPolicy.THREAD:
        await session.execution.pause(adapter.thread_id(args.threadId))
    else:
        await session.execution.pause()


@request("restartFrame", RestartFrame, in_order=True, supportsRestartFrame=True)
async def restart_frame(adapter: Adapter, args: RestartFrame) -> None:
    """Discard the frame with those inside it, and enter its method again. wire: 5 trips."""
    frame = adapter.frame(args.frameId)
    session, thread = adapter.session, frame.thread.id
    if frame.native:
        raise StateError("a native frame cannot be entered again")
    async with adapter.selecting:
        await session.select_thread(thread)
        await session.execution.pop(frame.index)
    adapter.restarting.add(thread)
    try:
        await session.execution.start_step(jdbpy.StepDepth.INTO, thread_id=thread)
    except BaseException:
        adapter.restarting.discard(thread)
        raise


class ThreadsOf(Record):
    """Arguments of ``terminateThreads``."""

    threadIds: tuple[int, ...] = ()


@request("terminateThreads", ThreadsOf, in_order=True, supportsTerminateThreadsRequest=True)
async def terminate_threads(adapter: Adapter, args: ThreadsOf) -> None:
    """Throw ThreadDeath in threads, as Thread.stop() did: each ends when it runs next, unless its code catches that.

    wire: 4 trips a thread.
    """
    failed = []
    for number in args.threadIds:
        try:
            await adapter.session.threads.throw_in(adapter.thread_id(number), "new ThreadDeath()")
        except JdbpyError as error:
            failed.append(error.message)
    if failed:
        raise StateError("; ".join(failed))
