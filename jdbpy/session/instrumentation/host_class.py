"""The class file of a class of the target, where it lies on this machine."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable
from contextlib import suppress

import trio

from jdbpy.errors import JdbpyError
from jdbpy.session.sources.local_classes import local_class_path
from jdbpy.session.target.target import Target

MOST_BYTES = 16_000_000
"""A larger file is no class file (JVMS 4.11)."""


async def local_class_file(target: Target, name: str) -> bytes | None:
    """The first class file of that internal name on those entries of the class path that may be opened here; None if
    there is none, or the JVM is on another machine. It need not be the class that runs. wire: 1 trip.
    """
    if target.remote:
        return None
    with suppress(JdbpyError):
        paths = (await local_class_path(target)).used
        return await trio.to_thread.run_sync(_find, paths, f"{name}.class", abandon_on_cancel=True)
    return None


def _find(paths: Iterable[str], name: str) -> bytes | None:
    for path in paths:
        with suppress(OSError, KeyError, zipfile.BadZipFile, NotImplementedError, RuntimeError):
            if os.path.isdir(path):
                file = os.path.join(path, *name.split("/"))
                if os.path.getsize(file) <= MOST_BYTES:
                    with open(file, "rb") as opened:
                        return opened.read()
            elif os.path.isfile(path):
                with zipfile.ZipFile(path) as archive:
                    if archive.getinfo(name).file_size <= MOST_BYTES:
                        return archive.read(name)
    return None
