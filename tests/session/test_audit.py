"""The audit log: what it says is what the wire log says, and what for."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest

import jdbpy
from jdbpy import Options, StateError, StopReason, UsageError
from jdbpy.wire.command import all_commands
from jdbpy.wire.effects import Effect, effect_of
from tests.cli.process import jdbpy as run_jdbpy, launching, script
from tests.harness import Jvm, debug, program, start_target

pytestmark = pytest.mark.one_java

RETURNS = program("Returns")
EFFECTS = {command.NAME: effect_of(command) for command in all_commands()}


def entries(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def sent(log: Path) -> dict[int, tuple[str, str]]:
    """What left by the wire log and changes or suspends: name and fields by packet."""
    found = re.findall(r"-> #(\d+) (\S+) ?(.*)", log.read_text())
    return {
        int(packet): (name, fields)
        for packet, name, fields in found
        if EFFECTS[name] in (Effect.CHANGES, Effect.SUSPENDS) and "suspendPolicy=NONE" not in fields
    }


async def test_it_says_what_the_wire_log_says(jvm: Jvm, tmp_path: Path) -> None:
    wire, audit = tmp_path / "wire.log", tmp_path / "audit.log"
    lines = ["break " + RETURNS.at("number"), "run", "print 1 + 1", "print new Object() != null", "next", "return 7"]
    options = ["--keep-going", "--wire-log", str(wire), "--audit", str(audit)]
    done = await run_jdbpy(*launching(RETURNS, *options, *script(*lines)), jvm=jvm)
    assert done.out
    first, *rest = entries(audit)
    assert "session" in first
    told = {each["packet"]: (each["command"], each["fields"]) for each in rest if "for" in each}
    assert told == sent(wire)
    outcomes = {each["packet"]: each["outcome"] for each in rest if "outcome" in each}
    assert outcomes.keys() == told.keys()
    assert set(outcomes.values()) == {"OK"}
    why = {(each["command"], each["for"]) for each in rest if "for" in each}
    assert ("EventRequest.Set", lines[0]) in why
    assert ("ClassType.NewInstance", lines[3]) in why
    assert ("EventRequest.Set", "next") in why
    assert not [line for _, line in why if line in ("run", lines[2])], "these change nothing"
    assert {each["effect"] for each in rest if "for" in each} == {"changes", "suspends"}
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", each["time"]) for each in entries(audit))
    assert stat.S_IMODE(os.stat(audit).st_mode) == 0o600


async def test_a_script_s_calls_are_named(any_jvm: Jvm, tmp_path: Path) -> None:
    audit = tmp_path / "audit.log"
    audit.write_text('{"session": "an earlier one"}\n')
    async with debug(any_jvm, RETURNS, options=Options(audit=str(audit))) as d:
        await d.session.breakpoints.add(d.at("number"))
        await d.check_stop(await d.session.execution.cont(), StopReason.BREAKPOINT, at="number")
        with jdbpy.purpose("a look at the answer"):
            await d.session.execution.force_return("1")
    earlier, *rest = entries(audit)
    assert earlier == {"session": "an earlier one"}, "it is appended to"
    why = {(each["command"], each["for"]) for each in rest if "for" in each}
    assert ("EventRequest.Set", "Breakpoints.add") in why
    assert ("ThreadReference.ForceEarlyReturn", "a look at the answer") in why


async def test_a_link_is_refused(any_jvm: Jvm, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    async with start_target(any_jvm, RETURNS) as target:
        with pytest.raises(UsageError, match="cannot write the audit log"):
            async with jdbpy.attach_session(target.address, options=Options(audit=str(tmp_path / "link"))):
                pass


async def test_what_cannot_be_entered_does_not_leave(any_jvm: Jvm, tmp_path: Path) -> None:
    async with debug(any_jvm, RETURNS, options=Options(audit=str(tmp_path / "audit.log"))) as d:
        log = d.session._target.conn.audit
        assert log is not None
        os.dup2(os.open("/dev/full", os.O_WRONLY), log._handle)
        with pytest.raises(StateError, match="the audit log cannot be written") as caught:
            await d.session.breakpoints.add(d.at("number"))
        assert caught.value.code == "AUDIT"
        assert d.session._target.requests.all_active() == []
