"""A debugger that dies after any command of putting code into the target, or of taking it out, harms no result."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from typing import Any

import pytest
import trio
import trio.testing

import jdbpy
from jdbpy.errors import Disconnected
from jdbpy.session.calls.observation import Observation
from jdbpy.session.calls.observer import CallObserver
from jdbpy.wire.command import Command, R
from jdbpy.wire.connection import Connection
from jdbpy.wire.messages import thread_reference, virtual_machine
from jdbpy.wire.pending import Pending
from tests.harness import LIMIT, Jvm, Target, jvms, program, start_target, within

pytestmark = pytest.mark.one_java

PROGRAM = program("Heated")
METHOD = "Kettle.passed"
ONE, DONE = "loop 40", "done loop 40 820"

CHANGING = {"InvokeMethod", "SetValues", "RedefineClasses", "Set", "Clear", "Suspend", "Resume"}
"""Commands after which something in the target is another than before; the others read, or make objects."""


class Killer:
    """Lets so many commands of a connection out, and no more: then the debugger is as good as killed."""

    def __init__(self, conn: Connection, rounds: Rounds) -> None:
        self._conn = conn
        self._rounds = rounds
        self._submit = conn.submit
        self.names: list[str] = []
        """The commands of the stage that were let out."""
        self.left = -1
        self.struck = trio.Event()
        conn.submit = self.submit  # type: ignore[method-assign]

    def after(self, commands: int) -> None:
        """Strike after so many commands from now on; 0: never."""
        self.names.clear()
        self.left = commands or -1

    def submit(self, command: Any, **options: Any) -> Any:
        if not self.left and self._conn.close_reason is None:
            self.struck.set()
            return self._kept(command, **options)
        self.names.append(command.NAME)
        self.left -= bool(self.left)
        return self._submit(command, **options)

    def _kept(self, command: Any, **options: Any) -> Any:
        """A command that does not leave: it is without an answer when the connection ends."""
        pending = Pending(command, self._conn._decode_reply, self._conn.undo, options.get("on_reply"))
        self._conn._outstanding[self._conn._new_id()] = pending
        return pending

    async def run(self) -> None:
        """Cut the connection when its time has come, what was let out is out, and no hit is under way.

        The program's thread then waits for its next line, or it is held by a hit whose resume stays here. A hit that is
        on its way out when the connection ends may hold its thread, or the agent, for ever: that is the agent's own
        (docs/agent.md, "An event under way survives leaving", "Listening again waits for threads").
        """
        await self.struck.wait()
        await trio.testing.wait_all_tasks_blocked()
        with suppress(Disconnected), within(LIMIT):
            threads = await self._ask(virtual_machine.AllThreads())
            names = [await self._ask(thread_reference.Name(thread)) for thread in threads.threads]
            [main] = [thread for thread, name in zip(threads.threads, names, strict=True) if name.threadName == "main"]
            while self._rounds.under_way and not (await self._ask(thread_reference.SuspendCount(main))).suspendCount:
                pass
        await self._conn.drop()

    async def _ask(self, command: Command[R]) -> R:
        """A look of the test's own, which counts as no command of the debugger's."""
        return await self._submit(command).wait()


InTarget = Callable[[], bool]
SetUp = Callable[[jdbpy.Session, AsyncExitStack], Awaitable[InTarget]]


def _breakpoint(**options: Any) -> SetUp:
    async def set_up(session: jdbpy.Session, stack: AsyncExitStack) -> InTarget:
        await session.breakpoints.add(PROGRAM.at("passed", "Kettle"), woven=True, **options)
        return lambda: bool(session.breakpoints.get(1).in_target)

    return set_up


async def _trace(session: jdbpy.Session, stack: AsyncExitStack) -> InTarget:
    options = jdbpy.PointOptions(policy=jdbpy.SuspendPolicy.NONE, reporting=jdbpy.Reporting(limit=1))
    await session.traces.methods(method=METHOD, options=options)
    return lambda: bool(session.points.get(1).in_target)


def _observing(observe: Callable[[CallObserver], Observation]) -> SetUp:
    async def set_up(session: jdbpy.Session, stack: AsyncExitStack) -> InTarget:
        observation = await stack.enter_async_context(observe(session.observer))
        return lambda: bool(observation.in_target)

    return set_up


async def _record(session: jdbpy.Session, stack: AsyncExitStack) -> InTarget:
    recording = await session.recorder.record(METHOD, hold=True)
    stack.push_async_callback(session.recorder.end, recording)
    return lambda: bool(recording.in_target)


WAYS = {
    "condition": _breakpoint(condition="i == -1"),
    "logpoint": _breakpoint(log="{i}"),
    "trace": _trace,
    "calls": _observing(lambda observer: observer.calls(METHOD, limit=1, in_target=True)),
    "calls stats": _observing(lambda observer: observer.statistics(METHOD, in_target=True)),
    "record": _record,
    "calls tree": _observing(lambda observer: observer.tree("Heated.loop", in_target=True)),
}


class Rounds:
    """Has the program compute, and looks at each result."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._made = 0

    @property
    def under_way(self) -> bool:
        """True if the program has not told the last result yet."""
        return self._target.stdout.count(f"{DONE}\n") < self._made

    async def make(self) -> None:
        """Have it compute once more. Fails when the result is another one."""
        self._made += 1
        await self._target.send(ONE)
        await self._target.wait_lines(DONE, self._made)


async def die(target: Target, rounds: Rounds, set_up: SetUp, stage: str, commands: int) -> list[str]:
    """Attach, put something into the target, take it out, and die after so many commands of that stage (0: not).

    Return the commands.
    """
    names: list[str] = []
    options = jdbpy.Options(in_target="eager")
    with suppress(jdbpy.LeaveError, Disconnected):
        async with jdbpy.attach_session(target.address, options=options) as session, trio.open_nursery() as nursery:
            killer = Killer(session._target.conn, rounds)
            nursery.start_soon(killer.run)
            with suppress(Disconnected):
                async with AsyncExitStack() as stack:
                    killer.after(commands if stage == "installing" else 0)
                    in_target = await set_up(session, stack)
                    with within(LIMIT):
                        while not in_target() and not killer.struck.is_set():
                            await rounds.make()
                    if stage == "removing":
                        killer.after(commands)
                        await stack.aclose()
                        await session.points.remove([each.number for each in session.points.list()])
                        await session.instrumentation.remove()
                    names = list(killer.names)
            if commands:
                killer.left = 0
                killer.struck.set()
            else:
                nursery.cancel_scope.cancel()
    return names


def worth_it(names: list[str], jvm: Jvm, each: int) -> list[int]:
    """Return the numbers of commands after which to strike: all that change something, but of equal ones in a row only
    the first and the last. Two JVMs share them: every second one falls to each. With ``each`` 2 half of them are left
    out: of a way that is another one but for a few commands.

    Setting one more of six requests, or resuming one more of forty hits, leaves the target as the one before did.
    """
    changing = [number for number, name in enumerate(names, 1) if name.partition(".")[2] in CHANGING]
    rows = [list(row) for _, row in itertools.groupby(changing, key=lambda number: names[number - 1])]
    numbers = [number for row in rows for number in sorted({row[0], row[-1]})]
    sharing = jvms.test_jvms()
    return numbers[sharing.index(jvm) % 2 :: each * min(len(sharing), 2)]


@pytest.mark.parametrize("stage", ["installing", "removing"])
@pytest.mark.parametrize("way", WAYS)
async def test_it_is_killed_after_each_command(jvm: Jvm, way: str, stage: str) -> None:
    async with start_target(jvm, PROGRAM, suspend=False) as target:
        await target.send("loop 10")
        await target.wait_output("done loop 10")
        rounds = Rounds(target)
        names = await die(target, rounds, WAYS[way], stage, 0)
        await rounds.make()
        for commands in worth_it(names, jvm, 2 if way == "record" else 1):
            await target.wait_listening_again()
            await die(target, rounds, WAYS[way], stage, commands)
            await rounds.make()
            await target.wait_listening_again()
            async with jdbpy.attach_session(target.address) as session:
                found = await session.hotswap.redefine_all(PROGRAM.classes)
                assert {"Heated", "Kettle"} <= set(found.unchanged), (commands, found)
                await rounds.make()
