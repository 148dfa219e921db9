"""One frame of a stopped thread as the evaluator's target: ``EvalTarget`` over a session.

Owns the frame, whose id changes whenever a method has been run, and what needs a stopped thread: its variables, making
objects and running code, by way of ``calls`` and ``loading``. What needs none is in ``heap_target``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from jdbpy.errors import JdbpyError, JdwpError, StateError, Thrown
from jdbpy.session.eval.javac import ClassFiles, JavaSource, compile_class
from jdbpy.session.eval.jvm.calls import MadeCall, ThreadCalls
from jdbpy.session.eval.jvm.class_finder import ClassFinder, LoaderMemory
from jdbpy.session.eval.jvm.heap_target import HeapTarget, as_eval_error
from jdbpy.session.eval.jvm.invoking import require_invocation
from jdbpy.session.eval.jvm.loading import Loading, class_names, define_classes
from jdbpy.session.eval.jvm.pins import Pins
from jdbpy.session.eval.jvm.throwables import read_throwable
from jdbpy.session.eval.syntax.lexer import NO_IMPORTS, Imports
from jdbpy.session.eval.target import (
    FrameFacts,
    FrameValues,
    Invocation,
    Local,
    Raw,
    Ref,
    from_wire,
    is_masked,
    to_wire,
)
from jdbpy.session.eval.utility_calls import UtilityCalls
from jdbpy.session.model.options import InvokeRules
from jdbpy.session.model.threads import Frame
from jdbpy.session.sources.local_classes import local_class_path
from jdbpy.session.target import facts
from jdbpy.session.target.refs import Method
from jdbpy.session.target.target import Target
from jdbpy.session.target.threads import wire_thread
from jdbpy.session.values import writes
from jdbpy.session.values.objects import Objects
from jdbpy.session.values.variables import frame_slots, read_slots
from jdbpy.wire.constants import Error, Tag
from jdbpy.wire.ids import ArrayTypeID, MethodID, ReferenceTypeID, TaggedValue
from jdbpy.wire.layout import OBJECT_TAGS
from jdbpy.wire.messages import array_type, thread_reference, virtual_machine

ReadImports = Callable[[Frame], Awaitable[Imports]]
"""Gives the imports of the source file that a frame is in."""


class FrameTarget(HeapTarget):
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
        home = ReferenceTypeID(frame.location.type_id if frame is not None else 0)
        super().__init__(target, ClassFinder(target, memory, home))
        self._frame = frame
        self._read_imports = read_imports
        self._rules = rules
        self.pins = pins
        self._calls = ThreadCalls(target, frame.thread.id, rules, self.pins) if frame is not None else None
        self._expected: FrameValues | None = None

    @property
    def received(self) -> list[int]:
        """The objects that methods have given, an id for each time. Not those of compiled lambdas: they are shared."""
        return self._calls.received if self._calls is not None and not self._rules.javac else []

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
            partial(self._out_of_scope, frame),
        )

    def _out_of_scope(self, frame: Frame, name: str) -> str:
        """Return at which lines a local variable that is not in scope here is; "" if there is none. No trip."""
        place = frame.location
        key = ReferenceTypeID(place.type_id), MethodID(place.method_id)
        table, lines = (
            self._target.types.facts.known(facts.VARIABLES, key),
            self._target.types.facts.known(facts.LINES, key),
        )
        if table is None or lines is None or place.line is None:
            return ""
        begins = [lines.line_at(slot.code_index) for slot in table.slots if slot.name == name]
        first = min((line for line in begins if line is not None), default=None)
        if first is None:
            return ""
        if place.line < first:
            return f"{name} is not in scope yet at line {place.line}; it is from line {first} on"
        return f"{name} is not in scope at this place in line {place.line}"

    async def imports(self) -> Imports:
        """See ``EvalTarget``."""
        return NO_IMPORTS if self._frame is None else await self._read_imports(self._frame)

    async def _has_this(self) -> bool:
        """True if the frame has a ``this``, for a method that was redefined and is told no more."""
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
        if self._expected is not None:
            return self._expected
        frame = self._frame
        variables = await frame_slots(self._target, frame) if frame is not None else []
        known = self._target.frame_memory.recall(frame) if frame is not None else None
        if frame is None or known is None or known.of(variables) is None:
            frame = await self.current_frame()
        this_value, outcomes = await read_slots(self._target, frame, variables)
        values = {
            variable.slot: from_wire(outcome)
            for variable, outcome in zip(variables, outcomes, strict=True)
            if isinstance(outcome, TaggedValue) and not is_masked(variable.signature, outcome)
        }
        this_raw = from_wire(this_value)
        return FrameValues(
            this_raw if isinstance(this_raw, Ref) else None,
            {local.slot: values[local.slot] for local in locals_ if local.slot in values},
        )

    def knows_object_in(self, local: Local) -> bool:
        """See ``EvalTarget``."""
        known = self._target.frame_memory.recall(self._frame) if self._frame is not None else None
        value = known.slots.get((local.slot, local.signature[0])) if known is not None else None
        if not isinstance(value, TaggedValue) or value.tag not in OBJECT_TAGS:
            return False
        return not value.value or Objects.of(self._target).reader.known_type(int(value.value)) is not None

    def foresee(self, values: FrameValues) -> None:
        """Takes in what was read of the frame beside other things, so that it need not be read again."""
        self._expected = values

    async def write_local(self, local: Local, value: Raw) -> None:
        """See ``EvalTarget``."""
        frame = await self.current_frame()
        with as_eval_error():
            await writes.write_local(self._target, frame, local.slot, to_wire(local.signature, value))

    # -- making --------------------------------------------------------------------------------------------------

    def begin_with(self, calls: Sequence[MadeCall]) -> None:
        """Takes in the methods that an earlier try of this evaluation has run: they are not run again."""
        if self._calls is not None:
            self._calls.made = list(calls)

    async def new_string(self, text: str) -> Ref:
        """See ``EvalTarget``."""
        if self.pins.needless:
            reply = await self._target.conn.request(virtual_machine.CreateString(text))
            return Ref(reply.stringObject, Tag.STRING)
        value = await writes.create_string(self._target, text)
        self.pins.adopt(int(value.value or 0))
        return Ref(int(value.value or 0), Tag.STRING)

    async def new_array(self, class_id: int, length: int) -> Ref:
        """See ``EvalTarget``. Raises EvalError when the target has no memory for it."""
        try:
            reply = await self._target.conn.request(array_type.NewInstance(ArrayTypeID(class_id), length))
        except JdwpError as error:
            if error.number != Error.OUT_OF_MEMORY:
                raise
            raise Thrown("java.lang.OutOfMemoryError", "Java heap space") from error
        made = Ref(reply.newArray.objectID, reply.newArray.tag)
        Objects.of(self._target).reader.cache_array(made.id, class_id, length)
        await self.pins.add(made)
        return made

    # -- running -------------------------------------------------------------------------------------------------

    def require_invocation(self) -> None:
        """See ``EvalTarget``."""
        self._ready_calls()

    def _ready_calls(self) -> ThreadCalls:
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

    async def thrown(self, exception: Ref) -> Thrown:
        """See ``EvalTarget``."""
        return await read_throwable(self._target, exception, self._calls)

    # -- classes that are made or loaded -------------------------------------------------------------------------

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

    async def initialize(self, name: str) -> None:
        """See ``EvalTarget``. Raises Thrown when the static initializer fails."""
        await self.load_class(name, initialize=True)

    @property
    def may_define_classes(self) -> bool:
        """See ``EvalTarget``."""
        return self._rules.javac

    async def compile_java(self, source: JavaSource) -> ClassFiles:
        """See ``EvalTarget``."""
        self._ready_calls()
        return await compile_class(source, self.release, (await local_class_path(self._target)).used)

    async def define_classes(self, compiled: ClassFiles) -> int:
        """See ``EvalTarget``."""
        loader = await self._classes.loader()
        calls = UtilityCalls(self)
        return await define_classes(self._target, calls, Ref(loader) if loader else None, compiled)
