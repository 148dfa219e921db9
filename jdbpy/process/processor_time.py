"""The limit of the debugger's own processor time: Ctrl-C, a signal or a timeout ends a computation without an end.

Owns the signals while trio runs, and SIGPROF. trio sees a signal, a deadline or a cancellation when its loop turns,
which it does not while Python computes. So each of them also starts a timer of the processor time that this process
uses (it stands still while the process waits or is stopped). If the loop has not turned when it runs out, the handler,
which runs in the midst of the computation, raises an error there. The command fails with it; the loop turns again,
and the target is left in good order.
"""

from __future__ import annotations

import signal
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import trio

from jdbpy.errors import JdbpyError, StateError, TimedOut

PATIENCE = 0.5
"""Seconds of processor time in which the loop must turn once somebody wants an end."""

INTERRUPTED = "INTERRUPTED"
"""The code of the error that a signal raises in a computation."""

_watch: LoopWatch | None = None


class LoopWatch:
    """Ends computations that keep the loop from turning; at most one is in force."""

    def __init__(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        self._reason: Callable[[], JdbpyError] | None = None
        self._asked = False  # the loop has been asked to show that it turns
        self._turned = False
        self._deadlines: list[tuple[float, float]] = []  # when, and the limit in seconds

    def want_end(self, reason: Callable[[], JdbpyError]) -> None:
        """Somebody wants an end: if the loop does not turn now, the error is raised in what computes."""
        self._reason = reason
        self._ask()

    @contextmanager
    def limit(self, seconds: float) -> Iterator[None]:
        """Within the block what computes longer than ``seconds`` fails with TimedOut."""
        own = time.monotonic() + seconds, seconds
        self._deadlines.append(own)
        self._start(max(PATIENCE, min(seconds, 1e6)))
        try:
            yield
        finally:
            self._deadlines.remove(own)  # of several that run side by side
            if not self._deadlines and self._reason is None:
                self._start(0)

    def on_timer(self, number: int, frame: FrameType | None) -> None:
        """SIGPROF, wherever the program is."""
        if self._reason is None:
            past = [limit for when, limit in self._deadlines if time.monotonic() >= when]
            if not past:
                if self._deadlines:
                    self._start(PATIENCE)
                return
            self._reason = lambda: _timed_out(past[-1])
            self._ask()
        elif self._turned:  # trio has seen it
            self._reason = None
            if self._deadlines:
                self._start(PATIENCE)
        elif _may_raise_in(frame):
            reason = self._reason
            self._start(PATIENCE)  # again, should somebody catch it and go on
            raise reason()
        else:
            self._start(PATIENCE / 10)

    def close(self) -> None:
        self._start(0)

    def _ask(self) -> None:
        self._turned = False
        self._token.run_sync_soon(self._show, idempotent=True)
        self._start(PATIENCE)

    def _show(self) -> None:
        self._turned = True

    @staticmethod
    def _start(seconds: float) -> None:
        signal.setitimer(signal.ITIMER_PROF, seconds)


@contextmanager
def open_signals(*numbers: int) -> Iterator[AsyncIterator[int]]:
    """Like ``trio.open_signal_receiver``; a signal also ends what computes and keeps the loop from turning."""
    global _watch
    with trio.open_signal_receiver(*numbers) as received:
        outer, _watch = _watch, LoopWatch()
        watch = _watch
        handlers: dict[int, Any] = {number: signal.getsignal(number) for number in numbers}

        def handle(number: int, frame: FrameType | None) -> None:
            handlers[number](number, frame)
            watch.want_end(_interrupted)

        for number in numbers:
            signal.signal(number, handle)
        timer = signal.signal(signal.SIGPROF, watch.on_timer)
        try:
            yield received
        finally:
            watch.close()
            signal.signal(signal.SIGPROF, timer)
            for number, handler in handlers.items():
                signal.signal(number, handler)
            _watch = outer


@contextmanager
def processor_limit(seconds: float) -> Iterator[None]:
    """Within the block what computes longer than ``seconds`` fails with TimedOut, if signals are looked after."""
    if _watch is None:
        yield
        return
    with _watch.limit(seconds):
        yield


async def cancellation() -> None:
    """Wait for what the signal itself brings, now that the loop turns again: it cancels the command, or all."""
    with trio.move_on_after(1):
        await trio.sleep_forever()


def _may_raise_in(frame: FrameType | None) -> bool:
    """True if the program is in a task of ours, and not within trio, which an error would break.

    Nor is it in the task that receives packets, unless that computes for a session: it decodes and logs them, which
    ends, and an error there would end the connection.
    """
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module.startswith("trio."):
            return False
        if module.startswith("jdbpy.") and not module.startswith("jdbpy.wire.") and module != __name__:
            return True
        frame = frame.f_back
    return False


def _interrupted() -> JdbpyError:
    return StateError("interrupted in a long computation of the debugger", code=INTERRUPTED)


def _timed_out(limit: float) -> JdbpyError:
    return TimedOut(f"the debugger computed for more than {limit:g} seconds", hint="--timeout SECONDS allows more")
