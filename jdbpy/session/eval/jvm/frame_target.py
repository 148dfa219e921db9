"""One frame of a stopped thread as the evaluator's target: ``EvalTarget`` over a session.

Owns the frame, whose id changes whenever a method has been run, and what needs a stopped thread: its variables, making
objects and running code, by way of ``calls`` and ``loading``. What needs none is in ``heap_target``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar, cast

from jdbpy.errors import JdbpyError, JdwpError, StateError, Thrown
from jdbpy.session.eval.javac import ClassFiles, JavaSource, compile_class
from jdbpy.session.eval.jvm.calls import MadeCall, ThreadCalls
from jdbpy.session.eval.jvm.class_finder import ClassFinder
from jdbpy.session.eval.jvm.heap_target import HeapTarget, as_eval_error
from jdbpy.session.eval.jvm.invoking import require_invocation
from jdbpy.session.eval.jvm.loading import Loading, class_names, define_classes
from jdbpy.session.eval.jvm.pins import Pins
from jdbpy.session.eval.jvm.throwables import read_throwable
from jdbpy.session.eval.syntax.lexer import NO_IMPORTS, Imports
from jdbpy.session.eval.target import (
    ClassFacts,
    EvalTarget,
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
from jdbpy.session.events.frames import SlotVariable
from jdbpy.session.events.target import Target
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.reading import Reading, SingleFlight, gather
from jdbpy.session.jvm.refs import OBSOLETE, Method
from jdbpy.session.model.options import InvokeRules
from jdbpy.session.model.threads import FrameInfo
from jdbpy.session.sources.local_classes import local_class_path
from jdbpy.session.values import writes
from jdbpy.session.values.objects import Objects
from jdbpy.session.values.remembered import PLAIN, GivenObject
from jdbpy.session.values.variables import current_frames, frame_slots, read_slots, require_readable
from jdbpy.wire.constants import Error, Tag
from jdbpy.wire.ids import ArrayTypeID, ClassLoaderID, MethodID, ObjectID, ReferenceTypeID, TaggedValue
from jdbpy.wire.layout import OBJECT_TAGS
from jdbpy.wire.messages import array_type, object_reference, virtual_machine

T = TypeVar("T")
ReadImports = Callable[[FrameInfo, bool], Awaitable[Imports]]
"""Gives the imports of the source file that a frame is in; True: that is looked for whatever it costs."""


class FrameTarget(HeapTarget):
    """One frame, for one evaluation. Without a frame only static names have a meaning.

    Methods are run in the thread of the frame. Where that can run none, as it was suspended by command, and where there
    is no frame, a thread of the debugger's own runs them (``OwnThreads``).
    """

    def __init__(
        self,
        target: Target,
        frame: FrameInfo | None,
        read_imports: ReadImports,
        rules: InvokeRules,
        pins: Pins,
    ) -> None:
        home = ReferenceTypeID(frame.location.type_id if frame is not None else 0)
        super().__init__(target, ClassFinder(target, home))
        self._frame = frame
        self._read_imports = read_imports
        self._rules = rules
        self.pins = pins
        self._calls = ThreadCalls(target, frame.thread.id, rules, pins, self._receive) if frame is not None else None
        self._own_calls: ThreadCalls | None = None
        self.runs_apart = True
        """Methods may be run in a thread of the debugger's own where there is no frame."""
        self.ran_in = 0
        """The thread in which a method was run here last."""
        self.given: list[GivenObject] | None = None
        """The objects that were made here, and that methods have given; None where they need not be known."""
        self._expected: FrameValues | None = None
        self._slots: Sequence[SlotVariable] | None = None

    def _receive(self, made: Ref) -> None:
        """Take in an object of this evaluation. Not those of compiled lambdas: they are shared."""
        if self.given is not None and not self._rules.javac and made.id and made.tag in PLAIN:
            self.given.append(Objects.of(self._target).reader.given.add(made.id))

    # -- the frame -----------------------------------------------------------------------------------------------

    async def frame(self) -> FrameFacts:
        """See ``EvalTarget``. wire: 1 trip, 0 when the method is known."""
        frame = self._frame
        if frame is None:
            return FrameFacts(0, "", True)
        slots = await self._frame_slots()
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

    async def classes_in_method(self) -> list[str]:
        """See ``EvalTarget``."""
        place = self._frame.location if self._frame is not None else None
        if place is None or place.method_id == OBSOLETE:
            return []
        return await self._classes.used_in((ReferenceTypeID(place.type_id), MethodID(place.method_id)))

    def _out_of_scope(self, frame: FrameInfo, name: str) -> str:
        """Return at which lines a local variable that is not in scope here is; "" if there is none. No trip."""
        place = frame.location
        if place.method_id == OBSOLETE:
            return "the code of this frame was replaced since (hot swap): its variables have no names any more"
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
        return NO_IMPORTS if self._frame is None else await self._read_imports(self._frame, False)

    async def search_imports(self) -> bool:
        """See ``EvalTarget``."""
        if self._frame is None or not self.high_latency:
            return False
        return await self._read_imports(self._frame, False) != await self._read_imports(self._frame, True)

    async def _has_this(self) -> bool:
        """True if the frame has a ``this``: for a method that was redefined, of which the agent says nothing else."""
        return (await self.read_frame([], this=True)).this is not None

    async def current_frame(self) -> FrameInfo:
        """Return the frame with an id that is good now. Raises StateError when the thread has run on. wire: 0 or 1
        trip."""
        frame = self._frame
        if frame is None:
            raise StateError("no frame is selected")
        [self._frame] = [current] = await current_frames(self._target, [frame])
        return current

    async def read_frame(self, locals_: Sequence[Local], *, this: bool) -> FrameValues:
        """See ``EvalTarget``: all variables in scope are read at once, and remembered for what is asked next."""
        known = self.known_values(locals_)
        if known is not None:
            return known
        slots = await self._frame_slots()
        known = self.known_values(locals_)
        if known is not None:
            return known
        this_value, outcomes = await read_slots(self._target, await self.current_frame(), slots)
        return _frame_values(locals_, slots, this_value, outcomes)

    async def _frame_slots(self) -> Sequence[SlotVariable]:
        """Return the variables in scope, without their values."""
        if self._slots is None:
            self._slots = await frame_slots(self._target, self._frame) if self._frame is not None else ()
        return self._slots

    def known_values(self, locals_: Sequence[Local]) -> FrameValues | None:
        """Return what ``read_frame`` gives, where that is known. No trip."""
        if self._expected is not None or self._frame is None or self._slots is None:
            return self._expected
        known = self._target.frame_memory.recall(self._frame)
        outcomes = known.of(self._slots) if known is not None else None
        if known is None or outcomes is None:
            return None
        require_readable(self._frame)
        return _frame_values(locals_, self._slots, known.this, outcomes)

    async def prefetch(self, walk: Callable[[EvalTarget], Reading[None]]) -> None:
        """See ``EvalTarget``."""
        reader = Objects.of(self._target).reader
        target = _PrefetchTarget(self, self._target, self._classes)
        with suppress(JdbpyError):  # the code that needs it meets it again
            await reader.prefetch(walk(cast("EvalTarget", target)), self._prefetched)

    def knows_object_in(self, local: Local) -> bool:
        """See ``EvalTarget``."""
        known = self._target.frame_memory.recall(self._frame) if self._frame is not None else None
        value = known.slots.get((local.slot, local.signature[0])) if known is not None else None
        if not isinstance(value, TaggedValue) or value.tag not in OBJECT_TAGS:
            return False
        return not value.value or Objects.of(self._target).reader.known_type(int(value.value)) is not None

    def expect(self, values: FrameValues) -> None:
        """Take in what was read of the frame beside other things, so that it need not be read again."""
        self._expected = values

    async def write_local(self, local: Local, value: Raw) -> None:
        """See ``EvalTarget``."""
        frame = await self.current_frame()
        with as_eval_error():
            await writes.write_local(self._target, frame, local.slot, to_wire(local.signature, value))

    # -- making --------------------------------------------------------------------------------------------------

    def begin_with(self, calls: Sequence[MadeCall]) -> None:
        """Take in the methods that an earlier try of this evaluation has run: they are not run again."""
        if self._calls is not None:
            self._calls.made = list(calls)

    async def new_string(self, text: str) -> Ref:
        """See ``EvalTarget``."""
        if self.pins.needless:
            reply = await self._target.conn.request(virtual_machine.CreateString(text))
            made = Ref(reply.stringObject, Tag.STRING)
        else:
            value = await writes.create_string(self._target, text)
            self.pins.adopt(int(value.value or 0))
            made = Ref(int(value.value or 0), Tag.STRING)
        self._receive(made)
        return made

    async def new_array(self, class_id: int, length: int) -> Ref:
        """See ``EvalTarget``. Raises EvalError when the target has no memory for it."""
        try:
            reply = await self._target.conn.request(array_type.NewInstance(ArrayTypeID(class_id), length))
        except JdwpError as error:
            if error.number != Error.OUT_OF_MEMORY:
                raise
            raise Thrown("java.lang.OutOfMemoryError", "Java heap space") from error
        made = Ref(reply.newArray.objectID, reply.newArray.tag)
        self._receive(made)
        Objects.of(self._target).reader.cache_array(made.id, class_id, length)
        await self.pins.add(made)
        return made

    # -- running -------------------------------------------------------------------------------------------------

    def require_invocation(self) -> None:
        """See ``EvalTarget``."""
        self._calls_in_frame()

    def _calls_in_frame(self) -> ThreadCalls | None:
        """Return what runs methods in the thread of the frame; None where a thread of the debugger's own is to run
        them. Raises StateError where that cannot be either."""
        own = self._target.own_threads
        if self._calls is None or self._frame is None:
            self._target.require_alive()
            self._target.conn.require_allowed(object_reference.InvokeMethod)
            if not self.runs_apart:
                raise StateError("running a method needs a stopped thread", hint="stop at a breakpoint first")
            own.require_possible("running a method")
            return None
        try:
            require_invocation(self._target, self._frame.thread.id)
        except StateError as error:
            if error.code != "NOT_AT_EVENT" or not self._frame.thread.id or not own.possible:
                raise
            return None
        return self._calls

    async def _ready_calls(self) -> ThreadCalls:
        """Return what runs methods now. wire: 0 trips; some 15 where the debugger's own thread is made."""
        if (calls := self._calls_in_frame()) is not None:
            self.ran_in = calls.thread
            return calls
        own = await self._target.own_threads.get()
        if self._frame is None:
            self._classes.apart = ClassLoaderID(ObjectID(own.loader))
        if self._own_calls is None or self._own_calls.thread != own.id:
            self._own_calls = ThreadCalls(
                self._target, own.id, self._rules, self.pins, self._receive, one_at_a_time=own.turn
            )
        self.ran_in = own.id
        return self._own_calls

    async def invoke(
        self, obj: Ref | None, class_id: int, method: Method, args: Sequence[Raw], *, exact: bool, sure: bool = False
    ) -> Raw:
        """See ``EvalTarget``. ``sure`` spares the look at the object's class: it is known to have the method."""
        self._prefetched.clear()
        return await (await self._ready_calls()).invoke(obj, class_id, method, args, exact=exact, sure=sure)

    async def invoke_all(self, wanted: Sequence[Invocation], *, slow: bool = False) -> list[Raw | JdbpyError]:
        """Run methods that do not depend on each other; one outcome for each. wire: 1 trip over a link, or 2."""
        self._prefetched.clear()
        return await (await self._ready_calls()).invoke_all(wanted, slow=slow)

    async def instantiate(self, class_id: int, constructor: Method, args: Sequence[Raw]) -> Ref:
        """See ``EvalTarget``."""
        self._prefetched.clear()
        return await (await self._ready_calls()).instantiate(class_id, constructor, args)

    async def thrown(self, exception: Ref) -> Thrown:
        """See ``EvalTarget``."""
        return await read_throwable(self._target, exception, self._own_calls or self._calls)

    # -- classes that are made or loaded -------------------------------------------------------------------------

    async def load_class(self, name: str, *, initialize: bool = False, seen_from: int = 0) -> int:
        """See ``EvalTarget``: ``Class.forName`` with the loader of the class; 0 when code cannot be run."""
        classes = ClassFinder(self._target, ReferenceTypeID(seen_from)) if seen_from else None
        return (await self.load_classes([name], initialize=initialize, seen_from=classes))[0]

    async def load_classes(
        self,
        names: Sequence[str],
        *,
        initialize: bool = False,
        texts: Sequence[Ref] | None = None,
        seen_from: ClassFinder | None = None,
    ) -> list[int]:
        """``load_class`` for many, in this order; ``seen_from`` another class than the frame's.

        ``texts``: of ``class_texts``. wire: 3 trips, 2 with ``texts``.
        """
        try:
            calls = await self._ready_calls()
        except StateError:
            return [0] * len(names)
        if not names:
            return []
        self._prefetched.clear()
        loading = Loading(self._target, seen_from or self._classes, calls, self.new_string)
        return await loading.load(names, initialize=initialize, texts=texts)

    async def class_texts(self, names: Sequence[str]) -> list[Ref]:
        """Return names of classes as ``load_classes`` needs them in the target. wire: 1 trip, 2 when they are to be
        pinned."""
        return await class_names(self.new_string, names)

    async def initialize(self, class_id: int, name: str) -> None:
        """See ``EvalTarget``. Raises Thrown when the static initializer fails."""
        await self.load_class(name, initialize=True, seen_from=class_id)

    @property
    def may_define_classes(self) -> bool:
        """See ``EvalTarget``."""
        return self._rules.javac

    async def compile_java(self, source: JavaSource) -> ClassFiles:
        """See ``EvalTarget``."""
        await self._ready_calls()
        return await compile_class(source, self.release, (await local_class_path(self._target)).used)

    async def define_classes(self, compiled: ClassFiles) -> int:
        """See ``EvalTarget``."""
        loader = await self._classes.loader()
        calls = UtilityCalls(self)
        return await define_classes(self._target, calls, Ref(loader) if loader else None, compiled)


class _PrefetchTarget(HeapTarget):
    """The target of a prefetch for a frame: an ``EvalTarget`` of which the coroutines are readings. What is known costs
    none of them a question, so that no branch waits for a wave that it does not need.
    """

    def __init__(self, frame: FrameTarget, target: Target, classes: ClassFinder) -> None:
        super().__init__(target, classes)
        self._frame = frame
        self._reader = Objects.of(target).reader
        self._names: list[str] = []  # to be looked up with the next wave
        self._flight = SingleFlight()

    async def _run(self, reading: Reading[T]) -> T:
        return await reading

    async def find_classes(self, names: Sequence[str]) -> list[int]:
        """See ``EvalTarget``."""
        return await gather([self._find(name) for name in names])

    async def _find(self, name: str) -> int:
        known = self._classes.known(name)
        if known is not None:
            return known
        self._names.append(name)
        flight = self._flight
        found = await flight.read("names", lambda: self._reader.outside(self._look_up))
        return found[name]

    async def _look_up(self) -> dict[str, int]:
        """Return all names that are wanted at this moment, in one trip."""
        names, self._names = self._names, []
        self._flight = SingleFlight()
        return dict(zip(names, await self._classes.find(names), strict=True))

    async def class_facts(self, ids: Sequence[int]) -> list[ClassFacts]:
        """See ``EvalTarget``."""
        return await gather([self._classes.read_facts(self._reader, each) for each in ids])

    async def initialized(self, class_id: int) -> bool:
        """See ``EvalTarget``."""
        if self._classes.is_initialized(class_id):
            return True
        return await self._reader.outside(lambda: self._classes.initialized(class_id))

    async def referenced_classes(self) -> list[str]:
        """See ``EvalTarget``."""
        known = self._classes.known_referenced()
        return known if known is not None else await self._reader.outside(self._classes.referenced)

    def knows_object_in(self, local: Local) -> bool:
        """See ``EvalTarget``."""
        return self._frame.knows_object_in(local)

    async def read_frame(self, locals_: Sequence[Local], *, this: bool) -> FrameValues:
        """See ``EvalTarget``."""
        known = self._frame.known_values(locals_)
        if known is not None:
            return known
        return await self._reader.outside(lambda: self._frame.read_frame(locals_, this=this))


def _frame_values(
    locals_: Sequence[Local],
    variables: Sequence[SlotVariable],
    this: TaggedValue,
    outcomes: Sequence[TaggedValue | JdwpError],
) -> FrameValues:
    values = {
        variable.slot: from_wire(outcome)
        for variable, outcome in zip(variables, outcomes, strict=True)
        if isinstance(outcome, TaggedValue) and not is_masked(variable.signature, outcome)
    }
    this_raw = from_wire(this)
    return FrameValues(
        this_raw if isinstance(this_raw, Ref) else None,
        {local.slot: values[local.slot] for local in locals_ if local.slot in values},
    )
