"""Takes the README's picture: a real session in a real terminal (tmux), drawn as SVG by rich.

Needs tmux. ``./dev generate picture`` runs it.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "pictures" / "session.svg"
COLUMNS, ROWS = 102, 33
LIMIT = 30.0  # seconds for each piece of text to come

# What is typed, and what is on the screen when the answer is complete.
SESSION = (
    ("stop in coffee.Till.total", "is pending"),
    ("run", "int sum = 0;"),
    ("where", "CoffeeBar.main"),
    ("locals", "Arguments"),
    ("print order.drinks", "ESPRESSO"),
)


class Terminal:
    """A program in a tmux window of its own server, which ends with the block."""

    def __init__(self, command: list[str], environ: dict[str, str]) -> None:
        self._directory = tempfile.TemporaryDirectory()
        self._tmux = ["tmux", "-S", os.path.join(self._directory.name, "socket"), "-f", "/dev/null"]
        size = ["-x", str(COLUMNS), "-y", str(ROWS)]
        variables = [word for name, value in environ.items() for word in ("-e", f"{name}={value}")]
        self._run("new-session", "-d", *size, *variables, *command)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *error: object) -> None:
        self._run("kill-server")
        self._directory.cleanup()

    def type(self, line: str) -> None:
        self._run("send-keys", "-l", line)
        self._run("send-keys", "Enter")

    def screen(self, *, colors: bool = False) -> str:
        return self._run("capture-pane", "-p", *(["-e"] if colors else []))

    def wait_for(self, text: str) -> None:
        end = time.monotonic() + LIMIT
        while text not in self.screen():
            if time.monotonic() > end:
                raise SystemExit(f"{text!r} did not come on the screen:\n{self.screen()}")
            time.sleep(0.1)

    def _run(self, *words: str) -> str:
        return subprocess.run([*self._tmux, *words], capture_output=True, text=True, check=True).stdout


def take_picture() -> None:
    """Debug the bundled program, and keep the last screen as docs/pictures/session.svg."""
    command = [sys.executable, "-m", "jdbpy", "launch", "--sourcepath", "jdbpy/demo/java"]
    command += ["-cp", "jdbpy/demo/classes", "coffee.CoffeeBar"]
    with tempfile.TemporaryDirectory() as home, Terminal(command, {"HOME": home}) as terminal:
        terminal.wait_for("main[1]")
        for line, answer in SESSION:
            terminal.type(line)
            terminal.wait_for(answer)
        time.sleep(0.5)  # the toolbar is drawn last
        screen = terminal.screen(colors=True)
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.from_ansi(screen.rstrip("\n")))
    PICTURE.parent.mkdir(exist_ok=True)
    svg = console.export_svg(title="jdbpy launch -cp classes coffee.CoffeeBar", unique_id="session")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)  # the picture fetches nothing
    svg = svg.replace("<text ", '<text xml:space="preserve" ')  # some viewers drop the blanks that a piece begins with
    PICTURE.write_text(svg, encoding="utf-8")
