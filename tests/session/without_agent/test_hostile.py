"""JVMs that cannot be asked, and what else may stand where one was meant: a sentence for each, nothing left behind,
nothing signaled that would end of it."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import pytest
import trio

import jdbpy
from jdbpy import ConnectError, JdwpError
from jdbpy.session.without_agent import attach_socket
from jdbpy.session.without_agent.attach_socket import AttachError, Process
from tests.harness import LIMIT, Jvm, Target, inline, start_target, within
from tests.harness.jvms import BRIEF
from tests.harness.processes import halt, piped, send_line


@asynccontextmanager
async def running_jvm(jvm: Jvm, *options: str) -> AsyncIterator[Target]:
    """A JVM without the agent; when the block ends it runs, and its listener was not asked for in vain."""
    async with start_target(jvm, "Hello", "Ada", with_agent=False, jvm_options=options) as target:
        await target.wait_output("waiting")
        yield target
        assert not left_of(target.pid)
        await target.send()
        assert await target.wait_exit() == 0


def left_of(pid: int) -> list[str]:
    """The files that ask a JVM for its socket: none is left behind."""
    return [each for each in (f"/proc/{pid}/cwd/.attach_pid{pid}", f"/tmp/.attach_pid{pid}") if os.path.exists(each)]


async def refused(pid: int, sentence: str) -> None:
    with pytest.raises(ConnectError, match=sentence):
        async with jdbpy.attach_session(f"pid://{pid}"):
            pass


async def test_what_is_no_jvm(any_jvm: Jvm) -> None:
    words = [sys.executable, "-c", "import sys; print('there', flush=True); sys.stdin.readline()"]
    async with piped(words) as process:
        assert process.stdout is not None
        assert (await process.stdout.receive_some()).startswith(b"th")
        await refused(process.pid, rf"the process {process.pid} \(python.*\) is not a JVM")
        await send_line(process, "")
        assert await process.wait() == 0  # it was sent no signal
    await refused(process.pid, f"the process {process.pid} does not exist")


async def test_a_jvm_that_would_end_of_the_signal(any_jvm: Jvm) -> None:
    """With ``-Xrs`` HotSpot opens its socket by itself at the start; where that has gone nobody may ask for it."""
    async with running_jvm(any_jvm, "-Xrs") as target:
        async with jdbpy.attach_session(f"pid://{target.pid}") as session:
            assert await session.threads.list()
        socket_of(target).unlink()
        await refused(target.pid, f"the JVM {target.pid} does not catch the signal that opens its attach socket")


async def test_a_jvm_that_answers_nobody(any_jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_jvm(any_jvm, "-XX:+DisableAttachMechanism") as target:
        await refused(target.pid, r"was started with -XX:\+DisableAttachMechanism")
        assert "Full thread dump" not in target.stdout
        # the option may stand where nobody sees it: in a file
        monkeypatch.setattr(attach_socket.Process, "words", lambda self: [])
        monkeypatch.setattr(attach_socket, "WAKE_LIMIT", 0.2)
        await refused(target.pid, "has opened no attach socket within 0.2 seconds")


async def test_a_jvm_that_is_stopped(any_jvm: Jvm) -> None:
    async with running_jvm(any_jvm) as target:
        await halt(target.pid)
        await refused(target.pid, rf"the JVM {target.pid} is stopped \(by SIGSTOP, or another debugger\)")
        os.kill(target.pid, signal.SIGCONT)
        async with jdbpy.attach_session(f"pid://{target.pid}") as session:
            assert await session.threads.list()
            await halt(target.pid)
            with pytest.raises(JdwpError, match="does not answer at its attach socket"):
                await session.threads.list()
            os.kill(target.pid, signal.SIGCONT)
            assert await session.threads.list()


def socket_of(target: Target) -> Path:
    return Path(f"/tmp/.java_pid{target.pid}")


@contextmanager
def in_place_of_the_socket(target: Target) -> Iterator[Path]:
    path = socket_of(target)
    assert not path.exists()
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


async def test_a_stale_socket(any_jvm: Jvm) -> None:
    """Left by a JVM of the same number, as where containers share a directory: it refuses, and is replaced."""
    async with running_jvm(any_jvm) as target:
        with socket.socket(socket.AF_UNIX) as old:
            old.bind(str(socket_of(target)))
        async with jdbpy.attach_session(f"pid://{target.pid}") as session:
            assert await session.threads.list()


async def test_a_file_or_a_link_in_place_of_the_socket(any_jvm: Jvm, tmp_path: Path) -> None:
    async with running_jvm(any_jvm) as target, running_jvm(any_jvm) as other:
        async with jdbpy.attach_session(f"pid://{other.pid}"):
            pass
        with in_place_of_the_socket(target) as path:
            path.write_text("")
            await refused(target.pid, f"is not a socket of the JVM {target.pid}: it is not asked")
        with in_place_of_the_socket(target) as path:
            path.symlink_to(socket_of(other))
            await refused(target.pid, f"is not a socket of the JVM {target.pid}: it is not asked")


async def test_another_process_listens(any_jvm: Jvm) -> None:
    async with running_jvm(any_jvm) as target, running_jvm(any_jvm) as other:
        async with jdbpy.attach_session(f"pid://{other.pid}"):
            pass
        with in_place_of_the_socket(target) as path:
            os.link(socket_of(other), path)
            sentence = f"the process {other.pid} listens at the attach socket of the JVM {target.pid}: it is not asked"
            await refused(target.pid, sentence)


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A directory with a short path: that of a socket has a hundred bytes."""
    with tempfile.TemporaryDirectory(prefix="jdbpy-") as path:
        yield Path(path)


@contextmanager
def listener(path: Path, answer: bytes) -> Iterator[None]:
    """A listener of our own, in place of a JVM, that says the same again and again."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()

        def serve() -> None:
            with suppress(OSError):
                while True:
                    stream, _ = listening.accept()
                    with stream, suppress(OSError):
                        while answer:
                            stream.sendall(answer)
                        stream.recv(100)
                        stream.recv(100)  # until the other side has gone

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join(LIMIT)
            assert not thread.is_alive()


@pytest.mark.parametrize(
    ("answer", "limit", "sentence"),
    [
        (b"x" * 4096, LIMIT, "has more than 10,000 bytes"),
        (b"", 0.1, "has not answered within 0.1 seconds"),
    ],
    ids=["endless", "silent"],
)
def test_a_hostile_answer(
    answer: bytes, limit: float, sentence: str, short_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What listens has the right owner and number, and is no JVM."""
    pid = os.getpid()
    place = short_path / str(pid)
    (place / "root" / "tmp").mkdir(parents=True)
    (place / "status").write_text(Path("/proc/self/status").read_text())
    (place / "cmdline").write_text("java")
    (place / "environ").write_text("")
    (place / "maps").write_text("/opt/jdk/lib/server/libjvm.so")
    monkeypatch.setattr(attach_socket, "MOST_BYTES", 10_000)
    with (
        listener(place / "root" / "tmp" / f".java_pid{pid}", answer),
        pytest.raises(AttachError, match=sentence),
    ):
        attach_socket.ask(pid, ["properties"], limit, str(short_path))


async def test_a_jvm_of_another_user(any_jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_jvm(any_jvm) as target:
        real = os.geteuid()
        with monkeypatch.context() as patch:
            patch.setattr(os, "geteuid", lambda: real + 1)
            await refused(target.pid, f"the process {target.pid} belongs to .*, and this is ")


async def test_as_root_the_program_becomes_the_user(any_jvm: Jvm) -> None:
    """HotSpot before 11 answers its own user only, and no file is touched as root."""
    nobody = 65534 if os.geteuid() == 0 else os.geteuid()  # another user can be tried by root only
    code = "public class Waits { public static void main(String[] a) throws Exception { System.in.read(); } }"
    directory = Path(inline(code).on(any_jvm).classes)
    command = [any_jvm.java, *BRIEF, "-cp", str(directory), "Waits"]
    other = {"user": nobody, "group": nobody, "extra_groups": []} if os.geteuid() == 0 else {}
    async with piped(command, cwd="/", **other) as process:
        with within(LIMIT):
            while not Process(process.pid).caught & 1 << signal.SIGQUIT - 1:
                await trio.lowlevel.checkpoint()
        async with jdbpy.attach_session(f"pid://{process.pid}") as session:
            assert "main" in {each.name for each in await session.threads.list()}
            assert await session.vm.flags("MaxHeapSize")
        assert not left_of(process.pid)


def children_of(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


async def test_in_a_container(any_jvm: Jvm) -> None:
    """Other processes and other files: its number and its /tmp are others there. Where namespaces may not be made there
    is nothing to be tried."""
    code = "public class Waits { public static void main(String[] a) throws Exception { System.in.read(); } }"
    inside = inline(code).on(any_jvm).classes
    java = shlex.join([any_jvm.java, *BRIEF, "-cp", "/mnt", "Waits"])
    mounted = f"mount --bind {inside} /mnt && mount -t tmpfs none /tmp && cd / && echo there && exec {java}"
    async with piped(["unshare", "-p", "-f", "-m", "--mount-proc", "sh", "-c", mounted]) as process:
        assert process.stdout is not None
        if not await process.stdout.receive_some():
            return
        with within(LIMIT):
            while not (children := children_of(process.pid)):
                await trio.lowlevel.checkpoint()
            pid = int(children[0])
            while not Process(pid).caught & 1 << signal.SIGQUIT - 1:
                await trio.lowlevel.checkpoint()
        assert Process(pid).inner == 1
        async with jdbpy.attach_session(f"pid://{pid}") as session:
            assert "main" in {each.name for each in await session.threads.list()}
            assert (await session.heap.usage.memory())[0].used
        os.kill(pid, signal.SIGKILL)
