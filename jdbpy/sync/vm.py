"""The debugged JVM as an object with verbs: breakpoints, hits, threads, expressions, the heap.

Made by ./dev generate from jdbpy/api/vm.py; do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jdbpy.api import vm as inner
from jdbpy.session.model.calls import MOST_METHODS
from jdbpy.sync import portal
from jdbpy.sync.portal import Do

if TYPE_CHECKING:
    from pathlib import Path

    from jdbpy.profiles.profile import Profile
    from jdbpy.session.model.calls import CallTree, MethodTimings
    from jdbpy.session.model.decisions import HitLog
    from jdbpy.session.model.moments import Moment
    from jdbpy.session.model.operating import (
        ClassesDumped,
        FetchedFile,
        LogContext,
        LogLevelsSet,
        MBeanDetail,
        TargetLoad,
    )
    from jdbpy.session.model.snapshots import SnapshotTaken
    from jdbpy.session.model.vm import VmInfo
    from jdbpy.session.recorded.call import RecordedCall
    from jdbpy.session.session import Session
    from jdbpy.sync.breakpoints import Breakpoint, Hits, Stop
    from jdbpy.sync.frames import Stack, Thread
    from jdbpy.sync.heap import Heap
    from jdbpy.sync.observed import CallRecording, Calls, CallTiming
    from jdbpy.sync.timing import Timing
    from jdbpy.sync.values import Value


class Vm(portal.Synced):
    """A debugged JVM. Made by ``jdbpy.attach``, ``launch`` and ``listen``, and good until their block ends.

    ``session`` is the layer below, on which command line and prompt are built: all that is not here is there.
    """

    __slots__ = ()

    @property
    def session(self) -> Session:
        """Return the session on which this stands: another one after the JVM has gone away and come back. No trip."""
        found: Session = self._there(lambda: self._inner.session)
        return found

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
    ) -> Breakpoint:
        """Stop where a line is reached or a method entered: ``Order.java:42``, ``com.acme.Order:42``, ``Order.total``.

        A class that is not loaded yet is waited for. ``when`` is a boolean Java expression in that frame; ``callers``
        are classes or methods of which one must have called; ``hits`` is "== 3", ">= 10" or "% 100"; ``hold`` is
        "thread" or "all", what a stop suspends, by default what the session says. With ``do`` each stop is handed to
        that function and resumed when it returns; what it raises is raised at the end of the session. Raises UsageError
        for a place that is not there, EvalError for a condition that does not compile. wire: 1 to 3 trips.
        """
        found: Breakpoint = self._ask_made(
            lambda: self._inner.stop_at(
                place,
                when=when,
                do=self._function(do),
                hold=hold,
                hits=hits,
                ignore=ignore,
                callers=callers,
                thread=portal.unwrap(thread),
                temporary=temporary,
            )
        )
        return found

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
    ) -> Breakpoint:
        """Stop where an exception of that class, a subclass, or a class that fits the pattern is thrown.

        ``when`` may say ``$exc``; ``classes`` are patterns of the classes whose code throws it. The rest is as of
        ``stop_at``. Raises UsageError for what is not an exception. wire: 3 trips.
        """
        found: Breakpoint = self._ask_made(
            lambda: self._inner.on_exception(
                class_name,
                when=when,
                do=self._function(do),
                caught=caught,
                uncaught=uncaught,
                hold=hold,
                classes=classes,
            )
        )
        return found

    def on_return(
        self, method: str, *, when: str = "", do: Do | None = None, hold: str = "", hits: str = ""
    ) -> Breakpoint:
        """Stop where a method is about to return: ``stop.returned`` is the value, ``$ret`` in ``when``.

        ``method`` is ``Class.method`` or ``Class.method(int,String)``; the rest is as of ``stop_at``. wire: 3 trips.
        """
        found: Breakpoint = self._ask_made(
            lambda: self._inner.on_return(method, when=when, do=self._function(do), hold=hold, hits=hits)
        )
        return found

    def on_change(
        self, field: str, *, when: str = "", do: Do | None = None, hold: str = "", of: Value | None = None
    ) -> Breakpoint:
        """Stop where a field is about to change: ``Class.field``, of every object or of one (``of``).

        ``stop.old`` and ``stop.new`` are the values, ``$old`` and ``$new`` in ``when``; the rest is as of ``stop_at``.
        Raises UsageError when there is no such field. wire: 2 trips, and 1 a superclass that is new.
        """
        found: Breakpoint = self._ask_made(
            lambda: self._inner.on_change(field, when=when, do=self._function(do), hold=hold, of=portal.unwrap(of))
        )
        return found

    def on_access(
        self, field: str, *, when: str = "", do: Do | None = None, hold: str = "", of: Value | None = None
    ) -> Breakpoint:
        """Stop where a field is read. As ``on_change``."""
        found: Breakpoint = self._ask_made(
            lambda: self._inner.on_access(field, when=when, do=self._function(do), hold=hold, of=portal.unwrap(of))
        )
        return found

    def breakpoint(self, number: int) -> Breakpoint:
        """Return the breakpoint of that number, also one that was not set by this script. Raises UsageError. No
        trip."""
        found: Breakpoint = self._there(lambda: self._inner.breakpoint(number))
        return found

    @property
    def breakpoints(self) -> list[Breakpoint]:
        """Return all breakpoints, watchpoints, catchpoints and traces of the session, by number. No trip."""
        found: list[Breakpoint] = self._there(lambda: self._inner.breakpoints)
        return found

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
        """Entries of a method, as hits with ``args``; the target goes on. For an ``with`` block.

        ``method`` is ``Class.method``, ``Class.method(int,String)``, or a class for all its methods; it may be loaded
        later. ``when`` is a boolean Java expression in the method's frame; ``stack`` is how many frames to read
        (``hit.stack``, ``hit.caller``); at most ``limit`` hits a second are reported. A thread that hits stands still
        for the trip that reads its arguments. A pattern of classes (``com.acme.*``) is traced by the agent's method
        events, without arguments: these slow the JVM many times over. wire: 1 to 3 trips.
        """
        found: Hits = self._there(
            lambda: self._inner.entries(
                method, when=when, stack=stack, callers=callers, thread=portal.unwrap(thread), limit=limit
            )
        )
        return found

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
        found: Hits = self._there(
            lambda: self._inner.returns(
                method, when=when, stack=stack, callers=callers, thread=portal.unwrap(thread), limit=limit
            )
        )
        return found

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
        found: Hits = self._there(
            lambda: self._inner.changes(
                field, when=when, stack=stack, of=portal.unwrap(of), callers=callers, limit=limit
            )
        )
        return found

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
        found: Hits = self._there(
            lambda: self._inner.reads(field, when=when, stack=stack, of=portal.unwrap(of), callers=callers, limit=limit)
        )
        return found

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
        found: Hits = self._there(
            lambda: self._inner.throws(
                class_name, when=when, stack=stack, caught=caught, uncaught=uncaught, callers=callers, limit=limit
            )
        )
        return found

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
        found: Hits = self._there(
            lambda: self._inner.log(place, text, when=when, callers=callers, thread=portal.unwrap(thread), limit=limit)
        )
        return found

    def wait(self, timeout: float | None = None) -> Stop:
        """Return the next stop of any kind that was not taken yet. Several that wait at the same time all get it.

        Raises TimedOut after ``timeout`` seconds (None: no limit), StateError when the target has ended, Disconnected.
        No trip.
        """
        found: Stop = self._await(lambda: self._inner.wait(timeout))
        return found

    def wait_connected(self, timeout: float | None = None) -> None:
        """Wait until the JVM is there, and all is set in it again, after it went away; for ``reconnect=True``.

        Raises TimedOut after ``timeout`` seconds (None: no limit), Disconnected when it does not come back. No trip.
        """
        self._await(lambda: self._inner.wait_connected(timeout))

    def run(self, timeout: float | None = None) -> Stop:
        """Let everything go on and wait for the next stop. As ``resume`` and ``wait``, and raises what these do."""
        found: Stop = self._await(lambda: self._inner.run(timeout))
        return found

    def resume(self) -> None:
        """Resume everything that stops and ``pause`` suspend, but for stops that were not taken yet.

        A running target is not an error. wire: no wait.
        """
        self._await(lambda: self._inner.resume())

    def pause(self) -> Stop:
        """Suspend all threads, and return a stop that shows one of them. Raises StateError when all are suspended.

        If it is cancelled or interrupted (Ctrl-C), they go on. wire: 3 or 4 trips.
        """
        found: Stop = self._await(lambda: self._inner.pause())
        return found

    def wait_ended(self, timeout: float | None = None) -> int | None:
        """Wait for the end of the target; its exit status if it was launched, else None. Raises TimedOut after
        ``timeout`` seconds (None: no limit), Disconnected. No trip."""
        found: int | None = self._await(lambda: self._inner.wait_ended(timeout))
        return found

    @property
    def is_suspended(self) -> bool:
        """True if the debugger suspends any thread. No trip."""
        found: bool = self._there(lambda: self._inner.is_suspended)
        return found

    @property
    def has_ended(self) -> bool:
        """True when the target has ended, or the connection, and is not attached to again. No trip."""
        found: bool = self._there(lambda: self._inner.has_ended)
        return found

    @property
    def info(self) -> VmInfo:
        """Name, Java version, address and capabilities of the JVM. No trip."""
        found: VmInfo = self._there(lambda: self._inner.info)
        return found

    @property
    def threads(self) -> list[Thread]:
        """Return all live threads, in the agent's order. wire: 3 trips, 2 again."""
        found: list[Thread] = self._ask_made(lambda: self._inner.threads)
        return found

    def find_thread(self, name: str) -> Thread:
        """Return the thread of that name; it may be cut short or have ``*`` in it as long as one thread fits. Raises
        UsageError. wire: 2 trips.
        """
        found: Thread = self._await(lambda: self._inner.find_thread(name))
        return found

    def stacks(self, most: int | None = None) -> list[Stack]:
        """Return the stacks of all suspended threads, ``most`` frames of each. Running ones are left out: ``pause``
        first.

        Raises StateError when the target has ended. wire: 2 or 3 trips, whatever the number of threads.
        """
        found: list[Stack] = self._await(lambda: self._inner.stacks(most))
        return found

    def virtual_stacks(self, most: int | None = None) -> list[Stack]:
        """Return the stacks of all virtual threads, mounted or not, ``most`` frames of each: of Java 21 to 24 while the
        program runs, of later ones while all of it is suspended.

        The JVM writes them to a temporary file, which is removed. With the agent a method is run for that, and these
        threads have the id 0, and ``record.java_id``. Raises StateError where it is not safe, or none can be run.
        wire: some 20 trips, and 2 for every 4 MB; without the agent none.
        """
        found: list[Stack] = self._await(lambda: self._inner.virtual_stacks(most))
        return found

    def decisions(self, number: int | None = None, *, count: int = 20) -> HitLog:
        """Return what was decided about the latest hits, and why: which stopped, which were passed or dropped.

        ``count`` of them, from the last 1,000; only those of the breakpoint with ``number`` if it is given. The
        totals by reason are of all hits. Raises UsageError for a breakpoint that never was. wire: 2 trips or less.
        """
        found: HitLog = self._await(lambda: self._inner.decisions(number, count=count))
        return found

    def deadlocks(self) -> Any:
        """Threads that wait for each other, as ``jdbpy.locks.DeadlockReport``. wire: 4 or 5 trips; the target is
        suspended for them."""
        return self._await(lambda: self._inner.deadlocks())

    def static(self, field: str) -> Value:
        """Return the value of a static field, ``com.acme.Cache.INSTANCE``.

        Raises EvalError when the class is not loaded or has none of that name. wire: 2 trips, 1 for a known class.
        """
        found: Value = self._ask_made(lambda: self._inner.static(field))
        return found

    def eval(self, text: str, /, **names: object) -> Value:
        """Return the value of a Java expression without a frame of its own: static fields and what ``names`` hand in.

        Methods run in the thread that stopped last. Raises and wire: as ``Frame.eval``.
        """
        found: Value = self._ask_made(
            lambda: self._inner.eval(text, **{name: portal.unwrap(each) for name, each in names.items()})
        )
        return found

    def classes(self, pattern: str = "") -> list[str]:
        """Return the names of the loaded classes, or of those that fit the pattern (``com.acme.*``), sorted.

        Raises UsageError for what is not a pattern. wire: 1 trip.
        """
        found: list[str] = self._await(lambda: self._inner.classes(pattern))
        return found

    @property
    def heap(self) -> Heap:
        """Histograms, instances, referrers."""
        found: Heap = self._there(lambda: self._inner.heap)
        return found

    def top(self, seconds: float = 1.0, *, most: int = 10, by_allocation: bool = False) -> TargetLoad:
        """Return what the threads use in the next ``seconds``, the ``most`` busiest first, with their top frames,
        memory and collections, as ``jdbpy.operating.TargetLoad``.

        Where everything is suspended the figures are those since each thread began, at once. Raises StateError where
        no method can be run. wire: 12 trips before, 15 behind.
        """
        found: TargetLoad = self._await(lambda: self._inner.top(seconds, most=most, by_allocation=by_allocation))
        return found

    def loggers(self, pattern: str = "") -> tuple[LogContext, ...]:
        """Return the loggers whose names fit, by framework and class loader; without a pattern those that have a level
        of their own. Raises StateError where no method can be run. wire: some 20 trips for each."""
        found: tuple[LogContext, ...] = self._await(lambda: self._inner.loggers(pattern))
        return found

    def set_level(self, logger: str, level: str, *, context: int = 0) -> LogLevelsSet:
        """Set the level of a logger, in all contexts that have it or in the one of that number; "inherited" takes its
        own away. Raises UsageError for a level that the framework does not know. wire: some 40 trips."""
        found: LogLevelsSet = self._await(lambda: self._inner.set_level(logger, level, context=context))
        return found

    def mbeans(self, pattern: str = "") -> tuple[str, ...]:
        """Return the names of the MBeans that fit. Raises StateError where no method can be run. wire: 9 trips."""
        found: tuple[str, ...] = self._await(lambda: self._inner.mbeans(pattern))
        return found

    def mbean(self, pattern: str, member: str = "") -> tuple[MBeanDetail, ...]:
        """Return the MBeans that fit, with attributes, their values and operations; with ``member`` those alone.

        Raises UsageError where nothing fits. wire: some 20 trips for each.
        """
        found: tuple[MBeanDetail, ...] = self._await(lambda: self._inner.mbean(pattern, member))
        return found

    def set_attribute(self, mbean: str, attribute: str, value: str) -> MBeanDetail:
        """Set an attribute of an MBean to what a text says. Raises UsageError for what it cannot be. wire: 30
        trips."""
        found: MBeanDetail = self._await(lambda: self._inner.set_attribute(mbean, attribute, value))
        return found

    def call_operation(self, mbean: str, operation: str, *args: str) -> Any:
        """Call an operation of an MBean with arguments as texts; return its result as plain Python data. Raises
        UsageError, and Thrown for what it throws. wire: 30 trips."""
        return self._await(lambda: self._inner.call_operation(mbean, operation, *args))

    def dump_classes(self, pattern: str, directory: str | Path) -> ClassesDumped:
        """Write the class files of the loaded classes that fit below a directory: those of their loaders where they are
        what runs, else rebuilt. Raises UsageError where no class fits. wire: some 15 trips for 32 classes."""
        found: ClassesDumped = self._await(lambda: self._inner.dump_classes(pattern, directory))
        return found

    def fetch(self, source: str, path: str | Path, *, remove: bool = False) -> FetchedFile:
        """Copy a file of the target's machine to a new file here, over the debugger's own port; ``remove``: then remove
        it there. Raises UsageError for a file that cannot be read or written. wire: 8 trips, and 2 for every 4 MB."""
        found: FetchedFile = self._await(lambda: self._inner.fetch(source, path, remove=remove))
        return found

    def sample(self, pattern: str = "*", seconds: float | None = None, *, every: float = 0.01) -> Timing:
        """Return where threads spend their time, by method, for an ``with`` block; ``pattern`` is of classes or
        methods.

        Stacks are looked at every so many seconds; ``spent.table()`` waits until ``seconds`` are over. See ``Timing``.
        """
        found: Timing = self._there(lambda: self._inner.sample(pattern, seconds, every=every))
        return found

    def profile(
        self, seconds: float = 10.0, kind: str = "cpu", pattern: str = "", *, sampling: bool = False
    ) -> Profile:
        """Profile the running program for so many seconds: where its time, memory or exceptions come from.

        ``kind`` is "cpu", "wall", "alloc", "lock" or "exceptions"; ``pattern`` keeps stacks with a method that fits.
        The program's flight recorder takes the samples, else it samples all stacks (``sampling``) where there is none:
        ``found.hot``, ``found.tree``, ``found.to_svg()``. Raises StateError when everything is suspended, or the kind
        cannot be had. wire: some 20 trips, and 2 for 256 kB.
        """
        found: Profile = self._await(lambda: self._inner.profile(seconds, kind, pattern, sampling=sampling))
        return found

    def method_timings(
        self, method: str, seconds: float = 10.0, *, most_methods: int = MOST_METHODS, excludes: Sequence[str] = ()
    ) -> MethodTimings:
        """Have the JVM itself count and time the calls of methods for so many seconds: ``found.methods``, each with
        ``count``, ``mean``, ``minimum`` and ``maximum`` in seconds.

        ``method`` is a method, a class, a pattern for loaded classes, or an annotation: ``@jakarta.ws.rs.GET``. Nothing
        is suspended. Raises StateError before Java 25 (``call_stats`` is for every Java), without a flight
        recorder, and when everything is suspended. wire: some 30 trips.
        """
        found: MethodTimings = self._await(
            lambda: self._inner.method_timings(method, seconds, most_methods=most_methods, excludes=excludes)
        )
        return found

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
        """Calls of a method, each reported when it ends, with its time, for an ``with`` block; the target goes
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
        found: Calls = self._there(
            lambda: self._inner.calls(
                method,
                when=when,
                show=show,
                callers=callers,
                depth=depth,
                limit=limit,
                most_methods=most_methods,
                in_target=in_target,
                excludes=excludes,
            )
        )
        return found

    def call_stats(
        self,
        method: str,
        *,
        most_methods: int = MOST_METHODS,
        in_target: bool = False,
        excludes: str | Sequence[str] = (),
    ) -> CallTiming:
        """Counts and times of the calls of methods, for an ``with`` block; no call suspends anything.

        ``method`` and ``excludes`` are as of ``calls``. ``in_target``: the target itself counts as soon as it can,
        whatever the option of that name says. Raises UsageError, StateError where it cannot. wire: 4 trips.
        """
        found: CallTiming = self._there(
            lambda: self._inner.call_stats(method, most_methods=most_methods, in_target=in_target, excludes=excludes)
        )
        return found

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
        found: CallRecording = self._there(
            lambda: self._inner.record(method, when=when, most=most, depth=depth, level=level, until=until, hold=hold)
        )
        return found

    def recorded_calls(self) -> list[RecordedCall]:
        """Return the recorded calls that are kept, of all recordings; in a session on a file of recorded calls or on a
        snapshot those that it has. No trip."""
        found: list[RecordedCall] = self._there(lambda: self._inner.recorded_calls())
        return found

    def call_tree(
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
        found: tuple[CallTree, ...] = self._await(
            lambda: self._inner.call_tree(
                method, count, when=when, depth=depth, timeout=timeout, in_target=in_target, excludes=excludes
            )
        )
        return found

    def moment(self, sections: Sequence[str] = ()) -> Moment:
        """Return the JVM as it is now, to be compared with another one, or with itself later:
        ``jdbpy.moments.compare``.

        ``sections`` are some of ``jdbpy.moments.SECTIONS``, by default all but the last: stacks, for which a running
        target is suspended and resumed, classes with checksums of their code, system properties, flags (by
        methods that are run there), and the histogram of the heap. Raises UsageError for
        another section. wire: some 10 trips, and 2 for each 100 classes.
        """
        found: Moment = self._await(lambda: self._inner.moment(sections))
        return found

    def snapshot(
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
        found: SnapshotTaken = self._await(
            lambda: self._inner.snapshot(path, depth=depth, most=most, masks=masks, all_classes=all_classes)
        )
        return found

    def swap(self, path: str | Path) -> Any:
        """Replace code: of all loaded classes that differ from the class files below a directory or in a jar, of one
        class file, or of a source file, which is compiled. Returns ``jdbpy.hotswap.Redefinition``.

        All classes are replaced in one step, or none. Raises UsageError without class files, JdwpError when the JVM
        refuses. wire: 6 trips, and 3 a breakpoint in the classes.
        """
        return self._await(lambda: self._inner.swap(path))


portal.register(inner.Vm, Vm)
