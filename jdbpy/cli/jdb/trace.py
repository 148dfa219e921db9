"""dbgtrace: what goes over the wire, in the like of JDI's trace: a line each way, and one for each set of events."""

from __future__ import annotations

import re
from collections.abc import Callable

from jdbpy.record import Record

_LINE = re.compile(rb" *[0-9.]+ (->|<-) (?:#([0-9]+) (.*)|(event set .*))", re.DOTALL)
_SENDS, _RECEIVES, _EVENTS = 1, 2, 4


class JdiTrace(Record):
    """Takes the lines of a wire log and says those that the ``flags`` ask for."""

    flags: int
    say: Callable[[str], None]

    def write(self, line: bytes) -> None:
        """Takes a line."""
        match = _LINE.match(line)
        if match is None:
            return
        way, number, command, events = (each.decode(errors="replace") if each else "" for each in match.groups())
        flag, how = (_SENDS, "Sending") if way == "->" else (_EVENTS if events else _RECEIVES, "Receiving")
        if self.flags & flag:
            what = events or f"Command(id={number}) JDWP.{command}"
            self.say(f"[JDI: {how} {what.rstrip()}]")
