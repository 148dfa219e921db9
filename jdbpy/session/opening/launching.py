"""The third way to a session: with a JVM that is started for it.

Owns that the JVM boots while most of the session is loaded: what is imported here is what starting it takes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from jdbpy.session.events import Output
from jdbpy.session.opening.launch import START_LIMIT, LaunchCommand, launch_target
from jdbpy.session.options import Options

if TYPE_CHECKING:
    from jdbpy.session.session import Session


@asynccontextmanager
async def launch(
    command: LaunchCommand, *, options: Options | None = None, timeout: float = START_LIMIT
) -> AsyncIterator[Session]:
    """Start a JVM of our own, stopped before its main class is loaded unless ``command`` says otherwise, and debug it.

    ``timeout``: seconds until the JVM has connected; it is given up when it then takes that long, or the limit of
    ``attach``, to answer the first commands. Its output comes as ``Output`` events. Leaving the block ends it, with its
    process group, unless it was detached. Raises UsageError (no Java) and ConnectError (the JVM did not come up: the
    message has what it printed).
    """
    early: list[Output] = []
    hand_on: Callable[[Output], None] = early.append
    async with launch_target(command, lambda output: hand_on(output), timeout=timeout) as launched:
        from jdbpy.session.opening.connect import open_session  # loaded while the JVM boots
        from jdbpy.session.opening.greeting import CONNECT_LIMIT

        stream = launched.stream
        about = options or Options()
        limit = min(timeout, CONNECT_LIMIT)
        opening = open_session(stream, launched.address, about, launched, suspended=command.held, timeout=limit)
        async with opening as session:
            for output in early:
                session.publish(output)
            hand_on = session.publish
            yield session
