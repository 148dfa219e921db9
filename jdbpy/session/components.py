"""The components of a session: what can be done to its target, by subject.

Owns which components each of them is given. Each is loaded when it is first asked for, or needed at a stop: attaching
is to be quick.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING

import trio

from jdbpy.errors import JdbpyError, StateError
from jdbpy.session.events.target import Target
from jdbpy.session.model.events import Stopped
from jdbpy.session.model.options import Options
from jdbpy.session.model.values import Limits
from jdbpy.session.watchdog import Watchdog

if TYPE_CHECKING:
    from jdbpy.session.breakpoints.breakpoint_table import BreakpointTable
    from jdbpy.session.breakpoints.catchpoints import Catchpoints
    from jdbpy.session.breakpoints.hit_log import HitLogReader
    from jdbpy.session.breakpoints.line_breakpoints import LineBreakpoints
    from jdbpy.session.breakpoints.traces import Traces
    from jdbpy.session.breakpoints.watchpoints import Watchpoints
    from jdbpy.session.calls.backend import CallsInTarget
    from jdbpy.session.calls.observer import CallObserver
    from jdbpy.session.class_dump import ClassDump
    from jdbpy.session.eval.api.component import Values
    from jdbpy.session.eval.utility_calls import CallRunner
    from jdbpy.session.execution.execution import Execution
    from jdbpy.session.execution.stops import StopShower
    from jdbpy.session.hotswap.hotswap import HotSwap
    from jdbpy.session.in_target.component import Instrumentation
    from jdbpy.session.in_target.recorder import CallRecorder
    from jdbpy.session.inspect.bytecode import Code
    from jdbpy.session.inspect.classes import ClassDirectory
    from jdbpy.session.inspect.heap import HeapReader
    from jdbpy.session.inspect.locks import Locks
    from jdbpy.session.inspect.loggers import LoggerReader
    from jdbpy.session.inspect.mbeans import MBeanReader
    from jdbpy.session.inspect.modules import ModuleDirectory
    from jdbpy.session.inspect.source_maps import Strata
    from jdbpy.session.inspect.state_capture import Moments
    from jdbpy.session.inspect.target_files import TargetFiles
    from jdbpy.session.inspect.threads import ThreadDirectory
    from jdbpy.session.inspect.top import TopReader
    from jdbpy.session.inspect.vm import VmReader
    from jdbpy.session.profile.component import Profiler
    from jdbpy.session.snapshots.taking import Snapshots
    from jdbpy.session.sources.sources import Sources
    from jdbpy.session.testing.component import Tests
    from jdbpy.session.values.queries import ObjectQueries
    from jdbpy.session.values.stack import StackReader


class Components:
    """What can be done to one target. ``Session`` adds its life."""

    _target: Target
    _options: Options
    _watchdog: Watchdog
    _chores: trio.Nursery | None
    """Where components run their tasks; None before the session runs, and after its end."""

    @cached_property
    def sources(self) -> Sources:
        """Source text of what is debugged."""
        from jdbpy.session.sources.local_classes import sources_of_libraries
        from jdbpy.session.sources.sources import Sources

        if self._target.snapshot is not None or self._target.played:
            return Sources(self._target, self._options.source_path)
        return Sources(
            self._target,
            self._options.source_path,
            beside=partial(sources_of_libraries, self._target),
            beside_class=self._sources_of_class,
            class_file=self._class_file,
        )

    async def _sources_of_class(self, class_name: str) -> tuple[str, ...]:
        from jdbpy.session.inspect.class_origin import paths_of
        from jdbpy.session.sources.local_classes import allowed_sources_beside

        try:
            return await allowed_sources_beside(self._target, await paths_of(self._target, class_name), inside=True)
        except JdbpyError:  # not asked for by the user: then there are none
            return ()

    async def _class_file(self, class_name: str) -> bytes:
        from jdbpy.session.in_target.class_files import running_class_file

        try:
            return await running_class_file(self._target, class_name)
        except StateError:
            if found := await self.class_dump.of_loader(class_name):  # it lies where only the target can open it
                return found
            raise

    @cached_property
    def snapshots(self) -> Snapshots:
        """Snapshots of the target in files."""
        from jdbpy.session.snapshots.taking import Snapshots

        async def recorded() -> tuple[int, str]:
            if not self.is_used("recorder"):
                return 0, ""
            await self.recorder.refresh()
            calls = self.recorder.calls
            return len(calls), await self.recorder.file_text(calls) if calls else ""

        return Snapshots(self._target, self.stack, self.sources, recorded)

    @cached_property
    def moments(self) -> Moments:
        """Return the target at a moment, to be compared with another."""
        from jdbpy.session.inspect.state_capture import Moments

        return Moments(self._target, self.stack, self.classes, self.heap, self.vm)

    @cached_property
    def stack(self) -> StackReader:
        """Stacks, frames and the variables in them."""
        from jdbpy.session.values.stack import StackReader

        return StackReader(self._target)

    @cached_property
    def values(self) -> Values:
        """Expressions and values."""
        from jdbpy.session.eval.api.component import Values

        return Values(self._target, self.stack, self.sources, lambda: self._target.last_stop)

    @cached_property
    def objects(self) -> ObjectQueries:
        """Fields, texts, elements and chains of objects, of many at once."""
        from jdbpy.session.values.queries import ObjectQueries

        return ObjectQueries(self._target)

    @cached_property
    def execution(self) -> Execution:
        """Letting threads run, and holding them."""
        from jdbpy.session.execution.execution import Execution

        execution = Execution(self._target, self._stops, self.stack.frames, lambda *given: self.values.convert(*given))
        if self._options.excludes is not None:
            execution.set_excludes(self._options.excludes)
        return execution

    @cached_property
    def _stops(self) -> StopShower:
        from jdbpy.session.execution.stops import StopShower

        stops = StopShower(self._target, self.sources)
        stops.hooks.append(self._remember)
        stops.hooks.append(lambda stop: self._watchdog.note())
        if self._chores is not None:
            self._chores.start_soon(stops.waiting.run)
            if self._target.high_latency:
                self._chores.start_soon(stops.looks.run)
        return stops

    def _remember(self, stop: Stopped) -> None:
        """A stop brings its frame: what is asked about it next costs no trip."""
        if stop.frame is not None:
            self.stack.remember(stop.frame)

    @cached_property
    def classes(self) -> ClassDirectory:
        """Loaded classes, their members and lines."""
        from jdbpy.session.inspect.classes import ClassDirectory

        return ClassDirectory(self._target, lambda: self._calls)

    @cached_property
    def threads(self) -> ThreadDirectory:
        """Threads and their groups."""
        from jdbpy.session.inspect.threads import ThreadDirectory

        return ThreadDirectory(self._target, self._calls, lambda *given: self.values.convert(*given))

    @cached_property
    def points(self) -> BreakpointTable:
        """Return all that stops or reports, by number."""
        from jdbpy.session.breakpoints.breakpoint_table import BreakpointTable

        def load(asked: bool) -> None:
            if asked or self._options.in_target in ("ask", "eager"):
                self._load_instrumentation()

        points = BreakpointTable(self._target, self.values.compile_condition, self.values.compile_template, load)
        self._target.publisher.before_ending.append(points.reporter.settle)
        if self._chores is not None:
            self._chores.start_soon(points.reporter.run)
            self._chores.start_soon(points.hot_places.measuring.run)
        return points

    def _load_instrumentation(self) -> None:
        """Load what computes conditions in the target; it takes part from then on."""
        self.instrumentation  # noqa: B018

    @cached_property
    def decisions(self) -> HitLogReader:
        """Return what was decided about hits, and why."""
        from jdbpy.session.breakpoints.hit_log import HitLogReader

        return HitLogReader(self._target, lambda: self.points)

    @cached_property
    def breakpoints(self) -> LineBreakpoints:
        """Breakpoints at lines and methods."""
        from jdbpy.session.breakpoints.line_breakpoints import LineBreakpoints

        breakpoints = LineBreakpoints(self._target, self.points, self.stack.selected)
        if self._options.in_target == "auto" and "instrumentation" not in self.__dict__:
            from jdbpy.session.breakpoints.until_hot import UntilHot

            self._target.extensions.add(UntilHot(self._target, self._load_instrumentation))
        return breakpoints

    @cached_property
    def instrumentation(self) -> Instrumentation:
        """Conditions of breakpoints that the target itself computes, at the speed of its code."""
        from jdbpy.session.in_target.component import Instrumentation

        made = Instrumentation(self._target, self.points, self.breakpoints, lambda: self.values.evaluator, self.stack)
        made.mode = self._options.in_target
        if self._chores is not None:
            self._chores.start_soon(made.run)
            self._chores.start_soon(made.rings.run)
            self._chores.start_soon(made.calls.run)
        return made

    @cached_property
    def catchpoints(self) -> Catchpoints:
        """Stop at exceptions, and at classes and threads that come and go."""
        from jdbpy.session.breakpoints.catchpoints import Catchpoints

        return Catchpoints(self._target, self.points)

    @cached_property
    def tests(self) -> Tests:
        """Stop where tests fail."""
        from jdbpy.session.testing.component import Tests

        return Tests(self._target, self.points, partial(self.values.evaluate, limits=Limits(depth=0), remember=False))

    @cached_property
    def watchpoints(self) -> Watchpoints:
        """Stops where fields are read and written."""
        from jdbpy.session.breakpoints.watchpoints import Watchpoints

        evaluate = partial(self.values.evaluate, limits=Limits(depth=0), remember=False)
        return Watchpoints(self._target, self.points, evaluate, self.stack.selected)

    @cached_property
    def traces(self) -> Traces:
        """Methods that are entered and left, monitors that threads contend for."""
        from jdbpy.session.breakpoints.traces import Traces

        return Traces(self._target, self.points)

    @cached_property
    def observer(self) -> CallObserver:
        """Calls of methods, observed while the target runs: values, times, trees."""
        from jdbpy.session.calls.observer import CallObserver

        def in_target(asked: bool) -> CallsInTarget | None:
            if not asked and self._options.in_target != "eager" and "instrumentation" not in self.__dict__:
                return None
            return self.instrumentation.observed(asked)

        return CallObserver(self._target, lambda: self.values.evaluator, self.run_beside, in_target)

    @cached_property
    def recorder(self) -> CallRecorder:
        """Calls that the target records, line by line, to be looked at afterwards."""
        from jdbpy.session.in_target.recorder import CallRecorder

        def in_target() -> CallsInTarget:
            found = self.instrumentation.observed(asked=True)
            assert found is not None
            return found

        return CallRecorder(
            self._target,
            lambda: self.values.evaluator,
            self.run_beside,
            in_target,
            lambda class_name, source: self.sources.text(class_name, source),
            lambda: self._calls,
        )

    @cached_property
    def heap(self) -> HeapReader:
        """Instances, referrers, histograms, dumps."""
        from jdbpy.session.inspect.heap import HeapReader

        return HeapReader(self._target, self.classes, self.stack, self._calls)

    @cached_property
    def _calls(self) -> CallRunner:
        from jdbpy.session.eval.utility_calls import CallRunner

        return CallRunner(self._target, self.stack, lambda: self.values.evaluator)

    @cached_property
    def top(self) -> TopReader:
        """What threads use of processors and memory, between two moments."""
        from jdbpy.session.inspect.top import TopReader

        return TopReader(self._target, self._calls)

    @cached_property
    def loggers(self) -> LoggerReader:
        """Return the loggers of the target and their levels."""
        from jdbpy.session.inspect.loggers import LoggerReader

        return LoggerReader(self._target, self._calls)

    @cached_property
    def mbeans(self) -> MBeanReader:
        """Return the MBeans of the target's platform server."""
        from jdbpy.session.inspect.mbeans import MBeanReader

        return MBeanReader(self._calls)

    @cached_property
    def class_dump(self) -> ClassDump:
        """Class files of what runs, written to a directory."""
        from jdbpy.session.class_dump import ClassDump

        return ClassDump(self._target, self._calls)

    @cached_property
    def files(self) -> TargetFiles:
        """Files of the target's machine, brought here over the debugger's own port."""
        from jdbpy.session.inspect.target_files import TargetFiles

        return TargetFiles(self._calls)

    @cached_property
    def locks(self) -> Locks:
        """Monitors and locks: who holds them, who waits, deadlocks."""
        from jdbpy.session.inspect.locks import Locks

        return Locks(self._target)

    @cached_property
    def code(self) -> Code:
        """Constant pools and bytecode."""
        from jdbpy.session.inspect.bytecode import Code

        return Code(self._target, self.classes, self.stack.selected)

    @cached_property
    def strata(self) -> Strata:
        """Source maps of classes that were compiled from something else than Java."""
        from jdbpy.session.inspect.source_maps import Strata

        return Strata(self._target, self.classes, self.stack)

    @cached_property
    def hotswap(self) -> HotSwap:
        """Classes of the running target replaced by newer ones."""
        from jdbpy.session.hotswap.hotswap import HotSwap

        return HotSwap(self._target, self.classes, self.breakpoints, self.stack)

    @cached_property
    def vm(self) -> VmReader:
        """Return the VM as a whole: properties, paths, capabilities, clocks, flags."""
        from jdbpy.session.inspect.vm import VmReader

        return VmReader(self._target, self._calls)

    @cached_property
    def profiler(self) -> Profiler:
        """Profiles of the running target: by its flight recorder, else by sampling."""
        from jdbpy.session.profile.component import Profiler

        return Profiler(
            self._target,
            self._calls,
            self.vm.diagnostic_command,
            self.threads.sampler,
            lambda type_ids: self.hotswap.set_again(type_ids),
        )

    @cached_property
    def modules(self) -> ModuleDirectory:
        """Return the modules of Java 9 and later."""
        from jdbpy.session.inspect.modules import ModuleDirectory

        return ModuleDirectory(self._target, self.classes, self._calls)

    def is_used(self, component: str) -> bool:
        """True if a component of that name was ever asked for in this session. To ask for one loads its code."""
        return component in vars(self)

    def run_beside(self, function: Callable[..., Awaitable[object]], *args: object) -> None:
        """Run a task beside the session, which is cancelled when that ends. Raises StateError when it has ended."""
        if self._chores is None:
            raise StateError("the session has ended", code="ENDED")
        self._chores.start_soon(function, *args)
