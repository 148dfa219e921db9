"""A recorded call made once more: its method run with the arguments that were kept.

Numbers, texts and null are given as they were; objects are the same objects, with what they hold by now. Where one was
collected, or not all of a text was kept, nothing is run.
"""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.errors import EvalError, JdwpError, StateError, Thrown
from jdbpy.session.eval.jvm.frame_target import FrameTarget
from jdbpy.session.eval.target import Raw, Ref
from jdbpy.session.eval.utility_calls import CallRunner, UtilityCalls
from jdbpy.session.events.target import Target
from jdbpy.session.java.signatures import split_method
from jdbpy.session.java.types import BOXES
from jdbpy.session.jvm.refs import Method
from jdbpy.session.model.recorded import CallRunAgain
from jdbpy.session.model.values import Limits, ValueInfo
from jdbpy.session.recorded.call import HeldArguments, RecordedCall
from jdbpy.session.recorded.kept_values import KeptValue
from jdbpy.session.recorded.telling import outcome_told
from jdbpy.session.values.describe import describe
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import ObjectID, ReferenceTypeID, TaggedValue
from jdbpy.wire.messages import object_reference

_LIMITS = Limits(depth=0)
_BOXED = {box.name: kind.tag for kind, box in BOXES.items()}
_CODE = "NOT_AGAIN"


def require_again(call: RecordedCall) -> HeldArguments:
    """Return what a call was given. Raises StateError where it cannot be run once more. No trip."""
    what = f"recorded call {call.number} cannot be run again"
    if call.given is None:
        raise StateError(f"{what}: it comes from a file", hint="record it in this JVM: 'record'", code=_CODE)
    if call.method.method == "<clinit>":
        raise StateError(f"{what}: a class is initialized once", code=_CODE)
    values = dict(enumerate(value for _, value in call.arguments))
    if len(values) < len(call.method.arguments):
        raise StateError(f"{what}: its arguments were not all kept", code=_CODE)
    for number, point in enumerate(call.method.arguments):
        value = values[number]
        if value.length and value.kind in ("string", "box"):
            kept = len(str(value.raw))
            raise StateError(
                f"{what}: of {point.name} only the first {kept} of {value.length:,} characters were kept", code=_CODE
            )
        if value.kind in _OBJECTS and not call.given.objects.get(number):
            raise _collected(call, point.name, value)
    return call.given


_OBJECTS = ("object", "builder", "class", "constant")


def _collected(call: RecordedCall, name: str, value: KeptValue) -> StateError:
    return StateError(
        f"recorded call {call.number} cannot be run again: {name}, {_called(value)}, was collected since",
        hint="'record METHOD hold' keeps the objects that calls are given",
        code="COLLECTED",
    )


def _called(value: KeptValue) -> str:
    return value.replace(parts=()).text


class CallRepeater:
    """Runs recorded calls once more."""

    def __init__(self, target: Target, runner: CallRunner) -> None:
        self._target = target
        self._runner = runner

    async def run(self, call: RecordedCall) -> tuple[CallRunAgain, int]:
        """Run the method of a call once more; return what came of it, and the thread that has run it.

        Only that thread runs for it where others are suspended. Raises StateError, also where an object was collected
        or the method has not returned in time. wire: 3 trips and the call; some 15 more where the debugger's own thread
        is made.
        """
        given = require_again(call)
        async with self._runner.frame("running a recorded call again") as frame:
            method = await self._method(call, given)
            values = await self._arguments(call, given, frame)
            result, exception = None, None
            try:
                result = await self._result(frame, given.type_id, method, values)
            except Thrown as thrown:
                exception = thrown
            return _told(call, result, exception), frame.ran_in

    async def _method(self, call: RecordedCall, given: HeldArguments) -> Method:
        type_id, wanted = ReferenceTypeID(given.type_id), (call.method.method, call.method.signature)
        try:
            methods = (await self._target.types.methods([type_id]))[type_id]
        except (JdwpError, KeyError) as error:
            what = f"recorded call {call.number} cannot be run again"
            raise StateError(f"{what}: {call.method.class_name} was unloaded", code=_CODE) from error
        found = next((each for each in methods if (each.name, each.signature) == wanted), None)
        if found is None:
            why = f"{call.method.name}{call.method.signature} was replaced since (hot swap)"
            raise StateError(f"recorded call {call.number} cannot be run again: {why}", code=_CODE)
        return found

    async def _arguments(self, call: RecordedCall, given: HeldArguments, frame: FrameTarget) -> list[Raw]:
        """Return the arguments, ``this`` first. Raises StateError for one that was collected. wire: 1 trip for all
        objects that must be kept, and some for each text and box."""
        await self._require_alive(call, given)
        found: list[Raw] = []
        for number, (name, value) in enumerate(call.arguments):
            if object_id := given.objects.get(number, 0):
                array = value.type.endswith("]")
                ref = Ref(object_id, Tag.ARRAY if array else Tag.OBJECT)
                try:
                    await frame.pins.keep(ref)
                except EvalError:
                    raise _collected(call, name, value) from None
                found.append(ref)
            else:
                found.append(await _made(frame, value))
        return found

    async def _require_alive(self, call: RecordedCall, given: HeldArguments) -> None:
        """Raises StateError where an object was collected, before anything is made. wire: 1 trip."""
        numbers = [number for number, each in given.objects.items() if each]
        asked = [object_reference.IsCollected(ObjectID(given.objects[number])) for number in numbers]
        outcomes = await self._target.conn.batch(asked) if asked else []
        for number, outcome in zip(numbers, outcomes, strict=True):
            if isinstance(outcome, JdwpError) or outcome.isCollected:
                raise _collected(call, *call.arguments[number])

    async def _result(
        self, frame: FrameTarget, type_id: int, method: Method, values: Sequence[Raw]
    ) -> ValueInfo | None:
        if method.name == "<init>":
            made: Raw = await frame.instantiate(type_id, method, values)
            signature = "L"
        else:
            obj = None if method.is_static else values[0]
            assert obj is None or isinstance(obj, Ref)
            rest = values if method.is_static else values[1:]
            made = await frame.invoke(obj, type_id, method, rest, exact=True)
            signature = split_method(method.signature)[1]
        if signature == "V":
            return None
        if isinstance(made, Ref):
            value = TaggedValue(made.tag, made.id)
        else:
            value = TaggedValue(Tag.OBJECT if made is None else ord(signature[0]), made or 0)
        [described] = await describe(self._target, [value], _LIMITS)
        return described


async def _made(frame: FrameTarget, value: KeptValue) -> Raw:
    """Return a value that was kept by itself, in the target. wire: 0 trips for a number and null, 1 or 2 else."""
    raw = value.raw
    match value.kind:
        case "null":
            return None
        case "primitive":
            return ord(raw) if isinstance(raw, str) else raw
        case "string":
            return await frame.new_string(str(raw))
    calls = UtilityCalls(frame)
    if value.type in _BOXED:
        tag = _BOXED[value.type]
        inner = ord(raw) if isinstance(raw, str) else raw
        assert inner is not None
        return await calls.static(value.type, "valueOf", f"({tag})L{value.type.replace('.', '/')};", inner)
    [class_id] = await frame.find_classes([value.type])
    [facts] = await frame.class_facts([class_id])
    constructor = facts.method("<init>", "(Ljava/lang/String;)V")
    return await frame.instantiate(class_id, constructor, [await frame.new_string(str(raw))])


def _told(call: RecordedCall, result: ValueInfo | None, thrown: Thrown | None) -> CallRunAgain:
    exception = thrown.message if thrown is not None else None
    text = result.text if result is not None else None
    outcome = f"threw {exception}" if thrown is not None else f"returned {text}" if result is not None else "returned"
    return CallRunAgain(
        call=call.number,
        class_name=call.method.class_name,
        method=call.method.method,
        outcome=outcome,
        result=text,
        exception=exception,
        before=outcome_told(call),
        same=_is_same(call, result, exception),
    )


def _is_same(call: RecordedCall, result: ValueInfo | None, exception: str | None) -> bool | None:
    """Return whether a call has ended as it had before; None where both gave an object."""
    if exception is not None or call.exception is not None:
        return call.exception is not None and exception == call.exception.text
    before = call.result
    if before is None or result is None:
        return before is None and result is None
    if before.kind == "constant":
        return result.text.rpartition(".")[2] == before.raw
    if before.kind in ("null", "primitive", "string", "box"):
        return result.text == before.text if not before.length else None
    return False if result.text == "null" else None
