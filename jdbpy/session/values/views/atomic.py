"""java.util.concurrent.atomic, references and futures: holders of one value."""

from __future__ import annotations

import struct

from jdbpy.session.java.texts import primitive_text
from jdbpy.session.jvm.reading import gather
from jdbpy.session.values.obj import Obj, number
from jdbpy.session.values.shown import Holder, Part, Parts, Scalar, Shown
from jdbpy.session.values.views.hashing import striped_sum
from jdbpy.session.values.views.registry import view
from jdbpy.session.values.views.sequences import whole_array
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue


@view("java.util.concurrent.atomic.AtomicInteger", "java.util.concurrent.atomic.AtomicLong")
async def atomic_number(obj: Obj) -> Shown:
    value = await obj.get("value")
    return Scalar(str(number(value)), held=value)


@view("java.util.concurrent.atomic.AtomicBoolean")
async def atomic_boolean(obj: Obj) -> Shown:
    value = await obj.get("value")
    return Scalar("true" if number(value) else "false", held=TaggedValue(Tag.BOOLEAN, bool(value.value)))


@view("java.util.concurrent.atomic.AtomicReference")
async def atomic_reference(obj: Obj) -> Shown:
    return Holder(await obj.get("value"))


@view("java.util.concurrent.atomic.AtomicStampedReference")
async def stamped_reference(obj: Obj) -> Shown:
    reference, stamp = await obj.object_fields(await obj.get("pair"), "reference", "stamp")
    return Parts([Part("reference", reference), Part("stamp", stamp, "int")])


@view("java.util.concurrent.atomic.AtomicMarkableReference")
async def markable_reference(obj: Obj) -> Shown:
    reference, mark = await obj.object_fields(await obj.get("pair"), "reference", "mark")
    return Parts([Part("reference", reference), Part("mark", mark, "boolean")])


@view(
    "java.util.concurrent.atomic.AtomicIntegerArray",
    "java.util.concurrent.atomic.AtomicLongArray",
    "java.util.concurrent.atomic.AtomicReferenceArray",
)
async def atomic_array(obj: Obj) -> Shown:
    return await whole_array(obj, await obj.get("array"))


@view("java.util.concurrent.atomic.LongAdder")
async def long_adder(obj: Obj) -> Shown:
    base, cells = await obj.read("base", "cells")
    total = TaggedValue(Tag.LONG, _as_signed(await striped_sum(obj, base, cells)))
    return Scalar(str(total.value), held=total)


@view("java.util.concurrent.atomic.DoubleAdder")
async def double_adder(obj: Obj) -> Shown:
    """The cells hold the bits of doubles."""
    base, cells = await obj.read("base", "cells")
    found = [base]
    if cells.value:
        read = [obj.object_fields(cell, "value") for cell in await obj.elements(cells) if cell.value]
        found += [value for [value] in await gather(read)]
    total = TaggedValue(Tag.DOUBLE, sum(_as_double(number(value)) for value in found))
    return Scalar(primitive_text(total, obj.reader.release), held=total)


def _as_signed(value: int) -> int:
    """Return the low 64 bits as a long."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


def _as_double(bits: int) -> float:
    (value,) = struct.unpack(">d", struct.pack(">q", bits))
    return float(value)


@view("java.lang.ref.WeakReference", "java.lang.ref.SoftReference")
async def weak_reference(obj: Obj) -> Shown:
    referent = await obj.get("referent")
    return Holder(referent if referent.value else None, "referent", "cleared")


@view("java.util.concurrent.CompletableFuture")
async def completable_future(obj: Obj) -> Shown:
    """Null and failures are kept in a box of their own (``AltResult``)."""
    result = await obj.get("result")
    if not result.value:
        return Holder(None, empty="incomplete")
    shape = await obj.reader.shape(await obj.reader.type_id(int(result.value)))
    if shape.name != "java.util.concurrent.CompletableFuture$AltResult":
        return Holder(result)
    [exception] = await obj.object_fields(result, "ex")
    return Holder(exception, "exception" if exception.value else "value")
