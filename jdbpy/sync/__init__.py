"""Scripted debugging without ``await``: ``import jdbpy.sync as jdbpy``.

    with jdbpy.attach("127.0.0.1:5005", hold="thread") as vm:
        stop = vm.stop_at("Order.java:42", when="total > 100").wait(timeout=10)
        print(stop.frame["order"]["customer"]["name"].string)

The same names as those of ``import jdbpy``, in scripts, at the plain Python prompt, in IPython and notebooks. Each JVM
has a thread of its own, in which its session lives; Ctrl-C interrupts a wait and leaves the session usable.

* ``opening``: ``attach``, ``launch``, ``listen``, ``join``, ``open_snapshot``: a ``Vm`` at once, for a ``with`` block;
  ``test``: the failures of a command that runs tests.
* ``portal``: the thread, and how a call gets there and back.
* ``vm``, ``breakpoints``, ``hits``, ``frames``, ``values``, ``parts``, ``heap``, ``timing``, ``observed``, ``fleet``,
  ``testing``: made from ``jdbpy.api``.
"""

from __future__ import annotations

from jdbpy.api.frames import Place
from jdbpy.api.heap import Histogram
from jdbpy.api.tables import Table
from jdbpy.errors import (
    ConnectError,
    Disconnected,
    EvalError,
    JdbpyError,
    JdwpError,
    LeaveError,
    ProtocolError,
    ReadOnlyError,
    StateError,
    Thrown,
    TimedOut,
    UsageError,
)
from jdbpy.sync.breakpoints import Breakpoint, Hits, Stop
from jdbpy.sync.fleet import Answer, Fleet, FleetHit, FleetHits
from jdbpy.sync.frames import Frame, Stack, Thread
from jdbpy.sync.heap import Heap
from jdbpy.sync.hits import Hit, Reported
from jdbpy.sync.observed import CallRecording, Calls, CallTiming
from jdbpy.sync.opening import (
    Debugged,
    DebuggedFleet,
    TestedCommand,
    attach,
    fleet,
    join,
    launch,
    listen,
    open_snapshot,
    test,
)
from jdbpy.sync.parts import Chain, Children
from jdbpy.sync.testing import FailingTests, Failure
from jdbpy.sync.timing import Timing
from jdbpy.sync.values import Value
from jdbpy.sync.vm import Vm

__all__ = [
    "Answer",
    "Breakpoint",
    "CallRecording",
    "CallTiming",
    "Calls",
    "Chain",
    "Children",
    "ConnectError",
    "Debugged",
    "DebuggedFleet",
    "Disconnected",
    "EvalError",
    "FailingTests",
    "Failure",
    "Fleet",
    "FleetHit",
    "FleetHits",
    "Frame",
    "Heap",
    "Histogram",
    "Hit",
    "Hits",
    "JdbpyError",
    "JdwpError",
    "LeaveError",
    "Place",
    "ProtocolError",
    "ReadOnlyError",
    "Reported",
    "Stack",
    "StateError",
    "Stop",
    "Table",
    "TestedCommand",
    "Thread",
    "Thrown",
    "TimedOut",
    "Timing",
    "UsageError",
    "Value",
    "Vm",
    "attach",
    "fleet",
    "join",
    "launch",
    "listen",
    "open_snapshot",
    "test",
]
