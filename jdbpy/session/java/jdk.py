"""Known facts of the JDK's most used classes: what is above them, and what their objects hold.

Guesses, for looking all of it up at once where the target is far away, and not level by level. What is not there, in a
release or yet, is not found, and costs a few bytes. Names only: the types themselves are the cache's.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence

_SUPERCLASS: Mapping[str, str] = {
    "java.lang.StringBuilder": "java.lang.AbstractStringBuilder",
    "java.lang.StringBuffer": "java.lang.AbstractStringBuilder",
    "java.lang.Integer": "java.lang.Number",
    "java.lang.Long": "java.lang.Number",
    "java.lang.Short": "java.lang.Number",
    "java.lang.Byte": "java.lang.Number",
    "java.lang.Double": "java.lang.Number",
    "java.lang.Float": "java.lang.Number",
    "java.lang.Exception": "java.lang.Throwable",
    "java.lang.RuntimeException": "java.lang.Exception",
    "java.util.AbstractList": "java.util.AbstractCollection",
    "java.util.AbstractSequentialList": "java.util.AbstractList",
    "java.util.AbstractSet": "java.util.AbstractCollection",
    "java.util.ArrayList": "java.util.AbstractList",
    "java.util.LinkedList": "java.util.AbstractSequentialList",
    "java.util.HashMap": "java.util.AbstractMap",
    "java.util.LinkedHashMap": "java.util.HashMap",
    "java.util.TreeMap": "java.util.AbstractMap",
    "java.util.HashSet": "java.util.AbstractSet",
    "java.util.LinkedHashSet": "java.util.HashSet",
}
"""Direct superclasses, java.lang.Object left out."""

_SERIALIZABLE = "java.io.Serializable"
_COPIED = ("java.lang.Cloneable", _SERIALIZABLE)
_CONSTANT = ("java.lang.Comparable", "java.lang.constant.Constable", "java.lang.constant.ConstantDesc")

_INTERFACES: Mapping[str, Sequence[str]] = {
    "java.lang.AbstractStringBuilder": ("java.lang.CharSequence", "java.lang.Appendable"),
    "java.lang.StringBuilder": ("java.lang.Comparable", _SERIALIZABLE),
    "java.lang.StringBuffer": ("java.lang.Comparable", _SERIALIZABLE),
    "java.lang.String": ("java.lang.CharSequence", _SERIALIZABLE, *_CONSTANT),
    "java.lang.Number": (_SERIALIZABLE,),
    "java.lang.Integer": _CONSTANT,
    "java.lang.Long": _CONSTANT,
    "java.lang.Short": _CONSTANT[:2],
    "java.lang.Byte": _CONSTANT[:2],
    "java.lang.Double": _CONSTANT,
    "java.lang.Float": _CONSTANT,
    "java.lang.Boolean": (_SERIALIZABLE, *_CONSTANT[:2]),
    "java.lang.Character": (_SERIALIZABLE, *_CONSTANT[:2]),
    "java.lang.Class": (
        _SERIALIZABLE,
        "java.lang.reflect.GenericDeclaration",
        "java.lang.reflect.Type",
        "java.lang.invoke.TypeDescriptor$OfField",
        "java.lang.constant.Constable",
    ),
    "java.lang.reflect.GenericDeclaration": ("java.lang.reflect.AnnotatedElement",),
    "java.lang.invoke.TypeDescriptor$OfField": ("java.lang.invoke.TypeDescriptor",),
    "java.lang.Thread": ("java.lang.Runnable",),
    "java.lang.Throwable": (_SERIALIZABLE,),
    "java.util.Collection": ("java.lang.Iterable",),
    "java.util.SequencedCollection": ("java.util.Collection",),
    "java.util.List": ("java.util.SequencedCollection", "java.util.Collection"),
    "java.util.Queue": ("java.util.Collection",),
    "java.util.Deque": ("java.util.Queue", "java.util.SequencedCollection"),
    "java.util.Set": ("java.util.Collection",),
    "java.util.SequencedSet": ("java.util.Set", "java.util.SequencedCollection"),
    "java.util.SequencedMap": ("java.util.Map",),
    "java.util.SortedMap": ("java.util.SequencedMap", "java.util.Map"),
    "java.util.NavigableMap": ("java.util.SortedMap",),
    "java.util.AbstractCollection": ("java.util.Collection",),
    "java.util.AbstractList": ("java.util.List",),
    "java.util.AbstractSet": ("java.util.Set",),
    "java.util.AbstractMap": ("java.util.Map",),
    "java.util.ArrayList": ("java.util.List", "java.util.RandomAccess", *_COPIED),
    "java.util.LinkedList": ("java.util.List", "java.util.Deque", *_COPIED),
    "java.util.HashMap": ("java.util.Map", *_COPIED),
    "java.util.LinkedHashMap": ("java.util.SequencedMap",),
    "java.util.TreeMap": ("java.util.NavigableMap", *_COPIED),
    "java.util.HashSet": ("java.util.Set", *_COPIED),
    "java.util.LinkedHashSet": ("java.util.SequencedSet",),
}
"""Interfaces that the declarations name, in 17 or in 25."""

_SINCE: Mapping[str, int] = {
    "java.util.SequencedCollection": 21,
    "java.util.SequencedSet": 21,
    "java.util.SequencedMap": 21,
    "java.lang.constant.Constable": 12,
    "java.lang.constant.ConstantDesc": 12,
    "java.lang.invoke.TypeDescriptor": 12,
    "java.lang.invoke.TypeDescriptor$OfField": 12,
}
"""The release in which they came: one that is not there would be looked for again and again."""

_MOSTLY: Mapping[str, str] = {
    "java.util.Collection": "java.util.ArrayList",
    "java.util.List": "java.util.ArrayList",
    "java.util.Map": "java.util.HashMap",
    "java.util.Set": "java.util.HashSet",
}
"""The classes that objects of an interface most often have."""

_MADE_OF: Mapping[str, str] = {
    "java.util.HashMap": "java.util.HashMap$Node",
    "java.util.HashSet": "java.util.HashMap",
}
"""The class of the objects that hold what is in a collection."""

_IMMUTABLE = "java.util.ImmutableCollections"
_FROM_FACTORIES: Mapping[str, Sequence[str]] = {
    "java.util.List": (_IMMUTABLE, f"{_IMMUTABLE}$List12", f"{_IMMUTABLE}$ListN"),
    "java.util.Set": (_IMMUTABLE, f"{_IMMUTABLE}$SetN"),
    "java.util.Map": (_IMMUTABLE, f"{_IMMUTABLE}$MapN"),
}
"""The classes that methods may return for an interface, and those needed to show them: every VM has them loaded."""

_UNSEEN = frozenset(
    ("java.lang.Number", *(each for each in _SUPERCLASS.values() if each.startswith("java.util.Abstract")))
)
"""Superclasses that have no fields, or none that are shown."""

_TELL_NOTHING = frozenset(("java.lang.Object", "java.lang.String", "java.lang.Class"))
"""Types that tell nothing, or whose objects are read without their fields."""


@functools.cache
def above(name: str, release: int) -> tuple[str, ...]:
    """Return all classes and interfaces above a type but java.lang.Object; of an interface what most often implements
    it too.

    Nothing for a type that is not known here.
    """
    found: dict[str, None] = {}
    pending = [name, *_next(_MOSTLY, name)]
    while pending:
        each = pending.pop()
        found[each] = None
        pending += [parent for parent in (*_next(_SUPERCLASS, each), *_INTERFACES.get(each, ())) if parent not in found]
    del found[name]
    return tuple(each for each in found if release >= _SINCE.get(each, 0))


def made_of(declared: Iterable[str]) -> set[str]:
    """Return the types from which objects that variables of these types hold have their fields, and what is in them
    has."""
    found: set[str] = set()
    pending = [each for each in declared if each not in _TELL_NOTHING]
    while pending:
        each = pending.pop()
        found.add(each)
        following = (*_next(_MOSTLY, each), *_next(_SUPERCLASS, each), *_next(_MADE_OF, each))
        pending += [one for one in following if one not in found and one not in _UNSEEN]
    return found


def given(declared: Iterable[str]) -> set[str]:
    """Like ``made_of``, for what methods that declare these types may give."""
    names = list(declared)
    return made_of(names) | {each for name in names for each in _FROM_FACTORIES.get(name, ())}


def _next(table: Mapping[str, str], name: str) -> tuple[str, ...]:
    return (table[name],) if name in table else ()
