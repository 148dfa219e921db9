"""Source files as text: decoding whatever bytes they are, lines as the compiler counts them, the package they declare.

Pure. The compiler has accepted the file, so it is never wrong here; only our guess of its encoding may be.

Owns also the judgment whether a file can be the one of a class: by the package that it declares (many files have the
same name), and, for Java only, by the names on its lines: a file that has changed since, or is another one of that
name, shows code that does not run. Names that a compiler or a tool makes up are not looked for.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from itertools import islice

from jdbpy.identifiers import WORD
from jdbpy.record import Record
from jdbpy.session.java.class_names import path_of_package
from jdbpy.session.java.signatures import outermost, package_of, simple_name
from jdbpy.session.model.events import SourceLine
from jdbpy.session.model.threads import Location

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
_PACKAGE = re.compile(rf"^\s*package\s+([{WORD}.`]+)\s*;?\s*$")
_JAVA_PACKAGE = re.compile(rf"\bpackage\s+([{WORD}]+(?:\s*\.\s*[{WORD}]+)*)\s*;")
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
        return tuple(map(SourceLine, range(first, last + 1), self.lines[first - 1 : last]))


def decode(data: bytes) -> str:
    """Return the text of a source file: by its byte order mark, as UTF-8, else as Latin-1, which fails on nothing."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def split_lines(text: str) -> tuple[str, ...]:
    """Return the lines as javac counts them (JLS 3.4): ended by CR LF, LF or CR, and by no other separator of
    Unicode."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return tuple(lines[:-1] if lines[-1] == "" else lines)


def package_in(lines: Iterable[str]) -> str:
    """Return the package that a source file declares, "" if none; Scala's clauses in a row are one package."""
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
    """Return the namespace that a Clojure file is in, "" if it does not say."""
    match = _NAMESPACE.search(re.sub(r";[^\n]*", "", _head(lines)))
    return match[1] if match else ""


def relative_path(class_name: str, source: str | None) -> str:
    """Return the path of a class's source file by Java's custom, "com/acme/Order.java"; the name is guessed when
    not told.
    """
    directory = path_of_package(class_name)
    name = source or simple_name(outermost(class_name)) + ".java"
    return f"{directory}/{name}" if directory and "/" not in name else name


def source_paths(class_name: str, source: str | None) -> tuple[str, ...]:
    """Return the paths at which a class's source file may be below a root; an absolute path begins with a slash.

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


_PACKAGED = (".java", ".kt", ".kts", ".groovy", ".scala", ".xtend", ".aj")
_CLOJURE = (".clj", ".cljc")


def has_packages(path: str) -> bool:
    """True if files of that language declare the package of their classes."""
    return path.endswith((*_PACKAGED, *_CLOJURE))


def belongs(file: SourceFile, class_name: str, source: str | None, *, by_name: bool) -> bool:
    """True if a file may be the source of a class; ``source`` is what the class says of it, a name or a path.

    ``by_name``: nothing but the file's name has led to it.
    """
    path = file.path
    if path.endswith(_CLOJURE):
        return _has_namespace(file, class_name, by_name=by_name)
    if not path.endswith(_PACKAGED):
        return True
    declared = package_in(file.lines)
    if path.endswith(".scala"):
        own = package_of(class_name)
        if not declared:
            return not own or _nested(file)
        return f"{own}.".startswith(f"{declared}.")  # packages may be nested, package objects are packages too
    if declared == package_of(class_name):
        return True
    if source is None or "/" not in source:
        return False
    # Code of another file that was inlined: the path of its source map has the directory of its package.
    directory = source.removeprefix("./").rpartition("/")[0]
    wanted = declared.replace(".", "/")
    return directory == wanted or (bool(wanted) and f"/{directory}".endswith(f"/{wanted}"))


def _has_namespace(file: SourceFile, class_name: str, *, by_name: bool) -> bool:
    declared = namespace_in(file.lines).replace("-", "_")
    if not declared:
        return not by_name
    return class_name.split("$")[0] == declared or package_of(class_name) == declared


def _nested(file: SourceFile) -> bool:
    """True if a Scala file has its packages in braces."""
    return any(line.lstrip().startswith("package ") and "{" in line for line in file.lines[:400])


_MOST_LINES = 50_000
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL
)
_IMPLICIT = frozenset({"values", "valueOf", "toString", "hashCode", "equals"})
_BETWEEN = re.compile(rf"[{WORD}\s,.<>\[\]@?&]*")


def doubt(file: SourceFile, place: Location) -> str:
    """Return why the file is hardly what the class was compiled from, as a clause; "" if nothing speaks against it."""
    line = place.line
    if line is None:
        return ""
    if line > len(file.lines):
        return f"it ends with line {len(file.lines)}"
    if not file.path.endswith(".java") or len(file.lines) > _MOST_LINES or place.stratum:
        return ""
    code = _TOKEN.sub(_without_comments, "\n".join(file.lines))
    words = set(re.findall(rf"[{WORD}]+", code))
    missing = [name for name in _class_names(place.class_name) if name not in words]
    if missing:
        return f"it has no class {missing[0]}"
    lines = code.split("\n")
    if not lines[line - 1].strip():
        return f"it has no code on line {line}"
    method = _method_in_source(place.method)
    if not method or method in _IMPLICIT or "lombok" in words:
        return ""
    if method not in words:
        return f"it has no method {method}"
    bodies = _bodies(code, method)
    if bodies and not any(first <= line <= last for first, last in bodies):
        return f"line {line} is not in its method {method}"
    return ""


def methods_in(file: SourceFile, class_name: str, method: str) -> list[tuple[int, int]]:
    """Return the first and the last line of what a Java file may have as this method of a class: all overloads."""
    if len(file.lines) > _MOST_LINES:
        return []
    name = simple_name(class_name).rpartition("$")[2] if method == "<init>" else _method_in_source(method)
    return _bodies(_TOKEN.sub(_without_comments, "\n".join(file.lines)), name) if name else []


def _without_comments(match: re.Match[str]) -> str:
    """Return a comment becomes nothing, a string quotes on each of its lines; all lines stay where they are."""
    text = match[0]
    return ("" if text.startswith("/") else '"').join(["", *("\n" * text.count("\n")), ""]) or " "


def _class_names(class_name: str) -> list[str]:
    """Return the names in source of a class and those around it; anonymous classes have none."""
    simple = simple_name(class_name).partition("/")[0]
    if simple.startswith("$") or simple.endswith("$") or "$$" in simple:
        return []
    return [name for each in simple.split("$") if (name := each.lstrip("0123456789"))]


def _method_in_source(name: str) -> str:
    """Return the method in which code of this method stands; "" for what is not found by its name."""
    if name.startswith("lambda$"):
        name = name.split("$")[1]
        return "" if name in ("new", "static", "null") else name
    return "" if "$" in name or name.startswith("<") else name


def _bodies(code: str, method: str) -> list[tuple[int, int]]:
    """Return the first and the last line of each declaration of a method of that name that has a body."""
    found = []
    for match in re.finditer(rf"(?<![{WORD}.]){re.escape(method)}\s*\(", code):
        after = _closing(code, match.end() - 1, "(", ")")
        between = _BETWEEN.match(code, after)
        start = between.end() if between is not None else after
        if code[start : start + 1] == "{":
            end = _closing(code, start, "{", "}")
            found.append((code.count("\n", 0, match.start()) + 1, code.count("\n", 0, end) + 1))
    return found


def _closing(code: str, start: int, opening: str, closing: str) -> int:
    """Behind the bracket that closes the one at ``start``; the end of the text when none does."""
    depth = 0
    for match in re.compile(f"[{re.escape(opening + closing)}]").finditer(code, start):
        depth += 1 if match[0] == opening else -1
        if not depth:
            return match.end()
    return len(code)
