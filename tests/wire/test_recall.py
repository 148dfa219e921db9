"""What is remembered while nothing runs, and what ends that: commands that do more than read, their replies, events."""

from __future__ import annotations

from typing import Any

import pytest

from jdbpy.wire.command import Command
from jdbpy.wire.constants import Error
from jdbpy.wire.framing import REPLY, Packet
from jdbpy.wire.ids import ObjectID, ThreadID
from jdbpy.wire.messages import event_request, object_reference, thread_reference, virtual_machine
from jdbpy.wire.reply_cache import MOST, MOST_IN_A_ROW, Recall

NAME = thread_reference.Name(ThreadID(ObjectID(7)))
COUNT = thread_reference.FrameCount(ThreadID(ObjectID(7)))


class Asking:
    """Commands and their replies, as a connection would hand them on; nothing runs unless ``moment`` is None."""

    def __init__(self) -> None:
        self.moment: int | None = 1
        self.recall = Recall(lambda: self.moment)
        self.last = 0

    def send(self, command: Command[Any], body: bytes = b"7") -> int:
        self.last += 1
        self.recall.sent(self.last, command, body)
        return self.last

    def answer(self, packet_id: int, data: bytes = b"answer", error: int = 0) -> None:
        self.recall.received(Packet(packet_id, REPLY, 0, 0, error, data))

    def ask(self, command: Command[Any] = NAME, data: bytes = b"answer", error: int = 0) -> bytes | None:
        """Ask, and return what is known of it then."""
        self.answer(self.send(command), data, error)
        return self.known(command)

    def known(self, command: Command[Any] = NAME, body: bytes = b"7") -> bytes | None:
        packet = self.recall.find(command, body)
        return packet.data if packet is not None else None


def test_an_answer_is_known_while_nothing_runs() -> None:
    asking = Asking()
    assert asking.ask() == b"answer"
    assert asking.known(NAME, b"8") is None
    assert asking.known(COUNT) is None


def test_nothing_is_known_while_something_runs() -> None:
    asking = Asking()
    asking.moment = None
    assert asking.ask() is None


def test_an_answer_to_a_question_from_before_the_stop_is_not_known() -> None:
    asking = Asking()
    asking.moment = None
    early = asking.send(NAME)
    asking.moment = 1
    asking.answer(early)
    assert asking.known() is None


@pytest.mark.parametrize(
    "command",
    [
        virtual_machine.Resume(),
        thread_reference.Resume(ThreadID(ObjectID(7))),
        virtual_machine.Suspend(),
        virtual_machine.DisposeObjects([]),
        thread_reference.Interrupt(ThreadID(ObjectID(7))),
    ],
    ids=lambda command: command.NAME,
)
def test_a_command_that_does_more_than_read_ends_it(command: Command[Any]) -> None:
    asking = Asking()
    asking.ask()
    changing = asking.send(command)
    assert asking.known() is None
    assert asking.ask() is None  # it may take effect between this answer and the next
    asking.answer(changing)
    assert asking.known() is None
    assert asking.ask() == b"answer"


@pytest.mark.parametrize(
    "command",
    [
        object_reference.DisableCollection(ObjectID(7)),
        virtual_machine.HoldEvents(),
        event_request.ClearAllBreakpoints(),
    ],
    ids=lambda command: command.NAME,
)
def test_a_command_that_changes_no_answer_leaves_them(command: Command[Any]) -> None:
    asking = Asking()
    asking.ask()
    assert asking.ask(command) is None
    assert asking.known() == b"answer"


def test_an_answer_that_crosses_a_change_is_not_known() -> None:
    asking = Asking()
    question = asking.send(NAME)
    changing = asking.send(virtual_machine.Suspend())
    asking.answer(question)
    asking.answer(changing)
    assert asking.known() is None


def test_an_event_ends_it() -> None:
    asking = Asking()
    asking.ask()
    asking.recall.received(Packet(99, 0, 64, 100, 0, b""))
    assert asking.known() is None


def test_what_collection_may_change_is_not_kept() -> None:
    asking = Asking()
    assert asking.ask(object_reference.IsCollected(ObjectID(7))) is None


def test_errors_are_kept_but_those_that_pass() -> None:
    asking = Asking()
    assert asking.ask(NAME, b"", error=10) == b""
    assert asking.ask(COUNT, b"", error=110) is None


def test_what_is_kept_is_bounded() -> None:
    asking = Asking()
    assert asking.ask(NAME, bytes(MOST)) is not None
    assert asking.ask(COUNT) is None
    asking.recall.received(Packet(99, 0, 64, 100, 0, b""))
    assert asking.ask(COUNT) == b"answer"


def test_an_id_that_belongs_to_nothing_may_be_given_out() -> None:
    assert Asking().ask(error=Error.INVALID_OBJECT) is None
    assert Asking().ask(error=Error.INVALID_ARRAY) == b"answer"


async def test_others_have_their_turn_after_many_answers_in_a_row() -> None:
    asking = Asking()
    for _ in range(MOST_IN_A_ROW - 1):
        assert asking.ask() == b"answer"
    assert not asking.recall.is_turn_due()  # a reply came in each time
    for _ in range(MOST_IN_A_ROW - 1):
        asking.known()
        asking.known(COUNT)  # which is not known
    assert asking.recall.is_turn_due()
    await asking.recall.give_turn()
    assert not asking.recall.is_turn_due()
    asking.recall.received(Packet(99, 0, 64, 100, 0, b""))
    assert asking.known() is None
