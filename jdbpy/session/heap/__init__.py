"""The target's heap: instances, counts, who refers to what, and what the target's own beans tell of its memory.

This package's own names are its plain data, public as ``jdbpy.heap``.
"""

from jdbpy.session.heap.model import (
    ClassCount,
    HeapPath,
    Histogram,
    Instances,
    MemoryArea,
    PathStep,
    Referrer,
    StackRoot,
)

__all__ = [
    "ClassCount",
    "HeapPath",
    "Histogram",
    "Instances",
    "MemoryArea",
    "PathStep",
    "Referrer",
    "StackRoot",
]
