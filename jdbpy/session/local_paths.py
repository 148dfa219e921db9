"""Paths that the target tells, and what of them may be opened on this machine.

Owns that decision. The target may be anyone's: a path of its class path is opened here only below a directory that the
user has named or stands in, or in which the system and build tools keep their libraries. What the user launched is the
user's own. Nothing in here runs a program; what is told is never run at all.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress

import trio

from jdbpy.record import Record
from jdbpy.session.target import Target
from jdbpy.wire.messages import virtual_machine

_LIBRARIES = (
    "/usr/share/java",
    "/usr/share/maven-repo",
    "/usr/lib/jvm",
    "~/.m2/repository",
    "~/.gradle/caches",
    "~/.ivy2",
    "~/.cache/coursier",
    "~/.sbt",
    "~/.groovy",
)
"""Where the system and build tools keep libraries."""


class LocalPaths(Record):
    """Entries of a path that the target told: those that may be ``used`` here, and those ``left_out``."""

    used: tuple[str, ...]
    left_out: tuple[str, ...] = ()


async def local_class_path(target: Target) -> LocalPaths:
    """The target's class path, as far as it may be opened on this machine. wire: 1 trip."""
    reply = await target.conn.request(virtual_machine.ClassPaths())
    return await allowed_paths(target, [os.path.join(reply.baseDir, each) for each in reply.classpaths if each])


async def allowed_paths(target: Target, told: Sequence[str]) -> LocalPaths:
    """Return which of the paths that the target has told may be opened on this machine. No trip."""
    if target.launched:
        return LocalPaths(tuple(told))
    return await trio.to_thread.run_sync(below, told, target.named_paths, abandon_on_cancel=True)


def path_of_url(url: str) -> str:
    """The directory or archive that a URL of a class loader names; "" where it names none, or is inside an archive."""
    from urllib.parse import unquote, urlsplit  # here: it takes a while to load

    nested = url.removeprefix("jar:").removesuffix("!/")
    split = urlsplit(nested)
    return unquote(split.path) if split.scheme == "file" and not split.netloc and "!/" not in split.path else ""


def below(paths: Iterable[str], named: Sequence[str] = ()) -> LocalPaths:
    """The paths that lie below a directory the user or the system has named, before and after links are resolved.

    Paths elsewhere are not touched: to look at one may wait for ever.
    """
    roots = _roots(named)
    used, left_out = [], []
    for path in paths:
        full = os.path.normpath(path)
        plain = os.path.isabs(full) and "\0" not in full and os.pathsep not in full
        if plain and _is_below(full, roots) and _is_below(os.path.realpath(full), roots):
            used.append(full)
        else:
            left_out.append(path)
    return LocalPaths(tuple(used), tuple(left_out))


def _roots(named: Sequence[str]) -> list[str]:
    """The named directories and archives, the working directory and the libraries, links resolved and not."""
    roots = []
    with suppress(OSError):  # it was removed
        roots.append(os.getcwd())
    for each in (*named, *_LIBRARIES):
        full = os.path.abspath(os.path.expanduser(each))
        roots += [full, os.path.realpath(full)]
    return [root for root in dict.fromkeys(roots) if root != os.sep]


def _is_below(path: str, roots: Iterable[str]) -> bool:
    return any(path == root or path.startswith(f"{root}{os.sep}") for root in roots)
