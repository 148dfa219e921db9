"""The entry point of jdb mode: answers what needs no session at once, and says the first words."""

from __future__ import annotations

from functools import partial

from jdbpy.errors import UsageError
from jdbpy.jdb.cmdline import GREETING, JdbLine, parse, start_files
from jdbpy.jdb.output import JdbOutput


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
    """Write the first prompt where nothing has to be done for it, before all that takes a while to import."""
    assert line.connection is not None
    if line.launch_now or not line.connection.connector.launches or start_files():
        return False
    out.print(f"{GREETING}\n> ")
    return True
