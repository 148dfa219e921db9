"""A JVM without the agent on another machine or in a container: through the user's own ssh, docker, kubectl."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

import jdbpy
from jdbpy import ConnectError, Disconnected, Session
from jdbpy.session.connect.transports import parse_transport
from jdbpy.session.without_agent.channels import program_source
from tests.harness import Jvm, start_target
from tests.harness.remote import DOCKER, KUBECTL, run_sshd, write_program, write_python_program
from tests.session.without_agent.machines import before_path, only

pytestmark = pytest.mark.one_java


async def looked_at(session: Session) -> None:
    """What a session elsewhere gives: threads, locks, diagnostic commands."""
    assert session.agent_line
    assert session.remote
    assert "main" in {each.name for each in await session.threads.list()}
    assert len((await session.locks.deadlocks()).deadlocks) == 2
    assert "Compiler.codecache" in await session.vm.diagnostic_command("help")
    assert await session.vm.flags("MaxHeapSize")


async def test_ssh(jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with run_sshd(tmp_path / "ssh") as sshd, start_target(jvm, "EveryState", with_agent=False) as target:
        await target.wait_output("settled")
        before_path(monkeypatch, sshd.programs)
        address = f"ssh://{sshd.place}/pid:{target.pid}"
        async with jdbpy.attach_session(address) as session:
            assert session.address == address
            assert session.tunnel.startswith("ssh (process ")
            await looked_at(session)
            assert (await session.heap.usage.memory())[0].used
        with pytest.raises(ConnectError, match="the process 4194305 does not exist"):
            async with jdbpy.attach_session(f"ssh://{sshd.place}/pid:4194305"):
                pass
        async with jdbpy.attach_session(address) as session:
            target.kill()
            await target.wait_exit()
            with pytest.raises((jdbpy.JdwpError, Disconnected)):
                await session.threads.list()


async def test_an_agent_elsewhere_is_used(any_jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with run_sshd(tmp_path / "ssh") as sshd, start_target(any_jvm, "Hello", suspend=False) as target:
        await target.wait_output("waiting")
        before_path(monkeypatch, sshd.programs)
        async with jdbpy.attach_session(f"ssh://{sshd.place}/pid:{target.pid}") as session:
            assert not session.agent_line
            assert (await session.breakpoints.add("Hello.greeting")).number == 1


@pytest.mark.parametrize("programs", [("perl",), ()], ids=["perl", "nothing"])
async def test_docker_without_python(
    programs: Sequence[str], any_jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A container is a machine of its own: what is there decides."""
    state = tmp_path / "docker.json"
    state.write_text('{"name": "web", "inspect": {"State": {"Running": true}}}')
    write_python_program(tmp_path / "bin" / "docker", DOCKER, state)
    inside = tmp_path / "inside"
    only(inside, *programs)
    write_program(tmp_path / "bin" / "sh", f'#!/bin/sh\nPATH={inside} exec {shutil.which("sh")} "$@"\n')
    before_path(monkeypatch, tmp_path / "bin")
    async with start_target(any_jvm, "EveryState", with_agent=False) as target:
        await target.wait_output("settled")
        address = f"docker://web/pid:{target.pid}"
        if programs:
            async with jdbpy.attach_session(address) as session:
                await looked_at(session)
            with pytest.raises(ConnectError, match="the process 4194305 does not exist"):
                async with jdbpy.attach_session("docker://web/pid:4194305"):
                    pass
        else:
            with pytest.raises(ConnectError, match="docker://web has no python3, perl, socat or jcmd to speak to"):
                async with jdbpy.attach_session(address):
                    pass


async def test_kubectl(any_jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = tmp_path / "kubectl.json"
    state.write_text('{"names": {"pod/orders-1": "pod/orders-1"}, "ports": {}}')
    write_python_program(tmp_path / "bin" / "kubectl", KUBECTL, state)
    before_path(monkeypatch, tmp_path / "bin")
    async with start_target(any_jvm, "EveryState", with_agent=False) as target:
        await target.wait_output("settled")
        async with jdbpy.attach_session(f"k8s://shop/orders-1/pid:{target.pid}") as session:
            await looked_at(session)
        with pytest.raises(ConnectError, match='pods "other" not found'):
            async with jdbpy.attach_session(f"k8s://shop/other/pid:{target.pid}"):
                pass


def test_addresses() -> None:
    for text, process in (
        ("ssh://ada@build:2200/pid:17", 17),
        ("docker://web/pid:1", 1),
        ("k8s://shop/orders-1/pid:1", 1),
        ("k8s://kind/shop/deploy/orders/pid:1", 1),
        ("pid://4", 4),
    ):
        found = parse_transport(text)
        assert found is not None
        assert (found.process, found.port) == (process, 0)


def test_the_program_is_taken_by_an_old_python() -> None:
    """Without annotations, and with nothing that came after 3.6."""
    source = program_source()
    compile(source, "program", "exec")
    assert "annotations" not in source
    assert ":=" not in source
    assert "removeprefix" not in source
    assert len(source) < 20_000
