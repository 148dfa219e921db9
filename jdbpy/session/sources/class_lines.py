"""The lines of classes that are not loaded yet, read from class files on this machine.

Only from the target's class path, as far as it may be opened here (``local_classes``). What is read may be another
build than what the target will load: it says where a line without code goes until the class itself corrects that.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator, Sequence
from functools import partial

import trio

from jdbpy.errors import JdbpyError
from jdbpy.session.events.target import Target
from jdbpy.session.java.class_file import MalformedClassFile, parse
from jdbpy.session.sources.local_classes import local_class_path

_MOST_FILES = 300
_MOST_BYTES = 4 * 1024 * 1024

Lines = dict[str, frozenset[int]]
"""The lines with code by the name of the class."""


class ClassLines:
    """The lines of classes of one target by what is around them."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._paths: Sequence[str] | None = None
        self._known: dict[str, Lines] = {}

    @classmethod
    def of(cls, target: Target) -> ClassLines:
        """Return that of a target."""
        return target.part(cls, cls)

    async def inside(self, outer: str) -> Lines:
        """Return the lines of a top-level class and all that are inside it; {} where their files are not found.

        wire: 1 trip, once.
        """
        if self._paths is None:
            try:
                self._paths = (await local_class_path(self._target)).used
            except JdbpyError:  # not asked for by the user: then none are known
                self._paths = ()
        found = self._known.get(outer)
        if found is None:
            read = partial(_inside, self._paths, outer)
            found = self._known[outer] = await trio.to_thread.run_sync(read, abandon_on_cancel=True)
        return found


def _inside(paths: Sequence[str], outer: str) -> Lines:
    """Return the lines of a class and those inside it, in the first entry of the class path that has it."""
    package, _, simple = outer.replace(".", "/").rpartition("/")
    for path in paths:
        try:
            files = list(_directory(path, package, simple) if os.path.isdir(path) else _archive(path, package, simple))
            if files:
                return {name.replace("/", "."): _lines(data) for name, data in files}
        except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError, MalformedClassFile):
            return {}
    return {}


def _directory(path: str, package: str, simple: str) -> Iterator[tuple[str, bytes]]:
    directory = os.path.join(path, *package.split("/"))
    if not os.path.isfile(os.path.join(directory, f"{simple}.class")):
        return
    for file in sorted(filter(partial(_is_inside, simple), os.listdir(directory)))[:_MOST_FILES]:
        with open(os.path.join(directory, file), "rb") as stream:
            yield f"{package}/{file}".lstrip("/").removesuffix(".class"), stream.read(_MOST_BYTES)


def _archive(path: str, package: str, simple: str) -> Iterator[tuple[str, bytes]]:
    if not os.path.isfile(path):
        return
    beginning = f"{package}/" if package else ""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        if f"{beginning}{simple}.class" not in names:
            return
        inside = [each for each in names if each.startswith(beginning) and _is_inside(simple, each[len(beginning) :])]
        for name in sorted(inside)[:_MOST_FILES]:
            with archive.open(name) as member:
                yield name.removesuffix(".class"), member.read(_MOST_BYTES)


def _is_inside(simple: str, file: str) -> bool:
    """True for the file of the class itself, and those of the classes inside it."""
    return file == f"{simple}.class" or (file.startswith(f"{simple}$") and file.endswith(".class") and "/" not in file)


def _lines(data: bytes) -> frozenset[int]:
    return frozenset(line for method in parse(data).methods for _, line in method.lines)
