"""Conversations of the doors of jdbpy that are changed: editors by port, served sessions, agents by HTTP.

A client that knows the token, mostly, sends what such clients send, with values, bytes and lengths changed, and goes
away. The door closes the connection soon, tells of no fault of its own, keeps its memory, and serves the next client;
what it debugs runs on.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import trio

from jdbpy import __version__
from jdbpy.serve.typed import pack
from tests.harness import LIMIT, Target, inline, start_target, within
from tests.harness.processes import piped
from tests.harness.programs import ROOT
from tests.harness.turns import TURNS
from tests.soak.messages import spoil, text
from tests.soak.trial import Run

Message = dict[str, Any]

CLOSING_LIMIT = LIMIT
"""Seconds in which a door has closed the connection of a client that has gone."""

MEMORY = 200
"""Megabytes that the process of a door may have at most."""

_EVERY = 25
"""So many conversations come between two of a client that means well."""

_FAULTS = (b"failed in the debugger itself", b"Traceback", b"JDBPY_FAULT", b"has a fault")

_STATUSES = (0, 128 + 15)
"""How a door ends at SIGTERM, or with its target."""

EXPRESSIONS = (
    "1",
    "turns",
    "this",
    "Turns.class",
    "turns + 1",
    '"a" + by',
    "new int[3]",
    "why.length()",
    "new Turns()",
)
PLACES = ("Turns.turn", "Turns.check", "Turns:18", "Turns.none", "Absent.method", "Turns.java:20")
LINES = (
    "where", "threads", "where all", "locals", "print turns", "stop in Turns.turn", "clear Turns.turn", "cont", "step",
    "next", "pause", "classes Turns", "methods Turns", "calls Turns.turn for 100ms", "trace Turns.check --no-suspend",
    "untrace", "breakpoints", "disassemble Turns.turn", "dump this", "version", "find turns", "info hits", "deadlocks",
)  # fmt: skip
THREADS = ("1", "main", "#1", "")


class Door:
    """A process that serves clients, and the target that it debugs."""

    def __init__(self, target: Target, agent: int, process: trio.Process) -> None:
        self.target = target
        self.agent = agent
        """The port of the target's agent."""
        self.process = process
        self.port = 0
        self.token = ""
        self.said = bytearray()

    @property
    def megabytes(self) -> int:
        """The most that the process has had; 0 when it is gone."""
        with suppress(OSError):
            found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{self.process.pid}/status").read_text())
            return int(found[1]) // 1024 if found else 0
        return 0

    async def listen(self) -> None:
        """Keep what the process says."""
        assert self.process.stderr is not None
        async for data in self.process.stderr:
            self.said += data[: 1 << 20]

    @property
    def is_open(self) -> bool:
        return self.process.returncode is None and self.target.process.returncode is None

    def check(self, *, closed: bool = False) -> None:
        """Fail if the door has told of a fault, has grown too large, or has gone without its target."""
        said = bytes(self.said)
        for fault in _FAULTS:
            assert fault not in said, said[max(0, said.index(fault) - 1500) :][:3000].decode(errors="replace")
        assert b"a client was dropped" not in said, said[-500:].decode(errors="replace")
        if not closed and self.process.poll() is not None and self.target.process.poll() is None:
            raise AssertionError(f"the door has ended with {self.process.returncode}: {said[-500:]!r}")
        assert self.megabytes < MEMORY, f"the door has reached {self.megabytes} MB"


WORDS = {
    "dap": ("dap", "--port", "0"),
    "serve": ("serve", "--port", "0", "attach"),
    "mcp": ("mcp", "--http", "0", "--idle", "600", "attach"),
}
"""The words of each door; an address comes behind "attach"."""


@asynccontextmanager
async def opened(run: Run, kind: str) -> AsyncIterator[Door]:
    """A door of a kind, with a target of its own."""
    async with start_target(run.jvm, inline(TURNS), suspend=False) as target:
        await target.wait_output("turning")
        agent = target.port
        command = [sys.executable, "-m", "jdbpy", *WORDS[kind], *([str(agent)] if "attach" in WORDS[kind] else [])]
        async with piped(command, cwd=ROOT, stderr=subprocess.PIPE) as process, trio.open_nursery() as nursery:
            door = Door(target, agent, process)
            assert process.stderr is not None
            port = token = None
            with within(LIMIT):
                while port is None or token is None:
                    door.said += await process.stderr.receive_some()
                    port = re.search(rb"(?:listening on|and at) \S*?:(\d+)(?:/mcp)?\s", door.said)
                    token = re.search(rb"token (\S+)\n", door.said)
            door.port, door.token = int(port[1]), token[1].decode()
            nursery.start_soon(door.listen)
            yield door
            await _close(door)
            nursery.cancel_scope.cancel()


async def _close(door: Door) -> None:
    """End a door by a signal: its status is of the contract, and what it has debugged runs on."""
    ended = door.target.process.poll() is not None
    door.process.terminate()
    with within(LIMIT):
        status = await door.process.wait()
    assert status in _STATUSES or (ended and status == -15), f"status {status}: {bytes(door.said[-1000:])!r}"
    door.check(closed=True)
    if door.target.process.poll() is None:
        await door.target.send()
        with within(LIMIT):
            await door.target.wait_exit()


async def talk(door: Door, parts: list[bytes], rng: random.Random, until: bytes = b"") -> bytes:
    """Send, take what comes, and go away; what came. The door must close the connection then.

    ``until`` is waited for before.
    """
    came, arrived, closed = bytearray(), trio.Event(), trio.Event()
    async with await trio.open_tcp_stream("127.0.0.1", door.port) as stream, trio.open_nursery() as nursery:

        @nursery.start_soon
        async def receive() -> None:
            with suppress(trio.BrokenResourceError):
                async for data in stream:
                    if len(came) < 4 << 20:
                        came.extend(data)
                    if until and until in came:
                        arrived.set()
            closed.set()

        with suppress(trio.BrokenResourceError):
            for part in parts:
                await stream.send_all(part)
                await trio.sleep(rng.choice((0, 0, 0, 0.01, 0.05)))
            if until:
                with trio.move_on_after(CLOSING_LIMIT):
                    await arrived.wait()
                assert until in came, f"no {until!r} within {CLOSING_LIMIT:g} s: {bytes(came[-1000:])!r}"
            await trio.sleep(rng.choice((0, 0.1, 0.3)))
            await stream.send_eof()
        with trio.move_on_after(CLOSING_LIMIT) as limit:
            await closed.wait()
        nursery.cancel_scope.cancel()
    assert not limit.cancelled_caught, f"not closed within {CLOSING_LIMIT:g} s; it said {bytes(came[-300:])!r}"
    for fault in _FAULTS:
        assert fault not in came, came[max(0, came.index(fault) - 300) :][:900].decode(errors="replace")
    return bytes(came)


# -- changes -----------------------------------------------------------------------------------------------------------

_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 7, 1.5, 1 << 31, 1 << 53, 1 << 63, 1 << 64, -(1 << 63), 1e308, float("nan"),
    float("inf"), "", "\0", "\ud800", "9" * 5000, "x" * 60_000, "a\nb", "\x1b[2J", [], {}, [[]], [{}], {"": ""},
    ["x"] * 3000, "main", "1", "Turns",
)  # fmt: skip


def changed(message: Message, rng: random.Random) -> Message:
    """The message with one value or more changed, left out or added."""
    copy: Message = deepcopy(message)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        holders = list(_holders(copy))
        holder = rng.choice(holders)
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys or rng.random() < 0.1:
            if isinstance(holder, dict):
                holder[text(rng)] = deepcopy(rng.choice(_VALUES))
            else:
                holder.append(deepcopy(rng.choice(_VALUES)))
            continue
        key = rng.choice(keys)
        match rng.randint(0, 5):
            case 0:
                del holder[key]
            case 1:
                other = rng.choice(holders)
                inner = list(other.values()) if isinstance(other, dict) else other
                if inner:
                    holder[key] = deepcopy(rng.choice(inner))
            case _:
                holder[key] = deepcopy(rng.choice(_VALUES))
    return copy


def _holders(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for each in value.values() if isinstance(value, dict) else value:
            yield from _holders(each)


def _bodies(messages: list[Message], rng: random.Random, *, sound: int) -> list[bytes]:
    """The messages as JSON, some of those behind the ``sound`` first ones changed."""
    often = rng.choice((0.1, 0.3, 0.6))
    bodies = []
    for number, message in enumerate(messages):
        if number >= sound and rng.random() < often:
            message = changed(message, rng)
        body = json.dumps(message).encode()
        if number >= sound and rng.random() < often / 3:
            body = rng.choice((spoil(body, rng), b"[" * 3000, body[: len(body) // 2], b"{" + body))
        bodies.append(body)
    return bodies


def _sound(rng: random.Random) -> int:
    """How many messages are sent as they should be: mostly those that lead inside."""
    return rng.choice((0, 3, 3, 3, 3, 6))


# -- editors -----------------------------------------------------------------------------------------------------------


def dap_requests(door: Door, rng: random.Random) -> list[Message]:
    """What an editor asks, in some order."""
    reference, frame = rng.choice((1, 2, 3, 1000, 1001)), rng.choice((1, 2, 1000))
    expression = rng.choice(EXPRESSIONS)
    inner: list[tuple[str, Message]] = [
        ("setBreakpoints", {"source": {"path": "/x/Turns.java", "name": "Turns.java"},
                            "breakpoints": [{"line": rng.choice((1, 16, 18, 20)), "condition": "turns > 3",
                                             "hitCondition": "> 2", "logMessage": "{turns}"}]}),
        ("setFunctionBreakpoints", {"breakpoints": [{"name": rng.choice(PLACES), "condition": "by > 0"}]}),
        ("setExceptionBreakpoints", {"filters": ["caught"], "filterOptions": [
            {"filterId": "uncaught", "condition": "java.lang.IllegalStateException"}]}),
        ("setInstructionBreakpoints", {"breakpoints": [{"instructionReference": "0x10", "offset": 1}]}),
        ("setDataBreakpoints", {"breakpoints": [{"dataId": "Turns.turns", "accessType": "write"}]}),
        ("dataBreakpointInfo", {"variablesReference": reference, "name": "turns"}),
        ("threads", {}), ("pause", {"threadId": 1}), ("continue", {"threadId": 1}), ("next", {"threadId": 1}),
        ("stepIn", {"threadId": 1, "targetId": 1}), ("stepOut", {"threadId": 1}),
        ("stackTrace", {"threadId": 1, "startFrame": 0, "levels": 20}), ("scopes", {"frameId": frame}),
        ("variables", {"variablesReference": reference, "start": 0, "count": 100, "filter": "named"}),
        ("setVariable", {"variablesReference": reference, "name": "turns", "value": "3"}),
        ("evaluate", {"expression": expression, "frameId": frame, "context": rng.choice(("hover", "watch", "repl"))}),
        ("evaluate", {"expression": f"`{rng.choice(LINES)}", "context": "repl"}),
        ("setExpression", {"expression": "turns", "value": "4", "frameId": frame}),
        ("completions", {"text": "tur", "column": 3, "frameId": frame}), ("source", {"sourceReference": reference}),
        ("loadedSources", {}), ("modules", {"startModule": 0, "moduleCount": 3}),
        ("readMemory", {"memoryReference": "1", "offset": 0, "count": 16}),
        ("disassemble", {"memoryReference": "0x1", "offset": 0, "instructionOffset": -4, "instructionCount": 8}),
        ("exceptionInfo", {"threadId": 1}), ("stepInTargets", {"frameId": frame}),
        ("gotoTargets", {"source": {"name": "Turns.java"}, "line": 18}), ("restartFrame", {"frameId": frame}),
        ("breakpointLocations", {"source": {"name": "Turns.java"}, "line": 16, "endLine": 20}),
        ("cancel", {"requestId": rng.randint(1, 9)}), ("jdbpy/redefine", {"classes": []}),
    ]  # fmt: skip
    attach = {"port": door.agent, "token": door.token if rng.random() < 0.9 else "no", "timeout": 5000,
              "sourcePaths": ["/x"], "pathMappings": [{"local": "/x", "remote": "/y"}], "hold": "thread"}  # fmt: skip
    first = [("initialize", {"adapterID": "jdbpy", "clientID": "soak", "supportsProgressReporting": True,
                             "linesStartAt1": True, "pathFormat": "path"}), ("attach", attach),
             ("configurationDone", {})]  # fmt: skip
    last: list[tuple[str, Message]] = [("disconnect", {})] if rng.random() < 0.7 else []
    chosen = [*first, *(rng.choice(inner) for _ in range(rng.randint(2, 10))), *last]
    return [
        {"seq": number, "type": "request", "command": command, "arguments": arguments}
        for number, (command, arguments) in enumerate(chosen, 1)
    ]


async def dap(door: Door, rng: random.Random) -> None:
    parts = []
    for body in _bodies(dap_requests(door, rng), rng, sound=_sound(rng)):
        length = len(body) if rng.random() < 0.98 else rng.choice((0, len(body) + 1, len(body) - 1, 1 << 40, -1))
        parts.append(b"Content-Length: %d\r\n\r\n" % length + body)
    if rng.random() < 0.05:
        parts[rng.randrange(len(parts))] = rng.randbytes(rng.randint(1, 3000))
    await talk(door, parts, rng)


async def sound_editor(door: Door) -> None:
    rng = random.Random(1)
    attach = {"port": door.agent, "token": door.token, "hold": "thread"}
    asked = [("initialize", {"adapterID": "jdbpy"}), ("attach", attach), ("configurationDone", {}), ("threads", {}),
             ("evaluate", {"expression": "`version", "context": "repl"})]  # fmt: skip
    parts = []
    for number, (command, arguments) in enumerate(asked, 1):
        message = {"seq": number, "type": "request", "command": command, "arguments": arguments}
        body = json.dumps(message).encode()
        parts.append(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    await talk(door, parts, rng, until=b'"name":"main"')


# -- served sessions ---------------------------------------------------------------------------------------------------


def _hello(door: Door, front: str, rng: random.Random) -> Message:
    return {
        "jdbpy": 1, "name": "soak", "token": door.token if rng.random() < 0.9 else "no", "front": front, "timeout": 2,
        "version": __version__, "columns": 80, "rows": 24, "color": rng.random() < 0.5, "keep_going": True,
        "pages": rng.random() < 0.3, "window": True,
    }  # fmt: skip


def json_lines(rng: random.Random) -> list[Message]:
    lines: list[Message] = [{"command": rng.choice(LINES), "id": n} for n in range(rng.randint(1, 6))]
    return [
        *lines,
        *([{"interrupt": True}] if rng.random() < 0.2 else []),
        *([{"end": True}] if rng.random() < 0.6 else []),
    ]


def prompt_lines(rng: random.Random) -> list[Message]:
    of = (
        lambda: {"answer": rng.choice(LINES)},
        lambda: {"answer": rng.choice(LINES)},
        lambda: {"complete": rng.choice(("st", "print tu", "stop in Tur", "x " * 20, "")), "id": 1},
        lambda: {"columns": rng.choice((1, 20, 80, 9999)), "rows": 20},
        lambda: {"interrupt": True},
        lambda: {"pressed": True},
        lambda: {"answer": "y"},
        lambda: {"panic": True},
    )
    return [*(rng.choice(of)() for _ in range(rng.randint(2, 8))), *([{"end": True}] if rng.random() < 0.7 else [])]


def object_lines(rng: random.Random) -> list[Message]:
    def call(name: str, *given: Any, **named: Any) -> Message:
        return {"call": name, "given": pack((given, named))}

    of = (
        call("threads.list"), call("threads.find", "main"), call("breakpoints.add", rng.choice(PLACES)),
        call("points.remove", [1]), call("values.evaluate", rng.choice(EXPRESSIONS)), call("stack.of"),
        call("execution.pause"), call("execution.resume"), call("classes.detail", "Turns"), call("stack.variables"),
        call("execution.step", None), call("heap.instances", "Turns"), call("locks.deadlocks"), call("vm.properties"),
        call("select_thread", 1), call("exit"), {"make": "1", "call": "threads.sampler"}, call("#1.begin"),
        {"taken": 1}, {"put_back": 1}, {"cancel": 2}, {"number": 5}, {"undo_pause": None},
        {"call": "observe", "given": pack((("1", "calls", {"method": "Turns.turn"}), {}))},
        {"call": "unobserve", "given": pack((("1",), {}))},
    )  # fmt: skip
    lines = [{**rng.choice(of), "id": n} for n in range(1, rng.randint(2, 9))]
    return [*lines, *([{"end": True}] if rng.random() < 0.7 else [])]


FRONTS: dict[str, Callable[[random.Random], list[Message]]] = {
    "json": json_lines,
    "prompt": prompt_lines,
    "objects": object_lines,
}


async def lines_of(front: str, door: Door, rng: random.Random) -> None:
    messages = [_hello(door, front, rng), *FRONTS[front](rng)]
    parts = [body + b"\n" for body in _bodies(messages, rng, sound=rng.choice((0, 1, 1, 1, 3)))]
    if rng.random() < 0.05:
        parts[rng.randrange(len(parts))] = rng.randbytes(rng.randint(1, 3000))
    await talk(door, parts, rng)


async def sound_program(door: Door) -> None:
    hello = {"jdbpy": 1, "name": "sound", "token": door.token, "front": "json", "timeout": 10}
    lines: list[Message] = [hello, {"command": "version", "id": 1}, {"command": "threads", "id": 2}]
    await talk(door, [json.dumps(each).encode() + b"\n" for each in lines], random.Random(1), until=b'"main"')


# -- agents ------------------------------------------------------------------------------------------------------------


def _tools(rng: random.Random) -> list[tuple[str, Message]]:
    thread, expression = rng.choice(THREADS), rng.choice(EXPRESSIONS)
    return [
        ("attach", {}), ("detach", {}), ("run_until_stop", {"timeout": 0.3, "thread": thread}),
        ("pause", {"thread": thread}), ("step", {"kind": "over", "thread": thread, "count": 2, "timeout": 0.3}),
        ("set_breakpoint", {"at": rng.choice(PLACES), "condition": "turns > 2", "hits": "> 2", "suspend": "thread"}),
        ("set_breakpoint", {"at": rng.choice(PLACES), "log": "{turns}"}), ("remove_breakpoint", {"number": 1}),
        ("stack", {"thread": thread, "first": 0, "limit": 5}),
        ("inspect", {"expression": expression, "thread": thread, "frame": 0, "depth": 2, "limit": 5}),
        ("evaluate", {"expression": expression, "thread": thread, "frame": 0, "depth": 1, "timeout": 1}),
        ("threads", {"name": "main", "limit": 3}), ("source", {"class_name": "Turns", "line": 16, "around": 3}),
        ("trace", {"method": "Turns.turn", "seconds": 0.2, "limit": 5, "stack": 2}),
        ("diagnose", {"what": rng.choice(("all", "hits", "deadlocks", "stacks", "hot")), "seconds": 0.2}),
        ("command", {"line": rng.choice(LINES), "timeout": 1}),
    ]  # fmt: skip


def _post(door: Door, body: bytes, session: str, rng: random.Random | None) -> bytes:
    token = door.token if rng is None or rng.random() < 0.95 else "no"
    length = len(body) if rng is None or rng.random() < 0.97 else rng.choice((0, len(body) - 1, 1 << 40))
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{door.port}\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {length}\r\n"
        + (f"Mcp-Session-Id: {session}\r\nMcp-Protocol-Version: 2025-06-18\r\n" if session else "")
        + "\r\n"
    ).encode()
    if rng is not None and rng.random() < 0.04:
        head = spoil(head, rng)
    return head + body


_INITIALIZE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "soak", "version": "1"}},
}  # fmt: skip


async def _begin(door: Door) -> str:
    """The id of a new session."""
    asked = _post(door, json.dumps(_INITIALIZE).encode(), "", None)
    came = await talk(door, [asked], random.Random(1), until=b"\r\n\r\n")
    found = re.search(rb"mcp-session-id: (\S+)\r", came, re.IGNORECASE)
    assert found is not None, came[:1000]
    return found[1].decode()


async def mcp(door: Door, rng: random.Random) -> None:
    session = await _begin(door)
    messages: list[Message] = [{"jsonrpc": "2.0", "method": "notifications/initialized"}]
    for number in range(2, rng.randint(4, 8)):
        name, arguments = rng.choice(_tools(rng))
        call = {"method": "tools/call", "params": {"name": name, "arguments": arguments}}
        listing: Message = {
            "method": rng.choice(("tools/list", "resources/list", "ping", "prompts/list")),
            "params": {},
        }
        messages.append({"jsonrpc": "2.0", "id": number, **(call if rng.random() < 0.85 else listing)})
    parts = [_post(door, body, session, rng) for body in _bodies(messages, rng, sound=1)]
    if rng.random() < 0.3:
        parts.append(_post(door, b"", session, None).replace(b"POST", b"DELETE", 1))
    await talk(door, parts, rng)


async def sound_agent(door: Door) -> None:
    session = await _begin(door)
    asked: list[Message] = [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "attach", "arguments": {}}},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "threads", "arguments": {}}},
    ]
    parts = [_post(door, json.dumps(each).encode(), session, None) for each in asked]
    await talk(door, parts, random.Random(1), until=b'\\"name\\":\\"main\\"')


# -- the trial ---------------------------------------------------------------------------------------------------------

KINDS: dict[str, tuple[str, Callable[[Door, random.Random], Any]]] = {
    "dap": ("dap", dap),
    "json": ("serve", lambda door, rng: lines_of("json", door, rng)),
    "prompt": ("serve", lambda door, rng: lines_of("prompt", door, rng)),
    "objects": ("serve", lambda door, rng: lines_of("objects", door, rng)),
    "mcp": ("mcp", mcp),
}
SOUND: dict[str, Callable[[Door], Any]] = {"dap": sound_editor, "serve": sound_program, "mcp": sound_agent}


async def run(run: Run) -> None:
    """Hold conversations for as long as there is time, by the doors in turn."""
    memory: Counter[str] = Counter()
    anew: Counter[str] = Counter()
    seeds = run.seeds()
    names = list(KINDS)

    async def lane(kind: str, mine: trio.MemoryReceiveChannel[int]) -> None:
        async for first in mine:
            with run.attempt_whole():
                async with opened(run, kind) as door:
                    await _hold(kind, door, first, mine)
            anew[kind] += 1

    async def _hold(kind: str, door: Door, first: int, mine: trio.MemoryReceiveChannel[int]) -> None:
        seed, held = first, 0
        while door.is_open:
            name = names[seed % len(names)]
            with run.attempt(seed, name):
                await KINDS[name][1](door, run.random(seed))
                door.check()
            memory[kind] = max(memory[kind], door.megabytes)
            held += 1
            if held % _EVERY == 0 and door.is_open:
                with run.attempt_whole():
                    await SOUND[kind](door)
            try:
                seed = await mine.receive()
            except trio.EndOfChannel:
                if door.is_open:
                    await SOUND[kind](door)
                return

    async with trio.open_nursery() as nursery:
        ways = {}
        for kind in WORDS:
            ways[kind], mine = trio.open_memory_channel[int](3)
            nursery.start_soon(lane, kind, mine)
        for seed in seeds:
            await ways[KINDS[names[seed % len(names)]][0]].send(seed)
        for way in ways.values():
            way.close()
    for name, count in sorted(run.outcome.kinds.items()):
        run.figure(name, f"{count:,}")
    run.figure("memory", ", ".join(f"{kind} {most} MB" for kind, most in sorted(memory.items())) + " at most")
