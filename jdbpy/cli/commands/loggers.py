"""The loggers of the target: which there are, their levels, and a level that is set."""

from __future__ import annotations

from typing import Annotated

from jdbpy import operating
from jdbpy.cli.arguments.base import ChoiceArgument, Number, Option
from jdbpy.cli.arguments.vm import KnownWord
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Column, Sentence, Shown, TablePieces, count, faint, name, remark
from jdbpy.cli.output.shows import shows
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.json_form import Json
from jdbpy.record import Record

_COLUMNS = (
    Column("logger", style="name", least=20, fold=True),
    Column("level", least=7),
    Column("", style="faint", least=9, drop=1),
)
_LEVELS = (
    *("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL", "OFF", "ALL"),
    *("FINEST", "FINER", "FINE", "CONFIG", "WARNING", "SEVERE", "inherited"),
)

LOGGERS = KnownWord(
    "NAME",
    lambda names: names.loggers,
    "logger",
    "a logger, or a part of names, with `*` for any part; `root` is that of all",
)


class LevelArgument(ChoiceArgument):
    """A level of any framework; which of them a framework knows it says itself."""

    metavar = "LEVEL"

    def __init__(self) -> None:
        super().__init__(*_LEVELS)
        self.metavar = "LEVEL"

    def parse(self, text: str) -> str:
        return text


class Loggers(Record):
    """The loggers whose names fit ``pattern``; without one those that have a level of their own."""

    pattern: Annotated[str, Json(optional=True)]
    contexts: tuple[operating.LogContext, ...]


@shows(Loggers)
def loggers_shown(result: Loggers, settings: Settings) -> Shown:
    for each in result.contexts:
        yield from _context(each)
    if not result.pattern:
        yield remark("those with a level of their own; 'logger PATTERN' lists others, 'logger NAME LEVEL' sets one")
    elif not any(each.loggers for each in result.contexts):
        yield Sentence(f"no logger like {result.pattern}")


@shows(operating.LogLevelsSet)
def levels_set_shown(result: operating.LogLevelsSet, settings: Settings) -> Shown:
    for each in result.contexts:
        yield from _context(each)


def _context(each: operating.LogContext) -> Shown:
    called = f" '{each.name}'" if each.name else ""
    loader = f", loader {each.loader}" if each.loader else ""
    yield Sentence(name(f"#{each.number} {each.framework}") + f"{called}{loader}: {count(each.count, 'logger')}")
    rows = [(f"  {one.name}", one.effective, "" if one.level else "inherited") for one in each.loggers]
    if rows:
        yield TablePieces(_COLUMNS, rows, titles=False)
    elif each.count:
        yield faint("  (none of them)")


@command("logger", "loggers", group="vm")
async def logger(
    ctx: Context,
    name: Annotated[str, LOGGERS] = "",
    level: Annotated[str, LevelArgument()] = "",
    *,
    context: Annotated[
        int, Option("-c", "--context", argument=Number("N"), help="in this context only, of those that are listed")
    ] = 0,
) -> Loggers | operating.LogLevelsSet:
    """List the loggers and their levels, or set a level: `logger com.acme DEBUG`, `logger root WARN`.

    Logback, Log4j 2 and java.util.logging, each class loader by itself: a web application that brings its own is a
    context of its own. Without a context a level is set in all that have the logger. `logger com.acme inherited` takes
    its own level away. A word of another framework is translated: DEBUG is FINE for java.util.logging.

    Methods of the frameworks run in the target.
    """
    if level:
        return await ctx.session.loggers.set(name, level, context=context)
    found = await ctx.session.loggers.contexts(name)
    return Loggers(name, tuple(each for each in found if context in (0, each.number)))
