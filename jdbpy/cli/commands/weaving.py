"""Conditions and logpoints that the target itself computes: what is woven into its classes, put in and taken out."""

from __future__ import annotations

from typing import Annotated

from jdbpy import instrumentation
from jdbpy.cli.arguments.target import BreakpointNumber, BreakpointNumbersOrAll
from jdbpy.cli.breakpoint_list import Breakpoints
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Column, Sentence, Shown, TablePieces
from jdbpy.cli.output.shows import shows
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.record import Record


class KeptOut(Record):
    """A breakpoint that the debugger computes although the target could, and why."""

    number: int
    reason: str


class WovenClasses(Record):
    """Classes of the target that run checks of the debugger beside their own code."""

    mode: Annotated[str, "auto, eager, ask or off: the setting in-target"]
    classes: tuple[instrumentation.WovenClass, ...]
    ordinary: Annotated[tuple[KeptOut, ...], "breakpoints that stay ordinary, with the reason"] = ()
    threads: Annotated[tuple[int, ...], "ids of the debugger's own threads, in which methods run"] = ()


class Unwoven(Record):
    """Checks were taken out; ``classes`` have their own code again."""

    classes: tuple[str, ...]
    left: Annotated[tuple[str, ...], "classes that go on with checks of other breakpoints"] = ()
    threads: Annotated[tuple[int, ...], "ids of the debugger's own threads that have ended"] = ()


_COLUMNS = (
    Column("class", style="name", least=12, fold=True),
    Column("breakpoints", style="number", least=6, fold=True),
    Column("methods", least=8, drop=1, fold=True),
)


@shows(WovenClasses)
def woven_classes(result: WovenClasses, settings: Settings) -> Shown:
    if not result.classes:
        yield Sentence(f"the target runs its own code only (in-target is {result.mode})")
    rows = []
    for each in result.classes:
        numbers = ", ".join((*map(str, each.breakpoints), *(f"calls {text}" for text in each.calls)))
        numbers = numbers or "none: taken out as soon as no call is in it"
        rows.append((each.class_name, numbers, ", ".join(each.methods)))
    if rows:
        yield TablePieces(_COLUMNS, rows)
    if result.threads:
        numbers = ", ".join(map(str, result.threads))
        which = f'thread "jdbpy" ({numbers}) is' if len(result.threads) == 1 else f'threads "jdbpy" ({numbers}) are'
        yield Sentence(f"{which} the debugger's own: methods run there while the program runs or is paused")
    for kept_out in result.ordinary:
        yield Sentence(f"breakpoint {kept_out.number} is ordinary: {kept_out.reason}")


@shows(Unwoven)
def unwoven(result: Unwoven, settings: Settings) -> Shown:
    for each in result.classes:
        yield f"{each} runs its own code again"
    if result.left:
        yield f"checks of other breakpoints stay in {', '.join(result.left)}"
    if result.threads:
        which = "thread has" if len(result.threads) == 1 else "threads have"
        yield Sentence(f"the debugger's own {which} ended")
    elif not result.classes and not result.left:
        yield Sentence("nothing is woven: the target runs its own code only")


@command("woven", "info woven", group="breakpoints")
async def woven(ctx: Context) -> WovenClasses:
    """Show the classes in which the target itself computes conditions and values, and for which breakpoints.

    Also shown is the debugger's own thread in the target, where a command has needed one. `breakpoints` says of each
    condition whether it is `in the target` or ordinary, and why.
    """
    ordinary = [KeptOut(each.number, each.ordinary) for each in ctx.session.points.list() if each.ordinary]
    found = ctx.session.instrumentation
    return WovenClasses(found.mode, tuple(found.woven()), tuple(ordinary), ctx.session.own_threads)


@command("weave", group="breakpoints")
async def weave(ctx: Context, number: Annotated[int, BreakpointNumber()]) -> Breakpoints:
    """Have the target itself compute the condition of a breakpoint or the values of a logpoint, at its own speed.

    The check is inserted before the line at the first hit at which no call in progress can reach that line again. This
    also works where `set in-target auto` would not do it: on a shared JVM, in the JVM's own classes, and where another
    method of the class is in a loop, which goes on more slowly until it returns.
    """
    ctx.session.instrumentation.ask(number)
    return Breakpoints((ctx.session.points.get(number),))


@command("unweave", group="breakpoints")
async def unweave(ctx: Context, *numbers: Annotated[tuple[int, ...], BreakpointNumbersOrAll()]) -> Unwoven:
    """Take the checks of breakpoints out of the target, by number or all of them; they are ordinary from then on.

    With all of them the debugger's own thread in the target ends, until a command needs one again. A call that is under
    way in such a class goes on in the former code, without line numbers, until it returns.
    """
    chosen = tuple(number for group in numbers for number in group)
    before = ctx.session.own_threads
    restored = await ctx.session.instrumentation.remove(chosen)
    left = tuple(each.class_name for each in ctx.session.instrumentation.woven())
    return Unwoven(tuple(restored), left, tuple(each for each in before if each not in ctx.session.own_threads))
