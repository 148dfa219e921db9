"""Values of the target as objects that can be asked: text, fields, elements, chains, and the whole as Python.

Made by ./dev generate from jdbpy/api/values.py; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jdbpy.api import values as inner
from jdbpy.session.values.queries import MOST_CHARACTERS, MOST_NODES, MOST_VALUES
from jdbpy.sync import portal

if TYPE_CHECKING:
    from jdbpy.session.model.values import ValueInfo
    from jdbpy.sync.parts import Chain, Children


class Value(portal.SyncedHtml):
    """A value of the target as it was when it was read, which can be asked for more.

    ``str(value)`` is what ``print`` shows: the literal as Java would write it, of an object a short description. A
    question about an object is answered as the object is then; a collected one raises JdwpError with the code
    INVALID_OBJECT. ``name`` is how it is called where it comes from (a variable, a field, ``[3]``), ``key`` the key of
    an entry of a map, None for all others.
    """

    __slots__ = ()

    @property
    def record(self) -> ValueInfo:
        """As of ``jdbpy.api.Value``."""
        found: ValueInfo = self._wrap(self._inner.record)
        return found

    @property
    def name(self) -> str:
        """As of ``jdbpy.api.Value``."""
        found: str = self._wrap(self._inner.name)
        return found

    @property
    def key(self) -> Value | None:
        """As of ``jdbpy.api.Value``."""
        found: Value | None = self._wrap(self._inner.key)
        return found

    @property
    def type(self) -> str:
        """Return the type as in source: ``int``, ``java.lang.String``, ``com.acme.Order[]``; of an object its own
        class."""
        found: str = self._wrap(self._inner.type)
        return found

    @property
    def id(self) -> int:
        """Return the JDWP object id. Raises UsageError for null and for what is not an object. No trip."""
        found: int = self._wrap(self._inner.id)
        return found

    @property
    def text(self) -> str:
        """Return the value in a line, as ``print`` shows it: a literal of Java or a short description; cut if it is
        long."""
        found: str = self._wrap(self._inner.text)
        return found

    @property
    def is_null(self) -> bool:
        """True for Java's null."""
        found: bool = self._wrap(self._inner.is_null)
        return found

    @property
    def is_object(self) -> bool:
        """True for an object of the target, arrays and strings included."""
        found: bool = self._wrap(self._inner.is_object)
        return found

    @property
    def length(self) -> int:
        """Characters (UTF-16 units) of a string, elements of an array or a collection that is known.

        Raises UsageError for anything else. No trip.
        """
        found: int = self._wrap(self._inner.length)
        return found

    @property
    def string(self) -> str:
        """Return the whole text of a java.lang.String, of up to 1,000,000 characters: ``read_string`` with its
        limit."""
        found: str = self._ask(self._inner.string)
        return found

    def read_string(self, most: int = MOST_CHARACTERS) -> str:
        """Return the whole text of a java.lang.String. Raises UsageError for what is none, and for one of more than
        ``most`` characters. wire: none for short texts, else 2 trips; 3 for many neighbors together.
        """
        found: str = self._await(lambda: self._inner.read_string(most))
        return found

    def python(self, depth: int = 4, most: int = MOST_VALUES, longest: int = MOST_CHARACTERS) -> Any:
        """Return the value as a Python object, with all that it refers to: see ``jdbpy.values.JavaObject`` for what
        becomes what.

        ``depth`` is how many objects deep it may go, ``most`` how many values it may have, ``longest`` how many
        characters a text. Raises UsageError where there is more (TOO_DEEP, TOO_MANY, TOO_LONG): nothing is cut. wire:
        none for primitives and short strings, else 2 to 5 trips a level, whatever the number of objects.
        """
        return self._await(lambda: self._inner.python(depth, most, longest))

    def __getitem__(self, key: str | int) -> Value:
        """Return a field by its name, an element by its index from 0, or the value of a text key in a map.

        Raises UsageError when there is none. wire: 1 trip for a field of a class that is known, 2 or 3 else; for all
        neighbors together.
        """
        found: Value = self._ask(self._inner[key])
        return found

    def field(self, name: str) -> Value:
        """Return the instance field of that name, as ``[name]`` does; also of a collection, whose ``[...]`` are its
        elements."""
        found: Value = self._ask(self._inner.field(name))
        return found

    @property
    def fields(self) -> dict[str, Value]:
        """Return all instance fields by name, those of the object's own class first; a hidden one of a superclass is
        left out.

        wire: 2 to 4 trips.
        """
        found: dict[str, Value] = self._ask(self._inner.fields)
        return found

    @property
    def children(self) -> Children:
        """Return what it consists of, page by page: elements, entries of a map with their ``key``, fields of other
        objects.
        """
        found: Children = self._wrap(self._inner.children)
        return found

    def follow(self, link: str, *, most: int = MOST_NODES, walk_heap: bool = True) -> Chain:
        """Return the objects from this one along the field ``link``, this one first, up to null or round a circle once.

        Raises UsageError when there are more than ``most``. To follow a long chain in a few trips all instances of its
        class are looked for: the target is suspended while its heap is walked, some 10 ms for a small heap and seconds
        for a large one. ``walk_heap=False`` follows it node by node, a trip each.
        """
        found: Chain = self._wrap(self._inner.follow(link, most=most, walk_heap=walk_heap))
        return found

    def to_string(self) -> str:
        """Return what the object's ``toString()`` returns, run in the thread that is selected. Raises StateError when
        no thread can run it. wire: 2 trips or more, and the target's own time.
        """
        found: str = self._await(lambda: self._inner.to_string())
        return found

    def lock(self) -> Any:
        """Return who owns the object's monitor, or the ``java.util.concurrent`` lock that it is, and who waits.

        Returns ``jdbpy.locks.LockState``. wire: 3 trips.
        """
        return self._await(lambda: self._inner.lock())

    def to_dict(self) -> dict[str, Any]:
        """Return its JSON object, as the command line gives it: ``docs/json.md``. No trip."""
        found: dict[str, Any] = self._wrap(self._inner.to_dict())
        return found

    def to_json(self) -> str:
        """``to_dict`` as a text of ASCII. No trip."""
        found: str = self._wrap(self._inner.to_json())
        return found


portal.register(inner.Value, Value)
