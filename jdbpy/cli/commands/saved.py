"""Values with names of their own: save, forget, the history."""

from __future__ import annotations

from typing import Annotated

from jdbpy import Variable
from jdbpy.cli.arguments.code import ExpressionArgument
from jdbpy.cli.arguments.plain import Number
from jdbpy.cli.arguments.values import SavedName
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Shown
from jdbpy.cli.output.shows import shows
from jdbpy.cli.output.values import variable_line
from jdbpy.cli.results import Assigned, Done
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.errors import UsageError
from jdbpy.record import Record


class NamedValues(Record):
    """Values by name; ``what`` is "saved" or "history"."""

    values: Annotated[
        tuple[Variable, ...], "the kind of an object that is kept from collection is `kept`, else `noted`"
    ]
    what: Annotated[str, "saved or history"]


@shows(NamedValues)
def named_values(result: NamedValues, settings: Settings) -> Shown:
    yield from map(variable_line, result.values)
    if not result.values:
        saved = "nothing is saved; 'save NAME EXPRESSION' keeps a value as $NAME"
        yield saved if result.what == "saved" else "no value has been shown yet; 'print EXPRESSION' shows one"


@command("save", group="data")
async def save(
    ctx: Context,
    name: Annotated[str, SavedName()] = "",
    expression: Annotated[str, ExpressionArgument()] = "",
) -> Assigned | NamedValues:
    """Keep the value of an expression as `$NAME`, for expressions to come; without arguments, list what was saved.

    `save first orders.get(0)`, then `print $first.total`. An object that was saved is kept from collection until
    `forget`. `save breakpoints FILE` is a command of its own.
    """
    if not name:
        return NamedValues(await ctx.session.values.saved_values(), "saved")
    if not expression:
        raise UsageError("EXPRESSION is missing")
    return Assigned(f"${name}", await ctx.session.values.save(name, expression))


@command("forget", group="data")
async def forget(ctx: Context, name: Annotated[str, SavedName()], *more: Annotated[str, SavedName()]) -> Done:
    """Take away the names of saved values; objects that were kept from collection are let go."""
    for each in (name, *more):
        ctx.session.values.forget(each)
    left = ", ".join(f"${each}" for each in ctx.session.values.saved() if each != "_")
    return Done(f"still there: {left}" if left else "nothing is saved any more")


@command("values", "show values", "info values", group="data")
async def values(
    ctx: Context, count: Annotated[int, Number("COUNT", help="how many, the last ones")] = 10
) -> NamedValues:
    """List the last values that `print` has shown, with their numbers: `$1`, `$2` are good in expressions."""
    return NamedValues(await ctx.session.values.history(count), "history")
