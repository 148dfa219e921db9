"""The requests that set breakpoints: of source lines, functions, instructions, exceptions and fields."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import TYPE_CHECKING, Protocol

import jdbpy
from jdbpy import UsageError
from jdbpy.dap.breakpoint_table import Add, EditorBreakpoints
from jdbpy.dap.debuggee import Debuggee
from jdbpy.dap.editor import Editor
from jdbpy.dap.handles import Container, Handles
from jdbpy.dap.paths import ClientSource
from jdbpy.dap.protocol import Body, request
from jdbpy.dap.sources import SourceTable
from jdbpy.escape import escape
from jdbpy.identifiers import WORD
from jdbpy.record import Record

if TYPE_CHECKING:
    from jdbpy import BreakpointInfo

_HITS = re.compile(r"(==|=|>=|>|%)?\s*(\d{1,9})")

_CONDITION = "classes or patterns, then if and a Java expression: com.acme.*, Error if $exc.code > 3"

EXCEPTION_FILTERS: list[Body] = [
    {
        "filter": "caught",
        "label": "Caught Exceptions",
        "default": False,
        "supportsCondition": True,
        "conditionDescription": _CONDITION,
    },
    {
        "filter": "uncaught",
        "label": "Uncaught Exceptions",
        "default": False,
        "supportsCondition": True,
        "conditionDescription": _CONDITION,
    },
]


class SourceBreakpoint(Record):
    """A breakpoint at a line."""

    line: int
    column: int | None = None
    condition: str = ""
    hitCondition: str = ""
    logMessage: str = ""


class SetBreakpoints(Record):
    """Arguments of ``setBreakpoints``."""

    source: ClientSource
    breakpoints: tuple[SourceBreakpoint, ...] = ()
    lines: tuple[int, ...] = ()


class _Conditional(Protocol):
    """The fields that breakpoints of all kinds have."""

    @property
    def condition(self) -> str: ...

    @property
    def hitCondition(self) -> str: ...


def _options(each: _Conditional, *, log: str = "") -> jdbpy.PointOptions:
    """Return the options of a breakpoint. Raises UsageError for a hit condition that is none."""
    return jdbpy.PointOptions(condition=each.condition, hits=_hits(each.hitCondition), log=log)


def _hits(text: str) -> str:
    """Return a hit condition as the session takes it. Raises UsageError."""
    if not text.strip():
        return ""
    match = _HITS.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"the hit condition '{escape(text)[:100]}' is wrong: write 5, >= 5, > 5 or % 5")
    sign, number = match[1] or "==", int(match[2])
    if sign == ">":
        sign, number = ">=", number + 1
    return f"{'==' if sign == '=' else sign} {number}"


class FunctionBreakpoint(Record):
    """A breakpoint at the entry of a method."""

    name: str
    condition: str = ""
    hitCondition: str = ""


class SetFunctionBreakpoints(Record):
    """Arguments of ``setFunctionBreakpoints``."""

    breakpoints: tuple[FunctionBreakpoint, ...]


class InstructionBreakpoint(Record):
    """A breakpoint at an instruction."""

    instructionReference: str
    offset: int = 0
    condition: str = ""
    hitCondition: str = ""


class SetInstructionBreakpoints(Record):
    """Arguments of ``setInstructionBreakpoints``."""

    breakpoints: tuple[InstructionBreakpoint, ...]


class FilterOption(Record):
    """An exception filter with its classes and condition."""

    filterId: str
    condition: str = ""


class SetExceptionBreakpoints(Record):
    """Arguments of ``setExceptionBreakpoints``."""

    filters: tuple[str, ...] = ()
    filterOptions: tuple[FilterOption, ...] = ()


def _classes_and_condition(text: str) -> tuple[list[str], str] | None:
    """``com.acme.*, Error if $exc.code > 3``: the names, and the expression; None if it is neither."""
    match = re.fullmatch(rf"\s*(?P<names>[{WORD}.*,\s]*?)\s*(?:\bif\b(?P<condition>.*))?", text, re.DOTALL)
    if match is None:
        return None
    names = [name.strip() for name in match["names"].split(",") if name.strip()]
    return names or ["*"], (match["condition"] or "").strip()


class DataBreakpointInfo(Record):
    """Arguments of ``dataBreakpointInfo``."""

    name: str
    variablesReference: int = 0
    frameId: int | None = None


_DATA_ID = re.compile(rf"(?P<field>[{WORD}.]+)(?:@(?P<object>\d+))?")


class DataBreakpoint(Record):
    """A field that is watched."""

    dataId: str
    accessType: str = "write"
    condition: str = ""
    hitCondition: str = ""


class SetDataBreakpoints(Record):
    """Arguments of ``setDataBreakpoints``."""

    breakpoints: tuple[DataBreakpoint, ...]


class LocationsOf(Record):
    """Arguments of ``breakpointLocations``."""

    source: ClientSource
    line: int
    endLine: int | None = None


class BreakpointRequests:
    """Breakpoints of all kinds."""

    def __init__(
        self, debuggee: Debuggee, editor: Editor, handles: Handles, sources: SourceTable, breakpoints: EditorBreakpoints
    ) -> None:
        self._debuggee = debuggee
        self._editor = editor
        self._handles = handles
        self._sources = sources
        self._breakpoints = breakpoints

    @request(
        "setBreakpoints",
        SetBreakpoints,
        in_order=True,
        supportsConditionalBreakpoints=True,
        supportsHitConditionalBreakpoints=True,
        supportsLogPoints=True,
    )
    async def set_breakpoints(self, args: SetBreakpoints) -> Body:
        """wire: 1 to 3 trips for each that is new."""
        file = self._sources.place_of(args.source)
        wanted = args.breakpoints or tuple(SourceBreakpoint(line) for line in args.lines)
        adds: list[tuple[Hashable, Add]] = []
        for each in wanted:
            line = self._editor.line_in(each.line)

            async def add(each: SourceBreakpoint = each, line: int = line) -> BreakpointInfo:
                return await self._debuggee.session.breakpoints.add_with(
                    f"{file}:{line}", _options(each, log=each.logMessage)
                )

            adds.append(((line, each.condition, each.hitCondition, each.logMessage), add))
        shown = await self._breakpoints.replace(("source", file), "source", adds)
        for each, body in zip(wanted, shown, strict=True):
            body.setdefault("line", each.line)
        return {"breakpoints": shown}

    @request("setFunctionBreakpoints", SetFunctionBreakpoints, in_order=True, supportsFunctionBreakpoints=True)
    async def set_function_breakpoints(self, args: SetFunctionBreakpoints) -> Body:
        """Methods by name: ``com.acme.Order.total``, ``Order.total(int)``. wire: 1 to 3 trips for each that is new."""
        adds: list[tuple[Hashable, Add]] = []
        for each in args.breakpoints:

            async def add(each: FunctionBreakpoint = each) -> BreakpointInfo:
                return await self._debuggee.session.breakpoints.add_with(each.name, _options(each))

            adds.append(((each.name, each.condition, each.hitCondition), add))
        return {"breakpoints": await self._breakpoints.replace("functions", "function", adds)}

    @request("setInstructionBreakpoints", SetInstructionBreakpoints, in_order=True, supportsInstructionBreakpoints=True)
    async def set_instruction_breakpoints(self, args: SetInstructionBreakpoints) -> Body:
        """Instructions by their addresses in ``disassemble``. wire: 1 to 3 trips for each that is new."""
        adds: list[tuple[Hashable, Add]] = []
        for each in args.breakpoints:

            async def add(each: InstructionBreakpoint = each) -> BreakpointInfo:
                place = await self._sources.code_at(each.instructionReference, each.offset)
                return await self._debuggee.session.breakpoints.add_with(place, _options(each))

            adds.append(((each.instructionReference, each.offset, each.condition, each.hitCondition), add))
        shown = await self._breakpoints.replace("instructions", "instruction", adds)
        for each, body in zip(args.breakpoints, shown, strict=True):
            if body["verified"]:
                body.update(instructionReference=each.instructionReference, offset=each.offset)
        return {"breakpoints": shown}

    @request(
        "setExceptionBreakpoints",
        SetExceptionBreakpoints,
        in_order=True,
        exceptionBreakpointFilters=EXCEPTION_FILTERS,
        supportsExceptionFilterOptions=True,
    )
    async def set_exception_breakpoints(self, args: SetExceptionBreakpoints) -> Body:
        """Exceptions that are thrown: caught ones, uncaught ones, of classes and patterns.

        wire: 3 trips for each new.
        """
        adds: list[tuple[Hashable, Add]] = []
        chosen = [*(FilterOption(each) for each in args.filters), *args.filterOptions]
        counts = []
        for option in chosen:
            classes, condition = _classes_and_condition(option.condition) or ([option.condition], "")
            counts.append(len(classes))
            for name in classes:

                async def add(
                    option: FilterOption = option, name: str = name, condition: str = condition
                ) -> BreakpointInfo:
                    if option.filterId not in ("caught", "uncaught"):
                        raise UsageError(f"no exception filter '{escape(option.filterId)[:100]}'")
                    if _classes_and_condition(option.condition) is None:
                        said = f"'{escape(option.condition)[:100]}' is not a condition of exceptions"
                        raise UsageError(f"{said}: write CLASS, PATTERN.* if EXPRESSION")
                    caught = option.filterId == "caught"
                    options = jdbpy.PointOptions(condition=condition)
                    add = self._debuggee.session.catchpoints.exception
                    return await add(name, caught=caught, uncaught=not caught, options=options)

                adds.append(((option.filterId, name, condition), add))
        shown = await self._breakpoints.replace("exceptions", "exception", adds)
        answers = []
        for count in counts:
            own, shown = shown[:count], shown[count:]
            refused = [each for each in own if not each["verified"]]
            answers.append((refused or own or [{"verified": False}])[0])
        return {"breakpoints": answers}

    @request("dataBreakpointInfo", DataBreakpointInfo)
    async def data_breakpoint_info(self, args: DataBreakpointInfo) -> Body:
        """Return which field a variable is; nothing else can be watched. wire: 2 trips."""
        container = self._handles.container(args.variablesReference) if args.variablesReference else None
        access = ["read", "write", "readWrite"]
        if container is None:
            match = re.fullmatch(rf"[{WORD}.]+\.[{WORD}]+", args.name)
            if match is None:
                return {"dataId": None, "description": "only fields can be watched: CLASS.FIELD"}
            return {"dataId": args.name, "description": args.name, "accessTypes": access, "canPersist": True}
        if container.kind == "static" and container.frame is not None:
            name = f"{container.frame.location.class_name}.{args.name}"
            return {"dataId": name, "description": escape(name), "accessTypes": access, "canPersist": True}
        field = await self._field(container, args.name)
        if field is None:
            return {"dataId": None, "description": "only fields of objects and static fields can be watched"}
        owner, own = field
        name = f"{owner}.{args.name}"
        return {"dataId": f"{name}@{own}", "description": escape(f"{name} of this object"), "accessTypes": access}

    async def _field(self, container: Container, name: str) -> tuple[str, int] | None:
        """Return the class that declares a field, and the object that has it."""
        value = container.value
        if value is None or value.id is None or value.tag != "L" or container.kind not in ("object", "fields"):
            return None
        for each in await self._debuggee.session.objects.fields(value.id):
            if each.name == name:
                return each.declared_in or value.type.partition("<")[0], value.id
        return None

    @request("setDataBreakpoints", SetDataBreakpoints, in_order=True, supportsDataBreakpoints=True)
    async def set_data_breakpoints(self, args: SetDataBreakpoints) -> Body:
        """wire: 2 trips for each that is new."""
        adds: list[tuple[Hashable, Add]] = []
        for each in args.breakpoints:

            async def add(each: DataBreakpoint = each) -> BreakpointInfo:
                match = _DATA_ID.fullmatch(each.dataId)
                if match is None or each.accessType not in ("read", "write", "readWrite"):
                    raise UsageError(f"'{escape(each.dataId)[:100]}' is not a field that can be watched")
                options = jdbpy.PointOptions(
                    condition=each.condition,
                    hits=_hits(each.hitCondition),
                    instance=int(match["object"]) if match["object"] else None,
                )
                return await self._debuggee.session.watchpoints.add(
                    match["field"],
                    access=each.accessType != "write",
                    modification=each.accessType != "read",
                    options=options,
                )

            adds.append(((each.dataId, each.accessType, each.condition, each.hitCondition), add))
        return {"breakpoints": await self._breakpoints.replace("data", "data", adds)}

    @request("breakpointLocations", LocationsOf, supportsBreakpointLocationsRequest=True)
    async def breakpoint_locations(self, args: LocationsOf) -> Body:
        """Return the lines with code among those that are asked for, of the classes that are loaded. wire: 3 trips."""
        file = self._sources.place_of(args.source)
        first, last = (
            self._editor.line_in(args.line),
            self._editor.line_in(args.endLine if args.endLine is not None else args.line),
        )
        lines: set[int] = set()
        for name in await self._sources.classes_of(file):
            try:
                entries = await self._debuggee.session.classes.lines(name)
            except UsageError:
                continue
            lines |= {each.line for each in entries if first <= each.line <= last}
        return {"breakpoints": [{"line": self._editor.line_out(line)} for line in sorted(lines)]}
