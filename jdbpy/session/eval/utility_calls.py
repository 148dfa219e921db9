"""Methods of the JDK that the debugger runs on its own account, for what no command of the protocol gives.

Owns which thread runs them and how a method is named: by its class, name and JNI signature, so that nothing in the
selected frame can hide it, and access and module boundaries do not matter (docs/agent.md, "No access checks in calls").
How a call is made safe belongs to ``jvm``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from jdbpy.errors import EvalError, JdbpyError, StateError
from jdbpy.record import Record
from jdbpy.session.concurrency import both, together
from jdbpy.session.eval.jvm.pins import COLLECTED
from jdbpy.session.eval.target import ClassFacts, Invocation, Raw, Ref
from jdbpy.session.events.target import DiagnosticCommands, Target
from jdbpy.session.java.releases import READER, TESTED
from jdbpy.session.java.signatures import java_name
from jdbpy.session.model.threads import FrameInfo
from jdbpy.session.values.stack import StackReader
from jdbpy.wire.messages import object_reference

if TYPE_CHECKING:
    from jdbpy.session.eval.evaluator import Evaluator
    from jdbpy.session.eval.jvm.frame_target import FrameTarget
    from jdbpy.session.jvm.refs import Method


_PATIENCE = 20
"""How often it is looked for a moment in which no event is being handled."""

TRIES = 10
"""How often a method is run again whose result was collected before it could be kept: a program that allocates without
end collects every few milliseconds."""

_CLASS = "java.lang.Class"
FACTORY = "java.lang.management.ManagementFactory"
_GET_BEAN = "(Ljava/lang/Class;)Ljava/lang/management/PlatformManagedObject;"

_JDK = ("java.", "com.sun.", "sun.", "jdk.")


class UtilityCall(Record):
    """A method of the target by class, name and JNI signature; ``obj`` None for a static one.

    An instance method is run as the object's class overrides it. A str among the arguments is made a String.
    """

    class_name: str
    name: str
    signature: str
    args: tuple[Any, ...] = ()
    obj: Any = None
    static: bool = True
    class_id: int = 0
    """The loaded class that is meant, where several have the name."""

    once: bool = False
    """It must not be run again, as it is where the target has collected what it gave before that could be kept."""


class UtilityCalls:
    """Calls in one stopped thread. Raises Thrown when a method throws, StateError when it cannot be run."""

    def __init__(self, frame: FrameTarget) -> None:
        self._frame = frame
        self._declared: set[tuple[int, str]] = set()  # objects by id, and a class that they were declared to be of

    @property
    def release(self) -> int:
        """Return the target's Java release (``releases``)."""
        return self._frame.release

    async def expect(self, *class_names: str, load: Sequence[str] = (), beans: Sequence[str] = ()) -> None:
        """Learn classes that are going to be called, as far as they are loaded; loads those of ``load`` and ``beans``.

        They are loaded in this order, and the first one is initialized before any other. ``beans`` are to be given to
        ``bean``. wire: 2 trips, 0 when known; 4 where something is to be loaded.
        """
        frame = self._frame
        wanted = [*load, *beans]
        # Over a link the names of what may have to be loaded are made beside the question whether it is.
        found, texts = await both(
            lambda: frame.find_classes([*wanted, *class_names, _CLASS]), lambda: self._texts_ahead(wanted)
        )
        missing = [index for index, class_id in enumerate(found[: len(wanted)]) if not class_id]
        # All up to the last one that is missing: what is loaded and stands before it may not be initialized yet.
        count = missing[-1] + 1 if missing else 0
        known = [class_id for class_id in found if class_id]
        await together(
            lambda: frame.class_facts(known),
            lambda: frame.load_classes(wanted[:count], initialize=True, texts=texts and texts[:count]),
            *(partial(frame.class_object, class_id) for class_id in found[len(load) : len(wanted)] if class_id),
        )

    async def _texts_ahead(self, names: Sequence[str]) -> list[Ref] | None:
        """Return the names in the target, where it is far and one of them is not known yet."""
        frame = self._frame
        return await frame.class_texts(names) if frame.high_latency and not frame.knows_classes(names) else None

    async def bean(self, class_name: str) -> UtilityCall:
        """Return what gives the bean of the platform with this interface; its result is to be declared so. wire: 0 or 1
        trip.

        ``getPlatformMXBean`` makes sure that the bean has the interface, and throws where there is none.
        """
        return UtilityCall(FACTORY, "getPlatformMXBean", _GET_BEAN, (await self.class_object(class_name),))

    async def static(self, class_name: str, name: str, signature: str, *args: Raw | str) -> Raw:
        """Run a static method. A str among the arguments is made a String. wire: 1 trip, more the first time."""
        return (await self.all(UtilityCall(class_name, name, signature, args)))[0]

    async def call(self, obj: Raw, class_name: str, name: str, signature: str, *args: Raw | str) -> Raw:
        """Run an instance method that ``class_name`` declares, as the object's class overrides it. wire: 1 trip."""
        return (await self.all(on(obj, class_name, name, signature, *args)))[0]

    async def all(self, *calls: UtilityCall, slow: bool = False) -> list[Raw]:
        """Run methods that do not depend on each other; ``slow``: they are likely to take long.

        wire: 1 trip over a link, 1 more for those that came too soon; without latency 1 each.
        """
        outcomes = await self.outcomes(*calls, slow=slow)
        for outcome in outcomes:
            if isinstance(outcome, JdbpyError):
                raise outcome
        return [outcome for outcome in outcomes if not isinstance(outcome, JdbpyError)]

    async def outcomes(
        self, *calls: UtilityCall, slow: bool = False, of_a_moment: bool = False
    ) -> list[Raw | JdbpyError]:
        """``all``, with the error in the place of the result of a call that fails.

        ``of_a_moment``: all are run again where one is, as their results belong together.
        """
        outcomes = await self._outcomes(calls, slow=slow)
        for _ in range(TRIES):
            again = [at for at, each in enumerate(outcomes) if is_collected(each) and not calls[at].once]
            if not again:
                break
            if of_a_moment:
                again = list(range(len(calls)))
            for at, outcome in zip(again, await self._outcomes([calls[at] for at in again], slow=slow), strict=True):
                outcomes[at] = outcome
        return outcomes

    async def _outcomes(self, calls: Sequence[UtilityCall], *, slow: bool) -> list[Raw | JdbpyError]:
        ready: list[tuple[int, UtilityCall, Invocation]] = []
        outcomes: list[Raw | JdbpyError] = [None] * len(calls)
        prepared = await together(*(partial(self._prepared, call) for call in calls))
        for index, (call, invocation) in enumerate(zip(calls, prepared, strict=True)):
            if isinstance(invocation, JdbpyError):
                outcomes[index] = invocation
            else:
                ready.append((index, call, invocation))
        results = await self._frame.invoke_all([invocation for *_, invocation in ready], slow=slow)
        for (index, call, invocation), result in zip(ready, results, strict=True):
            outcomes[index] = result
            if not isinstance(result, JdbpyError):
                self._note(result, invocation.method.returns, call.class_name)
        return outcomes

    async def _prepared(self, call: UtilityCall) -> Invocation | JdbpyError:
        """Return what is to be run, or why it cannot be."""
        if not call.static and not isinstance(call.obj, Ref):
            return StateError(f"no object to call {call.class_name}.{call.name} on", code="NOT_AVAILABLE")
        obj = call.obj if isinstance(call.obj, Ref) else None
        try:
            class_id, method = await self._method(call.class_name, call.name, call.signature, call.class_id)
        except StateError as error:
            return error
        # What the JDK's own methods are declared to return, they return: no need to ask for its class.
        sure = obj is not None and (obj.id, call.class_name) in self._declared
        return Invocation(obj, class_id, method, tuple(await self._arguments(call.args)), sure=sure)

    def _note(self, result: Raw, declared: str, class_name: str) -> None:
        if class_name.startswith(_JDK):
            self.declare(declared, result)

    def declare(self, class_name: str, *objects: Raw) -> Raw:
        """Says that these are objects of a class, as the JDK promises; gives the first one."""
        self._declared.update({(each.id, class_name) for each in objects if isinstance(each, Ref)})
        return objects[0] if objects else None

    async def static_field(self, class_name: str, name: str) -> Raw:
        """Return the value of a static field. Raises StateError when there is no such field on this JVM. wire: 1
        trip."""
        class_id = await self._class(class_name)
        (known,) = await self._frame.class_facts([class_id])
        for field in known.fields:
            if field.name == name and field.is_static:
                (value,) = await self._frame.read_statics(class_id, [field])
                self._note(value, java_name(field.signature), class_name)
                return value
        raise StateError(f"{class_name} has no field {name} on this JVM", code="NOT_AVAILABLE")

    async def constants(self, class_name: str) -> dict[int, str]:
        """Return the constants of an enum: their names by their ids. wire: 1 trip."""
        class_id = await self._class(class_name)
        (known,) = await self._frame.class_facts([class_id])
        fields = [each for each in known.fields if each.is_static and java_name(each.signature) == class_name]
        values = await self._frame.read_statics(class_id, fields)
        return {value.id: each.name for each, value in zip(fields, values, strict=True) if isinstance(value, Ref)}

    async def fields(self, objects: Sequence[Raw], class_name: str, *names: str) -> list[list[Raw]]:
        """Fields of objects that are declared to be of a class; [] for null. wire: 1 trip, whatever their number."""
        (known,) = await self._frame.class_facts([await self._class(class_name)])
        by_name = {field.name: field for field in known.fields if not field.is_static}
        if not all(name in by_name for name in names):
            raise StateError(f"{class_name} is laid out otherwise on this JVM", code="NOT_AVAILABLE")
        wanted = [each for each in objects if isinstance(each, Ref)]
        assert all((each.id, class_name) in self._declared for each in wanted)
        found = iter(await self._frame.read_fields_of_all(wanted, [by_name[name] for name in names]))
        return [next(found) if isinstance(each, Ref) else [] for each in objects]

    async def class_object(self, class_name: str) -> Ref:
        """Return the ``java.lang.Class`` of a class, which is loaded if need be. wire: 1 or 2 trips."""
        return await self._frame.class_object(await self._class(class_name))

    async def class_objects(self, class_ids: Sequence[int]) -> list[Ref]:
        """Return the ``java.lang.Class`` of each of these loaded classes. wire: 1 trip."""
        return await together(*(partial(self._frame.class_object, each) for each in class_ids))

    async def text(self, raw: Raw) -> str | None:
        """Return the characters of a String, None for null. wire: 1 trip."""
        return (await self.texts([raw]))[0]

    async def texts(self, raws: Sequence[Raw]) -> list[str | None]:
        """Return the characters of Strings, None for what is null. wire: 1 trip, whatever their number."""
        found = iter(await self._frame.read_strings([raw for raw in raws if isinstance(raw, Ref)]))
        return [next(found) if isinstance(raw, Ref) else None for raw in raws]

    async def strings(self, texts: Sequence[str]) -> list[Raw]:
        """Strings of the target with these characters. wire: 1 trip, 2 when they have to be pinned."""
        return await together(*(partial(self._frame.new_string, text) for text in texts))

    async def longs(self, count: int) -> Ref:
        """Return a ``long[]`` of this length. wire: 1 trip."""
        return await self._new_array("long[]", count)

    async def fill(self, array: Ref, numbers: Sequence[int]) -> None:
        """Give a ``long[]`` its elements. wire: 1 trip."""
        await self._frame.write_array(array, "J", 0, list(numbers))

    async def room(self, count: int) -> Ref:
        """Return a ``byte[]`` of this length. wire: 1 trip."""
        return await self._new_array("byte[]", count)

    async def data(self, array: Ref, count: int) -> bytes:
        """Return the first ``count`` elements of a ``byte[]``. wire: 1 trip, whatever their number."""
        return await self._frame.read_bytes(array, count)

    async def bytes(self, data: bytes) -> Ref:
        """Return a ``byte[]`` with these elements. wire: 2 trips."""
        array = await self._new_array("byte[]", len(data))
        await self._frame.write_array(array, "B", 0, [byte - 256 if byte > 127 else byte for byte in data])
        return array

    async def array(self, raw: Raw) -> list[Raw]:
        """Return the elements of an array, [] for null. wire: 1 trip."""
        return (await self.arrays([raw]))[0]

    async def arrays(self, raws: Sequence[Raw]) -> list[list[Raw]]:
        """Return the elements of arrays, [] for null. wire: 1 trip, whatever their number."""
        found = iter(await self._frame.whole_arrays([raw for raw in raws if isinstance(raw, Ref)]))
        return [next(found) if isinstance(raw, Ref) else [] for raw in raws]

    async def _arguments(self, args: Sequence[Raw | str]) -> list[Raw]:
        return await together(*(partial(self._argument, each) for each in args))

    async def _argument(self, arg: Raw | str) -> Raw:
        return await self._frame.new_string(arg) if isinstance(arg, str) else arg

    async def new(self, class_name: str, signature: str, *args: Raw | str, class_id: int = 0) -> Ref:
        """Make an object with a constructor, of the class with this id if one is given. wire: 1 trip, more the first
        time."""
        class_id, constructor = await self._method(class_name, "<init>", signature, class_id)
        values = await self._arguments(args)
        made = await _again(lambda: self._frame.instantiate(class_id, constructor, values))
        self.declare(class_name, made)
        return made

    async def array_of(self, class_name: str, elements: Sequence[Raw], element: str = "Ljava/lang/Object;") -> Ref:
        """Return an array of this class (``java.lang.Object[]``) with these elements; ``element`` is the descriptor of
        their type. wire: 2 trips."""
        made = await self._new_array(class_name, len(elements))
        if elements:
            await self._frame.write_array(made, element, 0, elements)
        return made

    async def _new_array(self, class_name: str, count: int) -> Ref:
        class_id = await self._class(class_name)
        return await _again(lambda: self._frame.new_array(class_id, count))

    async def part(self, array: Raw, count: int) -> list[Raw]:
        """Return the first ``count`` elements of an array that has so many. wire: 1 trip."""
        return await self._frame.read_array(array, 0, count) if isinstance(array, Ref) and count else []

    async def elements(self, collection: Raw, most: int) -> list[Raw]:
        """Return the elements of a collection of any class by its own methods, so many at most; [] for null. wire: 3
        trips."""
        if not isinstance(collection, Ref):
            return []
        home = "java.util.Collection"
        size, array = await self.all(
            on(collection, home, "size", "()I"), on(collection, home, "toArray", "()[Ljava/lang/Object;")
        )
        return await self.part(array, min(size, most) if isinstance(size, int) else 0)

    async def lengths(self, arrays: Sequence[Ref]) -> list[int]:
        """Return how many elements arrays have. wire: 1 trip each where that is not known."""
        return [await self._frame.array_length(each) for each in arrays]

    async def classes_of(self, objects: Sequence[Raw]) -> list[ClassFacts | None]:
        """Return the classes of objects, None for null. wire: 2 trips, 0 where they are known."""
        wanted = [each for each in objects if isinstance(each, Ref)]
        found = iter(await self._frame.class_facts(await self._frame.classes_of(wanted)))
        return [next(found) if isinstance(each, Ref) else None for each in objects]

    async def own_fields(self, objects: Sequence[Ref], class_id: int, *names: str) -> list[list[Raw]]:
        """Return fields that a loaded class declares, of objects that are of it. Raises StateError where it has none of
        the name. wire: 1 trip, whatever their number."""
        (known,) = await self._frame.class_facts([class_id])
        by_name = {field.name: field for field in known.fields if not field.is_static}
        if not all(name in by_name for name in names):
            raise StateError(f"{known.name} is laid out otherwise in this version", code="NOT_AVAILABLE")
        return await self._frame.read_fields_of_all(objects, [by_name[name] for name in names])

    async def contents(self, collection: Ref, most: int) -> list[Raw] | list[tuple[Raw, Raw]] | None:
        """Return the elements of a collection of the JDK, or the entries of a map, by its fields; None for another
        object. wire: a few trips."""
        return await self._frame.elements(collection, most)

    async def _method(self, class_name: str, name: str, signature: str, class_id: int = 0) -> tuple[int, Method]:
        class_id = class_id or await self._class(class_name)
        (known,) = await self._frame.class_facts([class_id])
        for method in known.methods:
            if (method.name, method.signature) == (name, signature):
                return class_id, method
        raise StateError(f"{class_name} has no method {name} on this JVM", code="NOT_AVAILABLE")

    async def _class(self, class_name: str) -> int:
        (class_id,) = await self._frame.find_classes([class_name])
        class_id = class_id or await self._frame.load_class(class_name, initialize=True)
        if not class_id:
            raise StateError(
                f"the target has no class {class_name}",
                hint=f"its module was left out of this JVM, or this JVM is not one that is tested ({TESTED})",
                code="NOT_AVAILABLE",
            )
        return class_id


def on(obj: Raw, class_name: str, name: str, signature: str, *args: Raw | str) -> UtilityCall:
    """Return an instance method that ``class_name`` declares, to be run on an object."""
    return UtilityCall(class_name, name, signature, args, obj, static=False)


def reading(release: int, stream: Raw, most: int) -> UtilityCall:
    """Return the call that reads at most so many bytes of a stream as a ``byte[]``.

    It is not run again: what it has read is gone then. Another stream is to be read instead.
    """
    class_name, _, method = READER.on(release).rpartition(".")
    if method == "readNBytes":
        return on(stream, class_name, method, "(I)[B", most).replace(once=True)
    return UtilityCall(class_name, method, "(Ljava/io/InputStream;IZ)[B", (stream, most, False), once=True)


async def _again(make: Callable[[], Awaitable[Ref]]) -> Ref:
    """Return what is made, which is made once more where it was collected before it could be kept."""
    for _ in range(TRIES):
        try:
            return await make()
        except EvalError as error:
            if not is_collected(error):
                raise
    return await make()


def is_collected(outcome: Raw | JdbpyError) -> bool:
    """True if the target has collected a result before it could be kept."""
    return isinstance(outcome, EvalError) and outcome.code == COLLECTED


class CallRunner:
    """Finds a thread that can run methods."""

    def __init__(self, target: Target, stack: StackReader, evaluator: Callable[[], Evaluator]) -> None:
        self._target = target
        self._stack = stack
        self._evaluator = evaluator
        self._known: tuple[int, FrameInfo] | None = None  # a frame, and the number of the stop that it was read at

    @property
    def possible(self) -> bool:
        """True if some thread could run a method now, without a further one being made for it."""
        if not self._target.conn.allows(object_reference.InvokeMethod):
            return False
        return self._target.own_threads.made or self._thread() is not None

    @property
    def diagnostics(self) -> DiagnosticCommands | None:
        """Return what runs diagnostic commands without such a thread; None where only a method does."""
        return self._target.diagnostics

    @asynccontextmanager
    async def calls(self, what: str, *, limit: float = 0.0) -> AsyncIterator[UtilityCalls]:
        """Calls in a thread as of ``frame``, of methods by their names."""
        async with self.frame(what, limit=limit) as frame:
            yield UtilityCalls(frame)

    @asynccontextmanager
    async def frame(self, what: str, *, limit: float = 0.0) -> AsyncIterator[FrameTarget]:
        """Run methods in the selected thread, or in another that an event has stopped, else in one of the debugger's
        own; ``what`` they are for, in messages. Each may take so many seconds as the session's rules say, or ``limit``
        if that is more.

        Objects that come out of them are kept from collection until the block ends. Not for handlers of events, which
        it waits for. Raises StateError when no thread can run methods. wire: 1 trip, 0 when the frame is known; some 15
        where the debugger's own thread is made.
        """
        target = self._target
        target.require_alive()
        target.require_agent(what)
        target.conn.require_allowed(object_reference.InvokeMethod)
        for _ in range(_PATIENCE):  # a thread that an event of ours holds for a moment is none that can be used
            await target.publisher.settled()
            thread = self._thread()
            if thread is None or target.publisher.quiet:
                break
        place = None if thread is None else await self._frame(thread)
        if place is None:
            target.own_threads.require_possible(what)
            await target.own_threads.get()
        evaluator = self._evaluator()
        frame = evaluator.frame_target(place, evaluator.rules_with(limit))
        try:
            yield frame
        finally:
            frame.pins.release()

    def _thread(self) -> int | None:
        able = [
            thread
            for thread in self._target.suspension.threads_at_events()
            if thread not in self._target.suspension.evaluating
        ]
        selected = self._target.selection.thread
        if selected is not None and selected.id in able:
            return selected.id
        return able[0] if able else None

    async def _frame(self, thread: int) -> FrameInfo | None:
        """Return the frame that the thread is in, or was in before methods were run in it: its class's loader is what
        counts. None if it has no frames, as a thread of the JVM's own that has started: no method can run in it.

        wire: 2 trips, 0 when it was read since the thread stopped.
        """
        target = self._target
        number = target.suspension.stop_of(thread)
        if self._known is not None and (self._known[0], self._known[1].thread.id) == (number, thread):
            return self._known[1]
        stop = target.last_stop
        frame = stop.frame if stop is not None else None
        if not frame or frame.thread.id != thread or frame.epoch != target.suspension.epoch_of(thread):
            frames = await self._stack.frames(thread, 0, 1)
            if not frames:
                return None
            frame = frames[0]
        self._known = number, frame
        return frame
