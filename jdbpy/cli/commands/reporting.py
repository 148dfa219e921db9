"""Places that report and go on: logpoints and tracepoints."""

from __future__ import annotations

from typing import Annotated

from jdbpy import SuspendPolicy
from jdbpy.cli.arguments.logpoint import Logpoint, LogpointRequest, Tracepoint
from jdbpy.cli.breakpoint_list import BreakpointSet
from jdbpy.cli.context import Context
from jdbpy.cli.points import add_breakpoint
from jdbpy.cli.table import command


@command("logpoint", "dprintf", group="breakpoints")
async def logpoint(ctx: Context, request: Annotated[LogpointRequest, Logpoint()]) -> BreakpointSet:
    """Write a text at each hit of a place and go on, with Java expressions in braces.

    `logpoint Order.java:42 "total {total} of {lines.size()}"`, `logpoint Order.pay "paid {amount}" if amount > 100`,
    `logpoint Order:42 "{total}" to orders.log limit 10/s`; as gdb has it, `dprintf Order:42,"total %d\\n",total`.
    Each line has the time, the thread and the number of the hit. The thread waits for no longer than it takes to read
    its variables; it does not wait at all where they are numbers.
    """
    return await add_breakpoint(ctx, request.breakpoint, SuspendPolicy.NONE, request.text)


@command("tracepoint", "tp", group="breakpoints")
async def tracepoint(ctx: Context, request: Annotated[LogpointRequest, Tracepoint()]) -> BreakpointSet:
    """Report each hit of a place with its stack and go on.

    `tracepoint Order.pay`, `tp Order:42 "total {total}" stack 20 -max 100 to orders.log`. The thread is let go in the
    segment that asks for its frames.
    """
    return await add_breakpoint(ctx, request.breakpoint, SuspendPolicy.NONE, request.text)
