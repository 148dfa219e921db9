"""What is above the classes of the JDK that programs use most, and what objects of its interfaces most often are.

Guesses only, for looking all of it up at once where the target is far away, and not level by level. What is not there,
in a release or yet, is not found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_COLLECTION = ("java.util.Collection", "java.lang.Iterable")
_SEQUENCED = ("java.util.SequencedCollection", *_COLLECTION)
_LIST = ("java.util.List", *_SEQUENCED)
_ARRAY_LIST = (
    "java.util.AbstractList",
    "java.util.AbstractCollection",
    "java.util.RandomAccess",
    "java.lang.Cloneable",
    "java.io.Serializable",
    *_LIST,
)
_HASH_MAP = ("java.util.AbstractMap", "java.util.Map", "java.lang.Cloneable", "java.io.Serializable")
_HASH_SET = (
    "java.util.AbstractSet",
    "java.util.AbstractCollection",
    "java.util.Set",
    "java.lang.Cloneable",
    "java.io.Serializable",
    *_COLLECTION,
)
_CONSTANT = ("java.lang.Comparable", "java.lang.constant.Constable", "java.lang.constant.ConstantDesc")
_NUMBER = ("java.lang.Number", "java.io.Serializable", *_CONSTANT)
_BUILDER = ("java.lang.AbstractStringBuilder", "java.lang.CharSequence", "java.lang.Appendable", "java.io.Serializable")

ABOVE: Mapping[str, Sequence[str]] = {
    "java.lang.String": ("java.lang.CharSequence", "java.io.Serializable", *_CONSTANT),
    "java.lang.StringBuilder": (*_BUILDER, "java.lang.Comparable"),
    "java.lang.Integer": _NUMBER,
    "java.lang.Long": _NUMBER,
    "java.lang.Short": _NUMBER,
    "java.lang.Byte": _NUMBER,
    "java.lang.Double": _NUMBER,
    "java.lang.Float": _NUMBER,
    "java.lang.Boolean": ("java.io.Serializable", *_CONSTANT),
    "java.lang.Character": ("java.io.Serializable", *_CONSTANT),
    "java.lang.Class": (
        "java.io.Serializable",
        "java.lang.reflect.GenericDeclaration",
        "java.lang.reflect.AnnotatedElement",
        "java.lang.reflect.Type",
        "java.lang.invoke.TypeDescriptor$OfField",
        "java.lang.invoke.TypeDescriptor",
        "java.lang.constant.Constable",
    ),
    "java.lang.Thread": ("java.lang.Runnable",),
    "java.lang.RuntimeException": ("java.lang.Exception", "java.lang.Throwable", "java.io.Serializable"),
    "java.lang.Exception": ("java.lang.Throwable", "java.io.Serializable"),
    "java.util.Collection": ("java.lang.Iterable", "java.util.ArrayList", *_ARRAY_LIST),
    "java.util.List": ("java.util.ArrayList", *_ARRAY_LIST),
    "java.util.ArrayList": _ARRAY_LIST,
    "java.util.LinkedList": ("java.util.AbstractSequentialList", "java.util.Deque", "java.util.Queue", *_ARRAY_LIST),
    "java.util.Map": ("java.util.HashMap", *_HASH_MAP),
    "java.util.HashMap": _HASH_MAP,
    "java.util.LinkedHashMap": ("java.util.HashMap", "java.util.SequencedMap", *_HASH_MAP),
    "java.util.TreeMap": (
        "java.util.NavigableMap",
        "java.util.SortedMap",
        "java.util.SequencedMap",
        *_HASH_MAP,
    ),
    "java.util.Set": ("java.util.HashSet", *_HASH_SET),
    "java.util.HashSet": _HASH_SET,
    "java.util.LinkedHashSet": ("java.util.HashSet", "java.util.SequencedSet", *_SEQUENCED, *_HASH_SET),
}
"""Classes and interfaces above a class, java.lang.Object left out."""
