"""Names of the classes on this machine that the target may load later: on the source path and on its class path.

Owns the search for them: in a thread that can be abandoned, bounded in time and number, once for each state of the
paths. What may be opened of the class path that the target tells is decided by ``local_paths``. Nothing is read of a
file but its name, and of one source file in each directory the line that names the package.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import trio

from jdbpy.errors import JdbpyError
from jdbpy.record import Record
from jdbpy.session.types.class_names import ClassName, close_to

if TYPE_CHECKING:
    from jdbpy.session.target import Target

MOST_CLASSES = 100_000
"""Names that are kept."""

MOST_DIRECTORIES = 20_000
"""Directories that are entered below all entries together."""

MOST_ARCHIVES = 1_000

LONGEST_SEARCH = 10.0
"""Seconds after which the thread ends with the names it has."""

_HEAD = 16_384
"""Bytes of a source file among which its package is looked for."""

_MOST_COMPARED = 5_000
"""Names that are compared letter by letter for a suggestion."""

_SOURCES = (".java", ".kt", ".scala", ".groovy")
_PACKAGE = re.compile(rb"^\s*package\s+([\w.]+)", re.MULTILINE)
_PASSED_OVER = frozenset({"node_modules", "__pycache__"})


class _Paths(Record):
    """Return the entries of the source path and of the class path that are searched."""

    sources: tuple[str, ...]
    classes: tuple[str, ...]


class LocalClasses:
    """The classes of one target's paths. Nothing is searched before ``look`` is first called."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._class_path: tuple[str, ...] | None = None
        self._searched: _Paths | None = None
        self._search: _ClassSearch | None = None
        self._indexed: tuple[frozenset[str], dict[str, list[str]]] = (frozenset(), {})

    @property
    def names(self) -> frozenset[str]:
        """The names that the last search has found so far. No trip."""
        return self._search.found if self._search is not None else self._indexed[0]

    async def look(self, limit: float) -> frozenset[str]:
        """The names, or after ``limit`` seconds those found so far. wire: 1 trip, once."""
        paths = await self._paths()
        if self._search is None or paths != self._searched:
            if self._search is not None:
                self._search.ended = True
            self._searched, self._search = paths, _ClassSearch(paths)
        search = self._search
        if not search.done:
            with trio.move_on_after(limit):
                await search.run()
        return search.found

    def has(self, name: ClassName) -> bool:
        """True if one of the classes can be meant by a name as it was typed."""
        return any(map(name.may_mean, self._index().get(name.needle.lower(), ())))

    def near(self, name: str) -> list[str]:
        """Up to three names that may have been meant instead of one that is not among them."""
        index = self._index()
        wanted = _last(name).lower()
        if wanted in index:
            return sorted(index[wanted])[:3]
        like = [each for each in index if each[:1] == wanted[:1]]
        close = close_to(wanted, like) if len(like) <= _MOST_COMPARED else []
        return [sorted(index[each])[0] for each in close]

    def _index(self) -> dict[str, list[str]]:
        """The names by their last part, in small letters."""
        if self._indexed[0] is not self.names:
            index: dict[str, list[str]] = {}
            for name in self.names:
                index.setdefault(_last(name).lower(), []).append(name)
            self._indexed = self.names, index
        return self._indexed[1]

    async def _paths(self) -> _Paths:
        target = self._target
        if self._class_path is None and (target.launched or not target.remote):
            from jdbpy.session.local_paths import local_class_path

            with suppress(JdbpyError):
                self._class_path = (await local_class_path(target)).used
        named = target.named_paths or (() if os.getcwd() == os.sep else (".",))
        return _Paths(tuple(named), self._class_path or ())


class _ClassSearch:
    """One search. It blocks, on a dead mount for ever: its thread is abandoned then, and goes on alone."""

    def __init__(self, paths: _Paths) -> None:
        self._paths = paths
        self._until = 0.0
        self._directories = 0
        self._names: set[str] = set()
        self._over: trio.Event | None = None
        self.found: frozenset[str] = frozenset()
        self.done = False
        self.ended = False  # nobody wants what it finds any more

    async def run(self) -> None:
        """Wait for the end of the search, in a thread of its own. Cancelled, the search goes on."""
        if self._over is None:
            self._over = over = trio.Event()
            token = trio.lowlevel.current_trio_token()

            def tell(_: object) -> None:
                with suppress(trio.RunFinishedError):
                    token.run_sync_soon(over.set)

            trio.lowlevel.start_thread_soon(self._all, tell)
        await self._over.wait()

    def _all(self) -> None:
        self._until = time.monotonic() + LONGEST_SEARCH
        try:
            for entry in (*self._paths.sources, *self._paths.classes):
                if self._is_enough():
                    break
                is_source = entry in self._paths.sources
                with suppress(OSError):
                    self._entry(os.path.expanduser(entry), is_source)
                self.found = frozenset(self._names)
        finally:
            self.done = True

    def _entry(self, entry: str, is_source: bool) -> None:
        if os.path.isdir(entry):
            self._add(self._source_directory(entry) if is_source else self._class_directory(entry))
        elif stat.S_ISREG(os.stat(entry).st_mode):
            self._add(_archive(entry, _SOURCES if is_source else (".class",)))

    def _add(self, names: Iterable[str]) -> None:
        for count, name in enumerate(names):
            if count % 64 == 0 and self._is_enough():
                return
            self._names.add(name)

    def _is_enough(self) -> bool:
        return (
            self.ended
            or len(self._names) >= MOST_CLASSES
            or self._directories >= MOST_DIRECTORIES
            or time.monotonic() > self._until
        )

    def _source_directory(self, root: str) -> Iterator[str]:
        """Classes named like the source files; the package is what one file of each directory declares."""
        for directory, files in self._walk(root):
            sources = [name for name in files if name.endswith(_SOURCES) and name[:1].isupper()]
            if sources:
                package = _package_of(os.path.join(directory, sources[0]))
                for name in sources:
                    yield f"{package}.{name.rpartition('.')[0]}".removeprefix(".")

    def _class_directory(self, root: str) -> Iterator[str]:
        for directory, files in self._walk(root):
            below = os.path.relpath(directory, root)
            path = "" if below == "." else f"{below.replace(os.sep, '/')}/"
            yield from _class_names(path + name for name in files if name.endswith(".class"))

    def _walk(self, root: str) -> Iterator[tuple[str, list[str]]]:
        """Directories with their files, without hidden ones and without following links."""
        waiting = [root]
        while waiting and not self._is_enough():
            directory = waiting.pop()
            self._directories += 1
            files = []
            with suppress(OSError), os.scandir(directory) as entries:
                for each in entries:
                    if each.is_dir(follow_symlinks=False):
                        if each.name[:1] != "." and each.name not in _PASSED_OVER:
                            waiting.append(each.path)
                    elif each.is_file():
                        files.append(each.name)
            yield directory, sorted(files)


def _last(name: str) -> str:
    """The last part of a name: of a nested class its own."""
    return name.rpartition(".")[2].rpartition("$")[2]


def _package_of(path: str) -> str:
    with open(path, "rb") as file:
        found = _PACKAGE.search(file.read(_HEAD))
    return found[1].decode("utf-8", "replace") if found else ""


def _archive(path: str, suffixes: tuple[str, ...]) -> Iterator[str]:
    """Classes of a jar, or of an archive of sources whose directories are the packages."""
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return
    yield from _class_names(name for name in names if name.endswith(suffixes))


def _class_names(files: Iterable[str]) -> Iterator[str]:
    """Names of the classes in files by their paths; not those that no source names."""
    for path in files:
        name = path.rpartition(".")[0].replace("/", ".")
        if "-" not in name and not re.search(r"\$(\d|.*\$\$|\$)", name):
            yield name
