"""Source text: list, longlist, use."""

from __future__ import annotations

import re
from typing import Annotated

from jdbpy import FrameInfo, SourceLine, SourceWindow, Stopped, code
from jdbpy.cli.arguments.base import SearchPath
from jdbpy.cli.arguments.location import ListArgument
from jdbpy.cli.arguments.target import ClassPattern
from jdbpy.cli.commands.code import Disassemblies
from jdbpy.cli.context import Context, Listed
from jdbpy.cli.output.pieces import CodePieces, RowPieces, Sentence, Shown, count
from jdbpy.cli.output.shows import shows
from jdbpy.cli.resolving import class_of
from jdbpy.cli.results import Lines
from jdbpy.cli.settings import NO_DECOMPILER, Settings
from jdbpy.cli.table import command
from jdbpy.errors import StateError, UsageError
from jdbpy.json_form import Json
from jdbpy.record import Record

MADE = "the lines are not those of the class"
"""Said of what a decompiler has made."""


class Listing(Record):
    """Source text."""

    window: Annotated[SourceWindow, Json(key="source")]


class SourcePath(Record):
    """The places in which sources are looked for."""

    path: tuple[str, ...]


class SourceFiles(Record):
    """Source files of loaded classes."""

    files: tuple[SourceOf, ...]


class SourceOf(Record):
    """A source file: its name with the package's directories, its classes, and where it was found ("": nowhere)."""

    json_name = "source-file"

    name: Annotated[str, "as the class file has it, with the directories of its package"]
    classes: Annotated[tuple[str, ...], "the classes that were made from it"]
    path: Annotated[str, Json("where it was found", optional=True)]


@shows(Listing)
def listing(result: Listing, settings: Settings) -> Shown:
    yield CodePieces(result.window)


@shows(SourcePath)
def source_path(result: SourcePath, settings: Settings) -> Shown:
    yield from result.path
    if not result.path:
        yield Sentence("the source path is empty; 'use PATHS' sets it")


@shows(SourceFiles)
def source_files(result: SourceFiles, settings: Settings) -> Shown:
    yield RowPieces(
        (one.name, count(len(one.classes), "class", "classes"), one.path or "not found") for one in result.files
    )
    if not result.files:
        yield Sentence("no loaded class names a source file")


@command("list", "l", group="source", repeats="list +")
async def list_(ctx: Context, what: Annotated[str, ListArgument()] = "") -> Listing | Disassemblies:
    """Show source lines around the current one, or around a line or a method.

    `list 42`, `list 10,20`, `list total`, `list com.acme.Order.total`, `list Order:42`; `list +` goes on where the last
    one ended, `list -` goes back. How many lines: `set list-lines`. Without source, the program named by `set
    decompiler` decompiles the class file, if it is on this machine; else the bytecode is shown.
    """
    size: int = ctx.settings["list-lines"]
    here = ctx.listed
    if what in ("+", "-") and here is not None:
        first = here.last + 1 if what == "+" else max(1, here.first - size)
        last = first + size - 1 if what == "+" else here.first - 1
        if last < 1:
            raise UsageError("that was the first line")
        return await _show(ctx, here.class_name, here.source, first, last)
    if lines := re.fullmatch(r":?(\d{1,7})(?:\s*[,-]\s*(\d{1,7}))?", what):
        class_name, source = await _current_file(ctx)
        number = int(lines[1])
        if lines[2]:
            return await _show(ctx, class_name, source, number, int(lines[2]))
        return await _around(ctx, class_name, source, number)
    if what not in ("", "+", "-"):
        class_name, number, method = await _place(ctx, what)
        return await _around(ctx, class_name, None, number, method)
    frame = await ctx.session.stack.selected()
    return await _at_frame(ctx, frame, size)


@command("longlist", "ll", group="source")
async def longlist(ctx: Context) -> Listing | Disassemblies:
    """Show the source of the whole current method; where there is none, what `list` would show, all of it."""
    frame = await ctx.session.stack.selected()
    if frame.obsolete:
        raise _no_lines(frame)
    location = frame.location
    found = await ctx.session.classes.lines(location.class_name, location.method)
    own = [entry for entry in found if entry.signature == location.signature]
    inlined = [entry.line for entry in own if entry.source == location.source]  # the frame stands in another file
    numbers = inlined or [entry.line for entry in own if not entry.source]
    if not numbers or await ctx.session.sources.text(location.class_name, _source_of(frame)) is None:
        return await _at_frame(ctx, frame, _ALL)
    first = max(1, min(numbers) - 1)  # the head of a method has no code of its own
    return await _show(ctx, location.class_name, _source_of(frame), first, max(numbers))


@command("use", "sourcepath", "directory", "info source", group="source")
async def use(ctx: Context, path: Annotated[tuple[str, ...] | None, SearchPath()] = None) -> SourcePath:
    """Show or set where sources are looked for: directories and jars."""
    if path is not None:
        ctx.session.sources.path = path
    return SourcePath(tuple(ctx.session.sources.path))


@command("info line", group="source")
async def info_line(ctx: Context, what: Annotated[str, ListArgument()] = "") -> Lines:
    """Show which code belongs to a line: methods and the code indexes at which it begins.

    `info line` is for the selected frame's line; `info line 42`, `info line Order:42`, `info line Order.total`.
    """
    class_name, _, number = await place_of_text(ctx, what)
    if number is None:
        raise StateError("the current method has no line numbers", hint="'up' goes to the caller")
    entries = await ctx.session.classes.lines(class_name)
    found = tuple(entry for entry in entries if entry.line == number)
    if not found:
        numbers = sorted({entry.line for entry in entries})
        near = [*[one for one in numbers if one < number][-1:], *[one for one in numbers if one > number][:1]]
        hint = f"the nearest lines with code are {' and '.join(map(str, near))}" if near else ""
        raise UsageError(f"line {number} of {class_name} has no code", hint=hint)
    return Lines(class_name, found)


@command("info sources", group="source")
async def info_sources(ctx: Context, pattern: Annotated[str, ClassPattern()] = "") -> SourceFiles:
    """List the source files of the loaded classes, with the file that was found for each.

    `info sources com.acme.*` asks for some classes only; without a pattern, classes of the JDK are left out.
    """
    names = await ctx.session.classes.source_files(pattern)
    found = [await ctx.session.sources.find(classes[0], name) for name, classes in names.items()]
    return SourceFiles(tuple(SourceOf(name, names[name], path or "") for name, path in zip(names, found, strict=True)))


_ALL = 1_000_000
"""Lines: more than a method can have."""


async def _at_frame(ctx: Context, frame: FrameInfo, size: int) -> Listing | Disassemblies:
    """Return the source around a frame; where there is none, what the decompiler or the bytecode gives."""
    at = frame.location
    if at.line is not None and await ctx.session.sources.text(at.class_name, _source_of(frame)) is not None:
        return await _around(ctx, at.class_name, _source_of(frame), at.line)
    if frame.obsolete:
        raise _no_lines(frame)
    why = _no_lines(frame) if at.line is None else _no_source(_source_of(frame) or at.class_name)
    return await _without_source(ctx, at.class_name, at.method, size, why)


async def _around(
    ctx: Context, class_name: str, source: str | None, line: int, method: str = ""
) -> Listing | Disassemblies:
    size: int = ctx.settings["list-lines"]
    if source is None and await ctx.session.sources.text(class_name, None) is None:
        files = await ctx.session.classes.source_files(class_name)  # it may stand in another class's file
        source = next((file.rpartition("/")[2] for file, names in files.items() if class_name in names), None)
    if method and await ctx.session.sources.text(class_name, source) is None:
        place = f"{class_name}.{method}"
        return await _without_source(ctx, class_name, method, size, _no_source(source or class_name), place)
    first = max(1, line - size // 2)
    return await _show(ctx, class_name, source, first, first + size - 1)


async def _without_source(
    ctx: Context, class_name: str, method: str, size: int, why: StateError, place: str = ""
) -> Listing | Disassemblies:
    """Return a decompiler's text of the class, from a method on; else the code of that method, around where the
    selected frame stands in it. ``place`` names another method than that frame's. Raises ``why`` if there is nothing.
    """
    if ctx.settings["decompiler"] != NO_DECOMPILER:
        try:
            file = await ctx.session.sources.decompiled(class_name, ctx.settings["decompiler"])
        except StateError as error:
            why = error
        else:
            [(first, last), *_] = ctx.session.sources.methods_in(file, class_name, method) or [(1, len(file.lines))]
            return await _show(ctx, class_name, None, first, last if size == _ALL else first + size - 1)
    try:
        found = await ctx.session.code.disassemble(place)
    except UsageError:
        raise why from None
    with_code = [each for each in found if each.instructions]
    if not with_code:
        raise why
    return Disassemblies(tuple(_code_window(each, size, why.message) for each in with_code))


async def whole_source(ctx: Context, class_name: str) -> Listing | Disassemblies:
    """Return all of a class's source; without it, all that a decompiler makes of the class."""
    named = (await ctx.session.classes.find(class_name))[0].name
    return await _show(ctx, named, None, 1, _ALL)


async def decompiled_at(ctx: Context, stop: Stopped) -> SourceWindow | None:
    """Return what a decompiler makes of the method in which a thread has stopped: of a class without source, where the
    settings name one. None, too, for a further stop in the same method: no line of it can be marked.
    """
    at = stop.location
    if ctx.settings["decompiler"] == NO_DECOMPILER or at is None or at.line is None or stop.source is not None:
        return None
    method = f"{at.class_name}.{at.method}{at.signature}"
    if method == ctx.decompiled:
        return None
    sources = ctx.session.sources
    try:
        found = await sources.text(at.class_name, at.source_file)
        file = None if found else await sources.decompiled(at.class_name, ctx.settings["decompiler"])
    except (StateError, UsageError):  # `list` says why
        file = None
    ctx.decompiled = method
    if file is None:
        return None
    [(first, last), *_] = sources.methods_in(file, at.class_name, at.method) or [(1, len(file.lines))]
    last = min(last, first + ctx.settings["list-lines"] - 1)
    ctx.listed = Listed(at.class_name, at.source_file, first, last)
    return _window(file.path, file.numbered(first, last), None, len(file.lines), MADE, decompiled=True)


def _code_window(method: code.Disassembly, size: int, why: str) -> code.Disassembly:
    """Return so many instructions of a method around the one where the selected frame stands."""
    rows = method.instructions
    current = next((number for number, each in enumerate(rows) if each.current), 0)
    first = max(0, min(current - size // 2, len(rows) - size))
    part = rows[first : first + size]
    note = why if len(part) == len(rows) else f"{why}; {len(part)} of {len(rows)} instructions: 'disassemble' shows all"
    return method.replace(instructions=part, note=note)


async def _show(ctx: Context, class_name: str, source: str | None, first: int, last: int) -> Listing:
    """Lines ``first`` to ``last`` of the file, with the current line marked if it is among them."""
    file = await ctx.session.sources.text(class_name, source)
    made = file is None
    if file is None:
        if ctx.settings["decompiler"] == NO_DECOMPILER:
            raise _no_source(source or class_name)
        file = await ctx.session.sources.decompiled(class_name, ctx.settings["decompiler"])
    total = len(file.lines)
    if first > total:
        raise UsageError(f"{file.path} ends with line {total}")
    last = min(last, total)
    if last < first:
        raise UsageError(f"line {last} comes before line {first}")
    ctx.listed = Listed(class_name, source, first, last)
    current, warning = (None, MADE) if made else await _current_line(ctx, file.path)
    return Listing(_window(file.path, file.numbered(first, last), current, total, warning, decompiled=made))


def _window(
    path: str, lines: tuple[SourceLine, ...], current: int | None, total: int, warning: str, *, decompiled: bool
) -> SourceWindow:
    name = path.rpartition("/")[2].partition(",")[0]
    return SourceWindow(path, name, lines, current, total, bool(warning), warning, decompiled)


async def _current_line(ctx: Context, path: str) -> tuple[int | None, str]:
    """Return the line of the selected frame, when it stands in this file, and why the file is hardly that of its
    class."""
    if ctx.session.selection[0] is None:
        return None, ""
    location = (await ctx.session.stack.selected()).location
    found = await ctx.session.sources.text(location.class_name, location.source_file)
    if found is None or found.path != path:
        return None, ""
    return location.line, ctx.session.sources.doubt(found, location)


async def _current_file(ctx: Context) -> tuple[str, str | None]:
    if ctx.listed is not None:
        return ctx.listed.class_name, ctx.listed.source
    frame = await ctx.session.stack.selected()
    return frame.location.class_name, _source_of(frame)


async def _place(ctx: Context, text: str) -> tuple[str, int, str]:
    """Return the class, the line and perhaps the method of ``Class:LINE``, ``Class.method``, ``method`` or
    ``Class``."""
    name, colon, line = text.rpartition(":")
    if colon and re.fullmatch("[0-9]{1,9}", line):
        name = re.sub(r"\.java$", "", name)
        return (await class_of(ctx, name) or name) if "*" in name else name, int(line), ""
    classes = ctx.session.classes
    owner, _, method = re.sub(r"\(.*", "", text).rpartition(".")
    if not owner and ctx.session.selection[0] is not None:
        here = (await ctx.session.stack.selected()).location.class_name
        if any(each.name == method for each in await classes.methods(here)):
            owner = here
    if owner and (named := await class_of(ctx, owner)):
        owner = named
        found = [entry.line for entry in await classes.lines(owner, method) if entry.method == method]
        if found:
            return owner, min(found), method
        if any(each.name == method for each in await classes.methods(owner)):
            return owner, 1, method  # it was compiled without lines
    if named := await class_of(ctx, text):
        found = [entry.line for entry in await classes.lines(named)]
        return named, min(found, default=1), ""
    raise UsageError(f"no class or method '{text}'", hint="'classes' and 'methods CLASS' list what is loaded")


async def place_of_text(ctx: Context, text: str) -> tuple[str, str | None, int | None]:
    """Return the class, source file and line of a place, "" for the selected frame's; None for what is not known.
    wire: 1 trip for a frame, 2 or 3 for a method."""
    if not text:
        location = (await ctx.session.stack.selected()).location
        return location.class_name, location.source_file, location.line
    if re.fullmatch(":?[0-9]{1,9}", text):
        class_name, source = await _current_file(ctx)
        return class_name, source, int(text.removeprefix(":"))
    class_name, line, _ = await _place(ctx, text)
    return class_name, None, line


def _no_source(name: str) -> StateError:
    return StateError(f"the source of {name} was not found", hint="'use PATHS' says where the sources are")


def _no_lines(frame: FrameInfo) -> StateError:
    if frame.obsolete:
        return StateError(
            "this frame runs code that was replaced, and the VM does not give its lines any more",
            hint="'pop' takes it back to before the call, 'up' goes to the caller",
        )
    return StateError("the current method has no line numbers", hint="'up' goes to the caller")


def _source_of(frame: FrameInfo) -> str | None:
    return frame.location.source_file
