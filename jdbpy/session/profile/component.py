"""The component ``session.profiler``: profiles of the running target.

Owns the choice of the method, and makes sure that nothing stays in the target however a profile ends.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress

import trio

from jdbpy.errors import Disconnected, JdbpyError, StateError, UsageError
from jdbpy.jfr.recording import FlightRecording
from jdbpy.profiles.kinds import CPU, KINDS, WALL, settings_of
from jdbpy.profiles.profile import Profile, ProfileData
from jdbpy.profiles.recorded import read_profile
from jdbpy.session.eval.utility_calls import CallRunner
from jdbpy.session.events.target import Target, needs_jvm
from jdbpy.session.inspect.sampling import Sampler
from jdbpy.session.model.calls import MOST_METHODS, MethodTimings
from jdbpy.session.profile.left_behind import Command
from jdbpy.session.profile.method_timing import INSTEAD, RunningTiming, TimedMethods, choose_timed, require_release
from jdbpy.session.profile.recorder import NoRecorder, TargetRecorder
from jdbpy.session.profile.stack_samples import profile_of
from jdbpy.task_groups import open_nursery
from jdbpy.wire.ids import ReferenceTypeID

_PATIENCE = 60.0
"""Seconds allowed for starting a recording, and for removing one that is not wanted any more."""


_NO_WAY = ("NOT_AT_EVENT", "READ_ONLY", "NOT_AVAILABLE")
"""Error codes that mean that the target cannot run diagnostic commands: sampling takes over. Other errors are
raised."""


class Running:
    """A profile in progress. ``why_sampled`` is the reason for sampling, "" if the flight recorder is used."""

    def __init__(self, kind: str, why_sampled: str = "") -> None:
        self.kind = kind
        self.why_sampled = why_sampled
        self.begun = trio.current_time()
        self.recording = b""
        """The recording, once the profile has finished."""
        self.profile: Profile | None = None

    @property
    def seconds(self) -> float:
        """How long it has been running."""
        return trio.current_time() - self.begun


class Profiler:
    """Profiles one target."""

    def __init__(
        self,
        target: Target,
        runner: CallRunner,
        command: Command,
        sampler: Callable[[], Sampler],
        set_again: Callable[[Sequence[ReferenceTypeID]], Awaitable[None]],
    ) -> None:
        self._target = target
        self._sampler = sampler
        self._set_again = set_again
        """Sets breakpoints again in classes that the JVM has put clocks into, or taken them out of."""
        self._recorder = TargetRecorder(target, runner, command)
        self._sampling: Sampler | None = None
        self._running: Running | None = None
        self._busy = ""
        """What is being made, "" for nothing: there is one recording at a time."""

    @asynccontextmanager
    async def running(self, kind: str = CPU, *, sampling: bool = False) -> AsyncIterator[Running]:
        """Profile while the block runs; ``finish`` in it returns the result so far. ``sampling``: do not use the flight
        recorder.

        Raises StateError if everything is suspended, or if this kind of profile is not available.
        """
        if kind not in KINDS:
            raise UsageError(f"no such kind of profile: '{kind}'", hint=f"there are {', '.join(KINDS)}")
        with self._alone("a profile", "a profile is being made already"):
            why = "as asked for" if sampling else await self._why_sampled(kind)
            if why:
                self._target.require_jvm("a profile by sampling")
            if why and kind not in (CPU, WALL):
                raise StateError(f"{why}; only {CPU} and {WALL} can be had without it", code="NO_FLIGHT_RECORDER")
            self._running = running = Running(kind, why)
            try:
                if why:
                    async with self._looking():
                        yield running
                else:
                    yield running
            finally:
                self._running = None
                await self._drop()

    async def _why_sampled(self, kind: str) -> str:
        """Start a recording; return why there is none, and the stacks have to be sampled, or ""."""
        try:
            await self._start(settings_of(kind, self._target.release))
        except StateError as error:
            if not isinstance(error, NoRecorder) and error.code not in _NO_WAY:
                raise
            return error.message
        return ""

    @asynccontextmanager
    async def timing(
        self, method: str, *, most_methods: int = MOST_METHODS, excludes: Sequence[str] = ()
    ) -> AsyncIterator[RunningTiming]:
        """Have the JVM count and time the calls of methods while the block runs; ``finish`` of what this gives returns
        the result so far.

        ``method`` is a method, a class, a pattern for loaded classes, or an annotation with its full name:
        ``@jakarta.ws.rs.GET``. Raises StateError before Java 25, without a flight recorder, and if everything is
        suspended. wire: some 10 trips.
        """
        with self._alone("timing", "methods are being timed already"):
            require_release(self._target.release)
            methods = await choose_timed(self._target, method, most_methods, excludes)
            self._require_running("timing")
            changed = self._target.changed_code
            changed.timed.update(methods.type_ids or ())
            try:
                try:
                    await self._start(methods.settings)
                except NoRecorder as error:
                    raise StateError(error.message, hint=INSTEAD, code=error.code) from error
                await self._set_in(methods)
                yield RunningTiming(methods, self._recorder.take)
            finally:
                await self._drop()
                changed.timed.clear()
                await self._set_in(methods)

    async def _set_in(self, methods: TimedMethods) -> None:
        """Set breakpoints again in the classes of these methods: their code is another one. wire: 3 trips for each."""
        if self._target.agent_line:
            return
        type_ids = methods.type_ids
        if type_ids is None:
            type_ids = frozenset(each.id for each in self._target.types.all_known())
        with trio.CancelScope(shield=True), trio.move_on_after(_PATIENCE), suppress(Disconnected):
            await self._set_again(sorted(type_ids))

    async def timings(
        self, method: str, seconds: float = 10.0, most_methods: int = MOST_METHODS, excludes: Sequence[str] = ()
    ) -> MethodTimings:
        """Have the JVM time methods for a number of seconds while the program runs on; see ``timing``."""
        async with self.timing(method, most_methods=most_methods, excludes=excludes) as running:
            await trio.sleep(seconds)
            return await running.finish()

    def _require_running(self, what: str) -> None:
        """Raise StateError if the target cannot be profiled now."""
        target = self._target
        target.require_alive()
        if target.snapshot is not None:
            raise needs_jvm(what)
        if target.suspension.everything_held:
            raise StateError(
                "all threads are suspended: there is nothing to profile",
                hint="'resume' lets them run",
                code="SUSPENDED",
            )

    @contextmanager
    def _alone(self, what: str, busy: str) -> Iterator[None]:
        """Keep others out while the block runs. Raises StateError if the target cannot be profiled now."""
        self._require_running(what)
        if self._busy:
            raise StateError(self._busy, hint="wait until it ends, or end it with Ctrl-C", code="PROFILING")
        self._busy = busy
        try:
            yield
        finally:
            self._busy = ""

    async def _start(self, settings: Mapping[str, str]) -> None:
        """Start a recording. Raises NoRecorder where there is no flight recorder, else StateError."""
        try:
            with trio.CancelScope(shield=True), trio.fail_after(_PATIENCE):  # else it may run unnoticed
                await self._recorder.start(settings, self._target.release)
        except trio.TooSlowError:
            await self._drop()
            raise StateError(f"the target has not begun to record within {_PATIENCE:g} s", code="TIMED_OUT") from None
        except NoRecorder:
            raise
        except StateError as error:
            if error.code not in _NO_WAY:
                await self._drop()
            raise

    async def _drop(self) -> None:
        """Discard the recording, if one is running."""
        with trio.CancelScope(shield=True), trio.move_on_after(_PATIENCE), suppress(JdbpyError):
            await self._recorder.discard()

    async def finish(self) -> Profile:
        """Finish the profile in progress and return it."""
        running = self._running
        if running is None:
            raise StateError("no profile is being made", code="NOT_PROFILING")
        if self._sampling is not None:
            profile = await profile_of(self._sampling, running.kind)
            profile.notes = (f"by sampling: {running.why_sampled}", *profile.notes)
        else:
            seconds = running.seconds
            running.recording = await self._recorder.take()
            given = settings_of(running.kind, self._target.release)
            profile = await trio.to_thread.run_sync(
                read_profile, FlightRecording(running.recording), running.kind, given, abandon_on_cancel=True
            )
            profile.recorded = len(running.recording)
            profile.seconds = seconds
        running.profile = profile
        return profile

    async def profile(self, seconds: float, kind: str = CPU, *, sampling: bool = False) -> Profile:
        """Profile for a number of seconds while the program runs on; see ``running``."""
        async with self.running(kind, sampling=sampling):
            await trio.sleep(seconds)
            return await self.finish()

    async def data(self, seconds: float, kind: str = CPU, sampling: bool = False) -> ProfileData:
        """As ``profile``, but return plain data for a script in another process."""
        return (await self.profile(seconds, kind, sampling=sampling)).data

    @asynccontextmanager
    async def _looking(self) -> AsyncIterator[None]:
        sampler = self._sampler()
        sampler.keep_stacks = True
        self._sampling = sampler
        try:
            async with open_nursery() as nursery:
                nursery.start_soon(sampler.run)
                yield
                nursery.cancel_scope.cancel()
        finally:
            self._sampling = None
