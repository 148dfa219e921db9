"""The import declarations of a Java source file (JLS 7.5).

Owns reading them from text, without a grammar: they stand before the first type, and a file of 10,000 lines need not be
parsed for them. It does not find files.
"""

from __future__ import annotations

import re

from jdbpy.record import Record


class Imports(Record):
    """Imports by kind; names are as written, dotted. ``types`` and ``members`` map the simple name to what it means."""

    types: tuple[tuple[str, str], ...] = ()  # ("List", "java.util.List")
    packages: tuple[str, ...] = ()  # "java.util" of java.util.*
    members: tuple[tuple[str, str], ...] = ()  # ("max", "java.lang.Math.max")
    classes: tuple[str, ...] = ()  # "java.lang.Math" of static java.lang.Math.*


NO_IMPORTS = Imports()

_COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.DOTALL)
_IMPORT = re.compile(r"(?<![\w$.])import\s+(static\s+)?([\w$.\s]+?)(\.\s*\*)?\s*;")
_TYPE = re.compile(r"^\s*(?:[\w@()\s]*\s)?(?:class|interface|enum|record)\s+[\w$]+", re.MULTILINE)


def read_imports(source: str) -> Imports:
    """The imports of a compilation unit."""
    text = _COMMENT_OR_STRING.sub(" ", source)
    first_type = _TYPE.search(text)
    header = text[: first_type.start()] if first_type else text
    types: list[tuple[str, str]] = []
    packages: list[str] = []
    members: list[tuple[str, str]] = []
    classes: list[str] = []
    for static, spaced, star in _IMPORT.findall(header):
        name = re.sub(r"\s+", "", spaced)
        simple = name.rpartition(".")[2]
        if static and star:
            classes.append(name)
        elif static:
            members.append((simple, name))
        elif star:
            packages.append(name)
        else:
            types.append((simple, name))
    return Imports(tuple(types), tuple(packages), tuple(members), tuple(classes))
