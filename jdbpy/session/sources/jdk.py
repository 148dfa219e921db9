"""Where sources of the target's version of the JDK are on this machine, if they are.

Owns that question only. They must be those of exactly the target's version: the lines of another one would mislead.
The target is not asked for the home of its runtime: it could name any directory, and what is in there is run to learn
its version.
"""

from __future__ import annotations

import os

import trio

from jdbpy.session.opening.java_home import java_homes

_PLACES = ("lib/src.zip", "src.zip", "../src.zip", "../lib/src.zip")
"""Where distributions put it, seen from java.home; the last two for a JRE inside a JDK 8."""


async def find_jdk_sources(version: str) -> str | None:
    """The ``src.zip`` of an installed JDK of that ``java.version``, found as `java_homes` finds it. No trip."""
    return await trio.to_thread.run_sync(_find, version, abandon_on_cancel=True)


def _find(version: str) -> str | None:
    for java in java_homes():
        if java.version == version:
            for place in _PLACES:
                archive = os.path.normpath(os.path.join(java.home, place))
                if os.path.isfile(archive):
                    return archive
    return None
