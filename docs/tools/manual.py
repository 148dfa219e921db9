"""Writes the pages that are made from the program itself: docs/commands.md, docs/json.md, docs/jvmti.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from jdbpy.cli import jvmti
from jdbpy.cli.catalog import all_objects
from jdbpy.cli.commands import TABLE
from jdbpy.cli.newcomers import FROM
from jdbpy.cli.output.json_lines import EVENTS
from jdbpy.cli.settings import SETTINGS, Settings
from jdbpy.cli.table import CliCommand
from jdbpy.cli.topics import GROUPS, TOPICS
from jdbpy.json_form import SCHEMA_VERSION, name_of

DOCS = Path(__file__).resolve().parents[1]
_GENERATED = "<!-- Made by ./dev generate from the program; do not edit. -->"

_COMMANDS = """\
# Commands

Every command of jdbpy, as `help` shows them. Words in capitals stand for something of yours; what is in brackets may be
left out. Commands are spelled out, or have the aliases that are given: there are no abbreviations but these. Upper and
lower case are the same.

`!!` runs the last line again, `3 next` runs a command three times, `#` begins a comment. At the prompt an empty line
repeats a stepping command. A word that is not a command is an error, and is never evaluated in the target.
"""

_JSON = """\
# JSON Lines

With `--json` every line of standard output is a JSON object, in ASCII: a result or an event. This is version {version}
of the form, which the command `version` tells as `schema`. A key is removed, renamed or given another meaning only with
a new version; new keys may come at any time, so do not mind keys that you do not know.

## Results

Exactly one for each command that was run, when it is done:

```text
{{"type":"result","command":"print n","ok":true,"data":{{"expression":"n","type":"int","value":"7"}}}}
{{"type":"result","command":"frobnicate","ok":false,"error":{{"code":"UNKNOWN_COMMAND","message":"...","hint":"..."}}}}
```

`command` is the line as it was given. `error` has a `code` for programs, one sentence as `message`, and a `hint`, which
may be empty; a wrong expression also has the `column` of the fault, counted from 0, and a wrong condition the
`expression` that it counts in; one that a Java exception has left has an `exception` with its `type`, `message`, `id`
and `stack`, one text for each frame. An error of the target's agent has the JDWP constant as its code
(`THREAD_NOT_SUSPENDED`). Of a failed start `command` is the action: `attach
127.0.0.1:5005`. A command that lets the target run has its result when the target has stopped again or has ended; the
stop is in the event before it, and again in `data`. `N COMMAND` and `read FILE` have a result for each command that
they run.

## Events

Whatever happens in the target, when it happens:

```text
{{"type":"event","event":"stop","data":{{"reason":"breakpoint","breakpoint":1,"thread":{{"id":1,"name":"main"}},...}}}}
{{"type":"event","event":"output","data":{{"stream":"stdout","text":"..."}}}}
```

The names of events are {events}; the object in `data` has the same name. A `stop` of a thread that was
suspended alone, while another one is selected, leaves that selected: `selected` beside `data` is its name.

## Objects

Keys marked with * are left out when they say nothing: null, false, an empty text or list. `T?` may be null, `T[]` is a
list. A value is text as Java would write the literal, strings quoted and escaped; objects also have their `id`.
"""


_JVMTI = """\
# The JVM Tool Interface

Every function, event and capability of the JVM TI specification (JDK 25), and how a debugger gets at it through a debug
port. `help jvmti NAME` says the same at the prompt.

* **direct**: a command, an event or a capability flag of the debug protocol exposes it
* **invoke**: a method is run in the target, so a thread must stand at an event
* **internal**: the JDWP agent uses it for itself
* **none**: out of reach, and the last column says why
"""


_NEWCOMERS = """\
# If you know another debugger

`help gdb`, `help lldb` and so on show these tables at the prompt. Most short words of gdb, delve and pdb (`b`, `c`,
`n`, `s`, `bt`, `p`) are understood as they are; `jdb` itself has [a mode of its own](jdb.md), and editors [have
theirs](dap.md).
"""

_NAMES = {"intellij": "IntelliJ IDEA", "arthas": "Arthas", "delve": "Delve"}


def commands_page() -> str:
    """docs/commands.md."""
    lines = [_GENERATED, _COMMANDS]
    for group, title in GROUPS.items():
        names = [command.name for command in TABLE if command.group == group]
        lines.append(f"* [{title[0].upper()}{title[1:]}](#{group}): {', '.join(f'`{name}`' for name in names)}")
    for group, title in GROUPS.items():
        lines += ["", f"## {group.capitalize()}", "", f"{title[0].upper()}{title[1:]}."]
        for command in TABLE:
            if command.group == group:
                lines += ["", *_command(command)]
    lines += ["", "## Topics"]
    for topic, text in TOPICS.items():
        lines += ["", f"### help {topic}", "", "```text", text, "```"]
    lines += ["", "## The settings", "", "`set NAME VALUE` changes one, `show` lists them.", ""]
    lines += ["| setting | takes | at the start | what it does |", "|---|---|---|---|"]
    settings = Settings()
    for name, setting in SETTINGS.items():
        form = setting.form.replace("|", "\\|")
        lines.append(f"| `{name}` | {form} | {settings.text(name)} | {setting.help} |")
    return "\n".join(lines) + "\n"


def json_page() -> str:
    """docs/json.md."""
    events = ", ".join(f"`{name}`" for name in EVENTS.values())
    lines = [_GENERATED, _JSON.format(version=SCHEMA_VERSION, events=events)]
    objects = all_objects()
    lines += ["### Data of each command", "", "| command | object in `data` |", "|---|---|"]
    for command in TABLE:
        names = " or ".join(f"[{name_of(each)}](#{name_of(each)})" for each in command.returns)
        lines.append(f"| `{command.name}` | {names} |")
    for made in sorted(objects.values(), key=lambda made: made.name):
        lines += ["", f"### {made.name}", "", made.help.replace("``", "`"), "", "| key | kind | |", "|---|---|---|"]
        for key in made.keys:
            help = key.help.replace("|", "\\|")
            lines.append(f"| `{key.key}`{'*' if key.optional else ''} | {_kind(key.kind, set(objects))} | {help} |")
    return "\n".join(lines) + "\n"


def jvmti_page() -> str:
    """docs/jvmti.md."""
    lines = [_GENERATED, _JVMTI]
    for kind, title in (("function", "Functions"), ("event", "Events"), ("capability", "Capabilities")):
        found = [row for row in jvmti.rows() if row.kind == kind]
        counts = ", ".join(f"{sum(row.reach == reach for row in found)} {reach}" for reach in jvmti.REACH)
        lines += ["", f"## {title}", "", f"{len(found)}: {counts}.", ""]
        lines += ["| name | since | reach | command | by way of | shown by | |", "|---|---|---|---|---|---|---|"]
        for row in found:
            test = row.test.rpartition("::")
            shown = f"[{test[2].removeprefix('test_')}](../{test[0]})" if row.test else ""
            command = f"`{row.command}`" if row.command else ""
            cells = (f"`{row.name}`", row.since, row.reach, command, row.via, shown, row.note)
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def newcomers_page() -> str:
    """docs/coming-from.md."""
    lines = [_GENERATED, _NEWCOMERS]
    for debugger, rows in FROM.items():
        title = _NAMES.get(debugger, debugger)
        lines += ["", f"## {title}", "", f"| {title} | jdbpy |", "|---|---|"]
        for row in rows:
            lines.append("| " + " | ".join(f"`{cell}`" if _is_typed(cell) else cell for cell in map(_cell, row)) + " |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _is_typed(cell: str) -> bool:
    """True if all of a cell can be typed: no sentence, and no quotes that mark what can be."""
    return "'" not in cell and ";" not in cell and "the same" not in cell and " or " not in cell


PAGES: dict[str, Callable[[], str]] = {
    "commands.md": commands_page,
    "coming-from.md": newcomers_page,
    "json.md": json_page,
    "jvmti.md": jvmti_page,
}
"""The pages that are made from the program."""


def write_pages() -> None:
    """Writes them all."""
    for name, make in PAGES.items():
        (DOCS / name).write_text(make(), encoding="utf-8")


def _command(command: CliCommand) -> Iterator[str]:
    yield f"### {command.name}"
    yield ""
    yield from ("```text", command.usage, "```", "")
    if command.aliases:
        yield f"Also {', '.join(f'`{alias}`' for alias in command.aliases)}."
        yield ""
    yield command.summary
    if command.details:
        yield ""
        yield command.details
    words = [(p.argument.metavar, p.argument.help) for p in command.signature.positional if p.argument.help]
    words += [(", ".join(option.flags), option.help) for option in command.signature.options.values()]
    if words:
        yield ""
        yield from (f"* `{word}`: {text}" for word, text in words)


def _kind(kind: str, names: set[str]) -> str:
    name = kind.removesuffix("?").removesuffix("[]")
    return kind.replace(name, f"[{name}](#{name})") if name in names else kind
