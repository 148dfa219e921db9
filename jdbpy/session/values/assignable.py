"""Whether a value may be stored where a type is declared: the check that the agent leaves out.

JNI stores what it is given. A reference of a wrong class in a field makes the VM run methods of a class on an object of
another, which ends it at once or, worse, later. So no reference is sent before its class is known to fit (JLS 5.2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from jdbpy.errors import UsageError
from jdbpy.session.target import Target
from jdbpy.session.types import facts
from jdbpy.session.types.refs import RefType
from jdbpy.session.types.signatures import PRIMITIVES, java_name
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import ClassLoaderID, ObjectID, ReferenceTypeID, TaggedValue
from jdbpy.wire.layout import OBJECT_TAGS
from jdbpy.wire.messages import class_loader_reference

_LINKS = (facts.SUPERCLASS, facts.INTERFACES)

_RANGES = {Tag.BYTE: 8, Tag.SHORT: 16, Tag.INT: 32, Tag.LONG: 64}
_LARGEST_FLOAT = 3.4028234663852886e38

_TOLD_BY_TAG: dict[int, frozenset[str]] = {
    Tag.STRING: frozenset(("Ljava/lang/String;", "Ljava/lang/CharSequence;", "Ljava/lang/Object;")),
    Tag.CLASS_OBJECT: frozenset(("Ljava/lang/Class;", "Ljava/lang/Object;")),
    Tag.CLASS_LOADER: frozenset(("Ljava/lang/ClassLoader;", "Ljava/lang/Object;")),
    Tag.THREAD: frozenset(("Ljava/lang/Thread;", "Ljava/lang/Object;")),
    Tag.THREAD_GROUP: frozenset(("Ljava/lang/ThreadGroup;", "Ljava/lang/Object;")),
}
"""What objects are whose tag the agent has given: it looks at their classes for that."""

_ROOT = "Ljava/lang/Object;"

OF_THE_JDK = "Ljava/"
"""Of a name in java.* there is one class: no loader but the JDK's may define it (ClassLoader.defineClass)."""

_OF_EVERY_ARRAY = frozenset(("Ljava/lang/Object;", "Ljava/lang/Cloneable;", "Ljava/io/Serializable;"))


async def require_assignable(
    target: Target, signature: str, value: TaggedValue, what: str, home: ReferenceTypeID | None
) -> None:
    """Raises UsageError unless the value may be stored in ``what``, which is declared with the JNI type ``signature``.

    ``home`` is the class with the declaration: of two classes of one name the one that its loader sees is meant. Values
    of primitive types must have exactly that type: converting them is the business of expressions. wire: 1 trip for
    the object's class, and its ancestry; 0 when known.
    """
    declared = java_name(signature)
    if signature[0] in PRIMITIVES:
        _require_primitive(signature, value, what)
        return
    if value.tag not in OBJECT_TAGS:
        raise _mismatch(what, declared, PRIMITIVES.get(chr(value.tag), "?"))
    if not value.value or signature == _ROOT or signature in _TOLD_BY_TAG.get(value.tag, ()):
        return
    type_id = await target.objects.reader.run(target.objects.reader.type_id(int(value.value)))
    if not await _fits(target, type_id, signature, home):
        found = (await target.types.info([type_id])).get(type_id)
        raise _mismatch(what, declared, found.name if found else "?")


def _require_primitive(signature: str, value: TaggedValue, what: str) -> None:
    held = value.value
    if chr(value.tag) != signature:
        found = "a reference" if value.tag in OBJECT_TAGS else PRIMITIVES.get(chr(value.tag), "?")
        raise _mismatch(what, PRIMITIVES[signature], found)
    fits = True
    if value.tag == Tag.BOOLEAN:
        fits = isinstance(held, bool)
    elif value.tag == Tag.CHAR:
        fits = type(held) is int and 0 <= held <= 0xFFFF
    elif value.tag in _RANGES:
        fits = type(held) is int and -(1 << _RANGES[Tag(value.tag)] - 1) <= held < 1 << _RANGES[Tag(value.tag)] - 1
    elif value.tag == Tag.FLOAT:
        fits = isinstance(held, float) and (not math.isfinite(held) or abs(held) <= _LARGEST_FLOAT)
    else:
        fits = isinstance(held, float)
    if not fits:
        raise UsageError(
            f"{held!r} does not fit {what}, which is declared {PRIMITIVES[signature]}", code="TYPE_MISMATCH"
        )


def _mismatch(what: str, declared: str, found: str) -> UsageError:
    return UsageError(
        f"{what} is declared {declared}, which a value of type {found} does not fit", code="TYPE_MISMATCH"
    )


async def _fits(target: Target, type_id: ReferenceTypeID, signature: str, home: ReferenceTypeID | None) -> bool:
    """Whether objects of a type are objects of the declared one as well."""
    types = target.types
    await types.prefetch(*((fact, [type_id]) for fact in (*_LINKS, facts.SIGNATURE, facts.MODIFIERS)))
    found = (await types.info([type_id])).get(type_id)
    if found is None:
        return False
    if found.is_array:
        return await _array_fits(target, found, found.signature, signature, home)
    lineage = [found] if found.signature == signature else [found, *await types.ancestors(type_id)]
    named = {each.id for each in lineage if each.signature == signature}
    if not named or home is None or home in named or signature.startswith(OF_THE_JDK):
        return bool(named)
    loaders = await types.many(facts.LOADER, [home, *named])
    if loaders.get(home) in {loader for each, loader in loaders.items() if each in named}:
        return True  # a loader means what it has defined itself (JVMS 5.3.5)
    loaded = await types.by_signature(signature)
    return len(loaded) <= 1 or await as_seen_from(target, home, loaded) in named


async def _array_fits(target: Target, array: RefType, found: str, declared: str, home: ReferenceTypeID | None) -> bool:
    """Arrays of references fit where their elements do; those of primitives fit their own type only (JLS 10.8)."""
    if declared in _OF_EVERY_ARRAY:
        return True
    if not declared.startswith("[") or not found.startswith("["):
        return False
    if found[1] == "[":
        return await _array_fits(target, array, found[1:], declared[1:], home)
    if found[1] != "L":
        return found == declared
    if declared[1] != "L":
        return False
    if declared[1:] == _ROOT:  # which is above interfaces too, without being among their ancestors
        return True
    # An array class has the loader of its elements: that tells which class of that name they are.
    element: ReferenceTypeID | None = target.types.known_named(found[1:]) if found.startswith(OF_THE_JDK, 1) else None
    element = element or await as_seen_from(target, array.id, await target.types.by_signature(found[1:]))
    return element is not None and await _fits(target, element, declared[1:], home)


async def as_seen_from(target: Target, home: ReferenceTypeID, loaded: Sequence[RefType]) -> ReferenceTypeID | None:
    """Which of the types of one name a class means: that which its loader was asked for first (JVMS 5.3)."""
    if len(loaded) == 1:
        return loaded[0].id
    loaders = await target.types.many(facts.LOADER, [home, *(each.id for each in loaded)])
    loader = loaders.get(home, ClassLoaderID(ObjectID(0)))
    if not loader:
        return next((each.id for each in loaded if not loaders.get(each.id)), None)
    visible = (await target.conn.request(class_loader_reference.VisibleClasses(loader))).classes
    ids = {each.typeID for each in visible}
    return next((each.id for each in loaded if each.id in ids), None)
