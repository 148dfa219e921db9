"""lock, threadlocks."""

from __future__ import annotations

from jdbpy import JdbpyError
from jdbpy.jdb.commands.values import object_of, shown
from jdbpy.jdb.debugger import Debugger
from jdbpy.jdb.interpreter import jdb_command
from jdbpy.jdb.output import number
from jdbpy.jdb.values import text_of
from jdbpy.jdb.words import Words


@jdb_command("lock", evaluates=True)
async def lock(jdb: Debugger, words: Words) -> None:
    expression = words.rest().strip()
    value = await object_of(jdb, Words(expression))
    if value is None:
        return
    if (text := await shown(jdb, value)) is not None:
        jdb.out.line(f"Monitor information for {expression} ({text}):")
    try:
        state = await jdb.target.locks.state(value.id or 0)
    except JdbpyError:
        jdb.out.line("Threads must be suspended")
        return
    if state.owner is None:
        jdb.out.line("  Not owned")
    else:
        jdb.out.line(f"  Owned by: {state.owner.name}, entry count: {number(state.entry_count)}")
    waiters = [*state.entering, *state.waiting]
    if not waiters:
        jdb.out.line("  No waiters")
    jdb.out.print("".join(f" Waiting thread: {each.name}\n" for each in waiters))


@jdb_command("threadlocks")
async def threadlocks(jdb: Debugger, words: Words) -> None:
    word = words.next()
    if word.lower() == "all":
        everybody = sorted(await jdb.target.threads.list(), key=lambda each: each.virtual)
        ids = [each.id for each in everybody]
    elif word:
        found = await jdb.thread(word)
        if found is None:
            return
        await jdb.make_current(found)
        ids = [found.id]
    elif jdb.current is None:
        jdb.out.line("Current thread not set.")
        return
    else:
        ids = [jdb.current.id]
    for each in (await jdb.target.locks.of(ids)).threads:
        jdb.out.line(f"Monitor information for thread {each.thread.name}:")
        held = [one.lock.id for one in each.held if one.lock.kind == "monitor"]
        if not held:
            jdb.out.line("  No monitors owned")
        for value in await jdb.target.values.of_objects(held):
            jdb.out.line(f"  Owned monitor: {text_of(value)}")
        awaited = each.awaits.lock.id if each.awaits is not None and each.awaits.how in ("enter", "wait") else None
        if awaited is None:
            jdb.out.line("  Not waiting for a monitor")
        else:
            [value] = await jdb.target.values.of_objects([awaited])
            jdb.out.line(f"   Waiting for monitor: {text_of(value)}")
