"""Recordings that a killed debugger has left running in the target: found by their names, and stopped.

Owns the names of recordings: whose they are, and whether that debugger still runs. They end when the next debugger
attaches, which reads the names from the recorder's fields, so that no method runs in a target that somebody else is
recording; and when a profile begins, which asks the recorder anyway.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress

import trio

from jdbpy.errors import EvalError, JdbpyError
from jdbpy.session.eval.api.component import Values
from jdbpy.session.events.target import Target
from jdbpy.session.model.events import Notice
from jdbpy.session.values.queries import ObjectQueries

Command = Callable[[str], Awaitable[str]]
"""Runs a diagnostic command."""

_RECORDINGS = "jdk.jfr.FlightRecorder.platformRecorder.internal.recordings"
"""The same in all releases with a flight recorder; checked with 8, 11, 17, 21 and 25."""

_LIMIT = 5.0
"""Seconds allowed for stopping a recording; attaching waits for it."""

_LISTED = re.compile(r"name=(jdbpy-[\w.-]*?-\d+-\d+)\b")
_OURS = re.compile(r"jdbpy-([\w.-]*?)-(\d+)-\d+")


def own_name(number: int) -> str:
    """Return the name of a recording of this process: the host and the process tell later whose it was."""
    return f"jdbpy-{host()}-{os.getpid()}-{number}"


def host() -> str:
    """Return this machine as it is in names of recordings."""
    return re.sub(r"[^\w.]", "", socket.gethostname())[:40]


def listed_names(text: str) -> list[str]:
    """Return the names of debuggers' recordings in the output of ``JFR.check``."""
    return _LISTED.findall(text)


async def names_in_fields(values: Values, objects: ObjectQueries) -> list[str]:
    """Return the names of the recordings of a target. Raises JdbpyError if the recorder cannot be read. wire: some 8
    trips."""
    listed = await values.evaluate(_RECORDINGS, remember=False, read_only=True)
    recordings = [each.value.id for each in listed.children if each.value is not None and each.value.id is not None]
    found = await objects.field(recordings, "name")
    return [each.value.text.strip('"') for each in found if not isinstance(each, JdbpyError) and each.value is not None]


async def end_left(command: Command, names: Iterable[str]) -> list[tuple[str, str]]:
    """Stop those of the recordings that killed debuggers of this machine have left running; return the name of each,
    and why it could not be stopped, "" where it was."""
    ended = []
    for name in names:
        if not _is_left(name):
            continue
        why = f"it was not ended within {_LIMIT:g} s"
        with trio.move_on_after(_LIMIT):
            try:
                with suppress(EvalError):  # what it says was collected
                    await command(f"JFR.stop name={name}")
                why = ""
            except JdbpyError as error:
                why = error.message
        ended.append((name, why))
    return ended


async def report_left(target: Target, command: Command, names: Callable[[], Awaitable[Iterable[str]]]) -> None:
    """Stop such recordings at the beginning of a session, and report each, or why it could not be stopped."""
    try:
        found = await names()
    except JdbpyError:  # the user did not ask for it; the next profile looks again
        return
    for name, why in await end_left(command, found):
        about = f"the recording {name} of the flight recorder, left by a debugger that was killed"
        text = f"ended {about}" if not why else f"{about}, runs on: {why}; 'jcmd JFR.stop name={name}' ends it"
        target.publish(Notice("left-over", text, (("recording", name),)))


def _is_left(name: str) -> bool:
    """True if the recording belongs to a debugger of this machine that no longer runs."""
    ours = _OURS.fullmatch(name)
    return ours is not None and ours[1] == host() and not _runs(int(ours[2]))


def _runs(process: int) -> bool:
    """True if a process of this machine may be running."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError, OSError):
        return True
    return True
