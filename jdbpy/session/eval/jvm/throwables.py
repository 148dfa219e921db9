"""A throwable of the target as ``Thrown``: its class, its message and its stack, as far as they can be read.

``getStackTrace`` has to be run: the VM turns its own form of the stack into elements only then.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from jdbpy.errors import EvalError, JdbpyError, Thrown
from jdbpy.session.eval.target import Raw, Ref, from_wire
from jdbpy.session.events.target import Target
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.refs import Field, RefType
from jdbpy.session.values.objects import Objects
from jdbpy.session.values.reader import Reader
from jdbpy.session.values.strings import message_text
from jdbpy.wire.ids import ReferenceTypeID

if TYPE_CHECKING:
    from jdbpy.session.eval.jvm.calls import ThreadCalls

MAX_FRAMES = 32
"""Elements of a stack that are read."""

_ELEMENT_FIELDS = ("declaringClass", "methodName", "fileName", "lineNumber")
_LAZY_MESSAGE = "java.lang.NullPointerException"  # its message is made when it is asked for


async def read_throwable(target: Target, exception: Ref, calls: ThreadCalls | None) -> Thrown:
    """Return the record of the throwable. ``calls`` runs the methods it takes; without, there is no stack. wire: 6
    trips.
    """
    reader = Objects.of(target).reader
    type_id = await reader.run(reader.type_id(exception.id))
    lineage = [
        (await target.types.info([type_id]))[type_id],
        *(await target.types.superclasses([type_id], facts.FIELDS, facts.METHODS))[type_id],
    ]
    name = lineage[0].name
    throwable = next((each for each in lineage if each.name == "java.lang.Throwable"), None)
    if throwable is None:
        return Thrown(name, None, id=exception.id)
    message = await _message(target, reader, exception, throwable, calls if name == _LAZY_MESSAGE else None)
    stack: tuple[str, ...] = ()
    if calls is not None:
        with suppress(JdbpyError):  # what is known is shown without it
            stack = await _stack(target, reader, exception, throwable, calls)
    return Thrown(name, message, id=exception.id, stack=stack)


async def _message(
    target: Target, reader: Reader, exception: Ref, throwable: RefType, calls: ThreadCalls | None
) -> str | None:
    field = _field(target, throwable.id, "detailMessage")
    if field is None:
        return None
    [value] = await reader.run(reader.fields(exception.id, [field]))
    found = from_wire(value)
    if found is None and calls is not None:
        try:
            found = await _call(target, exception, throwable, "getMessage", calls)
        except JdbpyError:
            return None
    return await reader.run(message_text(reader, found.id)) if isinstance(found, Ref) else None


def _field(target: Target, type_id: ReferenceTypeID, name: str) -> Field | None:
    fields = target.types.facts.known(facts.FIELDS, type_id) or ()
    return next((each for each in fields if each.name == name and not each.is_static), None)


async def _call(target: Target, exception: Ref, throwable: RefType, name: str, calls: ThreadCalls) -> Raw:
    methods = (await target.types.methods([throwable.id])).get(throwable.id, ())
    method = next((each for each in methods if each.name == name and each.signature.startswith("()")), None)
    if method is None:
        raise EvalError(f"the target says that {throwable.name} has no method {name}()")
    return await calls.invoke(exception, throwable.id, method, [], exact=False)


async def _stack(
    target: Target, reader: Reader, exception: Ref, throwable: RefType, calls: ThreadCalls
) -> tuple[str, ...]:
    array = await _call(target, exception, throwable, "getStackTrace", calls)
    if not isinstance(array, Ref):
        return ()
    length = await reader.run(reader.length(array.id))
    elements = await reader.run(reader.elements(array.id, 0, min(length, MAX_FRAMES)))
    refs = [int(each.value) for each in elements if each.value]
    if not refs:
        return ()
    element_class = await reader.run(reader.shape(await reader.run(reader.type_id(refs[0]))))
    fields = [element_class.field(name) for name in _ELEMENT_FIELDS]
    found = [field for field in fields if field is not None]
    if len(found) != len(fields):
        return ()
    rows = await reader.run(reader.fields_of_all(refs, found))
    lines = []
    for row in rows:
        if isinstance(row, list):
            texts = [await reader.run(reader.text(int(each.value))) if each.value else "" for each in row[:3]]
            lines.append(_line(*texts, line=int(row[3].value or 0)))
    return tuple(lines)


def _line(declaring: str, method: str, file: str, *, line: int) -> str:
    """Return a frame as ``Throwable.printStackTrace`` writes it."""
    if line == -2:
        place = "Native Method"
    elif file:
        place = f"{file}:{line}" if line >= 0 else file
    else:
        place = "Unknown Source"
    return f"{declaring}.{method}({place})"
