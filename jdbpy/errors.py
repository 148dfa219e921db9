"""Every error that jdbpy raises on purpose, as one tree.

    JdbpyError
    ├── UsageError        the words of a command or the arguments of a call are off
    ├── StateError        right words at the wrong time (a running thread, a frame of an earlier stop)
    │   └── ReadOnlyError     it would change or suspend the target, and the session is read-only
    ├── JdwpError         the agent in the target answered with an error code
    ├── ProtocolError     the peer sent bytes that are not JDWP
    ├── ConnectError      no connection, or no handshake
    ├── Disconnected      the connection ended while it was still needed
    ├── TimedOut          a limit of time that the user gave has passed
    ├── LeaveError        the session is over, but it is not certain that the target runs
    ├── PluginError       Python code of the user has failed: a plug-in, or a line of `py`
    └── EvalError         a Java expression cannot be compiled or evaluated

Each carries one sentence, ``message``, a ``hint`` that says what to do next, and a ``code``: an upper-case word for
programs (JSON output). ``str(error)``, which a traceback shows, is the sentence, and the hint on a line of its own.
This module imports nothing of jdbpy and knows nothing about the layers above it.
"""

from __future__ import annotations


class JdbpyError(Exception):
    """Base of all errors that jdbpy raises on purpose.

    ``message`` is one sentence for the user; ``hint`` says what to do next, or is empty; ``code`` names the error for
    programs and is spelled like ``UNKNOWN_COMMAND``.
    """

    default_code = "ERROR"

    def __init__(self, message: str, *, hint: str = "", code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code or self.default_code

    def __str__(self) -> str:
        return f"{self.message}\n  hint: {self.hint}" if self.hint else self.message


class UsageError(JdbpyError):
    """The words of a command, or the arguments of a call, do not make sense."""

    default_code = "USAGE"


class StateError(JdbpyError):
    """The request makes sense, but not now: the target runs, has ended, or the frame belongs to an earlier stop."""

    default_code = "STATE"


class ReadOnlyError(StateError):
    """The request would change the target, or suspend it, and the session is read-only. Nothing was sent."""

    default_code = "READ_ONLY"


class JdwpError(JdbpyError):
    """The agent answered with an error. ``number`` is the JDWP error code, ``code`` its constant's name."""

    default_code = "JDWP"

    def __init__(self, number: int, name: str, message: str = "", *, hint: str = "", command: str = "") -> None:
        text = message or (f"the target answered {name} ({number})" + (f" to {command}" if command else ""))
        super().__init__(text, hint=hint, code=name)
        self.number = number
        self.command = command


class ProtocolError(JdbpyError):
    """The peer sent bytes that are not JDWP; names the message, the field and the offset of the fault."""

    default_code = "PROTOCOL"


class ConnectError(JdbpyError):
    """No connection could be made, or the peer did not answer the handshake (exit status 3).

    ``taken`` is the address of an agent of this machine that has another debugger (code HAS_DEBUGGER), else "".
    """

    default_code = "CONNECT"
    taken = ""


class Disconnected(JdbpyError):
    """The connection ended while it was still needed (exit status 5). ``reason`` says why, in words."""

    default_code = "DISCONNECTED"

    def __init__(self, reason: str, *, hint: str = "", code: str = "") -> None:
        super().__init__(f"the connection to the target is closed: {reason}", hint=hint, code=code)
        self.reason = reason


class TimedOut(JdbpyError):
    """A time limit that the user gave has passed (exit status 4)."""

    default_code = "TIMED_OUT"


class LeaveError(JdbpyError):
    """The session has ended, but the target has not confirmed that all of its threads run (exit status 1)."""

    default_code = "LEAVE"


class PluginError(JdbpyError):
    """Code of the user in Python has failed; ``traceback`` is Python's own account of it, or ""."""

    default_code = "PLUGIN"
    traceback = ""


class EvalError(JdbpyError):
    """An expression cannot be compiled or evaluated. ``column`` is the 0-based place in the expression, or None.

    ``expression`` is set where the caller has given other words too, so that it is not plain what the column counts in.
    """

    default_code = "EVAL"
    expression = ""

    def __init__(self, message: str, column: int | None = None, *, hint: str = "", code: str = "") -> None:
        super().__init__(message, hint=hint, code=code)
        self.column = column


class Thrown(EvalError):
    """The expression completed abruptly: a Java exception left it (JLS 11.1.1).

    ``exception_type`` is the binary name of its class and ``exception_message`` its message (None for null). ``id`` is
    the object in the target, also kept as ``$exc``, or None when the debugger itself evaluated what Java says throws
    (``1/0``). ``stack`` holds the throwable's stack as lines of text, outermost last.
    """

    default_code = "EXCEPTION_THROWN"

    def __init__(
        self,
        exception_type: str,
        exception_message: str | None = None,
        *,
        id: int | None = None,
        stack: tuple[str, ...] = (),
        column: int | None = None,
        hint: str = "",
    ) -> None:
        text = exception_type if exception_message is None else f"{exception_type}: {exception_message}"
        super().__init__(text, column, hint=hint)
        self.exception_type = exception_type
        self.exception_message = exception_message
        self.id = id
        self.stack = stack
