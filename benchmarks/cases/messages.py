"""Decoding large replies, without a JVM: the generated codec, the reference codec, and code written by hand."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from typing import Any, cast

from benchmarks.bench import Bench
from benchmarks.figures import Result, Sample, measure
from jdbpy.record import Record
from jdbpy.wire.codec import GeneratedCodec
from jdbpy.wire.ids import CodeLocation, FrameID, MethodID, ReferenceTypeID
from jdbpy.wire.lazy_records import Columns
from jdbpy.wire.messages import thread_reference, virtual_machine
from jdbpy.wire.messages.thread_reference import Frame
from jdbpy.wire.messages.virtual_machine import ClassInfoWithGeneric
from jdbpy.wire.reference import ReferenceCodec

_CLASSES = 20_000
_FRAMES = 1_000


async def run(bench: Bench) -> list[Result]:
    listed = Columns.of(ClassInfoWithGeneric, map(_class, range(_CLASSES)))
    classes = virtual_machine.AllClassesWithGenericReply(listed)
    frames = thread_reference.FramesReply(cast("Any", [_frame(number) for number in range(_FRAMES)]))
    return [
        await _compare(bench, f"AllClassesWithGeneric, {_CLASSES:,} classes", classes, "classes", _classes_by_hand),
        await _compare(bench, f"ThreadReference.Frames, {_FRAMES:,} frames", frames, "frames", _frames_by_hand),
    ]


async def _compare(bench: Bench, work: str, reply: Record, field: str, by_hand: Callable[[bytes], list[Any]]) -> Result:
    """Each makes a list of records of what stands in the field, whatever else a codec may leave for later."""
    generated, reference = GeneratedCodec(), ReferenceCodec()
    data = generated.encode(reply)
    contenders: dict[str, Callable[[bytes], list[Any]]] = {
        "floor": by_hand,
        "jdbpy": lambda data: list(getattr(generated.decode(type(reply), data), field)),
        "jdbpy, JDBPY_CODEC=construct": lambda data: list(getattr(reference.decode(type(reply), data), field)),
    }
    figures = []
    for name, decode in contenders.items():
        assert decode(data) == list(getattr(reply, field))  # and what is made on first use is made

        async def once(decode: Callable[[bytes], list[Any]] = decode) -> Sample:
            start = time.perf_counter()
            decode(data)
            return Sample(time.perf_counter() - start)

        figures.append(await measure(name, bench.effort, once))
    return Result(f"decode {work} (floor: by hand)", "none", tuple(figures))


def _class(number: int) -> ClassInfoWithGeneric:
    generic = "<T:Ljava/lang/Object;>Ljava/lang/Object;" if number % 8 == 0 else ""
    return ClassInfoWithGeneric(
        1, ReferenceTypeID(number + 1), f"Lcom/acme/shop/part{number % 99}/C{number};", generic, 7
    )


def _frame(number: int) -> Frame:
    return Frame(
        FrameID(number), CodeLocation(1, ReferenceTypeID(number % 50), MethodID(0x7F00_0000_0000 + number), number)
    )


def _classes_by_hand(data: bytes) -> list[ClassInfoWithGeneric]:
    head, number = struct.Struct(">BQi").unpack_from, struct.Struct(">i").unpack_from
    (count,) = number(data, 0)
    pos = 4
    classes = []
    for _ in range(count):
        tag, type_id, length = head(data, pos)
        pos += 13 + length
        signature = data[pos - length : pos].decode()
        (length,) = number(data, pos)
        pos += 4 + length
        generic = data[pos - length : pos].decode()
        (status,) = number(data, pos)
        pos += 4
        classes.append(ClassInfoWithGeneric(tag, type_id, signature, generic, status))
    return classes


def _frames_by_hand(data: bytes) -> list[Frame]:
    rows = struct.iter_unpack(">QBQQq", data[4:])
    return [Frame(frame, CodeLocation(tag, cls, method, index)) for frame, tag, cls, method, index in rows]
