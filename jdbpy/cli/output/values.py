"""Pieces about values: a value in a line, its children below it, variables, declarations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jdbpy import ValueInfo, Variable
from jdbpy.cli.output.pieces import Pieces, faint, joined, name, piece

INLINE_CHILDREN = 10
"""Fields or elements that `print` shows in its line; `dump` shows the rest."""

_TOKEN = re.compile(
    r"(?P<string>\"(?:[^\"\\]|\\.)*\"?|'(?:[^'\\]|\\.)*'?)|(?<![\w.$@\"])(?P<number>-?\d[\w.]*)"
    r"|\b(?P<word>null|true|false)\b"
)
"""The literals within the text of a value, which is Java's or a view's: ``[1, "a", null]``."""

_MODIFIERS = frozenset(
    ("public", "protected", "private", "static", "final", "abstract", "native", "synchronized", "transient", "volatile")
)


def literals(text: str) -> Pieces:
    """Return the text of a value with its literals in their colors."""
    found: list[tuple[str, str]] = []
    end = 0
    for match in _TOKEN.finditer(text):
        if match.start() > end:
            found.append((text[end : match.start()], "plain"))
        found.append((match[0], match.lastgroup or "plain"))
        end = match.end()
    return Pieces((*found, (text[end:], "plain")))


def value_line(value: ValueInfo | None, error: str = "", *, children: bool = True) -> Pieces:
    """Return a value in one line; some of its children in braces after it, unless its text has them already."""
    if value is None:
        return piece(f"<{error or 'unknown'}>", "error")
    shown = literals(value.formatted or value.text)
    if value.truncated and value.length is not None and value.tag == "s":
        shown += f" ({value.length} characters)"
    if children and value.children and not value.text.endswith(("]", "}")):
        more = ", ..." if len(value.children) > INLINE_CHILDREN or (value.truncated and value.tag != "s") else ""
        shown += " {" + joined(", ", map(_child, value.children[:INLINE_CHILDREN])) + f"{more}}}"
    return shown + faint(f"  ({value.note})") if value.note else shown


def value_tree(value: ValueInfo, indent: str = "  ") -> Iterator[Pieces]:
    """Yield the children of a value, one a line, theirs below them."""
    for child in value.children:
        yield indent + variable_line(child, children=False, inside=value.type)
        if child.value is not None:
            yield from value_tree(child.value, indent + "  ")
    if value.children and value.truncated and value.tag != "s":
        more = f" of {value.length}" if value.length is not None else ""
        yield faint(f"{indent}... more are not shown{more}")


def variable_line(variable: Variable, *, children: bool = True, inside: str = "") -> Pieces:
    """``int n = 7``; an element is ``[3] = 7``; a field that the class ``inside`` has inherited ends with its class."""
    shown = value_line(variable.value, variable.error, children=children) + changed_mark(variable)
    if variable.kind == "element":
        return name(variable.name) + " = " + shown
    modifiers = f"{variable.modifiers} " if variable.modifiers else ""
    origin = f"  ({variable.declared_in})" if variable.declared_in not in ("", inside) else ""
    return faint(f"{modifiers}{variable.type}") + " " + name(variable.name) + " = " + shown + faint(origin)


def variable_value(variable: Variable) -> Pieces:
    """``n = 7``, without its type."""
    shown = value_line(variable.value, variable.error) + changed_mark(variable)
    origin = f"  ({variable.declared_in})" if variable.declared_in else ""
    return name(variable.name) + " = " + shown + faint(origin)


def changed_mark(thing: ValueInfo | Variable | None) -> Pieces:
    """Return what stands behind a value that is another than at an earlier stop."""
    return piece("  (changed)", "changed") if thing is not None and thing.changed else Pieces()


def modifiers(words: str) -> Pieces:
    """Return the modifiers of a member, with a blank behind; nothing for none."""
    return piece(f"{words} ", "word") if words else Pieces()


def declaration(text: str) -> Pieces:
    """Return the declaration of a class as in source: its modifiers in their color."""
    words = text.split(" ")
    first = next((index for index, word in enumerate(words) if word not in _MODIFIERS), len(words))
    return modifiers(" ".join(words[:first])) + " ".join(words[first:])


def _child(variable: Variable) -> Pieces:
    shown = value_line(variable.value, variable.error, children=False)
    return shown if variable.kind == "element" and variable.name.startswith("[") else f"{variable.name}: " + shown
