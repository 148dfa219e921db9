"""The answers that a snapshot keeps, as they come in.

Owns the entries by kind and key, and that a question is asked once. An empty entry is a question under
way.
"""

from __future__ import annotations

from typing import Any

from jdbpy.session.snapshots.asking import Asker, Then
from jdbpy.session.snapshots.forms import ERROR
from jdbpy.wire.codec import default_codec
from jdbpy.wire.command import Command
from jdbpy.wire.ids import IDSizes
from jdbpy.wire.messages import class_type, method, reference_type, virtual_machine

_OF_CLASSES = frozenset(
    each.COMMAND_SET
    for each in (virtual_machine.AllClassesWithGeneric, reference_type.Fields, class_type.Superclass, method.LineTable)
)
"""Sets of commands whose answers are facts of classes."""


class KeptAnswers:
    """The answers collected so far."""

    def __init__(self, asker: Asker) -> None:
        self.asker = asker
        self.entries: dict[int, dict[bytes, bytes]] = {}
        self.collected = 0
        """Bytes of answers."""
        self.of_objects = 0
        """Those of them that are not facts of classes."""
        self._codec = default_codec()
        self._waiting: dict[tuple[type[Command[Any]], bytes], list[Then]] = {}

    def of(self, command: type[Command[Any]]) -> dict[bytes, bytes]:
        """Return the entries of one kind."""
        kind = command.COMMAND_SET << 8 | command.COMMAND
        found = self.entries.get(kind)
        if found is None:
            found = self.entries[kind] = {}
        return found

    def keep(self, command: type[Command[Any]], body: bytes, then: Then | None = None, rank: int = 0) -> None:
        """Ask and keep the answer under the question. Of one that was asked before nothing is done."""
        kept = self.of(command)
        if body in kept:
            return
        kept[body] = b""

        def answered(error: int, data: bytes) -> None:
            kept[body] = ERROR.pack(error) + data
            self.collected += len(body) + len(data)
            if command.COMMAND_SET not in _OF_CLASSES:
                self.of_objects += len(body) + len(data)
            if then is not None:
                then(error, data)
            for each in self._waiting.pop((command, body), ()):
                each(error, data)

        self.asker.ask(command, body, answered, rank)

    def tell(self, command: type[Command[Any]], body: bytes, then: Then, rank: int = 0) -> None:
        """``keep``, and call ``then`` in any case: at once if the answer is there, or when it comes."""
        entry = self.of(command).get(body)
        if entry is None:
            self.keep(command, body, then, rank)
        elif entry:
            then(ERROR.unpack_from(entry)[0], entry[2:])
        else:
            self._waiting.setdefault((command, body), []).append(then)

    def enter(self, command: type[Command[Any]], key: bytes, entry: bytes) -> None:
        """Keep an entry that was made of an answer."""
        self.of(command)[key] = entry
        self.collected += len(entry)
        self.of_objects += len(entry)

    def drop(self, command: type[Command[Any]], key: bytes) -> None:
        """Forget an answer, so that the question is asked anew."""
        self.of(command).pop(key, None)

    def decoded(self, command: type[Command[Any]], data: bytes) -> Any:
        """Return the reply that a body holds. Raises ProtocolError."""
        return self._codec.decode_reply(command, data, IDSizes())

    def whole(self) -> dict[int, dict[bytes, bytes]]:
        """Return all entries whose answers came in."""
        return {kind: {key: entry for key, entry in kept.items() if entry} for kind, kept in self.entries.items()}
