"""Entries of maps that the debugger has read itself: they are no objects of the target."""

from __future__ import annotations

from jdbpy.session.eval.java.types import LATE
from jdbpy.session.eval.operands import Entry, Operand
from jdbpy.session.eval.ops.base import Op, Run
from jdbpy.session.eval.ops.calls import Invoke

ENTRY_METHODS = {"getKey": "key", "getValue": "value"}
"""The methods of ``Map.Entry`` that an entry of the debugger answers."""


class EntryPart(Op):
    """``it.key`` and ``it.value``."""

    def __init__(self, entry: Op, name: str, at: int) -> None:
        super().__init__(LATE, at, entry)
        self.entry = entry
        self.name = name

    async def run(self, run: Run) -> Operand:
        entry = (await self.entry.run(run)).value
        assert isinstance(entry, Entry)
        return entry.key if self.name == "key" else entry.value


class EntryMethod(Op):
    """``getKey()`` or ``getValue()`` of what is a ``Map.Entry`` by its static type: an entry of either kind."""

    remote = True

    def __init__(self, invoke: Invoke) -> None:
        assert invoke.receiver is not None
        super().__init__(invoke.type, invoke.at, invoke.receiver)
        self.invoke = invoke
        self.receiver = invoke.receiver

    async def run(self, run: Run) -> Operand:
        operand = await self.receiver.run(run)
        if isinstance(operand.value, Entry):
            part = getattr(operand.value, ENTRY_METHODS[self.invoke.method.member.name])
            assert isinstance(part, Operand)
            return part
        return await self.invoke.on(run, [operand])
