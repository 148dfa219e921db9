"""A connection to the fixture ``Everything``, led to its breakpoint, for tests of messages on real JVMs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from jdbpy.wire.command import Command, R
from jdbpy.wire.connection import Connection
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy
from jdbpy.wire.ids import CodeLocation, MethodID, ReferenceTypeID, ThreadID
from jdbpy.wire.messages import event, event_request, method, reference_type, virtual_machine
from tests.harness import LIMIT, Jvm, Target, start_target, within
from tests.harness.connecting import connected

ALL = JdwpSuspendPolicy.ALL


class Debuggee:
    """The fixture over a bare connection. ``sent`` is every kind of command that it has answered without an error."""

    def __init__(self, connection: Connection, target: Target) -> None:
        self.connection = connection
        self.target = target
        self.sent: set[str] = set()

    async def ask(self, command: Command[R]) -> R:
        reply = await self.connection.request(command)
        self.sent.add(command.NAME)
        return reply

    async def request(self, kind: EventKind, *modifiers: event_request.Modifier, policy: int = ALL) -> int:
        return (await self.ask(event_request.Set(kind, policy, modifiers))).requestID

    async def expect(self, kind: type[event.Event]) -> Any:
        """The next event set must have an event of this class."""
        happened = await self.connection.next_event()
        [found] = [one for one in happened.events if isinstance(one, kind)]
        return found

    async def resume(self) -> None:
        await self.ask(virtual_machine.Resume())

    async def find_class(self, name: str) -> ReferenceTypeID:
        [found] = (await self.ask(virtual_machine.ClassesBySignature(f"L{name};"))).classes
        return found.typeID

    async def find_method(self, owner: ReferenceTypeID, name: str) -> MethodID:
        declared = (await self.ask(reference_type.MethodsWithGeneric(owner))).declared
        [found] = [one.methodID for one in declared if one.name == name]
        return found

    async def field_ids(self, owner: ReferenceTypeID) -> dict[str, Any]:
        return {one.name: one.fieldID for one in (await self.ask(reference_type.FieldsWithGeneric(owner))).declared}

    async def place(self, owner: ReferenceTypeID, name: str, line: int) -> CodeLocation:
        """The first instruction of a line of a method."""
        found = await self.find_method(owner, name)
        lines = (await self.ask(method.LineTable(owner, found))).lines
        [index] = [one.lineCodeIndex for one in lines if one.lineNumber == line]
        return CodeLocation(1, owner, found, index)

    async def run_to_stop(self) -> tuple[ThreadID, ReferenceTypeID]:
        """Runs to the line ``@stop`` of ``Thing.stop``; returns the thread and the class ``Thing``."""
        await self.expect(event.VMStart)
        prepare = await self.request(
            EventKind.CLASS_PREPARE, event_request.ClassMatch("Everything$Thing"), event_request.Count(1)
        )
        await self.resume()
        prepared = await self.expect(event.ClassPrepare)
        assert (prepared.requestID, prepared.signature) == (prepare, "LEverything$Thing;")
        place = await self.place(prepared.typeID, "stop", self.target.program.line("stop"))
        await self.request(EventKind.BREAKPOINT, event_request.LocationOnly(place), event_request.Count(1))
        await self.resume()
        hit = await self.expect(event.Breakpoint)
        assert hit.location == place
        return hit.thread, prepared.typeID


@asynccontextmanager
async def everything(jvm: Jvm, hello: Sequence[Command[Any]] = ()) -> AsyncIterator[Debuggee]:
    """The fixture, started suspended, with a connection that knows its id sizes."""
    async with start_target(jvm, "Everything") as target:
        with within(LIMIT):
            async with connected(target, hello) as connection:
                debuggee = Debuggee(connection, target)
                connection.id_sizes = (await debuggee.ask(virtual_machine.IDSizes())).sizes()
                yield debuggee
