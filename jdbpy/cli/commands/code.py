"""The parts of classes: constant pools, bytecode, source maps."""

from __future__ import annotations

from typing import Annotated

from jdbpy import code, strata
from jdbpy.cli.arguments.base import Option
from jdbpy.cli.arguments.location import MethodText, StratumArgument
from jdbpy.cli.arguments.target import ClassNameText
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import (
    Line,
    RowPieces,
    Sentence,
    Shown,
    count,
    faint,
    name as name_piece,
    number,
    piece,
    remark,
)
from jdbpy.cli.output.shows import shows
from jdbpy.cli.output.values import modifiers
from jdbpy.cli.resolving import of_class
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.record import Record


class Disassemblies(Record):
    """The code of one method or of several: overloads, or all of a class."""

    methods: tuple[code.Disassembly, ...]


@shows(code.ConstantPoolListing)
def constant_pool(result: code.ConstantPoolListing, settings: Settings) -> Shown:
    yield RowPieces(
        (number(f"{f'#{each.index}':>6}"), each.kind, each.references, each.text) for each in result.entries
    )
    yield f"{count(len(result.entries), 'entry', 'entries')} of {result.class_name}"


@shows(Disassemblies)
def disassemblies(result: Disassemblies, settings: Settings) -> Shown:
    for index, method in enumerate(result.methods):
        if index:
            yield ""
        yield from _method(method)


@shows(strata.SourceDebug)
def source_debug(result: strata.SourceDebug, settings: Settings) -> Shown:
    yield from result.text.splitlines()
    for each in result.strata:
        notes = [word for word, holds in (("default", each.default), ("shown now", each.chosen)) if holds]
        files = ", ".join(file.path or file.name for file in each.files)
        about = f" ({', '.join(notes)})" if notes else ""
        yield f"{each.name}{about}: {files}"
    if not result.strata:
        yield Sentence("(it is not an SMAP: lines are those of the class file)")


@shows(strata.StratumChoice)
def stratum_choice(result: strata.StratumChoice, settings: Settings) -> Shown:
    shown = f"of the stratum {result.chosen}" if result.chosen else "of each class's own default stratum"
    yield f"lines shown: {shown}"
    known = ", ".join((*result.known, "Java"))
    yield remark(f"strata known so far: {known}; 'stratum default' goes back")


def _method(method: code.Disassembly) -> Shown:
    returns = "" if method.method.startswith("<") else f"{method.returns} "
    head = modifiers(method.modifiers) + returns + name_piece(f"{method.class_name}.{method.method}")
    head += f"({', '.join(method.parameters)})"
    yield head + f": {count(method.size, 'byte')}" if method.instructions else head
    for each in method.instructions:
        if each.line is not None:
            yield "  " + piece(f"{f'{each.source}:' if each.source else 'line '}{each.line}", "heading")
        yield _instruction(each)
        yield from (f"{'':>13}{case.label:>10}: {case.target}" for case in each.cases)
    if method.note:
        yield remark(method.note)


def _instruction(each: code.Instruction) -> Line:
    """``=>     12: invokevirtual #7           // Method ...``: what it means stands back."""
    mark = piece("=>", "marker") if each.current else "  "
    operands = f" {each.operands}" if each.operands else ""
    if not each.meaning:
        return mark + number(f" {each.index:>6}") + ": " + name_piece(each.name) + operands
    words = name_piece(f"{each.name:<15}") + f"{operands:<12} "
    return mark + number(f" {each.index:>6}") + ": " + words + faint(f"// {each.meaning}")


@command("disassemble", "bytecodes", "disass", "disas", group="classes")
async def disassemble(
    ctx: Context,
    method: Annotated[str, MethodText()] = "",
    *,
    woven: Annotated[bool, Option("--woven", help="what runs, with the checks of breakpoints in it")] = False,
) -> Disassemblies:
    """Show the bytecode of a method: of the selected frame's, of all overloads of one, or of a whole class.

    `disassemble`, `disassemble Order.total(int)`, `disassemble Order`. Operands are shown with what they refer to, as
    javap does, and with the names of local variables; lines and the place of the selected frame are marked. It is what
    the target runs, after a redefinition too, without the checks of conditions (`help weave`). Exception tables are not
    available: the protocol does not send them.
    """
    return Disassemblies(tuple(await ctx.session.code.disassemble(method, woven=woven)))


@command("constpool", "constantpool", group="classes")
async def constpool(ctx: Context, name: ClassNameText) -> code.ConstantPoolListing:
    """List the constant pool of a class: all that its code and its attributes refer to, by number."""
    return (await of_class(ctx, name, ctx.session.code.constant_pool))[1]


@command("extension", "sourcedebug", group="classes")
async def extension(ctx: Context, name: ClassNameText) -> strata.SourceDebug:
    """Show the SourceDebugExtension of a class: which source files and lines its code was made from.

    Compilers of other languages than Java write it, as an SMAP (JSR 45): Kotlin for what it inlines, JSP for pages. The
    lines that jdbpy shows, stops at and steps by are those of one stratum of it; `stratum` chooses another.
    """
    return (await of_class(ctx, name, ctx.session.strata.of_class))[1]


@command("stratum", group="source")
async def stratum(ctx: Context, name: Annotated[str, StratumArgument()] = "") -> strata.StratumChoice:
    """Show or choose whose lines are shown: `stratum Java` for those of the class file, `stratum default`.

    A class that does not have the chosen stratum goes on with its default, the one that its compiler has chosen.
    """
    if not name:
        return ctx.session.strata.choice
    return ctx.session.strata.choose("" if name == "default" else name)
