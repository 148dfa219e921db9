"""jdbpy: a Java debugger that speaks JDWP to any JVM, for scripts and terminals.

    async with jdbpy.attach("127.0.0.1:5005", hold="thread") as vm:
        stop = await vm.stop_at("com.acme.Order.total", when="items.length > 3").wait(timeout=10)
        for name, value in (await stop.frame.locals).items():
            print(name, value)

``jdbpy.sync`` has the same without ``await``. The names below are the public interface: ``attach``, ``launch`` and
``listen`` give a ``jdbpy.api.Vm``, which scripts talk to; ``attach_session`` and so on the ``Session`` below it, plain
data, which is all that the command line uses. They are imported when first used, so that ``import jdbpy`` costs next to
nothing.

The floors below them, from the ground up: ``errors``, ``record``, ``json_form``, ``escape``, ``identifiers``,
``files``, ``garbage``, ``task_groups`` and ``process`` serve all; ``jfr`` reads recordings, ``drawing`` makes pictures,
``profiles`` profiles; ``wire`` speaks JDWP; ``session`` is the debugger; ``api`` and ``sync`` are for scripts,
``plugins`` for files of theirs. The front ends: ``cli`` (with ``demo``), ``jdb``, ``dap``, ``mcp``; ``serve`` shares a
session among them.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False  # so for type checkers too; without the module of types Ctrl-C finds next to nothing to interrupt

if TYPE_CHECKING:
    from typing import Any

    from jdbpy import api as api
    from jdbpy.api.opening import (
        attach as attach,
        fleet as fleet,
        launch as launch,
        listen as listen,
        open_snapshot as open_snapshot,
    )
    from jdbpy.api.testing import test as test
    from jdbpy.errors import (
        ConnectError as ConnectError,
        Disconnected as Disconnected,
        EvalError as EvalError,
        JdbpyError as JdbpyError,
        JdwpError as JdwpError,
        LeaveError as LeaveError,
        PluginError as PluginError,
        ProtocolError as ProtocolError,
        ReadOnlyError as ReadOnlyError,
        StateError as StateError,
        Thrown as Thrown,
        TimedOut as TimedOut,
        UsageError as UsageError,
    )
    from jdbpy.plugins.declare import command as command, on as on, pane as pane, view as view
    from jdbpy.plugins.loading import Plugin as Plugin
    from jdbpy.record import Record as Record
    from jdbpy.serve.objects import join as join
    from jdbpy.serve.remote import (
        RemoteError as RemoteError,
        RemoteSession as RemoteSession,
        join_commands as join_commands,
    )
    from jdbpy.session.clients import (
        ClientSession as ClientSession,
        clients_of as clients_of,
        join_session as join_session,
    )
    from jdbpy.session.connect.attach import attach_session as attach_session, listen_session as listen_session
    from jdbpy.session.connect.build import Build as Build, BuildCommand as BuildCommand, open_build as open_build
    from jdbpy.session.connect.build_failures import BuildFailure as BuildFailure, pass_failures as pass_failures
    from jdbpy.session.connect.greeting import CONNECT_LIMIT as CONNECT_LIMIT
    from jdbpy.session.connect.java_command import main_class as main_class
    from jdbpy.session.connect.launch import (
        START_LIMIT as START_LIMIT,
        LaunchCommand as LaunchCommand,
        launch_session as launch_session,
    )
    from jdbpy.session.connect.local_jvms import LocalJvm as LocalJvm, local_jvms as local_jvms
    from jdbpy.session.connect.offline import (
        open_snapshot_session as open_snapshot_session,
        replay_session as replay_session,
    )
    from jdbpy.session.connect.transports import expand_address as expand_address
    from jdbpy.session.events.streams import EventStream as EventStream
    from jdbpy.session.inspect.class_list import ClassList as ClassList
    from jdbpy.session.local.java_home import JavaHome as JavaHome, find_java as find_java
    from jdbpy.session.model import (
        breakpoints as breakpoints,
        calls as calls,
        code as code,
        decisions as decisions,
        heap as heap,
        hotswap as hotswap,
        instrumentation as instrumentation,
        kinds as kinds,
        locks as locks,
        modules as modules,
        moments as moments,
        operating as operating,
        packets as packets,
        recorded as recorded,
        snapshots as snapshots,
        strata as strata,
        testing as testing,
        threads as threads,
        tracing as tracing,
        values as values,
        vm as vm,
    )
    from jdbpy.session.model.breakpoints import (
        BreakpointInfo as BreakpointInfo,
        BreakpointPlace as BreakpointPlace,
        PointOptions as PointOptions,
        Reporting as Reporting,
        SuspendPolicy as SuspendPolicy,
    )
    from jdbpy.session.model.classes import (
        ClassDetail as ClassDetail,
        ClassInfo as ClassInfo,
        FieldInfo as FieldInfo,
        LineEntry as LineEntry,
        MethodInfo as MethodInfo,
    )
    from jdbpy.session.model.events import (
        Event as Event,
        EventsDropped as EventsDropped,
        ExceptionInfo as ExceptionInfo,
        Exited as Exited,
        Notice as Notice,
        Output as Output,
        Report as Report,
        SourceLine as SourceLine,
        SourceWindow as SourceWindow,
        Stopped as Stopped,
        ThreadsResumed as ThreadsResumed,
        VMDisconnected as VMDisconnected,
    )
    from jdbpy.session.model.kinds import StopReason as StopReason
    from jdbpy.session.model.options import (
        Options as Options,
        StepDepth as StepDepth,
        StepSize as StepSize,
    )
    from jdbpy.session.model.threads import (
        FrameInfo as FrameInfo,
        Location as Location,
        StackTrace as StackTrace,
        ThreadGroup as ThreadGroup,
        ThreadInfo as ThreadInfo,
        ThreadRef as ThreadRef,
    )
    from jdbpy.session.model.values import Limits as Limits, ValueInfo as ValueInfo, Variable as Variable
    from jdbpy.session.model.vm import VmInfo as VmInfo, VmState as VmState
    from jdbpy.session.packets.reading import read_packets as read_packets
    from jdbpy.session.session import Session as Session
    from jdbpy.session.values import views as views
    from jdbpy.session.watchdog import Panicked as Panicked
    from jdbpy.wire.audit import purpose as purpose

_HOMES = {
    "jdbpy.errors": (
        "ConnectError", "Disconnected", "EvalError", "JdbpyError", "JdwpError", "LeaveError", "PluginError",
        "ProtocolError", "ReadOnlyError", "StateError", "Thrown", "TimedOut", "UsageError",
    ),
    "jdbpy.api.opening": ("attach", "fleet", "launch", "listen", "open_snapshot"),
    "jdbpy.plugins.declare": ("command", "on", "pane", "view"),
    "jdbpy.plugins.loading": ("Plugin",),
    "jdbpy.record": ("Record",),
    "jdbpy.serve.objects": ("join",),
    "jdbpy.serve.remote": ("RemoteError", "RemoteSession", "join_commands"),
    "jdbpy.session.inspect.class_list": ("ClassList",),
    "jdbpy.session.clients": ("ClientSession", "clients_of", "join_session"),
    "jdbpy.api.testing": ("test",),
    "jdbpy.session.connect.attach": ("attach_session", "listen_session"),
    "jdbpy.session.connect.build": ("Build", "BuildCommand", "open_build"),
    "jdbpy.session.connect.build_failures": ("BuildFailure", "pass_failures"),
    "jdbpy.session.connect.greeting": ("CONNECT_LIMIT",),
    "jdbpy.session.connect.java_command": ("main_class",),
    "jdbpy.session.connect.launch": ("LaunchCommand", "START_LIMIT", "launch_session"),
    "jdbpy.session.connect.local_jvms": ("LocalJvm", "local_jvms"),
    "jdbpy.session.connect.offline": ("open_snapshot_session", "replay_session"),
    "jdbpy.session.connect.transports": ("expand_address",),
    "jdbpy.session.local.java_home": ("JavaHome", "find_java"),
    "jdbpy.session.model.breakpoints": (
        "BreakpointInfo", "BreakpointPlace", "PointOptions", "Reporting", "SuspendPolicy",
    ),
    "jdbpy.session.model.classes": ("ClassDetail", "ClassInfo", "FieldInfo", "LineEntry", "MethodInfo"),
    "jdbpy.session.model.events": (
        "Event", "ExceptionInfo", "Exited", "VMDisconnected", "EventsDropped", "Notice", "Output", "Report",
        "SourceLine", "SourceWindow",
        "Stopped", "ThreadsResumed",
    ),
    "jdbpy.session.model.kinds": ("StopReason",),
    "jdbpy.session.model.options": ("Options", "StepDepth", "StepSize"),
    "jdbpy.session.model.threads": ("FrameInfo", "Location", "StackTrace", "ThreadGroup", "ThreadInfo", "ThreadRef"),
    "jdbpy.session.model.values": ("Limits", "ValueInfo", "Variable"),
    "jdbpy.session.model.vm": ("VmInfo", "VmState"),
    "jdbpy.session.packets.reading": ("read_packets",),
    "jdbpy.session.session": ("Session",),
    "jdbpy.session.events.streams": ("EventStream",),
    "jdbpy.session.watchdog": ("Panicked",),
    "jdbpy.wire.audit": ("purpose",),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_NAMESPACES = {
    "api": "jdbpy.api",
    "breakpoints": "jdbpy.session.model.breakpoints",
    "calls": "jdbpy.session.model.calls",
    "code": "jdbpy.session.model.code",
    "decisions": "jdbpy.session.model.decisions",
    "heap": "jdbpy.session.model.heap",
    "hotswap": "jdbpy.session.model.hotswap",
    "instrumentation": "jdbpy.session.model.instrumentation",
    "kinds": "jdbpy.session.model.kinds",
    "locks": "jdbpy.session.model.locks",
    "modules": "jdbpy.session.model.modules",
    "moments": "jdbpy.session.model.moments",
    "operating": "jdbpy.session.model.operating",
    "packets": "jdbpy.session.model.packets",
    "recorded": "jdbpy.session.model.recorded",
    "snapshots": "jdbpy.session.model.snapshots",
    "strata": "jdbpy.session.model.strata",
    "testing": "jdbpy.session.model.testing",
    "threads": "jdbpy.session.model.threads",
    "tracing": "jdbpy.session.model.tracing",
    "values": "jdbpy.session.model.values",
    "views": "jdbpy.session.values.views",
    "vm": "jdbpy.session.model.vm",
}
"""Plain data of special subjects, one namespace each: ``jdbpy.heap.ClassHistogram``."""

__all__ = sorted([*_HOME_OF, *_NAMESPACES])


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
    elif name in _NAMESPACES:
        value = import_module(_NAMESPACES[name])
    else:
        raise AttributeError(f"module 'jdbpy' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
