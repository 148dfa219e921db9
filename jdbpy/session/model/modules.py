"""Plain data about modules."""

from __future__ import annotations

from typing import Annotated

from jdbpy.json_form import Json
from jdbpy.record import Record


class ModuleInfo(Record):
    """A module in a line. The unnamed module of a class loader has the name "". ``loader`` as classes show it."""

    json_name = "module"

    id: int
    name: Annotated[str, "empty for the unnamed module of a loader"]
    loader: str
    version: str = ""
    kind: Annotated[str, "open, automatic or unnamed"] = ""


class PackageAccess(Record):
    """A package that a module exports or opens: to all (``to`` is empty) or to the modules in ``to``."""

    package: Annotated[str, Json(key="name")]
    to: Annotated[tuple[str, ...], "modules, empty for all; of a service its implementations"]


class ModuleDetail(Record):
    """All about a module. What is exported and opened is what holds now, command line and later additions included."""

    info: Annotated[ModuleInfo, Json(key="module")]
    requires: Annotated[tuple[str, ...], "as declared, with modifiers"]
    reads: tuple[str, ...]
    exports: Annotated[tuple[PackageAccess, ...], "as they hold now"]
    opens: Annotated[tuple[PackageAccess, ...], "as they hold now"]
    uses: tuple[str, ...]
    provides: Annotated[tuple[PackageAccess, ...], "service and implementations"]
    packages: tuple[str, ...]
    main_class: Annotated[str, Json(optional=True)]
    notes: tuple[str, ...] = ()
