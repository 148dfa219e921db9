"""The component ``session.tests``: stop where tests fail."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from jdbpy.session.breakpoints.breakpoint_table import BreakpointTable
from jdbpy.session.breakpoints.event_point import set_point
from jdbpy.session.events.target import Target
from jdbpy.session.extension import Extension
from jdbpy.session.model.breakpoints import NO_OPTIONS, BreakpointInfo, PointOptions
from jdbpy.session.model.events import Stopped
from jdbpy.session.model.vm import VmState
from jdbpy.session.testing.failed_tests import FailedTestCatchpoint, LoadedStop as LoadedStop
from jdbpy.session.testing.reading import EvaluateIn, FailureReader


class StopTurn(Extension):
    """The turn of a target to stop at a failure: taken before the stop, given back when the target runs on after it."""

    def __init__(self, target: Target, take: Callable[[], Awaitable[bool]], give_back: Callable[[], None]) -> None:
        self._target = target
        self._take = take
        self._give_back = give_back
        self._is_held = False
        self._before: Stopped | None = None  # the last stop when it was taken

    async def take(self) -> bool:
        """Wait for the turn; False if there is not to be a stop."""
        if not await self._take():
            return False
        self._is_held, self._before = True, self._target.last_stop
        return True

    def drop(self) -> None:
        """There is no stop after all."""
        if self._is_held:
            self._is_held = False
            self._give_back()

    def resumed(self) -> None:
        """Give it back if the target has stopped, and runs on; other events are resumed before that."""
        if self._target.state is not VmState.STOPPED and self._target.last_stop is not self._before:
            self.drop()


class Tests:
    """The ``tests`` of a session."""

    def __init__(self, target: Target, points: BreakpointTable, evaluate: EvaluateIn) -> None:
        self._target = target
        self._points = points
        self._reader = FailureReader(target, evaluate)

    async def stop_at_failures(
        self,
        options: PointOptions = NO_OPTIONS,
        *,
        watches: bool = True,
        turn: Callable[[], Awaitable[bool]] | None = None,
        give_back: Callable[[], None] = lambda: None,
        loaded: Callable[[], Awaitable[LoadedStop]] | None = None,
        limit: str = "",
    ) -> BreakpointInfo:
        """Stop when an exception leaves a test, in the deepest frame of the program's own code.

        A test framework that is loaded later is waited for; ``loaded`` is called then, and says what to stop there.
        Without ``watches`` that is all. ``turn`` is waited for before each stop at a failure, while its thread is
        suspended, and may say no; ``give_back`` is called when the target runs on after it. ``limit``: the time that
        the build tool gives the tests, in words. wire: 1 trip, 2 where a framework is loaded already.
        """
        stop_turn = None
        if turn is not None:
            stop_turn = StopTurn(self._target, turn, give_back)
            self._target.extensions.add(stop_turn)
        self._reader.limit = limit
        return await set_point(
            self._points,
            self._target,
            FailedTestCatchpoint,
            options,
            reader=self._reader,
            watches=watches,
            turn=stop_turn,
            loaded=loaded,
        )

    def stop_again(self) -> None:
        """Stop at a failure once more where its exception has ended the calls that are recorded. No trip."""
        for each in self._points.of_type(FailedTestCatchpoint):
            each.stops_again = True

    def stops_again(self, exception: int) -> bool:
        """True if the exception of a failure stops once more. No trip."""
        return any(exception in each.passing for each in self._points.of_type(FailedTestCatchpoint))

    @property
    def left_out(self) -> tuple[str, ...]:
        """Return the classes whose exceptions are not looked at any more, as they throw too many. No trip."""
        return tuple(name for each in self._points.of_type(FailedTestCatchpoint) for name in each.left_out)
