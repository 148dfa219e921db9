"""where, wherei, up, down, locals."""

from __future__ import annotations

from jdbpy import JdbpyError, StackTrace, StateError, UsageError
from jdbpy.jdb.debugger import Debugger
from jdbpy.jdb.interpreter import jdb_command
from jdbpy.jdb.values import SHORT, frame_line, text_of
from jdbpy.jdb.words import Words, whole_number

_NOT_SUSPENDED = "Current thread isn't suspended."


@jdb_command("where")
async def where(jdb: Debugger, words: Words) -> None:
    await _where(jdb, words, pc=False)


@jdb_command("wherei")
async def wherei(jdb: Debugger, words: Words) -> None:
    await _where(jdb, words, pc=True)


@jdb_command("up")
async def up(jdb: Debugger, words: Words) -> None:
    await _move(jdb, words, "up", 1)


@jdb_command("down")
async def down(jdb: Debugger, words: Words) -> None:
    await _move(jdb, words, "down", -1)


@jdb_command("locals")
async def locals_(jdb: Debugger, words: Words) -> None:
    if jdb.current is None:
        jdb.out.line('No default thread specified: use the "thread" command first.')
        return
    try:
        found = await jdb.target.stack.variables(limits=SHORT)
    except StateError:
        jdb.out.line(_NOT_SUSPENDED)
        return
    variables = [each for each in found if each.kind in ("argument", "local")]
    if any(each.kind == "slot" for each in found):
        jdb.out.line("Local variable information not available.  Compile with -g to generate variable information")
        return
    if not variables:
        jdb.out.line("No local variables")
        return
    for title, kind in (("Method arguments:", "argument"), ("Local variables:", "local")):
        jdb.out.line(title)
        for each in variables:
            if each.kind == kind:
                jdb.out.line(f"{each.name} = {text_of(each.value)}")


async def _where(jdb: Debugger, words: Words, *, pc: bool) -> None:
    word = words.next()
    if word.lower() == "all":
        for trace in sorted(await jdb.target.stack.all(), key=lambda each: each.thread.virtual):
            jdb.out.line(f"{trace.thread.name}:")
            current = jdb.current is not None and trace.thread.id == jdb.current.id
            _write(jdb, trace, jdb.frame_index if current else 1, pc=pc)
        return
    if word:
        thread = await jdb.thread(word)
        if thread is None:
            return
        await jdb.make_current(thread)
    if jdb.current is None:
        jdb.out.line("No thread specified.")
        return
    _write(jdb, await jdb.target.stack.of(jdb.current.id), jdb.frame_index, pc=pc)


def _write(jdb: Debugger, trace: StackTrace, start: int, *, pc: bool) -> None:
    if trace.error:
        jdb.out.line(_NOT_SUSPENDED)
        return
    jdb.out.print("".join(frame_line(frame, pc=pc) + "\n" for frame in trace.frames[start - 1 :]))


async def _move(jdb: Debugger, words: Words, name: str, direction: int) -> None:
    if jdb.current is None:
        jdb.out.line("Current thread not set.")
        return
    count = 1
    if words.more():
        count = whole_number(words.next()) or 0
        if count <= 0:
            jdb.out.line(f"Usage: {name} [n frames]")
            return
    try:
        await jdb.target.select_frame(jdb.frame_index + direction * count)
    except UsageError:
        jdb.out.line("End of stack.")
    except JdbpyError:
        jdb.out.line(_NOT_SUSPENDED)
