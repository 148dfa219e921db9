"""The operations of a debugger: JVM TI operations, requests, stops, suspend counts, frames, values, classes,
expressions.

It returns plain data, prints nothing and knows no command line. Its packages and modules stand on floors; imports point
down only (``tests/test_layers.py``). From the ground up:

* ``concurrency``: helpers over trio: running side by side
* ``java``: Java without a target: names, types, arithmetic, literals, class files, bytecode, source maps; pure
* ``weaving``: class files changed so that conditions run inside the target; pure
* ``model``: the plain data that front ends get
* ``local``: this machine: Java runtimes, tunnels
* ``target``: what is known of one VM, and how it is read: events, suspend counts, caches, threads, frames
* ``sources``: source files, and classes on this machine
* ``values``: from objects to what is shown; writing values
* ``stack``: the component ``session.stack``: stacks, frames, variables of frames
* ``locks``: monitors, locks, deadlocks
* ``execution``: resuming, suspending, stepping, what a stop shows
* ``breakpoints``: all that has a number and stops or reports
* ``eval``: Java expressions, from text to operands
* ``expressions``: the component ``session.values``: expressions with their values described, views of the user
* ``calls``: the component ``session.observer``: calls observed while the target runs
* ``classes``, ``modules``, ``vm``, ``threads``, ``heap``, ``hotswap``, ``moments``: further components
* ``instrumentation``: conditions that the target itself computes; ``snapshots``: the target in a file
* ``packets``: packets of other sessions, out of captures and recordings
* ``watchdog``: what gets a target running again when its user does not
* ``session``: the session, with all components
* ``clients``: several clients of one session
* ``connect``: the ways to a session: attach, listen, launch
"""
