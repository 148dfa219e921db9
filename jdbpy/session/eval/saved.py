"""Values that the user has saved under a name: ``save order orders.get(3)``, then ``$order``.

Owns the pins of saved objects, which live until the name is given to something else or taken away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jdbpy.errors import UsageError
from jdbpy.session.eval.jvm.pins import PinLedger, Pins
from jdbpy.session.eval.operands import LocalBox, LocalString, Operand
from jdbpy.session.eval.target import Ref
from jdbpy.session.eval.variables import OWN_NAMES, DebuggerVariables

if TYPE_CHECKING:
    from jdbpy.session.eval.evaluator import Evaluation


class Saved:
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
        """Whether the object of that name is kept from collection."""
        return name in self._pins

    def _release(self, name: str) -> None:
        pins = self._pins.pop(name, None)
        if pins is not None:
            pins.release()
