"""The entry point of jdb mode: answers what needs no session at once; the first words, the start-up files."""

from __future__ import annotations

import os
from functools import partial

from jdbpy.errors import UsageError
from jdbpy.jdb.cmdline import JdbLine, parse
from jdbpy.jdb.output import JdbOutput

GREETING = "Initializing jdb ..."

_NAMES = ("jdb.ini", ".jdbrc")


def start_files() -> list[str]:
    """The start-up file of the home directory, then that of the working directory unless it is the same."""
    files: dict[str, str] = {}
    for directory in (os.path.expanduser("~"), os.getcwd()):
        found = next((path for name in _NAMES if os.path.exists(path := os.path.join(directory, name))), None)
        if found is not None:
            files.setdefault(os.path.realpath(found), found)
    return list(files.values())


def main(arguments: list[str]) -> int:
    """Runs jdb mode with the words after ``jdbpy jdb``; returns the exit status: jdb's 0, if no signal ends it."""
    out = JdbOutput()
    try:
        line = parse(arguments)
    except UsageError as error:
        out.line("Internal exception:")
        out.error(error.message)
        return 0
    if line.text:
        out.print(line.text)
        return 0
    if line.version:
        from jdbpy.jdb.commands.others import tell_version

        tell_version(out)
        return 0
    greeted = _greet(line, out)
    from jdbpy.garbage import without_collection

    def start() -> int:
        import trio

        from jdbpy.jdb.run import run

        return trio.run(partial(run, line, greeted=greeted))

    return without_collection(start)


def _greet(line: JdbLine, out: JdbOutput) -> bool:
    """Writes the first prompt where nothing has to be done for it, before all that takes a while to import."""
    assert line.connection is not None
    if line.launch_now or not line.connection.connector.launches or start_files():
        return False
    out.print(f"{GREETING}\n> ")
    return True
