"""The component ``session.vm``: the target VM as a whole.

Owns what the agent can do, in words; and system properties: all of them read from fields, so that a running target
can be asked too; set by running a method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jdbpy.errors import JdwpError, StateError, UsageError
from jdbpy.session.eval.utility_calls import CallRunner
from jdbpy.session.events.frameless import find_frameless
from jdbpy.session.events.target import Target
from jdbpy.session.inspect import vm_facts
from jdbpy.session.inspect.diagnostic_texts import properties_in
from jdbpy.session.inspect.hotspot import read_flags, run_diagnostic_command, set_flag
from jdbpy.session.java.class_names import like
from jdbpy.session.java.releases import APP_LOADER, TESTED
from jdbpy.session.jvm.reading import gather
from jdbpy.session.model.vm import Capability, Clocks, Property, SearchPaths, VmFacts, VmFlag
from jdbpy.session.values.objects import Objects, contents
from jdbpy.session.values.shown import Entries
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue
from jdbpy.wire.messages import virtual_machine

MEANINGS: Mapping[str, str] = {
    "canWatchFieldModification": "stop when a field is written ('watch')",
    "canWatchFieldAccess": "stop when a field is read ('rwatch', 'awatch')",
    "canGetBytecodes": "give the bytecode of methods ('bytecodes', 'disassemble')",
    "canGetSyntheticAttribute": "mark members that the compiler has made",
    "canGetOwnedMonitorInfo": "list the monitors that a thread holds ('threadlocks')",
    "canGetCurrentContendedMonitor": "give the monitor that a thread waits for ('threadlocks', 'deadlocks')",
    "canGetMonitorInfo": "give the owner of a monitor and the threads that wait ('lock')",
    "canRedefineClasses": "replace the code of classes ('redefine')",
    "canAddMethod": "add methods when it replaces a class",
    "canUnrestrictedlyRedefineClasses": "change fields and ancestry when it replaces a class",
    "canPopFrames": "drop frames ('pop', 'reenter')",
    "canUseInstanceFilters": "stop for one object only ('watch this.field')",
    "canGetSourceDebugExtension": "give lines of other languages (SMAP: Kotlin, JSP)",
    "canRequestVMDeathEvent": "report the end of the VM",
    "canSetDefaultStratum": "choose the language of line numbers by itself",
    "canGetInstanceInfo": "find the instances of classes and who refers to them ('instances', 'referrers')",
    "canRequestMonitorEvents": "stop at monitors that are fought for ('trace monitors')",
    "canGetMonitorFrameInfo": "give the frame that holds a monitor ('threadlocks')",
    "canUseSourceNameFilters": "wait for classes of one source file",
    "canGetConstantPool": "give the constant pool of classes ('constpool')",
    "canForceEarlyReturn": "leave a method at once with a value ('return')",
}
"""By the name of the flag in VirtualMachine.CapabilitiesNew."""
NOT_IN_HOTSPOT = frozenset({"canAddMethod", "canUnrestrictedlyRedefineClasses", "canUseSourceNameFilters"})
"""What HotSpot does not offer to a debugger either."""


def in_words(flags: Mapping[str, bool]) -> list[Capability]:
    """Return the capabilities in the order of the specification; reserved flags are there only when they are set."""
    known = [Capability(name, flags.get(name, False), meaning) for name, meaning in MEANINGS.items()]
    more = [Capability(name, True, "") for name, on in flags.items() if on and name not in MEANINGS]
    return known + more


_MOST = 10_000
_HOLDERS = (
    "java.util.Properties",
    "java.util.concurrent.ConcurrentHashMap",
    "java.util.concurrent.ConcurrentHashMap$Node",
)
"""The classes in which the properties are kept, since Java 9: asked for at once (docs/jdk.md, "Properties")."""


async def read_properties(target: Target) -> list[Property]:
    """Return all system properties by name; those that are not strings are left out, as Java does.

    Raises StateError when this JVM keeps them in a way that is not known. wire: 7 trips or so.
    """
    if target.diagnostics is not None:
        told = properties_in(await target.diagnostics.run("VM.system_properties"))
        return sorted((Property(name, value) for name, value in told.items()), key=lambda each: each.name)
    reader = Objects.of(target).reader
    table = await reader.run(_table(target))
    shown = await contents(target, table, _MOST) if table is not None else None
    if not isinstance(shown, Entries):
        raise StateError(
            "this JVM keeps its system properties in a way that jdbpy does not know",
            hint=f"tested is {TESTED}; 'print System.getProperty(\"NAME\")' asks for one at a breakpoint",
            code="NOT_AVAILABLE",
        )
    strings = [(key, value) for key, value in shown.entries if key.tag == value.tag == Tag.STRING and value.value]
    texts = await reader.run(_texts(target, [int(each.value or 0) for pair in strings for each in pair]))
    pairs = zip(texts[::2], texts[1::2], strict=True)
    return sorted((Property(name, value) for name, value in pairs), key=lambda each: each.name)


async def _table(target: Target) -> TaggedValue | None:
    """Return the map in which java.util.Properties keeps its entries (since 9), or the Properties themselves (a
    Hashtable)."""
    reader = Objects.of(target).reader
    system, shape, *_ = await gather([reader.boot_class(name) for name in (vm_facts.SYSTEM, *_HOLDERS)])
    field = system.field("props", static=True) if system is not None else None
    if system is None or field is None:
        return None
    [properties] = await reader.statics(system, [field])
    if not properties.value or shape is None:
        return None
    inner = shape.field("map")
    if inner is None:
        return properties
    try:
        [table] = await reader.fields(int(properties.value), [inner])
    except JdwpError:
        return None
    return table


async def _texts(target: Target, strings: Sequence[int]) -> list[str]:
    reader = Objects.of(target).reader
    return await gather([reader.text(each) for each in strings])


async def set_property(runner: CallRunner, name: str, value: str | None) -> str | None:
    """Set a property, or remove it (None); return what it was. Raises StateError when no method can be run."""
    async with runner.calls("setting a system property") as calls:
        if value is None:
            old = await calls.static(vm_facts.SYSTEM, "clearProperty", "(Ljava/lang/String;)Ljava/lang/String;", name)
        else:
            signature = "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;"
            old = await calls.static(vm_facts.SYSTEM, "setProperty", signature, name, value)
        return await calls.text(old)


async def read_paths(target: Target) -> SearchPaths:
    """Return the paths on which classes are found. wire: 8 trips or so."""
    reply = await target.conn.request(virtual_machine.ClassPaths())
    try:
        properties = {each.name: each.value for each in await read_properties(target)}
    except StateError:
        properties = {}
    separator = properties.get("path.separator", ":")

    def path(name: str) -> tuple[str, ...]:
        return tuple(part for part in properties.get(name, "").split(separator) if part)

    return SearchPaths(
        base=reply.baseDir,
        class_path=tuple(reply.classpaths),
        module_path=path("jdk.module.path"),
        upgrade_path=path("jdk.module.upgrade.path"),
        boot=tuple(reply.bootclasspaths) or path("jdk.boot.class.path.append"),
        java_home=properties.get("java.home", ""),
    )


async def append_to_class_path(runner: CallRunner, path: str) -> None:
    """Add a jar or directory of the target's machine to its class path, as a loaded agent may (JVM TI
    AddToSystemClassLoaderSearch). Raises StateError when the system class loader does not take it. wire: three calls.
    """
    async with runner.calls("adding to the class path") as calls:
        loader = await calls.static("java.lang.ClassLoader", "getSystemClassLoader", "()Ljava/lang/ClassLoader;")
        signature = "(Ljava/lang/String;)V"
        method = "appendToClassPathForInstrumentation"
        await calls.call(loader, APP_LOADER.on(calls.release), method, signature, path)


class VmReader:
    """The VM of one target. What runs a method does so in a thread that an event has stopped, else in one of the
    debugger's own: StateError without either."""

    def __init__(self, target: Target, runner: CallRunner) -> None:
        self._target = target
        self._runner = runner
        self._names: tuple[str, ...] = ()
        self._flags: tuple[str, ...] = ()

    async def properties(self, pattern: str = "") -> list[Property]:
        """System properties by name, all or those that a pattern fits (``patterns``). Runs nothing. wire: 7 trips."""
        self._target.require_alive()
        found = await read_properties(self._target)
        self._names = tuple(each.name for each in found)
        return [each for each in found if like(pattern, each.name)]

    async def set_property(self, name: str, value: str | None) -> str | None:
        """Set a system property, or remove it (None); return what it was. wire: one call."""
        if not name:
            raise UsageError("a property needs a name")
        return await set_property(self._runner, name, value)

    async def paths(self) -> SearchPaths:
        """Return the class path, the module path, and where they start. Runs nothing. wire: 8 trips."""
        self._target.require_alive()
        return await read_paths(self._target)

    async def append_to_class_path(self, path: str) -> None:
        """Add a jar or directory of the target's machine to its class path. wire: two calls."""
        await append_to_class_path(self._runner, path)

    def capabilities(self) -> list[Capability]:
        """Return what the agent can do, in words. No trip."""
        return in_words(dict(self._target.info.capabilities))

    async def facts(self) -> VmFacts:
        """Return what the target is; what takes a method that cannot be run is left out. wire: 7 trips, 4 again."""
        self._target.require_alive()
        found = await vm_facts.read_facts(self._target, self._by_name, self._runner)
        if self._target.agent_line:
            return found.replace(notes=(*found.notes, "started without the debugger agent"))
        missing = [each for each in self.capabilities() if not each.available and each.name not in NOT_IN_HOTSPOT]
        return found.replace(cannot=tuple(each.meaning for each in missing))

    async def _by_name(self) -> dict[str, str]:
        """Return the properties, none if this JVM keeps them in a way that is not known, or its agent tells nothing."""
        try:
            return {each.name: each.value for each in await self.properties()}
        except (StateError, JdwpError):
            return {}

    async def clocks(self) -> Clocks:
        """Return the clocks of the target. wire: 6 trips over a link, 2 again."""
        return await vm_facts.read_clocks(self._runner)

    async def flags(self, pattern: str = "") -> list[VmFlag]:
        """HotSpot's flags by name: all, or those that a pattern fits. wire: 9 trips, 6 again."""
        found = await read_flags(self._target, self._runner)
        self._flags = tuple(each.name for each in found)
        return [each for each in found if like(pattern, each.name)]

    async def set_flag(self, name: str, value: str) -> None:
        """Set a flag of the running VM. Raises UsageError for one that cannot be set. wire: 6 trips, 3 again."""
        await set_flag(self._runner, name, value)

    async def diagnostic_command(self, line: str) -> str:
        """Run a command of ``jcmd`` in the target and return what it prints. wire: 6 trips, 3 again."""
        said = await run_diagnostic_command(self._runner, line)
        if line.lstrip().startswith("JFR."):
            await find_frameless(self._target)
        return said

    def known_names(self) -> tuple[Sequence[str], Sequence[str]]:
        """Return names of properties and of flags, as far as they have been listed; for completion. No trip."""
        return self._names, self._flags
