"""What attributes and operations of MBeans give, as plain data; and the arguments and values that they take.

Owns which objects become which plain data: boxes and strings what they are, CompositeData an object, TabularData a list
of objects, arrays and collections lists; anything else its ``toString()``. All are read by fields, a level at a time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from jdbpy.errors import EvalError, JdbpyError, UsageError
from jdbpy.session.eval.target import ClassFacts, Raw, Ref
from jdbpy.session.eval.utility_calls import UtilityCall, UtilityCalls
from jdbpy.session.java.signatures import java_name
from jdbpy.wire.constants import Tag

DEPTH = 6
"""Levels of values that are read."""

MOST = 500
"""Elements of an array, a collection or a table that are read."""

_TEXTS = 20_000
"""Values that are read in all: a table may have many rows."""

BOXES = {
    "java.lang.Boolean": ("Z", "boolean"),
    "java.lang.Byte": ("B", "byte"),
    "java.lang.Short": ("S", "short"),
    "java.lang.Character": ("C", "char"),
    "java.lang.Integer": ("I", "int"),
    "java.lang.Long": ("J", "long"),
    "java.lang.Float": ("F", "float"),
    "java.lang.Double": ("D", "double"),
}
_COMPOSITE = "javax.management.openmbean.CompositeDataSupport"
_TABULAR = "javax.management.openmbean.TabularDataSupport"


class ValueReading:
    """Reads values of one block of calls, all of a level together."""

    def __init__(self, calls: UtilityCalls) -> None:
        self._calls = calls
        self._left = _TEXTS

    async def plain(self, values: Sequence[Raw], depth: int = DEPTH) -> list[Any]:
        """Return values as plain data. wire: some 6 trips a level, whatever their number."""
        self._left -= len(values)
        calls = self._calls
        found: list[Any] = [None if isinstance(each, Ref) else each for each in values]
        at = [index for index, each in enumerate(values) if isinstance(each, Ref)]
        refs = [each for each in values if isinstance(each, Ref)]
        strings = [index for index, each in zip(at, refs, strict=True) if each.tag == Tag.STRING]
        for index, text in zip(strings, await calls.texts([values[index] for index in strings]), strict=True):
            found[index] = text
        others = [index for index in at if index not in set(strings)]
        objects = [each for each in refs if each.tag != Tag.STRING]
        classes = await calls.classes_of(objects)
        by_class: dict[str, list[int]] = {}
        facts: dict[str, ClassFacts] = {}
        for index, of in zip(others, classes, strict=True):
            if of is not None:
                by_class.setdefault(of.name, []).append(index)
                facts[of.name] = of
        for name, indexes in by_class.items():
            group = [objects[others.index(index)] for index in indexes]
            for index, value in zip(indexes, await self._group(facts[name], group, depth), strict=True):
                found[index] = value
        return found

    async def _group(self, of: ClassFacts, objects: Sequence[Ref], depth: int) -> list[Any]:
        """Return objects of one class."""
        calls, name = self._calls, of.name
        if name in BOXES:
            code = BOXES[name][0]
            return [_box(code, row[0]) for row in await calls.own_fields(objects, of.id, "value")]
        if depth <= 0 or self._left <= 0:
            return ["..." for _ in objects]
        if name.endswith("[]"):
            lengths = await calls.lengths(objects)
            parts = [await calls.part(each, min(size, MOST)) for each, size in zip(objects, lengths, strict=True)]
            element = name[:-2]
            whole: list[Sequence[Any]] = [
                [chr(one) if element == "char" and isinstance(one, int) else one for one in part] for part in parts
            ]
            return [
                [*read, *(["..."] if size > MOST else [])]
                for read, size in zip(await self._nested(whole, depth - 1), lengths, strict=True)
            ]
        if name == _COMPOSITE:
            tables = [row[0] for row in await calls.own_fields(objects, of.id, "contents")]
            return await self._tables(tables, depth)
        if name == _TABULAR:
            tables = [row[0] for row in await calls.own_fields(objects, of.id, "dataMap")]
            rows = [await self._entries(each) for each in tables]
            return [
                _table(each) for each in await self._nested([[value for _, value in each] for each in rows], depth - 1)
            ]
        known = [await self._contents(each) for each in objects]
        if any(each is None for each in known):
            return await self.texts(objects)
        found: list[Any] = []
        for elements in known:
            entries = [one for one in elements or () if isinstance(one, tuple)]
            if entries:
                found += await self._named([entries], depth)
            else:
                single = [one for one in elements or () if not isinstance(one, tuple)]
                found += await self._nested([single], depth - 1)
        return found

    async def texts(self, objects: Sequence[Ref]) -> list[Any]:
        """Return what ``toString()`` gives of each; where it throws, what it threw."""
        signature = "(Ljava/lang/Object;)Ljava/lang/String;"
        made = await self._calls.outcomes(
            *(UtilityCall("java.lang.String", "valueOf", signature, (each,)) for each in objects)
        )
        texts = await self._calls.texts([None if isinstance(each, JdbpyError) else each for each in made])
        return [
            f"({each.message})" if isinstance(each, JdbpyError) else text
            for each, text in zip(made, texts, strict=True)
        ]

    async def _contents(self, each: Ref) -> list[Raw] | list[tuple[Raw, Raw]] | None:
        try:
            return await self._calls.contents(each, MOST)
        except (JdbpyError, EvalError):
            return None

    async def _entries(self, table: Raw) -> list[tuple[Raw, Raw]]:
        found = await self._contents(table) if isinstance(table, Ref) else []
        return [each for each in found or () if isinstance(each, tuple)]

    async def _tables(self, tables: Sequence[Raw], depth: int) -> list[Any]:
        return await self._named([await self._entries(each) for each in tables], depth)

    async def _named(self, tables: Sequence[Sequence[tuple[Raw, Raw]]], depth: int) -> list[Any]:
        """Return tables as objects, with their keys as text."""
        keys = await self._nested([[key for key, _ in each] for each in tables], depth - 1)
        values = await self._nested([[value for _, value in each] for each in tables], depth - 1)
        return [
            {key if isinstance(key, str) else str(key): value for key, value in zip(own, of, strict=True)}
            for own, of in zip(keys, values, strict=True)
        ]

    async def _nested(self, lists: Sequence[Sequence[Raw]], depth: int) -> list[list[Any]]:
        """Return lists of values, all read together."""
        read = iter(await self.plain([one for each in lists for one in each], depth))
        return [[next(read) for _ in each] for each in lists]


def _table(rows: list[Any]) -> Any:
    """Return the rows of a table; of one that stands for a map, its entries."""
    if rows and all(isinstance(each, dict) and each.keys() == {"key", "value"} for each in rows):
        keys = [each["key"] for each in rows]
        if all(isinstance(each, str) for each in keys):
            return {each["key"]: each["value"] for each in rows}
    return rows


def _box(code: str, value: Raw) -> Any:
    if code == "C" and isinstance(value, int):
        return chr(value)
    return bool(value) if code == "Z" else value


async def argument(calls: UtilityCalls, type_name: str, text: str) -> Raw:
    """Return an object of the target made of a text, for a parameter or an attribute of this type, in Java's or the
    VM's spelling. Raises UsageError for a text that is none of it, or a type that cannot be made. wire: 1 or 2 trips.
    """
    name = java_name(type_name.replace(".", "/")) if type_name.startswith("[") else type_name
    if text == "null" and name not in {short for _, short in BOXES.values()}:
        return None
    if name.endswith("[]"):
        if not (text.startswith("[") and text.endswith("]")):
            raise UsageError(f"'{text}' is not an array", hint="[a, b, c]: elements in brackets")
        parts = [part.strip() for part in text[1:-1].split(",")] if text[1:-1].strip() else []
        if name != "java.lang.String[]":
            raise UsageError(f"{name} cannot be given here", hint="'print' with an expression can make it")
        made = await calls.strings([_unquoted(part) for part in parts])
        return await calls.array_of("java.lang.String[]", made, "Ljava/lang/String;")
    if name in ("java.lang.String", "java.lang.Object"):
        return (await calls.strings([_unquoted(text)]))[0]
    if name == "javax.management.ObjectName":
        signature = "(Ljava/lang/String;)Ljavax/management/ObjectName;"
        return await calls.static(name, "getInstance", signature, _unquoted(text))
    for box, (code, short) in BOXES.items():
        if name in (box, short):
            value = _number(code, short, text)
            return await calls.static(box, "valueOf", f"({code})L{box.replace('.', '/')};", value)
    raise UsageError(f"{name} cannot be given here", hint="texts, numbers, booleans and lists of texts can")


def _number(code: str, name: str, text: str) -> Raw:
    try:
        if code == "Z":
            return {"true": True, "false": False}[text.lower()]
        if code == "C":
            return ord(_unquoted(text))
        if code in "FD":
            return float(text.rstrip("dDfF"))
        value = int(re.sub(r"[lL_]", "", text), 0)
        bits = {"B": 8, "S": 16, "I": 32, "J": 64}[code] - 1
        if -(1 << bits) <= value < 1 << bits:
            return value
    except (KeyError, ValueError, TypeError):
        pass
    raise UsageError(f"'{text}' is not of type {name}")


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
