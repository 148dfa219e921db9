"""The front ends by which a session of random words is led; each answers a word with what it has shown, as JSON has it.

A batch in this process and one of its own (also one that has joined a session), programs by the Python API, editors by
the Debug Adapter Protocol.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, Protocol, cast

import trio

import jdbpy
from jdbpy import Event, JdbpyError, Notice, StepDepth, Stopped, SuspendPolicy
from jdbpy.cli.batch import Batch
from jdbpy.cli.console import Console
from jdbpy.cli.jvm_events import stays_selected
from jdbpy.cli.output.json_lines import JsonRenderer
from jdbpy.cli.settings import Settings
from jdbpy.json_form import encode
from jdbpy.process.scripts import ScriptLines
from tests.cli.process import driving
from tests.dap.client import Body, DapClient, dap_client
from tests.harness import Target, within
from tests.harness.processes import send_line
from tests.soak.judge import Shown

PATIENCE = 60.0
"""Seconds in which a word has an answer, a stop for those that wait for one."""


class SeenLock(NamedTuple):
    """The monitor of an object: the name of its owner, "" for none, and the names of those that wait to enter it."""

    owner: str
    entering: tuple[str, ...]

    @classmethod
    def of(cls, state: Shown) -> SeenLock:
        """Read the JSON form of a lock."""
        owner = state.get("owner")
        return cls(owner["name"] if owner else "", tuple(each["name"] for each in state["entering"]))


class Door(Protocol):
    """A front end of one client."""

    async def ask(self, word: str) -> list[Shown]:
        """Run a word; return what was shown since the last one, its result last."""

    async def interrupt(self, word: str) -> list[Shown]:
        """Run a word and interrupt it."""

    async def lock(self, expression: str) -> SeenLock:
        """Look at the monitor of an object."""


class Lines:
    """Lines for a batch that come one by one. ``typed``: the batch shows events while it waits for the next."""

    def __init__(self, typed: bool) -> None:
        self._typed = typed
        self.send, self._receive = trio.open_memory_channel[str](1)

    def at_hand(self) -> list[str]:
        return []

    def ready(self) -> bool:
        return not self._typed

    async def next(self) -> str | None:
        try:
            return await self._receive.receive()
        except trio.EndOfChannel:
            return None


class Recorder(Console):
    """A console whose lines are kept."""

    def __init__(self) -> None:
        super().__init__(JsonRenderer(), json=True)
        self.send, self.receive = trio.open_memory_channel[Shown](10_000)

    def write(self, text: str, stream: Any = None) -> None:
        for line in text.splitlines():
            self.send.send_nowait(json.loads(line))

    def say(self, text: str) -> None:
        pass


class BatchDoor:
    """A batch in this process: words go in, JSON comes out."""

    def __init__(self, batch: Batch, lines: Lines, recorder: Recorder) -> None:
        self._batch, self._lines, self._recorder = batch, lines, recorder

    async def ask(self, word: str) -> list[Shown]:
        """Run a word; return what was shown since the last one, its result last."""
        await self._lines.send.send(word)
        shown: list[Shown] = []
        with within(2 * PATIENCE):
            while not shown or shown[-1]["type"] != "result":
                shown.append(await self._recorder.receive.receive())
        return shown

    async def interrupt(self, word: str) -> list[Shown]:
        """Run a word and interrupt it."""
        async with trio.open_nursery() as nursery:

            @nursery.start_soon
            async def interrupt() -> None:
                await trio.sleep(0.05)
                self._batch.interrupt()

            return await self.ask(word)

    async def lock(self, expression: str) -> SeenLock:
        """Look at the monitor of an object."""
        return SeenLock.of((await self.ask(f"lock {expression}"))[-1]["data"])


@asynccontextmanager
async def batch_door(session: jdbpy.Session, *, typed: bool) -> AsyncIterator[BatchDoor]:
    """Run a batch on a session for the time of the block."""
    lines, recorder = Lines(typed), Recorder()
    batch = Batch(session, recorder, Settings(), timeout=PATIENCE, keep_going=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(batch.run, cast(ScriptLines, lines))
        yield BatchDoor(batch, lines, recorder)
        lines.send.close()


class ProcessDoor:
    """A batch in a process of its own, fed by its standard input."""

    def __init__(self, process: trio.Process) -> None:
        self._process = process
        self._buffer = b""

    async def ask(self, word: str) -> list[Shown]:
        await send_line(self._process, word)
        shown: list[Shown] = []
        with within(2 * PATIENCE):
            while not shown or shown[-1]["type"] != "result":
                shown.append(json.loads(await self._line()))
        return shown

    async def _line(self) -> bytes:
        assert self._process.stdout is not None
        while b"\n" not in self._buffer:
            data = await self._process.stdout.receive_some()
            assert data, "the output of the batch has ended"
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    async def interrupt(self, word: str) -> list[Shown]:
        return await self.ask(word)  # a signal would end the whole batch

    async def lock(self, expression: str) -> SeenLock:
        return SeenLock.of((await self.ask(f"lock {expression}"))[-1]["data"])


@asynccontextmanager
async def process_door(*words: str) -> AsyncIterator[ProcessDoor]:
    """Run ``jdbpy WORDS`` for the time of the block; it reads its commands from a pipe."""
    async with driving(*words, "--keep-going", "--timeout", f"{PATIENCE:g}", "-x", "-") as driver:
        yield ProcessDoor(driver.process)
        await driver.close_input()
        await driver.wait()


class ApiDoor:
    """A program that uses the Python API: each word is the call that does the same."""

    def __init__(self, session: jdbpy.Session) -> None:
        self._session = session
        self._policy = SuspendPolicy.ALL
        self._shown: list[Shown] = []
        session.listen(self._listen)

    def _listen(self, event: Event) -> None:
        if isinstance(event, Notice):
            self._shown.append({"type": "event", "event": "notice", "data": encode(event)})

    async def ask(self, word: str) -> list[Shown]:
        result: Shown = {"type": "result", "command": word, "ok": True, "data": {}}
        try:
            with trio.fail_after(PATIENCE):
                result["data"] = await self._run(word)
        except trio.TooSlowError:
            result.update(ok=False, error={"code": "TIMED_OUT", "message": f"no answer in {PATIENCE:g} seconds"})
        except JdbpyError as error:
            result.update(ok=False, error={"code": error.code, "message": str(error)})
        shown, self._shown = [*self._shown, result], []
        return shown

    async def interrupt(self, word: str) -> list[Shown]:
        return await self.ask(word)

    async def lock(self, expression: str) -> SeenLock:
        found = await self._session.values.evaluate(expression)
        assert found.id is not None
        return SeenLock.of(encode(await self._session.locks.state(found.id)))

    async def _run(self, word: str) -> Shown:
        session = self._session
        name, _, rest = word.partition(" ")
        if name == "set":
            self._policy = SuspendPolicy.THREAD if rest.endswith("thread") else SuspendPolicy.ALL
            return {}
        if word.removesuffix(ALONE) in ("cont", "next", "step", "step up", "until"):
            return self._stopped(await self._resume(word))
        if name == "stop":
            place, _, condition = rest.partition("in ")[2].partition(" if ")
            point = await session.breakpoints.add(place, policy=self._policy, condition=condition)
            return {"breakpoint": encode(point)}
        if name in ("clear", "disable", "enable"):
            calls = {"clear": "remove", "disable": "disable", "enable": "enable"}
            await getattr(session.points, calls[name])([int(rest)])
            return {}
        if name == "thread":
            found = await session.threads.find(rest)
            session._target.suspension.require_stopped(found.id)  # an event of it may be on its way
            return {"thread": encode(await session.stack.select_thread(found.id))}
        if name == "where":
            return encode(await session.stack.of())
        if name == "locals":
            return {"variables": [encode(each) for each in await session.stack.variables()]}
        if name == "print":
            return encode(await session.values.evaluate(rest))
        return {}

    async def _resume(self, word: str) -> Any:
        execution = self._session.execution
        if word == "cont":
            return await execution.cont()
        if word == "until":
            return await execution.until()
        depth = {"next": StepDepth.OVER, "step": StepDepth.INTO}.get(word.removesuffix(ALONE), StepDepth.OUT)
        if not word.endswith(ALONE):
            return await execution.step(depth)
        await execution.start_step(depth, alone=True)
        return await execution.next_stop()

    def _stopped(self, stop: Any) -> Shown:
        assert isinstance(stop, Stopped), stop
        stays = stays_selected(self._session, stop)
        event = {"type": "event", "event": "stop", "data": encode(stop), **({"selected": stays} if stays else {})}
        self._shown.append(event)
        return {"stop": encode(stop)}


class DapDoor:
    """An editor: at each stop it asks for the stack, as editors do, and evaluates in its frames."""

    def __init__(self, dap: DapClient) -> None:
        self._dap = dap
        self._thread = 0
        self._frames: list[Body] = []
        self._points: dict[str, Shown] = {}  # place -> breakpoint as the adapter knows it
        self._output = 0

    async def ask(self, word: str) -> list[Shown]:
        shown: list[Shown] = []
        result: Shown = {"type": "result", "command": word, "ok": True, "data": {}}
        try:
            if (request := REQUESTS.get(word.removesuffix(ALONE))) is not None:
                if self._thread:
                    alone = {"singleThread": True} if word.endswith(ALONE) else {}
                    await self._request(request, threadId=self._thread, **alone)
                with trio.fail_after(PATIENCE):
                    await self._dap.wait("a stop", lambda: any(map(_is_stop, self._dap.events)))
            else:
                result["data"] = await self._run(word)
        except (trio.TooSlowError, AssertionError) as error:
            result.update(ok=False, error={"code": "TIMED_OUT", "message": f"no stop: {error}"[:300]})
        except _Refused as error:
            result.update(ok=False, error={"code": "REFUSED", "message": str(error)})
        shown += await self._stops()
        if len(self._dap.console) > self._output:
            text, self._output = self._dap.console[self._output :], len(self._dap.console)
            shown.insert(0, {"type": "event", "event": "notice", "data": {"kind": "console", "message": text}})
        return [*shown, result]

    async def interrupt(self, word: str) -> list[Shown]:
        return await self.ask(word)

    async def lock(self, expression: str) -> SeenLock:
        text = (await self._request("evaluate", expression=f"lock {expression}", context="repl"))["result"]
        owner, entering = OWNER.search(text), ENTERING.findall(text)
        return SeenLock(owner[1] if owner else "", tuple(entering))

    async def _run(self, word: str) -> Shown:
        name, _, rest = word.partition(" ")
        if name == "stop":
            place, _, condition = rest.partition("in ")[2].partition(" if ")
            number = await self._set({**self._points, place: {"condition": condition}}, place)
            line = LINES.get(place, 0)
            resolved = {"method": place.partition(".")[2], "line": line, "code_index": line}
            return {"breakpoint": {"number": number, "resolved": [resolved]}}
        if name == "clear":
            await self._set({place: each for place, each in self._points.items() if each["id"] != int(rest)})
            return {}
        if name == "thread":  # as a click on it in the list of an editor
            [thread] = [each["id"] for each in (await self._request("threads"))["threads"] if each["name"] == rest]
            self._frames = (await self._request("stackTrace", threadId=thread))["stackFrames"]
            self._thread = thread
            frame = _frame(self._frames[0]) if self._frames else None
            return {"thread": {"name": rest, "suspended": True}, "frame": frame}
        if name == "where":
            frames = (await self._request("stackTrace", threadId=self._thread))["stackFrames"]
            self._frames = frames
            return {"thread": {"name": await self._name(self._thread)}, "frames": [_frame(each) for each in frames]}
        if name == "print":
            frame = self._frames[0]["id"] if self._frames else None
            found = await self._request("evaluate", expression=rest, frameId=frame, context="watch")
            children: list[Shown] = []
            if found.get("variablesReference"):
                of = await self._request("variables", variablesReference=found["variablesReference"])
                children = [{"value": each["value"]} for each in of["variables"] if each["name"].startswith("[")]
            return {"value": found["result"], "children": children}
        return {}

    async def _set(self, points: dict[str, Shown], wanted: str = "") -> int:
        asked = [
            {"name": place, **({"condition": each["condition"]} if each.get("condition") else {})}
            for place, each in points.items()
        ]
        found = (await self._request("setFunctionBreakpoints", breakpoints=asked))["breakpoints"]
        self._points = {
            place: {**each, "id": made["id"]} for (place, each), made in zip(points.items(), found, strict=True)
        }
        return int(self._points[wanted]["id"]) if wanted else 0

    async def _stops(self) -> list[Shown]:
        """Each stop that was sent, with the place at which its thread stands."""
        shown: list[Shown] = []
        while stop := next(filter(_is_stop, self._dap.events), None):
            self._dap.events.remove(stop)
            body = stop["body"]
            elsewhere = bool(body.get("preserveFocusHint"))
            if not elsewhere:
                self._thread = body["threadId"]
            number = await self._dap.start("stackTrace", threadId=body["threadId"])
            response = await self._dap.response(number)
            frames = response["body"]["stackFrames"] if response["success"] else []
            if not elsewhere:
                self._frames = frames
            top = frames[:1]
            location = _frame(top[0]) if top else {"method": "no frames", "line": None}
            points = body.get("hitBreakpointIds", [])
            thread = {"name": await self._name(body["threadId"])}
            reason = "breakpoint" if points else body["reason"]
            data = {"reason": reason, "thread": thread, "location": location, "breakpoints": points}
            data.update(breakpoint=points[0] if points else None, focus=not elsewhere)
            shown.append({"type": "event", "event": "stop", "data": data})
        return shown

    async def _name(self, thread: int) -> str:
        threads = (await self._request("threads"))["threads"]
        return next((str(each["name"]) for each in threads if each["id"] == thread), "")

    async def _request(self, command: str, **arguments: Any) -> Body:
        response = await self._dap.response(await self._dap.start(command, **arguments))
        if not response["success"]:
            raise _Refused(response["message"])
        body: Body = response.get("body", {})
        return body


class _Refused(Exception):
    """The adapter has refused a request."""


ALONE = " -alone"
"""Suffix of a step that keeps all other threads suspended."""

REQUESTS = {"cont": "continue", "next": "next", "step": "stepIn", "step up": "stepOut"}
"""Words of an editor that let the target run."""

OWNER = re.compile(r'held by thread \d+ "(.*?)"')
ENTERING = re.compile(r'^ *thread \d+ "(.*?)".* waits for it$', re.MULTILINE)
"""The lines of the command ``lock`` about a monitor."""

LINES: dict[str, int] = {}
"""The first line of each method that has a breakpoint; editors know no index of code."""


def _is_stop(event: Body) -> bool:
    return bool(event["event"] == "stopped")


def _frame(frame: Body) -> Shown:
    method = re.sub(r"\(.*", "", frame["name"]).rpartition(".")[2]
    return {"method": method, "line": frame["line"], "code_index": frame["line"]}


@asynccontextmanager
async def dap_door(target: Target, hold: str) -> AsyncIterator[DapDoor]:
    """Run an adapter and an editor for the time of the block."""
    async with dap_client() as dap:
        await dap.attach(target, hold=hold)
        await dap.request("configurationDone")
        yield DapDoor(dap)
        await dap.request("disconnect")
        dap.events.clear()
