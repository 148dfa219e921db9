"""Running a method on a stopped thread: when that is allowed, who runs meanwhile, and how long is waited.

Owns the rules of docs/agent.md, section "Invoking methods". Only the thread itself runs, unless the user lets the
others run; a call that takes longer than the limit gives the prompt back and goes on, and its end is reported.
Arguments are not checked here but in ``calls``: the agent does not check them at all.

A thread runs one call at a time, but over a link the next one need not wait for the answer of the one before: it is
sent a moment behind it. If that one has not ended when it comes in, the agent refuses it, nothing is run, and it is
sent again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import trio

from jdbpy.errors import Disconnected, JdbpyError, JdwpError, StateError
from jdbpy.escape import escape
from jdbpy.session.eval.jvm.pins import PinLedger
from jdbpy.session.events.suspension import Unfit
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import wire_thread
from jdbpy.session.model.events import Notice
from jdbpy.session.model.options import InvokeRules
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Error, InvokeOptions
from jdbpy.wire.layout import OBJECT_TAGS
from jdbpy.wire.messages import object_reference, thread_reference

MakeCommand = Callable[[int], Command[Any]]
"""Makes the command for a set of InvokeOptions."""

_KEEP = object_reference.DisableCollection
_BEHIND = 0.004
"""How long after a call the next one is sent at most, in seconds: short ones have ended by then, nearly always."""

_OF_A_TRIP = 0.5
"""The part of a round trip that calls which are sent one behind the other take in all."""

_BUSY = frozenset((Error.INVALID_THREAD, Error.ALREADY_INVOKING))
"""The errors of the agent while the thread is running a call (``invoker.c``, fillInvokeRequest)."""


_UNFIT = {
    Unfit.FIRST_EXCEPTION: (
        "methods cannot be run at the exception that the JVM has waited for (onthrow=, onuncaught=)",
        "do one step ('stepi')",
    ),
    Unfit.FORCED_RETURN: (
        "no method can be run while a forced return waits: it would return that value",
        "'next' carries it out",
    ),
}


class StillRunning(StateError):
    """A call has not ended within the limit; it goes on in its thread."""

    default_code = "STILL_RUNNING"


def require_invocation(target: Target, thread: int) -> None:
    """Raises StateError when the thread cannot run methods now."""
    target.require_alive()
    target.conn.require_allowed(object_reference.InvokeMethod)
    suspension = target.suspension
    suspension.require_suspended(thread)
    if not suspension.stopped_by_event(thread):
        raise StateError(
            "methods can only be run in a thread that an event has stopped, and this one was suspended by command",
            hint="let it come to a breakpoint, or do one step ('stepi'); what runs no method can be evaluated as it is",
            code="NOT_AT_EVENT",
        )
    if (why := suspension.unfit(thread)) is not None:
        text, hint = _UNFIT[why]
        raise StateError(text, hint=f"{hint}; what runs no method can be evaluated as it is", code="NOT_AT_EVENT")


async def run_method(target: Target, thread: int, what: str, make: MakeCommand, rules: InvokeRules) -> Any:
    """Run one invocation command on the thread and return its reply. ``what`` names the method in messages.

    Raises StateError when the thread cannot run it, StillRunning at the limit. wire: 1 trip, as long as it takes.
    """
    [outcome] = await run_methods(target, thread, [(what, make)], rules)
    if isinstance(outcome, JdbpyError):
        raise outcome
    return outcome


async def run_methods(
    target: Target, thread: int, calls: Sequence[tuple[str, MakeCommand]], rules: InvokeRules, *, slow: bool = False
) -> list[Any]:
    """Runs invocation commands that do not depend on each other; one outcome for each, the reply or the error.

    The first one runs first; of the others one may be overtaken. ``slow``: they are likely to take long. Raises
    StateError when the thread cannot run methods, StillRunning at the limit. wire: 1 trip over a link, 1 more for those
    that came too soon; without latency, and in a thread that is held more than once, 1 trip each.
    """
    await _learn_whether_virtual(target, thread)
    outcomes: list[Any] = [None] * len(calls)
    waiting = list(range(len(calls)))
    while waiting:
        require_invocation(target, thread)
        gap = _gap(target, thread, rules, len(waiting), slow=slow)
        runs = []
        for index in waiting:
            what, make = calls[index]
            options = _options(target, rules)
            run = _Invocation(target, thread, what)
            run.start(make(options), others_run=not options & InvokeOptions.INVOKE_SINGLE_THREADED)
            runs.append(run)
            await _wait_shortly(run, min(gap, rules.limit))
        since = runs[0].since
        for run in runs:
            await _wait(target, thread, run, rules, since)
            since = trio.current_time()
        for index, run in zip(waiting, runs, strict=True):
            outcomes[index] = run.outcome
        waiting = [index for index in waiting[1:] if _is_busy(outcomes[index])]
        slow = True
    await target.invocations.all_prepared()
    return [explained(outcome) for outcome in outcomes]


async def _learn_whether_virtual(target: Target, thread: int) -> None:
    """Ask for it where ``Invocations`` has to know. wire: 1 trip for a thread that no stop has shown, 0 else."""
    if thread in target.virtual_threads or not (target.at_least(21) and target.suspension.frozen):
        return
    [outcome] = await target.conn.batch([thread_reference.IsVirtual(wire_thread(thread))])
    target.virtual_threads[thread] = not isinstance(outcome, JdwpError) and outcome.isVirtual


async def _wait(target: Target, thread: int, run: _Invocation, rules: InvokeRules, since: float) -> None:
    """Wait for the end of a call that runs since then. Raises StillRunning at the limit."""
    try:
        with trio.move_on_at(since + rules.limit):
            await run.ended.wait()
    except trio.Cancelled:
        run.leave_alone()
        raise
    if run.outcome is None:
        run.left_alone = True
        raise await _still_running(target, thread, run, rules)


async def _still_running(target: Target, thread: int, run: _Invocation, rules: InvokeRules) -> StillRunning:
    from jdbpy.session.eval.jvm.unreturned import explain_unreturned

    why, hint = await explain_unreturned(target, thread)
    text = f"{run.what} has not returned within {rules.limit:g} s and is still running in its thread{why}"
    return StillRunning(text, hint=hint)


async def _wait_shortly(run: _Invocation, limit: float) -> None:
    try:
        with trio.move_on_after(limit):
            await run.ended.wait()
    except trio.Cancelled:
        run.leave_alone()
        raise


def _is_busy(outcome: Any) -> bool:
    return isinstance(outcome, JdwpError) and outcome.number in _BUSY


def explained(outcome: Any) -> Any:
    """Return what came of a call, an error of the agent in words."""
    if isinstance(outcome, JdwpError) and outcome.code == "INVALID_THREAD":
        return StateError("the thread cannot run methods now", hint="let it come to a breakpoint first")
    return outcome


def _gap(target: Target, thread: int, rules: InvokeRules, count: int, *, slow: bool) -> float:
    """Return how long after a call the next one of so many is sent, in seconds; for ever where each waits for the one
    before.

    So it is without latency, where nothing is won; where others run, as each call would resume all of them and suspend
    them again; and where holds have to be taken off the thread. Older agents look at a call once more after they have
    answered it.
    """
    alone = bool(_options(target, rules) & InvokeOptions.INVOKE_SINGLE_THREADED)
    if not target.high_latency or not target.at_least(11) or not alone or target.suspension.count(thread) > 1:
        return math.inf
    share = target.latency.round_trip * _OF_A_TRIP / count
    return share if slow else min(share, _BEHIND)


def _options(target: Target, rules: InvokeRules) -> int:
    # Where only this thread is held, letting the others run would end with all of them suspended:
    # docs/agent.md, "Others run during a call".
    return 0 if rules.others_run and target.suspension.everything_held else InvokeOptions.INVOKE_SINGLE_THREADED


def _what_ends_it(target: Target, thread: int) -> str:
    lets_run = "'resume' lets the threads run that it may wait for"
    if target.interrupts_later(thread):
        return f"{lets_run}; this JVM interrupts no thread before the method has ended; its end is reported"
    return f"'interrupt {thread}' interrupts it, {lets_run}; its end is reported"


class SingleCall:
    """One call, for a thread that is suspended alone, which is not waited for (``MethodCall``)."""

    def __init__(self, target: Target, thread: int, what: str, make: MakeCommand, rules: InvokeRules) -> None:
        self.limit = rules.limit
        self._target = target
        self._thread = thread
        self._make = make
        self._rules = rules
        self._run = _Invocation(target, thread, what)

    def start(self, on_end: Callable[[Any], None]) -> None:
        """See ``MethodCall``."""
        self._run.on_end = on_end
        self._run.start(self._make(InvokeOptions.INVOKE_SINGLE_THREADED), others_run=False)

    async def unreturned(self) -> JdbpyError:
        """See ``MethodCall``."""
        self._run.left_alone = True
        return await _still_running(self._target, self._thread, self._run, self._rules)


class _Invocation:
    """One call under way, which may outlive the expression that made it."""

    def __init__(self, target: Target, thread: int, what: str) -> None:
        self.what = what
        self.outcome: Any = None
        self.ended = trio.Event()
        self.since = trio.current_time()
        self.left_alone = False
        self.on_end: Callable[[Any], None] | None = None
        self._target = target
        self._thread = thread

    def start(self, command: Command[Any], *, others_run: bool) -> None:
        virtual = self._target.virtual_threads.get(self._thread, False)
        self._target.invocations.begin(self._thread, others_run=others_run, virtual=virtual)
        self._target.suspension.methods[self._thread] = self.what, _what_ends_it(self._target, self._thread)
        self._target.conn.submit(command, on_reply=self._on_reply)

    def leave_alone(self) -> None:
        """Report that an abandoned invocation runs on, if it does."""
        if self.outcome is not None or self.left_alone:
            return
        self.left_alone = True
        target, thread = self._target, self._thread
        stop = target.stops.get(thread)
        named = f'thread "{escape(stop.thread.name)}" ({thread})' if stop and stop.thread else f"thread {thread}"
        text = f"{self.what}, which nobody waits for any more, is still running in {named}"
        data = (("thread", thread), ("runs", True))
        target.publish(Notice("warning", f"{text}: {_what_ends_it(target, thread)}", data))

    def _keep(self, outcome: Any) -> None:
        """Keep the object that a method has given from collection at once, where others run: a moment later it may be
        gone. It is let go with the pin that its expression gives it. wire: no wait.
        """
        target = self._target
        safe = target.suspension.everything_held and target.at_least(17)
        if safe or self.left_alone or self.on_end is not None or not target.conn.allows(_KEEP):
            return
        value = getattr(outcome, "returnValue", None)
        made = getattr(outcome, "newObject", None)
        object_id = made.objectID if made is not None else value.value if value and value.tag in OBJECT_TAGS else 0
        if object_id:
            PinLedger.of(target).pin_result(object_id)

    def _on_reply(self, outcome: Any) -> None:
        self.outcome = outcome
        self._keep(outcome)
        with suppress(Disconnected):
            self._target.invocations.ended(self._thread)
        if self.left_alone and not isinstance(outcome, JdbpyError):
            thrown = bool(outcome.exception.objectID)
            how = "has ended with an exception" if thrown else "has returned"
            data = (("thread", int(self._thread)), ("runs", False))
            self._target.publish(Notice("warning", f"{self.what}, which was left running, {how}", data))
        self.ended.set()
        if self.on_end is not None:
            self.on_end(outcome)
