"""jdbpy: a Java debugger that speaks JDWP to any JVM, for scripts and terminals.

    async with jdbpy.attach("127.0.0.1:5005") as session:
        await session.breakpoints.add("com.acme.Order.total")
        stop = await session.execution.cont()
        for variable in await session.stack.variables():
            print(variable.name, variable.value.text)

The names below are the public interface, and all that the command line uses. They are imported when first used, so
that ``import jdbpy`` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from jdbpy.errors import (
        ConnectError as ConnectError,
    )
    from jdbpy.errors import (
        Disconnected as Disconnected,
    )
    from jdbpy.errors import (
        EvalError as EvalError,
    )
    from jdbpy.errors import (
        JdbpyError as JdbpyError,
    )
    from jdbpy.errors import (
        JdwpError as JdwpError,
    )
    from jdbpy.errors import (
        ProtocolError as ProtocolError,
    )
    from jdbpy.errors import (
        StateError as StateError,
    )
    from jdbpy.errors import (
        TimedOut as TimedOut,
    )
    from jdbpy.errors import (
        UsageError as UsageError,
    )
    from jdbpy.session.connect import attach as attach
    from jdbpy.session.connect import launch as launch
    from jdbpy.session.connect import listen as listen
    from jdbpy.session.launch import LaunchCommand as LaunchCommand
    from jdbpy.session.model import (
        Breakpoint as Breakpoint,
    )
    from jdbpy.session.model import (
        ClassDetail as ClassDetail,
    )
    from jdbpy.session.model import (
        ClassInfo as ClassInfo,
    )
    from jdbpy.session.model import (
        Event as Event,
    )
    from jdbpy.session.model import (
        ExceptionInfo as ExceptionInfo,
    )
    from jdbpy.session.model import (
        Exited as Exited,
    )
    from jdbpy.session.model import (
        FieldInfo as FieldInfo,
    )
    from jdbpy.session.model import (
        Frame as Frame,
    )
    from jdbpy.session.model import (
        Gone as Gone,
    )
    from jdbpy.session.model import (
        Limits as Limits,
    )
    from jdbpy.session.model import (
        LineEntry as LineEntry,
    )
    from jdbpy.session.model import (
        Location as Location,
    )
    from jdbpy.session.model import (
        Lost as Lost,
    )
    from jdbpy.session.model import (
        MethodInfo as MethodInfo,
    )
    from jdbpy.session.model import (
        Notice as Notice,
    )
    from jdbpy.session.model import (
        Output as Output,
    )
    from jdbpy.session.model import (
        SourceWindow as SourceWindow,
    )
    from jdbpy.session.model import (
        StackTrace as StackTrace,
    )
    from jdbpy.session.model import (
        StepDepth as StepDepth,
    )
    from jdbpy.session.model import (
        StepSize as StepSize,
    )
    from jdbpy.session.model import (
        Stop as Stop,
    )
    from jdbpy.session.model import (
        StopReason as StopReason,
    )
    from jdbpy.session.model import (
        SuspendPolicy as SuspendPolicy,
    )
    from jdbpy.session.model import (
        ThreadGroup as ThreadGroup,
    )
    from jdbpy.session.model import (
        ThreadInfo as ThreadInfo,
    )
    from jdbpy.session.model import (
        ThreadRef as ThreadRef,
    )
    from jdbpy.session.model import (
        Value as Value,
    )
    from jdbpy.session.model import (
        Variable as Variable,
    )
    from jdbpy.session.model import (
        VmInfo as VmInfo,
    )
    from jdbpy.session.model import (
        VmState as VmState,
    )
    from jdbpy.session.options import Options as Options
    from jdbpy.session.session import Session as Session

_HOMES = {
    "jdbpy.errors": (
        "ConnectError", "Disconnected", "EvalError", "JdbpyError", "JdwpError", "ProtocolError", "StateError",
        "TimedOut", "UsageError",
    ),
    "jdbpy.session.connect": ("attach", "launch", "listen"),
    "jdbpy.session.launch": ("LaunchCommand",),
    "jdbpy.session.model": (
        "Breakpoint", "ClassDetail", "ClassInfo", "Event", "ExceptionInfo", "Exited", "FieldInfo", "Frame", "Gone",
        "Limits", "LineEntry", "Location", "Lost", "MethodInfo", "Notice", "Output", "SourceWindow", "StackTrace",
        "StepDepth", "StepSize", "Stop", "StopReason", "SuspendPolicy", "ThreadGroup", "ThreadInfo", "ThreadRef",
        "Value", "Variable", "VmInfo", "VmState",
    ),
    "jdbpy.session.options": ("Options",),
    "jdbpy.session.session": ("Session",),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'jdbpy' has no attribute '{name}'")
    from importlib import import_module

    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
