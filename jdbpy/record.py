"""Record: small immutable-by-convention data classes that cost almost nothing until they are used.

Owns the one way in which jdbpy declares plain data: wire messages, the session's model, the results of commands.
``dataclasses`` generates code for every class at import time: 140 ms for the 250 classes of the protocol; a Record
writes its ``__init__`` when the first instance is made, so importing all of them costs about 3 ms.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self, dataclass_transform

_MISSING: Any = object()


@dataclass_transform(frozen_default=True)
class RecordMeta(type):
    """Turns the annotations of a class body into slots and an ``__init__`` that is generated on first use."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any) -> RecordMeta:
        own = [
            field
            for field, hint in namespace.get("__annotations__", {}).items()
            if not str(hint).startswith(("ClassVar", "typing.ClassVar"))
        ]
        inherited: tuple[str, ...] = ()
        defaults: dict[str, Any] = {}
        for base in bases:
            inherited += getattr(base, "__fields__", ())
            defaults.update(getattr(base, "__defaults__", {}))
        for field in own:
            value = namespace.pop(field, _MISSING)
            if value is not _MISSING:
                defaults[field] = value
        namespace["__slots__"] = tuple(own)
        namespace["__fields__"] = namespace["__match_args__"] = inherited + tuple(own)
        namespace["__defaults__"] = defaults
        if "__init__" not in namespace:
            namespace["__init__"] = _first_init
        return super().__new__(mcs, name, bases, namespace, **kwargs)


def _first_init(self: Any, *args: Any, **kwargs: Any) -> None:
    """Stands in for ``__init__`` until the first instance is made, then writes the real one."""
    cls = type(self)
    for owner in cls.__mro__:
        if owner.__dict__.get("__init__") is _first_init:
            _write_init(owner)
    cls.__init__(self, *args, **kwargs)


def _write_init(cls: Any) -> None:
    """Writes ``__init__`` of cls: one assignment a field (a plain store is twice as fast as a guarded one)."""
    fields, defaults = cls.__fields__, cls.__defaults__
    scope: dict[str, Any] = {f"_d_{field}": defaults[field] for field in fields if field in defaults}
    parameters = ", ".join(f"{field}=_d_{field}" if field in defaults else field for field in fields)
    body = "\n".join(f"    self.{field} = {field}" for field in fields) or "    pass"
    exec(f"def __init__(self{', ' if parameters else ''}{parameters}):\n{body}\n", scope)
    cls.__init__ = scope["__init__"]


class Record(metaclass=RecordMeta):
    """Base of plain data: slots, keyword or positional construction, equality, hash, repr and ``match`` by field.

    Type checkers treat a Record as frozen; at run time nothing stops a store, because the check would double the cost
    of decoding. Fields with a default must be immutable values.
    """

    __fields__: ClassVar[tuple[str, ...]]
    __match_args__: ClassVar[tuple[str, ...]]
    __defaults__: ClassVar[dict[str, Any]]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, field) == getattr(other, field) for field in self.__fields__)

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, field) for field in self.__fields__)))

    def __repr__(self) -> str:
        fields = ", ".join(f"{field}={getattr(self, field)!r}" for field in self.__fields__)
        return f"{type(self).__name__}({fields})"

    def __iter_fields__(self) -> Iterator[tuple[str, Any]]:
        """Yields (field, value) in the order of declaration."""
        for field in self.__fields__:
            yield field, getattr(self, field)

    def to_dict(self) -> dict[str, Any]:
        """Return its JSON object, as the command line gives it (``docs/json.md``). Raises TypeError if it has none."""
        from jdbpy.json_form import encode

        return encode(self)

    def to_json(self) -> str:
        """Return its JSON object as a text of ASCII. Raises TypeError if it has no JSON form."""
        import json

        return json.dumps(self.to_dict(), separators=(",", ":"))

    def replace(self, **changes: Any) -> Self:
        """Return a copy with the given fields changed. Raises TypeError for a field that there is not."""
        return type(self)(**{**dict(self.__iter_fields__()), **changes})
