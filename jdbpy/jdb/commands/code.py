"""lines, bytecodes, redefine."""

from __future__ import annotations

import os

import trio

from jdbpy import JdbpyError, UsageError
from jdbpy.jdb.commands.classes import find_class
from jdbpy.jdb.debugger import Debugger
from jdbpy.jdb.interpreter import jdb_command
from jdbpy.jdb.words import Words


@jdb_command("lines")
async def lines(jdb: Debugger, words: Words) -> None:
    if not words.more():
        jdb.out.line("Specify class and method")
        return
    info = await find_class(jdb, words.next())
    if info is None or info.kind == "array":
        return
    method = words.next()
    try:
        found = await jdb.target.classes.lines(info.name, method)
    except UsageError:
        jdb.out.line(f'"{method}" is not a valid method name.')
        return
    if not found:
        jdb.out.line("Source line numbers not available for this location.")
    jdb.out.print("".join(f"{info.name}:{each.line}\n" for each in found))


@jdb_command("bytecodes")
async def bytecodes(jdb: Debugger, words: Words) -> None:
    if not words.more():
        jdb.out.line("No class specified.")
        return
    name = words.next()
    if not words.more():
        jdb.out.line("No method specified.")
        return
    method = words.next()
    found = [each for each in await jdb.target.classes.find(name) if each.name == name]
    if not found:
        jdb.out.line(f"{name} not found" + ("" if "." in name else " (try the full name)"))
        return
    if found[0].kind != "class":
        jdb.out.line(f"{name} is not a class")
        return
    try:
        code = await jdb.target.code.bytes(f"{name}.{method}")
    except UsageError as error:
        jdb.out.line(error.message)
        return
    for start in range(0, len(code), 16):
        jdb.out.line(f"{start:04d}: " + "".join(f"{each:02x} " for each in code[start : start + 16]))


@jdb_command("redefine")
async def redefine(jdb: Debugger, words: Words) -> None:
    if not words.more():
        jdb.out.line("Specify classes to redefine")
        return
    name = words.next()
    found = [each for each in await jdb.target.classes.find(name) if each.name == name]
    if len(found) != 1:
        jdb.out.line(f"{'More than one' if found else 'No'} class named '{name}'")
        return
    if not words.more():
        jdb.out.line(f"Specify file name for class {name}")
        return
    file = words.next()
    if not await trio.to_thread.run_sync(os.path.isfile, file):
        jdb.out.line(f"Error reading '{file}' - java.io.FileNotFoundException: {file} (No such file or directory)")
        return
    try:
        await jdb.target.hotswap.redefine(name, file)
    except JdbpyError as error:
        jdb.out.line(f"Error redefining {name} to {file} - {error.message}")
        return
    await jdb.specs.redefined(name, jdb.target)
