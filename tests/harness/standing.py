"""A rule over all that is sent to old JVMs: a suspended thread that may be ending is not asked for frames or monitors.

The agent takes a thread for suspended when it was told to suspend it, also one that is past that: HotSpot before
release 21 crashes where such a thread frees its state just when it is asked (docs/agent.md, "Frames of a thread that is
ending"). So something has to tell that the thread stands still: an event that has stopped it, its status, or that it
was listed while all threads were suspended; and it must not have been resumed since.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from jdbpy.wire.command import Command, find_command
from jdbpy.wire.connection import Connection
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy
from jdbpy.wire.framing import Packet
from jdbpy.wire.messages import class_type, interface_type, object_reference, thread_reference, virtual_machine

_OF_THE_STACK = {
    thread_reference.Frames,
    thread_reference.FrameCount,
    thread_reference.OwnedMonitors,
    thread_reference.OwnedMonitorsStackDepthInfo,
    thread_reference.CurrentContendedMonitor,
}
_CALLS = {
    class_type.InvokeMethod,
    class_type.NewInstance,
    interface_type.InvokeMethod,
    object_reference.InvokeMethod,
}
_ALONE = 1
"""INVOKE_SINGLE_THREADED, the last word of a call."""


class _Question:
    """Asked, and not answered yet: the status of a thread, or which threads there are (0)."""

    def __init__(self, thread: int) -> None:
        self.thread = thread
        self.resumed: set[int] = set()
        self.held: set[int] | None = None
        """Those that were held on their own while all others ran; None if that has not happened since."""

    def ran(self, thread: int) -> bool:
        return thread in self.resumed or (self.held is not None and thread not in self.held)


class StandingRule:
    """Told of the packets of one connection. ``broken`` says what was asked of whom."""

    def __init__(self) -> None:
        self.broken: list[str] = []
        self.asked = 0
        """The number of questions about suspended threads: a session without any proves nothing."""
        self._base = 0
        self._counts: dict[int, int] = {}
        self._stands: set[int] = set()
        self._open: dict[int, _Question] = {}

    def sent(self, packet_id: int, command: type[Command[Any]], body: bytes) -> None:
        thread = int.from_bytes(body[:8], "big")
        if command is virtual_machine.Suspend:
            self._change_all(+1)
        elif command is virtual_machine.Resume:
            self._change_all(-1)
        elif command is thread_reference.Suspend:
            self._change(thread, +1)
        elif command is thread_reference.Resume:
            self._change(thread, -1)
        elif command in _CALLS and not int.from_bytes(body[-4:], "big") & _ALONE:
            held_twice = [each for each in {*self._counts, *self._stands} if self._count(each) > 1]
            self._let_all_run(int.from_bytes(body[8:16], "big"), *held_twice)
        elif command is thread_reference.Status and self._count(thread):
            self._open[packet_id] = _Question(thread)
        elif command is virtual_machine.AllThreads and self._base:
            self._open[packet_id] = _Question(0)
        elif command in _OF_THE_STACK and self._count(thread):
            self.asked += 1
            if thread not in self._stands:
                self.broken.append(f"#{packet_id} {command.NAME} thread={thread}")

    def received(self, packet: Packet) -> None:
        if not packet.is_reply:
            self._event(packet.data)
            return
        question = self._open.pop(packet.id, None)
        if question is None or packet.error:
            return
        if question.thread:
            threads = [question.thread] if struct.unpack(">ii", packet.data)[1] else []
        else:
            threads = [*struct.unpack_from(f">{int.from_bytes(packet.data[:4], 'big')}Q", packet.data, 4)]
        self._stands.update(each for each in threads if self._count(each) and not question.ran(each))

    def _event(self, data: bytes) -> None:
        policy, _, kind, _ = struct.unpack_from(">BIBI", data)
        has_thread = kind not in (EventKind.VM_DEATH, EventKind.CLASS_UNLOAD)
        thread = int.from_bytes(data[10:18], "big") if has_thread else 0
        if policy == JdwpSuspendPolicy.ALL:
            self._change_all(+1)
        elif policy == JdwpSuspendPolicy.EVENT_THREAD:
            self._change(thread, +1)
        if policy != JdwpSuspendPolicy.NONE and thread:
            self._stands.add(thread)

    def _count(self, thread: int) -> int:
        return self._counts.get(thread, self._base)

    def _change(self, thread: int, by: int) -> None:
        self._counts[thread] = max(0, self._count(thread) + by)
        if not self._counts[thread]:
            self._stands.discard(thread)
            for question in self._open.values():
                question.resumed.add(thread)

    def _change_all(self, by: int) -> None:
        self._base = max(0, self._base + by)
        for thread in self._counts:
            self._change(thread, by)
        if not self._base:
            self._let_all_run(*(each for each, count in self._counts.items() if count))

    def _let_all_run(self, *but: int) -> None:
        self._stands.intersection_update(but)
        for question in self._open.values():
            question.held = {*but} if question.held is None else question.held.intersection(but)


@contextmanager
def standing_rule(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have the rule told of every connection that is made within the block; they must keep it, and ask something."""
    with monkeypatch.context() as patched:
        made = listen(patched)
        yield
    assert any(rule.asked for rule in made)
    assert not [each for rule in made for each in rule.broken]


def listen(monkeypatch: pytest.MonkeyPatch) -> list[StandingRule]:
    """Have a rule told of all packets of each connection that is made from now on."""
    made: list[StandingRule] = []
    init, dispatch = Connection.__init__, Connection._dispatch
    rules: dict[int, StandingRule] = {}

    def begin(self: Connection, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        made.append(rule := StandingRule())
        rules[id(self)] = rule
        send = self._packets.send

        def sent(data: bytes) -> None:
            command = find_command(data[9], data[10])
            assert command is not None
            rule.sent(int.from_bytes(data[4:8], "big"), command, data[11:])
            send(data)

        monkeypatch.setattr(self._packets, "send", sent)

    def dispatched(self: Connection, packet: Packet) -> None:
        rules[id(self)].received(packet)
        dispatch(self, packet)

    monkeypatch.setattr(Connection, "__init__", begin)
    monkeypatch.setattr(Connection, "_dispatch", dispatched)
    return made
