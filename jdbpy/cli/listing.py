"""``jdbpy jvms``: the JVMs of this machine, outside of any session."""

from __future__ import annotations

import os

import jdbpy
from jdbpy import LocalJvm, UsageError
from jdbpy.cli.cmdline import CommandLine
from jdbpy.cli.console import Console
from jdbpy.cli.output.choice import choose_renderer
from jdbpy.cli.output.json_lines import JsonRenderer
from jdbpy.cli.output.pieces import Column, Sentence, Shown, TablePieces, count
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.output.shows import shows
from jdbpy.cli.settings import Settings
from jdbpy.process.statuses import USAGE
from jdbpy.record import Record


class LocalJvms(Record):
    """The JVMs of this machine that may be looked at."""

    json_name = "local-jvms"

    jvms: tuple[LocalJvm, ...]


_COLUMNS = (
    Column("pid", style="number", least=3),
    Column("program", style="name", least=12, fold=True),
    Column("Java", style="faint", least=4, drop=1),
    Column("address", least=9),
    Column("", style="faint", least=12, fold=True),
)


@shows(LocalJvms)
def local_jvms_shown(result: LocalJvms, settings: Settings) -> Shown:
    if not result.jvms:
        yield Sentence("no JVMs on this machine that this user may look at")
        return
    rows = [(str(each.pid), each.main, each.java, each.address, _remark(each)) for each in result.jvms]
    yield TablePieces(_COLUMNS, rows)
    agents = sum(bool(each.address) for each in result.jvms)
    yield count(len(result.jvms), "JVM") + f", {agents} with an agent at a known address"


def _remark(jvm: LocalJvm) -> str:
    if jvm.debugger and not jvm.note:
        return "a debugger is attached"
    return jvm.note or ("" if jvm.address else "no agent; --pid shows threads, locks, heap")


def list_jvms(line: CommandLine) -> int:
    """Show the JVMs of this machine; return the exit status."""
    settings = Settings()
    settings.set("color", line.color)
    console = _console(line, settings)
    if not os.path.isdir("/proc/self"):
        console.failure("jvms", UsageError("this system has no /proc that would tell", hint="jps -lv lists JVMs"))
        return USAGE
    console.outcome(Outcome("jvms", None, LocalJvms(jdbpy.local_jvms())))
    return 0


def _console(line: CommandLine, settings: Settings) -> Console:
    if line.json:
        return Console(JsonRenderer(), json=True)
    return Console(choose_renderer(settings), json=False)
