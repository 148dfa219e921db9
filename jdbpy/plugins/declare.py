"""The declarations of a plug-in: ``jdbpy.command``, ``jdbpy.view``, ``jdbpy.on``, ``jdbpy.pane``.

The decorators return the function as it is, with a mark; ``loading`` collects the marked functions of a file. So a
function of a plug-in can be called and tested like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, overload

from jdbpy.errors import UsageError
from jdbpy.record import Record

MARK = "__jdbpy_declarations__"

EVENTS = ("connected", "stop", "hit", "output", "notice", "exited", "disconnected")
"""The events that ``on`` takes, in the words of the JSON form; "hit" is a report while the target goes on."""

COMPLETIONS = ("class", "pattern", "method", "thread", "breakpoint", "file", "expression")
"""The kinds that an argument of a command may be declared as."""

F = TypeVar("F", bound=Callable[..., Any])


class CommandDeclaration(Record):
    """A function that is a command: its names, and what its arguments are completed by."""

    function: Callable[..., Any]
    names: tuple[str, ...]
    complete: tuple[tuple[str, str | tuple[str, ...]], ...]
    resumes: bool = False
    repeats: bool = False


class ViewDeclaration(Record):
    """A function that shows objects of the classes that fit one of the patterns."""

    function: Callable[..., Any]
    patterns: tuple[str, ...]


class HookDeclaration(Record):
    """A function that is called at events of these names."""

    function: Callable[..., Any]
    events: tuple[str, ...]


class PaneDeclaration(Record):
    """A function whose result is shown in a pane of the full screen."""

    function: Callable[..., Any]
    name: str


Declaration = CommandDeclaration | ViewDeclaration | HookDeclaration | PaneDeclaration


@overload
def command(function: F, /) -> F: ...


@overload
def command(
    *names: str,
    complete: Mapping[str, str | Sequence[str]] | None = None,
    resumes: bool = False,
    repeats: bool = False,
) -> Callable[[F], F]: ...


def command(
    *names: Any,
    complete: Mapping[str, str | Sequence[str]] | None = None,
    resumes: bool = False,
    repeats: bool = False,
) -> Any:
    """Make a function of a plug-in a command, called like the function unless ``names`` are given.

    ``@jdbpy.command`` or ``@jdbpy.command("orders", "o", complete={"name": "class"})``. The docstring is its help.
    Parameters called ``vm``, ``stop``, ``frame`` and ``thread`` get objects of ``jdbpy.api`` (of ``jdbpy.sync`` in a
    plain function); all others are arguments, by their annotations: str, int, float, Path, Literal words; keyword-only
    ones are options, and switches if they are bool. ``complete`` says what an argument is ("class", "pattern",
    "method", "thread", "breakpoint", "file", "expression"), or lists its words.

    ``resumes``: the command lets the target run, as ``cont`` and ``next`` do: when it has, a batch waits for the next
    stop before it goes on. ``repeats``: an empty line at the prompt runs the same line once more.

    What it returns is shown, and is the ``data`` of the JSON form: texts, numbers, lists, dicts, ``jdbpy.api.Table``,
    values, records. A JdbpyError that it raises is shown as those of other commands. Raises UsageError for a name that
    is none. No trip.
    """
    if len(names) == 1 and callable(names[0]):
        return command()(names[0])
    for name in names:
        if not isinstance(name, str) or not name or not all(_is_name(word) for word in name.split(" ")):
            raise UsageError(f"{name!r} is not a name of a command", hint="words of letters, digits and '-'")
    wanted = [(of, how if isinstance(how, str) else tuple(how)) for of, how in (complete or {}).items()]
    for of, how in wanted:
        if isinstance(how, str) and how not in COMPLETIONS:
            raise UsageError(f"'{of}' cannot be completed by '{how}'", hint=f"one of {', '.join(COMPLETIONS)}")

    def declare(function: F) -> F:
        own = names or (function.__name__.strip("_").replace("_", "-"),)
        lower = tuple(each.lower() for each in own)
        return _mark(function, CommandDeclaration(function, lower, tuple(wanted), resumes, repeats))

    return declare


def view(*patterns: str) -> Callable[[F], F]:
    """Make a function of a plug-in the view of classes: names or patterns (``com.acme.*Id``), subclasses included.

    A plain function is given fields by the names of its parameters, read together for all objects that are shown:
    ``def money(amount, currency): return f"{amount / 100:.2f} {currency}"``. Numbers, texts and null are as in Python;
    other objects can be handed on only. It returns a text or number, a dict of parts, a list of elements, or an object.
    An ``async def`` function is given a ``jdbpy.views.Obj``, which reads fields and elements in batches, and returns
    the same, or a ``jdbpy.views.Shown``. Views run nothing in the target. Raises UsageError without a pattern.
    """
    if not patterns or not all(isinstance(each, str) for each in patterns):
        raise UsageError("a view needs the names of classes", hint='@jdbpy.view("com.acme.Money")')

    def declare(function: F) -> F:
        return _mark(function, ViewDeclaration(function, tuple(patterns)))

    return declare


def on(*events: str) -> Callable[[F], F]:
    """Call a function of a plug-in at events: "connected", "stop", "hit", "output", "notice", "exited", "disconnected".

    Its parameters are given by their names: ``vm``; ``stop``, ``frame`` and ``thread`` of a stop; ``hit`` of a hit that
    is reported; ``event``, the plain data (``jdbpy.Output`` and so on). A stop goes to its hooks before it is the
    user's: ``stop.resume()`` lets the target go on. What a hook raises is shown, and ends nothing. Raises UsageError
    for another word.
    """
    if not events or not set(events) <= set(EVENTS):
        wrong = next((each for each in events if each not in EVENTS), "")
        raise UsageError(f"unknown event '{wrong}'", hint=f"one of {', '.join(EVENTS)}")

    def declare(function: F) -> F:
        return _mark(function, HookDeclaration(function, tuple(events)))

    return declare


@overload
def pane(function: F, /) -> F: ...


@overload
def pane(name: str, /) -> Callable[[F], F]: ...


def pane(name: Any, /) -> Any:
    """Show what a function of a plug-in returns in a pane of the full screen, called like the function unless a name is
    given.

    ``@jdbpy.pane`` or ``@jdbpy.pane("orders")``. It is called at each stop that the screen shows, with ``vm``,
    ``stop``, ``frame`` and ``thread`` where it has such parameters, and returns what a command may return: a text, a
    list, a dict, ``jdbpy.api.Table``. What it raises stands in the pane. Raises UsageError for what is no name.
    """
    if callable(name):
        return pane(name.__name__.strip("_").replace("_", "-"))(name)
    if not isinstance(name, str) or not _is_name(name) or name in _OF_THE_SCREEN:
        raise UsageError(f"{name!r} cannot be the name of a pane", hint="a word of letters, digits and '-'")

    def declare(function: F) -> F:
        return _mark(function, PaneDeclaration(function, name.lower()))

    return declare


_OF_THE_SCREEN = ("source", "variables", "stack", "watches", "threads", "jvms", "output", "on", "off", "src")
"""Names that panes have, or that the command `screen` takes."""


def declarations(function: Any) -> tuple[Declaration, ...]:
    """Return what the decorators above have said of a function; nothing for anything else."""
    found = getattr(function, "__dict__", {}).get(MARK, ())
    return found if isinstance(found, tuple) else ()


def _mark(function: F, declared: Declaration) -> F:
    setattr(function, MARK, (*declarations(function), declared))
    return function


def _is_name(word: str) -> bool:
    return word.replace("-", "").replace("_", "").isalnum() and word.isascii() and not word[0].isdigit()
