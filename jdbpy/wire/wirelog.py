"""The wire log: one readable line for every packet, with its time and what is in it.

Owns the text form and the file. The connection hands it packets, which it leaves as they are. The log
has what the debugged program keeps in its strings, so the file is for its owner only. Times are seconds since
the log was opened; a reply also tells how long it took.

      0.000000 -- 2026-01-31 12:00:00
      0.000512 -> #1 VirtualMachine.IDSizes
      0.000912 -- shook hands with 127.0.0.1:5005
      0.001650 <- #1 VirtualMachine.IDSizes [0.738 ms, 20 bytes] fieldIDSize=8, methodIDSize=8, ...
      0.004103 <- event set 0 [18 bytes] suspendPolicy=ALL, events=[VMStart(requestID=0, thread=1)]
      0.004747 -> #7 ThreadReference.Frames thread=1, startFrame=0, length=-1
      0.004950 <- #7 ThreadReference.Frames [0.203 ms, 0 bytes] THREAD_NOT_SUSPENDED (13)
      9.000000 -- closed: the VM has ended
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from jdbpy.errors import UsageError
from jdbpy.files import open_private

if TYPE_CHECKING:
    from jdbpy.wire.command import Command
    from jdbpy.wire.framing import Packet
    from jdbpy.wire.ids import IDSizes
    from jdbpy.wire.pending import Pending, RawPending

LINE_LIMIT = 500
"""Characters of a line, at most."""

_STREAMS = {"-": 2, "/dev/stderr": 2, "/dev/stdout": 1}
"""Names of streams that this process has, which a log may go to: their descriptors."""


@contextmanager
def open_wire_log(path: str) -> Iterator[WireLog]:
    """Yield a log in a new file at ``path`` with mode 0600; an older file of the user's own is overwritten.

    ``-`` is standard error. Raises UsageError.
    """
    try:
        descriptor = os.dup(_STREAMS[path]) if path in _STREAMS else open_private(path)
    except OSError as error:
        raise UsageError(
            f"cannot write the wire log {path}: {error.strerror}",
            hint="name a new file, or one of your own; - is standard error",
        ) from error
    with open(descriptor, "wb", buffering=0) as file:
        log = WireLog(file)
        log.note(time.strftime("%Y-%m-%d %H:%M:%S"))
        yield log


class LogSink(Protocol):
    """The sink of lines: a file, or something that makes its own of them."""

    def write(self, line: bytes, /) -> object:
        """Take a line, with its end."""


class Recorder(Protocol):
    """The observer of every packet, as bytes: that a command is about to leave, that a packet has come in; and of the
    lines that the user gives and the stops that the user is shown."""

    def sent(self, packet_id: int, command: type[Command[Any]], body: bytes) -> None: ...

    def received(self, packet: Packet) -> None: ...

    def line(self, text: str) -> None: ...

    def stop(self) -> None: ...

    def begin(self) -> None: ...

    def session_began(self, *, remote: bool, hold: str) -> None: ...


class WireLog:
    """Writes lines into ``file``, which is not to be buffered: the last line before a crash is the one that matters.

    When the file cannot be written any more (a full disk, a fault of a sink), the log falls silent, ``failed`` says why
    and ``on_failed`` is called with it: a log may not harm what it watches.
    """

    def __init__(self, file: LogSink) -> None:
        self.failed = ""
        self.on_failed: Callable[[str], None] = lambda reason: None
        self._file = file
        self._start = time.perf_counter()

    def note(self, text: str) -> None:
        """A line that is not about a packet."""
        self._line("--", text)

    def sent(self, packet_id: int, command: Command[Any]) -> float:
        """A command goes out; returns the moment, which the reply's ``received`` wants back."""
        from jdbpy.wire.explain import explain  # here and below: only who logs pays for it

        self._line("->", f"#{packet_id} {command.NAME} {explain(command)}")
        return time.perf_counter()

    def received(self, packet: Packet, sizes: IDSizes, pending: Pending[Any] | RawPending | None) -> None:
        """A packet has come in; of a reply ``pending`` is what it answers, None when that is not known."""
        from jdbpy.wire.explain import explain_body

        command: type[Command[Any]] | None = None
        if pending is not None:
            command = pending.command if isinstance(pending.command, type) else type(pending.command)
        size = f"{len(packet.data)} bytes"
        if not packet.is_reply:
            head = f"event set {packet.id} [{size}]"
        elif pending is None:
            head = f"#{packet.id} answers no command of ours [{size}]"
        else:
            if pending.sent_at:  # else it went out before there was a log
                size = f"{(time.perf_counter() - pending.sent_at) * 1000:.3f} ms, {size}"
            head = f"#{packet.id} {pending.command.NAME} [{size}]"
        self._line("<-", f"{head} {explain_body(packet, sizes, command)}")

    def _line(self, direction: str, text: str) -> None:
        if self.failed:
            return
        line = f"{time.perf_counter() - self._start:12.6f} {direction} {text}".rstrip()
        if len(line) > LINE_LIMIT:
            line = line[: LINE_LIMIT - 3] + "..."
        try:
            self._file.write((line + "\n").encode(errors="backslashreplace"))
        except Exception as error:  # the sink may be anybody's
            of_system = isinstance(error, OSError) and error.strerror
            self.failed = str(of_system or f"{type(error).__name__}: {error}")
            self.on_failed(self.failed)
