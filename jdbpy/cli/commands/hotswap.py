"""Hot swap: redefine."""

from __future__ import annotations

import os
from typing import Annotated

import trio

from jdbpy import hotswap
from jdbpy.cli.arguments.base import Option, SearchPath
from jdbpy.cli.arguments.location import ClassOrFile
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Sentence, Shown, count, remark, some
from jdbpy.cli.output.places import frame_line
from jdbpy.cli.output.shows import shows
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.errors import StateError, UsageError


@shows(hotswap.Redefinition)
def redefinition(result: hotswap.Redefinition, settings: Settings) -> Shown:
    for each in result.classes:
        changes = f": {some(each.changes)}" if each.changes else ", though nothing differs"
        yield f"redefined {each.name}{changes}"
    if not result.classes:
        yield Sentence("nothing to redefine: no loaded class differs from its file")
    if result.unchanged:
        yield Sentence(
            f"  {count(len(result.unchanged), 'class', 'classes')} unchanged: {some(result.unchanged)}", "    "
        )
    if result.not_loaded:
        yield Sentence(
            f"  {count(len(result.not_loaded), 'class', 'classes')} not loaded: {some(result.not_loaded)}", "    "
        )
    for lost in result.lost:
        yield Sentence(f"breakpoint {lost.number} at {lost.spec} has no place in the new code: {lost.message}")
    if result.obsolete:
        yield f"{count(len(result.obsolete), 'frame')} still in old code:"
        for frame in result.obsolete:
            yield f'  thread {frame.thread.id} "{frame.thread.name}" ' + frame_line(frame, settings)
        yield remark("'pop' takes the innermost frame back to before its call; the next call runs the new code")


@command("redefine", "hotswap", group="changing")
async def redefine(
    ctx: Context,
    *words: Annotated[str, ClassOrFile()],
    compile: Annotated[
        bool, Option("--compile", help="the files are source: compile them with the local javac")
    ] = False,
    class_path: Annotated[
        tuple[str, ...],
        Option("-cp", argument=SearchPath(), help="with --compile: instead of the paths of its loader and target"),
    ] = (),
) -> hotswap.Redefinition:
    """Replace classes of the running target by newer class files.

    `redefine CLASS FILE` replaces one class; `redefine DIR` (or a jar) every loaded class that differs from its file;
    `redefine --compile SOURCE` compiles first, the current source file if none is named. All classes are replaced in
    one step, or none. A HotSpot JVM takes new code of methods only: no new or removed methods and fields. Calls that
    run already go on in the old code: `where` marks them, and `pop` takes them back to before the call.
    """
    if compile:
        sources = words or (await _current_source(ctx),)
        return await ctx.session.hotswap.redefine_sources(sources, class_path)
    if class_path:
        raise UsageError("-cp is for --compile")
    if len(words) == 2:
        class_name, file = words
        return await ctx.session.hotswap.redefine(class_name, file)
    if len(words) != 1:
        raise UsageError("a class and its file, or a directory, is wanted")
    [path] = words
    if path.endswith((".java", ".kt")):
        raise UsageError(f"{path} is source", hint=f"redefine --compile {path}")
    if path.endswith(".class"):
        return await ctx.session.hotswap.redefine("", path)
    if not await trio.to_thread.run_sync(os.path.exists, path):
        raise UsageError(f"no directory or jar {path}", hint="to replace one class: redefine CLASS FILE")
    return await ctx.session.hotswap.redefine_all(path)


async def _current_source(ctx: Context) -> str:
    """Return the source file of the selected frame."""
    location = (await ctx.session.stack.selected()).location
    found = await ctx.session.sources.find(location.class_name, location.source_file)
    if found is None or not await trio.to_thread.run_sync(os.path.isfile, found):
        raise StateError(
            f"the source file of {location.class_name} was not found", hint="name it: redefine --compile FILE"
        )
    return found
