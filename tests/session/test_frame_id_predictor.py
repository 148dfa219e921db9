"""Frame ids that are foreseen: compared each time, and never guessed again after a wrong one."""

from __future__ import annotations

from jdbpy.session.target.frame_ids import Foresight
from jdbpy.session.target.suspension import SuspendOp, Suspension
from jdbpy.wire.ids import FrameID

THREAD = 7


def stopped(suspension: Suspension, *, times: int = 1) -> None:
    """The thread stops at an event, has run as often as that, and stands."""
    for _ in range(times):
        if suspension.is_suspended(THREAD):
            suspension.apply(SuspendOp.THREAD_RESUME, THREAD, by_event=True)
        suspension.event(THREAD, everything=False)


def test_the_next_id_follows_from_the_last() -> None:
    suspension = Suspension()
    foresight = Foresight(suspension)
    stopped(suspension)
    assert foresight.guess(THREAD) is None
    assert not foresight.compare(THREAD, suspension.epoch_of(THREAD), None, FrameID(0x30000))
    assert foresight.guess(THREAD) == 0x30000, "it has not run since"
    stopped(suspension, times=2)
    guess = foresight.guess(THREAD)
    assert guess == 0x50000
    assert not foresight.sure
    assert foresight.compare(THREAD, suspension.epoch_of(THREAD), guess, FrameID(0x50000))
    assert foresight.sure


def test_one_wrong_guess_is_the_last() -> None:
    suspension = Suspension()
    foresight = Foresight(suspension)
    stopped(suspension)
    foresight.compare(THREAD, suspension.epoch_of(THREAD), None, FrameID(1))
    stopped(suspension)
    assert not foresight.compare(THREAD, suspension.epoch_of(THREAD), foresight.guess(THREAD), FrameID(2))
    stopped(suspension)
    assert foresight.guess(THREAD) is None
    assert not foresight.sure
