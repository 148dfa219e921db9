"""The JVMs of this machine: which have an agent, where, and who is attached."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest
import trio

import jdbpy
from jdbpy import ConnectError, LeaveError, LocalJvm, local_jvms
from jdbpy.errors import Disconnected
from jdbpy.session.connect import tcp
from jdbpy.session.connect.greeting import Address
from jdbpy.session.connect.local_jvms import is_awaited
from jdbpy.session.local.tunnel import start_of
from tests.cli.process import jdbpy as run_jdbpy
from tests.harness import LIMIT, Jvm, start_target
from tests.harness.processes import halt
from tests.harness.targets import reserved_port


def listed(pid: int) -> LocalJvm:
    [found] = [each for each in local_jvms() if each.pid == pid]
    return found


async def test_a_jvm_with_an_agent(jvm: Jvm) -> None:
    async with start_target(jvm, "Hello", "Ada") as target:
        assert listed(target.pid) == LocalJvm(target.pid, "Hello", jvm.version, target.address)
        done = await run_jdbpy("attach", "localhost", "-c", "version")
        assert done.status == 2
        assert "'localhost' needs the port of the JVM's debugger agent" in done.err
        assert "for example localhost:5005; JVMs of this machine with an agent: " in done.err
        async with jdbpy.attach_session(f"pid://{target.pid}") as session:
            assert session.address == target.address
            assert not session.remote
            assert listed(target.pid).debugger
            with pytest.raises(ConnectError, match="a debugger is attached"):
                async with jdbpy.attach_session(f"pid://{target.pid}"):
                    pass
            start = start_of(target.pid)
            assert start is not None
            for noted in (False, True):  # by its options, which are not looked at where it has waited at its start
                if noted:
                    tcp.note_process(target.address, start)
                with pytest.raises(ConnectError) as caught:
                    async with jdbpy.attach_session(str(target.port)):
                        pass
                assert f"Hello (process {target.pid}) at {target.address} has a debugger already: " in str(caught.value)
                assert caught.value.message.endswith(f"(process {os.getpid()})")
                assert caught.value.code == "HAS_DEBUGGER"
                assert str(caught.value) == f"{caught.value.message}\n  hint: {caught.value.hint}"
        await target.send()
        assert await target.wait_exit() == 0


async def test_jvms_that_cannot_be_attached_to(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, "Hello", with_agent=False) as target:
        await target.wait_output("waiting")
        assert listed(target.pid) == LocalJvm(target.pid, "Hello", any_jvm.version)
        async with jdbpy.attach_session(f"pid://{target.pid}") as session:  # its attach socket answers
            assert session.agent_line
    with pytest.raises(ConnectError, match=r"is not a JVM|may not be looked at|belongs to"):
        async with jdbpy.attach_session("pid://1"):
            pass
    with pytest.raises(ConnectError, match="does not exist"):
        async with jdbpy.attach_session("pid://4194305"):
            pass


@pytest.mark.one_java
async def test_the_list_on_the_command_line(jvm: Jvm) -> None:
    async with start_target(jvm, "Hello", "Ada") as target:
        done = await run_jdbpy("list", "--json")
        [result] = done.results
        [row] = [each for each in result["data"]["jvms"] if each["pid"] == target.pid]
        assert row == {"pid": target.pid, "main": "Hello", "java": jvm.version, "address": target.address}
        done = await run_jdbpy("list")
        assert done.status == 0
        [line] = [line for line in done.out.splitlines() if line.split()[:1] == [str(target.pid)]]
        assert line.split() == [str(target.pid), "Hello", jvm.version, target.address]
        address = target.address
        done = await run_jdbpy("attach", "--pid", str(target.pid), "-c", "version")
        assert (done.status, done.err) == (0, "")
        assert f"target {address}" in done.out


async def test_a_closed_port_names_the_jvms_that_have_an_agent(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, "Hello") as target:
        done = await run_jdbpy("attach", "1", "-c", "version")
        assert done.status == 3
        assert "no debugger agent is listening at 127.0.0.1:1" in done.err
        assert "JVMs of this machine with an agent: " in done.err
        assert f"Hello at {target.address}" in done.err or " more; or start" in done.err


@pytest.mark.one_java
async def test_an_agent_that_is_about_to_listen_is_waited_for(jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    """A JVM that got no processor since its debugger has gone; one that is just starting looks the same."""
    looked = trio.Event()

    async def is_awaited(addresses: Sequence[Address]) -> bool:
        assert await look(addresses)
        looked.set()
        return True

    async def attach_and_leave(address: str) -> None:
        async with jdbpy.attach_session(address) as session:
            assert session.state

    look = tcp._is_awaited
    monkeypatch.setattr(tcp, "PATIENCE", 0)
    monkeypatch.setattr(tcp, "PATIENCE_AFTER_LEAVING", LIMIT)
    monkeypatch.setattr(tcp, "_is_awaited", is_awaited)
    with reserved_port() as port:
        agent = f"-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:{port}"
        async with start_target(jvm, "Hello", "Ada", with_agent=False, jvm_options=[agent]) as target:
            await target.wait_output("waiting")
            for address in str(port), f"pid://{target.pid}":
                with suppress(LeaveError, Disconnected):
                    async with jdbpy.attach_session(address) as session:
                        await halt(target.pid)
                        await session._target.conn.drop()
                assert not listed(target.pid).address
                monkeypatch.setattr(tcp, "_left", {})
                looked = trio.Event()
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(attach_and_leave, address)
                    await looked.wait()
                    os.kill(target.pid, signal.SIGCONT)


def test_what_the_words_and_the_environment_say(tmp_path: Path) -> None:
    """A JVM of which /proc tells as it does of a real one."""
    port = "   0: 0100007F:138D 00000000:0000 0A 0:0 0:0 0 1000 0 77 1"
    for pid, words, environ in (
        (1, ["java", "-jar", "/opt/shop/orders.jar", "-agentlib:jdwp=x"], ""),
        (2, ["java", "-cp", "a", "Main"], "JAVA_TOOL_OPTIONS=-ea -Xrunjdwp:server=y,address=*:5005"),
        (3, ["java", "-agentlib:jdwp=transport=dt_socket,server=n,address=far:8000", "-m", "shop/a.Main"], ""),
        (4, ["java", "-Xrunjdwp:server=y,transport=dt_socket,address=5006", "Main"], ""),
        (5, ["java", "-agentlib:jdwp=server=y,address=5007,onthrow=a.B,launch=jdbpy", "Main"], ""),
    ):
        place = tmp_path / str(pid)
        (place / "fd").mkdir(parents=True)
        (place / "net").mkdir()
        (place / "fd" / "5").symlink_to("socket:[77]")
        (place / "net" / "tcp").write_text(f"head\n{port}\n")
        (place / "cmdline").write_text("\0".join(words) + "\0")
        (place / "environ").write_text(environ)
        (place / "maps").write_text("7f00-7fff r-xp 0 0 0 /opt/jdk/lib/server/libjvm.so\n")
    (tmp_path / "2" / "fd" / "broken").symlink_to("nothing")
    (tmp_path / "self").mkdir()
    found = {each.pid: each for each in local_jvms(proc=str(tmp_path))}
    assert (found[1].main, found[1].address) == ("orders.jar", "")
    assert (found[2].main, found[2].address) == ("Main", "127.0.0.1:5005")
    assert (found[3].main, found[3].note) == ("a.Main", "its agent connects to far:8000 (server=n)")
    assert found[4].note == "its agent does not listen at port 5006 now"
    assert [is_awaited([port], proc=str(tmp_path)) for port in (5005, 5006, 5007, 8000)] == [True, True, False, False]
