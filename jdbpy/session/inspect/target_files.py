"""The component ``session.files``: files on the machine of the target, brought here over the debugger's own port.

Owns how a file is read by methods of the target: in parts, into one array there. Nothing is written there, and a file
is removed only where that is asked for, once all of it is here: its length and its checksum are compared first.
"""

from __future__ import annotations

import os
import shutil
import zlib
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from typing import BinaryIO

import trio

from jdbpy.errors import JdbpyError, StateError, Thrown, UsageError
from jdbpy.files import beside_new_file, move_to_new
from jdbpy.session.eval.target import Raw, Ref
from jdbpy.session.eval.utility_calls import CallRunner, UtilityCalls, on
from jdbpy.session.model.operating import FetchedFile

PART = 4 << 20
"""Bytes that are read at a time: two trips."""

_CHECKED_AT_ONCE = 256 << 20
"""Bytes of which the target computes the checksum in one call."""

_BUFFER = 1 << 18
_FILE = "java.io.File"
_INPUT = "java.io.InputStream"
_CRC = "java.util.zip.CRC32"
_CHECKED = "java.util.zip.CheckedInputStream"

Progress = Callable[[int, int], None]
"""Called with the bytes that are here, and those of the whole file."""


class TargetFiles:
    """Files of one target's machine, as its own process may read them. Needs a thread that can run methods."""

    def __init__(self, runner: CallRunner) -> None:
        self._runner = runner

    async def fetch(
        self, source: str, path: str, *, remove: bool = False, on_progress: Progress | None = None
    ) -> FetchedFile:
        """Copy a file of the target's machine to a new private file here; ``remove``: then remove it there.

        The file has the length that it has when this begins. Here it is there as a whole or not at all; length and
        CRC-32 are compared. Raises UsageError for a file here that is there already or cannot be written, and for one
        there that cannot be read, StateError where no thread can run methods, the copy is not the same, or there is
        no room. wire: 8 trips, and 2 for every 4 MB.
        """
        try:
            beside = await trio.to_thread.run_sync(beside_new_file, path)
        except OSError as error:
            raise _cannot_write(path, error) from error
        try:
            with await trio.to_thread.run_sync(open, beside, "wb") as file:
                size = await self._copy_here(source, file, os.path.dirname(path), on_progress)
            await trio.to_thread.run_sync(move_to_new, beside, path)
        except BaseException as error:
            with suppress(OSError):
                os.unlink(beside)
            if isinstance(error, OSError):
                raise _cannot_write(path, error) from error
            raise
        return FetchedFile(source, path, size, removed=remove and await self.remove(source))

    async def read(self, source: str, most: int) -> bytes:
        """Return the bytes of a file of the target's machine. Raises as ``fetch``, StateError for one with more than
        ``most``. wire: 8 trips, and 2 for every 4 MB."""
        async with self._runner.calls("reading a file of the target's machine") as calls:
            size = await self._size(calls, source)
            if size > most:
                raise StateError(f"{source} on the target's machine has more than {most:,} bytes", code="NO_ROOM")
            data = BytesIO()
            await self._copy(calls, source, size, data, None)
            return data.getvalue()

    async def remove(self, source: str) -> bool:
        """Remove a file of the target's machine; False if it could not be. wire: 2 trips, 1 more the first time."""
        async with self._runner.calls("removing a file of the target's machine") as calls:
            file = await calls.new(_FILE, "(Ljava/lang/String;)V", source)
            return bool(await calls.call(file, _FILE, "delete", "()Z"))

    async def temporary(self, suffix: str) -> str:
        """Return a path in the target's directory for temporary files at which there is none. wire: 3 trips."""
        async with self._runner.calls("a file on the target's machine") as calls:
            signature = "(Ljava/lang/String;)Ljava/lang/String;"
            found = await calls.static("java.lang.System", "getProperty", signature, "java.io.tmpdir")
            directory = await calls.text(found) or "."
            separator = "\\" if "\\" in directory and "/" not in directory else "/"
            return f"{directory.rstrip(separator)}{separator}jdbpy-{os.urandom(6).hex()}{suffix}"

    async def _copy_here(self, source: str, file: BinaryIO, directory: str, on_progress: Progress | None) -> int:
        """Write what the target has in the file; return how much. Raises StateError where there is no room for it."""
        async with self._runner.calls("reading a file of the target's machine") as calls:
            size = await self._size(calls, source)
            free = shutil.disk_usage(directory or ".").free
            if free < size:
                raise StateError(
                    f"{source} has {size:,} bytes, and there is room for {free:,} here",
                    hint="name a file on another disk",
                    code="NO_ROOM",
                )
            await self._copy(calls, source, size, file, on_progress)
            return size

    async def _copy(
        self, calls: UtilityCalls, source: str, size: int, file: BinaryIO, on_progress: Progress | None
    ) -> None:
        """Write so many bytes of what the target has to the file. Raises StateError for a copy that is not the same."""
        stream = await self._open(calls, source)
        try:
            checksum = await self._read(calls, stream, size, file, on_progress, source)
        finally:
            with trio.move_on_after(2, shield=True), suppress(JdbpyError):
                await calls.call(stream, _INPUT, "close", "()V")
        if checksum != await self._checksum(calls, source, size):
            raise StateError(
                f"the copy of {source} is not the same as the file: it was written meanwhile, or the link is bad",
                hint="try again when nothing writes the file",
                code="NOT_THE_SAME",
            )

    async def _size(self, calls: UtilityCalls, source: str) -> int:
        named = await calls.new(_FILE, "(Ljava/lang/String;)V", source)
        is_file, size = await calls.all(on(named, _FILE, "isFile", "()Z"), on(named, _FILE, "length", "()J"))
        if not is_file or not isinstance(size, int):
            raise UsageError(f"no file {source} on the target's machine", hint="the path is one there", code="FILE")
        return size

    async def _open(self, calls: UtilityCalls, source: str) -> Ref:
        try:
            return await calls.new("java.io.FileInputStream", "(Ljava/lang/String;)V", source)
        except Thrown as error:
            raise UsageError(f"the target cannot read {source}: {error.exception_message}", code="FILE") from error

    async def _read(
        self,
        calls: UtilityCalls,
        stream: Raw,
        size: int,
        file: BinaryIO,
        on_progress: Progress | None,
        source: str,
    ) -> int:
        """Write ``size`` bytes of a stream to the file and return their CRC-32."""
        room = await calls.room(max(1, min(PART, size)))
        here = checksum = 0
        while here < size:
            count = await calls.call(stream, _INPUT, "read", "([BII)I", room, 0, min(PART, size - here))
            if not isinstance(count, int) or count <= 0:
                raise StateError(
                    f"{source} has become shorter while it was read", hint="try again when nothing writes the file"
                )
            data = await calls.data(room, count)
            checksum = zlib.crc32(data, checksum)
            await trio.to_thread.run_sync(file.write, data)
            here += count
            if on_progress is not None:
                on_progress(here, size)
        await trio.to_thread.run_sync(file.flush)
        return checksum

    async def _checksum(self, calls: UtilityCalls, source: str, size: int) -> int:
        """Return the CRC-32 of the first bytes of the file, as the target computes it."""
        crc = await calls.new(_CRC, "()V")
        stream = await self._open(calls, source)
        buffered = await calls.new("java.io.BufferedInputStream", "(Ljava/io/InputStream;I)V", stream, _BUFFER)
        checked = await calls.new(_CHECKED, "(Ljava/io/InputStream;Ljava/util/zip/Checksum;)V", buffered, crc)
        try:
            left = size
            while left:
                skipped = await calls.call(checked, _CHECKED, "skip", "(J)J", min(left, _CHECKED_AT_ONCE))
                if not isinstance(skipped, int) or skipped <= 0:
                    break
                left -= skipped
            value = await calls.call(crc, _CRC, "getValue", "()J")
            return value if isinstance(value, int) and not left else -1
        finally:
            with trio.move_on_after(2, shield=True), suppress(JdbpyError):
                await calls.call(stream, _INPUT, "close", "()V")


def _cannot_write(path: str, error: OSError) -> UsageError:
    return UsageError(f"cannot write {path}: {error.strerror}", hint="name a new file here", code="FILE")
