"""The flags of HotSpot (``-XX``), through the bean of the module jdk.management: read all at once, set one."""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.errors import JdwpError, StateError, UsageError
from jdbpy.session.concurrency import together
from jdbpy.session.eval.errors import Thrown
from jdbpy.session.eval.own_calls import CallRunner, OwnCalls
from jdbpy.session.eval.target import Raw, Ref
from jdbpy.session.model import Limits
from jdbpy.session.target import Target
from jdbpy.session.values.describe import describe
from jdbpy.session.values.waves import both, gather
from jdbpy.session.vm.model import VmFlag
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import Value

_BEAN = "com.sun.management.HotSpotDiagnosticMXBean"
_FLAG = "com.sun.management.internal.Flag"
_FACTORY = "java.lang.management.ManagementFactory"
_BRIEF = Limits(depth=0)


async def read_flags(target: Target, runner: CallRunner) -> list[VmFlag]:
    """All flags of this JVM by name. Raises StateError on another JVM than HotSpot. wire: five calls and 6 trips."""
    async with runner.calls("reading the flags of the VM") as calls:
        await calls.expect(_FACTORY, _BEAN, _FLAG, "java.util.List")
        await _bean(calls)  # loads the library that the class of the flags needs
        listed = await calls.static(_FLAG, "getAllFlags", "()Ljava/util/List;")
        flags = await calls.array(await calls.call(listed, "java.util.List", "toArray", "()[Ljava/lang/Object;"))
        return await _read(target, [each.id for each in flags if isinstance(each, Ref)])


async def set_flag(runner: CallRunner, name: str, value: str) -> None:
    """Sets a flag of the running VM; few can be. Raises UsageError in HotSpot's words when it refuses."""
    async with runner.calls("setting a flag of the VM") as calls:
        bean = await _bean(calls)
        try:
            await calls.call(bean, _BEAN, "setVMOption", "(Ljava/lang/String;Ljava/lang/String;)V", name, value)
        except Thrown as error:
            raise UsageError(
                error.exception_message or error.message,
                hint="'flags' marks those that can be set",
                code="NOT_WRITEABLE",
            ) from error


async def _bean(calls: OwnCalls) -> Raw:
    signature = "(Ljava/lang/Class;)Ljava/lang/management/PlatformManagedObject;"
    return await calls.static(_FACTORY, "getPlatformMXBean", signature, await calls.class_object(_BEAN))


async def _read(target: Target, ids: Sequence[int]) -> list[VmFlag]:
    """The fields of flag objects in words."""
    reader = target.objects.reader
    shape = await reader.run(reader.boot_class(_FLAG))
    found = [shape.field(name) for name in ("name", "value", "origin", "writeable")] if shape is not None else []
    fields = [field for field in found if field is not None]
    if len(fields) < 4:
        raise StateError("this JVM keeps its flags in a way that jdbpy does not know", code="NOT_AVAILABLE")
    rows = [row for row in await reader.run(reader.fields_of_all(ids, fields)) if not isinstance(row, JdwpError)]
    (names, strings), described = await together(
        lambda: reader.run(both(_texts(target, [row[0] for row in rows]), _texts(target, [row[1] for row in rows]))),
        lambda: describe(target, [row[column] for column in (1, 2) for row in rows], _BRIEF),
    )
    values, origins = described[: len(rows)], described[len(rows) :]
    flags = [
        VmFlag(name, string if row[1].tag == Tag.STRING else value.text, _origin(origin.text), bool(row[3].value))
        for name, value, string, origin, row in zip(names, values, strings, origins, rows, strict=True)
    ]
    return sorted(flags, key=lambda flag: flag.name)


async def _texts(target: Target, values: Sequence[Value]) -> list[str]:
    """The characters of those that are strings, "" for the others."""
    reader = target.objects.reader

    async def text(value: Value) -> str:
        return await reader.text(int(value.value)) if value.tag == Tag.STRING and value.value else ""

    return await gather([text(value) for value in values])


def _origin(text: str) -> str:
    """``Origin.VM_CREATION`` in words."""
    return text.rpartition(".")[2].replace("_", " ").lower()
