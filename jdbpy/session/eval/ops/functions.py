"""An object whose class is compiled with javac and defined in the target: a lambda, or an anonymous class."""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.session.eval.java.class_graph import make_method
from jdbpy.session.eval.java.types import JavaType
from jdbpy.session.eval.javac.compiler import ClassFiles
from jdbpy.session.eval.javac.source import METHOD
from jdbpy.session.eval.operands import Operand
from jdbpy.session.eval.ops.base import Op, Run, run_all
from jdbpy.session.eval.ops.calls import Invoke


class MakeFunction(Op):
    """Runs the method of the compiled class that makes the object. The class is defined when that first happens."""

    acts = True
    remote = True
    sure = True

    def __init__(self, type: JavaType, compiled: ClassFiles, values: Sequence[Op], at: int) -> None:
        super().__init__(type, at, *values)
        self.compiled = compiled
        self.values = values
        self._class_id = 0

    async def run(self, run: Run) -> Operand:
        operands = await run_all(run, self.values)
        if not self._class_id:
            self._class_id = await run.target.define_classes(self.compiled)
        (cls,) = await run.graph.of_ids([self._class_id])
        method = make_method(cls, next(each for each in cls.facts.methods if each.name == METHOD))
        return await Invoke(self.type, None, method, self.values, self.at).on(run, operands)
