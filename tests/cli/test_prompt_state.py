"""The wording of the prompt and the toolbar: tables of states, widths and times."""

from __future__ import annotations

import pytest
from wcwidth import wcswidth

from jdbpy.cli.repl.prompt_state import PromptState, duration, prompt_text, shorten, toolbar

STOPPED = PromptState(
    state="stopped", thread="main", frame=2, place="Order.total:42", held="all threads", since=100.0, remote="db:5005"
)


@pytest.mark.parametrize(
    ("state", "columns", "text"),
    [
        (PromptState(), 80, "> "),
        (PromptState(state="running", thread=""), 20, "> "),
        (PromptState(state="stopped", thread="main", frame=1), 80, "main[1] "),
        (PromptState(state="stopped", thread="main", asks="commands 2"), 80, "commands 2> "),
        (PromptState(state="stopped", thread="main", frame=12), 80, "main[12] "),
        (PromptState(state="stopped", thread="http-nio-8080-exec-10"), 80, "http-nio-8080-exec-10[1] "),
        (PromptState(state="stopped", thread="http-nio-8080-exec-10"), 20, "http-…[1] "),
        (PromptState(state="stopped", thread="http-nio-8080-exec-10"), 3, "htt…[1] "),
        (PromptState(state="stopped", thread="\x1b[31mred\n"), 80, "\\u001b[31mred\\n[1] "),
        (PromptState(state="stopped", thread="日本語スレッド"), 20, "日本…[1] "),
    ],
)
def test_prompt(state: PromptState, columns: int, text: str) -> None:
    assert prompt_text(state, columns) == text


def parts(state: PromptState, columns: int, now: float = 100.0) -> list[str]:
    return [segment.text for segment in toolbar(state, columns, now)]


def test_the_whole_toolbar() -> None:
    assert parts(STOPPED, 120, now=104.2) == [
        "stopped", "main[2]", "Order.total:42", "all threads held 4 s", "remote db:5005",
    ]  # fmt: skip


def test_a_long_suspension_of_a_remote_jvm_is_warned_of() -> None:
    warning = "suspended for 1:15 min: the JVM is not answering; 'cont' resumes"
    assert parts(STOPPED, 140, now=175.0) == ["stopped", "main[2]", "Order.total:42", warning, "remote db:5005"]
    assert parts(STOPPED, 70, now=175.0) == [warning], "what is most important stays"
    assert parts(STOPPED.replace(held="1 thread"), 140, now=175.0)[3] == warning
    assert toolbar(STOPPED.replace(held="1 thread"), 140, 175.0)[3].kind == "alarm"
    assert parts(STOPPED, 140, now=159.9)[3] == "all threads held 59 s"
    assert parts(STOPPED.replace(remote=""), 140, now=175.0)[3] == "all threads held 1:15 min"


@pytest.mark.parametrize(
    ("columns", "kinds"),
    [
        (80, ["state", "thread", "place", "alarm", "remote"]),
        (70, ["state", "thread", "place", "alarm"]),
        (50, ["state", "thread", "alarm"]),
        (20, ["state", "thread"]),
        (10, ["state"]),
    ],
)
def test_a_narrow_toolbar_keeps_what_matters_most(columns: int, kinds: list[str]) -> None:
    assert [segment.kind for segment in toolbar(STOPPED, columns, 100.0)] == kinds


@pytest.mark.parametrize("columns", range(3, 100))
@pytest.mark.parametrize("thread", ["main", "http-nio-8080-exec-10", "日本語スレッド", ""])
def test_the_toolbar_never_wraps(columns: int, thread: str) -> None:
    segments = toolbar(STOPPED.replace(thread=thread), columns, 5000.0)
    assert sum(wcswidth(segment.text) + 2 for segment in segments) + len(segments) - 1 <= columns


@pytest.mark.parametrize(
    ("held", "remote", "kind"),
    [("all threads", "db:5005", "alarm"), ("all threads", "", "held"), ("1 thread", "db:5005", "held")],
)
def test_a_remote_target_that_stands_still_is_alarming(held: str, remote: str, kind: str) -> None:
    kinds = {
        segment.text.partition(" held")[0]: segment.kind
        for segment in toolbar(STOPPED.replace(held=held, remote=remote), 120, 0)
    }
    assert kinds[held] == kind


def test_a_running_target_has_little_to_say() -> None:
    assert parts(PromptState(), 80) == ["running"]


def test_text_of_the_target_is_escaped_in_the_toolbar() -> None:
    [_, thread, place, *_] = parts(STOPPED.replace(thread="a\x1b[2Jb", place="Evil\r.m:1"), 120)
    assert (thread, place) == ("a\\u001b[2Jb[2]", "Evil\\r.m:1")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-3, "0 s"), (0, "0 s"), (59.9, "59 s"), (60, "1:00 min"), (125, "2:05 min"), (3599, "59:59 min"),
        (3600, "1:00:00 h"), (90_061, "25:01:01 h"),
    ],
)  # fmt: skip
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("text", "width", "short"),
    [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abcd", 1, "…"), ("abcd", 0, ""), ("日本", 4, "日本"), ("日本", 3, "日…")],
)
def test_shorten(text: str, width: int, short: str) -> None:
    assert shorten(text, width) == short
