"""The short way to a condition's value: for one that reads or runs methods, and is evaluated where answers come in.

Owns the rule which conditions these are, and their evaluation without a task: it is a coroutine that is driven by the
answers to what it asks (``jvm/reading``). What it needs beside commands, a class that is not known yet for example,
ends it without a value; the dispatcher then evaluates the condition in the usual way. A frame whose id is foreseen is
read in one trip: ``this`` and the slots of variables.

A method is run here if it gives a primitive value: an object would have to be kept from collection. What was run is
not run again when the dispatcher evaluates: it is given the outcomes (``calls``).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar, cast

from jdbpy.errors import EvalError, JdbpyError, JdwpError
from jdbpy.session.eval.jvm.calls import MadeCall, arguments_of, command_of, require_callable, result_of
from jdbpy.session.eval.jvm.class_finder import ClassFinder
from jdbpy.session.eval.jvm.heap_target import HeapTarget
from jdbpy.session.eval.jvm.invoking import SingleCall
from jdbpy.session.eval.operands import Operand
from jdbpy.session.eval.ops.base import Constant, Null, Op, Run, VariableStore
from jdbpy.session.eval.ops.calls import Invoke
from jdbpy.session.eval.ops.convert import Convert, InstanceTest
from jdbpy.session.eval.ops.intrinsics import Intrinsic, ReadsField
from jdbpy.session.eval.ops.operators import Compute, ConditionalOp, SameObject, ShortCircuit
from jdbpy.session.eval.ops.read import ArrayLength, ReadElement, ReadField, ReadLocal, ReadStatic, ReadThis
from jdbpy.session.eval.program import Compiled
from jdbpy.session.eval.target import ClassFacts, EvalTarget, FrameValues, Invocation, Local, Raw, Ref, from_wire
from jdbpy.session.events.conditions import MethodCall
from jdbpy.session.events.frames import slots_to_ask
from jdbpy.session.events.target import Target
from jdbpy.session.java.signatures import split_method
from jdbpy.session.java.types import Primitive
from jdbpy.session.jvm.reading import Drive, Reading, ask, gather
from jdbpy.session.jvm.refs import Method, as_declared
from jdbpy.session.model.options import InvokeRules
from jdbpy.session.values.reader import Reader
from jdbpy.session.values.writes import is_known_to_fit
from jdbpy.wire.command import Command
from jdbpy.wire.ids import FrameID, ReferenceTypeID, TaggedValue, ThreadID
from jdbpy.wire.messages import object_reference, stack_frame

_THIS = Local("this", "Ljava/lang/Object;", "", 0)


class FrameRead:
    """The parts of a frame that are read: the variables, and ``this`` if it is asked for."""

    def __init__(self, locals_: Sequence[Local], *, this: bool) -> None:
        self._this = this
        self._asked = [_THIS, *locals_] if this else locals_
        self._slots = slots_to_ask(self._asked)

    def commands(self, thread: ThreadID, frame: FrameID) -> list[Command[Any]]:
        """Return one command for all slots, that of ``this`` among them."""
        return [stack_frame.GetValues(thread, frame, self._slots)] if self._slots else []

    def values(self, outcomes: Sequence[Any]) -> FrameValues | None:
        """Return what the answer to ``commands`` says; None when the slots cannot be read all together."""
        if not outcomes:
            return FrameValues(None, {})
        [answer] = outcomes
        if isinstance(answer, JdwpError):
            return None
        values = as_declared(self._asked, answer.values)
        slots = {local.slot: from_wire(value) for local, value in zip(self._asked, values, strict=True)}
        this = slots.pop(_THIS.slot) if self._this else None
        return FrameValues(this if isinstance(this, Ref) else None, slots)


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


_INVOKE = object_reference.InvokeMethod


class _Unfit(EvalError):
    """The evaluation needs more than answers to commands."""


class FastConditionTarget(HeapTarget):
    """The target of an evaluation that is driven: it answers what is known or can be read, runs methods that give
    primitive values, and refuses the rest."""

    def __init__(self, target: Target, classes: ClassFinder, thread: int, rules: Callable[[], InvokeRules]) -> None:
        super().__init__(target, classes)
        self.unfit = False
        self.calls: list[MadeCall] = []
        self._thread = thread
        self._rules = rules

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
        return self._classes.known_class_object(class_id) or self._refuse()

    def require_invocation(self) -> None:
        """See ``EvalTarget``. The thread stands at its event; the rest is looked at where the method is run."""

    async def invoke(
        self, obj: Ref | None, class_id: int, method: Method, args: Sequence[Raw], *, exact: bool, sure: bool = False
    ) -> Raw:
        """See ``EvalTarget``."""
        parameters, result = split_method(method.signature)
        if result not in _PRIMITIVES:
            self._refuse()
        wanted = Invocation(obj, class_id, method, tuple(args), exact, sure)
        home = ReferenceTypeID(class_id)
        owner = self._target.types.known(home)
        if owner is None or self._target.invocations.prepares or not self._target.conn.allows(_INVOKE):
            raise _Unfit("not now")
        owner_name = owner.name
        require_callable(owner_name, wanted)
        values = arguments_of(method, args)
        declared = [*zip(parameters, values, strict=True)]
        if obj is not None and not sure:
            declared.append((owner.signature, TaggedValue(obj.tag, obj.id)))
        for signature, value in declared:
            if not await is_known_to_fit(self._target, signature, value, home):
                raise _Unfit("not known yet")
        self._prefetched.clear()
        make = command_of(owner, self._thread, wanted, values)
        outcome = await ask(SingleCall(self._target, self._thread, f"{owner_name}.{method.name}", make, self._rules()))
        self.calls.append(MadeCall(wanted, outcome))
        if isinstance(outcome, JdbpyError) or outcome.exception.objectID or self._target.invocations.prepares:
            raise _Unfit("the dispatcher's to tell")
        return result_of(method, outcome.returnValue)

    async def _refused(self, *args: Any, **more: Any) -> Any:
        self._refuse()

    holders = others = simple_names = has_package = referenced_classes = classes_in_method = elements = _refused
    write_field = write_static = write_array = _refused


async def _together(*calls: Callable[[], Awaitable[T]]) -> list[T]:
    return await gather([cast("Reading[T]", call()) for call in calls])


class FastFrameCondition:
    """A condition at one place in code."""

    def __init__(
        self,
        compiled: Compiled,
        target: Target,
        classes: ClassFinder,
        variables: VariableStore,
        rules: Callable[[], InvokeRules],
    ) -> None:
        self.given_up = 0
        self._rules = rules
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

    def begin(self, answers: Sequence[Any], thread: int) -> FrameEvaluation:
        """Return the evaluation in a thread, with those variables."""
        return FrameEvaluation(self, self._read.values(answers), thread)

    @contextmanager
    def seen_by(self, target: FastConditionTarget) -> Iterator[None]:
        """Send what the compiled condition asks of classes to that target meanwhile."""
        graph = self._compiled.compiler.graph
        usual, graph.target = graph.target, cast("EvalTarget", target)
        try:
            yield
        finally:
            graph.target = usual

    def run(self, target: FastConditionTarget, values: FrameValues) -> Reading[Operand]:
        """Return the condition as a reading."""
        compiler = self._compiled.compiler
        run = Run(cast("EvalTarget", target), compiler.graph, compiler, self._variables, values)
        run.together = _together
        return self._compiled.op.run(run)

    def target(self, thread: int) -> FastConditionTarget:
        """Return a target for one evaluation."""
        return FastConditionTarget(self._target, self._classes, thread, self._rules)


class FrameEvaluation:
    """One evaluation; see ``points.conditions.Evaluation``. ``values`` None: they could not be read."""

    def __init__(self, fast_condition: FastFrameCondition, values: FrameValues | None, thread: int) -> None:
        self.asks: Sequence[Command[Any]] = ()
        self.call: MethodCall | None = None
        self.holds: bool | None = None
        self._fast_condition = fast_condition
        self._target = fast_condition.target(thread)
        self._shares: list[int] = []  # how many of ``asks`` each question stands for
        self._drive: Drive[Operand] | None = None
        if values is not None:
            with fast_condition.seen_by(self._target):
                self._drive = Drive(fast_condition.run(self._target, values))
            self._go_on()

    @property
    def calls(self) -> Sequence[MadeCall]:
        """Return the methods that were run."""
        return self._target.calls

    def answer(self, outcomes: Sequence[Any]) -> None:
        """Go on with the answers to ``asks``, or with what came of ``call``."""
        assert self._drive is not None
        rest = iter(outcomes)
        called, self.call = self.call, None
        answers = [next(rest)] if called is not None else [[next(rest) for _ in range(n)] for n in self._shares]
        with self._fast_condition.seen_by(self._target):
            self._drive.answer(answers)
        self._go_on()

    def close(self) -> None:
        """End it."""
        self.asks, self.call = (), None
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
                self._fast_condition.given_up += self._target.unfit
            return
        self.asks = ()
        if len(questions) == 1 and isinstance(questions[0], SingleCall):
            self.call = questions[0]
            return
        asked = Reader.commands_of(questions)
        if asked is None:
            self._fast_condition.given_up += 1
            self.close()
            return
        self._shares = [len(each) for each in asked]
        self.asks = [command for each in asked for command in each]


def fast_condition_of(
    compiled: Compiled, target: Target, variables: VariableStore, rules: Callable[[], InvokeRules]
) -> FastFrameCondition | None:
    """Return the short way to the value of what was compiled, if it has one."""
    classes = getattr(compiled.compiler.target, "_classes", None)
    if not _is_fast(compiled.op) or not isinstance(classes, ClassFinder):
        return None
    return FastFrameCondition(compiled, target, classes, variables, rules)


def read_of(compiled: Compiled) -> FrameRead:
    """Return what has to be read of the frame."""
    reads = compiled.compiler.reads
    return FrameRead(list(reads.locals.values()), this=reads.this)


def reads_primitives_only(compiled: Compiled) -> bool:
    """True if all that is needed of the target are primitive variables: nothing that a running thread changes."""
    reads = compiled.compiler.reads
    primitive = all(local.signature in _PRIMITIVES for local in reads.locals.values())
    return primitive and bool(reads.locals) and not reads.this and not compiled.op.remote


def _is_fast(op: Op) -> bool:
    if isinstance(op, Invoke):
        parts = op.children if op.receiver is None else (op.receiver, *op.children)
        return isinstance(op.type, Primitive) and all(map(_is_fast, parts))
    return type(op) in _READING and not op.acts and all(map(_is_fast, op.children))
