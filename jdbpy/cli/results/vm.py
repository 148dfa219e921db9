"""What commands about the VM as a whole return beside the session's own data."""

from __future__ import annotations

from jdbpy import modules, vm
from jdbpy.record import Record


class Properties(Record):
    """System properties whose names fit ``pattern``."""

    pattern: str
    properties: tuple[vm.Property, ...]


class PropertySet(Record):
    """A system property has a new value, or was removed (None); ``old`` is what it was, None if there was none."""

    name: str
    value: str | None
    old: str | None


class Capabilities(Record):
    capabilities: tuple[vm.Capability, ...]


class Flags(Record):
    """Flags of the VM whose names fit ``pattern``."""

    pattern: str
    flags: tuple[vm.VmFlag, ...]


class DiagnosticOutput(Record):
    """What a diagnostic command of the VM has printed."""

    command: str
    text: str


class Modules(Record):
    """Modules whose names fit ``pattern``."""

    pattern: str
    modules: tuple[modules.ModuleInfo, ...]
