"""Twenty tasks on one session, their operations cancelled at random: the suspend counts stay true, nothing is left."""

from __future__ import annotations

import random
import traceback
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import trio

import jdbpy
from jdbpy import JdbpyError, JdwpError, StepDepth, SuspendPolicy
from jdbpy.session.events.clients import Steps
from jdbpy.session.events.suspension import SuspendOp
from jdbpy.session.model.breakpoints import PointOptions
from jdbpy.session.model.events import Event
from jdbpy.task_groups import open_nursery
from jdbpy.wire.constants import EventKind
from jdbpy.wire.ids import ThreadID
from jdbpy.wire.messages import thread_reference, virtual_machine
from tests.harness import LIMIT, within
from tests.soak.busy import busy
from tests.soak.trial import Run

TASKS = 20
OPERATIONS = 15
"""Operations of each task in one try."""


async def run(run: Run) -> None:
    """Set tasks loose on a session, and look at it afterwards, again and again."""
    done: dict[str, int] = {}
    cancelled = 0
    for seed in run.seeds():
        async with busy(run.jvm) as target:
            with run.attempt(seed):
                rng = run.random(seed)
                with within(4 * LIMIT):
                    async with jdbpy.attach_session(await target.address()) as session:
                        ledger = _Ledger(session)
                        try:
                            cancelled += await _all_at_once(session, rng, done)
                            await _is_sound(session)
                            assert not ledger.excess, f"resumes of all threads while no suspend stood: {ledger.excess}"
                        except Exception as error:
                            error.add_note(str(ledger))
                            raise
                    await target.verify()
    run.figure("operations", f"{sum(done.values()):,}")
    run.figure("cancelled", f"{cancelled:,}")


async def _all_at_once(session: jdbpy.Session, rng: random.Random, done: dict[str, int]) -> int:
    cancelled = 0

    async def task(number: int) -> None:
        nonlocal cancelled
        own = random.Random(rng.random() + number)
        for _ in range(OPERATIONS):
            name = own.choice(list(_OPERATIONS))
            done[name] = done.get(name, 0) + 1
            with trio.move_on_after(own.choice([0, 0.001, 0.005, 0.02, 0.1])) as scope, suppress(JdbpyError):
                try:
                    await _OPERATIONS[name](session, own)
                except Exception as error:
                    error.add_note(f"operation: {name}")
                    raise
            cancelled += scope.cancelled_caught

    async with open_nursery() as nursery:
        for number in range(TASKS):
            nursery.start_soon(task, number)
    return cancelled


async def _is_sound(session: jdbpy.Session) -> None:
    """The session counts as the agent does, has no request but those of its breakpoints, and can be used."""
    await session.points.remove([point.number for point in session.points.list()])
    with trio.move_on_after(LIMIT):
        while (wrong := await _differences(session)) or _left(session):
            await session.threads.list()
    assert not wrong, f"suspend counts of threads, ours and the agent's: {wrong}"
    assert not _left(session), f"requests that were left: {_left(session)}"
    with suppress(JdbpyError):
        await session.execution.resume()
    point = await session.breakpoints.add("Busy.work", temporary=True)
    with within(LIMIT):
        while not isinstance(stop := await session.next_stop(), jdbpy.Stopped) or stop.breakpoint != point.number:
            with suppress(JdbpyError):  # what was under way has stopped it once more
                await session.execution.resume()
        value = await session.values.evaluate("Busy.yes()", frame=stop.frame)  # another thread may be selected
    assert value.text == "true"
    await session.execution.resume()


class _Ledger:
    """The last changes of a session's suspend counts, and the events it published. A failure shows them.

    ``excess`` lists the call stacks of VM resumes sent while the VM was not suspended. Such a resume is a fault even if
    all counts agree: it releases a thread only if an event of that thread is on its way.
    """

    def __init__(self, session: jdbpy.Session) -> None:
        self.excess: list[str] = []
        self._suspension = session._target.suspension
        self._last: deque[str] = deque(maxlen=60)
        self._apply, self._event = self._suspension.apply, self._suspension.event
        self._suspension.apply = self._note_command  # type: ignore[method-assign]
        self._suspension.event = self._note_event  # type: ignore[method-assign]
        session._target.publisher.listen(self._note_published)

    def __str__(self) -> str:
        return "\n".join(self._last)

    def _note_command(self, op: SuspendOp, thread: int = 0, **options: Any) -> None:
        place = " < ".join(f"{each.name}:{each.lineno}" for each in reversed(traceback.extract_stack(limit=6)[:-1]))
        if op is SuspendOp.VM_RESUME and not self._suspension.frozen:
            self.excess.append(place)
        self._apply(op, thread, **options)
        self._note(f"{op.name} {thread or ''} {options or ''} {place}")

    def _note_event(self, thread: int, **options: Any) -> None:
        self._event(thread, **options)
        self._note(f"event {thread} {options}")

    def _note_published(self, event: Event) -> None:
        self._note(f"published {event}"[:300])

    def _note(self, what: str) -> None:
        base, own = self._suspension.counts()
        self._last.append(f"{base} {own} {what}")


def _left(session: jdbpy.Session) -> list[str]:
    """The requests that are set, but for steps under way: who was cancelled does not wait for his, and main's, which
    reads its input, has no end. The end of a thread that has stepped is asked for as long as the session lasts."""
    under_way = [request for pending in Steps.of(session._target).pending.values() for request in pending]
    left = [request for request in session._target.requests.all_active() if request not in under_way]
    return [EventKind(request.kind).name for request in left if request.kind != EventKind.THREAD_DEATH]


async def _differences(session: jdbpy.Session) -> dict[int, tuple[int, int]]:
    """The threads whose suspend count is not what the session thinks: its count, and the agent's.

    A hit that was put off until all are resumed has suspended its thread once more.
    """
    target, put_off = session._target, session._dispatcher.put_off
    threads = (await target.conn.request(virtual_machine.AllThreads())).threads
    replies = await target.conn.batch([thread_reference.SuspendCount(ThreadID(each)) for each in threads])
    wrong: dict[int, tuple[int, int]] = {}
    for thread, reply in zip(threads, replies, strict=True):
        ours = target.suspension.count(thread) + (thread in put_off)
        if not isinstance(reply, JdwpError) and reply.suspendCount != ours:
            wrong[thread] = (ours, reply.suspendCount)
    return wrong


# -- what the tasks do -----------------------------------------------------------------------------------------------


async def _breakpoint(session: jdbpy.Session, rng: random.Random) -> None:
    policy = rng.choice([SuspendPolicy.ALL, SuspendPolicy.THREAD])
    condition = rng.choice(["", "count % 20 == 0", "Busy.yes()"])
    await session.breakpoints.add(rng.choice(["Busy.work", "Busy.run"]), policy=policy, condition=condition)


async def _remove(session: jdbpy.Session, rng: random.Random) -> None:
    if points := session.points.list():
        await session.points.remove([rng.choice(points).number])


async def _toggle(session: jdbpy.Session, rng: random.Random) -> None:
    if points := session.points.list():
        number = rng.choice(points).number
        await session.points.disable([number])
        await session.points.enable([number])


async def _trace(session: jdbpy.Session, rng: random.Random) -> None:
    policy = rng.choice([SuspendPolicy.NONE, SuspendPolicy.THREAD])
    await session.traces.methods(exits=False, options=PointOptions(policy=policy, classes=("Busy",)))


async def _resume(session: jdbpy.Session, rng: random.Random) -> None:
    await session.execution.resume()


async def _unsuspend(session: jdbpy.Session, rng: random.Random) -> None:
    await session.execution.unsuspend()


async def _cont(session: jdbpy.Session, rng: random.Random) -> None:
    await session.execution.cont()


async def _pause(session: jdbpy.Session, rng: random.Random) -> None:
    await session.execution.pause()


async def _step(session: jdbpy.Session, rng: random.Random) -> None:
    await session.execution.step(rng.choice(list(StepDepth)))


async def _suspend(session: jdbpy.Session, rng: random.Random) -> None:
    await session.execution.suspend()


async def _evaluate(session: jdbpy.Session, rng: random.Random) -> None:
    text = rng.choice(["Busy.last + 1", "Busy.yes()", "Busy.nap(2)", "count"])
    await session.values.evaluate(text, others_run=rng.random() < 0.3)


async def _threads(session: jdbpy.Session, rng: random.Random) -> None:
    await session.threads.list(with_frames=rng.random() < 0.5)


async def _stacks(session: jdbpy.Session, rng: random.Random) -> None:
    await session.stack.all()


async def _variables(session: jdbpy.Session, rng: random.Random) -> None:
    await session.stack.variables()


async def _classes(session: jdbpy.Session, rng: random.Random) -> None:
    await session.classes.list("java.util.*")


_OPERATIONS: dict[str, Callable[[jdbpy.Session, random.Random], Awaitable[None]]] = {
    "breakpoint": _breakpoint,
    "remove": _remove,
    "toggle": _toggle,
    "trace": _trace,
    "resume": _resume,
    "unsuspend": _unsuspend,
    "cont": _cont,
    "pause": _pause,
    "step": _step,
    "suspend": _suspend,
    "evaluate": _evaluate,
    "threads": _threads,
    "stacks": _stacks,
    "variables": _variables,
    "classes": _classes,
}
