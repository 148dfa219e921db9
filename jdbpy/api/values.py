"""Values of the target as objects that can be asked: text, fields, elements, chains, and the whole as Python.

Elements, nodes and entries know their neighbors (``parts``): one question is put for all of them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from decimal import Decimal
from html import escape as escape_html
from typing import Any

from jdbpy.api.core import Core
from jdbpy.api.lazy import Lazy
from jdbpy.api.parts import Chain, Children, Peers
from jdbpy.errors import JdbpyError, JdwpError, StateError, UsageError
from jdbpy.session.java.literals import unescape
from jdbpy.session.java.texts import string_literal
from jdbpy.session.model.threads import FrameInfo
from jdbpy.session.model.values import Limits, ValueInfo, Variable
from jdbpy.session.values.queries import MOST_CHARACTERS, MOST_NODES, MOST_VALUES, SHALLOW, too_long

_MOST_AHEAD = 4096
"""Characters of a text that is read because a neighbor's was."""

_NO_OBJECT = frozenset("s[c")


class Value:
    """A value of the target as it was when it was read, which can be asked for more.

    ``str(value)`` is what ``print`` shows: the literal as Java would write it, of an object a short description. A
    question about an object is answered as the object is then; a collected one raises JdwpError with the code
    INVALID_OBJECT. ``name`` is how it is called where it comes from (a variable, a field, ``[3]``), ``key`` the key of
    an entry of a map, None for all others.
    """

    __slots__ = ("_core", "_index", "_peers", "key", "name", "record")

    def __init__(
        self,
        core: Core,
        record: ValueInfo,
        name: str = "",
        key: Value | None = None,
        peers: Peers | None = None,
    ) -> None:
        self._core = core
        self.record = record
        self.name = name
        self.key = key
        self._index = 0
        self._peers = peers if peers is not None else Peers(core)
        self._index = len(self._peers.values)
        self._peers.values.append(self)

    # What it is. No trip.

    @property
    def type(self) -> str:
        """Return the type as in source: ``int``, ``java.lang.String``, ``com.acme.Order[]``; of an object its own
        class."""
        return self.record.type

    @property
    def id(self) -> int:
        """Return the JDWP object id. Raises UsageError for null and for what is not an object. No trip."""
        if self.record.id is None:
            raise UsageError(f"{self._called} is not an object of the target: it is {self.text}", code="NO_OBJECT")
        return self.record.id

    @property
    def text(self) -> str:
        """Return the value in a line, as ``print`` shows it: a literal of Java or a short description; cut if it is
        long."""
        return self.record.text

    @property
    def is_null(self) -> bool:
        """True for Java's null."""
        return self.record.id is None and self.record.text == "null"

    @property
    def is_object(self) -> bool:
        """True for an object of the target, arrays and strings included."""
        return self.record.id is not None

    @property
    def length(self) -> int:
        """Characters (UTF-16 units) of a string, elements of an array or a collection that is known.

        Raises UsageError for anything else. No trip.
        """
        if self.record.length is None:
            raise UsageError(f"{self._called} has no length: it is {self.text}", code="NO_LENGTH")
        return self.record.length

    # Its text, and the whole of it

    @property
    def string(self) -> Lazy[str]:
        """Return the whole text of a java.lang.String, of up to 1,000,000 characters: ``read_string`` with its
        limit."""
        return Lazy(self.read_string, self._short_string)

    async def read_string(self, most: int = MOST_CHARACTERS) -> str:
        """Return the whole text of a java.lang.String. Raises UsageError for what is none, and for one of more than
        ``most`` characters. wire: none for short texts, else 2 trips; 3 for many neighbors together.
        """
        known = self._short_string()
        if known is None or len(known) > most:
            if known is not None:
                raise too_long(len(known), most)
            if self.record.tag != "s":
                raise UsageError(f"{self._called} is not a string: it is {self._described}", code="NO_STRING")
            if self.record.id is None:
                raise too_long(self.record.length or 0, most)
            known = _or_raise(await self._peers.ask(("string", most), self._index, self._strings(most), _is_short))
        return known

    def _short_string(self) -> str | None:
        """Return the text if it came with the value. No trip."""
        if self.record.tag != "s" or self.record.truncated:
            answer = self._peers.known(("string", MOST_CHARACTERS), self._index)
            return answer if isinstance(answer, str) else None
        return unescape(self.record.text[1:-1])

    def _strings(self, most: int) -> Callable[[Sequence[Value]], Awaitable[Sequence[str | JdbpyError]]]:
        return lambda values: self._core.session.objects.texts([each.id for each in values], most)

    async def python(self, depth: int = 4, most: int = MOST_VALUES, longest: int = MOST_CHARACTERS) -> Any:
        """Return the value as a Python object, with all that it refers to: see ``jdbpy.values.JavaObject`` for what
        becomes what.

        ``depth`` is how many objects deep it may go, ``most`` how many values it may have, ``longest`` how many
        characters a text. Raises UsageError where there is more (TOO_DEEP, TOO_MANY, TOO_LONG): nothing is cut. wire:
        none for primitives and short strings, else 2 to 5 trips a level, whatever the number of objects.
        """
        known = self._plain()
        if known is not _UNKNOWN:
            return known
        question = ("python", depth, most, longest)

        async def read(values: Sequence[Value]) -> Sequence[Any]:
            objects = self._core.session.objects
            records = [each.record for each in values]
            try:
                found = await objects.python(records, depth=depth, most=most, longest=longest)
            except (UsageError, JdwpError):  # of one of the neighbors, perhaps
                own = [place for place, each in enumerate(values) if each is self]
                found = [_UNKNOWN] * len(values)
                [found[own[0]]] = await objects.python([self.record], depth=depth, most=most, longest=longest)
            return [_Found(each) for each in found]

        answer = await self._peers.ask(question, self._index, read, _is_asked_whole)
        if answer.value is _UNKNOWN:
            [answer] = await read([self])
        return answer.value

    def _plain(self) -> Any:
        """Return the Python value of what is not an object or a short string. No trip."""
        record = self.record
        if self.is_null or record.tag == "V":
            return None
        if record.tag == "s":
            text = self._short_string()
            return _UNKNOWN if text is None else text
        if record.id is None and record.tag not in "L[":
            return record.raw
        make = _BY_TEXT.get(record.type)  # these never change: what came with a hit is good when the object is gone
        return make(record.text) if make is not None and len(record.text) < SHALLOW.string else _UNKNOWN

    # What is in it

    def __getitem__(self, key: str | int) -> LazyValue:
        """Return a field by its name, an element by its index from 0, or the value of a text key in a map.

        Raises UsageError when there is none. wire: 1 trip for a field of a class that is known, 2 or 3 else; for all
        neighbors together.
        """
        if isinstance(key, int):
            return LazyValue(lambda: self._element(key))
        return LazyValue(lambda: self._member(key), lambda: self._known_field(key))

    def field(self, name: str) -> LazyValue:
        """Return the instance field of that name, as ``[name]`` does; also of a collection, whose ``[...]`` are its
        elements."""
        return LazyValue(lambda: self._field(name), lambda: self._known_field(name))

    def _known_field(self, name: str) -> Value | None:
        answer = self._peers.known(("field", name), self._index)
        return answer if isinstance(answer, Value) else None

    async def _member(self, name: str) -> Value:
        if self.type.startswith("java.") and self.record.tag == "L":
            part = await self._core.session.objects.part(self.record, 0, MOST_VALUES)
            if part is not None and part.is_map:
                wanted = [each for each in part.items if each.key is not None and _is_text(each.key, name)]
                if not wanted:
                    raise UsageError(f"{self._called} has no key '{name}'", code="NO_SUCH_KEY")
                return value_of(self._core, wanted[0])
        return await self._field(name)

    async def _field(self, name: str) -> Value:
        if self.record.id is None or self.record.tag in _NO_OBJECT:
            raise UsageError(f"{self._called} has no fields: it is {self._described}", code="NO_OBJECT")

        async def read(values: Sequence[Value]) -> Sequence[Value | JdbpyError]:
            found = await self._core.session.objects.field([each.id for each in values], name)
            peers = Peers(self._core)
            return [each if isinstance(each, JdbpyError) else value_of(self._core, each, peers=peers) for each in found]

        answer: Value = _or_raise(await self._peers.ask(("field", name), self._index, read, _has_fields))
        return answer

    async def _element(self, index: int) -> Value:
        if index < 0:
            index += self.length
        part = await self._part(index, 1) if index >= 0 else None
        if part is None or not part.items:
            size = f" ({self.record.length} elements)" if self.record.length is not None else ""
            raise UsageError(f"{self._called} has no element {index}{size}", code="NO_SUCH_ELEMENT")
        return value_of(self._core, part.items[0])

    async def _part(self, start: int, count: int) -> Any:
        if self.record.tag == "[" and self.record.length is not None:
            count = max(0, min(count, self.record.length - start))
        part = await self._core.session.objects.part(self.record, start, count)
        if part is None:
            raise UsageError(f"{self._called} has no elements: it is {self._described}", code="NO_ELEMENTS")
        return part

    @property
    def fields(self) -> Lazy[dict[str, Value]]:
        """Return all instance fields by name, those of the object's own class first; a hidden one of a superclass is
        left out.

        wire: 2 to 4 trips.
        """
        return Lazy(self._fields)

    async def _fields(self) -> dict[str, Value]:
        if self.record.id is None or self.record.tag in _NO_OBJECT:
            raise UsageError(f"{self._called} has no fields: it is {self._described}", code="NO_OBJECT")
        found = await self._core.session.objects.fields(self.id)
        made: dict[str, Value] = {}
        for each in found:
            made.setdefault(each.name, value_of(self._core, each))
        return made

    @property
    def children(self) -> Children:
        """Return what it consists of, page by page: elements, entries of a map with their ``key``, fields of other
        objects.
        """
        return Children(self, value_of)

    def follow(self, link: str, *, most: int = MOST_NODES, walk_heap: bool = True) -> Chain:
        """Return the objects from this one along the field ``link``, this one first, up to null or round a circle once.

        Raises UsageError when there are more than ``most``. To follow a long chain in a few trips all instances of its
        class are looked for: the target is suspended while its heap is walked, some 10 ms for a small heap and seconds
        for a large one. ``walk_heap=False`` follows it node by node, a trip each.
        """
        return Chain(self, link, most, walk_heap, named_value)

    async def to_string(self) -> str:
        """Return what the object's ``toString()`` returns, run in the thread that is selected. Raises StateError when
        no thread can run it. wire: 2 trips or more, and the target's own time.
        """
        value = await self._core.session.values.evaluate(
            "String.valueOf(it)", given={"it": self.record}, limits=_LONG, remember=False
        )
        return await Value(self._core, value).string

    async def lock(self) -> Any:
        """Return who owns the object's monitor, or the ``java.util.concurrent`` lock that it is, and who waits.

        Returns ``jdbpy.locks.LockState``. wire: 3 trips.
        """
        return await self._core.session.locks.state(self.id)

    def to_dict(self) -> dict[str, Any]:
        """Return its JSON object, as the command line gives it: ``docs/json.md``. No trip."""
        return self.record.to_dict()

    def to_json(self) -> str:
        """``to_dict`` as a text of ASCII. No trip."""
        return self.record.to_json()

    # How it looks

    @property
    def _called(self) -> str:
        return f"'{self.name}'" if self.name else "the value"

    @property
    def _described(self) -> str:
        return self.text if self.is_null else f"{self.type} {self.text}"

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{self.name + ': ' if self.name else ''}{self.type} {self.text}>"

    def __eq__(self, other: object) -> bool:
        """Two values are equal if Java's ``==`` says so: the same object, or the same primitive value."""
        if not isinstance(other, Value):
            return NotImplemented
        one, two = self.record, other.record
        return one.id == two.id if one.id or two.id else (one.tag, one.raw, one.text) == (two.tag, two.raw, two.text)

    def __hash__(self) -> int:
        return hash(self.record.id or (self.record.tag, self.record.raw))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    def _repr_html_(self) -> str:
        name = f"<b>{escape_html(self.name)}</b>: " if self.name else ""
        return f"{name}<i>{escape_html(self.type)}</i> <code>{escape_html(self.text)}</code>"


class LazyValue(Lazy[Value]):
    """A value that is asked for when it is awaited; it has the verbs of a value: ``await frame["a"]["b"].string``."""

    def __getitem__(self, key: str | int) -> LazyValue:
        """See ``Value``."""

        async def read() -> Value:
            return await (await self)[key]

        return LazyValue(read)

    def field(self, name: str) -> LazyValue:
        """See ``Value``."""

        async def read() -> Value:
            return await (await self).field(name)

        return LazyValue(read)

    @property
    def string(self) -> Lazy[str]:
        """See ``Value``."""

        async def read() -> str:
            return await (await self).string

        return Lazy(read)

    async def read_string(self, most: int = MOST_CHARACTERS) -> str:
        """See ``Value``."""
        return await (await self).read_string(most)

    async def python(self, depth: int = 4, most: int = MOST_VALUES, longest: int = MOST_CHARACTERS) -> Any:
        """See ``Value``."""
        return await (await self).python(depth, most, longest)

    @property
    def fields(self) -> Lazy[dict[str, Value]]:
        """See ``Value``."""

        async def read() -> dict[str, Value]:
            return await (await self).fields

        return Lazy(read)

    @property
    def children(self) -> Children:
        """See ``Value``."""
        return Children(self, value_of)

    def follow(self, link: str, *, most: int = MOST_NODES, walk_heap: bool = True) -> Chain:
        """See ``Value``."""
        return Chain(self, link, most, walk_heap, named_value)


def _character(text: str) -> str:
    return unescape(text[1:-1])


_BY_TEXT: dict[str, Callable[[str], Any]] = {
    "java.lang.Boolean": lambda text: text == "true",
    "java.lang.Byte": int,
    "java.lang.Character": _character,
    "java.lang.Double": float,
    "java.lang.Float": float,
    "java.lang.Integer": int,
    "java.lang.Long": int,
    "java.lang.Short": int,
    "java.math.BigDecimal": Decimal,
    "java.math.BigInteger": int,
}
"""The Python value of an object whose text is that value."""


class _Unknown:
    """Stands where no Python value is known yet."""


class _Found:
    """A Python value that was read, which may be None."""

    def __init__(self, value: Any) -> None:
        self.value = value


_UNKNOWN = _Unknown()
_LONG = Limits(depth=0, string=10_000)
_RESULT = Limits(depth=1, string=10_000, elements=100, fields=0)


def value_of(core: Core, variable: Variable, *, peers: Peers | None = None) -> Value:
    """Return the value of a variable that was read, with its name. Raises StateError if it could not be. No trip."""
    value = variable.value
    if value is None:
        raise StateError(f"{variable.name} cannot be read: {variable.error}", code="NOT_AVAILABLE")
    key = Value(core, variable.key) if variable.key is not None else None
    return Value(core, value, variable.name, key, peers)


def named_value(core: Core, record: ValueInfo, name: str, peers: Peers) -> Value:
    """Return a value as one of several that were read together. No trip."""
    return Value(core, record, name, peers=peers)


async def evaluated(core: Core, text: str, frame: FrameInfo | None, names: Mapping[str, object]) -> Value:
    """Return the value of an expression: what ``Frame.eval`` and ``Vm.eval`` give. wire: as these."""
    given = {name: unwrapped(value) for name, value in names.items()}
    try:
        record = await core.session.values.evaluate(
            text, frame=frame, given=given, limits=_RESULT, remember=False, keep=True
        )
    finally:
        core.wrote()
    return Value(core, record)


def unwrapped(value: object) -> Any:
    """Return a value that is handed in, with plain records for the values of the target in it."""
    if isinstance(value, Value):
        return value.record
    if isinstance(value, Mapping):
        return {unwrapped(key): unwrapped(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [unwrapped(each) for each in value]
    return {unwrapped(each) for each in value} if isinstance(value, set | frozenset) else value


def _or_raise(answer: Any) -> Any:
    if isinstance(answer, JdbpyError):
        raise answer
    return answer


def _has_fields(value: Value) -> bool:
    return value.record.id is not None and value.record.tag not in _NO_OBJECT


def _is_short(value: Value) -> bool:
    record = value.record
    return record.tag == "s" and record.id is not None and record.truncated and (record.length or 0) <= _MOST_AHEAD


def _is_asked_whole(value: Value) -> bool:
    return value._plain() is _UNKNOWN


def _is_text(key: ValueInfo, text: str) -> bool:
    return key.tag == "s" and key.text == string_literal(text)
