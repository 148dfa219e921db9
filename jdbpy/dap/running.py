"""Threads that run and stop: threads, continue, steps, also into one of several calls, pause, restartFrame, the end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import jdbpy
from jdbpy import JdbpyError, StateError, UsageError
from jdbpy.dap.debuggee import Debuggee
from jdbpy.dap.editor import Editor
from jdbpy.dap.handles import Handles
from jdbpy.dap.protocol import Body, NoArguments, request
from jdbpy.dap.recorded_thread import RecordedThread
from jdbpy.dap.sources import CodeOf, SourceTable
from jdbpy.dap.stops import StopEvents
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


_CALL = re.compile(r'(?:Interface)?Method (?:([^\s"]+)\.)?"?(<init>|[^\s:".]+)"?:\(.*')


class FrameArguments(Record):
    """Arguments of ``stepInTargets``."""

    frameId: int


def _tell_apart(targets: list[Body]) -> None:
    """Number the calls that have one label, in the order in which they are made."""
    labels = [each["label"] for each in targets]
    for index, each in enumerate(targets):
        if (count := labels.count(labels[index])) > 1:
            each["label"] = f"{labels[index]} ({labels[: index + 1].count(labels[index])} of {count})"


class ThreadsOf(Record):
    """Arguments of ``terminateThreads``."""

    threadIds: tuple[int, ...] = ()


class RunningRequests:
    """Threads that run and stop."""

    def __init__(
        self,
        debuggee: Debuggee,
        editor: Editor,
        handles: Handles,
        sources: SourceTable,
        stops: StopEvents,
        recorded: RecordedThread,
    ) -> None:
        self._debuggee = debuggee
        self._editor = editor
        self._handles = handles
        self._sources = sources
        self._stops = stops
        self._recorded = recorded
        self._step_targets: dict[int, tuple[int, int, str]] = {}
        """The calls that the client was shown last: their thread, their index, and the address where it stands."""

    @request("threads")
    async def threads(self, args: NoArguments) -> Body:
        """Return all live threads. wire: 2 or 3 trips."""
        found = await self._debuggee.session.threads.list()
        shown = [{"id": self._handles.thread_number(each.id), "name": escape(each.name)} for each in found]
        return {"threads": [*self._recorded.as_threads(), *shown]}

    @request("continue", ContinueArguments, in_order=True, supportsSingleThreadExecutionRequests=True)
    async def continue_(self, args: ContinueArguments) -> Body:
        """Resume everything if everything is suspended, else the thread alone: several may have stopped."""
        if self._recorded.is_shown(args.threadId):
            self._recorded.go_on()
            return {"allThreadsContinued": False}
        session = self._debuggee.session
        thread = self._handles.thread_id(args.threadId)
        everything = session.suspended_everything and not args.singleThread
        if everything:
            await session.execution.resume()
        else:
            await session.execution.resume(thread)
        if everything:
            self._recorded.show_again()
        return {"allThreadsContinued": everything}

    @request("next", ContinueArguments, in_order=True, supportsSteppingGranularity=True)
    async def next_(self, args: ContinueArguments) -> None:
        await self._step(args, jdbpy.StepDepth.OVER)

    @request("stepInTargets", FrameArguments, supportsStepInTargetsRequest=True)
    async def step_in_targets(self, args: FrameArguments) -> Body:
        """Return the calls that the line of the innermost frame has still to make. wire: 3 trips, none again."""
        self._step_targets.clear()
        if self._handles.recorded(args.frameId) is not None:
            return {"targets": []}
        frame = self._handles.frame(args.frameId)
        place = frame.location
        if frame.native or frame.index != 1:
            return {"targets": []}
        found = await self._sources.disassembly(CodeOf(place.class_name, place.method, place.signature))
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
            self._step_targets[number] = frame.thread.id, each.index, self._sources.instruction_reference(place)
            targets.append({"id": number, "label": escape(name), "line": self._editor.line_out(line)})
        _tell_apart(targets)
        return {"targets": targets}

    @request("stepIn", ContinueArguments, in_order=True)
    async def step_in(self, args: ContinueArguments) -> None:
        if args.targetId is None:
            await self._step(args, jdbpy.StepDepth.INTO)
            return
        thread = self._handles.thread_id(args.threadId)
        of, index, reference = self._step_targets.get(args.targetId, (0, 0, ""))
        if of != thread:
            raise UsageError(f"no step target {args.targetId}", code="NO_SUCH_TARGET")
        await self._step_to_call(args, thread, index, reference)

    async def _step_to_call(self, args: ContinueArguments, thread: int, index: int, reference: str) -> None:
        """Step over the line, but for the call at an index: there a breakpoint of ours ends it,
        and it is stepped into."""
        session = self._debuggee.session
        here = int(reference, 16) & 0xFFFF
        if here != index:
            place = await self._sources.code_at(reference, index - here)
            options = jdbpy.PointOptions(temporary=True, thread=thread, policy=session.default_policy, internal=True)
            point = await session.breakpoints.add_with(place, options)
            self._stops.calls_to_enter[point.number] = thread
            try:
                await self._step(args, jdbpy.StepDepth.OVER)
            except BaseException:
                del self._stops.calls_to_enter[point.number]
                await session.points.remove([point.number])
                raise
            return
        await self._step(args, jdbpy.StepDepth.INTO)

    @request("stepBack", ContinueArguments, in_order=True)
    async def step_back(self, args: ContinueArguments) -> None:
        """Go back a line in the recorded call that is open. No trip."""
        self._recorded.check(args.threadId)
        self._recorded.step(-1)

    @request("reverseContinue", ContinueArguments, in_order=True)
    async def reverse_continue(self, args: ContinueArguments) -> None:
        """Go back in the recorded call that is open: to the last breakpoint, or to its first line. No trip."""
        self._recorded.check(args.threadId)
        self._recorded.go_back()

    @request("stepOut", ContinueArguments, in_order=True)
    async def step_out(self, args: ContinueArguments) -> None:
        if self._recorded.is_shown(args.threadId):
            self._recorded.go_to_end()
            return
        await self._step(args, jdbpy.StepDepth.OUT)

    async def _step(self, args: ContinueArguments, depth: StepDepth) -> None:
        if self._recorded.is_shown(args.threadId):
            self._recorded.step(1)
            return
        size = jdbpy.StepSize.MIN if args.granularity == "instruction" else jdbpy.StepSize.LINE
        thread = self._handles.thread_id(args.threadId)
        await self._debuggee.session.execution.start_step(depth, size, thread_id=thread, alone=args.singleThread)

    @request("pause", Pause, at_once=True)
    async def pause(self, args: Pause) -> None:
        """Suspend everything; the thread alone where hits suspend only their thread. wire: 3 or 4 trips."""
        session = self._debuggee.session
        if self._recorded.is_shown(args.threadId):
            raise StateError("nothing runs in a recorded call")
        if args.threadId and session.default_policy is jdbpy.SuspendPolicy.THREAD:
            await session.execution.pause(self._handles.thread_id(args.threadId))
        else:
            await session.execution.pause()

    @request("restartFrame", RestartFrame, in_order=True, supportsRestartFrame=True)
    async def restart_frame(self, args: RestartFrame) -> None:
        """Discard the frame with those inside it, and enter its method again. wire: 5 trips."""
        frame = self._handles.frame(args.frameId)
        session, thread = self._debuggee.session, frame.thread.id
        if frame.native:
            raise StateError("a native frame cannot be entered again")
        async with self._debuggee.selecting:
            await session.select_thread(thread)
            await session.execution.pop(frame.index)
        self._stops.restarting.add(thread)
        try:
            await session.execution.start_step(jdbpy.StepDepth.INTO, thread_id=thread)
        except BaseException:
            self._stops.restarting.discard(thread)
            raise

    @request("terminateThreads", ThreadsOf, in_order=True, supportsTerminateThreadsRequest=True)
    async def terminate_threads(self, args: ThreadsOf) -> None:
        """Throw ThreadDeath in threads, as Thread.stop() did: each ends when it runs next, if its code lets it.

        wire: 4 trips a thread.
        """
        failed = []
        for number in args.threadIds:
            try:
                await self._debuggee.session.threads.throw_in(self._handles.thread_id(number), "new ThreadDeath()")
            except JdbpyError as error:
                failed.append(error.message)
        if failed:
            raise StateError("; ".join(failed))
