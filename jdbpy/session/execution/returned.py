"""The value that a method returns at the end of a step: of the frame that ``step up`` leaves, or of a call of ``next``.

Owns the request for it: exits of one class in one thread, which suspend nothing and come in before the step's
event. ``next`` has it only where it is sure which call is meant: where the line has a single one.
"""

from __future__ import annotations

from typing import Any

from jdbpy.record import Record
from jdbpy.session.events.requests import RESUME, RequestHit, RequestSpec, Verdict
from jdbpy.session.events.target import Target
from jdbpy.session.java.bytecode import MalformedCode, decode
from jdbpy.session.jvm import facts
from jdbpy.session.model.options import StepDepth
from jdbpy.session.model.threads import Location
from jdbpy.session.model.values import Limits
from jdbpy.session.values.describe import describe
from jdbpy.wire import ids
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy, Tag
from jdbpy.wire.messages import event_request

SINCE = 6
"""The Java release whose agent tells returned values first."""

MOST = 1000
"""Exits after which a request is given up: the method calls itself, or its fellows, too often to be waited for."""

_SHOWN = Limits(depth=0)
_INVOKE_DYNAMIC = 186
_INVOKES = range(182, 187)


class ReturningMethod(Record):
    """The method whose value is wanted: its class, and the name and the signature, or the id, of the method."""

    class_id: ids.ReferenceTypeID
    name: str = ""
    signature: str = ""
    method_id: int = 0


class Returned:
    """Waits for the value of one method in one thread during one step."""

    def __init__(self, target: Target, thread: int, callee: ReturningMethod) -> None:
        self._target = target
        self._callee = callee
        self._thread = ids.ThreadID(ids.ObjectID(thread))
        self._last: tuple[ids.CodeLocation, ids.TaggedValue] | None = None
        self._count = 0

    def spec(self) -> RequestSpec:
        """Return the request to be set with that of the step."""
        modifiers = [event_request.ThreadOnly(self._thread), event_request.ClassOnly(self._callee.class_id)]
        kind = EventKind.METHOD_EXIT_WITH_RETURN_VALUE
        return RequestSpec(kind, JdwpSuspendPolicy.NONE, modifiers, self._left)

    def _left(self, hit: RequestHit) -> Verdict:
        """Keep the value: of nested exits of one method the outermost comes last."""
        self._count += 1
        place: ids.CodeLocation = hit.event.location
        if self._count > MOST:
            self._last = None
            self._target.requests.drop([hit.request])
        elif self._callee.method_id in (0, place.methodID):
            self._last = place, hit.event.value
        return RESUME

    async def value(self) -> dict[str, Any]:
        """Return the value as a part of the stop; {} where there is none. wire: 0 trips, 1 or 2 for an object."""
        if self._last is None:
            return {}
        place, value = self._last
        if value.tag == Tag.VOID or not (self._callee.method_id or await self._is_callee(place)):
            return {}
        [described] = await describe(self._target, [value], _SHOWN)
        return {"return_value": described}

    async def _is_callee(self, place: ids.CodeLocation) -> bool:
        methods = (await self._target.types.methods([place.classID])).get(place.classID, ())
        method = next((each for each in methods if each.id == place.methodID), None)
        return method is not None and (method.name, method.signature) == (self._callee.name, self._callee.signature)


async def returned(target: Target, thread: int, location: Location | None, depth: StepDepth) -> Returned | None:
    """Return what waits for the value at the end of a step from this place; None where it would not be sure.

    wire: none for ``step up``; for ``next`` 1 trip in a method that was not stepped in yet, and 1 for a class that is
    called and not known.
    """
    if location is None or not location.method_id or not target.at_least(SINCE):
        return None
    if depth is StepDepth.OUT:
        callee: ReturningMethod | None = ReturningMethod(
            ids.ReferenceTypeID(location.type_id), method_id=location.method_id
        )
    else:
        callee = await _only_call(target, location) if depth is StepDepth.OVER else None
    return Returned(target, thread, callee) if callee is not None else None


async def _only_call(target: Target, location: Location) -> ReturningMethod | None:
    """Return the method that the rest of the line calls, if there is a single call; None else."""
    type_id, types = ids.ReferenceTypeID(location.type_id), target.types
    key = type_id, ids.MethodID(location.method_id)
    if location.line is None or location.stratum:
        return None
    await types.facts.prefetch((facts.BYTECODES, [key]), (facts.CONSTANT_POOL, [type_id]), (facts.LINES, [key]))
    code, pool, lines = (
        types.facts.known(facts.BYTECODES, key),
        types.facts.known(facts.CONSTANT_POOL, type_id),
        types.facts.known(facts.LINES, key),
    )
    if not code or pool is None or lines is None:
        return None
    try:
        here = [each for each in decode(code) if lines.line_at(each.index) == location.line]
    except MalformedCode:
        return None
    calls = [each for each in here if each.opcode in _INVOKES]
    if len(calls) != 1 or calls[0].opcode == _INVOKE_DYNAMIC or calls[0].index < location.code_index:
        return None
    member = int.from_bytes(code[calls[0].index + 1 : calls[0].index + 3], "big")
    owner, name, signature = pool.member(member)
    class_id = types.known_named(f"L{owner};") if name != "<init>" else 0
    if not class_id and owner and name != "<init>":
        named = (await types.by_signatures([f"L{owner};"])).get(f"L{owner};", ())
        class_id = next((each.id for each in named), ids.ReferenceTypeID(0))
    return ReturningMethod(ids.ReferenceTypeID(class_id), name, signature) if class_id else None
