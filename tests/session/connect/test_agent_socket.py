"""An agent that has chosen its port, beside ports of the program: which one is whose, and that the program hears
nothing."""

from __future__ import annotations

import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

import jdbpy
from jdbpy import ConnectError, LocalJvm, local_jvms
from jdbpy.session.connect import local_jvms as of_this_machine
from jdbpy.session.local import agent_socket
from tests.harness import LIMIT, Jvm, start_target, within
from tests.harness.targets import Target

pytestmark = pytest.mark.one_java

IPV4 = "-Djava.net.preferIPv4Stack=true"
"""With this the program's sockets look like those of the agent in the tables of the kernel."""


@asynccontextmanager
async def serving(jvm: Jvm, *options: str) -> AsyncIterator[tuple[Target, int]]:
    """The program with its own port; when the block ends it has been told nothing but what the test has told it."""
    async with start_target(jvm, "Serving", suspend=False, jvm_options=options) as target:
        await target.wait_output("serving at")
        found = re.search(r"serving at (\d+)", target.stdout)
        assert found is not None
        yield target, int(found[1])
        with socket.create_connection(("127.0.0.1", int(found[1]))) as stream:
            stream.sendall(b"the end")
        await target.wait_output("told: the end")
        assert target.stdout.count("told: ") == 1


def listed(target: Target) -> LocalJvm:
    [found] = [each for each in local_jvms() if each.pid == target.pid]
    return found


@pytest.mark.parametrize("options", [(), (IPV4,)], ids=["both", "ipv4"])
async def test_the_programs_own_port_is_not_the_agents(jvm: Jvm, options: tuple[str, ...]) -> None:
    async with serving(jvm, *options) as (target, own):
        assert target.port != own
        for times in (1, 2):
            await target.wait_listening(times)
            assert listed(target).address == target.address
            async with jdbpy.attach_session(f"pid://{target.pid}") as session:
                assert session.address == target.address
                found = listed(target)
                assert (found.address, found.debugger, found.note) == ("", True, "a debugger is attached")
                with pytest.raises(ConnectError, match="a debugger is attached"):
                    async with jdbpy.attach_session(f"pid://{target.pid}"):
                        pass


@pytest.fixture
def untraceable(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system on which nobody may see in which call a thread of another process waits."""
    monkeypatch.setattr(agent_socket, "waits_on", lambda place, thread: None)


@pytest.mark.usefixtures("untraceable")
async def test_the_socket_by_its_family(jvm: Jvm) -> None:
    async with serving(jvm) as (target, _):
        assert listed(target).address == target.address


@pytest.mark.usefixtures("untraceable")
async def test_where_it_is_not_certain_the_jvm_is_asked(jvm: Jvm) -> None:
    """By the command that names the process; the list asks nobody."""
    async with serving(jvm, IPV4) as (target, own):
        found = listed(target)
        ports = ", ".join(map(str, sorted([own, target.port])))
        assert (found.address, found.note) == ("", f"its agent listens at one of {ports}")
        for times in (1, 2):
            await target.wait_listening(times)
            async with jdbpy.attach_session(f"pid://{target.pid}") as session:
                assert session.address == target.address


@pytest.mark.usefixtures("untraceable")
async def test_where_nobody_tells_nothing_is_touched(jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_this_machine, "ANSWER_LIMIT", 0.1)
    async with serving(jvm, IPV4, "-XX:+DisableAttachMechanism") as (target, _):
        with pytest.raises(ConnectError, match=r"one of .* and the JVM cannot be asked which: the JVM .*Disable"):
            async with jdbpy.attach_session(f"pid://{target.pid}"):
                pass


async def test_a_new_port_after_each_debugger_is_followed(jvm: Jvm) -> None:
    """What was attached to by a port: the process is known, and its agent is looked for there."""
    async with serving(jvm) as (target, _):
        first = target.address
        back = trio.Event()
        async with jdbpy.attach(first, reconnect=LIMIT, on_reconnect=lambda vm, why: why or back.set()) as vm:
            await vm.session._target.conn.drop()
            with within(LIMIT):
                await back.wait()
            await target.wait_listening(2)
            assert vm.session.address == target.address != first


def test_launchers_that_are_not_java(tmp_path: Path) -> None:
    """Their words are not options of ``java``: javac's ``--release 17`` is no class."""
    commands = (
        (["/opt/jdk/bin/javac", "--release", "17", "-encoding", "UTF-8", "A.java"], "javac"),
        (["/usr/bin/python3", "-c", "import jpype"], "python3"),
        (["/opt/jdk/bin/java", "-Dfile.encoding=UTF-8", "shop.Main"], "shop.Main"),
    )
    for pid, (words, _) in enumerate(commands, 1):
        place = tmp_path / str(pid)
        place.mkdir()
        (place / "cmdline").write_text("\0".join(words) + "\0")
        (place / "maps").write_text("7f00-7fff r-xp 0 0 0 /opt/jdk/lib/server/libjvm.so\n")
    assert [each.main for each in local_jvms(proc=str(tmp_path))] == [name for _, name in commands]
