"""The entry point of jdb mode: answers what needs no session at once."""

from __future__ import annotations

from jdbpy.cli.jdb.cmdline import parse
from jdbpy.cli.jdb.output import Output
from jdbpy.errors import UsageError


def main(arguments: list[str]) -> int:
    """Runs jdb mode with the words after ``jdbpy jdb``; returns the exit status, which is always jdb's 0."""
    out = Output()
    try:
        line = parse(arguments)
    except UsageError as error:
        out.line(f"Internal exception:\n{error.message}")
        return 0
    if line.text:
        out.print(line.text)
        return 0
    if line.version:
        from jdbpy.cli.jdb.commands.others import tell_version

        tell_version(out)
        return 0
    import trio

    from jdbpy.cli.jdb.run import run

    return trio.run(run, line)
