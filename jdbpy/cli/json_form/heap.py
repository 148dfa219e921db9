"""The JSON form of what the heap's commands return."""

from __future__ import annotations

from jdbpy import heap
from jdbpy.cli.commands.heap import Memory, ObjectSize, Referrers
from jdbpy.cli.json_form.shape import VALUE, VALUE_TYPE, Field, shape

HEAP_SHAPES = (
    shape(
        "instances",
        heap.Instances,
        "Reachable instances of a class.",
        Field("class", "string", source="class_name"),
        Field("total", "integer"),
        Field("instances", "value[]", "the first ones", "values"),
    ),
    shape(
        "histogram",
        heap.Histogram,
        "Reachable instances by class.",
        Field("classes", "class-count[]", "the most numerous first"),
        Field("total", "integer", "instances of all classes that fit"),
        Field("left_out", "integer", "classes beyond the limit"),
        Field("bytes", "integer", "of all instances, with --bytes", optional=True),
    ),
    shape(
        "class-count",
        heap.ClassCount,
        "A class in a histogram.",
        Field("class", "string", source="class_name"),
        Field("count", "integer"),
        Field("bytes", "integer", optional=True),
    ),
    shape(
        "referrers",
        Referrers,
        "The objects that refer to an object.",
        Field("expression", "string"),
        Field("referrers", "referrer[]"),
    ),
    shape(
        "referrer",
        heap.Referrer,
        "An object that refers to another.",
        VALUE_TYPE,
        *VALUE,
        Field("how", "string[]", "the places that hold the reference; none where it is inside the VM"),
    ),
    shape(
        "path",
        heap.HeapPath,
        "A shortest chain of references to an object.",
        Field("root", "string", "where it begins; empty when none was found"),
        Field("steps", "path-step[]", "from the root's object to the object itself"),
        Field("searched", "integer", "objects whose referrers were asked for"),
        Field("note", "string", optional=True),
    ),
    shape(
        "path-step",
        heap.PathStep,
        "An object on the way.",
        VALUE_TYPE,
        *VALUE,
        Field("how", "string", "the place in it that holds the next one", optional=True),
    ),
    shape("memory", Memory, "The target's memory.", Field("areas", "memory-area[]")),
    shape(
        "memory-area",
        heap.MemoryArea,
        "A part of the memory, in bytes.",
        Field("name", "string"),
        Field("kind", "string", "heap, non-heap, pool or collector"),
        Field("used", "integer"),
        Field("committed", "integer"),
        Field("maximum", "integer?", "null where there is none"),
        Field("collections", "integer", "of a collector", optional=True),
        Field("milliseconds", "integer", "time spent collecting", optional=True),
    ),
    shape(
        "object-size",
        ObjectSize,
        "Bytes of an object by itself.",
        Field("expression", "string"),
        Field("type", "string"),
        Field("bytes", "integer?", "null for arrays"),
        Field("length", "integer", "of an array", optional=True),
    ),
)
