"""Loading classes with ``Class.forName`` in the frame's thread and by the loader of its class; defining them.

Class files are defined in the loader and package of the frame's class (JVMS 5.3.5).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from jdbpy.errors import JdbpyError, JdwpError, StateError, Thrown
from jdbpy.session.concurrency import both, together
from jdbpy.session.eval.javac import ClassFiles
from jdbpy.session.eval.jvm.calls import ThreadCalls
from jdbpy.session.eval.jvm.class_finder import ClassFinder
from jdbpy.session.eval.target import ClassFacts, Invocation, Ref
from jdbpy.session.eval.utility_calls import UtilityCalls
from jdbpy.session.events.target import Target
from jdbpy.session.java.signatures import signature_of
from jdbpy.session.jvm import facts
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import ClassObjectID, ObjectID, ReferenceTypeID
from jdbpy.wire.messages import class_object_reference

_LOADER = "java.lang.ClassLoader"
_DEFINE = "(Ljava/lang/String;[BII)Ljava/lang/Class;"


async def define_classes(target: Target, calls: UtilityCalls, loader: Ref | None, compiled: ClassFiles) -> int:
    """Define the classes and return the id of the last, linked. Raises Thrown when the target refuses one.

    ``loader`` None is the system class loader. wire: 4 trips for each class.
    """
    if loader is None:
        found = await calls.static(_LOADER, "getSystemClassLoader", "()Ljava/lang/ClassLoader;")
        if not isinstance(found, Ref):
            raise StateError("the target has no system class loader", code="NOT_AVAILABLE")
        loader = found
    class_object: Ref | None = None
    for name, data in compiled.files:
        array = await calls.bytes(data)
        made = await calls.call(loader, _LOADER, "defineClass", _DEFINE, name, array, 0, len(data))
        assert isinstance(made, Ref)
        class_object = made
    assert class_object is not None
    # Only a linked class tells its methods, and this links it.
    await calls.call(class_object, "java.lang.Class", "getDeclaredFields", "()[Ljava/lang/reflect/Field;")
    command = class_object_reference.ReflectedType(ClassObjectID(ObjectID(class_object.id)))
    return (await target.conn.request(command)).typeID


CLASS = "java.lang.Class"
_NOT_THERE = ("java.lang.ClassNotFoundException", "java.lang.NoClassDefFoundError")
NewString = Callable[[str], Awaitable[Ref]]


async def class_names(new_string: NewString, names: Sequence[str]) -> list[Ref]:
    """Return the names as strings in the target, as ``Class.forName`` wants them. wire: 1 or 2 trips, whatever the
    number."""
    return await together(*(lambda name=name: new_string(_name_for_class(name)) for name in names))


class Loading:
    """Loads classes for one evaluation."""

    def __init__(self, target: Target, classes: ClassFinder, calls: ThreadCalls, new_string: NewString) -> None:
        self._target = target
        self._classes = classes
        self._calls = calls
        self._new_string = new_string

    async def load(self, names: Sequence[str], *, initialize: bool, texts: Sequence[Ref] | None = None) -> list[int]:
        """Load classes one after the other, 0 for one that there is not; ``texts`` are the names, if they are made.

        What they consist of is then known. Raises Thrown for one whose static initializer fails.
        wire: 3 trips, 2 with ``texts``; 2 more to learn java.lang.Class.
        """
        class_facts, made = await both(self._class_facts, lambda: self._texts(names, texts))
        wanted = "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;"
        method = class_facts.method("forName", wanted)
        number = await self._classes.loader()
        loader = Ref(number, Tag.CLASS_LOADER) if number else None
        outcomes = await self._calls.invoke_all(
            [Invocation(None, class_facts.id, method, (text, initialize, loader)) for text in made],
            slow=True,
        )
        for outcome in outcomes:
            if isinstance(outcome, JdbpyError) and not _is_absent(outcome):
                raise outcome
        return await self._reflected(names, outcomes, class_facts, initialize=initialize)

    async def _texts(self, names: Sequence[str], texts: Sequence[Ref] | None) -> Sequence[Ref]:
        return await class_names(self._new_string, names) if texts is None else texts

    async def _class_facts(self) -> ClassFacts:
        (class_id,) = await self._classes.find([CLASS])
        (class_facts,) = await self._classes.facts([class_id])
        return class_facts

    async def _reflected(
        self, names: Sequence[str], outcomes: Sequence[object], class_facts: ClassFacts, *, initialize: bool
    ) -> list[int]:
        """Return the classes of class objects. wire: 1 trip."""
        found = [outcome for outcome in outcomes if isinstance(outcome, Ref)]
        # The id of a class object is that of its class on HotSpot (docs/agent.md, "One id for a class and its object"):
        # what the class consists of is asked for beside the question whether it is so here.
        replies, _ = await both(
            lambda: self._target.conn.batch(
                [class_object_reference.ReflectedType(ClassObjectID(ObjectID(each.id))) for each in found]
            ),
            lambda: self._target.types.facts.prefetch(
                *((fact, [ReferenceTypeID(each.id) for each in found]) for fact in ClassFinder.FACTS)
            ),
        )
        types: dict[int, ReferenceTypeID] = {}
        for each, reply in zip(found, replies, strict=True):
            if isinstance(reply, JdwpError):
                raise reply
            types[each.id] = reply.typeID
        ids = []
        for name, outcome in zip(names, outcomes, strict=True):
            if not isinstance(outcome, Ref):
                ids.append(0)
                continue
            type_id = types[outcome.id]
            if not initialize and not await self._classes.prepared(type_id):
                await self._link(class_facts, outcome)
            await self._classes.learn(name, type_id)
            self._target.types.facts.learn(facts.CLASS_OBJECT, type_id, ClassObjectID(ObjectID(outcome.id)))
            ids.append(int(type_id))
        return ids

    async def _link(self, class_facts: ClassFacts, class_object: Ref) -> None:
        """Links a class, before which the agent reports no members: the VM does it when its fields are asked for."""
        wanted = "()[Ljava/lang/reflect/Field;"
        method = class_facts.method("getDeclaredFields", wanted)
        with suppress(Thrown):  # a class that a field mentions is missing: this one is linked all the same
            await self._calls.invoke(class_object, class_facts.id, method, [], exact=False)


def _is_absent(error: JdbpyError) -> bool:
    return isinstance(error, Thrown) and error.exception_type in _NOT_THERE


def _name_for_class(name: str) -> str:
    """Return what ``Class.forName`` wants: "[I" and "[Ljava.lang.String;" for arrays."""
    return signature_of(name).replace("/", ".") if name.endswith("]") else name
