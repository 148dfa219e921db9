"""Class files on this machine: one, or all in a directory or an archive.

What is here reads files and may block: call it in a thread.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Collection, Iterator

from jdbpy.errors import UsageError
from jdbpy.record import Record
from jdbpy.session.hotswap.class_file import ClassFile, MalformedClassFile, parse

_MOST_BYTES = 64 * 1024 * 1024
"""No class file comes near it."""


class FoundFile(Record):
    """A class file with its bytes; ``path`` is where, "/a/app.jar!/com/acme/Order.class" inside an archive."""

    path: str
    data: bytes
    file: ClassFile


def read_one(path: str) -> FoundFile:
    """Reads a class file. Raises UsageError."""
    try:
        if os.path.getsize(path) > _MOST_BYTES:
            raise UsageError(f"{path} is too large to be a class file")
        with open(path, "rb") as stream:
            data = stream.read()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    return _parsed(path, data)


def read_all(path: str, wanted: Collection[str]) -> tuple[list[FoundFile], list[str]]:
    """The class files below a directory or in an archive whose file name without ending is wanted, and all names.

    Raises UsageError when there are none at all, or one is damaged.
    """
    names: list[str] = []
    found: list[FoundFile] = []
    try:
        for place, stem, read in _entries(path):
            names.append(stem)
            if stem in wanted:
                found.append(_parsed(place, read()))
    except (OSError, zipfile.BadZipFile) as error:
        raise UsageError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not names:
        raise UsageError(
            f"there are no class files in {path}", hint="give the directory that the compiler writes to, or a jar"
        )
    return found, names


def _entries(path: str) -> Iterator[tuple[str, str, _Read]]:
    if os.path.isdir(path):
        for directory, directories, files in os.walk(path):
            directories.sort()
            for name in sorted(files):
                if name.endswith(".class"):
                    place = os.path.join(directory, name)
                    yield place, name.removesuffix(".class"), _Read(place)
        return
    with zipfile.ZipFile(path) as archive:
        for entry in archive.namelist():
            if entry.endswith(".class") and not entry.startswith("META-INF/"):
                stem = entry.rpartition("/")[2].removesuffix(".class")
                yield f"{path}!/{entry}", stem, _Read(entry, archive)


class _Read:
    """Reads an entry when called."""

    def __init__(self, name: str, archive: zipfile.ZipFile | None = None) -> None:
        self._name = name
        self._archive = archive

    def __call__(self) -> bytes:
        if self._archive is not None:
            with self._archive.open(self._name) as member:
                data = member.read(_MOST_BYTES + 1)
        else:
            with open(self._name, "rb") as stream:
                data = stream.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise UsageError(f"{self._name} is too large to be a class file")
        return data


def _parsed(path: str, data: bytes) -> FoundFile:
    try:
        return FoundFile(path, data, parse(data))
    except MalformedClassFile as error:
        hint = "to compile source: redefine --compile FILE" if path.endswith((".java", ".kt")) else ""
        raise UsageError(f"{path} is not a class file: {error}", hint=hint, code="INVALID_CLASS_FORMAT") from None
