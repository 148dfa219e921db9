"""A debugger that dies after any command of putting code into the target, or of taking it out, harms no result."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
import trio
import trio.testing

import jdbpy
from jdbpy.errors import Disconnected
from jdbpy.wire.connection import Connection
from tests.harness import LIMIT, Jvm, Target, program, start_target, within

PROGRAM = program("Heated")
ONE, DONE = "loop 400", "done loop 400 80200"

CHANGING = {"InvokeMethod", "SetValues", "RedefineClasses", "Set", "Clear", "Suspend", "Resume"}
"""Commands after which something in the target is another than before; the others read, or make objects."""


class Killer:
    """Lets so many commands of a connection out, and no more: then the debugger is as good as killed."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn
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
        if not self.left:
            self.struck.set()
            raise Disconnected("killed")
        self.names.append(command.NAME)
        self.left -= 1
        return self._submit(command, **options)

    async def run(self) -> None:
        """Cut the connection when its time has come, and what was let out is out."""
        await self.struck.wait()
        await trio.testing.wait_all_tasks_blocked()
        await self._conn.drop()


async def die(target: Target, what: dict[str, Any], stage: str, commands: int) -> list[str]:
    """Attach, put a breakpoint into the target, take it out, and die after so many commands of that stage (0: not).

    Return the commands.
    """
    names: list[str] = []
    with suppress(jdbpy.LeaveError, Disconnected):
        async with jdbpy.attach_session(target.address) as session, trio.open_nursery() as nursery:
            killer = Killer(session._target.conn)
            nursery.start_soon(killer.run)
            with suppress(Disconnected):
                killer.after(commands if stage == "installing" else 0)
                try:
                    await session.breakpoints.add(PROGRAM.at("passed", "Kettle"), woven=True, **what)
                finally:
                    await target.send(ONE)
                with within(LIMIT):
                    while not session.breakpoints.get(1).in_target and not killer.struck.is_set():
                        await trio.testing.wait_all_tasks_blocked(0.001)
                if stage == "removing":
                    killer.after(commands)
                    await session.breakpoints.remove([1])
                    await session.instrumentation.remove()
            names = list(killer.names)
            if commands:
                killer.left = 0
                killer.struck.set()
            else:
                nursery.cancel_scope.cancel()
    return names


@pytest.mark.parametrize("stage", ["installing", "removing"])
@pytest.mark.parametrize("what", [{"condition": "i == -1"}, {"log": "{i}"}], ids=["condition", "logpoint"])
async def test_it_is_killed_after_each_command(jvm: Jvm, what: dict[str, Any], stage: str) -> None:
    async with start_target(jvm, PROGRAM, suspend=False) as target:
        await target.send("loop 10")
        await target.wait_output("done loop 10")
        names = await die(target, what, stage, 0)
        done = 1
        await target.wait_lines(DONE, done)
        for commands in [number for number, name in enumerate(names, 1) if name.partition(".")[2] in CHANGING]:
            await target.wait_listening_again()
            await die(target, what, stage, commands)
            done += 1
            await target.wait_lines(DONE, done)
            await target.wait_listening_again()
            async with jdbpy.attach_session(target.address) as session:
                found = await session.hotswap.redefine_all(PROGRAM.classes)
                assert {"Heated", "Kettle"} <= set(found.unchanged), (commands, found)
                await target.send(ONE)
                done += 1
                await target.wait_lines(DONE, done)
