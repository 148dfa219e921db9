"""The syntax trees of the code, for tools and tests that look for imports and classes in it."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

_SEEN_BY_NOBODY = (ast.Assert, ast.Assign, ast.AugAssign, ast.Delete, ast.Expr, ast.Raise, ast.Return)


@functools.cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a file, without what is in statements that declare nothing.

    It is kept, as all that look for something in the code look at the same files; what is left out is most of it.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in statements(tree):
        for name in _BODIES:
            inside = getattr(node, name, ())
            if isinstance(inside, list):
                inside[:] = [_NOTHING if isinstance(each, _SEEN_BY_NOBODY) else each for each in inside]
    return tree


_NOTHING = ast.Pass()
_BODIES = ("body", "handlers", "orelse", "finalbody", "cases")


def statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements of a tree, those inside of others too; not the expressions, which are most of it."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.stmt):
            yield node
        for name in _BODIES:
            inside = getattr(node, name, ())
            if isinstance(inside, list):
                pending += reversed(inside)
