"""The places on this machine in which source files are looked for: directories, and jar or zip archives.

Owns the search below one entry of the source path. All of it blocks: ``component`` runs it in a thread.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from typing import Any, Protocol

from jdbpy.session.sources.text import SUFFIXES, SourceFile, decode, split_lines

MOST_DIRECTORIES = 20_000
"""How many directories below one entry are searched by name: some tenths of a second on a local disk."""

_PASSED_OVER = frozenset({"node_modules", "__pycache__"})


class Root(Protocol):
    """An entry of the source path. Paths are relative to it, with slashes."""

    def has(self, path: str) -> bool:
        """Whether there is a file at exactly this path."""

    def named(self, name: str) -> list[str]:
        """Paths of all files with this name, wherever in the tree."""

    def read(self, path: str) -> SourceFile | None:
        """The file at a path that ``has`` or ``named`` has told; None when it is gone or cannot be read."""

    def stamp(self, path: str) -> object:
        """Changes when the file does."""


class DirectoryRoot:
    """A directory of sources; ``path`` may be the root of the packages or anything above it, as of a whole project."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._names: dict[str, list[str]] | None = None

    def has(self, path: str) -> bool:
        return os.path.isfile(self._full(path))

    def named(self, name: str) -> list[str]:
        if self._names is None:
            self._names = {}
            for path in self._files():
                self._names.setdefault(path.rpartition("/")[2], []).append(path)
        return self._names.get(name, [])

    def read(self, path: str) -> SourceFile | None:
        full = self._full(path)
        try:
            with open(full, "rb") as file:
                return SourceFile(full, split_lines(decode(file.read())))
        except OSError:
            return None

    def stamp(self, path: str) -> object:
        try:
            status = os.stat(self._full(path))
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size

    def _full(self, path: str) -> str:
        return os.path.normpath(os.path.join(self.path, path))

    def _files(self) -> Iterator[str]:
        """All source files, those near the top first."""
        pending = deque([""])
        visited = 0
        while pending and visited < MOST_DIRECTORIES:
            directory = pending.popleft()
            visited += 1
            try:
                with os.scandir(os.path.join(self.path, directory)) as entries:
                    for entry in sorted(entries, key=lambda entry: entry.name):
                        path = f"{directory}/{entry.name}" if directory else entry.name
                        if entry.is_dir(follow_symlinks=False):
                            if not entry.name.startswith(".") and entry.name not in _PASSED_OVER:
                                pending.append(path)
                        elif entry.name.endswith(SUFFIXES):
                            yield path
            except OSError:
                continue  # not readable: then nothing of it can be shown either


class ArchiveRoot:
    """A jar or zip of sources, such as ``src.zip`` of a JDK, where module names come before the packages."""

    def __init__(self, path: str) -> None:
        """Raises OSError, also for a file that is no archive."""
        import zipfile  # 8 ms that only those pay who read archives

        self.path = path
        self._unreadable: tuple[type[Exception], ...] = (
            OSError,
            zipfile.BadZipFile,  # damaged
            NotImplementedError,  # a rare compression
            RuntimeError,  # encrypted
        )
        try:
            self._archive: Any = zipfile.ZipFile(path)
        except zipfile.BadZipFile as error:
            raise OSError("it is not a zip or jar archive") from error
        self._names: dict[str, list[str]] = {}
        for entry in self._archive.namelist():
            self._names.setdefault(entry.rpartition("/")[2], []).append(entry)

    def has(self, path: str) -> bool:
        return path in self.named(path.rpartition("/")[2])

    def named(self, name: str) -> list[str]:
        return self._names.get(name, [])

    def read(self, path: str) -> SourceFile | None:
        try:
            data = self._archive.read(path)
        except self._unreadable:
            return None
        return SourceFile(f"{self.path}!/{path}", split_lines(decode(data)))

    def stamp(self, path: str) -> object:
        return self.path

    def close(self) -> None:
        self._archive.close()


def open_root(path: str) -> DirectoryRoot | ArchiveRoot:
    """The root for an entry of the source path. Raises OSError when it is neither a directory nor an archive."""
    path = os.path.expanduser(path)
    if os.path.isdir(path):
        return DirectoryRoot(path)
    return ArchiveRoot(path)
