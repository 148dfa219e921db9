"""The offers of the prompt at its start: the files of the project, and the breakpoints of the last time.

A project has a directory `.jdbpy`: `init` has commands, `plugins/*.py` are plug-ins. Both can do whatever the user can,
so the prompt asks before it obeys them, and remembers the answer with a checksum: changed files are asked about again.
What is run is what the checksum was made of. Files of another user, or that everybody may write, are left out unasked:
who reads them before answering need not see what is run. Nothing of it is for batches.
"""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from urllib.parse import quote

import trio

from jdbpy import JdbpyError
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import count, some
from jdbpy.cli.points import as_commands
from jdbpy.escape import escape
from jdbpy.files import append_lines, state_directory, why_not_trusted, write_whole
from jdbpy.process.scripts import failed, numbered
from jdbpy.record import Record

PROJECT = ".jdbpy"

_LARGEST = 1 << 20
"""Bytes of a file that is looked at."""

_YES, _NO = ("y", "yes"), ("n", "no", "")


class ProjectFiles(Record):
    """The files of a project: its directory, the commands of `init`, and plug-ins (path, content)."""

    directory: str
    lines: tuple[str, ...]
    plugins: tuple[tuple[str, bytes], ...]
    checksum: str
    refused: str = ""
    """The reason why none of it is run, even if the user agrees; "" if the user decides."""

    @property
    def words(self) -> str:
        """Return what there is, in words."""
        parts = [count(len(self.lines), "command")] if self.lines else []
        names = [os.path.basename(path) for path, _ in self.plugins]
        return " and ".join([*parts, *([f"the plug-in {names[0]}"] if len(names) == 1 else [])]) + (
            f"{' and ' * bool(parts)}the plug-ins {some(names)}" if len(names) > 1 else ""
        )


class Offers:
    """The offers of one target at the prompt. ``name`` is what its breakpoints are kept under; "": they are not."""

    def __init__(self, name: str, *, environ: Mapping[str, str] = os.environ, directory: str | None = None) -> None:
        self._state = state_directory(environ)
        self._home = environ.get("HOME", "")
        self._directory = directory
        kept = os.path.join(self._state, "breakpoints")
        self._kept = os.path.join(kept, quote(name, safe="@:[]")) if name and self._state else ""

    async def begin(
        self, ctx: Context, ask: Callable[[str], Awaitable[str]], say: Callable[[str], object]
    ) -> list[str]:
        """Make the offers; what is accepted is run. ``ask`` gives the answer to a question.

        Return the lines that are no answers: commands that were typed ahead. Each declines the breakpoints; whether
        files of the project are run is asked until it is answered.
        """
        ahead: list[str] = []

        async def ask_once(question: str) -> str:
            answer = await ask(question)
            if not _is_answer(answer):
                ahead.append(answer)
            return answer

        found = await trio.to_thread.run_sync(self._find)
        if found is not None:
            await self._offer_project(ctx, found, ask, say)
        await self._offer_breakpoints(ctx, ask_once, say)
        return ahead

    def end(self, ctx: Context) -> None:
        """Keep the breakpoints that there are now for the next time."""
        if not self._kept or ctx.settings["keep-breakpoints"] == "off":
            return
        lines = _commands(ctx)
        with suppress(OSError):  # then they are not kept: nobody waits for that
            if lines:
                os.makedirs(os.path.dirname(self._kept), mode=0o700, exist_ok=True)
                write_whole(self._kept, lines, replace=os.path.lexists(self._kept))
            elif os.path.lexists(self._kept):
                os.unlink(self._kept)

    # The project

    def _find(self) -> ProjectFiles | None:
        """Return the files of the project in whose directories the debugger was started, up to its root; None
        without."""
        try:
            directory = os.path.realpath(self._directory or os.getcwd())
        except OSError:
            return None
        while directory != os.path.realpath(self._home or os.sep):
            if os.path.isdir(os.path.join(directory, PROJECT)):
                return _read(os.path.join(directory, PROJECT))
            if os.path.lexists(os.path.join(directory, ".git")) or directory == os.path.dirname(directory):
                break
            directory = os.path.dirname(directory)
        return None

    async def _offer_project(
        self, ctx: Context, found: ProjectFiles, ask: Callable[[str], Awaitable[str]], say: Callable[[str], object]
    ) -> None:
        where = escape(found.directory)
        if found.refused:
            say(f"{where} is left out: {escape(found.refused)}\n")
            return
        if not self._is_trusted(found):
            say(f"{where} has {escape(found.words)} of this project, which may do whatever you may\n")
            question = "run them now, and from now on until they change? [y/N] "
            while not _is_answer(answer := await ask(question)):
                say(f"'{escape(answer.strip())}' is neither yes nor no: y runs them, n or an empty line does not\n")
            if not _is_yes(answer):
                return
            self._trust(found)
        from jdbpy.cli.plugin_commands import load_plugin

        for path, content in found.plugins:
            try:
                await load_plugin(ctx, path, content)
            except JdbpyError as error:
                say(f"{escape(error.message)}\n")
        await _run_quietly(ctx, found.lines, say)

    def _store(self) -> str:
        return os.path.join(self._state, "trusted") if self._state else ""

    def _is_trusted(self, found: ProjectFiles) -> bool:
        return bool(self._store()) and _trust_line(found) in _trusted_lines(self._store())

    def _trust(self, found: ProjectFiles) -> None:
        if self._store():
            with suppress(OSError):  # then it is asked again
                os.makedirs(self._state, mode=0o700, exist_ok=True)
                append_lines(self._store(), [_trust_line(found)])

    # Breakpoints

    async def _offer_breakpoints(
        self, ctx: Context, ask: Callable[[str], Awaitable[str]], say: Callable[[str], object]
    ) -> None:
        if not self._kept or ctx.settings["keep-breakpoints"] == "off":
            return
        lines = await trio.to_thread.run_sync(_trusted_lines, self._kept)
        there = set(_commands(ctx))
        if set(lines) <= there:
            return
        number = count(_points(lines), "breakpoint")
        if ctx.settings["keep-breakpoints"] == "ask":
            answer = await ask(f"{number} from the last session here; set again? [y/N] ")
            if not _is_yes(answer):
                return
        await _run_quietly(ctx, lines if not there else _without(lines, there), say)
        say(f"{number} of the last time set again; 'breakpoints' lists them\n")


def _read(directory: str) -> ProjectFiles | None:
    """Return the files of a project's directory; None if there is nothing to run."""
    digest = sha256()
    content = _content(os.path.join(directory, "init"))
    digest.update(b"init\0%d\0" % len(content) + content)
    try:
        whole = numbered(content.decode("utf-8-sig").splitlines(), os.path.join(directory, "init"))
        lines = [each for each in whole if each.strip() and each.strip()[0] != "#"]
    except UnicodeDecodeError:
        lines = []
    plugins = []
    folder = os.path.join(directory, "plugins")
    try:
        names = sorted(os.listdir(folder))
    except OSError:  # there is none, or it is not for this user
        names = []
    for path in (os.path.join(folder, name) for name in names if name.endswith(".py")):
        found = _content(path)
        digest.update(f"{os.path.basename(path)}\0{len(found)}\0".encode() + found)
        plugins.append((path, found))
    if not lines and not plugins:
        return None
    files = [*([os.path.join(directory, "init")] if lines else []), *(path for path, _ in plugins)]
    reasons = ((path, why_not_trusted(path, by_group=False)) for path in files)
    refused = next((f"{os.path.basename(path)} is not trusted: {reason}" for path, reason in reasons if reason), "")
    if any(ord(each) < 32 or ord(each) == 127 for each in "".join((directory, *(path for path, _ in plugins)))):
        refused = "a name in its path has control characters"
    return ProjectFiles(directory, tuple(lines), tuple(plugins), digest.hexdigest(), refused)


def _trust_line(found: ProjectFiles) -> str:
    """Return the line by which a project is trusted. No other project has it, whatever its directory is called."""
    return f"{found.checksum}  {json.dumps(found.directory)}"


def _content(path: str) -> bytes:
    if not os.path.isfile(path):
        return b""
    try:
        with open(path, "rb") as file:
            return file.read(_LARGEST)
    except OSError:
        return b""


def _trusted_lines(path: str) -> list[str]:
    """Return the lines of a file that only this user can have written; none if it is not there."""
    if not os.path.exists(path) or why_not_trusted(path):
        return []
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()
    except (OSError, UnicodeDecodeError):
        return []


async def _run_quietly(ctx: Context, lines: Sequence[str], say: Callable[[str], object]) -> None:
    """Run lines of which only those that fail are shown."""
    loud = not ctx.quiet
    ctx.quiet = True
    try:
        for line in lines:
            if ctx.leaving:
                break
            if not await ctx.run_line(line) and (where := failed(line)):
                say(f"{where}\n")
    finally:
        ctx.quiet = not loud


def _commands(ctx: Context) -> list[str]:
    """Return the commands that set the breakpoints again which there are now."""
    points = ctx.session.points.list() if ctx.session.points_are_used else ()
    return [line for line in as_commands(points, {}, ctx.actions) if not line.startswith("#")]


def _without(lines: list[str], there: set[str]) -> list[str]:
    """Return the lines without those that set what is there, and without what the hits of these run."""
    kept: list[str] = []
    dropping, inside = False, False
    for line in lines:
        if not inside and line != "commands":
            dropping = line in there
        inside = line == "commands" or (inside and line != "end")
        if not dropping:
            kept.append(line)
    return kept


def _points(lines: list[str]) -> int:
    """Return the number of breakpoints that lines set."""
    number, inside = 0, False
    for line in lines:
        number += not inside and line != "commands"
        if line == "commands":
            inside = True
        elif inside and line == "end":
            inside = False
    return number


def _is_answer(answer: str) -> bool:
    return answer.strip().lower() in (*_YES, *_NO)


def _is_yes(answer: str) -> bool:
    return answer.strip().lower() in _YES
