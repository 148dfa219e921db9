"""Objects that are kept from collection while an expression is evaluated.

Owns DisableCollection and its undoing. While the whole VM is held a target of Java 17 or later keeps every object that
it has told us of (agent note 101), and nothing needs to be sent.
"""

from __future__ import annotations

from contextlib import suppress

from jdbpy.errors import Disconnected, EvalError, JdwpError
from jdbpy.session.eval.target import Ref
from jdbpy.session.target import Target
from jdbpy.wire.ids import ObjectID
from jdbpy.wire.messages import object_reference


class Pins:
    """The pins of one evaluation."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._pinned: list[ObjectID] = []

    async def add(self, ref: Ref) -> None:
        """Pins an object. Raises EvalError when it is gone already. wire: 1 trip, 0 when it is safe anyway."""
        if not (self._target.suspension.everything_held and self._target.at_least(17)):
            await self.keep(ref)

    async def keep(self, ref: Ref) -> None:
        """Pins an object whatever is held now, so that it outlives this stop. Raises EvalError. wire: 1 trip."""
        object_id = ObjectID(ref.id)
        try:
            await self._target.conn.request(object_reference.DisableCollection(object_id))
        except JdwpError as error:
            raise EvalError(
                "the target has collected an object of the expression before it could be used", hint="evaluate it again"
            ) from error
        self._pinned.append(object_id)

    def adopt(self, object_id: int) -> None:
        """Takes over a pin that was set elsewhere."""
        self._pinned.append(ObjectID(object_id))

    def release(self) -> None:
        """Lets all of them go. Not waited for. wire: no trip."""
        with suppress(Disconnected):
            while self._pinned:
                self._target.conn.submit(object_reference.EnableCollection(self._pinned.pop()))
