"""``jdbpy serve``: programs and an editor on one JVM, each in its own thread; one that is killed leaves nothing."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

import pytest
import trio

import jdbpy
from jdbpy.session.concurrency import open_nursery
from tests.dap.client import DapClient, source_of
from tests.harness import LIMIT, Jvm, Program, Target, start_target
from tests.harness.processes import piped, send_line
from tests.serve.serving import ROOT, run, serving, socket_of


class Actor(Protocol):
    """A client, as the model has it: a breakpoint at its own desk, and what may be done there."""

    async def stop_at(self) -> int: ...
    async def delete(self) -> None: ...
    async def cont(self, stops: bool) -> int: ...
    async def step(self) -> int: ...
    async def evaluate(self) -> str: ...


class ProgramActor:
    """A client by ``jdbpy.join_commands``."""

    def __init__(self, session: jdbpy.RemoteSession, source: Program, marker: str) -> None:
        self.session = session
        self.place = source.at(marker)
        self.number = 0

    async def stop_at(self) -> int:
        set_now = await self.session.run(f"break {self.place}")
        assert set_now["breakpoint"]["client"] == self.session.name
        self.number = set_now["breakpoint"]["number"]
        return int((await self.session.run("cont"))["stop"]["location"]["line"])

    async def delete(self) -> None:
        await self.session.run(f"delete {self.number}")

    async def cont(self, stops: bool) -> int:
        found = await self.session.run("cont" if stops else "resume")
        return int(found["stop"]["location"]["line"]) if stops else 0

    async def step(self) -> int:
        return int((await self.session.run("next"))["stop"]["location"]["line"])

    async def evaluate(self) -> str:
        return str((await self.session.run("print twice()"))["value"])


class EditorActor:
    """A client by the Debug Adapter Protocol."""

    def __init__(self, dap: DapClient, source: Program, marker: str) -> None:
        self.dap = dap
        self.path = source_of(source, marker)
        self.line = source.line(marker)
        self.stop: dict[str, Any] = {}

    async def _stopped(self) -> int:
        await self.dap.wait("a stop", lambda: any(each["event"] == "stopped" for each in self.dap.events))
        self.stop = await self.dap.event("stopped")
        frames = await self.dap.frames(self.stop, levels=1)
        return int(frames[0]["line"])

    async def stop_at(self) -> int:
        await self.dap.set_breakpoints(self.path, [{"line": self.line}])
        return await self._stopped()

    async def delete(self) -> None:
        await self.dap.set_breakpoints(self.path, [])

    async def cont(self, stops: bool) -> int:
        await self.dap.request("continue", threadId=self.stop["threadId"], singleThread=True)
        return await self._stopped() if stops else 0

    async def step(self) -> int:
        await self.dap.request("next", threadId=self.stop["threadId"])
        return await self._stopped()

    async def evaluate(self) -> str:
        [frame] = await self.dap.frames(self.stop, levels=1)
        return str((await self.dap.evaluate("twice()", frame))["result"])


async def play(actors: list[Actor], source: Program, actions: int) -> None:
    """Random actions of all, each checked against what that client alone must find."""
    chance = random.Random(3)
    marker = ("first", "second", "third")
    lines = [(source.line(each), source.line(f"{each}-next")) for each in marker]
    at = [0] * len(actors)  # where each stands, 0: it runs
    has = [False] * len(actors)
    for _ in range(actions):
        who = chance.randrange(len(actors))
        actor, here = actors[who], lines[who]
        action = chance.choice(("break", "delete", "cont", "cont", "step", "evaluate"))
        if action == "break" and not has[who] and not at[who]:
            at[who], has[who] = await actor.stop_at(), True
            assert at[who] == here[0]
        elif action == "delete" and has[who] and at[who]:
            await actor.delete()
            has[who] = False
        elif action == "cont" and at[who]:
            at[who] = await actor.cont(has[who])
            assert at[who] == (here[0] if has[who] else 0)
        elif action == "step" and at[who] == here[0]:
            at[who] = await actor.step()
            assert at[who] == here[1]
        elif action == "evaluate" and at[who]:
            assert await actor.evaluate() == str(2 * who + 2)
    for who, actor in enumerate(actors):  # all stand at their breakpoints at the end
        if not has[who]:
            if at[who]:
                await actor.cont(False)
            assert await actor.stop_at() == lines[who][0]


async def suspended(session: jdbpy.RemoteSession) -> set[str]:
    """The names of the threads that are suspended."""
    found = await session.run("threads")
    return {each["name"] for each in found["threads"] if each["suspended"]}


async def test_programs_an_editor_and_one_that_is_killed(jvm: Jvm) -> None:
    async with (
        start_target(jvm, "Desks", suspend=False) as target,
        serving("--name", "desks", "--port", "0", "attach", target.address, "--hold", "thread") as served,
    ):
        await target.wait_output("open")
        source = target.program
        with trio.fail_after(3 * LIMIT):
            async with jdbpy.join_commands("desks", client="ann") as ann:
                assert (ann.session, ann.name) == ("desks", "ann")
                with pytest.raises(jdbpy.ConnectError, match="token"):
                    async with jdbpy.join_commands(served.address, token="guessed"):
                        pass
                async with jdbpy.join_commands(served.address, client="ben", token=served.token) as ben:
                    await three_at_once(target, ann, ben)
                    await bad_clients()
                    listed = (await ben.run("breakpoints"))["breakpoints"]
                    await ben.run(f"delete {next(each['number'] for each in listed if each['client'] == 'ben')}")
                    await ben.run("resume")
                    await killed(ann, source)
                await left(ann, "ben")
                assert await suspended(ann) == {"desk-1"}
            listed = json.loads((await run("sessions", "--json"))[0])
            assert (listed["clients"], listed["state"]) == ([], "running")


async def three_at_once(target: Target, ann: jdbpy.RemoteSession, ben: jdbpy.RemoteSession) -> None:
    """Two programs, and an editor at the same socket."""
    source = target.program
    async with await trio.open_unix_socket(socket_of("desks")) as stream, open_nursery() as nursery:
        dap = DapClient(stream.send_all)
        nursery.start_soon(dap.collect, partial(stream.receive_some, 65536))
        await dap.attach(target)
        await dap.request("configurationDone")
        assert "attach to it instead" in await dap.refused("launch", mainClass="Desks")
        actors = [ProgramActor(ann, source, "first"), ProgramActor(ben, source, "second")]
        await play([*actors, EditorActor(dap, source, "third")], source, 150)
        assert await suspended(ann) == {"desk-1", "desk-2", "desk-3"}
        shown = (await ann.run("breakpoints"))["breakpoints"]  # and not what the editor has set for itself
        assert [(each["kind"], each["client"]) for each in shown] == [("line", each) for each in ("ann", "ben", "test")]
        listed = json.loads((await run("sessions", "--json"))[0])
        assert listed["clients"] == ["ann", "ben", "test"]
        assert listed["stopped_since"] is not None
        await dap.request("disconnect")
        await dap.wait_over()
        await left(ann, "test")
    assert await suspended(ann) == {"desk-1", "desk-2"}


async def bad_clients() -> None:
    """They are told what is wrong, or cut off, and nobody else feels it."""
    for wrong in (b"{nonsense\n", b'{"front": "moon"}\n', b'{"command": 7}\n', b"{" * 2_000_000):
        async with await trio.open_unix_socket(socket_of("desks")) as other:
            answer = b""
            with suppress(trio.BrokenResourceError):  # it was cut off before it had sent all
                await other.send_all(wrong)
                while piece := await other.receive_some(65536):
                    answer += piece
                assert b'"type":"error"' in answer, answer


async def killed(ann: jdbpy.RemoteSession, source: Program) -> None:
    """A batch that stands at its breakpoint, has suspended another thread, and is killed, leaves nothing behind."""
    command = [sys.executable, "-m", "jdbpy", "join", "desks", "--as", "cat", "--json"]
    main = await _thread(ann, "main")
    async with piped(command, cwd=ROOT) as cat:
        assert cat.stdout is not None
        for line in (f"break {source.at('second')}", "cont", f"suspend {main}"):
            await send_line(cat, line)
        said = b""
        while b'"command":"suspend' not in said:
            said += await cat.stdout.receive_some(65536)
        assert await suspended(ann) == {"desk-1", "desk-2", "main"}
        os.kill(cat.pid, signal.SIGKILL)
        await left(ann, "cat")
    assert await suspended(ann) == {"desk-1"}
    assert {each["client"] for each in (await ann.run("breakpoints"))["breakpoints"]} == {"ann"}


async def left(session: jdbpy.RemoteSession, name: str) -> None:
    """Wait until the session is told that a client has left."""
    while (await session.next_event("notice"))["data"]["message"] != f"{name} has left":
        pass


async def _thread(session: jdbpy.RemoteSession, name: str) -> int:
    found = await session.run("threads")
    return int(next(each["id"] for each in found["threads"] if each["name"] == name))
