"""The plain data that the session hands to front ends: no methods that speak to the target, nothing to print.

Names are those of JDI and JVM TI; numbers that people see (frames, breakpoints) start at 1. Class names are Java's
(``java.util.Map$Entry``), types are spelled as in source (``int[]``), ids are the agent's object ids. A record can be
kept after the target has moved on; using it to ask for more is then a ``StateError``.

* ``options``: what can be asked of a session, a breakpoint, a step, a call
* ``events``: what happens to a target: stops, notices, output, the end
* ``threads``: threads, frames, places in code, stack traces
* ``values``: values, variables, how much of them is read, formats
* ``kinds``: the kinds of breakpoints, and the reasons of stops; ``words``: what front ends call these
* ``breakpoints``: breakpoints and other points; ``tracing``: what those that report come to; ``calls``: observed calls
* ``classes``: classes and their members; ``code``: bytecode and constant pools; ``strata``: source maps
* ``decisions``: what was decided about hits, and why
* ``locks``, ``heap``, ``modules``, ``hotswap``: what these components tell
* ``vm``: the VM as a whole; ``snapshots``: what is known of one in a file; ``moments``: one at a moment, to be compared
* ``operating``: what an operator asks: the load, loggers, MBeans, files that were fetched
* ``testing``: what is told of a test that fails
* ``recorded``: calls that were recorded line by line
* ``packets``: what captures and recordings hold
* ``instrumentation``: what a session has put into the target's code

Those of special subjects are public as namespaces, ``jdbpy.heap``; so some files are short.
"""
