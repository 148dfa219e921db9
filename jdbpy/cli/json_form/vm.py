"""The JSON form of what commands about the VM as a whole return."""

from __future__ import annotations

from jdbpy import modules, vm
from jdbpy.cli.commands.modules import Modules
from jdbpy.cli.commands.vm import Capabilities, DiagnosticOutput, Flags, Properties, PropertySet
from jdbpy.cli.json_form.shape import Field, shape

_PATTERN = Field("pattern", "string", optional=True)

VM_SHAPES = (
    shape("properties", Properties, "System properties.", _PATTERN, Field("properties", "property[]")),
    shape("property", vm.Property, "A system property.", Field("name", "string"), Field("value", "string")),
    shape(
        "property-set",
        PropertySet,
        "A system property was changed.",
        Field("name", "string"),
        Field("value", "string?", "null when it was removed"),
        Field("old", "string?", "what it was; null when there was none"),
    ),
    shape(
        "paths",
        vm.SearchPaths,
        "Where the target finds classes.",
        Field("base", "string", "where relative parts start"),
        Field("class_path", "string[]"),
        Field("module_path", "string[]"),
        Field("upgrade_path", "string[]", "upgraded modules", optional=True),
        Field("boot", "string[]", "additions to the boot class path; all of it before Java 9", optional=True),
        Field("java_home", "string"),
    ),
    shape(
        "capabilities", Capabilities, "What the target can do for a debugger.", Field("capabilities", "capability[]")
    ),
    shape(
        "capability",
        vm.Capability,
        "One of them.",
        Field("name", "string", "as JDWP calls it"),
        Field("available", "boolean"),
        Field("meaning", "string"),
    ),
    shape(
        "vm",
        vm.VmFacts,
        "What the target is. What is null takes a thread that an event has stopped.",
        Field("name", "string"),
        Field("version", "string"),
        Field("vendor", "string"),
        Field("java", "string"),
        Field("home", "string"),
        Field("system", "string"),
        Field("command", "string", "the program and its arguments"),
        Field("process", "integer?"),
        Field("processors", "integer?"),
        Field("arguments", "string[]", "options of the JVM"),
        Field("compiler", "string"),
        Field("mode", "string"),
        Field("notes", "string[]", optional=True),
    ),
    shape(
        "clocks",
        vm.Clocks,
        "The target's clocks, in seconds.",
        Field("now", "number", "since 1970"),
        Field("nano_time", "integer", "nanoseconds of System.nanoTime()"),
        Field("started", "number", "since 1970"),
        Field("uptime", "number"),
        Field("cpu", "number?", "used by the process"),
        Field("compile_time", "number?", "spent by the just-in-time compiler"),
        Field("load", "number?", "of the machine"),
    ),
    shape("flags", Flags, "Flags of the VM.", _PATTERN, Field("flags", "flag[]")),
    shape(
        "flag",
        vm.VmFlag,
        "A flag.",
        Field("name", "string"),
        Field("value", "string"),
        Field("origin", "string", "default, vm creation, ergonomic, management..."),
        Field("writeable", "boolean", "it can be set while the VM runs"),
    ),
    shape(
        "diagnostic",
        DiagnosticOutput,
        "What a diagnostic command has printed.",
        Field("command", "string"),
        Field("text", "string"),
    ),
    shape("modules", Modules, "Modules.", _PATTERN, Field("modules", "module[]")),
    shape(
        "module",
        modules.ModuleInfo,
        "A module.",
        Field("id", "integer"),
        Field("name", "string", "empty for the unnamed module of a loader"),
        Field("loader", "string"),
        Field("version", "string", optional=True),
        Field("kind", "string", "open, automatic or unnamed", optional=True),
    ),
    shape(
        "package-access",
        modules.PackageAccess,
        "A package, or a service, and for whom or by whom.",
        Field("name", "string", source="package"),
        Field("to", "string[]", "modules, empty for all; of a service its implementations"),
    ),
    shape(
        "module-detail",
        modules.ModuleDetail,
        "All about a module.",
        Field("module", "module", source="info"),
        Field("requires", "string[]", "as declared"),
        Field("reads", "string[]"),
        Field("exports", "package-access[]", "as they hold now"),
        Field("opens", "package-access[]", "as they hold now"),
        Field("uses", "string[]"),
        Field("provides", "package-access[]", "as declared"),
        Field("packages", "string[]"),
        Field("main_class", "string", optional=True),
        Field("notes", "string[]", optional=True),
    ),
)
