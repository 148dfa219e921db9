"""Methods whose results were collected before they could be kept are run again, but for those that must not be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from jdbpy.errors import EvalError, JdbpyError
from jdbpy.session.eval.jvm.pins import COLLECTED
from jdbpy.session.eval.target import Raw
from jdbpy.session.eval.utility_calls import UtilityCall, UtilityCalls


class _Collecting(UtilityCalls):
    """Calls of which each is lost a few times before it gives its number."""

    def __init__(self, times: int) -> None:
        super().__init__(cast(Any, None))
        self.run: list[str] = []
        self._times = times

    async def _outcomes(self, calls: Sequence[UtilityCall], *, slow: bool) -> list[Raw | JdbpyError]:
        self.run += [each.name for each in calls]
        lost = EvalError("collected", code=COLLECTED)
        return [lost if self.run.count(each.name) <= self._times else len(each.name) for each in calls]


async def test_what_was_collected_is_asked_for_again() -> None:
    calls = _Collecting(3)
    one, three = UtilityCall("A", "a", "()V"), UtilityCall("A", "abc", "()V")
    assert await calls.all(one, three) == [1, 3]
    assert calls.run == ["a", "abc"] * 4


async def test_what_must_run_once_is_not_run_again() -> None:
    calls = _Collecting(1)
    with pytest.raises(EvalError, match="collected"):
        await calls.all(UtilityCall("A", "a", "()V", once=True))
    assert calls.run == ["a"]
