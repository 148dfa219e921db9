"""A thread with an asyncio loop of its own, beside trio's: what prompt_toolkit needs to live in.

Owns the crossing between the two event loops and nothing else: it knows neither prompts nor the debugger. trio keeps
the main thread (signals arrive there); a coroutine that runs here is never abandoned, because an abandoned prompt
would leave the terminal in raw mode: a task that stops waiting for it wakes it and then waits until it has cleaned up.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, TypeVar

import trio

from jdbpy.task_groups import open_nursery

T = TypeVar("T")


class PromptThread:
    """Runs coroutines of asyncio for tasks of trio. Made by ``open_prompt_thread()``."""

    def __init__(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        self._loop = asyncio.new_event_loop()
        self._tasks: set[asyncio.Task[Any]] = set()  # the loop itself holds its tasks weakly

    def post(self, function: Callable[[], object]) -> None:
        """Has ``function`` called in the loop soon; what is posted runs in order. From any thread."""
        self._loop.call_soon_threadsafe(function)

    def when_it_fails(self, function: Callable[[BaseException], object]) -> None:
        """Call ``function``, in the loop, with exceptions of callbacks, which would go unseen otherwise."""

        def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
            if (error := context.get("exception")) is not None:
                function(error)
            else:
                loop.default_exception_handler(context)

        self._loop.set_exception_handler(handle)

    def notify(self, function: Callable[[], object]) -> None:
        """Has ``function`` called in trio's thread soon. From any thread; ignored when trio is ending."""
        with suppress(trio.RunFinishedError):
            self._token.run_sync_soon(function)

    async def run(self, function: Callable[[], Coroutine[Any, Any, T]], *, wake: Callable[[], object]) -> T:
        """Run a coroutine in the thread's loop and return its result, or raise what it raised.

        When the calling task is cancelled, ``wake`` is called in the loop: it must make the coroutine end, whether it
        has begun or not. The cancellation goes on only after the coroutine has ended.
        """
        finished = trio.Event()
        started: list[asyncio.Task[T]] = []

        def start() -> None:
            task = self._loop.create_task(function())
            started.append(task)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            task.add_done_callback(lambda _: self.notify(finished.set))

        self.post(start)
        try:
            await finished.wait()
        except trio.Cancelled:
            self.post(wake)
            with trio.CancelScope(shield=True):
                await finished.wait()
            started[0].exception()  # looked at, so that asyncio does not complain that nobody did
            raise
        return started[0].result()

    def _main(self) -> None:
        try:
            self._loop.run_forever()
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()


@asynccontextmanager
async def open_prompt_thread() -> AsyncIterator[PromptThread]:
    """Start the thread and its loop; end both on leaving, when everything that ran in it has ended."""
    thread = PromptThread()
    async with open_nursery() as nursery:
        nursery.start_soon(partial(trio.to_thread.run_sync, thread._main, limiter=trio.CapacityLimiter(1)))
        try:
            yield thread
        finally:
            thread.post(thread._loop.stop)
