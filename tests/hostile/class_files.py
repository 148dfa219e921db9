"""Class files with changed bytes, given to all that reads them: each is read, or refused as malformed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from contextlib import suppress

from jdbpy.session.hotswap.differences import differences, of_file
from jdbpy.session.in_target.weave.records import Surrounding, WovenPlace
from jdbpy.session.in_target.weave.weaver import weave
from jdbpy.session.inspect.bytecode import OperandReader
from jdbpy.session.java.bytecode import MalformedCode, classes_used, decode, method_ends, once_per_pass, reading_code
from jdbpy.session.java.class_file import MalformedClassFile, parse
from tests.weaving.programs import places_of, surroundings_of

_INTERESTING = (0, 1, 2, 127, 128, 170, 171, 196, 254, 255)


def mutated(data: bytes, seed: int) -> bytes:
    """A class file with some bytes changed, taken out or put in, or its end cut off."""
    chance = random.Random(seed)
    out = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        at = chance.randrange(10, len(out))
        match chance.randrange(8):
            case 0:
                del out[at : at + chance.randrange(1, 5)]
            case 1:
                out[at:at] = chance.randbytes(chance.randrange(1, 5))
            case 2:
                out[at : at + 2] = chance.choice((b"\xff\xff", b"\x00\x00", b"\x7f\xff", b"\x80\x00"))
            case 3:
                out[at] = chance.choice(_INTERESTING)
            case _:
                out[at] = chance.randrange(256)
    if chance.random() < 0.1:
        del out[chance.randrange(10, len(out)) :]
    return bytes(out)


def read_by_all(original: bytes, data: bytes) -> int:
    """Have everything read a class file; how many readers have refused it. Lets pass what no reader may raise."""
    refused = 0
    try:
        file = parse(data)
    except MalformedClassFile:
        return _woven(original, data) + 1
    try:
        differences(of_file(parse(original)), of_file(file))
    except MalformedClassFile:
        refused += 1
    for method in file.methods:
        list(classes_used(method.code, file.pool))
        once_per_pass(method.code, [at for at, _ in method.lines])
        try:
            method_ends(method.code)
        except MalformedCode:
            refused += 1
        try:
            reader = OperandReader(method.code, file.pool, (), file.name)
            for instruction in decode(method.code):
                reader.name(instruction)
                reader.operands(instruction)
        except MalformedCode:
            refused += 1
    return refused + _woven(original, data)


def _woven(original: bytes, data: bytes) -> int:
    """Weave at the places that it says it has, and at those of the original."""
    refused = 0
    readers: tuple[Callable[[bytes], Iterable[WovenPlace | Surrounding]], ...] = (places_of, surroundings_of)
    for places in readers:
        own: list[WovenPlace | Surrounding] = []
        with suppress(MalformedClassFile, MalformedCode), reading_code():
            own += places(data)
        for wanted in (own, list(places(original))):
            try:
                refused += bool(weave(data, wanted).refused)
            except MalformedClassFile:
                refused += 1
    return refused
