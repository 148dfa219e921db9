"""The public interface of ``import jdbpy``: every name is meant, is there, and comes from where it says."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import jdbpy

NAMES = """
    attach fleet launch listen test attach_session launch_session listen_session open_snapshot open_snapshot_session
    replay_session read_packets CONNECT_LIMIT START_LIMIT LocalJvm expand_address local_jvms
    JavaHome LaunchCommand Options PointOptions Reporting Session find_java main_class
    command on view Plugin Record
    ConnectError Disconnected EvalError JdbpyError JdwpError LeaveError PluginError ProtocolError ReadOnlyError
    StateError Thrown TimedOut UsageError
    RemoteError RemoteSession join join_commands
    ClientSession ThreadsResumed clients_of join_session
    Event EventStream EventsDropped Exited Notice Output Report Stopped StopReason VMDisconnected VmState
    BreakpointInfo BreakpointPlace ClassDetail ClassInfo ClassList ExceptionInfo FieldInfo FrameInfo Limits LineEntry
    Location MethodInfo Panicked SourceLine SourceWindow StackTrace StepDepth StepSize SuspendPolicy ThreadGroup
    ThreadInfo ThreadRef ValueInfo Variable VmInfo pane purpose
    api breakpoints calls code decisions heap hotswap instrumentation kinds locks modules moments operating packets
    recorded snapshots strata testing threads tracing values views vm
    Build BuildCommand BuildFailure open_build pass_failures
"""


def test_the_names_are_these() -> None:
    assert sorted(jdbpy.__all__) == sorted(NAMES.split())


def test_every_name_is_there() -> None:
    assert [name for name in jdbpy.__all__ if getattr(jdbpy, name, None) is None] == []
    assert set(jdbpy.__all__) <= set(dir(jdbpy))


def test_a_type_checker_sees_the_same_names() -> None:
    """The names are imported when used; what a type checker reads stands apart, and must not lag behind."""
    tree = ast.parse(Path(jdbpy.__file__).read_text(encoding="utf-8"))
    imported = {
        alias.asname: (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("jdbpy")
        for alias in node.names
        if alias.asname
    }
    assert sorted(imported) == sorted(jdbpy.__all__)
    wrong = [
        name for name, (home, own) in imported.items() if getattr(jdbpy, name) is not getattr(import_module(home), own)
    ]
    assert not wrong
