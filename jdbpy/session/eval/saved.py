"""Values that the user has saved under a name: ``save order orders.get(3)``, then ``$order``.

Owns the pins of saved objects, which live until the name is given to something else or taken away; and the results of
methods that the user has run, which a suspended target keeps for as long as it is not told to forget them.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING

from jdbpy.errors import UsageError
from jdbpy.session.eval.jvm.pins import PinLedger, Pins
from jdbpy.session.eval.operands import LocalBox, LocalString, Operand
from jdbpy.session.eval.target import Ref
from jdbpy.session.eval.variables import OWN_NAMES, DebuggerVariables, objects_of
from jdbpy.session.target.target import Target
from jdbpy.wire.ids import ObjectID
from jdbpy.wire.messages import virtual_machine

if TYPE_CHECKING:
    from jdbpy.session.eval.evaluator import Evaluation


KEPT = 8
"""So many evaluations that have run methods keep the objects which these gave."""

MOST_KEPT = 256


class CallResults:
    """Objects that methods have given, by evaluation, the oldest first; beyond KEPT they are released.

    A target of which everything is suspended keeps each object that it has sent (docs/agent.md, "Ids are weak, and
    pinned while all is suspended"), and the program may run out of memory. An id is taken back once for each reply that
    gave it to us, never more often: the VM aborts then.
    """

    def __init__(self, target: Target, variables: DebuggerVariables, kept: KeptResults) -> None:
        self._target = target
        self._variables = variables
        self._kept = kept
        self._evaluations: deque[list[int]] = deque()

    def make_room(self) -> None:
        """Release what more than KEPT evaluations have left. wire: no wait."""
        while len(self._evaluations) > KEPT:
            received = self._evaluations.popleft()
            pinned = self._target.pinned | self._kept.ids
            kept = self._variables.release(frozenset(received) - pinned) | pinned
            counts = Counter(each for each in received if each not in kept)
            if counts and self._target.conn.close_reason is None:
                requests = [virtual_machine.Request(ObjectID(each), count) for each, count in counts.items()]
                self._target.conn.submit(virtual_machine.DisposeObjects(requests))

    def add(self, received: list[int], result: Operand | None) -> None:
        """Take in what an evaluation has received, an id for each time. What its result refers to is new again."""
        used = set(objects_of(result)) if result is not None else set()
        for older in self._evaluations:
            received += [each for each in older if each in used]
            older[:] = [each for each in older if each not in used]
        if received:
            self._evaluations.append(received)


class KeptResults:
    """Objects that methods have given to scripts, which hold no reference in the target: the last MOST_KEPT of them."""

    def __init__(self, ledger: PinLedger) -> None:
        self._ledger = ledger
        self._pins: deque[tuple[int, Pins]] = deque()

    @property
    def ids(self) -> set[int]:
        """The ids of the objects that are kept."""
        return {each for each, _ in self._pins}

    async def add(self, value: Operand, evaluation: Evaluation) -> None:
        """Keep the object that a value is, if a method of the evaluation gave it. wire: none, or 1 trip."""
        if isinstance(value.value, Ref) and value.value.id in evaluation.target.received:
            pins = Pins(self._ledger)
            await pins.keep(value.value)
            self._pins.append((value.value.id, pins))
            if len(self._pins) > MOST_KEPT:
                self._pins.popleft()[1].release()


class SavedValues:
    """The saved values of a session."""

    def __init__(self, ledger: PinLedger, variables: DebuggerVariables) -> None:
        self._ledger = ledger
        self._variables = variables
        self._pins: dict[str, Pins] = {}

    async def add(self, name: str, value: Operand, evaluation: Evaluation) -> None:
        """Saves a value and pins the object that it is. wire: 1 trip, 0 for a primitive."""
        if name in OWN_NAMES or not name.isidentifier():
            raise UsageError(
                f"'{name}' cannot be the name of a saved value", hint="a name is one word: save order EXPR"
            )
        if isinstance(value.value, LocalString | LocalBox):
            value = Operand(value.type, await evaluation.in_target(value))
        if isinstance(value.value, Ref):
            pins = Pins(self._ledger)
            await pins.keep(value.value)
            self._release(name)
            self._pins[name] = pins
        else:
            self._release(name)
        self._variables.set(name, value)

    def remove(self, name: str) -> None:
        """Takes a name away. Raises UsageError when it has no value."""
        if name not in self._variables.names():
            raise UsageError(f"there is no ${name}", hint="'save' without a value lists what there is")
        self._release(name)
        self._variables.remove(name)

    def keeps(self, name: str) -> bool:
        """True if the object of that name is kept from collection."""
        return name in self._pins

    def _release(self, name: str) -> None:
        pins = self._pins.pop(name, None)
        if pins is not None:
            pins.release()
