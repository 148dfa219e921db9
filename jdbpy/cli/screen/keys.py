"""The key bindings of the screen, as a table; the help of `?` and the line at the bottom are made from it.

Names of keys are prompt_toolkit's: a terminal sends Shift-F8 as what is called F20 there, Shift-F11 as F23.
"""

from __future__ import annotations

from jdbpy.cli.screen.fragments import Line
from jdbpy.record import Record


class KeyRow(Record):
    """Some keys and their action. ``everywhere``: also while the prompt has the focus. ``line`` is run as if it was
    typed; without one ``name`` says what ``application`` does. ``label`` is how the keys are written."""

    name: str
    keys: tuple[str, ...]
    label: str
    words: str
    line: str = ""
    everywhere: tuple[str, ...] = ()


KEYS = (
    KeyRow("cont", ("c",), "F5 c", "let the program go on", "cont", ("f5",)),
    KeyRow("next", ("n",), "F8 F10 n", "step over calls", "next", ("f8", "f10")),
    KeyRow("step", ("s",), "F7 F11 s", "step into a call", "step", ("f7", "f11")),
    KeyRow("finish", ("f",), "Shift-F8 Shift-F11 f", "step out of the method", "step up", ("f20", "f23")),
    KeyRow("rewind", ("r",), "F6 r", "go a line back, in a recorded call", "recorded back", ("f6",)),
    KeyRow("toggle", ("b",), "F9 b", "set a breakpoint at the line of the cursor, or delete it", "", ("f9",)),
    KeyRow("switch", ("B",), "B", "disable the breakpoint at the cursor, or enable it"),
    KeyRow("here", ("t",), "t", "run to the line of the cursor"),
    KeyRow("up", ("u",), "u", "go to the calling frame", "up"),
    KeyRow("down", ("d",), "d", "go to the called frame", "down"),
    KeyRow("pause", ("p", "c-c"), "p Ctrl-C", "pause the program, or end the command that runs"),
    KeyRow("search", ("/",), "/", "search the source; . and , go to the next and the previous match"),
    KeyRow("again", (".",), "", ""),
    KeyRow("back", (",",), "", ""),
    KeyRow("goto", ("g",), "g", "go to a line of the source"),
    KeyRow("current", ("h",), "h", "go back to the line where the program stands"),
    KeyRow("watch", ("w",), "w", "add an expression to the watches"),
    KeyRow("delete", ("delete", "x"), "Del x", "remove the watch at the cursor"),
    KeyRow("enter", ("enter", " "), "Enter", "open a variable, select a frame, a thread, a JVM; more elements"),
    KeyRow("types", ("y",), "y", "show the types of variables, or hide them"),
    KeyRow("packages", ("Y",), "Y", "show the packages of types, or hide them"),
    KeyRow("turn", ("tab",), "Tab", "go to the next pane, Shift-Tab to the previous; a click does too"),
    KeyRow("return", ("s-tab",), "", ""),
    KeyRow("pane", tuple("123456789"), "1 ... 7", "go to a pane, and show it: the numbers stand in the titles"),
    KeyRow("hide", ("o",), "o", "hide the pane that has the focus; its number shows it again"),
    KeyRow("zoom", ("z",), "z", "show the pane alone, or all of them again"),
    KeyRow("larger", ("+", "="), "+ -", "make the pane larger or smaller; < > move the border of the source"),
    KeyRow("smaller", ("-",), "", ""),
    KeyRow("narrower", ("<",), "", ""),
    KeyRow("wider", (">",), "", ""),
    KeyRow("prompt", (":", "!"), ":", "type a command; Enter and Escape come back from there", "", ("c-x",)),
    KeyRow("redraw", ("c-l",), "Ctrl-L", "redraw the screen", "", ()),
    KeyRow("help", ("?",), "? F1", "these keys", "", ("f1",)),
    KeyRow("leave", ("q",), "q Ctrl-D", "leave the debugger, or a recorded call; 'screen' is the plain prompt"),
)

AT_BOTTOM = {
    "target": (
        ("F5", "go"),
        ("F8", "over"),
        ("F7", "into"),
        ("⇧F8", "out"),
        (":", "command"),
        ("F9", "break"),
        ("Tab", "pane"),
        ("?", "keys"),
    ),
    "ended": ((":", "command"), ("F9", "break"), ("/", "search"), ("Tab", "pane"), ("q", "leave"), ("?", "keys")),
    "file": (
        ("u", "caller"),
        ("d", "called"),
        (":", "command"),
        ("Enter", "open"),
        ("/", "search"),
        ("Tab", "pane"),
        ("q", "leave"),
        ("?", "keys"),
    ),
    "recorded": (
        ("F8", "on"),
        ("F6", "back"),
        ("F5", "to its end"),
        ("q", "close"),
        (":", "command"),
        ("t", "to cursor"),
        ("?", "keys"),
    ),
}
"""The keys at the bottom, by what is shown: a target, one that has ended, a snapshot, a recorded call."""

IN_RECORDED_CALL = {
    "cont": "cont",
    "finish": "cont",
    "next": "next",
    "step": "next",
    "rewind": "back",
    "leave": "close",
}
"""The lines that keys run while a recorded call is shown."""


def bottom(columns: int, shown_is: str = "target") -> Line:
    """Return the line of keys in at most so many columns, those of an entry of ``AT_BOTTOM``; the last one is always
    there."""
    found: Line = []
    shown = list(AT_BOTTOM[shown_is])
    while len(shown) > 1 and sum(len(key) + len(words) + 2 for key, words in shown) > columns:
        shown.pop(-2)
    for key, words in shown:
        found += [("class:keys.key", f" {key}"), ("class:keys", f" {words}")]
    return found


def help_lines(columns: int) -> list[Line]:
    """Return the keys and what they do, a line each, with room for so many columns."""
    rows = [row for row in KEYS if row.label]
    width = max(len(row.label) for row in rows)
    found: list[Line] = [
        [("class:help.title", " Keys in panes, F-keys at the prompt too; PgDn: more")],
        [],
    ]
    for row in rows:
        room = max(10, columns - width - 3)
        words = _broken(row.words, room)
        found.append([("class:help.key", f" {row.label:<{width}} "), ("", words[0])])
        found += [[("", " " * (width + 2) + more)] for more in words[1:]]
    found += [[], [("", " Mouse: the margin sets a breakpoint, the wheel scrolls, a click opens")]]
    found += [[("", " At the prompt: 'screen variables off', 'screen output 12', 'help screen'")]]
    return found


def _broken(text: str, room: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > room:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return lines
