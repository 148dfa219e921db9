"""The judge of stops: what breaks a rule is found, what keeps it is not. And a few sessions of each kind are clean."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from tests.soak.judge import Broken, Judge, Shown

WHERE = "where"


def stop(thread: str, line: int = 29, *, reason: str = "breakpoint", method: str = "hit", index: int = 0) -> Shown:
    """The event of a stop, of breakpoint 1 where it is one."""
    location = {"method": method, "line": line, "code_index": index}
    number = {"breakpoint": 1, "breakpoints": [1]} if reason == "breakpoint" else {}
    data = {"reason": reason, "thread": {"name": thread}, "location": location, **number}
    return {"type": "event", "event": "stop", "data": data}


def notice(kind: str) -> Shown:
    return {"type": "event", "event": "notice", "data": {"kind": kind, "message": "1 more thread has stopped"}}


def result(**data: Any) -> Shown:
    return {"type": "result", "ok": True, "data": data}


def failed(code: str, message: str = "") -> Shown:
    return {"type": "result", "ok": False, "error": {"code": code, "message": message}}


def where(thread: str, line: int = 29, method: str = "hit") -> Shown:
    return result(thread={"name": thread}, frames=[{"method": method, "line": line}])


def counts(*numbers: int) -> Shown:
    return result(value="long[]", children=[{"value": str(each)} for each in numbers])


POINT = (
    "stop in Crew.hit",
    [result(breakpoint={"number": 1, "resolved": [{"method": "hit", "line": 29, "code_index": 0}]})],
)
HIT = ("cont", [stop("worker-1"), result()])
COUNTED = ("print Crew.passed", [counts(7, 7)])

KEPT = {
    "a hit": [POINT, HIT, (WHERE, [where("worker-1")]), ("print name", [result(value='"w1"')])],
    "two hits": [POINT, HIT, COUNTED, HIT, ("print Crew.passed", [counts(7, 8)])],
    "a step": [POINT, HIT, ("next", [stop("worker-1", 30, reason="step", index=9), result()])],
    "a step that is said to be interrupted": [POINT, HIT, ("next", [notice("step"), stop("worker-0"), result()])],
    "a step of a thread that stops before the word is run": [
        POINT,
        ("next", [stop("worker-1"), stop("worker-1", 30, reason="step", index=9), result()]),
    ],
    "a stop of a thread that was let go": [POINT, HIT, HIT],
    "another thread by hand": [
        POINT,
        HIT,
        ("thread worker-0", [result(thread={"name": "worker-0", "suspended": True})]),
        (WHERE, [where("worker-0", 31)]),
    ],
}

BROKEN = {
    "S1 elsewhere": [POINT, HIT, (WHERE, [where("worker-1", 31)])],
    "S1 running": [POINT, HIT, (WHERE, [failed("STATE", "the thread runs")])],
    "S1 shown again": [POINT, HIT, ("next", [stop("worker-0"), notice("step"), stop("worker-0"), result()])],
    "S2 passed": [POINT, HIT, COUNTED, ("print Crew.passed", [counts(7, 9)])],
    "S3 another": [POINT, HIT, (WHERE, [where("worker-0")])],
    "S3 none": [POINT, HIT, ("locals", [failed("NO_THREAD", "no thread is selected")])],
    "S3 name": [POINT, HIT, ("print name", [result(value='"w0"')])],
    "S4 removed": [POINT, ("clear 1", [result()]), HIT],
    "S4 disabled": [POINT, ("disable 1", [result()]), HIT],
    "S4 condition": [POINT, HIT, ("print n % 5 == 0", [result(value="false")])],
    "S5 interrupted": [POINT, HIT, ("next", [stop("worker-0"), result()])],
    "S5 a logpoint says nothing": [POINT, HIT, ("next", [notice("logpoint"), stop("worker-0"), result()])],
    "S5 ends elsewhere": [POINT, HIT, ("next", [stop("worker-0", 30, reason="step", index=9), result()])],
    "S6 value": [POINT, HIT, ("print Crew.slow(3)", [result(value="7")])],
    "S6 lost": [POINT, HIT, ("print Crew.slow(3)", [failed("EVAL", "the thread was resumed")])],
    "S7 out of the blue": [POINT, HIT, ("cont", [stop("worker-1", 30, reason="step", index=9), result()])],
    "end of time": [POINT, ("cont", [failed("TIMED_OUT", "no stop")])],
}


def judged(session: list[tuple[str, list[Shown]]]) -> None:
    judge = Judge()
    for word, shown in session:
        judge.take(word, shown)


@pytest.mark.parametrize("what", KEPT)
def test_what_keeps_the_rules(what: str) -> None:
    judged(KEPT[what])


@pytest.mark.parametrize("what", BROKEN)
def test_what_breaks_a_rule_is_named_by_it(what: str) -> None:
    judged(BROKEN[what][:-1])
    with pytest.raises(Broken) as broken:
        judged(BROKEN[what])
    assert broken.value.rule == what.split()[0]


HELD = stop("worker-1", 31, method="guarded", reason="step")


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ([], True),
        ([("cont", [failed("TIMED_OUT")])], False),
        ([("next", [stop("worker-1", 32, method="guarded", reason="step"), result()])], True),
        ([("next", [failed("NO_LINES")])], True),
        ([("resume worker-1", [result()])], False),
        (
            [
                ("thread worker-0", [result(thread={"name": "worker-0", "suspended": True})]),
                ("next", [failed("TIMED_OUT")]),
            ],
            True,
        ),
    ],
)
def test_a_thread_that_was_shown_at_a_stop_stands_until_it_is_let_go(
    words: list[tuple[str, list[Shown]]], kept: bool
) -> None:
    judge = Judge()
    judge.holds_all = False
    for word, shown in [POINT, HIT, ("next", [HELD, result()]), *words[:-1]]:
        judge.take(word, shown)
    for word, shown in words[-1:]:
        with suppress(Broken):
            judge.take(word, shown)
    assert judge.has_stopped("worker-1") is kept
    assert not judge.has_stopped("worker-2")


def test_a_thread_suspended_by_name_stands_when_all_others_go_on() -> None:
    judge = Judge()
    for word, shown in [POINT, HIT, ("suspend worker-3", [result()]), ("cont", [stop("worker-2"), result()])]:
        judge.take(word, shown)
    assert [judge.has_stopped(f"worker-{number}") for number in range(4)] == [False, False, True, True]
    judge.take("resume worker-3", [result()])
    assert not judge.has_stopped("worker-3")
