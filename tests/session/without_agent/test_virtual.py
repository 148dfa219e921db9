"""Virtual threads of a JVM without the agent: all of them, mounted or not, where the program says they stand."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path

import pytest

import jdbpy
from jdbpy import Options, ReadOnlyError, Session, StateError, UsageError
from jdbpy.session.model.threads import StackTrace, ThreadFilter
from jdbpy.session.without_agent import attach_socket
from jdbpy.session.without_agent.attach_socket import AttachError, ThreadFile
from tests.cli.process import jdbpy as run_jdbpy
from tests.harness import Jvm, start_target
from tests.harness.remote import DOCKER, write_program, write_python_program
from tests.session.virtual import (
    CARRIERS,
    EACH,
    KINDS,
    NAMES,
    left_of,
    own_methods,
    require_what_the_program_says,
    settled,
)
from tests.session.without_agent.machines import before_path, only


@pytest.mark.every_java
async def test_all_stand_where_the_program_says(jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with start_target(jvm, "ManyVirtual", str(EACH), with_agent=False, jvm_options=CARRIERS) as target:
        await target.wait_output("settled")
        before = left_of(target.pid)
        async with jdbpy.attach_session(f"pid://{target.pid}", options=Options(read_only=True)) as session:
            if not 21 <= jvm.feature < 25:
                await require_refused(session, "has no virtual threads" if jvm.feature < 21 else "may crash")
                return
            marks = {kind: target.program.line(kind) for kind in KINDS}
            traces = await session.threads.virtual_stacks()
            require_what_the_program_says(traces, await session.threads.virtual_folded(), marks)
            await require_single_threads(session, traces)
            kept = tmp_path / "virtual.jdbsnap"
            await session.snapshot(str(kept))
            with pytest.raises(ReadOnlyError):
                await session.vm.diagnostic_command(f"Thread.dump_to_file {tmp_path / 'never'}")
            for refused in (session.locks.deadlocks, session.locks.of):
                with pytest.raises(StateError, match="locks of virtual threads needs the debugger agent"):
                    await refused(virtual=True)
        async with jdbpy.open_snapshot_session(str(kept)) as shown:
            assert settled(await shown.threads.virtual()) == NAMES
            stacks = await shown.threads.virtual_stacks(ThreadFilter(name="task-3"))
            assert [own_methods(each.frames) for each in stacks] == [[("inTask", marks["task"])]]
            [same] = await shown.threads.virtual_folded(ThreadFilter(name="latch-*"))
            assert len(same.threads) == EACH
        await require_front_ends(target.pid)
        for programs in ((), ("perl", "mktemp", "rmdir")):  # by a Python there, and by a shell
            with monkeypatch.context() as patch:
                pretend_docker(tmp_path / f"machine{len(programs)}", programs, patch)
                async with jdbpy.attach_session(f"docker://web/pid:{target.pid}") as session:
                    [task] = await session.threads.virtual_stacks(ThreadFilter(name="task-3"))
                    assert own_methods(task.frames) == [("inTask", marks["task"])]
        assert left_of(target.pid) == before


def pretend_docker(directory: Path, programs: Sequence[str], patch: pytest.MonkeyPatch) -> None:
    """A docker whose one container is this machine, with these programs only if there are any."""
    directory.mkdir()
    state = directory / "docker.json"
    state.write_text('{"name": "web", "inspect": {"State": {"Running": true}}}')
    write_python_program(directory / "bin" / "docker", DOCKER, state)
    if programs:
        only(directory / "inside", *programs)
        path = directory / "inside"
        write_program(directory / "bin" / "sh", f'#!/bin/sh\nPATH={path} exec {shutil.which("sh")} "$@"\n')
    before_path(patch, directory / "bin")


async def require_refused(session: Session, why: str) -> None:
    """Nothing asks for a dump; names and ids are looked for among the others, and a snapshot has these."""
    for ask in (session.threads.virtual, session.threads.virtual_stacks, session.threads.virtual_folded):
        with pytest.raises(StateError, match=why):
            await ask()
    with pytest.raises(UsageError, match="no thread is called 'latch-1'"):
        await session.threads.find("latch-1")
    with pytest.raises(UsageError, match="no thread 4000000"):
        await session.stack.of(4_000_000)


async def require_single_threads(session: Session, traces: Sequence[StackTrace]) -> None:
    """One thread by its name and by its id is as it is among all; no state is told before Java 25."""
    [wanted] = [each for each in traces if each.thread.name == "semaphore-7"]
    found = await session.threads.find("semaphore-7")
    assert found.id == wanted.thread.id == wanted.thread.java_id
    alone = await session.stack.of(found.id)
    assert own_methods(alone.frames) == own_methods(wanted.frames)
    assert (alone.thread.virtual, alone.thread.state) == (True, wanted.thread.state) == (True, "state not known")
    assert settled(await session.threads.virtual()) == NAMES
    assert not {each.name for each in await session.threads.list()} & set(NAMES)
    with pytest.raises(UsageError, match="no thread 4000000"):
        await session.stack.of(4_000_000)
    with pytest.raises(StateError, match="does not tell the states of virtual threads"):
        await session.threads.virtual(chosen=ThreadFilter(state="waiting"))


async def require_front_ends(pid: int) -> None:
    """The same words for scripts, at the prompt, and for agents."""
    async with jdbpy.attach(pid=pid) as vm:
        stacks = await vm.virtual_stacks(3)
        assert len(stacks) == len(NAMES) + 8
        assert all(len(each) <= 3 for each in stacks)
    lines = [
        "threads --virtual -n task-1",
        "where all --virtual --fold -n latch-*",
        "where all --virtual -n task-1",
        "where semaphore-1",
    ]
    words = [word for line in lines for word in ("-c", line)]
    done = await run_jdbpy("attach", "--pid", str(pid), "--json", "--read-only", *words)
    listed, folded, whole, one = [each["data"] for each in done.results]
    assert "task-1" in [each["name"] for each in listed["threads"]]
    assert all(each["virtual"] and "ThreadPerTaskExecutor@" in each["container"] for each in listed["threads"])
    [group] = folded["stacks"]
    assert len(group["threads"]) == EACH
    assert "container" not in group["threads"][0]
    assert all("inTask" in [each["method"] for each in stack["frames"]] for stack in whole["stacks"])
    assert "atSemaphore" in [each["method"] for each in one["frames"]]


def test_what_is_in_place_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a file that the JVM's user has made is read, no more than is bounded, and it is removed in any case."""
    (tmp_path / "proc/7/root/tmp").mkdir(parents=True)
    monkeypatch.setattr(attach_socket, "checked", lambda pid, proc: attach_socket.Process(pid, proc))
    (tmp_path / "proc/7/status").write_text(f"Name:\tjava\nUid:\t{os.geteuid()}\t{os.geteuid()}\n")
    secret = tmp_path / "secret"
    secret.write_text("secret")
    temporary = tmp_path / "proc/7/root/tmp"

    def read(make: object, said: str = "") -> bytes:
        with ThreadFile(7, str(tmp_path / "proc")) as file:
            [directory] = temporary.iterdir()
            assert stat.S_IMODE(directory.stat().st_mode) == 0o700
            assert file.words == ["jcmd", f"Thread.dump_to_file -format=json /tmp/{directory.name}/threads.json"]
            if callable(make):
                make(directory / "threads.json")
            return file.read(said)

    assert read(lambda path: path.write_bytes(b"{}")) == b"{}"
    for make, said, message in (
        (lambda path: path.symlink_to(secret), "", "no file of its threads"),
        (os.mkfifo, "", "is not one that the JVM has made"),
        (None, "Failed: no space\nat", "no file of its threads: Failed: no space$"),
    ):
        with pytest.raises(AttachError, match=message):
            read(make, said)
    monkeypatch.setattr(attach_socket, "MOST_BYTES", 10)
    with pytest.raises(AttachError, match="has more than 10 bytes"):
        read(lambda path: path.write_bytes(b"x" * 11))
    assert not list(temporary.iterdir())
    assert secret.read_text() == "secret"
    temporary.rmdir()
    with pytest.raises(AttachError, match="no directory can be made in the /tmp of the JVM 7: No such file"):
        read(None)
