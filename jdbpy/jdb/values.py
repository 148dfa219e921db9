"""Values and places in code as jdb writes them.

Values are as in JDI: ``instance of Order(id=7)``, strings quoted but not escaped. Places have the source line when
there is one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from jdbpy import Limits, ValueInfo
from jdbpy.jdb.output import number

if TYPE_CHECKING:
    from jdbpy import FrameInfo, Location, Session


SHORT = Limits(depth=0, string=1_000_000)
"""The limits for one line of a value; jdb cuts no string."""

_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def text_of(value: ValueInfo | None) -> str:
    """Return one line for a value."""
    if value is None or value.tag == "V":
        return "<void value>"
    if value.tag == "C":
        return str(value.raw)
    if value.tag == "s":
        return f'"{string_of(value)}"'
    if value.id is None or not value.id:
        return value.text
    if value.tag == "[":
        element = value.type.removesuffix("[]")
        return f"instance of {element}[{value.length or 0}] (id={value.id})"
    if value.tag in "tg":
        name = re.search(r'"(.*?)"', value.text)
        return f"instance of {value.type}(name='{name[1] if name else ''}', id={value.id})"
    if value.tag == "c":
        return f"instance of java.lang.Class(reflected class={_reflected(value.text)}, id={value.id})"
    return f"instance of {value.type}(id={value.id})"


def string_of(value: ValueInfo) -> str:
    """Return the characters of a string."""
    text = value.text[1 : value.text.rindex('"')]
    return _ESCAPE.sub(_character, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def is_object(value: ValueInfo | None) -> bool:
    return value is not None and bool(value.id)


async def massaged(session: Session, value: ValueInfo) -> str:
    """Return a value, which must be ``$_``, as ``print`` shows it: an object by its toString(), which runs in the
    target."""
    if is_object(value) and value.tag not in ("s", "["):
        return text_of(await session.values.to_string("$_"))
    return text_of(value)


def _reflected(text: str) -> str:
    return text.removeprefix("class ").removeprefix("interface ").removesuffix(".class")


def _character(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if code[0] == "u" and len(code) == 5 else _PLAIN.get(code, code)


def place(location: Location) -> str:
    """``Order.total(), line=42 bci=0``."""
    line = -1 if location.line is None else location.line
    return f"{location.class_name}.{location.method}(), line={number(line)} bci={number(location.code_index)}"


def thread_and_place(thread: str, location: Location) -> str:
    return f'"thread={thread}", {place(location)}'


def frame_line(frame: FrameInfo, *, pc: bool) -> str:
    """Return a line of a stack."""
    location = frame.location
    if frame.native:
        where = "native method"
    elif location.line is None:
        where = "null"
    elif location.source is None:
        where = "unknown"
    else:
        where = f"{location.source}:{number(location.line)}"
    end = f", pc = {location.code_index}" if pc and not frame.native else ""
    return f"  [{number(frame.index)}] {location.class_name}.{location.method} ({where}){end}"
