"""Which modules of jdbpy import which, all imports counted: also those in functions and those for type checkers.

A name that is taken from ``jdbpy`` itself counts as taken from the module that has it: the package is a lazy table of
names.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import jdbpy
from docs.tools.trees import statements, tree_of
from jdbpy.record import Record

PACKAGE = Path(jdbpy.__file__).parent


class ImportFound(Record):
    """An import of a module of jdbpy. ``inside``: it is in a function."""

    module: str
    imported: str
    line: int
    inside: bool


def modules(trees: Mapping[Path, ast.Module]) -> dict[str, Path]:
    """Return the files of the modules by their names: "jdbpy.cli.main"."""
    found = {}
    for file in trees:
        parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def all_imports(trees: Mapping[Path, ast.Module]) -> list[ImportFound]:
    """Return the imports of modules of jdbpy by others."""
    known = modules(trees)
    homes = dict(_taken(trees[known["jdbpy"]], known, {}))
    found = []
    for module, file in known.items():
        if module == "jdbpy":
            continue
        deep = inside_functions(trees[file])
        for node in statements(trees[file]):
            if isinstance(node, ast.Import | ast.ImportFrom):
                for imported in sorted({home for _, home in _names(node, known, homes)} - {module}):
                    found.append(ImportFound(module, imported, node.lineno, node in deep))
    return found


def _taken(tree: ast.Module, known: Mapping[str, Path], homes: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for node in statements(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from _names(node, known, homes)


def _names(
    node: ast.Import | ast.ImportFrom, known: Mapping[str, Path], homes: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the names that a statement takes from modules of jdbpy, each with the module."""
    for each in node.names:
        name = each.asname or each.name
        if isinstance(node, ast.Import):
            if each.name in known and each.name != "jdbpy":
                yield name, each.name
            continue
        origin = node.module or ""
        if f"{origin}.{each.name}" in known:
            yield name, f"{origin}.{each.name}"
        elif origin == "jdbpy" and each.name in homes:
            yield name, homes[each.name]
        elif origin in known and origin != "jdbpy":
            yield name, origin


def inside_functions(tree: ast.Module) -> set[ast.stmt]:
    """Return the imports that stand in functions of a module."""
    functions = [node for node in statements(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inner = {each for function in functions for part in function.body for each in statements(part)}
    return {each for each in inner if isinstance(each, ast.Import | ast.ImportFrom)}


def circles(found: list[ImportFound]) -> list[tuple[str, ...]]:
    """Return the sets of modules that can all be reached from one another by imports, the largest first."""
    following: dict[str, set[str]] = {}
    for each in found:
        following.setdefault(each.module, set()).add(each.imported)
    reach = {module: _reached(module, following) for module in following}
    whole = {tuple(sorted(each for each in reach[module] if module in reach.get(each, ()))) for module in reach}
    return sorted((circle for circle in whole if len(circle) > 1), key=lambda circle: (-len(circle), circle))


def _reached(start: str, following: Mapping[str, set[str]]) -> set[str]:
    found, pending = set[str](), [start]
    while pending:
        new = following.get(pending.pop(), set()) - found
        found |= new
        pending += new
    return found


def trees_of_package() -> dict[Path, ast.Module]:
    """Return the syntax trees of all files of jdbpy."""
    return {file: tree_of(file) for file in sorted(PACKAGE.rglob("*.py"))}
