"""Views of classes: view, unview."""

from __future__ import annotations

from typing import Annotated

from jdbpy import values as value_data
from jdbpy.cli.arguments.values import ViewExpression, ViewPattern, ViewPatternOrAll
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import RowPieces, Sentence, Shown
from jdbpy.cli.output.shows import shows
from jdbpy.cli.results import Done
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.record import Record


class Views(Record):
    """The views in force: all views of the user's own, or that of one ``pattern``."""

    views: tuple[value_data.UserView, ...]
    pattern: Annotated[str, "the one that was asked for"] = ""


@shows(Views)
def views_shown(result: Views, settings: Settings) -> Shown:
    yield RowPieces((each.pattern, each.expression or f"({each.function}, in Python)") for each in result.views)
    if not result.views and result.pattern:
        yield Sentence(f"no view for {result.pattern}; 'view {result.pattern} EXPRESSION' adds one")
    elif not result.views:
        yield Sentence("no views but the built-in ones; 'view CLASS EXPRESSION' adds one")


@command("view", "info views", group="data")
async def view(
    ctx: Context,
    pattern: Annotated[str, ViewPattern()] = "",
    expression: Annotated[str, ViewExpression()] = "",
) -> Views:
    """Say how objects of a class, and of its subclasses, are shown: by an expression over their fields.

    `view com.acme.Money amount + " " + currency`, `view com.acme.Basket items[0..size]`, `view *.*Id value`. The fields
    are read and nothing is run; an object inside a text is shown as `print` shows it. An error is shown beside the
    object, which is then shown by its fields, as `dump` always shows it. Without arguments, list the views.
    """
    views = ctx.session.values.views
    if not pattern:
        return Views(views.list())
    if expression:
        views.add(pattern, expression)
    return Views(tuple(each for each in views.list() if each.pattern == pattern), pattern)


@command("unview", group="data")
async def unview(ctx: Context, pattern: Annotated[str, ViewPatternOrAll()]) -> Done:
    """Show the classes of a pattern as before; `unview all` for all views that were added."""
    views = ctx.session.values.views
    for each in [one.pattern for one in views.list()] if pattern == "all" else [pattern]:
        views.remove(each)
    left = ", ".join(each.pattern for each in views.list())
    return Done(f"still there: {left}" if left else "no views but the built-in ones")
