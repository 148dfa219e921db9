"""The wire log: every packet in one line, for its owner's eyes only, harmless to what it watches."""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from jdbpy.errors import UsageError
from jdbpy.wire.constants import JdwpSuspendPolicy
from jdbpy.wire.ids import ObjectID, ThreadID
from jdbpy.wire.messages import event, string_reference, thread_reference, virtual_machine
from jdbpy.wire.wirelog import LINE_LIMIT, WireLog, open_wire_log
from tests.harness import LIMIT, within
from tests.wire.peer import Peer, connected


class Lines:
    """A log in memory."""

    def __init__(self) -> None:
        self._file = io.BytesIO()
        self.log = WireLog(self._file)

    @property
    def text(self) -> str:
        return self._file.getvalue().decode()

    def __iter__(self) -> Iterator[str]:
        """The lines without their times."""
        for line in self.text.splitlines():
            assert re.match(r" *\d+\.\d{6} (->|<-|--) ", line)
            yield re.sub(r"\[\d+\.\d{3} ms, ", "[T ms, ", line[13:])


async def converse(connection: Any, peer: Peer) -> None:
    connection.submit(virtual_machine.IDSizes())
    connection.submit(thread_reference.Frames(ThreadID(1), 0, -1))
    await peer.answer(virtual_machine.IDSizes(), virtual_machine.IDSizesReply(8, 8, 8, 8, 8))
    await peer.answer(thread_reference.Frames(ThreadID(1), 0, -1), error=13)
    await peer.event(event.Composite(JdwpSuspendPolicy.ALL, [event.VMStart(0, ThreadID(1))]))
    await peer.reply(77, b"\1\2")
    await wait_all_tasks_blocked()


async def test_lines() -> None:
    lines = Lines()
    async with connected(log=lines.log, peer="127.0.0.1:5005") as (connection, peer):
        await converse(connection, peer)
    assert list(lines) == [
        "-- shook hands with 127.0.0.1:5005",
        "-> #1 VirtualMachine.IDSizes",
        "-> #2 ThreadReference.Frames thread=1, startFrame=0, length=-1",
        "<- #1 VirtualMachine.IDSizes [T ms, 20 bytes] fieldIDSize=8, methodIDSize=8, objectIDSize=8, "
        "referenceTypeIDSize=8, frameIDSize=8",
        "<- #2 ThreadReference.Frames [T ms, 0 bytes] THREAD_NOT_SUSPENDED (13)",
        "<- event set 0 [18 bytes] suspendPolicy=ALL, events=[VMStart(requestID=0, thread=1)]",
        "<- #77 answers no command of ours [2 bytes] 01 02 (2 bytes)",
        "-- closed: the debugger closed it",
    ]


async def test_garbage_is_shown_too() -> None:
    lines = Lines()
    async with connected(log=lines.log) as (connection, peer):
        connection.submit(virtual_machine.AllThreads())
        await peer.answer(virtual_machine.AllThreads(), b"\0\0\0\x09")
        await peer.stream.send_all(b"\0\0\0\0")
        await connection.wait_closed()
    shown = list(lines)
    assert "unreadable" in shown[-2]
    assert "00 00 00 09" in shown[-2]
    assert shown[-1].startswith("-- closed: the target sent something that is not JDWP: a packet of 0 bytes")


async def test_text_of_the_target_cannot_break_lines_or_terminals() -> None:
    lines = Lines()
    async with connected(log=lines.log) as (connection, peer):
        command = string_reference.Value(ObjectID(5))
        connection.submit(command)
        await peer.answer(command, string_reference.ValueReply("a\nb\x1b[31m\x07\u202e\ud800" + "x" * 10_000))
        await wait_all_tasks_blocked()
    text = lines.text
    assert all(character.isprintable() for character in text.replace("\n", ""))
    assert max(map(len, text.splitlines())) <= LINE_LIMIT


async def test_long_lists_are_cut() -> None:
    lines = Lines()
    async with connected(log=lines.log) as (connection, peer):
        connection.submit(virtual_machine.AllThreads())
        threads = [ThreadID(1 << 60)] * 5000
        await peer.answer(virtual_machine.AllThreads(), virtual_machine.AllThreadsReply(threads))
        await wait_all_tasks_blocked()
    assert max(map(len, lines)) <= LINE_LIMIT
    assert "5000 in all" in lines.text


def test_the_file_is_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "wire.log"
    path.write_text("an older log\n")
    path.chmod(0o644)
    umask = os.umask(0)
    try:
        with open_wire_log(str(path)) as log:
            log.note("hello")
            assert path.read_text().endswith("-- hello\n"), "flushed at once"
    finally:
        os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "an older log" not in path.read_text()


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with (
        pytest.raises(UsageError, match=r"cannot write the wire log .*nowhere/wire\.log: No such file or directory"),
        open_wire_log(str(tmp_path / "nowhere" / "wire.log")),
    ):
        raise AssertionError("no such directory")


async def test_a_full_disk_harms_only_the_log() -> None:
    with io.FileIO("/dev/full", "w") as full:
        log = WireLog(full)
        async with connected(log=log) as (connection, peer), trio.open_nursery() as nursery:
            nursery.start_soon(peer.answer, virtual_machine.AllThreads(), virtual_machine.AllThreadsReply([]))
            assert (await connection.request(virtual_machine.AllThreads())).threads == []
        assert log.failed == "No space left on device"


async def test_a_fault_of_a_sink_harms_only_the_log() -> None:
    """Neither the command that was being sent nor the one whose reply came in."""

    class Faulty:
        def __init__(self, good: int) -> None:
            self.left = good

        def write(self, line: bytes, /) -> None:
            self.left -= 1
            if self.left < 0:
                raise ValueError("write to closed file")

    for good in (0, 1):
        log = WireLog(Faulty(good))
        told: list[str] = []
        log.on_failed = told.append
        async with connected() as (connection, peer), trio.open_nursery() as nursery:
            connection.log = log
            nursery.start_soon(peer.answer, virtual_machine.AllThreads(), virtual_machine.AllThreadsReply([]))
            with within(LIMIT):
                assert (await connection.request(virtual_machine.AllThreads())).threads == []
        assert told == [log.failed] == ["ValueError: write to closed file"]
