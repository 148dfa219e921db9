"""Values that the user has saved under a name: ``save order orders.get(3)``, then ``$order``.

Owns the pins of saved objects, which live until the name is given to something else or taken away; and the results of
methods that the user has run, which a suspended target keeps for as long as they are not released.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from jdbpy.errors import UsageError
from jdbpy.session.eval.jvm.pins import PinLedger, Pins
from jdbpy.session.eval.operands import LocalBox, LocalString, Operand
from jdbpy.session.eval.target import Ref
from jdbpy.session.eval.variables import OWN_NAMES, DebuggerVariables, objects_of
from jdbpy.session.events.target import Target
from jdbpy.session.values.objects import Objects
from jdbpy.session.values.remembered import GivenObject
from jdbpy.wire.ids import ObjectID
from jdbpy.wire.messages import virtual_machine

if TYPE_CHECKING:
    from jdbpy.session.eval.evaluator import Evaluation


KEPT = 5
"""So many evaluations whose results methods have given keep these."""

MOST_KEPT = 256


class CallResults:
    """Results that methods have given, by evaluation, the oldest first; beyond KEPT they are released, and what else
    methods have given with the end of the evaluation.

    A target of which everything is suspended keeps each object that it has sent (docs/agent.md, "Ids are weak, and
    pinned while all is suspended"), and the program may run out of memory. An id is taken back once for each reply that
    gave it to us. All that was read from such an object is released with it.
    """

    def __init__(self, target: Target, variables: DebuggerVariables, kept: KeptResults) -> None:
        self._target = target
        self._variables = variables
        self._kept = kept
        self._evaluations: deque[list[GivenObject]] = deque()
        self._in_use: list[GivenObject] = []
        """Neither results nor new, but something of them has a name or is kept for a script."""

    def make_room(self) -> None:
        """Release what more than KEPT evaluations have left. wire: no wait."""
        while len(self._evaluations) > KEPT:
            self._in_use += self._evaluations.popleft()
        self._release_unused()

    def _release_unused(self) -> None:
        old = self._in_use
        if not old:
            return
        used = self._target.pinned | self._kept.ids | self._variables.named_objects()
        released: list[GivenObject] = []
        self._in_use = []
        for each in old:
            in_use = each.id in used or not used.isdisjoint(each.sent)
            (self._in_use if in_use else released).append(each)
        if released:
            self._variables.release({number for each in released for number in each.results})
            self._release(released)

    def _release(self, objects: list[GivenObject]) -> None:
        reader = Objects.of(self._target).reader
        counts: Counter[int] = Counter()
        for each in objects:
            counts.update(each.sent)
            reader.given.remove(each)
        for object_id in counts:
            reader.forget_body(object_id)
        if self._target.conn.close_reason is None:
            # an item for each sending: the agent passes ids that it has no longer, but a count too large ends the VM
            requests = [virtual_machine.Request(ObjectID(each), 1) for each in counts.elements()]
            self._target.conn.submit(virtual_machine.DisposeObjects(requests))

    def add(self, objects: list[GivenObject], result: Operand | None) -> None:
        """Take in the objects that an evaluation was given, and release those of which its result is no part. Older
        ones of which it is one are new again. wire: no wait.
        """
        given = Objects.of(self._target).reader.given
        used: set[GivenObject] = set()
        for object_id in set(objects_of(result)) if result is not None else ():
            for each in given.of(object_id):
                each.results.add(object_id)
                used.add(each)
        for older in (*self._evaluations, self._in_use) if used else ():
            objects += [each for each in older if each in used]
            older[:] = [each for each in older if each not in used]
        if used:
            self._evaluations.append([each for each in objects if each in used])
        self._in_use += [each for each in objects if each not in used]
        self._release_unused()


class KeptResults:
    """Objects that methods have given to scripts, which hold no reference in the target: the last MOST_KEPT of them."""

    def __init__(self, ledger: PinLedger) -> None:
        self._ledger = ledger
        self._pins: deque[tuple[int, Pins, Callable[[], bool]]] = deque()  # and if it is wanted still

    @property
    def ids(self) -> set[int]:
        """Return the ids of the objects that are kept."""
        return {each for each, _, _ in self._pins}

    async def add(self, value: Operand, evaluation: Evaluation, *, until_resumed: bool = False) -> None:
        """Keep the object that a value is, if a method of the evaluation gave it; only until the thread runs on, if so.

        wire: none, or 1 trip.
        """
        for each in [each for each in self._pins if not each[2]()]:
            self._pins.remove(each)
            each[1].release()
        if isinstance(value.value, Ref) and any(each.id == value.value.id for each in evaluation.target.given or ()):
            pins = Pins(self._ledger)
            await pins.keep(value.value)
            self._pins.append((value.value.id, pins, self._is_stopped(evaluation) if until_resumed else _always))
            if len(self._pins) > MOST_KEPT:
                self._pins.popleft()[1].release()

    def _is_stopped(self, evaluation: Evaluation) -> Callable[[], bool]:
        suspension, frame = self._ledger.target.suspension, evaluation.frame
        thread = frame.thread.id if frame is not None else 0
        stop = suspension.stop_of(thread)
        return lambda: suspension.stop_of(thread) == stop


def _always() -> bool:
    return True


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
        """Take a name away. Raises UsageError when it has no value."""
        if name not in self._variables.names():
            raise UsageError(f"no ${name}", hint="'save' without a value lists what there is")
        self._release(name)
        self._variables.remove(name)

    def keeps(self, name: str) -> bool:
        """True if the object of that name is kept from collection."""
        return name in self._pins

    def _release(self, name: str) -> None:
        pins = self._pins.pop(name, None)
        if pins is not None:
            pins.release()
