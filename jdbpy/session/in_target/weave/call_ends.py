"""Writes the code of helpers that runs when an observed call ends: before a return, or when an exception leaves.

Nothing that goes wrong there reaches the program. Calls that are made on the way, by an expression, are left out.
"""

from __future__ import annotations

from collections.abc import Callable

from jdbpy.session.in_target.weave.condition_helper import HelperWriter
from jdbpy.session.in_target.weave.records import OBJECT
from jdbpy.session.java.edit.assembler import Assembler, Label
from jdbpy.session.java.edit.code_variable import CheckParameter

THROWN = CheckParameter(-3, OBJECT)
"""The exception, as a condition and the code of an end name it."""


def write_call_end(code: Assembler, writer: HelperWriter, body: Callable[[Label], None]) -> None:
    """Write the end of a call as ``body`` has it, unless nothing is to be kept any more; that may jump to its label."""
    start, busy, out, quiet, dropped = Label(), Label(), Label(), Label(), Label()
    code.place(start)
    code.get_static(writer.name, "on", "I")
    code.jump("ifeq", out)
    writer.enter(code, out)  # calls that an expression makes are not observed
    code.place(busy)
    body(quiet)
    code.place(quiet)
    writer.leave(code)
    code.jump("goto", out)
    code.handle(busy, quiet, dropped)
    code.place(dropped)
    code.op("pop")
    writer.leave(code)
    code.end_quietly(start, out)


def require_cost(
    code: Assembler, push_begin: Callable[[], None], cost: int, costs: tuple[int, int], out: Label
) -> None:
    """Work out how long the call took, into a variable, and jump where that is not wanted."""
    code.call_static("java/lang/System", "nanoTime", "()J")
    push_begin()
    code.op("lsub")
    code.store("J", cost)
    for limit, jump in zip(costs, ("iflt", "ifgt"), strict=True):
        code.load("J", cost)
        code.push_long(limit)
        code.op("lcmp")
        code.jump(jump, out)
