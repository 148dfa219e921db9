"""Takes the pictures of README and docs: real sessions in a real terminal (tmux), drawn as SVG by rich.

``./dev generate pictures`` takes all of them. It needs tmux and javac; the editor's needs Neovim besides, and the
directory of a clone of nvim-dap in the variable ``NVIM_DAP``: without those it stays as it is.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.text import Text

from jdbpy.record import Record

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"
SHOP = ROOT / "docs" / "tools" / "shop"
LIMIT = 30.0  # seconds for each piece of text to come

JDBPY = (sys.executable, "-m", "jdbpy")
COFFEE = ("--sourcepath", "jdbpy/demo/java", "--", "-cp", "jdbpy/demo/classes", "coffee.CoffeeBar")


ENVIRON = {"PYTHON": sys.executable, "NVIM_DAP": os.environ.get("NVIM_DAP", "")}


class Picture(Record):
    """A session, and what the window of its last screen is called.

    A step is what is typed and what is on the screen when it is answered; keys of tmux are between ``<`` and ``>``.
    ``target`` is a program that runs meanwhile, with the debugger agent at port 5005.
    """

    name: str
    title: str
    command: tuple[str, ...]
    steps: tuple[tuple[str, str], ...]
    target: tuple[str, ...] = ()
    columns: int = 100
    rows: int = 30


SHOWN = (
    Picture(
        "session",
        "jdbpy launch -cp classes coffee.CoffeeBar",
        (*JDBPY, "launch", *COFFEE),
        (
            ("", "main[1]"),
            ("stop in coffee.Till.total<Enter>", "is pending"),
            ("run<Enter>", "int sum = 0;"),
            ("where<Enter>", "CoffeeBar.main"),
            ("locals<Enter>", "Arguments"),
            ("print order.drinks<Enter>", "ESPRESSO"),
        ),
    ),
    Picture(
        "screen",
        "jdbpy launch --screen -cp classes coffee.CoffeeBar",
        (*JDBPY, "launch", "--screen", *COFFEE),
        (
            ("", "Ready to start"),
            (":stop in coffee.Till.total<Enter>", "is pending"),
            ("<F5>", "int sum = 0;"),
            (":display sum / 100.0<Enter>", "4 Watches"),
            ("<F8>", "▶ 12"),
            ("<F8>", "▶ 13"),
            ("<F9>", "Breakpoint 2"),
            ("<F8>", "▶ 14"),
            ("<F5>", "Breakpoint 2 hit"),
            ("2<Down><Right>", "▾ order"),
        ),
        columns=110,
        rows=34,
    ),
    Picture(
        "calls",
        "jdbpy attach 5005",
        (*JDBPY, "attach", "--sourcepath", str(SHOP), "5005"),
        (
            ("", ">"),
            ("calls tree acme.Shop.checkout -max 40<Enter>", "in its own code"),
            ("calls acme.Stock.price -max 3 if $cost > 2ms<Enter>", "3 reported"),
        ),
        target=("acme.Shop",),
        columns=110,
        rows=20,
    ),
    Picture(
        "deadlock",
        "jdbpy attach 5005",
        (*JDBPY, "attach", "--sourcepath", str(SHOP), "5005"),
        (("", ">"), ("deadlocks<Enter>", "to look)")),
        target=("acme.Shop", "audit"),
        columns=110,
        rows=12,
    ),
    Picture(
        "editor",
        "nvim Till.java",
        ("nvim", "-u", "docs/tools/editor.lua", "jdbpy/demo/java/coffee/Till.java"),
        (
            ("", "sum += drink.price;"),
            (":13<Enter>:lua require('dap').toggle_breakpoint()<Enter>", "●"),
            (":lua require('dap').continue()<Enter>", "▶"),
            (":lua show()<Enter>", "drink:"),
            ("<C-w>l/order<Enter><Enter>", "number:"),
            ("<C-w>bawhere<Enter>", "[1]"),
            ("print order.drinks.get(0).price<Enter>", "220"),
            ("<Escape><C-w>t:<Escape>", ""),
        ),
        columns=120,
        rows=36,
    ),
)


class Terminal:
    """A program in a tmux window of its own server, which ends with the block."""

    def __init__(self, command: list[str], environ: dict[str, str], columns: int, rows: int) -> None:
        self._directory = tempfile.TemporaryDirectory()
        self._tmux = ["tmux", "-S", os.path.join(self._directory.name, "socket"), "-f", "/dev/null"]
        size = ["-x", str(columns), "-y", str(rows)]
        variables = [word for name, value in environ.items() for word in ("-e", f"{name}={value}")]
        self._run("new-session", "-d", *size, *variables, *command)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *error: object) -> None:
        self._run("kill-server")
        self._directory.cleanup()

    def type(self, keys: str) -> None:
        """Press keys; those between ``<`` and ``>`` are tmux's names."""
        for piece in re.findall(r"<[\w-]+>|[^<]+|<", keys):
            if re.fullmatch(r"<[\w-]+>", piece):
                self._run("send-keys", piece[1:-1])
            else:
                self._run("send-keys", "-l", piece)

    def screen(self, *, colors: bool = False) -> str:
        """Return what is on the screen."""
        return self._run("capture-pane", "-p", *(["-e"] if colors else []))

    def wait_for(self, text: str) -> None:
        """Wait until a text is on the screen."""
        end = time.monotonic() + LIMIT
        while text not in self.screen():
            if time.monotonic() > end:
                raise SystemExit(f"{text!r} did not come on the screen:\n{self.screen()}")
            time.sleep(0.1)

    def settle(self) -> None:
        """Wait until the screen stays as it is for a second: toolbars and panes are drawn last."""
        before, since = "", time.monotonic()
        while time.monotonic() < since + 1:
            if (now := self.screen()) != before:
                before, since = now, time.monotonic()
            time.sleep(0.1)

    def _run(self, *words: str) -> str:
        return subprocess.run([*self._tmux, *words], capture_output=True, text=True, check=True).stdout


@contextmanager
def running(words: tuple[str, ...]) -> Iterator[None]:
    """Run a program of ``shop/`` with the debugger agent, if one is named."""
    if not words:
        yield
        return
    with tempfile.TemporaryDirectory() as classes:
        subprocess.run(["javac", "-g", "-d", classes, *map(str, SHOP.rglob("*.java"))], check=True)
        agent = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:5005"
        command = ["java", agent, "-cp", classes, *words]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                process.stdout.readline()  # Listening for transport ...
                yield
            finally:
                process.kill()


def take(picture: Picture) -> None:
    """Go through a session, and keep its last screen."""
    with tempfile.TemporaryDirectory() as home, running(picture.target):
        with Terminal([*picture.command], {"HOME": home, **ENVIRON}, picture.columns, picture.rows) as terminal:
            for keys, answer in picture.steps:
                terminal.type(keys)
                terminal.wait_for(answer)
            terminal.settle()
            screen = terminal.screen(colors=True)
    (PICTURES / f"{picture.name}.svg").write_text(drawn(picture, screen), encoding="utf-8")


def drawn(picture: Picture, screen: str) -> str:
    """Return a screen as SVG: without fonts from elsewhere, and with the blanks that a piece begins with."""
    console = Console(
        record=True, width=picture.columns, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    console.print(Text.from_ansi(screen.rstrip("\n")), no_wrap=True, crop=True)
    svg = console.export_svg(title=picture.title, unique_id=picture.name)
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    return svg.replace("<text ", '<text xml:space="preserve" ')


def take_pictures() -> None:
    """Take all pictures that this machine can take."""
    for picture in SHOWN:
        if picture.name == "editor" and not (shutil.which("nvim") and ENVIRON["NVIM_DAP"]):
            print("the picture of the editor stays as it is: it needs nvim, and NVIM_DAP=DIRECTORY")
        else:
            take(picture)
