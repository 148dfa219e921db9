"""Whole programs woven at every line, with all variables that are alive there, and run.

The calls go to ``SINK``, a public class on the boot class path, which counts them.
"""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from jdbpy.record import Record
from jdbpy.session.java.class_file import parse
from jdbpy.session.java.class_parts import take_apart
from jdbpy.session.weaving.assembler import Assembler, ClassWriter
from jdbpy.session.weaving.code_shift import read_code, variables_of
from jdbpy.session.weaving.parts import CheckCall, CheckParameter, Woven, WovenPlace
from jdbpy.session.weaving.weaver import weave

SINK = "jdbpyprobe/Sink"
_MOST_PARAMETERS = 120
"""A method takes 255 words at most."""


class WovenProgram(Record):
    """``classes`` by their names in a jar; ``refused`` by reason; ``sink`` is the class file that the calls go to."""

    classes: Mapping[str, bytes]
    methods: int
    places: int
    refused: Mapping[str, int]
    sink: bytes


def weave_all(classes: Mapping[str, bytes]) -> WovenProgram:
    """Weave every line of classes by their names in a jar."""
    woven: dict[str, bytes] = {}
    signatures: set[str] = set()
    refused: Counter[str] = Counter()
    methods = places = 0
    for name, data in classes.items():
        wanted, done = _weave_all_of(data)
        woven[name] = done.data
        methods += len(done.methods)
        places += len(wanted) - len(done.refused)
        refused.update(each.reason for each in done.refused)
        signatures.update(each.call.signature for each in wanted)
    return WovenProgram(woven, methods, places, dict(refused), sink(signatures))


def _weave_all_of(data: bytes) -> tuple[list[WovenPlace], Woven]:
    """Weave a class; before ``super()`` without ``this``."""
    wanted = list(places_of(data))
    done = weave(data, wanted)
    early = {each.place for each in done.refused if each.reason == "before super"}
    if early:
        wanted = [_without_this(each) if each in early else each for each in wanted]
        done = weave(data, wanted)
    return wanted, done


def _without_this(place: WovenPlace) -> WovenPlace:
    parameters = tuple(each for each in place.call.parameters if each.slot)
    return place.replace(call=place.call.replace(parameters=parameters))


def places_of(data: bytes) -> Iterator[WovenPlace]:
    """A place for every line of a class, passing all variables that are alive there."""
    parts = take_apart(data)
    lines = {(each.name, each.signature): each.lines for each in parse(data).methods}
    for method in parts.methods:
        if method.code is None:
            continue
        rows = variables_of(read_code(method.code.content, parts.pool), parts.pool)
        for at in dict.fromkeys(at for at, _ in lines[method.name, method.signature]):
            alive = {row.slot: row for row in rows if row.start <= at < row.end}
            parameters = [CheckParameter(slot, alive[slot].signature) for slot in sorted(alive)][:_MOST_PARAMETERS]
            yield WovenPlace(method.name, method.signature, at, CheckCall(SINK, "check", tuple(parameters)))


def sink(signatures: Iterable[str]) -> bytes:
    """A class that counts calls of its method for each of the signatures."""
    writer = ClassWriter(SINK, public=True)
    writer.field(1, "calls", "J")

    def count(code: Assembler) -> None:
        code.get_static(SINK, "calls", "J")
        code.push_long(1)
        code.op("ladd")
        code.put_static(SINK, "calls", "J")
        code.return_()

    for each in sorted(signatures):
        writer.method("check", each, count)
    return writer.data()


def read_jar(file: Path) -> dict[str, bytes]:
    """The classes of a jar that are not for particular versions."""
    with zipfile.ZipFile(file) as jar:
        names = [each for each in jar.namelist() if each.endswith(".class") and not each.startswith("META-INF/")]
        return {name: jar.read(name) for name in names if not name.endswith("module-info.class")}


def read_directory(directory: Path) -> dict[str, bytes]:
    """The classes below a directory by the names that they have in a jar."""
    return {each.relative_to(directory).as_posix(): each.read_bytes() for each in directory.rglob("*.class")}


def write_jar(file: Path, original: Path | None, classes: Mapping[str, bytes]) -> None:
    """A jar with these classes and, of the original one, all that is no class and no signature."""
    with zipfile.ZipFile(file, "w") as jar:
        if original is not None:
            with zipfile.ZipFile(original) as old:
                for name in old.namelist():
                    if name not in classes and not name.upper().endswith((".SF", ".RSA", ".DSA", "/")):
                        jar.writestr(name, old.read(name))
        for name, data in classes.items():
            jar.writestr(name, data)
