"""The words after ``jdbpy serve``, ``jdbpy join`` and ``jdbpy sessions``: their help, and ``serve`` understood."""

from __future__ import annotations

from jdbpy import UsageError, main_class
from jdbpy.cli.cmdline import CommandLine, parse
from jdbpy.escape import escape
from jdbpy.process.openings import port_of, usage
from jdbpy.record import Record
from jdbpy.serve import sockets

SERVE_HELP = """\
usage: jdbpy serve [--name NAME] [--port N] [--together] [--keep] (attach | launch | listen | demo) ...

Keeps a session with a JVM that several clients join: prompts, batches, programs and editors.

  --name NAME   what the session is called; by default after the address or the main class
  --port N      be reached at 127.0.0.1:N too, with a token that is printed; 0 takes a free port
  --together    the clients are one person's: every stop is one of every client. Else each client has the stops
                of its own breakpoints and steps, and hears of the others'
  --keep        what is suspended stays so when the last client leaves; else the JVM is left running
  -h, --help    this text

What follows is the command line of jdbpy, with its options; commands of -c and -x run before anybody joins.
The session lasts until the JVM ends or this process is ended (Ctrl-C), which leaves the JVM as jdbpy always does.

join it:    jdbpy join [NAME]                 a prompt, or a batch with -c and -x
            an editor that speaks the Debug Adapter Protocol attaches to the socket or the port
            JSON Lines on either, and jdbpy.join() in Python
"""

JOIN_HELP = f"""\
usage: jdbpy join [NAME | HOST:PORT] [options]

Joins a session that 'jdbpy serve', or the command 'serve' of a prompt, keeps. Without a name: the only one there is.

  --as NAME              what the others call you; by default your user's name
  --token TOKEN          of a session on a port; else that in the variable JDBPY_TOKEN
  --keep                 breakpoints and what is suspended stay when you leave; else they are taken back
{usage("join", "read_only")}
  -c, -x, --batch, --keep-going, --json, --timeout, --color   as with the other actions: jdbpy --help
  -h, --help             this text

exit status: as always; 3 when there is no such session, 5 when it was lost
"""

SESSIONS_HELP = """\
usage: jdbpy sessions [--json]

Lists the sessions that are served on this machine for you: name, target, clients, and since when it is stopped.
"""


class ServeLine(Record):
    """The command line of ``serve``, understood."""

    line: CommandLine
    name: str = ""
    port: int | None = None
    together: bool = False
    keep: bool = False


def parse_serve(words: list[str]) -> ServeLine:
    """Understand the words after ``jdbpy serve``. Raises UsageError."""
    name, port, together, keep = "", None, False, False
    rest = list(words)
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        option, equals, value = word.partition("=")
        if word in ("-h", "--help"):
            return ServeLine(CommandLine("help"))
        if word == "--together":
            together = True
        elif word == "--keep":
            keep = True
        elif option in ("--name", "--port"):
            if not equals:
                if not rest:
                    raise UsageError(f"{option} needs a value")
                value = rest.pop(0)
            if option == "--name":
                name = sockets.check_name(value)
            else:
                port = port_of(option, value)
        else:
            raise UsageError(f"unknown option {word}", hint="options of 'attach' and the like follow that word")
    if not rest:
        raise UsageError("missing action: attach, launch, listen or demo")
    if rest[0] not in ("attach", "launch", "listen", "demo"):
        raise UsageError(f"'{escape(rest[0])}' cannot be served: attach, launch, listen or demo")
    line = parse(rest)
    if line.reconnect:
        raise UsageError("--reconnect is not for sessions that are served")
    if len(line.addresses) > 1:
        raise UsageError("one JVM is served at a time", hint="'jdbpy serve' once for each")
    return ServeLine(line, name or _name_of(line), port, together, keep)


def _name_of(line: CommandLine) -> str:
    if line.action == "launch":
        return sockets.name_for(main_class(line.java).rpartition(".")[2])
    address = "".join(line.addresses)
    return sockets.name_for(address.removeprefix("127.0.0.1:").removeprefix("localhost:") or line.action)
