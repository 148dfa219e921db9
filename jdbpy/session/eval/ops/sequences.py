"""Slices, filters and the like over arrays and collections, done by the debugger over what it reads.

Owns the elements of a sequence and the running of one body for each of them: bodies that only read go side by side, so
that a filter over a thousand elements costs as many trips as its condition over one. No code runs in the target unless
the body itself calls something.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from jdbpy.errors import EvalError
from jdbpy.session.concurrency import together
from jdbpy.session.eval.errors import Thrown
from jdbpy.session.eval.java import arithmetic
from jdbpy.session.eval.java.types import (
    BOOLEAN,
    DOUBLE,
    ENTRY,
    FLOAT,
    INT,
    LATE,
    LONG,
    NULL,
    ArrayType,
    JavaType,
    Primitive,
    SequenceType,
    source_name,
    unboxed,
)
from jdbpy.session.eval.operands import Elements, Entry, LocalString, Operand
from jdbpy.session.eval.ops.base import Op, Run, run_all
from jdbpy.session.eval.ops.intrinsics import units
from jdbpy.session.eval.ops.values import exact, string_of, text_of, unbox
from jdbpy.session.eval.target import Raw, Ref

AT_ONCE = 256
"""For how many elements a body runs side by side."""
MAX_ELEMENTS = 100_000
"""How many elements a slice or filter reads at most."""


async def elements_of(run: Run, operand: Operand, at: int, start: int = 0, end: int | None = None) -> list[Operand]:
    """The elements from start up to end, or the last one, of an array, a collection or a sequence."""
    value = operand.value
    if isinstance(value, Elements):
        return value.elements[start:end]
    if value is None:
        raise Thrown("java.lang.NullPointerException", "Cannot read the elements of null", column=at)
    if not isinstance(value, Ref):
        raise EvalError(f"array or collection required, but {operand.type} found", at)
    found = await exact(run, operand)
    if isinstance(found.type, ArrayType):
        length = await run.target.array_length(value)
        count = max(0, min(length if end is None else end, length) - start)
        _check_size(count, at)
        element = found.type.element
        return [Operand(element, raw) for raw in await run.target.read_array(value, start, count)] if count else []
    raws = await run.target.elements(value, MAX_ELEMENTS + 1)
    if raws is None:
        raise EvalError(
            f"the elements of a {source_name(found.type)} cannot be read without running code",
            at,
            hint="call its methods instead, for example toArray()",
        )
    _check_size(len(raws), at)
    return [_element(raw) for raw in raws[start:end]]


def _element(raw: Raw | tuple[Raw, Raw]) -> Operand:
    if isinstance(raw, tuple):
        return Operand(ENTRY, Entry(_element(raw[0]), _element(raw[1])))
    return Operand(NULL if raw is None else LATE, raw)


class EntryPart(Op):
    """``it.key`` and ``it.value``."""

    def __init__(self, entry: Op, name: str, at: int) -> None:
        super().__init__(LATE, at, entry)
        self.entry = entry
        self.name = name

    async def run(self, run: Run) -> Operand:
        entry = (await self.entry.run(run)).value
        assert isinstance(entry, Entry)
        return entry.key if self.name == "key" else entry.value


def _check_size(count: int, at: int) -> None:
    if count > MAX_ELEMENTS:
        raise EvalError(f"that reads {count} elements, and the limit is {MAX_ELEMENTS}", at, hint="take a slice of it")


class TakeSlice(Op):
    """``sequence[start..end]``. What lies outside is left out, as it is only looked at."""

    remote = True

    def __init__(self, type: JavaType, sequence: Op, start: Op, end: Op | None, at: int) -> None:
        super().__init__(type, at, sequence, start, *([end] if end is not None else []))
        self.sequence = sequence
        self.start = start
        self.end = end

    async def run(self, run: Run) -> Operand:
        sequence = await self.sequence.run(run)
        start = (await self.start.run(run)).value
        end = None if self.end is None else (await self.end.run(run)).value
        assert isinstance(start, int) and (end is None or isinstance(end, int))
        if start < 0 or (end is not None and end < start):
            shown = f"{start}..{'' if end is None else end}"
            raise EvalError(f"a slice from {shown} has no elements", self.at, hint="bounds count from 0 and rise")
        return Operand(self.type, Elements(await elements_of(run, sequence, self.at, start, end)))


class GatherValues(Op):
    """Several values as one sequence."""

    def __init__(self, elements: Sequence[Op], at: int) -> None:
        super().__init__(SequenceType(LATE), at, *elements)
        self.elements = elements

    async def run(self, run: Run) -> Operand:
        return Operand(self.type, Elements(await run_all(run, self.elements)))


class Body:
    """What is run for each element: the body of a lambda over the cell that holds the element."""

    def __init__(self, cell: int, op: Op) -> None:
        self.cell = cell
        self.op = op

    async def each(self, run: Run, elements: Sequence[Operand]) -> list[Operand]:
        """The results for the elements, in order. The first exception ends it."""

        async def one(element: Operand) -> Operand:
            return await self.op.run(run.with_cells({self.cell: element}))

        if not self.op.quiet:
            return [await one(element) for element in elements]
        results: list[Operand] = []
        for start in range(0, len(elements), AT_ONCE):
            results += await together(*(partial(one, element) for element in elements[start : start + AT_ONCE]))
        return results

    async def holds(self, run: Run, elements: Sequence[Operand]) -> list[bool]:
        return [bool(result.value) for result in await self.each(run, elements)]


class SequenceCall(Op):
    """A method of a sequence, such as ``filter`` or ``count``."""

    remote = True

    def __init__(self, type: JavaType, sequence: Op, method: Method, args: Sequence[Body | Op], at: int) -> None:
        ops = [arg.op if isinstance(arg, Body) else arg for arg in args]
        super().__init__(type, at, sequence, *ops)
        self.sequence = sequence
        self.method = method
        self.args = args

    async def run(self, run: Run) -> Operand:
        elements = await elements_of(run, await self.sequence.run(run), self.at)
        args = [arg if isinstance(arg, Body) else await arg.run(run) for arg in self.args]
        result = await self.method(run, elements, args, self.at)
        if isinstance(result, list):
            return Operand(self.type, Elements(result))
        return Operand(result.type if self.type is LATE else self.type, result.value)


Argument = Body | Operand
Method = Callable[[Run, list[Operand], Sequence[Argument], int], Awaitable[Operand | list[Operand]]]


async def _filter(run: Run, elements: list[Operand], args: Sequence[Argument], at: int) -> list[Operand]:
    kept = await _body(args).holds(run, elements)
    return [element for element, holds in zip(elements, kept, strict=True) if holds]


async def _map(run: Run, elements: list[Operand], args: Sequence[Argument], at: int) -> list[Operand]:
    return await _body(args).each(run, elements)


async def _any(run: Run, elements: list[Operand], args: Sequence[Argument], at: int) -> Operand:
    return Operand(BOOLEAN, any(await _body(args).holds(run, elements)))


async def _all(run: Run, elements: list[Operand], args: Sequence[Argument], at: int) -> Operand:
    return Operand(BOOLEAN, all(await _body(args).holds(run, elements)))


async def _none(run: Run, elements: list[Operand], args: Sequence[Argument], at: int) -> Operand:
    return Operand(BOOLEAN, not any(await _body(args).holds(run, elements)))


async def _count(run: Run, elements: list[Operand], args: Sequence[Argument], at: int) -> Operand:
    return Operand(LONG, len(elements))


async def _size(run: Run, elements: list[Operand], args: Sequence[Argument], at: int) -> Operand:
    return Operand(INT, len(elements))


async def _to_list(run: Run, elements: list[Operand], args: Sequence[Argument], at: int) -> list[Operand]:
    return elements


async def _limit(run: Run, elements: list[Operand], args: Sequence[Argument], at: int) -> list[Operand]:
    return elements[: _number(args)]


async def _skip(run: Run, elements: list[Operand], args: Sequence[Argument], at: int) -> list[Operand]:
    return elements[_number(args) :]


async def _get(run: Run, elements: list[Operand], args: Sequence[Argument], at: int) -> Operand:
    index = _number(args)
    if not 0 <= index < len(elements):
        message = f"Index {index} out of bounds for length {len(elements)}"
        raise Thrown("java.lang.IndexOutOfBoundsException", message, column=at)
    return elements[index]


async def _first(run: Run, elements: list[Operand], args: Sequence[Argument], at: int) -> Operand:
    return elements[0] if elements else Operand(NULL, None)


async def _last(run: Run, elements: list[Operand], args: Sequence[Argument], at: int) -> Operand:
    return elements[-1] if elements else Operand(NULL, None)


async def _sum(run: Run, elements: list[Operand], args: Sequence[Argument], at: int) -> Operand:
    kind: Primitive = LONG
    total: int | float = 0
    for found, value in await _numbers(run, elements, at):
        if found in (FLOAT, DOUBLE):
            kind, total = DOUBLE, float(total)
        total += value
    return Operand(kind, arithmetic.wrap(LONG, total) if isinstance(total, int) else total)


async def _min(run: Run, elements: list[Operand], args: Sequence[Argument], at: int) -> Operand:
    return (await _in_order(run, elements, at) or [Operand(NULL, None)])[0]


async def _max(run: Run, elements: list[Operand], args: Sequence[Argument], at: int) -> Operand:
    return (await _in_order(run, elements, at) or [Operand(NULL, None)])[-1]


async def _sorted(run: Run, elements: list[Operand], args: Sequence[Argument], at: int) -> list[Operand]:
    return await _in_order(run, elements, at)


async def _reversed(run: Run, elements: list[Operand], args: Sequence[Argument], at: int) -> list[Operand]:
    return elements[::-1]


async def _joined(run: Run, elements: list[Operand], args: Sequence[Argument], at: int) -> Operand:
    separator = await string_of(run, args[0]) if args and isinstance(args[0], Operand) else ""
    texts = [await text_of(run, element) for element in elements]
    return Operand(LATE, LocalString((separator or "null").join(texts) if args else "".join(texts)))


def _body(args: Sequence[Argument]) -> Body:
    (body,) = args
    assert isinstance(body, Body)
    return body


def _number(args: Sequence[Argument]) -> int:
    (operand,) = args
    assert isinstance(operand, Operand) and isinstance(operand.value, int)
    return operand.value


async def _numbers(run: Run, elements: list[Operand], at: int) -> list[tuple[Primitive, int | float]]:
    """The elements as numbers."""
    found: list[tuple[Primitive, int | float]] = []
    for element in elements:
        known = await exact(run, element)
        kind = unboxed(known.type)
        if kind is None or not kind.rank:
            raise EvalError(f"numbers are required, but {known.type} found", at)
        value = known.value if isinstance(known.type, Primitive) else await unbox(run, known, kind)
        assert isinstance(value, int | float)
        found.append((kind, value))
    return found


async def _in_order(run: Run, elements: list[Operand], at: int) -> list[Operand]:
    """The elements in their natural order: numbers or strings."""
    known = [await exact(run, element) for element in elements]
    if known and all(source_name(each.type) == "java.lang.String" for each in known):
        keys: list[Any] = [units(await string_of(run, each) or "") for each in known]
    else:
        keys = [value for _, value in await _numbers(run, elements, at)]
    return [elements[index] for index in sorted(range(len(elements)), key=keys.__getitem__)]


METHODS: dict[str, tuple[Method, str]] = {
    "filter": (_filter, "condition"),
    "map": (_map, "mapping"),
    "mapToObj": (_map, "mapping"),
    "mapToInt": (_map, "mapping"),
    "mapToLong": (_map, "mapping"),
    "mapToDouble": (_map, "mapping"),
    "anyMatch": (_any, "condition"),
    "allMatch": (_all, "condition"),
    "noneMatch": (_none, "condition"),
    "count": (_count, ""),
    "size": (_size, ""),
    "toList": (_to_list, ""),
    "toArray": (_to_list, ""),
    "limit": (_limit, "number"),
    "skip": (_skip, "number"),
    "get": (_get, "number"),
    "findFirst": (_first, ""),
    "first": (_first, ""),
    "last": (_last, ""),
    "sum": (_sum, ""),
    "min": (_min, ""),
    "max": (_max, ""),
    "sorted": (_sorted, ""),
    "reversed": (_reversed, ""),
    "join": (_joined, "text"),
}
"""The methods of a sequence, and what each takes: a lambda of a kind, a number, a text or nothing."""

GIVES: dict[str, JavaType] = {
    "anyMatch": BOOLEAN,
    "allMatch": BOOLEAN,
    "noneMatch": BOOLEAN,
    "count": LONG,
    "size": INT,
}
"""The types of results that do not depend on the elements."""

KEEPS = frozenset(("filter", "limit", "skip", "sorted", "reversed", "toList", "toArray"))
"""The methods whose result has elements of the same type."""
