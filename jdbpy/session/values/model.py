"""The plain data of values that are shown otherwise than described."""

from __future__ import annotations

from typing import Annotated

from jdbpy.json_form import Json
from jdbpy.record import Record


class Bytes(Record):
    """Elements as bytes, high byte first. ``start`` is the index of the first, ``length`` counts all that there are.

    ``type`` is that of the whole value, ``element`` that of an element: "byte", "int"; ``width`` its bytes.
    """

    json_properties = ("left_out",)

    type: str
    element: Annotated[str, "the type of an element"]
    width: Annotated[int, "bytes of an element, high byte first"]
    start: Annotated[int, "index of the first element"]
    length: Annotated[int, "elements in all"]
    data: Annotated[bytes, Json("the bytes, two digits each", "hex")]
    id: Annotated[int | None, "of the array, string or buffer"] = None

    @property
    def left_out(self) -> int:
        """Elements after the last one that was read, which are not in `hex`."""
        return self.length - len(self.data) // self.width


class UserView(Record):
    """A view that was added for a class pattern: a Java expression, or a Python function by its name."""

    json_name = "view"

    pattern: Annotated[str, "of class names"]
    expression: Annotated[str, Json("over the fields of the object", optional=True)]
    function: Annotated[str, Json("of Python, by its name", optional=True)]
