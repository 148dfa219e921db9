"""How a fake JVM answers commands from its ``World`` when the test has said nothing else.

Owns one function for each command that has a plain answer; whatever is not here is NOT_IMPLEMENTED. A function takes
what is asked about and the command, and returns the reply or an ``Error``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jdbpy.record import Record
from jdbpy.wire.command import Command, Empty
from jdbpy.wire.constants import Error, SuspendStatus, ThreadStatus, TypeTag
from jdbpy.wire.ids import (
    ClassID,
    ClassLoaderID,
    FieldID,
    MethodID,
    ReferenceTypeID,
    ThreadGroupID,
    ThreadID,
)
from jdbpy.wire.lazy_records import Columns
from jdbpy.wire.messages import (
    class_type,
    method,
    reference_type,
    thread_group_reference,
    thread_reference,
    virtual_machine,
)
from tests.fakes.frames import frames_reply
from tests.fakes.world import GROUP, FakeClass, FakeThread, World

Answer = Record | Error
READY = 7
"""The status of a class that is verified, prepared and initialized."""


def version(world: World, command: virtual_machine.Version) -> Answer:
    return virtual_machine.VersionReply("a fake of jdbpy's tests", 25, 0, "25.0.1", "Fake VM")


def capabilities(world: World, command: virtual_machine.CapabilitiesNew) -> Answer:
    return virtual_machine.CapabilitiesNewReply(*[True] * 21, *[False] * 11)


def all_threads(world: World, command: virtual_machine.AllThreads) -> Answer:
    return virtual_machine.AllThreadsReply([ThreadID(thread) for thread in world.threads])


def top_groups(world: World, command: virtual_machine.TopLevelThreadGroups) -> Answer:
    return virtual_machine.TopLevelThreadGroupsReply([ThreadGroupID(GROUP)])


def suspend_all(world: World, command: virtual_machine.Suspend) -> Answer:
    world.suspend_all()
    return Empty()


def resume_all(world: World, command: virtual_machine.Resume) -> Answer:
    world.resume_all()
    return Empty()


LAUNCHER = FakeClass(0x7F0, "Lsun/launcher/LauncherHelper;")
"""Initialized in a VM whose program has begun."""


def classes_by_signature(world: World, command: virtual_machine.ClassesBySignature) -> Answer:
    found = [cls for cls in world.classes if cls.signature == command.signature]
    if command.signature == LAUNCHER.signature and world.begun:
        found.append(LAUNCHER)
    return virtual_machine.ClassesBySignatureReply(
        [virtual_machine.ClassInfo(TypeTag.CLASS, ReferenceTypeID(cls.id), READY) for cls in found]
    )


def all_classes(world: World, command: virtual_machine.AllClassesWithGeneric) -> Answer:
    listed = [
        virtual_machine.ClassInfoWithGeneric(TypeTag.CLASS, ReferenceTypeID(cls.id), cls.signature, "", READY)
        for cls in world.classes
    ]
    return virtual_machine.AllClassesWithGenericReply(Columns.of(virtual_machine.ClassInfoWithGeneric, listed))


def superclass(world: World, command: class_type.Superclass) -> Answer:
    return class_type.SuperclassReply(ClassID(0))


def group_name(world: World, command: thread_group_reference.Name) -> Answer:
    return thread_group_reference.NameReply("main")


def group_parent(world: World, command: thread_group_reference.Parent) -> Answer:
    return thread_group_reference.ParentReply(ThreadGroupID(0))


def group_children(world: World, command: thread_group_reference.Children) -> Answer:
    return thread_group_reference.ChildrenReply([ThreadID(thread) for thread in world.threads], [])


def thread_name(thread: FakeThread, command: thread_reference.Name) -> Answer:
    return thread_reference.NameReply(thread.name)


def thread_status(thread: FakeThread, command: thread_reference.Status) -> Answer:
    held = SuspendStatus.SUSPEND_STATUS_SUSPENDED if thread.suspend_count else 0
    return thread_reference.StatusReply(ThreadStatus.RUNNING if thread.at_event else ThreadStatus.WAIT, held)


def thread_group(thread: FakeThread, command: thread_reference.ThreadGroup) -> Answer:
    return thread_reference.ThreadGroupReply(ThreadGroupID(GROUP))


def is_virtual(thread: FakeThread, command: thread_reference.IsVirtual) -> Answer:
    return thread_reference.IsVirtualReply(False)


def suspend_count(thread: FakeThread, command: thread_reference.SuspendCount) -> Answer:
    return thread_reference.SuspendCountReply(thread.suspend_count)


def suspend_thread(thread: FakeThread, command: thread_reference.Suspend) -> Answer:
    thread.suspend_count += 1
    return Empty()


def resume_thread(thread: FakeThread, command: thread_reference.Resume) -> Answer:
    thread.resume()
    return Empty()


def frame_count(thread: FakeThread, command: thread_reference.FrameCount) -> Answer:
    if not thread.suspend_count:
        return Error.THREAD_NOT_SUSPENDED
    return thread_reference.FrameCountReply(len(thread.stack))


def frames(thread: FakeThread, command: thread_reference.Frames) -> Answer:
    start, length = command.startFrame, command.length
    if not thread.suspend_count:
        return Error.THREAD_NOT_SUSPENDED
    if start > len(thread.stack):
        return Error.INVALID_INDEX
    if length != -1 and start + length > len(thread.stack):
        return Error.INVALID_LENGTH
    wanted = range(start, len(thread.stack) if length == -1 else start + length)
    return frames_reply(*(thread_reference.Frame(thread.frame_id(depth), thread.stack[depth]) for depth in wanted))


def signature(cls: FakeClass, command: reference_type.Signature) -> Answer:
    return reference_type.SignatureReply(cls.signature)


def signature_with_generic(cls: FakeClass, command: reference_type.SignatureWithGeneric) -> Answer:
    return reference_type.SignatureWithGenericReply(cls.signature, "")


def class_loader(cls: FakeClass, command: reference_type.ClassLoader) -> Answer:
    return reference_type.ClassLoaderReply(ClassLoaderID(0))


def class_modifiers(cls: FakeClass, command: reference_type.Modifiers) -> Answer:
    return reference_type.ModifiersReply(1)


def class_status(cls: FakeClass, command: reference_type.Status) -> Answer:
    return reference_type.StatusReply(READY)


def source_file(cls: FakeClass, command: reference_type.SourceFile) -> Answer:
    return reference_type.SourceFileReply(cls.source) if cls.source else Error.ABSENT_INFORMATION


def no_source_debug_extension(cls: FakeClass, command: reference_type.SourceDebugExtension) -> Answer:
    return Error.ABSENT_INFORMATION


def interfaces(cls: FakeClass, command: reference_type.Interfaces) -> Answer:
    return reference_type.InterfacesReply([])


def methods(cls: FakeClass, command: reference_type.MethodsWithGeneric) -> Answer:
    return reference_type.MethodsWithGenericReply(
        [
            reference_type.MethodInfoWithGeneric(MethodID(one.id), one.name, one.signature, "", one.modifiers)
            for one in cls.methods
        ]
    )


def fields(cls: FakeClass, command: reference_type.FieldsWithGeneric) -> Answer:
    return reference_type.FieldsWithGenericReply(
        [
            reference_type.FieldInfoWithGeneric(FieldID(one.id), one.name, one.signature, "", one.modifiers)
            for one in cls.fields
        ]
    )


def line_table(cls: FakeClass, command: method.LineTable) -> Answer:
    for one in cls.methods:
        if one.id == command.methodID:
            lines = [method.LineInfo(index, line) for index, line in one.lines.items()]
            return method.LineTableReply(0, one.end, lines)
    return Error.INVALID_METHODID


def no_variables(cls: FakeClass, command: method.VariableTableWithGeneric) -> Answer:
    return Error.ABSENT_INFORMATION


OF_THE_VM: dict[type[Command[Any]], Callable[[World, Any], Answer]] = {
    virtual_machine.Version: version,
    virtual_machine.CapabilitiesNew: capabilities,
    virtual_machine.AllThreads: all_threads,
    virtual_machine.TopLevelThreadGroups: top_groups,
    virtual_machine.Suspend: suspend_all,
    virtual_machine.Resume: resume_all,
    virtual_machine.ClassesBySignature: classes_by_signature,
    virtual_machine.AllClassesWithGeneric: all_classes,
    class_type.Superclass: superclass,
    thread_group_reference.Name: group_name,
    thread_group_reference.Parent: group_parent,
    thread_group_reference.Children: group_children,
}
OF_A_THREAD: dict[type[Command[Any]], Callable[[FakeThread, Any], Answer]] = {
    thread_reference.Name: thread_name,
    thread_reference.Status: thread_status,
    thread_reference.ThreadGroup: thread_group,
    thread_reference.IsVirtual: is_virtual,
    thread_reference.SuspendCount: suspend_count,
    thread_reference.Suspend: suspend_thread,
    thread_reference.Resume: resume_thread,
    thread_reference.FrameCount: frame_count,
    thread_reference.Frames: frames,
}
OF_A_CLASS: dict[type[Command[Any]], Callable[[FakeClass, Any], Answer]] = {
    reference_type.Signature: signature,
    reference_type.SignatureWithGeneric: signature_with_generic,
    reference_type.ClassLoader: class_loader,
    reference_type.Modifiers: class_modifiers,
    reference_type.Status: class_status,
    reference_type.SourceFile: source_file,
    reference_type.SourceDebugExtension: no_source_debug_extension,
    reference_type.Interfaces: interfaces,
    reference_type.MethodsWithGeneric: methods,
    reference_type.FieldsWithGeneric: fields,
    method.LineTable: line_table,
    method.VariableTableWithGeneric: no_variables,
}

KNOWN = frozenset({*OF_THE_VM, *OF_A_THREAD, *OF_A_CLASS})
"""The commands with a plain answer."""


def answer(world: World, command: Command[Any]) -> Answer:
    """The plain answer to a command."""
    asked: Any = command
    kind = type(command)
    if kind in OF_THE_VM:
        return OF_THE_VM[kind](world, command)
    if kind in OF_A_THREAD:
        thread = world.threads.get(asked.thread)
        return OF_A_THREAD[kind](thread, command) if thread else Error.INVALID_THREAD
    if kind in OF_A_CLASS:
        found = [cls for cls in world.classes if cls.id == asked.refType]
        return OF_A_CLASS[kind](found[0], command) if found else Error.INVALID_CLASS
    return Error.NOT_IMPLEMENTED
