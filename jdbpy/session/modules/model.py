"""Plain data about modules."""

from __future__ import annotations

from jdbpy.record import Record


class ModuleInfo(Record):
    """A module in a line. The unnamed module of a class loader has the name "". ``loader`` as classes show it."""

    id: int
    name: str
    loader: str
    version: str = ""
    kind: str = ""  # "", "open", "automatic"; "unnamed"


class PackageAccess(Record):
    """A package that a module exports or opens: to all (``to`` is empty) or to the modules in ``to``."""

    package: str
    to: tuple[str, ...]


class ModuleDetail(Record):
    """All about a module. What is exported and opened is what holds now, command line and later additions included."""

    info: ModuleInfo
    requires: tuple[str, ...]  # as declared, with modifiers
    reads: tuple[str, ...]
    exports: tuple[PackageAccess, ...]
    opens: tuple[PackageAccess, ...]
    uses: tuple[str, ...]
    provides: tuple[PackageAccess, ...]  # service and implementations
    packages: tuple[str, ...]
    main_class: str
    notes: tuple[str, ...] = ()
