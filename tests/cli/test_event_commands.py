"""Catchpoints, watchpoints, traces and what is run at stops, by command: their JSON on every JVM, and as a person
reads it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio

from tests.cli.process import jdbpy, launching, script
from tests.harness import Jvm, program

HAPPENINGS = program("Happenings")
LINE = HAPPENINGS.line
READ = HAPPENINGS.at("read", "happenings.Happenings")
COUNTER = "happenings.Counter"
STORE = "happenings.store"
Check = Callable[[Any], object]


def _point(kind: str, location: str, **more: Any) -> Check:
    """The answer to setting a point."""
    wanted = {"kind": kind, "location": location, **more}
    return lambda d: wanted.items() <= d["breakpoint"].items()


def _stop(reason: str, number: int, **more: Any) -> Check:
    """The answer to a command that ran to a stop."""
    wanted = {"reason": reason, "breakpoint": number, **more}
    return lambda d: wanted.items() <= d["stop"].items()


def _numbers(*numbers: int) -> Check:
    return lambda d: [point["number"] for point in d["breakpoints"]] == list(numbers)


def steps(directory: Path) -> list[tuple[str, Check]]:
    """Lines, and what the data of each result must satisfy; the program does what is about exceptions, then fields."""
    return [
        ("catch IllegalStateException", _point("exception", "all IllegalStateException", number=1, suspend="all")),
        (f"catch go {STORE}.OutOfStock", _point("exception", f"all {STORE}.OutOfStock", number=2, suspend="none")),
        ("catch uncaught * in happenings.*", _point("exception", "uncaught *", options={"in": "happenings.*"})),
        (f"catch load {COUNTER} -t", _point("class-load", f"load {COUNTER}", temporary=True)),
        ("catch load source Tally*", _point("class-load", "load source Tally*")),
        (f"catch unload {STORE}.*", _point("class-unload", f"unload {STORE}.*", suspend="none")),
        ("catch thread death -c 1 -d", _point("thread", "thread death", enabled=False)),
        ("catch exit", _point("exit", "exit")),
        ("delete 5-7", _numbers(5, 6, 7)),
        ("catch", _numbers(1, 2, 3, 4, 8)),
        ("cont", _stop("exception", 1)),
        ("ignore 1 0", _numbers(1)),
        ("ignore IllegalStateException", _numbers(1)),
        ("trace go entries in happenings.store.* except *.Special", _point("methods", "entries", suspend="none")),
        ("cont", lambda d: _stop("exception", 3)(d) and d["stop"]["thread"]["name"] == "doomed"),
        ("untrace methods", _numbers(9)),
        ("uncatch uncaught *", _numbers(3)),
        ("cont", _stop("class-prepare", 4, **{"class": COUNTER, "temporary": True})),
        ("watch Counter.value if amount > 5", _point("field", f"{COUNTER}.value", condition="amount > 5")),
        ("watch -rw Counter.label suspend thread", _point("field", f"all {COUNTER}.label", suspend="thread")),
        ("rwatch Counter.made", _point("field", f"access {COUNTER}.made")),
        ("awatch Counter.value -d", _point("field", f"all {COUNTER}.value", enabled=False)),
        ("unwatch access Counter.made", _numbers(12)),
        ("unwatch 13", _numbers(13)),
        ("watch", _numbers(10, 11)),
        ("monitor print 40 + 2", lambda d: d["monitors"] == [{"number": 1, "command": "print 40 + 2"}]),
        ("display amount", lambda d: d["items"][0]["number"] == 2),
        ("monitor", lambda d: [one["number"] for one in d["monitors"]] == [1]),
        ("cont", _stop("modification", 10, variable=f"{COUNTER}.value")),
        ("unmonitor 1", lambda d: "print 40 + 2" in d["message"]),
        ("undisplay 2", lambda d: d["message"]),
        ("on 10 print amount", lambda d: d["commands"] == ["print amount"]),
        ("trace method exit -t", _point("methods", f"exit of {COUNTER}.add", temporary=True)),
        ("cont", lambda d: _stop("method-exit", 14)(d) and d["stop"]["return_value"]["value"] == "void"),
        ("commands 11", lambda d: d["expected"] and d["commands"] == []),
        ("end", lambda d: d == {"number": 11, "commands": ["where", "c"]}),
        ("trace monitors wait,waited -d", _point("monitors", "monitors wait,waited")),
        (f"trace {READ}", _point("line", READ, suspend="none")),
        ("trace", _numbers(15)),
        (f"tracepoint {READ} to {directory}/hits.log", lambda d: d["breakpoint"]["options"]["stack"] == "5"),
        ("trace summary", lambda d: d["summaries"][0]["number"] == 2 and d["summaries"][0]["hits"] == 3),
        ("untrace methods", lambda d: d["message"] == "nothing is traced"),
        (f"save breakpoints {directory}/saved", lambda d: d["count"] == 7),
        ("breakpoints", lambda d: d["breakpoints"][2]["options"] == {"runs": "print amount"}),
        ("cont", _stop("modification", 10)),
        ("disable 10", _numbers(10)),
        ("cont", _stop("vm-death", 8)),
        ("cont", lambda d: d["exited"]["status"] == 0),
    ]  # fmt: skip


def lines_of(expected: list[tuple[str, Check]]) -> list[str]:
    """The lines, with those that ``commands`` takes before its end."""
    return [part for line, _ in expected for part in (["where", "c", "end"] if line == "end" else [line])]


@pytest.mark.every_java
async def test_every_command_of_events(jvm: Jvm, tmp_path: Path) -> None:
    expected = steps(tmp_path)
    arguments = ("exceptions", "fields")
    lines = lines_of(expected)
    words = launching(HAPPENINGS.on(jvm), "--json", "--keep-going", *script(*lines), arguments=arguments)
    done = await jdbpy(*words, jvm=jvm)
    results = [
        found for found in done.results if found["command"] not in ("print 40 + 2", "print amount", "where", "c")
    ]
    assert [found["command"] for found in results[: len(expected)]] == [line for line, _ in expected], done
    wrong = [
        f"{line}: {found}"
        for (line, check), found in zip(expected, results, strict=False)
        if not found["ok"] or not check(found["data"])
    ]
    assert not wrong, "\n".join(wrong)


async def test_what_is_saved_sets_the_points_again(any_jvm: Jvm, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    lines = [
        "catch caught com.acme.OrderException in com.acme.*,*Order except *.Test -t -c 3",
        "watch -rw com.acme.Order.total suspend thread if total > 3",
        "trace go methods in com.acme.*",
        "trace go monitors wait -d",
        "catch load com.acme.*",
        "catch exit",
        'dprintf com.acme.Order:42,"total %d\\n",total',
        f'tp com.acme.Order.pay "{{total}}" limit none -max 9 to "{tmp_path}/a log" if total > 3',
        "trace --no-suspend com.acme.Order.pay limit 0",
        "watch --no-suspend com.acme.Order.total cost 50%",
    ]
    done = await jdbpy(*launching(HAPPENINGS, "--json", *script(*lines, f"save breakpoints {first}")), jvm=any_jvm)
    assert done.status == 0, done
    saved = (await trio.Path(first).read_text()).splitlines()[1:]
    assert saved == [
        "catch caught com.acme.OrderException suspend all in com.acme.*,*Order except *.Test -t -c 3",
        "watch all com.acme.Order.total suspend thread if total > 3",
        "trace methods suspend none in com.acme.* limit 100/s cost 20%",
        "trace monitors wait suspend none limit 100/s -d",
        "catch load com.acme.* suspend all",
        "catch exit suspend all",
        'logpoint com.acme.Order:42 "total {total}" limit 100/s',
        f"tracepoint com.acme.Order.pay \"{{total}}\" stack 5 to '{tmp_path}/a log' -max 9 limit none if total > 3",
        "trace --no-suspend com.acme.Order.pay limit 0/s cost 20%",
        "watch --no-suspend com.acme.Order.total suspend none limit 100/s cost 50%",
    ]
    again = [f"read {first}", f"save breakpoints {second}"]
    done = await jdbpy(*launching(HAPPENINGS, "--json", *script(*again)), jvm=any_jvm)
    assert done.status == 0, done
    assert (await trio.Path(second).read_text()).splitlines()[1:] == saved


async def test_what_is_for_one_object_is_saved_as_a_comment(any_jvm: Jvm, tmp_path: Path) -> None:
    lines = [
        f"tbreak {HAPPENINGS.at('counters', 'happenings.Happenings')}",
        "cont",
        "watch one.value",
        "watch two.value -t",
    ]
    lines += ["trace go entries on one in *Counter", f"save breakpoints {tmp_path}/saved", "delete all", "cont"]
    arguments = ["fields"]
    done = await jdbpy(*launching(HAPPENINGS, "--json", *script(*lines), arguments=arguments), jvm=any_jvm)
    assert done.status == 0, done
    saved = (await trio.Path(tmp_path / "saved").read_text()).splitlines()[1:]
    assert [re.sub(r"@\d+", "@ID", line) for line in saved] == [
        "# watch happenings.Counter.value suspend all on @ID",
        "# watch happenings.Tally.value suspend all on @ID -t",
        "# trace entries suspend none in *Counter on @ID limit 100/s cost 20%",
    ]


async def test_commands_that_let_the_target_run_at_every_hit(any_jvm: Jvm) -> None:
    lines = ["trace entries in happenings.Calculator", "commands", "# where it is", "print number", "end"]
    lines += ["on 1 cont", "on 1", "cont"]
    done = await jdbpy(*launching(HAPPENINGS, "--json", *script(*lines), arguments=["methods"]), jvm=any_jvm)
    assert done.results[4]["data"] == {"number": 1, "commands": ["print number", "cont"]}
    # the constructor has no variable of that name: the error ends the row, and the target stands there
    assert done.status == 1
    assert done.results[-1]["data"]["stop"]["location"]["method"] == "<init>"
    assert done.results[-2]["error"]["code"] == "EVAL"

    lines = ["trace entries in happenings.Calculator", "monitor cont", "cont"]
    done = await jdbpy(*launching(HAPPENINGS, "--json", *script(*lines), arguments=["methods"]), jvm=any_jvm)
    assert done.status == 0, done
    assert len(done.events("stop")) == 8  # the start, and every entry
    assert done.results[-1]["data"]["exited"]["status"] == 0


async def test_commands_for_what_only_reports(any_jvm: Jvm) -> None:
    lines = ["trace go methods in com.acme.*", "on 1 where", "commands"]
    done = await jdbpy(*launching(HAPPENINGS, "--json", "--keep-going", *script(*lines)), jvm=any_jvm)
    assert [found["ok"] for found in done.results] == [True, False, False]
    assert done.results[1]["error"]["message"] == "a hit of 1 suspends nothing, so no command can be run there"


async def test_commands_without_an_end(any_jvm: Jvm, tmp_path: Path) -> None:
    await trio.Path(tmp_path / "open").write_text("catch exit\ncommands 1\nwhere\n")
    done = await jdbpy(*launching(HAPPENINGS, "--json", *script(f"read {tmp_path}/open")), jvm=any_jvm)
    assert done.status == 1
    assert done.results[-2]["error"]["message"] == "after 'commands 1' the line 'end' is missing"
    done = await jdbpy(*launching(HAPPENINGS, "--json", *script("catch exit", "commands", "where")), jvm=any_jvm)
    assert (done.status, done.results[-1]["error"]["code"]) == (1, "SCRIPT")


async def test_a_notice_has_data_for_programs(any_jvm: Jvm) -> None:
    lines = [
        "trace go exits in happenings.Calculator",
        f"stop at {HAPPENINGS.at('done', 'happenings.Happenings')}",
        "cont",
    ]
    done = await jdbpy(*launching(HAPPENINGS, "--json", *script(*lines), arguments=["methods"]), jvm=any_jvm)
    told = [notice for notice in done.events("notice") if notice["kind"] == "trace"]
    assert told[2]["data"]["breakpoint"] == 1
    assert (told[2]["data"]["method"], told[2]["data"]["line"]) == ("twice", LINE("twice"))


async def test_as_a_person_reads_it(any_jvm: Jvm) -> None:
    lines = ["catch IllegalStateException -t", "catch", "watch", "trace", "cont", "catch", "delete 1"]
    done = await jdbpy(*launching(HAPPENINGS, "--keep-going", *script(*lines), arguments=["exceptions"]), jvm=any_jvm)
    for text in (
        "Temporary catchpoint 1 set: all IllegalStateException; a hit suspends all threads; pending: ",
        "1  on  catchpoint all IllegalStateException  suspends all threads  0 hits  once; pending: ",
        "no watchpoints; 'watch CLASS.FIELD' sets one",
        "no traces; 'trace methods in CLASS' sets one",
        'Exception java.lang.IllegalStateException (catchpoint 1): thread "main", happenings.Happenings.exceptions',
        "  message: own",
        f"  will be caught at happenings.Happenings.exceptions (Happenings.java:{LINE('own') + 1})",
        "no catchpoints; 'catch CLASS' sets one",
    ):
        assert text in done.out
    assert "no breakpoint 1" in done.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("go entries", [("method-entry", "3", None), ("method-entry", "2", None)]),
        ("go exits", [("method-exit", None, "6"), ("method-exit", None, "4")]),
        ("go --values exits", [("method-exit", None, "6"), ("method-exit", None, "4")]),
        ("--values go exits", [("method-exit", None, "6"), ("method-exit", None, "4")]),
    ],
)
async def test_a_trace_of_one_method(jvm: Jvm, words: str, told: list[tuple[str, str | None, str | None]]) -> None:
    line = f"trace {words} Calculator.twice"
    done = await jdbpy(*launching(HAPPENINGS, "--json", *script(line, "cont"), arguments=["methods"]), jvm=jvm)
    assert done.status == 0, done
    point = done.results[0]["data"]["breakpoint"]
    assert (point["kind"], point["location"]) == ("methods", f"{words.split()[-1]} Calculator.twice".replace("go ", ""))
    assert ("--values" in point["options"]) is ("--values" in words)
    reports = [notice["report"] for notice in done.events("notice") if notice["kind"] == "trace"]
    found = []
    for report in reports:
        assert report["location"]["method"] == "twice"
        arguments = [argument["value"] for argument in report.get("arguments", ())]
        found.append((report["event"], *(arguments or [None]), report.get("return_value", {}).get("value")))
    assert found == told


async def test_a_trace_of_one_method_stops(jvm: Jvm) -> None:
    lines = ["trace entries Calculator.twice", "cont", "print number", "finish"]
    done = await jdbpy(*launching(HAPPENINGS, "--json", *script(*lines), arguments=["methods"]), jvm=jvm)
    assert done.status == 0, done
    stop = done.results[1]["data"]["stop"]
    assert (stop["reason"], stop["location"]["method"]) == ("method-entry", "twice")
    assert done.results[2]["data"]["value"] == "3"
