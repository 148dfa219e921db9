"""Recorded calls, by command: recorded, listed, opened, walked forward and back, compared, kept in a file."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import trio

from jdbpy import open_snapshot
from jdbpy.cli.commands import TABLE
from jdbpy.cli.embedded import refusal
from jdbpy.errors import JdbpyError, StateError, UsageError
from jdbpy.session.recorded.junit import junit_test
from jdbpy.session.recorded.keeping import file_text, read_recorded
from jdbpy.session.recorded.telling import call_told
from jdbpy.session.snapshots.store import SnapshotStore
from tests.cli.process import jdbpy, launching, script
from tests.cli.recorded_page import OTHERS, PAGE, shown, without_times
from tests.harness import Jvm, program

PRICED = program("Priced")
LINE = PRICED.line
Check = Callable[[Any], object]


def _at(marker: str, turn: int = 1) -> Check:
    """The answer to a command that goes to a line."""
    return lambda d: (d["place"]["line"], d["place"]["turn"]) == (LINE(marker), turn)


def _numbers(*numbers: int) -> Check:
    return lambda d: [each["number"] for each in d["calls"]] == [*numbers]


def _changed(*changes: tuple[str, str]) -> Check:
    return lambda d: [(each["name"], each["new"]) for each in d["place"]["changes"]] == [*changes]


def _written(*writes: tuple[str | None, str]) -> Check:
    return lambda d: [(each["old"], each["new"]) for each in d["writes"]] == [*writes]


def steps(directory: Path) -> list[tuple[str, Check]]:
    """Lines, and what the data of each result must satisfy."""
    return [
        ("record Till.price", lambda d: d["recordings"][0]["state"].startswith("pending")),
        (f"break {PRICED.at('closed')}", lambda d: d["breakpoint"]["number"] == 1),
        ("cont", lambda d: d["stop"]["location"]["line"] == LINE("closed")),
        ("record", lambda d: [d["recordings"][0][key] for key in ("calls", "kept", "missed")] == [8, 8, 0]),
        ("recorded", _numbers(1, 2, 3, 4, 5, 6, 7, 8)),
        ("recorded if $exc != null", _numbers(7)),
        ('recorded if code.equals("tea") && $ret < 300 * count', _numbers(3, 6, 8)),
        ("recorded /bread", _numbers(7)),
        ("recorded 8", lambda d: (d["place"]["line"], d["call"]["result"]) == (LINE("unit"), "1944")),
        ("recorded next", _changed(("unit", "243"))),
        ("step", _at("member")),
        ("recorded cont to " + str(LINE("add")), _at("add")),
        ("next 2", _at("add", 2)),
        ("recorded locals", lambda d: [(each["name"], each["value"]) for each in d["variables"][-2:]] == [
            ("sum", "243"), ("each", "1")]),
        ("recorded print sum + unit * (count - each)", lambda d: d["value"]["value"] == "1944"),
        ("recorded last sum", _written(("0", "243"), (None, "0"))),
        ("back if sum == 0", _at("add")),
        ("recorded back", _at("each")),
        ("recorded list", lambda d: any("// sum = 0" in each["text"] for each in d["source"]["lines"])),
        ("cont", lambda d: (d["place"]["end"], d["place"]["outcome"]) == ("returned", "returned 1944")),
        ("recorded changes", lambda d: d["writes"][-1]["name"] == "this.taken"),
        ("recorded where", lambda d: d["call"]["number"] == 8),
        ("recorded compare 3 8", lambda d: (d["line"], d["other_line"]) == (LINE("less"), LINE("sum"))),
        ("recorded differences", lambda d: 'code == "bread"' in [each["what"] for each in d["differences"]]),
        ("recorded differences if $ret > 1500", lambda d: (
            (d["failed"], d["returned"]) == (3, 5) and "sum >= 1600" in [each["what"] for each in d["differences"]])),
        ("recorded 7 --junit", lambda d: "assertEquals(\"no price of bread\"" in d["lines"][-3]),
        (f"recorded --junit4 to {directory}/T.java", lambda d: (d["method"], len(d["todo"])) == ("priceCall8", 1)),
        ("again 3", lambda d: (d["before"], d["outcome"], d["same"]) == ("returned 810", "returned 657", False)),
        ("again", lambda d: (d["before"], d["outcome"], d["recorded"]) == ("returned 1944", "returned 1752", 10)),
        (f"recorded to {directory}/one", lambda d: "1 recorded call" in d["message"]),
        ("recorded close", lambda d: "call 8 is closed" in d["message"]),
        ("recorded forget", lambda d: "10 recorded calls" in d["message"]),
        (f"recorded from {directory}/one", _numbers(11)),
        ("record off", lambda d: d["recordings"][0]["state"] == "ended"),
        ("record Till.price lines", lambda d: d["recordings"][0]["number"] == 2),
        ("cont", lambda d: d["exited"]["status"] == 0),
        ("recorded /tea", lambda d: d["calls"][-1]["result"] == "1944"),  # what was kept outlives the target
    ]  # fmt: skip


@pytest.mark.every_java
async def test_every_command_of_recorded_calls(jvm: Jvm, tmp_path: Path) -> None:
    expected = steps(tmp_path)
    lines = [line for line, _ in expected]
    done = await jdbpy(*launching(PRICED.on(jvm), "--json", "--keep-going", *script(*lines)), jvm=jvm)
    assert [found["command"] for found in done.results] == lines, done
    wrong = [
        f"{line}: {found}"
        for (line, check), found in zip(expected, done.results, strict=True)
        if not found["ok"] or not check(found["data"])
    ]
    assert not wrong, "\n".join(wrong)


async def test_words_are_those_of_the_open_call(any_jvm: Jvm) -> None:
    """Where the JVM would run they are refused; errors have hints; without an open call they are for the JVM."""
    lines = [
        "record Till.price",
        f"break {PRICED.at('closed')}",
        "cont",
        "recorded back",
        "recorded 99",
        "record Till.price deeper",
        "record Till.price until 3 o'clock",
        "record Till.price",
        "recorded if nothing == 3",
        "recorded 8",
        "finish",
        "back",
        "cont to 1",
        "last summ",
        "print units.size()",
        "print till.name",
        "close",
        "close",
        "step up",
    ]
    done = await jdbpy(*launching(PRICED, "--keep-going", *script(*lines)), jvm=any_jvm)
    wanted = [
        "price has no variable or field 'summ' that it writes",
        "no recorded call is open",
        "'recorded' lists them, 'recorded 5' opens one",
        "no recorded call 99",
        "unexpected argument 'deeper'",
        "'until IllegalStateException', 'until $cost > 100ms'",
        "Till.price is being recorded",
        "no value of 'nothing' was recorded here",
        "recorded call 8 is open, and 'step up' would let the JVM run",
        "this is the beginning of the recorded call",
        "line 1 was not reached after this line",
        "no value of 'units' was recorded here",
        "recorded call 8 is closed",
    ]
    text = done.out + done.err
    assert [each for each in wanted if each not in text] == [], text


def test_no_front_end_but_a_person_writes_files() -> None:
    for line in ("recorded to x", "recorded from x", "recorded 3 --junit to X.java"):
        found = TABLE.find(line)
        assert found is not None and "files" in refusal(found.command, line[found.rest :])


async def test_the_page_shows_what_happens(any_jvm: Jvm) -> None:
    """docs/recorded-calls.md: every line of its first example, with its answer; those behind it: planted bugs."""
    wanted = shown(PAGE.read_text(encoding="utf-8").partition(OTHERS)[0])
    assert len(wanted) > 10
    lines = [line for line, _ in wanted]
    lines.insert(1, f"break {PRICED.at('closed')}")
    done = await jdbpy(*launching(PRICED, *script(*lines)), jvm=any_jvm)
    said = without_times(done.out)
    for line, told in wanted:
        for each in without_times(told):
            assert each in said, f"{line}: {each}\n{done}"


LOOKS = (
    "recorded",
    "recorded if $exc != null",
    "recorded 8",
    "cont if sum > 0",
    "locals",
    "last sum",
    "changes",
    "list",
    "recorded compare 3 8",
    "recorded 1 --junit",
)


async def test_recorded_calls_are_opened_without_a_jvm(any_jvm: Jvm, tmp_path: Path) -> None:
    """From a file of their own, and from a snapshot: what is shown is what was shown. Masked, no snapshot has them."""
    calls, snapshot, masked = (str(tmp_path / name) for name in ("calls", "snapshot", "masked"))
    lines = ["record Till.price deep 1", f"break {PRICED.at('closed')}", "cont", *LOOKS, "close"]
    lines += [f"recorded to {calls}", f"snapshot {snapshot}", f"snapshot --mask *code* {masked}"]
    live = await jdbpy(*launching(PRICED, "--json", *script(*lines)), jvm=any_jvm)
    shown = [found["data"] for found in live.results if found["command"] in LOOKS]
    assert [found["data"][key] for found in live.results[-2:] for key in ("recorded", "recorded_left_out")] == [
        8,
        0,
        0,
        8,
    ]
    for path in (calls, snapshot):
        opened = await jdbpy("open", path, "--json", "--keep-going", *script(*LOOKS, "again 3", "record A.b"))
        *found, again, record = opened.results
        if path == calls:
            alone = await jdbpy("open", path, "--keep-going", *script("where", "find tea", f"snapshot {masked}-2"))
            hints = "'recorded' lists them", "'recorded /TEXT' finds calls", "copy its file"
            assert all(hint in alone.err for hint in hints), alone.err
        assert [each["data"] for each in found] == shown
        assert "needs the JVM" in again["error"]["message"] and "needs the JVM" in record["error"]["message"]
    opened = await jdbpy("open", masked, "--json", *script("recorded"))
    assert opened.results[0]["data"]["calls"] == []
    for path in (calls, snapshot):
        async with open_snapshot(path) as vm:
            assert [call.exception is not None for call in vm.recorded_calls()] == [False] * 6 + [True, False]
            with pytest.raises(StateError, match=r"comes from a file|needs the JVM"):
                await vm.recorded_calls()[0].again()
    await trio.to_thread.run_sync(read_damaged, await trio.Path(calls).read_bytes())


def read_damaged(data: bytes) -> None:
    """Damage a file of recorded calls in many ways: it is read, or refused in one sentence."""
    chance = random.Random(48)
    refused = 0
    for _ in range(300):
        lines = data.splitlines()
        at = chance.randrange(len(lines))
        if chance.random() < 0.5:
            place = chance.randrange(len(lines[at]))
            lines[at] = lines[at][:place] + chance.choice((b"9", b"-", b'"', b"[", b"")) + lines[at][place + 1 :]
        else:
            one = json.loads(lines[at])
            holder, key = chance.choice(list(places_in(one)))
            holder[key] = chance.choice((None, -1, 1 << 63, 1 << 40, 2.5, "", "x" * 5_000, [], [[]] * 9, {}, True))
            lines[at] = json.dumps(one).encode()
        try:
            content = read_recorded(b"\n".join(lines), "calls")
        except UsageError as error:
            refused += 1
            assert len(error.message) < 400 and "\n" not in error.message
            continue
        for call in content.calls:
            call_told(call)
            for step in call.steps[:: max(1, len(call.steps) // 5)]:
                call.values(step)
            with suppress(JdbpyError):
                junit_test(call, content.shapes)
    assert 100 < refused < 300
    with pytest.raises(UsageError, match="is damaged in line 2"):
        read_recorded(data.splitlines()[0] + b"\n" + b"[" * 100_000, "calls")


def places_in(one: Any) -> Iterator[tuple[Any, Any]]:
    """Yield all places of values in JSON: what holds each, and its key there."""
    for key, each in list(one.items() if isinstance(one, dict) else enumerate(one) if isinstance(one, list) else ()):
        yield one, key
        yield from places_in(each)


def test_a_file_of_recorded_calls_is_no_snapshot(tmp_path: Path) -> None:
    (tmp_path / "calls").write_text(file_text([], {}), encoding="ascii")
    with pytest.raises(UsageError, match="it has recorded calls, which 'jdbpy open FILE' shows"):
        SnapshotStore(str(tmp_path / "calls"))
