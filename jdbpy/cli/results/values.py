"""What commands about values return, beside those of every stop."""

from __future__ import annotations

from jdbpy import Variable, values
from jdbpy.record import Record


class NamedValues(Record):
    """Values by name; ``what`` is "saved" or "history"."""

    values: tuple[Variable, ...]
    what: str


class Views(Record):
    """How classes are shown: all views of the user's own, or that of one ``pattern``."""

    views: tuple[values.UserView, ...]
    pattern: str = ""


class Examined(Record):
    """The bytes of an expression's value."""

    expression: str
    bytes: values.Bytes

    @property
    def hex(self) -> str:
        return self.bytes.data.hex()
