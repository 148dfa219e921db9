"""The questions about the objects of a target when they are looked at: types, fields, elements, text. Never a call.

Every method is written for one asker; what all who run under the same ``Reader.run`` ask at one moment leaves in one
wave (see ``target.reading``). What never changes about an object is remembered.

The agent crashes on a field id of another class and on null ids. So fields are asked for only as ``Field`` records out
of the class chain of the very object, and views get at them by name alone (``obj``).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, TypeVar

from jdbpy.errors import JdwpError
from jdbpy.garbage import rare_collection
from jdbpy.record import Record
from jdbpy.session.events.prefetch import LikelyClasses
from jdbpy.session.java.signatures import expanded, java_name, signature_of
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.reading import Reading, ask, drive, gather
from jdbpy.session.jvm.refs import Field, RefType, as_declared
from jdbpy.session.jvm.types import TypeCache
from jdbpy.session.values.batched_reads import AskBootClass, AskCall, AskCommands, AskFacts, Waves, get_fields, not_null
from jdbpy.session.values.chains import ChainWalk
from jdbpy.session.values.remembered import GivenObjects, Prefetched, Remembered, StringBody
from jdbpy.session.values.walk import Walks
from jdbpy.wire.command import Command, R
from jdbpy.wire.connection import Connection
from jdbpy.wire.constants import Error
from jdbpy.wire.ids import ArrayID, ClassObjectID, ObjectID, ReferenceTypeID, TaggedValue
from jdbpy.wire.messages import (
    array_reference,
    class_object_reference,
    object_reference,
    reference_type,
    string_reference,
)

T = TypeVar("T")

SHAPE_FACTS = (facts.SIGNATURE, facts.FIELDS, facts.SUPERCLASS, facts.INTERFACES)
"""The facts that a ``ClassLayout`` is made of, and the interfaces, by which views are found."""

MOST_ELEMENTS = 16_384
"""Elements that are asked for in one command: more than 65,535 references end the JVM (docs/agent.md, "Large parts of
arrays")."""

FROM_HEAP = 2_000
"""Nodes from which on a chain is looked for among all instances of their class."""

_TO_THE_END = -1
"""A number of elements that means the rest (docs/agent.md, "Parts of arrays")."""


class ClassLayout(Record):
    """A class as far as reading its objects takes: its name, the fields it declares, its superclass (0: none)."""

    id: ReferenceTypeID
    name: str
    signature: str
    fields: tuple[Field, ...]
    superclass: ReferenceTypeID

    def field(self, name: str, *, static: bool = False) -> Field | None:
        """Return the field of that name that this class itself declares, by its plain name or by Scala's longer one."""
        own = [each for each in self.fields if each.is_static is static]
        exact = next((each for each in own if each.name == name), None)
        if exact is not None or not own or not self.name.startswith("scala."):
            return exact
        names = (expanded(self.name, name), name.rpartition("$$")[2])
        return next((each for each in own if each.name in names), None)


class Reader:
    """Reads objects of one target. ``run`` is called from outside, all else from what runs in it."""

    def __init__(
        self,
        conn: Connection,
        types: TypeCache,
        remembered: Remembered,
        release: int,
        likely: LikelyClasses | None = None,
        may_walk_heap: Callable[[], bool] = lambda: False,
    ) -> None:
        """``release`` is the target's Java release, 17 or 25; ``likely`` is for a target over a slow link.
        ``may_walk_heap`` tells whether the heap may be walked now: nothing runs that would have to stand still for it.
        """
        self.release = release
        self._likely = likely
        self._conn = conn
        self._types = types
        self._waves = Waves(conn, types, remembered.given)
        self._remembered = remembered
        self._may_walk_heap = may_walk_heap
        self.walks = Walks(lambda: None)
        """How far linked structures were read."""

    @staticmethod
    def commands_of(questions: Sequence[Any]) -> list[list[Command[Any]]] | None:
        """Return the commands of each of the questions of a wave; None if one of them takes more than commands."""
        asked = [list(each.commands) for each in questions if isinstance(each, AskCommands)]
        return asked if len(asked) == len(questions) else None

    async def run(self, reading: Reading[T], prefetched: Prefetched | None = None) -> T:
        """Run a reading and all that it gathers; what was ``prefetched`` for it is not asked for again.

        wire: as many trips as its longest chain of questions.
        """
        return await drive(reading, partial(self._waves.answer_with, prefetched) if prefetched else self._waves.answer)

    async def prefetch(self, reading: Reading[T], prefetched: Prefetched) -> T:
        """Like ``run``, and keep the answers for what is run later. wire: as ``run``."""
        return await drive(reading, partial(self._waves.answer_with, prefetched, keeping=True))

    # -- commands ------------------------------------------------------------------------------------------------

    async def batch(self, commands: Sequence[Command[Any]]) -> list[Any]:
        """Return one outcome for each command: the reply, or the JdwpError in its place."""
        return list(await ask(AskCommands(commands))) if commands else []

    async def request(self, command: Command[R]) -> R:
        """Return the reply to one command. Raises JdwpError."""
        [outcome] = await ask(AskCommands([command]))
        if isinstance(outcome, JdwpError):
            raise outcome
        reply: R = outcome
        return reply

    # -- types ---------------------------------------------------------------------------------------------------

    async def type_id(self, object_id: int) -> ReferenceTypeID:
        """Return the class of an object at run time. Raises JdwpError (INVALID_OBJECT: it was collected)."""
        known = self._remembered.type_of(object_id)
        if known is None:
            reply = await self.request(object_reference.ReferenceType(not_null(object_id)))
            known = reply.typeID
            self._remembered.cache_type(object_id, known)
        return ReferenceTypeID(known)

    async def type_ids(self, object_ids: Sequence[int]) -> list[ReferenceTypeID | None]:
        """Return the classes of many objects, in one wave; None for one that was collected."""
        found = {each: self.known_type(each) for each in object_ids}  # not all of very many are remembered
        unknown = [each for each, known in found.items() if known is None]
        outcomes = await self.batch([object_reference.ReferenceType(not_null(each)) for each in unknown])
        for object_id, outcome in zip(unknown, outcomes, strict=True):
            if not isinstance(outcome, JdwpError):
                found[object_id] = outcome.typeID
                self._remembered.cache_type(object_id, outcome.typeID)
        return [found[each] for each in object_ids]

    async def shape(self, type_id: ReferenceTypeID) -> ClassLayout:
        """Return the fields and the superclass of a class. Raises JdwpError when it was unloaded meanwhile."""
        fields = self._types.facts.known(facts.FIELDS, type_id)
        superclass = self._types.facts.known(facts.SUPERCLASS, type_id)
        signature = self._types.facts.known(facts.SIGNATURE, type_id)
        if fields is None or superclass is None or signature is None:
            await ask(AskFacts(type_id, SHAPE_FACTS))
            fields = self._types.facts.known(facts.FIELDS, type_id)
            superclass = self._types.facts.known(facts.SUPERCLASS, type_id)
            signature = self._types.facts.known(facts.SIGNATURE, type_id)
        if fields is None or superclass is None or signature is None:
            raise _unloaded()
        name = java_name(signature.signature)
        return ClassLayout(type_id, name, signature.signature, fields, superclass)

    async def learn(self, type_id: ReferenceTypeID, wanted: Sequence[facts.Fact[ReferenceTypeID, Any]]) -> None:
        """Learn facts of a type, for who finds them in the cache of facts. wire: 1 trip, 0 when they are known."""
        if any(type_id not in self._types.facts.all_of(fact) for fact in wanted):
            await ask(AskFacts(type_id, wanted))

    async def expect(self, type_ids: Sequence[ReferenceTypeID]) -> None:
        """Learn classes that ``shape`` is likely to be asked for next."""
        unknown = [type_id for type_id in type_ids if self._types.facts.known(facts.FIELDS, type_id) is None]
        await gather([_learn(type_id) for type_id in unknown])

    async def look_up_likely(self, declared: Iterable[str]) -> None:
        """Over a slow link, look up the classes that values of these declared types (signatures) are likely to have.

        To be asked beside the values; ``read_expected`` follows beside what is asked of them. wire: 1 trip, or none.
        """
        wanted = self._likely.unknown(declared) if self._likely is not None else []
        if self._likely is not None and wanted:
            await self.outside(partial(self._likely.look_up, wanted))

    async def read_expected(self) -> None:
        """Learn the classes that were found so. wire: 1 trip, or none."""
        if self._likely is not None:
            await self.expect(self._likely.found())

    async def signature(self, type_id: ReferenceTypeID) -> str:
        """Return the JNI signature of any type, arrays included."""
        known = self._types.facts.known(facts.SIGNATURE, type_id)
        if known is None:
            await ask(AskFacts(type_id, (facts.SIGNATURE,)))
            known = self._types.facts.known(facts.SIGNATURE, type_id)
        if known is None:
            raise _unloaded()
        return known.signature

    async def interfaces(self, type_id: ReferenceTypeID) -> list[str]:
        """Java names of the interfaces that a class names in its declaration. wire: 1 trip, 0 when they are known."""
        found = self._types.facts.known(facts.INTERFACES, type_id)
        if found is None:
            await ask(AskFacts(type_id, (facts.INTERFACES,)))
            found = self._types.facts.known(facts.INTERFACES, type_id) or ()
        return [java_name(signature) for signature in await gather([self.signature(each) for each in found])]

    async def classes(self, name: str) -> list[RefType]:
        """Return the loaded classes of that Java name, one for each loader that has it. wire: 1 trip."""
        signature = signature_of(name)
        found = await self.outside(lambda: self._types.by_signatures([signature]))
        return found[signature]

    async def boot_class(self, name: str) -> ClassLayout | None:
        """Return the class of that Java name that the boot loader defined; None while it is not loaded.

        Only for classes of the JDK itself, of which there is one of each name.
        """
        known = self._remembered.boot_classes.get(name)
        if known is None:
            known = self._types.known_class(name) or await _ask_boot_class(name)
            if known is None:
                return None
            self._remembered.boot_classes[name] = known
        return await self.shape(known.id)

    async def look_up_boot_classes(self, names: Sequence[str]) -> None:
        """Look for classes that ``boot_class`` is going to be asked for, and for no more of them. wire: 1 trip."""
        unknown = [name for name in names if name not in self._remembered.boot_classes]
        found = await gather([_ask_boot_class(name) for name in unknown])
        self.cache_boot_classes(each for each in found if each is not None)

    async def boot_classes(self, names: Sequence[str]) -> None:
        """Learn what ``boot_class`` is going to be asked for, all at once."""
        await gather([self.boot_class(name) for name in names])

    def cache_boot_classes(self, found: Iterable[RefType]) -> None:
        """Take in classes in java.*, of which there is one of each name, from some other answer. No trip."""
        self._remembered.boot_classes.update({each.name: each for each in found})

    def known_type(self, object_id: int) -> ReferenceTypeID | None:
        """Return the class of an object if it has been asked for before. No trip."""
        known = self._remembered.type_of(object_id)
        return None if known is None else ReferenceTypeID(known)

    def cache_type(self, object_id: int, type_id: int) -> None:
        """Take in what an object is that was just made. No trip."""
        self._remembered.cache_type(object_id, type_id)

    def cache_length(self, array_id: int, length: int) -> None:
        """Take in the length of an array. No trip."""
        self._remembered.cache_length(array_id, length)

    def next_ids(self, count: int) -> list[ObjectID]:
        """Return the ids that an agent which counts them up gives out next, as far as is known here. No trip."""
        highest = max(self._remembered.highest, self._types.highest)
        return [ObjectID(each) for each in range(highest + 1, highest + 1 + count)] if highest else []

    def cache_array(self, array_id: int, type_id: int, length: int) -> None:
        """Take in what is known of an array that was just made. No trip."""
        self._remembered.cache_type(array_id, type_id)
        self._remembered.cache_length(array_id, length)

    # -- objects -------------------------------------------------------------------------------------------------

    async def fields(self, object_id: int, fields: Sequence[Field]) -> list[TaggedValue]:
        """Values of instance fields; all of them must be declared by the object's class or a superclass."""
        if not fields:
            return []
        return as_declared(fields, (await self.request(get_fields(object_id, fields))).values)

    async def fields_of_all(
        self, object_ids: Sequence[int], fields: Sequence[Field]
    ) -> list[list[TaggedValue] | JdwpError]:
        """Return the same fields of many objects, in one wave; an object that was collected meanwhile gives its
        error."""
        outcomes = await self.batch([get_fields(object_id, fields) for object_id in object_ids])
        return [each if isinstance(each, JdwpError) else as_declared(fields, each.values) for each in outcomes]

    def is_on_heap(self, nodes: int) -> bool:
        """True if a chain of so many nodes is read from the heap rather than followed. No trip."""
        return nodes >= FROM_HEAP and self._may_walk_heap()

    async def follow(
        self,
        first: int,
        fields: Sequence[Field],
        want: int,
        spare: int,
        *,
        skip_empty: bool = False,
        from_heap: bool = False,
        in_part: bool = False,
    ) -> list[TaggedValue] | None:
        """Items along a chain of nodes, ``want`` at most: of the two ``fields`` the first is the item, the second the
        link to a node of the same class.

        With ``skip_empty`` nodes whose item is null do not count; None when there are more than ``spare`` of them. With
        ``in_part`` the first items are enough of a chain that a snapshot has in part.
        Raises JdwpError. wire: 1 trip a node, during which no task wakes; all other questions of the wave wait. Where
        ``from_heap``, 1 trip and 1 for each 2,000 instances of the class that declares the link.
        """
        walk = ChainWalk(self._conn, fields, want, spare, skip_empty=skip_empty, in_part=in_part)
        try:
            with rare_collection() if from_heap else nullcontext():
                await self.outside(partial(walk.run, first, from_heap=from_heap))
        finally:
            self.given.take_in(first, walk.received)
        return None if walk.lost else walk.items

    async def statics(self, shape: ClassLayout, fields: Sequence[Field]) -> list[TaggedValue]:
        """Values of static fields that the class itself declares."""
        assert all(field.type_id == shape.id for field in fields)
        return await self.static_fields(fields)

    async def static_fields(self, fields: Sequence[Field]) -> list[TaggedValue]:
        """Values of static fields, all declared by the same class."""
        if not fields:
            return []
        owner = fields[0].type_id
        assert all(field.is_static and field.type_id == owner for field in fields)
        command = reference_type.GetValues(owner, [field.id for field in fields])
        return as_declared(fields, (await self.request(command)).values)

    def known_text(self, string_id: int) -> str | None:
        """Return the text of a string that was fetched before. No trip."""
        return self._remembered.text_of(string_id)

    def is_new_string(self, string_id: int) -> bool:
        """True if neither the text of a string nor the array behind it is known. No trip."""
        return self._remembered.text_of(string_id) is None and self._remembered.body_of(string_id) is None

    def known_body(self, string_id: int) -> StringBody | None:
        """Return the array behind a string, if it was asked for before. No trip."""
        return self._remembered.body_of(string_id)

    def cache_body(self, string_id: int, body: StringBody) -> None:
        """Take in the array behind a string. No trip."""
        self._remembered.cache_body(string_id, body)

    @property
    def given(self) -> GivenObjects:
        """Return the objects that methods have given, and what was read from them."""
        return self._remembered.given

    def forget_body(self, string_id: int) -> None:
        """Ask for the array behind a string anew: its id is taken back. No trip."""
        self._remembered.forget_body(string_id)

    async def text(self, string_id: int) -> str:
        """Return all characters of a string, however many: for names, and for those whose length is known
        (``strings``)."""
        known = self._remembered.text_of(string_id)
        if known is None:
            known = (await self.request(string_reference.Value(not_null(string_id)))).stringValue
            self._remembered.cache_text(string_id, known)
        return known

    async def length(self, array_id: int) -> int:
        """Return the length of an array."""
        known = self._remembered.length_of(array_id)
        if known is None:
            known = (await self.request(array_reference.Length(ArrayID(not_null(array_id))))).arrayLength
            self._remembered.cache_length(array_id, known)
        return known

    async def guess_lengths(self, first: int, count: int) -> None:
        """Learn the lengths of arrays that are likely to have these ids; ids of nothing, or of no array, are refused.

        They follow the highest id that is known, and ``first`` if that is higher. wire: 1 trip.
        """
        start = max(first, self._remembered.highest, self._types.highest) + 1
        guesses = [each for each in range(start, start + count) if self._remembered.length_of(each) is None]
        outcomes = await self.batch([array_reference.Length(ArrayID(ObjectID(each))) for each in guesses])
        for array_id, outcome in zip(guesses, outcomes, strict=True):
            if not isinstance(outcome, JdwpError):
                self._remembered.cache_length(array_id, outcome.arrayLength)

    async def elements(self, array_id: int, start: int, count: int) -> list[TaggedValue]:
        """Elements of an array; ``start + count`` must not exceed its length."""
        if count <= 0:
            return []
        array = ArrayID(not_null(array_id))
        if count <= MOST_ELEMENTS:
            reply = await self.request(array_reference.GetValues(array, start, count))
            return reply.values.tagged()
        outcomes = await self.batch(
            [
                array_reference.GetValues(array, first, min(MOST_ELEMENTS, start + count - first))
                for first in range(start, start + count, MOST_ELEMENTS)
            ]
        )
        found: list[TaggedValue] = []
        for outcome in outcomes:
            if isinstance(outcome, JdwpError):
                raise outcome
            found += outcome.values.tagged()
        return found

    async def whole(self, array_id: int) -> list[TaggedValue]:
        """Return all elements of an array that is known to be small, without asking first how many there are.

        HotSpot ends the JVM for one of more than 65,535 references (docs/agent.md, "Large parts of arrays").
        """
        if self._remembered.length_of(array_id) == 0:
            return []
        [outcome] = await self.batch([array_reference.GetValues(ArrayID(not_null(array_id)), 0, _TO_THE_END)])
        if not isinstance(outcome, JdwpError):
            values = list(outcome.values.tagged())
        elif outcome.number == Error.INVALID_INDEX:  # HotSpot's answer for an empty array
            values = []
        else:
            return await self.elements(array_id, 0, await self.length(array_id))
        self._remembered.cache_length(array_id, len(values))
        return values

    async def reflected(self, class_object: int) -> str:
        """Return the JNI signature of the type that a java.lang.Class object represents."""
        return await self.signature(await self.reflected_type(class_object))

    async def reflected_type(self, class_object: int) -> ReferenceTypeID:
        """Return the type that a java.lang.Class object represents. Raises JdwpError for a primitive's."""
        known = self._remembered.reflected_by(class_object)
        if known is None:
            reply = await self.request(class_object_reference.ReflectedType(ClassObjectID(not_null(class_object))))
            known = reply.typeID
            self._remembered.learn_reflected(class_object, known)
        return ReferenceTypeID(known)

    async def is_gone(self, object_id: int) -> bool:
        """True if the target has collected the object."""
        return (await self.request(object_reference.IsCollected(not_null(object_id)))).isCollected

    async def outside(self, call: Callable[[], Awaitable[T]]) -> T:
        """Return what a call gives that does not ask through this reader; all such calls of a wave run side by side."""
        result: T = await ask(AskCall(call))
        return result


async def _learn(type_id: ReferenceTypeID) -> None:
    await ask(AskFacts(type_id, SHAPE_FACTS))


async def _ask_boot_class(name: str) -> RefType | None:
    found: RefType | None = await ask(AskBootClass(name))
    return found


def _unloaded() -> JdwpError:
    return JdwpError(Error.INVALID_OBJECT, "INVALID_OBJECT", "the class was unloaded")
