"""Plain data about the target VM as a whole: properties, paths, capabilities, clocks, flags."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from jdbpy.json_form import Json
from jdbpy.record import Record


class Property(Record):
    """A system property."""

    name: str
    value: str


class SearchPaths(Record):
    """The paths on which the target finds classes. ``base`` is its working directory, which relative parts
    start from.
    """

    json_name = "paths"

    base: Annotated[str, "where relative parts start"]
    class_path: tuple[str, ...]
    module_path: tuple[str, ...]
    upgrade_path: Annotated[tuple[str, ...], Json("upgraded modules", optional=True)]
    boot: Annotated[tuple[str, ...], Json("additions to the boot class path; all of it before Java 9", optional=True)]
    java_home: str


class Capability(Record):
    """Something that the target can do for a debugger, or cannot. ``name`` is JDWP's."""

    name: Annotated[str, "as JDWP calls it"]
    available: bool
    meaning: str


class VmFacts(Record):
    """The facts of the target. What is None takes a method that cannot be run now; ``notes`` say why."""

    json_name = "vm"

    name: str
    version: str
    vendor: str
    java: str
    home: str
    system: str  # of which kind and release, on which processor
    command: Annotated[str, "the program and its arguments"]
    process: int | None  # id of the operating system
    processors: int | None
    arguments: Annotated[tuple[str, ...] | None, "options of the JVM"]
    compiler: str
    mode: str  # "mixed mode, sharing"
    notes: tuple[str, ...] = ()
    cannot: Annotated[tuple[str, ...], "what this JVM cannot do for a debugger, and HotSpot can"] = ()


class Clocks(Record):
    """The target's clocks. Times of day and durations are in seconds, ``nano_time`` in nanoseconds."""

    now: Annotated[float, "since 1970"]
    nano_time: Annotated[int | None, "nanoseconds of System.nanoTime(); null without the debugger agent"]
    started: Annotated[float, "since 1970"]
    uptime: float
    cpu: Annotated[float | None, "used by the process"]
    compile_time: Annotated[float | None, "spent by the just-in-time compiler"]
    load: Annotated[float | None, "runnable processes of the machine, over the last minute"]


class VmFlag(Record):
    """A flag of HotSpot (-XX). ``origin``: default, vm creation, command line, environment, config file, management,
    ergonomic, attach."""

    json_name = "flag"

    name: str
    value: str
    origin: Annotated[str, "default, vm creation, ergonomic, management..."]
    writeable: Annotated[bool, "it can be set while the VM runs"]


class VmState(StrEnum):
    """The activity of the target, as far as the debugger can tell."""

    RUNNING = "running"  # no thread is held by the debugger
    STOPPED = "stopped"  # at least one thread is held
    EXITED = "exited"  # the VM has ended
    DISCONNECTED = "disconnected"  # the connection is gone; the VM may live on

    @property
    def lives(self) -> bool:
        """True if the VM runs or is stopped, and is connected."""
        return self in (VmState.RUNNING, VmState.STOPPED)


class VmInfo(Record):
    """The target's own facts, asked at the start."""

    description: str
    name: str
    version: str  # java.version
    jdwp_major: int
    jdwp_minor: int
    address: str
    capabilities: tuple[tuple[str, bool], ...]
