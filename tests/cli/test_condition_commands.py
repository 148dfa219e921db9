"""What makes a hit count, by command: conditions, hit counts, callers, threads, objects, points that wait."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio

from tests.cli.process import jdbpy, launching, script
from tests.harness import Jvm, program

ROUNDS = program("Rounds")
AT = ROUNDS.at
LINE = ROUNDS.line
Check = Callable[[Any], object]


def _point(**wanted: Any) -> Check:
    """The answer to setting a point."""
    return lambda d: wanted.items() <= d["breakpoint"].items()


def _changed(action: str, **wanted: Any) -> Check:
    return lambda d: d["action"] == action and wanted.items() <= d["breakpoints"][0].items()


def _stop(number: int, marker: str) -> Check:
    """The answer to a command that ran to a stop."""
    return lambda d: (d["stop"]["breakpoint"], d["stop"]["location"]["line"]) == (number, LINE(marker))


def _value(text: str) -> Check:
    return lambda d: d["value"] == text


def _listed(index: int, **wanted: Any) -> Check:
    return lambda d: wanted.items() <= d["breakpoints"][index].items()


def steps(directory: Path) -> list[tuple[str, Check]]:
    """Lines, and what the data of each result must satisfy."""
    return [
        (f"break {AT('number')} if number > 1", _point(number=1, condition="number > 1")),
        (f"stop at {AT('note')} from add(String), Nobody.* -hit % 2", _point(callers=["add(String)", "Nobody.*"])),
        (f"tbreak {AT('text')} after 1", _point(after=1, waiting=True, temporary=True)),
        (f"stop thread at {AT('close')} after each -2 -d", _point(after=2, after_each=True, suspend="thread")),
        ("breakpoints", _listed(2, after=1, waiting=True, resolved=[])),
        ("condition 1 number == 3", _changed("condition set", condition="number == 3")),
        ("cont", _stop(2, "note")),
        ("print value", _value("2")),
        ("breakpoints", _listed(1, hits=2, hit_count="% 2")),
        ("hits", lambda d: {"shown", "hit-count"} <= {hit["reason"] for hit in d["hits"]}),
        ("cond -hitcount 2 == 9", _changed("hit count set", hits=0, hit_count="== 9")),
        ("cont", _stop(1, "number")),
        ("cont", _stop(3, "text")),
        ("breakpoints", lambda d: [point["number"] for point in d["breakpoints"]] == [1, 2, 4]),
        ("up", lambda d: d["frame"]["line"] == LINE("round") + 1),
        (f"break go {AT('number')} on first thread main", _point(suspend="none", options=_ANY)),
        (f"b {AT('note')} on second -c 2", _point(ignore=1)),
        (f"save breakpoints {directory}/saved", lambda d: d["count"] == 5),
        ("cond 1", _changed("condition removed")),
        ("cont", _stop(1, "number")),
        ("print number", _value("4")),
        ("disable 1", lambda d: d["action"] == "disabled"),
        ("cont", _stop(6, "note")),
        ("print value", _value("4")),
        ("cond 6 false", _changed("condition set")),
        ("cond -hitcount 2", lambda d: d["action"] == "hit count removed" and "hit_count" not in d["breakpoints"][0]),
        ("weave 6", _listed(0, number=6, condition="false")),
        ("woven", lambda d: (d["mode"], d["classes"]) == ("auto", [])),
        ("unweave 6", lambda d: d["classes"] == []),
        ("delete 2", lambda d: d["breakpoints"][0]["number"] == 2),
        ("breakpoints", lambda d: "after" not in d["breakpoints"][1] and not d["breakpoints"][1]["enabled"]),
        ("enable 4", lambda d: d["action"] == "enabled"),
        ("cont", _stop(4, "close")),
        ("cont", lambda d: d["exited"]["status"] == 0),
    ]  # fmt: skip


class _Any:
    def __eq__(self, other: object) -> bool:
        return bool(other)


_ANY = _Any()


@pytest.mark.every_java
async def test_every_command_of_conditions(jvm: Jvm, tmp_path: Path) -> None:
    expected = steps(tmp_path)
    lines = [line for line, _ in expected]
    done = await jdbpy(*launching(ROUNDS.on(jvm), "--json", "--keep-going", *script(*lines)), jvm=jvm)
    assert [found["command"] for found in done.results] == lines, done
    wrong = [
        f"{line}: {found}"
        for (line, check), found in zip(expected, done.results, strict=True)
        if not found["ok"] or not check(found["data"])
    ]
    assert not wrong, "\n".join(wrong)
    assert [event["message"] for event in done.events("notice") if event["kind"] == "breakpoint-free"] == [
        "breakpoint 4 no longer waits: number 2, which it waited for, was removed"
    ]
    saved = (await trio.Path(tmp_path / "saved").read_text()).splitlines()[1:]
    assert [re.sub(r"@\d+", "@ID", line) for line in saved] == [
        f"break all {AT('number')} if number == 3",
        f"break all {AT('note')} from add(String),Nobody.* -hit == 9",
        f"break thread {AT('close')} after each -1 -d",
        f'# break --no-stop {AT("number")} on @ID limit 100/s thread "main"',
        f"# break all {AT('note')} on @ID -c 2",
    ]


async def test_what_is_saved_sets_them_again(any_jvm: Jvm, tmp_path: Path) -> None:
    lines = [
        f"break {AT('round')}",
        "delete 1",
        f"break all {AT('number')} -t -hit >= 2 if number > 1",
        "on 2 print number",
        "on 2 cont",
        "watch Rounds.total from add(String),add(int) after 2",
        f"tbreak {AT('text')} after each 3",
        f'logpoint {AT("note")} "{{value}}" after 4 from Rounds.main',
    ]
    done = await jdbpy(*launching(ROUNDS, "--json", *script(*lines, f"save breakpoints {tmp_path}/1")), jvm=any_jvm)
    assert done.status == 0, done
    saved = (await trio.Path(tmp_path / "1").read_text()).splitlines()[1:]
    assert saved == [
        f"break all {AT('number')} -t -hit >= 2 if number > 1",
        "commands",
        "print number",
        "cont",
        "end",
        "watch Rounds.total suspend all from add(String),add(int) after -1",
        f"break all {AT('text')} after each -1 -t",
        f'logpoint {AT("note")} "{{value}}" limit 100/s from Rounds.main after -1',
    ]
    again = [f"break {AT('round')}", f"read {tmp_path}/1", f"save breakpoints {tmp_path}/2"]
    done = await jdbpy(*launching(ROUNDS, "--json", *script(*again)), jvm=any_jvm)
    assert done.status == 0, done
    assert (await trio.Path(tmp_path / "2").read_text()).splitlines()[2:] == saved


async def test_what_a_person_reads(any_jvm: Jvm) -> None:
    lines = [
        f"tbreak {AT('round')}",
        "cont",
        f"break {AT('number')} if number + 1",
        f"break {AT('number')} if FEW[9] == 1",
        "condition 2 total = 1",
        f"break {AT('text')} -hit == 1 from Rounds.main",
        f"break {AT('close')} after 3",
        "cont",
        "cont",
        "cont",
        "breakpoints",
        "cond 2",
        "cond 9 true",
        f"break {AT('note')} after -9",
        f"break {AT('note')} if value > 1 -hit % 2",
        "delete 3 4",
    ]
    done = await jdbpy(*launching(ROUNDS, "--keep-going", *script(*lines)), jvm=any_jvm)
    text = done.out + done.err
    assert "incompatible types: int cannot be converted to boolean\n  number + 1\n         ^\n" in text
    assert "incompatible types: int cannot be converted to boolean\n  total = 1\n        ^\n" in text
    assert "; waits for a hit of 3\n" in text
    assert "the condition of breakpoint 2 failed: java.lang.ArrayIndexOutOfBoundsException: Index 9" in text
    listing = [re.split(r"\s{2,}", line.strip()) for line in done.out.splitlines() if re.match(r"\d+\s+\w+ ", line)]
    rows = {row[0]: row[1:] for row in listing}
    assert rows["2"][0] == "on"
    assert re.match(
        r"if FEW\[9\] == 1; condition failed 6 times: java\.lang\.ArrayIndexOutOfBoundsException", rows["2"][-1]
    )
    assert (rows["3"][0], rows["3"][-1]) == (
        "over",
        "hits == 1; called from Rounds.main; 'enable 3' counts anew",
    )
    assert (rows["4"][0], rows["4"][-1]) == ("on", "after a hit of 3")
    assert f"condition removed: 2 at {AT('number')}\n" in done.out
    assert "no breakpoint 9" in text
    assert re.search(r"no breakpoint 9 \(there are \d\)", text)
    assert "hint: 'if' comes last: '-hit % 2' stands before it\n" in text
