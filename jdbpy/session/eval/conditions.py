"""Conditions of points and texts of logpoints: parsed when they are set, evaluated at every hit.

The text of a logpoint: ``total {order.total} of {orders.length}``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any

from jdbpy.errors import Disconnected, EvalError, JdbpyError
from jdbpy.record import Record
from jdbpy.session.eval.compile.typenames import UNKNOWN_CLASS
from jdbpy.session.eval.jvm.at_hits import AtHits, Compile, FrameTargetOf
from jdbpy.session.eval.jvm.frame_target import FrameTarget
from jdbpy.session.eval.operands import Elements, Operand
from jdbpy.session.eval.ops.base import VariableStore
from jdbpy.session.eval.program import Compiled, Program
from jdbpy.session.eval.syntax import tree
from jdbpy.session.eval.syntax.parser import parse_expression
from jdbpy.session.eval.typing.class_graph import ClassGraph, JClass
from jdbpy.session.eval.variables import HitVariables
from jdbpy.session.events.conditions import NOTHING, FastCondition, Given, LogEntry, Passing
from jdbpy.session.events.target import Target
from jdbpy.session.model.options import InvokeRules
from jdbpy.session.model.threads import FrameInfo, Location, ThreadRef
from jdbpy.session.model.values import ValueInfo, Variable
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import CodeLocation, TaggedValue


class Placeholder(Record):
    """An expression to be put in; ``at`` is its column in the template."""

    expression: str
    at: int


class Template(Record):
    """Texts and placeholders, in order."""

    parts: tuple[str | Placeholder, ...]

    @property
    def placeholders(self) -> tuple[Placeholder, ...]:
        return tuple(part for part in self.parts if isinstance(part, Placeholder))

    def render(self, values: Sequence[str]) -> str:
        """Return the text with a value for each placeholder."""
        rest = iter(values)
        return "".join(part if isinstance(part, str) else next(rest) for part in self.parts)


def parse_template(text: str) -> Template:
    """Return the template that a text spells. Raises EvalError, with the column, for braces that do not pair up."""
    parts: list[str | Placeholder] = []
    plain = ""
    at = 0
    while at < len(text):
        if text.startswith(("{{", "}}"), at):
            plain += text[at]
            at += 2
        elif text[at] == "}":
            raise EvalError("'{' expected before this '}'", at, hint="a brace in the text is written twice: }}")
        elif text[at] == "{":
            end = _end_of_expression(text, at)
            parts += [plain, _placeholder(text, at + 1, end)] if plain else [_placeholder(text, at + 1, end)]
            plain, at = "", end + 1
        else:
            plain += text[at]
            at += 1
    return Template((*parts, plain) if plain else tuple(parts))


def _placeholder(text: str, start: int, end: int) -> Placeholder:
    expression = text[start:end]
    if not expression.strip():
        raise EvalError("an expression is expected between the braces", start)
    return Placeholder(expression.strip(), start + len(expression) - len(expression.lstrip()))


def _end_of_expression(text: str, opening: int) -> int:
    """Return where the brace closes that opens here; braces of the expression and in its strings do not count."""
    depth = 0
    at = opening
    while at < len(text):
        char = text[at]
        if char in "\"'":
            at = _end_of_quoted(text, at)
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                return at
        at += 1
    raise EvalError("'}' expected", len(text), hint="a brace in the text is written twice: {{")


def _end_of_quoted(text: str, at: int) -> int:
    quote = text[at]
    end = at + 1
    while end < len(text) and text[end] != quote:
        end += 2 if text[end] == "\\" else 1
    return end


Bounded = Callable[[], AbstractContextManager[None]]
"""Makes the context in which a text is evaluated; it ends the evaluation when the target does not answer."""

Describe = Callable[[list[Operand]], Awaitable[list[tuple[ValueInfo, str]]]]
"""Operands as plain data, with their texts in a logpoint."""


class _AtPlaces:
    """The program of a condition or a text: its operations at places in code, and its evaluation at hits."""

    def __init__(
        self,
        target: Target,
        frame_target: FrameTargetOf,
        variables: VariableStore,
        compile_at: Compile,
        rules: Callable[[], InvokeRules],
    ) -> None:
        self._variables = variables
        self._frame_target = frame_target
        self._compile_at = compile_at
        self._at_hits = AtHits(target, frame_target, variables, compile_at, rules)

    async def operations(self, place: Location) -> Compiled:
        """Return the operations at a place in code, where no thread stands. wire: as ``check``.

        Raises EvalError for what is wrong there, and for a class that is not loaded yet.
        """
        frame = self._frame_target(FrameInfo(1, place, ThreadRef(0, "")))
        try:
            return await self._compile_at(frame, LoadedClasses(frame), HitVariables(self._variables, NOTHING))
        finally:
            frame.pins.release()

    async def check(self, place: Location, names: Iterable[str] = ()) -> EvalError | None:
        """Return what is wrong with it at a place, if it is certain: not when a class that is not loaded yet may be
        meant.

        wire: 1 trip for the variables of the method, and for classes that it names; 0 when known.
        """
        frame = self._frame_target(FrameInfo(1, place, ThreadRef(0, "")))
        graph = LoadedClasses(frame)
        try:
            unknown = {name: (TaggedValue(Tag.OBJECT, 0), "") for name in names}
            await self._compile_at(frame, graph, HitVariables(self._variables, unknown))
        except EvalError as error:
            return None if graph.missed or error.code == UNKNOWN_CLASS else error
        except Disconnected:
            raise
        except JdbpyError:
            return None  # it takes a thread to tell
        finally:
            frame.pins.release()
        return None

    async def prepare(self, at: CodeLocation, place: Location) -> None:
        """Compile for a place whose code is going to be replaced, if it was not: a hit there may be on its way, and
        afterwards the target does not tell the variables of that code. wire: as ``operations``.
        """
        if not self._at_hits.is_compiled(at):
            with suppress(EvalError):  # it takes a thread to tell, or makes no sense there
                self._at_hits.cache_compiled(at, await self.operations(place))

    def forget_code(self) -> None:
        """The code of classes was changed: the indices of places mean others now."""
        self._at_hits.forget_code()


class CompiledCondition(_AtPlaces):
    """A boolean expression, evaluated in the innermost frame of a thread that an event has stopped."""

    def __init__(
        self,
        target: Target,
        frame_target: FrameTargetOf,
        variables: VariableStore,
        text: str,
        bounded: Bounded,
        rules: Callable[[], InvokeRules],
    ) -> None:
        """Raises EvalError when the text is no single expression."""
        self.text = text
        self._bounded = bounded
        with _of_expression(text):
            program = Program(text)
            program.expression()

        async def compile_at(frame: FrameTarget, graph: ClassGraph, own: VariableStore) -> Compiled:
            with _of_expression(text):
                return await program.compile(frame, graph, own, condition=True)

        super().__init__(target, frame_target, variables, compile_at, rules)

    async def holds(self, thread_id: int, given: Given = NOTHING, at: CodeLocation | None = None) -> bool:
        """The value at this hit. Raises EvalError when it does not compile at this place, Thrown when it throws,
        TimedOut when the target does not answer.

        wire: 1 trip for what it reads of the frame, 1 for each further link.
        """
        if self._at_hits.holds(thread_id):
            return True
        own = HitVariables(self._variables, given)
        with self._bounded():
            return bool((await self._at_hits.evaluate(thread_id, None, own, at)).value)
        raise AssertionError("a block that was ended raises")

    def fast_condition(self, place: CodeLocation) -> FastCondition | None:
        """Return the short way, once the condition was asked at that place and if it does nothing but read."""
        return self._at_hits.fast_condition(place)

    def was_read(self, thread_id: int, epoch: int, answers: Sequence[Any], *, holds: bool) -> None:
        """Take in what a fast condition has found out, for the next call of ``holds``."""
        self._at_hits.was_read(thread_id, epoch, answers, holds=holds)

    def has_run(self, thread_id: int, calls: Sequence[Any], error: JdbpyError | None) -> None:
        """Take in what a fast condition has run, for the next call of ``holds``."""
        self._at_hits.has_run(thread_id, calls, error)


@contextmanager
def _of_expression(text: str) -> Iterator[None]:
    """Errors say of which expression their column is: a command has other words around it."""
    try:
        yield
    except EvalError as error:
        error.expression = text
        raise


class LoadedClasses(ClassGraph):
    """The classes that are loaded; ``missed`` says whether another one would have had to be."""

    missed = False

    async def load(self, name: str) -> JClass | None:
        (found,) = await self.named([name])
        self.missed = self.missed or found is None
        return found


class CompiledTemplate(_AtPlaces):
    """The text of a logpoint with the values of its expressions; see ``template`` for how it is written."""

    def __init__(
        self,
        target: Target,
        frame_target: FrameTargetOf,
        variables: VariableStore,
        text: str,
        describe: Describe,
        bounded: Bounded,
        rules: Callable[[], InvokeRules],
    ) -> None:
        """Raises EvalError for what cannot be parsed, with the column in the template."""
        self.text = text
        self._template = parse_template(text)
        self._describe = describe
        self._bounded = bounded
        # Blanks in front make the columns of errors those in the template.
        with _of_expression(text):
            parsed = [parse_expression(" " * each.at + each.expression) for each in self._template.placeholders]
        program = Program(text, [tree.ExpressionStatement(0, tree.ExpressionList(0, tuple(parsed)))])

        async def compile_at(frame: FrameTarget, graph: ClassGraph, own: VariableStore) -> Compiled:
            with _of_expression(text):
                return await program.compile(frame, graph, own)

        super().__init__(target, frame_target, variables, compile_at, rules)

    @property
    def has_values(self) -> bool:
        """True if there are expressions in it."""
        return bool(self._template.placeholders)

    async def check(self, place: Location, names: Iterable[str] = ()) -> EvalError | None:
        return await super().check(place, names) if self.has_values else None

    async def filled(self, hits: Sequence[Sequence[Operand]]) -> list[LogEntry]:
        """Return the text for each of some hits, whose values are known. wire: what describing all the objects
        takes."""
        found = await self._describe([each for operands in hits for each in operands])
        count = len(self._template.placeholders)
        return (
            [self._entry(found[at : at + count]) for at in range(0, count * len(hits), count)]
            if count
            else [LogEntry(self._template.render([])) for _ in hits]
        )

    def _entry(self, found: Sequence[tuple[ValueInfo, str]]) -> LogEntry:
        named = zip(self._template.placeholders, found, strict=True)
        shown = tuple(Variable(each.expression, value.type, value, "expression") for each, (value, _) in named)
        return LogEntry(self._template.render([text for _, text in found]), shown)

    async def render(
        self,
        thread_id: int,
        passing: Passing | None = None,
        given: Given = NOTHING,
        at: CodeLocation | None = None,
    ) -> LogEntry:
        """Return the text at this hit, strings without quotes, and the values in it. Raises as
        ``CompiledCondition.holds``.

        With ``passing`` the thread is resumed in the same segment where that can be done; see ``AtHits``.
        wire: 1 trip for what it reads of the frame, 1 for each further link, and what describing objects takes.
        """
        if not self._template.placeholders:
            return LogEntry(self._template.render([]))
        own = HitVariables(self._variables, given)
        with self._bounded():
            values = (await self._at_hits.evaluate(thread_id, passing, own, at)).value
            assert isinstance(values, Elements)
            return self._entry(await self._describe(values.elements))
        raise AssertionError("a block that was ended raises")
