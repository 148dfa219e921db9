"""Recordings read: against the JDK's own reader, of bytes written by hand, and of bytes that are no good."""

from __future__ import annotations

import io
import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import jdbpy.jfr
from jdbpy.jfr import BadRecording
from jdbpy.jfr.printing import duration_text, json_form
from tests.harness import Jvm
from tests.jfr.recorded import changed, recording
from tests.jfr.written import chunk, event, event_type, field, number, text, type_of

STRING, LONG, INT, BYTE, CHAR, FLOAT, DOUBLE, BOOLEAN, SHORT = range(20, 29)
BASIC = [
    type_of(type_id, name)
    for type_id, name in (
        (STRING, "java.lang.String"),
        (LONG, "long"),
        (INT, "int"),
        (BYTE, "byte"),
        (CHAR, "char"),
        (FLOAT, "float"),
        (DOUBLE, "double"),
        (BOOLEAN, "boolean"),
        (SHORT, "short"),
    )
]


def text_of(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def test_every_event_is_what_the_jdk_says_it_is(jvm: Jvm, newest_jvm: Jvm) -> None:
    """``jfr print --json`` against ours: every event of every type, every field, every digit.

    The reader of the newest JDK is asked: that of 17 says -1 of unsigned numbers, and its longest time is an overflow.
    """
    path = recording(jvm)
    command = [str(Path(newest_jvm.home, "bin", "jfr")), "print", "--json", "--stack-depth", "2", str(path)]
    printed = subprocess.run(command, check=True, capture_output=True, timeout=120).stdout
    expected: dict[str, Counter[str]] = {}
    for each in json.loads(printed)["recording"]["events"]:
        expected.setdefault(each["type"], Counter())[text_of(each["values"])] += 1
    found: dict[str, Counter[str]] = {}
    for each in jdbpy.jfr.read(path):
        form = json_form(each, 2)
        found.setdefault(form["type"], Counter())[text_of(form["values"])] += 1
    assert found.keys() == expected.keys()
    assert len(found) > 80
    for name, events in expected.items():
        assert found[name] == events, name
    assert {"jdk.ExecutionSample", "jdk.JavaExceptionThrow", "jdk.JavaMonitorEnter", "jdk.ThreadSleep"} <= found.keys()


def test_what_is_said_of_an_event(any_jvm: Jvm) -> None:
    read = jdbpy.jfr.read(recording(any_jvm))
    kind = read.event_types()["jdk.ThreadSleep"]
    assert (kind.label, kind.category) == ("Java Thread Sleep", ("Java Application",))
    sleeps = [
        each
        for each in read.events("jdk.ThreadSleep")
        if each.thread is not None and each.thread["javaName"] == "w\u00f6rker-1"
    ]
    assert len(sleeps) == read.counts()["jdk.ThreadSleep"] // 3 == 8
    for each in sleeps:
        assert each.duration >= 11_000_000
        assert each["time"] == 11_000_000
        assert each.stack_trace is not None
        frames = each.stack_trace["frames"]
        assert "work" in [frame["method"]["name"] for frame in frames]
    thrown = {each["message"] for each in read.events("jdk.JavaExceptionThrow")}
    assert {"caf\u00e9 0", "\u65e5\u672c\u8a9e \U0001f600 1"} <= thrown


def test_values_of_every_kind() -> None:
    types = [
        *BASIC,
        type_of(40, "Name", field("text", STRING, constantPool="true"), simpleType="true"),
        type_of(41, "Pair", field("first", INT), field("second", LONG)),
        event_type(
            50,
            "All",
            field("long", LONG),
            field("int", INT),
            field("short", SHORT),
            field("byte", BYTE),
            field("char", CHAR),
            field("float", FLOAT),
            field("double", DOUBLE),
            field("boolean", BOOLEAN),
            field("name", 40, constantPool="true"),
            field("pair", 41),
            field("pairs", 41, dimension="1"),
            field("strings", STRING, dimension="1"),
            field("later", 41, constantPool="true"),
        ),
    ]
    wide = "\ud83d\ude00x".encode("utf-16-be", "surrogatepass")
    units = [int.from_bytes(wide[at : at + 2], "big") for at in range(0, len(wide), 2)]
    strings = [
        b"\x00", b"\x01", b"\x02" + number(7), text("é"), b"\x04" + number(3) + b"".join(map(number, units)),
        b"\x05" + number(2) + b"\xe9!",
    ]  # fmt: skip
    all_kinds = event(
        50,
        number(-5), number(0xFFFF_FFFE), number(0xFFFD), b"\x80", number(0x20AC), b"\x3f\x00\x00\x00",
        b"\xbf\xf8" + b"\0" * 6, b"\x01", number(1), number(1) + number(1 << 40),
        number(2) + number(127) + number(128) + number(16383) + number(16384),
        number(6) + b"".join(strings), number(99),
    )  # fmt: skip
    data = chunk(types, {40: {1: number(3)}, STRING: {3: text("named"), 7: text("kept")}}, all_kinds)
    first, second = jdbpy.jfr.read(data + data).events("All")  # two chunks
    other = chunk([*BASIC, event_type(50, "All", field("byte", BYTE))], {}, event(50, b"\xff"))
    _, third, fourth, fifth = jdbpy.jfr.read(data + data + other + data).events("All")
    assert third.raw == second.raw == fifth.raw
    assert fourth["byte"] == -1, "the chunks after one of other types are read by their own"
    for found in (first, second):
        plain = json_form(found)["values"]
        assert plain == {
            "long": -5, "int": -2, "short": -3, "byte": -128, "char": "€", "float": 0.5, "double": -1.5,
            "boolean": True, "name": "named", "pair": {"first": 1, "second": 1 << 40},
            "pairs": [{"first": 127, "second": 128}, {"first": 16383, "second": 16384}],
            "strings": [None, "", "kept", "é", "\U0001f600x", "é!"], "later": None,
        }  # fmt: skip
    assert first["pair"]["second"] == 1 << 40
    assert first.get("nothing") is None


def test_times() -> None:
    stamp = ("annotation", {"class": "60", "value": "TICKS"}, ())
    span = ("annotation", {"class": "61", "value": "MILLISECONDS"}, ())
    types = [
        *BASIC,
        type_of(60, "jdk.jfr.Timestamp"),
        type_of(61, "jdk.jfr.Timespan"),
        event_type(
            50,
            "Timed",
            ("field", {"name": "startTime", "class": str(LONG)}, [stamp]),
            ("field", {"name": "wait", "class": str(LONG)}, [span]),
        ),
    ]
    least = -(1 << 63)
    data = chunk(types, {}, event(50, number(600), number(3_723_004)), event(50, number(500), number(least)))
    [one, never] = jdbpy.jfr.read(data)
    assert (one.start, one["wait"], never["wait"]) == (1_000_000_050, 3_723_004_000_000, None)
    assert json_form(one)["values"] == {"startTime": "1970-01-01T01:00:01.000000050+01:00", "wait": "PT1H2M3.004S"}
    assert duration_text(-1_500_000_000) == "PT-1.5S"


ENDLESS = {
    "part of itself": type_of(40, "Self", field("self", 40)),
    "part of itself by an array": type_of(40, "Self", field("selves", 40, dimension="1")),
    "no bytes": type_of(40, "Empties", field("empty", 41, dimension="1")),
    "twice in itself": type_of(40, "Wide", *(field(f"f{i}", 42) for i in range(64))),
    "unknown": type_of(40, "Odd", field("x", 4711)),
}


@pytest.mark.parametrize("case", ENDLESS)
def test_types_without_an_end_are_refused(case: str) -> None:
    wide = [type_of(42 + i, f"W{i}", *(field(f"f{j}", 43 + i) for j in range(64))) for i in range(6)]
    types = [*BASIC, ENDLESS[case], type_of(41, "Empty"), *wide, type_of(48, "W6", field("x", INT))]
    data = chunk([*types, event_type(50, "E", field("x", 40))], {}, event(50, b"\x7f" * 40))
    with pytest.raises(BadRecording):
        list(jdbpy.jfr.read(data))


NO_GOOD = {
    "nothing": b"",
    "text": b"hello, world" * 10,
    "half a header": b"FLR\0\0\2\0\1" + b"\0" * 20,
    "an old format": b"FLR\0\0\3\0\1" + b"\0" * 60,
    "cut": chunk(BASIC, {})[:-9],
    "longer than it is": chunk(BASIC, {}, size=1 << 40),
    "an event of no size": chunk(BASIC, {}, b"\0\0\0"),
    "an event beyond the end": chunk(BASIC, {}, b"\xff\x7f\0"),
    "strings beyond the end": chunk([*BASIC, event_type(50, "E", field("s", STRING))], {}, event(50, b"\x03\xff\x7f")),
    "an odd string": chunk([*BASIC, event_type(50, "E", field("s", STRING))], {}, event(50, b"\x09")),
    "an array beyond the end": chunk(
        [*BASIC, event_type(50, "E", field("a", LONG, dimension="1"))], {}, event(50, number(1 << 30))
    ),
}


@pytest.mark.parametrize("case", NO_GOOD)
def test_bytes_that_are_no_recording(case: str) -> None:
    with pytest.raises(BadRecording) as caught:
        list(jdbpy.jfr.read(NO_GOOD[case]))
    assert caught.value.message


def read_all(data: bytes) -> int:
    """Everything that there is to read; returns how many events there were until one was no good."""
    count = 0
    try:
        for each in jdbpy.jfr.read(data):
            if count % 20 == 0:
                json_form(each, 3)
            count += 1
    except BadRecording:
        return count
    return count


def test_changed_recordings_are_read_or_refused(any_jvm: Jvm) -> None:
    """500 of them are a trial: ``./dev soak --only jfr``."""
    good = recording(any_jvm).read_bytes()
    counts = {read_all(changed(good, seed)) for seed in range(12)}
    assert len(counts) > 1, "some are read, and some are refused"


def test_a_recording_in_the_making_is_read_as_far_as_it_goes() -> None:
    types = [*BASIC, event_type(50, "E", field("n", INT))]
    data = bytearray(chunk(types, {}, event(50, number(1)), event(50, number(2))))
    data[8:32] = bytes(24)  # neither its size nor where its types are
    file = io.BytesIO(data)
    assert [each["n"] for each in jdbpy.jfr.read(file.getvalue() + b"\x30\x00")] == [1, 2]
