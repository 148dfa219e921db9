"""Variables and values: opened page by page, shown as what they mean with the plain fields beside, and changed.

A number of the protocol is that of a ``Container``: the variables of a frame, an object, a part of a large one. A
collection shows its elements, and its fields as ``(fields)``; a client that does not ask for pages gets large ones in
groups. Nothing but ``toString()``, which the client has to ask for, and the user's own expressions runs code.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import jdbpy
from jdbpy import JdbpyError, UsageError
from jdbpy.dap.debuggee import Debuggee
from jdbpy.dap.editor import Editor
from jdbpy.dap.handles import Container, Handles
from jdbpy.dap.left_methods import LeftMethods
from jdbpy.dap.protocol import Body, request
from jdbpy.dap.readings import ARRAY, FrameReadings, is_static, shallow
from jdbpy.dap.recorded_thread import RecordedThread
from jdbpy.dap.sources import SourceTable
from jdbpy.escape import escape
from jdbpy.identifiers import IDENTIFIER
from jdbpy.record import Record
from jdbpy.task_groups import open_nursery

if TYPE_CHECKING:
    from jdbpy import FieldInfo, FrameInfo, Limits, ValueInfo, Variable

GROUP = 100
"""Elements that are shown at once, or groups of them, to a client that does not ask for pages."""

MOST_AT_ONCE = 2_000
"""Variables of one response."""


GIVEN = "jdbpy$it"
"""The name under which an expression is given an object."""

FIELDS = "(fields)"
TO_STRING = "toString()"

WIDTHS = {
    "boolean[]": 1,
    "byte[]": 1,
    "char[]": 2,
    "short[]": 2,
    "int[]": 4,
    "float[]": 4,
    "long[]": 8,
    "double[]": 8,
}
"""Bytes of an element of each array of primitives."""

NAME = re.compile(IDENTIFIER)


class ValueFormat(Record):
    """The form of numbers."""

    hex: bool = False


class VariablesOf(Record):
    """Arguments of ``variables``."""

    variablesReference: int
    filter: str = ""
    start: int = 0
    count: int = 0
    format: ValueFormat | None = None


def _page(shown: list[Body], start: int, count: int) -> list[Body]:
    return shown[start : start + count] if count else shown[start:]


def of_result(*, whole: bool = False) -> Limits:
    """Return how the value of an expression is described: with its parts, should it have no place in the target."""
    return jdbpy.Limits(depth=1, string=1_000_000 if whole else 10_000, elements=1_000 if whole else 100, fields=0)


def is_hex(format: ValueFormat | None) -> bool:
    return format is not None and format.hex


def path_of(variable: Variable) -> str:
    return variable.name if NAME.fullmatch(variable.name) and variable.kind != "slot" else ""


async def side_by_side(calls: Sequence[Callable[[], Awaitable[Body]]]) -> list[Body]:
    """Return the results of calls that are made side by side, so that their questions leave together."""
    results: list[Body] = [{}] * len(calls)

    async def run(index: int) -> None:
        results[index] = await calls[index]()

    async with open_nursery() as nursery:
        for index in range(len(calls)):
            nursery.start_soon(run, index)
    return results


def value_of(container: Container) -> ValueInfo:
    if container.value is None:
        raise UsageError("these variables have no parts")
    return container.value


def _length(value: ValueInfo) -> int | None:
    """Return how many elements it has, if it is shown by its elements."""
    return value.length if value.tag != "s" else None


def value_text(value: ValueInfo, *, hex: bool) -> str:
    """Return the text of a value; of floats, doubles and booleans the bits are no number to read."""
    if not hex or value.tag in "ZFD":
        return value.text
    return value.formatted or value.in_format("x") or value.text


# -- changing them ---------------------------------------------------------------------------------------------------


class SetVariable(Record):
    """Arguments of ``setVariable``."""

    variablesReference: int
    name: str
    value: str
    format: ValueFormat | None = None


def _assigned(container: Container, name: str) -> tuple[str, dict[str, object]]:
    """Return what stands left of the = for a variable of a container. Raises UsageError where nothing can."""
    if container.kind == "frame" and NAME.fullmatch(name):
        return name, {}
    if container.kind == "static" and container.frame is not None and NAME.fullmatch(name):
        return f"{container.frame.location.class_name.replace('$', '.')}.{name}", {}
    value = container.value
    if value is not None and container.kind in ("object", "fields", "range"):
        given: dict[str, object] = {GIVEN: value}
        if value.tag == "[" and re.fullmatch(r"\[\d{1,10}\]", name):
            return f"{GIVEN}{name}", given
        if value.tag == "L" and NAME.fullmatch(name) and (_length(value) is None or container.kind == "fields"):
            return f"{GIVEN}.{name}", given
        if _length(value) is not None and value.tag == "L":
            raise UsageError(f"an element of a {value.type} cannot be set here: evaluate a call that does it")
    raise UsageError(f"{escape(name)[:200]} cannot be set")


class SetExpression(Record):
    """Arguments of ``setExpression``."""

    expression: str
    value: str
    frameId: int | None = None
    format: ValueFormat | None = None


class VariableRequests:
    """Variables shown and set."""

    def __init__(
        self,
        debuggee: Debuggee,
        editor: Editor,
        handles: Handles,
        sources: SourceTable,
        readings: FrameReadings,
        left_methods: LeftMethods,
        recorded: RecordedThread,
    ) -> None:
        self._debuggee = debuggee
        self._editor = editor
        self._handles = handles
        self._sources = sources
        self._readings = readings
        self._left_methods = left_methods
        self._recorded = recorded

    @request("variables", VariablesOf, supportsValueFormattingOptions=True)
    async def variables(self, args: VariablesOf) -> Body:
        """wire: 2 trips for an object, and what describing its parts takes; none for variables that were read."""
        start, count = max(0, args.start), max(0, args.count)
        if (kept := self._handles.recorded(args.variablesReference)) is not None:
            return {"variables": _page(self._recorded.variables(kept), start, count)}
        container = self._handles.container(args.variablesReference).replace(hex=is_hex(args.format))
        match container.kind:
            case "frame":
                shown = _page(await self._of_frame(container), start, count)
            case "static":
                shown = _page(await self._statics(container), start, count)
            case "returned":
                shown = [self._shown(container, jdbpy.Variable("returned", "", container.value, "local"), "")]
            case "string":
                shown = [await self._to_string(container)]
            case "range":
                shown = await self._elements(
                    container, container.start + start, min(count or container.count, container.count)
                )
            case "fields":
                shown = _page(await self._fields(container), start, count)
            case _:
                shown = await self._of_object(container, args.filter, start, count)
        return {"variables": shown}

    # -- the variables of frames ---------------------------------------------------------------------------------------

    async def _of_frame(self, container: Container) -> list[Body]:
        assert container.frame is not None
        found = await self._readings.variables(container.frame, container.names[0])
        chosen = [each for each in found if each.kind in container.names]
        return [self._shown(container, each, path_of(each)) for each in chosen]

    async def _statics(self, container: Container) -> list[Body]:
        """Return the static fields of the frame's class. wire: 2 trips, and those of reading a field."""
        assert container.frame is not None
        frame, owner = container.frame, container.frame.location.class_name
        fields = [
            each for each in await self._debuggee.session.classes.fields(owner, inherited=False) if is_static(each)
        ]

        async def read(field: FieldInfo) -> Body:
            path = f"{owner.replace('$', '.')}.{field.name}"
            try:
                value: ValueInfo | None = await self._debuggee.session.values.evaluate(
                    path, limits=shallow(), remember=False, frame=frame
                )
                error = ""
            except JdbpyError as refused:
                value, error = None, refused.message
            shown = jdbpy.Variable(field.name, field.type, value, "static", error, owner, field.modifiers)
            return self._shown(container, shown, path)

        return await side_by_side([partial(read, each) for each in fields])

    # -- what is in objects --------------------------------------------------------------------------------------------

    async def _of_object(self, container: Container, which: str, start: int, count: int) -> list[Body]:
        value = value_of(container)
        if value.id is None:  # what an expression has made, which is known as far as it was read
            return _page([self._child(container, each) for each in value.children], start, count)
        length = _length(value)
        if length is None:
            if which == "indexed":
                return []
            shown = await self._fields(container)
            if not count or start + count >= len(shown):
                shown = [*shown, *self._lazily(container)]
            return _page(shown, start, count)
        beside = [self._fields_beside(container)] if value.tag != "[" else []
        if which == "named":
            return _page(beside, start, count)
        if which == "indexed" or self._editor.info.supportsVariablePaging:
            elements = await self._elements(container, start, count or MOST_AT_ONCE)
            return elements if which == "indexed" or count else [*elements, *beside]
        if length <= GROUP:
            return _page([*await self._elements(container, 0, GROUP), *beside], start, count)
        return _page([*self._groups(container, 0, length), *beside], start, count)

    def _groups(self, container: Container, start: int, length: int) -> list[Body]:
        """Elements in groups of equal size, at most ``GROUP`` of them."""
        size = GROUP
        while size * GROUP < length:
            size *= GROUP
        shown = []
        for first in range(start, start + length, size):
            count = min(size, start + length - first)
            group = container.replace(kind="range", start=first, count=count)
            shown.append(
                {
                    "name": f"[{first} .. {first + count - 1}]",
                    "value": "",
                    "variablesReference": self._handles.container_number(group),
                    "presentationHint": {"kind": "virtual"},
                }
            )
        return shown

    async def _elements(self, container: Container, start: int, count: int) -> list[Body]:
        """Elements of an array or collection. wire: 3 trips or a few more, whatever their number."""
        value = value_of(container)
        if container.kind == "range" and count > GROUP:
            return self._groups(container, start, count)
        wanted = min(count, MOST_AT_ONCE)
        if value.length is not None:
            wanted = max(0, min(wanted, value.length - start))
        part = await self._debuggee.session.objects.part(value, start, wanted, shallow())
        if part is None:  # its length is known, and not what is in it
            return await self._fields(container) if start == 0 else []
        return [self._child(container, each) for each in part.items]

    async def _fields(self, container: Container) -> list[Body]:
        value = value_of(container)
        if value.id is None:
            return []
        if container.path == "this" and container.frame is not None:
            found = await self._readings.fields_of_this(container.frame, value.id)
        else:
            found = await self._debuggee.session.objects.fields(value.id, shallow())
        shown, names = [], set[str]()
        for each in found:
            path = f"{container.path}.{each.name}" if container.path and each.name not in names else ""
            body = self._shown(container, each, path)
            if each.name in names:  # hidden by the one of a subclass
                body["name"] = f"{body['name']} ({escape(each.declared_in.rpartition('.')[2])})"
            names.add(each.name)
            shown.append(body)
        return shown

    def _fields_beside(self, container: Container) -> Body:
        """Return the plain fields of a collection."""
        return {
            "name": FIELDS,
            "value": "",
            "variablesReference": self._handles.container_number(container.replace(kind="fields")),
            "presentationHint": {"kind": "virtual", "attributes": ["readOnly"]},
        }

    def _lazily(self, container: Container) -> list[Body]:
        """Return what the object says of itself, for the client to ask for: that runs code of the target."""
        value = value_of(container)
        if container.frame is None or value.tag != "L":
            return []
        number = self._handles.container_number(container.replace(kind="string"))
        hint = {"kind": "method", "lazy": True, "attributes": ["readOnly", "hasSideEffects"]}
        return [{"name": TO_STRING, "value": "", "variablesReference": number, "presentationHint": hint}]

    async def _to_string(self, container: Container) -> Body:
        with self._left_methods.evaluating(container.frame):
            value = await self._debuggee.session.values.evaluate(
                f"{GIVEN}.toString()",
                limits=of_result(),
                remember=False,
                frame=container.frame,
                given={GIVEN: value_of(container)},
            )
        return self._shown(container, jdbpy.Variable(TO_STRING, "", value, "element"), "")

    def _child(self, container: Container, variable: Variable) -> Body:
        path = ""
        if container.path:
            key = variable.key
            if key is not None:
                path = f"{container.path}.get({key.text})" if key.tag == "s" and not key.truncated else ""
            elif variable.name.startswith("["):
                path = f"{container.path}{variable.name}"
            elif NAME.fullmatch(variable.name):
                path = f"{container.path}.{variable.name}"
        return self._shown(container, variable, path)

    def _shown(self, container: Container, variable: Variable, path: str) -> Body:
        """Return a variable of a container as the protocol has it."""
        attributes = []
        modifiers = variable.modifiers.split()
        if "final" in modifiers:
            attributes.append("readOnly")
        if variable.kind == "static":
            attributes.append("static")
        hint: Body = {"kind": "property" if variable.kind in ("field", "static") else "data"}
        if attributes:
            hint["attributes"] = attributes
        visibility = next((each for each in modifiers if each in ("public", "private", "protected")), "")
        if visibility:
            hint["visibility"] = visibility
        body: Body = {"name": escape(variable.name), "presentationHint": hint}
        if variable.value is None:
            hint["attributes"] = [*attributes, "failedEvaluation"]
            body.update(value=escape(f"<{variable.error or 'not available'}>"), variablesReference=0)
        else:
            body.update(self.value_body(container.frame, variable.value, path, hex=container.hex))
        if self._editor.info.supportsVariableType and variable.type:
            body["type"] = escape(variable.type)
        if path:
            body["evaluateName"] = path
        return body

    def value_body(
        self, frame: FrameInfo | None, value: ValueInfo, path: str, *, key: str = "value", hex: bool = False
    ) -> Body:
        """Return the text of a value, its type, and the number by which it can be opened."""
        body: Body = {key: escape(value_text(value, hex=hex)), "variablesReference": 0}
        if self._editor.info.supportsVariableType:
            body["type"] = escape(value.type)
        if (value.id is not None and value.tag != "s") or (value.id is None and value.children):
            body["variablesReference"] = self._handles.container_number(Container("object", frame, value, path))
            length = _length(value)
            if value.id is not None and value.tag == "[" and value.type in WIDTHS:
                body["memoryReference"] = f"{ARRAY}{body['variablesReference']}"
            elif value.id is not None and value.tag == "L" and length is None:
                owner = value.type.partition("<")[0]
                if not self._debuggee.session.execution.is_excluded(owner):
                    body["valueLocationReference"] = self._sources.class_number(owner)
            if length is not None and self._editor.info.supportsVariablePaging:
                body["indexedVariables"] = length
                body["namedVariables"] = 0 if value.tag == "[" or value.id is None else 1
        return body

    @request("setVariable", SetVariable, in_order=True, supportsSetVariable=True)
    async def set_variable(self, args: SetVariable) -> Body:
        """Give a variable, field or element of an array the value of a Java expression. wire: 2 trips or 3."""
        container = self._handles.container(args.variablesReference)
        target, given = _assigned(container, args.name)
        frame = container.frame
        with self._left_methods.evaluating(frame):
            value = await self._debuggee.session.values.assign(
                target, args.value, frame=frame, given=given, as_shown=True
            )
        return self.changed(self.value_body(frame, value, "", hex=is_hex(args.format)))

    @request("setExpression", SetExpression, in_order=True, supportsSetExpression=True)
    async def set_expression(self, args: SetExpression) -> Body:
        """Give what a Java expression names the value of another. wire: 2 trips or more."""
        frame = self._handles.frame(args.frameId) if args.frameId is not None else None
        with self._left_methods.evaluating(frame):
            value = await self._debuggee.session.values.assign(args.expression, args.value, frame=frame, as_shown=True)
        return self.changed(self.value_body(frame, value, "", hex=is_hex(args.format)))

    def changed(self, body: Body) -> Body:
        """Tell the client that variables have changed. Return ``body``."""
        self._readings.changed()
        self._editor.invalidate("variables")
        return body
