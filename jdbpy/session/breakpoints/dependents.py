"""Points that wait for another one: they are not in the target, and cost it nothing, until that one has been hit.

Owns the order of things: a point that others wait for suspends its thread, even if it only reports, until the points
that wait for it are set. After its own hit a point stays set, or (``after_each``) waits again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from jdbpy.errors import Disconnected, JdbpyError
from jdbpy.session.breakpoints.breakpoint_base import BreakpointBase
from jdbpy.session.events.target import Target
from jdbpy.session.model.events import Notice


class Dependents:
    """The dependences among ``points``, which are those of ``BreakpointTable`` by number."""

    def __init__(self, target: Target, points: Mapping[int, BreakpointBase]) -> None:
        self._target = target
        self._points = points

    async def wait(self, point: BreakpointBase) -> None:
        """Take a point out of the target until the one that it waits for is hit. wire: 1 trip."""
        point.waiting = True
        point.message = ""  # what it would have waited for otherwise may be there by then
        replies = point.disarm()
        await self._hold(point.options.after)
        await self._target.conn.gather(replies)

    async def was_hit(self, point: BreakpointBase) -> None:
        """Set what waits for a point, before its thread runs on; a point that waits each time begins anew.

        wire: none without dependents, else as setting each of them.
        """
        released = [each for each in self._of(point.number) if each.waiting]
        for each in released:
            each.waiting = False
            if point.options.temporary:
                each.options = each.options.replace(after=None, after_each=False)
            await self._set(each)
        if released:
            await self._hold(point.number)
        if point.options.after_each and point.options.after in self._points:
            await self.wait(point)

    async def were_removed(self, numbers: Iterable[int]) -> None:
        """Make points independent whose condition to be set is gone, and report it. wire: as setting each of them."""
        for number in numbers:
            for each in self._of(number):
                waited = each.waiting
                each.options, each.waiting = each.options.replace(after=None, after_each=False), False
                if waited and self._target.publisher.ending is None:
                    await self._set(each)
                text = f"{each.noun} {each.number} no longer waits: number {number}, which it waited for, was removed"
                data = (("breakpoint", each.number), ("after", number))
                self._target.publish(Notice("breakpoint-free", text, data))

    def _of(self, number: int) -> list[BreakpointBase]:
        return [each for _, each in sorted(self._points.items()) if each.options.after == number]

    async def _hold(self, number: int | None) -> None:
        """Make a point hold its thread as long as others wait for it. wire: as setting it, when that changes it."""
        point = self._points.get(number or 0)
        if point is not None:
            before = point.requested
            point.awaited = any(each.waiting or each.options.after_each for each in self._of(point.number))
            await point.renew(before)

    async def _set(self, point: BreakpointBase) -> None:
        """Set a point that need not wait any more. An error is published, as for a class that is loaded later."""
        try:
            await point.renew()
        except Disconnected:
            raise
        except JdbpyError as error:
            point.message = error.message
            text = f"{point.noun} {point.number} cannot be set: {error.message}"
            self._target.publish(Notice("breakpoint-failed", text, (("breakpoint", point.number),)))
