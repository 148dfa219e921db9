"""The thread in which a session lives while a script without ``await`` talks to it.

Each JVM has one thread that runs trio; a call of the script is a task there, and the script waits for its answer.
Ctrl-C in the script cancels that task alone, so that the session goes on. What the task has taken for the script by
then, a stop or a hit, is handed back. Nothing here knows what is asked.
"""

from __future__ import annotations

import atexit
import threading
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

import trio

from jdbpy.api.delivery import Rollback
from jdbpy.errors import StateError, UsageError
from jdbpy.session.concurrency import ThreadCall
from jdbpy.task_groups import open_nursery

if TYPE_CHECKING:
    from jdbpy.sync.breakpoints import Stop

T = TypeVar("T")

Do = Callable[["Stop"], object]
"""Called with each stop, in a thread of its own; the thread of the stop is resumed afterwards."""


class _Latch:
    """Set once, waited for by one thread. Ctrl-C may come at any moment of the wait, and is KeyboardInterrupt: with the
    Event of threading, which is made of several steps in Python, it may come between two of them, and is RuntimeError.
    """

    def __init__(self) -> None:
        self._closed = threading.Lock()
        self._closed.acquire()
        self.is_set = False

    def set(self) -> None:
        """Let the thread that waits go on; from one other thread at a time."""
        if not self.is_set:
            self.is_set = True
            self._closed.release()

    def wait(self, timeout: float = -1) -> bool:
        """Wait until it is set, ``timeout`` seconds at most; False if it is not set by then."""
        return self._closed.acquire(timeout=timeout)


class _Answer:
    """The outcome of one call, for the thread that waits."""

    def __init__(self) -> None:
        self.here = _Latch()
        self.scope = trio.CancelScope()
        self.takings = Rollback()
        self.value: Any = None
        self.error: BaseException | None = None
        self.abandoned = False
        self.over = trio.Event()

    def give(self, value: Any = None, error: BaseException | None = None) -> None:
        if not self.here.is_set:
            self.value, self.error = value, error
            self.here.set()

    def abandon(self) -> None:
        """Cancel the call: its caller has gone. Runs in the thread of the session."""
        self.abandoned = True
        self.scope.cancel()
        if self.over.is_set():
            self.takings.hand_back()

    def end(self) -> None:
        """The call has ended, whatever became of it; in the thread of the session."""
        self.takings.end()
        if self.abandoned:
            self.takings.hand_back()
        self.over.set()


class Portal:
    """The way into the thread of one session. ``opening`` is entered there, and left by ``close``."""

    def __init__(self, opening: AbstractAsyncContextManager[Any]) -> None:
        self.target: Any = None
        self._opening = opening
        self._here = _Latch()
        self._token: trio.lowlevel.TrioToken | None = None
        self._nursery: trio.Nursery
        self._scope = trio.CancelScope()
        self._leave: trio.Event
        self._of_body: BaseException | None = None
        self._error: BaseException | None = None
        self._closing = False
        self._closed = False
        self._waiting: dict[int, _Answer] = {}  # by the ident of the thread that waits
        self._given_up: set[int] = set()  # idents of the threads whose next wait is to end at once
        self._running: dict[_Answer, None] = {}  # calls that have not ended, in the order in which they began
        self._thread = threading.Thread(target=self._run, name="jdbpy", daemon=True)

    def open(self) -> Any:
        """Start the thread and wait for the session. Raises what opening it raises."""
        self._thread.start()
        try:
            self._here.wait()
        except BaseException:
            if self._token is not None:
                with suppress(trio.RunFinishedError):
                    self._token.run_sync_soon(self._scope.cancel)
            self._thread.join()
            raise
        if self.target is None:
            self._thread.join()
            self._closed = True
            assert self._error is not None
            raise self._error
        atexit.register(self.close)
        return self.target

    def close(self, error: BaseException | None = None) -> None:
        """Leave the session. ``error`` is what ended the script's block; raises what leaving raises beside that."""
        if self._closing or self._closed:
            return
        self._closing = True
        atexit.unregister(self.close)
        self._of_body = error
        assert self._token is not None
        with suppress(trio.RunFinishedError):
            self._token.run_sync_soon(self._leave.set)
        self._thread.join()
        self._closed = True
        if self._error is not None and self._error is not error:
            raise self._error

    @classmethod
    def within(cls, nursery: trio.Nursery) -> Portal:
        """A way into a session that lives in this thread already, for functions in other threads; ``nursery`` is where
        their calls run. It opens and closes nothing."""
        portal = cls.__new__(cls)
        portal.target = None
        portal._nursery = nursery
        portal._token = trio.lowlevel.current_trio_token()
        portal._thread = threading.current_thread()
        portal._waiting = {}
        portal._given_up = set()
        portal._running = {}
        portal._closing = portal._closed = False
        return portal

    def interrupt(self, thread: int) -> bool:
        """End the call that a thread waits for with KeyboardInterrupt in that thread, which is given by its ident.

        False if the thread waits for no call, or its call has been answered.
        """
        answer = self._waiting.get(thread)
        if answer is None:
            return False
        waits = not answer.here.is_set
        answer.give(error=KeyboardInterrupt())
        answer.abandon()
        return waits

    async def call_in_thread(self, work: Callable[[], Any]) -> Any:
        """Return what a function of the script gives, in a thread of its own.

        A cancellation ends the thread's current wait, or its next one if it does not wait. It also prevents the call if
        the thread has not begun: a stop or a hit that the function took would be lost.
        """
        call = ThreadCall(work, self._given_up.discard)
        try:
            return await trio.to_thread.run_sync(call.run, abandon_on_cancel=True)
        except trio.Cancelled:
            call.cancel(self._end_wait)
            raise

    def _end_wait(self, thread: int) -> None:
        """End the call that a thread waits for; if it waits for none, end the next one."""
        self._given_up.add(thread)  # before the look, because the thread may begin to wait at this moment
        if self.interrupt(thread):
            self._given_up.discard(thread)

    # -- asking, from the script's thread ----------------------------------------------------------------------------

    def wait(self, call: Callable[[], Awaitable[Any]], shown: Callable[[Any], T]) -> T:
        """Return what a call gives, run as a task of the session, as it is shown to the script. Ctrl-C cancels it and
        is raised here; what the call has taken is handed back then."""

        def start(given: _Answer) -> None:
            self._running[given] = None
            self._nursery.start_soon(self._answer, call, given)

        answer = _Answer()
        try:
            self._submit(answer, start)
            return shown(answer.value)  # behind this line no Ctrl-C can come before the script has it
        except BaseException:
            self._abandon(answer)
            raise

    def run(self, call: Callable[[], T]) -> T:
        """Return what a plain call gives, run in the thread of the session."""

        def start(given: _Answer) -> None:
            try:
                given.give(call())
            except BaseException as error:
                given.give(error=error)

        answer = _Answer()
        self._submit(answer, start)
        value: T = answer.value
        return value

    def iterate(self, pages: AsyncIterator[deque[Any]], shown: Callable[[Any], T]) -> Iterator[T]:
        """Yield what comes in pages, one by one, as it is shown to the script; each page is asked for when it is
        needed. What the script did not get stays in its page."""
        turn = trio.Lock()  # after Ctrl-C the pages are closed when the task that waits for the next has ended

        async def next_page() -> deque[Any] | None:
            async with turn:
                return await anext(pages, None)

        async def close() -> None:
            async with turn:
                closing = getattr(pages, "aclose", None)
                if closing is not None:
                    await closing()

        try:
            while (page := self.wait(next_page, _itself)) is not None:
                while page:
                    given = shown(page[0])
                    try:
                        yield given  # Ctrl-C comes before this line, or when the script has got it
                    finally:
                        page.popleft()
        finally:
            with suppress(StateError):
                self.wait(close, _itself)

    def _abandon(self, answer: _Answer) -> None:
        """The script does not get what was answered, or will be."""
        if answer.error is None and self._token is not None:
            with suppress(trio.RunFinishedError):
                self._token.run_sync_soon(answer.abandon)

    def _submit(self, answer: _Answer, start: Callable[[_Answer], None]) -> None:
        if threading.current_thread() is self._thread:
            raise UsageError("this is the thread of the session: it cannot wait for itself")
        if self._closed or self._token is None:
            raise StateError("the session is over", hint="its block has ended", code="CLOSED")
        thread = threading.get_ident()
        try:
            self._waiting[thread] = answer
            if thread in self._given_up:
                self._given_up.discard(thread)
                answer.error = KeyboardInterrupt()
            else:
                self._token.run_sync_soon(start, answer)
                self._wait_for(answer)
        except trio.RunFinishedError:
            raise StateError("the session is over", code="CLOSED") from None
        finally:
            self._waiting.pop(thread, None)
        if answer.error is not None:
            raise answer.error

    def _wait_for(self, answer: _Answer) -> None:
        while not answer.here.wait(_LOOK):
            if not self._thread.is_alive():
                answer.give(error=StateError("the session is over", code="CLOSED"))

    # -- the thread of the session -----------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            trio.run(self._main)
        except BaseException as error:
            self._error = error
        finally:
            self._here.set()

    async def _main(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        self._leave = trio.Event()
        with self._scope:
            async with open_nursery() as self._nursery:  # functions of the script may still ask while it is left
                async with self._opening as target:
                    self.target = target
                    self._here.set()
                    await self._leave.wait()
                    if self._of_body is not None:
                        raise self._of_body
                self._nursery.cancel_scope.cancel()

    async def _answer(self, call: Callable[[], Awaitable[Any]], answer: _Answer) -> None:
        answer.takings.begin()
        try:
            with answer.scope:
                try:
                    await self._undone_before(answer)
                    answer.give(await call())
                except trio.Cancelled:
                    raise
                except BaseException as error:
                    answer.give(error=error)
        finally:
            answer.give(error=StateError("the session has ended meanwhile", code="CLOSED"))
            answer.end()
            del self._running[answer]

    async def _undone_before(self, answer: _Answer) -> None:
        """Wait until earlier calls that Ctrl-C has ended have undone what they began."""
        with trio.move_on_after(_LOOK):
            for other in list(self._running):
                if other is answer:
                    return
                if other.abandoned:
                    await other.over.wait()


def _itself(value: T) -> T:
    return value


_LOOK = 5.0
"""Seconds after which a wait looks for whether the thread of the session is still there."""


class Synced:
    """Base of the objects of ``jdbpy.sync``: one of ``jdbpy.api``, and the way to its thread."""

    __slots__ = ("_inner", "_portal")

    def __init__(self, portal: Portal, inner: Any) -> None:
        self._portal = portal
        self._inner = inner

    def _wrap(self, value: Any) -> Any:
        return wrap(self._portal, value)

    def _ask(self, lazy: Any) -> Any:
        """The answer of a Lazy, without a way into the session's thread if it is known."""
        known = lazy.known()
        return self._await(lazy.get) if known is None else wrap(self._portal, known)

    def _ask_made(self, make: Callable[[], Any]) -> Any:
        """The answer of a Lazy that reads the session already when it is made."""
        return self._await(lambda: make().get())

    def _await(self, call: Callable[[], Awaitable[Any]]) -> Any:
        return self._portal.wait(call, self._wrap)

    def _there(self, call: Callable[[], Any]) -> Any:
        return wrap(self._portal, self._portal.run(call))

    def _iterate(self, pages: Any) -> Iterator[Any]:
        return self._portal.iterate(pages, self._wrap)

    def _function(self, do: Callable[[Any], Any] | None) -> Callable[[Any], Awaitable[Any]] | None:
        """A function of the script, to be run in a thread of its own, where it may ask and wait."""
        if do is None:
            return None

        async def run(stop: Any) -> Any:
            return await self._portal.call_in_thread(lambda: do(wrap(self._portal, stop)))

        return run

    def _maker(self, make: Callable[[Any], Any]) -> Callable[[Any], Awaitable[Any]]:
        """A function of the script that makes an object of the script's kind; the object behind that is given."""

        async def run(of: Any) -> Any:
            return unwrap(await self._portal.call_in_thread(lambda: make(wrap(self._portal, of))))

        return run

    def __eq__(self, other: object) -> bool:
        return bool(self._inner == other._inner) if isinstance(other, Synced) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._inner)

    def __repr__(self) -> str:
        return repr(self._inner)

    def __str__(self) -> str:
        return str(self._inner)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))


class SyncedHtml(Synced):
    """One that a notebook shows in HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        text: str = self._inner._repr_html_()
        return text


_CLASSES: dict[type, type[Synced]] = {}
"""Classes of ``jdbpy.api`` and what stands for them here; filled by the generated modules."""


def register(inner: type, outer: type[Synced]) -> None:
    """Let objects of a class be wrapped as those of another."""
    _CLASSES[inner] = outer


def wrap(portal: Portal, value: Any) -> Any:
    """A value as the script sees it: objects of ``jdbpy.api`` get their counterparts, also in lists and dicts."""
    outer = _CLASSES.get(type(value))
    if outer is not None:
        return outer(portal, value)
    if type(value) is list:
        return [wrap(portal, each) for each in value]
    if type(value) is dict and value:
        return {key: wrap(portal, each) for key, each in value.items()}
    return value


def unwrap(value: Any) -> Any:
    """The object of ``jdbpy.api`` behind a value of the script."""
    if isinstance(value, Synced):
        return value._inner
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(unwrap(each) for each in value)
    return {unwrap(key): unwrap(each) for key, each in value.items()} if type(value) is dict else value
