"""The methods that a sequence of the debugger has: ``filter``, ``map``, ``sum``, ``sorted`` and so on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jdbpy.errors import EvalError, Thrown
from jdbpy.session.eval.operands import LocalString, Operand
from jdbpy.session.eval.ops.base import Run
from jdbpy.session.eval.ops.intrinsics import units
from jdbpy.session.eval.ops.sequences import Argument, ElementBody, Method
from jdbpy.session.eval.ops.values import exact, string_of, text_of, unbox
from jdbpy.session.java import arithmetic
from jdbpy.session.java.types import (
    BOOLEAN,
    DOUBLE,
    FLOAT,
    INT,
    LATE,
    LONG,
    NULL,
    JavaType,
    Primitive,
    source_name,
    unboxed,
)


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


def _body(args: Sequence[Argument]) -> ElementBody:
    (body,) = args
    assert isinstance(body, ElementBody)
    return body


def _number(args: Sequence[Argument]) -> int:
    (operand,) = args
    assert isinstance(operand, Operand) and isinstance(operand.value, int)
    return operand.value


async def _numbers(run: Run, elements: list[Operand], at: int) -> list[tuple[Primitive, int | float]]:
    """Return the elements as numbers."""
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
    """Return the elements in their natural order: numbers or strings."""
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
