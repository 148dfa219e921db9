"""The command line of jdbpy: what may stand on it, and what it means.

Options are matched whole and never guessed from their beginnings, because those of the JVM follow (``-cp``, ``-Xmx``).
Owns words only: connects to nothing and imports nothing that is slow.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from jdbpy.errors import UsageError
from jdbpy.process.openings import OpeningOption, address_missing, launch_words, options_for, seconds_of, usage
from jdbpy.process.scripts import Script
from jdbpy.record import Record

HELP = f"""\
usage: jdbpy attach [NAME=]ADDRESS... [options]
       jdbpy launch [options] [--] [JVM options] (MAINCLASS | -jar FILE | -m MODULE/CLASS) [args...]
       jdbpy listen [HOST:]PORT [options]
       jdbpy demo [options]
       jdbpy open FILE [options]
       jdbpy replay FILE [options]
       jdbpy packets FILE|- [--raw] [--json]
       jdbpy list [--json]
       jdbpy serve [--name NAME] [--port N] [--together] [--keep] (attach | launch | listen | demo) ...
       jdbpy join [NAME | HOST:PORT] [options]
       jdbpy sessions [--json]
       jdbpy jdb [jdb's options] [MAINCLASS args...]
       jdbpy dap [--port N]
       jdbpy mcp [--allow-changes] [attach [HOST:]PORT | launch ...]
       jdbpy completion bash|zsh|fish

Debugs Java programs.

  attach   debug a JVM that was started with
           -agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:PORT
           several addresses: several JVMs in one session ('each COMMAND' goes to all)
  launch   start a JVM and debug it
  listen   wait for a JVM that was started with server=n; on this machine only unless HOST says otherwise
  demo     start a bundled program and debug it, with a tour
  open     show a snapshot, which the command 'snapshot FILE' has written: no JVM is needed
  replay   play a session again that --record FILE has recorded: its commands, or those given, without the JVM
  packets  show the packets of a capture (tcpdump, Wireshark) or a --record file as JDWP ('jdbpy packets --help')
  list     the JVMs of this machine, and where their agents listen
  serve    keep a session that several clients join: prompts, batches, programs, editors ('jdbpy serve --help')
  join     join a session that is served: a prompt, or a batch with -c and -x ('jdbpy join --help')
  sessions the sessions that are served on this machine
  jdb      be the JDK's jdb, with its arguments, prompts and words ('jdbpy jdb -help'), for what drives that
  dap      speak the Debug Adapter Protocol to an editor, which starts it ('jdbpy dap --help')
  mcp      speak the Model Context Protocol to an agent, whose client starts it ('jdbpy mcp --help')
  completion  print a script with which a shell completes all this: source <(jdbpy completion bash)

addresses: [HOST:]PORT   ssh://[USER@]HOST[:SSHPORT]/PORT   docker://CONTAINER:PORT   pid://N
           k8s://[CONTEXT/]NAMESPACE/WORKLOAD:PORT   k8s://[CONTEXT/]NAMESPACE:PORT?selector=app=orders

options:
  -c, --command CMD      run CMD once connected; repeatable
  -x, --execute FILE     run the commands of FILE ('-' is standard input); repeatable, in order with -c
  -p, --plugin FILE      a plug-in in Python: its commands, views and functions for events; repeatable
  --batch                leave when the given commands are done (implied with -c or -x when stdin is not a terminal)
  --keep-going           in a batch, go on after a failed command
  --json                 one JSON object per line for every result and every event, nothing else on stdout
  --timeout SECONDS      in a batch, the longest wait for a stop or a reply (default 60)
{usage("cli", "source_path", "wire_log")}
  --log decisions[=FILE] a line for each hit, what was decided and why; without FILE on standard error
  --color auto|always|never
  --screen               a full screen with source, stack, variables, threads and output, not the plain prompt
{usage("cli", "read_only", "allow_suspend", "hold", "audit", "reconnect", "pid", "max_suspend", "record")}
  -h, --help             this text; 'help' as a command lists the commands
  --version              the version of jdbpy

exit status: 0 all commands succeeded; 1 a command failed; 2 usage; 3 no connection or no handshake;
             4 timed out; 5 the connection was lost while still needed; 130 interrupted
"""

ACTIONS = ("attach", "launch", "listen", "demo", "open", "replay", "list", "join")

ALL_ACTIONS = (
    *("attach", "launch", "listen", "demo", "open", "replay", "packets", "list"),
    *("serve", "join", "sessions", "jdb", "dap", "mcp", "completion"),
)
"""Those of all front ends."""

_ADDRESS_HINT = "jdbpy list shows the JVMs of this machine; jdbpy --help has all kinds of addresses"


class CommandLine(Record):
    """A command line, understood. ``action`` may also be "help" and "version"."""

    action: str
    addresses: tuple[str, ...] = ()  # attach: one or more; listen: one
    file: str = ""  # open, replay
    java: tuple[str, ...] = ()  # launch: all that follows `java`
    scripts: tuple[Script, ...] = ()
    plugins: tuple[str, ...] = ()  # files
    batch: bool = False
    keep_going: bool = False
    json: bool = False
    timeout: float = 60.0
    source_path: tuple[str, ...] = ()
    wire_log: str | None = None
    decisions: str | None = None
    color: str = "auto"
    read_only: bool = False
    reconnect: bool = False
    allow_suspend: bool = False
    audit: str | None = None
    record: str | None = None
    hold: str = ""
    max_suspend: float | None = None
    name: str = ""  # join: the session
    token: str = ""
    client: str = ""  # join: --as
    keep: bool = False
    screen: bool = False


def parse(arguments: list[str]) -> CommandLine:
    """Understand the words after ``jdbpy``. Raises UsageError."""
    if not arguments:
        raise UsageError(f"missing action: {', '.join(ALL_ACTIONS[:-1])} or {ALL_ACTIONS[-1]}")
    action, *rest = arguments
    if action in ("-h", "--help", "help"):
        return CommandLine("help")
    if action in ("--version", "-V"):
        return CommandLine("version")
    if action not in ACTIONS:
        from difflib import get_close_matches  # a wrong action only

        close = get_close_matches(action, ALL_ACTIONS, 1)
        hint = f"did you mean '{close[0]}'? " if close else ""
        raise UsageError(f"unknown action '{action}'", hint=f"{hint}actions: {', '.join(ALL_ACTIONS)}")
    return _Parser(action, rest).parse()


class Flag(Record):
    """An option as shells complete it. ``takes``: a value stands behind it, which is one of ``choices`` if there are
    any."""

    name: str
    takes: bool = False
    choices: tuple[str, ...] = ()
    is_file: bool = False


_CHOICES = {"--color": ("auto", "always", "never"), "--log": ("decisions",)}
_FILES = ("-x", "--execute", "-p", "--plugin")


def flags_of(action: str) -> tuple[Flag, ...]:
    """Return the options of an action, none for those that have a command line of their own."""
    if action not in ACTIONS:
        return ()
    parser = _Parser(action, [])
    known = {each.flag: each for each in options_for("cli")}
    found = [Flag(name) for name in parser.switches]
    for name in parser.options:
        option = known.get(name)
        kind = option.kind if option is not None else ""
        choices = option.choices if option is not None else _CHOICES.get(name, ())
        found.append(Flag(name, True, choices, kind in ("file", "paths") or name in _FILES))
    return (*found, Flag("--help"))


class _Parser:
    """One pass over the words after the action."""

    def __init__(self, action: str, words: list[str]) -> None:
        self.action = action
        self.words = words
        self.values: dict[str, object] = {}
        self.scripts: list[Script] = []
        self.plugins: list[str] = []
        self.positional: list[str] = []
        self.options: dict[str, Callable[[str], None]] = {
            "-c": self._command,
            "--command": self._command,
            "-x": self._execute,
            "--execute": self._execute,
            "-p": self.plugins.append,
            "--plugin": self.plugins.append,
            "--timeout": self._timeout,
            "--log": self._log,
            "--color": self._color,
        }
        if action == "join":
            self.options |= {"--token": partial(self._file, "token"), "--as": partial(self._file, "client")}
        self.switches = {"--batch": "batch", "--json": "json", "--keep-going": "keep_going", "--screen": "screen"}
        for each in options_for("cli"):
            if each.kind == "switch":
                self.switches[each.flag] = each.name
            else:
                self.options[each.flag] = partial(self._opening, each)
        self.options["--pid"] = self._pid
        if action == "join":
            self.switches["--keep"] = "keep"

    def parse(self) -> CommandLine:
        while self.words:
            word = self.words.pop(0)
            name, equals, value = word.partition("=")
            if word in ("-h", "--help"):
                return CommandLine("help")
            if word in self.switches:
                self.values[self.switches[word]] = True
            elif word in self.options:
                if not self.words:
                    raise UsageError(f"{word} needs a value")
                self.options[word](self.words.pop(0))
            elif equals and name.startswith("--") and name in self.options:
                self.options[name](value)
            elif self.action == "launch":
                self.positional = self.words if word == "--" else [word, *self.words]
                break
            elif word.startswith("-") and word != "-":
                raise UsageError(f"unknown option {word}")
            else:
                self.positional.append(word)
        if self.values.get("reconnect") and self.action != "attach":
            raise UsageError(f"--reconnect is for attach, not for {self.action}")
        if self.values.get("record") and self.action in ("open", "replay"):
            raise UsageError(f"--record is for attach, launch and listen, not for {self.action}")
        if self.values.get("allow_suspend") and not self.values.get("read_only"):
            raise UsageError("--allow-suspend is for --read-only: without that, threads may be suspended anyway")
        lists = {"scripts": tuple(self.scripts), "plugins": tuple(self.plugins)}
        return CommandLine(self.action, **lists, **self._target(), **self.values)  # type: ignore[arg-type]

    def _target(self) -> dict[str, object]:
        if self.action == "launch":
            return {"java": launch_words(self.positional)}
        if self.action in ("demo", "list"):
            if self.positional:
                raise UsageError(f"unexpected argument '{self.positional[0]}'")
            return {}
        if self.action == "join":
            if len(self.positional) > 1:
                raise UsageError(f"unexpected argument '{self.positional[1]}'")
            return {"name": self.positional[0] if self.positional else ""}
        if self.action in ("open", "replay"):
            if len(self.positional) != 1:
                writer = "the command 'snapshot FILE'" if self.action == "open" else "the option --record FILE"
                raise UsageError(f"{self.action} needs one file, which {writer} has written")
            return {"file": os.path.expanduser(self.positional[0])}
        if self.action == "attach" and len(self.positional) > 1:  # so the agent calls what `launch=` names
            self.positional = [word for word in self.positional if word != "dt_socket"]
        if not self.positional or (len(self.positional) > 1 and self.action != "attach"):
            raise address_missing(self.action, _ADDRESS_HINT)
        return {"addresses": tuple(self.positional)}

    def _command(self, text: str) -> None:
        self.scripts.append(Script(command=text))

    def _execute(self, text: str) -> None:
        if text == "-" and any(script.path == "-" for script in self.scripts):
            raise UsageError("standard input can be read only once")
        self.scripts.append(Script(path=text))

    def _timeout(self, text: str) -> None:
        self.values["timeout"] = seconds_of("--timeout", text)

    def _opening(self, option: OpeningOption, text: str) -> None:
        self.values[option.name] = option.read(text)

    def _file(self, name: str, text: str) -> None:
        self.values[name] = text

    def _log(self, text: str) -> None:
        what, _, file = text.partition("=")
        if what != "decisions":
            raise UsageError(f"--log is decisions or decisions=FILE, not '{text}'")
        self.values["decisions"] = file or "-"

    def _pid(self, text: str) -> None:
        if self.action != "attach":
            raise UsageError(f"--pid is for attach, not for {self.action}")
        if not (text.isascii() and text.isdigit()):
            raise UsageError(f"--pid needs the number of a process, not '{text}'")
        self.positional.append(f"pid://{text}")

    def _color(self, text: str) -> None:
        if text not in ("auto", "always", "never"):
            raise UsageError(f"--color is auto, always or never, not '{text}'")
        self.values["color"] = text
