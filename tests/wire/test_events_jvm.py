"""Every kind of event and modifier on real JVMs, with each codec: the declarations are what the agents speak."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from jdbpy.errors import Disconnected
from jdbpy.wire.constants import EventKind, JdwpStepDepth, JdwpStepSize, JdwpSuspendPolicy, Tag, TypeTag
from jdbpy.wire.ids import ClassID, CodeLocation, FieldID, FieldValue, ObjectID, ReferenceTypeID, TaggedValue, ThreadID
from jdbpy.wire.messages import class_type, event, event_request, virtual_machine
from tests.harness import Jvm
from tests.wire.everything import Debuggee, everything


async def test_every_kind_of_event_and_modifier(jvm: Jvm, codec: str) -> None:
    async with everything(jvm) as d:
        thread, thing = await d.run_to_stop()
        outer = await d.find_class("Everything")
        fields = await d.field_ids(outer)
        counter = event_request.FieldOnly(outer, fields["counter"])
        ours = event_request.ClassMatch("Everything*")
        pause = await d.find_method(outer, "pause")
        mine = event_request.ThreadOnly(thread)
        wanted: list[tuple[EventKind, list[event_request.Modifier]]] = [
            (
                EventKind.SINGLE_STEP,
                [event_request.Step(thread, JdwpStepSize.LINE, JdwpStepDepth.OUT), event_request.Count(1)],
            ),
            (EventKind.BREAKPOINT, [event_request.LocationOnly(CodeLocation(TypeTag.CLASS, outer, pause, 0)), mine]),
            (EventKind.METHOD_ENTRY, [event_request.ClassOnly(outer)]),
            (EventKind.METHOD_EXIT, [ours, event_request.Conditional(7)]),
            (EventKind.METHOD_EXIT_WITH_RETURN_VALUE, [ours]),
            (EventKind.EXCEPTION, [event_request.ExceptionOnly(ReferenceTypeID(0), True, True), ours]),
            (EventKind.FIELD_ACCESS, [counter, event_request.ClassExclude("java.*")]),
            (EventKind.FIELD_MODIFICATION, [counter, event_request.InstanceOnly(ObjectID(thing))]),
            (EventKind.THREAD_START, [] if jvm.feature < 21 else [event_request.PlatformThreadsOnly()]),
            (EventKind.THREAD_DEATH, []),
            (EventKind.CLASS_PREPARE, [event_request.SourceNameMatch("Everything*")]),
            (EventKind.CLASS_UNLOAD, [ours]),
            (EventKind.MONITOR_CONTENDED_ENTER, [ours]),
            (EventKind.MONITOR_CONTENDED_ENTERED, [ours]),
            (EventKind.MONITOR_WAIT, [mine]),  # the class that a filter sees here is that of the object
            (EventKind.MONITOR_WAITED, [mine]),
            (EventKind.VM_DEATH, []),
        ]
        requests = [event_request.Set(kind, JdwpSuspendPolicy.NONE, modifiers) for kind, modifiers in wanted]
        replies = await d.connection.batch(requests)
        kinds = {reply.requestID: kind for reply, (kind, _) in zip(replies, wanted, strict=True)}
        collect = partial(collections, d, outer, fields["collections"])
        await collect(1_000_000)
        await d.resume()
        happened = await until(d, event.ClassUnload)  # which follows a collection, but not at once
        await collect(0)
        happened += await until_the_end(d)
        for one in happened:
            assert one.requestID == 0 or kinds[one.requestID] == one.KIND
        seen = {type(one) for one in happened}
        assert seen == set(event.Event.KINDS.values()) - {event.VMStart}  # which run_to_stop has waited for
        last = {type(one): one for one in happened}
        details(last, thread, outer, counter.fieldID)


async def collections(d: Debuggee, outer: ReferenceTypeID, field: FieldID, rounds: int) -> None:
    """Say how often the fixture collects garbage before it ends."""
    await d.ask(class_type.SetValues(ClassID(outer), [FieldValue(field, TaggedValue(Tag.INT, rounds))]))


async def until(d: Debuggee, kind: type[event.Event]) -> list[Any]:
    """Return all events until one of a kind."""
    events: list[Any] = []
    while not any(isinstance(one, kind) for one in events):
        events += (await d.connection.next_event()).events
    return events


async def until_the_end(d: Debuggee) -> list[Any]:
    """Return all events until the VM has ended."""
    events: list[Any] = []
    with pytest.raises(Disconnected):
        while True:
            events += (await d.connection.next_event()).events
    assert await d.target.wait_exit() == 0
    return events


def details(last: dict[type[event.Event], Any], thread: ThreadID, outer: ReferenceTypeID, counter: int) -> None:
    """What the last event of each kind says beside who and where."""
    assert last[event.ClassUnload].signature == "LEverything$Unloaded;"
    assert last[event.ClassPrepare].signature.startswith("LEverything")
    assert last[event.MonitorWait].timeout == 1
    assert last[event.MonitorWaited].timed_out is True
    contended, entered = last[event.MonitorContendedEnter], last[event.MonitorContendedEntered]
    assert contended.object == entered.object
    assert contended.thread == entered.thread != thread
    assert last[event.Exception].catchLocation.classID == outer
    assert last[event.Exception].catchLocation.methodID == last[event.Exception].location.methodID
    assert last[event.FieldAccess].fieldID == last[event.FieldModification].fieldID == counter
    assert last[event.FieldModification].object.objectID == 0
    assert last[event.FieldModification].valueToBe == TaggedValue(Tag.INT, 44)
    assert last[event.MethodExitWithReturnValue].value == TaggedValue(Tag.VOID, None)


async def test_dispose_lets_the_program_run_on(jvm: Jvm, codec: str) -> None:
    async with everything(jvm) as d:
        await d.run_to_stop()
        await d.ask(virtual_machine.Dispose())
        await d.target.wait_output("done 44")
