"""The id that a thread's top frame will have at its next hit, foreseen from the last one.

HotSpot's agent makes a frame id of a count of the thread's resumes and of the frame's number (docs/agent.md, "Frame ids
count resumes"), so the next id of the top frame follows from the last, and the frame can be read in the trip that asks
for it. Owns the guess and the proof: every guess is compared with what the agent then says. A first guess that is
wrong is the last one for that VM: its agent makes other ids. After right ones a few may be wrong. A thread whose hit is
on its way while everything is suspended and resumed has not run then, which ``Suspension`` cannot know. It asks the
target nothing.
"""

from __future__ import annotations

from jdbpy.session.events.suspension import Suspension
from jdbpy.wire.ids import FrameID

_ONE_RESUME = 1 << 16

_MOST_WRONG = 20
"""Wrong guesses after right ones; then there are no more."""


class FrameIdPredictor:
    """The top frames of one target's threads."""

    def __init__(self, suspension: Suspension) -> None:
        self._suspension = suspension
        self._last: dict[int, tuple[int, int]] = {}  # frame id and epoch of the thread then
        self._proved = False
        self._wrong = 0

    def is_sure(self, thread: int) -> bool:
        """True if guesses have come true, and never failed, and the thread was resumed once since its last one: good
        enough to let it go before it is known.
        """
        _, epoch = self._last.get(thread, (0, 0))
        return self._proved and not self._wrong and self._suspension.epoch_of(thread) == epoch + 1

    @property
    def proved(self) -> bool:
        """True if guesses have come true, and seldom failed: good enough to read by them, as the agent refuses an id
        that is wrong.
        """
        return self._proved and not self._failed

    @property
    def _failed(self) -> bool:
        return self._wrong > (_MOST_WRONG if self._proved else 0)

    def guess(self, thread: int) -> FrameID | None:
        """Return the id of the top frame of a thread that has just stopped; None when nothing is known of it."""
        if self._failed or thread not in self._last:
            return None
        frame_id, epoch = self._last[thread]
        return FrameID(frame_id + (self._suspension.epoch_of(thread) - epoch) * _ONE_RESUME)

    def guess_or_try(self, thread: int) -> FrameID | None:
        """Like ``guess``; for a thread of which nothing is known, the id that it has if no debugger was there before
        us.

        Then our count of its resumes is the agent's. That one proves nothing when it is wrong.
        """
        if self._failed or thread in self._last:
            return self.guess(thread)
        return FrameID(self._suspension.epoch_of(thread) * _ONE_RESUME)

    def refused(self, thread: int) -> None:
        """The agent does not know the id that was foreseen for a frame of the thread that is there."""
        self._last.pop(thread, None)
        self._wrong += 1

    def compare(self, thread: int, epoch: int, guess: FrameID | None, frame_id: FrameID) -> bool:
        """Take in the id of the thread's top frame in that epoch, as the agent reports it; whether the guess
        was it.
        """
        first = thread not in self._last
        self._last[thread] = (frame_id, epoch)
        if guess is None or (first and guess != frame_id):
            return False
        self._proved = self._proved or guess == frame_id
        self._wrong += guess != frame_id
        return guess == frame_id
