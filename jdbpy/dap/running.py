"""Threads that run and stop: threads, continue, next, stepIn, stepOut, pause, restartFrame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jdbpy
from jdbpy import StateError
from jdbpy.dap.adapter import Adapter
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


class Pause(Record):
    """Arguments of ``pause``."""

    threadId: int = 0


class RestartFrame(Record):
    """Arguments of ``restartFrame``."""

    frameId: int


@request("threads")
async def threads(adapter: Adapter, args: NoArguments) -> Body:
    """All live threads. wire: 2 or 3 trips."""
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


@request("stepIn", ContinueArguments, in_order=True)
async def step_in(adapter: Adapter, args: ContinueArguments) -> None:
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
