"""What the VM is, and its clocks. The first is read from properties, the rest by running methods of its beans."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from jdbpy.errors import EvalError, StateError
from jdbpy.session.concurrency import both
from jdbpy.session.eval.own_calls import CallRunner, OwnCalls
from jdbpy.session.target import Target
from jdbpy.session.vm.model import Clocks, VmFacts

if TYPE_CHECKING:
    from jdbpy.session.eval.target import Raw

_FACTORY = "java.lang.management.ManagementFactory"
_RUNTIME = "java.lang.management.RuntimeMXBean"
_COMPILER = "java.lang.management.CompilationMXBean"
_MACHINE = "java.lang.management.OperatingSystemMXBean"
_PROCESS = "com.sun.management.OperatingSystemMXBean"  # HotSpot's: tells processor time as well


async def read_facts(
    target: Target, read_properties: Callable[[], Awaitable[Mapping[str, str]]], runner: CallRunner
) -> VmFacts:
    """What the target is. Without a thread that can run methods some of it is missing, with a note. wire: 6 calls."""
    (process, processors, arguments, notes), properties = await both(lambda: _called(runner), read_properties)
    info = target.info
    system = " ".join(filter(None, (properties.get(f"os.{part}") for part in ("name", "version", "arch"))))
    return VmFacts(
        name=properties.get("java.vm.name", info.name),
        version=properties.get("java.vm.version", info.version),
        vendor=properties.get("java.vm.vendor", ""),
        java=properties.get("java.version", info.version),
        home=properties.get("java.home", ""),
        system=system,
        command=properties.get("sun.java.command", ""),
        process=process,
        processors=processors,
        arguments=arguments,
        compiler=properties.get("sun.management.compiler", ""),
        mode=properties.get("java.vm.info", ""),
        notes=notes,
    )


async def _called(runner: CallRunner) -> tuple[int | None, int | None, tuple[str, ...] | None, tuple[str, ...]]:
    """Process, processors and arguments; notes say why they are missing."""
    try:
        async with runner.calls("the rest of it") as calls:
            return *await _told(calls), ()
    except (EvalError, StateError) as error:
        return None, None, None, (error.message,)


async def _told(calls: OwnCalls) -> tuple[int | None, int, tuple[str, ...]]:
    await calls.expect("java.lang.Runtime", _FACTORY, _RUNTIME, "java.util.List")
    runtime = await calls.static("java.lang.Runtime", "getRuntime", "()Ljava/lang/Runtime;")
    processors = await calls.call(runtime, "java.lang.Runtime", "availableProcessors", "()I")
    bean = await calls.static(_FACTORY, "getRuntimeMXBean", "()Ljava/lang/management/RuntimeMXBean;")
    called = await calls.call(bean, _RUNTIME, "getName", "()Ljava/lang/String;")
    given = await calls.call(bean, _RUNTIME, "getInputArguments", "()Ljava/util/List;")
    array = await calls.array(await calls.call(given, "java.util.List", "toArray", "()[Ljava/lang/Object;"))
    name, *arguments = [text or "" for text in await calls.texts([called, *array])]
    number = name.partition("@")[0]  # "1234@host" on HotSpot
    return (
        int(number) if number.isdigit() else None,
        int(processors) if isinstance(processors, int) else 0,
        tuple(arguments),
    )


async def read_clocks(runner: CallRunner) -> Clocks:
    """The clocks of the target. Raises StateError when no method can be run. wire: ten calls."""
    async with runner.calls("the time of the target") as calls:
        await calls.expect(_FACTORY, _RUNTIME, _MACHINE, _PROCESS, _COMPILER, "java.lang.System")
        bean = await calls.static(_FACTORY, "getRuntimeMXBean", "()Ljava/lang/management/RuntimeMXBean;")
        machine = await calls.static(_FACTORY, "getOperatingSystemMXBean", f"()L{_MACHINE.replace('.', '/')};")
        started = await calls.call(bean, _RUNTIME, "getStartTime", "()J")
        uptime = await calls.call(bean, _RUNTIME, "getUptime", "()J")
        now = await calls.static("java.lang.System", "currentTimeMillis", "()J")
        nano = await calls.static("java.lang.System", "nanoTime", "()J")
        load = await calls.call(machine, _MACHINE, "getSystemLoadAverage", "()D")
        return Clocks(
            now=_number(now) / 1000,
            nano_time=int(_number(nano)),
            started=_number(started) / 1000,
            uptime=_number(uptime) / 1000,
            cpu=await _cpu(calls, machine),
            compile_time=await _compile_time(calls),
            load=_number(load) if _number(load) >= 0 else None,
        )


async def _cpu(calls: OwnCalls, machine: Raw) -> float | None:
    """Processor time of the process; None on a JVM that does not tell."""
    try:
        used = await calls.call(machine, _PROCESS, "getProcessCpuTime", "()J")
    except (EvalError, StateError):
        return None
    return _number(used) / 1e9 if _number(used) >= 0 else None


async def _compile_time(calls: OwnCalls) -> float | None:
    """Time spent compiling; None for an interpreter, or where it is not measured."""
    bean = await calls.static(_FACTORY, "getCompilationMXBean", "()Ljava/lang/management/CompilationMXBean;")
    if bean is None or not await calls.call(bean, _COMPILER, "isCompilationTimeMonitoringSupported", "()Z"):
        return None
    return _number(await calls.call(bean, _COMPILER, "getTotalCompilationTime", "()J")) / 1000


def _number(raw: Raw) -> float:
    return raw if isinstance(raw, int | float) else 0
