"""The class file of a class of the target, where it lies on this machine; it need not be the one that runs."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable
from contextlib import suppress

import trio

from jdbpy.errors import JdbpyError, StateError
from jdbpy.session.events.target import Target
from jdbpy.session.hotswap.differences import differences, of_file
from jdbpy.session.hotswap.hotswap import running_shapes
from jdbpy.session.inspect.class_origin import paths_of
from jdbpy.session.java.class_file import MalformedClassFile, parse
from jdbpy.session.java.signatures import signature_of
from jdbpy.session.sources.local_classes import local_class_path

MOST_BYTES = 16_000_000
"""A larger file is no class file (JVMS 4.11)."""


async def local_class_file(target: Target, name: str) -> bytes | None:
    """Return the first class file of that internal name on the entries of the class path that may be opened here; None
    if there is none, or the JVM is on another machine. It need not be the class that runs. wire: 1 trip.
    """
    if target.remote:
        return None
    with suppress(JdbpyError):
        paths = (await local_class_path(target)).used
        return await trio.to_thread.run_sync(_find, paths, f"{name}.class", abandon_on_cancel=True)
    return None


async def running_class_file(target: Target, class_name: str) -> bytes:
    """Return the class file of a loaded class, compared with what runs, out of what may be opened on this machine.

    It is looked for where the class came from, on the class path of the target, and on the source path, which the user
    has named. Raises StateError when there is none. wire: some 15 trips.
    """
    types = await target.types.by_signature(signature_of(class_name))
    for each in types:
        if original := target.changed_code.original(each.id):
            return original
    if not types:
        raise StateError(f"no class {class_name} is loaded", code="NO_CLASS_FILE")
    shapes = await running_shapes(target.types, types)
    paths = list(await paths_of(target, class_name))
    with suppress(JdbpyError):
        paths += (await local_class_path(target)).used
    different = False
    for path in dict.fromkeys((*paths, *map(os.path.expanduser, target.named_paths))):
        file = f"{types[0].signature[1:-1]}.class"
        found = await trio.to_thread.run_sync(_find, [path], file, abandon_on_cancel=True)
        for shape in shapes.values() if found else ():
            with suppress(MalformedClassFile):
                if not differences(shape, of_file(parse(found or b""))):
                    return found or b""
            different = True
    why = "the one found is not that of the code that runs" if different else "it was not found where one may be"
    hint = "'use PATHS' names jars and directories with classes as well"
    raise StateError(f"no class file of {class_name}: {why}", hint=hint, code="NO_CLASS_FILE")


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
