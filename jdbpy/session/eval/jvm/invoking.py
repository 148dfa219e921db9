"""Running a method on a stopped thread: when that is allowed, who runs meanwhile, and how long is waited.

Owns the rules of ``invoker.c`` (agent notes 62-75). Only the thread itself runs, unless the user lets the others run; a
call that takes longer than the limit gives the prompt back and goes on, and its end is told. Arguments are not checked
here but in ``calls``: the agent does not check them at all.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import trio

from jdbpy.errors import Disconnected, JdbpyError, JdwpError, StateError
from jdbpy.session.eval.rules import InvokeRules
from jdbpy.session.events import Notice
from jdbpy.session.target import Target
from jdbpy.wire.command import Command
from jdbpy.wire.constants import InvokeOptions
from jdbpy.wire.ids import ObjectID, ThreadID
from jdbpy.wire.messages import thread_reference

MakeCommand = Callable[[int], Command[Any]]
"""Makes the command for a set of InvokeOptions."""


class StillRunning(StateError):
    """A call has not ended within the limit; it goes on in its thread."""

    default_code = "STILL_RUNNING"


def require_invocation(target: Target, thread: int) -> None:
    """Raises StateError when the thread cannot run methods now."""
    target.require_alive()
    target.require_writable("running a method")
    suspension = target.suspension
    suspension.require_suspended(thread)
    if not suspension.stopped_by_event(thread):
        raise StateError(
            "methods can only be run in a thread that an event has stopped, and this one was suspended by command",
            hint="let it come to a breakpoint, or do one step ('stepi'); what runs no method can be evaluated as it is",
            code="NOT_AT_EVENT",
        )


async def run_method(target: Target, thread: int, what: str, make: MakeCommand, rules: InvokeRules) -> Any:
    """Runs one invocation command on the thread and returns its reply. ``what`` names the method in messages.

    Raises StateError when the thread cannot run it, StillRunning at the limit. wire: 1 trip, as long as it takes.
    """
    require_invocation(target, thread)
    run = _Invocation(target, thread, what)
    run.start(make(_options(target, rules)))
    with trio.move_on_after(rules.limit):
        await run.ended.wait()
    if run.outcome is None:
        run.left_alone = True
        raise StillRunning(
            f"{what} has not returned within {rules.limit:g} s and is still running in its thread",
            hint="'where all' shows what it waits for; 'resume' lets the threads run that it may wait for",
        )
    if isinstance(run.outcome, JdwpError) and run.outcome.code == "INVALID_THREAD":
        raise StateError("the thread cannot run methods now", hint="let it come to a breakpoint first")
    if isinstance(run.outcome, JdbpyError):
        raise run.outcome
    return run.outcome


def _options(target: Target, rules: InvokeRules) -> int:
    # Where only this thread is held, letting the others run would end with all of them suspended (agent note 64).
    return 0 if rules.others_run and target.suspension.everything_held else InvokeOptions.INVOKE_SINGLE_THREADED


class _Invocation:
    """One call under way, which may outlive the expression that made it."""

    def __init__(self, target: Target, thread: int, what: str) -> None:
        self.outcome: Any = None
        self.ended = trio.Event()
        self.left_alone = False
        self._target = target
        self._thread = thread
        self._what = what
        # With more than one hold on the thread the call would never begin (agent note 66): the others are taken off and
        # put back, behind the ledger, for which nothing changes.
        self._extra = target.suspension.count(thread) - 1

    def start(self, command: Command[Any]) -> None:
        conn = self._target.conn
        self._target.suspension.evaluating.add(self._thread)
        for _ in range(self._extra):
            conn.submit(thread_reference.Resume(self._wire_thread))
        conn.submit(command, on_reply=self._on_reply)

    @property
    def _wire_thread(self) -> ThreadID:
        return ThreadID(ObjectID(self._thread))

    def _on_reply(self, outcome: Any) -> None:
        """The call has ended: the thread stands where it stood, and its frame ids are void."""
        self.outcome = outcome
        suspension = self._target.suspension
        suspension.evaluating.discard(self._thread)
        suspension.invoked(self._thread)
        with suppress(Disconnected):
            for _ in range(self._extra):
                self._target.conn.submit(thread_reference.Suspend(self._wire_thread))
            if not suspension.is_suspended(self._thread):  # it was let go meanwhile; the agent has stopped it again
                self._target.conn.submit(thread_reference.Resume(self._wire_thread))
        if self.left_alone and not isinstance(outcome, JdbpyError):
            self._target.publish(Notice("warning", f"{self._what}, which was left running, has returned"))
        self.ended.set()
