"""Argument types: how each kind of argument is parsed and completed.

* ``base``: their base, and plain forms; ``code``: expressions, as they are typed; ``values``: values and formats
* ``location``: places in code, methods, classes and their files; ``condition``, ``logpoint``: what belongs to one
* ``points``: what catchpoints, watchpoints and traces are about; ``tail``: the filters behind them
* ``calls``: methods whose calls are observed; ``recording``: those that are recorded
* ``mbeans``: an MBean and what is wanted of it; ``repeating``: how often something is shown, and for how long
* ``hits``: which decisions about hits; ``target``: threads, frames, classes, breakpoints; ``vm``: the rest
* ``profiling``: what is profiled
* ``commands``: commands and settings; ``jvms``: several JVMs; ``screen``: panes
"""
