"""A recording of the target's flight recorder, from its start until it has been fetched and removed.

A diagnostic command starts it; it is stopped and read through the methods of ``jdk.jfr.Recording`` over the existing
connection. A session without the debugger agent cannot run methods: there the recording is dumped to a file on this
machine.
"""

from __future__ import annotations

import re
import struct
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar

import trio

from jdbpy.errors import EvalError, StateError, Thrown, UsageError
from jdbpy.session.eval.target import Raw, Ref
from jdbpy.session.eval.utility_calls import CallRunner, UtilityCalls, on
from jdbpy.session.events.target import Target
from jdbpy.session.inspect.hotspot import ANSWER_LOST, COMMAND_LIMIT
from jdbpy.session.profile.left_behind import Command, end_left, listed_names, own_name
from jdbpy.wire.ids import ArrayID, ObjectID
from jdbpy.wire.messages import array_reference

T = TypeVar("T")

_RECORDER = "jdk.jfr.FlightRecorder"
_RECORDING = "jdk.jfr.Recording"
_SETTINGS = "jdk.jfr.EventSettings"
_STREAM = "java.io.InputStream"
_LIST = "java.util.List"
_GET_STREAM = "(Ljava/time/Instant;Ljava/time/Instant;)Ljava/io/InputStream;"

_BLOCK = 1 << 18
"""Bytes of a recording that are read at a time."""

_TRIES = 8

_PAUSE = 0.1
"""Seconds between two attempts to stop a recording."""

_LARGEST = 512 << 20
"""The largest recording that is fetched, in bytes."""

_MAXIMUM = "100m"
"""How much of a recording the target keeps: the most recent data."""

_STARTED = re.compile(r"Started recording (\d+)")


class NoRecorder(StateError):
    """The target has no usable flight recorder; the message says why."""

    default_code = "NO_FLIGHT_RECORDER"


class TargetRecorder:
    """The flight recorder of one target."""

    def __init__(self, target: Target, runner: CallRunner, command: Command) -> None:
        self._target = target
        self._runner = runner
        self._command = command
        self._count = 0
        self.name = ""
        """The name of the running recording, "" if there is none."""

    async def start(self, settings: Mapping[str, str], release: int) -> None:
        """Start a recording of some events. Raises NoRecorder if the target has no flight recorder; other errors pass
        through.

        wire: 6 trips.
        """
        if release < 8:
            raise NoRecorder("the flight recorder comes with Java 8u262")
        try:
            said = await _again(lambda: self._command("JFR.check"))
        except UsageError as error:
            raise NoRecorder(f"the target has no flight recorder: {error.message}") from error
        await end_left(self._command, listed_names(said))
        self._count += 1
        name = own_name(self._count)
        if release >= 17:
            words = " ".join(f"+{key}={value}" for key, value in settings.items())
            line = f"JFR.start name={name} settings=none maxsize={_MAXIMUM} {words}"
        else:  # events cannot be set one by one here
            line = f"JFR.start name={name} settings={'none' if release >= 11 else 'profile'} maxsize={_MAXIMUM}"
        self.name = name  # from now on it may run, whatever comes of the command
        try:
            said = await self._command(line)
        except UsageError as error:
            self.name = ""
            raise NoRecorder(f"the target does not record: {error.message}") from error
        if said == ANSWER_LOST:
            said = await _again(lambda: self._command("JFR.check"))
        if not _STARTED.search(said) and name not in said:
            self.name = ""
            raise NoRecorder(f"the target does not record: {' '.join(said.split())[:200] or 'it says nothing'}")
        if release < 17:
            await self._set(settings)

    async def _set(self, settings: Mapping[str, str]) -> None:
        """Configure the events of the recording by running methods. wire: 5 trips, and 1 for each setting."""
        by_event: dict[str, list[tuple[str, str]]] = {}
        for key, value in settings.items():
            event, _, setting = key.partition("#")
            by_event.setdefault(event, []).append((setting, _spaced(value)))
        async with self._runner.calls("a recording", limit=COMMAND_LIMIT) as calls:
            recording = await _again(lambda: self._found(calls))
            for event, named in by_event.items():
                enable = f"(Ljava/lang/String;)L{_SETTINGS.replace('.', '/')};"
                chosen = await _again(partial(calls.call, recording, _RECORDING, "enable", enable, event))
                for setting, value in named:
                    signature = f"(Ljava/lang/String;Ljava/lang/String;)L{_SETTINGS.replace('.', '/')};"
                    await _again(partial(calls.call, chosen, _SETTINGS, "with", signature, setting, value))

    async def take(self) -> bytes:
        """Stop the recording, return its data, and remove it from the target."""
        try:
            return await self._taken_by_methods()
        except StateError as error:
            if error.code != "NEEDS_AGENT":
                raise
        return await self._taken_by_file()

    async def discard(self) -> None:
        """Stop the recording, if one is running, and discard its data."""
        while self.name:
            name, self.name = self.name, ""
            try:
                await self._command(f"JFR.stop name={name}")
            except StateError as error:
                if error.code not in ("NOT_AT_EVENT", "STILL_RUNNING"):
                    raise
                await trio.sleep(_PAUSE)  # what was given up still runs in the thread that could do it
                self.name = name

    async def _taken_by_methods(self) -> bytes:
        async with self._runner.calls("a recording", limit=COMMAND_LIMIT) as calls:
            recording = await _again(lambda: self._found(calls))
            await calls.call(recording, _RECORDING, "stop", "()Z")
            try:
                return await self._read(calls, recording)
            finally:
                self.name = ""
                await calls.call(recording, _RECORDING, "close", "()V")

    async def _found(self, calls: UtilityCalls) -> Raw:
        """Return the ``Recording`` object. wire: 5 trips."""
        recorder = await calls.static(_RECORDER, "getFlightRecorder", f"()L{_RECORDER.replace('.', '/')};")
        listed = await calls.call(recorder, _RECORDER, "getRecordings", "()Ljava/util/List;")
        array = await calls.call(listed, _LIST, "toArray", "()[Ljava/lang/Object;")
        recordings = await calls.array(array)
        calls.declare(_RECORDING, *recordings)
        names = await calls.texts(
            await calls.all(*(on(each, _RECORDING, "getName", "()Ljava/lang/String;") for each in recordings))
        )
        for recording, name in zip(recordings, names, strict=True):
            if name == self.name and isinstance(recording, Ref):
                return recording
        self.name = ""
        raise StateError("the recording is gone: somebody else has ended it", code="RECORDING_GONE")

    async def _read(self, calls: UtilityCalls, recording: Raw) -> bytes:
        """Return all bytes. One array is reused, so that no block is collected before it was fetched. wire: 2 trips for
        256 kB.

        A stream that is collected before it was pinned has been closed by its finalizer, but is still reachable by its
        id, and yields nothing. No recording is empty, so another stream is opened then.
        """
        empty = await calls.bytes(b"")
        room = await _again(lambda: calls.static("java.util.Arrays", "copyOf", "([BI)[B", empty, _BLOCK))
        for _ in range(_TRIES):
            stream = await _again(lambda: calls.call(recording, _RECORDING, "getStream", _GET_STREAM, None, None))
            if isinstance(stream, Ref) and isinstance(room, Ref) and (found := await self._all(calls, stream, room)):
                return found
        raise StateError("the recording cannot be read: the target gives none of it", code="NOT_AVAILABLE")

    async def _all(self, calls: UtilityCalls, stream: Ref, room: Ref) -> bytes:
        """Read a stream of the target to its end and close it."""
        found = bytearray()
        try:
            while True:
                count = await calls.call(stream, _STREAM, "read", "([BII)I", room, 0, _BLOCK)
                if not isinstance(count, int) or count <= 0:
                    return bytes(found)
                part = array_reference.GetValues(ArrayID(ObjectID(room.id)), 0, count)
                values = (await self._target.conn.request(part)).values.values
                found += struct.pack(f"{len(values)}b", *values)
                if len(found) > _LARGEST:
                    raise StateError(f"the recording has more than {_LARGEST >> 20} MB", code="TOO_LARGE")
        finally:
            await calls.call(stream, _STREAM, "close", "()V")

    async def _taken_by_file(self) -> bytes:
        path = Path(tempfile.gettempdir(), f"{self.name}.jfr")
        await self._command(f"JFR.dump name={self.name} filename={path}")
        await self.discard()
        try:
            data = await trio.to_thread.run_sync(_taken, path)
        except OSError as error:
            raise StateError(
                f"the recording is in {path} where the target runs: {error.strerror or error}",
                hint=f"bring it here, and 'jdbpy open {path.name}' shows it",
                code="NOT_AVAILABLE",
            ) from error
        return data


def _taken(path: Path) -> bytes:
    """Return the contents of a file and remove it."""
    data = path.read_bytes()
    path.unlink(missing_ok=True)
    return data


async def _again(ask: Callable[[], Awaitable[T]]) -> T:
    """Repeat a request that is safe to repeat while objects are collected before they were pinned."""
    for _ in range(_TRIES):
        try:
            return await ask()
        except Thrown:
            raise
        except EvalError:
            continue
    return await ask()


def _spaced(value: str) -> str:
    """Return a setting in the form that ``Recording`` expects: ``10 ms``."""
    return re.sub(r"^(\d+)([a-z]+)$", r"\1 \2", value)
