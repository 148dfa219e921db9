"""Every command on real JVMs, with each codec: the declarations are what the agents speak."""

from __future__ import annotations

import pytest
import trio

from jdbpy.errors import JdwpError
from jdbpy.wire.command import all_commands
from jdbpy.wire.constants import Error, EventKind, InvokeOptions, JdwpStepDepth, JdwpStepSize, Tag, TypeTag
from jdbpy.wire.ids import (
    ArrayID,
    ArrayRegion,
    ArrayTypeID,
    ClassID,
    FieldValue,
    InterfaceID,
    ObjectID,
    ReferenceTypeID,
    TaggedObjectID,
    TaggedValue,
    ThreadID,
)
from jdbpy.wire.messages import (
    array_reference,
    array_type,
    class_loader_reference,
    class_object_reference,
    class_type,
    event,
    event_request,
    interface_type,
    method,
    module_reference,
    object_reference,
    reference_type,
    stack_frame,
    string_reference,
    thread_group_reference,
    thread_reference,
    virtual_machine,
)
from tests.harness import Jvm
from tests.wire.everything import Debuggee, everything

TEXT = "Grüße\0 \N{GRINNING FACE} \ude00"


async def test_every_command(jvm: Jvm, codec: str) -> None:
    async with everything(jvm) as d:
        thread, thing = await d.run_to_stop()
        await the_vm(d, jvm)
        await the_thread(d, thread, jvm)
        await the_types(d, thing)
        await the_methods(d, thing)
        this = await the_frame(d, thread)
        await the_object(d, this, thing)
        await the_arrays(d, this, thing)
        thrown = await invocations(d, thread, this, thing)
        await the_end(d, thread, thing, thrown)
        never_sent = {command.NAME for command in all_commands()} - d.sent
        missing = {"ThreadReference.IsVirtual"} if jvm.feature < 21 else set()
        assert never_sent == {"Event.Composite", "VirtualMachine.Dispose"} | missing


async def the_vm(d: Debuggee, jvm: Jvm) -> None:
    version = await d.ask(virtual_machine.Version())
    assert version.jdwpMajor == jvm.feature
    assert version.vmVersion.split(".")[0] == str(jvm.feature)
    everything_class = await d.find_class("Everything")
    plain = {one.signature: one for one in (await d.ask(virtual_machine.AllClasses())).classes}
    generic = {one.signature: one for one in (await d.ask(virtual_machine.AllClassesWithGeneric())).classes}
    assert plain["LEverything;"].typeID == everything_class
    assert plain.keys() <= generic.keys()
    assert generic["LEverything$Thing;"].genericSignature == "<T:Ljava/lang/Object;>LEverything$Base;"
    assert generic["[I"].refTypeTag == TypeTag.ARRAY
    few = await d.ask(virtual_machine.Capabilities())
    many = await d.ask(virtual_machine.CapabilitiesNew())
    assert [value for _, value in few.__iter_fields__()] == [value for _, value in many.__iter_fields__()][:7]
    assert many.canForceEarlyReturn
    assert not many.canAddMethod
    paths = await d.ask(virtual_machine.ClassPaths())
    assert d.target.program.classes in paths.classpaths
    assert paths.bootclasspaths == []
    assert (await d.ask(virtual_machine.InstanceCounts([everything_class]))).counts == [0]
    modules = (await d.ask(virtual_machine.AllModules())).modules
    names = {(await d.ask(module_reference.Name(module))).name for module in modules}
    assert {"java.base", ""} <= names
    owner = (await d.ask(reference_type.Module(everything_class))).module
    assert (await d.ask(module_reference.ClassLoader(owner))).classLoader
    text = (await d.ask(virtual_machine.CreateString(TEXT))).stringObject
    assert (await d.ask(string_reference.Value(text))).stringValue == TEXT
    await d.ask(virtual_machine.DisposeObjects([virtual_machine.Request(text, 1)]))
    await d.ask(virtual_machine.HoldEvents())
    await d.ask(virtual_machine.ReleaseEvents())
    await d.ask(virtual_machine.SetDefaultStratum("Java"))
    await d.ask(virtual_machine.Suspend())
    await d.ask(virtual_machine.Resume())


async def the_thread(d: Debuggee, thread: ThreadID, jvm: Jvm) -> None:
    assert thread in (await d.ask(virtual_machine.AllThreads())).threads
    assert (await d.ask(thread_reference.Name(thread))).threadName == "main"
    assert await d.ask(thread_reference.Status(thread)) == thread_reference.StatusReply(1, 1)
    assert (await d.ask(thread_reference.SuspendCount(thread))).suspendCount == 1
    await d.ask(thread_reference.Suspend(thread))
    await d.ask(thread_reference.Resume(thread))
    assert (await d.ask(thread_reference.FrameCount(thread))).frameCount == 2
    group = (await d.ask(thread_reference.ThreadGroup(thread))).group
    assert (await d.ask(thread_group_reference.Name(group))).groupName == "main"
    parent = (await d.ask(thread_group_reference.Parent(group))).parentGroup
    assert parent in (await d.ask(virtual_machine.TopLevelThreadGroups())).groups
    children = await d.ask(thread_group_reference.Children(parent))
    assert group in children.childGroups
    assert thread in (await d.ask(thread_group_reference.Children(group))).childThreads
    if jvm.feature >= 21:
        assert not (await d.ask(thread_reference.IsVirtual(thread))).isVirtual
    else:
        with pytest.raises(JdwpError) as caught:
            await d.ask(thread_reference.IsVirtual(thread))
        assert caught.value.number == Error.NOT_IMPLEMENTED


async def the_types(d: Debuggee, thing: ReferenceTypeID) -> None:
    assert (await d.ask(reference_type.Signature(thing))).signature == "LEverything$Thing;"
    generic = await d.ask(reference_type.SignatureWithGeneric(thing))
    assert generic.genericSignature == "<T:Ljava/lang/Object;>LEverything$Base;"
    loader = (await d.ask(reference_type.ClassLoader(thing))).classLoader
    visible = (await d.ask(class_loader_reference.VisibleClasses(loader))).classes
    assert class_loader_reference.ClassInfo(TypeTag.CLASS, thing) in visible
    assert (await d.ask(reference_type.Modifiers(thing))).modBits == 0x28  # ACC_STATIC, ACC_SUPER
    fields = (await d.ask(reference_type.Fields(thing))).declared
    generics = {
        one.name: one.genericSignature for one in (await d.ask(reference_type.FieldsWithGeneric(thing))).declared
    }
    assert [one.name for one in fields] == list(generics)
    assert generics["generic"] == "TT;"
    assert [one.name for one in (await d.ask(reference_type.Methods(thing))).declared] == ["<init>", "stop"]
    assert (await d.ask(reference_type.SourceFile(thing))).sourceFile == "Everything.java"
    assert (await d.ask(reference_type.Status(thing))).status == 7
    base = ReferenceTypeID((await d.ask(class_type.Superclass(ClassID(thing)))).superclass)
    [greeter] = (await d.ask(reference_type.Interfaces(base))).interfaces
    assert greeter == await d.find_class("Everything$Greeter")
    outer = await d.find_class("Everything")
    nested = (await d.ask(reference_type.NestedTypes(outer))).classes
    assert reference_type.TypeInfo(TypeTag.CLASS, thing) in nested
    reflected = (await d.ask(reference_type.ClassObject(thing))).classObject
    found = await d.ask(class_object_reference.ReflectedType(reflected))
    assert (found.refTypeTag, found.typeID) == (TypeTag.CLASS, thing)
    assert (await d.ask(reference_type.ClassFileVersion(thing))).majorVersion == 61
    pool = await d.ask(reference_type.ConstantPool(thing))
    assert b"Everything$Thing" in pool.bytes
    assert pool.count > 20
    [instance] = (await d.ask(reference_type.Instances(thing, 0))).instances
    assert instance.tag == Tag.OBJECT
    with pytest.raises(JdwpError) as caught:
        await d.ask(reference_type.SourceDebugExtension(thing))
    assert caught.value.number == Error.ABSENT_INFORMATION
    d.sent.add(reference_type.SourceDebugExtension.NAME)  # the answer of a class without one
    ids = await d.field_ids(outer)
    statics = (await d.ask(reference_type.GetValues(outer, [ids["counter"], ids["label"]]))).values
    assert statics[0] == TaggedValue(Tag.INT, 42)
    assert statics[1].tag == Tag.STRING
    await d.ask(class_type.SetValues(ClassID(outer), [FieldValue(ids["counter"], TaggedValue(Tag.INT, -43))]))
    assert (await d.ask(reference_type.GetValues(outer, [ids["counter"]]))).values == [TaggedValue(Tag.INT, -43)]


async def the_methods(d: Debuggee, thing: ReferenceTypeID) -> None:
    stop = await d.find_method(thing, "stop")
    table = await d.ask(method.LineTable(thing, stop))
    assert [line.lineCodeIndex for line in table.lines] == [0, 6]
    code = (await d.ask(method.Bytecodes(thing, stop))).bytes
    assert len(code) == table.end + 1
    assert code[-1] == 0xAC  # ireturn
    variables = await d.ask(method.VariableTable(thing, stop))
    assert variables.argCnt == 3
    assert {one.name: one.slot for one in variables.slots} == {"this": 0, "argument": 1, "word": 2, "local": 3}
    generic = (await d.ask(method.VariableTableWithGeneric(thing, stop))).slots
    assert {one.name: one.genericSignature for one in generic}["this"] == "LEverything$Thing<TT;>;"
    assert not (await d.ask(method.IsObsolete(thing, stop))).isObsolete


async def the_frame(d: Debuggee, thread: ThreadID) -> ObjectID:
    top, main = (await d.ask(thread_reference.Frames(thread))).frames
    assert (await d.ask(thread_reference.Frames(thread, 1, 1))).frames == [main]
    slots = [stack_frame.SlotInfo(slot, tag) for slot, tag in enumerate((Tag.OBJECT, Tag.INT, Tag.STRING, Tag.LONG))]
    this, argument, word, local = (await d.ask(stack_frame.GetValues(thread, top.frameID, slots))).values
    assert (argument, local) == (TaggedValue(Tag.INT, 35), TaggedValue(Tag.LONG, 42))
    assert (this.tag, word.tag) == (Tag.OBJECT, Tag.STRING)
    found = (await d.ask(stack_frame.ThisObject(thread, top.frameID))).objectThis
    assert found == TaggedObjectID(this.tag, ObjectID(int(this.value or 0)))
    changed = [
        stack_frame.SlotValue(3, TaggedValue(Tag.LONG, 1 << 40)),
        stack_frame.SlotValue(1, TaggedValue(Tag.INT, -1)),
    ]
    await d.ask(stack_frame.SetValues(thread, top.frameID, changed))
    after = (await d.ask(stack_frame.GetValues(thread, top.frameID, slots[1:]))).values
    assert [value.value for value in after] == [-1, word.value, 1 << 40]
    assert (await d.ask(thread_reference.OwnedMonitors(thread))).owned == [found]
    assert (await d.ask(thread_reference.OwnedMonitorsStackDepthInfo(thread))).owned == [
        thread_reference.Monitor(found, 0)
    ]
    assert (await d.ask(thread_reference.CurrentContendedMonitor(thread))).monitor.objectID == 0
    monitor = await d.ask(object_reference.MonitorInfo(found.objectID))
    assert monitor == object_reference.MonitorInfoReply(thread, 1, [])
    return found.objectID


async def the_object(d: Debuggee, this: ObjectID, thing: ReferenceTypeID) -> None:
    assert (await d.ask(object_reference.ReferenceType(this))).typeID == thing
    ids = await d.field_ids(thing)
    names = ["flag", "small", "half", "medium", "number", "wide", "single", "precise"]
    values = (await d.ask(object_reference.GetValues(this, [ids[name] for name in names]))).values
    assert "".join(chr(value.tag) for value in values) == "ZBCSIJFD"
    assert [value.value for value in values] == [True, -1, 0xD83D, -2, 3, -4, 0.5, -0.25]
    changed = [
        TaggedValue(Tag.BOOLEAN, False),
        TaggedValue(Tag.BYTE, 127),
        TaggedValue(Tag.CHAR, 0x20AC),
        TaggedValue(Tag.SHORT, -(2**15)),
        TaggedValue(Tag.INT, 2**31 - 1),
        TaggedValue(Tag.LONG, -(2**63)),
        TaggedValue(Tag.FLOAT, float("-inf")),
        TaggedValue(Tag.DOUBLE, 1e300),
    ]
    pairs = [FieldValue(ids[name], value) for name, value in zip(names, changed, strict=True)]
    await d.ask(object_reference.SetValues(this, pairs))
    assert (await d.ask(object_reference.GetValues(this, [ids[name] for name in names]))).values == changed
    [text] = (await d.ask(object_reference.GetValues(this, [ids["text"]]))).values
    assert (await d.ask(string_reference.Value(ObjectID(int(text.value or 0))))).stringValue == TEXT
    await d.ask(object_reference.DisableCollection(this))
    assert not (await d.ask(object_reference.IsCollected(this))).isCollected
    await d.ask(object_reference.EnableCollection(this))
    referrers = (await d.ask(object_reference.ReferringObjects(this, 0))).referringObjects
    assert Tag.ARRAY in [one.tag for one in referrers]


async def the_arrays(d: Debuggee, this: ObjectID, thing: ReferenceTypeID) -> None:
    ids = await d.field_ids(thing)
    values = (await d.ask(object_reference.GetValues(this, [ids["numbers"], ids["objects"]]))).values
    numbers, objects = (ArrayID(int(value.value or 0)) for value in values)
    assert (await d.ask(array_reference.Length(numbers))).arrayLength == 3
    region = (await d.ask(array_reference.GetValues(numbers, 0, 3))).values
    assert region == ArrayRegion(Tag.INT, [1, -2, 3])
    kinds = (await d.ask(array_reference.GetValues(objects, 0, -1))).values
    assert kinds.tag == Tag.OBJECT
    assert [chr(value.tag) for value in kinds.tagged()] == ["s", "L", "L", "["]
    assert [value.value for value in kinds.tagged()][1:] == [0, this, numbers]
    await d.ask(array_reference.SetValues(numbers, 1, [TaggedValue(Tag.INT, 7), TaggedValue(Tag.INT, 8)]))
    assert (await d.ask(array_reference.GetValues(numbers, 0, -1))).values == ArrayRegion(Tag.INT, [1, 7, 8])
    await d.ask(array_reference.SetValues(objects, 1, [TaggedValue(Tag.OBJECT, this)]))
    kind = ArrayTypeID((await d.ask(object_reference.ReferenceType(numbers))).typeID)
    made = (await d.ask(array_type.NewInstance(kind, 2))).newArray
    assert made.tag == Tag.ARRAY
    assert (await d.ask(array_reference.GetValues(ArrayID(made.objectID), 0, 2))).values.values == [0, 0]


async def invocations(d: Debuggee, thread: ThreadID, this: ObjectID, thing: ReferenceTypeID) -> ObjectID:
    """Calls of every sort; returns an exception that one has thrown, pinned."""
    alone = InvokeOptions.INVOKE_SINGLE_THREADED
    greeter = await d.find_class("Everything$Greeter")
    twice = await d.find_method(greeter, "twice")
    doubled = await d.ask(
        interface_type.InvokeMethod(InterfaceID(greeter), thread, twice, [TaggedValue(Tag.INT, -21)], alone)
    )
    assert doubled.returnValue == TaggedValue(Tag.INT, -42)
    assert doubled.exception.objectID == 0
    integer = await d.find_class("java/lang/Integer")
    parsers = (await d.ask(reference_type.Methods(integer))).declared
    [parse] = [one.methodID for one in parsers if one.name == "parseInt" and one.signature == "(Ljava/lang/String;)I"]
    word = (await d.ask(virtual_machine.CreateString("no number"))).stringObject
    failed = await d.ask(
        class_type.InvokeMethod(ClassID(integer), thread, parse, [TaggedValue(Tag.STRING, word)], alone)
    )
    assert failed.exception.objectID
    await d.ask(object_reference.DisableCollection(failed.exception.objectID))
    constructor = await d.find_method(thing, "<init>")
    made = await d.ask(
        class_type.NewInstance(ClassID(thing), thread, constructor, [TaggedValue(Tag.STRING, word)], alone)
    )
    assert (made.newObject.tag, made.exception.objectID) == (Tag.OBJECT, 0)
    java_object = await d.find_class("java/lang/Object")
    hash_code = await d.find_method(java_object, "hashCode")
    hashed = await d.ask(object_reference.InvokeMethod(this, thread, ClassID(java_object), hash_code, [], alone))
    assert hashed.returnValue.tag == Tag.INT
    return failed.exception.objectID


async def the_end(d: Debuggee, thread: ThreadID, thing: ReferenceTypeID, thrown: ObjectID) -> None:
    """What changes the way on: frames popped, a class redefined, a return forced, an exception thrown, the exit."""
    top = (await d.ask(thread_reference.Frames(thread, 0, 1))).frames[0]
    await d.ask(stack_frame.PopFrames(thread, top.frameID))
    assert (await d.ask(thread_reference.FrameCount(thread))).frameCount == 1
    class_file = await trio.Path(d.target.program.classes, "Everything$Thing.class").read_bytes()
    await d.ask(virtual_machine.RedefineClasses([virtual_machine.ClassDef(thing, class_file)]))
    place = await d.place(thing, "stop", d.target.program.line("stop"))
    request = await d.request(EventKind.BREAKPOINT, event_request.LocationOnly(place))
    await d.resume()
    await d.expect(event.Breakpoint)
    await d.ask(event_request.Clear(EventKind.BREAKPOINT, request))
    await d.ask(event_request.ClearAllBreakpoints())
    await d.ask(thread_reference.ForceEarlyReturn(thread, TaggedValue(Tag.INT, 99)))
    await d.request(
        EventKind.SINGLE_STEP,
        event_request.Step(thread, JdwpStepSize.LINE, JdwpStepDepth.OVER),
        event_request.Count(1),
    )
    await d.resume()
    stepped = await d.expect(event.SingleStep)
    assert stepped.location.classID == await d.find_class("Everything")
    await d.request(EventKind.EXCEPTION, event_request.ExceptionOnly(ReferenceTypeID(0), False, True))
    await d.ask(thread_reference.Interrupt(thread))
    await d.ask(thread_reference.Stop(thread, thrown))
    await d.resume()
    exception = await d.expect(event.Exception)
    assert exception.exception.objectID == thrown
    assert (exception.catchLocation.classID, exception.catchLocation.index) == (0, 0)
    await d.ask(virtual_machine.Exit(3))
    assert await d.target.wait_exit() == 3
    assert "returned" not in d.target.stdout
