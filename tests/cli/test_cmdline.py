"""The command line: what it takes, what it refuses, and what needs no target."""

from __future__ import annotations

import os
from typing import Any

import pytest

import jdbpy
from jdbpy.cli.cmdline import ACTIONS, HELP, CommandLine, parse
from jdbpy.cli.main import main
from jdbpy.errors import UsageError
from jdbpy.process.openings import options_for
from jdbpy.process.scripts import Script


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("attach 5005", {"action": "attach", "addresses": ("5005",)}),
        ("attach --json dt_socket 5005", {"action": "attach", "addresses": ("5005",), "json": True}),
        ("attach 5005 b=5006", {"action": "attach", "addresses": ("5005", "b=5006")}),
        ("attach --json 5005", {"action": "attach", "addresses": ("5005",), "json": True}),
        ("attach 5005 --json", {"action": "attach", "addresses": ("5005",), "json": True}),
        ("attach [::1]:5005 --batch", {"action": "attach", "addresses": ("[::1]:5005",), "batch": True}),
        ("attach 1 --keep-going", {"action": "attach", "addresses": ("1",), "keep_going": True}),
        ("attach 1 --timeout 2.5", {"action": "attach", "addresses": ("1",), "timeout": 2.5}),
        ("attach 1 --timeout=3", {"action": "attach", "addresses": ("1",), "timeout": 3.0}),
        ("attach 1 --wire-log f", {"action": "attach", "addresses": ("1",), "wire_log": "f"}),
        ("attach 1 --color never", {"action": "attach", "addresses": ("1",), "color": "never"}),
        ("attach ssh://ada@h/1", {"action": "attach", "addresses": ("ssh://ada@h/1",)}),
        ("attach --pid 7 --json", {"action": "attach", "addresses": ("pid://7",), "json": True}),
        ("attach 1 --screen", {"action": "attach", "addresses": ("1",), "screen": True}),
        ("jvms --json", {"action": "jvms", "json": True}),
        ("list --json", {"action": "jvms", "json": True}),
        ("listen 0", {"action": "listen", "addresses": ("0",)}),
        ("demo", {"action": "demo"}),
        ("demo --json", {"action": "demo", "json": True}),
        (f"demo --sourcepath a{os.pathsep}b.jar", {"action": "demo", "source_path": ("a", "b.jar")}),
        ("launch Main", {"action": "launch", "java": ("Main",)}),
        ("launch Main -c x --json", {"action": "launch", "java": ("Main", "-c", "x", "--json")}),
        ("launch --json Main a", {"action": "launch", "java": ("Main", "a"), "json": True}),
        ("launch -cp a:b Main", {"action": "launch", "java": ("-cp", "a:b", "Main")}),
        ("launch -Xmx64m -jar a.jar -x", {"action": "launch", "java": ("-Xmx64m", "-jar", "a.jar", "-x")}),
        ("launch -m a/b.C", {"action": "launch", "java": ("-m", "a/b.C")}),
        ("launch --json -- --batch Main", {"action": "launch", "java": ("--batch", "Main"), "json": True}),
        ("launch @file Main", {"action": "launch", "java": ("@file", "Main")}),
        ("--help", {"action": "help"}),
        ("-h", {"action": "help"}),
        ("help", {"action": "help"}),
        ("attach --help", {"action": "help", "about": "attach"}),
        ("launch -h", {"action": "help", "about": "launch"}),
        ("help list", {"action": "help", "about": "jvms"}),
        ("--version", {"action": "version"}),
    ],
)  # fmt: skip
def test_parse(words: str, wanted: dict[str, Any]) -> None:
    assert parse(words.split()) == CommandLine(**wanted)


def test_commands_and_files_keep_their_order() -> None:
    line = parse(["attach", "1", "-c", "stop in A.b", "-x", "f", "--command", "cont", "--execute=-", "--command=where"])
    assert line.scripts == (
        Script(command="stop in A.b"),
        Script(path="f"),
        Script(command="cont"),
        Script(path="-"),
        Script(command="where"),
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "missing action"),
        ("atach 5005", "unknown action 'atach'"),
        ("5005", "unknown action '5005'"),
        ("attach", "attach needs one address"),
        ("listen 1 2", "listen needs one address"),
        ("attach 1 --frobnicate", "unknown option --frobnicate"),
        ("attach 1 --js", "unknown option --js"),
        ("attach 1 -ccont", "unknown option -ccont"),
        ("attach 1 -c", "-c needs a value"),
        ("attach 1 --timeout x", "--timeout needs a number of seconds"),
        ("attach 1 --timeout 0", "--timeout needs a number of seconds"),
        ("attach 1 --timeout nan", "--timeout needs a number of seconds"),
        ("attach 1 --color maybe", "--color is auto, always or never"),
        ("attach 1 -x - -x -", "standard input can be read only once"),
        ("listen", "listen needs one address"),
        ("demo x", "unexpected argument 'x'"),
        ("launch", "launch needs a main class"),
        ("launch -Xmx64m", "launch needs a main class"),
        ("launch --json --", "launch needs a main class"),
    ],
)
def test_parse_refuses(words: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse(words.split())


def test_help_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert capsys.readouterr() == (HELP, "")


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr() == (f"jdbpy {jdbpy.__version__}\n", "")


def test_wrong_usage_is_status_2_and_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attach", "1", "--js"]) == 2
    said = "jdbpy: unknown option --js\n  did you mean --json? jdbpy attach --help lists the options\n"
    assert capsys.readouterr() == ("", said)


@pytest.mark.parametrize("action", [each for each in ACTIONS if each != "join"])
def test_an_action_has_a_help_of_its_own(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With its own options only; and with all of them for the three that open a session."""
    assert main([action, "--help"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"usage: jdbpy {action} ")
    assert f"for example:\n  jdbpy {action}" in said
    known = {each.flag for each in options_for("cli", action)} if action in ("attach", "launch", "listen") else set()
    assert all(f"  {flag}" in said for flag in known), said
    assert ("--reconnect" in said, "addresses:" in said) == (action == "attach",) * 2


def test_the_help_names_every_option_and_status() -> None:
    for word in ("-c", "-x", "--batch", "--keep-going", "--json", "--timeout", "--sourcepath", "--wire-log", "--color"):
        assert f"  {word}" in HELP
    for status in (
        "0 all",
        "1 a command",
        "2 usage",
        "3 no connection",
        "4 timed out",
        "5 the connection",
        "130 inter",
    ):
        assert status in HELP
