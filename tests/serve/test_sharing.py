"""``jdbpy serve``: a prompt, an editor and a script on one JVM at once; one that is killed leaves nothing."""

from __future__ import annotations

import json
import os
import random
import signal
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import pytest
import trio

import jdbpy
from jdbpy.task_groups import open_nursery
from tests.cli.pseudo_terminal import PseudoTerminal, open_terminal
from tests.dap.client import DapClient, source_of
from tests.harness import LIMIT, Jvm, Program, Target, start_target, within
from tests.harness.reading import received
from tests.serve.serving import run, serving, socket_of


class Actor(Protocol):
    """A client, as the model has it: a breakpoint at its own desk, and what may be done there."""

    async def stop_at(self) -> int: ...
    async def delete(self) -> None: ...
    async def cont(self, stops: bool) -> int: ...
    async def step(self) -> int: ...
    async def evaluate(self) -> str: ...

    done: list[str]
    """Its last actions since its thread stopped, for messages."""


class ProgramActor:
    """A client by ``jdbpy.join_commands``."""

    def __init__(self, session: jdbpy.RemoteSession, source: Program, marker: str) -> None:
        self.session = session
        self.place = source.at(marker)
        self.number = 0
        self.done: list[str] = []

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
        try:
            found = await self.session.run("next")
        except jdbpy.RemoteError as error:
            raise AssertionError(f"{error}, after {self.done}: {await self.session.run('threads')}") from error
        return int(found["stop"]["location"]["line"])

    async def evaluate(self) -> str:
        return str((await self.session.run("print twice()"))["value"])


class PromptActor:
    """A client at a prompt on a terminal."""

    def __init__(self, terminal: PseudoTerminal, source: Program, marker: str, thread: str) -> None:
        self.terminal = terminal
        self.place = source.at(marker)
        self.stands = f"{thread}[1]"
        self.number = ""
        self.done: list[str] = []

    async def _run(self, line: str, *wanted: str, then: str) -> str:
        shown = await self.terminal.run(line, *wanted, then=then)
        return shown[len(line) :]

    async def _line(self, command: str, reason: str) -> int:
        shown = await self._run(command, reason, ".java:", " ", then=self.stands)
        return int(shown.rpartition(":")[2])

    async def stop_at(self) -> int:
        shown = await self._run(f"break {self.place}", "Breakpoint ", " set", " hit: ", ".java:", " ", then=self.stands)
        self.number = shown.partition("Breakpoint ")[2].split()[0]
        return int(shown.rpartition(":")[2])

    async def delete(self) -> None:
        await self._run(f"delete {self.number}", "eleted", then=self.stands)

    async def cont(self, stops: bool) -> int:
        if stops:
            return await self._line("cont", f"Breakpoint {self.number} hit")
        await self.terminal.run("resume", then=">")
        return 0

    async def step(self) -> int:
        return await self._line("next", "Step completed")

    async def evaluate(self) -> str:
        # Values of the last stop may still come, above the line that is typed.
        return (await self._run("print twice()", "\ntwice() = ", " ", then=self.stands)).split()[-1]


class EditorActor:
    """A client by the Debug Adapter Protocol."""

    def __init__(self, dap: DapClient, source: Program, marker: str) -> None:
        self.dap = dap
        self.path = source_of(source, marker)
        self.line = source.line(marker)
        self.stop: dict[str, Any] = {}
        self.done: list[str] = []

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


async def play(actor: Actor, lines: tuple[int, int], twice: str, chance: random.Random, actions: int) -> None:
    """Random actions of one client, each checked against what it must find if it were alone."""
    at = 0  # the line where its thread stands, 0: it runs
    has = False  # a breakpoint is set
    done: list[str] = []
    for _ in range(actions):
        if not at:
            at, has = await actor.stop_at(), True
            assert at == lines[0]
            done = ["stop_at"]
            continue
        done.append(chance.choice(("delete", "cont", "cont", "step", "evaluate")))
        actor.done = done[-6:]
        match done[-1]:
            case "delete" if has:
                await actor.delete()
                has = False
            case "step" if at == lines[0]:
                at = await actor.step()
                assert at == lines[1]
            case "evaluate":
                assert await actor.evaluate() == twice
            case _:
                at = await actor.cont(has)
                assert at == (lines[0] if has else 0)
    if not has:  # it stands at its breakpoint at the end
        if at:
            await actor.cont(False)
        assert await actor.stop_at() == lines[0]


async def suspended(session: jdbpy.RemoteSession) -> set[str]:
    """The names of the threads that are suspended."""
    found = await session.run("threads")
    return {each["name"] for each in found["threads"] if each["suspended"]}


async def test_a_prompt_an_editor_and_a_script_at_once(jvm: Jvm, tmp_path: Path) -> None:
    async with (
        start_target(jvm, "Desks", suspend=False) as target,
        serving("--name", "desks", "--port", "0", "attach", target.address, "--hold", "thread") as served,
    ):
        await target.wait_output("open")
        with within(3 * LIMIT):
            async with jdbpy.join_commands("desks", client="ann") as ann:
                assert (ann.session, ann.name) == ("desks", "ann")
                await bad_clients()
                await wrong_token(served.address, tmp_path)
                environ = {"JDBPY_TOKEN": served.token}
                joining = ["join", served.address, "--as", "ben"]
                async with open_terminal(joining, tmp_path, environ=environ) as ben:
                    await ben.prompt(">")
                    await three_at_once(target, ann, ben)
                    await killed(ann, ben, tmp_path / "commands")
                await ann.run("calls Desks.third -max 2")
            listed = json.loads((await run("sessions", "--json"))[0])
            assert (listed["clients"], listed["state"]) == ([], "running")
            target.kill()
            assert served.process.stderr is not None
            await received(served.process.stderr, b"session 'desks' is over: the connection is closed")
            assert await served.process.wait() == 5


async def three_at_once(target: Target, ann: jdbpy.RemoteSession, ben: PseudoTerminal) -> None:
    """A script, a prompt at the port, and an editor at the socket: hundreds of actions, all at the same time."""
    source = target.program
    async with await trio.open_unix_socket(socket_of("desks")) as stream, open_nursery() as nursery:
        dap = DapClient(stream.send_all)
        nursery.start_soon(dap.collect, partial(stream.receive_some, 65536))
        await dap.attach(target)
        await dap.request("configurationDone")
        assert "attach to it instead" in await dap.refused("launch", mainClass="Desks")
        actors: list[tuple[str, Actor, int]] = [
            ("first", ProgramActor(ann, source, "first"), 100),
            ("second", PromptActor(ben, source, "second", "desk-2"), 30),
            ("third", EditorActor(dap, source, "third"), 100),
        ]
        async with open_nursery() as playing:
            for number, (marker, actor, actions) in enumerate(actors, 1):
                lines = source.line(marker), source.line(f"{marker}-next")
                playing.start_soon(play, actor, lines, str(2 * number), random.Random(number), actions)
        assert await suspended(ann) == {"desk-1", "desk-2", "desk-3"}
        shown = (await ann.run("breakpoints"))["breakpoints"]  # and not what the editor has set for itself
        assert {(each["kind"], each["client"]) for each in shown} == {("line", each) for each in ("ann", "ben", "test")}
        listed = json.loads((await run("sessions", "--json"))[0])
        assert listed["clients"] == ["ann", "ben", "test"]
        assert listed["stopped_since"] is not None
        await dap.request("disconnect")
        await dap.wait_over()
        await left(ann, "test")
    assert await suspended(ann) == {"desk-1", "desk-2"}


async def wrong_token(address: str, home: Path) -> None:
    """It is refused, in one sentence."""
    with pytest.raises(jdbpy.ConnectError, match="token"):
        async with jdbpy.join_commands(address, token="guessed"):
            pass
    async with open_terminal(["join", address], home, environ={"JDBPY_TOKEN": "guessed"}) as prompt:
        assert await prompt.wait_exit() == 3
        assert prompt.screen.text.split("\n")[0] == "jdbpy: the token is missing or wrong"


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


async def killed(ann: jdbpy.RemoteSession, ben: PseudoTerminal, file: Path) -> None:
    """A prompt that stands at its breakpoint, has suspended another thread, and is killed, leaves nothing behind.

    What others have set and what was never hit is not the failure of a batch.
    """
    await ann.run("break Nowhere.here")
    assert await run("join", "desks", "-c", "echo in") == ("in\n", "")
    await trio.Path(file).write_text("echo in\nfrobnicate\n")
    told = (await run("join", "desks", "--batch", "-x", str(file), status=1))[1]
    assert f"line 2 of {file} failed: frobnicate" in told
    await ben.run(f"suspend {await _thread(ann, 'main')}", "uspended", then="desk-2[1]")
    assert await suspended(ann) == {"desk-1", "desk-2", "main"}
    os.kill(ben.process.pid, signal.SIGKILL)
    await left(ann, "ben")
    assert await suspended(ann) == {"desk-1"}
    assert {each["client"] for each in (await ann.run("breakpoints"))["breakpoints"]} == {"ann"}


async def left(session: jdbpy.RemoteSession, name: str) -> None:
    """Wait until the session is told that a client has left."""
    while (await session.next_event("notice"))["data"]["message"] != f"{name} has left":
        pass


async def _thread(session: jdbpy.RemoteSession, name: str) -> int:
    found = await session.run("threads")
    return int(next(each["id"] for each in found["threads"] if each["name"] == name))
