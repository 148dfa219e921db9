"""What a session needs as soon as a launched JVM stands at its start, loaded while the JVM boots.

Owns the list only. Nothing depends on it: what is not in it is loaded when it is asked for.
"""

from __future__ import annotations

from importlib import import_module

_NEEDED = (
    "jdbpy.wire.codegen",
    "jdbpy.session.stops.shower",
    "jdbpy.session.stops.places",
    "jdbpy.session.execution.component",
    "jdbpy.session.stack.component",
    "jdbpy.session.values.component",
    "jdbpy.session.values.objects",
    "jdbpy.session.values.views.hashing",
    "jdbpy.session.vm.component",
    "jdbpy.session.breakpoints.component",
    "jdbpy.session.points.catchpoints",
    "jdbpy.session.points.lifecycle",
)


def load_ahead() -> None:
    """Loads them: some 40 ms of this process, while the JVM takes twice as long on another processor."""
    for module in _NEEDED:
        import_module(module)
