"""Whole programs woven at every line, with all variables that are alive there, and run.

The calls go to ``SINK``, a public class on the boot class path, which counts them.
"""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from jdbpy.record import Record
from jdbpy.session.in_target.weave.record_code import RECORD, RecordedMethod
from jdbpy.session.in_target.weave.record_helper import RecordedEnds, record_class
from jdbpy.session.in_target.weave.records import (
    OWN,
    THROWABLE,
    TOP,
    CallPlace,
    CheckCall,
    Surrounding,
    Woven,
    WovenPlace,
)
from jdbpy.session.in_target.weave.ring import RingWriter
from jdbpy.session.in_target.weave.weaver import weave
from jdbpy.session.java.bytecode import decode
from jdbpy.session.java.class_file import parse
from jdbpy.session.java.edit.assembler import Assembler, ClassWriter, CodeTooLong
from jdbpy.session.java.edit.class_parts import PoolFull, take_apart
from jdbpy.session.java.edit.code_shift import read_code, variables_of
from jdbpy.session.java.edit.code_variable import CheckParameter
from jdbpy.session.java.signatures import split_method
from jdbpy.session.recorded.points import NotRecorded, points_of

SINK = "jdbpyprobe/Sink"
CALLS = range(182, 187)
_MOST_PARAMETERS = 120
"""A method takes 255 words at most."""


class WovenProgram(Record):
    """``classes`` by their names in a jar; ``refused`` by reason; ``sink`` is the class file that the calls go to."""

    classes: Mapping[str, bytes]
    methods: int
    places: int
    refused: Mapping[str, int]
    sink: bytes
    sink_name: str = SINK


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


AROUND = "jdbpyprobe/Around"
"""A public class on the boot class path, which counts what it is told of entries, ends and calls."""


def surround_all(classes: Mapping[str, bytes]) -> WovenProgram:
    """Put code around every method of classes: once with all arguments and the result, once around each call in it."""
    woven: dict[str, bytes] = {}
    refused: Counter[str] = Counter()
    wanted: dict[tuple[str, str], None] = {}
    methods = places = 0
    for name, data in classes.items():
        around = list(surroundings_of(data))
        done = weave(data, around)
        woven[name] = done.data
        methods += len(done.methods)
        places += len(around) - len(done.refused)
        refused.update(each.reason for each in done.refused)
        for each in around:
            for method, kept, first in (("left", each.left, ""), ("threw", each.threw, THROWABLE)):
                types = "".join(one.signature if one.slot == OWN else one.passed_as for one in kept)
                wanted[f"{method}{each.number}", f"({first}{types})V"] = None
    return WovenProgram(woven, methods, places, dict(refused), _around(wanted), AROUND)


def surroundings_of(data: bytes) -> Iterator[Surrounding]:
    """Two for every method with code."""
    parts = take_apart(data)
    for method in parts.methods:
        if method.code is None:
            continue
        code = read_code(method.code.content, parts.pool)
        arguments, returns = split_method(method.signature)
        slot, kept = 0, [] if returns == "V" else [CheckParameter(TOP, returns)]
        if not method.is_static:
            kept.append(CheckParameter(0, "Ljava/lang/Object;"))
            slot = 1
        for each in arguments[:100]:
            kept.append(CheckParameter(slot, each))
            slot += 2 if each in ("J", "D") else 1
        calls = [CallPlace(each.index, each.index + each.length) for each in decode(code.code) if each.opcode in CALLS]
        yield Surrounding(method.name, method.signature, AROUND, 0, kept=tuple(kept))
        yield Surrounding(method.name, method.signature, AROUND, 1, local="[J", calls=tuple(calls))


def _around(wanted: Iterable[tuple[str, str]]) -> bytes:
    """Prints at the end how often a method was entered, left by a return, by an exception; called, came back."""
    writer = ClassWriter(AROUND, public=True)
    for name in ("begun", "left", "threw", "calls", "came"):
        writer.field(1, name, "J")

    def count(field: str, step: int = 1) -> Callable[[Assembler], None]:
        def write(code: Assembler) -> None:
            code.get_static(AROUND, field, "J")
            code.push_long(step)
            code.op("ladd")
            code.put_static(AROUND, field, "J")
            code.return_()

        return write

    def array(code: Assembler) -> None:
        code.push_int(1)
        code.new_array("J")
        code.return_("[J")

    def begin(code: Assembler) -> None:
        code.get_static(AROUND, "begun", "J")
        code.push_long(1)
        code.op("ladd")
        code.put_static(AROUND, "begun", "J")
        code.push_long(7)
        code.return_("J")

    writer.method("begin0", "()J", begin)
    writer.method("begin1", "()[J", array)
    writer.method("calling", "([JI)V", count("calls"))
    writer.method("came", "([J)V", count("came"))
    writer.method("caught", "([J)V", lambda code: code.return_())
    for name, signature in sorted(wanted):
        writer.method(name, signature, count(name[:-1]) if name[-1] == "0" else lambda code: code.return_())
    return writer.data()


RECORDER = "__Jdbpy"
"""The end of the names of helpers that record, one in the package of each class."""


def record_all(classes: Mapping[str, bytes]) -> WovenProgram:
    """Record every method of classes, all of it, as if everything that is recorded was read at once."""
    woven: dict[str, bytes] = {}
    refused: Counter[str] = Counter()
    methods = places = 0
    with _read_at_once():
        for name, data in classes.items():
            done, helper = _record_all_of(data, refused)
            woven[name] = done.data
            woven.update(helper)
            methods += len(done.methods)
            places += sum(len(each.insertions) for each in done.methods)
    return WovenProgram(woven, methods, places, dict(refused), sink(()))


@contextmanager
def _read_at_once() -> Iterator[None]:
    """Helpers that are written in the block always find room in their rings."""
    original = RingWriter.initialize

    def initialize(self: RingWriter, code: Assembler) -> None:
        original(self, code)
        code.push_long(1 << 40)
        code.put_static(code.owner, "read", "J")

    RingWriter.initialize = initialize  # type: ignore[method-assign]
    try:
        yield
    finally:
        RingWriter.initialize = original  # type: ignore[method-assign]


def _record_all_of(data: bytes, refused: Counter[str]) -> tuple[Woven, dict[str, bytes]]:
    parsed = parse(data)
    helper = f"{parsed.name}{RECORDER}"
    wanted: list[RecordedMethod] = []
    ends: list[RecordedEnds] = []
    most = given = 0
    for method in parsed.methods:
        if not method.code:
            continue
        try:
            points = points_of(parsed, method.name, method.signature)
        except NotRecorded as why:
            refused[str(why)] += 1
            continue
        returns = split_method(method.signature)[1]
        kept = () if returns == "V" else (CheckParameter(TOP, returns),)
        wanted.append(
            RecordedMethod(method.name, method.signature, helper, len(wanted), RECORD, kept=kept, points=points.points)
        )
        ends.append(RecordedEnds(returns, lines=points.line_groups()))
        most = max(most, len(points.points))
        given = max(given, sum(each.kind == "argument" for each in points.points))
    done = weave(data, wanted)
    refused.update(each.reason for each in done.refused)
    if not done.methods:
        return done, {}
    try:
        recorder = record_class(helper, parsed.name, ends, (0, (1 << 63) - 1), most, size=256, depth=0, given=given)
    except (CodeTooLong, PoolFull) as error:
        refused[f"the helper of {parsed.name}: {type(error).__name__}"] += 1
        return Woven(data, (), ()), {}
    return done, {f"{helper}.class": recorder.data}
