"""How objects of a class are made in source: what is known of its constructors, setters and fields. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jdbpy.record import Record
from jdbpy.session.java.signatures import split_method

_PUBLIC, _PRIVATE, _STATIC, _ABSTRACT, _SYNTHETIC = 0x1, 0x2, 0x8, 0x400, 0x1000
_MOST_MEMBERS = 2_000


class ShapeMember(Record):
    """A field or method as its class declares it."""

    name: str
    signature: str
    modifiers: int

    @property
    def is_static(self) -> bool:
        return bool(self.modifiers & _STATIC)

    @property
    def is_private(self) -> bool:
        return bool(self.modifiers & _PRIVATE)

    @property
    def is_synthetic(self) -> bool:
        return bool(self.modifiers & _SYNTHETIC)


class SourceShape(Record):
    """A class: ``fields`` are those of its objects, inherited ones too, ``methods`` its own and inherited ones."""

    name: str
    modifiers: int
    superclass: str
    fields: tuple[ShapeMember, ...]
    methods: tuple[ShapeMember, ...]

    @property
    def is_record(self) -> bool:
        return self.superclass == "java.lang.Record"

    @property
    def is_abstract(self) -> bool:
        return bool(self.modifiers & _ABSTRACT)

    @property
    def is_private(self) -> bool:
        return bool(self.modifiers & _PRIVATE)

    def method(self, name: str, signature: str) -> ShapeMember | None:
        """Return a method; None if it has none that is like that."""
        return next((each for each in self.methods if (each.name, each.signature) == (name, signature)), None)

    def usable(self, member: ShapeMember | None, package: str) -> bool:
        """True if source in a package may use a member of this class."""
        if member is None or member.is_private:
            return False
        return bool(member.modifiers & _PUBLIC) or package == self.name.rpartition(".")[0]

    @property
    def takes_all(self) -> ShapeMember | None:
        """Return the constructor that takes all fields in their order; None if there is none, or nothing to take."""
        wanted = [each.signature for each in self.fields]
        found = (
            each for each in self.methods if each.name == "<init>" and [*split_method(each.signature)[0]] == wanted
        )
        return next(found, None) if wanted else None

    def setter(self, field: ShapeMember) -> ShapeMember | None:
        """Return the method that sets a field, by its name: ``setTotal``."""
        name = f"set{field.name[:1].upper()}{field.name[1:]}"
        found = (each for each in self.methods if each.name == name and not each.is_static)
        return next((each for each in found if [*split_method(each.signature)[0]] == [field.signature]), None)


def shape_lines(shape: SourceShape) -> dict[str, Any]:
    """Return a shape as JSON has it."""
    return {
        "shape": shape.name,
        "modifiers": shape.modifiers,
        "superclass": shape.superclass,
        "fields": [[each.name, each.signature, each.modifiers] for each in shape.fields],
        "methods": [[each.name, each.signature, each.modifiers] for each in shape.methods],
    }


def read_shape(one: Mapping[str, Any]) -> SourceShape:
    """Return a shape of JSON. Raises ValueError, KeyError, TypeError."""

    def members(rows: Sequence[Any]) -> tuple[ShapeMember, ...]:
        if not isinstance(rows, list) or len(rows) > _MOST_MEMBERS:
            raise ValueError("its members make no sense")
        return tuple(ShapeMember(str(name), str(signature), int(bits)) for name, signature, bits in rows)

    return SourceShape(
        str(one["shape"]),
        int(one["modifiers"]),
        str(one["superclass"]),
        members(one["fields"]),
        members(one["methods"]),
    )
