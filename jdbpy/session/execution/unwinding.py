"""Forced early returns and popped frames: changing where a stopped thread goes on.

Owns the constraints of the agent, checked before the wire and explained (docs/agent.md, "Forced returns", "Popping goes
frame by frame", "Frames that cannot be popped", section "Virtual threads"). How text becomes a value of the return type
is the evaluator's work.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from jdbpy.errors import JdwpError, StateError, UsageError
from jdbpy.session.events.suspension import Unfit
from jdbpy.session.events.target import Target
from jdbpy.session.execution.stepping import Stepping
from jdbpy.session.java.signatures import java_name, split_method
from jdbpy.session.model.options import StepDepth
from jdbpy.session.model.threads import FrameInfo
from jdbpy.wire import constants, ids
from jdbpy.wire.command import Command
from jdbpy.wire.messages import stack_frame, thread_reference

Convert = Callable[[str, str], Awaitable[ids.TaggedValue]]
"""(expression, JNI signature) -> a value that a variable of that type takes; EvalError when it does not fit."""

FramesOf = Callable[[int, int, int], Awaitable[Sequence[FrameInfo]]]
"""(thread, start from 0, count) -> frames."""

_VOID = "V"

_WHY_NOT = {
    "OPAQUE_FRAME": (
        "the frame cannot be left this way",
        "native methods, and virtual threads that are not mounted, refuse it",
    ),
    "NO_MORE_FRAMES": (
        "the outermost frame of a thread cannot be popped",
        "'return' leaves it, 'step up' runs to its end",
    ),
    "TYPE_MISMATCH": ("the value does not fit the method's return type", "'where' and 'methods CLASS' show the type"),
    "NOT_IMPLEMENTED": ("this VM cannot do that", "'version' lists what it can do"),
    "INTERNAL": ("the thread already has a forced return waiting", "let it go on first: 'next', 'step' or 'cont'"),
}


class Unwinding:
    """Forced returns and popped frames of one target."""

    def __init__(self, target: Target, stepping: Stepping, frames_of: FramesOf, convert: Convert) -> None:
        self._target = target
        self._stepping = stepping
        self._frames_of = frames_of
        self._convert = convert

    async def force_return(self, text: str | None = None) -> str:
        """Make the selected thread's top method return at once, when it goes on, with the value of an expression.

        Returns the method's return type as in source. ``finally`` blocks do not run, locks are released. Raises
        UsageError when a value is missing or not wanted, EvalError when it does not fit, StateError for a frame that
        is not on top, native, or has a forced return waiting. wire: 1 trip, and what the expression takes.
        """
        target = self._target
        thread = self._prepare(thread_reference.ForceEarlyReturn, "a forced return")
        if target.selection.frame != 1:
            raise StateError(
                "only the innermost frame can be made to return",
                hint="'frame 1' selects it; 'pop' drops the frames above another one",
            )
        [top] = await self._frames_of(thread, 0, 1)
        if top.native:
            raise StateError(*_WHY_NOT["OPAQUE_FRAME"][:1], hint=_WHY_NOT["OPAQUE_FRAME"][1], code="OPAQUE_FRAME")
        if target.suspension.unfit(thread) is Unfit.FORCED_RETURN:
            raise StateError(_WHY_NOT["INTERNAL"][0], hint=_WHY_NOT["INTERNAL"][1])
        signature = split_method(top.location.signature)[1]
        if signature == _VOID:
            if text:
                raise UsageError(f"{top.location.method} returns nothing", hint="'return' without a value")
            value = ids.TaggedValue(constants.Tag.VOID, None)
        else:
            if not text:
                raise UsageError(
                    f"{top.location.method} returns {java_name(signature)}: a value is needed", hint="'return EXPR'"
                )
            value = await self._convert(text, signature)
        await self._ask(thread_reference.ForceEarlyReturn(_thread_id(thread), value))
        target.suspension.forbid_methods(thread, Unfit.FORCED_RETURN)
        return java_name(signature)

    async def pop(self, count: int = 1) -> None:
        """Drop the innermost ``count`` frames: the caller stands again before the call.

        Arguments keep the values last given to them, and changed fields stay. Raises StateError for native frames and
        callers, for the outermost frame, and while a forced return waits; frames above the refused one may then be gone
        already.
        wire: 2 trips.
        """
        thread = self._prepare(stack_frame.PopFrames, "popping a frame")
        if count < 1:
            raise UsageError("the number of frames must be 1 or more")
        if self._target.suspension.unfit(thread) is Unfit.FORCED_RETURN:  # the VM would leave the caller with its value
            raise StateError("nothing can be popped while a forced return waits", hint="'next' carries it out")
        frames = await self._frames_of(thread, 0, count + 1)
        if len(frames) <= count:
            raise StateError(_WHY_NOT["NO_MORE_FRAMES"][0], hint=_WHY_NOT["NO_MORE_FRAMES"][1], code="NO_MORE_FRAMES")
        native = next((frame for frame in frames if frame.native), None)
        if native is not None:
            raise StateError(
                f"frame {native.index} ({native.location.method}) is native: it, and what it called, cannot be popped",
                hint="'step up' runs to the end of the method instead",
                code="OPAQUE_FRAME",
            )
        self._target.last_breakpoints.before_step(thread)  # the agent pops by steps
        try:
            await self._ask(stack_frame.PopFrames(_thread_id(thread), ids.FrameID(frames[count - 1].id)))
        finally:
            self._target.suspension.popped(thread)
            self._target.last_breakpoints.popped(thread)
            self._target.selection.frame = 1

    async def reenter(self) -> None:
        """Pops the innermost frame and steps into the call again: the method starts anew. wire: 3 trips."""
        await self.pop(1)
        thread = self._target.selection.require_thread().id
        await self._stepping.start(thread, StepDepth.INTO, filtered=False)

    def _prepare(self, command: type[Command[Any]], what: str) -> int:
        target = self._target
        target.require_alive()
        target.conn.require_allowed(command)
        thread = target.selection.require_thread().id
        target.suspension.require_stopped(thread)
        if not target.can(command.CAPABILITY):
            raise StateError(f"this VM does not offer {what}", hint="'version' lists what it can do")
        return thread

    async def _ask(self, command: thread_reference.ForceEarlyReturn | stack_frame.PopFrames) -> None:
        try:
            await self._target.conn.request(command)
        except JdwpError as error:
            if error.code not in _WHY_NOT:
                raise
            message, hint = _WHY_NOT[error.code]
            raise JdwpError(error.number, error.code, message, hint=hint) from None


def _thread_id(thread: int) -> ids.ThreadID:
    return ids.ThreadID(ids.ObjectID(thread))
