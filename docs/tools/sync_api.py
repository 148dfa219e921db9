"""Writes jdbpy/sync from jdbpy/api: the same classes without ``await``, with types that editors complete by."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
API = ROOT / "jdbpy" / "api"
SYNC = ROOT / "jdbpy" / "sync"

MODULES = {
    "values": ("Value",),
    "parts": ("Children", "Chain"),
    "frames": ("Frame", "Stack", "Thread"),
    "hits": ("Hit", "Reported"),
    "breakpoints": ("Stop", "Breakpoint", "Hits"),
    "fleet": ("Answer", "FleetHit", "Fleet", "FleetHits"),
    "heap": ("Heap",),
    "observed": ("CallRecording", "Calls", "CallTiming"),
    "timing": ("Timing",),
    "vm": ("Vm",),
    "testing": ("Failure", "FailingTests"),
}
"""The classes that ask or wait; all others are plain data, and the same in both."""

SAME = {"Histogram": "heap", "Place": "frames", "Table": "tables"}
HOME = {name: module for module, names in MODULES.items() for name in names}

LIVE = {"Vm", "Breakpoint", "Hits", "Heap", "Timing", "FleetHits", "CallRecording", "Calls", "CallTiming"}
"""Classes whose plain members read the session, which is done in its thread."""
LIVE_MEMBERS = {("Stop", "breakpoint")}

_KEPT = {"__getitem__", "__len__", "__iter__", "__aiter__", "__aenter__", "__aexit__"}
_LAZY = {"LazyValue": "Value", "LazyBreakpoint": "Breakpoint"}

_HEAD = '''\
"""{summary}

Made by ./dev generate from jdbpy/api/{module}.py; do not edit.
"""

from __future__ import annotations

'''


def sources() -> dict[str, str]:
    """The text of each generated module by its file name, as it is formatted."""
    return {f"{module}.py": _formatted(_module(module)) for module in MODULES}


def write() -> None:
    """Write all of them."""
    for name, text in sources().items():
        (SYNC / name).write_text(text, encoding="utf-8")


def _formatted(text: str) -> str:
    for words in (["check", "--fix", "--quiet", "--select", "I,F401"], ["format"]):
        command = [sys.executable, "-m", "ruff", *words, "--stdin-filename", str(SYNC / "x.py"), "-"]
        text = subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    return text


def _module(module: str) -> str:
    tree = ast.parse((API / f"{module}.py").read_text(encoding="utf-8"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    body = "\n\n".join(_class(classes[name]) for name in MODULES[module])
    summary = (ast.get_docstring(tree) or "").splitlines()[0]
    return _HEAD.format(summary=summary, module=module) + _imports(module, tree, body) + "\n\n" + body + "\n"


def _imports(module: str, tree: ast.Module, body: str) -> str:
    """The imports that the annotations and defaults of a module need."""
    words = set(re.findall(r"\b[A-Za-z_]\w*\b", re.sub(r'"""[\s\S]*?"""', "", body)))
    lines = [f"from jdbpy.api import {module} as inner"]
    typing = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.module.startswith("jdbpy.api"):
            for alias in node.names:
                name = alias.asname or alias.name
                if name in words and node.module != "__future__" and name not in ("Iterator", "Any", "Do"):
                    typing.append(f"from {node.module} import {alias.name}" + (f" as {name}" if alias.asname else ""))
    for name in sorted(words & set(SAME)):
        typing.append(f"from jdbpy.api.{SAME[name]} import {name}")
    for name in sorted(words & set(HOME) - set(MODULES[module])):
        typing.append(f"from jdbpy.sync.{HOME[name]} import {name}")
    bases = "|".join(re.findall(r"^class \w+\((\w+)\)", body, re.MULTILINE))
    runtime = [line for line in typing if re.search(rf"import (MOST_\w+|{bases or 'MOST'})$", line)]
    typing = [line for line in typing if line not in runtime]
    abc = [name for name in ("Callable", "Iterator", "Mapping", "Sequence") if name in words]
    typing = [line for line in typing if "collections.abc" not in line]
    found = [*lines, *runtime, "from jdbpy.sync import portal"]
    if module == "vm":
        found.append("from jdbpy.sync.portal import Do")
    head = ""
    if abc:
        head += f"from collections.abc import {', '.join(abc)}\n"
    outer = ["from typing import TYPE_CHECKING, Any"] if typing else ["from typing import Any"]
    checks = "\n".join(f"    {line}" for line in sorted(set(typing)))
    text = head + "\n".join([*outer, "", *found]) + "\n"
    if typing:
        text += f"\nif TYPE_CHECKING:\n{checks}\n"
    return text


def _class(node: ast.ClassDef) -> str:
    names = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    bases = [ast.unparse(base) for base in node.bases if ast.unparse(base) in HOME]
    base = bases[0] if bases else "portal.SyncedHtml" if "_repr_html_" in names else "portal.Synced"
    parts = [_docstring(node, 1), "    __slots__ = ()", *_members(node)]
    register = f"portal.register(inner.{node.name}, {node.name})"
    return f"class {node.name}({base}):\n" + "\n\n".join(parts) + f"\n\n\n{register}\n"


def _docstring(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, depth: int) -> str:
    text = ast.get_docstring(node, clean=False) or ""
    changed = text.replace("``async with``", "``with``").replace("an async iterator", "an iterator")
    changed = changed.replace("``async with", "``with").replace("jdbpy.api.", "jdbpy.sync.").replace("await ", "")
    changed = changed.replace(" a coroutine that it returns is awaited.", "")
    return "    " * depth + f'"""{changed}"""'


def _members(node: ast.ClassDef) -> Iterator[str]:
    for each in node.body:
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            if each.name.startswith("_") and each.name not in _KEPT:
                yield from _attributes(node, each) if each.name == "__init__" else ()
            else:
                yield _method(node.name, each)


def _attributes(owner: ast.ClassDef, init: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """What ``__init__`` sets for all to see becomes a property."""
    types = {each.arg: each.annotation for each in init.args.args}
    body = list(init.body)
    for place, each in enumerate(body):
        target: ast.expr | None = each.target if isinstance(each, ast.AnnAssign) else None
        if isinstance(each, ast.Assign):
            target = each.targets[0]
        if not isinstance(target, ast.Attribute) or target.attr.startswith("_"):
            continue
        if isinstance(each, ast.AnnAssign):
            kind = ast.unparse(each.annotation)
        else:
            named = types.get(ast.unparse(each.value)) if isinstance(each, ast.Assign) else None
            kind = ast.unparse(named) if named is not None else "int"
        if kind.endswith("Record") or kind in ("Location", "Record") or "ThreadRef" in kind or "events." in kind:
            kind = "Any"
        text = ""
        following = body[place + 1] if place + 1 < len(body) else None
        if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
            text = f'        """{following.value.value!s}"""\n'
        text = text or f'        """As of ``jdbpy.api.{owner.name}``."""\n'
        yield (
            f"    @property\n    def {target.attr}(self) -> {_sync_type(kind)}:\n{text}"
            f"        found: {_sync_type(kind)} = self._wrap(self._inner.{target.attr})\n        return found"
        )


def _sync_type(annotation: str) -> str:
    text = annotation.strip("'\"")
    text = re.sub(r"\bLazy\[(.*)\]$", r"\1", text)
    text = re.sub(r"\bAsyncIterator\b", "Iterator", text)
    for lazy, plain in _LAZY.items():
        text = re.sub(rf"\b{lazy}\b", plain, text)
    return text


def _method(owner: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    decorated = {ast.unparse(each) for each in node.decorator_list}
    returns = ast.unparse(node.returns) if node.returns is not None else "Any"
    kind = _sync_type(returns)
    doc = _docstring(node, 2) + "\n"
    live = owner in LIVE or (owner, node.name) in LIVE_MEMBERS
    if "property" in decorated:
        if returns.startswith("Lazy"):
            made = f"self._inner.{node.name}"
            body = f"self._ask_made(lambda: {made})" if live else f"self._ask({made})"
        elif live:
            body = f"self._there(lambda: self._inner.{node.name})"
        else:
            body = f"self._wrap(self._inner.{node.name})"
        text = f"    @property\n    def {node.name}(self) -> {kind}:\n{doc}"
        return text + _returning(body, kind)
    match node.name:
        case "__aenter__":
            head = f"    def __enter__(self) -> {owner}:\n{_or_doc(doc, 'Enter the block.')}"
            return f"{head}        self._await(self._inner.__aenter__)\n        return self"
        case "__aexit__":
            return (
                f"    def __exit__(self, *exc: object) -> None:\n{_or_doc(doc, 'Leave the block.')}"
                "        self._await(lambda: self._inner.__aexit__(*exc))"
            )
        case "__aiter__":
            pages = "_pages" if owner in ("Children", "Chain") else "_take_pages"
            return (
                f"    def __iter__(self) -> {kind}:\n{_or_doc(doc, 'Walk through them.')}"
                f"        return self._iterate(self._inner.{pages}())"
            )
        case "__iter__":
            head = f"    def __iter__(self) -> {kind}:\n{_or_doc(doc, 'Walk through them.')}"
            return f"{head}        return (self._wrap(each) for each in self._inner)"
        case "__len__":
            head = f"    def __len__(self) -> int:\n{_or_doc(doc, 'How many there are.')}"
            return f"{head}        return len(self._inner)"
    signature, given = _signature(node)
    head = f"    def {node.name}({signature}) -> {kind}:\n{_or_doc(doc, 'One of them.')}"
    call = f"self._inner.{node.name}({given})"
    if node.name == "__getitem__":
        call = f"self._inner[{given}]"
    if isinstance(node, ast.AsyncFunctionDef):
        return head + _returning(f"self._await(lambda: {call})", kind)
    if returns.startswith("AsyncIterator"):
        return head + f"        return self._iterate(self._inner._{node.name}_pages({given}))"
    if returns.startswith("Lazy"):
        return head + _returning(f"self._ask_made(lambda: {call})" if live else f"self._ask({call})", kind)
    return head + _returning(f"self._there(lambda: {call})" if live else f"self._wrap({call})", kind)


def _or_doc(doc: str, text: str) -> str:
    return doc if doc.strip() != '""""""' else f'        """{text}"""\n'


def _returning(body: str, kind: str) -> str:
    if kind == "None":
        return f"        {body}"
    if kind == "Any":
        return f"        return {body}"
    return f"        found: {kind} = {body}\n        return found"


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, str]:
    """The parameters as they are written, and how they are handed on."""
    made = ast.unparse(node.args)
    given = []
    arguments = node.args
    for each in [*arguments.posonlyargs, *arguments.args][1:]:
        given.append(_handed(each))
    if arguments.vararg is not None:
        given.append(f"*{arguments.vararg.arg}")
    for each in arguments.kwonlyargs:
        given.append(f"{each.arg}={_handed(each)}")
    if arguments.kwarg is not None:
        name = arguments.kwarg.arg
        given.append(f"**{{name: portal.unwrap(each) for name, each in {name}.items()}}")
    return made, ", ".join(given)


def _handed(argument: ast.arg) -> str:
    kind = ast.unparse(argument.annotation) if argument.annotation is not None else ""
    if argument.arg == "do":
        return "self._function(do)"
    if argument.arg == "make":
        return "self._maker(make)"
    if "object" in kind or any(re.search(rf"\b{name}\b", kind) for name in HOME):
        return f"portal.unwrap({argument.arg})"
    return argument.arg


if __name__ == "__main__":
    write()
