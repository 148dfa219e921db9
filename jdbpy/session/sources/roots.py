"""The places on this machine in which source files are looked for: directories, and jar or zip archives.

Owns the search below the entries of the source path, in their order, and what may be read there. The target chooses the
names of files (SourceFile, source maps), so they are not trusted: only regular files below the entry are read, links
resolved, up to a size.

All of it blocks, and may block for ever on a dead mount: ``sources`` runs it in a thread that it can abandon, and makes
a new search then. So nothing in here is shared with the next one.
"""

from __future__ import annotations

import glob
import os
import stat
import zipfile
import zlib
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Protocol

from jdbpy.record import Record
from jdbpy.session.sources.text import SUFFIXES, SourceFile, belongs, decode, has_packages, source_paths, split_lines

MOST_DIRECTORIES = 20_000
"""How many directories below one entry are searched by name: some tenths of a second on a local disk."""

MOST_BYTES = 8 * 1024 * 1024
"""The largest file that is read: ten times the largest source of the JDK."""

MOST_MATCHES = 1_000
"""Directories and archives that one entry with wildcards may stand for."""

_PASSED_OVER = frozenset({"node_modules", "__pycache__"})
_STORED_OR_DEFLATED = (0, 8)


class NotShownError(Exception):
    """A file is there and is not read; the text is a sentence that says why."""


class Root(Protocol):
    """An entry of the source path. Paths are relative to it, with slashes."""

    entry: str
    """The entry as it was given."""

    def has(self, path: str) -> bool:
        """True if there is a regular file at exactly this path, below the root."""

    def named(self, name: str) -> list[str]:
        """Paths of all files with this name, wherever in the tree."""

    def read(self, path: str) -> SourceFile | None:
        """Return the file at a path that ``has`` or ``named`` has found; None when it is gone or cannot be read.

        Raises NotShownError for a file that is too large.
        """

    def stamp(self, path: str) -> object:
        """Changes when the file does."""

    def relative(self, path: str) -> str | None:
        """Return the part of an absolute path that is below this root, by its text alone; None if it is elsewhere."""


def is_plain(path: str) -> bool:
    """True if a relative path stays below where it begins and names nothing hidden: no "..", no ".git", no NUL."""
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    if "\0" in path or os.path.splitdrive(path)[0] or len(path) > 4096:
        return False
    return all(part and not part.startswith(".") for part in path.replace(os.sep, "/").split("/"))


class DirectoryRoot:
    """A directory of sources; ``path`` may be the root of the packages or anything above it, as of a whole project."""

    def __init__(self, path: str, entry: str = "") -> None:
        self.entry = entry or path
        self.path = path
        self._real = os.path.realpath(path)
        self._names: dict[str, list[str]] | None = None

    def has(self, path: str) -> bool:
        real = self._resolved(path)
        return real is not None and os.path.isfile(real)

    def named(self, name: str) -> list[str]:
        if self._names is None:
            self._names = {}
            for path in self._files():
                self._names.setdefault(path.rpartition("/")[2], []).append(path)
        return self._names.get(name, [])

    def read(self, path: str) -> SourceFile | None:
        real = self._resolved(path)
        if real is None:
            return None
        full = self._full(path)
        try:
            data = _read_regular(real)
        except OSError:
            return None
        if data is not None and len(data) > MOST_BYTES:
            raise _too_large(full)
        return None if data is None else SourceFile(full, split_lines(decode(data)))

    def stamp(self, path: str) -> object:
        real = self._resolved(path)
        try:
            status = os.stat(real) if real is not None else None
        except OSError:
            return None
        return None if status is None else (status.st_mtime_ns, status.st_size)

    def relative(self, path: str) -> str | None:
        for base in (self._real, os.path.abspath(self.path)):
            if path.startswith(f"{base.rstrip('/')}/"):
                return path.removeprefix(f"{base.rstrip('/')}/")
        return None

    def _full(self, path: str) -> str:
        return os.path.normpath(os.path.join(self.path, path))

    def _resolved(self, path: str) -> str | None:
        """Return the file with its links resolved; None if that is not below the root."""
        if not is_plain(path):
            return None
        real = os.path.realpath(os.path.join(self._real, path))
        return real if real.startswith(f"{self._real.rstrip('/')}/") else None

    def _files(self) -> Iterator[str]:
        """Yield all source files, those near the top first."""
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

    def __init__(self, path: str, entry: str = "") -> None:
        """Raises OSError, also for a file that is no archive."""
        self.entry = entry or path
        self.path = path
        self._unreadable: tuple[type[Exception], ...] = (
            OSError,
            zipfile.BadZipFile,  # damaged
            zlib.error,
            EOFError,
            NotImplementedError,  # a rare form
            RuntimeError,  # encrypted
            ValueError,
        )
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise OSError("it is neither a directory nor an archive")
        try:
            self._archive: Any = zipfile.ZipFile(path)
        except zipfile.BadZipFile as error:
            raise OSError("it is not a zip or jar archive") from error
        self._names: dict[str, list[str]] = {}
        for name in self._archive.namelist():
            self._names.setdefault(name.rpartition("/")[2], []).append(name)

    def has(self, path: str) -> bool:
        return path in self.named(path.rpartition("/")[2])

    def named(self, name: str) -> list[str]:
        return self._names.get(name, [])

    def read(self, path: str) -> SourceFile | None:
        try:
            info = self._archive.getinfo(path)
            if info.compress_type not in _STORED_OR_DEFLATED:
                return None
            with self._archive.open(info) as member:
                data = member.read(MOST_BYTES + 1)  # what the directory of the archive says of sizes may be a lie
        except self._unreadable:
            return None
        if len(data) > MOST_BYTES:
            raise _too_large(f"{self.path}!/{path}")
        return SourceFile(f"{self.path}!/{path}", split_lines(decode(data)))

    def stamp(self, path: str) -> object:
        return self.path

    def relative(self, path: str) -> str | None:
        return None

    def close(self) -> None:
        self._archive.close()


def open_root(entry: str) -> DirectoryRoot | ArchiveRoot:
    """Return the root for an entry of the source path. Raises OSError when it is neither a directory nor an archive."""
    path = os.path.expanduser(entry)
    if os.path.isdir(path):
        return DirectoryRoot(path, entry)
    return ArchiveRoot(path, entry)


def _read_regular(path: str) -> bytes | None:
    """At most one byte more than is allowed of a file; None when it is a pipe, a device or a link. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
    with open(handle, "rb", buffering=0) as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            return None
        chunks = []
        left = MOST_BYTES + 1
        while left and (chunk := file.read(min(left, status.st_size + 65_536))):
            chunks.append(chunk)
            left -= len(chunk)
        return b"".join(chunks)


def _too_large(path: str) -> NotShownError:
    return NotShownError(f"{path} is larger than {MOST_BYTES >> 20} MB: it is not shown as source")


_REMEMBERED = 32
"""The most files that are kept in memory."""


class FoundSource(Record):
    """The outcome of a search. ``problems`` are sentences about files and entries that could not be used."""

    file: SourceFile | None
    problems: tuple[str, ...] = ()


class Search:
    """Looks for files in ``entries`` of the source path, and in the sources of the JDK once it has them."""

    def __init__(self, entries: Sequence[str], jdk: str | None = None) -> None:
        self.entries = tuple(entries)
        self.jdk = jdk
        self.at = ""
        """The entry that is being read: the one to leave out when nothing comes of it."""
        self._roots: list[DirectoryRoot | ArchiveRoot] = []
        self._more = self.entries  # those that are not opened yet
        self._jdk_root: ArchiveRoot | None = None
        self._files: OrderedDict[tuple[str, str | None], tuple[Root, str, object, SourceFile]] = OrderedDict()
        self._problems: list[str] = []

    def find(self, class_name: str, source: str | None) -> FoundSource:
        """Return the source file of a class; ``source`` as for ``Sources.text``."""
        self._problems = []
        return FoundSource(self._find(class_name, source), tuple(self._problems))

    def has_jdk(self) -> bool:
        """True if the sources of the JDK could be opened."""
        if self.jdk is not None and self._jdk_root is None:
            self.at = self.jdk
            try:
                self._jdk_root = ArchiveRoot(self.jdk)
            except OSError:
                self.jdk = None
        return self._jdk_root is not None

    def add(self, entries: Iterable[str]) -> None:
        """Look below these entries as well, after the others."""
        self.entries = (*self.entries, *entries)
        self._more = (*self._more, *entries)

    def close(self) -> None:
        for root in (*self._roots, self._jdk_root):
            if isinstance(root, ArchiveRoot):
                root.close()

    def _find(self, class_name: str, source: str | None) -> SourceFile | None:
        key = (class_name, source)
        if key in self._files:
            root, path, stamp, file = self._files[key]
            self.at = root.entry
            if root.stamp(path) == stamp:
                self._files.move_to_end(key)
                return file
            del self._files[key]
        tried: set[tuple[str, str]] = set()
        for root, path, by_name in self._candidates(class_name, source):
            if (root.entry, path) in tried:
                continue
            tried.add((root.entry, path))
            self.at = root.entry
            try:
                file_read = root.read(path)
            except NotShownError as error:
                self._problems.append(str(error))
                continue
            if file_read is not None and belongs(file_read, class_name, source, by_name=by_name):
                self._files[key] = (root, path, root.stamp(path), file_read)
                if len(self._files) > _REMEMBERED:
                    self._files.popitem(last=False)
                return file_read
        return None

    def _candidates(self, class_name: str, source: str | None) -> Iterable[tuple[Root, str, bool]]:
        """Files that may be the one, the surest first: at its path, at the end of a path, by name.

        The third item is True for those that only have the name.
        """
        roots: list[Root] = [*self._opened(), *([self._jdk_root] if self.has_jdk() and self._jdk_root else [])]
        paths = source_paths(class_name, source)
        for root in roots:
            self.at = root.entry
            for path in paths:
                below = root.relative(path) if path.startswith("/") else path
                if below is not None and root.has(below):
                    yield root, below, False
        name = paths[0].rpartition("/")[2]
        if not is_plain(name):
            return
        ends = [f"/{path}" for path in paths if "/" in path and not path.startswith("/")]
        for root in roots:
            self.at = root.entry
            for end in ends:
                yield from ((root, each, False) for each in root.named(name) if each.endswith(end))
            if paths[0].startswith("/"):  # it was compiled in another place: the longest end that is here
                here = [each for each in root.named(name) if paths[0].endswith(f"/{each}")]
                yield from ((root, each, False) for each in sorted(here, key=len, reverse=True))
        if source is not None and "/" in source and not has_packages(name):
            return  # the map tells the path of a page: one of the same name elsewhere is another page
        for root in roots:
            self.at = root.entry
            yield from ((root, each, True) for each in root.named(name))

    def _expanded(self, entries: Iterable[str]) -> Iterator[str]:
        """Entries; those with ``*``, ``?`` or ``[`` stand for what they match, in the order of names."""
        for entry in entries:
            path = os.path.expanduser(entry)
            if not glob.has_magic(path) or os.path.exists(path):
                yield entry
                continue
            self.at = entry
            found = sorted(islice(glob.iglob(path, recursive=True), MOST_MATCHES))
            if not found:
                self._problems.append(f"{entry} on the source path matches nothing")
            yield from found

    def _opened(self) -> list[DirectoryRoot | ArchiveRoot]:
        more, self._more = self._more, ()
        for entry in self._expanded(more):
            self.at = entry
            if entry == "." and os.getcwd() == "/":
                continue  # nobody has meant the whole machine by being there
            try:
                self._roots.append(open_root(entry))
            except OSError as error:
                reason = error.strerror or str(error)
                self._problems.append(f"{entry} on the source path cannot be used: {reason}")
        return self._roots
