"""Stacks: stackTrace page by page, scopes of a frame, what is known of an exception."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from jdbpy import JdbpyError, JdwpError, StateError
from jdbpy.dap.debuggee import Debuggee
from jdbpy.dap.editor import Editor
from jdbpy.dap.handles import Container, Handles
from jdbpy.dap.protocol import Body, request
from jdbpy.dap.readings import FrameReadings, shallow
from jdbpy.dap.recorded_thread import RecordedThread
from jdbpy.dap.sources import SourceTable
from jdbpy.dap.stops import StopEvents
from jdbpy.dap.variables import value_text
from jdbpy.escape import escape
from jdbpy.record import Record

if TYPE_CHECKING:
    from jdbpy import ExceptionInfo, FrameInfo, ValueInfo, Variable

MOST_FRAMES = 10_000
"""The most frames of one response: a stack overflow has more, and a client may ask for all."""

_MOST_CAUSES = 20


class StackFrameFormat(Record):
    """The parts of the name of a frame. All frames are shown, so ``includeAll`` changes nothing."""

    parameters: bool = False
    parameterTypes: bool = False
    parameterNames: bool = False
    parameterValues: bool = False
    line: bool = False
    module: bool = False
    hex: bool = False


MOST_NAMED = 200
"""Frames of one response whose parameters are read; of those beyond there are the types."""


class StackTraceOf(Record):
    """Arguments of ``stackTrace``."""

    threadId: int
    startFrame: int = 0
    levels: int = 0
    format: StackFrameFormat | None = None


def _argument(variable: Variable, form: StackFrameFormat, *, types: bool) -> str:
    """Return an argument in the name of its frame: ``int n = 5``."""
    words = [variable.type] if types else []
    if form.parameterNames:
        words.append(variable.name)
    if form.parameterValues:
        value = variable.value
        shown = "?" if value is None else value_text(value, hex=form.hex)
        words += ["=", shown] if words else [shown]
    return " ".join(words)


def _name(frame: FrameInfo, parameters: str = "") -> str:
    """Return the class without its package, the method, and what the client cannot see otherwise."""
    place = frame.location
    note = " [native]" if frame.native else " [replaced]" if frame.obsolete else ""
    return f"{place.class_name.rpartition('.')[2]}.{place.method}{parameters}{note}"


class ScopesOf(Record):
    """Arguments of ``scopes``."""

    frameId: int


class ExceptionOf(Record):
    """Arguments of ``exceptionInfo``."""

    threadId: int


def _detail(type_name: str, message: str | None) -> Body:
    detail: dict[str, Any] = {
        "typeName": escape(type_name.rpartition(".")[2]),
        "fullTypeName": escape(type_name),
    }
    if message is not None:
        detail["message"] = escape(message)
    return detail


class FrameRequests:
    """Stacks and what is known of a frame."""

    def __init__(
        self,
        debuggee: Debuggee,
        editor: Editor,
        handles: Handles,
        sources: SourceTable,
        readings: FrameReadings,
        stops: StopEvents,
        recorded: RecordedThread,
    ) -> None:
        self._debuggee = debuggee
        self._editor = editor
        self._handles = handles
        self._sources = sources
        self._readings = readings
        self._stops = stops
        self._recorded = recorded

    @request("stackTrace", StackTraceOf, supportsDelayedStackTraceLoading=True)
    async def stack_trace(self, args: StackTraceOf) -> Body:
        """wire: 1 trip, 2 for classes that are new; the variables of the innermost frame are read beside that."""
        if self._recorded.is_shown(args.threadId):
            frames = [await self._recorded.frame()]
            return {"stackFrames": frames[max(0, args.startFrame) :], "totalFrames": 1}
        session = self._debuggee.session
        count = min(args.levels, MOST_FRAMES) if args.levels > 0 else MOST_FRAMES
        thread = self._handles.thread_id(args.threadId)
        stop = self._stops.last.get(thread)
        top = stop.frame if stop is not None and session.is_current(stop) else None
        if args.startFrame <= 0 and top is not None:
            self._readings.ahead(top)
        found = await session.stack.of(thread, max(0, args.startFrame), count)
        if found.error:
            raise StateError(f"the thread has no frames to show: {found.error}")
        sources = await self._sources.of_places([frame.location for frame in found.frames])
        shown = [self._frame(frame, source) for frame, source in zip(found.frames, sources, strict=True)]
        if args.format is not None:
            names = await self._formatted(found.frames, args.format)
            shown = [{**each, "name": escape(name)} for each, name in zip(shown, names, strict=True)]
        return {"stackFrames": shown, "totalFrames": found.total}

    async def _formatted(self, frames: Sequence[FrameInfo], form: StackFrameFormat) -> list[str]:
        """Return the names of frames as the client wants them: ``app/Order.total(int n = 5) line 42``.

        wire: none for types and lines; 2 trips for names and values of parameters, 2 for modules.
        """
        session = self._debuggee.session
        parameters = [""] * len(frames)
        if form.parameters or form.parameterTypes or form.parameterNames or form.parameterValues:
            types = form.parameterTypes or not (form.parameterNames or form.parameterValues)
            parameters = [f"({', '.join(frame.location.parameter_types)})" for frame in frames]
            if form.parameterNames or form.parameterValues:
                named = [index for index, frame in enumerate(frames) if not frame.native][:MOST_NAMED]
                read = await session.stack.variables_of_all([frames[index] for index in named], shallow())
                for index, variables in zip(named, read, strict=True):
                    arguments = [each for each in variables if each.kind == "argument"]
                    parameters[index] = f"({', '.join(_argument(each, form, types=types) for each in arguments)})"
        modules: dict[int, str] = {}
        if form.module:
            with suppress(StateError):  # there are none before Java 9
                modules = await session.modules.names_of([frame.location for frame in frames])
        shown = []
        for frame, of_frame in zip(frames, parameters, strict=True):
            place = frame.location
            module = modules.get(place.type_id, "")
            line = f" line {self._editor.line_out(place.line)}" if form.line and place.line is not None else ""
            shown.append(f"{module}{'/' if module else ''}{_name(frame, of_frame)}{line}")
        return shown

    def _frame(self, frame: FrameInfo, source: Body | None) -> Body:
        place = frame.location
        session = self._debuggee.session
        filtered = session.execution.is_excluded(place.class_name)
        shown: Body = {
            "id": self._handles.frame_number(frame),
            "name": escape(_name(frame)),
            "line": self._editor.line_out(place.line),
            "column": 0,
            "presentationHint": "subtle" if filtered or frame.native else "normal",
            "canRestart": not frame.native,
        }
        if source is not None:
            shown["source"] = {**source, "presentationHint": "deemphasize"} if filtered else source
        if not frame.native:
            shown["instructionPointerReference"] = self._sources.instruction_reference(place)
        return shown

    @request("scopes", ScopesOf)
    async def scopes(self, args: ScopesOf) -> Body:
        """Locals, arguments, the fields of ``this``, static fields of the class, what the last step returned.

        wire: 1 trip for the variables, 2 or 3 where they refer to objects of new classes.
        """
        if self._handles.recorded(args.frameId) is not None:
            return {"scopes": self._recorded.scopes()}
        frame = self._handles.frame(args.frameId)
        variables = [] if frame.native else await self._readings.variables(frame, "scopes")
        this = next((each.value for each in variables if each.kind == "this" and each.value is not None), None)
        shown = []

        def add(name: str, container: Container, count: int | None, *, hint: str = "", expensive: bool = False) -> None:
            scope: Body = {
                "name": name,
                "variablesReference": self._handles.container_number(container),
                "expensive": expensive,
            }
            if count is not None:
                scope["namedVariables"] = count
            if hint:
                scope["presentationHint"] = hint
            shown.append(scope)

        stop = self._stops.last.get(frame.thread.id)
        if (
            frame.index == 1
            and stop is not None
            and stop.return_value is not None
            and self._debuggee.session.is_current(stop)
        ):
            add("Returned", Container("returned", frame, value=stop.return_value), 1, hint="returnValue")
        for name, kinds, hint in (
            ("Locals", ("local", "slot", "captured"), "locals"),
            ("Arguments", ("argument",), "arguments"),
        ):
            chosen = [each for each in variables if each.kind in kinds]
            if chosen or name == "Locals":
                add(name, Container("frame", frame, names=kinds), len(chosen), hint=hint)
        if this is not None:
            add("This", Container("object", frame, value=this, path="this"), None)
        if not frame.native:
            add("Static", Container("static", frame), None, expensive=True)
        return {"scopes": shown}

    @request("exceptionInfo", ExceptionOf, supportsExceptionInfoRequest=True)
    async def exception_info(self, args: ExceptionOf) -> Body:
        """Return the exception at which the thread stands, with its causes. wire: 2 trips a cause."""
        if self._recorded.is_shown(args.threadId):
            return self._recorded.exception()
        stop = self._stops.last.get(self._handles.thread_id(args.threadId))
        if stop is None or stop.exception is None or not self._debuggee.session.is_current(stop):
            raise StateError("the thread does not stand at an exception")
        shown = stop.exception
        body: Body = {
            "exceptionId": escape(shown.type),
            "breakMode": "unhandled" if shown.caught is False else "always",
            "details": await self._details(shown),
        }
        if shown.message is not None:
            body["description"] = escape(shown.message)
        return body

    async def _details(self, shown: ExceptionInfo) -> Body:
        """Return the exception and its causes, each inside the one before. wire: 2 trips a cause."""
        details = _detail(shown.type, shown.message)
        innermost, seen, current = details, {shown.id}, shown.id
        while len(seen) < _MOST_CAUSES:
            try:
                cause = await self._cause(current)
                if cause is None or cause.id is None or cause.id in seen:
                    break
                current = cause.id
                seen.add(current)
                inner = _detail(cause.type, await self._message(current))
            except JdbpyError:  # it was collected
                break
            innermost["innerException"] = [inner]
            innermost = inner
        return details

    async def _cause(self, throwable: int) -> ValueInfo | None:
        [found] = await self._debuggee.session.objects.field([throwable], "cause")
        return None if isinstance(found, JdwpError) else getattr(found, "value", None)

    async def _message(self, throwable: int) -> str | None:
        [found] = await self._debuggee.session.objects.field([throwable], "detailMessage")
        value = getattr(found, "value", None)
        if value is None or value.id is None:
            return None
        [text] = await self._debuggee.session.objects.texts([value.id], 10_000)
        return text if isinstance(text, str) else None
