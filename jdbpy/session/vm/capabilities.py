"""What the agent of a target can do, in words. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from jdbpy.session.vm.model import Capability

MEANINGS: Mapping[str, str] = {
    "canWatchFieldModification": "stop when a field is written ('watch')",
    "canWatchFieldAccess": "stop when a field is read ('rwatch', 'awatch')",
    "canGetBytecodes": "tell the bytecode of methods ('bytecodes', 'disassemble')",
    "canGetSyntheticAttribute": "tell members that the compiler has made",
    "canGetOwnedMonitorInfo": "tell the monitors that a thread holds ('threadlocks')",
    "canGetCurrentContendedMonitor": "tell the monitor that a thread waits for ('threadlocks', 'deadlocks')",
    "canGetMonitorInfo": "tell who holds a monitor and who waits ('lock')",
    "canRedefineClasses": "replace the code of classes ('redefine')",
    "canAddMethod": "add methods when it replaces a class",
    "canUnrestrictedlyRedefineClasses": "change fields and ancestry when it replaces a class",
    "canPopFrames": "drop frames ('pop', 'reenter')",
    "canUseInstanceFilters": "stop for one object only ('watch this.field')",
    "canGetSourceDebugExtension": "tell lines of other languages (SMAP: Kotlin, JSP)",
    "canRequestVMDeathEvent": "tell when the VM ends",
    "canSetDefaultStratum": "choose the language of line numbers by itself",
    "canGetInstanceInfo": "find the instances of classes and who refers to them ('instances', 'referrers')",
    "canRequestMonitorEvents": "stop at monitors that are fought for ('trace monitors')",
    "canGetMonitorFrameInfo": "tell which frame holds a monitor ('threadlocks')",
    "canUseSourceNameFilters": "wait for classes of one source file",
    "canGetConstantPool": "tell the constant pool of classes ('constpool')",
    "canForceEarlyReturn": "leave a method at once with a value ('return')",
}
"""By the name of the flag in VirtualMachine.CapabilitiesNew."""


def in_words(flags: Mapping[str, bool]) -> list[Capability]:
    """The capabilities in the order of the specification; reserved flags are told only when they are set."""
    known = [Capability(name, flags.get(name, False), meaning) for name, meaning in MEANINGS.items()]
    more = [Capability(name, True, "") for name, on in flags.items() if on and name not in MEANINGS]
    return known + more
