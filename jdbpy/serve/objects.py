"""``jdbpy.join``: a served session from a script, with the objects of ``jdbpy.attach``.

The objects live here, the session where it is served: what they ask of it is sent there as a call (``calls``), and what
they look at without asking has come with the last answer or event.
"""

from __future__ import annotations

import math
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from typing import Any, cast

import trio

from jdbpy import (
    BreakpointInfo,
    ConnectError,
    Disconnected,
    Event,
    EventStream,
    FrameInfo,
    JdbpyError,
    Session,
    StateError,
    Stopped,
    UsageError,
    VmInfo,
    __version__,
)
from jdbpy.api.reconnecting import Reconnecting
from jdbpy.api.vm import Vm, opened_vm
from jdbpy.serve import sockets
from jdbpy.serve.greeting import error_of, greeting
from jdbpy.serve.lines import MOST_ANSWER, MOST_LINE, LineReader, Message, Outgoing
from jdbpy.serve.observations import JoinedObservation, JoinedObserver
from jdbpy.serve.typed import COMPONENTS, OWN, pack, unpack
from jdbpy.session.events.streams import DEFAULT_CAPACITY, Publisher
from jdbpy.session.model.events import Exited, Notice, VMDisconnected
from jdbpy.session.model.threads import Suspended
from jdbpy.session.model.vm import VmState
from jdbpy.task_groups import open_nursery

LEAVE_LIMIT = 5.0
"""Seconds that the session has to take note that a script leaves."""


class JoinedSession:
    """A session that is served elsewhere, as the objects of a script use one.

    Its components have the coroutines of those of a ``Session``, by the same names; of what answers at once there is
    what ``jdbpy.api`` needs.
    """

    def __init__(self, stream: trio.SocketStream, hello: Message) -> None:
        self.name = ""
        """The name of this client."""
        self.info: VmInfo
        self.remote = False
        self.launched = False
        self.suspended = Suspended()
        self.state = VmState.RUNNING
        self.last_stop: Stopped | None = None
        self._hello = hello
        self._out = Outgoing(stream)
        self._reader = LineReader(stream, MOST_ANSWER)
        self._publisher = Publisher(self._tell_taken)
        self._numbers: dict[int, tuple[Stopped, int]] = {}
        self._told: set[int] = set()  # numbers of stops of which the session knows that they are taken
        self._points: dict[int, BreakpointInfo] = {}
        self._answers: dict[int, Message] = {}
        self._waiting: dict[int, trio.Event] = {}
        self._begun = trio.Event()
        self._ended = trio.Event()
        self._over: JdbpyError | None = None
        self._last = 0
        self._observations: dict[str, JoinedObservation] = {}
        self.points = JoinedPoints(self)
        self.observer = JoinedObserver(self)
        self.hotswap = JoinedHotSwap(self, "hotswap")

    # -- what answers at once ------------------------------------------------------------------------------------------

    @property
    def address(self) -> str:
        """Return the address of the target."""
        return self.info.address

    @property
    def ending(self) -> Exited | VMDisconnected | None:
        """Return how the session ended, or None while it lasts."""
        return self._publisher.ending

    @property
    def ran(self) -> tuple[int, int]:
        """Another pair whenever a thread was resumed or has run a method."""
        return self.suspended.ran

    @property
    def suspended_everything(self) -> bool:
        """True if the whole VM is suspended."""
        return self.suspended.everything

    @property
    def points_are_used(self) -> bool:
        """True if there are breakpoints."""
        return bool(self._points)

    def is_suspended(self, thread_id: int) -> bool:
        """True if the debugger suspends the thread."""
        return self.suspended.is_suspended(thread_id)

    def is_current(self, stop: Stopped) -> bool:
        """True if the thread of the stop has not run since."""
        if stop.thread is None:
            return self.suspended.anything
        if not self.suspended.is_suspended(stop.thread.id):
            return False
        return stop.frame is None or self.suspended.is_current(stop.frame)

    def is_current_frame(self, frame: FrameInfo) -> bool:
        """True if the frame's thread is suspended, and has not run since the frame was read."""
        return self.suspended.is_current(frame)

    def events(self, capacity: int = DEFAULT_CAPACITY) -> EventStream:
        """Subscribe to events from now on: as ``Session.events``."""
        return self._publisher.subscribe(capacity)

    def listen(self, listener: Callable[[Event], None]) -> None:
        """Call with each event from now on; the listener must neither wait nor raise."""
        self._publisher.listen(listener)

    def publish(self, event: Event) -> None:
        """Hand an event to the subscribers of this script."""
        self._publisher.publish(event)

    def take(self, stop: Stopped) -> None:
        """Take a stop that a listener was given."""
        self._publisher.handed_over(stop)
        self._tell_taken(stop)

    def put_back(self, stop: Stopped) -> None:
        """Hand back a stop that was taken and not delivered: as ``Session.put_back``. No wait."""
        _, number = self._numbers.get(id(stop), (None, 0))
        if number in self._told:
            self._told.discard(number)
            self._out.put({"put_back": number})
        if self.is_current(stop):
            self._publisher.put_back(stop)

    def undo_pause(self, stop: Stopped) -> None:
        """Resume what a pause suspended whose stop was never delivered: as ``Session.undo_pause``. No wait."""
        self._out.put({"undo_pause": pack(stop)})

    def untaken_stops(self) -> list[Stopped]:
        """Return the stops that no call has taken yet, the oldest first."""
        return self._publisher.unseen()

    async def next_stop(self) -> Stopped | Exited:
        """Return the next stop that was not waited for, or the end of the target. Raises Disconnected."""
        found = await self._publisher.next_stop()
        if isinstance(found, VMDisconnected):
            raise Disconnected(found.reason)
        return found

    async def wait_ended(self) -> Exited | VMDisconnected:
        """Wait until the target has ended or the session is gone."""
        return await self._publisher.wait_ended()

    async def snapshot(self, path: str, **named: Any) -> Any:
        """Write a snapshot to a file on the machine of the session: as ``Session.snapshot``."""
        return await self.call("snapshot", _whole(path), **named)

    def __getattr__(self, name: str) -> Any:
        """Return a component, or a coroutine of the session itself. Raises StateError if a joined session has none."""
        if name.startswith("_"):
            raise AttributeError(name)
        if name in OWN:
            return JoinedCall(self, name)
        if name not in COMPONENTS:
            raise StateError(
                f"a session that was joined has no '{name}'",
                hint="a script that attaches to the JVM itself has it",
                code="NOT_SHARED",
            )
        component = self.__dict__[name] = JoinedComponent(self, name)
        return component

    # -- calls ---------------------------------------------------------------------------------------------------------

    async def call(self, name: str, *given: object, **named: object) -> Any:
        """Call a coroutine of a component where the session is served. Raises what it raises; Disconnected."""
        if self._over is not None:
            raise self._over
        self._last += 1
        number, done = self._last, trio.Event()
        message = {"call": name, "id": number, "given": pack((given, named))}
        self._waiting[number] = done
        try:
            self._out.put(message, most=MOST_LINE)
            await done.wait()
        except trio.Cancelled:
            self._out.put({"cancel": number})
            raise
        finally:
            del self._waiting[number]
        answer = self._answers.pop(number, None)
        if answer is None:
            raise Disconnected("the session has gone")
        if "error" in answer:
            raise unpack(answer["error"])
        return unpack(answer.get("value"))

    def make(self, name: str) -> JoinedComponent:
        """Make something there that is kept for calls. wire: no wait."""
        self._last += 1
        self._out.put({"make": str(self._last), "call": name})
        return JoinedComponent(self, f"#{self._last}")

    def number_next(self, number: int) -> None:
        """Say which number the next breakpoint is to have. No wait."""
        self._out.put({"number": number})

    def begin_observation(self, observation: JoinedObservation) -> str:
        """Enter an observation of calls; return its key. No trip."""
        self._last += 1
        key = str(self._last)
        self._observations[key] = observation
        return key

    def end_observation(self, key: str) -> None:
        """Forget an observation. No trip."""
        self._observations.pop(key, None)

    def _tell_taken(self, stop: Stopped) -> None:
        _, number = self._numbers.get(id(stop), (None, 0))
        if number and number not in self._told:
            self._told.add(number)
            self._out.put({"taken": number})

    # -- what comes ----------------------------------------------------------------------------------------------------

    async def begin(self) -> None:
        """Wait until the session has taken this script. Raises what it has against it."""
        await self._begun.wait()
        if self._over is not None:
            raise self._over

    async def listen_on(self) -> None:
        """Take what comes, until the session ends; the block of ``join`` runs it."""
        try:
            while (message := await self._reader.next()) is not None:
                self._take(message)
        except JdbpyError as error:
            self._over = error
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            self._over = Disconnected(f"the session sent a malformed line ({type(error).__name__})")
        self._over = self._over or Disconnected("the session has gone")
        if self._publisher.ending is None:
            self._publisher.publish(VMDisconnected("the session has gone"))
        for done in self._waiting.values():
            done.set()
        for observation in self._observations.values():
            observation.over.set()
        self._begun.set()
        self._ended.set()

    def _take(self, message: Message) -> None:
        kind = message.get("type")
        if kind == "error":
            raise error_of(message)
        if "suspended" in message:
            self._know(message)
        if kind == "joined":
            self.name = str(message.get("client"))
        elif kind == "session":
            self.info = _checked(unpack(message.get("info")), VmInfo)
            self.remote = message.get("remote") is True
            self._begun.set()
        elif kind == "event":
            self._happened(unpack(message.get("event")), message.get("stop"))
        elif kind == "answer":
            number = message.get("id")
            if isinstance(number, int) and number in self._waiting:
                self._answers[number] = message
                self._waiting[number].set()
        elif kind == "observed":
            observation = self._observations.get(str(message.get("of")))
            if observation is not None:
                observation.take_message(message)
        elif kind == "end":
            self._ended.set()

    def _know(self, message: Message) -> None:
        self.suspended = _checked(unpack(message["suspended"]), Suspended)
        self.state = VmState(str(message.get("state")))
        if "points" in message:
            self._points = {each.number: each for each in unpack(message["points"])}
        self._numbers = {key: each for key, each in self._numbers.items() if self.is_current(each[0])}
        self._told.intersection_update(number for _, number in self._numbers.values())
        self._publisher.drop_stops(lambda stop: not self.is_current(stop))

    def _happened(self, event: Event, number: object) -> None:
        if isinstance(event, Stopped) and isinstance(number, int):
            self.last_stop = event
            self._numbers[id(event)] = event, number
        elif isinstance(event, Notice) and event.report is not None and event.data:
            point = self._points.get(cast(int, event.data[0][1]))
            if point is not None:
                self._points[point.number] = point.replace(hits=max(point.hits, event.report.hit))
        self._publisher.publish(event)

    async def send(self) -> None:
        """Begin to speak; the block of ``join`` runs it."""
        self._out.put(self._hello)
        await self._out.run()

    def finishing(self) -> AbstractContextManager[trio.CancelScope]:
        """Shield a block that takes something out of the target, for a bounded time: as ``Session.finishing``."""
        return trio.CancelScope(shield=True, deadline=trio.current_time() + LEAVE_LIMIT)

    async def leave(self) -> None:
        """Say that no more calls come, and wait until the session has taken note."""
        if self._over is None:
            self._out.put({"end": True})
            await self._out.flush()
            await self._ended.wait()


class JoinedCall:
    """A coroutine function of a component."""

    def __init__(self, session: JoinedSession, name: str) -> None:
        self._session = session
        self._name = name

    async def __call__(self, *given: object, **named: object) -> Any:
        return await self._session.call(self._name, *given, **named)


class JoinedComponent:
    """A component of the session: its coroutines, by name."""

    def __init__(self, session: JoinedSession, name: str) -> None:
        self._session = session
        self._name = name

    def __getattr__(self, name: str) -> JoinedCall:
        if name.startswith("_"):
            raise AttributeError(name)
        return JoinedCall(self._session, f"{self._name}.{name}")

    def sampler(self) -> JoinedComponent:
        """Return the sampler of stacks (``threads``)."""
        return self._session.make(f"{self._name}.sampler")


class JoinedPoints(JoinedComponent):
    """The breakpoints, as they were when the last answer or event came."""

    def __init__(self, session: JoinedSession) -> None:
        super().__init__(session, "points")

    def list(self) -> list[BreakpointInfo]:
        """Return all of them by number."""
        return [each for _, each in sorted(self._session._points.items())]

    def get(self, number: int) -> BreakpointInfo:
        """Return the one of that number. Raises UsageError."""
        point = self._session._points.get(number)
        if point is None:
            raise UsageError(f"no breakpoint {number}")
        return point

    def number_next(self, number: int) -> None:
        """Give the next breakpoint this number, unless numbers up to it have been given already. No wait."""
        self._session.number_next(number)


class JoinedHotSwap(JoinedComponent):
    """Hot swap from files of this machine, which is that of the session; their paths go there whole."""

    async def redefine(self, name: str, path: str) -> Any:
        """Redefine, as ``HotSwap.redefine`` does."""
        return await self._session.call("hotswap.redefine", name, _whole(path))

    async def redefine_sources(self, paths: list[str]) -> Any:
        """Redefine, as ``HotSwap.redefine_sources`` does."""
        return await self._session.call("hotswap.redefine_sources", [_whole(each) for each in paths])

    async def redefine_all(self, path: str) -> Any:
        """Redefine, as ``HotSwap.redefine_all`` does."""
        return await self._session.call("hotswap.redefine_all", _whole(path))


def _whole(path: str) -> str:
    """Return the path from the root, as the process of the session may be in another directory."""
    return os.path.abspath(path)


def _checked(value: Any, kind: type[Any]) -> Any:
    if not isinstance(value, kind):
        raise UsageError(f"a value is malformed: no {kind.__name__}", code="WRONG_LINE")
    return value


@asynccontextmanager
async def _joined(name: str, token: str, hello: Message) -> AsyncIterator[Session]:
    stream = await sockets.reach(name)
    async with stream:
        session = JoinedSession(stream, hello)
        async with open_nursery() as nursery:
            nursery.start_soon(session.send)
            nursery.start_soon(session.listen_on)
            try:
                await session.begin()
            except Disconnected as error:
                raise ConnectError(f"the session cannot be joined: {error.message}", code="NO_SESSION") from error
            try:
                yield cast(Session, session)
            finally:
                with trio.move_on_after(LEAVE_LIMIT) as leaving:
                    leaving.shield = True
                    await session.leave()
            nursery.cancel_scope.cancel()


def join(
    name: str = "",
    *,
    client: str = "",
    token: str = "",
    read_only: bool = False,
    allow_suspend: bool = False,
    keep: bool = False,
    reconnect: bool | float = False,
    on_reconnect: Callable[[Vm, str], object] | None = None,
) -> AbstractAsyncContextManager[Vm]:
    """Join a session that ``jdbpy serve`` serves, by its name, or HOST:PORT with its token; "" is the only one.

    For an ``async with`` block, which gives the JVM with the objects of ``jdbpy.attach``: this script's breakpoints
    stop for it alone, and hits, steps and evaluations are its own. Leaving the block takes back its breakpoints and
    what it has suspended, unless ``keep`` is given. ``client`` is what the others call it; ``read_only`` refuses all
    that changes or suspends the target, ``allow_suspend`` permits to suspend in it. Each call takes a trip to the
    process of the session more. With ``reconnect`` a session that has gone is joined again when one of that name is
    served, as ``attach`` does it. Raises ConnectError and UsageError::

        async with jdbpy.join("orders") as vm:
            stop = await vm.stop_at("Order.java:42").wait(timeout=10)
    """
    hello = {**greeting(token, client), "front": "objects", "version": __version__, "keep": keep}
    hello.update(read_only=read_only, allow_suspend=allow_suspend)

    def opening() -> AbstractAsyncContextManager[Session]:
        return _joined(name, token, hello)

    if reconnect is False:
        return opened_vm(opening())
    limit = math.inf if reconnect is True else reconnect
    return opened_vm(opening(), Reconnecting(opening, limit, on_reconnect))
