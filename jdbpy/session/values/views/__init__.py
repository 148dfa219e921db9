"""Logical views: what collections, dates and other well-known classes hold, read from their fields.

One module for each family of classes. A view is an async function that takes an ``Obj`` and returns a ``Shown``; it
reads fields and never calls a method of the target, so looking at a value cannot change the program. It knows layouts
by their fields, not by release: JDK 8 to 25 differ, and a field that is missing is an ``UnknownLayout``, upon which the
object is shown with its plain fields and a word why.

* ``registry``: the table; ``sequences``: what lists, queues and sets share; ``structures``: nodes of several classes
* ``lists``, ``hashing``, ``maps``, ``sets``, ``immutable``: Java's collections; ``atomic``: holders of one value
* ``language``: java.lang; ``time``: dates; ``words``: values that are one word
* ``scala``, ``scala_maps``, ``clojure``, ``languages`` (Groovy, JRuby): those of other languages

This package's own names are what a view of the user's own is written with, public as ``jdbpy.views``.
"""

from jdbpy.session.values.obj import Obj, number, reference
from jdbpy.session.values.shown import (
    Entries,
    Holder,
    Items,
    Pair,
    Part,
    Parts,
    Scalar,
    Shown,
    Text,
    UnknownLayout,
)

__all__ = [
    "Entries",
    "Holder",
    "Items",
    "Obj",
    "Pair",
    "Part",
    "Parts",
    "Scalar",
    "Shown",
    "Text",
    "UnknownLayout",
    "number",
    "reference",
]
