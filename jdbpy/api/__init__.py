"""Scripted debugging: objects with verbs over a session, for ``import jdbpy`` (async) and ``jdbpy.sync``.

    async with jdbpy.attach("127.0.0.1:5005", hold="thread") as vm:
        stop = await vm.stop_at("Order.java:42", when="total > 100").wait(timeout=10)
        print(await stop.frame["order"]["customer"]["name"].string)

* ``opening``: ``attach``, ``launch``, ``listen``, ``fleet``.
* ``vm``: the JVM.
* ``core``: what the objects of one JVM share; each part is made with it and knows nothing else of the JVM.
* ``feeds``: how stops and hits come to those who wait for them; ``functions``: those that are called with stops.
* ``hits``, ``breakpoints``: what was reported; what stops or reports, and the stops that it brings.
* ``frames``, ``values``: threads, stacks, frames, expressions; values; ``parts``: what is in them, read for many.
* ``fleet``, ``reconnecting``: several JVMs at once; one that goes away and comes back.
* ``testing``: ``test``, a command that runs tests, and those that fail.
* ``heap``, ``timing``, ``tables``: histograms, time by method, tables; ``observed``: calls with values and times.
* ``lazy``: answers that are asked for when they are awaited; ``delivery``: what is handed back if its caller has gone.

This package stands above ``session`` and beside ``cli``; ``jdbpy.sync`` is generated from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jdbpy.api.breakpoints import (
        Breakpoint as Breakpoint,
        Hits as Hits,
        LazyBreakpoint as LazyBreakpoint,
        Stop as Stop,
    )
    from jdbpy.api.fleet import Answer as Answer, Fleet as Fleet, FleetHit as FleetHit, FleetHits as FleetHits
    from jdbpy.api.frames import Frame as Frame, Place as Place, Stack as Stack, Thread as Thread
    from jdbpy.api.heap import Heap as Heap, Histogram as Histogram
    from jdbpy.api.hits import Hit as Hit, Reported as Reported
    from jdbpy.api.lazy import Lazy as Lazy
    from jdbpy.api.observed import CallRecording as CallRecording, Calls as Calls, CallTiming as CallTiming
    from jdbpy.api.parts import Chain as Chain, Children as Children
    from jdbpy.api.tables import Table as Table
    from jdbpy.api.testing import FailingTests as FailingTests, Failure as Failure
    from jdbpy.api.timing import Timing as Timing
    from jdbpy.api.values import LazyValue as LazyValue, Value as Value
    from jdbpy.api.vm import Vm as Vm

_HOMES = {
    "breakpoints": ("Breakpoint", "Hits", "LazyBreakpoint", "Stop"),
    "fleet": ("Answer", "Fleet", "FleetHit", "FleetHits"),
    "frames": ("Frame", "Place", "Stack", "Thread"),
    "heap": ("Heap", "Histogram"),
    "hits": ("Hit", "Reported"),
    "lazy": ("Lazy",),
    "observed": ("CallRecording", "CallTiming", "Calls"),
    "tables": ("Table",),
    "testing": ("FailingTests", "Failure"),
    "timing": ("Timing",),
    "parts": ("Chain", "Children"),
    "values": ("LazyValue", "Value"),
    "vm": ("Vm",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOME_OF:
        raise AttributeError(f"module 'jdbpy.api' has no attribute '{name}'")
    value = getattr(import_module(f"jdbpy.api.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value
