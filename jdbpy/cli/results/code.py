"""What the commands about code return beside the session's own data."""

from __future__ import annotations

from jdbpy import code
from jdbpy.record import Record


class Disassemblies(Record):
    """The code of one method or of several: overloads, or all of a class."""

    methods: tuple[code.Disassembly, ...]
