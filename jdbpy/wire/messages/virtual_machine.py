"""VirtualMachine, command set 1: questions to the VM as a whole, and its control."""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.record import Record
from jdbpy.wire.command import Command, Empty, Reply
from jdbpy.wire.constants import CommandSet
from jdbpy.wire.ids import (
    Boolean,
    Byte,
    Bytes,
    IDSizes as Sizes,
    Int,
    Long,
    ModuleID,
    ObjectID,
    ReferenceTypeID,
    String,
    StringID,
    ThreadGroupID,
    ThreadID,
)
from jdbpy.wire.lazy_records import Columns


class VersionReply(Reply):
    description: String
    jdwpMajor: Int
    jdwpMinor: Int
    vmVersion: String
    vmName: String


class Version(Command[VersionReply], number=(CommandSet.VirtualMachine, 1)):
    """The identity of the VM. ``vmVersion`` is the value of java.version; JDWP is 1.8 on JDK 8 and the JDK's own number
    later.
    """


class ClassInfo(Record):
    refTypeTag: Byte
    typeID: ReferenceTypeID
    status: Int


class ClassesBySignatureReply(Reply):
    classes: list[ClassInfo]


class ClassesBySignature(Command[ClassesBySignatureReply], number=(CommandSet.VirtualMachine, 2)):
    """The prepared types with a JNI signature (``Ljava/lang/String;``): one for each loader that defined one."""

    signature: String


class ClassInfoWithSignature(Record):
    refTypeTag: Byte
    typeID: ReferenceTypeID
    signature: String
    status: Int


class AllClassesReply(Reply):
    classes: list[ClassInfoWithSignature]


class AllClasses(Command[AllClassesReply], number=(CommandSet.VirtualMachine, 3)):
    """Every prepared class, interface and array type; thousands of entries."""


class AllThreadsReply(Reply):
    threads: list[ThreadID]


class AllThreads(Command[AllThreadsReply], number=(CommandSet.VirtualMachine, 4)):
    """The live platform threads without the agent's own; virtual threads only with ``includevirtualthreads=y``."""


class TopLevelThreadGroupsReply(Reply):
    groups: list[ThreadGroupID]


class TopLevelThreadGroups(Command[TopLevelThreadGroupsReply], number=(CommandSet.VirtualMachine, 5)):
    """The thread groups without a parent."""


class Dispose(Command[Empty], number=(CommandSet.VirtualMachine, 6)):
    """End the session: the agent drops requests, suspensions and pins, answers, and closes; the program runs on."""


class IDSizesReply(Reply):
    fieldIDSize: Int
    methodIDSize: Int
    objectIDSize: Int
    referenceTypeIDSize: Int
    frameIDSize: Int

    def sizes(self) -> Sizes:
        """Return the answer as the codec wants it."""
        return Sizes(*(size for _, size in self.__iter_fields__()))


class IDSizes(Command[IDSizesReply], number=(CommandSet.VirtualMachine, 7)):
    """The sizes of ids in bytes; to be asked before any message with an id, events included, is decoded."""


class Suspend(Command[Empty], number=(CommandSet.VirtualMachine, 8)):
    """Add one to the suspend count of every thread; threads born meanwhile start suspended."""


class Resume(Command[Empty], number=(CommandSet.VirtualMachine, 9)):
    """Take one from the suspend count of every thread that has one. The events it causes may overtake the reply."""


class Exit(Command[Empty], number=(CommandSet.VirtualMachine, 10)):
    """End the process with a status. No VMDeath follows the reply."""

    exitCode: Int


class CreateStringReply(Reply):
    stringObject: StringID


class CreateString(Command[CreateStringReply], number=(CommandSet.VirtualMachine, 11)):
    """Make a java.lang.String in the target. Nothing there refers to it: pin it before it is used while threads run."""

    utf: String


class CapabilitiesReply(Reply):
    canWatchFieldModification: Boolean
    canWatchFieldAccess: Boolean
    canGetBytecodes: Boolean
    canGetSyntheticAttribute: Boolean
    canGetOwnedMonitorInfo: Boolean
    canGetCurrentContendedMonitor: Boolean
    canGetMonitorInfo: Boolean


class Capabilities(Command[CapabilitiesReply], number=(CommandSet.VirtualMachine, 12)):
    """The seven oldest flags; CapabilitiesNew repeats them."""


class ClassPathsReply(Reply):
    baseDir: String
    classpaths: list[String]
    bootclasspaths: list[String]


class ClassPaths(Command[ClassPathsReply], number=(CommandSet.VirtualMachine, 13)):
    """Working directory and class path. The boot class path is empty from JDK 9 on."""


class Request(Record):
    object: ObjectID
    refCnt: Int


class DisposeObjects(Command[Empty], number=(CommandSet.VirtualMachine, 14)):
    """Forget object ids. ``refCnt`` is how often the id was received: the VM aborts when it is more than that."""

    requests: Sequence[Request]


class HoldEvents(Command[Empty], number=(CommandSet.VirtualMachine, 15)):
    """Queue events in the target, about 50 KiB of them; threads that find it full block without being suspended."""


class ReleaseEvents(Command[Empty], number=(CommandSet.VirtualMachine, 16)):
    """Send what was held, and send at once again."""


class CapabilitiesNewReply(CapabilitiesReply):
    canRedefineClasses: Boolean
    canAddMethod: Boolean
    canUnrestrictedlyRedefineClasses: Boolean
    canPopFrames: Boolean
    canUseInstanceFilters: Boolean
    canGetSourceDebugExtension: Boolean
    canRequestVMDeathEvent: Boolean
    canSetDefaultStratum: Boolean
    canGetInstanceInfo: Boolean
    canRequestMonitorEvents: Boolean
    canGetMonitorFrameInfo: Boolean
    canUseSourceNameFilters: Boolean
    canGetConstantPool: Boolean
    canForceEarlyReturn: Boolean
    reserved22: Boolean
    reserved23: Boolean
    reserved24: Boolean
    reserved25: Boolean
    reserved26: Boolean
    reserved27: Boolean
    reserved28: Boolean
    reserved29: Boolean
    reserved30: Boolean
    reserved31: Boolean
    reserved32: Boolean


class CapabilitiesNew(Command[CapabilitiesNewReply], number=(CommandSet.VirtualMachine, 17), since="1.4"):
    """All flags. HotSpot clears canUseSourceNameFilters, though the modifier works; ART means dex by reserved32."""


class ClassDef(Record):
    refType: ReferenceTypeID
    classfile: Bytes


class RedefineClasses(Command[Empty], number=(CommandSet.VirtualMachine, 18), capability="canRedefineClasses"):
    """Replace classes, all or none. The agent drops their breakpoints; frames in old code keep it and show method 0."""

    classes: Sequence[ClassDef]


class SetDefaultStratum(Command[Empty], number=(CommandSet.VirtualMachine, 19), capability="canSetDefaultStratum"):
    """Choose the stratum (JSR 45) whose lines and source names the agent uses; empty for each class's own choice."""

    stratumID: String


class ClassInfoWithGeneric(Record):
    refTypeTag: Byte
    typeID: ReferenceTypeID
    signature: String
    genericSignature: String
    status: Int


class AllClassesWithGenericReply(Reply):
    classes: Columns[ClassInfoWithGeneric]


class AllClassesWithGeneric(Command[AllClassesWithGenericReply], number=(CommandSet.VirtualMachine, 20), since="1.5"):
    """AllClasses with generic signatures, empty where a type has none."""


class InstanceCountsReply(Reply):
    counts: list[Long]


class InstanceCounts(
    Command[InstanceCountsReply],
    number=(CommandSet.VirtualMachine, 21),
    capability="canGetInstanceInfo",
    since="1.6",
):
    """The number of reachable instances of each type, subclasses not counted. The VM stands still meanwhile."""

    refTypesCount: Sequence[ReferenceTypeID]


class AllModulesReply(Reply):
    modules: list[ModuleID]


class AllModules(Command[AllModulesReply], number=(CommandSet.VirtualMachine, 22), since="9"):
    """Every module, the unnamed ones of class loaders included."""
