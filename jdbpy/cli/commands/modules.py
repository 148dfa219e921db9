"""Modules: what there is, what one shares with whom, and changes to that in the running target."""

from __future__ import annotations

from typing import Annotated

from jdbpy import modules as module_data
from jdbpy.cli.arguments.plain import Word
from jdbpy.cli.arguments.target import ClassName
from jdbpy.cli.arguments.vm import MODULES, ModuleName
from jdbpy.cli.context import Context
from jdbpy.cli.results import Done
from jdbpy.cli.results.vm import Modules
from jdbpy.cli.table import command

Module = Annotated[str, ModuleName()]
Other = Annotated[str, ModuleName("OTHER")]
Package = Annotated[str, Word("PACKAGE", "a package of the module")]
To = Annotated[str | None, ModuleName("OTHER|ALL-UNNAMED")]


@command("modules", "info modules", group="vm")
async def modules(ctx: Context, pattern: Annotated[str, MODULES] = "") -> Modules:
    """List the modules of the target with version and class loader; the unnamed ones of class loaders come last."""
    return Modules(pattern, tuple(await ctx.session.modules.list(pattern)))


@command("module", group="vm")
async def module(ctx: Context, name: Module) -> module_data.ModuleDetail:
    """Show all about a module, or the module of a class: what it requires, reads, exports, opens, uses and provides.

    What is exported, opened and read is what holds now, with what options like --add-opens and the program itself have
    added.
    """
    return await ctx.session.modules.detail(name)


@command("module reads", group="vm")
async def module_reads(ctx: Context, name: Module, other: Other) -> Done:
    """Make a module read another, as --add-reads would have."""
    await ctx.session.modules.add_reads(name, other)
    return Done(f"{name} reads {other} now")


@command("module exports", group="vm")
async def module_exports(ctx: Context, name: Module, package: Package, to: To = None) -> Done:
    """Make a module export a package to another module, or to all."""
    await ctx.session.modules.add_access(name, package, to, opened=False)
    return Done(f"{name} exports {package} to {to or 'all modules'} now")


@command("module opens", group="vm")
async def module_opens(ctx: Context, name: Module, package: Package, to: To = None) -> Done:
    """Make a module open a package to the reflection of another module, or of all unnamed ones."""
    await ctx.session.modules.add_access(name, package, to, opened=True)
    return Done(f"{name} opens {package} to {to or 'ALL-UNNAMED'} now")


@command("module uses", group="vm")
async def module_uses(ctx: Context, name: Module, service: Annotated[str, ClassName()]) -> Done:
    """Allow a module to look up a service with ServiceLoader; CLASS is the service, which must be loaded."""
    await ctx.session.modules.add_uses(name, service)
    return Done(f"{name} uses {service} now")


class _Provider(ClassName):
    metavar = "PROVIDER"


@command("module provides", group="vm")
async def module_provides(
    ctx: Context, name: Module, service: Annotated[str, ClassName()], provider: Annotated[str, _Provider()]
) -> Done:
    """Make a module provide a service by one of its classes; both classes must be loaded."""
    await ctx.session.modules.add_provides(name, service, provider)
    return Done(f"{name} provides {service} by {provider} now")
