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
       jdbpy test [--at failure|start|none] [--snapshot DIR] [options] -- COMMAND...
       jdbpy demo [options]
       jdbpy open FILE [options]
       jdbpy replay FILE [options]
       jdbpy packets FILE|- [--raw] [--json]
       jdbpy jvms [--json]
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
  test     run a command that runs tests (mvn, gradle, ant, java) and stop where one of them fails
  demo     start a bundled program and debug it, with a tour
  open     show a snapshot, which the command 'snapshot FILE' has written: no JVM is needed;
           or recorded calls, which 'recorded to FILE' has written;
           or a recording of the flight recorder: open FILE.jfr [cpu|wall|alloc|lock|exceptions|timing] [to FILE]
  replay   play a session again that --record FILE has recorded: its commands, or those given, without the JVM
  packets  show the packets of a capture (tcpdump, Wireshark) or a --record file as JDWP ('jdbpy packets --help')
  jvms     the JVMs of this machine, and where their agents listen
  serve    keep a session that several clients join: prompts, batches, programs, editors ('jdbpy serve --help')
  join     join a session that is served: a prompt, or a batch with -c and -x ('jdbpy join --help')
  sessions the sessions that are served on this machine
  jdb      be the JDK's jdb, with its arguments, prompts and words ('jdbpy jdb -help'), for what drives that
  dap      speak the Debug Adapter Protocol to an editor, which starts it ('jdbpy dap --help')
  mcp      speak the Model Context Protocol to an agent, whose client starts it ('jdbpy mcp --help')
  completion  print a script with which a shell completes all this: source <(jdbpy completion bash)

addresses: [HOST:]PORT   ssh://[USER@]HOST[:SSHPORT]/PORT   docker://CONTAINER:PORT   pid://N
           k8s://[CONTEXT/]NAMESPACE/WORKLOAD:PORT   k8s://[CONTEXT/]NAMESPACE:PORT?selector=app=orders
           a JVM by its process, also one without the agent: pid://N   ssh://HOST/pid:N
           docker://CONTAINER/pid:1   k8s://NAMESPACE/POD/pid:1

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
  --color WHEN           colors: auto (in a terminal only, the default), always or never
  --screen               a full screen with source, stack, variables, threads and output, not the plain prompt
{usage("cli", "read_only", "allow_suspend", "hold", "audit", "reconnect", "pid", "stdin", "tty")}
{usage("cli", "max_suspend", "record")}
  --at failure|start|none  test: where to stop: at failures, before the first test as well, nowhere (default failure)
  --snapshot DIR         test: nothing stops; each failure leaves a snapshot and a part of summary.md in DIR
  --record PATTERN       test: record the calls of methods, kept with each failure: 'Price.total'; repeatable
  --profile, --profile=FILE  test: profile the JVMs with tests, shown at the end, or in FILE: cpu.svg
  --mask NAMES           test: names whose values are in no snapshot: *password*,token
  --only, --not MAIN     test: debug only, or not, JVMs whose main class fits a pattern; repeatable
  --repeat N             test: run the command so often
  --until-fails          test: run the command until it fails, at most --repeat times
  -h, --help             this text, or what is said of the action; 'help' as a command lists the commands
  --version              the version of jdbpy

exit status: 0 all commands succeeded; 1 a command failed; 2 usage; 3 no connection or no handshake;
             4 timed out; 5 the connection was lost while still needed; 130 interrupted
"""

ACTIONS = ("attach", "launch", "listen", "test", "demo", "open", "replay", "jvms", "join")

ALL_ACTIONS = (
    *("attach", "launch", "listen", "test", "demo", "open", "replay", "packets", "jvms"),
    *("serve", "join", "sessions", "jdb", "dap", "mcp", "completion"),
)
"""Those of all front ends."""

_ALSO = {"list": "jvms"}
"""Another name of an action, which is listed nowhere."""

_ADDRESS_HINT = "jdbpy jvms shows the JVMs of this machine; jdbpy --help has all kinds of addresses"


class CommandLine(Record):
    """A command line, understood. ``action`` may also be "help" and "version"."""

    action: str
    about: str = ""  # help: the action that is asked about
    addresses: tuple[str, ...] = ()  # attach: one or more; listen: one
    file: str = ""  # open, replay
    java: tuple[str, ...] = ()  # launch: all that follows `java`
    command: tuple[str, ...] = ()  # test: what runs tests
    at: str = "failure"
    snapshots: str = ""
    masks: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    recorded: tuple[str, ...] = ()  # test: methods
    profile: bool = False
    profile_file: str = ""
    repeat: int = 1  # 0: for ever
    until_fails: bool = False
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
    stdin: str = ""  # launch: a file
    tty: str = ""  # launch: a terminal
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
    action = _ALSO.get(action, action)
    if action in ("-h", "--help", "help"):
        about = _ALSO.get(rest[0], rest[0]) if rest else ""
        return CommandLine("help", about=about if about in ACTIONS else "")
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


_CHOICES = {"--color": ("auto", "always", "never"), "--log": ("decisions",), "--at": ("failure", "start", "none")}
_FILES = ("-x", "--execute", "-p", "--plugin", "--snapshot")


def flags_of(action: str) -> tuple[Flag, ...]:
    """Return the options of an action, none for those that have a command line of their own."""
    if action not in ACTIONS:
        return ()
    parser = _Parser(action, [])
    known = {each.flag: each for each in options_for("cli")}
    found = [Flag(name) for name in parser.switches]
    for name in parser.options:
        if name in parser.switches:  # its value stands behind '='
            continue
        option = known.get(name) if (action, name) != ("test", "--record") else None
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
        self.patterns: dict[str, list[str]] = {"only": [], "never": [], "masks": [], "recorded": []}
        if action == "test":
            self.options |= {
                "--at": self._at,
                "--snapshot": partial(self._file, "snapshots"),
                "--mask": lambda text: self.patterns["masks"].extend(text.split(",")),
                "--only": self.patterns["only"].append,
                "--not": self.patterns["never"].append,
                "--repeat": self._repeat,
                "--profile": self._profile,
            }
        self.switches = {"--batch": "batch", "--json": "json", "--keep-going": "keep_going", "--screen": "screen"}
        for each in options_for("cli"):
            if each.kind == "switch":
                self.switches[each.flag] = each.name
            else:
                self.options[each.flag] = partial(self._opening, each)
        self.options["--pid"] = self._pid
        if action == "join":
            self.switches["--keep"] = "keep"
        if action == "test":
            self.switches |= {"--until-fails": "until_fails", "--profile": "profile"}
            self.options["--record"] = self.patterns["recorded"].append  # elsewhere it is a file

    def parse(self) -> CommandLine:
        while self.words:
            word = self.words.pop(0)
            name, equals, value = word.partition("=")
            if word in ("-h", "--help"):
                return CommandLine("help", about=self.action)
            if word in self.switches:
                self.values[self.switches[word]] = True
            elif word in self.options:
                if not self.words:
                    raise UsageError(f"{word} needs a value")
                self.options[word](self.words.pop(0))
            elif equals and name.startswith("--") and name in self.options:
                self.options[name](value)
            elif self.action in ("launch", "test"):
                self.positional = self.words if word == "--" else [word, *self.words]
                break
            elif word.startswith("-") and word != "-":
                raise UsageError(f"unknown option {word}", hint=self._like(name))
            else:
                self.positional.append(word)
        if self.values.get("reconnect") and self.action != "attach":
            raise UsageError(f"--reconnect is for attach, not for {self.action}")
        given = [each for each in ("stdin", "tty") if self.values.get(each)]
        if given and self.action != "launch":
            raise UsageError(f"--{given[0]} is for launch, not for {self.action}")
        if self.values.get("record") and self.action in ("open", "replay"):
            raise UsageError(f"--record is for attach, launch and listen, not for {self.action}")
        if self.values.get("allow_suspend") and not self.values.get("read_only"):
            raise UsageError("--allow-suspend is for --read-only: without that, threads may be suspended anyway")
        lists = {"scripts": tuple(self.scripts), "plugins": tuple(self.plugins)}
        return CommandLine(self.action, **lists, **self._target(), **self.values)  # type: ignore[arg-type]

    def _target(self) -> dict[str, object]:
        if self.action == "test":
            return self._tested()
        if self.action == "launch":
            return {"java": launch_words(self.positional)}
        if self.action in ("demo", "jvms"):
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

    def _like(self, name: str) -> str:
        """Return what an option that is none may mean, and where the others are."""
        from difflib import get_close_matches  # for a wrong option only

        close = get_close_matches(name, [*self.switches, *self.options], 1)
        hint = f"did you mean {close[0]}? " if close else ""
        return f"{hint}jdbpy {self.action} --help lists the options"

    def _tested(self) -> dict[str, object]:
        if self.values.get("read_only"):
            raise UsageError("--read-only is not for test: a JVM is held at its start, and stopped at failures")
        if not self.positional:
            raise UsageError("test needs the command that runs the tests", hint="jdbpy test -- mvn test")
        if self.positional[0].startswith("-"):
            raise UsageError(f"unknown option {self.positional[0]}", hint=self._like(self.positional[0]))
        if self.values.get("until_fails"):
            self.values.setdefault("repeat", 0)
        found: dict[str, object] = {name: tuple(texts) for name, texts in self.patterns.items() if texts}
        return {**found, "command": tuple(self.positional)}

    def _at(self, text: str) -> None:
        if text not in ("failure", "start", "none"):
            raise UsageError(f"--at is failure, start or none, not '{text}'")
        self.values["at"] = text

    def _profile(self, text: str) -> None:
        from jdbpy.profiles.files import form_of  # for this option only

        form_of(text)
        self.values |= {"profile": True, "profile_file": os.path.expanduser(text)}

    def _repeat(self, text: str) -> None:
        if not (text.isascii() and text.isdigit() and 0 < int(text) < 1_000_000):
            raise UsageError(f"--repeat needs how often, not '{text}'")
        self.values["repeat"] = int(text)

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
