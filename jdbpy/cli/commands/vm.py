"""The target VM as a whole: what it is, its properties, paths, clocks, flags, and the commands of jcmd."""

from __future__ import annotations

from typing import Annotated

from jdbpy import vm as vm_data
from jdbpy.cli.arguments.base import Option
from jdbpy.cli.arguments.plain import Text
from jdbpy.cli.arguments.vm import FLAGS, PROPERTIES, FlagSetting, PropertySetting, Setting
from jdbpy.cli.context import Context
from jdbpy.cli.results import Done
from jdbpy.cli.results.vm import Capabilities, DiagnosticOutput, Flags, Properties, PropertySet
from jdbpy.cli.table import command
from jdbpy.errors import UsageError


@command("vm", "processors", group="vm")
async def vm(ctx: Context) -> vm_data.VmFacts:
    """Show what the target is: its VM, system, processors, process, the program and the options it was started with.

    Processors, process and options are told by methods that run in a thread that an event has stopped.
    """
    return await ctx.session.vm.facts()


@command("uptime", "timers", "nanotime", group="vm")
async def uptime(ctx: Context) -> vm_data.Clocks:
    """Show the target's clocks: since when it runs, its time of day, System.nanoTime(), what it has used of the CPU.

    They are told by methods that run in a thread that an event has stopped.
    """
    return await ctx.session.vm.clocks()


@command("capabilities", group="vm")
async def capabilities(ctx: Context) -> Capabilities:
    """Show what the target can do for a debugger and what it cannot, with the commands that need it."""
    return Capabilities(tuple(ctx.session.vm.capabilities()))


@command("properties", "info properties", group="vm")
async def properties(ctx: Context, pattern: Annotated[str, PROPERTIES] = "") -> Properties:
    """List system properties of the target; of one that runs, too.

    `properties java.vm.*`, `properties encoding`.
    """
    return Properties(pattern, tuple(await ctx.session.vm.properties(pattern)))


@command("property", group="vm")
async def property_(
    ctx: Context,
    setting: Annotated[Setting, PropertySetting()],
    *,
    delete: Annotated[bool, Option("-d", "--delete", help="remove it")] = False,
) -> Properties | PropertySet:
    """Show a system property, or give it a value: `property NAME = VALUE`.

    To set one, a method is run in a thread that an event has stopped. Much of Java reads a property only once.
    """
    if delete and setting.value is not None:
        raise UsageError("-d removes a property; it goes without a value")
    if delete or setting.value is not None:
        old = await ctx.session.vm.set_property(setting.name, setting.value)
        return PropertySet(setting.name, setting.value, old)
    found = [each for each in await ctx.session.vm.properties() if each.name == setting.name]
    if not found:
        raise UsageError(
            f"there is no system property {setting.name}",
            hint=f"'properties {setting.name}' looks for like ones",
            code="NO_SUCH_PROPERTY",
        )
    return Properties(setting.name, tuple(found))


@command("classpath", group="vm")
async def classpath(ctx: Context) -> vm_data.SearchPaths:
    """Show where the target finds classes: class path, module path, and the directory that they start from."""
    return await ctx.session.vm.paths()


@command("classpath add", group="vm")
async def classpath_add(ctx: Context, path: Annotated[str, Text("PATH", "a jar or directory the target sees")]) -> Done:
    """Add a jar or a directory to the class path of the running target.

    It is looked into after what is there. The path is one on the target's machine.
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

    `flags Heap`, `flags -c`. They are told by methods that run in a thread that an event has stopped.
    """
    found = await ctx.session.vm.flags(pattern)
    kept = [flag for flag in found if (flag.writeable or not writeable) and (flag.origin != "default" or not changed)]
    return Flags(pattern, tuple(kept))


@command("flag", group="vm")
async def flag(ctx: Context, setting: Annotated[Setting, FlagSetting()]) -> Flags:
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
async def jcmd(ctx: Context, line: Annotated[str, Text("COMMAND")] = "") -> DiagnosticOutput:
    """Run a diagnostic command of HotSpot in the target; without one, list them.

    `jcmd VM.version`, `jcmd Compiler.codecache`, `jcmd help Thread.print`. The program jcmd hangs on a target that is
    stopped, this does not: the command runs in a thread that an event has stopped.
    """
    return DiagnosticOutput(line, await ctx.session.vm.diagnostic_command(line))
