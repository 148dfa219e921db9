"""The commands, one module a subject: their results, how these are shown, and the functions that are the commands.

A module is loaded when one of its commands is looked up: starting must not wait for commands that are not given. The
names stand in ``names.py``, which `./dev generate names` makes.

* ``running``, ``leaving``, ``snapshots``: letting the target run, and ending the session
* ``breakpoints``, ``hits``, ``rbreak``, ``catching``, ``tracing``, ``calls``, ``recording``,
  ``recorded_call``, ``recorded_differences``, ``actions``, ``weaving``: what stops it or reports
* ``stack``, ``threads``, ``thread_actions``, ``locks``: its threads
* ``data``, ``views``, ``heap``: its values; ``classes``, ``code``, ``source``, ``modules``, ``hotswap``: its code
* ``operating``, ``loggers``, ``mbeans``: what an operator asks; ``class_files``: classes written to a directory
* ``vm``: the VM as a whole; ``profiling``: profiles; ``timing``: methods that it times
* ``jvms``, ``comparing``: several; ``serving``: several clients
* ``screen``: the full screen; ``keyboard``: what was typed, the editor
* ``help``, ``settings``, ``aliases``, ``scripts``, ``python``: jdbpy itself
"""

from jdbpy.cli.commands.names import NAMES
from jdbpy.cli.table import TABLE

TABLE.hold(__name__, NAMES)

__all__ = ["TABLE"]
