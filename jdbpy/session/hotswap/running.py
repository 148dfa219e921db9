"""The shapes of classes as the target runs them, read over the wire."""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.session.hotswap.shape import FIELD_BITS, METHOD_BITS, ClassShape, MethodShape, code_rows, constants_of
from jdbpy.session.types import facts, signatures
from jdbpy.session.types.cache import TypeCache
from jdbpy.session.types.refs import NO_LINES, Method, RefType
from jdbpy.wire.ids import ReferenceTypeID


async def running_shapes(types: TypeCache, wanted: Sequence[RefType]) -> dict[ReferenceTypeID, ClassShape]:
    """What the target runs of these classes. wire: 2 trips, and 1 for ancestors that are not known."""
    ids = [each.id for each in wanted]
    about = (
        facts.METHODS,
        facts.FIELDS,
        facts.MODIFIERS,
        facts.SUPERCLASS,
        facts.INTERFACES,
        facts.CONSTANT_POOL,
        facts.CLASS_FILE_VERSION,
    )
    await types.prefetch(*((fact, ids) for fact in about))
    declared = await types.methods(ids)
    keys = [(type_id, method.id) for type_id, methods in declared.items() for method in methods if method.has_code]
    await types.prefetch((facts.BYTECODES, keys), (facts.LINES, keys), (facts.VARIABLES, keys))
    above = [types.known(facts.SUPERCLASS, each) for each in ids]
    interfaces = [parent for each in ids for parent in types.known(facts.INTERFACES, each) or ()]
    await types.info([each for each in (*above, *interfaces) if each])
    return {each.id: await _shape(types, each) for each in wanted}


async def _shape(types: TypeCache, each: RefType) -> ClassShape:
    """Puts together what is known by now. No trip."""
    pool = types.known(facts.CONSTANT_POOL, each.id)
    version = types.known(facts.CLASS_FILE_VERSION, each.id)
    superclass = types.known(facts.SUPERCLASS, each.id)
    above = await types.info([superclass] if superclass else ())
    interfaces = types.known(facts.INTERFACES, each.id) or ()
    known = await types.info(interfaces)
    fields = types.known(facts.FIELDS, each.id) or ()
    is_interface = bool((types.known(facts.MODIFIERS, each.id) or 0) & signatures.INTERFACE)

    def method_shape(method: Method) -> MethodShape:
        key = (each.id, method.id)
        table = types.known(facts.VARIABLES, key)
        slots = table.slots if table else ()
        return MethodShape(
            method.bits & METHOD_BITS,
            code_rows(types.known(facts.BYTECODES, key) or b"", pool),
            (types.known(facts.LINES, key) or NO_LINES).entries,
            frozenset((slot.code_index, slot.length, slot.name, slot.signature, slot.slot) for slot in slots),
        )

    return ClassShape(
        name=each.signature[1:-1],
        version=version if version is not None else (0, 0),
        access=types.known(facts.MODIFIERS, each.id) or 0,
        superclass="java/lang/Object" if is_interface else "".join(_internal(parent) for parent in above.values()),
        interfaces=tuple(_internal(known[parent]) for parent in interfaces if parent in known),
        fields={(field.name, field.signature): field.bits & FIELD_BITS for field in fields},
        methods={
            (method.name, method.signature): method_shape(method)
            for method in types.known(facts.METHODS, each.id) or ()
        },
        constants=constants_of(pool),
    )


def _internal(each: RefType) -> str:
    return each.signature[1:-1]
