"""What can be done to a thread beside holding it: throwing an exception in it, giving it another name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from jdbpy.errors import JdwpError, StateError, UsageError
from jdbpy.session.eval.own_calls import CallRunner
from jdbpy.session.model import ThreadInfo
from jdbpy.session.target import Target
from jdbpy.session.threads.reader import wire_thread
from jdbpy.wire import ids
from jdbpy.wire.constants import Error, Tag
from jdbpy.wire.ids import ObjectID
from jdbpy.wire.messages import thread_reference

Convert = Callable[[str, str], Awaitable[ids.TaggedValue]]
"""The value of an expression as a variable of the type of a JNI signature takes it."""


async def throw_in(target: Target, info: ThreadInfo, expression: str, convert: Convert) -> None:
    """Throws an exception in a thread, as soon as it runs (JVM TI StopThread).

    Raises EvalError for an expression that is no Throwable, UsageError for null, StateError when the agent refuses:
    a virtual thread has to stand at an event in Java code. wire: what the expression takes, and 1 trip.
    """
    target.require_alive()
    target.conn.require_allowed(thread_reference.Stop)
    value = await convert(expression, "Ljava/lang/Throwable;")
    if not value.value:
        raise UsageError("null cannot be thrown", hint="'kill THREAD new RuntimeException(\"why\")'")
    try:
        await target.conn.request(thread_reference.Stop(wire_thread(info.id), ObjectID(int(value.value))))
    except JdwpError as error:
        raise _refusal(error, info) from error


def _refusal(error: JdwpError, info: ThreadInfo) -> StateError:
    if error.number in (Error.OPAQUE_FRAME, Error.THREAD_NOT_SUSPENDED) and info.virtual:
        return StateError(
            "an exception can be thrown in a virtual thread only where an event has stopped it in Java code",
            hint="'break' where it passes, or 'interrupt THREAD'",
            code=error.code,
        )
    if error.number in (Error.INVALID_THREAD, Error.THREAD_NOT_ALIVE):
        return StateError("the thread has ended, or has not begun", hint="'threads' lists them", code=error.code)
    return StateError(f"the target refuses to throw in that thread: {error.message}", hint=error.hint, code=error.code)


async def rename(target: Target, info: ThreadInfo, name: str, runner: CallRunner) -> None:
    """Calls ``setName`` of a thread. Raises StateError when no method can be run. wire: one call."""
    from jdbpy.session.eval.target import Ref

    async with runner.calls("naming a thread") as calls:
        await calls.call(Ref(info.id, Tag.THREAD), "java.lang.Thread", "setName", "(Ljava/lang/String;)V", name)
