"""Writes docs/api-reference.md: every name of the scripting interface, from the docstrings."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jdbpy.sync
from jdbpy import errors
from jdbpy.session.values.export import JavaObject

PAGE = Path(__file__).resolve().parents[1] / "api-reference.md"

CLASSES = (
    "Vm", "Breakpoint", "Hits", "Hit", "Reported", "Stop", "Thread", "Stack", "Frame", "Place", "Value", "Children",
    "Chain", "Heap", "Histogram", "Timing", "Calls", "CallTiming", "Table",
)  # fmt: skip
FUNCTIONS = ("attach", "launch", "listen", "join", "open_snapshot")

_HEAD = """\
<!-- Made by ./dev generate from the program; do not edit. -->
# Reference of the scripting interface

The names of `jdbpy.sync`. Those of `import jdbpy` are the same; there, what takes a trip is awaited, properties too
(`await value.string`), blocks are `async with`, loops `async for`. [Scripts in Python](api.md) tells how they go
together.

*wire* is how many round trips to the JVM a call takes; what says *no trip* only looks at what is there. Times are in
seconds, unless they say otherwise. All calls that ask raise `Disconnected` when the connection is lost.
"""


def text() -> str:
    """The page."""
    return "\n".join([_HEAD, *_page()]).rstrip("\n") + "\n"


def write() -> None:
    PAGE.write_text(text(), encoding="utf-8")


def members(cls: Any) -> Iterator[tuple[str, Any]]:
    """The public members of a class in the order in which they are written, those of its bases after its own."""
    seen: set[str] = set()
    for base in cls.__mro__:
        if not base.__module__.startswith("jdbpy.") or base.__name__.startswith("Synced"):
            continue
        for name, member in vars(base).items():
            public = not name.startswith("_") or name == "__getitem__"
            if public and name not in seen and (inspect.isfunction(member) or isinstance(member, property)):
                seen.add(name)
                yield name, member


def _page() -> Iterator[str]:
    yield "## Opening\n"
    for name in FUNCTIONS:
        yield from _entry(name, getattr(jdbpy.sync, name))
    for name in CLASSES:
        cls = getattr(jdbpy.sync, name)
        yield f"## {name}\n"
        own = cls.__mro__[1]
        if own.__name__ in CLASSES:
            yield f"A `{own.__name__}`, and so all of that as well.\n"
        yield _markdown(cls.__doc__)
        inherited = dict(members(own)) if own.__name__ in CLASSES else {}
        for each, member in members(cls):
            if each not in inherited or vars(cls).get(each) is member:
                yield from _entry(each, member)
    yield "## JavaObject\n"
    yield _markdown(JavaObject.__doc__)
    yield "What becomes what in `value.python()`:\n"
    yield _translation()
    yield "## Errors\n"
    for name in _errors():
        yield f"* **{name}**: {_one_line(getattr(errors, name).__doc__)}"


def _errors() -> list[str]:
    tree = ast.parse(Path(errors.__file__).read_text(encoding="utf-8"))
    return [node.name for node in tree.body if isinstance(node, ast.ClassDef)]


def _entry(name: str, member: Any) -> Iterator[str]:
    called = "[...]" if name == "__getitem__" else name
    if isinstance(member, property):
        kind = inspect.signature(member.fget).return_annotation if member.fget is not None else ""
        yield f"### {called}\n"
        yield f"```text\n{called} -> {kind}\n```\n"
        yield _markdown(member.__doc__)
        return
    signature = re.sub(r"^\(self(, /)?(, )?", "(", str(inspect.signature(member)))
    signature = re.sub(r"(: |-> )'([^']*)'", r"\1\2", signature).replace("''", '""')
    yield f"### {called}\n"
    yield f"```text\n{_wrapped(called.replace('[...]', ''), signature)}\n```\n"
    yield _markdown(member.__doc__)


def _wrapped(name: str, signature: str) -> str:
    """A signature on several lines where one would be too long."""
    whole = f"{name}{signature}"
    if len(whole) <= 110:
        return whole
    inside, _, returns = signature[1:].rpartition(") -> ")
    lines, depth, word = [], 0, ""
    for char in inside:
        depth += (char in "[(") - (char in "])")
        if char == "," and not depth:
            lines.append(word.strip())
            word = ""
        else:
            word += char
    lines.append(word.strip())
    return f"{name}(\n" + "".join(f"    {line},\n" for line in lines) + f") -> {returns}"


def _markdown(doc: str | None) -> str:
    cleaned = inspect.cleandoc(doc or "").replace("``", "`")
    cleaned = re.sub(r"\bwire: ", "*wire*: ", cleaned)
    return cleaned.replace("<", "\\<") + "\n"


def _one_line(doc: str | None) -> str:
    return " ".join(inspect.cleandoc(doc or "").replace("``", "`").split())


def _translation() -> str:
    """The table of the module that translates."""
    from jdbpy.session.values import export

    lines = (export.__doc__ or "").splitlines()
    rules = [number for number, line in enumerate(lines) if line.startswith("====")]
    rows = [line for line in lines[rules[0] + 1 : rules[-1]] if not line.startswith("====")]
    cells = [[part.strip() for part in (row[:28], row[28:])] for row in rows]
    head, *others = cells
    made = [f"| {head[0]} | {head[1]} |", "|---|---|", *(f"| {one} | {two} |" for one, two in others)]
    return "\n".join(made) + "\n"
