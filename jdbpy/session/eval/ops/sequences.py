"""Slices, filters and the like over arrays and collections, done by the debugger over what it reads.

Owns the elements of a sequence and the running of one body for each of them: bodies that only read go side by side, so
that a filter over a thousand elements costs as many trips as its condition over one. No code runs in the target unless
the body itself calls something.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial

from jdbpy.errors import EvalError, Thrown
from jdbpy.session.eval.operands import Elements, Entry, Operand, element_operand
from jdbpy.session.eval.ops.base import Op, Run, run_all, side_by_side
from jdbpy.session.eval.ops.values import exact
from jdbpy.session.eval.target import Raw, Ref
from jdbpy.session.java.types import ENTRY, LATE, NULL, ArrayType, JavaType, SequenceType, source_name
from jdbpy.wire.constants import Tag

AT_ONCE = 256
"""For how many elements a body runs side by side."""
AT_ONCE_FAR = 4_096
"""The same where a trip takes long: it weighs more than the memory of as many."""
MAX_ELEMENTS = 100_000
"""The most elements that a slice or filter reads."""


async def elements_of(run: Run, operand: Operand, at: int, start: int = 0, end: int | None = None) -> list[Operand]:
    """Return the elements from start up to end, or the last one, of an array, a collection or a sequence."""
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
        found_raws = await run.target.read_array(value, start, count) if count else []
        return [element_operand(element, raw) for raw in found_raws]
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
        first = start + (sequence.value.start if isinstance(sequence.value, Elements) else 0)
        return Operand(self.type, Elements(await elements_of(run, sequence, self.at, start, end), first))


class TakeElement(Op):
    """``list[index]`` of a collection that is read without running code."""

    remote = True

    def __init__(self, type: JavaType, sequence: Op, index: Op, at: int) -> None:
        super().__init__(type, at, sequence, index)
        self.sequence = sequence
        self.index = index

    async def run(self, run: Run) -> Operand:
        sequence, index = await run_all(run, [self.sequence, self.index])
        if sequence.value is None:
            raise Thrown("java.lang.NullPointerException", "Cannot read the elements of null", column=self.at)
        assert isinstance(sequence.value, Ref)
        place = index.value if isinstance(index.value, int) else -1
        raws = await run.target.elements(sequence.value, max(place, 0) + 1)
        if raws is None:
            found = source_name((await exact(run, sequence)).type)
            raise EvalError(f"array or list required, but {found} found", self.at)
        if raws and isinstance(raws[0], tuple):
            found = source_name((await exact(run, sequence)).type)
            hint = "entries are found with get(key), or without running code: map[? it.key == ...]"
            raise EvalError(f"array or list required, but {found} found", self.at, hint=hint)
        if not isinstance(index.value, int):
            raise EvalError(f"incompatible types: {source_name(index.type)} cannot be converted to int", self.at)
        if not 0 <= place < len(raws):
            length = len(await run.target.elements(sequence.value, MAX_ELEMENTS) or ()) if place < 0 else len(raws)
            message = f"Index {index.value} out of bounds for length {length}"
            raise Thrown("java.lang.IndexOutOfBoundsException", message, column=self.at)
        found_element = _element(raws[place])
        return found_element if self.type is LATE else Operand(self.type, found_element.value)


class GatherValues(Op):
    """Several values as one sequence."""

    def __init__(self, elements: Sequence[Op], at: int) -> None:
        super().__init__(SequenceType(LATE), at, *elements)
        self.elements = elements

    async def run(self, run: Run) -> Operand:
        return Operand(self.type, Elements(await run_all(run, self.elements)))


class ElementBody:
    """The operation for each element: the body of a lambda over the cell that holds the element."""

    def __init__(self, cell: int, op: Op) -> None:
        self.cell = cell
        self.op = op

    async def each(self, run: Run, elements: Sequence[Operand]) -> list[Operand]:
        """Return the results for the elements, in order. The first exception ends it."""

        async def one(element: Operand) -> Operand:
            return await self.op.run(run.with_cells({self.cell: element}))

        if run.target.high_latency and not self.op.quiet:
            await _look_at_classes(run, elements)
        # What is left to run time is known when it has run once.
        results = [await one(element) for element in elements[:1]]
        if not self.op.quiet:
            return results + [await one(element) for element in elements[1:]]
        count = AT_ONCE_FAR if run.target.high_latency else AT_ONCE
        for start in range(1, len(elements), count):
            results += await side_by_side(run, [partial(one, element) for element in elements[start : start + count]])
        return results

    async def holds(self, run: Run, elements: Sequence[Operand]) -> list[bool]:
        return [bool(result.value) for result in await self.each(run, elements)]


async def _look_at_classes(run: Run, elements: Sequence[Operand]) -> None:
    """Ask for all that the bodies would ask for one after the other. wire: 1 trip, 0 when known."""
    refs = [each.value for each in elements if isinstance(each.value, Ref) and each.value.tag != Tag.STRING]
    with suppress(EvalError):  # the body that meets it tells
        await run.target.classes_of(refs)


class SequenceCall(Op):
    """A method of a sequence, such as ``filter`` or ``count``."""

    remote = True

    def __init__(self, type: JavaType, sequence: Op, method: Method, args: Sequence[ElementBody | Op], at: int) -> None:
        ops = [arg.op if isinstance(arg, ElementBody) else arg for arg in args]
        super().__init__(type, at, sequence, *ops)
        self.sequence = sequence
        self.method = method
        self.args = args

    async def run(self, run: Run) -> Operand:
        elements = await elements_of(run, await self.sequence.run(run), self.at)
        args = [arg if isinstance(arg, ElementBody) else await arg.run(run) for arg in self.args]
        result = await self.method(run, elements, args, self.at)
        if isinstance(result, list):
            return Operand(self.type, Elements(result))
        return Operand(result.type if self.type is LATE else self.type, result.value)


Argument = ElementBody | Operand
Method = Callable[[Run, list[Operand], Sequence[Argument], int], Awaitable[Operand | list[Operand]]]
