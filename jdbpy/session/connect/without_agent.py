"""Sessions on a JVM that was started without the debugger agent, over HotSpot's attach socket.

Owns how such a session is opened: nothing is suspended, the thread main is selected, and commands that need the agent
are not sent. The session leaves nothing in the JVM. For a JVM on another machine, a program is sent (``channels``).
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from typing import Any

import trio

from jdbpy.errors import ConnectError, UsageError
from jdbpy.record import Record
from jdbpy.session.connect.greeting import AGENT_LINE, greet
from jdbpy.session.connect.local_jvms import NoAgent
from jdbpy.session.connect.logs import wire_log
from jdbpy.session.connect.tcp import place_of_process
from jdbpy.session.connect.transport_process import run_helper
from jdbpy.session.connect.transports import CarriedTransport, OpenTransport, Transport
from jdbpy.session.events.target import Target
from jdbpy.session.inspect.diagnostic_texts import properties_in
from jdbpy.session.model.events import Notice
from jdbpy.session.model.options import Options
from jdbpy.session.model.threads import ThreadInfo
from jdbpy.session.session import Session
from jdbpy.session.without_agent.attach_socket import AttachError, Process, checked
from jdbpy.session.without_agent.channels import (
    AttachChannel,
    OwnChannel,
    ProgramChannel,
    ShellChannel,
    at_opening,
    python_words,
    shell_script,
)
from jdbpy.session.without_agent.diagnostics import SocketDiagnostics
from jdbpy.session.without_agent.guard import WithoutAgentGuard
from jdbpy.session.without_agent.peer import DumpPeer, DumpStream, VmWords
from jdbpy.session.without_agent.thread_dump import ThreadDump
from jdbpy.task_groups import open_nursery
from jdbpy.wire.audit import open_audit_log
from jdbpy.wire.ids import ReferenceTypeID
from jdbpy.wire.opening import running

_LISTENER = re.compile(r"^sun\.jdwp\.listenerAddress=(\w+)\\?:(.+)$", re.MULTILINE)
_STARTED = re.compile(r"Address\s*:\s*(\S+)")
_MOST_SAID = 8
_RECORDER = "JFR Recorder Thread"
"""The thread that a JVM has as soon as its flight recorder was used."""


class Way(Record):
    """How to reach a JVM that was named by its process. Exactly one field is set: the address of its agent on this
    machine, the transport to its agent elsewhere, or the channel to its attach socket."""

    name: str
    transport: Transport
    address: str = ""
    channel: AttachChannel | None = None
    carrier: OpenTransport | None = None


@asynccontextmanager
async def way_to_process(transport: Transport, timeout: float) -> AsyncIterator[Way]:
    """Return how to reach a JVM that an address names by its process. Raises ConnectError."""
    name, pid = str(transport), transport.process
    if not isinstance(transport, CarriedTransport):
        try:
            yield Way(name, transport, address=await place_of_process(pid, timeout))
            return
        except NoAgent as missing:
            waits = missing.on_jcmd
        async with channel_of_process(pid) as channel:
            begun = await agent_address(channel, start=True) if waits else ""
            if begun:
                yield Way(name, transport, address=await place_of_process(pid, timeout))
            else:
                yield Way(name, transport, channel=channel)
        return
    async with transport.shell(shell_script()) as carrier:
        channel = await begin_elsewhere(carrier, pid, f"{transport.SCHEME}://{transport.place}")
        words = (await _facts(channel)).get("words", ())
        begun = await agent_address(channel, start=any("onjcmd=y" in str(each) for each in words))
        port = begun.rpartition(":")[2]
        if not port.isdigit():
            yield Way(name, transport, channel=channel, carrier=carrier)
            return
    yield Way(name, transport.replace(text=name, port=int(port), process=0))


async def _facts(channel: AttachChannel) -> dict[str, Any]:
    try:
        return await channel.facts()
    except AttachError as error:
        raise at_opening(error) from error


@asynccontextmanager
async def channel_of_process(pid: int) -> AsyncIterator[AttachChannel]:
    """Return a channel to the attach socket of a JVM of this machine. As root it goes through a program that
    switches to the user of the JVM.

    Raises ConnectError.
    """
    try:
        process = await trio.to_thread.run_sync(Process, pid)
        if os.geteuid() or process.uid == os.geteuid():
            await trio.to_thread.run_sync(checked, pid)
    except AttachError as error:
        raise at_opening(error) from error
    if process.uid == os.geteuid():
        yield OwnChannel(pid)
        return
    async with run_helper(python_words(sys.executable), carries=True) as helper:
        assert helper.stream is not None
        channel = ProgramChannel(helper.stream, pid)
        try:
            await channel.begin()
        except AttachError as error:
            raise await helper.failure(at_opening(error)) from error
        yield channel


async def begin_elsewhere(carrier: OpenTransport, pid: int, where: str) -> AttachChannel:
    """Return a channel to the attach socket through what runs at the other end: ``channels.shell_script``.

    Raises ConnectError.
    """
    found, stream = b"", carrier.stream
    try:
        while not found.endswith(b"\n") and len(found) < 100:
            data = await stream.receive_some(1)
            if not data:
                raise ConnectError(f"nothing answers from {where}")
            found += data
    except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
        raise ConnectError(f"nothing answers from {where}") from error
    kind = found.strip()
    if kind == b"python":
        channel = ProgramChannel(stream, pid)
    elif kind == b"shell":
        channel = ShellChannel(stream, pid)
    elif kind == b"none":
        raise ConnectError(
            f"{where} has no python3, perl, socat or jcmd to speak to the JVM's attach socket with",
            hint=f"install one there, or start the JVM with {AGENT_LINE}",
        )
    else:
        raise ConnectError(f"{where} answers what cannot be read: {found[:60]!r}")
    try:
        await channel.begin()
    except AttachError as error:
        raise at_opening(error) from error
    return channel


async def agent_address(channel: AttachChannel, *, start: bool = False) -> str:
    """Return the address at which the agent of a JVM says it listens, ``[HOST:]PORT``; "" if none does.

    ``start``: an agent that waits to be started (``onjcmd=y``) is started. Raises ConnectError.
    """
    try:
        status, told = await channel.ask("agentProperties")
        found = _LISTENER.search(told) if not status else None
        if found is not None and found[1] == "dt_socket":
            return found[2].strip().replace("\\:", ":")
        if start:
            status, told = await channel.ask("jcmd", "VM.start_java_debugging")
            begun = _STARTED.search(told)
            if not status and begun is not None:
                return begun[1]
    except AttachError as error:
        raise at_opening(error) from error
    return ""


@asynccontextmanager
async def session_over(
    channel: AttachChannel,
    name: str,
    options: Options,
    carrier: OpenTransport | None = None,
) -> AsyncIterator[Session]:
    """Open a session on the JVM at the other end of a channel.

    Raises UsageError for a recording, ConnectError.
    """
    if options.record:
        raise UsageError(
            "a session on a JVM without the debugger agent cannot be recorded",
            hint="'snapshot FILE' keeps its threads and locks",
        )
    try:
        await channel.facts()
        status, text = await channel.ask("properties")
        if status:  # the shell script has diagnostic commands only
            status, text = await channel.ask("jcmd", "VM.system_properties")
    except AttachError as error:
        try:
            status, text = await channel.ask("jcmd", "VM.system_properties")
        except AttachError:
            raise at_opening(error) from error
    words = VmWords(properties_in(text))
    said = _Said()
    peer = DumpPeer(channel, words, said.dump, said.changed)
    stream = DumpStream(peer, said.failure)
    guard = WithoutAgentGuard(peer.answers, AGENT_LINE)
    with ExitStack() as stack:
        log = stack.enter_context(wire_log(options))
        audit = stack.enter_context(open_audit_log(options.audit, name)) if options.audit else None
        async with open_nursery() as nursery:
            nursery.start_soon(stream.run)
            greeted = await greet(stream, name, log=log)
            conn = greeted.connection
            conn.guard = guard
            conn.carrier_ending = lambda: (carrier.ending() if carrier is not None else "") or stream.ending
            target = Target(
                conn,
                greeted.info,
                greeted.capabilities,
                remote=carrier is not None,
                directory=greeted.directory,
                class_path=greeted.class_path,
                via=carrier.via if carrier is not None else "",
                hold=options.hold,
            )
            target.agent_line = AGENT_LINE
            target.diagnostics = SocketDiagnostics(channel, read_only=options.read_only, audit=audit)
            said.target = target
            async with running(conn):
                session = Session(target, options)
                nursery.start_soon(session.run)
                if isinstance(channel, OwnChannel):
                    nursery.start_soon(_watch, channel.pid, stream)
                try:
                    threads = await session.threads.list(with_frames=True)
                    await _select(session, threads)
                    if any(each.name == _RECORDER for each in threads):
                        await session.end_left_recordings()
                    yield session
                finally:
                    await session.leave()
                    nursery.cancel_scope.cancel()


class _Said:
    """Publishes what the peer reports besides its answers as notices of the session; each only a few times."""

    def __init__(self) -> None:
        self.target: Target | None = None
        self._seen: set[str] = set()

    def dump(self, dump: ThreadDump) -> None:
        """Publish the lines of a thread dump that match no known format."""
        for line in dump.unknown:
            shown = line.strip()
            form = re.sub(r"[0-9a-fx]+", "0", shown)
            if self.target is not None and form not in self._seen and len(self._seen) < _MOST_SAID:
                self._seen.add(form)
                self.target.publish(Notice("thread-dump", f"the thread dump says, not understood: {shown}"))

    def changed(self, types: set[int]) -> None:
        """Invalidate classes that have new lines or methods."""
        if self.target is not None:
            self.target.types.invalidate(map(ReferenceTypeID, types))

    def failure(self, error: AttachError) -> None:
        """Publish why the JVM does not answer."""
        if self.target is not None:
            self.target.publish(Notice("warning", error.message + (f"; {error.hint}" if error.hint else "")))


async def _watch(pid: int, stream: DumpStream) -> None:
    """End the connection when the process ends, where the system reports that."""
    with suppress(OSError, AttributeError):
        file = os.pidfd_open(pid)
        try:
            await trio.lowlevel.wait_readable(file)
            stream.end(f"the JVM {pid} has ended")
        finally:
            os.close(file)


async def _select(session: Session, threads: Sequence[ThreadInfo]) -> None:
    """Select the thread main, or the first of these threads that has frames."""
    with_frames = [each for each in threads if each.frame is not None]
    chosen = next((each for each in with_frames if each.name == "main"), with_frames[0] if with_frames else None)
    if chosen is not None:
        await session.select_thread(chosen.id)
