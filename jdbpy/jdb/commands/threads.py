"""threads, thread, threadgroups, threadgroup, interrupt, kill; lock, threadlocks."""

from __future__ import annotations

from jdbpy import EvalError, JdbpyError, ThreadGroup, ThreadInfo
from jdbpy.jdb.commands.values import evaluated, object_of, shown
from jdbpy.jdb.debugger import Debugger
from jdbpy.jdb.interpreter import jdb_command
from jdbpy.jdb.output import number
from jdbpy.jdb.values import is_object, text_of
from jdbpy.jdb.words import Words

_STATES = {
    "running": "running",
    "sleeping": "sleeping",
    "waiting for a monitor": "waiting in a monitor",
    "waiting": "cond. waiting",
    "ended": "zombie",
}


@jdb_command("threads")
async def threads(jdb: Debugger, words: Words) -> None:
    tree = await jdb.target.threads.groups()
    name = words.next() or jdb.group or ""
    start = tree[0] if tree and not name else _find(tree, name)
    if start is None:
        jdb.out.line(f'"{name}" is not a valid threadgroup name.')
        return
    groups = _flat([start])
    known = {each.id: each for each in await jdb.target.threads.list(with_frames=True)}
    if start is tree[0]:  # virtual threads are in no group's list; all that is known of them comes last
        virtual = tuple(each for each in known.values() if each.virtual)
        groups += [ThreadGroup(0, "VirtualThreads", virtual, ())] if virtual else []
    everybody = [known.get(each.id, each) for group in groups for each in group.threads]
    described = await _described(jdb, [each.id for each in everybody])
    wide = max((len(described[each.id]) for each in everybody), default=0)
    names = max((len(each.name) for each in everybody), default=0)
    for group in groups:
        if group.threads or group is start:
            jdb.out.line(f"Group {group.name}:")
        for each in group.threads:
            thread = known.get(each.id, each)
            at = " (at breakpoint)" if _at_breakpoint(jdb, thread) else ""
            state = _STATES.get(thread.state, "unknown")
            jdb.out.line(f"  {described[each.id]:{wide}} {thread.name:{names}} {state}{at}")


@jdb_command("threadgroups")
async def threadgroups(jdb: Debugger, words: Words) -> None:
    groups = _flat(await jdb.target.threads.groups())
    described = await _described(jdb, [each.id for each in groups])
    for index, group in enumerate(groups, 1):
        jdb.out.line(f"{index:,}. {described[group.id]} {group.name}")


@jdb_command("threadgroup")
async def threadgroup(jdb: Debugger, words: Words) -> None:
    name = words.next()
    if not name:
        jdb.group = None
    elif _find(await jdb.target.threads.groups(), name) is None:
        jdb.out.line(f'"{name}" is not a valid threadgroup name.')
    else:
        jdb.group = name


@jdb_command("thread")
async def thread(jdb: Debugger, words: Words) -> None:
    if not words.more():
        jdb.out.line("Thread number not specified.")
        return
    found = await jdb.thread(words.next())
    if found is not None:
        await jdb.make_current(found)


@jdb_command("interrupt")
async def interrupt(jdb: Debugger, words: Words) -> None:
    if words.more():
        found = await jdb.thread(words.next())
        if found is not None:
            await jdb.target.execution.interrupt(found.id)
    elif jdb.current is None:
        jdb.out.line("No thread specified.")
    else:
        await jdb.target.execution.interrupt(jdb.current.id)


@jdb_command("kill", evaluates=True)
async def kill(jdb: Debugger, words: Words) -> None:
    if not words.more():
        jdb.out.line("Usage: kill <thread id> <throwable>")
        return
    found = await jdb.thread(words.next())
    if found is None:
        return
    jdb.out.line(f"killing thread: {found.name}")
    if not words.more():
        jdb.out.line("No exception object specified.")
        return
    value = await evaluated(jdb, words.rest())
    if not is_object(value):
        jdb.out.line("Expression must evaluate to an object")
        return
    try:
        await jdb.target.threads.throw_in(found.id, "$_")
    except EvalError:
        jdb.out.line("Invalid exception object")
        return
    except JdbpyError as error:
        jdb.out.line(error.message)
        return
    [killed] = await jdb.target.values.of_objects([found.id])
    jdb.out.line(f"{text_of(killed)} killed")


def _flat(groups: tuple[ThreadGroup, ...] | list[ThreadGroup]) -> list[ThreadGroup]:
    """Return the groups, each followed by those in it."""
    return [each for group in groups for each in (group, *_flat(group.groups))]


def _find(groups: tuple[ThreadGroup, ...], name: str) -> ThreadGroup | None:
    return next((each for each in _flat(groups) if each.name == name), None)


async def _described(jdb: Debugger, ids: list[int]) -> dict[int, str]:
    """Class and id of objects, as jdb writes them."""
    values = await jdb.target.values.of_objects(ids)
    return {each: f"({value.type}){each}" for each, value in zip(ids, values, strict=True)}


def _at_breakpoint(jdb: Debugger, thread: ThreadInfo) -> bool:
    """True if the thread stands where a breakpoint is, as JDI means it."""
    if thread.frame is None:
        return False
    here = thread.frame.location
    return any(
        (place.type_id, place.method_id, place.code_index) == (here.type_id, here.method_id, here.code_index)
        for point in jdb.target.breakpoints.list()
        if point.enabled
        for place in point.resolved
    )


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
