"""Calls observed while the target runs: each by itself, by statistics, or as a tree of what is called inside.

How calls are seen belongs to a means.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from jdbpy.session.calls.backend import CallsInTarget
from jdbpy.session.calls.call_stats import ObservedTimes
from jdbpy.session.calls.call_trees import ObservedTree
from jdbpy.session.calls.each_call import ObservedCalls
from jdbpy.session.calls.observation import Observation
from jdbpy.session.eval.evaluator import Evaluator
from jdbpy.session.events.target import Target
from jdbpy.session.extension import Extension
from jdbpy.session.model.calls import MOST_METHODS
from jdbpy.session.model.events import Report
from jdbpy.wire.ids import ReferenceTypeID

Start = Callable[[Callable[[], Awaitable[object]]], None]


class CallObserver(Extension):
    """The ``observer`` of a session: observes calls of methods. Nothing stops; leaving takes all of it out."""

    def __init__(
        self,
        target: Target,
        evaluator: Callable[[], Evaluator],
        start: Start,
        in_target: Callable[[bool], CallsInTarget | None] = lambda asked: None,
    ) -> None:
        self._target = target
        self.in_target = in_target
        """Returns what has the target itself observe calls, given that it was asked for; None where that is not
        wanted."""
        self._start = start
        self._evaluator = evaluator
        self._observations: set[Observation] = set()
        target.extensions.add(self)

    def calls(
        self,
        method: str,
        *,
        when: str = "",
        show: Sequence[str] = (),
        callers: int = 0,
        depth: int = 0,
        limit: int | None = None,
        most: int = 0,
        most_methods: int = MOST_METHODS,
        on_call: Callable[[Report], None] | None = None,
        in_target: bool = False,
        excludes: Sequence[str] = (),
    ) -> ObservedCalls:
        """Report each call of a method at its end, for an ``async with`` block.

        ``method`` is ``Class.method``, ``Class.method(int)``, ``Class.<init>``, a class for all its methods, or a
        pattern (``com.acme.*Service.find*``) for loaded classes, which may fit ``most_methods``, without those that
        ``excludes`` fit: patterns of methods or classes. ``when`` is a boolean Java expression in the frame of the
        method, with ``$cost`` (milliseconds; ``100ms`` is a time), ``$ret``, ``$exc`` and ``$args[0]``; ``show`` are
        expressions to be shown in place of the arguments. ``callers`` frames and at most ``limit`` calls a second are
        reported, with ``depth`` levels of what their values hold; after ``most`` it is over. Reports go to ``on_call``,
        else they are published. ``in_target`` is as of ``statistics``. Raises UsageError, EvalError. wire: 4 trips to
        begin, 1 to end; 4 or 5 for each report, while its thread is suspended.
        """
        return ObservedCalls(
            self,
            self._evaluator,
            method,
            when,
            show,
            callers,
            limit,
            most,
            most_methods,
            on_call,
            in_target,
            depth,
            excludes,
        )

    def statistics(
        self, method: str, *, most_methods: int = MOST_METHODS, in_target: bool = False, excludes: Sequence[str] = ()
    ) -> ObservedTimes:
        """Count the calls of methods and their times, for an ``async with`` block; no call suspends anything.

        ``method`` and ``excludes`` are as of ``calls``. ``in_target``: the target counts itself also where the setting
        ``in-target`` is not ``auto``. Raises UsageError, StateError where it cannot. wire: 4 trips to begin, 1 to end;
        some 30 for a class that counts itself.
        """
        return ObservedTimes(self, method, most_methods, in_target, excludes)

    def tree(
        self,
        method: str,
        *,
        when: str = "",
        depth: int = 1,
        most: int = 0,
        most_methods: int = MOST_METHODS,
        in_target: bool = False,
        excludes: Sequence[str] = (),
    ) -> ObservedTree:
        """Fold what is called inside of a method, for an ``async with`` block; no call suspends anything.

        ``method`` and ``excludes`` are as of ``calls``; ``when`` may be about ``$cost`` alone. With a ``depth`` of 2
        the calls that those make are reported too, as far as they are of classes of the program. After ``most`` calls
        it is over. ``in_target`` is as of ``statistics``. Raises UsageError, StateError where the target cannot. wire:
        5 trips to begin and 3 for each level more, 1 to end.
        """
        return ObservedTree(self, method, when, depth, most, most_methods, in_target, excludes)

    def code_cleared(self, type_ids: Sequence[ReferenceTypeID]) -> None:
        """Take breakpoints out of classes whose code is new, where the agent has none any more. wire: no wait."""
        for each in self._observations:
            each.means.clear(type_ids)

    async def redefined(self, type_ids: Sequence[ReferenceTypeID]) -> None:
        """Go on in classes whose code is new. wire: 2 trips for each observation of them."""
        for each in list(self._observations):
            await each.means.redefined(type_ids)

    def start(self, task: Callable[[], Awaitable[object]]) -> None:
        """Run a task beside the session. Raises StateError when that has ended."""
        self._start(task)

    def begun(self, observation: Observation) -> None:
        """Enter an observation that is in the target now."""
        self._observations.add(observation)

    def ended(self, observation: Observation) -> None:
        """Forget an observation."""
        self._observations.discard(observation)

    @property
    def target(self) -> Target:
        """Return the target."""
        return self._target
