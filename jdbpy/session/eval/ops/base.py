"""Operations: their base, how several run, the state of one evaluation, and the names that an expression brings in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from jdbpy.errors import EvalError
from jdbpy.record import Record
from jdbpy.session.concurrency import together
from jdbpy.session.eval.operands import Operand, OperandValue
from jdbpy.session.eval.target import EvalTarget, FrameValues, Local, Ref
from jdbpy.session.eval.typing.class_graph import ClassGraph, JClass
from jdbpy.session.java.types import STRING, JavaType
from jdbpy.wire.constants import Tag

if TYPE_CHECKING:
    from jdbpy.session.eval.compile.compiler import Compiler


class Binding(Record):
    """A variable of the expression: where its value is kept, and its type."""

    cell: int
    type: JavaType


Bindings = Mapping[str, Binding]
NO_BINDINGS: Bindings = MappingProxyType({})


class Scope:
    """Variables by name, and the types of operands that are held for an operation compiled late."""

    def __init__(self, variables: Bindings | None = None, held: Mapping[int, JavaType] | None = None) -> None:
        self.variables: Bindings = variables or NO_BINDINGS
        self.held: Mapping[int, JavaType] = held or {}

    def with_variables(self, more: Bindings) -> Scope:
        return Scope({**self.variables, **more}, self.held) if more else self

    def holding(self, types: Mapping[int, JavaType]) -> Scope:
        return Scope(self.variables, {**self.held, **types})


class NotConstant:
    """The value of ``Op.constant`` for all that is no compile-time constant."""


NOT_CONSTANT = NotConstant()


class Op:
    """A compiled operation with a static type. ``at`` is the column that errors name.

    An operation that ``acts`` does more than read the target. ``remote`` ones may have to ask it.
    ``constant`` is the value of a constant expression (JLS 15.29). ``sure`` says that the JVM itself has seen to it
    that an object is of the static type; where only debugging information or a generic signature says so, the class of
    the object is looked at before its members are touched: the agent checks no ids. ``when_true`` and ``when_false``
    are the pattern variables that are bound after a condition was true, or false (JLS 6.3.1).
    """

    acts = False
    remote = False
    sure = False
    when_true: Bindings = NO_BINDINGS
    when_false: Bindings = NO_BINDINGS
    exact = False  # the type is the run-time class, so that a failure to compile on it is final
    constant: OperandValue | NotConstant = NOT_CONSTANT

    def __init__(self, type: JavaType, at: int, *children: Op) -> None:
        self.type = type
        self.at = at
        self.children = children
        self.remote = self.remote or any(child.remote for child in children)

    @property
    def quiet(self) -> bool:
        """True if this and all that it consists of only reads: then it may run beside others."""
        return not self.acts and all(child.quiet for child in self.children)

    async def run(self, run: Run) -> Operand:
        """Return the value; its type is this operation's unless that is only known now. Raises Thrown, EvalError."""
        raise NotImplementedError


class Constant(Op):
    """A compile-time constant."""

    def __init__(self, type: JavaType, value: OperandValue, at: int) -> None:
        super().__init__(type, at)
        self.constant = value
        self._operand = Operand(type, value)

    async def run(self, run: Run) -> Operand:
        return self._operand


class Null(Op):
    """``null``, which is no constant expression."""

    async def run(self, run: Run) -> Operand:
        return Operand(self.type, None)


class ReadCell(Op):
    """A variable of the expression itself: declared in it, bound by a pattern, or a parameter of a lambda."""

    def __init__(self, type: JavaType, cell: int, at: int, name: str, *, exact: bool = False) -> None:
        super().__init__(type, at)
        self.cell = cell
        self.name = name
        self.exact = exact

    async def run(self, run: Run) -> Operand:
        found = run.cells.get(self.cell)
        if found is None:
            raise EvalError(f"variable {self.name} might not have been initialized", self.at)
        return found


class VariableStore(Protocol):
    """The debugger's own variables: ``$name``, ``$1``, ``$_``."""

    def get(self, name: str) -> Operand | None:
        """Return the value of a variable, None if it has none. Names come without ``$``."""

    def set(self, name: str, value: Operand) -> None:
        """Give a variable a value. Raises EvalError for a name that cannot be assigned."""


Together = Callable[..., Awaitable[Any]]
"""Runs calls side by side, and gives their results in order."""


class Run:
    """One evaluation under way."""

    def __init__(
        self, target: EvalTarget, graph: ClassGraph, compiler: Compiler, variables: VariableStore, values: FrameValues
    ) -> None:
        self.target = target
        self.graph = graph
        self.compiler = compiler
        self.variables = variables
        self.frame = values
        self.cells: dict[int, Operand] = {}
        self.together: Together = together
        """Runs calls side by side: in tasks, or in one coroutine where the evaluation is driven by what comes in."""
        self.made: dict[object, Ref] = {}  # strings and boxes of the debugger that are in the target by now

    def with_cells(self, cells: dict[int, Operand]) -> Run:
        """Return the same evaluation with more variables: the body of a lambda for one element."""
        inner = Run(self.target, self.graph, self.compiler, self.variables, self.frame)
        inner.cells = {**self.cells, **cells}
        inner.made = self.made
        inner.together = self.together
        return inner

    async def runtime_class(self, operand: Operand) -> JClass | None:
        """Return the class of an object in the target; None for null and for what lives in the debugger."""
        if not isinstance(operand.value, Ref):
            return None
        if operand.value.tag == Tag.STRING:  # that is told by the tag
            (found,) = await self.graph.named([STRING.name])
            if found is not None:
                return found
        (class_id,) = await self.target.classes_of([operand.value])
        (found,) = await self.graph.of_ids([class_id])
        return found


class FrameReads:
    """The reads of an expression in its frame, gathered while it is compiled so that one trip brings all."""

    def __init__(self) -> None:
        self.locals: dict[int, Local] = {}
        self.this = False


async def run_all(run: Run, ops: Sequence[Op]) -> list[Operand]:
    """Return the values of operations in order, as Java evaluates them: left to right, the first exception counts.

    Those that only read wait side by side, so that together they cost no more trips than the longest of them.
    """
    if sum(op.remote for op in ops) < 2 or not all(op.quiet for op in ops):
        return [await op.run(run) for op in ops]
    return await side_by_side(run, [partial(op.run, run) for op in ops])


async def side_by_side(run: Run, calls: Sequence[Callable[[], Awaitable[Operand]]]) -> list[Operand]:
    """Runs calls that only read beside each other; of several errors, the first in order is raised."""

    async def outcome(call: Callable[[], Awaitable[Operand]]) -> Operand | EvalError:
        try:
            return await call()
        except EvalError as error:
            return error

    outcomes: list[Any] = await run.together(*(partial(outcome, call) for call in calls))
    for each in outcomes:
        if isinstance(each, EvalError):
            raise each
    return outcomes
