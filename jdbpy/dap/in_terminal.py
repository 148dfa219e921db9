"""Runs a program in a terminal and tells the adapter its exit status: ``PORT TOKEN COMMAND...``.

The editor starts this in a terminal of its own: only the parent of a process learns its status. It runs by its path,
without the rest of jdbpy. The program has the terminal, its signals included; those that are for this process alone
are handed on.
"""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from contextlib import suppress
from types import FrameType

_OF_THE_TERMINAL = ("SIGINT", "SIGQUIT")
"""Signals that the terminal sends to the program as well."""
_HANDED_ON = ("SIGTERM", "SIGHUP")
_LIMIT = 2.0


def main(words: list[str]) -> int:
    """Run the program; return its status as a shell has it."""
    port, token, *command = words
    try:
        program = subprocess.Popen(command)
    except OSError as error:
        sys.stderr.write(f"cannot start {command[0]}: {error.strerror or error}\n")
        return _tell(int(port), token, 127)

    def hand_on(number: int, frame: FrameType | None) -> None:
        program.send_signal(number)

    for name in (*_OF_THE_TERMINAL, *_HANDED_ON):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_IGN if name in _OF_THE_TERMINAL else hand_on)
    status = program.wait()
    return _tell(int(port), token, status if status >= 0 else 128 - status)


def _tell(port: int, token: str, status: int) -> int:
    """Tell the adapter, if it is still there. Return the status."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=_LIMIT) as adapter:
        adapter.sendall(f"{token} {status}\n".encode())
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
