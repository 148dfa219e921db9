"""The search for source files in the roots of the source path, and what was read last.

Owns the order in which files are tried. All of it blocks, and may block for ever on a dead mount: ``component`` runs it
in a thread that it can abandon, and makes a new search then. So nothing in here is shared with the next one.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterable, Sequence

from jdbpy.record import Record
from jdbpy.session.sources.belonging import belongs, has_packages
from jdbpy.session.sources.roots import ArchiveRoot, DirectoryRoot, NotShownError, Root, is_plain, open_root
from jdbpy.session.sources.text import SourceFile, source_paths

_REMEMBERED = 32
"""How many files are kept in memory."""


class FoundSource(Record):
    """What a search came to. ``problems`` are sentences about files and entries that could not be used."""

    file: SourceFile | None
    problems: tuple[str, ...] = ()


class Search:
    """Looks for files in ``entries`` of the source path, and in the sources of the JDK once it has them."""

    def __init__(self, entries: Sequence[str], jdk: str | None = None) -> None:
        self.entries = tuple(entries)
        self.jdk = jdk
        self.at = ""
        """The entry that is being read: the one to leave out when nothing comes of it."""
        self._roots: list[DirectoryRoot | ArchiveRoot] | None = None
        self._jdk_root: ArchiveRoot | None = None
        self._files: OrderedDict[tuple[str, str | None], tuple[Root, str, object, SourceFile]] = OrderedDict()
        self._problems: list[str] = []

    def find(self, class_name: str, source: str | None) -> FoundSource:
        """The source file of a class; ``source`` as for ``Sources.text``."""
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

    def close(self) -> None:
        for root in (*(self._roots or ()), self._jdk_root):
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

    def _opened(self) -> list[DirectoryRoot | ArchiveRoot]:
        if self._roots is None:
            roots = []
            for entry in self.entries:
                self.at = entry
                if entry == "." and os.getcwd() == "/":
                    continue  # nobody has meant the whole machine by being there
                try:
                    roots.append(open_root(entry))
                except OSError as error:
                    reason = error.strerror or str(error)
                    self._problems.append(f"{entry} on the source path cannot be used: {reason}")
            self._roots = roots
        return self._roots
