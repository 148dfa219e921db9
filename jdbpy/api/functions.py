"""The functions that a script gives as ``do``: called with each stop, one after the other."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import trio

from jdbpy.api.breakpoints import Breakpoint, BreakpointObjects, Stop
from jdbpy.api.feeds import Feed
from jdbpy.errors import Disconnected, JdbpyError
from jdbpy.session.model import events

FUNCTION_LIMIT = 30.0
"""Seconds that a function given as ``do`` may still take when its session is left."""

Do = Callable[[Stop], Any]
"""Called with each stop; a coroutine that it returns is awaited. The thread is resumed afterwards."""


class Functions:
    """The functions that a script gives as ``do``: called with each stop, which is resumed when they return."""

    def __init__(self, objects: BreakpointObjects) -> None:
        self._objects = objects
        self._core = objects.core
        self._errors: list[Exception] = []
        self._running = 0
        self._ended = trio.lowlevel.ParkingLot()

    async def call(self, breakpoint: Breakpoint, feed: Feed, do: Do) -> None:
        """Call the function with each stop of the breakpoint, until the session ends."""
        core = self._core
        while not (core.has_ended or core.is_leaving):
            stop = await feed.take()
            if stop is None or core.is_leaving:
                return
            self._running += 1
            core.session.take(stop)
            shown = self._objects.stop_of(stop)
            try:
                result = do(shown)
                if inspect.isawaitable(result):
                    await result
            except Exception as error:
                breakpoint.error = error
                self._errors.append(error)
                why = error.message if isinstance(error, JdbpyError) else error
                text = f"the function for breakpoint {breakpoint.number} failed: {type(error).__name__}: {why}"
                core.session.publish(events.Notice("warning", text, (("breakpoint", breakpoint.number),)))
            finally:
                self._running -= 1
                self._ended.unpark_all()
            if core.session.ending is None:
                with suppress(Disconnected):
                    await shown.resume()

    async def end(self) -> None:
        """Wait for the functions that run now, for at most ``FUNCTION_LIMIT`` seconds; none is called any more."""
        self._core.is_leaving = True
        with trio.move_on_after(FUNCTION_LIMIT):
            while self._running:
                await self._ended.park()

    def raise_error(self) -> None:
        """Raise the first error of a function, if there is one."""
        if self._errors:
            raise self._errors.pop(0)

    def unraised(self, error: Exception) -> list[Exception]:
        """Return the errors of functions, but for this one."""
        return [each for each in self._errors if each is not error]
