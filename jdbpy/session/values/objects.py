"""The parts that a target keeps for looking at its objects: one reader with its memory, and the views in force.

``Viewer`` finds the view of an object by its class chain and runs it. ``glance_at`` asks for what never changes about
objects, classes and lengths, before it is known that their contents are wanted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from jdbpy.errors import JdwpError
from jdbpy.session.model.values import Limits
from jdbpy.session.target.reading import gather, read_both
from jdbpy.session.values.obj import Obj
from jdbpy.session.values.reader import ClassLayout, Reader
from jdbpy.session.values.remembered import Remembered
from jdbpy.session.values.shown import Entries, Items, Shown, UnknownLayout
from jdbpy.session.values.strings import string_length
from jdbpy.session.values.views.registry import OF_THE_JDK
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import ReferenceTypeID, TaggedValue
from jdbpy.wire.layout import OBJECT_TAGS

if TYPE_CHECKING:
    from jdbpy.session.target.target import Target
    from jdbpy.session.values.views.registry import Registry, View


async def contents(target: Target, value: TaggedValue, most: int) -> Items | Entries | None:
    """The first ``most`` elements of an array, or of a collection whose layout is known; None for anything else.

    Read from fields: no code runs in the target. wire: 3 trips for a list, a few more for maps.
    """
    if value.tag not in OBJECT_TAGS or not value.value:
        return None
    reader = Objects.of(target).reader
    if value.tag == Tag.ARRAY:
        length = await reader.run(reader.length(int(value.value)))
        return Items(length, await reader.run(reader.elements(int(value.value), 0, min(length, most))))
    try:
        shown = await reader.run(Viewer(reader, Objects.of(target).views, Limits().string).show(int(value.value), most))
    except (UnknownLayout, JdwpError):
        return None
    return shown if isinstance(shown, (Items, Entries)) else None


class Viewer:
    """Runs the views of one registry, for one description: a class is looked at once."""

    def __init__(self, reader: Reader, views: Registry, text_limit: int) -> None:
        self._reader = reader
        self._views = views
        self._text_limit = text_limit
        self._found: dict[int, tuple[list[ClassLayout], View | None]] = {}

    async def find(self, object_id: int) -> tuple[list[ClassLayout], View | None]:
        """The object's class and those above it, up to the first that has a view, or to java.lang.Object."""
        type_id = await self._reader.type_id(object_id)
        if type_id in self._found:
            return self._found[type_id]
        chain = [await self._reader.shape(type_id)]
        while True:
            view = self._views.find(chain[-1].name)
            if view is None and not chain[-1].superclass:
                view = await self._of_interfaces(chain)
            if view is not None or not chain[-1].superclass:
                self._found[type_id] = chain, view
                return chain, view
            chain.append(await self._reader.shape(chain[-1].superclass))

    async def _of_interfaces(self, chain: Sequence[ClassLayout]) -> View | None:
        """The view that an interface of the classes brings. wire: 1 trip, once for each interface of the target."""
        own = [shape for shape in chain if not shape.name.startswith(OF_THE_JDK)]
        named = await gather([self._reader.interfaces(shape.id) for shape in own])
        return self._views.find_interface([name for names in named for name in names])

    async def run(self, view: View, object_id: int, chain: Sequence[ClassLayout], want: int) -> Shown:
        """Return what a view makes of an object; ``chain`` ends with the class that the view is for."""
        return await view(Obj(self._reader, object_id, chain, want, self._text_limit, self.show))

    async def show(self, object_id: int, want: int) -> Shown:
        """Return what the view of an object makes of it. Raises UnknownLayout when there is no view."""
        chain, view = await self.find(object_id)
        if view is None:
            raise UnknownLayout(f"{chain[0].name} has no view")
        return await self.run(view, object_id, chain, want)


class Objects:
    """``reader`` asks; ``views`` says how objects are shown, and takes views of the user's own (``views.add``)."""

    def __init__(self, target: Target) -> None:
        likely = target.likely if target.high_latency else None
        self.reader = Reader(target.conn, target.types, Remembered(), target.release, likely)
        self.fitting: set[tuple[ReferenceTypeID, str, ReferenceTypeID | None]] = set()
        """Classes whose objects are known to fit a declared type, and the class with the declaration (``writes``)."""
        self.reader.may_walk_heap = lambda: (
            target.suspension.everything_held
            and target.can("canGetInstanceInfo")
            and target.snapshot is None
            and not target.played
        )

    @classmethod
    def of(cls, target: Target) -> Objects:
        """Return those of a target."""
        return target.part(cls, cls)

    @cached_property
    def views(self) -> Registry:
        """Views of this session above the built-in ones, which are loaded when the first object is shown."""
        from jdbpy.session.values.views.registry import Registry, built_in

        return Registry(built_in())


_WANTED = OBJECT_TAGS - {Tag.CLASS_OBJECT}
"""The class of a class is known."""


async def prefetch_objects(reader: Reader, values: Iterable[TaggedValue | JdwpError]) -> None:
    """Learns what the objects among the values are; to be run by the reader. wire: 2 trips, 0 when known."""
    objects = {
        int(each.value): each for each in values if isinstance(each, TaggedValue) and each.tag in _WANTED and each.value
    }
    prefetches = [_prefetch(reader, each) for each in objects.values()]
    await read_both(gather(prefetches), read_both(reader.read_expected(), reader.boot_class("java.lang.String")))


async def _prefetch(reader: Reader, value: TaggedValue) -> None:
    number = int(value.value or 0)
    try:
        if value.tag == Tag.ARRAY:
            type_id, _ = await read_both(reader.type_id(number), reader.length(number))
            await reader.signature(type_id)
        elif value.tag == Tag.STRING:
            await string_length(reader, number)
        else:
            await reader.shape(await reader.type_id(number))
    except JdwpError:
        pass  # it was collected: the code that needs it meets that again
