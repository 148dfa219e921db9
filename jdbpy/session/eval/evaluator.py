"""The evaluator of a session: text in, an operand out, in any frame of a stopped thread.

Owns what outlives one evaluation: the debugger's variables, the rules of running methods, what is remembered of class
loaders and of source files. How results are shown belongs to ``session.values``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager

from jdbpy.errors import EvalError, JdwpError, Thrown
from jdbpy.session.concurrency import both
from jdbpy.session.eval.compile.shown import value_as_shown
from jdbpy.session.eval.conditions import CompiledCondition, CompiledTemplate, Describe
from jdbpy.session.eval.jvm.frame_target import FrameTarget
from jdbpy.session.eval.jvm.pins import PinLedger, Pins
from jdbpy.session.eval.operands import Operand, operand_of
from jdbpy.session.eval.ops.base import Run, VariableStore
from jdbpy.session.eval.ops.values import in_target, text_of
from jdbpy.session.eval.program import NO_OPERANDS, Program
from jdbpy.session.eval.saved import CallResults, KeptResults, SavedValues
from jdbpy.session.eval.syntax import tree
from jdbpy.session.eval.syntax.lexer import NO_IMPORTS, Imports, read_imports
from jdbpy.session.eval.syntax.parser import parse_expression
from jdbpy.session.eval.target import Raw, Ref
from jdbpy.session.eval.typing.class_graph import ClassGraph
from jdbpy.session.eval.variables import ClientVariables, DebuggerVariables, ReadOnlyVariables
from jdbpy.session.events.clients import ReadOnlyTarget
from jdbpy.session.events.target import Target
from jdbpy.session.java.descriptors import read_type
from jdbpy.session.java.types import OBJECT, JavaType
from jdbpy.session.model.options import InvokeRules
from jdbpy.session.model.threads import FrameInfo
from jdbpy.session.sources.text import SourceFile
from jdbpy.session.values.remembered import GivenObject
from jdbpy.wire.constants import Error

SourceOf = Callable[[str, str | None, bool], Awaitable[SourceFile | None]]
"""(class name, SourceFile attribute) -> its source, if it can be read."""


class Evaluation:
    """Expressions evaluated one after the other in one frame, whose objects are kept until it ends."""

    def __init__(
        self, evaluator: Evaluator, target: FrameTarget, frame: FrameInfo | None, *, read_only: bool = False
    ) -> None:
        self._evaluator = evaluator
        self._variables: VariableStore = ReadOnlyVariables(evaluator.variables) if read_only else evaluator.variables
        self.frame = frame
        self._graph = ClassGraph(target)
        self.target = target
        self.result: Operand | None = None
        """The result of the last text."""

    async def run(self, program: Program, given: Mapping[str, Operand] = NO_OPERANDS) -> Operand:
        """Return the value of a text. Raises EvalError when it does not compile, Thrown when an exception leaves it."""
        variables = self._variables
        compiled = await program.compile(self.target, self._graph, variables, condition=False, given=given)
        try:
            self.result = await compiled.run(self.target, variables)
            return self.result
        except Thrown as error:
            if error.id is not None:
                self._evaluator.variables.set_raw("exc", Ref(error.id))
                error.hint = error.hint or "$exc is the exception: 'print $exc.getCause()', 'dump $exc'"
            raise
        except JdwpError as error:
            if error.number != Error.INVALID_OBJECT:
                raise
            raise EvalError(
                "an object used by the expression was garbage-collected",
                hint="'save NAME EXPRESSION' keeps an object from collection",
                code=error.code,
            ) from error

    async def type_of(self, program: Program) -> JavaType:
        """Return the static type of a text. Raises EvalError when it does not compile. wire: what compiling takes."""
        compiled = await program.compile(self.target, self._graph, self._variables)
        return compiled.op.type

    async def to_text(self, program: Program) -> str:
        """Return the string conversion of the value of a text; ``toString`` of an object is looked up beside it."""
        operand, _ = await both(lambda: self.run(program), self._expect_to_string)
        return await self.text(operand)

    async def _expect_to_string(self) -> None:
        known = await self.target.find_classes([OBJECT.name]) if self.target.high_latency else []
        await self.target.class_facts([each for each in known if each])

    async def raw(self, program: Program, signature: str) -> Raw:
        """Return the value as a variable of the type of a JNI signature takes it, made in the target if need be."""
        variables = self._variables
        compiled = await program.compile(self.target, self._graph, variables, wanted=read_type(signature))
        run = await compiled.start(self.target, variables)
        (raw,) = await in_target(run, [await compiled.op.run(run)])
        self.result = Operand(read_type(signature), raw)  # used by the caller, after the evaluation
        return raw

    async def text(self, operand: Operand) -> str:
        """Return the string conversion of a value; runs ``toString()`` of an object."""
        return await text_of(await self._run(), operand)

    async def in_target(self, operand: Operand) -> Raw:
        """Return the value in the target; strings and boxes are made there."""
        (raw,) = await in_target(await self._run(), [operand])
        return raw

    async def _run(self) -> Run:
        compiled = await Program("null").compile(self.target, self._graph, self._variables)
        return await compiled.start(self.target, self._variables)


class Evaluator:
    """Evaluates Java in the frames of one target."""

    def __init__(
        self,
        target: Target,
        source_of: SourceOf,
        rules: Callable[[], InvokeRules] = InvokeRules,
        shared: Evaluator | None = None,
    ) -> None:
        """``rules`` is asked how methods may be run, each time that it matters. What was saved under names is that of
        ``shared``, if there is one; the history of results is not."""
        self.variables: DebuggerVariables = DebuggerVariables() if shared is None else ClientVariables(shared.variables)
        self._ledger: PinLedger = PinLedger.of(target)
        self.saved: SavedValues = SavedValues(self._ledger, self.variables) if shared is None else shared.saved
        self.kept = KeptResults(self._ledger)
        self._call_results = CallResults(target, self.variables, self.kept)
        self._target = target
        self._source_of = source_of
        self._rules = rules
        self._imports: dict[str, tuple[SourceFile | None, Imports]] = {}

    @asynccontextmanager
    async def evaluation(
        self, frame: FrameInfo | None, rules: InvokeRules | None = None, *, read_only: bool = False
    ) -> AsyncIterator[Evaluation]:
        """An evaluation in a frame; None is for expressions that need none. With ``read_only`` nothing of it changes
        the target or the debugger's variables."""
        self._call_results.make_room()
        target = self.frame_target(frame, rules, read_only=read_only)
        given: list[GivenObject] = []
        target.given = given
        evaluation = Evaluation(self, target, frame, read_only=read_only)
        try:
            yield evaluation
        finally:
            target.pins.release()
            self._call_results.add(given, evaluation.result)

    def frame_target(
        self, frame: FrameInfo | None, rules: InvokeRules | None = None, *, read_only: bool = False
    ) -> FrameTarget:
        """Return the frame as the target of an expression; its ``pins`` must be released."""
        target = ReadOnlyTarget(self._target) if read_only else self._target
        return FrameTarget(target, frame, self._read_imports, rules or self._rules(), self.pins())

    def rules_with(self, limit: float) -> InvokeRules:
        """Return the rules for running methods, with at least so many seconds for each."""
        rules = self._rules()
        return rules.changed(max(limit, rules.limit), None)

    def pins(self) -> Pins:
        """Return pins of their own, without any object yet; they must be released."""
        return Pins(self._ledger)

    def condition(self, text: str) -> CompiledCondition:
        """Compiles a condition, to be asked at every hit. Raises EvalError when it is no Java expression."""
        return CompiledCondition(self._target, self.frame_target, self.variables, text, self.bounded, self._rules)

    def template(self, text: str, describe: Describe) -> CompiledTemplate:
        """Compiles the text of a logpoint. Raises EvalError with the column."""
        return CompiledTemplate(
            self._target, self.frame_target, self.variables, text, describe, self.bounded, self._rules
        )

    def bounded(self) -> AbstractContextManager[None]:
        """Bound what is evaluated at a hit. Raises TimedOut at its end."""
        return self._target.answers.bounded(self._rules().limit)

    @staticmethod
    def operand(name: str, value: object) -> Operand:
        """Return a value that a script hands to an expression. Raises UsageError for what Java has no value for."""
        return operand_of(name, value)

    @staticmethod
    def program(text: str) -> Program:
        """Return an expression, or statements, parsed. Raises EvalError for what is no Java, with the column."""
        return Program(text)

    @staticmethod
    def assignment(target_text: str, value_text: str, *, as_shown: bool = False) -> Program:
        """``target = value``; columns of errors count from the beginning of the part they are in. With ``as_shown`` a
        number is one of the variable's type."""
        target = parse_expression(target_text)
        value = value_as_shown(value_text) if as_shown else parse_expression(value_text)
        assign = tree.Assign(target.at, "=", target, value)
        return Program(f"{target_text} = {value_text}", (tree.ExpressionStatement(0, assign),))

    async def _read_imports(self, frame: FrameInfo, anywhere: bool) -> Imports:
        location = frame.location
        file = await self._source_of(location.class_name, location.source, anywhere)
        known = self._imports.get(location.class_name)
        if known is None or known[0] is not file:
            known = file, NO_IMPORTS if file is None else read_imports("\n".join(file.lines))
            self._imports[location.class_name] = known
        return known[1]
