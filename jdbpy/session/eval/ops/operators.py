"""Operations of Java's operators, assignment aside (JLS 15.15 to 15.25). Operands have been promoted by the compiler.

Each folds to a constant when its operands are constants (JLS 15.29).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jdbpy.errors import Thrown
from jdbpy.session.eval.operands import LocalBox, LocalString, Operand, OperandValue
from jdbpy.session.eval.ops.base import NOT_CONSTANT, NotConstant, Op, Run, run_all
from jdbpy.session.eval.ops.values import in_target, string_of, text_of
from jdbpy.session.eval.target import Ref
from jdbpy.session.java import arithmetic
from jdbpy.session.java.literals import pair_surrogates
from jdbpy.session.java.types import BOOLEAN, LATE, STRING, JavaType, Primitive, is_string, unboxed

Computation = Callable[..., bool | int | float]


class Compute(Op):
    """A pure computation on primitives: every operator without short circuit.

    ``operator`` is Java's, and ``kind`` the type that its first operand was promoted to; ``compute`` does it.
    """

    def __init__(
        self, type: JavaType, at: int, operator: str, kind: Primitive, compute: Computation, *operands: Op
    ) -> None:
        super().__init__(type, at, *operands)
        self.operator = operator
        self.kind = kind
        self.compute = compute
        self.operands = operands
        self.constant = self._fold()

    def _fold(self) -> OperandValue | NotConstant:
        values = [operand.constant for operand in self.operands]
        if any(isinstance(value, NotConstant) for value in values):
            return NOT_CONSTANT
        try:
            return self.compute(*values)
        except Thrown:  # 1/0 is no constant: it throws when it is run
            return NOT_CONSTANT

    async def run(self, run: Run) -> Operand:
        if not isinstance(self.constant, NotConstant):
            return Operand(self.type, self.constant)
        values = [operand.value for operand in await run_all(run, self.operands)]
        try:
            return Operand(self.type, self.compute(*values))
        except Thrown as error:
            error.column = self.at
            raise


def arithmetic_op(op: str, kind: Primitive, left: Op, right: Op, at: int) -> Op:
    """``+ - * / %`` of promoted numbers, ``& | ^`` of promoted integers or booleans."""
    return Compute(kind, at, op, kind, lambda a, b: arithmetic.binary(op, kind, a, b), left, right)


def shift_op(op: str, kind: Primitive, left: Op, right: Op, at: int) -> Op:
    return Compute(kind, at, op, kind, lambda a, b: arithmetic.shift(op, kind, a, b), left, right)


def comparison_op(op: str, left: Op, right: Op, at: int) -> Op:
    """``< <= > >= == !=`` of promoted numbers, ``== !=`` of booleans."""
    kind = left.type
    assert isinstance(kind, Primitive)
    return Compute(BOOLEAN, at, op, kind, lambda a, b: arithmetic.compare(op, a, b), left, right)


def unary_op(op: str, kind: Primitive, operand: Op, at: int) -> Op:
    match op:
        case "-":
            return Compute(kind, at, op, kind, lambda a: arithmetic.negate(kind, a), operand)
        case "~":
            return Compute(kind, at, op, kind, lambda a: arithmetic.complement(kind, a), operand)
        case "!":
            return Compute(BOOLEAN, at, op, kind, lambda a: not a, operand)
    return Compute(kind, at, op, kind, lambda a: a, operand)


class ShortCircuit(Op):
    """``&&`` and ``||``."""

    def __init__(self, op: str, left: Op, right: Op, at: int) -> None:
        super().__init__(BOOLEAN, at, left, right)
        self.decided_by = op == "||"  # the value of the left side that makes the right one superfluous
        self.left = left
        self.right = right
        if isinstance(left.constant, bool) and isinstance(right.constant, bool):
            self.constant = left.constant or right.constant if op == "||" else left.constant and right.constant

    async def run(self, run: Run) -> Operand:
        left = await self.left.run(run)
        return left if left.value == self.decided_by else await self.right.run(run)


class ConditionalOp(Op):
    """``condition ? then : otherwise``."""

    def __init__(self, type: JavaType, condition: Op, then: Op, otherwise: Op, at: int) -> None:
        super().__init__(type, at, condition, then, otherwise)
        self.condition = condition
        self.then = then
        self.otherwise = otherwise
        self.sure = then.sure and otherwise.sure
        constants = (condition.constant, then.constant, otherwise.constant)
        if not any(isinstance(value, NotConstant) or value is None for value in constants):
            self.constant = constants[1] if condition.constant else constants[2]

    async def run(self, run: Run) -> Operand:
        condition = await self.condition.run(run)
        chosen = await (self.then if condition.value else self.otherwise).run(run)
        return chosen if not self.type.is_reference else Operand(_known(self.type, chosen.type), chosen.value)


def _known(static: JavaType, chosen: JavaType) -> JavaType:
    """A late type gives way to what the chosen branch has."""
    return chosen if static is LATE else static


class StringConversion(Op):
    """String conversion of an operand of a concatenation (JLS 5.1.11)."""

    def __init__(self, operand: Op) -> None:
        super().__init__(STRING, operand.at, operand)
        self.operand = operand
        self.remote = operand.remote or operand.type.is_reference
        # Any other object's toString() runs code.
        self.acts = not is_string(operand.type) and unboxed(operand.type) is None

    async def run(self, run: Run) -> Operand:
        return Operand(STRING, LocalString(await text_of(run, await self.operand.run(run))))


class Concat(Op):
    """String concatenation (JLS 15.18.1) of two or more parts."""

    sure = True

    def __init__(self, parts: Sequence[Op], at: int) -> None:
        super().__init__(STRING, at, *parts)
        self.parts = parts

    async def run(self, run: Run) -> Operand:
        texts = await run_all(run, self.parts)
        joined = "".join([part.value.text for part in texts if isinstance(part.value, LocalString)])
        return Operand(STRING, LocalString(pair_surrogates(joined)))


class SameObject(Op):
    """``==`` and ``!=`` of references (JLS 15.21.3)."""

    def __init__(self, left: Op, right: Op, at: int, *, negated: bool) -> None:
        super().__init__(BOOLEAN, at, left, right)
        self.operands = (left, right)
        self.negated = negated
        if isinstance(left.constant, LocalString) and isinstance(right.constant, LocalString):
            self.constant = (left.constant.text == right.constant.text) != negated

    async def run(self, run: Run) -> Operand:
        left, right = await run_all(run, self.operands)
        return Operand(BOOLEAN, await _same(run, left, right) != self.negated)


async def _same(run: Run, left: Operand, right: Operand) -> bool:
    a, b = left.value, right.value
    if a is None or b is None:
        return a is b
    if isinstance(a, Ref) and isinstance(b, Ref):
        return a.id == b.id
    if isinstance(a, LocalString) and isinstance(b, LocalString):
        return a is b or (a.interned and b.interned and a.text == b.text)
    if isinstance(a, LocalBox) and isinstance(b, LocalBox):
        return a.same(b)
    for local, other in ((left, right), (right, left)):
        if isinstance(local.value, LocalString | LocalBox) and isinstance(other.value, Ref):
            return await _same_as_in_target(run, local, other)
    return a is b


async def _same_as_in_target(run: Run, local: Operand, other: Operand) -> bool:
    """A string or box of the debugger against an object of the target: made there only if they can be the same."""
    value = local.value
    if value not in run.made:
        if isinstance(value, LocalString):
            cls = await run.runtime_class(other)
            if (
                not value.interned
                or cls is None
                or cls.name != STRING.name
                or await string_of(run, other) != value.text
            ):
                return False
        elif isinstance(value, LocalBox) and not value.cached:
            return False
    (made,) = await in_target(run, [local])
    return isinstance(made, Ref) and isinstance(other.value, Ref) and made.id == other.value.id
