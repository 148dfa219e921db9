"""A file of recorded calls where a snapshot could be: a peer that knows of no thread and no class, and of the calls
nothing. What is looked at is kept by ``session.recorder``.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from jdbpy.errors import StateError
from jdbpy.session.snapshots.forms import INT, OK, kind_of, text_body
from jdbpy.wire.messages import virtual_machine

_SIZES = 5 * INT.pack(8)
_NONE = OK + INT.pack(0)
_CAPABILITIES = 32


class NothingKept:
    """In the place of a ``SnapshotStore``: the answers that any debugger needs, and no others."""

    def __init__(self, path: str, name: str, java: str) -> None:
        self.path = path
        about = text_body("") + INT.pack(0) + INT.pack(0) + text_body(java) + text_body(name)
        self._answers = {
            kind_of(virtual_machine.IDSizes): OK + _SIZES,
            kind_of(virtual_machine.Version): OK + about,
            kind_of(virtual_machine.CapabilitiesNew): OK + struct.pack(f"{_CAPABILITIES}x"),
            kind_of(virtual_machine.AllThreads): _NONE,
            kind_of(virtual_machine.AllClassesWithGeneric): _NONE,
            kind_of(virtual_machine.AllClasses): _NONE,
            kind_of(virtual_machine.TopLevelThreadGroups): _NONE,
        }

    def get(self, kind: int, key: bytes) -> bytes | None:
        """Return an answer; None if there is none."""
        return self._answers.get(kind) if not key else None

    def items(self, kind: int) -> Iterable[tuple[bytes, bytes]]:
        """Return nothing: no entries are kept."""
        return ()

    def damaged(self, why: str) -> StateError:
        """Return the error for a question that makes no sense."""
        return StateError(f"the file {self.path} is damaged: {why}", code="FILE")

    def close(self) -> None:
        """Do nothing."""
