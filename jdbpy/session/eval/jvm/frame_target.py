"""One frame of a stopped thread as the evaluator's target: ``EvalTarget`` over a session.

Owns the frame, whose id changes whenever a method has been run, and hands everything else on: classes to
``class_finder``, objects to the session's reader, writing to ``values.writes``, running to ``calls``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager

from jdbpy.errors import EvalError, JdbpyError, JdwpError, StateError, UsageError
from jdbpy.session.eval.errors import Thrown
from jdbpy.session.eval.javac.classes import class_path, define_classes
from jdbpy.session.eval.javac.compiler import ClassFiles, compile_class
from jdbpy.session.eval.javac.source import JavaSource
from jdbpy.session.eval.jvm.calls import Calls, Invocation
from jdbpy.session.eval.jvm.class_finder import ClassFinder, LoaderMemory
from jdbpy.session.eval.jvm.invoking import require_invocation
from jdbpy.session.eval.jvm.loading import Loading, class_names
from jdbpy.session.eval.jvm.pins import Pins
from jdbpy.session.eval.jvm.raw import from_wire, to_wire
from jdbpy.session.eval.jvm.throwables import read_throwable
from jdbpy.session.eval.own_calls import OwnCalls
from jdbpy.session.eval.rules import InvokeRules
from jdbpy.session.eval.syntax.imports import NO_IMPORTS, Imports
from jdbpy.session.eval.target import ClassFacts, FrameFacts, FrameValues, Local, Raw, Ref, Spot
from jdbpy.session.model import Frame
from jdbpy.session.stack.variables import frame_slots, read_slots
from jdbpy.session.target import Target
from jdbpy.session.threads.reader import wire_thread
from jdbpy.session.types.refs import Field, Method
from jdbpy.session.types.signatures import signature_of
from jdbpy.session.values import writes
from jdbpy.session.values.shown import Entries, Items
from jdbpy.session.values.viewer import contents
from jdbpy.session.values.waves import gather
from jdbpy.wire.constants import Error, Tag
from jdbpy.wire.ids import ArrayTypeID, ReferenceTypeID, Value
from jdbpy.wire.messages import (
    array_type,
    reference_type,
    thread_reference,
    virtual_machine,
)

Place = tuple[int, int, int]
"""Object or 0, type of the field or 0, and field or index."""

ReadImports = Callable[[Frame], Awaitable[Imports]]
"""Gives the imports of the source file that a frame is in."""


class FrameTarget:
    """One frame, for one evaluation. Without a frame only static names have a meaning, and nothing can be run."""

    def __init__(
        self,
        target: Target,
        frame: Frame | None,
        memory: LoaderMemory,
        read_imports: ReadImports,
        rules: InvokeRules,
        pins: Pins,
    ) -> None:
        self._target = target
        self._frame = frame
        self._read_imports = read_imports
        self._rules = rules
        home = ReferenceTypeID(frame.location.type_id if frame is not None else 0)
        self._classes = ClassFinder(target, memory, home)
        self.pins = pins
        self._calls = Calls(target, frame.thread.id, rules, self.pins) if frame is not None else None
        self._foreseen: FrameValues | None = None
        self._read: dict[Place, Raw] = {}  # ahead
        self.notes: list[str] = []  # words of warning that writing gave

    @property
    def release(self) -> int:
        """See ``EvalTarget``."""
        return self._target.release

    @property
    def far(self) -> bool:
        """See ``EvalTarget``."""
        return self._target.far

    # -- the frame -----------------------------------------------------------------------------------------------

    async def frame(self) -> FrameFacts:
        """See ``EvalTarget``. wire: 1 trip, 0 when the method is known."""
        frame = self._frame
        if frame is None:
            return FrameFacts(0, "", True)
        slots = await frame_slots(self._target, frame)
        place = frame.location
        methods = (await self._target.types.methods([ReferenceTypeID(place.type_id)])).get(
            ReferenceTypeID(place.type_id), ()
        )
        method = next((each for each in methods if each.id == place.method_id), None)
        return FrameFacts(
            place.type_id,
            place.class_name,
            method.is_static if method is not None else not await self._has_this(),
            tuple(Local(slot.name, slot.signature, slot.generic, slot.slot) for slot in slots),
            f"{place.class_name}.{place.method}",
        )

    async def imports(self) -> Imports:
        """See ``EvalTarget``."""
        return NO_IMPORTS if self._frame is None else await self._read_imports(self._frame)

    async def _has_this(self) -> bool:
        """Whether the frame has a ``this``, for a method that was redefined and is told no more."""
        return (await self.read_frame([], this=True)).this is not None

    async def current_frame(self) -> Frame:
        """The frame with an id that is good now. Raises StateError when the thread has run on. wire: 0 or 1 trip."""
        frame = self._frame
        if frame is None:
            raise StateError("no frame is selected")
        suspension = self._target.suspension
        thread = frame.thread.id
        suspension.require_suspended(thread)
        epoch = suspension.epoch_of(thread)
        if epoch != frame.epoch:  # a method has been run meanwhile: the frame is the same, its id is not
            wire = wire_thread(thread)
            reply = await self._target.conn.request(thread_reference.Frames(wire, frame.index - 1, 1))
            found = reply.frames[0]
            if (found.location.methodID, found.location.index) != (frame.location.method_id, frame.location.code_index):
                raise StateError("that frame belongs to an earlier stop: its thread has run since")
            frame = self._frame = frame.replace(id=found.frameID, epoch=epoch)
        assert isinstance(frame, Frame)
        return frame

    async def read_frame(self, locals_: Sequence[Local], *, this: bool) -> FrameValues:
        """See ``EvalTarget``: all variables in scope are read at once, and remembered for what is asked next."""
        if self._foreseen is not None:
            return self._foreseen
        frame = await self.current_frame()
        variables = await frame_slots(self._target, frame)
        this_value, outcomes = await read_slots(self._target, frame, variables)
        values = {
            variable.slot: from_wire(outcome)
            for variable, outcome in zip(variables, outcomes, strict=True)
            if isinstance(outcome, Value)
        }
        this_raw = from_wire(this_value)
        return FrameValues(
            this_raw if isinstance(this_raw, Ref) else None,
            {local.slot: values[local.slot] for local in locals_ if local.slot in values},
        )

    def foresee(self, values: FrameValues) -> None:
        """Takes in what was read of the frame beside other things, so that it need not be read again."""
        self._foreseen = values

    # -- classes -------------------------------------------------------------------------------------------------

    async def find_classes(self, names: Sequence[str]) -> list[int]:
        """See ``EvalTarget``."""
        return await self._classes.find(names)

    def likely_class(self, name: str) -> int:
        """See ``EvalTarget``."""
        return self._target.types.known_named(signature_of(name))

    async def class_facts(self, ids: Sequence[int]) -> list[ClassFacts]:
        """See ``EvalTarget``."""
        return await self._classes.facts(ids)

    async def simple_names(self, name: str) -> list[str]:
        """See ``EvalTarget``."""
        return await self._classes.simple_names(name)

    async def has_package(self, name: str) -> bool:
        """See ``EvalTarget``."""
        return await self._classes.has_package(name)

    async def referenced_classes(self) -> list[str]:
        """See ``EvalTarget``."""
        return await self._classes.referenced()

    async def initialized(self, class_id: int) -> bool:
        """See ``EvalTarget``."""
        return await self._classes.initialized(class_id)

    async def load_class(self, name: str, *, initialize: bool = False) -> int:
        """See ``EvalTarget``: ``Class.forName`` with the loader of the frame's class; 0 when code cannot be run."""
        return (await self.load_classes([name], initialize=initialize))[0]

    async def load_classes(
        self, names: Sequence[str], *, initialize: bool = False, texts: Sequence[Ref] | None = None
    ) -> list[int]:
        """``load_class`` for many, in this order. ``texts``: of ``class_texts``. wire: 3 trips, 2 with ``texts``."""
        try:
            calls = self._ready_calls()
        except StateError:
            return [0] * len(names)
        if not names:
            return []
        self._read.clear()
        loading = Loading(self._target, self._classes, calls, self.new_string)
        return await loading.load(names, initialize=initialize, texts=texts)

    async def class_texts(self, names: Sequence[str]) -> list[Ref]:
        """Names of classes as ``load_classes`` needs them in the target. wire: 1 trip, 2 when they are to be pinned."""
        return await class_names(self.new_string, names)

    def knows_classes(self, names: Sequence[str]) -> bool:
        """Whether all of them have been found before. No trip."""
        return self._classes.knows(names)

    async def initialize(self, name: str) -> None:
        """See ``EvalTarget``. Raises Thrown when the static initialiser fails."""
        await self.load_class(name, initialize=True)

    # -- reading -------------------------------------------------------------------------------------------------

    async def classes_of(self, objects: Sequence[Ref]) -> list[int]:
        """See ``EvalTarget``. Raises EvalError for an object that is gone or never was."""
        reader = self._target.objects.reader
        try:
            return list(await reader.run(gather([reader.type_id(ref.id) for ref in objects])))
        except JdwpError as error:
            if error.number != Error.INVALID_OBJECT:
                raise
            raise EvalError(
                "there is no such object (any more)", hint="it may have been collected", code="INVALID_OBJECT"
            ) from error

    async def read_ahead(self, spot: Spot) -> Raw:
        """See ``EvalTarget``."""
        obj, field = spot.obj, spot.field
        place = _place_of(obj, field, spot.index)
        if place not in self._read:
            if obj is None:
                assert field is not None
                values = await self.read_statics(field.type_id, [field])
            elif field is not None:
                values = await self.read_fields(obj, [field])
            else:
                values = await self.read_array(obj, spot.index, 1)
            if not values:
                return None
            self._read[place] = values[0]
        return self._read[place]

    async def read_fields(self, obj: Ref, fields: Sequence[Field]) -> list[Raw]:
        """See ``EvalTarget``."""
        places = [_place_of(obj, field) for field in fields]
        if self._read and all(place in self._read for place in places):
            return [self._read[place] for place in places]
        reader = self._target.objects.reader
        return [from_wire(value) for value in await reader.run(reader.fields(obj.id, fields))]

    async def read_fields_of_all(self, objects: Sequence[Ref], fields: Sequence[Field]) -> list[list[Raw]]:
        """The same fields of many objects; each must be declared by their classes. wire: 1 trip."""
        reader = self._target.objects.reader
        rows = await reader.run(reader.fields_of_all([obj.id for obj in objects], fields))
        for row in rows:
            if isinstance(row, JdwpError):
                raise row
        return [[from_wire(value) for value in row] for row in rows if not isinstance(row, JdwpError)]

    async def read_statics(self, class_id: int, fields: Sequence[Field]) -> list[Raw]:
        """See ``EvalTarget``."""
        assert all(field.is_static and field.type_id == class_id for field in fields)
        places = [_place_of(None, field) for field in fields]
        if self._read and all(place in self._read for place in places):
            return [self._read[place] for place in places]
        command = reference_type.GetValues(ReferenceTypeID(class_id), [field.id for field in fields])
        return [from_wire(value) for value in (await self._target.conn.request(command)).values]

    async def array_length(self, array: Ref) -> int:
        """See ``EvalTarget``."""
        reader = self._target.objects.reader
        return await reader.run(reader.length(array.id))

    async def read_array(self, array: Ref, start: int, count: int) -> list[Raw]:
        """See ``EvalTarget``."""
        if start < 0:
            return []
        place = _place_of(array, None, start)
        if count == 1 and place in self._read:
            return [self._read[place]]
        reader = self._target.objects.reader
        try:
            values = await reader.run(reader.elements(array.id, start, count))
        except JdwpError as error:
            if error.number not in (Error.INVALID_INDEX, Error.INVALID_LENGTH):
                raise
            return []
        return [from_wire(value) for value in values]

    async def whole_arrays(self, arrays: Sequence[Ref]) -> list[list[Raw]]:
        """All elements of arrays. wire: 1 trip, whatever their number."""
        reader = self._target.objects.reader
        found = await reader.run(gather([reader.whole(array.id) for array in arrays]))
        return [[from_wire(value) for value in values] for values in found]

    async def read_strings(self, strings: Sequence[Ref]) -> list[str]:
        """See ``EvalTarget``."""
        reader = self._target.objects.reader
        return await reader.run(gather([reader.text(ref.id) for ref in strings]))

    async def class_object(self, class_id: int) -> Ref:
        """See ``EvalTarget``."""
        known = self._classes.class_objects
        if class_id not in known:
            reply = await self._target.conn.request(reference_type.ClassObject(ReferenceTypeID(class_id)))
            known[class_id] = Ref(reply.classObject, Tag.CLASS_OBJECT)
        return known[class_id]

    async def elements(self, collection: Ref, most: int) -> list[Raw] | list[tuple[Raw, Raw]] | None:
        """See ``EvalTarget``."""
        match await contents(self._target, Value(collection.tag, collection.id), most):
            case Items(items=items):
                return [from_wire(value) for value in items]
            case Entries(entries=entries):
                return [(from_wire(key), from_wire(value)) for key, value in entries]
        return None

    async def object_text(self, obj: Ref) -> str | None:
        """See ``EvalTarget``."""
        return None

    # -- writing -------------------------------------------------------------------------------------------------

    async def write_local(self, local: Local, value: Raw) -> None:
        """See ``EvalTarget``."""
        frame = await self.current_frame()
        with _as_eval_error():
            await writes.write_local(self._target, frame, local.slot, to_wire(local.signature, value))

    async def write_field(self, obj: Ref, field: Field, value: Raw) -> None:
        """See ``EvalTarget``."""
        self._read.clear()
        with _as_eval_error():
            self._note(await writes.write_field(self._target, obj.id, field, to_wire(field.signature, value)))

    async def write_static(self, class_id: int, field: Field, value: Raw) -> None:
        """See ``EvalTarget``."""
        self._read.clear()
        with _as_eval_error():
            self._note(await writes.write_static(self._target, field, to_wire(field.signature, value)))

    async def write_array(self, array: Ref, element: str, start: int, values: Sequence[Raw]) -> None:
        """See ``EvalTarget``. Raises Thrown (ArrayStoreException) for an object that the array does not take."""
        self._read.clear()
        try:
            await writes.write_elements(self._target, array.id, start, [to_wire(element, value) for value in values])
        except UsageError as error:
            if error.code != "TYPE_MISMATCH":
                raise EvalError(error.message, code=error.code) from error
            (wrong,) = await self.class_facts(await self.classes_of([v for v in values if isinstance(v, Ref)][:1]))
            raise Thrown("java.lang.ArrayStoreException", wrong.name) from error

    def _note(self, note: str) -> None:
        if note and note not in self.notes:
            self.notes.append(note)

    # -- making and running --------------------------------------------------------------------------------------

    async def new_string(self, text: str) -> Ref:
        """See ``EvalTarget``."""
        if self.pins.needless:
            self._target.require_writable("making a string")
            reply = await self._target.conn.request(virtual_machine.CreateString(text))
            return Ref(reply.stringObject, Tag.STRING)
        value = await writes.create_string(self._target, text)
        self.pins.adopt(int(value.value or 0))
        return Ref(int(value.value or 0), Tag.STRING)

    async def new_array(self, class_id: int, length: int) -> Ref:
        """See ``EvalTarget``. Raises EvalError when the target has no memory for it."""
        self._target.require_writable("making an array")
        try:
            reply = await self._target.conn.request(array_type.NewInstance(ArrayTypeID(class_id), length))
        except JdwpError as error:
            if error.number != Error.OUT_OF_MEMORY:
                raise
            raise Thrown("java.lang.OutOfMemoryError", "Java heap space") from error
        made = Ref(reply.newArray.objectID, reply.newArray.tag)
        self._target.objects.reader.told_array(made.id, class_id, length)
        await self.pins.add(made)
        return made

    def require_invocation(self) -> None:
        """See ``EvalTarget``."""
        self._ready_calls()

    def _ready_calls(self) -> Calls:
        if self._calls is None or self._frame is None:
            raise StateError("running a method needs a stopped thread", hint="stop at a breakpoint first")
        require_invocation(self._target, self._frame.thread.id)
        return self._calls

    async def invoke(
        self, obj: Ref | None, class_id: int, method: Method, args: Sequence[Raw], *, exact: bool, sure: bool = False
    ) -> Raw:
        """See ``EvalTarget``. ``sure`` spares the look at the object's class: it is known to have the method."""
        self._read.clear()
        return await self._ready_calls().invoke(obj, class_id, method, args, exact=exact, sure=sure)

    async def invoke_all(self, wanted: Sequence[Invocation], *, slow: bool = False) -> list[Raw | JdbpyError]:
        """Runs methods that do not depend on each other; one outcome for each. wire: 1 trip over a link, or 2."""
        self._read.clear()
        return await self._ready_calls().invoke_all(wanted, slow=slow)

    async def instantiate(self, class_id: int, constructor: Method, args: Sequence[Raw]) -> Ref:
        """See ``EvalTarget``."""
        self._read.clear()
        return await self._ready_calls().instantiate(class_id, constructor, args)

    @property
    def may_define_classes(self) -> bool:
        """See ``EvalTarget``."""
        return self._rules.javac

    async def compile_java(self, source: JavaSource) -> ClassFiles:
        """See ``EvalTarget``."""
        self._ready_calls()
        return await compile_class(source, self.release, await class_path(self._target))

    async def define_classes(self, compiled: ClassFiles) -> int:
        """See ``EvalTarget``."""
        loader = await self._classes.loader()
        calls = OwnCalls(self)
        return await define_classes(self._target, calls, Ref(loader) if loader else None, compiled)

    async def thrown(self, exception: Ref) -> Thrown:
        """See ``EvalTarget``."""
        return await read_throwable(self._target, exception, self._calls)


def _place_of(obj: Ref | None, field: Field | None, index: int = 0) -> Place:
    return (obj.id if obj else 0, *((field.type_id, field.id) if field else (0, index)))


@contextmanager
def _as_eval_error() -> Iterator[None]:
    """Turns what the writers say of a wrong value into an error of the expression."""
    try:
        yield
    except UsageError as error:
        raise EvalError(error.message, hint=error.hint, code=error.code) from error
