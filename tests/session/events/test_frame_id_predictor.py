"""Frame ids that are foreseen: compared each time, and not guessed again where the first guess is wrong."""

from __future__ import annotations

from jdbpy.session.events.frame_ids import FrameIdPredictor
from jdbpy.session.events.suspension import SuspendOp, Suspension
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
    frame_id_predictor = FrameIdPredictor(suspension)
    stopped(suspension)
    assert frame_id_predictor.guess(THREAD) is None
    assert not frame_id_predictor.compare(THREAD, suspension.epoch_of(THREAD), None, FrameID(0x30000))
    assert frame_id_predictor.guess(THREAD) == 0x30000, "it has not run since"
    stopped(suspension, times=2)
    guess = frame_id_predictor.guess(THREAD)
    assert guess == 0x50000
    stopped(suspension)
    assert not frame_id_predictor.is_sure(THREAD), "no guess has come true yet"
    guess = frame_id_predictor.guess(THREAD)
    assert guess == 0x60000
    assert frame_id_predictor.compare(THREAD, suspension.epoch_of(THREAD), guess, FrameID(0x60000))
    assert not frame_id_predictor.is_sure(THREAD), "it stands there still"
    stopped(suspension)
    assert frame_id_predictor.is_sure(THREAD)


def test_a_thread_that_was_resumed_more_than_once_is_not_sure_to_have_run() -> None:
    """Its hit may have been on its way when everything was suspended for a moment: the agent counts one resume then."""
    suspension = Suspension()
    frame_id_predictor = FrameIdPredictor(suspension)
    for frame_id in (0x30000, 0x40000):
        stopped(suspension)
        guess = frame_id_predictor.guess(THREAD)
        frame_id_predictor.compare(THREAD, suspension.epoch_of(THREAD), guess, FrameID(frame_id))
    suspension.apply(SuspendOp.THREAD_RESUME, THREAD, by_event=True)
    suspension.apply(SuspendOp.VM_SUSPEND, brief=True)
    suspension.apply(SuspendOp.VM_RESUME, brief=True)
    suspension.event(THREAD, everything=False)
    assert frame_id_predictor.proved
    assert not frame_id_predictor.is_sure(THREAD)


def test_after_right_guesses_a_few_may_be_wrong() -> None:
    suspension = Suspension()
    frame_id_predictor = FrameIdPredictor(suspension)
    stopped(suspension)
    frame_id_predictor.compare(THREAD, suspension.epoch_of(THREAD), None, FrameID(0x30000))
    frame_id_predictor.compare(THREAD, suspension.epoch_of(THREAD), FrameID(0x30000), FrameID(0x30000))
    for number in range(20):
        assert frame_id_predictor.proved
        wrong = FrameID(0x50000 + number)
        assert not frame_id_predictor.compare(THREAD, suspension.epoch_of(THREAD), FrameID(1), wrong)
        assert frame_id_predictor.guess(THREAD) == wrong
        assert not frame_id_predictor.is_sure(THREAD)
    frame_id_predictor.refused(THREAD)
    assert frame_id_predictor.guess(THREAD) is None
    assert not frame_id_predictor.proved


def test_a_first_wrong_guess_is_the_last() -> None:
    suspension = Suspension()
    frame_id_predictor = FrameIdPredictor(suspension)
    stopped(suspension)
    frame_id_predictor.compare(THREAD, suspension.epoch_of(THREAD), None, FrameID(1))
    stopped(suspension)
    assert not frame_id_predictor.compare(
        THREAD, suspension.epoch_of(THREAD), frame_id_predictor.guess(THREAD), FrameID(2)
    )
    stopped(suspension)
    assert frame_id_predictor.guess(THREAD) is None
    assert not frame_id_predictor.is_sure(THREAD)
