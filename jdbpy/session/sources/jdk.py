"""Where the sources of the target's JDK are on this machine, if they are.

Owns that question only. They must be those of exactly the target's version: the lines of another one would mislead.
"""

from __future__ import annotations

import os

import trio

from jdbpy.errors import JdwpError
from jdbpy.session.opening.java_home import inspect_home, java_homes
from jdbpy.session.target import Target
from jdbpy.wire.ids import ObjectID
from jdbpy.wire.messages import reference_type, string_reference, virtual_machine

_HOLDER = "Ljdk/internal/util/StaticProperty;"
"""Keeps java.home in a static field, from Java 9 on; loaded at the start of every VM."""

_PLACES = ("lib/src.zip", "src.zip", "../src.zip", "../lib/src.zip")
"""Where distributions put it, seen from java.home; the last two for a JRE inside a JDK 8."""


async def find_jdk_sources(target: Target) -> str | None:
    """The ``src.zip`` with the target's own JDK sources: of its runtime when it runs here, else of an equal one.

    wire: 3 trips for a target on this machine, 4 where the class was never heard of, else none.
    """
    home = None if target.remote else await home_of(target)
    return await trio.to_thread.run_sync(_find, home, target.info.version)


async def home_of(target: Target) -> str | None:
    """java.home of the target, read from a field (nothing is run); before Java 9 told by the boot class path."""
    try:
        if not target.at_least(9):
            boot = (await target.conn.request(virtual_machine.ClassPaths())).bootclasspaths
            return next((path.removesuffix("/lib/rt.jar") for path in boot if path.endswith("/lib/rt.jar")), None)
        known = target.types.known_named(_HOLDER)  # of the boot loader's classes there is one of each name
        holder = known or (await target.types.by_signature(_HOLDER))[0].id
        fields = (await target.types.fields([holder]))[holder]
        [field] = [each for each in fields if each.name == "JAVA_HOME" and each.is_static]
        [value] = (await target.conn.request(reference_type.GetValues(holder, [field.id]))).values
        if not isinstance(value.value, int) or not value.value:
            return None
        return (await target.conn.request(string_reference.Value(ObjectID(value.value)))).stringValue
    except (JdwpError, LookupError, ValueError):
        return None  # a runtime that keeps it elsewhere


def _find(home: str | None, version: str) -> str | None:
    if home and (here := inspect_home(home)) and here.version == version:
        for place in _PLACES:
            archive = os.path.normpath(os.path.join(here.home, place))
            if os.path.isfile(archive):
                return archive
    equal = (os.path.join(each.home, "lib/src.zip") for each in java_homes() if each.version == version)
    return next((archive for archive in equal if os.path.isfile(archive)), None)
