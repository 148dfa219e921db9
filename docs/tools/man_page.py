"""Write the man page, out of the text of ``jdbpy --help``: ``./dev generate man``. The wheel installs it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from jdbpy import __version__
from jdbpy.cli.cmdline import HELP

PAGE = Path(__file__).resolve().parents[1] / "jdbpy.1"


def page() -> str:
    """Return the page."""
    usage, _, rest = HELP.partition("\n\n")
    summary, _, rest = rest.partition("\n\n")
    parts = re.split(r"\n\n(?=addresses:|options:|exit status:)", rest)
    titles = ["ACTIONS", "ADDRESSES", "OPTIONS", "EXIT STATUS"]
    lines = [
        f'.TH JDBPY 1 "" "jdbpy {__version__}"',
        ".SH NAME",
        "jdbpy \\- a Java debugger for the terminal and for Python scripts",
        ".SH SYNOPSIS",
        *_verbatim(re.sub(r"^(?:usage:|      ) ", "", line) for line in usage.splitlines()),
        ".SH DESCRIPTION",
        _text(summary),
        "It attaches to the debugger agent of any JVM, by JDWP. At its prompt",
        ".B help",
        "lists the commands.",
    ]
    for title, part in zip(titles, parts, strict=True):
        text = re.sub(r"^(addresses|options|exit status):\s?", "", part).rstrip("\n")
        lines += [f".SH {title}", *_verbatim(text.splitlines())]
    return "\n".join(lines) + "\n"


def _verbatim(lines: Iterable[str]) -> list[str]:
    return [".nf", *map(_text, lines), ".fi"]


def _text(line: str) -> str:
    """Return a line as roff has it."""
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{line}" if line[:1] in (".", "'") else line


def write() -> None:
    PAGE.write_text(page(), encoding="utf-8")
