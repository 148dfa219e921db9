"""Frame ids that are foreseen: compared each time, and not guessed again where the first guess is wrong."""

from __future__ import annotations

from jdbpy.session.target.frame_ids import FrameIdPredictor
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
    frame_id_predictor = FrameIdPredictor(suspension)
    stopped(suspension)
    assert frame_id_predictor.guess(THREAD) is None
    assert not frame_id_predictor.compare(THREAD, suspension.epoch_of(THREAD), None, FrameID(0x30000))
    assert frame_id_predictor.guess(THREAD) == 0x30000, "it has not run since"
    stopped(suspension, times=2)
    guess = frame_id_predictor.guess(THREAD)
    assert guess == 0x50000
    assert not frame_id_predictor.sure
    assert frame_id_predictor.compare(THREAD, suspension.epoch_of(THREAD), guess, FrameID(0x50000))
    assert frame_id_predictor.sure


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
        assert not frame_id_predictor.sure
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
    assert not frame_id_predictor.sure
