"""An expression that is asked at every hit of a point: compiled once for each place, with as few trips as possible.

Owns the innermost frame of a thread that an event has just stopped. With the id that ``frame_ids`` guesses, frame and
variables are asked for in one trip; the frame's real id comes with the same trip, so a wrong guess costs a trip more
and never a wrong value.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from jdbpy.errors import EvalError, JdbpyError, JdwpError
from jdbpy.session.eval.jvm.calls import MadeCall
from jdbpy.session.eval.jvm.fast_condition import (
    FastFrameCondition,
    FrameRead,
    fast_condition_of,
    read_of,
    reads_primitives_only,
)
from jdbpy.session.eval.jvm.frame_target import FrameTarget
from jdbpy.session.eval.operands import Operand
from jdbpy.session.eval.ops.base import VariableStore
from jdbpy.session.eval.program import Compiled
from jdbpy.session.eval.typing.class_graph import ClassGraph
from jdbpy.session.events.conditions import Passing
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import wire_thread
from jdbpy.session.jvm.refs import OBSOLETE
from jdbpy.session.model.options import InvokeRules
from jdbpy.session.model.threads import FrameInfo, ThreadRef
from jdbpy.wire.ids import CodeLocation, FrameID
from jdbpy.wire.messages import thread_reference

_MOST_FORMER = 1_000
"""Places in code of before for which an expression stays compiled."""

Place = tuple[int, int, int]
"""Type, method and code index."""
Compile = Callable[[FrameTarget, ClassGraph, VariableStore], Awaitable[Compiled]]
FrameTargetOf = Callable[[FrameInfo], FrameTarget]


class AtHits:
    """Evaluates one compiled text in the innermost frames of threads. ``compile_at`` compiles it for a frame."""

    def __init__(
        self,
        target: Target,
        frame_target: FrameTargetOf,
        variables: VariableStore,
        compile_at: Compile,
        rules: Callable[[], InvokeRules],
    ) -> None:
        self._target = target
        self._rules = rules
        self._run: dict[int, tuple[int, Sequence[MadeCall], JdbpyError | None]] = {}
        """By thread the stop, the methods that a fast condition has run there, and the error that it ended with."""
        self._frame_target = frame_target
        self._variables = variables
        self._compile_at = compile_at
        self._compiled: dict[Place, Compiled] = {}
        self._former: dict[Place, Compiled] = {}
        self._last_place: Place | None = None
        self._fast_conditions: dict[Place, FastFrameCondition | None] = {}
        self._read: dict[int, tuple[int, Sequence[Any], bool]] = {}
        """By thread the epoch, what a fast condition has read there (the frame, its variables), and if the text is
        true.
        """

    async def evaluate(
        self, thread_id: int, passing: Passing | None, variables: VariableStore, at: CodeLocation | None = None
    ) -> Operand:
        """Return the value at this hit, whose own values are among the variables. ``at`` is the place that its event
        named: the class may have got other code since, and then the frame has no place any more.

        Raises EvalError when it does not compile at this place, Thrown when it throws.

        With ``passing`` the thread is resumed in the same segment, where only primitive variables are read.
        wire: 1 trip for the frame and its variables once the place is known, 1 for each further link.
        """
        if passing is not None and self._target.frame_id_predictor.is_sure(thread_id):
            compiled = self._compiled.get(_place(passing.at))
            guess = self._target.frame_id_predictor.guess(thread_id)
            if compiled is not None and guess is not None and reads_primitives_only(compiled):
                return await self._in_passing(thread_id, passing, compiled, guess, variables)
        target, place = await self._frame(thread_id, at)
        try:
            if place is None and at is not None and (former := self._compiled_before(at)) is not None:
                return await former.run(target, variables)
            assert place is not None
            if place not in self._compiled:
                self._compiled[place] = await self._compile_at(target, ClassGraph(target), variables)
            self._last_place = place
            target.begin_with(self._calls_made(thread_id))
            return await self._compiled[place].run(target, variables)
        finally:
            target.pins.release()

    def fast_condition(self, at: CodeLocation) -> FastFrameCondition | None:
        """Return the short way to the value at a place that was compiled; None where there is none. No trip."""
        place = _place(at)
        if place not in self._fast_conditions and place in self._compiled:
            self._fast_conditions[place] = fast_condition_of(
                self._compiled[place], self._target, self._variables, self._rules
            )
        fast_condition = self._fast_conditions.get(place)
        if fast_condition is not None and fast_condition.gives_up:
            fast_condition = self._fast_conditions[place] = None
        return fast_condition

    def is_compiled(self, at: CodeLocation) -> bool:
        """True if the text was compiled for that place."""
        return _place(at) in self._compiled

    def cache_compiled(self, at: CodeLocation, compiled: Compiled) -> None:
        """Take in what the text is at a place."""
        self._compiled.setdefault(_place(at), compiled)

    def forget_code(self) -> None:
        """The code of classes was changed: compile anew. Hits in the code of before may be on their way."""
        self._former = {**self._former, **self._compiled} if len(self._former) < _MOST_FORMER else {**self._compiled}
        self._compiled.clear()
        self._fast_conditions.clear()
        self._last_place = None

    def _compiled_before(self, at: CodeLocation) -> Compiled | None:
        """Return what the text was at a place in code of before, which may just be replaced: ``forget_code`` comes."""
        return self._former.get(_place(at)) or self._compiled.get(_place(at))

    def was_read(self, thread_id: int, epoch: int, answers: Sequence[Any], *, holds: bool) -> None:
        """Take in the answers to Frames and to a fast condition's commands at a hit, which is evaluated next."""
        if answers or holds:
            self._read[thread_id] = (epoch, answers, holds)

    def has_run(self, thread_id: int, calls: Sequence[MadeCall], error: JdbpyError | None) -> None:
        """Take in what a fast condition has run at a hit, which is evaluated next."""
        if calls or error is not None:
            self._run[thread_id] = (self._target.suspension.stop_of(thread_id), calls, error)

    def _calls_made(self, thread_id: int) -> Sequence[MadeCall]:
        """Return the methods that a fast condition has run at this hit. Asked once."""
        stop, calls, _ = self._run.pop(thread_id, (0, (), None))
        return calls if stop == self._target.suspension.stop_of(thread_id) else ()

    def holds(self, thread_id: int) -> bool:
        """True if a fast condition has found the condition true at this hit. Raises the error that it ended with.
        Asked once.
        """
        stop, _, error = self._run.get(thread_id, (0, (), None))
        if error is not None and stop == self._target.suspension.stop_of(thread_id):
            del self._run[thread_id]
            raise error
        kept = self._read.get(thread_id)
        if kept is None or kept[0] != self._target.suspension.epoch_of(thread_id) or not kept[2]:
            return False
        del self._read[thread_id]
        self._run.pop(thread_id, None)
        return True

    async def _in_passing(
        self, thread_id: int, passing: Passing, compiled: Compiled, guess: FrameID, variables: VariableStore
    ) -> Operand:
        """Return the value, read while the thread is resumed. Raises EvalError if the guess is wrong, which ends all
        guessing.

        wire: 1 trip, in which the thread is resumed as well.
        """
        conn, thread = self._target.conn, wire_thread(thread_id)
        epoch = self._target.suspension.epoch_of(thread_id)
        read = read_of(compiled)
        pending = [conn.submit(each) for each in (thread_reference.Frames(thread, 0, 1), *read.commands(thread, guess))]
        passing.go_on()
        reply, *outcomes = await conn.gather(pending)
        if isinstance(reply, JdwpError):
            raise reply
        top = reply.frames[0]
        right = self._target.frame_id_predictor.compare(thread_id, epoch, guess, top.frameID)
        values = read.values(outcomes) if right else None
        if values is None:
            raise EvalError("the variables could not be read in passing; the next hit takes longer")
        location = self._target.types.location(passing.at)
        target = self._frame_target(FrameInfo(1, location, ThreadRef(thread_id, ""), top.frameID, epoch))
        target.expect(values)
        return await compiled.run(target, variables)

    async def _frame(self, thread_id: int, at: CodeLocation | None) -> tuple[FrameTarget, Place | None]:
        """Return the innermost frame, with its variables if the guess at its id was right; its place is None if it is
        in the code of before, which was compiled for. wire: 1 trip.
        """
        thread = wire_thread(thread_id)
        epoch = self._target.suspension.epoch_of(thread_id)
        guess = self._target.frame_id_predictor.guess(thread_id)
        kept = self._read.pop(thread_id, None)
        if kept is not None and kept[0] == epoch and kept[1]:
            reply, *outcomes = kept[1]
            self._last_place = _place(reply.frames[0].location)
            read: FrameRead | None = read_of(self._compiled[self._last_place])
        else:
            read = read_of(self._compiled[self._last_place]) if guess and self._last_place is not None else None
            commands: list[Any] = [thread_reference.Frames(thread, 0, 1)]
            if read is not None and guess is not None:
                commands += read.commands(thread, guess)
            reply, *outcomes = await self._target.conn.batch(commands)
        if isinstance(reply, JdwpError):
            raise reply
        if not reply.frames:
            raise EvalError("the thread has no Java frame")
        top = reply.frames[0]
        right = self._target.frame_id_predictor.compare(thread_id, epoch, guess, top.frameID)
        if top.location.methodID == OBSOLETE and at is not None and self._compiled_before(at) is not None:
            before = self._target.types.location(at)
            return self._frame_target(FrameInfo(1, before, ThreadRef(thread_id, ""), top.frameID, epoch)), None
        (location,) = await self._target.types.locations([top.location])
        target = self._frame_target(FrameInfo(1, location, ThreadRef(thread_id, ""), top.frameID, epoch))
        place = (location.type_id, location.method_id, location.code_index)
        if read is not None and right and place == self._last_place:
            values = read.values(outcomes)
            if values is not None:
                target.expect(values)
        return target, place


def _place(at: CodeLocation) -> Place:
    return at.classID, at.methodID, at.index
