"""Values: variables, expressions, assignments, displays."""

from __future__ import annotations

from typing import Annotated

from jdbpy import JdbpyError
from jdbpy.cli.arguments.base import Option
from jdbpy.cli.arguments.code import Assignment, AssignmentArgument, Expression
from jdbpy.cli.arguments.formats import COUNT, FORMAT
from jdbpy.cli.arguments.plain import Number
from jdbpy.cli.commands.settings import change
from jdbpy.cli.context import Context, Display
from jdbpy.cli.results import (
    Assigned,
    Displayed,
    DisplayedItem,
    Done,
    Printed,
    SettingValues,
    TypeOf,
    Variables,
)
from jdbpy.cli.results.values import Examined
from jdbpy.cli.table import command
from jdbpy.errors import Disconnected, UsageError

ExpressionText = Annotated[str, Expression()]
Format = Annotated[str, FORMAT]


@command("locals", "info locals", group="data")
async def locals_(ctx: Context) -> Variables:
    """Show `this`, the arguments and the local variables of the selected frame.

    Without debug information (javac -g) the variables are shown as numbered slots.
    """
    frame = await ctx.session.stack.selected()
    return Variables(tuple(await ctx.session.stack.variables(frame)), frame)


@command("args", "info args", group="data")
async def args(ctx: Context) -> Variables:
    """Show the arguments of the selected frame's method."""
    frame = await ctx.session.stack.selected()
    found = await ctx.session.stack.variables(frame)
    return Variables(tuple(variable for variable in found if variable.kind == "argument"), frame, only="argument")


@command("print", "p", "eval", "call", group="data")
async def print_(ctx: Context, expression: ExpressionText, *, format: Format = "") -> Printed:
    """Show the value of an expression.

    `print order.items[2].name`, `print com.acme.Order.count`, `print "text"`. `print/x total` shows numbers in
    hexadecimal, also those in arrays and collections.
    """
    value = await ctx.session.values.evaluate(expression, limits=ctx.limits(depth=1), format=format)
    return Printed(expression, value, numbered=ctx.interactive)


@command("po", group="data")
async def print_object(ctx: Context, expression: ExpressionText) -> Printed:
    """Show what toString() of an object answers: the method runs in the target."""
    return Printed(expression, await ctx.session.values.to_string(expression))


@command("dump", "pp", group="data")
async def dump(
    ctx: Context,
    expression: ExpressionText,
    *,
    format: Format = "",
    depth: Annotated[int | None, Option("--depth", argument=Number("N", 0, 10), help="levels of fields shown")] = None,
) -> Printed:
    """Show an object with all its fields, or an array with its elements.

    How much is shown: `set depth`, `set field-limit`, `set element-limit`, `set string-limit`.
    """
    value = await ctx.session.values.dump(expression, limits=ctx.limits(depth), format=format)
    return Printed(expression, value, full=True)


@command("x", "examine", group="data")
async def examine(ctx: Context, expression: ExpressionText, *, count: Annotated[int | None, COUNT] = None) -> Examined:
    """Show the bytes of an array of primitives, a slice of one, a string or a buffer, in hexadecimal and as text.

    `x buffer`, `x/64 buffer`, `x buffer[256..512]`. Wider elements are shown high byte first; of strings, the UTF-16
    units.
    """
    return Examined(expression, await ctx.session.values.bytes(expression, count))


@command("set", group="data")
async def set_(ctx: Context, assignment: Annotated[Assignment, AssignmentArgument()]) -> Assigned | SettingValues:
    """Give a variable, a field or an array element a new value; without `=`, change a setting of jdbpy.

    `set total = 7`, `set order.items[0] = null`, `set com.acme.Order.count = 3`, `set frame-base 0`.
    """
    if assignment.setting:
        return change(ctx, assignment.target, assignment.value)
    return Assigned(assignment.target, await ctx.session.values.assign(assignment.target, assignment.value))


@command("whatis", group="data")
async def whatis(ctx: Context, expression: ExpressionText) -> TypeOf:
    """Show the type of an expression's value. `ptype` shows what is in that type."""
    return TypeOf(expression, (await ctx.session.values.evaluate(expression, limits=ctx.limits(depth=0))).type)


@command("display", "info display", group="data")
async def display(
    ctx: Context, expression: Annotated[str | None, Expression()] = None, *, format: Format = ""
) -> Displayed:
    """Show an expression now and at every stop; without one, show all of them now. `display/x flags` in hexadecimal."""
    if expression is None:
        if format:
            raise UsageError("EXPRESSION is missing")
        return await evaluate_displays(ctx)
    number = ctx.next_display
    shown = Display(expression, format)
    item = await _evaluate(ctx, number, shown)
    ctx.displays[number] = shown
    ctx.next_display += 1
    return Displayed((item,))


@command("undisplay", group="data")
async def undisplay(ctx: Context, *numbers: Annotated[int, Number("NUMBER")]) -> Done:
    """Stop showing expressions at every stop: those with the given numbers, or all."""
    for number in numbers:
        if number not in ctx.displays:
            raise UsageError(f"there is no display {number}", hint="'display' shows them")
    for number in numbers or tuple(ctx.displays):
        del ctx.displays[number]
    left = ", ".join(str(number) for number in ctx.displays)
    return Done(f"still shown at every stop: {left}" if left else "nothing is shown at every stop any more")


async def evaluate_displays(ctx: Context) -> Displayed:
    """The values of all displays in the selected frame; what cannot be evaluated there says why."""
    return Displayed(tuple([await _evaluate(ctx, number, shown) for number, shown in ctx.displays.items()]))


async def _evaluate(ctx: Context, number: int, shown: Display) -> DisplayedItem:
    expression = shown.expression
    try:
        limits = ctx.limits(depth=1)
        value = await ctx.session.values.evaluate(expression, limits=limits, format=shown.format, remember=False)
    except Disconnected:
        raise
    except JdbpyError as error:
        return DisplayedItem(number, expression, None, error.message)
    return DisplayedItem(number, expression, value)
