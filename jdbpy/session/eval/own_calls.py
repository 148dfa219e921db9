"""Methods of the JDK that the debugger runs on its own account, for what no command of the protocol tells.

Owns which thread runs them and how a method is named: by its class, name and JNI signature, so that nothing in the
selected frame can hide it, and access and module boundaries do not matter (agent note 73). How a call is made safe is
the business of ``jvm``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from jdbpy.errors import StateError
from jdbpy.session.model import Frame
from jdbpy.session.stack.component import Stack
from jdbpy.session.target import Target

if TYPE_CHECKING:
    from jdbpy.session.eval.evaluator import Evaluator
    from jdbpy.session.eval.jvm.frame_target import FrameTarget
    from jdbpy.session.eval.target import Raw, Ref
    from jdbpy.session.types.refs import Method


_PATIENCE = 20
"""How often it is looked for a moment in which no event is being handled."""

_JDK = ("java.", "com.sun.", "sun.", "jdk.")


class OwnCalls:
    """Calls in one stopped thread. Raises Thrown when a method throws, StateError when it cannot be run."""

    def __init__(self, frame: FrameTarget) -> None:
        self._frame = frame
        self._returned: dict[int, str] = {}  # the class that a method was declared to return, by the object's id

    async def expect(self, *class_names: str) -> None:
        """Learns classes that are going to be called, as far as they are loaded. wire: 2 trips, 0 when known."""
        found = await self._frame.find_classes([*class_names, "java.lang.Class"])
        await self._frame.class_facts([class_id for class_id in found if class_id])

    async def static(self, class_name: str, name: str, signature: str, *args: Raw | str) -> Raw:
        """Runs a static method. A str among the arguments is made a String. wire: 1 trip, more the first time."""
        return await self._run(None, class_name, name, signature, args)

    async def call(self, obj: Raw, class_name: str, name: str, signature: str, *args: Raw | str) -> Raw:
        """Runs an instance method that ``class_name`` declares, as the object's class overrides it. wire: 1 trip."""
        from jdbpy.session.eval.target import Ref

        if not isinstance(obj, Ref):
            raise StateError(f"there is no object to call {class_name}.{name} on", code="NOT_AVAILABLE")
        return await self._run(obj, class_name, name, signature, args)

    async def _run(self, obj: Ref | None, class_name: str, name: str, signature: str, args: Sequence[Raw | str]) -> Raw:
        from jdbpy.session.eval.target import Ref

        class_id, method = await self._method(class_name, name, signature)
        # What the JDK's own methods are declared to return, they return: no need to ask for its class.
        sure = obj is not None and self._returned.get(obj.id) == class_name
        result = await self._frame.invoke(obj, class_id, method, await self._arguments(args), exact=False, sure=sure)
        if isinstance(result, Ref) and class_name.startswith(_JDK):
            self._returned[result.id] = method.returns
        return result

    async def class_object(self, class_name: str) -> Ref:
        """The ``java.lang.Class`` of a class, which is loaded if need be. wire: 1 or 2 trips."""
        return await self._frame.class_object(await self._class(class_name))

    async def text(self, raw: Raw) -> str | None:
        """The characters of a String, None for null. wire: 1 trip."""
        return (await self.texts([raw]))[0]

    async def texts(self, raws: Sequence[Raw]) -> list[str | None]:
        """The characters of several Strings. wire: 1 trip each that is not known."""
        from jdbpy.session.eval.target import Ref

        found = iter(await self._frame.read_strings([raw for raw in raws if isinstance(raw, Ref)]))
        return [next(found) if isinstance(raw, Ref) else None for raw in raws]

    async def longs(self, numbers: Sequence[int]) -> Ref:
        """A ``long[]`` with these elements. wire: 2 trips."""
        array = await self._frame.new_array(await self._class("long[]"), len(numbers))
        await self._frame.write_array(array, "J", 0, list(numbers))
        return array

    async def bytes(self, data: bytes) -> Ref:
        """A ``byte[]`` with these elements. wire: 2 trips."""
        array = await self._frame.new_array(await self._class("byte[]"), len(data))
        await self._frame.write_array(array, "B", 0, [byte - 256 if byte > 127 else byte for byte in data])
        return array

    async def array(self, raw: Raw) -> list[Raw]:
        """The elements of an array, [] for null. wire: 2 trips."""
        from jdbpy.session.eval.target import Ref

        if not isinstance(raw, Ref):
            return []
        return await self._frame.read_array(raw, 0, await self._frame.array_length(raw))

    async def _arguments(self, args: Sequence[Raw | str]) -> list[Raw]:
        return [await self._frame.new_string(each) if isinstance(each, str) else each for each in args]

    async def _method(self, class_name: str, name: str, signature: str) -> tuple[int, Method]:
        class_id = await self._class(class_name)
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
                hint="its module was left out of this JVM, or the JVM is another than HotSpot",
                code="NOT_AVAILABLE",
            )
        return class_id


class CallRunner:
    """Finds a thread that can run methods."""

    def __init__(self, target: Target, stack: Stack, evaluator: Callable[[], Evaluator]) -> None:
        self._target = target
        self._stack = stack
        self._evaluator = evaluator

    @property
    def possible(self) -> bool:
        """Whether some thread could run a method now."""
        return not self._target.read_only and self._thread() is not None

    @asynccontextmanager
    async def calls(self, what: str) -> AsyncIterator[OwnCalls]:
        """Calls in the selected thread, or in another that an event has stopped; ``what`` they are for, in messages.

        Objects that come out of them are kept from collection until the block ends. Not for handlers of events, which
        it waits for. Raises StateError when no thread can run methods. wire: 1 trip, 0 when the frame is known.
        """
        target = self._target
        target.require_alive()
        target.require_writable(f"running a method, which {what} takes,")
        for _ in range(_PATIENCE):  # a thread that an event of ours holds for a moment is none that can be used
            await target.publisher.settled()
            thread = self._thread()
            if thread is None or target.publisher.quiet:
                break
        if thread is None:
            raise StateError(
                f"{what} takes a method that is run in the target, and no thread can run one now",
                hint="let the program come to a breakpoint, or do one step ('stepi')",
                code="NOT_AT_EVENT",
            )
        frame = self._evaluator().frame_target(await self._frame(thread))
        try:
            yield OwnCalls(frame)
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

    async def _frame(self, thread: int) -> Frame:
        stop = self._target.last_stop
        frame = stop.frame if stop is not None else None
        if frame and frame.thread.id == thread and frame.epoch == self._target.suspension.epoch_of(thread):
            return frame
        frames = await self._stack.frames(thread, 0, 1)
        if not frames:
            raise StateError("the thread that is stopped has no Java frames", hint="let it come to a breakpoint")
        return frames[0]
