"""The modules of the target (Java 9): ``session.modules``.

* ``component``: what front ends call
* ``reading``: all about modules, from the fields of java.lang.Module and ModuleDescriptor
* ``later``: what was added to modules after they were defined, also by options like --add-opens
* ``changes``: reads, exports, opens, uses and provides added now

This package's own names are its plain data, public as ``jdbpy.modules``.
"""

from jdbpy.session.modules.model import (
    ModuleDetail,
    ModuleInfo,
    PackageAccess,
)

__all__ = [
    "ModuleDetail",
    "ModuleInfo",
    "PackageAccess",
]
