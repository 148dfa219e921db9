"""The entry point: from the words of the command line to an exit status.

Answers ``--help`` and usage errors itself and at once; everything else is in ``run``, imported when it is needed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from jdbpy import __version__
from jdbpy.cli.cmdline import HELP, CommandLine, parse
from jdbpy.errors import UsageError
from jdbpy.process import standard
from jdbpy.process.statuses import INTERRUPTED, USAGE


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs jdbpy with the given words, by default those of the process; returns the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    standard.prepare()
    try:
        status = _dispatch(words)
        try:
            standard.flush()  # here, where a closed pipe can be dealt with
        except standard.OutputLost as lost:
            return status or standard.end(lost)  # a terminal that has gone has ended it already
        return status
    except KeyboardInterrupt:  # before or after the time in which signals are looked after
        return INTERRUPTED
    except standard.OutputLost as lost:
        return standard.end(lost)


def _dispatch(words: list[str]) -> int:
    if words[:1] == ["jdb"]:
        from jdbpy.jdb.main import main as jdb

        return jdb(words[1:])
    if words[:1] == ["packets"]:
        from jdbpy.cli.packets import main as packets

        return packets(words[1:])
    if words[:1] == ["dap"]:
        from jdbpy.dap.main import main as dap

        return dap(words[1:])
    if words[:1] in (["serve"], ["join"], ["sessions"]):
        from jdbpy.serve import main as sharing

        front = {"serve": sharing.serve, "join": sharing.join, "sessions": sharing.sessions}
        return front[words[0]](words[1:])
    if words[:1] == ["mcp"]:
        from jdbpy.mcp.main import main as mcp

        return mcp(words[1:])
    if words[:1] == ["completion"]:
        return _print_completion(words[1:])
    if words[:1] == ["open"] and len(words) > 1:
        from jdbpy.cli import recordings

        if recordings.is_recording(words[1]):
            return recordings.main(words[1:])
    return _answer(words)


def _print_completion(words: list[str]) -> int:
    if words == ["sessions"]:
        from jdbpy.serve import main as sharing

        standard.write("".join(f"{each}\n" for each in sharing.session_names()))
        return 0
    from jdbpy.cli.shells import printed

    try:
        standard.write(printed(words))
    except UsageError as error:
        standard.write(f"jdbpy: {error.message}\n  {error.hint}\n", sys.stderr)
        return USAGE
    return 0


def _answer(words: list[str]) -> int:
    try:
        line = parse(words)
    except UsageError as error:
        hint = error.hint or "jdbpy --help says what there is"
        standard.write(f"jdbpy: {error.message}\n  {hint}\n", sys.stderr)
        return USAGE
    if line.action == "help":
        from jdbpy.cli.action_help import help_of

        standard.write(help_of(line.about) if line.about else HELP)
        return 0
    if line.action == "version":
        standard.write(f"jdbpy {__version__}\n")
        return 0
    if line.action == "jvms":
        from jdbpy.cli.listing import list_jvms

        return list_jvms(line)
    return _run(line)


def _run(line: CommandLine) -> int:
    from jdbpy.garbage import without_collection

    def start() -> int:
        import trio

        from jdbpy.cli.run import run

        return trio.run(run, line)

    return without_collection(start)
