"""The settings that ``set NAME VALUE`` changes and ``show`` lists: declared once each.

Owns their names, forms and defaults. They are of the front end; nothing in them is known to the target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from jdbpy.errors import UsageError
from jdbpy.record import Record


class Setting(Record):
    """A declared setting. ``parse`` makes its value of text and raises UsageError; ``form`` says what it takes."""

    name: str
    default: Any
    form: str
    help: str
    parse: Callable[[str], Any]


def _switch(text: str) -> bool:
    if text.lower() in ("on", "yes", "true", "1"):
        return True
    if text.lower() in ("off", "no", "false", "0"):
        return False
    raise UsageError(f"'{text}' is neither on nor off")


def _number(low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > 20 or not low <= int(text) <= high:
            raise UsageError(f"'{text}' is not a number from {low} to {high}")
        return int(text)

    return parse


def _number_or_none(low: int, high: int) -> Callable[[str], int | None]:
    number = _number(low, high)

    def parse(text: str) -> int | None:
        return None if text.lower() == "none" else number(text)

    return parse


def _seconds_or_off(text: str) -> float | None:
    try:
        seconds = None if text.lower() in ("off", "none") else float(text)
    except ValueError:
        seconds = -1.0
    if seconds is not None and not 0 < seconds < 1e9:
        raise UsageError(f"'{text}' is neither a number of seconds nor off")
    return seconds


def _choice(*words: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text.lower() not in words:
            raise UsageError(f"'{text}' is not one of {', '.join(words)}")
        return text.lower()

    return parse


def _words(*words: str) -> Callable[[str], str]:
    """Take some of the words, in any order; the first two each stand alone."""

    def parse(text: str) -> str:
        given = text.lower().replace(",", " ").split()
        if wrong := next((word for word in given if word not in words), None):
            raise UsageError(f"'{wrong}' is not one of {', '.join(words)}")
        if not given or (len(given) > 1 and not set(words[:2]).isdisjoint(given)):
            raise UsageError(f"'{text}' is neither {words[0]} nor {words[1]} nor some of {', '.join(words[2:])}")
        return " ".join(word for word in words if word in given)

    return parse


NO_DECOMPILER = "none"


def _command_or_none(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" and text[0] not in text[1:-1]:
        text = text[1:-1].strip()
    return NO_DECOMPILER if text.lower() in ("", "none", "off") else text


SETTINGS = {
    setting.name: setting
    for setting in (
        Setting(
            "bell",
            10.0,
            "SECONDS|off",
            "ring at a stop that comes so long after the last key (at the prompt only)",
            _seconds_or_off,
        ),
        Setting("color", "auto", "auto|always|never", "whether output is colored", _choice("auto", "always", "never")),
        Setting("confirm", True, "on|off", "ask before what cannot be undone (at the prompt only)", _switch),
        Setting(
            "decompiler",
            NO_DECOMPILER,
            "none|COMMAND",
            "the command that decompiles a class file where there is no source; its path is appended",
            _command_or_none,
        ),
        Setting("depth", 1, "0 to 10", "levels of fields and elements that `dump` shows", _number(0, 10)),
        Setting("element-limit", 100, "0 to 100000", "elements of an array or collection shown", _number(0, 100_000)),
        Setting("field-limit", 100, "0 to 100000", "fields of an object shown", _number(0, 100_000)),
        Setting("frame-base", 1, "0|1", "the number of the innermost frame: 1 as in jdb, 0 as in gdb", _number(0, 1)),
        Setting("frame-limit", 1000, "1 to 1000000", "frames of a thread shown", _number(1, 1_000_000)),
        Setting("hints", True, "on|off", "a line for newcomers at the first stop", _switch),
        Setting(
            "hot-limit",
            1000,
            "1 to 999999, none",
            "a warning comes when more hits a second than this do not stop",
            _number_or_none(1, 999_999),
        ),
        Setting(
            "hold",
            "auto",
            "auto|thread|all",
            "what a breakpoint suspends; auto: the thread on a remote JVM, else all",
            _choice("auto", "thread", "all"),
        ),
        Setting(
            "in-target",
            "auto",
            "auto|eager|ask|off",
            "what the target computes itself, on a local JVM; auto: hot conditions, ask: those of `weave`",
            _choice("auto", "eager", "ask", "off"),
        ),
        Setting("javac", False, "on|off", "compile lambdas of expressions with a local javac, for the target", _switch),
        Setting(
            "keep-breakpoints",
            "ask",
            "ask|on|off",
            "at the next prompt with this target, set breakpoints again; ask: when you say so",
            _choice("ask", "on", "off"),
        ),
        Setting("let-others-run", False, "on|off", "let all threads run while an expression runs a method", _switch),
        Setting(
            "links",
            "auto",
            "auto|on|off",
            "the file of a stop is a link that the terminal opens; auto: where it is known to have them",
            _choice("auto", "on", "off"),
        ),
        Setting("list-lines", 10, "1 to 1000", "lines of source that `list` shows", _number(1, 1000)),
        Setting(
            "max-suspend",
            None,
            "SECONDS|off",
            "resume what was suspended that long while nothing was typed",
            _seconds_or_off,
        ),
        Setting(
            "cost-limit",
            20,
            "0 to 100",
            "percent of the target's time that hits without a stop may take",
            _number(0, 100),
        ),
        Setting(
            "packages",
            "fit",
            "fit|full|short|none",
            "packages of methods: shortened where the window is narrow, whole, `c.a.shop.Order`, or left out",
            _choice("fit", "full", "short", "none"),
        ),
        Setting("repeat", True, "on|off", "at the prompt, an empty line repeats a stepping command", _switch),
        Setting(
            "report-limit", 100, "0 to 999999, none", "hits a second that are reported", _number_or_none(0, 999_999)
        ),
        Setting("run-limit", 10, "1 to 86400", "seconds that a method of an expression may take", _number(1, 86_400)),
        Setting("shell", "auto", "auto|on|off", "run `shell`; auto: at the prompt only", _choice("auto", "on", "off")),
        Setting("tracebacks", False, "on|off", "show Python's traceback when a plug-in or `py` fails", _switch),
        Setting(
            "step-others",
            "run",
            "run|hold",
            "what other threads do during a step: run on, or stay suspended as with `next -alone`",
            _choice("run", "hold"),
        ),
        Setting("stop-lines", 5, "1 to 11", "lines of source that a stop shows", _number(1, 11)),
        Setting(
            "stop-shows",
            "auto",
            "auto, or some of: source, changes, locals; none",
            "what a stop shows beside its place; auto: source, and at the prompt of a near JVM what a step has changed",
            _words("auto", "none", "source", "changes", "locals"),
        ),
        Setting("string-limit", 200, "1 to 10000000", "characters of a string shown", _number(1, 10_000_000)),
    )
}


class Settings:
    """The values now. They outlive a session: a program that is started again finds them as they were."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {name: setting.default for name, setting in SETTINGS.items()}
        self.hints_given: set[str] = set()
        """The hints for newcomers that were shown: each is shown once."""
        self.on_screen = False
        """True while the full screen is there: its panes show the source at a stop, and what ``display`` shows."""
        self.screen_view: Any = None
        """Which of its panes are shown, and their sizes; for a program that is started again."""

    def __getitem__(self, name: str) -> Any:
        return self._values[find(name).name]

    @property
    def stop_lines(self) -> int:
        """Return how many lines of source a stop shows; 0: no source."""
        shows = self["stop-shows"].split()
        return self["stop-lines"] if "auto" in shows or "source" in shows else 0

    def __iter__(self) -> Iterator[Setting]:
        return iter(SETTINGS.values())

    def set(self, name: str, text: str) -> Setting:
        """Set a value from text. Raises UsageError for an unknown name or a text that does not fit."""
        setting = find(name)
        try:
            self._values[setting.name] = setting.parse(text)
        except UsageError as error:
            error.hint = f"usage: set {setting.name} {setting.form}"
            raise
        return setting

    def text(self, name: str) -> str:
        """Return the value as it would be typed."""
        value = self[name]
        if value is None:
            return "off" if find(name).parse is _seconds_or_off else "none"
        if isinstance(value, bool):
            return "on" if value else "off"
        return f"{value:g}" if isinstance(value, float) else str(value)


def find(name: str) -> Setting:
    """Return the setting called ``name``; raises UsageError with the names that are like it."""
    setting = SETTINGS.get(name.lower().replace("_", "-"))
    if setting is None:
        from difflib import get_close_matches

        close = get_close_matches(name.lower(), SETTINGS, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(close)}?" if close else "'show' lists the settings"
        raise UsageError(f"unknown setting '{name}'", hint=hint, code="UNKNOWN_SETTING")
    return setting
