"""Variables of methods, as changed code reads them."""

from __future__ import annotations

from jdbpy.record import Record


class CheckParameter(Record):
    """A variable of the host that a check needs: ``signature`` is its declared JNI type. ``this`` is slot 0.

    With ``owner``, the host's internal name, it is the field ``name`` of ``this``, which the host reads itself. The
    slot then only tells it from other parameters.
    """

    slot: int
    signature: str
    name: str = ""
    owner: str = ""

    @property
    def passed_as(self) -> str:
        """Return the type in the descriptor of ``check``: references are passed as Object and cast at their use."""
        return "Ljava/lang/Object;" if self.signature[0] in "L[" else self.signature
