"""The entry point: from the words of the command line to an exit status.

Answers ``--help`` and usage errors itself and at once; everything else is in ``run``, imported when it is needed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from jdbpy import __version__
from jdbpy.cli.cmdline import HELP, CommandLine, parse
from jdbpy.errors import UsageError

USAGE = 2
INTERRUPTED = 130
BROKEN_PIPE = 141
"""As a process that SIGPIPE ends: who read our output has gone."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs jdbpy with the given words, by default those of the process; returns the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if words[:1] == ["jdb"]:
            from jdbpy.cli.jdb.main import main as jdb

            return jdb(words[1:])
        return _answer(words)
    except KeyboardInterrupt:  # before or after the time in which signals are looked after
        return INTERRUPTED
    except BrokenPipeError:
        _forget_output()
        return BROKEN_PIPE
    finally:
        _flush()


def _answer(words: list[str]) -> int:
    try:
        line = parse(words)
    except UsageError as error:
        sys.stderr.write(f"jdbpy: {error.message}\n  {error.hint or 'jdbpy --help says what there is'}\n")
        return USAGE
    if line.action == "help":
        sys.stdout.write(HELP)
        return 0
    if line.action == "version":
        sys.stdout.write(f"jdbpy {__version__}\n")
        return 0
    return _run(line)


def _run(line: CommandLine) -> int:
    from jdbpy.cli.garbage import without_collection

    def start() -> int:
        import trio

        from jdbpy.cli.run import run

        return trio.run(run, line)

    return without_collection(start)


def _flush() -> None:
    """What is still buffered goes out now, where a closed pipe can be dealt with."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError, AttributeError):  # a closed pipe, a terminal that has gone
        _forget_output()


def _forget_output() -> None:
    """Nobody reads it, and Python would complain of that when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
