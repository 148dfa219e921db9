"""A decompiler of the user's: a program that is given a class file and writes Java to its standard output.

Owns how it is run: the words are the user's alone, without a shell; the class file, which comes from elsewhere, lies in
a directory of this run's own, under a name that this module makes. The time and the output are bounded.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress

import trio

from jdbpy.errors import StateError, UsageError
from jdbpy.escape import escape
from jdbpy.session.java.signatures import simple_name
from jdbpy.session.sources.roots import MOST_BYTES
from jdbpy.session.sources.text import SourceFile, decode, split_lines

LIMIT = 60.0
"""Seconds that it may take: a JVM's start, and a large class."""

_WORDS_SHOWN = 200
"""Characters of its last words that an error shows."""

_MOST_WORDS = 64 * 1024
"""Bytes of its standard error that are kept."""


def words_of(command: str) -> tuple[str, ...]:
    """Return the program and its arguments; () for "" and "none". Raises UsageError if there is no such program."""
    try:
        words = shlex.split(command)
        if len(words) == 1 and " " in words[0]:  # the whole of it in quotes
            words = shlex.split(words[0])
    except ValueError as error:
        raise UsageError(f"'{command}' cannot be read: {str(error).lower()}") from None
    if words in ([], ["none"]):
        return ()
    if shutil.which(words[0]) is None:
        raise UsageError(f"there is no program '{words[0]}' on the PATH", hint="give the whole path of the decompiler")
    return tuple(words)


async def decompile(words: Sequence[str], class_name: str, data: bytes) -> SourceFile:
    """Run the program with the path of a class file behind its words; return what it has written.

    Raises StateError when it fails, writes nothing, or takes too long. No trip.
    """
    program = os.path.basename(words[0])
    simple = simple_name(class_name)
    name = simple if re.fullmatch(r"[A-Za-z_$][\w$]{0,99}", simple, re.ASCII) else "Class"
    with tempfile.TemporaryDirectory(prefix="jdbpy-") as directory:
        path = os.path.join(directory, f"{name}.class")
        await trio.Path(path).write_bytes(data)
        with trio.move_on_after(LIMIT):
            status, output, said = await _run([*words, path], directory)
            break_off = "" if len(output) <= MOST_BYTES else f"has written more than {MOST_BYTES >> 20} MB"
            text = split_lines(decode(output))
            if status and not break_off:
                last = escape(said.decode("utf-8", "replace").strip().rpartition("\n")[2][:_WORDS_SHOWN])
                break_off = f"failed with status {status}" + f": {last}" * bool(last)
            elif not any(line.strip() for line in text):
                break_off = "has written nothing"
            if break_off:
                raise StateError(f"the decompiler {program} {break_off}", code="DECOMPILER_FAILED")
            return SourceFile(f"{name}.java, as {program} has made it of the class file", text)
    raise StateError(f"the decompiler {program} was not done within {LIMIT:g} seconds", code="DECOMPILER_FAILED")


async def _run(words: Sequence[str], directory: str) -> tuple[int, bytes, bytes]:
    """Return its status, its output up to one byte more than is taken, and what it has said to its standard error."""
    try:
        process = await trio.lowlevel.open_process(
            list(words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=directory,
            start_new_session=True,
        )
    except OSError as error:
        raise StateError(f"cannot run {words[0]}: {error.strerror or error}", code="DECOMPILER_FAILED") from error
    output, said = bytearray(), bytearray()
    try:
        async with trio.open_nursery() as nursery:
            assert process.stdout is not None
            assert process.stderr is not None
            nursery.start_soon(_take, process.stderr, said, _MOST_WORDS)
            async for data in process.stdout:
                output += data
                if len(output) > MOST_BYTES:
                    nursery.cancel_scope.cancel()
                    break
        return (0 if len(output) > MOST_BYTES else await process.wait()), bytes(output), bytes(said)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # and what it has started
        with trio.CancelScope(shield=True):
            await process.wait()
            for pipe in (process.stdout, process.stderr):
                if pipe is not None:
                    await trio.aclose_forcefully(pipe)


async def _take(stream: trio.abc.ReceiveStream, kept: bytearray, most: int) -> None:
    async for data in stream:
        kept += data[: max(0, most - len(kept))]
