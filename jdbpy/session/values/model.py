"""The plain data of values that are shown otherwise than described."""

from __future__ import annotations

from jdbpy.record import Record


class Bytes(Record):
    """Elements as bytes, high byte first. ``start`` is the index of the first, ``length`` counts all that there are.

    ``type`` is that of the whole value, ``element`` that of an element: "byte", "int"; ``width`` its bytes.
    """

    type: str
    element: str
    width: int
    start: int
    length: int
    data: bytes
    id: int | None = None

    @property
    def left_out(self) -> int:
        """Elements after the last one that was read."""
        return self.length - len(self.data) // self.width


class UserView(Record):
    """A view that was added for a class pattern: a Java expression, or a Python function by its name."""

    pattern: str
    expression: str
    function: str
