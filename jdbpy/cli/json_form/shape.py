"""How the JSON form of a record is declared: a shape, with a field for each key."""

from __future__ import annotations

from jdbpy.record import Record


class Field(Record):
    """A key of a JSON object.

    ``kind`` is "string", "integer", "number", "boolean", "object" (of names with values, from pairs), or the name of a
    shape; "?" after it allows null, "[]" makes it a list.
    ``source`` is the dotted path of attributes (the key, if it is empty). ``optional``: left out when there is nothing
    to say (null, "", false, an empty list).
    """

    key: str
    kind: str
    help: str = ""
    source: str = ""
    optional: bool = False


class Shape(Record):
    """The JSON object that a type of record becomes; without a record, what a tuple of its values becomes."""

    name: str
    record: type[Record] | None
    help: str
    fields: tuple[Field, ...]


def shape(name: str, record: type[Record] | None, help: str, *fields: Field) -> Shape:
    return Shape(name, record, help, fields)


VALUE_TYPE = Field("type", "string?", "the type of the value itself, as in source", "value.type")

VALUE = (
    Field("value", "string?", "as Java would write the literal; null when it could not be read", "value.text"),
    Field("formatted", "string", "in the format that was asked for: 0xff", "value.formatted", optional=True),
    Field("id", "integer", "the object's id", "value.id", optional=True),
    Field("length", "integer", "of a string, an array or a known collection", "value.length", optional=True),
    Field("truncated", "boolean", "more of it was left out", "value.truncated", optional=True),
    Field("children", "variable[]", "fields or elements", "value.children", optional=True),
    Field("note", "string", "a word of explanation", "value.note", optional=True),
)
"""The keys of a value, for records that have it in their attribute ``value``."""

CHANGED = Field("changed", "boolean", "since an earlier stop", "value.changed", optional=True)
"""Of values that stand for themselves; a variable has its own."""
