"""The objects that recorded calls were given: by their ids, which keep nothing alive, or kept from collection.

The target has each behind a weak reference until the debugger has read it, or holds it until then. An id is weak too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jdbpy.errors import JdwpError
from jdbpy.session.eval.jvm.pins import PinLedger
from jdbpy.session.events.target import Target
from jdbpy.session.recorded.call import RecordedCall
from jdbpy.wire.ids import ObjectID
from jdbpy.wire.messages import object_reference


async def held_objects(target: Target, calls: Sequence[Mapping[int, int]], *, hold: bool) -> list[dict[int, int]]:
    """Return the objects of calls, by argument, of what the target has kept for each: weak references, or themselves.

    One that was collected is 0. With ``hold`` they are kept from collection, until ``let_go``. wire: 1 trip for all
    calls with objects; none with ``hold``.
    """
    found = [{number: each for number, each in objects.items() if each} for objects in calls]
    if hold:
        for each in (one for objects in found for one in objects.values()):
            PinLedger.of(target).pin_alive(each)
        return found
    references = [each for objects in found for each in objects.values()]
    if not references:
        return found
    [reference] = await target.types.by_signature("Ljava/lang/ref/Reference;")
    fields = (await target.types.fields([reference.id]))[reference.id]
    referent = next(each.id for each in fields if each.name == "referent")
    asked = [object_reference.GetValues(ObjectID(each), [referent]) for each in references]
    objects_of = {
        each: 0 if isinstance(reply, JdwpError) else int(reply.values[0].value or 0)
        for each, reply in zip(references, await target.conn.batch(asked), strict=True)
    }
    return [{number: objects_of[each] for number, each in objects.items()} for objects in found]


def let_go(target: Target, call: RecordedCall) -> None:
    """Let the target collect the objects of a call that is not kept any more. wire: no wait."""
    if call.given is not None and call.given.held:
        for each in call.given.objects.values():
            PinLedger.of(target).unpin(each)
