"""System properties: all of them read from fields, so that a running target tells too; set by running a method."""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.errors import JdwpError, StateError
from jdbpy.session.eval.own_calls import CallRunner
from jdbpy.session.target import Target
from jdbpy.session.values.shown import Entries
from jdbpy.session.values.viewer import contents
from jdbpy.session.values.waves import gather
from jdbpy.session.vm.model import Property, SearchPaths
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue
from jdbpy.wire.messages import virtual_machine

_MOST = 10_000
_SYSTEM = "java.lang.System"
_HOLDERS = (
    "java.util.Properties",
    "java.util.concurrent.ConcurrentHashMap",
    "java.util.concurrent.ConcurrentHashMap$Node",
)
"""What the properties are kept in, since Java 9: asked for at once."""


async def read_properties(target: Target) -> list[Property]:
    """All system properties by name; those that are not strings are left out, as Java does.

    Raises StateError when this JVM keeps them in a way that is not known. wire: 7 trips or so.
    """
    reader = target.objects.reader
    table = await reader.run(_table(target))
    shown = await contents(target, table, _MOST) if table is not None else None
    if not isinstance(shown, Entries):
        raise StateError(
            "this JVM keeps its system properties in a way that jdbpy does not know",
            hint="'print System.getProperty(\"NAME\")' asks for one at a breakpoint",
            code="NOT_AVAILABLE",
        )
    strings = [(key, value) for key, value in shown.entries if key.tag == value.tag == Tag.STRING and value.value]
    texts = await reader.run(_texts(target, [int(each.value or 0) for pair in strings for each in pair]))
    pairs = zip(texts[::2], texts[1::2], strict=True)
    return sorted((Property(name, value) for name, value in pairs), key=lambda each: each.name)


async def _table(target: Target) -> TaggedValue | None:
    """The map in which java.util.Properties keeps its entries (since 9), or the Properties themselves (a Hashtable)."""
    reader = target.objects.reader
    system, shape, *_ = await gather([reader.boot_class(name) for name in (_SYSTEM, *_HOLDERS)])
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
    reader = target.objects.reader
    return await gather([reader.text(each) for each in strings])


async def set_property(runner: CallRunner, name: str, value: str | None) -> str | None:
    """Sets a property, or removes it (None); returns what it was. Raises StateError when no method can be run."""
    async with runner.calls("setting a system property") as calls:
        if value is None:
            old = await calls.static(_SYSTEM, "clearProperty", "(Ljava/lang/String;)Ljava/lang/String;", name)
        else:
            signature = "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;"
            old = await calls.static(_SYSTEM, "setProperty", signature, name, value)
        return await calls.text(old)


async def read_paths(target: Target) -> SearchPaths:
    """The paths on which classes are found. wire: 8 trips or so."""
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
    """Adds a jar or directory of the target's machine to its class path, as a loaded agent may (JVM TI
    AddToSystemClassLoaderSearch). Raises StateError when the system class loader does not take it. wire: three calls.
    """
    async with runner.calls("adding to the class path") as calls:
        loader = await calls.static("java.lang.ClassLoader", "getSystemClassLoader", "()Ljava/lang/ClassLoader;")
        signature = "(Ljava/lang/String;)V"
        method = "appendToClassPathForInstrumentation"
        await calls.call(loader, "jdk.internal.loader.ClassLoaders$AppClassLoader", method, signature, path)
