"""The one table of words for stops."""

from __future__ import annotations

from jdbpy.session.model.kinds import StopReason
from jdbpy.session.model.words import STOP_WORDS


def test_each_reason_has_its_words() -> None:
    assert list(STOP_WORDS) == [each.value for each in StopReason]
    assert all(each.words.headline for each in StopReason)
