"""Threads and their frames as objects: variables, expressions, steps.

Made by ./dev generate from jdbpy/api/frames.py; do not edit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from jdbpy.api import frames as inner
from jdbpy.sync import portal

if TYPE_CHECKING:
    from jdbpy.api.frames import Place
    from jdbpy.session.model.threads import FrameInfo, ThreadInfo
    from jdbpy.sync.breakpoints import Stop
    from jdbpy.sync.values import Value


class Frame(portal.Synced):
    """A frame of a suspended thread, good until its thread runs on: then it raises StateError.

    Evaluations that run methods in the thread leave it good. ``index`` counts from 1, the innermost.
    """

    __slots__ = ()

    @property
    def record(self) -> FrameInfo:
        """As of ``jdbpy.api.Frame``."""
        found: FrameInfo = self._wrap(self._inner.record)
        return found

    @property
    def index(self) -> int:
        """Its number in the stack, from 1, the innermost."""
        found: int = self._wrap(self._inner.index)
        return found

    @property
    def place(self) -> Place:
        """Return where it stands: class, method, source file, line. No trip."""
        found: Place = self._wrap(self._inner.place)
        return found

    @property
    def class_name(self) -> str:
        """Return the binary name of the class whose method it runs."""
        found: str = self._wrap(self._inner.class_name)
        return found

    @property
    def method(self) -> str:
        """Return the name of the method that it runs."""
        found: str = self._wrap(self._inner.method)
        return found

    @property
    def line(self) -> int:
        """Return the line where it stands, from 1; 0 without line numbers."""
        found: int = self._wrap(self._inner.line)
        return found

    @property
    def thread(self) -> Thread:
        """Return the thread whose frame it is. No trip."""
        found: Thread = self._wrap(self._inner.thread)
        return found

    @property
    def is_current(self) -> bool:
        """True until its thread runs on. No trip."""
        found: bool = self._wrap(self._inner.is_current)
        return found

    def __getitem__(self, name: str) -> Value:
        """Return the variable of that name: a local, an argument, ``this``, or what else the name means in the frame.

        Raises EvalError when it means nothing, StateError when the thread has run on. wire: 1 or 2 trips, none again.
        """
        found: Value = self._ask(self._inner[name])
        return found

    @property
    def locals(self) -> dict[str, Value]:
        """Return all variables by name: ``this``, arguments, locals in scope, what an inner class has captured.

        Those that cannot be read are left out. Raises StateError when the thread has run on. wire: 1 to 3 trips.
        """
        found: dict[str, Value] = self._ask(self._inner.locals)
        return found

    @property
    def args(self) -> dict[str, Value]:
        """Return the arguments by name, as they are now. wire: as ``locals``."""
        found: dict[str, Value] = self._ask(self._inner.args)
        return found

    def eval(self, text: str, /, **names: object) -> Value:
        """Return the value of a Java expression, or of the last of several statements, in this frame.

        ``names`` are variables for it: values of the target, or None, bool, int, float, str, and lists, sets, dicts
        and bytes of them, which become an ``ArrayList``, ``LinkedHashSet``, ``LinkedHashMap`` and ``byte[]`` (for
        which methods run: 3 to 5 trips, and 1 an entry of a dict). Methods run in the frame's thread while the others
        stay suspended. Raises EvalError in javac's words, Thrown when a Java exception leaves it, StateError when
        the thread has run on or cannot run a method, TimedOut when the target does not answer. An object that a method
        gave is kept from collection until 256 later ones were kept.
        wire: 1 trip for what is read of the frame, 1 for each further link or call.
        """
        found: Value = self._ask(self._inner.eval(text, **{name: portal.unwrap(each) for name, each in names.items()}))
        return found

    def set(self, target: str, value: object) -> Value:
        """Give a variable, field or element a value, and return that: ``frame.set("order.total", 7)``.

        ``target`` is a local, ``this.field``, ``Class.FIELD`` or any expression that Java can assign to. ``value`` is a
        value of the target, or None, bool, int, float, str, converted as Java converts a literal; a str of one
        character is good for a char. A list, tuple or set becomes what the variable is declared as: an array, or a
        collection (``ArrayList`` for a ``List``); a dict becomes a map, bytes a ``byte[]``; methods run for these.
        Raises EvalError when it does not fit, UsageError for what Java has no value for and more than 10,000 elements,
        StateError when the thread has run on. wire: 2 trips; 3 to 5 for each list and 1 for each entry of a dict more.
        """
        found: Value = self._await(lambda: self._inner.set(target, portal.unwrap(value)))
        return found

    @property
    def caller(self) -> Frame:
        """Return the frame that called this one. Raises StateError for the outermost. wire: 1 trip, 2 for a new
        class."""
        found: Frame = self._ask(self._inner.caller)
        return found

    def pop(self) -> Frame:
        """Discard this frame and those inside it. Returns its caller, which is about to make the call again.

        Arguments keep the values last given to them. Raises StateError for native frames and the outermost one, and
        where the JVM cannot. wire: 4 trips.
        """
        found: Frame = self._await(lambda: self._inner.pop())
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return its JSON object, as the command line gives it: ``docs/json.md``. No trip."""
        found: dict[str, Any] = self._wrap(self._inner.to_dict())
        return found

    def to_json(self) -> str:
        """``to_dict`` as a text of ASCII. No trip."""
        found: str = self._wrap(self._inner.to_json())
        return found


portal.register(inner.Frame, Frame)


class Stack(portal.SyncedHtml):
    """The frames of one thread, the innermost first: a sequence. ``str(stack)`` has a line for each."""

    __slots__ = ()

    @property
    def thread(self) -> Thread:
        """As of ``jdbpy.api.Stack``."""
        found: Thread = self._wrap(self._inner.thread)
        return found

    @property
    def total(self) -> int:
        """The number of frames of the thread, those that were left out too."""
        found: int = self._wrap(self._inner.total)
        return found

    def __getitem__(self, index: int) -> Frame:
        """One of them."""
        found: Frame = self._wrap(self._inner[index])
        return found

    def __len__(self) -> int:
        """How many there are."""
        return len(self._inner)

    def __iter__(self) -> Iterator[Frame]:
        """Walk through them."""
        return (self._wrap(each) for each in self._inner)


portal.register(inner.Stack, Stack)


class Thread(portal.Synced):
    """A thread of the target. ``name`` is the name that it had when it was read."""

    __slots__ = ()

    @property
    def record(self) -> Any:
        """As of ``jdbpy.api.Thread``."""
        found: Any = self._wrap(self._inner.record)
        return found

    @property
    def id(self) -> int:
        """Return the JDWP id of the thread object."""
        found: int = self._wrap(self._inner.id)
        return found

    @property
    def name(self) -> str:
        """Return the name of the thread when it was read."""
        found: str = self._wrap(self._inner.name)
        return found

    @property
    def info(self) -> ThreadInfo:
        """Its state now: ``state`` in words, ``suspended``, ``group``. Raises UsageError when it has ended.

        wire: 1 or 2 trips.
        """
        found: ThreadInfo = self._ask(self._inner.info)
        return found

    @property
    def is_suspended(self) -> bool:
        """True if the debugger suspends it. No trip."""
        found: bool = self._wrap(self._inner.is_suspended)
        return found

    def frames(self, start: int = 0, count: int | None = None) -> list[Frame]:
        """``count`` frames (None: all) after the ``start`` innermost ones. Raises StateError when it runs.

        wire: 1 trip, 2 for classes that are new.
        """
        found: list[Frame] = self._await(lambda: self._inner.frames(start, count))
        return found

    @property
    def frame(self) -> Frame:
        """Return the innermost frame. Raises StateError when it runs, or has no Java frame. wire: 1 or 2 trips."""
        found: Frame = self._ask(self._inner.frame)
        return found

    def stack(self, most: int | None = None) -> Stack:
        """Return the stack, ``most`` frames of it (None: all). Raises StateError when it runs. wire: 1 or 2 trips."""
        found: Stack = self._await(lambda: self._inner.stack(most))
        return found

    def step(self, count: int = 1, *, alone: bool = False, timeout: float | None = None) -> Stop:
        """Run to the next line, into methods that are called.

        With ``alone`` all other threads that are suspended stay so meanwhile. Raises TimedOut after ``timeout``
        seconds, StateError when the thread runs or ends. wire: 1 or 2 trips a step.
        """
        found: Stop = self._await(lambda: self._inner.step(count, alone=alone, timeout=timeout))
        return found

    def next(self, count: int = 1, *, alone: bool = False, timeout: float | None = None) -> Stop:
        """Run to the next line, over methods that are called; ``stop.returned`` is what the line's only call returned.
        ``alone``, raises and wire: as ``step``."""
        found: Stop = self._await(lambda: self._inner.next(count, alone=alone, timeout=timeout))
        return found

    def finish(self, *, alone: bool = False, timeout: float | None = None) -> Stop:
        """Run until the innermost method returns to its caller; ``stop.returned`` is what it returned. ``alone``,
        raises and wire: as ``step``."""
        found: Stop = self._await(lambda: self._inner.finish(alone=alone, timeout=timeout))
        return found

    def step_instruction(self, count: int = 1, *, alone: bool = False, timeout: float | None = None) -> Stop:
        """Run one bytecode instruction, or ``count``. ``alone``, raises and wire: as ``step``."""
        found: Stop = self._await(lambda: self._inner.step_instruction(count, alone=alone, timeout=timeout))
        return found

    def force_return(self, value: object = None) -> None:
        """Make the innermost method return with this value as soon as the thread runs on; a void one takes none.

        No code of the method runs any more, ``finally`` neither. Raises EvalError for a value that does not fit,
        StateError when the thread runs or the JVM cannot. wire: 4 trips.
        """
        self._await(lambda: self._inner.force_return(portal.unwrap(value)))

    def resume(self) -> None:
        """Let it run, whatever suspends it. Raises StateError when it runs. wire: no wait."""
        self._await(lambda: self._inner.resume())

    def suspend(self) -> None:
        """Suspend it where it is, until ``resume``. Raises JdwpError when it has ended. wire: 1 trip."""
        self._await(lambda: self._inner.suspend())

    def interrupt(self) -> None:
        """Like ``Thread.interrupt()``. wire: 1 trip."""
        self._await(lambda: self._inner.interrupt())

    def throw(self, expression: str) -> None:
        """Throw the value of an expression in it as soon as it runs: ``throw('new java.io.IOException("x")')``.

        The expression is evaluated in its innermost frame. Raises EvalError when that is no Throwable, StateError when
        the thread runs or the JVM refuses. wire: 2 trips and the expression.
        """
        self._await(lambda: self._inner.throw(expression))

    @property
    def locks(self) -> Any:
        """Return what it holds and what it waits for, as ``jdbpy.locks.ThreadLocks``. wire: 3 trips."""
        return self._ask(self._inner.locks)

    def to_dict(self) -> dict[str, Any]:
        """Return its JSON object, as the command line gives it: ``docs/json.md``. No trip."""
        found: dict[str, Any] = self._wrap(self._inner.to_dict())
        return found

    def to_json(self) -> str:
        """``to_dict`` as a text of ASCII. No trip."""
        found: str = self._wrap(self._inner.to_json())
        return found


portal.register(inner.Thread, Thread)
