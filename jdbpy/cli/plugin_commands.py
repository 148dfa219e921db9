"""Commands of plug-ins: from a function that a file declares to a command like ours, and its result in words and JSON.

Owns what annotations of a plug-in's function mean as arguments, and how plain Python values are shown. The functions
run in ``jdbpy.plugins``.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import trio

from jdbpy import Plugin, PluginError, UsageError
from jdbpy.cli.arguments.base import Argument, ChoiceArgument, FileName, Number, Option, WordArgument, matching
from jdbpy.cli.arguments.code import ExpressionArgument
from jdbpy.cli.arguments.location import complete_place
from jdbpy.cli.arguments.target import BreakpointNumber, ClassNameArgument, ClassPattern, ThreadArgument
from jdbpy.cli.commands import TABLE
from jdbpy.cli.context import Context
from jdbpy.cli.names import Candidate, Names
from jdbpy.cli.output.pieces import Column, RowPieces, Shown, TablePieces
from jdbpy.cli.output.shows import shows
from jdbpy.cli.results import Resumed
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import CliCommand
from jdbpy.json_form import HIDDEN, Json
from jdbpy.plugins import LOADED
from jdbpy.plugins.declare import CommandDeclaration
from jdbpy.plugins.loading import GIVEN, fault_at, load
from jdbpy.plugins.printing import printing
from jdbpy.plugins.running import PythonRunner, evaluated
from jdbpy.record import Record

_LARGEST = (1 << 63) - 1
_MOST_ROWS = 100_000


class PythonValue(Record):
    """The value of the user's Python: its type, its text, and the value itself as plain data."""

    type: Annotated[str, "its type in Python; empty if there is none"]
    text: Annotated[str, Json("as Python shows it", optional=True)]
    value: Annotated[Any, Json("as plain data; objects as their own JSON, or as text", optional=False)]
    readable: Annotated[Any, HIDDEN] = None  # the result of a command, for a person


class PythonResumed(Resumed):
    """The result of a plug-in's command that may let the target run, and how that ended."""

    type: Annotated[str, "its type in Python; empty if there is none"] = ""
    value: Annotated[Any, Json("as plain data; objects as their own JSON, or as text", optional=False)] = None
    readable: Annotated[Any, HIDDEN] = None
    runs: Annotated[bool, HIDDEN] = False

    @property
    def resumes(self) -> bool:
        """True if it has let the target run."""
        return self.runs


@shows(PythonResumed)
def python_resumed_shown(result: PythonResumed, settings: Settings) -> Shown:
    yield from _shown(result.readable)


@shows(PythonValue)
def python_value_shown(result: PythonValue, settings: Settings) -> Shown:
    yield from _shown(result.readable) if result.readable is not None else result.text.splitlines()


def _shown(value: Any) -> Shown:
    """Plain data as a person reads it: a list of dicts as a table, a dict as rows, a text as its lines."""
    if value is None:
        return
    if isinstance(value, str):
        yield from value.splitlines()
    elif isinstance(value, Mapping):
        yield RowPieces((str(name), _text(each)) for name, each in value.items())
    elif isinstance(value, list):
        columns = list(value[0]) if value and isinstance(value[0], Mapping) else []
        if columns and all(isinstance(each, Mapping) and list(each) == columns for each in value):
            numeric = [all(_is_number(each[name]) for each in value) for name in columns]
            heads = tuple(Column(name, right=right) for name, right in zip(columns, numeric, strict=True))
            rows = [[_text(each[name]) for name in columns] for each in value[:_MOST_ROWS]]
            yield TablePieces(heads, rows, plain=RowPieces([columns, *rows]))
        else:
            for each in value:
                yield from _shown(each) if isinstance(each, str | list) else iter((_text(each),))
    else:
        yield _text(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_text(each)}" for name, each in value.items())
    return ", ".join(map(_text, value)) if isinstance(value, list) else str(value) if value is not None else ""


def require_python(ctx: Context) -> PythonRunner:
    """Return what runs Python for this front end. Raises UsageError where none does."""
    if ctx.make_python is None:
        raise UsageError(
            "Python is not run here", hint="at the prompt of jdbpy, and in its batches", code="NOT_ALLOWED"
        )
    return ctx.make_python()


def with_traceback(ctx: Context, error: PluginError) -> PluginError:
    """Return an error of the user's code; where the settings ask for it, Python's own account is shown before."""
    if ctx.settings["tracebacks"] and error.traceback:
        require_python(ctx).show(error.traceback)
    return error


async def load_plugin(ctx: Context, path: str, content: bytes | None = None) -> Plugin:
    """Load a file: its commands are there for all sessions from now on, its views and hooks in this one too.

    Raises UsageError for a file that is not to be trusted, PluginError when it fails.
    """
    runner = require_python(ctx)
    try:
        plugin = await runner.load(path, content)
        add_plugin(plugin)
        await runner.install(plugin)
    except PluginError as error:
        raise with_traceback(ctx, error) from error
    return plugin


def add_plugin(plugin: Plugin) -> None:
    """Add the commands of a plug-in to the table, in place of those that the same file had before.

    Raises PluginError for a name that is taken, and for parameters that can be no arguments.
    """
    made = [_command(plugin, each) for each in plugin.commands]
    home = _home(plugin)
    own: set[str] = set()
    for command, declared in zip(made, plugin.commands, strict=True):
        for name in (command.name, *command.aliases):
            if name in own or TABLE.home_of(name) not in ("", home):
                raise fault_at(declared.function, f"there is a command '{name}' already")
            own.add(name)
    TABLE.remove(home)
    for command in made:
        TABLE.add(command)
    LOADED.pop(plugin.path, None)
    LOADED[plugin.path] = plugin


async def load_plugins(paths: Sequence[str], show: Callable[[str], object]) -> None:
    """Load files before there is a session; ``show`` gets what they print. Raises UsageError, PluginError."""
    for path in paths:
        printed: list[str] = []
        try:
            with printing(printed.append):
                plugin = await trio.to_thread.run_sync(load, path)
        finally:
            for text in printed:
                show(text)
        add_plugin(plugin)


def _home(plugin: Plugin) -> str:
    return f"plug-in {plugin.path}"


def _command(plugin: Plugin, declared: CommandDeclaration) -> CliCommand:
    function = declared.function

    async def run(ctx: Context, *values: Any, **keywords: Any) -> PythonValue | PythonResumed:
        runner = require_python(ctx)
        before = ctx.session.last_stop
        try:
            result = await runner.call(function, values, keywords, name=plugin.name)
            found = await runner.in_thread(lambda: evaluated(result))
        except PluginError as error:
            raise with_traceback(ctx, error) from error
        kind = found.type if result is not None else ""
        if declared.resumes:
            last = ctx.session.last_stop
            runs = last is None or last is not before or not ctx.session.is_current(last)
            return PythonResumed(type=kind, value=found.value, readable=found.readable, runs=runs)
        return PythonValue(kind, "", found.value, found.readable)

    run.__doc__ = function.__doc__
    run.__name__ = function.__name__
    run.__module__ = _home(plugin)
    parameters = [inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_ONLY)]
    hints: dict[str, Any] = {"return": PythonResumed if declared.resumes else PythonValue}
    try:
        annotated = typing.get_type_hints(function, include_extras=True)
    except Exception as error:
        raise fault_at(function, f"an annotation of {function.__name__} is not known: {error}") from error
    complete = dict(declared.complete)
    for name in complete:
        if name in GIVEN or name not in inspect.signature(function).parameters:
            raise fault_at(function, f"{function.__name__} has no argument '{name}' that could be completed")
    for name, parameter in inspect.signature(function).parameters.items():
        if name in GIVEN or parameter.kind is parameter.VAR_KEYWORD:
            continue
        hint, help = _with_help(annotated.get(name, str))
        mark: Argument[Any] | Option
        try:
            mark = _argument(name, hint, complete.get(name, ""), parameter, help)
        except UsageError as error:
            raise fault_at(function, error.message) from error
        hints[name] = Annotated[Any, mark]
        parameters.append(parameter.replace(annotation=hints[name]))
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = hints
    repeats = "again" if declared.repeats else ""
    return CliCommand(run, declared.names, "plugins", resumes=declared.resumes, repeats=repeats)


def _with_help(hint: Any) -> tuple[Any, str]:
    """Return a type without its ``Annotated`` and ``| None``, and the text that it was annotated with."""
    help = ""
    if typing.get_origin(hint) is Annotated:
        help = next((each for each in hint.__metadata__ if isinstance(each, str)), "")
        hint = hint.__origin__
    kept = [each for each in typing.get_args(hint) if each is not type(None)]
    return (kept[0] if type(None) in typing.get_args(hint) and len(kept) == 1 else hint), help


def _argument(
    name: str, hint: Any, complete: str | Sequence[str], parameter: inspect.Parameter, help: str
) -> Argument[Any] | Option:
    """Return what a parameter takes. Raises UsageError for a type that cannot be typed."""
    flag = f"--{name.replace('_', '-')}"
    if hint is bool and parameter.kind is parameter.KEYWORD_ONLY:
        return Option(flag, help=help or "a switch")
    argument = _kind(name.upper().replace("_", "-"), hint, complete)
    argument.help = help or argument.help
    if parameter.kind is parameter.KEYWORD_ONLY:
        return Option(flag, argument=argument, help=argument.help)
    return argument


def _kind(metavar: str, hint: Any, complete: str | Sequence[str]) -> Argument[Any]:
    if complete and not isinstance(complete, str):
        return OneOf(metavar, complete)
    if complete:
        return _completed(str(complete), metavar)
    if typing.get_origin(hint) is typing.Literal:
        return ChoiceArgument(*map(str, typing.get_args(hint)))
    if hint is int:
        return Number(metavar, -_LARGEST, _LARGEST, "a whole number")
    if hint is float:
        return DecimalNumber(metavar)
    if hint is bool:
        return OnOff()
    if hint is Path:
        return PathArgument()
    if hint in (str, Any, inspect.Parameter.empty):
        return WordArgument(metavar)
    raise UsageError(f"no argument can be a {getattr(hint, '__name__', hint)}: str, int, float, bool, Path, Literal")


def _completed(kind: str, metavar: str) -> Argument[Any]:
    made: dict[str, Callable[[], Argument[Any]]] = {
        "class": ClassNameArgument,
        "pattern": ClassPattern,
        "method": lambda: PlaceWord(metavar),
        "thread": ThreadArgument,
        "breakpoint": BreakpointNumber,
        "file": FileName,
        "expression": ExpressionArgument,
    }
    return made[kind]()


class OneOf(WordArgument):
    """A word, with some that are offered."""

    def __init__(self, metavar: str, words: Iterable[str]) -> None:
        super().__init__(metavar)
        self.words = tuple(words)

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, self.words)


class PlaceWord(WordArgument):
    """A line or a method."""

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return complete_place(text, names)


class OnOff(ChoiceArgument):
    """A truth value."""

    def __init__(self) -> None:
        super().__init__("on", "off")

    def parse(self, text: str) -> Any:
        return super().parse(text) == "on"


class DecimalNumber(WordArgument):
    """A number with a fraction."""

    def parse(self, text: str) -> Any:
        try:
            return float(text)
        except ValueError:
            raise UsageError(f"'{text}' is not a number") from None


class PathArgument(FileName):
    """A file, as a path of Python."""

    def parse(self, text: str) -> Any:
        return Path(super().parse(text))
