"""The full screen on a pseudo-terminal: what is on it, and the keys that a person presses."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pyte
import pyte.modes

from tests.cli.pseudo_terminal import PseudoTerminal, open_terminal
from tests.harness import Jvm, Program

F5, F7, F8, F9, F10, F11 = "\x1b[15~", "\x1b[18~", "\x1b[19~", "\x1b[20~", "\x1b[21~", "\x1b[23~"
SHIFT_F8 = "\x1b[19;2~"
BACK = "\x18"
"""From the prompt to the panes. Escape does that too, but makes another key of one that follows at once."""

UP, DOWN, RIGHT, LEFT, ESCAPE, TAB = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b", "\t"

OF_TMUX = re.compile(r"\x1b\[\?\d+[\$a-z]*p|\x1b\[>[0-9;]*[a-zA-Z]|\x1b\[[0-9;]* q")


class PyteScreen:
    """The rows of a terminal, as ``PseudoTerminal`` wants a screen."""

    def __init__(self, columns: int, rows: int) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self._screen)

    def feed(self, data: str) -> None:
        """Draw what a program wrote."""
        self._stream.feed(OF_TMUX.sub("", data))

    def resize(self, columns: int, rows: int) -> None:
        """Another size."""
        self._screen.resize(rows, columns)

    @property
    def text(self) -> str:
        """All rows."""
        return "\n".join(row.rstrip() for row in self._screen.display)

    @property
    def cursor_line(self) -> str:
        """The row of the cursor."""
        return str(self._screen.display[self._screen.cursor.y]).rstrip()


class FullTerminal:
    """A running jdbpy on its full screen."""

    def __init__(self, terminal: PseudoTerminal) -> None:
        self.terminal = terminal

    @property
    def text(self) -> str:
        """What is on the screen now."""
        return self.terminal.screen.text

    @property
    def current(self) -> str:
        """The row of the source that the program stands at, without its margin and what is beside it; "" for none."""
        found = re.search(r"^.?[▶▷] *(\d+) (.*?)(?:│.*)?$", self.text, re.MULTILINE)
        return found[2].strip() if found else ""

    def pane(self, number: int, *, beside: str = "│") -> str:
        """The rows from a pane's title on, from its column on."""
        rows = self.text.split("\n")
        for place, row in enumerate(rows):
            at = row.find(f"─ {number} ")
            if at >= 0:
                return "\n".join(each[at:] for each in rows[place:])
        return ""

    def press(self, keys: str) -> None:
        """Press keys."""
        self.terminal.type(keys)

    async def sees(self, *wanted: str | Callable[[], bool], what: str = "") -> None:
        """Wait until all of these are on the screen, or true."""
        for each in wanted:
            if isinstance(each, str):
                await self.terminal.wait_until(lambda text=each: text in self.text, repr(each))  # type: ignore[misc]
            else:
                await self.terminal.wait_until(each, what or "something on the screen")

    async def stands_at(self, code: str) -> None:
        """Wait until the program stands at a line with this code, and all panes show that stop."""
        await self.terminal.wait_until(lambda: code in self.current, f"the current line {code!r}")

    async def command(self, line: str) -> None:
        """Type a command at the prompt of the screen, and come back to the panes."""
        self.press(":\x15" + line)
        await self.sees(line)
        self.press("\r")
        await self.sees(lambda: not self.terminal.screen.cursor_line.endswith(line), what="the line to be taken")


@asynccontextmanager
async def full_screen(
    words: list[str],
    home: Path,
    *,
    columns: int = 100,
    lines: int = 30,
    environ: Mapping[str, str] | None = None,
) -> AsyncIterator[FullTerminal]:
    """jdbpy with these words and ``--screen``."""
    opened = open_terminal(
        [words[0], "--screen", *words[1:]], home, columns=columns, lines=lines, environ=environ, screen=PyteScreen
    )
    async with opened as terminal:
        yield FullTerminal(terminal)


def launched(program: Program, jvm: Jvm, *arguments: str) -> list[str]:
    """The words that launch a program."""
    return ["launch", "--sourcepath", program.sources, "--", "-cp", program.classes, program.main, *arguments]


def restored(screen: FullTerminal) -> bool:
    """True if the terminal is as it was: no alternate screen, no mouse, the cursor is there."""
    sent = screen.terminal.sent
    return all(
        sent.rfind(on) < sent.rfind(off)
        for on, off in (("\x1b[?1049h", "\x1b[?1049l"), ("\x1b[?1000h", "\x1b[?1000l"), ("\x1b[?25l", "\x1b[?25h"))
    )
