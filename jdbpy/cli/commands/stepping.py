"""Steps: step, step up, next, stepi, nexti."""

from __future__ import annotations

from typing import Annotated

from jdbpy import StepDepth, StepSize
from jdbpy.cli.arguments.plain import Number
from jdbpy.cli.context import Context
from jdbpy.cli.results import Resumed
from jdbpy.cli.table import command

Count = Annotated[int, Number("COUNT", help="how many times")]


@command("step", "s", "step in", "step into", group="stepping", resumes=True, repeats="again")
async def step(ctx: Context, count: Count = 1) -> Resumed:
    """Run to the next line, into the methods that are called.

    Classes named by `exclude` are passed through. A breakpoint met on the way ends the step.
    """
    return await _step(ctx, StepDepth.INTO, StepSize.LINE, count)


@command("step up", "finish", "fin", "out", "so", "step out", group="stepping", resumes=True, repeats="again")
async def step_up(ctx: Context, count: Count = 1) -> Resumed:
    """Run until the current method returns to its caller, and show what it returned: `$ret` in expressions.

    Out of a lambda it comes to the code that called it. Out of code that Kotlin inlined it comes to the call's line.
    """
    return await _step(ctx, StepDepth.OUT, StepSize.LINE, count)


@command("next", "n", "step over", group="stepping", resumes=True, repeats="again")
async def next_line(ctx: Context, count: Count = 1) -> Resumed:
    """Run to the next line of this method, over the methods that it calls.

    Where the line has a single call, what that returned is shown; it is `$ret` in expressions. Code that a compiler
    inlined (Kotlin) is passed like a call; `step` enters it.
    """
    return await _step(ctx, StepDepth.OVER, StepSize.LINE, count)


@command("stepi", "si", group="stepping", resumes=True, repeats="again")
async def step_instruction(ctx: Context, count: Count = 1) -> Resumed:
    """Run one bytecode instruction, into calls."""
    return await _step(ctx, StepDepth.INTO, StepSize.MIN, count)


@command("nexti", "ni", group="stepping", resumes=True, repeats="again")
async def next_instruction(ctx: Context, count: Count = 1) -> Resumed:
    """Run one bytecode instruction, over calls."""
    return await _step(ctx, StepDepth.OVER, StepSize.MIN, count)


async def _step(ctx: Context, depth: StepDepth, size: StepSize, count: int) -> Resumed:
    await ctx.session.execution.start_step(depth, size, count)
    return Resumed()
