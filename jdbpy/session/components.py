"""The components of a session, each loaded when it is first asked for, or needed at a stop: attaching is to be quick.

Owns who is given what of the others; what a breakpoint or a stack is stands in the component's own module.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING

import trio

from jdbpy.session.events import Stop
from jdbpy.session.options import Options
from jdbpy.session.target import Target

if TYPE_CHECKING:
    from jdbpy.session.breakpoints.component import Breakpoints
    from jdbpy.session.classes.component import Classes
    from jdbpy.session.code.component import Code
    from jdbpy.session.eval.own_calls import CallRunner
    from jdbpy.session.execution.component import Execution
    from jdbpy.session.heap.component import Heap
    from jdbpy.session.hotswap.component import HotSwap
    from jdbpy.session.locks.component import Locks
    from jdbpy.session.modules.component import Modules
    from jdbpy.session.points.catchpoints import Catchpoints
    from jdbpy.session.points.component import Points
    from jdbpy.session.points.traces import Traces
    from jdbpy.session.points.watchpoints import Watchpoints
    from jdbpy.session.sources.component import Sources
    from jdbpy.session.stack.component import Stack
    from jdbpy.session.stops.shower import StopShower
    from jdbpy.session.strata.component import Strata
    from jdbpy.session.threads.component import Threads
    from jdbpy.session.values.component import Values
    from jdbpy.session.vm.component import Vm


class Components:
    """What can be done to one target, by subject."""

    def __init__(self, target: Target, options: Options) -> None:
        self._target = target
        self._options = options
        self._chores: trio.Nursery | None = None

    @cached_property
    def sources(self) -> Sources:
        """Source text of what is debugged."""
        from jdbpy.session.sources.component import Sources

        return Sources(self._target, self._options.source_path)

    @cached_property
    def stack(self) -> Stack:
        """Stacks, frames and the variables in them."""
        from jdbpy.session.stack.component import Stack

        return Stack(self._target)

    @cached_property
    def values(self) -> Values:
        """Expressions and values."""
        from jdbpy.session.values.component import Values

        return Values(self._target, self.stack, self.sources, lambda: self._target.last_stop)

    @cached_property
    def execution(self) -> Execution:
        """Letting threads run, and holding them."""
        from jdbpy.session.execution.component import Execution

        execution = Execution(self._target, self._stops, self.stack.frames, lambda *given: self.values.convert(*given))
        if self._options.excludes is not None:
            execution.set_excludes(self._options.excludes)
        return execution

    @cached_property
    def _stops(self) -> StopShower:
        from jdbpy.session.stops.shower import StopShower

        stops = StopShower(self._target, self.sources)
        stops.hooks.append(self._remember)
        return stops

    def _remember(self, stop: Stop) -> None:
        """A stop brings its frame: what is asked about it next costs no trip."""
        if stop.frame is not None:
            self.stack.remember(stop.frame)

    @cached_property
    def classes(self) -> Classes:
        """Loaded classes, their members and lines."""
        from jdbpy.session.classes.component import Classes

        return Classes(self._target, lambda: self._calls)

    @cached_property
    def threads(self) -> Threads:
        """Threads and their groups."""
        from jdbpy.session.threads.component import Threads

        return Threads(self._target, self._calls, self.values.convert)

    @cached_property
    def points(self) -> Points:
        """All that stops or reports, by number."""
        from jdbpy.session.points.component import Points

        points = Points(self._target, self.values.compile_condition, self.values.compile_template)
        self._target.publisher.before_ending.append(points.reporter.settle)
        if self._chores is not None:
            self._chores.start_soon(points.reporter.run)
        return points

    @cached_property
    def breakpoints(self) -> Breakpoints:
        """Breakpoints at lines and methods."""
        from jdbpy.session.breakpoints.component import Breakpoints

        return Breakpoints(self._target, self.points, self.stack.selected)

    @cached_property
    def catchpoints(self) -> Catchpoints:
        """Stops at exceptions, and at classes and threads that come and go."""
        from jdbpy.session.points.catchpoints import Catchpoints

        return Catchpoints(self._target, self.points)

    @cached_property
    def watchpoints(self) -> Watchpoints:
        """Stops where fields are read and written."""
        from jdbpy.session.model import Limits
        from jdbpy.session.points.watchpoints import Watchpoints

        evaluate = partial(self.values.evaluate, limits=Limits(depth=0), remember=False)
        return Watchpoints(self._target, self.points, evaluate, self.stack.selected)

    @cached_property
    def traces(self) -> Traces:
        """Methods that are entered and left, monitors that threads contend for."""
        from jdbpy.session.points.traces import Traces

        return Traces(self._target, self.points)

    @cached_property
    def heap(self) -> Heap:
        """Instances, referrers, histograms, dumps."""
        from jdbpy.session.heap.component import Heap

        return Heap(self._target, self.classes, self.stack, self._calls)

    @cached_property
    def _calls(self) -> CallRunner:
        from jdbpy.session.eval.own_calls import CallRunner

        return CallRunner(self._target, self.stack, lambda: self.values.evaluator)

    @cached_property
    def locks(self) -> Locks:
        """Monitors and locks: who holds them, who waits, deadlocks."""
        from jdbpy.session.locks.component import Locks

        return Locks(self._target)

    @cached_property
    def code(self) -> Code:
        """Constant pools and bytecode."""
        from jdbpy.session.code.component import Code

        return Code(self._target, self.classes, self.stack.selected)

    @cached_property
    def strata(self) -> Strata:
        """Source maps of classes that were compiled from something else than Java."""
        from jdbpy.session.strata.component import Strata

        return Strata(self._target, self.classes, self.stack)

    @cached_property
    def hotswap(self) -> HotSwap:
        """Classes of the running target replaced by newer ones."""
        from jdbpy.session.hotswap.component import HotSwap

        return HotSwap(self._target, self.classes, self.breakpoints, self.stack)

    @cached_property
    def vm(self) -> Vm:
        """The VM as a whole: properties, paths, capabilities, clocks, flags."""
        from jdbpy.session.vm.component import Vm

        return Vm(self._target, self._calls)

    @cached_property
    def modules(self) -> Modules:
        """The modules of Java 9 and later."""
        from jdbpy.session.modules.component import Modules

        return Modules(self._target, self.classes, self._calls)
