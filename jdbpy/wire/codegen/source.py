"""Writing Python source: lines, names that do not clash, and fused runs of fixed-width fields.

Owns what the generators of both directions share. It knows nothing of messages.
"""

from __future__ import annotations

import linecache
import struct
from collections.abc import Callable
from typing import Any

from jdbpy.record import Record
from jdbpy.wire.ids import IDSizes

_ARGUMENTS = {"data", "pos", "size", "tags", "message", "out"}
_VARIABLES = {"end", "item", "kind", "read", "text", "unpack", "width"}
_GLOBALS = {"kinds", "readers", "writers", "read_region", "write_region", "bytearray", "bytes", "len", "next", "range"}
_TAKEN = _ARGUMENTS | _VARIABLES | _GLOBALS | {"type"}
"""Names that mean something in generated code; a field with such a name gets another variable."""


class Source:
    """A function being written: its lines, and the objects that it refers to by name.

    ``title`` is what tracebacks show in place of a file, so it should be the only one.
    """

    def __init__(self, title: str, signature: str) -> None:
        self.title = title
        self.scope: dict[str, Any] = {}
        self._lines = [f"def {signature}:"]
        self._depth = 1
        self._names = set(_TAKEN)

    def line(self, text: str) -> None:
        self._lines.append("    " * self._depth + text)

    def indent(self) -> None:
        self._depth += 1

    def dedent(self) -> None:
        self._depth -= 1

    def name(self, wish: str) -> str:
        """Return a name for a local variable that nothing else has."""
        while wish in self._names:
            wish += "_"
        self._names.add(wish)
        return wish

    def constant(self, name: str, value: Any) -> str:
        """Make an object known to the function under a name; the same name is always the same object."""
        self._names.add(name)
        self.scope[name] = value
        return name

    def structure(self, codes: str, method: str) -> str:
        """Make a method of a compiled big-endian ``struct`` known, under a name with the format."""
        name = f"{method}_{codes.replace('?', 'bool_')}"
        return self.constant(name, getattr(struct.Struct(">" + codes), method))

    def finish(self) -> Any:
        """Compile the function and return it; ``linecache`` shows its source under the title."""
        text = "\n".join(self._lines) + "\n"
        filename = f"<{self.title}>"
        exec(compile(text, filename, "exec"), self.scope)
        linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
        return self.scope[self._lines[0].split()[1].split("(")[0]]


def source_of(function: Callable[..., Any]) -> str:
    """Return the source of a generated function."""
    return "".join(linecache.getlines(function.__code__.co_filename))


def title_of(direction: str, record: type[Record], sizes: IDSizes) -> str:
    """Return the title of a codec function: ``decode thread_reference.FramesReply, ids 8 8 8 8 8``."""
    widths = " ".join(str(size) for _, size in sizes.__iter_fields__())
    return f"{direction} {record.__module__.rpartition('.')[2]}.{record.__name__}, ids {widths}"


def code_width(codes: str) -> int:
    """Return the bytes that a run of fields takes."""
    return struct.calcsize(">" + codes)
