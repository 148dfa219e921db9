"""Objects that are kept from collection: while an expression is evaluated, or for as long as they are saved.

Owns DisableCollection and its undoing. Most agents do not count: one EnableCollection ends all pins of an object. That
of Java 17 does (docs/agent.md, "Whether pins count"). So the pins are counted here, and the last one that ends sends as
many EnableCollection as DisableCollection were sent. While the whole VM is held a target of Java 17 or
later keeps every object whose id it has sent (docs/agent.md, "Ids are weak, and pinned while all is suspended"), and
nothing needs to be sent. A read-only session pins nothing: what is collected meanwhile is said to be gone.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import Any

from jdbpy.errors import Disconnected, EvalError, JdwpError
from jdbpy.session.eval.target import Ref
from jdbpy.session.events.target import Target
from jdbpy.wire.ids import ObjectID
from jdbpy.wire.messages import object_reference
from jdbpy.wire.pending import Pending

COLLECTED = "COLLECTED"
"""The code of the error for an object that was collected before it could be kept."""


class PinLedger:
    """The count of pins of each object of a target."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._counts: Counter[int] = Counter()
        self._sent: Counter[int] = Counter()  # how often DisableCollection was sent for each
        self._results: dict[int, Pending[Any]] = {}

    @staticmethod
    def of(target: Target) -> PinLedger:
        """Return that of a target."""
        return target.part(PinLedger, PinLedger)

    def pin_result(self, object_id: int) -> None:
        """Pin what a method has just given, where others run and it may be gone a moment later; its first ``pin`` takes
        that over. wire: no wait."""
        if not self._counts[object_id] and object_id not in self._results:
            with suppress(Disconnected):
                self._results[object_id] = self._submit(object_id)

    async def pin(self, object_id: int) -> None:
        """One pin more. Raises EvalError when the object is gone. wire: 1 trip for the first."""
        pending = self._results.pop(object_id, None)
        if not self._counts[object_id] and self.target.conn.allows(object_reference.DisableCollection):
            if pending is None:
                pending = self._submit(object_id)
            try:
                await pending.wait()
            except JdwpError as error:
                raise EvalError(
                    "the target has collected an object of the expression before it could be used",
                    hint="evaluate it again",
                    code=COLLECTED,
                ) from error
        self._counts[object_id] += 1

    def pin_alive(self, object_id: int) -> None:
        """One pin more of an object that a suspended thread keeps alive until its resume. wire: no wait."""
        kept = self._results.pop(object_id, None) is not None
        if not kept and not self._counts[object_id] and self.target.conn.allows(object_reference.DisableCollection):
            with suppress(Disconnected):
                self._submit(object_id)
        self._counts[object_id] += 1

    def has_result(self, object_id: int) -> bool:
        """True if ``pin_result`` was its only pin until now."""
        return object_id in self._results

    def pinned(self, object_id: int) -> None:
        """Take in a pin for which DisableCollection was sent elsewhere."""
        self._sent[object_id] += 1
        self._counts[object_id] += 1

    def unpin(self, object_id: int) -> None:
        """One pin less. Not waited for. wire: no trip."""
        self._counts[object_id] -= 1
        if self._counts[object_id] <= 0:
            del self._counts[object_id]
            if not self.target.conn.allows(object_reference.DisableCollection):
                return
            with suppress(Disconnected), self.target.conn.corked:
                for _ in range(max(1, self._sent.pop(object_id, 1))):
                    self.target.conn.submit(object_reference.EnableCollection(ObjectID(object_id)))

    def _submit(self, object_id: int) -> Pending[Any]:
        self._sent[object_id] += 1
        return self.target.conn.submit(object_reference.DisableCollection(ObjectID(object_id)))


class Pins:
    """Pins that are taken back together."""

    def __init__(self, ledger: PinLedger) -> None:
        self._ledger = ledger
        self._pinned: list[int] = []

    @property
    def needless(self) -> bool:
        """True if the target keeps all objects whose ids it has sent, as long as all of it is suspended."""
        target = self._ledger.target
        return target.suspension.everything_held and target.at_least(17)

    async def add(self, ref: Ref) -> None:
        """Pin an object. Raises EvalError when it is gone already. wire: 1 trip, 0 when it is safe anyway."""
        if not self.needless or self._ledger.has_result(ref.id):
            await self.keep(ref)

    async def keep(self, ref: Ref) -> None:
        """Pin an object whatever is held now, so that it outlives this stop. Raises EvalError. wire: 1 trip."""
        await self._ledger.pin(ref.id)
        self._pinned.append(ref.id)

    def keep_alive(self, object_id: int) -> None:
        """Pin an object that a suspended thread keeps alive until its resume. wire: no wait."""
        self._ledger.pin_alive(object_id)
        self._pinned.append(object_id)

    def adopt(self, object_id: int) -> None:
        """Takes over a pin that was set elsewhere."""
        self._ledger.pinned(object_id)
        self._pinned.append(object_id)

    def release(self) -> None:
        """Let all of them go. Not waited for. wire: no trip."""
        while self._pinned:
            self._ledger.unpin(self._pinned.pop())
