"""Source files as text: decoding whatever bytes they are, lines as the compiler counts them, the package they declare.

Pure. The compiler has accepted the file, so it is never wrong here; only our guess of its encoding may be.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable

from jdbpy.session.types.class_names import path_of_package
from jdbpy.session.types.signatures import outermost, simple_name
from jdbpy.wire.record import Record

SUFFIXES = (".java", ".kt", ".kts", ".groovy", ".scala", ".clj", ".jsp", ".jspx", ".tag", ".xtend", ".aj")
"""Endings of the files that are taken for sources when directories are searched."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_PACKAGE = re.compile(r"^\s*package\s+([\w.`$]+)\s*;?\s*(?://.*)?$")
_PACKAGE_LINES = 400
"""How far down a package clause is looked for: licences are long, but not endless."""


class SourceFile(Record):
    """A source file that was found. ``path`` is where: inside an archive "/a/src.zip!/java/lang/String.java"."""

    path: str
    lines: tuple[str, ...]


def decode(data: bytes) -> str:
    """The text of a source file: by its byte order mark, as UTF-8, else as Latin-1, which fails on nothing."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def split_lines(text: str) -> tuple[str, ...]:
    """The lines as javac counts them (JLS 3.4): ended by CR LF, LF or CR, and by no other separator of Unicode."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return tuple(lines[:-1] if lines[-1] == "" else lines)


def package_in(lines: Iterable[str]) -> str:
    """The package that a source file declares, "" if none; Scala's clauses in a row are one package."""
    names: list[str] = []
    for _, line in zip(range(_PACKAGE_LINES), lines, strict=False):
        if match := _PACKAGE.match(line):
            names.append(match[1].replace("`", ""))
        elif names and line.strip():
            break
    return ".".join(names)


def relative_path(class_name: str, source: str | None) -> str:
    """Where a class's source file is by Java's custom, "com/acme/Order.java"; the name is guessed when not told."""
    directory = path_of_package(class_name)
    name = source or simple_name(outermost(class_name)) + ".java"
    return f"{directory}/{name}" if directory and "/" not in name else name
