"""What a session needs as soon as a launched JVM stands at its start, loaded while the JVM boots.

Owns the list only. Nothing depends on it: what is not in it is loaded when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

_NEEDED = (
    "jdbpy.session.opening.connect",
    "jdbpy.wire.codegen",
    "jdbpy.session.stops.shower",
    "jdbpy.session.stops.places",
    "jdbpy.session.execution.component",
    "jdbpy.session.stack.component",
    "jdbpy.session.sources.component",
    "jdbpy.session.breakpoints.component",
    "jdbpy.session.points.catchpoints",
    "jdbpy.session.points.lifecycle",
    "jdbpy.session.values.component",
    "jdbpy.session.values.objects",
    "jdbpy.session.vm.component",
    "jdbpy.session.values.views.hashing",
)
"""In the order in which they are asked for."""


def load_ahead(enough: Callable[[], bool]) -> None:
    """Loads them until ``enough`` says so: some 40 ms of this process, while the JVM boots on another processor."""
    for module in _NEEDED:
        if enough():
            return
        import_module(module)
