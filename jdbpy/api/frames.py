"""Threads and their frames as objects: variables, expressions, steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape as escape_html
from typing import TYPE_CHECKING, Any

from jdbpy.api.core import Core
from jdbpy.api.lazy import Lazy
from jdbpy.api.values import LazyValue, Value, evaluated, unwrapped, value_of
from jdbpy.errors import StateError, UsageError
from jdbpy.escape import escape
from jdbpy.session.java.texts import char_literal, double_text, string_literal
from jdbpy.session.model.options import StepDepth, StepSize
from jdbpy.session.model.threads import FrameInfo, Location, ThreadInfo, ThreadRef
from jdbpy.session.model.values import Limits, Variable
from jdbpy.session.values.queries import SHALLOW

if TYPE_CHECKING:
    from jdbpy.api.breakpoints import Stop

_RESULT = Limits(depth=1, string=10_000, elements=100, fields=0)
_GIVEN = "jdbpy$given"


class Place:
    """A place in code. ``str(place)`` is as in a Java stack trace: ``com.acme.Order.total(Order.java:42)``."""

    def __init__(self, location: Location) -> None:
        self.record = location

    @property
    def class_name(self) -> str:
        """Return the binary name of the class: ``com.acme.Order$Line``."""
        return self.record.class_name

    @property
    def method(self) -> str:
        """Return the name of the method, without its parameters."""
        return self.record.method

    @property
    def source(self) -> str:
        """Return the name of the source file; "" where the class does not tell it."""
        return self.record.source or ""

    @property
    def line(self) -> int:
        """Return the line, from 1; 0 in native code and without line numbers."""
        return self.record.line or 0

    def __str__(self) -> str:
        if self.record.code_index < 0:
            where = "Native Method"
        else:
            where = (self.source or "Unknown Source") + (f":{self.line}" if self.line else "")
        return escape(f"{self.class_name}.{self.method}({where})")

    def __repr__(self) -> str:
        return f"<{self}>"

    def __eq__(self, other: object) -> bool:
        return self.record == other.record if isinstance(other, Place) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.record)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))


class Frame:
    """A frame of a suspended thread, good until its thread runs on: then it raises StateError.

    Evaluations that run methods in the thread leave it good. ``index`` counts from 1, the innermost.
    """

    def __init__(self, core: Core, record: FrameInfo) -> None:
        self._core = core
        self.record = record

    @property
    def index(self) -> int:
        """Its number in the stack, from 1, the innermost."""
        return self.record.index

    @property
    def place(self) -> Place:
        """Return where it stands: class, method, source file, line. No trip."""
        return Place(self.record.location)

    @property
    def class_name(self) -> str:
        """Return the binary name of the class whose method it runs."""
        return self.record.location.class_name

    @property
    def method(self) -> str:
        """Return the name of the method that it runs."""
        return self.record.location.method

    @property
    def line(self) -> int:
        """Return the line where it stands, from 1; 0 without line numbers."""
        return self.place.line

    @property
    def thread(self) -> Thread:
        """Return the thread whose frame it is. No trip."""
        return Thread(self._core, self.record.thread)

    @property
    def is_current(self) -> bool:
        """True until its thread runs on. No trip."""
        return self._core.session.is_current_frame(self.record)

    # Variables

    def __getitem__(self, name: str) -> LazyValue:
        """Return the variable of that name: a local, an argument, ``this``, or what else the name means in the frame.

        Raises EvalError when it means nothing, StateError when the thread has run on. wire: 1 or 2 trips, none again.
        """
        return LazyValue(lambda: self._variable(name))

    async def _variable(self, name: str) -> Value:
        for each in await self._variables():
            if each.name == name:
                if each.value is None:
                    raise StateError(f"{name} cannot be read here: {each.error}", code="NOT_AVAILABLE")
                return value_of(self._core, each)
        value = await self.eval(name)
        value.name = name
        return value

    async def _variables(self) -> tuple[Variable, ...]:
        [found] = await self._core.session.stack.variables_of_all([self.record], SHALLOW)
        return found

    @property
    def locals(self) -> Lazy[dict[str, Value]]:
        """Return all variables by name: ``this``, arguments, locals in scope, what an inner class has captured.

        Those that cannot be read are left out. Raises StateError when the thread has run on. wire: 1 to 3 trips.
        """
        return Lazy(self._locals)

    async def _locals(self) -> dict[str, Value]:
        return {each.name: value_of(self._core, each) for each in await self._variables() if each.value is not None}

    @property
    def args(self) -> Lazy[dict[str, Value]]:
        """Return the arguments by name, as they are now. wire: as ``locals``."""
        return Lazy(self._args)

    async def _args(self) -> dict[str, Value]:
        found = [each for each in await self._variables() if each.kind == "argument" and each.value is not None]
        return {each.name: value_of(self._core, each) for each in found}

    # Expressions

    def eval(self, text: str, /, **names: object) -> LazyValue:
        """Return the value of a Java expression, or of the last of several statements, in this frame.

        ``names`` are variables for it: values of the target, or None, bool, int, float, str, and lists, sets, dicts
        and bytes of them, which become an ``ArrayList``, ``LinkedHashSet``, ``LinkedHashMap`` and ``byte[]`` (for
        which methods run: 3 to 5 trips, and 1 an entry of a dict). Methods run in the frame's thread while the others
        stay suspended. Raises EvalError in javac's words, Thrown when a Java exception leaves it, StateError when
        the thread has run on or cannot run a method, TimedOut when the target does not answer. An object that a method
        gave is kept from collection until 256 later ones were kept.
        wire: 1 trip for what is read of the frame, 1 for each further link or call.
        """
        return LazyValue(lambda: self._eval(text, names))

    async def _eval(self, text: str, names: dict[str, object]) -> Value:
        return await evaluated(self._core, text, self.record, names)

    async def set(self, target: str, value: object) -> Value:
        """Give a variable, field or element a value, and return that: ``frame.set("order.total", 7)``.

        ``target`` is a local, ``this.field``, ``Class.FIELD`` or any expression that Java can assign to. ``value`` is a
        value of the target, or None, bool, int, float, str, converted as Java converts a literal; a str of one
        character is good for a char. A list, tuple or set becomes what the variable is declared as: an array, or a
        collection (``ArrayList`` for a ``List``); a dict becomes a map, bytes a ``byte[]``; methods run for these.
        Raises EvalError when it does not fit, UsageError for what Java has no value for and more than 10,000 elements,
        StateError when the thread has run on. wire: 2 trips; 3 to 5 for each list and 1 for each entry of a dict more.
        """
        self._core.wrote()
        record = await self._core.session.values.send(target, unwrapped(value), frame=self.record)
        return Value(self._core, record, target)

    # Neighbors

    @property
    def caller(self) -> Lazy[Frame]:
        """Return the frame that called this one. Raises StateError for the outermost. wire: 1 trip, 2 for a new
        class."""
        return Lazy(self._caller)

    async def _caller(self) -> Frame:
        found = await self.thread.frames(start=self.index, count=1)
        if not found:
            raise StateError("the outermost frame has no caller", code="NO_SUCH_FRAME")
        return found[0]

    async def pop(self) -> Frame:
        """Discard this frame and those inside it. Returns its caller, which is about to make the call again.

        Arguments keep the values last given to them. Raises StateError for native frames and the outermost one, and
        where the JVM cannot. wire: 4 trips.
        """
        async with self._core.selecting(self.record.thread.id) as session:
            self._core.wrote()
            await session.execution.pop(self.index)
        return await self.thread.frame

    def to_dict(self) -> dict[str, Any]:
        """Return its JSON object, as the command line gives it: ``docs/json.md``. No trip."""
        return self.record.to_dict()

    def to_json(self) -> str:
        """``to_dict`` as a text of ASCII. No trip."""
        return self.record.to_json()

    def __repr__(self) -> str:
        return f"<frame {self.index}: {self.place}>"

    def __str__(self) -> str:
        return f"#{self.index} {self.place}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))


class Stack:
    """The frames of one thread, the innermost first: a sequence. ``str(stack)`` has a line for each."""

    def __init__(self, thread: Thread, frames: Sequence[Frame], total: int) -> None:
        self.thread = thread
        self.total = total
        """The number of frames of the thread, those that were left out too."""
        self._frames = tuple(frames)

    def __getitem__(self, index: int) -> Frame:
        return self._frames[index]

    def __len__(self) -> int:
        return len(self._frames)

    def __iter__(self) -> Iterator[Frame]:
        return iter(self._frames)

    def _lines(self) -> list[str]:
        more = self.total - len(self._frames)
        return [str(each) for each in self._frames] + ([f"... {more:,} more"] if more > 0 else [])

    def __str__(self) -> str:
        return "\n".join([escape(f'"{self.thread.name}"'), *(f"    {line}" for line in self._lines())])

    def __repr__(self) -> str:
        return str(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        lines = "".join(f"<li><code>{escape_html(line)}</code></li>" for line in self._lines())
        return f"<b>{escape_html(self.thread.name)}</b><ol style='list-style:none'>{lines}</ol>"


class Thread:
    """A thread of the target. ``name`` is the name that it had when it was read."""

    def __init__(self, core: Core, record: ThreadRef | ThreadInfo) -> None:
        self._core = core
        self.record = record

    @property
    def id(self) -> int:
        """Return the JDWP id of the thread object."""
        return self.record.id

    @property
    def name(self) -> str:
        """Return the name of the thread when it was read."""
        return self.record.name

    @property
    def info(self) -> Lazy[ThreadInfo]:
        """Its state now: ``state`` in words, ``suspended``, ``group``. Raises UsageError when it has ended.

        wire: 1 or 2 trips.
        """
        return Lazy(self._info)

    async def _info(self) -> ThreadInfo:
        return await self._core.session.threads.find(f"#{self.id}")

    @property
    def is_suspended(self) -> bool:
        """True if the debugger suspends it. No trip."""
        return self._core.session.is_suspended(self.id)

    # Its stack

    async def frames(self, start: int = 0, count: int | None = None) -> list[Frame]:
        """``count`` frames (None: all) after the ``start`` innermost ones. Raises StateError when it runs.

        wire: 1 trip, 2 for classes that are new.
        """
        found = await self._core.session.stack.of(self.id, start, count)
        if found.error:
            raise StateError(found.error, hint="suspend the thread, or stop it at a breakpoint")
        return [Frame(self._core, each) for each in found.frames]

    @property
    def frame(self) -> Lazy[Frame]:
        """Return the innermost frame. Raises StateError when it runs, or has no Java frame. wire: 1 or 2 trips."""
        return Lazy(self._frame)

    async def _frame(self) -> Frame:
        found = await self.frames(count=1)
        if not found:
            raise StateError("the thread has no Java frames", code="NO_SUCH_FRAME")
        return found[0]

    async def stack(self, most: int | None = None) -> Stack:
        """Return the stack, ``most`` frames of it (None: all). Raises StateError when it runs. wire: 1 or 2 trips."""
        found = await self._core.session.stack.of(self.id, 0, most)
        if found.error:
            raise StateError(found.error, hint="suspend the thread, or stop it at a breakpoint")
        return Stack(self, [Frame(self._core, each) for each in found.frames], found.total)

    # Steps: the thread must stand at a stop. All of them return the stop at which it stands next.

    async def step(self, count: int = 1, *, alone: bool = False, timeout: float | None = None) -> Stop:
        """Run to the next line, into methods that are called.

        With ``alone`` all other threads that are suspended stay so meanwhile. Raises TimedOut after ``timeout``
        seconds, StateError when the thread runs or ends. wire: 1 or 2 trips a step.
        """
        stop: Stop = await self._core.step(self, StepDepth.INTO, StepSize.LINE, count, timeout, alone=alone)
        return stop

    async def next(self, count: int = 1, *, alone: bool = False, timeout: float | None = None) -> Stop:
        """Run to the next line, over methods that are called; ``stop.returned`` is what the line's only call returned.
        ``alone``, raises and wire: as ``step``."""
        stop: Stop = await self._core.step(self, StepDepth.OVER, StepSize.LINE, count, timeout, alone=alone)
        return stop

    async def finish(self, *, alone: bool = False, timeout: float | None = None) -> Stop:
        """Run until the innermost method returns to its caller; ``stop.returned`` is what it returned. ``alone``,
        raises and wire: as ``step``."""
        stop: Stop = await self._core.step(self, StepDepth.OUT, StepSize.LINE, 1, timeout, alone=alone)
        return stop

    async def step_instruction(self, count: int = 1, *, alone: bool = False, timeout: float | None = None) -> Stop:
        """Run one bytecode instruction, or ``count``. ``alone``, raises and wire: as ``step``."""
        stop: Stop = await self._core.step(self, StepDepth.INTO, StepSize.MIN, count, timeout, alone=alone)
        return stop

    async def force_return(self, value: object = None) -> None:
        """Make the innermost method return with this value as soon as the thread runs on; a void one takes none.

        No code of the method runs any more, ``finally`` neither. Raises EvalError for a value that does not fit,
        StateError when the thread runs or the JVM cannot. wire: 4 trips.
        """
        top = await self.frame
        void = top.record.location.signature.endswith(")V")
        text = "" if void and value is None else _literals(value)[0]
        async with self._core.selecting(self.id) as session:
            if isinstance(value, Value):
                kept = await session.values.evaluate("it", given={"it": value.record})
                text = f"${kept.number}"
            await session.execution.force_return(text)

    # What else can be done to it

    async def resume(self) -> None:
        """Let it run, whatever suspends it. Raises StateError when it runs. wire: no wait."""
        await self._core.session.execution.resume(self.id)

    async def suspend(self) -> None:
        """Suspend it where it is, until ``resume``. Raises JdwpError when it has ended. wire: 1 trip."""
        await self._core.session.execution.suspend([self.id])

    async def interrupt(self) -> None:
        """Like ``Thread.interrupt()``. wire: 1 trip."""
        await self._core.session.execution.interrupt(self.id)

    async def throw(self, expression: str) -> None:
        """Throw the value of an expression in it as soon as it runs: ``throw('new java.io.IOException("x")')``.

        The expression is evaluated in its innermost frame. Raises EvalError when that is no Throwable, StateError when
        the thread runs or the JVM refuses. wire: 2 trips and the expression.
        """
        async with self._core.selecting(self.id) as session:
            await session.threads.throw_in(self.id, expression)

    @property
    def locks(self) -> Lazy[Any]:
        """Return what it holds and what it waits for, as ``jdbpy.locks.ThreadLocks``. wire: 3 trips."""
        return Lazy(self._locks)

    async def _locks(self) -> Any:
        report = await self._core.session.locks.of([self.id])
        return report.threads[0]

    def to_dict(self) -> dict[str, Any]:
        """Return its JSON object, as the command line gives it: ``docs/json.md``. No trip."""
        return self.record.to_dict()

    def to_json(self) -> str:
        """``to_dict`` as a text of ASCII. No trip."""
        return self.record.to_json()

    def __repr__(self) -> str:
        return f"<thread {self.id} {escape(self.name)!r}>"

    def __str__(self) -> str:
        return escape(self.name)

    def __eq__(self, other: object) -> bool:
        return self.id == other.id if isinstance(other, Thread) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.id)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))


def _literals(value: object) -> list[str]:
    """Return how Java may write a value, the likeliest first. Raises UsageError for what it cannot."""
    match value:
        case Value():
            return [_GIVEN]
        case None:
            return ["null"]
        case bool():
            return ["true" if value else "false"]
        case int() if -(1 << 31) <= value < 1 << 31:
            return [str(value)]
        case int() if -(1 << 63) <= value < 1 << 63:
            return [f"{value}L"]
        case float() if value != value:
            return ["Double.NaN", "Float.NaN"]
        case float() if value in (float("inf"), float("-inf")):
            sign = "NEGATIVE" if value < 0 else "POSITIVE"
            return [f"Double.{sign}_INFINITY", f"Float.{sign}_INFINITY"]
        case float():
            return [double_text(value), f"(float) {double_text(value)}"]
        case str() if len(value) == 1:
            return [string_literal(value), char_literal(value)]
        case str():
            return [string_literal(value)]
    raise UsageError(
        f"Java has no value for a {type(value).__name__}",
        hint="give None, a bool, an int of 64 bits, a float, a str, or a value of the target",
        code="NO_JAVA_VALUE",
    )
