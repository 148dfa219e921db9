"""The history of results: what is released of it, at a cost that does not grow with it."""

from __future__ import annotations

import pytest

from jdbpy.errors import EvalError
from jdbpy.session.eval import variables
from jdbpy.session.eval.operands import Operand
from jdbpy.session.eval.target import Ref
from jdbpy.session.eval.variables import DebuggerVariables
from jdbpy.session.java.types import INT, LATE
from jdbpy.wire.constants import Tag


def test_results_are_released_by_the_objects_they_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    history = DebuggerVariables()
    history.set("mine", Operand(LATE, Ref(7, Tag.OBJECT)))
    for number in range(1, 1_001):
        assert history.record(Operand(LATE, Ref(number, Tag.OBJECT))) == number
    history.record(Operand(INT, 7))
    history.record(Operand(LATE, Ref(7, Tag.OBJECT)))
    asked = 0
    objects_of = variables.objects_of

    def counted(operand: Operand) -> object:
        nonlocal asked
        asked += 1
        return objects_of(operand)

    monkeypatch.setattr(variables, "objects_of", counted)
    history.release([7, 8, 5_000])
    history.release([7])
    assert history.named_objects() == {7}
    assert asked <= 2, "the names alone: $_ and $mine"
    for released in ("7", "8", "1002"):
        with pytest.raises(EvalError, match="is not kept any more"):
            history.get(released)
    nine, seven = history.get("9"), history.get("1001")
    assert nine is not None and nine.value == Ref(9, Tag.OBJECT)
    assert seven is not None and seven.value == 7
    assert [name for name, _ in history.history(3)] == ["1000", "1001"]
    assert history.names() == ["_", "mine"]
