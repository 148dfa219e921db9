"""The commands of jdb, by subject; importing this fills the table.

* ``running``, ``stopping``, ``tracing``: run, stop, trace; ``threads``, ``frames``: threads, locks
* ``values``, ``classes``, ``code``, ``source``: values and code; ``others``: monitor, repeat, help and the like
"""

from __future__ import annotations

from jdbpy.jdb.commands import (
    classes as classes,
    code as code,
    frames as frames,
    others as others,
    running as running,
    source as source,
    stopping as stopping,
    threads as threads,
    tracing as tracing,
    values as values,
)
