"""Whether the lines of a source file can be those that a class was compiled from.

Pure, and for Java only: a file that has changed since, or is another one of that name, shows code that does not
run. What a compiler or a tool adds has no lines of its own in the source: names that it makes up are not looked for.
"""

from __future__ import annotations

import re

from jdbpy.session.model import Location
from jdbpy.session.sources.text import SourceFile
from jdbpy.session.types.signatures import simple_name

_MOST_LINES = 50_000
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL
)
_IMPLICIT = frozenset({"values", "valueOf", "toString", "hashCode", "equals"})
_BETWEEN = re.compile(r"[\w\s,.<>\[\]@?&]*")


def doubt(file: SourceFile, place: Location) -> str:
    """Why the file is hardly what the class was compiled from, as a clause; "" if nothing speaks against it."""
    line = place.line
    if line is None:
        return ""
    if line > len(file.lines):
        return f"it ends with line {len(file.lines)}"
    if not file.path.endswith(".java") or len(file.lines) > _MOST_LINES or place.stratum:
        return ""
    code = _TOKEN.sub(_blank, "\n".join(file.lines))
    words = set(re.findall(r"[\w$]+", code))
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


def _blank(match: re.Match[str]) -> str:
    """A comment becomes nothing, a string quotes on each of its lines; all lines stay where they are."""
    text = match[0]
    return ("" if text.startswith("/") else '"').join(["", *("\n" * text.count("\n")), ""]) or " "


def _class_names(class_name: str) -> list[str]:
    """The names in source of a class and those around it; anonymous classes have none."""
    simple = simple_name(class_name).partition("/")[0]
    if simple.startswith("$") or simple.endswith("$") or "$$" in simple:
        return []
    return [name for each in simple.split("$") if (name := each.lstrip("0123456789"))]


def _method_in_source(name: str) -> str:
    """The method in which code of this method stands; "" for what is not found by its name."""
    if name.startswith("lambda$"):
        name = name.split("$")[1]
        return "" if name in ("new", "static", "null") else name
    return "" if "$" in name or name.startswith("<") else name


def _bodies(code: str, method: str) -> list[tuple[int, int]]:
    """The first and the last line of each declaration of a method of that name that has a body."""
    found = []
    for match in re.finditer(rf"(?<![\w$.]){re.escape(method)}\s*\(", code):
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
