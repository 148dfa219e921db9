"""The target's events in jdb's words and order: message, place, source line, monitors, prompt."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from jdbpy import Event, Exited, Location, Notice, Output, Stopped, StopReason, SuspendPolicy, VMDisconnected
from jdbpy.jdb.debugger import Debugger
from jdbpy.jdb.values import place, text_of, thread_and_place

_THREAD = re.compile(r'thread "(.*)", ')


class Teller:
    """Tells events. ``run_line`` runs a monitor's command, with a prompt after it, as after every command."""

    def __init__(self, jdb: Debugger, run_line: Callable[[str], Awaitable[None]]) -> None:
        self._jdb = jdb
        self._out = jdb.out
        self._run_line = run_line

    async def tell(self, event: Event) -> None:
        """Tells one event."""
        match event:
            case Stopped():
                await self._stop(event)
            case Notice():
                await self._notice(event)
            case Output():
                self._out.raw(event.text)
            case Exited():
                self._out.print("\nThe application exited\n")
            case VMDisconnected():
                self._out.print("\nThe application has been disconnected\n")

    async def _stop(self, stop: Stopped) -> None:
        jdb = self._jdb
        for reason in stop.reasons or (stop.reason,):
            if reason is StopReason.CLASS_PREPARE:
                continue  # each failure was published by itself
            self._out.news(_announcement(stop, reason))
        if stop.policy is not SuspendPolicy.ALL:
            await jdb.follow()
            await self._place(stop)
            jdb.prompt()
            return
        if stop.thread is not None:
            await jdb.make_current(stop.thread)
        await self._place(stop)
        self._out.line()
        for command in list(jdb.monitors.values()):
            await self._run_line(command)
        jdb.prompt()

    async def _place(self, stop: Stopped) -> None:
        if stop.location is None or stop.thread is None or stop.reason is StopReason.START:
            self._out.line("No frames on the current call stack")
            return
        await self._line_of(stop.thread.name, stop.location)

    async def _line_of(self, thread: str, location: Location) -> None:
        self._out.line(thread_and_place(thread, location))
        await self._jdb.source_line(location.class_name, location.line, location.source_file)

    async def _notice(self, notice: Notice) -> None:
        data = dict(notice.data)
        number = data.get("breakpoint")
        spec = self._jdb.specs.by_number(number) if isinstance(number, int) else None
        if notice.kind == "breakpoint-resolved" and spec is not None:
            if not spec.resolved:
                spec.resolved = True
                self._out.line(f"Set deferred {spec.text}")
        elif notice.kind == "breakpoint-failed" and spec is not None:
            reason = spec.why_not(notice.text.partition(": ")[2] or notice.text, str(data.get("code", "")))
            self._out.line(f"Unable to set deferred {spec.text} : {reason}")
            self._out.line("\nStopping due to deferred breakpoint errors.")
        elif notice.kind in _HITS:
            await self._hit(notice)
        elif notice.kind == "trace":
            self._traced(notice)

    async def _hit(self, notice: Notice) -> None:
        """A hit that suspends nothing."""
        report = notice.report
        self._out.news(_announced_hit(notice))
        self._out.line(_where(notice))
        if report is not None and report.location is not None:
            await self._jdb.source_line(report.location.class_name, report.location.line, report.location.source_file)
        self._jdb.prompt()

    def _traced(self, notice: Notice) -> None:
        if notice.text.startswith("method entered"):
            self._out.line(f"Method entered: {_where(notice)}")
            return
        returned = notice.report.return_value if notice.report is not None else None
        self._out.line(f"Method exited: return value = {text_of(returned)}, {_where(notice)}")


_HITS = ("breakpoint-hit", "field-read", "field-changed")


def _announced_hit(notice: Notice) -> str:
    report = notice.report
    if report is None or notice.kind == "breakpoint-hit":
        return StopReason.BREAKPOINT.words.jdb
    if report.new_value is None:
        return f"Field ({report.variable}) access encountered: "
    return f"Field ({report.variable}) is {text_of(report.old_value)}, will be {text_of(report.new_value)}: "


def _announcement(stop: Stopped, reason: StopReason) -> str:
    if reason is StopReason.EXCEPTION and stop.exception is not None:
        caught = stop.exception.catch_location
        how = f"(to be caught at: {place(caught)})" if caught is not None else "(uncaught)"
        return f"Exception occurred: {stop.exception.type} {how}"
    if reason is StopReason.ACCESS:
        return f"Field ({stop.variable}) access encountered: "
    if reason is StopReason.MODIFICATION:
        return f"Field ({stop.variable}) is {text_of(stop.old_value)}, will be {text_of(stop.new_value)}: "
    if reason is StopReason.METHOD_EXIT:
        return f"Method exited: return value = {text_of(stop.return_value)}, "
    return reason.words.jdb


def _where(notice: Notice) -> str:
    """Thread and place of a notice."""
    data = dict(notice.data)
    name = _THREAD.search(notice.text)
    line, index = data.get("line"), data.get("code_index", 0)
    at = f"{data.get('class')}.{data.get('method')}(), line={-1 if line is None else line} bci={index}"
    return f'"thread={name[1] if name else ""}", {at}'
