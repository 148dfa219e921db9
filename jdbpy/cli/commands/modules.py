"""Modules: what there is, what one shares with whom, and changes to that in the running target."""

from __future__ import annotations

from typing import Annotated

from jdbpy import modules as module_data
from jdbpy.cli.arguments.base import WordArgument
from jdbpy.cli.arguments.target import ClassNameArgument
from jdbpy.cli.arguments.vm import MODULES, ModuleName
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Column, RowPieces, Sentence, Shown, TablePieces, count, faint, like, remark
from jdbpy.cli.output.shows import shows
from jdbpy.cli.results import Done
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.json_form import Json
from jdbpy.record import Record


class Modules(Record):
    """Modules whose names fit ``pattern``."""

    pattern: Annotated[str, Json(optional=True)]
    modules: tuple[module_data.ModuleInfo, ...]


_COLUMNS = (
    Column("id", style="number", least=4, right=True, drop=2),
    Column("module", style="name", least=16, fold=True),
    Column("version", least=7, drop=1),
    Column("", style="faint", least=7),
    Column("loader", style="type", least=8, fold=True),
)


@shows(Modules)
def modules_shown(result: Modules, settings: Settings) -> Shown:
    rows = [(str(each.id), each.name or "(unnamed)", each.version, each.kind, each.loader) for each in result.modules]
    yield TablePieces(_COLUMNS, rows)
    yield count(len(rows), "module") + like(result.pattern)


@shows(module_data.ModuleDetail)
def module_detail(result: module_data.ModuleDetail, settings: Settings) -> Shown:
    info = result.info
    name = f"module {info.name}" if info.name else "unnamed module"
    version = f" {info.version}" if info.version else ""
    kind = f", {info.kind}" if info.kind and info.name else ""
    yield f"{name}{version}, of loader {info.loader}{kind}"
    rows = [("main class", result.main_class), ("requires", ", ".join(result.requires))]
    rows += [("reads", ", ".join(result.reads)), ("uses", ", ".join(result.uses))]
    yield RowPieces([(faint(title), text) for title, text in rows if text], "  ")
    if not info.name:
        yield Sentence("  it reads every module, and exports and opens all of its packages", "    ")
    for word, accesses in (("provides", result.provides), ("exports", result.exports), ("opens", result.opens)):
        joint = " by " if word == "provides" else " to "
        for each in accesses:
            yield f"  {word} {each.package}{joint + ', '.join(each.to) if each.to else ''}"
    given = {each.package for each in (*result.exports, *result.opens)}
    inner = [package for package in result.packages if package not in given]
    if inner:
        yield Sentence(f"  keeps to itself: {', '.join(inner)}", "    ")
    yield from map(remark, result.notes)


Module = Annotated[str, ModuleName()]
Other = Annotated[str, ModuleName("OTHER")]
Package = Annotated[str, WordArgument("PACKAGE", "a package of the module")]
To = Annotated[str | None, ModuleName("OTHER|ALL-UNNAMED")]


@command("modules", "info modules", group="vm")
async def modules(ctx: Context, pattern: Annotated[str, MODULES] = "") -> Modules:
    """List the modules of the target with version and class loader; the unnamed ones of class loaders come last.

    A JVM before Java 9 has no modules.
    """
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
async def module_uses(ctx: Context, name: Module, service: Annotated[str, ClassNameArgument()]) -> Done:
    """Allow a module to look up a service with ServiceLoader; CLASS is the service, which must be loaded."""
    await ctx.session.modules.add_uses(name, service)
    return Done(f"{name} uses {service} now")


class _Provider(ClassNameArgument):
    metavar = "PROVIDER"


@command("module provides", group="vm")
async def module_provides(
    ctx: Context, name: Module, service: Annotated[str, ClassNameArgument()], provider: Annotated[str, _Provider()]
) -> Done:
    """Make a module provide a service by one of its classes; both classes must be loaded."""
    await ctx.session.modules.add_provides(name, service, provider)
    return Done(f"{name} provides {service} by {provider} now")
