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

from jdbpy.errors import Disconnected, JdwpError, ProtocolError
from jdbpy.garbage import rare_collection
from jdbpy.record import Record
from jdbpy.session.concurrency import together
from jdbpy.session.java.signatures import java_name, signature_of
from jdbpy.session.target import facts
from jdbpy.session.target.prefetch import LikelyClasses
from jdbpy.session.target.reading import Reading, ask, drive, gather
from jdbpy.session.target.refs import Field, RefType, as_declared
from jdbpy.session.target.types import TypeCache
from jdbpy.session.values.remembered import Remembered, StringBody
from jdbpy.wire.command import Command, R
from jdbpy.wire.connection import Connection
from jdbpy.wire.constants import Error, TypeTag
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

_FEW = 50
"""Commands of a wave among which equal ones are not looked for."""

_MOST_AT_ONCE = 10_000
"""Commands that are sent before the first of them is answered: what a cancelled wave leaves to the target."""

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
        """The field of that name that this class itself declares."""
        return next((each for each in self.fields if each.name == name and each.is_static is static), None)


class _Commands:
    """The question that is answered by one outcome for each command."""

    def __init__(self, commands: Sequence[Command[Any]]) -> None:
        self.commands = commands


class _Learn:
    """The question that is answered when the type cache knows these facts of a type."""

    def __init__(self, type_id: ReferenceTypeID, wanted: Sequence[facts.Fact[ReferenceTypeID, Any]]) -> None:
        self.type_id = type_id
        self.wanted = wanted


class _Outside:
    """The question that a call of its own answers, beside the wave."""

    def __init__(self, call: Callable[[], Awaitable[Any]]) -> None:
        self.call = call


class _BootClass:
    """The question for the type of that name that the boot loader defined."""

    def __init__(self, name: str) -> None:
        self.name = name


class Reader:
    """Reads objects of one target. ``run`` is called from outside, all else from what runs in it."""

    def __init__(
        self,
        conn: Connection,
        types: TypeCache,
        remembered: Remembered,
        release: int,
        likely: LikelyClasses | None = None,
    ) -> None:
        """``release`` is the target's Java release, 17 or 25; ``likely`` is for a target over a slow link."""
        self.release = release
        self._likely = likely
        self._conn = conn
        self._types = types
        self._remembered = remembered
        self.may_walk_heap: Callable[[], bool] = lambda: False
        """True if the heap may be walked now: nothing runs that would have to stand still for it."""

    @staticmethod
    def commands_of(questions: Sequence[Any]) -> list[list[Command[Any]]] | None:
        """The commands of each of the questions of a wave; None if one of them takes more than commands."""
        asked = [list(each.commands) for each in questions if isinstance(each, _Commands)]
        return asked if len(asked) == len(questions) else None

    async def run(self, reading: Reading[T]) -> T:
        """Runs a reading and all that it gathers. wire: as many trips as its longest chain of questions."""
        return await drive(reading, self._answer)

    # -- commands ------------------------------------------------------------------------------------------------

    async def batch(self, commands: Sequence[Command[Any]]) -> list[Any]:
        """One outcome for each command: the reply, or the JdwpError in its place."""
        return list(await ask(_Commands(commands))) if commands else []

    async def request(self, command: Command[R]) -> R:
        """The reply to one command. Raises JdwpError."""
        [outcome] = await ask(_Commands([command]))
        if isinstance(outcome, JdwpError):
            raise outcome
        reply: R = outcome
        return reply

    # -- types ---------------------------------------------------------------------------------------------------

    async def type_id(self, object_id: int) -> ReferenceTypeID:
        """The class of an object at run time. Raises JdwpError (INVALID_OBJECT: it was collected)."""
        known = self._remembered.type_of(object_id)
        if known is None:
            reply = await self.request(object_reference.ReferenceType(_not_null(object_id)))
            known = reply.typeID
            self._remembered.cache_type(object_id, known)
        return ReferenceTypeID(known)

    async def type_ids(self, object_ids: Sequence[int]) -> list[ReferenceTypeID | None]:
        """The classes of many objects, in one wave; None for one that was collected."""
        found = {each: self.known_type(each) for each in object_ids}  # not all of very many are remembered
        unknown = [each for each, known in found.items() if known is None]
        outcomes = await self.batch([object_reference.ReferenceType(_not_null(each)) for each in unknown])
        for object_id, outcome in zip(unknown, outcomes, strict=True):
            if not isinstance(outcome, JdwpError):
                found[object_id] = outcome.typeID
                self._remembered.cache_type(object_id, outcome.typeID)
        return [found[each] for each in object_ids]

    async def shape(self, type_id: ReferenceTypeID) -> ClassLayout:
        """The fields and the superclass of a class. Raises JdwpError when it was unloaded meanwhile."""
        fields = self._types.facts.known(facts.FIELDS, type_id)
        superclass = self._types.facts.known(facts.SUPERCLASS, type_id)
        signature = self._types.facts.known(facts.SIGNATURE, type_id)
        if fields is None or superclass is None or signature is None:
            await ask(_Learn(type_id, SHAPE_FACTS))
            fields = self._types.facts.known(facts.FIELDS, type_id)
            superclass = self._types.facts.known(facts.SUPERCLASS, type_id)
            signature = self._types.facts.known(facts.SIGNATURE, type_id)
        if fields is None or superclass is None or signature is None:
            raise _unloaded()
        name = java_name(signature.signature)
        return ClassLayout(type_id, name, signature.signature, fields, superclass)

    async def expect(self, type_ids: Sequence[ReferenceTypeID]) -> None:
        """Learns classes that ``shape`` is likely to be asked for next."""
        unknown = [type_id for type_id in type_ids if self._types.facts.known(facts.FIELDS, type_id) is None]
        await gather([_learn(type_id) for type_id in unknown])

    async def foresee(self, declared: Iterable[str]) -> None:
        """Over a slow link, looks for the classes that values of these declared types (signatures) are likely to have.

        To be asked beside the values; ``learn_foreseen`` follows beside what is asked of them. wire: 1 trip, or none.
        """
        wanted = self._likely.unknown(declared) if self._likely is not None else []
        if self._likely is not None and wanted:
            await self.outside(partial(self._likely.look_up, wanted))

    async def read_expected(self) -> None:
        """Learns the classes that were found so. wire: 1 trip, or none."""
        if self._likely is not None:
            await self.expect(self._likely.found())

    async def signature(self, type_id: ReferenceTypeID) -> str:
        """The JNI signature of any type, arrays included."""
        known = self._types.facts.known(facts.SIGNATURE, type_id)
        if known is None:
            await ask(_Learn(type_id, (facts.SIGNATURE,)))
            known = self._types.facts.known(facts.SIGNATURE, type_id)
        if known is None:
            raise _unloaded()
        return known.signature

    async def interfaces(self, type_id: ReferenceTypeID) -> list[str]:
        """Java names of the interfaces that a class names in its declaration. wire: 1 trip, 0 when they are known."""
        found = self._types.facts.known(facts.INTERFACES, type_id)
        if found is None:
            await ask(_Learn(type_id, (facts.INTERFACES,)))
            found = self._types.facts.known(facts.INTERFACES, type_id) or ()
        return [java_name(signature) for signature in await gather([self.signature(each) for each in found])]

    async def classes(self, name: str) -> list[RefType]:
        """The loaded classes of that Java name, one for each loader that has it. wire: 1 trip."""
        signature = signature_of(name)
        found = await self.outside(lambda: self._types.by_signatures([signature]))
        return found[signature]

    async def boot_class(self, name: str) -> ClassLayout | None:
        """The class of that Java name that the boot loader defined; None while it is not loaded.

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
        """Looks for classes that ``boot_class`` is going to be asked for, and for no more of them. wire: 1 trip."""
        unknown = [name for name in names if name not in self._remembered.boot_classes]
        found = await gather([_ask_boot_class(name) for name in unknown])
        self.cache_boot_classes(each for each in found if each is not None)

    async def boot_classes(self, names: Sequence[str]) -> None:
        """Learns what ``boot_class`` is going to be asked for, all at once."""
        await gather([self.boot_class(name) for name in names])

    def cache_boot_classes(self, found: Iterable[RefType]) -> None:
        """Takes in classes in java.*, of which there is one of each name, from some other answer. No trip."""
        self._remembered.boot_classes.update({each.name: each for each in found})

    def known_type(self, object_id: int) -> ReferenceTypeID | None:
        """The class of an object if it has been asked for before. No trip."""
        known = self._remembered.type_of(object_id)
        return None if known is None else ReferenceTypeID(known)

    def cache_type(self, object_id: int, type_id: int) -> None:
        """Takes in what an object is that was just made. No trip."""
        self._remembered.cache_type(object_id, type_id)

    def cache_array(self, array_id: int, type_id: int, length: int) -> None:
        """Takes in what is known of an array that was just made. No trip."""
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
        """The same fields of many objects, in one wave; an object that was collected meanwhile gives its error."""
        outcomes = await self.batch([get_fields(object_id, fields) for object_id in object_ids])
        return [each if isinstance(each, JdwpError) else as_declared(fields, each.values) for each in outcomes]

    def is_on_heap(self, nodes: int) -> bool:
        """True if a chain of so many nodes is read from the heap rather than followed. No trip."""
        return nodes >= FROM_HEAP and self.may_walk_heap()

    async def follow(
        self, first: int, fields: Sequence[Field], want: int, spare: int, *, skip_empty: bool, from_heap: bool
    ) -> list[TaggedValue] | None:
        """Items along a chain of nodes, ``want`` at most: of the two ``fields`` the first is the item, the second the
        link to a node of the same class.

        With ``skip_empty`` nodes whose item is null do not count; None when there are more than ``spare`` of them.
        Raises JdwpError. wire: 1 trip a node, during which no task wakes; all other questions of the wave wait. Where
        ``from_heap``, 1 trip and 1 for each 2,000 instances of the class that declares the link.
        """
        from jdbpy.session.values.chains import ChainWalk

        walk = ChainWalk(self._conn, fields, want, spare, skip_empty)
        with rare_collection() if from_heap else nullcontext():
            await self.outside(partial(walk.run, first, from_heap=from_heap))
        return None if walk.lost else walk.items

    async def statics(self, shape: ClassLayout, fields: Sequence[Field]) -> list[TaggedValue]:
        """Values of static fields that the class itself declares."""
        assert all(field.is_static and field.type_id == shape.id for field in fields)
        if not fields:
            return []
        return as_declared(
            fields, (await self.request(reference_type.GetValues(shape.id, [field.id for field in fields]))).values
        )

    def known_text(self, string_id: int) -> str | None:
        """The text of a string that was fetched before. No trip."""
        return self._remembered.text_of(string_id)

    def known_body(self, string_id: int) -> StringBody | None:
        """The array behind a string, if it was asked for before. No trip."""
        return self._remembered.body_of(string_id)

    def cache_body(self, string_id: int, body: StringBody) -> None:
        """Takes in the array behind a string. No trip."""
        self._remembered.cache_body(string_id, body)

    async def text(self, string_id: int) -> str:
        """All characters of a string, however many: for names, and for those whose length is known (``strings``)."""
        known = self._remembered.text_of(string_id)
        if known is None:
            known = (await self.request(string_reference.Value(_not_null(string_id)))).stringValue
            self._remembered.cache_text(string_id, known)
        return known

    async def length(self, array_id: int) -> int:
        """The length of an array."""
        known = self._remembered.length_of(array_id)
        if known is None:
            known = (await self.request(array_reference.Length(ArrayID(_not_null(array_id))))).arrayLength
            self._remembered.cache_length(array_id, known)
        return known

    async def elements(self, array_id: int, start: int, count: int) -> list[TaggedValue]:
        """Elements of an array; ``start + count`` must not exceed its length."""
        if count <= 0:
            return []
        array = ArrayID(_not_null(array_id))
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
        """All elements of an array that is known to be small, without asking first how many there are.

        HotSpot ends the JVM for one of more than 65,535 references (docs/agent.md, "Large parts of arrays").
        """
        if self._remembered.length_of(array_id) == 0:
            return []
        [outcome] = await self.batch([array_reference.GetValues(ArrayID(_not_null(array_id)), 0, _TO_THE_END)])
        if not isinstance(outcome, JdwpError):
            values = list(outcome.values.tagged())
        elif outcome.number == Error.INVALID_INDEX:  # HotSpot's answer for an empty array
            values = []
        else:
            return await self.elements(array_id, 0, await self.length(array_id))
        self._remembered.cache_length(array_id, len(values))
        return values

    async def reflected(self, class_object: int) -> str:
        """The JNI signature of the type that a java.lang.Class object stands for."""
        return await self.signature(await self.reflected_type(class_object))

    async def reflected_type(self, class_object: int) -> ReferenceTypeID:
        """The type that a java.lang.Class object stands for. Raises JdwpError for a primitive's."""
        known = self._remembered.reflected_by(class_object)
        if known is None:
            reply = await self.request(class_object_reference.ReflectedType(ClassObjectID(_not_null(class_object))))
            known = reply.typeID
            self._remembered.learn_reflected(class_object, known)
        return ReferenceTypeID(known)

    async def is_gone(self, object_id: int) -> bool:
        """True if the target has collected the object."""
        return (await self.request(object_reference.IsCollected(_not_null(object_id)))).isCollected

    async def outside(self, call: Callable[[], Awaitable[T]]) -> T:
        """Return what a call gives that does not ask through this reader; all such calls of a wave run side by side."""
        result: T = await ask(_Outside(call))
        return result

    # -- the waves -----------------------------------------------------------------------------------------------

    async def _answer(self, questions: list[Any]) -> list[Any]:
        """Answers all questions of one moment: commands, and side by side with them what the type cache lacks."""
        commands = [command for each in questions if isinstance(each, _Commands) for command in each.commands]
        wanted: dict[facts.Fact[ReferenceTypeID, Any], list[ReferenceTypeID]] = {}
        for each in questions:
            for fact in each.wanted if isinstance(each, _Learn) else ():
                wanted.setdefault(fact, []).append(each.type_id)
        names = {each.name: signature_of(each.name) for each in questions if isinstance(each, _BootClass)}
        calls = [each.call for each in questions if isinstance(each, _Outside)]
        (replies, found), *results = (
            await together(
                lambda: self._send(commands, wanted, list(names.values())), *(partial(_outcome, call) for call in calls)
            )
            if calls
            else [await self._send(commands, wanted, list(names.values()))]
        )
        outcomes, called = iter(replies), iter(results)
        answers: list[Any] = []
        for each in questions:
            if isinstance(each, _Commands):
                answers.append([next(outcomes) for _ in each.commands])
            elif isinstance(each, _Outside):
                answers.append(next(called))
            elif isinstance(each, _BootClass):
                answers.append(_class_among(found[names[each.name]]))
            else:
                answers.append(None)
        return answers

    async def _send(
        self,
        commands: list[Command[Any]],
        wanted: dict[facts.Fact[ReferenceTypeID, Any], list[ReferenceTypeID]],
        signatures: list[str],
    ) -> tuple[list[Any], dict[str, list[RefType]]]:
        """One wave: outcomes of the commands, and the types of the names. wire: 1 trip."""
        if not wanted and not signatures:
            return await self._batch(commands), {}
        replies, _, found = await together(
            lambda: self._batch(commands),
            lambda: self._types.facts.prefetch(*wanted.items()),
            lambda: self._types.by_signatures(signatures),
        )
        return replies, found

    async def _batch(self, commands: list[Command[Any]]) -> list[Any]:
        """Outcomes of the commands; equal ones are sent once. wire: 1 trip for each ``_MOST_AT_ONCE`` of them."""
        if len(commands) < _FEW:
            return await self._conn.batch(commands)
        different: dict[Any, Command[Any]] = {}
        keys: list[Any] = []
        for command in commands:
            key = _same(command)
            different.setdefault(key, command)
            keys.append(key)
        unlike = list(different.values())
        outcomes: list[Any] = []
        for start in range(0, len(unlike), _MOST_AT_ONCE):
            outcomes += await self._conn.batch(unlike[start : start + _MOST_AT_ONCE])
        if len(unlike) == len(commands):
            return outcomes
        told = dict(zip(different, outcomes, strict=True))
        return [told[key] for key in keys]


async def _learn(type_id: ReferenceTypeID) -> None:
    await ask(_Learn(type_id, SHAPE_FACTS))


async def _ask_boot_class(name: str) -> RefType | None:
    found: RefType | None = await ask(_BootClass(name))
    return found


async def _outcome(call: Callable[[], Awaitable[Any]]) -> Any:
    """The result of a call, or the error in its place: that of one object spoils no other."""
    try:
        return await call()
    except Disconnected:
        raise
    except Exception as error:
        return error


def _same(command: Command[Any]) -> Any:
    """Return what equal commands of one wave have in common, many of which may be: many variables refer to
    one object.
    """
    match command:
        case object_reference.ReferenceType():
            return command.object
        case object_reference.GetValues():
            return command.object, *command.fields
        case string_reference.Value():
            return "text", command.stringObject
        case array_reference.Length():
            return "length", command.arrayObject
    return "alone", id(command)


def _unloaded() -> JdwpError:
    return JdwpError(Error.INVALID_OBJECT, "INVALID_OBJECT", "the class was unloaded")


def get_fields(object_id: int, fields: Sequence[Field]) -> object_reference.GetValues:
    assert not any(field.is_static for field in fields)
    return object_reference.GetValues(_not_null(object_id), [field.id for field in fields])


def _not_null(object_id: int) -> ObjectID:
    if not object_id:
        # asking the agent for its type or fields would end the VM
        raise ProtocolError("the target named null (id 0) where there must be an object")
    return ObjectID(object_id)


def _class_among(found: Sequence[RefType]) -> RefType | None:
    return next((each for each in found if each.tag == TypeTag.CLASS), None)
