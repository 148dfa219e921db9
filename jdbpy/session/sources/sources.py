"""The sources of the classes that are debugged: found on the source path, read, and shown as a window of lines.

Owns the source path and what was read from it. Files are found by the class's package and the name in its SourceFile
attribute; where files do not follow packages (Kotlin), by name and the package that they declare. Reading happens in
threads that can be abandoned; the target is asked nothing.

The sources of the JDK must be those of exactly the target's version: the lines of another one would mislead. The target
is not asked for the home of its runtime: it could name any directory, and what is in there is run to learn its version.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable, Sequence

import trio

from jdbpy.errors import StateError
from jdbpy.session.events.target import Target
from jdbpy.session.java.class_names import of_the_runtime
from jdbpy.session.java.signatures import package_of
from jdbpy.session.local.java_home import java_homes
from jdbpy.session.model.events import Notice, SourceWindow
from jdbpy.session.model.threads import FrameInfo, Location
from jdbpy.session.sources.local_classes import MOST_ARCHIVES, local_class_path
from jdbpy.session.sources.roots import FoundSource, Search
from jdbpy.session.sources.text import SourceFile, doubt, methods_in
from jdbpy.wire.messages import virtual_machine

_PLACES = ("lib/src.zip", "src.zip", "../src.zip", "../lib/src.zip")
"""The places in which distributions put it, seen from java.home; the last two for a JRE inside a JDK 8."""


async def find_jdk_sources(version: str) -> str | None:
    """Return the ``src.zip`` of an installed JDK of that ``java.version``, found as `java_homes` finds it. No trip."""
    return await trio.to_thread.run_sync(_find, version, abandon_on_cancel=True)


def _find(version: str) -> str | None:
    for java in java_homes():
        if java.version == version:
            for place in _PLACES:
                archive = os.path.normpath(os.path.join(java.home, place))
                if os.path.isfile(archive):
                    return archive
    return None


AROUND = 5
"""Lines shown on each side of the current one, unless asked otherwise."""

RECENT = 0.3
"""For so many seconds a stop takes a file as it was when it was last looked at: a loop may stop thousands of times."""

SEARCH_LIMIT = 10.0
"""Seconds that a search may take. Only what does not answer takes so long: a dead mount, a damaged disk."""

_REMEMBERED = 32
"""The most files that a stop may take as they were a moment ago."""


class Sources:
    """The ``sources`` of a session. Without a source path the working directory is searched.

    ``beside`` gives archives of sources beside those of the target's class path; it is asked once, when one is missed.
    ``beside_class`` gives those beside what the class of a name came from; asked once for each package.
    ``class_file`` gives the class file of a class by its name, the one that runs; it raises StateError when that is not
    found.
    """

    def __init__(
        self,
        target: Target,
        path: Sequence[str] = (),
        *,
        beside: Callable[[], Awaitable[Sequence[str]]] | None = None,
        beside_class: Callable[[str], Awaitable[Sequence[str]]] | None = None,
        class_file: Callable[[str], Awaitable[bytes]] | None = None,
    ) -> None:
        self._target = target
        self._find_beside = beside
        self._find_beside_class = beside_class
        self._class_file = class_file
        self._path = target.named_paths = tuple(path)
        self.with_jdk = True
        """True if classes of the JDK are looked for in the sources of an installed one of the same version."""
        self.kept: Callable[[str, str | None], tuple[str, str] | None] | None = None
        """Tells path and text of the source file of a class, by its name and the file's, which then comes first."""
        self._beside: tuple[str, ...] = ()
        self._packages_asked: set[str] = set()
        self._decompiled: dict[tuple[str, tuple[str, ...], int], SourceFile] = {}
        self._search = Search(self.path)
        self._jdk_looked_for = False
        self._recent: dict[tuple[str, str | None], tuple[float, SourceFile | None]] = {}  # when it was looked at
        self._doubts: dict[tuple[int, str, str, int | None], tuple[SourceFile, str]] = {}
        self._warned: set[str] = set()
        self._lock = trio.Lock()  # one search at a time: they share the indexes of the roots

    @property
    def path(self) -> tuple[str, ...]:
        """Directories and archives that are searched, in order; ("." for the working directory)."""
        return self._path or (".",)

    @path.setter
    def path(self, path: Sequence[str]) -> None:
        self._path = self._target.named_paths = tuple(path)
        self._recent.clear()
        self._warned.clear()
        self._search.close()
        self._search = Search((*self.path, *self._beside), self._search.jdk)

    async def class_path(self) -> tuple[str, ...]:
        """Return the target's class path, on which jdb looks for sources; ``session.vm.paths`` has all. wire: 1
        trip."""
        self._target.require_alive()
        return tuple((await self._target.conn.request(virtual_machine.ClassPaths())).classpaths)

    async def use_class_path(self) -> tuple[str, ...]:
        """Search the target's class path, as jdb does, and return the entries that are left out.

        Those of a process of this user on this machine are searched, else those that may be opened here. wire: 1 trip.
        """
        self._target.require_alive()
        paths = await local_class_path(self._target, of_user=True)
        self.path = paths.used
        return paths.left_out

    async def window(self, place: Location | FrameInfo | None, around: int = AROUND) -> SourceWindow | None:
        """Return the lines around a place, ``around`` before and after it; None without line numbers or source.

        ``stale`` is set when the file cannot be what the class was compiled from, and ``warning`` says why: its end is
        shown when it is too short.
        """
        location = place.location if isinstance(place, FrameInfo) else place
        if location is None or location.line is None:
            return None
        return self._window(await self._file(*_name(location), asked=False), location, around)

    def has_recent(self, place: Location) -> bool:
        """True if ``recent_window`` knows: the file was looked at a moment ago. Of places without a line it does."""
        looked_at, _ = self._recent.get(_name(place), (-RECENT, None))
        return place.line is None or trio.current_time() - looked_at < RECENT

    def recent_window(self, place: Location) -> SourceWindow | None:
        """Like ``window``, from the file as it was a moment ago; waits for nothing."""
        _, file = self._recent.get(_name(place), (0.0, None))
        return self._window(file, place, AROUND)

    def use_path_only(self) -> None:
        """Look for files on the source path and nowhere else: not in the JDK's sources, nor beside classes."""
        self.with_jdk = False
        self._find_beside = self._find_beside_class = None

    async def text(self, class_name: str, source: str | None = None, anywhere: bool = True) -> SourceFile | None:
        """Return the whole source file of a class; ``source`` is its SourceFile attribute, guessed when not given.

        Without ``anywhere`` it is not looked for where that costs trips over a slow link.
        """
        return await self._file(class_name, source, asked=anywhere, by_class=anywhere)

    async def decompiled(self, class_name: str, command: str) -> SourceFile:
        """Return the Java that a decompiler of the user's makes of the class file; ``command``: a program and its
        arguments.

        The path of the class file is put behind them. The lines are not those of the class. Raises UsageError for the
        command, StateError if the class file is not found on this machine, or the program fails. wire: some 15 trips.
        """
        from jdbpy.session.sources.decompiler import decompile, words_of

        words = words_of(command)
        if self._class_file is None:
            raise StateError("no class files here", code="NO_CLASS_FILE")
        data = await self._class_file(class_name)
        key = class_name, words, hash(data)
        if key not in self._decompiled:
            if len(self._decompiled) >= _REMEMBERED:
                self._decompiled.clear()
            self._decompiled[key] = await decompile(words, class_name, data)
        return self._decompiled[key]

    async def decompiled_on_lines(
        self, class_name: str, command: str, methods: Iterable[tuple[str, int]]
    ) -> SourceFile:
        """Return the same text laid out on the lines of the class, method by method: to be shown beside the line of a
        frame.

        ``methods``: names with the line of their first instruction, in the order of the class. Raises and costs as
        ``decompiled``.
        """
        from jdbpy.session.sources.decompiler import on_lines_of_class

        return on_lines_of_class(await self.decompiled(class_name, command), class_name, methods)

    def check_decompiler(self, command: str) -> None:
        """Raise UsageError if ``command`` does not begin with a program of this machine. No trip."""
        from jdbpy.session.sources.decompiler import words_of

        words_of(command)

    def methods_in(self, file: SourceFile, class_name: str, method: str) -> list[tuple[int, int]]:
        """Return the first and the last line of what the file has as a method of a class, all overloads. No trip."""
        return methods_in(file, class_name, method)

    async def find(self, class_name: str, source: str | None = None) -> str | None:
        """Return where the source file of a class is, or None."""
        file = await self._file(class_name, source)
        return file.path if file else None

    def doubt(self, file: SourceFile, place: Location) -> str:
        """Return why the file is hardly what the class was compiled from, as a clause; "" if nothing speaks
        against it.
        """
        key = (id(file), place.class_name, place.method, place.line)
        known = self._doubts.get(key)
        if known is None or known[0] is not file:
            if len(self._doubts) >= _REMEMBERED:
                self._doubts.clear()
            known = self._doubts[key] = (file, doubt(file, place))
        return known[1]

    def _window(self, file: SourceFile | None, place: Location, around: int) -> SourceWindow | None:
        if file is None or place.line is None:
            return None
        return window_of(file, place.source or "", place.line, around, self.doubt(file, place))

    async def _file(
        self, class_name: str, source: str | None, *, asked: bool = True, by_class: bool = False
    ) -> SourceFile | None:
        async with self._lock:
            found = self._kept(class_name, source) or await self._look(class_name, source)
            if found is None and self.with_jdk and of_the_runtime(class_name) and await self._open_jdk():
                found = await self._look(class_name, source)
            if found is None and not of_the_runtime(class_name) and await self._open_beside(asked):
                found = await self._look(class_name, source)
            if found is None and not of_the_runtime(class_name) and await self._open_by_class(class_name, by_class):
                found = await self._look(class_name, source)
            if len(self._recent) >= _REMEMBERED:
                self._recent.clear()
            self._recent[class_name, source] = trio.current_time(), found
            return found

    def _kept(self, class_name: str, source: str | None) -> SourceFile | None:
        """Return the file as a snapshot has it."""
        kept = self.kept(class_name, source) if self.kept is not None else None
        return None if kept is None else SourceFile(kept[0], tuple(kept[1].split("\n")))

    async def _look(self, class_name: str, source: str | None) -> SourceFile | None:
        """Return the file as a search finds it; one that does not come back is abandoned, and its entry is left out
        after."""
        search, found, expired = self._search, FoundSource(None), False
        ended = False
        try:
            with trio.move_on_after(SEARCH_LIMIT) as scope:
                found = await trio.to_thread.run_sync(search.find, class_name, source, abandon_on_cancel=True)
                ended = True
            expired = not ended and scope.cancelled_caught
        finally:
            if not ended and self._search is search:  # its thread goes on, with what it has
                left = [entry for entry in search.entries if not expired or entry != search.at]
                self._search = Search(left, None if expired and search.at == search.jdk else search.jdk)
        problems = list(found.problems)
        if expired:
            problems.append(
                f"{search.at} on the source path does not answer within {SEARCH_LIMIT:g} s; it is no longer searched"
            )
        for problem in problems:
            if problem not in self._warned:
                self._warned.add(problem)
                self._target.publish(Notice("warning", problem))
        return found.file

    async def _open_beside(self, asked: bool) -> bool:
        """True if sources of libraries have been found just now; a stop is not worth a trip over a slow link.

        wire: 1 trip, once.
        """
        if self._find_beside is None or (self._target.high_latency and not asked):
            return False
        found = await self._find_beside()
        self._find_beside = None
        return self._add(found)

    async def _open_by_class(self, class_name: str, asked: bool) -> bool:
        """True if sources have been found just now beside what the class came from.

        wire: some 10 trips, once for a package.
        """
        package = package_of(class_name)
        if (
            self._find_beside_class is None
            or package in self._packages_asked
            or (self._target.high_latency and not asked)
        ):
            return False
        self._packages_asked.add(package)
        return self._add(await self._find_beside_class(class_name))

    def _add(self, archives: Sequence[str]) -> bool:
        new = [each for each in archives if each not in self._beside][: max(0, MOST_ARCHIVES - len(self._beside))]
        self._beside = (*self._beside, *new)
        self._search.add(new)
        return bool(new)

    async def _open_jdk(self) -> bool:
        """True if sources of the target's version of the JDK have been found just now. No trip."""
        if self._jdk_looked_for:
            return False
        self._jdk_looked_for = True
        self._search.jdk = await find_jdk_sources(self._target.info.version)
        return self._search.jdk is not None


def _name(place: Location) -> tuple[str, str | None]:
    return place.class_name, place.source_file


def window_of(file: SourceFile, name: str, line: int, around: int = AROUND, warning: str = "") -> SourceWindow:
    """Return the lines of a file around one of them; see ``Sources.window``."""
    total = len(file.lines)
    beyond = line > total
    middle = min(line, total)
    first, last = max(1, middle - around), min(total, middle + around)
    lines = file.numbered(first, last)
    warning = warning or (f"it ends with line {total}" if beyond else "")
    return SourceWindow(file.path, name, lines, None if beyond else line, total, bool(warning), warning)
