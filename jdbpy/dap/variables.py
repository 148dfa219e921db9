"""Variables and values: opened page by page, shown as what they mean with the plain fields beside, and changed.

A number of the protocol stands for a ``Container``: the variables of a frame, an object, a part of a large one. A
collection shows its elements, and its fields as ``(fields)``; a client that does not ask for pages gets large ones in
groups. Nothing but ``toString()``, which the client has to ask for, and the user's own expressions runs code.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import trio

import jdbpy
from jdbpy import JdbpyError, UsageError
from jdbpy.dap.adapter import Adapter
from jdbpy.dap.protocol import Body, request
from jdbpy.escape import escape
from jdbpy.record import Record

if TYPE_CHECKING:
    from jdbpy import FieldInfo, Frame, Limits, Value, Variable

GROUP = 100
"""Elements that are shown at once, or groups of them, to a client that does not ask for pages."""

MOST_AT_ONCE = 2_000
"""Variables of one response."""


GIVEN = "jdbpy$it"
"""The name under which an expression is given an object."""

FIELDS = "(fields)"
TO_STRING = "toString()"

_ARRAY = "array:"
"""Begins the memory references of arrays of primitives; the number of their variables follows."""

_WIDTHS = {
    "boolean[]": 1,
    "byte[]": 1,
    "char[]": 2,
    "short[]": 2,
    "int[]": 4,
    "float[]": 4,
    "long[]": 8,
    "double[]": 8,
}
MOST_BYTES = 1 << 20
"""Of one answer to ``readMemory``."""

NAME = re.compile(r"[^\W\d][\w$]*")


class Container(Record):
    """A thing that has variables.

    ``kind``: "frame" (those of the ``names`` kinds), "object", "fields" (of an object that is shown otherwise as well),
    "range" (``start`` and ``count`` of its elements), "static" (of the frame's class), "returned", "string" (what
    toString() gives). ``path`` is a Java expression for it, "" if there is none.
    """

    kind: str
    frame: Frame | None
    value: Value | None = None
    path: str = ""
    names: tuple[str, ...] = ()
    start: int = 0
    count: int = 0


class VariablesOf(Record):
    """Arguments of ``variables``."""

    variablesReference: int
    filter: str = ""
    start: int = 0
    count: int = 0


@request("variables", VariablesOf)
async def variables(adapter: Adapter, args: VariablesOf) -> Body:
    """wire: 2 trips for an object, and what describing its parts takes; none for variables that were read."""
    container = adapter.container(args.variablesReference)
    start, count = max(0, args.start), max(0, args.count)
    match container.kind:
        case "frame":
            shown = _page(await _of_frame(adapter, container), start, count)
        case "static":
            shown = _page(await _statics(adapter, container), start, count)
        case "returned":
            shown = [_shown(adapter, container.frame, jdbpy.Variable("returned", "", container.value, "local"), "")]
        case "string":
            shown = [await _to_string(adapter, container)]
        case "range":
            shown = await _elements(
                adapter, container, container.start + start, min(count or container.count, container.count)
            )
        case "fields":
            shown = _page(await _fields(adapter, container), start, count)
        case _:
            shown = await _of_object(adapter, container, args.filter, start, count)
    return {"variables": shown}


def _page(shown: list[Body], start: int, count: int) -> list[Body]:
    return shown[start : start + count] if count else shown[start:]


def shallow() -> Limits:
    """Return how a value is described that can be opened: in one line."""
    return jdbpy.Limits(depth=0)


def of_result(*, whole: bool = False) -> Limits:
    """Return how the value of an expression is described: with its parts, should it have no place in the target."""
    return jdbpy.Limits(depth=1, string=1_000_000 if whole else 10_000, elements=1_000 if whole else 100, fields=0)


# -- the variables of frames -----------------------------------------------------------------------------------------


async def frame_variables(adapter: Adapter, frame: Frame) -> Sequence[Variable]:
    """The variables of a frame. wire: 1 to 3 trips, none again."""
    if adapter.reading is not None and adapter.reading[0] == (frame.thread.id, frame.index):
        await adapter.reading[1].wait()
    return await adapter.session.stack.variables(frame, shallow())


def read_ahead(adapter: Adapter, frame: Frame) -> None:
    """Begin to read the variables of a frame, which the client will ask for next."""
    done = trio.Event()
    adapter.reading = (frame.thread.id, frame.index), done

    async def read() -> None:
        try:
            await adapter.session.stack.variables(frame, shallow())
        except JdbpyError:  # it runs by now: who asks for them is told
            return
        finally:
            done.set()

    adapter.start(read)


async def _of_frame(adapter: Adapter, container: Container) -> list[Body]:
    assert container.frame is not None
    found = await frame_variables(adapter, container.frame)
    chosen = [each for each in found if each.kind in container.names]
    return [_shown(adapter, container.frame, each, path_of(each)) for each in chosen]


def path_of(variable: Variable) -> str:
    return variable.name if NAME.fullmatch(variable.name) and variable.kind != "slot" else ""


async def _statics(adapter: Adapter, container: Container) -> list[Body]:
    """The static fields of the frame's class. wire: 2 trips, and those of reading a field."""
    assert container.frame is not None
    frame, owner = container.frame, container.frame.location.class_name
    fields = [each for each in await adapter.session.classes.fields(owner, inherited=False) if is_static(each)]

    async def read(field: FieldInfo) -> Body:
        path = f"{owner.replace('$', '.')}.{field.name}"
        try:
            value: Value | None = await adapter.session.values.evaluate(
                path, limits=shallow(), remember=False, frame=frame
            )
            error = ""
        except JdbpyError as refused:
            value, error = None, refused.message
        shown = jdbpy.Variable(field.name, field.type, value, "static", error, owner, field.modifiers)
        return _shown(adapter, frame, shown, path)

    return await side_by_side([partial(read, each) for each in fields])


def is_static(field: FieldInfo) -> bool:
    return "static" in field.modifiers.split()


async def side_by_side(calls: Sequence[Callable[[], Awaitable[Body]]]) -> list[Body]:
    """The results of calls that are made side by side, so that their questions leave together."""
    results: list[Body] = [{}] * len(calls)

    async def run(index: int) -> None:
        results[index] = await calls[index]()

    async with trio.open_nursery() as nursery:
        for index in range(len(calls)):
            nursery.start_soon(run, index)
    return results


# -- what is in objects ----------------------------------------------------------------------------------------------


async def _of_object(adapter: Adapter, container: Container, which: str, start: int, count: int) -> list[Body]:
    value = _value(container)
    if value.id is None:  # what an expression has made, which is known as far as it was read
        return _page([_child(adapter, container, each) for each in value.children], start, count)
    length = _length(value)
    if length is None:
        if which == "indexed":
            return []
        shown = await _fields(adapter, container)
        if not count or start + count >= len(shown):
            shown = [*shown, *_lazily(adapter, container)]
        return _page(shown, start, count)
    beside = [_fields_beside(adapter, container)] if value.tag != "[" else []
    if which == "named":
        return _page(beside, start, count)
    if which == "indexed" or adapter.client.supportsVariablePaging:
        elements = await _elements(adapter, container, start, count or MOST_AT_ONCE)
        return elements if which == "indexed" or count else [*elements, *beside]
    if length <= GROUP:
        return _page([*await _elements(adapter, container, 0, GROUP), *beside], start, count)
    return _page([*_groups(adapter, container, 0, length), *beside], start, count)


def _value(container: Container) -> Value:
    if container.value is None:
        raise UsageError("these variables have no parts")
    return container.value


def _length(value: Value) -> int | None:
    """Return how many elements it has, if it is shown by its elements."""
    return value.length if value.tag != "s" else None


def _groups(adapter: Adapter, container: Container, start: int, length: int) -> list[Body]:
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
                "variablesReference": adapter.container_number(group),
                "presentationHint": {"kind": "virtual"},
            }
        )
    return shown


async def _elements(adapter: Adapter, container: Container, start: int, count: int) -> list[Body]:
    """Elements of an array or collection. wire: 3 trips or a few more, whatever their number."""
    value = _value(container)
    if container.kind == "range" and count > GROUP:
        return _groups(adapter, container, start, count)
    wanted = min(count, MOST_AT_ONCE)
    if value.length is not None:
        wanted = max(0, min(wanted, value.length - start))
    part = await adapter.session.objects.part(value, start, wanted, shallow())
    if part is None:  # its length is known, and not what is in it
        return await _fields(adapter, container) if start == 0 else []
    return [_child(adapter, container, each) for each in part.items]


async def _fields(adapter: Adapter, container: Container) -> list[Body]:
    value = _value(container)
    if value.id is None:
        return []
    found = await adapter.session.objects.fields(value.id, shallow())
    shown, names = [], set[str]()
    for each in found:
        path = f"{container.path}.{each.name}" if container.path and each.name not in names else ""
        body = _shown(adapter, container.frame, each, path)
        if each.name in names:  # hidden by the one of a subclass
            body["name"] = f"{body['name']} ({escape(each.declared_in.rpartition('.')[2])})"
        names.add(each.name)
        shown.append(body)
    return shown


def _fields_beside(adapter: Adapter, container: Container) -> Body:
    """The plain fields of a collection."""
    return {
        "name": FIELDS,
        "value": "",
        "variablesReference": adapter.container_number(container.replace(kind="fields")),
        "presentationHint": {"kind": "virtual", "attributes": ["readOnly"]},
    }


def _lazily(adapter: Adapter, container: Container) -> list[Body]:
    """Return what the object says of itself, for the client to ask for: that runs code of the target."""
    value = _value(container)
    if container.frame is None or value.tag != "L":
        return []
    number = adapter.container_number(container.replace(kind="string"))
    hint = {"kind": "method", "lazy": True, "attributes": ["readOnly", "hasSideEffects"]}
    return [{"name": TO_STRING, "value": "", "variablesReference": number, "presentationHint": hint}]


async def _to_string(adapter: Adapter, container: Container) -> Body:
    value = await adapter.session.values.evaluate(
        f"{GIVEN}.toString()",
        limits=of_result(),
        remember=False,
        frame=container.frame,
        given={GIVEN: _value(container)},
    )
    return _shown(adapter, container.frame, jdbpy.Variable(TO_STRING, "", value, "element"), "")


def _child(adapter: Adapter, container: Container, variable: Variable) -> Body:
    path = ""
    if container.path:
        key = variable.key
        if key is not None:
            path = f"{container.path}.get({key.text})" if key.tag == "s" and not key.truncated else ""
        elif variable.name.startswith("["):
            path = f"{container.path}{variable.name}"
        elif NAME.fullmatch(variable.name):
            path = f"{container.path}.{variable.name}"
    return _shown(adapter, container.frame, variable, path)


def _shown(adapter: Adapter, frame: Frame | None, variable: Variable, path: str) -> Body:
    """A variable as the protocol has it."""
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
        body.update(value_body(adapter, frame, variable.value, path))
    if adapter.client.supportsVariableType and variable.type:
        body["type"] = escape(variable.type)
    if path:
        body["evaluateName"] = path
    return body


def value_body(adapter: Adapter, frame: Frame | None, value: Value, path: str, *, key: str = "value") -> Body:
    """The text of a value, its type, and the number by which it can be opened."""
    body: Body = {key: escape(value.formatted or value.text), "variablesReference": 0}
    if adapter.client.supportsVariableType:
        body["type"] = escape(value.type)
    if (value.id is not None and value.tag != "s") or (value.id is None and value.children):
        body["variablesReference"] = adapter.container_number(Container("object", frame, value, path))
        length = _length(value)
        if value.id is not None and value.tag == "[" and value.type in _WIDTHS:
            body["memoryReference"] = f"{_ARRAY}{body['variablesReference']}"
        elif value.id is not None and value.tag == "L" and length is None:
            owner = value.type.partition("<")[0]
            if not adapter.session.execution.is_excluded(owner):
                body["valueLocationReference"] = adapter.sources.class_number(owner)
        if length is not None and adapter.client.supportsVariablePaging:
            body["indexedVariables"] = length
            body["namedVariables"] = 0 if value.tag == "[" or value.id is None else 1
    return body


# -- changing them ---------------------------------------------------------------------------------------------------


class SetVariable(Record):
    """Arguments of ``setVariable``."""

    variablesReference: int
    name: str
    value: str


@request("setVariable", SetVariable, in_order=True, supportsSetVariable=True)
async def set_variable(adapter: Adapter, args: SetVariable) -> Body:
    """Give a variable, field or element of an array the value of a Java expression. wire: 2 trips or 3."""
    container = adapter.container(args.variablesReference)
    target, given = _assigned(container, args.name)
    value = await adapter.session.values.assign(target, args.value, frame=container.frame, given=given)
    return _changed(adapter, value_body(adapter, container.frame, value, ""))


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


@request("setExpression", SetExpression, in_order=True, supportsSetExpression=True)
async def set_expression(adapter: Adapter, args: SetExpression) -> Body:
    """Give what a Java expression names the value of another. wire: 2 trips or more."""
    frame = adapter.frame(args.frameId) if args.frameId is not None else None
    value = await adapter.session.values.assign(args.expression, args.value, frame=frame)
    return _changed(adapter, value_body(adapter, frame, value, ""))


def _changed(adapter: Adapter, body: Body) -> Body:
    if adapter.client.supportsInvalidatedEvent:
        adapter.sender.event("invalidated", {"areas": ["variables"]})
    return body


# -- bytes -----------------------------------------------------------------------------------------------------------


class ReadMemory(Record):
    """Arguments of ``readMemory``."""

    memoryReference: str
    count: int
    offset: int = 0


@request("readMemory", ReadMemory, supportsReadMemoryRequest=True)
async def read_memory(adapter: Adapter, args: ReadMemory) -> Body:
    """Elements of an array of primitives as bytes, the high byte of each first. Addresses count from the first element.

    wire: 1 trip.
    """
    prefix, colon, number = args.memoryReference.partition(":")
    if f"{prefix}{colon}" != _ARRAY or not (number.isascii() and number.isdigit() and len(number) < 16):
        raise UsageError("a memory reference is of no array of primitives", code="WRONG_ARGUMENT")
    if args.count < 0:
        raise UsageError("arguments.count must not be negative", code="WRONG_ARGUMENT")
    container = adapter.container(int(number))
    value = _value(container)
    width, length = _WIDTHS[value.type], value.length or 0
    first = max(0, args.offset)
    end = min(max(first, args.offset + min(args.count, MOST_BYTES)), width * length)
    data = b""
    if first < end:
        start, stop = first // width, -(-end // width)
        found = await adapter.session.values.bytes(
            f"{GIVEN}[{start}..{stop}]", stop - start, frame=container.frame, given={GIVEN: value}
        )
        data = found.data[first - start * width : end - start * width]
    from base64 import b64encode

    unreadable = max(0, args.count - len(data))
    body: Body = {"address": f"{first:#x}", "data": b64encode(data).decode("ascii")}
    return {**body, "unreadableBytes": unreadable} if unreadable else body
