"""``jdbpy mcp`` on a JVM that it reaches through ssh, by a real sshd."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.harness import Jvm, start_target
from tests.harness.remote import run_sshd
from tests.mcp.client import agent


@pytest.mark.parametrize("rights", [(), ("--allow-suspend",)])
async def test_a_jvm_behind_ssh_is_remote(jvm: Jvm, tmp_path: Path, rights: tuple[str, ...]) -> None:
    async with run_sshd(tmp_path / "ssh") as sshd, start_target(jvm, "Rounds") as target:
        environ = {"PATH": f"{sshd.programs}{os.pathsep}{os.environ['PATH']}"}
        words = (*rights, "attach", f"ssh://{sshd.place}/{target.port}")
        async with agent(*words, environ=environ) as client:
            assert (await client.call("threads"))["threads"]
            assert client.target["suspended"] == "all threads"
            place = target.program.at("number")
            if rights:
                await client.call("set_breakpoint", at=place)
            else:
                said = await client.refused("set_breakpoint", at=place)
                assert "with --allow-changes, or --allow-suspend" in said
