"""Bad arguments of every command: one sentence, the usage as a hint, and nothing asked of the target."""

from __future__ import annotations

from typing import Any, cast

import pytest

from jdbpy import Session
from jdbpy.cli.arguments.base import Argument, FileName, FilePath, SearchPath, _files
from jdbpy.cli.arguments.location import ClassOrFile
from jdbpy.cli.commands import TABLE
from jdbpy.cli.context import Context
from jdbpy.errors import UsageError

BAD = {
    "run": ["com.acme.Main arg"],
    "reconnect": ["x"],
    "restart": ["x"],
    "start": ["x"],
    "wait": ["", "x", "-1", "1e9", "nan"],
    "shell": ["", "ls"],
    "info sources": ["a b", "a;b"],
    "cont": ["42", "0"],
    "until": ["0"],
    "advance": ["", "0"],
    "pause": ["'open", "1 2"],
    "panic": ["x"],
    "serve": ["a/b", "a b", "--port x", "--port 70000"],
    **{name: ["x", "0", "-1", "1 2"] for name in ("step", "step up", "next", "stepi", "nexti", "up", "down", "pop")},
    "stop": ["at", "A:1 if", "A:1 B:2", "A:1 -c", "A:1 thread", "thread 3 at", "A:1 except b.*"],
    "break": ["A:1 -c x", "in", "A:1 -hit", "A:1 -hit >> 3", "A:1 after", "A:1 after x", "A:1 after each", "A:1 from"],
    "tbreak": ["", "at"],
    "rbreak": ["", "("],
    "breakpoints": ["1"],
    "hits": ["x", "0", "1001", "for", "1 for x"],
    "clear": ["'open"],
    "delete": ["", "x", "0", "5-2", "1 x"],
    "enable": ["x"],
    "disable": ["1-"],
    "toggle": ["-1"],
    "condition": ["", "x", "-hitcount", "-hitcount 1 x", "-hitcount x 3"],
    "save breakpoints": [""],
    "catch": ["A b", "thread now", "A from", "A -c", "A -hit x", "A if", "A suspend some", "uncaught"],
    "ignore": ["", "3", "3 x", "caught", "A b"],
    "watch": ["access", "A.f on", "A.f -t -t x", "go"],
    "rwatch": [""],
    "awatch": ["", "A.f thread"],
    "unwatch": ["", "all"],
    "trace": ["go", "methods 1 2", "A:1 except b.*", "A.f thread"],
    "untrace": ["nonsense", "methods x"],
    "unmonitor": ["", "x", "7"],
    "commands": ["x", "1 2"],
    "on": ["", "x print"],
    "classes": ["a b", "a;b"],
    "class": ["", "a b", "a()"],
    "ptype": [""],
    "methods": ["", "A b"],
    "fields": ["", "A b"],
    "lines": ["", "A m x"],
    "disassemble": ["A b c"],
    "constpool": ["", "a b"],
    "extension": ["", "a b"],
    "stratum": ["a b"],
    "redefine": ["", "a b c", "-cp x y", "x.java", "/no/such/directory"],
    "show": ["nonsense", "color x"],
    "config": ["nonsense 1", "color mauve", "frame-base 2"],
    "repeat": ["maybe", "on off"],
    "exclude": ["a.*.b"],
    "locals": ["x"],
    "logpoint": [
        "",
        "A:1",
        'A:1 "text',
        '"text"',
        'A:1 "x" limit fast',
        'A:1 "x" to',
        'A:1 "x" stack 0',
        'A:1 "x" cost 101%',
        'A:1 "x" -max 0',
        'A:1,"%d"',
        'A:1,"%5d",x',
        'A:1,"%d",x,y',
        'A:1,"%d" x',
        'A:1,"%d",,x',
    ],
    "trace summary": ["many", "1 2", "-n 0"],
    "calls": ["", "A.f -max", "A.f for ever", "A.f limit fast", "A.f if"],
    "calls stats": ["", "A.f every", "A.f -max 1"],
    "calls tree": ["", "A.f -depth 99", "A.f show a"],
    "record": ["A.b -max x", "A.b deep", "A.b until"],
    "record off": ["x", "0"],
    "again": ["x", "0", "1 2"],
    "recorded": ["x", "if", "3 --junit6", "3 --junit to"],
    "recorded compare": ["", "1", "1 x"],
    "recorded to": [""],
    "recorded from": [""],
    **{f"recorded {name}": ["x", "0", "to", "if"] for name in ("next", "back", "cont")},
    **{f"recorded {name}": ["x y"] for name in ("differences", "forget", "where", "locals", "changes")},
    **{f"recorded {name}": ["x y"] for name in ("close", "list")},
    "recorded print": [""],
    "recorded last": [""],
    "profile": ["5 6 7", "cpu a b", "1s to", "to x.odd", "--svg"],
    "timing": ["", "A.f every 2s", "A.f for ever", "A.f -methods"],
    "profile open": ["", "a.jfr 5s x", "a.jfr to x.odd"],
    "profile diff": ["", "a.jfr", "a.jfr b.jfr x y"],
    "tracepoint": ["", "A:1 stack many", 'A:1 "text'],
    "args": ["x"],
    "print": ["", "/q n", "/ n", "/x", "%s n", "/xx n"],
    "po": [""],
    "dump": ["", "/x", "/n n", "--depth", "--depth x y", "--depth 99 y"],
    "set": ["", "nonsense", "nonsense 1", "frame-base", "list-lines 0", "= 3", "x ="],
    "whatis": [""],
    "x": ["", "/0 a", "/16q a", "/16"],
    "save": ["x", "1 x", "a-b c"],
    "forget": ["", "a.b"],
    "values": ["x", "0", "1 2"],
    "view": ["a-b c"],
    "unview": ["", "a b", "a;b"],
    "undisplay": ["x", "7"],
    "display": ["/x", "/y n"],
    "where": ["1 2", "-n", "-n 0", "-n x"],
    "wherei": ["1 2"],
    "bt full": ["1 2"],
    "where all": ["x", "-s mad", "--frames 0"],
    "wherei all": ["x"],
    "frame": ["x", "-1", "1 2", "0"],
    "reenter": ["1"],
    "help": ["frobnicate"],
    "apropos": ["", "xyzzy123"],
    "help jvmti": ["Frobnicate"],
    "info": ["nonsense"],
    "quit": ["x", "3", "--kill 256", "--kill 1 2"],
    "detach": ["x"],
    "version": ["x"],
    "read": ["", "/no/such/file"],
    "longlist": ["x"],
    "source": [""],
    "dump classes": ["x", "a to", "a b to c"],
    "thread": ["1 2", "'open"],
    "thread find": ["", "("],
    "threadgroups": ["x"],
    "suspend": ["'open"],
    "resume": ["'open"],
    "interrupt": ["1 2", ""],
    "kill": ["", "1"],
    "threads": ["-s mad", "-n", "--max 0"],
    "cputime": ["x", "-s mad"],
    "thread info": ["1 2"],
    "thread name": ["", "-t"],
    "thread apply": ["", "all", "all nonsense", "all cont", "all thread apply 1 where", "x where"],
    "threadlocks": ["1 2"],
    "lock": [""],
    **{name: ["x"] for name in ("deadlocks", "vm", "uptime", "capabilities", "classpath")},
    "classpath add": [""],
    "properties": ["a b"],
    "property": ["", "= 3", "-d a = b", "a b"],
    "flags": ["a b"],
    "flag": ["", "= 3", "a b"],
    "top": ["x", "every", "-n 0", "every 5s", "every 10ms for 1s"],
    "logger": ["a b c", "-c 0 a"],
    "mbean": ["a b(", "a b = 1 every 5s", "a every 5s"],
    "modules": ["a b"],
    "module": ["", "a b"],
    "module reads": ["", "a", "a b c"],
    "module exports": ["a", "a b c d"],
    "module opens": ["a", "a b c d"],
    "module uses": ["a", "a b c"],
    "module provides": ["a", "a b", "a b c d"],
    "instances": ["", "-n 0 A", "A b"],
    "histogram": ["a b", "-n x"],
    "heapdump": ["", "a b"],
    "gc": ["now"],
    "snapshot": ["", "a b", "a on", "a on x", "a --depth x", "a --depth 101", "a --max 1X", "a --mask"],
    "alias": ["x", "= where", "a b = where", "where = locals"],
    "find": ["", "-n x a"],
    "memory": ["x"],
    "plugins": ["x", ""],
    "attach": [""],
    "jvm": ["'open"],
    "jvms": ["x"],
    "sessions": ["x"],
    "each": [""],
    "moment": ["a b"],
    "diff": [""],
    "weave": ["", "x"],
    "unweave": ["x"],
    "woven": ["x"],
    "history": ["-n x"],
    "screen": ["nonsense", "stack nonsense"],
    "monitor": ["nonsense"],
    "py": ["", "1"],
    **{name: [""] for name in ("referrers", "path", "size", "disablegc", "enablegc")},
}  # fmt: skip

NOTHING_IS_BAD = {"echo", "info line", "list", "edit", "use", "return", "jcmd"}
"""Commands whose arguments are free text, or any: only the target can refuse them."""


class _NoTarget:
    """A session that nothing may be asked of; nothing is selected in it."""

    selection = (None, 1)

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"the target was asked: session.{name}")


def test_every_command_is_here() -> None:
    assert set(BAD) | NOTHING_IS_BAD == {command.name for command in TABLE}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in BAD.items() for text in texts])
async def test_bad_arguments_are_one_sentence_and_a_hint(name: str, text: str) -> None:
    context = Context(cast(Session, _NoTarget()))
    with pytest.raises(UsageError) as caught:
        await TABLE.by_name[name](context, f" {text}")
    error = caught.value
    assert error.message
    assert "\n" not in error.message
    assert error.hint
    assert not error.message.endswith(".")


@pytest.mark.parametrize("argument", [FilePath(), FileName(), SearchPath(), ClassOrFile()])
@pytest.mark.parametrize("text", ["\udfff", "~\udfff/a", "a\0b"])
def test_a_name_that_no_file_can_have(argument: Argument[object], text: str) -> None:
    with pytest.raises(UsageError, match="no file can have that name"):
        argument.parse(text)
    assert list(_files(text)) == []
