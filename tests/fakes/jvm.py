"""A JVM that tests play: it answers commands by itself, and misbehaves where the test tells it to.

It is made of the same declarations as the debugger, with the codec that ``JDBPY_CODEC`` names. It is for races and
faults in the middle of an ordinary session; where the order of every packet matters take ``tests.wire.peer``, and real
JVMs for features. One debugger at a time, as with HotSpot.

    jvm = FakeJvm()                                      # one thread, one class: see tests.fakes.world
    async with jvm.connected() as connection:            # on a memory stream, for tests of the wire
        await connection.request(virtual_machine.AllThreads())

    async with jvm.listening() as address:               # on loopback, for tests of the session
        async with jdbpy.attach_session(address) as session: ...

Answers. A command has its plain answer (``tests.fakes.answers``) unless the test gives it another:

    jvm.on(thread_reference.Name, thread_reference.NameReply("x"))      a reply
    jvm.on(thread_reference.Name, Error.INVALID_THREAD)                 an error; any int will do
    jvm.on(thread_reference.Name, bytes(3))                             a body as it is, sound or not
    jvm.on(thread_reference.Name, lambda command: ...)                  any of these, made when asked; may be async
    jvm.on(thread_reference.Name, SILENCE)                              no reply, ever
    jvm.hold(thread_reference.Name); ...; await jvm.release()           late replies, in the order of the commands
    jvm.before(event_request.Set, jvm.hit)                              an async call before the reply (an early event)
    jvm.hang_up(virtual_machine.Resume, after=5)                        the stream ends after 5 bytes of the reply

Events. ``await jvm.happen(event, ...)`` sends a set and counts suspensions as the agent does; ``await jvm.hit()`` is
a breakpoint of the newest request. ``jvm.requests`` has the requests by id.

What the debugger did. ``jvm.commands`` has all commands in order, ``await jvm.wait_for(Command)`` the next of a class,
``jvm.world.suspended()`` the threads that it holds; ``jvm.gone`` is set when it has left.
"""

from __future__ import annotations

import inspect
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeVar

import trio
from trio.testing import memory_stream_pair

from jdbpy.record import Record
from jdbpy.task_groups import open_nursery
from jdbpy.wire.codec import default_codec
from jdbpy.wire.command import Command, Empty, find_command
from jdbpy.wire.connection import Connection
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy
from jdbpy.wire.framing import REPLY, Framer, Packet, encode_command, encode_packet
from jdbpy.wire.handshake import HANDSHAKE
from jdbpy.wire.ids import IDSizes, ThreadID
from jdbpy.wire.layout import VALUE_CODES, id_code
from jdbpy.wire.messages import array_reference, class_type, event, event_request, object_reference, virtual_machine
from jdbpy.wire.opening import open_connection
from tests.fakes import answers
from tests.fakes.world import World

Body = Record | int | bytes
Answer = Body | Callable[[Any], Body | Awaitable[Body]]
C = TypeVar("C", bound=Command[Any])

SILENCE = b"\xff silence"
"""An answer that is not sent."""


class FakeJvm:
    """The target's side of one session after another; see the module for its use."""

    def __init__(
        self, world: World | None = None, *, sizes: IDSizes | None = None, handshake: bytes = HANDSHAKE
    ) -> None:
        self.world = world or World()
        self.sizes = sizes or IDSizes()
        self.handshake = handshake
        """What it answers to the handshake."""
        self.commands: list[Command[Any]] = []
        self.requests: dict[int, event_request.Set] = {}
        self.gone = trio.Event()
        self._codec = default_codec()
        self._answers: dict[type[Command[Any]], Answer] = {}
        self._before: dict[type[Command[Any]], Callable[[], Awaitable[object]]] = {}
        self._held: set[type[Command[Any]]] = set()
        self._late: list[tuple[int, Command[Any]]] = []
        self._hang_up: dict[type[Command[Any]], int] = {}
        self._arrived = trio.Condition()
        self._looked_at = 0
        self._next_request = 2
        self._next_event = 0
        self._sending = trio.Lock()
        self._stream: trio.abc.Stream

    # -- what the test says ----------------------------------------------------------------------------------------

    def on(self, command: type[Command[Any]], answer: Answer) -> None:
        """From now on ``answer`` is what answers the command."""
        self._answers[command] = answer

    def before(self, command: type[Command[Any]], action: Callable[[], Awaitable[object]]) -> None:
        """Each time the command comes, ``action`` is awaited before its reply is sent."""
        self._before[command] = action

    def hold(self, *commands: type[Command[Any]]) -> None:
        """Replies to the commands wait for ``release``; all else is answered at once, which no real agent would do."""
        self._held.update(commands)

    async def release(self, *commands: type[Command[Any]]) -> None:
        """Sends the replies to these commands (none: to all) that were held, and holds no more of them."""
        released = set(commands or self._held)
        self._held -= released
        late = [each for each in self._late if type(each[1]) in released]
        self._late = [each for each in self._late if type(each[1]) not in released]
        for packet_id, command in late:
            await self._reply(packet_id, command)

    def hang_up(self, command: type[Command[Any]], *, after: int = 0) -> None:
        """When the command comes, the stream ends after as many bytes of the reply."""
        self._hang_up[command] = after

    async def send(self, data: bytes) -> None:
        """Sends bytes that need not mean anything."""
        async with self._sending:  # a reply may be on its way
            await self._stream.send_all(data)

    async def close(self) -> None:
        """The JVM is killed: the stream ends."""
        await trio.aclose_forcefully(self._stream)

    # -- events ----------------------------------------------------------------------------------------------------

    async def happen(self, *events: event.Event, policy: int = JdwpSuspendPolicy.ALL) -> None:
        """Sends an event set, and suspends what its policy says."""
        for one in events:
            if isinstance(one, event.ThreadEvent):
                self.world.stop(policy, one.thread)
                break
        else:
            self.world.stop(policy, 0)
        composite = self._codec.encode(event.Composite(policy, list(events)), self.sizes)
        self._next_event += 1
        await self.send(
            encode_command(self._next_event, event.Composite.COMMAND_SET, event.Composite.COMMAND, composite)
        )

    async def hit(self, thread: int = 1) -> None:
        """A thread meets the breakpoint of the newest request for one: there it stands then."""
        request_id = max(one for one, made in self.requests.items() if made.eventKind == EventKind.BREAKPOINT)
        stack = self.world.threads[thread].stack
        places = (one.loc for one in self.requests[request_id].modifiers if isinstance(one, event_request.LocationOnly))
        place = stack[0] = next(places, stack[0])
        policy = self.requests[request_id].suspendPolicy
        await self.happen(event.Breakpoint(request_id, ThreadID(thread), place), policy=policy)

    # -- what the debugger did -------------------------------------------------------------------------------------

    async def wait_for(self, command: type[C]) -> C:
        """The next command of a class among those that no earlier call has passed."""
        while True:
            while self._looked_at < len(self.commands):
                self._looked_at += 1
                found = self.commands[self._looked_at - 1]
                if isinstance(found, command):
                    return found
            async with self._arrived:
                if self._looked_at == len(self.commands):  # none has come while the lock was waited for
                    await self._arrived.wait()

    def received(self, command: type[C]) -> list[C]:
        """All commands of a class so far."""
        return [one for one in self.commands if isinstance(one, command)]

    # -- being connected -------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def connected(self, **options: Any) -> AsyncIterator[Connection]:
        """A connection (made with ``options``) on a memory stream, ids already of this JVM's sizes."""
        ours, theirs = memory_stream_pair()
        async with open_nursery() as nursery:
            nursery.start_soon(self.serve, theirs)
            async with open_connection(ours, **options) as connection:
                connection.id_sizes = self.sizes
                yield connection
            nursery.cancel_scope.cancel()

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        """Takes debuggers at a free port of loopback; yields the address."""
        async with open_nursery() as nursery:
            [listener] = await nursery.start(partial(trio.serve_tcp, self.serve, 0, host="127.0.0.1"))
            yield f"127.0.0.1:{listener.socket.getsockname()[1]}"
            nursery.cancel_scope.cancel()

    async def serve(self, stream: trio.abc.Stream) -> None:
        """Plays one session on a stream, until it ends."""
        self._stream = stream
        if self.gone.is_set():
            self.gone = trio.Event()
        try:
            async with stream:
                await self._session()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # the debugger was quicker, or the test has closed the stream
        finally:
            self.requests.clear()
            self.world.let_go()
            self.gone.set()

    async def _session(self) -> None:
        framer = Framer()
        data = b""
        while len(data) < len(HANDSHAKE):
            more = await self._stream.receive_some()
            if not more:
                return
            data += more
        assert data.startswith(HANDSHAKE)
        await self.send(self.handshake)
        framer.feed(data[len(HANDSHAKE) :])
        while True:
            for packet in framer:
                await self._take(packet)
            more = await self._stream.receive_some()
            if not more:
                return
            framer.feed(more)

    async def _take(self, packet: Packet) -> None:
        assert not packet.flags, "HotSpot drops the connection at a command with flags"
        found = find_command(packet.command_set, packet.command)
        assert found is not None, f"the debugger made up command {packet.command_set}, {packet.command}"
        command = self._codec.decode(found, packet.data, self.sizes, tags=list(self._tags(found, packet.data)))
        async with self._arrived:
            self.commands.append(command)
            self._arrived.notify_all()
        if found in self._held:
            self._late.append((packet.id, command))
        else:
            await self._reply(packet.id, command)

    async def _reply(self, packet_id: int, command: Command[Any]) -> None:
        before = self._before.get(type(command))
        body = await self._body(command)
        if before is not None:
            await before()
        if body == SILENCE:
            return
        error, data = (body, b"") if isinstance(body, int) else (0, body)
        if isinstance(data, Record):
            data = self._codec.encode(data, self.sizes)
        reply = encode_packet(Packet(packet_id, REPLY, 0, 0, error, data))
        if type(command) in self._hang_up:
            await self.send(reply[: self._hang_up[type(command)]])
            await self.close()
        else:
            await self.send(reply)
        if isinstance(command, virtual_machine.Dispose | virtual_machine.Exit):
            await self.close()

    async def _body(self, command: Command[Any]) -> Body:
        if type(command) not in self._answers:
            return self._own_answer(command)
        given = self._answers[type(command)]
        if not callable(given):
            return given
        made = given(command)
        return await made if inspect.isawaitable(made) else made

    def _own_answer(self, command: Command[Any]) -> Body:
        """Answers out of what belongs to the session, not to the world."""
        match command:
            case virtual_machine.IDSizes():
                return virtual_machine.IDSizesReply(*(size for _, size in self.sizes.__iter_fields__()))
            case event_request.Set():
                request_id, self._next_request = self._next_request, self._next_request + 1
                self.requests[request_id] = command
                return event_request.SetReply(request_id)
            case event_request.Clear():
                self.requests.pop(command.requestID, None)
                return Empty()
            case event_request.ClearAllBreakpoints():
                for one in [one for one, made in self.requests.items() if made.eventKind == EventKind.BREAKPOINT]:
                    del self.requests[one]
                return Empty()
        if command.REPLY is Empty and type(command) not in answers.KNOWN:
            return Empty()
        return answers.answer(self.world, command)

    def _tags(self, command: type[Command[Any]], data: bytes) -> Iterator[int]:
        """The tags of a command's untagged values, which the target knows from its fields and arrays."""
        if command is array_reference.SetValues:
            array, _, count = struct.unpack_from(f">{id_code(self.sizes, 'objectIDSize')}iI", data)
            yield from [self.world.arrays[array]] * count
        elif command in (class_type.SetValues, object_reference.SetValues):
            owner = "referenceTypeIDSize" if command is class_type.SetValues else "objectIDSize"
            yield from self._tags_of_fields(data, getattr(self.sizes, owner))

    def _tags_of_fields(self, data: bytes, owner_size: int) -> Iterator[int]:
        """The tags for ClassType.SetValues and ObjectReference.SetValues: the owner, a count, then field and value."""
        id_size = self.sizes.fieldIDSize
        (count,) = struct.unpack_from(">I", data, owner_size)
        pos = owner_size + 4
        for _ in range(count):
            tag = self.world.tag_of_field(int.from_bytes(data[pos : pos + id_size], "big"))
            yield tag
            width = struct.calcsize(">" + VALUE_CODES[tag]) if tag in VALUE_CODES else self.sizes.objectIDSize
            pos += id_size + width
