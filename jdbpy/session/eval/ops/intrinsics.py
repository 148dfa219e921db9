"""Methods of the JDK whose answer the debugger can work out itself, from values that it can read.

``name.equals("bob")`` in a condition then costs one read and runs nothing in the target; it also works read-only and
in threads that cannot run code. Only methods of final classes or final methods are here, and only those whose result
the specification fixes. Whenever a case is not plain (null, an index out of range), the method itself is run, so that
exceptions are always the target's own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from jdbpy.session.eval.operands import LocalBox, LocalString, Operand, OperandValue
from jdbpy.session.eval.ops.base import Op, Run, run_all
from jdbpy.session.eval.ops.calls import ENTRY_METHODS, EntryMethod, Invoke
from jdbpy.session.eval.ops.values import string_of, unbox
from jdbpy.session.eval.target import Ref
from jdbpy.session.eval.typing.class_graph import JavaMethod
from jdbpy.session.java import arithmetic
from jdbpy.session.java.literals import pair_surrogates
from jdbpy.session.java.signatures import signature_of, split_method
from jdbpy.session.java.texts import utf16_length
from jdbpy.session.java.types import BOXES, DOUBLE, FLOAT, INT, LONG, STRING, ClassType, JavaType, Primitive, unboxed
from jdbpy.session.values.strings import MOST
from jdbpy.wire.constants import Tag

Units = tuple[int, ...]
Known = str | int | float | bool | None
Answer = str | int | float | bool | LocalBox | None
Key = tuple[str, str, str]


def units(text: str) -> Units:
    """Return the UTF-16 code units of a text, as ``charAt`` counts them."""
    data = text.encode("utf-16-le", "surrogatepass")
    return tuple(int.from_bytes(data[i : i + 2], "little") for i in range(0, len(data), 2))


def _text(found: Sequence[int]) -> str:
    return pair_surrogates("".join(map(chr, found)))


def _char_at(text: str, index: int) -> Answer:
    found = units(text)
    return found[index] if 0 <= index < len(found) else None


def _substring(text: str, start: int, end: int | None = None) -> Answer:
    found = units(text)
    end = len(found) if end is None else end
    return _text(found[start:end]) if 0 <= start <= end <= len(found) else None


def _find(text: str, wanted: str) -> int:
    """``indexOf`` in code units."""
    at = text.find(wanted)
    return at if at < 0 else len(units(text[:at]))


def _rfind(text: str, wanted: str) -> int:
    at = text.rfind(wanted)
    return at if at < 0 else len(units(text[:at]))


def _hash(text: str) -> int:
    value = 0
    for unit in units(text):
        value = arithmetic.wrap(INT, 31 * value + unit)
    return value


def _compare(left: str, right: str) -> int:
    one, other = units(left), units(right)
    for a, b in zip(one, other, strict=False):
        if a != b:
            return a - b
    return len(one) - len(other)


_S = "java.lang.String"
_STRING_METHODS: Mapping[tuple[str, str], Callable[..., Answer]] = {
    ("length", "()I"): lambda s: len(units(s)),
    ("isEmpty", "()Z"): lambda s: not s,
    ("charAt", "(I)C"): _char_at,
    ("toString", "()Ljava/lang/String;"): lambda s: s,
    ("hashCode", "()I"): _hash,
    ("equals", "(Ljava/lang/Object;)Z"): lambda s, other: s == other,
    ("compareTo", "(Ljava/lang/String;)I"): _compare,
    ("concat", "(Ljava/lang/String;)Ljava/lang/String;"): lambda s, other: pair_surrogates(s + other),
    ("startsWith", "(Ljava/lang/String;)Z"): lambda s, other: s.startswith(other),
    ("endsWith", "(Ljava/lang/String;)Z"): lambda s, other: s.endswith(other),
    ("contains", "(Ljava/lang/CharSequence;)Z"): lambda s, other: other in s,
    ("indexOf", "(Ljava/lang/String;)I"): _find,
    ("indexOf", "(I)I"): lambda s, unit: _find(s, chr(unit)) if 0 <= unit < 0xD800 else None,
    ("lastIndexOf", "(Ljava/lang/String;)I"): _rfind,
    ("substring", "(I)Ljava/lang/String;"): _substring,
    ("substring", "(II)Ljava/lang/String;"): _substring,
}
_INTEGERS = (INT, LONG)
_TABLE: dict[Key, Callable[..., Answer]] = {(_S, *key): answer for key, answer in _STRING_METHODS.items()}


def _add_boxes() -> None:
    for kind, box in BOXES.items():
        descriptor = f"L{box.name.replace('.', '/')};"
        _TABLE[box.name, "valueOf", f"({kind.tag}){descriptor}"] = lambda value, kind=kind: LocalBox(kind, value)
        _TABLE[box.name, f"{kind.name}Value", f"(){kind.tag}"] = lambda value: value


def _add_math() -> None:
    for kind in _INTEGERS:
        tag = kind.tag
        _TABLE["java.lang.Math", "abs", f"({tag}){tag}"] = lambda a, kind=kind: arithmetic.wrap(kind, abs(a))
        _TABLE["java.lang.Math", "min", f"({tag}{tag}){tag}"] = min
        _TABLE["java.lang.Math", "max", f"({tag}{tag}){tag}"] = max
    for kind in (FLOAT, DOUBLE):
        _TABLE["java.lang.Math", "abs", f"({kind.tag}){kind.tag}"] = abs


_add_boxes()
_add_math()


def intrinsic(method: JavaMethod, returns: JavaType, receiver: Op | None, args: Sequence[Op], at: int) -> Op | None:
    """Return the operation that works the method out without running it; None for all other methods."""
    member = method.member
    answer = _TABLE.get((method.owner.name, member.name, member.signature))
    invoke = Invoke(returns, receiver, method, args, at)
    if answer is not None:
        return Intrinsic(invoke, answer)
    if (method.owner.name, member.name, member.signature) in _FIELDS and receiver is not None:
        return ReadsField(invoke, _FIELDS[method.owner.name, member.name, member.signature])
    if method.owner.name == "java.util.Map$Entry" and member.name in ENTRY_METHODS and receiver is not None:
        return EntryMethod(invoke)
    if member.name == "getClass" and method.owner.name == "java.lang.Object" and receiver is not None:
        return GetClass(invoke)
    return None


class Intrinsic(Op):
    """A method worked out from strings and primitives."""

    remote = True

    def __init__(self, invoke: Invoke, answer: Callable[..., Answer]) -> None:
        operands = [*([invoke.receiver] if invoke.receiver is not None else []), *invoke.args]
        super().__init__(invoke.type, invoke.at, *operands)
        self.sure = True
        self.invoke = invoke
        self.operands = operands
        self.answer = answer
        method = invoke.method.member
        receiver = [] if method.is_static else [signature_of(invoke.method.owner.name)]
        self.wanted = [*receiver, *split_method(method.signature)[0]]

    async def run(self, run: Run) -> Operand:
        operands = await run_all(run, self.operands)
        piece = await self._piece(run, operands)
        if piece is not None:
            return Operand(self.type, LocalString(piece) if isinstance(piece, str) else piece)
        for each in operands:
            if await _is_long(run, each):
                return await self.invoke.on(run, operands)  # the target has the text at hand
        known = [await _known(run, each, wanted) for each, wanted in zip(operands, self.wanted, strict=True)]
        result = None if None in known else self.answer(*known)
        if result is None:
            return await self.invoke.on(run, operands)
        return Operand(self.type, LocalString(result) if isinstance(result, str) else result)

    async def _piece(self, run: Run, operands: Sequence[Operand]) -> Answer:
        """Return the answer out of the length or a piece of the string; None for other methods, and where that will not
        do."""
        member = self.invoke.method.member
        ask = _PIECES.get((member.name, member.signature)) if self.invoke.method.owner.name == _S else None
        string = operands[0].value if operands else None
        if ask is None or not isinstance(string, Ref) or string.tag != Tag.STRING:
            return None
        values = [each.value for each in operands[1:]]
        plain = [each.text if isinstance(each, LocalString) else each for each in values]
        if not all(isinstance(each, str | int) for each in plain):
            return None
        length = await run.target.string_length(string)
        return None if length is None else await ask(run, string, length, *plain)


async def _is_long(run: Run, operand: Operand) -> bool:
    """True if it is a string that is too long to be fetched for one answer."""
    string = operand.value
    if not isinstance(string, Ref) or string.tag != Tag.STRING:
        return False
    length = await run.target.string_length(string)
    return length is not None and length > MOST


async def _length(run: Run, string: Ref, length: int) -> Answer:
    return length


async def _empty(run: Run, string: Ref, length: int) -> Answer:
    return length == 0


async def _unit(run: Run, string: Ref, length: int, index: int) -> Answer:
    if not 0 <= index < length:
        return None
    return units(await run.target.string_part(string, index, 1))[0]


async def _part(run: Run, string: Ref, length: int, start: int, end: int | None = None) -> Answer:
    end = length if end is None else end
    if not 0 <= start <= end <= length or end - start > MOST:
        return None
    return await run.target.string_part(string, start, end - start)


async def _different(run: Run, string: Ref, length: int, other: str) -> Answer:
    return False if utf16_length(other) != length else None


async def _starts(run: Run, string: Ref, length: int, start: str) -> Answer:
    count = utf16_length(start)
    return count <= length and await run.target.string_part(string, 0, count) == start


async def _ends(run: Run, string: Ref, length: int, end: str) -> Answer:
    count = utf16_length(end)
    return count <= length and await run.target.string_part(string, length - count, count) == end


_PIECES: Mapping[tuple[str, str], Callable[..., Awaitable[Answer]]] = {
    ("length", "()I"): _length,
    ("isEmpty", "()Z"): _empty,
    ("charAt", "(I)C"): _unit,
    ("substring", "(I)Ljava/lang/String;"): _part,
    ("substring", "(II)Ljava/lang/String;"): _part,
    ("equals", "(Ljava/lang/Object;)Z"): _different,
    ("startsWith", "(Ljava/lang/String;)Z"): _starts,
    ("endsWith", "(Ljava/lang/String;)Z"): _ends,
}
"""Methods of String that need its length, or a piece of it, only."""


async def _known(run: Run, operand: Operand, wanted: str) -> Known:
    """Return the text of a string, the value of a primitive or box; None for null and for what is not known.

    ``wanted`` is the JNI type that the method declares: an object of another class, which only a generic signature
    took for one, is not passed off as one.
    """
    value: OperandValue = operand.value
    if isinstance(operand.type, Primitive):
        assert isinstance(value, int | float)
        return value
    if isinstance(value, LocalBox):
        name = BOXES[value.kind].name
    elif isinstance(value, LocalString):
        name = STRING.name
    else:
        cls = await run.runtime_class(operand)
        name = cls.name if cls is not None else ""
    if wanted not in _OPEN_TYPES and wanted != signature_of(name):
        return None
    if name == STRING.name:
        return await string_of(run, operand)
    kind = unboxed(ClassType(name))
    return None if kind is None or wanted == _CHARACTERS else await unbox(run, operand, kind)


_CHARACTERS = "Ljava/lang/CharSequence;"
_OPEN_TYPES = (_CHARACTERS, "Ljava/lang/Object;")


_FIELDS: Mapping[Key, str] = {
    ("java.lang.Enum", "name", "()Ljava/lang/String;"): "name",
    ("java.lang.Enum", "ordinal", "()I"): "ordinal",
}


class ReadsField(Op):
    """A final method that only returns a field."""

    remote = True

    def __init__(self, invoke: Invoke, field: str) -> None:
        assert invoke.receiver is not None
        super().__init__(invoke.type, invoke.at, invoke.receiver)
        self.sure = True
        self.invoke = invoke
        self.receiver = invoke.receiver
        self.member = next((m for m in invoke.method.owner.facts.fields if m.name == field), None)

    async def run(self, run: Run) -> Operand:
        obj = await self.receiver.run(run)
        cls = await run.runtime_class(obj)
        if cls is None or self.member is None or not isinstance(obj.value, Ref):
            return await self.invoke.on(run, [obj])
        await run.graph.link([cls])
        if self.invoke.method.owner not in run.graph.ancestors(cls):
            return await self.invoke.on(run, [obj])
        (value,) = await run.target.read_fields(obj.value, [self.member])
        return Operand(self.type, value)


class GetClass(Op):
    """``object.getClass()``."""

    remote = True

    def __init__(self, invoke: Invoke) -> None:
        assert invoke.receiver is not None
        super().__init__(invoke.type, invoke.at, invoke.receiver)
        self.sure = True
        self.invoke = invoke
        self.receiver = invoke.receiver

    async def run(self, run: Run) -> Operand:
        obj = await self.receiver.run(run)
        cls = await run.runtime_class(obj)
        if cls is None and isinstance(obj.value, LocalString | LocalBox):
            name = STRING.name if isinstance(obj.value, LocalString) else BOXES[obj.value.kind].name
            (cls,) = await run.graph.named([name])
        if cls is None:
            return await self.invoke.on(run, [obj])
        return Operand(self.type, await run.target.class_object(cls.id))
