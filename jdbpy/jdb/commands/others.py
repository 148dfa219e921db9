"""monitor, unmonitor, repeat, version, help, connectors, dbgtrace, exit, and those that jdb no longer has."""

from __future__ import annotations

from jdbpy import JdbpyError, find_java
from jdbpy.jdb import connectors
from jdbpy.jdb.cmdline import TRACE_ALL
from jdbpy.jdb.debugger import Debugger
from jdbpy.jdb.interpreter import jdb_command
from jdbpy.jdb.output import JdbOutput
from jdbpy.jdb.texts import HELP, NO_GC
from jdbpy.jdb.words import Words, java_integer


@jdb_command("monitor")
async def monitor(jdb: Debugger, words: Words) -> None:
    if words.more():
        jdb.last_monitor += 1
        jdb.monitors[jdb.last_monitor] = words.rest()
    else:
        jdb.out.print("".join(f"{key}: {command}\n" for key, command in jdb.monitors.items()))


@jdb_command("unmonitor")
async def unmonitor(jdb: Debugger, words: Words) -> None:
    word = words.next()
    if not word:
        jdb.out.line("Usage: unmonitor <monitor#>")
        return
    try:
        key = int(word)
    except ValueError:
        jdb.out.line(f"Not a monitor number: '{word}'")
        return
    command = jdb.monitors.pop(key, None)
    jdb.out.line(f"No monitor numbered: {word}" if command is None else f"Unmonitoring {key}: {command} ")


@jdb_command("repeat", offline=True)
async def repeat(jdb: Debugger, words: Words) -> None:
    word = words.next().lower()
    if not word:
        jdb.out.line(f"Repeat is {'on' if jdb.repeating else 'off'}")
    elif word in ("on", "off") and not words.more():
        jdb.repeating = word == "on"
    else:
        jdb.out.line("Usage: repeat <on|off>")


@jdb_command("read", offline=True)
async def read(jdb: Debugger, words: Words) -> None:
    if words.more():
        await jdb.read(words.next())
    else:
        jdb.out.line("Usage: read <command-filename>")


@jdb_command("version", offline=True)
async def version(jdb: Debugger, words: Words) -> None:
    if jdb.session is None:
        tell_version(jdb.out)
        jdb.out.line("No VM connected")
        return
    info = jdb.session.info
    number = f"{info.jdwp_major}.{info.jdwp_minor}"
    jdb.out.line(f"This is jdb version {number} (Java SE version {info.version})")
    jdb.out.line(f"Java Debug Interface (Reference Implementation) version {number} ")
    jdb.out.line(info.description)


@jdb_command("help", "?", offline=True)
async def help_(jdb: Debugger, words: Words) -> None:
    jdb.out.print(HELP)


@jdb_command("connectors", offline=True)
async def connectors_(jdb: Debugger, words: Words) -> None:
    jdb.out.print(connectors.listing())


@jdb_command("dbgtrace", offline=True)
async def dbgtrace(jdb: Debugger, words: Words) -> None:
    word = words.next()
    flags = java_integer(word) if word else TRACE_ALL
    if flags is None:
        jdb.out.line(f"dbgtrace command value must be an integer: {word}")
        return
    jdb.trace = flags
    jdb.trace_wire()


@jdb_command("exit", "quit", offline=True)
async def exit_(jdb: Debugger, words: Words) -> None:
    jdb.leaving = True


@jdb_command("!!")
async def again(jdb: Debugger, words: Words) -> None:
    """With no line before it; else it never comes so far."""
    jdb.out.line("Unrecognized command: '!!'.  Try help...")


@jdb_command("gc")
async def gc(jdb: Debugger, words: Words) -> None:
    jdb.out.line(NO_GC)


@jdb_command("load")
async def load(jdb: Debugger, words: Words) -> None:
    jdb.out.line("The 'load' command is no longer supported.")


@jdb_command("memory")
async def memory(jdb: Debugger, words: Words) -> None:
    jdb.out.line("The 'memory' command is no longer supported.")


def tell_version(out: JdbOutput) -> None:
    """The line of ``-version``: of the Java that would be launched, which is the interface's version too."""
    try:
        java = find_java()
    except JdbpyError:
        out.line("This is jdb version 25.0 (Java SE version unknown)")
        return
    out.line(f"This is jdb version {java.feature}.0 (Java SE version {java.version})")
