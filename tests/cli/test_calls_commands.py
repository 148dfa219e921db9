"""The commands that observe calls: their words, their results and events, and how they end."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.relay import open_relay
from jdbpy.cli.arguments.calls import CallsArgument, CallsRequest
from jdbpy.cli.commands import TABLE
from jdbpy.cli.context import Context
from jdbpy.cli.names import Names
from jdbpy.errors import UsageError
from jdbpy.session.connect.attach import attach_session
from tests.cli.process import driving, jdbpy, script
from tests.cli.pseudo_terminal import open_terminal
from tests.harness import Jvm, inline, start_target
from tests.harness.turns import TURNS

WORDS = ("except", "for", "every", "limit", "callers", "--depth", "-max", "-methods", "if", "show")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a.B.c", CallsRequest("a.B.c")),
        ("B.c(int, String) -max 3", CallsRequest("B.c(int,String)", most=3)),
        ("B.c for 500ms limit none stack 2", CallsRequest("B.c", seconds=0.5, limit=None, callers=2)),
        ("*.find* every 2m -methods 300 --depth 4", CallsRequest("*.find*", every=120.0, most_methods=300, levels=4)),
        (
            'B.c limit 5/s if $cost > 1ms && s.equals(" show ") show a, f(b, c), "x,y"',
            CallsRequest("B.c", limit=5, condition='$cost > 1ms && s.equals(" show ")', show=("a", "f(b, c)", '"x,y"')),
        ),
        ("*.find* except *Test*.*, *.get* -max 3", CallsRequest("*.find*", most=3, excludes=("*Test*.*", "*.get*"))),
        ("B.c 2s -max 3", CallsRequest("B.c", seconds=2.0, most=3)),
        ("B.c show $args if $exc != null", CallsRequest("B.c", condition="$exc != null", show=("$args",))),
    ],
)
def test_words_are_read(text: str, wanted: CallsRequest) -> None:
    assert CallsArgument(*WORDS).parse(text) == wanted


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "calls of which method?"),
        ("B.c -max", "after '-max' a value is missing"),
        ("B.c -max 0", "needs a number from 1"),
        ("B.c depth 11", "--depth needs a number from 1 to 10, not '11'"),
        ("B.c except", "after 'except' a value is missing"),
        ("B.c for ever", "'ever' is not a time"),
        ("B.c limit fast", "'fast' is not a limit"),
        ("B.c if", "missing condition after 'if'"),
        ("B.c show a,,b", "an expression is missing"),
        ("B.c quickly 3", "unexpected argument 'quickly'"),
    ],
)
def test_wrong_words_are_told(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("?", r"\?")):
        CallsArgument(*WORDS).parse(text)


def test_the_depth_of_a_tree_is_another() -> None:
    for word in ("--depth", "depth", "-depth"):
        assert CallsArgument("--depth", tree=True).parse(f"B.c {word} 4") == CallsRequest("B.c", depth=4)
        assert CallsArgument("--depth").parse(f"B.c {word} 4") == CallsRequest("B.c", levels=4)


def test_other_spellings_are_understood_and_not_listed() -> None:
    for word in ("-methods", "--methods", "-most", "--most"):
        assert CallsArgument("-methods").parse(f"B.* {word} 4") == CallsRequest("B.*", most_methods=4)
    for command in TABLE:
        texts = [command.usage, *(each.argument.help for each in command.signature.positional)]
        for text in texts if command.name != "logger" else ():  # its -c is a number of a context
            assert re.search(r"[\s[(`|](-most|-depth|depth|-hitcount|go|caller|-c N)[\s|\]`]", f" {text} ") is None, (
                text
            )


def test_words_are_completed() -> None:
    names = Names(classes=("com.acme.Order",))
    argument = CallsArgument("for", "--depth", "-max", "if")
    assert [each.text for each in argument.complete("com.acme.Order.pay for 1 --d", names)] == ["--depth"]
    assert [each.text for each in argument.complete("com.acme.Order.pay f", names)] == ["for"]
    assert "com.acme.Order" in [each.text for each in argument.complete("com.acme.O", names)]


async def test_calls_are_told_as_text_and_json_and_end_in_every_way(jvm: Jvm) -> None:
    program = inline(TURNS)
    async with start_target(jvm, program, suspend=False) as target:
        await target.wait_output("turning")
        lines = script(
            "calls Turns.turn -max 2 if $exc == null show $ret, why",
            "calls Turns.* -max 1 if $exc != null",
            "calls tree Turns.turn -max 20",
            "calls stats Turns.* except *.check, *.main,*.<init> every 300ms for 700ms",
            "calls Turns.turn -max 1 depth 1 if $exc == null",
            "calls Turns.turn for 2s if $cost > 1000s",
            "calls tree Turns.turn for 2s if $cost > 1000s",
        )
        done = await jdbpy("attach", target.address, *lines)
        assert done.status == 0, done
        first, second, *_ = done.out.splitlines()
        assert "[main] #1 Turns.turn() returned" in first and "; $ret = " in first and 'why = "again"' in first
        assert "#2" in second
        assert "threw java.lang.IllegalStateException: odd: " in done.out
        assert "Turns.check  20 calls" in done.out and "in its own code" in done.out
        # At 300 ms, at 600 ms unless the calls up to then came too late to be shown before the end, and at the end.
        assert done.out.count("1 method observed") in (2, 3), done.out
        whole = r"([\d,]+) calls? of Turns\.turn in .*; 0 reported: the condition was false for \1\n"
        assert re.search(whole, done.out)
        assert re.search(r"Turns\.turn\(by = 1, .*\n    Turns this = Turns@\d+\n      int turns = \d+\n", done.out)
        assert re.search(r"nothing is shown: the condition was false for [\d,]+ calls?\n", done.out)
        await target.wait_listening_again()
        done = await jdbpy(
            "attach",
            target.address,
            "--json",
            "--keep-going",
            *script("calls Turns.turn -max 2", "calls Turns.turn", "calls Turns.* -methods 2 -max 1"),
            *script("calls Turns.main -max 1 quickly 1"),
        )
        [_, call] = done.events("notice")  # the first one may have begun before it was observed: it has no cost
        assert call["kind"] == "call" and {"time_ns", "cost", "arguments", "object"} <= set(call["report"])
        codes = [each.get("error", {}).get("code") for each in done.results]
        assert codes == [None, "USAGE", "TOO_MANY_METHODS", "USAGE"]
        assert done.results[0]["data"]["reported"] == 2
        await target.wait_listening_again()
        async with driving("attach", target.address) as d:
            await d.send("calls stats Turns.* every 100ms for 1h")
            while not (await d.event("notice"))["data"]["methods"]:
                pass
            await d.send("version")
            d.interrupt()
            last = await d.result()  # what there is, and no line follows
            assert last["ok"] and last["data"]["methods"][0]["count"] > 0, last
            assert await d.wait() == 130
            assert d.process.stdout is not None and await d.process.stdout.receive_some() == b""
        await target.wait_listening_again()
        done = await jdbpy("attach", target.address, *script("calls Turns.turn -max 1", "info threads"))
        assert done.status == 0 and "1 reported" in done.out, done
        await target.send("enough")
        await target.wait_exit()


async def test_ctrl_c_at_the_prompt_shows_what_there_is(jvm: Jvm, tmp_path: Path) -> None:
    async with start_target(jvm, inline(TURNS), suspend=False) as target:
        await target.wait_output("turning")
        async with open_terminal(["attach", target.address], tmp_path) as terminal:
            terminal.type("calls Turns.turn limit 1/s show $cost\r")
            await terminal.expect("$cost = ")
            terminal.type("\x03")
            shown = await terminal.expect(" calls of Turns.turn in ", " reported")
            await terminal.prompt(">")
            assert "observing 1 method; Ctrl-C ends it" in terminal.screen.text and "interrupted" not in shown
            terminal.type("quit\r")
            await terminal.wait_exit()
        await target.send("enough")
        await target.wait_exit()


async def test_the_time_that_calls_are_observed_is_the_clocks(jvm: Jvm) -> None:
    """What its beginning takes, over a slow link, is part of it; so is what an intermediate result takes."""
    rtt, waits = 0.2, list[float]()

    async def wait(seconds: float) -> bool:
        waits.append(seconds)
        return True

    async with start_target(jvm, "Busy", "1", suspend=False) as target:
        await target.wait_output("ready")
        async with (
            open_relay(target.address, rtt=rtt) as relay,
            attach_session(relay.address) as session,
        ):
            context = Context(session)
            context.wait = wait
            for line in ("calls stats Busy.work every 40s for 100s", "calls Busy.work for 100s"):
                found = TABLE.find(line)
                assert found is not None
                await found.command(context, line[found.rest :])
    began = 2 * rtt  # at least: the methods are asked for, and the breakpoints are set
    assert [each <= full - began for each, full in zip(waits, (40, 80, 100, 100), strict=True)] == [True] * 4
