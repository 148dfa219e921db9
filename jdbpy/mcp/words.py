"""Hints and notices that name commands of the prompt, reworded to name tools.

Such a sentence quotes commands: "'pause' suspends it, 'thread N' selects one". Each that a tool does is replaced by the
tool; any other is one for the tool ``command``.
"""

from __future__ import annotations

import re

from jdbpy.cli.embedded import named_command

_QUOTED = re.compile(r"'([^'\n]{1,80})'")

_ARGUMENT_OF = {"suspend": "pause with thread", "thread": "the argument thread", "frame": "the argument frame"}

_TOOLS = {
    **dict.fromkeys(("cont", "run", "start"), "run_until_stop"),
    "resume": "run_until_stop with timeout 0",
    "pause": "pause",
    **dict.fromkeys(("step", "next", "step up", "stepi", "nexti"), "step"),
    **dict.fromkeys(("break", "tbreak", "catch", "watch", "logpoint"), "set_breakpoint"),
    "condition": "set_breakpoint with condition",
    **dict.fromkeys(("clear", "delete", "disable"), "remove_breakpoint"),
    "breakpoints": "breakpoints",
    **dict.fromkeys(("where", "where all", "wherei"), "stack"),
    **dict.fromkeys(("locals", "dump"), "inspect"),
    **dict.fromkeys(("print", "eval"), "evaluate"),
    "threads": "threads",
    "list": "source",
    "profile": "profile",
    "record": "record",
    **dict.fromkeys(("trace", "calls"), "trace"),
    **dict.fromkeys(("deadlocks", "diagnose", "hot", "info hits", "top"), "diagnose"),
    **dict.fromkeys(("detach", "quit"), "detach"),
}
"""The tool that does what a command of the prompt does, by the command's name."""


def in_tools(sentence: str) -> str:
    """Return a sentence of the debugger with tools in place of the prompt's commands."""
    return _QUOTED.sub(_tool_of, sentence.replace(" (Ctrl-C)", ""))


def _tool_of(quoted: re.Match[str]) -> str:
    name, more = named_command(quoted[1])
    if not name:
        return quoted[0]
    if name in _ARGUMENT_OF and more:
        return _ARGUMENT_OF[name]
    if name in _TOOLS:
        return f"the tool {_TOOLS[name]}"
    return f"the tool command with line {quoted[0]}"
