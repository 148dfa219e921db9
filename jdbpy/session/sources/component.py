"""The sources of the classes that are debugged: found on the source path, read, and shown as a window of lines.

Owns the source path and what was read from it. Files are found by the class's package and the name in its SourceFile
attribute; where files do not follow packages (Kotlin), by name and the package that they declare. Reading happens in
threads; the target is asked nothing, but for the home of its runtime when a class of the JDK is to be shown.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from contextlib import suppress

import trio

from jdbpy.session.events import Notice, SourceWindow
from jdbpy.session.model import Frame, Location
from jdbpy.session.sources.jdk import find_jdk_sources
from jdbpy.session.sources.roots import ArchiveRoot, DirectoryRoot, Root, open_root
from jdbpy.session.sources.text import SourceFile, package_in, relative_path
from jdbpy.session.target import Target
from jdbpy.session.types.class_names import of_the_runtime
from jdbpy.session.types.signatures import package_of
from jdbpy.wire.messages import virtual_machine

AROUND = 5
"""Lines shown on each side of the current one, unless asked otherwise."""

RECENT = 0.3
"""For so many seconds a stop takes a file as it was when it was last looked at: a loop may stop thousands of times."""

_REMEMBERED = 32
"""How many files are kept in memory."""


class Sources:
    """The ``sources`` of a session. Without a source path the working directory is searched."""

    def __init__(self, target: Target, path: Sequence[str] = ()) -> None:
        self._target = target
        self._path = tuple(path)
        self.with_jdk = True
        """Whether classes of the JDK are looked for in the sources that come with the target's."""
        self._roots: list[DirectoryRoot | ArchiveRoot] | None = None
        self._jdk: ArchiveRoot | None = None
        self._jdk_looked_for = False
        self._files: OrderedDict[tuple[str, str], tuple[Root, str, object, SourceFile]] = OrderedDict()
        self._recent: dict[tuple[str, str | None], tuple[float, SourceFile | None]] = {}  # when it was looked at
        self._lock = trio.Lock()  # one search at a time: they share the indexes of the roots

    @property
    def path(self) -> tuple[str, ...]:
        """Directories and archives that are searched, in order; ("." for the working directory)."""
        return self._path or (".",)

    @path.setter
    def path(self, path: Sequence[str]) -> None:
        self._path = tuple(path)
        self._files.clear()
        self._recent.clear()
        for root in self._roots or ():
            if isinstance(root, ArchiveRoot):
                root.close()
        self._roots = None

    async def class_path(self) -> tuple[str, ...]:
        """The target's class path, on which jdb looks for sources; ``session.vm.paths`` has all. wire: 1 trip."""
        self._target.require_alive()
        return tuple((await self._target.conn.request(virtual_machine.ClassPaths())).classpaths)

    async def window(self, place: Location | Frame | None, around: int = AROUND) -> SourceWindow | None:
        """The lines around a place, ``around`` before and after it; None without line numbers or source.

        ``stale`` is set when the file is shorter than the class believes: then its end is shown.
        """
        location = place.location if isinstance(place, Frame) else place
        if location is None or location.line is None:
            return None
        return _window(await self._file(*_name(location)), location, around)

    def has_recent(self, place: Location) -> bool:
        """Whether ``recent_window`` knows: the file was looked at a moment ago. Of places without a line it does."""
        looked_at, _ = self._recent.get(_name(place), (-RECENT, None))
        return place.line is None or trio.current_time() - looked_at < RECENT

    def recent_window(self, place: Location) -> SourceWindow | None:
        """As ``window``, from the file as it was a moment ago; waits for nothing."""
        _, file = self._recent.get(_name(place), (0.0, None))
        return _window(file, place, AROUND)

    async def text(self, class_name: str, source: str | None = None) -> SourceFile | None:
        """The whole source file of a class; ``source`` is its SourceFile attribute, guessed when not given."""
        return await self._file(class_name, source)

    async def find(self, class_name: str, source: str | None = None) -> str | None:
        """Where the source file of a class is, or None."""
        file = await self._file(class_name, source)
        return file.path if file else None

    async def _file(self, class_name: str, source: str | None) -> SourceFile | None:
        async with self._lock:
            found = await trio.to_thread.run_sync(self._look, class_name, source)
            if found is None and self.with_jdk and of_the_runtime(class_name) and await self._open_jdk():
                found = await trio.to_thread.run_sync(self._look, class_name, source)
            if len(self._recent) >= _REMEMBERED:
                self._recent.clear()
            self._recent[class_name, source] = trio.current_time(), found
            return found

    async def _open_jdk(self) -> bool:
        """Whether the sources of the target's JDK have come to light now. wire: 3 trips, the first time only."""
        if self._jdk_looked_for:
            return False
        archive = await find_jdk_sources(self._target)
        if archive is not None:
            with suppress(OSError):
                self._jdk = await trio.to_thread.run_sync(ArchiveRoot, archive)
        self._jdk_looked_for = True
        return self._jdk is not None

    # What follows runs in a thread.

    def _look(self, class_name: str, source: str | None) -> SourceFile | None:
        path = relative_path(class_name, source)
        key = (package_of(class_name), path)
        if key in self._files:
            root, found, stamp, file = self._files[key]
            if root.stamp(found) == stamp:
                self._files.move_to_end(key)
                return file
            del self._files[key]
        for root, found in self._candidates(path, path.rpartition("/")[0].replace("/", ".")):
            read = root.read(found)
            if read is not None:
                self._files[key] = (root, found, root.stamp(found), read)
                if len(self._files) > _REMEMBERED:
                    self._files.popitem(last=False)
                return read
        return None

    def _candidates(self, path: str, package: str) -> Iterable[tuple[Root, str]]:
        """Files that may be the one, the surest first: at its path, at the end of a path, by name and package."""
        roots: list[Root] = [*self._opened(), *([self._jdk] if self._jdk else [])]
        name = path.rpartition("/")[2]
        for root in roots:
            if root.has(path):
                yield root, path
        for root in roots:
            yield from ((root, each) for each in root.named(name) if each.endswith("/" + path))
        for root in roots:
            for each in root.named(name):
                file = root.read(each)
                if file is not None and package_in(file.lines) == package:
                    yield root, each

    def _opened(self) -> list[DirectoryRoot | ArchiveRoot]:
        if self._roots is None:
            self._roots = []
            for entry in self.path:
                try:
                    self._roots.append(open_root(entry))
                except OSError as error:
                    reason = error.strerror or str(error)
                    notice = Notice("warning", f"{entry} on the source path cannot be used: {reason}")
                    trio.from_thread.run_sync(self._target.publish, notice)
        return self._roots


def _name(place: Location) -> tuple[str, str | None]:
    return place.class_name, place.source_path or place.source


def _window(file: SourceFile | None, place: Location, around: int) -> SourceWindow | None:
    return None if file is None or place.line is None else window_of(file, place.source or "", place.line, around)


def window_of(file: SourceFile, name: str, line: int, around: int = AROUND) -> SourceWindow:
    """The lines of a file around one of them; see ``Sources.window``."""
    total = len(file.lines)
    stale = line > total
    middle = min(line, total)
    first, last = max(1, middle - around), min(total, middle + around)
    lines = tuple((number, file.lines[number - 1]) for number in range(first, last + 1))
    return SourceWindow(file.path, name, lines, None if stale else line, total, stale)
