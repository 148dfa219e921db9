"""The short way to a condition's value: for one that computes with primitive variables of the frame and nothing else.

Owns the rule which conditions these are. They are evaluated where the answers come in, so nothing here may wait: of all
operations only those are let through that never do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jdbpy.errors import EvalError, JdwpError
from jdbpy.session.eval.jvm.frame_reads import FrameRead
from jdbpy.session.eval.ops.base import Constant, Op, Run, Variables
from jdbpy.session.eval.ops.convert import Convert
from jdbpy.session.eval.ops.operators import Choice, Compute, ShortCircuit
from jdbpy.session.eval.ops.read import ReadLocal
from jdbpy.session.eval.program import Compiled
from jdbpy.session.eval.target import FrameValues
from jdbpy.wire.command import Command
from jdbpy.wire.ids import FrameID, ThreadID

_PRIMITIVES = frozenset("ZBCSIJFD")
_COMPUTING = (Constant, ReadLocal, Compute, ShortCircuit, Choice, Convert)
"""Operations that wait for nothing when they are not ``remote``."""


class FrameGlance:
    """A condition at one place in code."""

    def __init__(self, compiled: Compiled, variables: Variables) -> None:
        self._compiled = compiled
        self._variables = variables
        self._read = read_of(compiled)

    def commands(self, thread: ThreadID, frame: FrameID) -> Sequence[Command[Any]]:
        """What asks for the variables."""
        return self._read.commands(thread, frame)

    def is_false(self, answers: Sequence[Any]) -> bool:
        """Whether the condition does not hold. What cannot be read, or throws, is no such answer."""
        try:
            values = self._read.values(answers)
            return values is not None and not self._value(values)
        except (EvalError, JdwpError):
            return False

    def _value(self, values: FrameValues) -> bool:
        compiled = self._compiled
        compiler = compiled.compiler
        running = compiled.op.run(Run(compiler.target, compiler.graph, compiler, self._variables, values))
        try:
            running.send(None)
        except StopIteration as end:
            return bool(end.value.value)
        finally:
            running.close()
        raise AssertionError("an operation that only computes has waited")


def glance_of(compiled: Compiled, variables: Variables) -> FrameGlance | None:
    """The short way to the value of what was compiled, if it has one."""
    short = reads_primitives_only(compiled) and _computes_only(compiled.op)
    return FrameGlance(compiled, variables) if short else None


def read_of(compiled: Compiled) -> FrameRead:
    """What has to be read of the frame."""
    reads = compiled.compiler.reads
    return FrameRead(list(reads.locals.values()), this=reads.this)


def reads_primitives_only(compiled: Compiled) -> bool:
    """Whether all that is needed of the target are primitive variables: nothing that a running thread changes."""
    reads = compiled.compiler.reads
    primitive = all(local.signature in _PRIMITIVES for local in reads.locals.values())
    return primitive and bool(reads.locals) and not reads.this and not compiled.op.remote


def _computes_only(op: Op) -> bool:
    return isinstance(op, _COMPUTING) and not op.remote and all(_computes_only(child) for child in op.children)
