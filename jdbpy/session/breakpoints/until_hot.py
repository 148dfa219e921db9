"""Breakpoints with conditions, until one of them is hot: only then what can put it into the target is loaded.

Owns which breakpoints go into the target by themselves, and after how many hits; ``instrumentation`` does the rest.
"""

from __future__ import annotations

from collections.abc import Callable

from jdbpy.session.breakpoints.breakpoint_base import BreakpointBase
from jdbpy.session.breakpoints.line_breakpoint import LineBreakpoint
from jdbpy.session.events.requests import RequestHit
from jdbpy.session.events.target import Target
from jdbpy.session.extension import Extension

PROMOTED_AFTER = 300
"""Hits with a false condition after which a way without stops is looked for."""


def goes_by_itself(target: Target, point: LineBreakpoint) -> bool:
    """True if a breakpoint goes into the target when it is hot, unless somebody says otherwise.

    On a JVM of another machine, which others may use, and in a session that clients share it stays ordinary, as
    changing a class concerns all of them. So does one that reports: what it says of a hit is read at the hit. No
    trip.
    """
    if point.condition is None or point.reports:
        return False
    return not target.remote and target.clients is None and not target.why_code_stays()


class UntilHot(Extension):
    """Stands in for ``instrumentation`` where that is not loaded; ``load`` loads it, and it takes this one's place."""

    def __init__(self, target: Target, load: Callable[[], None]) -> None:
        self._target = target
        self._load = load

    def breakpoint_installed(self, point: BreakpointBase) -> None:
        if not isinstance(point, LineBreakpoint):
            return
        if not goes_by_itself(self._target, point):
            point.look_after = 0
        elif not point.look_after:
            point.look_after = point.passes + PROMOTED_AFTER

    async def hit_threshold(self, point: BreakpointBase, hit: RequestHit) -> None:
        """Load ``instrumentation``, and hand over to it the hit of a breakpoint that is hot. wire: as it does."""
        assert isinstance(point, LineBreakpoint)
        if not goes_by_itself(self._target, point):
            point.look_after = 0
            return
        self._load()
        if point.look_after:
            for extension in self._target.extensions.of(Extension.hit_threshold):
                await extension.hit_threshold(point, hit)
