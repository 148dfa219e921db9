"""The component ``session.values``: what expressions evaluate to, described; assignments; whole objects; conditions.

Joins the evaluator, which gives operands, with ``describe``, which turns values into plain data. The evaluator and its
grammar are imported when the first expression is evaluated.
"""

from __future__ import annotations

import builtins
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from jdbpy.errors import EvalError, StateError
from jdbpy.escape import escape
from jdbpy.session.concurrency import together
from jdbpy.session.events.target import Target
from jdbpy.session.java.types import VOID
from jdbpy.session.model.events import Stopped
from jdbpy.session.model.options import InvokeRules
from jdbpy.session.model.threads import FrameInfo
from jdbpy.session.model.values import Bytes, Limits, ValueInfo, Variable, check_format
from jdbpy.session.sources.sources import Sources
from jdbpy.session.values.changes import Changes
from jdbpy.session.values.describe import describe
from jdbpy.session.values.stack import StackReader
from jdbpy.wire import ids
from jdbpy.wire.constants import Tag

if TYPE_CHECKING:
    from jdbpy.session.eval.api.results import Results
    from jdbpy.session.eval.api.user_views import UserViews
    from jdbpy.session.eval.conditions import CompiledCondition, CompiledTemplate
    from jdbpy.session.eval.evaluator import Evaluation, Evaluator
    from jdbpy.session.eval.operands import Operand

_DEFAULT = Limits()
_IN_A_LINE = Limits(depth=0)
_PREVIEW = Limits(depth=1, string=80, elements=10, fields=10)

NOTHING_GIVEN: Mapping[str, object] = MappingProxyType({})


class Values:
    """Java expressions in the selected frame. ``last_stop`` has the values of ``$exc`` and ``$ret``."""

    def __init__(
        self,
        target: Target,
        stack: StackReader,
        sources: Sources,
        last_stop: Callable[[], Stopped | None] = lambda: None,
        shared: Values | None = None,
    ) -> None:
        """``shared`` are those of a session that a client has joined: it has names and views in common with it."""
        self._shared = shared
        self._target = target
        self._stack = stack
        self._sources = sources
        self._last_stop = last_stop
        self._noted: Stopped | None = None
        self.rules = InvokeRules()
        """How methods are run, unless one evaluation says otherwise; ``rules.replace(javac=True)`` makes new ones."""

    @cached_property
    def evaluator(self) -> Evaluator:
        """Return what evaluates, with its variables (``$name``)."""
        from jdbpy.session.eval.evaluator import Evaluator

        shared = None if self._shared is None else self._shared.evaluator
        return Evaluator(self._target, self._sources.text, lambda: self.rules, shared)

    @cached_property
    def views(self) -> UserViews:
        """Return how objects of classes are shown, beside the views that are built in."""
        from jdbpy.session.eval.api.user_views import UserViews

        if self._shared is not None:
            return self._shared.views
        return UserViews(self._target, lambda: self.evaluator.variables)

    async def evaluate(
        self,
        text: str,
        *,
        limits: Limits = _DEFAULT,
        format: str = "",
        remember: bool = True,
        time_limit: float | None = None,
        others_run: bool | None = None,
        frame: FrameInfo | None = None,
        given: Mapping[str, object] = NOTHING_GIVEN,
        keep: bool = False,
        until_resumed: bool = False,
        read_only: bool = False,
    ) -> ValueInfo:
        """Return the value of a Java expression, or of the last of several statements, in the selected frame or the
        given one.

        ``given`` are more variables by name, which hide those of the frame: a ``ValueInfo``, or a number, text, truth
        value or None of Python; a list, tuple, set, dict or bytes of them becomes an ``ArrayList``, ``LinkedHashSet``,
        ``LinkedHashMap`` or ``byte[]`` in the target (which runs methods, in 3 to 5 trips and 1 an entry). ``keep``
        keeps an object that a method gave from collection, until 256 later ones were kept; with ``until_resumed`` no
        longer than the frame's thread is stopped.
        ``read_only`` refuses all that has side effects, with ReadOnlyError: methods that would have to be run,
        assignments, new objects.
        ``format`` is one of ``jdbpy.values.FORMATS``: numbers have that form as well then (``ValueInfo.formatted``).
        The result becomes ``$_`` and the next of ``$1``, ``$2``... unless ``remember`` is off. Methods are run in the
        frame's thread, each for at most ``time_limit`` seconds, and only that thread runs unless ``others_run``; both
        default to ``rules``. Raises UsageError for an unknown format, EvalError in javac's words with the column,
        Thrown when a Java exception leaves the expression, StateError when a method would have to be run and cannot, or
        has not returned in time, TimedOut when the target does not answer for that time and 3 s.
        wire: 1 trip for what is read of the frame, 1 for each further link.
        """
        program = self.evaluator.program(text)
        async with self._evaluation(time_limit, others_run, format, frame, read_only=read_only) as (
            evaluation,
            results,
        ):
            operand = await evaluation.run(program, await self._operands(given, evaluation))
            if keep:
                await self.evaluator.kept.add(operand, evaluation, until_resumed=until_resumed)
            number = self.evaluator.variables.record(operand) if remember and operand.type is not VOID else None
            value = await results.describe(operand, limits)
            value = Changes.of(self._target).mark_value(evaluation.frame, ("value", text, limits, format), value)
            return value.replace(number=number)

    async def dump(self, text: str, limits: Limits = _DEFAULT, format: str = "") -> ValueInfo:
        """Return the value of an expression with all fields of the object, not by its view. Raises as ``evaluate``."""
        program = self.evaluator.program(text)
        async with self._evaluation(format=format) as (evaluation, results):
            value = await results.dump(await evaluation.run(program), limits)
            return Changes.of(self._target).mark_value(evaluation.frame, ("dump", text, limits, format), value)

    async def bytes(
        self,
        text: str,
        count: int | None = None,
        *,
        frame: FrameInfo | None = None,
        given: Mapping[str, object] = NOTHING_GIVEN,
    ) -> Bytes:
        """Return the first ``count`` elements of an array, slice, string or buffer as bytes; 256 bytes of them by
        default.

        ``frame`` and ``given`` are those of ``evaluate``. Raises EvalError for what has none, else as ``evaluate``.
        wire: 2 trips more than evaluating it takes.
        """
        program = self.evaluator.program(text)
        async with self._evaluation(frame=frame) as (evaluation, results):
            operands = await self._operands(given, evaluation)
            return await results.bytes(await evaluation.run(program, operands), count)

    async def write_bytes(self, array_id: int, offset: int, data: builtins.bytes) -> None:
        """Overwrite bytes of an array of primitives, counted from its first element, the high byte of each first.

        Raises UsageError for another object, and for bytes that the array does not have. wire: 2 trips, 3 to begin
        or end within an element.
        """
        from jdbpy.session.values.bytes import write

        await write(self._target, array_id, offset, data)
        self._target.tell_others("value-changed", f"{len(data):,} bytes of an array were set")

    async def to_string(self, text: str) -> ValueInfo:
        """Return the string conversion of the value: of an object, what its ``toString()`` gives. Raises as
        ``evaluate``."""
        program = self.evaluator.program(text)
        async with self._evaluation() as (evaluation, results):
            return results.text(await evaluation.to_text(program))

    async def assign(
        self,
        target_text: str,
        value_text: str,
        *,
        frame: FrameInfo | None = None,
        given: Mapping[str, object] = NOTHING_GIVEN,
        as_shown: bool = False,
    ) -> ValueInfo:
        """Evaluates ``target = value``: a local, a field, a static field, an element, or ``$name``.

        ``frame`` and ``given`` are those of ``evaluate``. With ``as_shown`` a number may be given as one of the
        variable's type is shown: ``5000000000`` for a long, ``2.5`` or ``NaN`` for a float, ``44`` for a ``Long``.
        Returns the new value; its ``note`` says what else should be known (a final field). Raises as ``evaluate``.
        """
        async with self._evaluation(frame=frame) as (evaluation, results):
            operands = await self._operands(given, evaluation)
            operand = await evaluation.run(
                self.evaluator.assignment(target_text, value_text, as_shown=as_shown), operands
            )
            return await self._assigned(target_text, operand, evaluation, results)

    async def send(self, target_text: str, value: object, *, frame: FrameInfo | None = None) -> ValueInfo:
        """Assign a value of Python, or a ``ValueInfo``, to a local, a field, a static field, an element, or ``$name``.

        Numbers are converted to the type of the variable as Java converts literals, a text of one character is good
        for a char. A list, tuple or set becomes an array or collection as the variable's type wants it, a dict a map,
        bytes a ``byte[]``. Returns the new value, as ``assign``. Raises UsageError for what Java has no value for,
        else as ``evaluate``. wire: 2 trips; 3 to 5 for each list, and 1 for each entry of a dict, more.
        """
        from jdbpy.session.eval.api.python_values import ValueSender

        place = self.evaluator.program(target_text)
        place.expression()
        async with self._evaluation(frame=frame) as (evaluation, results):
            sender = ValueSender(evaluation)
            text = await sender.text(target_text, value, await evaluation.type_of(place))
            operand = await evaluation.run(self.evaluator.assignment(target_text, text), sender.given)
            return await self._assigned(target_text, operand, evaluation, results)

    async def _assigned(
        self, target_text: str, operand: Operand, evaluation: Evaluation, results: Results
    ) -> ValueInfo:
        value = await results.describe(operand, _DEFAULT)
        notes = "; ".join(evaluation.target.notes)
        self._target.tell_others("value-changed", f"{escape(target_text)} was set to {escape(value.text)}")
        return value.replace(note=notes) if notes else value

    async def of_objects(self, object_ids: Sequence[int], limits: Limits = _IN_A_LINE) -> list[ValueInfo]:
        """Objects of the target by their ids, described. wire: what describing takes, 2 trips and more."""
        self._target.require_alive()
        return await describe(self._target, [ids.TaggedValue(Tag.OBJECT, each) for each in object_ids], limits)

    async def save(self, name: str, text: str) -> ValueInfo:
        """Evaluate an expression and keep the value as ``$name``; an object is kept from collection until ``forget``.

        Raises UsageError for a name that is the debugger's own, else as ``evaluate``. wire: 1 trip more than that.
        """
        program = self.evaluator.program(text)
        async with self._evaluation() as (evaluation, results):
            operand = await evaluation.run(program)
            await self.evaluator.saved.add(name.removeprefix("$"), operand, evaluation)
            return await results.describe(operand, _DEFAULT)

    def forget(self, name: str) -> None:
        """Takes away what was saved under a name. Raises UsageError when there is nothing."""
        self.evaluator.saved.remove(name.removeprefix("$"))

    def saved(self) -> list[str]:
        """Return the names of all ``$variables`` that have a value, the history left out."""
        return self.evaluator.variables.names() if "evaluator" in self.__dict__ else []

    async def saved_values(self, limits: Limits = _PREVIEW) -> tuple[Variable, ...]:
        """Return all ``$variables`` with their values; their kind is "kept" for objects that are kept from collection.

        An object that was collected is described as such. wire: what describing takes, all of them side by side.
        """
        self._note_stop()
        found = [(name, self.evaluator.variables.get(name)) for name in self.saved() if name != "_"]
        return await self._described([(name, operand) for name, operand in found if operand is not None], limits)

    async def history(self, count: int = 10, limits: Limits = _PREVIEW) -> tuple[Variable, ...]:
        """Return the last results of ``evaluate``, ``$1``, ``$2``..., as they are now. wire: as ``saved_values``."""
        known = self.evaluator.variables.history(count) if "evaluator" in self.__dict__ else []
        return await self._described(known, limits)

    async def _described(self, named: Sequence[tuple[str, Operand]], limits: Limits) -> tuple[Variable, ...]:
        self._target.require_alive()
        if not named:
            return ()
        from jdbpy.session.eval.api.results import Results

        results = Results(self._target)
        shown: list[ValueInfo] = await together(*(partial(results.describe, operand, limits) for _, operand in named))
        saved = self.evaluator.saved
        return tuple(
            Variable(f"${name}", value.type, value, "kept" if saved.keeps(name) else "noted")
            for (name, _), value in zip(named, shown, strict=True)
        )

    async def convert(self, text: str, signature: str) -> ids.TaggedValue:
        """Return the value of an expression as a variable of the type of a JNI signature takes it (JLS 5.2)."""
        from jdbpy.session.eval.target import to_wire

        program = self.evaluator.program(text)
        async with self._evaluation() as (evaluation, _):
            return to_wire(signature, await evaluation.raw(program, signature))

    def compile_condition(self, text: str) -> CompiledCondition:
        """Return a condition for breakpoints. Raises EvalError when it is no Java expression."""
        return self.evaluator.condition(text)

    def compile_template(self, text: str) -> CompiledTemplate:
        """Return the text of a logpoint, ``total {order.total}``. Raises EvalError with the column in it."""
        from jdbpy.session.eval.api.results import log_values

        return self.evaluator.template(text, partial(log_values, self._target))

    async def _operands(self, given: Mapping[str, object], evaluation: Evaluation) -> dict[str, Operand]:
        """Return the variables that a caller hands to an expression. Raises UsageError for what Java has no value
        for."""
        if not given:
            return {}
        from jdbpy.session.eval.api.python_values import ValueSender

        sender = ValueSender(evaluation)
        return {name: await sender.operand(name, value) for name, value in given.items()}

    @asynccontextmanager
    async def _evaluation(
        self,
        time_limit: float | None = None,
        others_run: bool | None = None,
        format: str = "",
        frame: FrameInfo | None = None,
        *,
        read_only: bool = False,
    ) -> AsyncIterator[tuple[Evaluation, Results]]:
        """An evaluation in a frame, by default the selected one; without that, of what needs none. Raises TimedOut
        without answers, StateError for a frame whose thread has run on."""
        from jdbpy.session.eval.api.results import Results

        self._target.require_alive()
        if format:
            check_format(format)
        rules = self.rules.changed(time_limit, others_run)
        async with AsyncExitStack() as stack:
            stack.enter_context(self._target.answers.bounded(rules.limit))
            missing: StateError | None = None
            if self._target.clients is not None:
                thread = frame.thread if frame is not None else self._target.selection.thread
                if thread is not None:
                    await stack.enter_async_context(self._target.clients.turn(thread.id))
            if frame is not None:
                self._target.suspension.require_current(frame)
            else:
                try:
                    frame = await self._stack.standing()
                except StateError as error:
                    missing = error
            self._note_stop(frame)
            async with self.evaluator.evaluation(frame, rules, read_only=read_only) as evaluation:
                evaluation.target.runs_apart = missing is None or missing.code != "STILL_RUNNING"
                try:
                    yield evaluation, Results(self._target, format)
                except (EvalError, StateError) as error:
                    is_busy = missing is not None and missing.code == "STILL_RUNNING" and isinstance(error, StateError)
                    if missing is not None and (error.code == "NEEDS_FRAME" or is_busy):
                        raise missing from error
                    if isinstance(error, EvalError) and error.message.startswith("cannot find symbol"):
                        self._target.require_agent("looking up what the program declares")
                    raise

    def _note_stop(self, frame: FrameInfo | None = None) -> None:
        """Sets ``$exc``, ``$ret``, ``$old`` and ``$new`` by the last stop of the frame's or selected thread, once."""
        thread = frame.thread if frame is not None else self._target.selection.thread
        stop = self._target.stops.get(thread.id) if thread is not None else self._last_stop()
        if stop is None or stop is self._noted:
            return
        from jdbpy.session.eval.target import Ref
        from jdbpy.session.eval.variables import HIT_NAMES

        self._noted = stop
        variables = self.evaluator.variables
        for name in HIT_NAMES:
            variables.remove(name)
        if stop.exception is not None:
            variables.set_raw("exc", Ref(stop.exception.id))
        if stop.return_value is not None:
            variables.set_described("ret", stop.return_value)
        if stop.old_value is not None:
            variables.set_described("old", stop.old_value)
        if stop.new_value is not None:
            variables.set_described("new", stop.new_value)
