"""Changing where a thread goes on: return, pop, reenter."""

from __future__ import annotations

from typing import Annotated

from jdbpy.cli.arguments.code import ExpressionArgument
from jdbpy.cli.arguments.plain import Number
from jdbpy.cli.commands.stack import show_frame
from jdbpy.cli.context import Context
from jdbpy.cli.results import Done, FrameSelected, Resumed
from jdbpy.cli.table import command


@command("return", "force-return", group="changing")
async def return_(ctx: Context, expression: Annotated[str | None, ExpressionArgument()] = None) -> Done:
    """Make the current method return at once, with the value of an expression unless it is void.

    The rest of the method does not run, `finally` blocks neither. It takes effect when the thread runs on.
    To run to the method's own end, use `finish`.
    """
    frame = await ctx.session.stack.selected()
    name = f"{frame.location.class_name}.{frame.location.method}"
    if not await ctx.confirm(f"leave {name} now, without running the rest of it?"):
        return Done("nothing was changed", hint="'finish' runs to the end of the method")
    await ctx.session.execution.force_return(expression)
    value = f" {expression}" if expression else ""
    return Done(f"{name} will return{value} when its thread runs on", hint="'next' goes to the caller")


@command("pop", group="changing", repeats="again")
async def pop(ctx: Context, count: Annotated[int, Number("COUNT", help="how many frames")] = 1) -> FrameSelected:
    """Drop the current frame: the thread stands before the call again. What the method did stays done."""
    await ctx.session.execution.pop(count)
    return await show_frame(ctx, await ctx.session.stack.selected())


@command("reenter", "restart-frame", group="changing", resumes=True, repeats="again")
async def reenter(ctx: Context) -> Resumed:
    """Drop the current frame and enter its method anew, with the arguments as they are now."""
    await ctx.session.execution.start_reenter()
    return Resumed()
