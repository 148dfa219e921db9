"""Hot swap: classes replaced when the client asks for it, or whenever their class files change.

Owns which files are looked at: those below the directories that the client has named, when it launched or attached.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import trio

from jdbpy import JdbpyError, UsageError
from jdbpy.dap.breakpoint_table import EditorBreakpoints
from jdbpy.dap.debuggee import Debuggee
from jdbpy.dap.editor import Editor
from jdbpy.dap.protocol import Body, request
from jdbpy.dap.sources import SourceTable
from jdbpy.escape import escape
from jdbpy.record import Record

if TYPE_CHECKING:
    from jdbpy import hotswap

LOOK_EACH = 0.5
"""Seconds between two looks at class files."""

MOST_FILES = 50_000

Files = dict[str, tuple[int, int]]


class Redefine(Record):
    """Arguments of ``redefineClasses``: class files below directories and in jars, or sources that are compiled."""

    paths: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


def _files(paths: Sequence[str]) -> Files:
    """Return the class files below directories, with time and size. A link is not followed."""
    found: Files = {}
    for path in paths:
        for directory, _, names in os.walk(path):
            for name in names:
                if name.endswith(".class") and len(found) < MOST_FILES:
                    try:
                        about = os.stat(os.path.join(directory, name))
                    except OSError:
                        continue
                    found[os.path.join(directory, name)] = about.st_mtime_ns, about.st_size
    return found


class HotswapRequests:
    """Classes replaced."""

    def __init__(
        self, debuggee: Debuggee, editor: Editor, sources: SourceTable, breakpoints: EditorBreakpoints
    ) -> None:
        self._debuggee = debuggee
        self._editor = editor
        self._sources = sources
        self._breakpoints = breakpoints

    @request("redefineClasses", Redefine, in_order=True)
    async def redefine_classes(self, args: Redefine) -> Body:
        """Replace the loaded classes whose class files differ.

        wire: 6 trips a path, and 3 a breakpoint in the classes.
        """
        return await self._redefined(args)

    @request("jdbpy/redefine", Redefine, in_order=True)
    async def redefine(self, args: Redefine) -> Body:
        """Return the same under a name of our own."""
        return await self._redefined(args)

    async def _redefined(self, args: Redefine) -> Body:
        paths = [self._editor.paths.of_client(each) for each in args.paths] or (
            [] if args.sources else self._debuggee.plan.class_paths
        )
        if not paths and not args.sources:
            raise UsageError('nothing says where class files are: "classPaths" in the configuration, or "paths" here')
        changed: list[str] = []
        if args.sources:
            sources = [self._editor.paths.of_client(each) for each in args.sources]
            changed += self._told(await self._debuggee.session.hotswap.redefine_sources(sources))
        changed += await self._replace_all(paths)
        return {"changedClasses": changed}

    async def _replace_all(self, paths: Sequence[str]) -> list[str]:
        changed: list[str] = []
        for path in paths:
            changed += self._told(await self._debuggee.session.hotswap.redefine_all(path))
        return changed

    def _told(self, done: hotswap.Redefinition) -> list[str]:
        """Say what was replaced; the names of the classes."""
        for each in done.classes:
            changes = f": {', '.join(each.changes)}" if each.changes else ""
            self._editor.say(f"replaced {each.name}{changes}")
        for frame in done.obsolete:
            place = frame.location
            self._editor.say(
                f"{place.class_name}.{place.method} runs its old code until it is entered again", "important"
            )
        for point in done.lost:
            self._breakpoints.changed(point.number)
        self._sources.replaced([each.name for each in done.classes])
        if done.classes:
            self._editor.invalidate("all")
        return [escape(each.name) for each in done.classes]

    async def start_watching(self) -> None:
        """Replace classes whenever their files have changed and are at rest, until the session ends."""
        known = await trio.to_thread.run_sync(_files, self._debuggee.plan.class_paths)
        self._debuggee.start(partial(self._watch, known))

    async def _watch(self, known: Files) -> None:
        paths, seen = self._debuggee.plan.class_paths, known
        while True:
            await trio.sleep(LOOK_EACH)
            now = await trio.to_thread.run_sync(_files, paths)
            if now != known and now == seen:  # a compiler has done its work
                known = now
                try:
                    await self._replace_all([path for path in paths if any(each.startswith(path) for each in now)])
                except JdbpyError as error:
                    self._editor.say(f"classes were not replaced: {error.message}", "important")
            seen = now
