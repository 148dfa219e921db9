"""Values that must not reach the file: those of fields, variables and keys whose names fit a pattern.

Owns the rule. A value is replaced where it comes in. When all is collected, so is the value of a map's entry whose key
is a text that fits; a string or a primitive array that was found under such a name, wherever else it stands; other
strings of the same text; and that text in source files.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fnmatch import translate
from functools import lru_cache
from re import IGNORECASE, Pattern, compile
from typing import TYPE_CHECKING

from jdbpy.errors import UsageError
from jdbpy.session.jvm.refs import MASKED_ID
from jdbpy.session.snapshots.forms import (
    ID,
    INT,
    MASKED_TEXT,
    MASKED_VALUE,
    NULL,
    OK,
    SOURCES,
    kind_of,
    size_of,
    tagged_values,
    text_body,
)
from jdbpy.wire.constants import Tag
from jdbpy.wire.layout import OBJECT_TAGS
from jdbpy.wire.messages import array_reference, object_reference, string_reference

if TYPE_CHECKING:
    from jdbpy.session.snapshots.classes import Layout

_OBJECTS = kind_of(object_reference.GetValues)
_TEXTS = kind_of(string_reference.Value)
_ELEMENTS = kind_of(array_reference.GetValues)
_LENGTHS = kind_of(array_reference.Length)
_STRING = "Ljava/lang/String;"

_SHORT = 4
"""Characters of a text below which others are not masked for being equal: such texts mean many things."""

AnswersByKind = dict[int, dict[bytes, bytes]]


class Masks:
    """Patterns of names (``*secret*``, ``password``), in which case does not matter."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self.patterns = tuple(patterns)
        self.masked = 0
        """The number of values that were replaced."""
        self.on_hidden: Callable[[bytes], object] | None = None
        """Gets each string and array that is replaced, so that its text is known and can be replaced elsewhere."""
        self._pattern: Pattern[str] | None = None
        if self.patterns:
            if not all(self.patterns):
                raise UsageError("an empty mask fits no name", hint="--mask '*password*'")
            self._pattern = compile("|".join(translate(each) for each in self.patterns), IGNORECASE)
        self._hidden: set[bytes] = set()
        self.hides = lru_cache(maxsize=None)(self._hides)

    def _hides(self, name: str) -> bool:
        """True if values of that name are replaced."""
        return self._pattern is not None and self._pattern.match(name) is not None

    def hide(self, value: bytes) -> bytes:
        """Return the substitute for a value, with its tag."""
        if value[0] in (Tag.STRING, Tag.ARRAY):
            self._hidden.add(value[1:])
            if self.on_hidden is not None and value[1:] != NULL:
                self.on_hidden(value)
        self.masked += 1
        return value if value[0] in OBJECT_TAGS and value[1:] == NULL else MASKED_VALUE

    def replaced(self, values: Iterable[bytes], hidden: Collection[int]) -> bytes:
        """Return the values with those at the places ``hidden`` replaced."""
        return b"".join(self.hide(value) if index in hidden else value for index, value in enumerate(values))

    def finish(self, answers: AnswersByKind, layouts: Mapping[bytes, Layout]) -> None:
        """Replace what was found in other places: to be called when all is collected, before anything is written."""
        if self._pattern is None:
            return
        self.on_hidden = None
        objects, texts = answers.get(_OBJECTS, {}), answers.get(_TEXTS, {})
        self._hide_entries(objects, texts, layouts)
        string = next((each for each in layouts.values() if each.signature == _STRING), None)
        behind = string.index("value") if string is not None else None
        secrets = self._secrets(answers)
        self._hidden.update(key for key, entry in texts.items() if entry[:2] == OK and entry[6:] in secrets)
        for key, entry in answers.get(SOURCES, {}).items():
            path, end, text = entry.partition(b"\0")
            for secret in sorted(secrets, key=len, reverse=True):
                text = text.replace(secret, MASKED_TEXT.encode())
            answers[SOURCES][key] = path + end + text
        for key in self._hidden:
            row = objects.pop(key, b"")
            if string is not None and behind is not None and row[2:10] == string.type_id:
                array = list(tagged_values(row, 10, len(string.names)))[behind][1:]
                answers.get(_ELEMENTS, {}).pop(array, None)
                objects[key] = _masked_row(string)
                texts[key] = OK + text_body(MASKED_TEXT)
            answers.get(_ELEMENTS, {}).pop(key, None)
        if string is not None and self.masked:
            key = ID.pack(MASKED_ID)
            objects[key] = _masked_row(string)
            answers.setdefault(_TEXTS, {})[key] = OK + text_body(MASKED_TEXT)
            answers.setdefault(_LENGTHS, {})[ID.pack(MASKED_ID + 1)] = OK + INT.pack(len(MASKED_TEXT))

    def _secrets(self, answers: AnswersByKind) -> set[bytes]:
        """Return the texts of the strings, char arrays and byte arrays that are hidden."""
        texts, elements = answers.get(_TEXTS, {}), answers.get(_ELEMENTS, {})
        found = set()
        for key in self._hidden:
            if (entry := texts.get(key, b""))[:2] == OK:
                found.add(entry[6:])
            elif (entry := elements.get(key, b""))[:2] == OK and entry[2] == Tag.CHAR:
                found.add(entry[7:].decode("utf-16-be", "replace").encode())
            elif entry[:2] == OK and entry[2] == Tag.BYTE:
                found.add(entry[7:])
        return {each for each in found if len(each) >= _SHORT}

    def _hide_entries(
        self, objects: dict[bytes, bytes], texts: dict[bytes, bytes], layouts: Mapping[bytes, Layout]
    ) -> None:
        """Replace the values of entries whose keys fit: of nodes of maps, which have a key and a value."""
        entries = {
            type_id: (layout, key, value)
            for type_id, layout in layouts.items()
            if (key := layout.index("key")) is not None and (value := layout.index("value", "val")) is not None
        }
        for object_id, row in list(objects.items()):
            found = entries.get(row[2:10])
            if found is None or row[:2] != OK:
                continue
            layout, key, value = found
            values = list(tagged_values(row, 10, len(layout.names)))
            text = texts.get(values[key][1:], b"")
            if text[:2] == OK and self.hides(text[6:].decode("utf-8", "replace")) and values[value][1:] != NULL:
                objects[object_id] = row[:10] + self.replaced(values, (value,))


def _masked_row(string: Layout) -> bytes:
    """Return the fields of a string with the masked text."""
    row = b""
    for name, tag in zip(string.names, string.tags, strict=True):
        row += bytes([tag]) + (ID.pack(MASKED_ID + 1) if name == "value" else bytes(size_of(tag)))
    return OK + string.type_id + row
