"""The JSON form of what commands about values return, beside those of every stop."""

from __future__ import annotations

from jdbpy import values
from jdbpy.cli.commands.data import Examined
from jdbpy.cli.commands.saved import NamedValues
from jdbpy.cli.commands.views import Views
from jdbpy.cli.json_form.shape import Field, shape

VALUE_SHAPES = (
    shape(
        "views",
        Views,
        "Views of the user's own.",
        Field("views", "view[]"),
        Field("pattern", "string", "the one that was asked for", optional=True),
    ),
    shape(
        "view",
        values.UserView,
        "How classes are shown.",
        Field("pattern", "string", "of class names"),
        Field("expression", "string", "over the fields of the object", optional=True),
        Field("function", "string", "of Python, by its name", optional=True),
    ),
    shape(
        "named-values",
        NamedValues,
        "Values with the names that they have in expressions.",
        Field("values", "variable[]", "the kind of an object that is kept from collection is `kept`, else `noted`"),
        Field("what", "string", "saved or history"),
    ),
    shape(
        "examined",
        Examined,
        "The bytes of a value.",
        Field("expression", "string"),
        Field("type", "string", source="bytes.type"),
        Field("id", "integer", "of the array, string or buffer", "bytes.id", optional=True),
        Field("element", "string", "the type of an element", "bytes.element"),
        Field("width", "integer", "bytes of an element, high byte first", "bytes.width"),
        Field("start", "integer", "index of the first element", "bytes.start"),
        Field("length", "integer", "elements in all", "bytes.length"),
        Field("left_out", "integer", "elements that are not in `hex`", "bytes.left_out"),
        Field("hex", "string", "the bytes, two digits each", "hex"),
    ),
)
