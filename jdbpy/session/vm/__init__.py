"""The target VM as a whole: ``session.vm``.

* ``component``: what front ends call
* ``properties``: system properties, read from fields, set by a call; the search paths
* ``capabilities``: what the agent can do, in words
* ``facts``: what the VM is, its clocks
* ``flags``: HotSpot's flags
* ``diagnostic_commands``: the commands of ``jcmd``

This package's own names are its plain data, public as ``jdbpy.vm``.
"""

from jdbpy.session.vm.model import (
    Capability,
    Clocks,
    Property,
    SearchPaths,
    VmFacts,
    VmFlag,
)

__all__ = [
    "Capability",
    "Clocks",
    "Property",
    "SearchPaths",
    "VmFacts",
    "VmFlag",
]
