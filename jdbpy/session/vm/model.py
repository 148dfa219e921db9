"""Plain data about the target VM as a whole: properties, paths, capabilities, clocks, flags."""

from __future__ import annotations

from jdbpy.record import Record


class Property(Record):
    """A system property."""

    name: str
    value: str


class SearchPaths(Record):
    """Where the target finds classes. ``base`` is its working directory, which relative parts start from."""

    base: str
    class_path: tuple[str, ...]
    module_path: tuple[str, ...]
    upgrade_path: tuple[str, ...]
    boot: tuple[str, ...]  # additions to the boot class path; the whole of it before Java 9
    java_home: str


class Capability(Record):
    """Something that the target can do for a debugger, or cannot. ``name`` is JDWP's."""

    name: str
    available: bool
    meaning: str


class VmFacts(Record):
    """What the target is. What is None takes a method that cannot be run now; ``notes`` say why."""

    name: str
    version: str
    vendor: str
    java: str
    home: str
    system: str  # of which kind and release, on which processor
    command: str  # main class or jar with the program's arguments
    process: int | None  # id of the operating system
    processors: int | None
    arguments: tuple[str, ...] | None  # of the JVM
    compiler: str
    mode: str  # "mixed mode, sharing"
    notes: tuple[str, ...] = ()


class Clocks(Record):
    """The target's clocks. Times of day and durations are in seconds, ``nano_time`` in nanoseconds."""

    now: float  # since 1970
    nano_time: int
    started: float  # since 1970
    uptime: float
    cpu: float | None  # used by the process
    compile_time: float | None  # spent by the just-in-time compiler
    load: float | None  # runnable processes of the machine, over the last minute


class VmFlag(Record):
    """A flag of HotSpot (-XX). ``origin``: default, vm creation, command line, environment, config file, management,
    ergonomic, attach."""

    name: str
    value: str
    origin: str
    writeable: bool
