"""The short way to a condition's value: for one that only reads, and is evaluated where the answers come in.

Owns the rule which conditions these are, and their evaluation without a task: it is a coroutine that is driven by the
answers to what it asks (``target/reading``). What it needs beside commands, a class that is not known yet or a method
that has to be run, ends it without a value; the dispatcher then evaluates the condition in the usual way. A frame whose
id is foreseen is read in one trip: ``this`` and the slots of variables.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar, cast

from jdbpy.errors import EvalError, JdwpError
from jdbpy.session.eval.jvm.class_finder import ClassFinder
from jdbpy.session.eval.jvm.heap_target import HeapTarget
from jdbpy.session.eval.operands import Operand
from jdbpy.session.eval.ops.base import Constant, Null, Op, Run, VariableStore
from jdbpy.session.eval.ops.convert import Convert, InstanceTest
from jdbpy.session.eval.ops.intrinsics import Intrinsic, ReadsField
from jdbpy.session.eval.ops.operators import Compute, ConditionalOp, SameObject, ShortCircuit
from jdbpy.session.eval.ops.read import ArrayLength, ReadElement, ReadField, ReadLocal, ReadStatic, ReadThis
from jdbpy.session.eval.program import Compiled
from jdbpy.session.eval.target import ClassFacts, EvalTarget, FrameValues, Local, Ref, from_wire
from jdbpy.session.target.reading import Drive, Reading, gather
from jdbpy.session.target.refs import as_declared
from jdbpy.session.target.target import Target
from jdbpy.session.values.reader import Reader
from jdbpy.wire.command import Command
from jdbpy.wire.ids import FrameID, ThreadID
from jdbpy.wire.messages import stack_frame


class FrameRead:
    """The parts of a frame that are read: the variables, and ``this`` if it is asked for."""

    def __init__(self, locals_: Sequence[Local], *, this: bool) -> None:
        self._locals = locals_
        self._slots = [stack_frame.SlotInfo(local.slot, ord(local.signature[0])) for local in locals_]
        self._this = this

    def commands(self, thread: ThreadID, frame: FrameID) -> list[Command[Any]]:
        """One command for all slots, one for ``this``."""
        found: list[Command[Any]] = []
        if self._slots:
            found.append(stack_frame.GetValues(thread, frame, self._slots))
        if self._this:
            found.append(stack_frame.ThisObject(thread, frame))
        return found

    def values(self, outcomes: Sequence[Any]) -> FrameValues | None:
        """Return what the answers to ``commands`` say; None when the slots cannot be read all together."""
        rest = list(outcomes)
        this: Ref | None = None
        if self._this:
            answer = rest.pop()
            if isinstance(answer, JdwpError):
                raise answer
            if answer.objectThis.objectID:
                this = Ref(answer.objectThis.objectID, answer.objectThis.tag)
        if not rest:
            return FrameValues(this, {})
        if isinstance(rest[0], JdwpError):
            return None
        values = as_declared(self._locals, rest[0].values)
        slots = {local.slot: from_wire(value) for local, value in zip(self._locals, values, strict=True)}
        return FrameValues(this, slots)


T = TypeVar("T")

_PRIMITIVES = frozenset("ZBCSIJFD")
_READING = (
    Constant, Null, ReadLocal, ReadThis, Compute, ShortCircuit, ConditionalOp, Convert, SameObject, InstanceTest,
    ReadField, ReadStatic, ArrayLength, ReadElement, Intrinsic, ReadsField,
)  # fmt: skip
"""Operations that ask for nothing but through ``Run.target``, ``Run.graph`` and ``Run.together``."""

_GIVEN_UP = 3
"""So many evaluations at one place that came to no value are enough: the dispatcher has them from the
beginning then.
"""


class _Unfit(EvalError):
    """The evaluation needs more than answers to commands."""


class GlanceTarget(HeapTarget):
    """The target of an evaluation that is driven: it answers what is known or can be read, and refuses the rest."""

    def __init__(self, target: Target, classes: ClassFinder) -> None:
        super().__init__(target, classes)
        self.unfit = False

    async def _run(self, reading: Reading[T]) -> T:
        return await reading

    def _refuse(self) -> NoReturn:
        self.unfit = True
        raise _Unfit("this takes more than a look")

    def __getattr__(self, name: str) -> NoReturn:
        self._refuse()

    async def find_classes(self, names: Sequence[str]) -> list[int]:
        """See ``EvalTarget``."""
        return self._classes.found(names) or self._refuse()

    async def class_facts(self, ids: Sequence[int]) -> list[ClassFacts]:
        """See ``EvalTarget``."""
        return (self._classes.known_facts(ids) or self._refuse()) if ids else []

    async def initialized(self, class_id: int) -> bool:
        """See ``EvalTarget``."""
        return self._classes.is_initialized(class_id) or self._refuse()

    async def class_object(self, class_id: int) -> Ref:
        """See ``EvalTarget``."""
        return self._classes.class_objects.get(class_id) or self._refuse()

    async def _refused(self, *args: Any, **more: Any) -> Any:
        self._refuse()

    simple_names = has_package = referenced_classes = elements = _refused
    write_field = write_static = write_array = _refused


async def _together(*calls: Callable[[], Awaitable[T]]) -> list[T]:
    return await gather([cast("Reading[T]", call()) for call in calls])


class FastFrameCondition:
    """A condition at one place in code."""

    def __init__(self, compiled: Compiled, target: Target, classes: ClassFinder, variables: VariableStore) -> None:
        self.given_up = 0
        self._compiled = compiled
        self._target = target
        self._classes = classes
        self._variables = variables
        self._read = read_of(compiled)

    @property
    def gives_up(self) -> bool:
        """True if evaluations have come to nothing here, time and again."""
        return self.given_up >= _GIVEN_UP

    def commands(self, thread: ThreadID, frame: FrameID) -> Sequence[Command[Any]]:
        """Return what asks for the variables."""
        return self._read.commands(thread, frame)

    def begin(self, answers: Sequence[Any]) -> FrameEvaluation:
        """The evaluation with those variables."""
        try:
            values = self._read.values(answers)
        except JdwpError:
            values = None
        return FrameEvaluation(self, values)

    @contextmanager
    def seen_by(self, target: GlanceTarget) -> Iterator[None]:
        """Send what the compiled condition asks of classes to that target meanwhile."""
        graph = self._compiled.compiler.graph
        usual, graph.target = graph.target, cast("EvalTarget", target)
        try:
            yield
        finally:
            graph.target = usual

    def run(self, target: GlanceTarget, values: FrameValues) -> Reading[Operand]:
        """The condition as a reading."""
        compiler = self._compiled.compiler
        run = Run(cast("EvalTarget", target), compiler.graph, compiler, self._variables, values)
        run.together = _together
        return self._compiled.op.run(run)

    def target(self) -> GlanceTarget:
        """A target for one evaluation."""
        return GlanceTarget(self._target, self._classes)


class FrameEvaluation:
    """One evaluation; see ``points.conditions.Evaluation``. ``values`` None: they could not be read."""

    def __init__(self, fast_condition: FastFrameCondition, values: FrameValues | None) -> None:
        self.asks: Sequence[Command[Any]] = ()
        self.holds: bool | None = None
        self._glance = fast_condition
        self._target = fast_condition.target()
        self._shares: list[int] = []  # how many of ``asks`` each question stands for
        self._drive: Drive[Operand] | None = None
        if values is not None:
            with fast_condition.seen_by(self._target):
                self._drive = Drive(fast_condition.run(self._target, values))
            self._go_on()

    def answer(self, outcomes: Sequence[Any]) -> None:
        """Goes on with the answers to ``asks``."""
        assert self._drive is not None
        rest = iter(outcomes)
        answers = [[next(rest) for _ in range(count)] for count in self._shares]
        with self._glance.seen_by(self._target):
            self._drive.answer(answers)
        self._go_on()

    def close(self) -> None:
        """Ends it."""
        self.asks = ()
        if self._drive is not None:
            self._drive.close()

    def _go_on(self) -> None:
        assert self._drive is not None
        questions = self._drive.questions
        if not questions:
            self.asks = ()
            try:
                self.holds = bool(self._drive.result().value)
            except Exception:  # whatever it is: the dispatcher is to tell
                self._glance.given_up += self._target.unfit
            return
        asked = Reader.commands_of(questions)
        if asked is None:
            self._glance.given_up += 1
            self.close()
            return
        self._shares = [len(each) for each in asked]
        self.asks = [command for each in asked for command in each]


def fast_condition_of(compiled: Compiled, target: Target, variables: VariableStore) -> FastFrameCondition | None:
    """The short way to the value of what was compiled, if it has one."""
    classes = getattr(compiled.compiler.target, "_classes", None)
    if not _only_reads(compiled.op) or not isinstance(classes, ClassFinder):
        return None
    return FastFrameCondition(compiled, target, classes, variables)


def read_of(compiled: Compiled) -> FrameRead:
    """Return what has to be read of the frame."""
    reads = compiled.compiler.reads
    return FrameRead(list(reads.locals.values()), this=reads.this)


def reads_primitives_only(compiled: Compiled) -> bool:
    """True if all that is needed of the target are primitive variables: nothing that a running thread changes."""
    reads = compiled.compiler.reads
    primitive = all(local.signature in _PRIMITIVES for local in reads.locals.values())
    return primitive and bool(reads.locals) and not reads.this and not compiled.op.remote


def _only_reads(op: Op) -> bool:
    return type(op) in _READING and op.quiet and all(_only_reads(child) for child in op.children)
