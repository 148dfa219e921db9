"""Classes on this machine: names of those that the target may load later, and which paths may be opened.

Owns the search on the source path and the target's class path: in a thread that can be abandoned, bounded in time and
number, once for each state of the paths. Nothing is read of a file but its name, and of one source file in each
directory the line that names the package.

Owns the decision which paths of the target may be opened here. The target may be anyone's: a path of its class path is
opened only below a directory that the user has named or stands in, or in which the system and build tools keep their
libraries. What the user launched is the user's own. Nothing in here runs a program; what the target says is never run.
"""

from __future__ import annotations

import os
import re
import stat
import time
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from urllib.parse import unquote, urlsplit

import trio

from jdbpy.errors import JdbpyError
from jdbpy.record import Record
from jdbpy.session.events.target import Target
from jdbpy.session.java.class_names import ClassName, close_to
from jdbpy.wire.messages import virtual_machine

_MAVEN_CACHE = "~/.m2/repository"
_GRADLE_CACHES = "~/.gradle/caches"

_LIBRARIES = (
    "/usr/share/java",
    "/usr/share/maven-repo",
    "/usr/lib/jvm",
    _MAVEN_CACHE,
    _GRADLE_CACHES,
    "~/.ivy2",
    "~/.cache/coursier",
    "~/.sbt",
    "~/.groovy",
)
"""The directories in which the system and build tools keep libraries."""


_POM = re.compile(r"META-INF/maven/[^/]+/[^/]+/pom\.properties")
_PLAIN = re.compile(r"\w[\w+-]*(\.[\w+-]+)*", re.ASCII)
_CHECKSUM = re.compile(r"[0-9a-f]{30,40}")


class LocalPaths(Record):
    """Entries of a path that the target names: those that may be ``used`` here, and those ``left_out``."""

    used: tuple[str, ...]
    left_out: tuple[str, ...] = ()


async def local_class_path(target: Target, *, of_user: bool = False) -> LocalPaths:
    """Return the target's class path, as far as it may be opened on this machine. wire: 1 trip.

    ``of_user``: all of it if the target is a process of the same user here, who could name it anyway.
    """
    reply = await target.conn.request(virtual_machine.ClassPaths())
    told = [os.path.join(reply.baseDir, each) for each in reply.classpaths if each]
    if of_user and await trio.to_thread.run_sync(lambda: target.is_of_this_user):
        used = tuple(each for each in told if _is_plain(each))
        return LocalPaths(used, tuple(each for each in told if not _is_plain(each)))
    return await allowed_paths(target, told)


async def sources_of_libraries(target: Target) -> tuple[str, ...]:
    """Archives of sources that lie beside the jars of the target's class path, as Maven and Gradle keep them.

    Only of jars that may be opened on this machine, and themselves only where that is so. wire: 1 trip.
    """
    try:
        libraries = await local_class_path(target)
    except JdbpyError:  # not asked for by the user: then there are none
        return ()
    return await allowed_sources_beside(target, libraries.used)


async def allowed_sources_beside(target: Target, libraries: Sequence[str], *, inside: bool = False) -> tuple[str, ...]:
    """Archives of sources beside these jars that may be opened on this machine.

    ``inside``: where there are none, the jars tell which artifact of Maven they are, and its place in the caches of
    Maven and Gradle is looked at. No trip.
    """
    found = await trio.to_thread.run_sync(sources_beside, libraries, inside, abandon_on_cancel=True)
    return (await allowed_paths(target, found)).used


def sources_beside(libraries: Iterable[str], inside: bool = False) -> list[str]:
    """Return ``NAME-sources.jar`` for each ``NAME.jar``: in its directory, or in one beside it with a checksum for its
    name, as Gradle's cache has it; ``inside`` as for ``allowed_sources_beside``."""
    found = []
    for jar in list(libraries)[:MOST_ARCHIVES]:
        directory, name = os.path.split(jar)
        if not name.endswith(".jar"):
            continue
        wanted = f"{name.removesuffix('.jar')}-sources.jar"
        beside = _in_places(_with_checksums(directory), wanted)
        found += beside or (_of_artifact(jar) if inside else [])
    return found


def _with_checksums(directory: str) -> list[str]:
    """Return the directory, and those beside it if it has a checksum for its name."""
    above, last = os.path.split(directory)
    return [directory, *(_checksums(above) if _CHECKSUM.fullmatch(last) else ())]


def _checksums(directory: str) -> list[str]:
    with suppress(OSError):
        return [os.path.join(directory, each) for each in sorted(os.listdir(directory)) if _CHECKSUM.fullmatch(each)]
    return []


def _in_places(places: Iterable[str], name: str) -> list[str]:
    return [path for place in places if os.path.isfile(path := os.path.join(place, name))][:1]


def _of_artifact(jar: str) -> list[str]:
    """Return the sources of the artifact that a jar says to be, in the caches of Maven and Gradle."""
    try:
        with zipfile.ZipFile(jar) as archive:
            [own] = [name for name in archive.namelist() if _POM.fullmatch(name)]
            if archive.getinfo(own).file_size > _HEAD:
                return []
            lines = archive.read(own).decode("latin-1").splitlines()
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError, RuntimeError):
        return []
    told = dict(line.strip().partition("=")[::2] for line in lines)
    group, artifact, version = (told.get(each, "") for each in ("groupId", "artifactId", "version"))
    if not all(_PLAIN.fullmatch(each) for each in (group, artifact, version)):
        return []
    maven, gradle = map(os.path.expanduser, (_MAVEN_CACHE, f"{_GRADLE_CACHES}/modules-2/files-2.1"))
    places = [
        os.path.join(maven, *group.split("."), artifact, version),
        *_checksums(os.path.join(gradle, group, artifact, version)),
    ]
    return _in_places(places, f"{artifact}-{version}-sources.jar")


async def allowed_paths(target: Target, told: Sequence[str]) -> LocalPaths:
    """Return those of the paths that the target names which may be opened on this machine. No trip."""
    if target.launched:
        return LocalPaths(tuple(told))
    return await trio.to_thread.run_sync(below, told, target.named_paths, abandon_on_cancel=True)


def path_of_url(url: str) -> str:
    """Return the directory or archive that a URL of a class loader names; "" where it names none, or is inside an
    archive."""
    nested = url.removeprefix("jar:").removesuffix("!/")
    split = urlsplit(nested)
    return unquote(split.path) if split.scheme == "file" and not split.netloc and "!/" not in split.path else ""


def below(paths: Iterable[str], named: Sequence[str] = ()) -> LocalPaths:
    """Return the paths that lie below a directory the user or the system has named, before and after links are
    resolved.

    Paths elsewhere are not touched: to look at one may wait for ever.
    """
    roots = _roots(named)
    used, left_out = [], []
    for path in paths:
        full = os.path.normpath(path)
        if _is_plain(full) and _is_below(full, roots) and _is_below(os.path.realpath(full), roots):
            used.append(full)
        else:
            left_out.append(path)
    return LocalPaths(tuple(used), tuple(left_out))


def _is_plain(path: str) -> bool:
    return os.path.isabs(path) and "\0" not in path and os.pathsep not in path


def _roots(named: Sequence[str]) -> list[str]:
    """Return the named directories and archives, the working directory and the libraries, links resolved and not."""
    roots = []
    with suppress(OSError):  # it was removed
        roots.append(os.getcwd())
    for each in (*named, *_LIBRARIES):
        full = os.path.abspath(os.path.expanduser(each))
        roots += [full, os.path.realpath(full)]
    return [root for root in dict.fromkeys(roots) if root != os.sep]


def _is_below(path: str, roots: Iterable[str]) -> bool:
    return any(path == root or path.startswith(f"{root}{os.sep}") for root in roots)


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


LONGEST_LOOK = 0.5
"""Seconds for which what waits for a class looks for it on this machine, to tell a slip, or it from one of the JDK."""


class LocalClasses:
    """The classes of one target's paths. Nothing is searched before ``look`` is first called."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._class_path: tuple[str, ...] | None = None
        self._searched: _Paths | None = None
        self._search: _ClassSearch | None = None
        self._indexed: tuple[frozenset[str], dict[str, list[str]]] = (frozenset(), {})

    @classmethod
    def of(cls, target: Target) -> LocalClasses:
        """Return those of a target."""
        return target.part(cls, cls)

    @property
    def names(self) -> frozenset[str]:
        """Return the names that the last search has found so far. No trip."""
        return self._search.found if self._search is not None else self._indexed[0]

    async def look(self, limit: float) -> frozenset[str]:
        """Return the names, or after ``limit`` seconds those found so far. wire: 1 trip, once."""
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
        """Return the names by their last part, in small letters."""
        if self._indexed[0] is not self.names:
            index: dict[str, list[str]] = {}
            for name in self.names:
                index.setdefault(_last(name).lower(), []).append(name)
            self._indexed = self.names, index
        return self._indexed[1]

    async def _paths(self) -> _Paths:
        target = self._target
        if self._class_path is None and (target.launched or not target.remote):
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
    """Return the last part of a name: of a nested class its own."""
    return name.rpartition(".")[2].rpartition("$")[2]


def _package_of(path: str) -> str:
    with open(path, "rb") as file:
        found = _PACKAGE.search(file.read(_HEAD))
    return found[1].decode("utf-8", "replace") if found else ""


def _archive(path: str, suffixes: tuple[str, ...]) -> Iterator[str]:
    """Classes of a jar, or of an archive of sources whose directories are the packages."""
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
