"""An object as a view sees it: fields by name, elements, texts, and the objects that they lead to.

A view names fields; whether the class has them is found out here, and a field that is missing means that the class is
laid out in a way this view does not know (another release of the JDK, another VM): ``UnknownLayout``.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from jdbpy.errors import JdwpError
from jdbpy.session.java.generics import source_type
from jdbpy.session.java.signatures import java_name
from jdbpy.session.jvm.reading import gather
from jdbpy.session.jvm.refs import Field
from jdbpy.session.values.reader import ClassLayout, Reader
from jdbpy.session.values.shown import Part, Shown, UnknownLayout
from jdbpy.session.values.walk import LEFT_OUT
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue
from jdbpy.wire.layout import OBJECT_TAGS

Show = Callable[[int, int], Coroutine[Any, Any, Shown]]
"""Shows another object, given its id and how many elements are wanted."""


class Obj:
    """One object, to be read by the view of one of its classes.

    ``view_class`` is the class that the view is for, ``below`` are the object's own class and what is between the two,
    lowest first. ``want`` says how many elements are going to be shown: with 0 it is enough to tell the size. The first
    ``skip`` of them are passed over: they may be as they were when they were read.
    ``text_limit`` is the same for characters.
    """

    def __init__(
        self,
        reader: Reader,
        object_id: int,
        chain: Sequence[ClassLayout],
        want: int,
        text_limit: int,
        show: Show,
        skip: int = 0,
    ) -> None:
        self.reader = reader
        self.id = object_id
        self.below = tuple(chain[:-1])
        self.view_class = chain[-1]
        self.want = want
        self.skip = skip
        self.text_limit = text_limit
        self._show = show

    @property
    def name(self) -> str:
        """Return the object's class at run time."""
        return self.below[0].name if self.below else self.view_class.name

    def has(self, name: str) -> bool:
        """True if the class of the view declares an instance field of that name."""
        return self.view_class.field(name) is not None

    async def read(self, *names: str) -> list[TaggedValue]:
        """Values of instance fields of the view's class or its superclasses. Raises UnknownLayout."""
        return await self.reader.fields(self.id, await find_fields(self.reader, self.view_class, names))

    async def get(self, name: str) -> TaggedValue:
        """Return the value of one instance field."""
        [value] = await self.read(name)
        return value

    async def own_parts(self) -> list[Part]:
        """Return the instance fields that the classes below the view's class declare, those of the highest first."""
        fields = [field for shape in reversed(self.below) for field in shape.fields if not field.is_static]
        values = await self.reader.fields(self.id, fields)
        return [Part(field.name, value, source_type(field)) for field, value in zip(fields, values, strict=True)]

    async def node_class(self, field: str) -> ClassLayout | None:
        """Return the class that a field of the JDK's own classes is declared with, or its array's element class.

        None while it is not loaded.

        Objects reached through that field can be read with it, whatever subclass they are of.
        """
        [declared] = await find_fields(self.reader, self.view_class, [field])
        name = java_name(declared.signature.lstrip("["))
        if not self.view_class.name.startswith(("java.", "jdk.", "sun.")):
            raise UnknownLayout(f"{self.view_class.name} is not a class of the JDK")
        return await self.reader.boot_class(name)

    async def text(self, value: TaggedValue) -> str | None:
        """Return the characters of a string value, None for null."""
        if value.value and value.tag != Tag.STRING:
            raise UnknownLayout("expected a string")
        return await self.reader.text(int(value.value)) if value.value else None

    async def texts(self, values: Sequence[TaggedValue]) -> list[str | None]:
        """Return the characters of several strings, side by side."""
        return await gather([self.text(value) for value in values])

    async def show(self, value: TaggedValue, want: int | None = None) -> Shown:
        """Return what the view of another object makes of it; for views that delegate. Raises UnknownLayout
        for null.
        """
        return await self._show(reference(value), self.want if want is None else want)

    async def elements(self, array: TaggedValue, start: int = 0, count: int | None = None) -> list[TaggedValue]:
        """Elements of an array value; by default all of it. ``start + count`` must not exceed its length."""
        array_id = reference(array)
        if count is None:
            return (await self.reader.whole(array_id))[start:]
        return await self.reader.elements(array_id, start, count)

    async def object_fields(self, value: TaggedValue, *names: str) -> list[TaggedValue]:
        """Fields of another object, found from its own class upwards. Raises UnknownLayout."""
        return await named_fields(self.reader, reference(value), names)


async def named_fields(reader: Reader, object_id: int, names: Sequence[str]) -> list[TaggedValue]:
    """Fields of an object by name, found from its own class upwards. Raises UnknownLayout."""
    shape = await reader.shape(await reader.type_id(object_id))
    return await reader.fields(object_id, await find_fields(reader, shape, names))


async def find_fields(reader: Reader, shape: ClassLayout, names: Sequence[str]) -> list[Field]:
    """Instance fields by name, each from the nearest class of the chain that declares it. Raises UnknownLayout."""
    found: dict[str, Field] = {}
    current: ClassLayout | None = shape
    while current is not None:
        for name in names:
            field = current.field(name)
            if field is not None:
                found.setdefault(name, field)
        if len(found) == len(set(names)):
            return [found[name] for name in names]
        current = await reader.shape(current.superclass) if current.superclass else None
    missing = next(name for name in names if name not in found)
    raise UnknownLayout(f"no field {missing}")


def number(value: TaggedValue) -> int:
    """Return the number of a value of integral type. Raises UnknownLayout for others."""
    if not isinstance(value.value, int) or value.tag in OBJECT_TAGS:
        raise UnknownLayout("expected a number")
    return int(value.value)


def reference(value: TaggedValue) -> int:
    """Return the id of an object or array value. Raises UnknownLayout for null and primitives."""
    if value.tag not in OBJECT_TAGS or not value.value:
        raise UnknownLayout("expected an object")
    return int(value.value)


def readable(outcome: Any) -> list[TaggedValue]:
    """Return the values that ``Reader.fields_of_all`` gave for one object.

    Raises UnknownLayout when it is gone, JdwpError where a snapshot does not have it.
    """
    if isinstance(outcome, JdwpError):
        if outcome.number in LEFT_OUT:
            raise outcome
        raise UnknownLayout("it changed while it was read")
    values: list[TaggedValue] = outcome
    return values
