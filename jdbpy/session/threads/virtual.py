"""Virtual threads (Java 21): found in the heap, because the agent lists only those that it has come across.

Owns the search. An event in a virtual thread, and the agent's option includevirtualthreads=y, make them known without.
"""

from __future__ import annotations

from jdbpy.errors import StateError
from jdbpy.session.target import Target
from jdbpy.session.threads.reader import wire_thread
from jdbpy.wire.ids import ThreadID
from jdbpy.wire.messages import reference_type

_CLASS = "Ljava/lang/VirtualThread;"


async def find_virtual_threads(target: Target, most: int) -> list[ThreadID]:
    """At most ``most`` virtual threads (0: all), those that have ended but were not collected yet among them.

    The target stands still while its heap is walked. Raises StateError when the target has no virtual threads, or
    cannot tell its instances. wire: 2 trips.
    """
    if not target.at_least(21):
        raise StateError(
            f"this target, Java {target.info.version}, has no virtual threads",
            hint="they came with Java 21",
            code="NOT_AVAILABLE",
        )
    if not target.can("canGetInstanceInfo"):
        raise StateError("the target cannot find the instances of a class", code="NOT_AVAILABLE")
    found = await target.types.by_signature(_CLASS)
    if not found:  # no program has made one yet
        return []
    reply = await target.conn.request(reference_type.Instances(found[0].id, most))
    return [wire_thread(each.objectID) for each in reply.instances]
