"""The flags of HotSpot (``-XX``), through the bean of the module jdk.management: read all at once, set one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jdbpy.errors import Thrown, UsageError
from jdbpy.session.concurrency import both
from jdbpy.session.eval.jvm.raw import to_wire
from jdbpy.session.eval.own_calls import CallRunner, OwnCalls
from jdbpy.session.eval.target import Raw, Ref
from jdbpy.session.model import Limits
from jdbpy.session.target import Target
from jdbpy.session.values.describe import describe
from jdbpy.session.vm.diagnostic_commands import LIBRARY
from jdbpy.session.vm.model import VmFlag
from jdbpy.wire.constants import Tag

_BEAN = "com.sun.management.HotSpotDiagnosticMXBean"
_FLAG = "com.sun.management.internal.Flag"
_ORIGIN = "com.sun.management.VMOption$Origin"
_BRIEF = Limits(depth=0)
_BOXES = ("java.lang.Boolean", "java.lang.Long", "java.lang.Double", "java.lang.String")
"""What values are kept in: worth learning on the way."""


async def read_flags(target: Target, runner: CallRunner) -> list[VmFlag]:
    """All flags of this JVM by name. Raises StateError on another JVM than HotSpot. wire: 10 trips, 6 again."""
    async with runner.calls("reading the flags of the VM") as calls:
        await calls.expect("java.util.List", *_BOXES, load=[LIBRARY, _FLAG, _ORIGIN])
        listed, origins = await both(
            lambda: calls.static(_FLAG, "getAllFlags", "()Ljava/util/List;"), lambda: calls.constants(_ORIGIN)
        )
        flags = await calls.array(await calls.call(listed, "java.util.List", "toArray", "()[Ljava/lang/Object;"))
        calls.declare(_FLAG, *flags)
        rows = await calls.fields(flags, _FLAG, "name", "value", "origin", "writeable")
        return await _read(target, calls, rows, origins)


async def set_flag(runner: CallRunner, name: str, value: str) -> None:
    """Sets a flag of the running VM; few can be. Raises UsageError in HotSpot's words when it refuses.

    wire: 6 trips over a link, 2 again.
    """
    async with runner.calls("setting a flag of the VM") as calls:
        _, texts = await both(
            lambda: calls.expect(load=["java.lang.management.ManagementFactory"], beans=[_BEAN]),
            lambda: calls.strings([name, value]),
        )
        [bean] = await calls.all(await calls.bean(_BEAN))
        calls.declare(_BEAN, bean)
        try:
            await calls.call(bean, _BEAN, "setVMOption", "(Ljava/lang/String;Ljava/lang/String;)V", *texts)
        except Thrown as error:
            raise UsageError(
                error.exception_message or error.message,
                hint="'flags' marks those that can be set",
                code="NOT_WRITEABLE",
            ) from error


async def _read(
    target: Target, calls: OwnCalls, rows: Sequence[Sequence[Raw]], origins: Mapping[int, str]
) -> list[VmFlag]:
    """The fields of flag objects in words; ``origins`` are the names of the constants, by their ids."""
    strings = [value if isinstance(value, Ref) and value.tag == Tag.STRING else None for _, value, *_ in rows]
    texts, values = await both(
        lambda: calls.texts([*(name for name, *_ in rows), *strings]),
        lambda: describe(target, [to_wire("Ljava/lang/Object;", value) for _, value, *_ in rows], _BRIEF),
    )
    flags = [
        VmFlag(
            name or "",
            value.text if text is None else text,
            _in_words(origins.get(origin.id, "") if isinstance(origin, Ref) else ""),
            bool(writeable),
        )
        for name, text, value, (*_, origin, writeable) in zip(
            texts[: len(rows)], texts[len(rows) :], values, rows, strict=True
        )
    ]
    return sorted(flags, key=lambda flag: flag.name)


def _in_words(constant: str) -> str:
    """``VM_CREATION`` in words."""
    return constant.replace("_", " ").lower()
