"""The process of ``jdbpy serve``: opens the session, runs the first commands, and serves until the end."""

from __future__ import annotations

import sys
from contextlib import AsyncExitStack

from jdbpy import ConnectError, Exited, JdbpyError, LeaveError, UsageError, VMDisconnected, garbage
from jdbpy.cli.batch import Batch
from jdbpy.cli.console import Console
from jdbpy.cli.output.choice import plain_renderer
from jdbpy.cli.run import open_session
from jdbpy.cli.settings import Settings
from jdbpy.escape import escape
from jdbpy.process import standard
from jdbpy.process.scripts import ScriptLines
from jdbpy.process.signals import ended_by_signals
from jdbpy.process.statuses import LOST, NO_CONNECTION, USAGE, status_of
from jdbpy.serve.cmdline import ServeLine
from jdbpy.serve.protocols import served_session
from jdbpy.serve.server import Serving


async def run(given: ServeLine) -> int:
    """Serve until the target ends, the connection is lost, or a signal comes; the exit status.

    That is 0 after the end of the target, 5 when the connection was lost, 130 after Ctrl-C.
    """
    settings = Settings()
    settings.set("hints", "off")
    console = Console(plain_renderer(settings), json=False)
    status = 0
    async with ended_by_signals() as ended_by:
        status = await _serve(given, console, settings)
    return 128 + ended_by[0] if ended_by else status


async def _serve(given: ServeLine, console: Console, settings: Settings) -> int:
    line = given.line
    address = "".join(line.addresses)
    name = f"{line.action} {address}".strip()
    try:
        async with AsyncExitStack() as stack:
            session = await stack.enter_async_context(open_session(line, console, address))
            garbage.loaded()
            if line.scripts:
                batch = Batch(session, console, settings, timeout=line.timeout, keep_going=line.keep_going)
                status = await batch.run(ScriptLines(line.scripts))
                if status or batch.context.leaving or session.ending is not None:
                    return status
            target = "a launched JVM" if session.launched else session.address
            served = served_session(session, target=target, together=given.together, attended=False, keep=given.keep)
            _tell(await served.open(given.name, given.port), target)
            await served.run()
            return _tell_end(session.ending, served.info.name)
    except JdbpyError as error:
        console.failure(name, error)
        if isinstance(error, ConnectError):
            return NO_CONNECTION
        return USAGE if isinstance(error, UsageError) else status_of(error)
    except BaseException as error:
        for note in getattr(error, "__notes__", ()):  # that it is not certain that the target runs
            console.failure(name, LeaveError(note))
        raise


def _tell_end(ending: Exited | VMDisconnected | None, name: str) -> int:
    """Write why the session is over; the exit status."""
    why, status = "the target has ended", 0
    if isinstance(ending, VMDisconnected):
        why, status = f"the connection is closed: {ending.reason}", LOST
    standard.write(f"session '{name}' is over: {why}\n", sys.stderr)
    return status


def _tell(serving: Serving, target: str) -> None:
    text = f"serving {escape(target)} as '{serving.name}'; join it with: jdbpy join {serving.name}\n"
    if serving.address:
        text += f"and at {serving.address} with the token {serving.token}\n"
    standard.write(text, sys.stderr)
