"""The facts of the VM, and its clocks: read by methods of the JDK, and as far as none can be run by system
properties.
"""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from jdbpy.errors import EvalError, JdbpyError, JdwpError, StateError
from jdbpy.session.concurrency import both
from jdbpy.session.eval.utility_calls import FACTORY, CallRunner, UtilityCall, UtilityCalls, on
from jdbpy.session.events.target import DiagnosticCommands, Target
from jdbpy.session.inspect.diagnostic_texts import counters_in
from jdbpy.session.model.vm import Clocks, VmFacts

if TYPE_CHECKING:
    from jdbpy.session.eval.target import Raw

_RUNTIME = "java.lang.management.RuntimeMXBean"
_COMPILER = "java.lang.management.CompilationMXBean"
_MACHINE = "java.lang.management.OperatingSystemMXBean"
_PROCESS = "com.sun.management.OperatingSystemMXBean"  # HotSpot's: tells processor time as well
SYSTEM = "java.lang.System"
_RUN = "java.lang.Runtime"
_VM = "jdk.internal.misc.VM"  # told to the bean, too, and loaded in every JVM
_HANDLE = "java.lang.ProcessHandleImpl"
_STRINGS = "()[Ljava/lang/String;"
_PROPERTIES = (
    "java.vm.name",
    "java.vm.version",
    "java.vm.vendor",
    "java.vm.info",
    "java.version",
    "java.home",
    "os.name",
    "os.version",
    "os.arch",
    "sun.java.command",
    "sun.management.compiler",
)
"""The system properties that are told."""


class _Told:
    """The answers of methods about the VM; ``notes`` say why something is missing."""

    def __init__(self) -> None:
        self.properties: Mapping[str, str] | None = None
        self.process: int | None = None
        self.processors: int | None = None
        self.arguments: tuple[str, ...] | None = None
        self.notes: tuple[str, ...] = ()


async def read_facts(
    target: Target, read_properties: Callable[[], Awaitable[Mapping[str, str]]], runner: CallRunner
) -> VmFacts:
    """Return what the target is. Without a thread that can run methods some of it is missing, with a note.

    wire: 7 trips over a link, 4 again; as many as ``read_properties`` takes when no method can be run.
    """
    told = _Told()
    try:
        if runner.diagnostics is not None:
            await _ask_diagnostics(runner.diagnostics, told)
        else:
            async with runner.calls("the rest of it") as calls:
                await _ask(calls, told)
    except (EvalError, StateError, JdwpError) as error:  # an agent may lack what running a method takes
        told.notes = (error.message,)
    properties = await read_properties() if told.properties is None else told.properties
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
        process=told.process,
        processors=told.processors,
        arguments=told.arguments,
        compiler=properties.get("sun.management.compiler", ""),
        mode=properties.get("java.vm.info", ""),
        notes=told.notes,
    )


_ARGUMENTS = re.compile(r"^jvm_args: (.*)$", re.MULTILINE)
_UPTIME = re.compile(r"^\s*([\d.]+) s\s*$", re.MULTILINE)


async def _ask_diagnostics(diagnostics: DiagnosticCommands, told: _Told) -> None:
    """Ask diagnostic commands in place of methods: the number of processors is not told."""
    told.process = diagnostics.pid
    found = _ARGUMENTS.search(await diagnostics.run("VM.command_line"))
    told.arguments = tuple(found[1].split()) if found is not None else ()


async def _clocks_told(diagnostics: DiagnosticCommands) -> Clocks:
    """Return the clocks as far as diagnostic commands and counters tell them."""
    found = _UPTIME.search(await diagnostics.run("VM.uptime"))
    uptime, now = float(found[1]) if found is not None else 0.0, time.time()
    counters = counters_in(await diagnostics.counters())
    ticks, compiled = counters.get("sun.os.hrt.frequency"), counters.get("java.ci.totalTime")
    return Clocks(
        now=now,
        nano_time=None,
        started=now - uptime,
        uptime=uptime,
        cpu=None,
        compile_time=compiled / ticks if isinstance(compiled, int) and isinstance(ticks, int) and ticks else None,
        load=None,
    )


async def _ask(calls: UtilityCalls, told: _Told) -> None:
    _, names = await both(lambda: calls.expect(_RUN, _VM, SYSTEM, load=[_HANDLE]), lambda: calls.strings(_PROPERTIES))
    runtime, (process, arguments, *values) = await both(
        lambda: calls.static_field(_RUN, "currentRuntime"),
        lambda: calls.outcomes(
            UtilityCall(_HANDLE, "getCurrentPid0", "()J"),
            UtilityCall(_VM, "getRuntimeArguments", _STRINGS),
            *(UtilityCall(SYSTEM, "getProperty", "(Ljava/lang/String;)Ljava/lang/String;", (name,)) for name in names),
        ),
    )
    if isinstance(process, StateError) or isinstance(arguments, StateError):
        process, arguments = await _by_bean(calls)
    processors, texts = await both(
        lambda: calls.call(runtime, _RUN, "availableProcessors", "()I"),
        lambda: calls.array(_certain(arguments)),
    )
    cache_values = [_certain(value) for value in values]
    process = _certain(process)
    found = await calls.texts([*cache_values, *texts])
    told.properties = {
        name: text for name, text in zip(_PROPERTIES, found[: len(values)], strict=True) if text is not None
    }
    told.process = int(_number(process)) or None
    told.processors = int(_number(processors))
    told.arguments = tuple(text or "" for text in found[len(values) :])


async def _by_bean(calls: UtilityCalls) -> tuple[Raw, Raw]:
    """Return the number of the process and the arguments, of a JVM that has them not where they are looked for
    first."""
    await calls.expect("java.util.List", load=[FACTORY, _RUNTIME])
    bean = await calls.static(FACTORY, "getRuntimeMXBean", f"()L{_RUNTIME.replace('.', '/')};")
    called, given = await calls.all(
        on(bean, _RUNTIME, "getName", "()Ljava/lang/String;"),
        on(bean, _RUNTIME, "getInputArguments", "()Ljava/util/List;"),
    )
    name, array = await both(
        lambda: calls.text(called), lambda: calls.call(given, "java.util.List", "toArray", "()[Ljava/lang/Object;")
    )
    number = (name or "").partition("@")[0]  # "1234@host" on HotSpot
    return int(number) if number.isdecimal() else None, array


async def read_clocks(runner: CallRunner) -> Clocks:
    """Return the clocks of the target. Raises StateError when no method can be run. wire: 6 trips over a link, 2
    again."""
    if runner.diagnostics is not None:
        return await _clocks_told(runner.diagnostics)
    async with runner.calls("the time of the target") as calls:
        await calls.expect(SYSTEM, load=[FACTORY, _RUNTIME, _MACHINE, _COMPILER], beans=[_PROCESS])
        process = await _process_bean(calls)
        bean, machine, compiler, now, nano, *processes = await calls.outcomes(
            UtilityCall(FACTORY, "getRuntimeMXBean", f"()L{_RUNTIME.replace('.', '/')};"),
            UtilityCall(FACTORY, "getOperatingSystemMXBean", f"()L{_MACHINE.replace('.', '/')};"),
            UtilityCall(FACTORY, "getCompilationMXBean", f"()L{_COMPILER.replace('.', '/')};"),
            UtilityCall(SYSTEM, "currentTimeMillis", "()J"),
            UtilityCall(SYSTEM, "nanoTime", "()J"),
            *process,
            slow=True,  # the first time beans are made
        )
        calls.declare(_PROCESS, *(each for each in processes if not isinstance(each, JdbpyError)))
        started, uptime, load, cpu, measured, compiled = await calls.outcomes(
            on(_certain(bean), _RUNTIME, "getStartTime", "()J"),
            on(_certain(bean), _RUNTIME, "getUptime", "()J"),
            on(_certain(machine), _MACHINE, "getSystemLoadAverage", "()D"),
            on(_usable(processes[0] if processes else None), _PROCESS, "getProcessCpuTime", "()J"),
            on(_certain(compiler), _COMPILER, "isCompilationTimeMonitoringSupported", "()Z"),
            on(_certain(compiler), _COMPILER, "getTotalCompilationTime", "()J"),  # throws where it is not measured
        )
        used, average = _number(_usable(cpu)), _number(_certain(load))
        return Clocks(
            now=_number(_certain(now)) / 1000,
            nano_time=int(_number(_certain(nano))),
            started=_number(_certain(started)) / 1000,
            uptime=_number(_certain(uptime)) / 1000,
            cpu=None if isinstance(cpu, JdbpyError) or used < 0 else used / 1e9,
            compile_time=_number(_certain(compiled)) / 1000 if _usable(measured) else None,
            load=average if average >= 0 else None,
        )


async def _process_bean(calls: UtilityCalls) -> list[UtilityCall]:
    """Return what gives the bean that has the processor time; none on a JVM without it."""
    try:
        return [await calls.bean(_PROCESS)]
    except StateError:
        return []


def _certain(outcome: Raw | JdbpyError) -> Raw:
    """Return the result of a call that every JVM has. Raises what it raised."""
    if isinstance(outcome, JdbpyError):
        raise outcome
    return outcome


def _usable(outcome: Raw | JdbpyError) -> Raw:
    """Return the result of a call, None where it failed."""
    return None if isinstance(outcome, JdbpyError) else outcome


def _number(raw: Raw) -> float:
    return raw if isinstance(raw, int | float) else 0
