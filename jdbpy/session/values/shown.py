"""The outcome of a view of an object: plain data between the views, which read, and ``describe``, which writes text.

Values in here are still the wire's; ``describe`` describes them in their turn, as deep as the limits go.
"""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.record import Record
from jdbpy.wire.ids import TaggedValue


class UnknownLayout(Exception):
    """Raised by a view: the object is not laid out as the view expects; ``str(error)`` says in what."""


class Shown(Record):
    """Base of what a view returns."""


class Scalar(Shown):
    """Something with a text of its own and no parts worth showing: a number, a date, a path.

    ``fields`` asks for the object's fields as its children all the same. ``held`` is the primitive that it wraps, if it
    does: formats of numbers (``print/x``) are good for it then.
    """

    text: str
    fields: bool = False
    held: TaggedValue | None = None


class Text(Shown):
    """The first characters of a text of ``length`` UTF-16 units, to be quoted, escaped and cut as a string is."""

    text: str
    length: int


class Items(Shown):
    """A sequence or a set, of which ``items`` are the first elements, as many as were wanted.

    ``size`` is None when it is not known by the fields, and counting would mean reading all. ``name`` stands in for the
    name of a class that says nothing to its users.
    """

    size: int | None
    items: Sequence[TaggedValue]
    name: str = ""


class Entries(Shown):
    """A map, of which ``entries`` are the first in its own order, as many as were wanted. ``size`` and ``name`` as of
    Items."""

    size: int | None
    entries: Sequence[tuple[TaggedValue, TaggedValue]]
    name: str = ""


class Part(Record):
    """A named part. ``type`` is its declared type as in source, "" when that is not known."""

    name: str
    value: TaggedValue
    type: str = ""


class Parts(Shown):
    """A few named parts that make up the object; shown as ``Name[a=1, b=2]``. ``name`` as of Items."""

    parts: Sequence[Part]
    name: str = ""


class Holder(Shown):
    """Something that holds one value or, if ``value`` is None, none: ``Optional["x"]``, ``Optional.empty``."""

    value: TaggedValue | None
    name: str = "value"
    empty: str = "empty"


class Pair(Shown):
    """A key with its value: ``"a"=1``."""

    key: TaggedValue
    value: TaggedValue


class Trouble(Shown):
    """A throwable: its message and what belongs to it."""

    message: str | None
    parts: Sequence[Part]
    note: str = ""
