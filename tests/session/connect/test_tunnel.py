"""A JVM behind a tunnel of this machine counts as remote; what breakpoints suspend by default."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

import jdbpy
from jdbpy import Options, SuspendPolicy
from jdbpy.session.local.tunnel import ELSEWHERE, HIDDEN, PeerProcess
from tests.cli.process import driving, jdbpy as run_jdbpy
from tests.dap.client import dap_client
from tests.harness import LIMIT, Jvm, debug, inline, start_target, within
from tests.harness.programs import ROOT
from tests.harness.reading import received

pytestmark = pytest.mark.one_java

FORWARD = """
import socket, sys, threading
listener = socket.create_server((sys.argv[2], 0))
print(listener.getsockname()[1], flush=True)
here, _ = listener.accept()
there = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
def copy(source, sink):
    while data := source.recv(65536):
        sink.sendall(data)
    sink.shutdown(socket.SHUT_WR)
threading.Thread(target=copy, args=(there, here)).start()
copy(here, there)
"""

HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode"


JAVA_FORWARD = inline("""\
public class Forward {
    public static void main(String[] args) throws Exception {
        java.net.InetAddress here = java.net.InetAddress.getLoopbackAddress();
        java.net.ServerSocket listener = new java.net.ServerSocket(0, 1, here);
        System.out.println(listener.getLocalPort());
        java.net.Socket near = listener.accept();
        java.net.Socket far = new java.net.Socket(here, Integer.parseInt(args[0]));
        Thread back = new Thread(() -> copy(far, near));
        back.setDaemon(true);
        back.start();
        copy(near, far);
    }
    static void copy(java.net.Socket from, java.net.Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (java.io.IOException ended) {
            System.err.println(ended);
        }
    }
}
""")


@asynccontextmanager
async def forwarded(port: int, *command: str, where: Path | None = None, at: str = "127.0.0.1") -> AsyncIterator[int]:
    """A port of another process that leads to this one."""
    words = [*(command or (sys.executable, "-c", FORWARD)), str(port), at]
    process = await trio.lowlevel.open_process(words, stdout=-1, cwd=where)
    assert process.stdout is not None
    try:
        with within(LIMIT):
            yield int(await received(process.stdout, b"\n"))
    finally:
        process.kill()
        await process.wait()
        await process.stdout.aclose()


async def test_a_jvm_behind_a_tunnel(jvm: Jvm) -> None:
    async with start_target(jvm, "Ticker", suspend=False) as target, forwarded(target.port) as port:
        async with jdbpy.attach_session(str(port)) as session:
            assert session.tunnel.startswith("python")
            assert session.remote
            assert (await session.breakpoints.add("Ticker.tick")).policy is SuspendPolicy.THREAD
            session.hold = "all"
            assert (await session.breakpoints.add("Ticker.spin")).policy is SuspendPolicy.ALL


async def test_a_tunnel_that_is_a_jvm_itself(any_jvm: Jvm, tmp_path: Path) -> None:
    """It works in another directory than the one that the target tells, or has another class path.

    What is said at attach is seen on the way.
    """
    java = (any_jvm.java, "-cp", str(ROOT / JAVA_FORWARD.classes), "Forward")
    async with start_target(any_jvm, "Ticker", suspend=False) as target:
        async with forwarded(target.port, *java, where=tmp_path) as port:
            async with driving("attach", str(port)) as driver:
                notice = await driver.event("notice")
                assert notice["kind"] == "remote"
                assert notice["message"].endswith("so it counts as remote; 'break' suspends only the thread that hits")
                assert notice["data"]["tunnel"].startswith("java (process ")
                assert (await driver.ask("version"))["remote"]
                await driver.ask("quit")
                assert await driver.wait() == 0
        await target.wait_listening_again()
        async with forwarded(target.port, *java) as port:  # in the same directory, with another class path
            async with jdbpy.attach_session(str(port)) as session:
                assert session.tunnel.startswith("java (process ")


async def test_a_batch_says_that_its_target_is_remote(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, "Ticker", suspend=False) as target:
        async with forwarded(target.port) as port:
            done = await run_jdbpy("attach", str(port), "--hold", "all", "-c", "jvms")
        assert (done.status, done.err.count("\n")) == (0, 1), done.err
        assert done.err.startswith(f"jdbpy: 127.0.0.1:{port} is reached through python")
        assert done.err.endswith("; 'break' suspends all threads\n")
        await target.wait_listening_again()
        async with forwarded(target.port) as port, dap_client() as dap:
            await dap.attach(target, port=port)
            said = (await dap.event("output", category="console"))["output"]
            assert said.startswith(f"127.0.0.1:{port} is reached through python")


async def test_a_jvm_of_this_machine(jvm: Jvm) -> None:
    async with start_target(jvm, "Ticker", suspend=False) as target:
        async with jdbpy.attach_session(target.address) as session:
            assert (session.tunnel, session.remote) == ("", False)
            assert session.default_policy is SuspendPolicy.ALL


async def test_a_jvm_of_this_machine_by_another_address_of_it(any_jvm: Jvm) -> None:
    """Where there is one, a JVM that listens there is none of another machine, and a tunnel is one still."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(("192.0.2.1", 9))  # nothing is sent
        except OSError:
            pytest.skip("this machine has no address beside its loopback")
        own = asked.getsockname()[0]
    async with start_target(any_jvm, "Ticker", suspend=False, agent=",address=*:0") as target:
        async with jdbpy.attach_session(f"{own}:{target.port}") as session:
            assert (session.tunnel, session.remote) == ("", False)
        await target.wait_listening_again()
        async with forwarded(target.port, at=own) as port, jdbpy.attach_session(f"{own}:{port}") as session:
            assert session.tunnel.startswith("python")


async def test_processes_are_looked_through_once(jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the options of the agent were found at the other end there is a JVM, and no tunnel is looked for."""
    looked: list[PeerProcess] = []

    def look(peer: PeerProcess, **_: object) -> str:
        looked.append(peer)
        return ""

    monkeypatch.setattr(PeerProcess, "tunnel", look)
    async with debug(jvm, "Hello", suspend=False) as d:
        assert d.session.tunnel == ""
        assert d.session.default_policy is SuspendPolicy.ALL
        await d.target.send()
        await d.wait_exit()
    assert looked == []


async def test_the_user_decides_for_good(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, "Ticker", suspend=False) as target:
        async with jdbpy.attach_session(target.address, options=Options(hold="thread")) as session:
            assert (await session.breakpoints.add("Ticker.tick")).policy is SuspendPolicy.THREAD


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    """Ours at 40000, socket 1; the peer at 5005, socket 2."""
    (tmp_path / "net").mkdir()
    user = os.getuid()
    ours = f"   0: 0100007F:9C40 0100007F:138D 01 00000000:00000000 00:00000000 00000000  {user}        0 1 1"
    theirs = (
        f"   1: 0000000000000000FFFF00000100007F:138D 0000000000000000FFFF00000100007F:9C40 01 0:0 0:0 0 {user} 0 2 1"
    )
    (tmp_path / "net" / "tcp").write_text(f"{HEAD}\n{ours}\n")
    (tmp_path / "net" / "tcp6").write_text(f"{HEAD}\n{theirs}\n")
    return tmp_path


def process(proc: Path, number: int, name: str, socket: int, library: str = "", command: str = "") -> None:
    directory = proc / str(number)
    (directory / "fd").mkdir(parents=True)
    (directory / "fd" / "3").symlink_to(f"socket:[{socket}]")
    (directory / "comm").write_text(f"{name}\n")
    (directory / "cmdline").write_text(command or name)
    (directory / "cwd").symlink_to("/srv")
    (directory / "maps").write_text(f"7f00-7fff r-xp 0 0 0 {library}\n")


def test_what_the_peer_is(proc: Path) -> None:
    assert PeerProcess(40000, 5005, proc=str(proc)).tunnel() == HIDDEN, "a process that is not to be seen, and no JVM"
    process(proc, 11, "other", 1)
    process(proc, 13, "java", 3, command="/opt/jdk/bin/java\0-jar\0app.jar")
    assert PeerProcess(40000, 5005, proc=str(proc)).tunnel() == "", (
        "a process that is not to be seen: it may be that JVM"
    )
    assert PeerProcess(40000, 5005, proc=str(proc)).tunnel(class_path=["app.jar", "agent.jar"]) == ""
    assert PeerProcess(40000, 5005, proc=str(proc)).tunnel(class_path=["other.jar"]) == HIDDEN
    process(proc, 12, "ssh", 2)
    assert PeerProcess(40000, 5005, proc=str(proc)).tunnel() == "ssh (process 12)"
    assert PeerProcess(40001, 5005, proc=str(proc)).tunnel() == "", (
        "a table that does not show our own end says nothing"
    )


def test_a_jvm_by_any_name(proc: Path) -> None:
    process(proc, 12, "launcher", 2, "/opt/app/lib/server/libjvm.so")
    assert PeerProcess(40000, 5005, proc=str(proc)).tunnel() == ""
    assert PeerProcess(40000, 5005, proc=str(proc)).tunnel(directory="/srv/") == ""
    assert PeerProcess(40000, 5005, proc=str(proc)).tunnel(directory="/app") == "launcher (process 12)"
    (proc / "12" / "cmdline").write_text("launcher\0-Duser.dir=/app")
    assert PeerProcess(40000, 5005, proc=str(proc)).tunnel(directory="/app") == ""


@pytest.mark.parametrize(
    ("words", "local"),
    [
        ("-cp a.jar:b.jar Main x", True),
        ("-cp a.jar:c.jar Main", False),
        ("-cp c.jar -p mods --class-path=a.jar:b.jar -m acme/Main", True),
        ("-cp a.jar:b.jar -jar other.jar -cp c.jar", False),
        ("Main -cp c.jar", True),
        ("@options -cp c.jar Main", True),
        ("-cp lib/* Main", True),
        ("-Djava.class.path=c.jar Main", True),
    ],
)
def test_a_jvm_is_known_by_its_class_path(proc: Path, words: str, local: bool) -> None:
    """What the command line leaves open is no evidence; an agent may have added to the path that is told."""
    process(proc, 12, "java", 2, "/opt/jdk/lib/server/libjvm.so", "\0".join(["java", *words.split()]))
    told = ["a.jar", "b.jar", "agent.jar"]
    assert PeerProcess(40000, 5005, proc=str(proc)).tunnel(class_path=told) == ("" if local else "java (process 12)")


def test_a_peer_that_has_not_accepted_yet_is_looked_for_again(proc: Path) -> None:
    """The kernel has accepted for it: the connection is listed, without a socket of a process."""
    table = proc / "net" / "tcp6"
    accepted = table.read_text()
    table.write_text(accepted.replace(" 2 1\n", " 0 1\n"))
    process(proc, 12, "ssh", 2)
    peer = PeerProcess(40000, 5005, proc=str(proc))
    peer.find()
    table.write_text(accepted)
    assert peer.tunnel() == "ssh (process 12)"


def test_what_was_found_is_not_looked_for_again(proc: Path) -> None:
    process(proc, 12, "ssh", 2)
    peer = PeerProcess(40000, 5005, proc=str(proc))
    peer.find()
    (proc / "net" / "tcp6").unlink()
    assert peer.tunnel() == "ssh (process 12)"


def test_this_process_is_no_tunnel(proc: Path) -> None:
    process(proc, os.getpid(), "python", 2)
    assert PeerProcess(40000, 5005, proc=str(proc)).tunnel() == ""


def test_a_peer_outside_the_network_of_this_machine(proc: Path) -> None:
    (proc / "net" / "tcp6").unlink()
    assert PeerProcess(40000, 5005, proc=str(proc)).tunnel() == ELSEWHERE


def test_a_machine_without_proc(tmp_path: Path) -> None:
    assert PeerProcess(40000, 5005, proc=str(tmp_path / "none")).tunnel() == ""
