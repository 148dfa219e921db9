"""Source files as text: decoding whatever bytes they are, lines as the compiler counts them, the package they declare.

Pure. The compiler has accepted the file, so it is never wrong here; only our guess of its encoding may be.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from itertools import islice

from jdbpy.record import Record
from jdbpy.session.events import SourceLine
from jdbpy.session.types.class_names import path_of_package
from jdbpy.session.types.signatures import outermost, simple_name

SUFFIXES = (
    *(".java", ".kt", ".kts", ".groovy", ".scala", ".clj", ".cljc", ".xtend", ".aj", ".rb", ".py"),
    *(".jsp", ".jspx", ".jspf", ".tag", ".tagx"),
)
"""Endings of the files that are taken for sources when directories are searched."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_PACKAGE = re.compile(r"^\s*package\s+([\w.`$]+)\s*;?\s*$")
_JAVA_PACKAGE = re.compile(r"\bpackage\s+([\w$]+(?:\s*\.\s*[\w$]+)*)\s*;")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_NAMESPACE = re.compile(r"\((?:in-)?ns\s+'?(?:\^(?:\{[^}]*\}|\S+)\s+)*([\w.\-*+!?<>=&%]+)")
_PACKAGE_LINES = 400
"""How far down a package clause is looked for: licences are long, but not endless."""


class SourceFile(Record):
    """A source file that was found. ``path`` is where: inside an archive "/a/src.zip!/java/lang/String.java"."""

    path: str
    lines: tuple[str, ...]

    def numbered(self, first: int, last: int) -> tuple[SourceLine, ...]:
        """Return the lines from ``first`` to ``last``, both counted from 1 and within the file."""
        return tuple(SourceLine(number, self.lines[number - 1]) for number in range(first, last + 1))


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
    text = _COMMENT.sub(_blank, _head(lines))
    if match := _JAVA_PACKAGE.search(text):
        return re.sub(r"\s+", "", match[1])
    names: list[str] = []
    for line in text.split("\n"):
        if match := _PACKAGE.match(line):
            names.append(match[1].replace("`", ""))
        elif names and line.strip():
            break
    return ".".join(names)


def namespace_in(lines: Iterable[str]) -> str:
    """The namespace that a Clojure file is in, "" if it does not say."""
    match = _NAMESPACE.search(re.sub(r";[^\n]*", "", _head(lines)))
    return match[1] if match else ""


def relative_path(class_name: str, source: str | None) -> str:
    """Where a class's source file is by Java's custom, "com/acme/Order.java"; the name is guessed when not told."""
    directory = path_of_package(class_name)
    name = source or simple_name(outermost(class_name)) + ".java"
    return f"{directory}/{name}" if directory and "/" not in name else name


def source_paths(class_name: str, source: str | None) -> tuple[str, ...]:
    """The paths at which a class's source file may be below a root; an absolute path begins with a slash.

    ``source`` is the name of its SourceFile attribute, or the path of a source map: "com/acme/Main.kt", "./index.jsp".
    """
    by_custom = relative_path(class_name, source)
    if source is not None and source.startswith("/"):  # of the machine, or of the root of a web application
        return source, source.lstrip("/")
    if source is None or "/" in source:
        return (by_custom.removeprefix("./"),)
    return (by_custom,) if by_custom == source else (by_custom, source)


def _head(lines: Iterable[str]) -> str:
    return "\n".join(islice(lines, _PACKAGE_LINES))


def _blank(match: re.Match[str]) -> str:
    return " " + "\n" * match[0].count("\n")
