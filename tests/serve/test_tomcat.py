"""Two prompts, an editor and a script on one Tomcat: each in its own request, none disturbing another."""

from __future__ import annotations

import os
import re
import signal
from functools import partial
from pathlib import Path
from typing import Protocol

import trio

import jdbpy
from jdbpy.task_groups import open_nursery
from tests.cli.pseudo_terminal import PseudoTerminal, open_terminal
from tests.dap.client import Body, DapClient
from tests.harness import LIMIT, Jvm, Program, start_target, within
from tests.harness.tomcat import tomcat as tomcat, wait_started
from tests.real.web_application import HELLO, application as application, get
from tests.serve.serving import serving, socket_of

LINES = HELLO.splitlines()
TEXT = next(number for number, line in enumerate(LINES, 1) if "return Words" in line)
PRINT = next(number for number, line in enumerate(LINES, 1) if "print(text)" in line)


class Requests:
    """Requests to the servlet, each by a task of its own, and their answers."""

    def __init__(self, port: int, nursery: trio.Nursery) -> None:
        self.port = port
        self.answers: dict[str, str] = {}
        self._nursery = nursery
        self._came = trio.Condition()

    def send(self, *names: str) -> None:
        for name in names:
            self._nursery.start_soon(self._send, name)

    async def _send(self, name: str) -> None:
        answer = await get(self.port, name)
        async with self._came:
            self.answers[name] = answer
            self._came.notify_all()

    async def answered(self, name: str) -> None:
        """Wait for the answer to a request, which must be the right one."""
        async with self._came:
            while name not in self.answers:
                await self._came.wait()
        assert self.answers.pop(name) == f"Hello {name}"


class Anybody(Protocol):
    """A client, and what it does at the stops of its own requests."""

    name: str

    async def begin(self) -> None: ...
    async def stopped(self) -> str: ...
    async def step_and_evaluate(self) -> None: ...
    async def go_on(self) -> None: ...


class PromptClient:
    """Somebody at a prompt."""

    def __init__(self, name: str, terminal: PseudoTerminal) -> None:
        self.name = name
        self.terminal = terminal

    async def at_thread(self) -> str:
        """Wait for the prompt of a thread that stands; its name."""
        pattern = re.compile(r"(http-nio\S+)\[1\]")
        await self.terminal.wait_until(lambda: bool(pattern.fullmatch(self.terminal.screen.cursor_line)), "a thread")
        found = pattern.fullmatch(self.terminal.screen.cursor_line)
        assert found is not None
        return found[1]

    async def begin(self) -> None:
        await self.terminal.prompt(">")
        await self.terminal.run(f'break web.Hello:{TEXT} if name.equals("{self.name}")', "reakpoint", then=">")

    async def stopped(self) -> str:
        await self.terminal.expect("hit", "Words.GREETING")
        return await self.at_thread()

    async def step_and_evaluate(self) -> None:
        thread = await self.at_thread()
        await self.terminal.run("print name", f'"{self.name}"', then=f"{thread}[1]")
        await self.terminal.run("finish", "doGet", then=f"{thread}[1]")
        await self.terminal.run("print name + 1", f'"{self.name}1"', then=f"{thread}[1]")

    async def go_on(self) -> None:
        await self.terminal.run("cont", then=">")


class EditorClient:
    """An editor, by the Debug Adapter Protocol."""

    name = "editor"

    def __init__(self, dap: DapClient, source: str) -> None:
        self.dap = dap
        self.source = source
        self.stop: Body = {}

    async def begin(self) -> None:
        await self.dap.request("attach")
        await self.dap.event("initialized")
        lines = [{"line": TEXT, "condition": f'name.equals("{self.name}")'}]
        [shown] = await self.dap.set_breakpoints(self.source, lines)
        assert shown["verified"]
        await self.dap.request("configurationDone")

    async def stopped(self) -> str:
        self.stop = await self.dap.stopped("breakpoint", allThreadsStopped=False)
        threads = (await self.dap.request("threads"))["threads"]
        return str(next(each["name"] for each in threads if each["id"] == self.stop["threadId"]))

    async def step_and_evaluate(self) -> None:
        [top] = await self.dap.frames(self.stop, levels=1)
        assert (await self.dap.evaluate("name", top))["result"] == f'"{self.name}"'
        await self.dap.request("stepOut", threadId=self.stop["threadId"])
        self.stop = await self.dap.stopped("step")
        [top] = await self.dap.frames(self.stop, levels=1)
        assert top["name"] == "Hello.doGet"
        assert (await self.dap.evaluate("name + 1", top))["result"] == f'"{self.name}1"'

    async def go_on(self) -> None:
        await self.dap.request("continue", threadId=self.stop["threadId"])


class ScriptClient:
    """A script, by ``jdbpy.join_commands``."""

    name = "script"

    def __init__(self, session: jdbpy.RemoteSession) -> None:
        self.session = session

    async def begin(self) -> None:
        await self.session.run(f'break web.Hello:{TEXT} if name.equals("{self.name}")')

    async def stopped(self) -> str:
        return str((await self.session.next_event("stop"))["data"]["thread"]["name"])

    async def step_and_evaluate(self) -> None:
        assert (await self.session.run("print name"))["value"] == f'"{self.name}"'
        assert (await self.session.run("finish"))["stop"]["location"]["method"] == "doGet"
        assert (await self.session.next_event("stop"))["data"]["reason"] == "step"
        assert (await self.session.run("print name + 1"))["value"] == f'"{self.name}1"'

    async def go_on(self) -> None:
        await self.session.run("resume")


async def test_two_prompts_an_editor_and_a_script(
    jvm: Jvm, application: tuple[Program, list[str]], tmp_path: Path
) -> None:
    program, jvm_options = application
    starting = start_target(jvm, program, "start", suspend=False, jvm_options=jvm_options)
    async with starting as target:
        port = await wait_started(target)
        assert await get(port, "first") == "Hello first"  # its classes are loaded
        words = ["attach", target.address, "--hold", "thread", "--sourcepath", str(tmp_path)]
        environ = {"XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"]}
        joining = ["join", "web", "--as"]
        with within(3 * LIMIT):
            async with (
                serving("--name", "web", *words),
                open_terminal([*joining, "ann"], tmp_path, environ=environ) as ann,
                open_terminal([*joining, "ben"], tmp_path, environ=environ) as ben,
                await trio.open_unix_socket(socket_of("web")) as stream,
                jdbpy.join_commands("web", client="script") as script,
                open_nursery() as nursery,
            ):
                dap = DapClient(stream.send_all)
                nursery.start_soon(dap.collect, partial(stream.receive_some, 65536))
                await dap.initialize()  # the server waits only so long for the first words of a client
                prompts = (PromptClient("ann", ann), PromptClient("ben", ben))
                editor = EditorClient(dap, str(tmp_path / "web/Hello.java"))
                await play(Requests(port, nursery), (*prompts, editor, ScriptClient(script)), script)
                await dap.request("disconnect")
                await dap.wait_over()


async def play(requests: Requests, clients: tuple[Anybody, ...], session: jdbpy.RemoteSession) -> None:
    for client in clients:
        await client.begin()
    names = [client.name for client in clients]
    for _ in range(2):
        requests.send(*names, "other")
        await requests.answered("other")  # one that is nobody's
        threads = [await client.stopped() for client in clients]
        assert len({*threads}) == len(clients)
        assert await suspended(session) == {*threads}
        async with open_nursery() as all_at_once:
            for client in clients:
                all_at_once.start_soon(client.step_and_evaluate)
        assert await suspended(session) == {*threads}
        for number, client in enumerate(clients):  # only its own thread runs on
            await client.go_on()
            await requests.answered(client.name)
            assert await suspended(session) == {*threads[number + 1 :]}
    # one is killed where it stands: its request is answered, and nothing of it is left
    requests.send(*names)
    threads = [await client.stopped() for client in clients]
    killed, *others = clients
    assert isinstance(killed, PromptClient)
    os.kill(killed.terminal.process.pid, signal.SIGKILL)
    await requests.answered(killed.name)
    while (await session.next_event("notice"))["data"]["message"] != f"{killed.name} has left":
        pass
    assert await suspended(session) == {*threads[1:]}
    owners = [each["client"] for each in (await session.run("breakpoints"))["breakpoints"]]
    assert owners == ["ben", "test", "script"]
    requests.send(killed.name)
    await requests.answered(killed.name)
    for client in others:
        await client.step_and_evaluate()
        await client.go_on()
        await requests.answered(client.name)


async def suspended(session: jdbpy.RemoteSession) -> set[str]:
    """The names of the threads that are suspended."""
    found = await session.run("threads")
    return {each["name"] for each in found["threads"] if each["suspended"]}
