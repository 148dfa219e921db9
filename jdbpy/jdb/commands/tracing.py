"""trace, untrace, exclude."""

from __future__ import annotations

from jdbpy import JdbpyError, PointOptions, SuspendPolicy
from jdbpy.jdb.commands.classes import typed_name
from jdbpy.jdb.debugger import Debugger
from jdbpy.jdb.interpreter import jdb_command
from jdbpy.jdb.specs import POLICIES
from jdbpy.jdb.words import Words

_CAN_ONLY = "Can only trace 'methods' or 'method exit' or 'method exits'"


@jdb_command("trace")
async def trace(jdb: Debugger, words: Words) -> None:
    if not words.more():
        if jdb.tracing:
            jdb.out.line(jdb.tracing)
        return
    word = words.next()
    policy = POLICIES.get(word, SuspendPolicy.ALL)
    go = "go " if word == "go" else ""
    if word in POLICIES and words.more():
        word = words.next()
    if word == "method":
        await _trace_exits(jdb, words, policy, go)
    elif word == "methods":
        options = await _options(jdb, words, policy)
        if options is not None:
            if options.thread is None:  # else beside those of other threads
                await _untrace(jdb)
            await jdb.target.traces.methods(values=True, options=options)
            jdb.tracing = f"trace {go}methods in effect"
    else:
        jdb.out.line(_CAN_ONLY)


@jdb_command("untrace")
async def untrace(jdb: Debugger, words: Words) -> None:
    if words.next() in ("", "methods"):
        await _untrace(jdb)


@jdb_command("exclude", offline=True)
async def exclude(jdb: Debugger, words: Words) -> None:
    if not words.more():
        jdb.out.line("".join(f"{each}," for each in jdb.excludes))
        return
    patterns = tuple(words.rest().replace(",", " ").replace(";", " ").split())
    before, jdb.excludes = jdb.excludes, patterns
    if jdb.session is not None:
        try:
            jdb.session.execution.set_excludes(jdb.patterns)
        except JdbpyError as error:
            jdb.excludes = before
            jdb.out.line(error.message)


async def _trace_exits(jdb: Debugger, words: Words, policy: SuspendPolicy, go: str) -> None:
    which = words.next()
    if which not in ("exit", "exits"):
        jdb.out.line(_CAN_ONLY)
        return
    options = await _options(jdb, words, policy)
    if options is None:
        return
    location = None
    text = f"trace {go}method exits in effect"
    if which == "exit":
        if jdb.current is None:
            jdb.out.line("No thread specified.")
            return
        try:
            location = (await jdb.target.stack.selected()).location
        except JdbpyError:
            jdb.out.line("Current thread isn't suspended.")
            return
        methods = await jdb.target.classes.methods(location.class_name, inherited=False)
        named = next((typed_name(each) for each in methods if each.id == location.method_id), location.method)
        text = f"trace {go}method exit in effect for {location.class_name}.{named}"
    await _untrace(jdb)
    await jdb.target.traces.methods(entries=False, method=location, values=True, options=options)
    jdb.tracing = text


async def _options(jdb: Debugger, words: Words, policy: SuspendPolicy) -> PointOptions | None:
    thread = None
    if words.more():
        found = await jdb.thread(words.next())
        if found is None:
            return None
        thread = found.id
    return PointOptions(policy=policy, thread=thread, excludes=jdb.patterns)


async def _untrace(jdb: Debugger) -> None:
    await jdb.target.points.remove(jdb.target.traces.find(monitors=False))
    jdb.tracing = ""
