"""What can go wrong in an expression: in compiling it (EvalError) and in running it (Thrown).

Owns the exception that stands for a Java exception. It says nothing about how either is shown.
"""

from __future__ import annotations

from jdbpy.errors import EvalError


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
