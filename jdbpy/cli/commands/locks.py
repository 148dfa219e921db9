"""Monitors and locks: who holds them, who waits, and deadlocks."""

from __future__ import annotations

from typing import Annotated

from jdbpy import locks
from jdbpy.cli.arguments.base import Option
from jdbpy.cli.arguments.code import Expression
from jdbpy.cli.arguments.target import Thread
from jdbpy.cli.context import Context
from jdbpy.cli.table import command
from jdbpy.errors import StateError, UsageError


class _ThreadOrAll(Thread):
    metavar = "THREAD|all"


@command("threadlocks", "info locks", group="threads")
async def threadlocks(ctx: Context, which: Annotated[str | None, _ThreadOrAll()] = None) -> locks.LocksReport:
    """Show the monitors that a thread holds and what it waits for; of the selected thread, another, or `all`.

    Locks of java.util.concurrent and Thread.join are told too, as far as threads wait for them. A target that runs is
    suspended for a moment to look.
    """
    if which is not None and which.lower() == "all":
        return await ctx.session.locks.of()
    if which is None:
        selected = ctx.session.selection[0]
        if selected is None:
            raise StateError("no thread is selected", hint="'threadlocks all' shows those of every thread")
        return await ctx.session.locks.of([selected])
    return await ctx.session.locks.of([(await ctx.session.threads.find(which)).id])


@command("lock", group="threads")
async def lock(ctx: Context, expression: Annotated[str, Expression()]) -> locks.LockState:
    """Show who holds the monitor of an object, how often it has entered it, and who waits.

    Of a lock of java.util.concurrent, its owner and who is parked for it. `lock this`, `lock com.acme.Shop.door`.
    """
    value = await ctx.session.values.evaluate(expression, limits=ctx.limits(depth=0))
    if value.id is None:
        raise UsageError(f"{expression} is {value.text}: only an object has a monitor")
    return await ctx.session.locks.state(value.id)


@command("deadlocks", "deadlock", group="threads")
async def deadlocks(
    ctx: Context,
    *,
    virtual: Annotated[bool, Option("--virtual", help="among all virtual threads too, looked for in the heap")] = False,
) -> locks.DeadlockReport:
    """Find threads that wait for each other for ever, and show what each holds and wants, and where.

    Through monitors, locks of java.util.concurrent and Thread.join alike; nothing is run in the target, which is
    suspended for a moment if it runs.
    """
    return await ctx.session.locks.deadlocks(virtual=virtual)
