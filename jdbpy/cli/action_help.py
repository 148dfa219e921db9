"""``jdbpy attach --help``: what the help of the command line says of one action, with the options that it has."""

from __future__ import annotations

import re

from jdbpy.cli.cmdline import HELP
from jdbpy.process.openings import ATTACH, LAUNCH, LISTEN, options_for

_LIKE = {"demo": LAUNCH, "test": LAUNCH, "open": "", "replay": "", "jvms": ""}
"""The actions whose options of sessions are those of another one, or none."""

_FEW = {"jvms": ("--json", "--color", "--help"), "demo": (), "open": ("--sourcepath",), "replay": ("--sourcepath",)}
"""Options that such an action has; () for all that are not about opening a session."""

_LACKS = {"demo": ("reconnect",), "test": ("stdin", "tty", "read_only", "allow_suspend", "record")}
"""Options of the action that it is like and that it has not."""

_EXAMPLES = {
    ATTACH: ("jdbpy attach 5005", "jdbpy attach build.example.org:5005 --hold thread", "jdbpy attach --pid 4711"),
    LAUNCH: ("jdbpy launch -cp classes com.acme.Main 7", "jdbpy launch --sourcepath src -- -Xmx1g -jar app.jar"),
    LISTEN: ("jdbpy listen 5005", "jdbpy listen 0.0.0.0:5005"),
    "test": ("jdbpy test -- mvn test", "jdbpy test --snapshot failures -- ./gradlew test"),
    "demo": ("jdbpy demo", "jdbpy demo --screen"),
    "open": ("jdbpy open yesterday.snapshot",),
    "replay": ("jdbpy replay session.jdbpy -c where",),
    "jvms": ("jdbpy jvms",),
}


def help_of(action: str) -> str:
    """Return the help of an action of ``jdbpy``."""
    usage, _, rest = HELP.partition("\n\n")
    actions, _, rest = rest.partition("\n\naddresses:")
    addresses, _, rest = rest.partition("\n\noptions:\n")
    options, _, status = rest.partition("\n\n")
    lines = [line[7:] for line in usage.splitlines() if line[7:].split()[1:2] == [action]]
    parts = ["usage: " + "\n       ".join(lines)]
    about = "\n".join(line[11:] for line in _block(actions, rf"  {action}\b"))
    parts.append(f"{about[0].upper()}{about[1:]}.")
    parts.append("for example:\n" + "\n".join(f"  {each}" for each in _EXAMPLES.get(action, ())))
    if action == ATTACH:
        parts.append("addresses:" + addresses)
    wanted = [line for line in _options(options) if _has(action, line)]
    parts.append("options:\n" + "\n".join(line.replace("test: ", "") for line in wanted))
    if action == "test":
        status = "exit status: that of COMMAND; 2 usage; 130 interrupted"
    return "\n\n".join(part for part in (*parts, status.rstrip() if action != "jvms" else "") if part) + "\n"


def _options(text: str) -> list[str]:
    """Return the options with the lines that belong to each."""
    return re.split(r"\n(?=  -)", text)


def _block(text: str, begin: str) -> list[str]:
    """Return the line that begins so, and those that go on with it."""
    lines = text.splitlines()
    start = next(number for number, line in enumerate(lines) if re.match(begin, line))
    end = start + 1
    while end < len(lines) and lines[end].startswith(" " * 11):
        end += 1
    return lines[start:end]


def _has(action: str, line: str) -> bool:
    """True if an action has the option of a line."""
    flags = re.findall(r"(?<![\w-])--?[a-z][a-z-]*", line[:25])
    opening = {each.flag: each for each in options_for("cli")}
    few = _FEW.get(action)
    if few and any(flag in few for flag in flags):
        return True
    if action == "jvms":
        return False
    if "--version" in flags:
        return False
    if re.search(r"\stest: ", line):
        return action == "test"
    known = next((opening[flag] for flag in flags if flag in opening), None)
    return known is None or (_LIKE.get(action, action) in known.of and known.name not in _LACKS.get(action, ()))
