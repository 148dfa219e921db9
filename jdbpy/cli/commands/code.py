"""What classes are made of: constant pools, bytecode, source maps."""

from __future__ import annotations

from typing import Annotated

from jdbpy import code, strata
from jdbpy.cli.arguments.class_code import MethodText, Stratum
from jdbpy.cli.arguments.target import ClassName
from jdbpy.cli.context import Context
from jdbpy.cli.results.code import Disassemblies
from jdbpy.cli.table import command

Name = Annotated[str, ClassName()]


@command("disassemble", "bytecodes", "disass", "disas", group="classes")
async def disassemble(ctx: Context, method: Annotated[str, MethodText()] = "") -> Disassemblies:
    """Show the bytecode of a method: of the selected frame's, of all overloads of one, or of a whole class.

    `disassemble`, `disassemble Order.total(int)`, `disassemble Order`. Operands are shown with what they refer to, as
    javap does, and with the names of local variables; lines and the place of the selected frame are marked. It is what
    the target runs, after a redefinition too. Exception tables are not to be had: the protocol does not send them.
    """
    return Disassemblies(tuple(await ctx.session.code.disassemble(method)))


@command("constpool", "constantpool", group="classes")
async def constpool(ctx: Context, name: Name) -> code.ConstantPoolListing:
    """List the constant pool of a class: all that its code and its attributes refer to, by number."""
    return await ctx.session.code.constant_pool(name)


@command("extension", "sourcedebug", group="classes")
async def extension(ctx: Context, name: Name) -> strata.SourceDebug:
    """Show the SourceDebugExtension of a class: which source files and lines its code was made from.

    Compilers of other languages than Java write it, as an SMAP (JSR 45): Kotlin for what it inlines, JSP for pages. The
    lines that jdbpy shows, stops at and steps by are those of one stratum of it; `stratum` chooses another.
    """
    return await ctx.session.strata.of_class(name)


@command("stratum", group="source")
async def stratum(ctx: Context, name: Annotated[str, Stratum()] = "") -> strata.StratumChoice:
    """Show or choose whose lines are shown: `stratum Java` for those of the class file, `stratum default`.

    A class that does not have the chosen stratum goes on with its default, the one that its compiler has chosen.
    """
    if not name:
        return ctx.session.strata.choice
    return ctx.session.strata.choose("" if name == "default" else name)
