"""Every command on every JVM: one long script, its JSON checked against the declared shapes and for what it says."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio

from jdbpy.cli.commands import TABLE
from tests.cli import (
    test_code_commands,
    test_condition_commands,
    test_event_commands,
    test_heap_commands,
    test_recording_commands,
    test_restarts,
    test_snapshot_commands,
    test_thread_commands,
    test_vm_commands,
)
from tests.cli.process import Done, jdbpy, launching, script
from tests.harness import Jvm, program

LEDGER = program("Ledger")
LINE = LEDGER.line
Check = Callable[[Any], object]


def steps(directory: Path) -> list[tuple[str, Check]]:
    """Lines, and what the data of each result must satisfy. The program stands at its start before the first."""
    saved = directory / "breakpoints"
    return [
        ("version", lambda d: d["jdbpy"] and d["schema"] == 1 and d["java"] and d["address"]),
        ("help", lambda d: {c["name"] for c in d["commands"]} == {command.name for command in TABLE}),
        ("help step up", lambda d: d["command"]["name"] == "step up" and "finish" in d["command"]["aliases"]),
        ("help locations", lambda d: "Order.java:42" in d["text"]),
        ("help jvmti PopFrame", lambda d: "command: pop" in d["text"]),
        ("help breakpoints", lambda d: d["command"]["name"] == "breakpoints"),
        ("apropos bytecode", lambda d: {"stepi", "wherei"} <= {c["name"] for c in d["commands"]}),
        ("info", lambda d: {"info locals", "info breakpoints"} <= {c["name"] for c in d["commands"]}),
        ("show frame-base", lambda d: d["settings"][0]["value"] == "1"),
        ("config list-lines 4", lambda d: d["settings"][0]["value"] == "4"),
        ("set hints off", lambda d: d["settings"][0]["value"] == "off"),
        ("alias wa = where all --fold", lambda d: d["aliases"] == [{"name": "wa", "text": "where all --fold"}]),
        ("alias", lambda d: [each["name"] for each in d["aliases"]] == ["wa"]),
        ("plugins", lambda d: d["plugins"] == []),
        ("py 1 + 1", lambda d: (d["type"], d["value"]) == ("int", 2)),
        ("jvms", lambda d: [(each["number"], each["current"]) for each in d["jvms"]] == [(1, True)]),
        ("jvm 1", lambda d: "is current" in d["message"]),
        ("each version", lambda d: [each["data"]["schema"] for each in d["results"]] == [1]),
        (f"serve ledger-{os.getpid()}", lambda d: d["name"] == f"ledger-{os.getpid()}"),
        ("sessions", lambda d: [each["name"] for each in d["sessions"]].count(f"ledger-{os.getpid()}") == 1),
        ("moment before", lambda d: [each["name"] for each in d["moments"]] == ["before"]),
        ("diff before before", lambda d: "threads" in d["compared"]),
        ("screen", lambda d: d["open"] is False and "no screen here" in d["message"]),
        ("history -n 3", lambda d: "lines" in d),
        ("edit Ledger:1", lambda d: d["message"].endswith("Ledger.java:1")),
        ("repeat off", lambda d: d["settings"][0]["name"] == "repeat"),
        ("use", lambda d: d["path"] == [LEDGER.sources]),
        ("exclude", lambda d: "java.*" in d["patterns"]),
        ("exclude java.*, jdk.*", lambda d: d["patterns"] == ["java.*", "jdk.*"]),
        # breakpoints
        ("stop in Ledger.total(int,String)", lambda d: d["breakpoint"]["suspend"] == "all"),
        (f"break {LEDGER.at('entry', 'Ledger$Entry')}", lambda d: d["breakpoint"]["number"] == 2),
        (f"stop thread at {LEDGER.at('again')} if ledger != null", lambda d: d["breakpoint"]["suspend"] == "thread"),
        ("disable 2-3", lambda d: d["action"] == "disabled" and not d["breakpoints"][0]["enabled"]),
        ("enable 2", lambda d: d["breakpoints"][0]["enabled"]),
        ("toggle 2", lambda d: not d["breakpoints"][0]["enabled"]),
        (f"save breakpoints {saved}", lambda d: d["count"] == 3),
        ("delete 3", lambda d: [b["number"] for b in d["breakpoints"]] == [3]),
        ("breakpoints", lambda d: [b["number"] for b in d["breakpoints"]] == [1, 2]),
        (f"tbreak {LEDGER.at('main')}", lambda d: d["breakpoint"]["temporary"]),
        # running, to the first line of main
        ("run", lambda d: d["stop"]["location"]["line"] == LINE("main") and d["stop"]["temporary"]),
        ("step", lambda d: d["stop"]["location"]["method"] == "<init>"),
        ("step up", lambda d: d["stop"]["location"]["line"] == LINE("main")),
        ("next", lambda d: d["stop"]["location"]["line"] == LINE("main") + 1),
        ("stepi", lambda d: d["stop"]["reason"] == "step"),
        ("nexti", lambda d: d["stop"]["reason"] == "step"),
        ("cont", lambda d: d["stop"]["breakpoint"] == 1 and d["stop"]["location"]["line"] == LINE("overload")),
        # where it stands
        ("where", lambda d: [f["line"] for f in d["frames"]] == [LINE("overload"), LINE("first")]),
        ("where -n 1", lambda d: len(d["frames"]) == 1 and d["total"] == 2),
        ("wherei main", lambda d: d["frames"][0]["code_index"] == 0 and d["thread"]["name"] == "main"),
        ("bt full", lambda d: [v["index"] for v in d["variables"]] == [1, 2]),
        ("where all", lambda d: {"main", "helper one"} <= {s["thread"]["name"] for s in d["stacks"]}),
        ("wherei all", lambda d: all("frames" in s for s in d["stacks"])),
        ("up", lambda d: d["frame"]["index"] == 2 and d["source"]["current"] == LINE("first")),
        ("down", lambda d: d["frame"]["index"] == 1),
        ("frame 2", lambda d: d["frame"]["method"] == "main"),
        ("frame #0", lambda d: d["frame"]["index"] == 1),
        ("frame", lambda d: d["frame"]["method"] == "total"),
        # threads
        ("threads", lambda d: {"main", "helper one"} <= {t["name"] for t in d["threads"]}),
        ("threads main", lambda d: d["group"] == "main" and all(t["group"] == "main" for t in d["threads"])),
        ('thread "helper one"', lambda d: d["thread"]["name"] == "helper one" and d["thread"]["suspended"]),
        ("thread find ^ma", lambda d: [t["name"] for t in d["threads"]] == ["main"]),
        ("thread main", lambda d: d["frame"]["method"] == "total"),
        ("thread", lambda d: d["thread"]["name"] == "main"),
        ("threadgroups", lambda d: d["groups"][0]["name"] == "system"),
        ('suspend "helper one"', lambda d: "helper one" in d["message"]),
        ('resume "helper one"', lambda d: "taken back; it is still suspended" in d["message"]),
        ('interrupt "helper one"', lambda d: "interrupt()" in d["message"]),
        # values
        ("locals", lambda d: [v["name"] for v in d["variables"]] == ["this", "factor", "note"]),
        (
            "args",
            lambda d: (
                [(v["name"], v["kind"]) for v in d["variables"]] == [("factor", "argument"), ("note", "argument")]
            ),
        ),
        ("print factor", lambda d: (d["expression"], d["type"], d["value"]) == ("factor", "int", "2")),
        ("print/x factor", lambda d: (d["expression"], d["value"], d["formatted"]) == ("factor", "2", "0x2")),
        ("print %t amounts", lambda d: d["formatted"] == "int[3] {0b1010, 0b10100, 0b11110}"),
        ("print owner", lambda d: (d["type"], d["value"], d["length"]) == ("java.lang.String", '"Ada"', 3)),
        ("print this.parent.owner", lambda d: d["value"] == '"Ben"'),
        ("print amounts[1]", lambda d: d["value"] == "20"),
        ("print Ledger.opened", lambda d: d["value"] == "3"),
        ("x amounts", lambda d: (d["hex"], d["width"], d["left_out"]) == ("0000000a000000140000001e", 4, 0)),
        ("x/2 owner", lambda d: (d["hex"], d["left_out"]) == ("00410064", 1)),
        ("save first amounts[0]", lambda d: (d["target"], d["value"]) == ("$first", "10")),
        ("save me this", lambda d: d["id"]),
        ("print $first + 1", lambda d: d["value"] == "11" and d["number"] > 1),
        ("save", lambda d: [(v["name"], v["kind"]) for v in d["values"]] == [("$first", "noted"), ("$me", "kept")]),
        ("values 2", lambda d: d["what"] == "history" and len(d["values"]) == 2),
        ("forget me", lambda d: d["message"] == "still there: $first"),
        ('view Ledger "owner + \\" \\" + opened"', lambda d: d["views"][0]["expression"] == 'owner + " " + opened'),
        ("print parent", lambda d: d["value"] == "Ben 3"),
        ("view", lambda d: [v["pattern"] for v in d["views"]] == ["Ledger"]),
        ("unview Ledger", lambda d: "built-in" in d["message"]),
        ("po notes", lambda d: d["value"]),
        ("dump this", lambda d: {"owner", "amounts", "notes", "parent"} <= {c["name"] for c in d["children"]}),
        ("dump --depth 0 amounts", lambda d: d["length"] == 3),
        ("whatis amounts", lambda d: d["type"] == "int[]"),
        ("ptype parent", lambda d: d["class"]["name"] == "Ledger"),
        ("set factor = 5", lambda d: (d["target"], d["value"]) == ("factor", "5")),
        ("set amounts[0] = 100", lambda d: d["value"] == "100"),
        ("display factor", lambda d: d["items"][0]["value"] == "5"),
        ("display amounts[0]", lambda d: d["items"][0]["number"] == 2),
        ("display", lambda d: [item["value"] for item in d["items"]] == ["5", "100"]),
        ("display/x amounts[0]", lambda d: (d["items"][0]["value"], d["items"][0]["formatted"]) == ("100", "0x64")),
        ("undisplay 1 3", lambda d: "2" in d["message"]),
        # source
        ("list", lambda d: d["source"]["current"] == LINE("overload") and len(d["source"]["lines"]) == 4),
        ("list +", lambda d: d["source"]["lines"][0]["line"] == LINE("overload") + 2),
        ("list 1,2", lambda d: [one["line"] for one in d["source"]["lines"]] == [1, 2]),
        ("list Ledger.sleep", lambda d: any("sleep" in one["text"] for one in d["source"]["lines"])),
        ("longlist", lambda d: {LINE("overload"), LINE("result")} <= {one["line"] for one in d["source"]["lines"]}),
        ("source Ledger", lambda d: d["source"]["lines"][0]["line"] == 1 and d["source"]["total"] > LINE("result")),
        (
            f"dump classes Ledger to {directory}/classes",
            lambda d: {each["name"]: each["how"] for each in d["classes"]}["Ledger"] == "loader",
        ),
        ("info line", lambda d: {(one["line"], one["code_index"]) for one in d["lines"]} == {(LINE("overload"), 0)}),
        ("info sources", lambda d: [f["path"] for f in d["files"]] == [f"{LEDGER.sources}/Ledger.java"]),
        ("info sources *Ledger", lambda d: [f["classes"] for f in d["files"]] == [["Ledger"]]),
        ("where -1", lambda d: [(f["index"], f["method"]) for f in d["frames"]] == [(2, "main")]),
        # scripts
        ("echo what is next", lambda d: d["message"] == "what is next"),
        ("set shell on", lambda d: d["settings"][0]["value"] == "on"),
        ("shell echo one; exit 3", lambda d: (d["output"], d["status"]) == ("one\n", 3)),
        ("!echo two", lambda d: (d["output"], d["status"]) == ("two\n", 0)),
        ("wait 0", lambda d: d["message"] == "waited for 0 s"),
        # classes
        ("classes ledger", lambda d: {"Ledger"} <= {c["name"] for c in d["classes"]}),
        ("classes Ledger", lambda d: {"Ledger"} <= {c["name"] for c in d["classes"]} and d["pattern"] == "*Ledger*"),
        ("class Ledger", lambda d: d["superclass"] == "java.lang.Object" and d["source"] == "Ledger.java"),
        ("methods Ledger", lambda d: {"total", "main", "<init>"} <= {m["name"] for m in d["methods"]}),
        ("fields Ledger", lambda d: {"opened", "owner", "notes"} <= {f["name"] for f in d["fields"]}),
        ("lines Ledger sleep", lambda d: {entry["method"] for entry in d["lines"]} == {"sleep"}),
        # going on
        ("until", lambda d: d["stop"]["location"]["line"] == LINE("call")),
        (f"advance {LINE('return')}", lambda d: d["stop"]["location"]["line"] == LINE("return") and d["note"]),
        ("reenter", lambda d: d["stop"]["location"]["line"] == LINE("total")),
        ("pop", lambda d: d["frame"]["line"] == LINE("call")),
        ("step", lambda d: d["stop"]["location"]["line"] == LINE("total")),
        ("return 7", lambda d: "7" in d["message"]),
        ("next", lambda d: d["stop"]["location"]["line"] == LINE("call")),
        (f"until {LINE('result')}", lambda d: d["stop"]["location"]["line"] == LINE("result")),
        ("print result", lambda d: d["value"] == "7"),
        # clearing, and on without a breakpoint
        ("clear Ledger.total(int,String)", lambda d: d["action"] == "deleted"),
        ("clear 2", lambda d: [b["number"] for b in d["breakpoints"]] == [2]),
        ("clear", lambda d: d["breakpoints"] == []),
        (f"read {saved}", lambda d: d["commands"] == 3),
        ("delete all", lambda d: len(d["breakpoints"]) == 3),
        (
            "rbreak ^total$ Ledger",
            lambda d: [b["location"] for b in d["breakpoints"]] != [] and d["regex"] == "^total$",
        ),
        ("delete all", lambda d: d["breakpoints"]),
        ('logpoint Ledger.main "begins {1 + 1}"', lambda d: d["breakpoint"]["suspend"] == "none"),
        ("panic", lambda d: d["disabled"] == [11] and d["resumed"] == "all"),
        ("resume", lambda d: "all threads" in d["message"]),
        ("pause", lambda d: d["stop"]["reason"] == "pause"),
        ("detach", lambda d: d["action"] == "detached"),
    ]


REFUSED = {
    "attach 1": "attach A B",
    "kill": "exit --kill",
    "reconnect": "restart",
    "quit 3": "--kill",
    "exit 3": "--kill",
    "calls Ledger.total -max 1": "'resume'",
    "calls stats Ledger.total for 1s": "'resume'",
    "calls tree Ledger.total": "'resume'",
    "profile 1s": "'resume'",
    "timing Ledger.total for 1s": "'resume'",
    "profile open /no/such/file.jfr": ".jfr",
    "profile diff /no/such/file.jfr /no/such/file.jfr": ".jfr",
}
"""Lines that only ever end in an error, with a word of the hint; `quit` itself is in test_batch."""


def test_the_script_has_every_command() -> None:
    scripts = [
        steps,
        test_code_commands.steps,
        test_condition_commands.steps,
        test_event_commands.steps,
        test_heap_commands.steps,
        test_recording_commands.steps,
        test_restarts.steps,
        test_snapshot_commands.steps,
        test_thread_commands.steps,
        test_vm_commands.steps,
    ]
    lines = [line for script in scripts for line, _ in script(Path())] + list(REFUSED)
    found = {match.command.name for match in map(TABLE.find, lines) if match}
    assert found == {command.name for command in TABLE}


@pytest.mark.every_java
async def test_every_command(jvm: Jvm, tmp_path: Path) -> None:
    expected = steps(tmp_path)
    lines = [line for line, _ in expected]
    done: Done = await jdbpy(*launching(LEDGER.on(jvm), "--json", "--keep-going", *script(*lines)), stdin=None, jvm=jvm)
    results = [
        found for found in done.results if not found["command"].startswith("break ") or found["command"] in lines
    ]
    assert [found["command"] for found in results] == [re.sub("^!", "shell ", line) for line in lines], done.err
    wrong = []
    for (line, check), found in zip(expected, results, strict=True):
        if not found["ok"] or not check(found["data"]):
            wrong.append(f"{line}: {found}")
    assert not wrong, "\n".join(wrong)
    assert done.status == 0


async def test_what_is_refused_says_what_to_do_instead(any_jvm: Jvm) -> None:
    done = await jdbpy(*launching(LEDGER, "--json", "--keep-going", *script(*REFUSED)), jvm=any_jvm)
    assert done.status == 1
    assert [found["ok"] for found in done.results] == [False] * len(REFUSED)
    for found, word in zip(done.results, REFUSED.values(), strict=True):
        assert word in found["error"]["hint"]


async def test_the_saved_breakpoints_are_commands(any_jvm: Jvm, tmp_path: Path) -> None:
    path = tmp_path / "saved"
    lines = ["break all Ledger:9999 -t -c 3 if opened > 1", "stop thread in Ledger.total", f"save breakpoints {path}"]
    done = await jdbpy(*launching(LEDGER, "--json", *script(*lines)), jvm=any_jvm)
    assert done.status == 0, done
    assert (await trio.Path(path).read_text()).splitlines()[1:] == [
        "break all Ledger:9999 -t -c 3 if opened > 1",
        "break thread Ledger.total",
    ]
