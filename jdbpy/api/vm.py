"""The debugged JVM as an object with verbs: breakpoints, hits, threads, expressions, the heap.

Owns what a script does with a JVM as a whole. How stops and hits come to those who wait is in ``feeds``; a thread that
stops is resumed by those who took its stop.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import trio

from jdbpy.api.breakpoints import Breakpoint, BreakpointObjects, Hits, LazyBreakpoint, Stop, checked, checked_hold
from jdbpy.api.core import Core
from jdbpy.api.delivery import on_rollback
from jdbpy.api.feeds import Add, Feeds
from jdbpy.api.frames import Frame, Stack, Thread
from jdbpy.api.functions import Do, Functions
from jdbpy.api.heap import Heap
from jdbpy.api.hits import Reported
from jdbpy.api.lazy import Lazy
from jdbpy.api.observed import CallRecording, Calls, CallTiming
from jdbpy.api.timing import Timing
from jdbpy.api.values import LazyValue, Value, evaluated
from jdbpy.errors import Disconnected, StateError, UsageError
from jdbpy.profiles.profile import Profile
from jdbpy.session.model import events
from jdbpy.session.model.breakpoints import PointOptions, Reporting, SuspendPolicy
from jdbpy.session.model.calls import MOST_METHODS, CallTree, MethodTimings
from jdbpy.session.model.moments import DEFAULT, Moment
from jdbpy.session.model.threads import FrameInfo, StackTrace, ThreadRef
from jdbpy.session.model.vm import VmInfo, VmState
from jdbpy.task_groups import open_nursery

if TYPE_CHECKING:
    from jdbpy.api.reconnecting import Reconnecting
    from jdbpy.session.model.decisions import HitLog
    from jdbpy.session.model.operating import (
        ClassesDumped,
        FetchedFile,
        LogContext,
        LogLevelsSet,
        MBeanDetail,
        TargetLoad,
    )
    from jdbpy.session.model.snapshots import SnapshotTaken
    from jdbpy.session.recorded.call import RecordedCall
    from jdbpy.session.session import Session

_LONGEST = 4096
"""Characters of the texts that hits bring: they may be collected before a script asks for more."""


class Vm:
    """A debugged JVM. Made by ``jdbpy.attach``, ``launch`` and ``listen``, and good until their block ends.

    ``session`` is the layer below, on which command line and prompt are built: all that is not here is there.
    """

    def __init__(self, session: Session, nursery: trio.Nursery) -> None:
        self._core = core = Core(session, nursery)
        self._feeds = Feeds(core)
        self._objects = BreakpointObjects(core, self._feeds)
        self._functions = Functions(self._objects)
        self._feeds.join(session)

    @property
    def session(self) -> Session:
        """Return the session on which this stands: another one after the JVM has gone away and come back. No trip."""
        return self._core.session

    # -- breakpoints that stop ---------------------------------------------------------------------------------------

    def stop_at(
        self,
        place: str,
        *,
        when: str = "",
        do: Do | None = None,
        hold: str = "",
        hits: str = "",
        ignore: int = 0,
        callers: str | Sequence[str] = (),
        thread: Thread | None = None,
        temporary: bool = False,
    ) -> LazyBreakpoint:
        """Stop where a line is reached or a method entered: ``Order.java:42``, ``com.acme.Order:42``, ``Order.total``.

        A class that is not loaded yet is waited for. ``when`` is a boolean Java expression in that frame; ``callers``
        are classes or methods of which one must have called; ``hits`` is "== 3", ">= 10" or "% 100"; ``hold`` is
        "thread" or "all", what a stop suspends, by default what the session says. With ``do`` each stop is handed to
        that function and resumed when it returns; what it raises is raised at the end of the session. Raises UsageError
        for a place that is not there, EvalError for a condition that does not compile. wire: 1 to 3 trips.
        """
        options = PointOptions(
            checked_hold(hold), temporary, when, ignore, _id(thread), callers=checked(callers), hits=hits
        )
        return self._breakpoint(options, lambda options: self.session.breakpoints.add_with(place, options), do)

    def on_exception(
        self,
        class_name: str = "*",
        *,
        when: str = "",
        do: Do | None = None,
        caught: bool = True,
        uncaught: bool = True,
        hold: str = "",
        classes: str | Sequence[str] = (),
    ) -> LazyBreakpoint:
        """Stop where an exception of that class, a subclass, or a class that fits the pattern is thrown.

        ``when`` may say ``$exc``; ``classes`` are patterns of the classes whose code throws it. The rest is as of
        ``stop_at``. Raises UsageError for what is not an exception. wire: 3 trips.
        """
        return self._breakpoint(
            PointOptions(checked_hold(hold), condition=when, classes=checked(classes)),
            lambda options: self.session.catchpoints.exception(
                class_name, caught=caught, uncaught=uncaught, options=options
            ),
            do,
        )

    def on_return(
        self, method: str, *, when: str = "", do: Do | None = None, hold: str = "", hits: str = ""
    ) -> LazyBreakpoint:
        """Stop where a method is about to return: ``stop.returned`` is the value, ``$ret`` in ``when``.

        ``method`` is ``Class.method`` or ``Class.method(int,String)``; the rest is as of ``stop_at``. wire: 3 trips.
        """
        return self._breakpoint(
            PointOptions(checked_hold(hold), condition=when, hits=hits),
            lambda options: self.session.traces.methods(entries=False, exits=True, method=method, options=options),
            do,
        )

    def on_change(
        self, field: str, *, when: str = "", do: Do | None = None, hold: str = "", of: Value | None = None
    ) -> LazyBreakpoint:
        """Stop where a field is about to change: ``Class.field``, of every object or of one (``of``).

        ``stop.old`` and ``stop.new`` are the values, ``$old`` and ``$new`` in ``when``; the rest is as of ``stop_at``.
        Raises UsageError when there is no such field. wire: 2 trips, and 1 a superclass that is new.
        """
        return self._breakpoint(
            PointOptions(checked_hold(hold), condition=when, instance=_id(of)),
            lambda options: self.session.watchpoints.add(field, options=options),
            do,
        )

    def on_access(
        self, field: str, *, when: str = "", do: Do | None = None, hold: str = "", of: Value | None = None
    ) -> LazyBreakpoint:
        """Stop where a field is read. As ``on_change``."""
        return self._breakpoint(
            PointOptions(checked_hold(hold), condition=when, instance=_id(of)),
            lambda options: self.session.watchpoints.add(field, access=True, modification=False, options=options),
            do,
        )

    def breakpoint(self, number: int) -> Breakpoint:
        """Return the breakpoint of that number, also one that was not set by this script. Raises UsageError. No
        trip."""
        return self._objects.of(number)

    @property
    def breakpoints(self) -> list[Breakpoint]:
        """Return all breakpoints, watchpoints, catchpoints and traces of the session, by number. No trip."""
        return [self.breakpoint(each.number) for each in self.session.points.list()]

    # -- hits that are reported --------------------------------------------------------------------------------------

    def entries(
        self,
        method: str,
        *,
        when: str = "",
        stack: int = 0,
        callers: str | Sequence[str] = (),
        thread: Thread | None = None,
        limit: int | None = None,
    ) -> Hits:
        """Entries of a method, as hits with ``args``; the target goes on. For an ``async with`` block.

        ``method`` is ``Class.method``, ``Class.method(int,String)``, or a class for all its methods; it may be loaded
        later. ``when`` is a boolean Java expression in the method's frame; ``stack`` is how many frames to read
        (``hit.stack``, ``hit.caller``); at most ``limit`` hits a second are reported. A thread that hits stands still
        for the trip that reads its arguments. A pattern of classes (``com.acme.*``) is traced by the agent's method
        events, without arguments: these slow the JVM many times over. wire: 1 to 3 trips.
        """
        options = PointOptions(condition=when, callers=checked(callers), thread=_id(thread))
        return self._hits_of_methods(method, _reporting(options, stack, limit), entries=True)

    def returns(
        self,
        method: str,
        *,
        when: str = "",
        stack: int = 0,
        callers: str | Sequence[str] = (),
        thread: Thread | None = None,
        limit: int | None = None,
    ) -> Hits:
        """Returns of a method, as hits with ``returned``; ``$ret`` in ``when``. As ``calls``.

        A method that an exception leaves does not return: ``throws`` has that.
        """
        options = PointOptions(condition=when, callers=checked(callers), thread=_id(thread))
        return self._hits_of_methods(method, _reporting(options, stack, limit), entries=False)

    def _hits_of_methods(self, method: str, options: PointOptions, *, entries: bool) -> Hits:
        named = _is_method(method)
        name = method if named else None
        return Hits(
            self._objects,
            options if named else options.replace(classes=(method,)),
            lambda options: self.session.traces.methods(
                entries=entries, exits=not entries, method=name, options=options
            ),
        )

    def changes(
        self,
        field: str,
        *,
        when: str = "",
        stack: int = 0,
        of: Value | None = None,
        callers: str | Sequence[str] = (),
        limit: int | None = None,
    ) -> Hits:
        """Changes of a field (``Class.field``), as hits with ``old``, ``new`` and ``object``; the target goes on.

        ``of`` limits it to one object. The rest is as of ``calls``. wire: 2 trips.
        """
        options = PointOptions(condition=when, callers=checked(callers), instance=_id(of))
        return Hits(
            self._objects,
            _reporting(options, stack, limit),
            lambda options: self.session.watchpoints.add(field, options=options),
        )

    def reads(
        self,
        field: str,
        *,
        when: str = "",
        stack: int = 0,
        of: Value | None = None,
        callers: str | Sequence[str] = (),
        limit: int | None = None,
    ) -> Hits:
        """Reads of a field, as hits; as ``changes``."""
        options = PointOptions(condition=when, callers=checked(callers), instance=_id(of))
        return Hits(
            self._objects,
            _reporting(options, stack, limit),
            lambda options: self.session.watchpoints.add(field, access=True, modification=False, options=options),
        )

    def throws(
        self,
        class_name: str = "*",
        *,
        when: str = "",
        stack: int = 0,
        caught: bool = True,
        uncaught: bool = True,
        callers: str | Sequence[str] = (),
        limit: int | None = None,
    ) -> Hits:
        """Exceptions that are thrown, as hits with ``exception``, ``message`` and ``caught``; the target goes on.

        ``class_name`` is a class, its subclasses included, or a pattern. The rest is as of ``calls``. wire: 3 trips.
        """
        options = PointOptions(condition=when, callers=checked(callers))
        return Hits(
            self._objects,
            _reporting(options, stack, limit),
            lambda options: self.session.catchpoints.exception(
                class_name, caught=caught, uncaught=uncaught, options=options
            ),
        )

    def log(
        self,
        place: str,
        text: str,
        *,
        when: str = "",
        callers: str | Sequence[str] = (),
        thread: Thread | None = None,
        limit: int | None = None,
    ) -> Hits:
        """Passages of a line or method (``Order.java:42``), as hits with ``values``; the target goes on.

        ``text`` has Java expressions in braces, ``"total {total} of {customer.name}"``, which are evaluated in that
        frame: their values are in ``hit.values`` by their texts. The rest is as of ``calls``. wire: 1 to 3 trips.
        """
        options = PointOptions(condition=when, callers=checked(callers), thread=_id(thread), log=text)
        return Hits(
            self._objects,
            _reporting(options, 0, limit),
            lambda options: self.session.breakpoints.add_with(place, options),
        )

    # -- running and waiting -----------------------------------------------------------------------------------------

    async def wait(self, timeout: float | None = None) -> Stop:
        """Return the next stop of any kind that was not taken yet. Several that wait at the same time all get it.

        Raises TimedOut after ``timeout`` seconds (None: no limit), StateError when the target has ended, Disconnected.
        No trip.
        """
        with self._core.limit(timeout, f"no stop within {timeout:g} seconds" if timeout is not None else ""):
            stop = await self._next_stop()
        if not isinstance(stop, events.Stopped):
            raise StateError("the target has ended", code="VM_DEAD")
        of, found = self.session, stop
        on_rollback(lambda: of.put_back(found))
        return self._objects.stop_of(stop)

    async def _next_stop(self) -> events.Stopped | events.Exited:
        while True:
            session = self.session
            try:
                stop = await session.next_stop()
            except Disconnected:
                if not self._core.comes_back:
                    raise
            else:
                if isinstance(stop, events.Stopped) or not self._core.comes_back:
                    return stop
            await self._core.wait_changed(session)

    async def wait_connected(self, timeout: float | None = None) -> None:
        """Wait until the JVM is there, and all is set in it again, after it went away; for ``reconnect=True``.

        Raises TimedOut after ``timeout`` seconds (None: no limit), Disconnected when it does not come back. No trip.
        """
        message = f"the target did not come back within {timeout:g} seconds" if timeout is not None else ""
        with self._core.limit(timeout, message):
            while self._core.is_away:
                await self._core.changed.park()
        ending = self.session.ending
        if ending is not None:
            raise Disconnected(ending.reason if isinstance(ending, events.VMDisconnected) else "the target has ended")

    async def run(self, timeout: float | None = None) -> Stop:
        """Let everything go on and wait for the next stop. As ``resume`` and ``wait``, and raises what these do."""
        if self.is_suspended:
            await self.resume()
        return await self.wait(timeout)

    async def resume(self) -> None:
        """Resume everything that stops and ``pause`` suspend, but for stops that were not taken yet.

        A running target is not an error. wire: no wait.
        """
        if self.is_suspended:
            try:
                await self.session.execution.resume()
            except StateError:
                if self.is_suspended:
                    raise  # else somebody else has resumed it: the session may be in another process

    async def pause(self) -> Stop:
        """Suspend all threads, and return a stop that shows one of them. Raises StateError when all are suspended.

        If it is cancelled or interrupted (Ctrl-C), they go on. wire: 3 or 4 trips.
        """
        of = self.session
        stop = await of.execution.pause()
        on_rollback(lambda: of.undo_pause(stop))
        return self._objects.stop_of(stop)

    async def wait_ended(self, timeout: float | None = None) -> int | None:
        """Wait for the end of the target; its exit status if it was launched, else None. Raises TimedOut after
        ``timeout`` seconds (None: no limit), Disconnected. No trip."""
        with self._core.limit(
            timeout, f"the target has not ended within {timeout:g} seconds" if timeout is not None else ""
        ):
            ending = await self.session.wait_ended()
            while self._core.comes_back:
                await self._core.wait_changed(self.session)
                ending = await self.session.wait_ended()
        if isinstance(ending, events.VMDisconnected):
            raise Disconnected(ending.reason)
        return ending.status

    @property
    def is_suspended(self) -> bool:
        """True if the debugger suspends any thread. No trip."""
        return self.session.state is VmState.STOPPED

    @property
    def has_ended(self) -> bool:
        """True when the target has ended, or the connection, and is not attached to again. No trip."""
        return self._core.has_ended

    @property
    def info(self) -> VmInfo:
        """Name, Java version, address and capabilities of the JVM. No trip."""
        return self.session.info

    # -- threads -----------------------------------------------------------------------------------------------------

    @property
    def threads(self) -> Lazy[list[Thread]]:
        """Return all live threads, in the agent's order. wire: 3 trips, 2 again."""
        return Lazy(self._threads)

    async def _threads(self) -> list[Thread]:
        return [Thread(self._core, each) for each in await self.session.threads.list()]

    async def find_thread(self, name: str) -> Thread:
        """Return the thread of that name; it may be cut short or have ``*`` in it as long as one thread fits. Raises
        UsageError. wire: 2 trips.
        """
        return Thread(self._core, await self.session.threads.find(name))

    async def stacks(self, most: int | None = None) -> list[Stack]:
        """Return the stacks of all suspended threads, ``most`` frames of each. Running ones are left out: ``pause``
        first.

        Raises StateError when the target has ended. wire: 2 or 3 trips, whatever the number of threads.
        """
        return self._stacks(await self.session.stack.all(count=most))

    async def virtual_stacks(self, most: int | None = None) -> list[Stack]:
        """Return the stacks of all virtual threads, mounted or not, ``most`` frames of each: of Java 21 to 24 while the
        program runs, of later ones while all of it is suspended.

        The JVM writes them to a temporary file, which is removed. With the agent a method is run for that, and these
        threads have the id 0, and ``record.java_id``. Raises StateError where it is not safe, or none can be run.
        wire: some 20 trips, and 2 for every 4 MB; without the agent none.
        """
        return self._stacks(await self.session.threads.virtual_stacks(count=most))

    def _stacks(self, found: Sequence[StackTrace]) -> list[Stack]:
        return [
            Stack(Thread(self._core, each.thread), [Frame(self._core, frame) for frame in each.frames], each.total)
            for each in found
            if not each.error
        ]

    async def decisions(self, number: int | None = None, *, count: int = 20) -> HitLog:
        """Return what was decided about the latest hits, and why: which stopped, which were passed or dropped.

        ``count`` of them, from the last 1,000; only those of the breakpoint with ``number`` if it is given. The
        totals by reason are of all hits. Raises UsageError for a breakpoint that never was. wire: 2 trips or less.
        """
        return await self.session.decisions.latest(count, number)

    async def deadlocks(self) -> Any:
        """Threads that wait for each other, as ``jdbpy.locks.DeadlockReport``. wire: 4 or 5 trips; the target is
        suspended for them."""
        return await self.session.locks.deadlocks()

    # -- values ------------------------------------------------------------------------------------------------------

    def static(self, field: str) -> LazyValue:
        """Return the value of a static field, ``com.acme.Cache.INSTANCE``.

        Raises EvalError when the class is not loaded or has none of that name. wire: 2 trips, 1 for a known class.
        """
        return LazyValue(lambda: evaluated(self._core, field, None, {}))

    def eval(self, text: str, /, **names: object) -> LazyValue:
        """Return the value of a Java expression without a frame of its own: static fields and what ``names`` hand in.

        Methods run in the thread that stopped last. Raises and wire: as ``Frame.eval``.
        """
        return LazyValue(lambda: evaluated(self._core, text, None, names))

    async def classes(self, pattern: str = "") -> list[str]:
        """Return the names of the loaded classes, or of those that fit the pattern (``com.acme.*``), sorted.

        Raises UsageError for what is not a pattern. wire: 1 trip.
        """
        return sorted({each.name for each in await self.session.classes.list(pattern)})

    @property
    def heap(self) -> Heap:
        """Histograms, instances, referrers."""
        return Heap(self._core)

    # -- what an operator asks ---------------------------------------------------------------------------------------

    async def top(self, seconds: float = 1.0, *, most: int = 10, by_allocation: bool = False) -> TargetLoad:
        """Return what the threads use in the next ``seconds``, the ``most`` busiest first, with their top frames,
        memory and collections, as ``jdbpy.operating.TargetLoad``.

        Where everything is suspended the figures are those since each thread began, at once. Raises StateError where
        no method can be run. wire: 12 trips before, 15 behind.
        """
        return await self.session.top.during(seconds, most=most, by_allocation=by_allocation)

    async def loggers(self, pattern: str = "") -> tuple[LogContext, ...]:
        """Return the loggers whose names fit, by framework and class loader; without a pattern those that have a level
        of their own. Raises StateError where no method can be run. wire: some 20 trips for each."""
        return await self.session.loggers.contexts(pattern)

    async def set_level(self, logger: str, level: str, *, context: int = 0) -> LogLevelsSet:
        """Set the level of a logger, in all contexts that have it or in the one of that number; "inherited" takes its
        own away. Raises UsageError for a level that the framework does not know. wire: some 40 trips."""
        return await self.session.loggers.set(logger, level, context=context)

    async def mbeans(self, pattern: str = "") -> tuple[str, ...]:
        """Return the names of the MBeans that fit. Raises StateError where no method can be run. wire: 9 trips."""
        return await self.session.mbeans.names(pattern)

    async def mbean(self, pattern: str, member: str = "") -> tuple[MBeanDetail, ...]:
        """Return the MBeans that fit, with attributes, their values and operations; with ``member`` those alone.

        Raises UsageError where nothing fits. wire: some 20 trips for each.
        """
        return await self.session.mbeans.detail(pattern, member)

    async def set_attribute(self, mbean: str, attribute: str, value: str) -> MBeanDetail:
        """Set an attribute of an MBean to what a text says. Raises UsageError for what it cannot be. wire: 30
        trips."""
        return await self.session.mbeans.set(mbean, attribute, value)

    async def call_operation(self, mbean: str, operation: str, *args: str) -> Any:
        """Call an operation of an MBean with arguments as texts; return its result as plain Python data. Raises
        UsageError, and Thrown for what it throws. wire: 30 trips."""
        return (await self.session.mbeans.call(mbean, operation, args)).value

    async def dump_classes(self, pattern: str, directory: str | Path) -> ClassesDumped:
        """Write the class files of the loaded classes that fit below a directory: those of their loaders where they are
        what runs, else rebuilt. Raises UsageError where no class fits. wire: some 15 trips for 32 classes."""
        return await self.session.class_dump.dump(pattern, str(await trio.Path(directory).absolute()))

    async def fetch(self, source: str, path: str | Path, *, remove: bool = False) -> FetchedFile:
        """Copy a file of the target's machine to a new file here, over the debugger's own port; ``remove``: then remove
        it there. Raises UsageError for a file that cannot be read or written. wire: 8 trips, and 2 for every 4 MB."""
        absolute = str(await trio.Path(path).absolute())
        return await self.session.files.fetch(source, absolute, remove=remove)

    def sample(self, pattern: str = "*", seconds: float | None = None, *, every: float = 0.01) -> Timing:
        """Return where threads spend their time, by method, for an ``async with`` block; ``pattern`` is of classes or
        methods.

        Stacks are looked at every so many seconds; ``spent.table()`` waits until ``seconds`` are over. See ``Timing``.
        """
        return Timing(self._core, pattern, seconds, every)

    async def profile(
        self, seconds: float = 10.0, kind: str = "cpu", pattern: str = "", *, sampling: bool = False
    ) -> Profile:
        """Profile the running program for so many seconds: where its time, memory or exceptions come from.

        ``kind`` is "cpu", "wall", "alloc", "lock" or "exceptions"; ``pattern`` keeps stacks with a method that fits.
        The program's flight recorder takes the samples, else it samples all stacks (``sampling``) where there is none:
        ``found.hot``, ``found.tree``, ``found.to_svg()``. Raises StateError when everything is suspended, or the kind
        cannot be had. wire: some 20 trips, and 2 for 256 kB.
        """
        return Profile.of(await self.session.profiler.data(seconds, kind, sampling)).matching(pattern)

    async def method_timings(
        self, method: str, seconds: float = 10.0, *, most_methods: int = MOST_METHODS, excludes: Sequence[str] = ()
    ) -> MethodTimings:
        """Have the JVM itself count and time the calls of methods for so many seconds: ``found.methods``, each with
        ``count``, ``mean``, ``minimum`` and ``maximum`` in seconds.

        ``method`` is a method, a class, a pattern for loaded classes, or an annotation: ``@jakarta.ws.rs.GET``. Nothing
        is suspended. Raises StateError before Java 25 (``call_stats`` is for every Java), without a flight
        recorder, and when everything is suspended. wire: some 30 trips.
        """
        return await self.session.profiler.timings(method, seconds, most_methods, tuple(excludes))

    def calls(
        self,
        method: str,
        *,
        when: str = "",
        show: Sequence[str] = (),
        callers: int = 0,
        depth: int = 0,
        limit: int | None = None,
        most_methods: int = MOST_METHODS,
        in_target: bool = False,
        excludes: str | Sequence[str] = (),
    ) -> Calls:
        """Calls of a method, each reported when it ends, with its time, for an ``async with`` block; the target goes
        on.

        ``method`` is ``Class.method``, ``Class.method(int)``, ``Class.<init>``, a class for all its methods, or a
        pattern (``com.acme.*Service.find*``) for the loaded classes, which may fit ``most_methods``, without those that
        ``excludes`` fit, patterns of methods or classes. ``when`` is a boolean Java expression at the end of the call,
        with ``$cost`` (in milliseconds; ``100ms`` is a time), ``$ret``, ``$exc`` and ``$args[0]``; ``show`` are
        expressions to be read in place of the arguments, ``callers`` how many frames to tell, ``depth`` how many levels
        of what the values hold (``call.args["order"].record.children``); at most ``limit`` calls a second are read.
        ``in_target`` is as of ``call_stats``. Raises EvalError. wire: 4 trips; 1 for each call, while its thread is
        suspended, and 2 or more to describe it.
        """
        return Calls(self._feeds, method, when, show, callers, depth, limit, most_methods, in_target, checked(excludes))

    def call_stats(
        self,
        method: str,
        *,
        most_methods: int = MOST_METHODS,
        in_target: bool = False,
        excludes: str | Sequence[str] = (),
    ) -> CallTiming:
        """Counts and times of the calls of methods, for an ``async with`` block; no call suspends anything.

        ``method`` and ``excludes`` are as of ``calls``. ``in_target``: the target itself counts as soon as it can,
        whatever the option of that name says. Raises UsageError, StateError where it cannot. wire: 4 trips.
        """
        return CallTiming(self._core, method, most_methods, in_target, checked(excludes))

    def record(
        self,
        method: str,
        *,
        when: str = "",
        most: int = 0,
        depth: int = 0,
        level: str = "all",
        until: str = "",
        hold: bool = False,
    ) -> CallRecording:
        """Calls of a method, recorded by the target line by line, with every value that they store, for an ``async
        with`` block; nothing is suspended.

        ``when`` is as of ``calls``. After ``most`` calls it ends, and with the first call that ends as ``until`` says:
        the class of an exception, or ``$cost > 100ms``. ``depth`` levels of what objects hold are kept. ``level`` is
        ``lines``, ``stores`` (and lines), ``calls`` (and lines) or ``all``. ``hold`` keeps the objects that calls are
        given from collection, for ``again``. See ``CallRecording``.
        """
        return CallRecording(self._core, method, when, most, depth, level, until, hold)

    def recorded_calls(self) -> list[RecordedCall]:
        """Return the recorded calls that are kept, of all recordings; in a session on a file of recorded calls or on a
        snapshot those that it has. No trip."""
        return list(self.session.recorder.calls)

    async def call_tree(
        self,
        method: str,
        count: int = 1,
        *,
        when: str = "",
        depth: int = 1,
        timeout: float | None = None,
        in_target: bool = False,
        excludes: str | Sequence[str] = (),
    ) -> tuple[CallTree, ...]:
        """Return the calls made inside ``count`` calls of a method, line by line, with times, folded; no call suspends
        anything.

        ``when`` may be about ``$cost`` alone; with a ``depth`` of 2 the calls that those make are included. After
        ``timeout`` seconds it returns what there is by then. ``in_target`` and ``excludes`` are as of
        ``call_stats``. Raises UsageError, Disconnected. wire: 6 trips, and 3 for each level more.
        """
        async with self.session.observer.tree(
            method, when=when, depth=depth, most=count, in_target=in_target, excludes=checked(excludes)
        ) as observed:
            with trio.move_on_after(timeout) if timeout is not None else trio.CancelScope():
                await observed.over.wait()
        trees: tuple[CallTree, ...] = observed.trees()
        return trees

    # -- a snapshot --------------------------------------------------------------------------------------------------

    async def moment(self, sections: Sequence[str] = ()) -> Moment:
        """Return the JVM as it is now, to be compared with another one, or with itself later:
        ``jdbpy.moments.compare``.

        ``sections`` are some of ``jdbpy.moments.SECTIONS``, by default all but the last: stacks, for which a running
        target is suspended and resumed, classes with checksums of their code, system properties, flags (by
        methods that are run there), and the histogram of the heap. Raises UsageError for
        another section. wire: some 10 trips, and 2 for each 100 classes.
        """
        return await self.session.moments.take(sections or DEFAULT)

    async def snapshot(
        self,
        path: str | Path,
        *,
        depth: int | None = None,
        most: int | None = None,
        masks: Sequence[str] = (),
        all_classes: bool = False,
    ) -> SnapshotTaken:
        """Write threads, stacks, variables, locks and the objects reached from them to a new file; return what it took.

        ``depth`` references are followed from a variable (4); after ``most`` bytes of answers (64 MB) no further object
        is asked for. Values whose names fit one of the ``masks`` (``*password*``) are left out. Classes that nothing
        leads to are asked for 20 seconds, with ``all_classes`` for as long as it takes. A running JVM is suspended
        meanwhile, and resumed as it was. ``jdbpy.open_snapshot(path)`` reads the file. Raises UsageError for a file
        that exists or cannot be written. wire: about 30 trips, half of them while it is suspended.
        """
        return await self.session.snapshot(str(path), depth=depth, most=most, masks=masks, all_classes=all_classes)

    # -- changing the program ----------------------------------------------------------------------------------------

    async def swap(self, path: str | Path) -> Any:
        """Replace code: of all loaded classes that differ from the class files below a directory or in a jar, of one
        class file, or of a source file, which is compiled. Returns ``jdbpy.hotswap.Redefinition``.

        All classes are replaced in one step, or none. Raises UsageError without class files, JdwpError when the JVM
        refuses. wire: 6 trips, and 3 a breakpoint in the classes.
        """
        text = str(path)
        self._core.wrote()
        if text.endswith(".class"):
            return await self.session.hotswap.redefine("", text)
        if text.endswith(".java"):
            return await self.session.hotswap.redefine_sources([text])
        return await self.session.hotswap.redefine_all(text)

    def _breakpoint(self, options: PointOptions, add: Add, do: Do | None) -> LazyBreakpoint:
        async def set_it() -> Breakpoint:
            made, feed = await self._objects.set(options, add)
            if do is not None:
                self._core.start(partial(self._functions.call, made, feed, do))
            return made

        return LazyBreakpoint(set_it)

    def __repr__(self) -> str:
        return f"<vm {self.session.address}: {self.info.name} {self.info.version}, {self.session.state}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))


def _id(of: Thread | Value | None) -> int | None:
    return of.id if of is not None else None


def _reporting(options: PointOptions, stack: int, limit: int | None) -> PointOptions:
    """Return the options of hits that are reported. Raises UsageError."""
    if stack < 0:
        raise UsageError("stack is a number of frames, 0 or more")
    return options.replace(policy=SuspendPolicy.NONE, reporting=Reporting(stack=stack, limit=limit, longest=_LONGEST))


def _is_method(name: str) -> bool:
    """True for ``Order.total``, ``Order.total(int)``, False for a class or a pattern: the last part begins small."""
    head = name.partition("(")[0]
    last = head.rpartition(".")[2]
    return "." in head and "*" not in head and not head.endswith("+") and (not last[:1].isupper() or "(" in name)


# -- for those who have a session, or plain records of it -------------------------------------------------------------


@asynccontextmanager
async def opened_vm(
    opening: AbstractAsyncContextManager[Session], again: Reconnecting | None = None
) -> AsyncIterator[Vm]:
    """The objects of a script on a session, for an ``async with`` block; errors of functions given as ``do`` are raised
    at its end."""
    async with opening as session:
        async with open_nursery() as nursery:
            vm = Vm(session, nursery)
            if again is not None:
                nursery.start_soon(again.run, vm, vm._core, vm._feeds)
            try:
                yield vm
                await vm._functions.end()
                if again is not None:
                    await again.leave()
                vm._functions.raise_error()
            except Exception as error:
                for each in vm._functions.unraised(error):
                    error.add_note(f"a function given as 'do' failed as well: {type(each).__name__}: {each}")
                raise
            finally:
                nursery.cancel_scope.cancel()


def start_beside(vm: Vm, task: Callable[[], Awaitable[None]]) -> None:
    """Run a task beside a script, until the session of its JVM ends."""
    vm._core.start(task)


def frame_of(vm: Vm, record: FrameInfo) -> Frame:
    """Return the object for a frame that was read. No trip."""
    return Frame(vm._core, record)


def thread_of(vm: Vm, record: ThreadRef) -> Thread:
    """Return the object for a thread that was read. No trip."""
    return Thread(vm._core, record)


def stop_of(vm: Vm, record: events.Stopped) -> Stop:
    """Return the object for a stop. No trip."""
    return vm._objects.stop_of(record)


def reported(vm: Vm, record: events.Report) -> Reported:
    """Return the object for a hit that was reported. No trip."""
    return Reported(vm._core, record)
