"""Class files of what runs, written to a directory; the whole source of a class."""

from __future__ import annotations

import os
from collections import Counter
from typing import Annotated

import trio

from jdbpy import Notice, operating
from jdbpy.cli.arguments.base import Argument, Option
from jdbpy.cli.arguments.target import class_names
from jdbpy.cli.commands.code import Disassemblies
from jdbpy.cli.commands.data import Printed, dump
from jdbpy.cli.commands.python import LoadedPlugins
from jdbpy.cli.commands.scripts import ScriptRead, read
from jdbpy.cli.commands.source import Listing, whole_source
from jdbpy.cli.context import Context
from jdbpy.cli.names import Candidate, Names
from jdbpy.cli.output.pieces import Sentence, Shown, count, faint, remark
from jdbpy.cli.output.shows import shows
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.errors import UsageError
from jdbpy.record import Record

_MOST_NOTES = 10


class DumpRequest(Record):
    """A pattern of classes, and the directory; both are "" where nothing was said."""

    pattern: str = ""
    directory: str = ""


class DumpArgument(Argument[DumpRequest]):
    """``PATTERN to DIRECTORY``."""

    takes_rest = True
    metavar = "PATTERN to DIRECTORY"
    help = "classes with `*` for any part, or a part of names; a directory on this machine, made if it is not there"

    def parse(self, text: str) -> DumpRequest:
        pattern, to, directory = text.strip().partition(" to ")
        directory = directory.strip()
        if len(directory) > 1 and directory[0] == directory[-1] and directory[0] in "\"'":
            directory = directory[1:-1]
        if not to or not pattern.strip() or not directory or " " in pattern.strip():
            raise UsageError("where to?", hint="'dump classes com.acme.* to DIRECTORY'")
        return DumpRequest(pattern.strip(), directory)

    def complete(self, text: str, names: Names) -> list[Candidate]:
        return [] if " " in text else list(class_names(text, names))


@shows(operating.ClassesDumped)
def dumped_shown(result: operating.ClassesDumped, settings: Settings) -> Shown:
    how = Counter(each.how for each in result.classes)
    parts = [f"{how['loader']} as the loader has them"] if how["loader"] else []
    parts += [f"{how['rebuilt']} rebuilt"] if how["rebuilt"] else []
    how_made = f": {', '.join(parts)}" if parts else ""
    yield Sentence(f"{count(len(result.classes), 'class', 'classes')} written to {result.directory}{how_made}")
    notes = [each for each in result.classes if each.note]
    for each in notes[:_MOST_NOTES]:
        yield Sentence(f"  {each.name}: {each.note}", "    ")
    if len(notes) > _MOST_NOTES:
        yield faint(f"  ... {len(notes) - _MOST_NOTES} more; JSON has all")
    if notes:
        yield remark("rebuilt ones have no exception handlers, stack maps, bootstrap methods and annotations")
    for name, why in result.failed[:_MOST_NOTES]:
        yield Sentence(f"  {name} was not written: {why}", "    ")


@command("dump classes", group="classes")
async def dump_classes(
    ctx: Context, request: Annotated[DumpRequest, DumpArgument()] = DumpRequest()
) -> operating.ClassesDumped | Printed:
    """Write the class files of loaded classes to a directory: `dump classes com.acme.* to /tmp/classes`.

    Each is what the class loader has as its class file, if that is what runs; else, as where an agent has changed the
    class, and of hidden classes, one that is rebuilt of what the JVM tells: constants, members and code, without
    exception handlers, stack maps and annotations. Which of both it is, is said. Class files of loaders are read by
    methods that run in the target. Alone, it is `dump` of a variable `classes`.
    """
    if not request.pattern:
        return await dump(ctx, "classes")
    session = ctx.session
    directory = await trio.to_thread.run_sync(os.path.expanduser, request.directory)

    def progress(done: int, total: int) -> None:
        if total > 100:
            session.publish(Notice("progress", f"{done:,} of {total:,} classes"))

    return await session.class_dump.dump(request.pattern, directory, on_progress=progress)


class SourceOrFile(Argument[str]):
    """A class, or a file of commands as gdb's word takes it."""

    metavar = "CLASS|FILE"
    help = "a class whose source is shown, or a file of commands"

    def parse(self, text: str) -> str:
        return text

    def complete(self, text: str, names: Names) -> list[Candidate]:
        return list(class_names(text, names))


@command("source", group="source")
async def source(
    ctx: Context,
    what: Annotated[str, SourceOrFile()],
    *,
    quiet: Annotated[bool, Option("-q", "--quiet", help="of a file: show only what fails")] = False,
    keep_going: Annotated[bool, Option("-k", "--keep-going", help="of a file: go on after a failed command")] = False,
) -> Listing | Disassemblies | ScriptRead | LoadedPlugins:
    """Show the whole source of a class: `source com.acme.Order`. A file of commands is run, as `read` does.

    Without source, the program named by `set decompiler` makes it of the class file, which the target gives if it is
    not on this machine.
    """
    path = await trio.to_thread.run_sync(os.path.expanduser, what)
    is_file = "/" in what or what.endswith(".py") or await trio.to_thread.run_sync(os.path.isfile, path)
    if not is_file and not await ctx.session.classes.find(what):
        raise UsageError(
            f"neither a loaded class nor a file is called '{what}'",
            hint="'classes PATTERN' lists what is loaded",
            code="NO_SUCH_CLASS",
        )
    if is_file:
        return await read(ctx, what, quiet=quiet, keep_going=keep_going)
    return await whole_source(ctx, what)
