"""tree-sitter's grammar of Java: a text parsed, and its nodes' places in what the user typed.

tree_sitter is imported when the first text is parsed. What is wrong with a text that the grammar refuses is said by
``explain``.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from jdbpy.errors import EvalError
from jdbpy.session.eval.syntax.explain import explain
from jdbpy.session.eval.syntax.rewrite import Mark, Rewritten, as_spelled

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_PREFIX = "{"  # the grammar's top level also takes declarations; inside a block only statements are read
_COMMENTS = ("line_comment", "block_comment")


@cache
def _grammar() -> Parser:
    import tree_sitter
    import tree_sitter_java

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_java.language()))


class ParsedText:
    """One text with its tree. Raises EvalError for what the grammar refuses."""

    def __init__(self, rewritten: Rewritten) -> None:
        self._rewritten = rewritten
        try:
            self._data = f"{_PREFIX}{rewritten.text}\n;}}".encode()
        except UnicodeEncodeError as error:
            raise EvalError("illegal character", error.start - 1) from None
        self._ascii = len(self._data) == len(rewritten.text) + len(_PREFIX) + 3
        root = _grammar().parse(self._data).root_node
        top = children(root)
        if root.has_error or len(top) != 1 or top[0].type != "block":
            raise explain(rewritten)
        self.block = top[0]

    def at(self, node: Node) -> int:
        """Return the column in the user's text at which a node begins."""
        offset = self._offset(node.start_byte)
        return self._rewritten.columns[min(offset, len(self._rewritten.columns) - 1)]

    def mark(self, node: Node) -> Mark | None:
        """Return the meaning of the place at which a node begins."""
        return self._rewritten.marks.get(self._offset(node.start_byte))

    def _offset(self, byte: int) -> int:
        """Return the offset in the rewritten text of a byte of the parsed data."""
        return byte - 1 if self._ascii else len(self._data[1:byte].decode())


def text(node: Node) -> str:
    """Return the text of a node."""
    return as_spelled((node.text or b"").decode())


def children(node: Node) -> list[Node]:
    """Return the named children without comments."""
    return [child for child in node.named_children if child.type not in _COMMENTS]


def field(node: Node, name: str) -> Node:
    """Return the child of that name, which the grammar promises."""
    child = node.child_by_field_name(name)
    if child is None:
        raise EvalError("illegal start of expression")
    return child
