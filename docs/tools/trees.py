"""The syntax trees of the code, for tools and tests that look for imports and classes in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path


def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements of a module, or a statement itself, with those inside; not the expressions, the mass of a
    tree.
    """
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.stmt):
            yield node
        for name in ("body", "handlers", "orelse", "finalbody", "cases"):
            inside = getattr(node, name, ())
            if isinstance(inside, list):
                pending += reversed(inside)
