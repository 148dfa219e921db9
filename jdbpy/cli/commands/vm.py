"""The target VM as a whole: what it is, its properties, paths, clocks, flags, and the commands of jcmd."""

from __future__ import annotations

import time
from typing import Annotated

from jdbpy import vm as vm_data
from jdbpy.cli.arguments.base import Option, TextArgument
from jdbpy.cli.arguments.vm import FLAGS, PROPERTIES, FlagSetting, PropertySetting, SettingArgument
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Column, RowPieces, Sentence, Shown, TablePieces, count, faint, like, remark
from jdbpy.cli.output.shows import shows
from jdbpy.cli.results import Done
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.errors import UsageError
from jdbpy.json_form import Json
from jdbpy.record import Record


class Properties(Record):
    """System properties whose names fit ``pattern``."""

    pattern: Annotated[str, Json(optional=True)]
    properties: tuple[vm_data.Property, ...]


class PropertySet(Record):
    """A system property has a new value, or was removed (None); ``old`` is what it was, None if there was none."""

    name: str
    value: Annotated[str | None, "null when it was removed"]
    old: Annotated[str | None, "what it was; null when there was none"]


class Capabilities(Record):
    """The capabilities of the target."""

    capabilities: tuple[vm_data.Capability, ...]


class Flags(Record):
    """Flags of the VM whose names fit ``pattern``."""

    pattern: Annotated[str, Json(optional=True)]
    flags: tuple[vm_data.VmFlag, ...]


class DiagnosticOutput(Record):
    """The output of a diagnostic command of the VM."""

    json_name = "diagnostic"

    command: str
    text: str


_PROPERTIES = (
    Column("property", style="name", least=12, fold=True),
    Column("value", style="string", least=12, fold=True),
)
_CAPABILITIES = (
    Column("can", style="number", least=3),
    Column("capability", style="faint", least=12, drop=1),
    Column("what", least=16, fold=True),
)
_FLAGS = (
    Column("flag", style="name", least=16, fold=True),
    Column("value", style="number", least=8, fold=True),
    Column("from", style="faint", least=10, drop=2),
    Column("", least=10, drop=1),
)


@shows(Properties)
def properties_shown(result: Properties, settings: Settings) -> Shown:
    rows = [(each.name, each.value) for each in result.properties]
    yield TablePieces(_PROPERTIES, rows, plain=(f"{name} = {value}" for name, value in rows))
    yield count(len(rows), "property", "properties") + like(result.pattern)


@shows(PropertySet)
def property_set(result: PropertySet, settings: Settings) -> Shown:
    if result.value is None:
        was = "no such property" if result.old is None else f"removed; it was {result.old}"
        yield f"{result.name}: {was}"
    else:
        was = "" if result.old is None else f", it was {result.old}"
        yield f"{result.name} = {result.value}{was}"


@shows(vm_data.SearchPaths)
def search_paths(result: vm_data.SearchPaths, settings: Settings) -> Shown:
    for title, parts in (
        ("boot class path", result.boot),
        ("class path", result.class_path),
        ("module path", result.module_path),
        ("upgrade module path", result.upgrade_path),
    ):
        if parts or title == "class path":
            yield f"{title}:" if parts else f"{title}: empty"
            yield from (f"  {part}" for part in parts)
    yield f"relative parts start in {result.base}"
    yield f"Java is in {result.java_home}"


@shows(Capabilities)
def capabilities_shown(result: Capabilities, settings: Settings) -> Shown:
    rows = [("yes" if each.available else "no", each.name, each.meaning) for each in result.capabilities]
    yield TablePieces(_CAPABILITIES, rows)


@shows(vm_data.VmFacts)
def facts(result: vm_data.VmFacts, settings: Settings) -> Shown:
    rows = [
        ("VM", f"{result.name} {result.version}"),
        ("vendor", result.vendor),
        ("Java", f"{result.java}, in {result.home}" if result.home else result.java),
        ("runs as", result.mode),
        ("compiler", result.compiler),
        ("system", result.system),
        ("processors", "" if result.processors is None else str(result.processors)),
        ("process", "" if result.process is None else str(result.process)),
        ("program", result.command),
        ("options", " ".join(result.arguments or ())),
    ]
    yield RowPieces([(faint(title), text) for title, text in rows if text])
    yield from map(remark, result.notes)
    if result.cannot:
        yield Sentence(f"this JVM cannot {'; '.join(result.cannot)}")


@shows(vm_data.Clocks)
def clocks(result: vm_data.Clocks, settings: Settings) -> Shown:
    rows = [
        ("up for", _duration(result.uptime)),
        ("started", _moment(result.started)),
        ("time", _moment(result.now)),
        ("nanoTime", "" if result.nano_time is None else str(result.nano_time)),
        ("CPU time", "" if result.cpu is None else f"{result.cpu:.2f} s"),
        ("compiling", "" if result.compile_time is None else f"{result.compile_time:.2f} s"),
        ("load", "" if result.load is None else f"{result.load:.2f}"),
    ]
    yield RowPieces([(faint(title), text) for title, text in rows if text])


@shows(Flags)
def flags_shown(result: Flags, settings: Settings) -> Shown:
    rows = [
        (flag.name, flag.value, flag.origin if flag.origin != "default" else "", "can be set" if flag.writeable else "")
        for flag in result.flags
    ]
    yield TablePieces(_FLAGS, rows)
    yield count(len(result.flags), "flag") + like(result.pattern)


@shows(DiagnosticOutput)
def diagnostic(result: DiagnosticOutput, settings: Settings) -> Shown:
    yield from (line.expandtabs() for line in result.text.rstrip().split("\n"))


def _duration(seconds: float) -> str:
    """``3 days 4:05:06``, ``0:00:07``."""
    days, rest = divmod(int(seconds), 86400)
    clock = f"{rest // 3600}:{rest // 60 % 60:02}:{rest % 60:02}"
    return f"{count(days, 'day')} {clock}" if days else clock


def _moment(seconds: float) -> str:
    """Return a moment in UTC, which the target and we mean alike; as the number it is when it is out of bounds."""
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))
    except (OverflowError, OSError, ValueError):
        return f"{seconds:.3f} s since 1970"


@command("vm", "processors", group="vm")
async def vm(ctx: Context) -> vm_data.VmFacts:
    """Show what the target is: its VM, system, processors, process, the program and the options it was started with.

    Debugger features of HotSpot that this VM lacks are listed; `capabilities` has all.

    Processors, process and options are read by methods that are run in the JVM, also while the program runs.
    """
    return await ctx.session.vm.facts()


@command("uptime", "timers", "nanotime", group="vm")
async def uptime(ctx: Context) -> vm_data.Clocks:
    """Show the target's clocks: since when it runs, its time of day, System.nanoTime(), what it has used of the CPU.

    They are read by methods that are run in the JVM, also while the program runs.
    """
    return await ctx.session.vm.clocks()


@command("capabilities", group="vm")
async def capabilities(ctx: Context) -> Capabilities:
    """Show what the target can do for a debugger and what it cannot, with the commands that need it."""
    return Capabilities(tuple(ctx.session.vm.capabilities()))


@command("properties", "info properties", group="vm")
async def properties(ctx: Context, pattern: Annotated[str, PROPERTIES] = "") -> Properties:
    """List the target's system properties, also while it runs.

    `properties java.vm.*`, `properties encoding`.
    """
    return Properties(pattern, tuple(await ctx.session.vm.properties(pattern)))


@command("property", group="vm")
async def property_(
    ctx: Context,
    setting: Annotated[SettingArgument, PropertySetting()],
    *,
    delete: Annotated[bool, Option("-d", "--delete", help="remove it")] = False,
) -> Properties | PropertySet:
    """Show a system property, or give it a value: `property NAME = VALUE`.

    To set one, a method is run in the JVM, also while the program runs. Much of Java reads a property only once.
    """
    if delete and setting.value is not None:
        raise UsageError("-d removes a property; it goes without a value")
    if delete or setting.value is not None:
        old = await ctx.session.vm.set_property(setting.name, setting.value)
        return PropertySet(setting.name, setting.value, old)
    found = [each for each in await ctx.session.vm.properties() if each.name == setting.name]
    if not found:
        raise UsageError(
            f"no system property {setting.name}",
            hint=f"'properties {setting.name}' looks for like ones",
            code="NO_SUCH_PROPERTY",
        )
    return Properties(setting.name, tuple(found))


@command("classpath", group="vm")
async def classpath(ctx: Context) -> vm_data.SearchPaths:
    """Show where the target finds classes: class path, module path, and the directory that they start from."""
    return await ctx.session.vm.paths()


@command("classpath add", group="vm")
async def classpath_add(
    ctx: Context, path: Annotated[str, TextArgument("PATH", "a jar or directory the target sees")]
) -> Done:
    """Add a jar or a directory to the class path of the running target.

    It is searched after the existing entries. The path is one on the target's machine.
    """
    await ctx.session.vm.append_to_class_path(path)
    return Done(f"{path} was added to the target's class path", hint="`classpath` shows what it was started with")


@command("flags", "info flags", group="vm")
async def flags(
    ctx: Context,
    pattern: Annotated[str, FLAGS] = "",
    *,
    writeable: Annotated[bool, Option("-w", help="only those that can be set now")] = False,
    changed: Annotated[bool, Option("-c", help="only those that are not at their default")] = False,
) -> Flags:
    """List flags of HotSpot (-XX) with their values, and where these come from.

    `flags Heap`, `flags -c`. They are read by methods that are run in the JVM, also while the program runs.
    """
    found = await ctx.session.vm.flags(pattern)
    kept = [flag for flag in found if (flag.writeable or not writeable) and (flag.origin != "default" or not changed)]
    return Flags(pattern, tuple(kept))


@command("flag", group="vm")
async def flag(ctx: Context, setting: Annotated[SettingArgument, FlagSetting()]) -> Flags:
    """Show a flag of HotSpot, or set it while the VM runs: `flag HeapDumpOnOutOfMemoryError = true`.

    Few can be set: `flags -w` lists them.
    """
    if setting.value is not None:
        await ctx.session.vm.set_flag(setting.name, setting.value)
    found = [each for each in await ctx.session.vm.flags() if each.name == setting.name]
    if not found:
        raise UsageError(
            f"the target has no flag {setting.name}",
            hint=f"'flags {setting.name}' looks for like ones",
            code="NO_SUCH_FLAG",
        )
    return Flags(setting.name, tuple(found))


@command("jcmd", group="vm")
async def jcmd(ctx: Context, line: Annotated[str, TextArgument("COMMAND")] = "") -> DiagnosticOutput:
    """Run a diagnostic command of HotSpot in the target; without one, list them.

    `jcmd VM.version`, `jcmd Compiler.codecache`, `jcmd help Thread.print`. The program jcmd hangs on a target that is
    stopped, this does not: the command runs in the stopped thread, or in one of the debugger's own.
    """
    return DiagnosticOutput(line, await ctx.session.vm.diagnostic_command(line))
