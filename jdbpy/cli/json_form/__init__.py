"""The JSON form of everything that is printed as JSON: declared once, for the encoder, the manual and the tests.

Owns keys and their meaning. A change that removes or renames a key, or changes what it means, raises
``results.SCHEMA_VERSION``; new keys may come at any time.
"""

from __future__ import annotations

from jdbpy.cli.json_form.answers import ANSWERS
from jdbpy.cli.json_form.code import CODE_SHAPES
from jdbpy.cli.json_form.events import EVENT_SHAPES
from jdbpy.cli.json_form.heap import HEAP_SHAPES
from jdbpy.cli.json_form.parts import PARTS
from jdbpy.cli.json_form.shape import Field, Shape
from jdbpy.cli.json_form.threads import THREAD_SHAPES
from jdbpy.cli.json_form.tracing import TRACING_SHAPES
from jdbpy.cli.json_form.values import VALUE_SHAPES
from jdbpy.cli.json_form.vm import VM_SHAPES

SHAPES = {
    shape.name: shape
    for shape in (
        *PARTS,
        *EVENT_SHAPES,
        *ANSWERS,
        *THREAD_SHAPES,
        *VM_SHAPES,
        *VALUE_SHAPES,
        *HEAP_SHAPES,
        *CODE_SHAPES,
        *TRACING_SHAPES,
    )
}
"""All shapes by name."""

SHAPE_OF = {shape.record: shape for shape in SHAPES.values() if shape.record is not None}
"""The shape of a type of record."""

EVENTS = ("stop", "exited", "disconnected", "output", "notice", "lost", "display", "listening")
"""The names of events; the ``data`` of each has the shape of that name."""

__all__ = ["EVENTS", "SHAPES", "SHAPE_OF", "Field", "Shape"]
