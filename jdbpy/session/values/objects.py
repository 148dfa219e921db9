"""The parts that a target keeps for looking at its objects: one reader with its memory, and the views in force.

``Viewer`` finds the view of an object by its class chain and runs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING

import trio

from jdbpy.errors import JdbpyError, JdwpError
from jdbpy.session.jvm.reading import gather, read_both
from jdbpy.session.model.values import Limits
from jdbpy.session.values.obj import Obj
from jdbpy.session.values.reader import ClassLayout, Reader
from jdbpy.session.values.remembered import Remembered
from jdbpy.session.values.shown import Entries, Items, Shown, UnknownLayout
from jdbpy.session.values.strings import STRING, string_length
from jdbpy.session.values.views.registry import OF_THE_JDK, Registry, built_in
from jdbpy.session.values.walk import Walks
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import ArrayID, ObjectID, ReferenceTypeID, TaggedValue
from jdbpy.wire.layout import OBJECT_TAGS
from jdbpy.wire.messages import array_reference, object_reference

if TYPE_CHECKING:
    from jdbpy.session.events.target import Target
    from jdbpy.session.values.views.registry import View


async def contents(target: Target, value: TaggedValue, most: int, skip: int = 0) -> Items | Entries | None:
    """Return the first ``most`` elements of an array, or of a collection whose layout is known; None for anything else.
    The first ``skip`` of them are passed over.

    Read from fields: no code runs in the target. wire: 3 trips for a list, a few more for maps.
    """
    if value.tag not in OBJECT_TAGS or not value.value:
        return None
    reader = Objects.of(target).reader
    if value.tag == Tag.ARRAY:
        length = await reader.run(reader.length(int(value.value)))
        return Items(length, await reader.run(reader.elements(int(value.value), 0, min(length, most))))
    try:
        viewer = Viewer(reader, Objects.of(target).views, Limits().string, skip)
        shown = await reader.run(viewer.show(int(value.value), most))
    except (UnknownLayout, JdwpError):
        return None
    return shown if isinstance(shown, (Items, Entries)) else None


class Viewer:
    """Runs the views of one registry, for one description: a class is looked at once."""

    def __init__(self, reader: Reader, views: Registry, text_limit: int, skip: int = 0) -> None:
        self._skip = skip
        self._reader = reader
        self._views = views
        self._text_limit = text_limit
        self._found: dict[int, tuple[list[ClassLayout], View | None]] = {}

    async def find(self, object_id: int) -> tuple[list[ClassLayout], View | None]:
        """Return the object's class and those above it, up to the first that has a view, or to java.lang.Object."""
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
        """Return the view that an interface of the classes brings. wire: 1 trip, once for each interface of the
        target."""
        own = [shape for shape in chain if not shape.name.startswith(OF_THE_JDK)]
        named = await gather([self._reader.interfaces(shape.id) for shape in own])
        return self._views.find_interface([name for names in named for name in names])

    async def run(self, view: View, object_id: int, chain: Sequence[ClassLayout], want: int) -> Shown:
        """Return what a view makes of an object; ``chain`` ends with the class that the view is for."""
        return await view(Obj(self._reader, object_id, chain, want, self._text_limit, self.show, self._skip))

    async def show(self, object_id: int, want: int) -> Shown:
        """Return what the view of an object makes of it. Raises UnknownLayout when there is no view."""
        chain, view = await self.find(object_id)
        if view is None:
            raise UnknownLayout(f"{chain[0].name} has no view")
        return await self.run(view, object_id, chain, want)


class Prefetching:
    """The look at the values of a thread that has stopped: whether its questions were sent, and its end."""

    __slots__ = ("begun", "ended", "thread")

    def __init__(self, thread: int) -> None:
        self.thread = thread
        self.begun = False
        self.ended = trio.Event()


class Objects:
    """``reader`` asks; ``views`` says how objects are shown, and takes views of the user's own (``views.add``)."""

    def __init__(self, target: Target) -> None:
        likely = target.likely if target.high_latency else None

        def may_walk_heap() -> bool:
            jvm = target.snapshot is None and not target.played
            return jvm and target.suspension.frozen and target.can("canGetInstanceInfo")

        self.reader = Reader(target.conn, target.types, Remembered(), target.release, likely, may_walk_heap)
        self.fitting: set[tuple[ReferenceTypeID, str, ReferenceTypeID | None]] = set()
        """Classes whose objects are known to fit a declared type, and the class with the declaration (``writes``)."""
        self._conn = target.conn
        self._far = likely is not None
        self._misses = 0
        if likely is not None:
            target.guess_objects = self._guess_objects
        self.prefetching: Prefetching | None = None
        """The look at the stop that was told last, if it has not ended."""
        self.reader.walks = Walks(lambda: target.suspension.moment)

    @classmethod
    def of(cls, target: Target) -> Objects:
        """Return those of a target."""
        return target.part(cls, cls)

    def _guess_objects(self, thread: int, count: int) -> trio.Event | None:
        """Ask what the objects are that will get the next ids, of which so many will come; the agent refuses others.

        What it says of an id stays true, whatever was expected. The thread itself is often among the variables. Return
        what is set when all is answered, None if nothing is asked. wire: no wait.
        """
        if self.reader.known_type(thread) is None:
            self._conn.submit(object_reference.ReferenceType(ObjectID(thread)), on_reply=partial(self._typed, thread))
        guesses = self.reader.next_ids(count + _SPARE_GUESSES) if count and self._misses < _MOST_MISSES else []
        if not guesses:
            return None
        self._misses += 1
        answered = trio.Event()
        for each in guesses:
            self._conn.submit(object_reference.ReferenceType(each), on_reply=partial(self._typed, each))
            last = each is guesses[-1]
            measured = partial(self._measured, each, answered=answered if last else None)
            self._conn.submit(array_reference.Length(ArrayID(each)), on_reply=measured)
        return answered

    async def guess_objects(self, count: int) -> None:
        """The same, to be run by the reader behind what will tell of so many objects. wire: 1 trip, none near by."""
        if not self._far or not count or self._misses >= _MOST_MISSES:
            return
        self._misses += 1
        guesses = self.reader.next_ids(count + _MORE_GUESSES)
        types = [object_reference.ReferenceType(each) for each in guesses]
        answers = await self.reader.batch([*types, *(array_reference.Length(ArrayID(each)) for each in guesses)])
        for each, of_type, of_length in zip(guesses, answers, answers[len(guesses) :], strict=False):
            self._typed(each, of_type)
            self._measured(each, of_length)

    def _typed(self, of: int, answer: object_reference.ReferenceTypeReply | JdbpyError) -> None:
        if isinstance(answer, object_reference.ReferenceTypeReply):
            self.reader.cache_type(of, answer.typeID)
            self._misses = 0

    def _measured(
        self, of: ObjectID, answer: array_reference.LengthReply | JdbpyError, *, answered: trio.Event | None = None
    ) -> None:
        if isinstance(answer, array_reference.LengthReply):
            self.reader.cache_length(of, answer.arrayLength)
        if answered is not None:
            answered.set()

    async def prefetched(self, threads: Iterable[int]) -> None:
        """Wait until what is prefetched for one of these threads is there, so that it is not asked for again.

        What was not begun is left to who calls this.
        """
        look = self.prefetching
        if look is None or look.thread not in threads:
            return
        if not look.begun:
            self.take_over(look.thread)
        else:
            await look.ended.wait()

    def take_over(self, thread: int) -> None:
        """The values at a stop are about to be described: a look at them that has not begun is of no use. No trip."""
        look = self.prefetching
        if look is not None and look.thread == thread and not look.begun:
            self.prefetching = None
            look.ended.set()

    @cached_property
    def views(self) -> Registry:
        """Views of this session above the built-in ones, which are loaded when the first object is shown."""
        return Registry(built_in())


_WANTED = OBJECT_TAGS - {Tag.CLASS_OBJECT}
"""The class of a class is known."""


_SPARE_GUESSES = 8
"""Ids beyond those that are expected: others may have been given out in between."""

_MORE_GUESSES = 24
"""The same where variables are read at the same time, whose strings have arrays."""

_MOST_MISSES = 30
"""Guesses in a row of which none was right; then no more are made: this agent does not count ids up."""


def load_descriptions() -> None:
    """Import what describes objects, so that the first stop need not wait for that. For a thread of its own."""
    built_in()
    import_module("jdbpy.session.values.queries")


async def prefetch_objects(reader: Reader, values: Iterable[TaggedValue | JdwpError]) -> None:
    """Learn what the objects among the values are; to be run by the reader. wire: 1 trip, 0 when known.

    The arrays behind strings that are new get the ids that come next, so that their lengths are asked for in the trip
    that gives their ids: strings come first, and nothing that gives out ids stands before those questions.
    """
    objects = _objects_among(values)
    ordered = sorted(objects.values(), key=lambda each: each.tag != Tag.STRING)
    new = [each for each, value in objects.items() if value.tag == Tag.STRING and reader.is_new_string(each)]
    prefetches = [_prefetch(reader, each) for each in ordered]
    if new:
        prefetches.append(_guess_lengths(reader, max(objects), len(new) + _SPARE_GUESSES))
    await read_both(gather(prefetches), read_both(reader.read_expected(), reader.boot_class(STRING)))


async def prefetch_expected(reader: Reader, classes: Iterable[ReferenceTypeID]) -> None:
    """Learn the classes that were found to be likely, that of strings, and these with what is above them.

    To be run by the reader. wire: 1 trip, 1 more for each class above.
    """
    chains = gather([_prefetch_chain(reader, each) for each in classes])
    await read_both(chains, read_both(reader.read_expected(), reader.boot_class(STRING)))


async def _prefetch_chain(reader: Reader, type_id: ReferenceTypeID) -> None:
    shape = await reader.shape(type_id)
    while shape.superclass:
        shape = await reader.shape(shape.superclass)


async def prefetch_classes(reader: Reader, values: Iterable[TaggedValue | JdwpError]) -> None:
    """Learn the classes of these objects, which are known; to be run by the reader. wire: 1 trip, 0 when known."""
    await gather([_prefetch_class(reader, each) for each in _objects_among(values).values()])


def _objects_among(values: Iterable[TaggedValue | JdwpError]) -> dict[int, TaggedValue]:
    return {
        int(each.value): each for each in values if isinstance(each, TaggedValue) and each.tag in _WANTED and each.value
    }


async def _guess_lengths(reader: Reader, last: int, count: int) -> None:
    """Learn the lengths of arrays behind strings, in the trip that asks for these arrays."""
    if await reader.boot_class(STRING) is not None:
        await reader.guess_lengths(last, count)


async def _prefetch(reader: Reader, value: TaggedValue) -> None:
    number = int(value.value or 0)
    try:
        if value.tag == Tag.ARRAY:
            await read_both(reader.type_id(number), reader.length(number))
        elif value.tag == Tag.STRING:
            await string_length(reader, number)
        else:
            await reader.type_id(number)
    except JdwpError:
        pass  # it was collected: the code that needs it meets that again


async def _prefetch_class(reader: Reader, value: TaggedValue) -> None:
    type_id = reader.known_type(int(value.value or 0))
    try:
        if type_id is not None and value.tag == Tag.ARRAY:
            await reader.signature(type_id)
        elif type_id is not None:
            await reader.shape(type_id)
    except JdwpError:
        pass  # it was unloaded
