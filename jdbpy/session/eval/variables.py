"""The debugger's own variables: ``$name``, the history ``$1``, ``$2``... and ``$_``, and what stops set (``$exc``).

Owns their names and values. They belong to a session and outlive stops; an object is kept by its id only, so it may be
collected by the target unless it was saved under a name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from jdbpy.errors import EvalError, ReadOnlyError
from jdbpy.session.eval.operands import Elements, Entry, Operand
from jdbpy.session.eval.ops.base import VariableStore
from jdbpy.session.eval.target import Raw, Ref, from_wire
from jdbpy.session.events.conditions import Given
from jdbpy.session.java.descriptors import read_type
from jdbpy.session.java.types import BY_TAG, LATE, VOID
from jdbpy.session.model.values import ValueInfo

HIT_NAMES = frozenset(("exc", "ret", "old", "new", "cost"))
"""Names of what a hit or a stop brings."""

OWN_NAMES = HIT_NAMES | {"_", "this"}
"""Names that the debugger sets itself; a number is the history's."""


class DebuggerVariables:
    """Values by name, without the ``$``."""

    def __init__(self) -> None:
        self._values: dict[str, Operand] = {}
        self._history: dict[str, Operand] = {}  # by number; it only grows, so nothing goes through all of it
        self._holders: dict[int, list[str]] = {}  # the numbers of the history by the ids of their objects
        self._count = 0
        self._released: set[str] = set()

    def get(self, name: str) -> Operand | None:
        """Return the value of a variable, None if it has none. Raises EvalError for one of the history that was
        released."""
        if name in self._released:
            raise EvalError(
                f"the object of ${name} is not kept any more: a method has made it, and others have made later ones",
                hint="evaluate it again; 'save NAME EXPRESSION' keeps an object",
                code="RELEASED",
            )
        return self._history.get(name) if name.isdecimal() else self._values.get(name)

    def set(self, name: str, value: Operand) -> None:
        """Give a variable a value."""
        self._values[name] = value

    def remove(self, name: str) -> None:
        """Take a variable away; one that is not there is no error."""
        self._values.pop(name, None)

    def names(self) -> list[str]:
        """Return the names of all variables that have a value, history left out."""
        return sorted(self._values)

    def history(self, count: int) -> list[tuple[str, Operand]]:
        """Return the last results with their numbers, oldest first; as many as are asked for."""
        first = max(1, self._count - count + 1)
        names = [str(number) for number in range(first, self._count + 1)]
        return [(name, self._history[name]) for name in names if name not in self._released]

    def named_objects(self) -> frozenset[int]:
        """Return the ids of the objects that variables refer to, those of the history left out."""
        return frozenset(each for name in self.names() for each in objects_of_name(self, name))

    def release(self, objects: Collection[int]) -> None:
        """Forget these objects in the history."""
        for name in {name for each in objects for name in self._holders.pop(each, ())} - self._released:
            del self._history[name]
            self._released.add(name)

    def set_raw(self, name: str, value: Raw) -> None:
        """Set what the debugger itself provides, such as the exception of a stop."""
        self._values[name] = Operand(LATE, value)

    def set_described(self, name: str, value: ValueInfo) -> None:
        """Set a variable to a value that was described before, such as the return value of a stop."""
        kind = BY_TAG.get(value.tag)
        if kind is None:
            self.set_raw(name, Ref(value.id, ord(value.tag)) if value.id else None)
        elif kind is not VOID:
            raw = ord(value.raw) if isinstance(value.raw, str) else value.raw
            self._values[name] = Operand(kind, raw)

    def record(self, value: Operand) -> int:
        """Take a result into the history; return its number."""
        self._count += 1
        name = str(self._count)
        self._history[name] = self._values["_"] = value
        for each in set(objects_of(value)):
            self._holders.setdefault(each, []).append(name)
        return self._count


class ClientVariables(DebuggerVariables):
    """The variables of one client of a shared session: its own history and values of stops, and the names of all."""

    def __init__(self, shared: DebuggerVariables) -> None:
        super().__init__()
        self._shared = shared

    def get(self, name: str) -> Operand | None:
        """Return the value of a variable, None if it has none. Raises EvalError for one of the history that was
        released."""
        return super().get(name) if _is_own(name) else self._shared.get(name)

    def set(self, name: str, value: Operand) -> None:
        """Give a variable a value."""
        if _is_own(name):
            super().set(name, value)
        else:
            self._shared.set(name, value)

    def remove(self, name: str) -> None:
        """Take a variable away; one that is not there is no error."""
        if _is_own(name):
            super().remove(name)
        else:
            self._shared.remove(name)

    def names(self) -> list[str]:
        """Return the names of all variables that have a value, history left out."""
        shared = [name for name in self._shared.names() if not _is_own(name)]
        return sorted([*super().names(), *shared])


def objects_of_name(variables: DebuggerVariables, name: str) -> Iterator[int]:
    """Return the ids of the objects that a variable refers to."""
    operand = variables.get(name)
    return iter(()) if operand is None else objects_of(operand)


def _is_own(name: str) -> bool:
    return name in OWN_NAMES or name.isdecimal()


def objects_of(operand: Operand) -> Iterator[int]:
    """Return the ids of the objects of the target that a value refers to."""
    match operand.value:
        case Ref(id=number):
            yield number
        case Elements(elements=elements):
            for each in elements:
                yield from objects_of(each)
        case Entry(key=key, value=value):
            yield from objects_of(key)
            yield from objects_of(value)


class ReadOnlyVariables:
    """The debugger's variables as a read-only evaluation has them: it gives none of them a value."""

    def __init__(self, others: VariableStore) -> None:
        self._others = others

    def get(self, name: str) -> Operand | None:
        """Return the value of a variable, None if it has none."""
        return self._others.get(name)

    def set(self, name: str, value: Operand) -> None:
        """Raises ReadOnlyError."""
        raise ReadOnlyError(
            f"refused: setting ${name} is a side effect, and this evaluation is read-only",
            hint="evaluate it in the console or as a watch",
        )


class HitVariables:
    """The variables of an expression at a hit: what the hit brings, and the debugger's others. What an earlier stop has
    brought is not among them."""

    def __init__(self, others: VariableStore, given: Given) -> None:
        self._others = others
        self._own = {
            name: Operand(read_type(signature) if signature else LATE, from_wire(value))
            for name, (value, signature) in given.items()
        }

    def get(self, name: str) -> Operand | None:
        """Return the value of a variable, None if it has none."""
        return self._own.get(name) if name in HIT_NAMES else self._others.get(name)

    def set(self, name: str, value: Operand) -> None:
        """Give a variable of the debugger a value."""
        self._others.set(name, value)
