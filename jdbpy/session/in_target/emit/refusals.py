"""Expressions that cannot run inside the target, with one plain sentence each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jdbpy.session.eval.ops import assign, calls, convert, flow, read, sequences
from jdbpy.session.eval.ops.base import Op
from jdbpy.session.eval.syntax import tree


class NotInTarget(Exception):
    """An expression that the helper class cannot have. ``reason`` goes behind "the condition": "assigns a variable"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def refuse(op: Op) -> NotInTarget:
    """Return the reason why an operation cannot be emitted."""
    words = _REASONS.get(type(op), "has an expression that needs the debugger")
    return NotInTarget(words if isinstance(words, str) else words(op))


def _late(op: convert.Late) -> str:
    match op.node:
        case tree.Call(name=name):
            return f"calls {name}, an unknown method of its static type"
        case tree.Select(name=name):
            return f"reads {name}, an unknown member of its static type"
    return "computes with a value whose static type does not allow it"


_REASONS: Mapping[type[Op], str | Callable[[Any], str]] = {
    read.ReadVariable: lambda op: f"uses ${op.name}, a variable of the debugger",
    convert.Late: _late,
    convert.LateConvert: lambda op: f"converts {op.op.type} to {op.type}, which only the run-time class allows",
    assign.Store: "assigns a variable",
    assign.Modify: "assigns a variable",
    calls.MakeFunction: "has a lambda or an anonymous class",
    calls.EntryPart: "takes a map apart",
    flow.SwitchOp: "has a switch",
    sequences.TakeSlice: "takes a slice",
    sequences.TakeElement: "takes an element of a collection",
    sequences.SequenceCall: "has a filter or computes with all elements",
    sequences.GatherValues: "has a list of values",
}
