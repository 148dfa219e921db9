"""The events of a session, as events of the protocol: stopped, continued, output, breakpoint, exited and so on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import trio

import jdbpy
from jdbpy import JdbpyError, UsageError
from jdbpy.dap.adapter import Adapter
from jdbpy.dap.protocol import Body
from jdbpy.escape import escape, escape_lines
from jdbpy.task_groups import open_nursery

if TYPE_CHECKING:
    from jdbpy import Event, Notice, Session, Stopped

_SILENT = frozenset(
    {
        "breakpoint-resolved",
        "breakpoint-pending",
        "breakpoint-failed",
        "breakpoint-free",
        "thread-started",
        "thread-ended",
    }
)


async def follow(
    adapter: Adapter, session: Session, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    """Send what happens in the session, until it ends."""
    async with open_nursery() as nursery:
        with session.events() as stream:
            task_status.started()
            await _hand_on(adapter, session, stream, nursery)


async def _hand_on(adapter: Adapter, session: Session, stream: AsyncIterator[Event], nursery: trio.Nursery) -> None:
    async for event in stream:
        match event:
            case jdbpy.Stopped():
                await _stopped(adapter, session, event)
                nursery.start_soon(_act, adapter, event)
            case jdbpy.Output(stream=name, text=text):
                adapter.sender.event("output", {"category": name, "output": text})
            case jdbpy.Notice():
                _noticed(adapter, event)
            case jdbpy.ThreadsResumed():
                report_resumed(adapter, everything=not event.threads and not event.suspended)
            case jdbpy.EventsDropped(count=count):
                say(adapter, f"{count} events were dropped (too fast to show)", "important")
            case jdbpy.Exited(status=status, reason=reason):
                if reason:
                    say(adapter, reason)
                await _exited(adapter, status)
            case jdbpy.VMDisconnected(reason=reason):
                if reason != "detached":
                    say(adapter, f"the connection to the target is closed: {reason}", "important")
                    await _exited(adapter, None)
                else:
                    adapter.ended()


async def _exited(adapter: Adapter, status: int | None) -> None:
    """Tell the client the exit status, where it can be known, and leave the session. No trip."""
    if status is None and adapter.terminal is not None:
        status = await adapter.terminal.status()
    if status is not None and not adapter.quietly:
        adapter.sender.event("exited", {"exitCode": status})
    adapter.ended()


async def _act(adapter: Adapter, stop: Stopped) -> None:
    """Run what the console has ordered for a stop."""
    try:
        await adapter.console.stopped(stop)
    except JdbpyError as error:  # it runs by now, or has ended
        if adapter.has_session:
            say(adapter, error.message, "important")


def say(adapter: Adapter, text: str, category: str = "console") -> None:
    """Show a line in the client's console."""
    adapter.sender.event("output", {"category": category, "output": f"{escape_lines(text)}\n"})


async def _stopped(adapter: Adapter, session: Session, stop: Stopped) -> None:
    if stop.reason is jdbpy.StopReason.START and not (adapter.stop_on_entry and not adapter.main_class):
        if adapter.configured:  # it came late
            await _resume(session)
        return
    if stop.reason is jdbpy.StopReason.START and not adapter.configured:
        return
    if await _goes_on_into_call(adapter, session, stop):
        return
    show_stop(adapter, stop)


async def _goes_on_into_call(adapter: Adapter, session: Session, stop: Stopped) -> bool:
    """True if the stop is no more than the way to a call that the client wants to step into.

    wire: 2 trips if it is, or if the thread has stopped before it came there.
    """
    thread = stop.thread.id if stop.thread is not None else 0
    numbers = [number for number, of in adapter.calls.items() if of == thread]
    for number in numbers:
        del adapter.calls[number]
    try:
        if numbers and stop.breakpoints == (numbers[-1],):
            await session.execution.start_step(jdbpy.StepDepth.INTO, thread_id=thread)
            return True
        for number in numbers:
            with suppress(UsageError):  # it was hit before, and has gone
                await session.points.remove([number])
    except JdbpyError:  # it runs by now, or has ended
        return False
    return False


async def _resume(session: Session) -> None:
    try:
        await session.execution.resume()
    except JdbpyError:  # it runs by now, or has ended
        return


def show_stop(adapter: Adapter, stop: Stopped) -> None:
    """Send the event of a stop. No trip."""
    adapter.drop_old()
    adapter.breakpoints.were_hit(stop)
    adapter.breakpoints.tell_messages()
    body: Body = {
        "reason": _reason(adapter, stop),
        "allThreadsStopped": adapter.session.suspended_everything,
        **_told(stop),
    }
    if stop.thread is not None:
        elsewhere = [each for each in adapter.stops.values() if each is not stop and adapter.session.is_current(each)]
        body["threadId"] = adapter.thread_number(stop.thread.id)
        body["preserveFocusHint"] = bool(elsewhere) and stop.reason is not jdbpy.StopReason.PAUSE and not _own(stop)
        adapter.stops[stop.thread.id] = stop
        if stop.frame is not None and not body["preserveFocusHint"]:
            adapter.readings.ahead(stop.frame)
    hit = adapter.breakpoints.hit_ids(stop)
    if hit:
        body["hitBreakpointIds"] = hit
    adapter.sender.event("stopped", body)


def _own(stop: Stopped) -> bool:
    """True if the client asked for this very stop."""
    return stop.reason in (jdbpy.StopReason.STEP, jdbpy.StopReason.UNTIL)


def _reason(adapter: Adapter, stop: Stopped) -> str:
    thread = stop.thread.id if stop.thread is not None else 0
    if thread in adapter.restarting:
        adapter.restarting.discard(thread)
        if stop.reason is jdbpy.StopReason.STEP:
            return "restart"
    if adapter.breakpoints.entry in stop.breakpoints:
        return "entry"
    kind = adapter.breakpoints.kind(stop.breakpoint)
    if stop.reason is jdbpy.StopReason.BREAKPOINT and kind in ("function", "instruction"):
        return f"{kind} breakpoint"
    return stop.reason.words.editor or str(stop.reason)


def _told(stop: Stopped) -> Body:
    """Return what is shown beside the reason: ``description`` in place of it, ``text`` as well."""
    told: dict[str, Any] = {}
    if stop.exception is not None:
        told["description"] = "Paused on exception"
        message = f": {stop.exception.message}" if stop.exception.message is not None else ""
        told["text"] = escape(stop.exception.type + message)
    elif stop.variable:
        told["description"] = escape(f"{stop.variable} is read")
        if stop.new_value is not None:
            old = f" from {stop.old_value.text}" if stop.old_value is not None else ""
            told["description"] = escape(f"{stop.variable} changes{old} to {stop.new_value.text}")
    if stop.message:
        told["text"] = escape(stop.message)
    return told


def _noticed(adapter: Adapter, notice: Notice) -> None:
    data = dict(notice.data)
    number = data.get("breakpoint", data.get("number"))
    if notice.kind in _SILENT:
        if isinstance(number, int):
            heard = adapter.breakpoints
            (heard.resolved if notice.kind == "breakpoint-resolved" else heard.changed)(number)
        thread = notice.report.thread if notice.report is not None else None
        if thread is not None and number == adapter.thread_point:
            reason = "started" if notice.kind == "thread-started" else "exited"
            adapter.sender.event("thread", {"reason": reason, "threadId": adapter.thread_number(thread.id)})
        return
    if number == adapter.thread_point:
        return
    if notice.kind in ("breakpoint-changed", "breakpoint-removed") and isinstance(number, int):
        adapter.breakpoints.changed(number)  # by another client of the session
    if notice.kind == "resumed":
        report_resumed(adapter)
    adapter.left_methods.heard(notice)
    lines = (notice.text,) if notice.kind == "logpoint" else notice.lines  # a client's log message is its own text
    body: Body = {"category": "console", "output": "".join(f"{escape(line)}\n" for line in lines)}
    if notice.kind in ("warning", "resumed", "left-out", "switched-off", "hot-place"):
        body["category"] = "important"
    adapter.sender.event("output", body)


def report_resumed(adapter: Adapter, *, everything: bool = False) -> None:
    """Something was resumed that no request of the client asked to resume: by ``maxSuspend``, by a command, by another
    client. ``everything``: for certain; else if nothing is suspended by now."""
    everything = everything or adapter.session.state is not jdbpy.VmState.STOPPED
    for thread, stop in list(adapter.stops.items()):
        if not adapter.session.is_current(stop):
            del adapter.stops[thread]
            number = adapter.thread_number(thread)
            adapter.sender.event("continued", {"threadId": number, "allThreadsContinued": everything})
