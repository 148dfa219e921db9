"""Lines of Python after `py`: when they are whole, and when they end.

At the prompt a statement runs when it is whole, as in Python's own interpreter: a block ends with an empty line. In a
file or a batch all lines up to `end` are one piece. Runs nothing.
"""

from __future__ import annotations

from jdbpy.errors import UsageError

_LEAVE = ("exit", "quit", "exit()", "quit()", "end")


class PythonLines:
    """The lines that were taken and have not run yet. ``ended`` is set by the line that leaves."""

    def __init__(self, *, interactive: bool) -> None:
        self.ended = False
        self._interactive = interactive
        self._lines: list[str] = []

    @property
    def prompt(self) -> str:
        """Return what stands before the next line."""
        return "... " if self._lines else ">>> "

    def clear(self) -> bool:
        """Forget lines that have not run; False if there are none."""
        had = bool(self._lines)
        self._lines.clear()
        return had

    def take(self, line: str) -> str:
        """Take a line; return the piece of code that it makes whole, or ""."""
        if not self._interactive:
            if line.strip() != "end":
                self._lines.append(line)
                return ""
            self.ended = True
            return self._whole()
        if not self._lines and (not line.strip() or line.strip() in _LEAVE):
            self.ended = bool(line.strip())
            return ""
        self._lines.append(line)
        return self._whole() if self._is_whole() else ""

    def _whole(self) -> str:
        source = "\n".join(self._lines)
        self._lines.clear()
        return source

    def _is_whole(self) -> bool:
        from codeop import compile_command

        try:
            return compile_command("\n".join(self._lines), "<py>", "single") is not None
        except (SyntaxError, ValueError, OverflowError):  # as it is run, that is said
            return True


def unfinished_python() -> UsageError:
    """Return the error for `py` whose lines have no end."""
    return UsageError("after 'py' the line 'end' is missing", code="SCRIPT")
