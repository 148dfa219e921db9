"""Values: variables, expressions, assignments, displays, saved values."""

from __future__ import annotations

from typing import Annotated

from jdbpy import FrameInfo, JdbpyError, ValueInfo, Variable, values as value_data
from jdbpy.cli.arguments.base import Number, Option
from jdbpy.cli.arguments.code import Assignment, AssignmentArgument, ExpressionArgument, ExpressionText
from jdbpy.cli.arguments.values import COUNT, FORMAT, SavedName
from jdbpy.cli.commands.settings import SettingValues, change
from jdbpy.cli.context import Context, Display
from jdbpy.cli.output.pieces import CutPieces, Shown, count, faint, name, number as number_piece, piece, remark
from jdbpy.cli.output.shows import shows
from jdbpy.cli.output.values import changed_mark, value_line, value_tree, variable_line, variable_value
from jdbpy.cli.results import Assigned, Displayed, DisplayedItem, Done
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.errors import Disconnected, UsageError
from jdbpy.escape import is_unsafe
from jdbpy.json_form import HIDDEN, Inline, Json
from jdbpy.record import Record


class Variables(Record):
    """Variables of a frame: all, or only its arguments."""

    variables: tuple[Variable, ...]
    frame: FrameInfo | None = None
    only: Annotated[str, HIDDEN] = ""  # "argument": the others were left out
    types: Annotated[bool, HIDDEN] = False  # types are wanted


class Printed(Record):
    """The value of an expression. ``full``: its fields or elements are wanted too (``dump``).

    ``numbered``: a person reads it, who may want to know its number in the history.
    """

    expression: str
    value: Annotated[ValueInfo, Inline()]
    full: Annotated[bool, HIDDEN] = False
    numbered: Annotated[bool, HIDDEN] = False
    elements: Annotated[tuple[Variable, ...], Json("of a collection, for `dump`", optional=True)] = ()
    left_out: Annotated[int, Json("elements beyond the limit", optional=True)] = 0


class TypeOf(Record):
    """The type of an expression's value."""

    expression: str
    type: str


class Examined(Record):
    """The bytes of an expression's value."""

    expression: str
    bytes: Annotated[value_data.Bytes, Inline()]


_ROW = 16
"""Bytes in a line of `x`."""


@shows(Variables)
def variables_shown(result: Variables, settings: Settings) -> Shown:
    arguments = [variable for variable in result.variables if variable.kind == "argument"]
    others = [variable for variable in result.variables if variable.kind not in ("argument", "this")]
    yield from _variables([variable for variable in result.variables if variable.kind == "this"], "", result.types)
    for title, group in (("Arguments", arguments), ("Local variables", others)):
        if group:
            yield piece(title, "heading") + ":"
            yield from _variables(group, "  ", result.types)
    if not result.variables:
        yield "no arguments" if result.only else "no variables here"


def _variables(group: list[Variable], indent: str, types: bool) -> Shown:
    for each in group:
        yield CutPieces(indent + (variable_line(each) if types else variable_value(each)))


@shows(Printed)
def printed(result: Printed, settings: Settings) -> Shown:
    mark = changed_mark(result.value) if result.full else ""
    numbered = faint(f"  (${result.value.number})") if result.numbered and result.value.number else ""
    shown = value_line(result.value, children=not result.full)
    yield name(result.expression) + " = " + shown + mark + numbered
    if result.full and result.elements:
        yield from (CutPieces("  " + variable_line(each)) for each in result.elements)
        if result.left_out > 0:
            first = len(result.elements)
            page = f"print {result.expression}[{first}..{first + min(result.left_out, first) - 1}]"
            yield remark(f"{count(result.left_out, 'more element')}: '{page}', or 'set element-limit N'")
        yield "  " + faint("fields of the collection itself:")
        yield from value_tree(result.value, "    ")
    elif result.full:
        yield from value_tree(result.value)


@shows(TypeOf)
def type_of(result: TypeOf, settings: Settings) -> Shown:
    yield f"{result.expression}: {result.type}"


@shows(Examined)
def examined(result: Examined, settings: Settings) -> Shown:
    """A line that says what it is, then 16 bytes a line: offset, hexadecimal by element, text."""
    found = result.bytes
    order = ", high byte first" if found.width > 1 else ""
    yield name(result.expression) + f": {found.type}, {count(found.length, found.element)}{order}"
    offset = found.start * found.width
    width = _ROW // found.width * (2 * found.width + 1) - 1 + (_ROW // found.width > 1)
    for place in range(0, len(found.data), _ROW):
        row = found.data[place : place + _ROW]
        bytes = faint(f"  {offset + place:08x}") + number_piece(f"  {_hex(row, found.width):<{width}}")
        yield bytes + piece(f"  |{_characters(row, found.element)}|", "string")
    if found.left_out:
        yield faint(f"  ... {count(found.left_out, 'more element')}; {_how_to_see(found)}")


def _how_to_see(found: value_data.Bytes) -> str:
    """Return how what was left out is shown: the next page of an array, all of anything else."""
    shown = found.length - found.left_out
    if not found.type.endswith("[]"):
        return f"'x/{found.length}' shows all"
    return f"a slice shows them, [{shown}..{min(2 * shown, found.length)}], or 'x/{found.length}' all"


def _hex(row: bytes, width: int) -> str:
    """Elements in hexadecimal, a wider gap in the middle."""
    cells = [row[place : place + width].hex() for place in range(0, len(row), width)]
    half = _ROW // width // 2
    return " ".join(cells[:half]) + ("  " if cells[half:] else "") + " ".join(cells[half:])


def _characters(row: bytes, element: str) -> str:
    """Return the bytes that are characters of ASCII, or the characters; a dot for what would not show."""
    if element == "char":
        units = [chr(row[place] << 8 | row[place + 1]) for place in range(0, len(row), 2)]
        return "".join("." if is_unsafe(unit) else unit for unit in units)
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in row)


Format = Annotated[str, FORMAT]
Types = Annotated[bool, Option("-t", help="with their types")]


@command("locals", "info locals", group="data")
async def locals_(ctx: Context, *, types: Types = False) -> Variables:
    """Show `this`, the arguments and the local variables of the selected frame.

    `locals -t` shows their types, too. A value that is longer than the window is cut; `print` shows all of it.
    Without debug information (javac -g) the variables are shown as numbered slots.
    """
    frame = await ctx.session.stack.selected()
    return Variables(tuple(await ctx.session.stack.variables(frame)), frame, types=types)


@command("args", "info args", group="data")
async def args(ctx: Context, *, types: Types = False) -> Variables:
    """Show the arguments of the selected frame's method. `args -t` shows their types, too."""
    frame = await ctx.session.stack.selected()
    found = await ctx.session.stack.variables(frame)
    return Variables(tuple(variable for variable in found if variable.kind == "argument"), frame, "argument", types)


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
    """Show the result of toString(), which runs in the target."""
    return Printed(expression, await ctx.session.values.to_string(expression))


@command("dump", "pp", group="data")
async def dump(
    ctx: Context,
    expression: ExpressionText,
    *,
    format: Format = "",
    depth: Annotated[int | None, Option("--depth", argument=Number("N", 0, 10), help="levels of fields shown")] = None,
) -> Printed:
    """Show an object with all its fields, an array or a collection with its elements.

    How much is shown: `set depth`, `set field-limit`, `set element-limit`, `set string-limit`.
    """
    limits = ctx.limits(depth)
    value = await ctx.session.values.dump(expression, limits=limits, format=format)
    elements: tuple[Variable, ...] = ()
    total = 0
    if value.tag == "L" and value.text.endswith(("]", "}")):  # a collection; an array has its elements as children
        part = await ctx.session.objects.part(value, 0, limits.elements, limits.replace(depth=1))
        if part is not None:
            elements, total = part.items, part.size or 0
    return Printed(expression, value, full=True, elements=elements, left_out=max(0, total - len(elements)))


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
    ctx: Context, expression: Annotated[str | None, ExpressionArgument()] = None, *, format: Format = ""
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
            raise UsageError(f"no display {number}", hint="'display' shows them")
    for number in numbers or tuple(ctx.displays):
        del ctx.displays[number]
    left = ", ".join(str(number) for number in ctx.displays)
    return Done(f"still shown at every stop: {left}" if left else "nothing is shown at every stop any more")


async def evaluate_displays(ctx: Context) -> Displayed:
    """Return the values of all displays in the selected frame; what cannot be evaluated there says why."""
    return Displayed(tuple([await _evaluate(ctx, number, shown) for number, shown in ctx.displays.items()]))


async def _evaluate(ctx: Context, number: int, shown: Display) -> DisplayedItem:
    expression = shown.expression
    try:
        limits = ctx.limits(depth=1)
        value = await ctx.session.values.evaluate(expression, limits=limits, format=shown.format, remember=False)
        item = DisplayedItem(number, expression, value)
    except Disconnected:
        raise
    except JdbpyError as error:
        item = DisplayedItem(number, expression, None, error.message)
    ctx.displayed[number] = item
    if ctx.on_displayed is not None:
        ctx.on_displayed()
    return item


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
    """Take away the names of saved values; objects that were kept from collection are released."""
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
