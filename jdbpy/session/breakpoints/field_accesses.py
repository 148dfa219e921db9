"""Where the code of loaded classes reads and changes a field, known by its instructions.

Only the class that declares the field and the classes around and inside it are looked at: Java lets no others use a
private field (JLS 6.6.1), and looking at all classes of a program would take too long.
"""

from __future__ import annotations

from collections.abc import Iterator

from jdbpy.record import Record
from jdbpy.session.events.target import Target
from jdbpy.session.java.bytecode import MalformedCode, decode
from jdbpy.session.java.constant_pool import CLASS, ConstantPool
from jdbpy.session.java.signatures import outermost
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.refs import Field
from jdbpy.wire.ids import CodeLocation

_READS, _CHANGES = (178, 180), (179, 181)  # getstatic, getfield; putstatic, putfield
_MOST_METHODS = 2_000


class Accesses(Record):
    """The first place of each method that accesses a field; ``all_known``: no other code can, but by reflection."""

    places: tuple[CodeLocation, ...] = ()
    all_known: bool = False


async def accesses(target: Target, field: Field, *, reads: bool, changes: bool) -> Accesses:
    """Return what accesses a field. wire: 3 trips, fewer for classes and code that are known."""
    types = target.types
    owner = (await types.info([field.type_id])).get(field.type_id)
    if owner is None or not (target.can("canGetBytecodes") and target.can("canGetConstantPool")):
        return Accesses()
    await types.all_classes()
    top = outermost(owner.name)
    family = {each.id: each for each in types.all_known() if outermost(each.name) == top and not each.is_array}
    await types.facts.prefetch((facts.METHODS, family), (facts.CONSTANT_POOL, family))
    methods = [each for own in (await types.methods(family)).values() for each in own if each.has_code]
    if len(methods) > _MOST_METHODS:
        return Accesses()
    codes = await types.facts.many(facts.BYTECODES, [(each.type_id, each.id) for each in methods])
    pools = await types.facts.many(facts.CONSTANT_POOL, family)
    names = {each.name for each in family.values()}
    all_known = field.is_private and len(codes) == len(methods)
    for type_id in family:
        pool = pools.get(type_id)
        if pool is None or any(outermost(each) == top and each not in names for each in _classes(pool)):
            all_known = False  # code that cannot be read, or is not loaded yet
    wanted = frozenset((*(_READS if reads else ()), *(_CHANGES if changes else ())))
    found = []
    for (type_id, method_id), code in codes.items():
        pool = pools.get(type_id)
        try:
            index = _first_access(code, pool, field, wanted) if pool is not None else None
        except MalformedCode:
            all_known = False
        else:
            if index is not None:
                found.append(CodeLocation(family[type_id].tag, type_id, method_id, index))
    return Accesses(tuple(found), all_known)


def _first_access(code: bytes, pool: ConstantPool, field: Field, opcodes: frozenset[int]) -> int | None:
    """Return the code index of the first access to a field of that name and type, whatever class it is named by: that
    may be a subclass. Raises MalformedCode."""
    for each in decode(code):
        if each.opcode in opcodes:
            entry = int.from_bytes(code[each.index + 1 : each.index + 3], "big")
            if pool.member(entry)[1:] == (field.name, field.signature):
                return each.index
    return None


def _classes(pool: ConstantPool) -> Iterator[str]:
    """Yield the Java names of the classes that a class mentions, those that are nested in it among them."""
    for index in pool:
        if pool.tag(index) == CLASS:
            yield pool.name(index).replace("/", ".")
