"""Threads at events, and the methods that need one: class files asked of loaders, classes defined, method handles made.

Owns which method of the JDK does it. A class is defined by Unsafe, the JDK's own one where there are two, which no rule
of modules keeps a debugger from, and which serves all loaders and packages.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

from jdbpy.errors import JdbpyError, StateError
from jdbpy.session.eval.evaluator import Evaluator
from jdbpy.session.eval.target import Ref
from jdbpy.session.eval.utility_calls import TRIES, UtilityCalls, is_collected, reading
from jdbpy.session.events.requests import EventRequest, Handler, RequestSpec
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import wire_thread
from jdbpy.session.in_target.weave.records import HANDLE, Handle, HelperClass
from jdbpy.session.java.releases import UNSAFE
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.refs import RefType
from jdbpy.session.model.options import InvokeRules
from jdbpy.session.model.threads import FrameInfo, ThreadRef
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy, Tag
from jdbpy.wire.ids import (
    ArrayID,
    ClassID,
    ClassObjectID,
    CodeLocation,
    FieldValue,
    ObjectID,
    ReferenceTypeID,
    TaggedValue,
)
from jdbpy.wire.messages import array_reference, class_object_reference, class_type, event_request, thread_reference

MOST_CLASS_FILE = 4_000_000
"""Bytes of a class file that a loader gives."""

LIMIT = 5.0
"""Seconds that each method may take: what is not there by then is given up."""

_DEFINE = "(Ljava/lang/String;[BIILjava/lang/ClassLoader;Ljava/security/ProtectionDomain;)Ljava/lang/Class;"
_CLASS = "java.lang.Class"
_LOOKUP = "java.lang.invoke.MethodHandles$Lookup"
_TYPE = "java.lang.invoke.MethodType"

_FINDERS = {
    "getter": ("findGetter", f"(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/Class;){HANDLE}"),
    "static getter": ("findStaticGetter", f"(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/Class;){HANDLE}"),
    "method": ("findVirtual", f"(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/invoke/MethodType;){HANDLE}"),
    "static method": ("findStatic", f"(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/invoke/MethodType;){HANDLE}"),
    "constructor": ("findConstructor", f"(Ljava/lang/Class;Ljava/lang/invoke/MethodType;){HANDLE}"),
}


def request_thread(target: Target, place: CodeLocation, hits: int, came: Handler) -> EventRequest:
    """Have a thread come to a place, at the last of so many hits of it; return the request.

    Hits while methods are run for the debugger are passed: nothing can be run in such a thread. wire: no wait.
    """
    modifiers = [event_request.LocationOnly(place), event_request.Count(hits)]
    spec = RequestSpec(EventKind.BREAKPOINT, JdwpSuspendPolicy.EVENT_THREAD, modifiers, came, recounts=True)
    return target.requests.submit(spec)[0]


class InThread:
    """Methods run for one class of the target, in one thread."""

    def __init__(self, target: Target, calls: UtilityCalls, loader: int) -> None:
        self._target = target
        self._calls = calls
        self._loader = Ref(loader, Tag.CLASS_LOADER) if loader else None

    async def class_file(self, type_: RefType) -> bytes:
        """Return the class file as the loader of the class has it, b"" if it has none. wire: some 6 trips.

        A stream, or what was read of it, may be collected before it is kept: then another one is read. The loader is
        the program's, and may give whatever it likes, and as much.
        """
        calls = self._calls
        of = await calls.class_object(type_.name)
        name = type_.name.rpartition(".")[2] + ".class"
        get = "(Ljava/lang/String;)Ljava/io/InputStream;"
        for _ in range(TRIES):
            stream = await calls.call(of, _CLASS, "getResourceAsStream", get, name)
            if stream is None:
                break
            [array] = await calls.outcomes(reading(calls.release, stream, MOST_CLASS_FILE + 1))
            with suppress(JdbpyError):
                await calls.call(stream, "java.io.InputStream", "close", "()V")
            if is_collected(array):
                continue
            if isinstance(array, JdbpyError):
                raise array
            if isinstance(array, Ref) and await self._length(array) > MOST_CLASS_FILE:
                text = f"its loader gives a class file of more than {MOST_CLASS_FILE:,} bytes"
                raise StateError(text, code="TOO_LARGE")
            if found := bytes(each & 0xFF for each in await calls.array(array) if isinstance(each, int)):
                return found
        return b""

    async def _length(self, array: Ref) -> int:
        """Return the length of an array. wire: 1 trip."""
        asked = array_reference.Length(ArrayID(ObjectID(array.id)))
        return (await self._target.conn.request(asked)).arrayLength

    async def define_helper(self, helper: HelperClass) -> ReferenceTypeID:
        """Define a helper beside its class. wire: some 5 trips."""
        type_id = await self.define(helper.name, helper.data)
        if helper.runs_methods:
            self._target.changed_code.running_methods.add(type_id)
        return type_id

    async def define(self, name: str, data: bytes, *, boot: bool = False) -> ReferenceTypeID:
        """Define a class by the loader, and initialize it. ``name`` is internal. wire: some 5 trips."""
        calls = self._calls
        class_name = UNSAFE.on(calls.release)
        unsafe = await calls.static_field(class_name, "theUnsafe")
        array = await calls.bytes(data)
        loader = None if boot else self._loader
        args = (name.replace("/", "."), array, 0, len(data), loader, None)
        made = await calls.call(unsafe, class_name, "defineClass", _DEFINE, *args)
        if not isinstance(made, Ref):
            raise StateError("the target has not defined the class", code="NOT_AVAILABLE")
        await calls.call(unsafe, class_name, "ensureClassInitialized", "(Ljava/lang/Class;)V", made)
        reply = await self._target.conn.request(class_object_reference.ReflectedType(ClassObjectID(ObjectID(made.id))))
        self._target.changed_code.helpers.add(reply.typeID)
        return reply.typeID

    async def handle(self, wanted: Handle) -> Ref:
        """Return a method handle of a member, whatever its access. wire: 4 trips."""
        calls = self._calls
        lookup = await calls.static_field(_LOOKUP, "IMPL_LOOKUP")
        owner = await calls.class_object(wanted.owner_name)
        is_field = not wanted.signature.startswith("(")
        text = f"(){wanted.signature}" if is_field else wanted.signature
        parse = "fromMethodDescriptorString"
        signature = "(Ljava/lang/String;Ljava/lang/ClassLoader;)Ljava/lang/invoke/MethodType;"
        type_ = await calls.static(_TYPE, parse, signature, text, self._loader)
        if is_field:
            type_ = await calls.call(type_, _TYPE, "returnType", "()Ljava/lang/Class;")
        finder, signature = _FINDERS[wanted.kind]
        args = (owner, type_) if wanted.kind == "constructor" else (owner, wanted.name, type_)
        made = await calls.call(lookup, _LOOKUP, finder, signature, *args)
        assert isinstance(made, Ref)
        return made

    async def text(self, text: str) -> Ref:
        """Return a string of the target. wire: 1 or 2 trips."""
        [made] = await self._calls.strings([text])
        assert isinstance(made, Ref)
        return made

    async def bytes(self, data: bytes) -> Ref:
        """Return a ``byte[]`` of the target. wire: 2 trips."""
        return await self._calls.bytes(data)


async def set_static(target: Target, type_id: ReferenceTypeID, values: Mapping[str, Ref | None]) -> None:
    """Set static fields of a class to objects, or to null. wire: 2 trips, 1 when the class is known."""
    fields = (await target.types.fields([type_id]))[type_id]
    by_name = {field.name: field for field in fields}
    await target.conn.request(
        class_type.SetValues(
            ClassID(type_id),
            [
                FieldValue(by_name[name].id, TaggedValue(ord(by_name[name].signature[0]), ref.id if ref else 0))
                for name, ref in values.items()
            ],
        )
    )


@asynccontextmanager
async def in_thread(target: Target, evaluator: Evaluator, thread: int, home: RefType) -> AsyncIterator[InThread]:
    """Methods run in a thread that an event has stopped, with names as a class of the target sees them.

    Objects that come out of them are kept from collection until the block ends. wire: 2 trips.
    """
    reply = await target.conn.request(thread_reference.Frames(wire_thread(thread), 0, 1))
    if not reply.frames:
        raise StateError("the thread has no Java frames", hint="let it come to a breakpoint")
    top = reply.frames[0]
    [location] = await target.types.locations([top.location])
    loader = (await target.types.facts.many(facts.LOADER, [home.id])).get(home.id, 0)
    at_home = location.replace(type_id=home.id, class_name=home.name)
    epoch = target.suspension.epoch_of(thread)
    frame = evaluator.frame_target(
        FrameInfo(1, at_home, ThreadRef(thread, ""), top.frameID, epoch), InvokeRules(limit=LIMIT)
    )
    try:
        yield InThread(target, UtilityCalls(frame), int(loader))
    finally:
        frame.pins.release()
