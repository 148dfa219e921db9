"""Breakpoints of the client: of source lines, functions, exceptions and fields; verified as their classes are loaded.

A request names all breakpoints of its kind (of its file) that there are to be. Those that are there already stay, with
their hits; the others are set or taken out.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import TYPE_CHECKING

import jdbpy
from jdbpy import EvalError, JdbpyError, UsageError
from jdbpy.dap.adapter import Adapter
from jdbpy.dap.protocol import Body, request
from jdbpy.dap.variables import Container
from jdbpy.escape import escape
from jdbpy.record import Record

if TYPE_CHECKING:
    from jdbpy import Breakpoint, Stop

_PART_OF_PATH = re.compile(r"[^\W\d][\w$]*")
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


Add = Callable[[], "Awaitable[Breakpoint]"]


class Set(Record):
    """A breakpoint that the client has set: its number in the session, None where it was refused, the answer, and how
    it is set again."""

    number: int | None
    shown: Body
    kind: str
    add: Add


class BreakpointTable:
    """What the client has set, by the kind or file and by what was asked for. The client's ids are our own."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter
        self._groups: dict[Hashable, dict[Hashable, Set]] = {}
        self._by_number: dict[int, tuple[int, str]] = {}  # number in the session -> id of the client, kind
        self._last_id = 0
        self.entry: int | None = None
        """The number of the breakpoint at the entry of the main method."""

    async def replace(self, group: Hashable, kind: str, wanted: Sequence[tuple[Hashable, Add]]) -> list[Body]:
        """Make the breakpoints of a group these, in their order; the answers. wire: 1 to 3 trips for each new."""
        session = self._adapter.session
        had = self._groups.get(group, {})
        now: dict[Hashable, Set] = {}
        keys = {key for key, _ in wanted}
        gone = [each.number for key, each in had.items() if key not in keys and each.number is not None]
        there = {each.number for each in session.points.list()}
        await session.points.remove([number for number in gone if number in there])
        for number in gone:
            self._by_number.pop(number, None)
        answers = []
        for key, add in wanted:
            if key in now:
                answers.append(now[key].shown)
                continue
            known = had.get(key)
            if known is None or known.number not in there:
                known = await self._add(kind, add)
            now[key] = known
            self._groups[group] = {**{old: each for old, each in had.items() if old in keys}, **now}
            answers.append(self._fresh(known))
        self._groups[group] = now
        return answers

    async def set_again(self) -> None:
        """Set all of them in a new session, under their ids. wire: as setting them."""
        self._by_number.clear()
        for group in self._groups.values():
            for key, known in list(group.items()):
                group[key] = await self._add(known.kind, known.add, known.shown["id"])
                self._adapter.sender.event("breakpoint", {"reason": "changed", "breakpoint": group[key].shown})

    async def _add(self, kind: str, add: Add, known_id: int = 0) -> Set:
        if not known_id:
            self._last_id += 1
        own = known_id or self._last_id
        try:
            made = await add()
        except JdbpyError as error:
            hint = f" ({error.hint})" if isinstance(error, EvalError) and error.hint else ""
            return Set(None, {"id": own, "verified": False, "message": escape(error.message + hint)}, kind, add)
        self._by_number[made.number] = own, kind
        return Set(made.number, self._shown(made), kind, add)

    def _fresh(self, known: Set) -> Body:
        if known.number is None:
            return known.shown
        return self._shown(self._adapter.session.points.get(known.number))

    def _shown(self, point: Breakpoint) -> Body:
        own, kind = self._by_number[point.number]
        waits = kind in ("source", "function") and not point.resolved
        body: Body = {"id": own, "verified": not waits and not (kind != "source" and point.message)}
        if point.message:
            body["message"] = escape(point.message)
        if not body["verified"]:
            body["reason"] = "pending"
        lines = [place.line for place in point.resolved if place.line is not None]
        if kind == "source" and lines:
            body["line"] = self._adapter.line_out(min(lines))
        return body

    def changed(self, number: int) -> None:
        """Something about a breakpoint is another now: its class was loaded. No trip."""
        if number in self._by_number and self._adapter.has_session:
            try:
                point = self._adapter.session.points.get(number)
            except UsageError:  # another client has removed it
                gone = {"id": self._by_number.pop(number)[0], "verified": False}
                self._adapter.sender.event("breakpoint", {"reason": "removed", "breakpoint": gone})
                return
            self._adapter.sender.event("breakpoint", {"reason": "changed", "breakpoint": self._shown(point)})

    async def tell_changes(self) -> None:
        """Tell the client of breakpoints that commands of the console have set and removed. No trip but for sources.

        Those of lines and methods enter the client's own of that file: it may take them out again.
        """
        session, sender = self._adapter.session, self._adapter.sender
        there = {each.number: each for each in session.points.list()}
        for number in [number for number in self._by_number if number not in there]:
            own, _ = self._by_number.pop(number)
            sender.event("breakpoint", {"reason": "removed", "breakpoint": {"id": own, "verified": False}})
        for number, point in there.items():
            ours = number in self._by_number or number in (self.entry, self._adapter.thread_point)
            if ours or point.temporary or point.kind not in ("line", "method"):
                continue
            self._last_id += 1
            self._by_number[number] = self._last_id, "source"
            body = self._shown(point)
            source = await self._adapter.sources.of_place(point.resolved[0]) if point.resolved else None
            if source is not None:
                body["source"] = source
                self._take_over(point, source, body)
            sender.event("breakpoint", {"reason": "new", "breakpoint": body})

    def _take_over(self, point: Breakpoint, source: Body, body: Body) -> None:
        file = place_of(
            self._adapter, ClientSource(source["name"], source.get("path", ""), source.get("sourceReference", 0))
        )
        options = jdbpy.PointOptions(condition=point.condition, hits=point.hit_count)

        async def add() -> Breakpoint:
            return await self._adapter.session.breakpoints.add_with(point.spec, options)

        line = min((place.line for place in point.resolved if place.line is not None), default=0)
        known = Set(point.number, body, "source", add)
        self._groups.setdefault(("source", file), {})[line, point.condition, point.hit_count, ""] = known

    def were_hit(self, stop: Stop) -> None:
        """Forget temporary ones that a stop has used up."""
        if stop.temporary and stop.breakpoint is not None:
            self._by_number.pop(stop.breakpoint, None)

    def hit_ids(self, stop: Stop) -> list[int]:
        """The client's ids of the breakpoints of a stop."""
        return [self._by_number[number][0] for number in stop.breakpoints if number in self._by_number]

    def is_function(self, number: int | None) -> bool:
        """True for a breakpoint that was set by the name of a method."""
        return number is not None and self._by_number.get(number, (0, ""))[1] == "function"


class ClientSource(Record):
    """A source as the client names it."""

    name: str = ""
    path: str = ""
    sourceReference: int = 0


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


@request(
    "setBreakpoints",
    SetBreakpoints,
    in_order=True,
    supportsConditionalBreakpoints=True,
    supportsHitConditionalBreakpoints=True,
    supportsLogPoints=True,
)
async def set_breakpoints(adapter: Adapter, args: SetBreakpoints) -> Body:
    """wire: 1 to 3 trips for each that is new."""
    file = place_of(adapter, args.source)
    wanted = args.breakpoints or tuple(SourceBreakpoint(line) for line in args.lines)
    if adapter.no_debug:
        return {"breakpoints": [{"verified": False, "message": "started without debugging"} for _ in wanted]}
    adds: list[tuple[Hashable, Add]] = []
    for each in wanted:
        line = adapter.line_in(each.line)

        async def add(each: SourceBreakpoint = each, line: int = line) -> Breakpoint:
            options = jdbpy.PointOptions(condition=each.condition, hits=_hits(each.hitCondition), log=each.logMessage)
            return await adapter.session.breakpoints.add_with(f"{file}:{line}", options)

        adds.append(((line, each.condition, each.hitCondition, each.logMessage), add))
    shown = await adapter.breakpoints.replace(("source", file), "source", adds)
    for each, body in zip(wanted, shown, strict=True):
        body.setdefault("line", each.line)
    return {"breakpoints": shown}


def place_of(adapter: Adapter, source: ClientSource) -> str:
    """The file as places name it: its name behind those directories that may be a package."""
    known = adapter.sources.place(source.sourceReference) if source.sourceReference else ""
    path = known or source.path or source.name
    if adapter.client.pathFormat == "uri" and "://" in path:
        from urllib.parse import unquote, urlsplit

        path = unquote(urlsplit(path).path)
    parts = path.replace("\\", "/").split("/")
    if not parts[-1] or len(path) > 10_000 or any(sign in parts[-1] for sign in ":\n\r"):
        raise UsageError("the source has no file name", code="WRONG_ARGUMENT")
    directories: list[str] = []
    for part in reversed(parts[:-1]):
        if not _PART_OF_PATH.fullmatch(part):
            break
        directories.insert(0, part)
    return "/".join([*directories, parts[-1]])


def _hits(text: str) -> str:
    """A hit condition as the session takes it. Raises UsageError."""
    if not text.strip():
        return ""
    match = _HITS.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"the hit condition '{escape(text)[:100]}' is none: write 5, >= 5, > 5 or % 5")
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


@request("setFunctionBreakpoints", SetFunctionBreakpoints, in_order=True, supportsFunctionBreakpoints=True)
async def set_function_breakpoints(adapter: Adapter, args: SetFunctionBreakpoints) -> Body:
    """Methods by name: ``com.acme.Order.total``, ``Order.total(int)``. wire: 1 to 3 trips for each that is new."""
    adds: list[tuple[Hashable, Add]] = []
    for each in args.breakpoints:

        async def add(each: FunctionBreakpoint = each) -> Breakpoint:
            options = jdbpy.PointOptions(condition=each.condition, hits=_hits(each.hitCondition))
            return await adapter.session.breakpoints.add_with(each.name, options)

        adds.append(((each.name, each.condition, each.hitCondition), add))
    return {"breakpoints": await adapter.breakpoints.replace("functions", "function", adds)}


class FilterOption(Record):
    """An exception filter with its classes and condition."""

    filterId: str
    condition: str = ""


class SetExceptionBreakpoints(Record):
    """Arguments of ``setExceptionBreakpoints``."""

    filters: tuple[str, ...] = ()
    filterOptions: tuple[FilterOption, ...] = ()


@request(
    "setExceptionBreakpoints",
    SetExceptionBreakpoints,
    in_order=True,
    exceptionBreakpointFilters=EXCEPTION_FILTERS,
    supportsExceptionFilterOptions=True,
)
async def set_exception_breakpoints(adapter: Adapter, args: SetExceptionBreakpoints) -> Body:
    """Exceptions that are thrown: caught ones, uncaught ones, of classes and patterns. wire: 3 trips for each new."""
    adds: list[tuple[Hashable, Add]] = []
    chosen = [*(FilterOption(each) for each in args.filters), *args.filterOptions]
    counts = []
    for option in chosen:
        classes, condition = _classes_and_condition(option.condition)
        counts.append(len(classes))
        for name in classes:

            async def add(option: FilterOption = option, name: str = name, condition: str = condition) -> Breakpoint:
                if option.filterId not in ("caught", "uncaught"):
                    raise UsageError(f"there is no exception filter '{escape(option.filterId)[:100]}'")
                caught = option.filterId == "caught"
                options = jdbpy.PointOptions(condition=condition)
                add = adapter.session.catchpoints.exception
                return await add(name, caught=caught, uncaught=not caught, options=options)

            adds.append(((option.filterId, name, condition), add))
    if adapter.no_debug:
        adds, counts = [], [0] * len(chosen)
    shown = await adapter.breakpoints.replace("exceptions", "exception", adds)
    answers = []
    for count in counts:
        own, shown = shown[:count], shown[count:]
        refused = [each for each in own if not each["verified"]]
        answers.append((refused or own or [{"verified": False}])[0])
    return {"breakpoints": answers}


def _classes_and_condition(text: str) -> tuple[list[str], str]:
    """``com.acme.*, Error if $exc.code > 3``: the names, and the expression."""
    match = re.fullmatch(r"\s*(?P<names>[\w$.*,\s]*?)\s*(?:\bif\b(?P<condition>.*))?", text, re.DOTALL)
    if match is None:
        raise UsageError(f"'{escape(text)[:100]}' is no condition of exceptions: write CLASS, PATTERN.* if EXPRESSION")
    names = [name.strip() for name in match["names"].split(",") if name.strip()]
    return names or ["*"], (match["condition"] or "").strip()


class DataBreakpointInfo(Record):
    """Arguments of ``dataBreakpointInfo``."""

    name: str
    variablesReference: int = 0
    frameId: int | None = None


_DATA_ID = re.compile(r"(?P<field>[\w$.]+)(?:@(?P<object>\d+))?")


@request("dataBreakpointInfo", DataBreakpointInfo)
async def data_breakpoint_info(adapter: Adapter, args: DataBreakpointInfo) -> Body:
    """Which field a variable is; nothing else can be watched. wire: 2 trips."""
    container = adapter.container(args.variablesReference) if args.variablesReference else None
    access = ["read", "write", "readWrite"]
    if container is None:
        match = re.fullmatch(r"[\w$.]+\.[\w$]+", args.name)
        if match is None:
            return {"dataId": None, "description": "only fields can be watched: CLASS.FIELD"}
        return {"dataId": args.name, "description": args.name, "accessTypes": access, "canPersist": True}
    if container.kind == "static" and container.frame is not None:
        name = f"{container.frame.location.class_name}.{args.name}"
        return {"dataId": name, "description": escape(name), "accessTypes": access, "canPersist": True}
    field = await _field(adapter, container, args.name)
    if field is None:
        return {"dataId": None, "description": "only fields of objects and static fields can be watched"}
    owner, own = field
    name = f"{owner}.{args.name}"
    return {"dataId": f"{name}@{own}", "description": escape(f"{name} of this object"), "accessTypes": access}


async def _field(adapter: Adapter, container: Container, name: str) -> tuple[str, int] | None:
    """The class that declares a field, and the object that has it."""
    value = container.value
    if value is None or value.id is None or value.tag != "L" or container.kind not in ("object", "fields"):
        return None
    for each in await adapter.session.objects.fields(value.id):
        if each.name == name:
            return each.declared_in or value.type.partition("<")[0], value.id
    return None


class DataBreakpoint(Record):
    """A field that is watched."""

    dataId: str
    accessType: str = "write"
    condition: str = ""
    hitCondition: str = ""


class SetDataBreakpoints(Record):
    """Arguments of ``setDataBreakpoints``."""

    breakpoints: tuple[DataBreakpoint, ...]


@request("setDataBreakpoints", SetDataBreakpoints, in_order=True, supportsDataBreakpoints=True)
async def set_data_breakpoints(adapter: Adapter, args: SetDataBreakpoints) -> Body:
    """wire: 2 trips for each that is new."""
    adds: list[tuple[Hashable, Add]] = []
    for each in args.breakpoints:

        async def add(each: DataBreakpoint = each) -> Breakpoint:
            match = _DATA_ID.fullmatch(each.dataId)
            if match is None or each.accessType not in ("read", "write", "readWrite"):
                raise UsageError(f"'{escape(each.dataId)[:100]}' is no field that can be watched")
            options = jdbpy.PointOptions(
                condition=each.condition,
                hits=_hits(each.hitCondition),
                instance=int(match["object"]) if match["object"] else None,
            )
            return await adapter.session.watchpoints.add(
                match["field"],
                access=each.accessType != "write",
                modification=each.accessType != "read",
                options=options,
            )

        adds.append(((each.dataId, each.accessType, each.condition, each.hitCondition), add))
    return {"breakpoints": await adapter.breakpoints.replace("data", "data", adds)}


class LocationsOf(Record):
    """Arguments of ``breakpointLocations``."""

    source: ClientSource
    line: int
    endLine: int | None = None


@request("breakpointLocations", LocationsOf, supportsBreakpointLocationsRequest=True)
async def breakpoint_locations(adapter: Adapter, args: LocationsOf) -> Body:
    """The lines with code among those that are asked for, of the classes that are loaded. wire: 3 trips."""
    file = place_of(adapter, args.source)
    first, last = adapter.line_in(args.line), adapter.line_in(args.endLine if args.endLine is not None else args.line)
    lines: set[int] = set()
    for name in await adapter.sources.classes_of(file):
        try:
            entries = await adapter.session.classes.lines(name)
        except UsageError:
            continue
        lines |= {each.line for each in entries if first <= each.line <= last}
    return {"breakpoints": [{"line": adapter.line_out(line)} for line in sorted(lines)]}
