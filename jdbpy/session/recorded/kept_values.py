"""Values that were kept of a program: read from the numbers and texts that the target has written. Pure.

An object is known by its class and identity, not by itself: it may be gone, or be another by now.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from jdbpy.record import Record
from jdbpy.session.java.signatures import java_name
from jdbpy.session.java.texts import char_literal, double_text, float_text, string_literal

KeptRaw = bool | int | float | str | None


class KeptValue(Record):
    """A value. ``type`` is its own type, as in source. ``raw`` is that of a primitive (a char is a one-character str),
    of a string, box, number or text builder what it holds, of a constant its name; None of null and other objects.

    ``identity`` is the identity hash of an object: equal for the same object, most likely different for others.
    ``size`` is that of an array or collection. ``length`` is that of a string of which not all was kept. ``parts`` are
    fields, elements, or entries, by what stands before them: ``total``, ``[0]``, ``["a"]``; ``keys`` are those of
    entries.
    """

    type: str
    raw: KeptRaw = None
    kind: str = "object"
    identity: int = 0
    size: int = -1
    length: int = 0
    parts: tuple[tuple[str, KeptValue], ...] = ()
    keys: tuple[KeptValue, ...] = ()

    @property
    def is_null(self) -> bool:
        return self.kind == "null"

    @property
    def text(self) -> str:
        """Return it in a line, as Java would write it: ``42``, ``"abc"``, ``Order@1b2c``, ``ArrayList@5 size 3``."""
        match self.kind:
            case "null":
                return "null"
            case "primitive" | "box":
                return _primitive_text(self.type, self.raw) + self._cut
            case "string":
                return string_literal(str(self.raw)) + self._cut
            case "constant":
                return f"{_short(self.type)}.{self.raw}"
            case "class":
                return f"{self.raw}.class"
            case "builder":
                return f"{_short(self.type)}@{self.identity:x} {string_literal(str(self.raw))}"
        text = f"{_short(self.type)}@{self.identity:x}"
        if self.type.endswith("]"):
            text = f"{_short(self.type).removesuffix('[]')}[{self.size}]@{self.identity:x}"
        elif self.size >= 0:
            text += f" size {self.size}"
        if not self.parts:
            return text
        is_list = self.parts[0][0].startswith("[") and self.parts[0][0][1:-1].isdigit()
        inner = ", ".join(value.text if is_list else f"{_key(name)} = {value.text}" for name, value in self.parts)
        more = ", ..." if self.size > len(self.parts) else ""
        return f"{text} {{{inner}{more}}}"

    @property
    def _cut(self) -> str:
        return f"... ({self.length} characters)" if self.length else ""

    def part(self, name: str) -> KeptValue | None:
        """Return a field, or an element by ``[0]``; None if it was not kept."""
        return next((value for each, value in self.parts if each == name), None)

    def same(self, other: KeptValue | None) -> bool:
        """True if nothing in which they differ was kept."""
        return self == other


NULL_VALUE = KeptValue("null", kind="null")


def _key(name: str) -> str:
    return name[1:-1] if name.startswith("[") else name


def _short(name: str) -> str:
    short = name.rpartition(".")[2]
    return short if "$$" in short else short.replace("$", ".")  # of a lambda it is part of the name


def _primitive_text(type_name: str, raw: KeptRaw) -> str:
    short = type_name.rpartition(".")[2].lower()
    if isinstance(raw, bool):
        return "true" if raw else "false"
    if short in ("char", "character") and isinstance(raw, str):
        return char_literal(raw)
    if short == "float" and isinstance(raw, float):
        return float_text(raw)
    return double_text(raw) if isinstance(raw, float) else str(raw)


def primitive_value(signature: str, raw: int) -> KeptValue:
    """Return a primitive value from the 64 bits that the target has kept; see ``in_target.weave.ring.number``."""
    value: KeptRaw = raw
    match signature:
        case "Z":
            value = bool(raw)
        case "C":
            value = chr(raw & 0xFFFF)
        case "F":
            value = float(struct.unpack(">f", struct.pack(">i", raw))[0])
        case "D":
            value = float(struct.unpack(">d", struct.pack(">q", raw))[0])
    return KeptValue(java_name(signature), value, "primitive")


class KeptTexts:
    """The text of all objects of one record: the name of the thread, then the objects, found by where they are.

    Positions are in UTF-16 units, as the target counts.
    """

    def __init__(self, text: str) -> None:
        self._plain = text if text.isascii() or all(char <= "\uffff" for char in text) else ""
        self._units = b"" if self._plain else text.encode("utf-16-be", "surrogatepass")
        reader = _TextReader(self._part(0, len(text) * 2))
        self.thread, _ = reader.characters()

    def _part(self, start: int, length: int) -> str:
        if self._plain:
            return self._plain[start : start + length]
        return self._units[2 * start : 2 * (start + length)].decode("utf-16-be", "surrogatepass")

    def value(self, place: int) -> KeptValue:
        """Return the object with that place: where its text begins, by 2^32, and its length; -1 is null."""
        if place < 0:
            return NULL_VALUE
        return _TextReader(self._part(place >> 32, place & 0xFFFFFFFF)).value()


class _TextReader:
    """Reads what ``in_target.weave.record_objects`` writes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def _until(self, mark: str) -> str:
        end = self._text.index(mark, self._at)
        found = self._text[self._at : end]
        self._at = end + 1
        return found

    def characters(self) -> tuple[str, int]:
        """Return a text, and its whole length if not all is there, else 0."""
        length, kept = int(self._until(":")), int(self._until(":"))
        start, units = self._at, 0
        while units < kept:  # counted as Java counts
            units += 2 if self._text[self._at] > "\uffff" else 1
            self._at += 1
        return self._text[start : self._at], length if kept < length else 0

    def value(self) -> KeptValue:
        letter = self._text[self._at]
        self._at += 1
        match letter:
            case "N":
                return NULL_VALUE
            case "S":
                text, length = self.characters()
                return KeptValue("java.lang.String", text, "string", length=length)
            case "T":
                identity = self._identity()
                text, length = self.characters()
                return KeptValue("java.lang.StringBuilder", text, "builder", identity, length=length)
            case "V":
                name = self._until(" ")
                text, length = self.characters()
                return KeptValue(name, text if length else _unboxed(name, text), "box", length=length)
            case "E" | "C":
                name = self._until(" ")
                text, _ = self.characters()
                text = text if letter == "E" else _source_name(text)
                return KeptValue(name, text, "constant" if letter == "E" else "class")
        identity, name, size = self._identity(), self._until(" "), int(self._until(" "))
        keys: list[KeptValue] = []
        parts = tuple(self._parts(keys))
        return KeptValue(_source_name(name), None, "object", identity, size, parts=parts, keys=tuple(keys))

    def _identity(self) -> int:
        return int(self._until(" ")) & 0xFFFFFFFF

    def _parts(self, keys: list[KeptValue]) -> Sequence[tuple[str, KeptValue]]:
        found: list[tuple[str, KeptValue]] = []
        while True:
            letter = self._text[self._at]
            self._at += 1
            match letter:
                case "f":
                    name = self._until(" ")
                    found.append((name, self.value()))
                case "e":
                    found.append((f"[{len(found)}]", self.value()))
                case "k":
                    key = self.value()
                    keys.append(key)
                    found.append((f"[{key.text}]", self.value()))
                case _:
                    return found


def _source_name(name: str) -> str:
    """Return the name of a class as in source: of ``[I`` it is ``int[]``."""
    return java_name(name.replace(".", "/")) if name.startswith("[") else name


def _unboxed(name: str, text: str) -> KeptRaw:
    match name.rpartition(".")[2]:
        case "Boolean":
            return text == "true"
        case "Integer" | "Long" | "Short" | "Byte" | "BigInteger":
            return int(text)
        case "Double" | "Float":
            return float(text.replace("Infinity", "inf").replace("NaN", "nan"))
    return text
