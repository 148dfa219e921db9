"""Operands made into something else: text, a primitive, an object in the target, their run-time class.

Strings and boxes of the debugger are made in the target when something there needs them, all of a call at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from jdbpy.errors import EvalError, JdbpyError, Thrown
from jdbpy.session.eval.operands import Elements, Entry, LocalBox, LocalString, Operand, OperandValue
from jdbpy.session.eval.ops.base import NotConstant, Op, Run
from jdbpy.session.eval.target import Invocation, Raw, Ref
from jdbpy.session.java.literals import pair_surrogates
from jdbpy.session.java.texts import decimal_text
from jdbpy.session.java.types import (
    BOXES,
    CHAR,
    ENTRY,
    LATE,
    NULL,
    STRING,
    Primitive,
    SequenceType,
    erasure,
    unboxed,
)
from jdbpy.wire.constants import Tag


async def exact(run: Run, operand: Operand) -> Operand:
    """Return the operand with the run-time class of its value as its type; null keeps the type it had."""
    if not operand.type.is_reference or isinstance(operand.type, SequenceType):
        return operand
    match operand.value:
        case None:
            return Operand(NULL, None) if operand.type is LATE else operand
        case Entry():
            return Operand(ENTRY, operand.value)
        case LocalString():
            return Operand(STRING, operand.value)
        case LocalBox(kind=kind):
            return Operand(BOXES[kind], operand.value)
    cls = await run.runtime_class(operand)
    if cls is None:
        return operand
    await run.graph.link([cls])
    found = await run.graph.type_of(cls)
    return operand if erasure(operand.type) == found else Operand(found, operand.value)


def primitive_text(kind: Primitive, value: OperandValue, release: int) -> str:
    """String conversion of a primitive, as ``String.valueOf`` of that Java release has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if kind is CHAR and isinstance(value, int):
        return chr(value)
    if isinstance(value, float):
        return decimal_text(ord(kind.tag), value, release)
    return str(value)


async def text_of(run: Run, operand: Operand) -> str:
    """Return the string conversion of an operand (JLS 5.1.11). Runs ``toString()`` of objects other than strings and
    boxes."""
    value = operand.value
    if isinstance(operand.type, Primitive):
        return primitive_text(operand.type, value, run.target.release)
    match value:
        case None:
            return "null"
        case LocalString(text=text):
            return text
        case LocalBox():
            return primitive_text(value.kind, value.value, run.target.release)
        case Entry(key=key, value=held):
            return f"{await text_of(run, key)}={await text_of(run, held)}"
        case Elements(elements=elements):
            return f"[{', '.join([await text_of(run, element) for element in elements])}]"
    if isinstance(value, Ref) and value.tag == Tag.STRING:
        return (await run.target.read_strings([value]))[0]
    cls = await run.runtime_class(operand)
    assert isinstance(value, Ref) and cls is not None
    if cls.name == STRING.name:
        return (await run.target.read_strings([value]))[0]
    kind = unboxed(cls.type)
    if kind is not None:
        return primitive_text(kind, await unbox(run, operand, kind), run.target.release)
    own = await run.target.object_text(value)
    if own is not None:
        return own
    result = await invoke_named(run, value, "java.lang.Object", "toString", "()Ljava/lang/String;")
    return "null" if result is None else (await run.target.read_strings([result]))[0]


def constant_text(op: Op, release: int) -> str | None:
    """Return the string conversion of a constant expression; None for any other and for null, which is no constant."""
    value = op.constant
    if isinstance(value, NotConstant) or value is None:
        return None
    if isinstance(value, LocalString):
        return value.text
    return primitive_text(op.type, value, release) if isinstance(op.type, Primitive) else None


async def string_of(run: Run, operand: Operand) -> str | None:
    """Return the text of a string operand; None for null."""
    match operand.value:
        case None:
            return None
        case LocalString(text=text):
            return text
        case Ref() as ref:
            return (await run.target.read_strings([ref]))[0]
    raise EvalError(f"incompatible types: {operand.type} cannot be converted to String")


async def unbox(run: Run, operand: Operand, kind: Primitive) -> bool | int | float:
    """Return the primitive in a box; NullPointerException for null (JLS 5.1.8). wire: 1 trip."""
    match operand.value:
        case LocalBox(value=value):
            return value
        case None:
            name = f"{BOXES[kind]!s}.{kind}Value()"
            raise Thrown("java.lang.NullPointerException", f'Cannot invoke "java.lang.{name}"')
        case Ref() as ref:
            (box,) = await run.graph.named([BOXES[kind].name])
            assert box is not None
            field = box.facts.field("value")
            (inside,) = await run.target.read_fields(ref, [field])
            assert isinstance(inside, bool | int | float)
            return inside
    raise EvalError(f"incompatible types: {operand.type} cannot be converted to {kind}")


async def invoke_named(run: Run, obj: Ref, class_name: str, name: str, signature: str) -> Ref | None:
    """Run a method that every object of the class has; for methods of the JDK that the evaluator itself needs."""
    cls = await run.graph.load(class_name)  # a small program may not have used Double yet
    if cls is None:
        raise EvalError(f"class {class_name} is not loaded, and no method can be run to load it")
    method = cls.facts.method(name, signature)
    result = await run.target.invoke(obj, cls.id, method, [], exact=False)
    assert result is None or isinstance(result, Ref)
    return result


async def in_target(run: Run, operands: Sequence[Operand]) -> list[Raw]:
    """Raw values for the target; strings and boxes of the debugger are made there first.

    wire: 1 trip for strings, 1 for boxes and for literals, which are interned; 0 when they are made.
    """
    values = [operand.value for operand in operands]
    if any(isinstance(value, Elements | Entry) for value in values):
        raise EvalError(
            "the elements of a slice or filter are the debugger's own and cannot be handed to the program",
            hint="use the array or collection itself",
        )
    new = dict.fromkeys(each for each in values if isinstance(each, LocalString | LocalBox) and each not in run.made)
    if new:
        await _make(run, list(new))
    return [
        run.made[each] if isinstance(each, LocalString | LocalBox) else each
        for each in values
        if not isinstance(each, Elements | Entry)
    ]


async def _make(run: Run, wanted: Sequence[LocalString | LocalBox]) -> None:
    strings = [each for each in wanted if isinstance(each, LocalString)]
    made = await run.together(*(partial(run.target.new_string, pair_surrogates(each.text)) for each in strings))
    run.made.update(zip(strings, made, strict=True))
    # Literals are interned, so that == with the program's own constants answers as Java would (JLS 3.10.5).
    called = [each for each in wanted if isinstance(each, LocalBox) or each.interned]
    calls = [
        await _boxing(run, each) if isinstance(each, LocalBox) else await _interning(run, run.made[each])
        for each in called
    ]
    for each, outcome in zip(called, await run.target.invoke_all(calls) if calls else [], strict=True):
        if isinstance(outcome, JdbpyError):
            raise outcome
        if isinstance(outcome, Ref):
            run.made[each] = outcome


async def _boxing(run: Run, box: LocalBox) -> Invocation:
    name = BOXES[box.kind].name
    return await _call(run, None, name, "valueOf", f"({box.kind.tag})L{name.replace('.', '/')};", box.value)


async def _interning(run: Run, string: Ref) -> Invocation:
    return await _call(run, string, STRING.name, "intern", "()Ljava/lang/String;")


async def _call(run: Run, obj: Ref | None, class_name: str, name: str, signature: str, *args: Raw) -> Invocation:
    cls = await run.graph.load(class_name)  # a small program may not have used Double yet
    if cls is None:
        raise EvalError(f"class {class_name} is not loaded, and no method can be run to load it")
    method = cls.facts.method(name, signature)
    return Invocation(obj, cls.id, method, args)
