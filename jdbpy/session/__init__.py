"""The operations of a debugger: JVM TI operations, requests, stops, suspend counts, frames, values, classes,
expressions.

It returns plain data, prints nothing and knows no command line. Its packages and modules stand on floors; imports point
down only (``tests/test_layers.py``). From the ground up:

* ``concurrency``: helpers over trio: running side by side
* ``java``: Java without a target: names, types, arithmetic, literals, class files, bytecode, source maps; pure
* ``model``: the plain data that front ends get
* ``local``: this machine: Java runtimes, tunnels
* ``jvm``: what is known of a VM's code: types, members, lines
* ``extension``: how one part hangs on to what happens in others
* ``events``: what comes in from one VM, and what may run in it: requests, stops, suspend counts, threads, frames
* ``sources``: source files, and classes on this machine
* ``values``: from objects to what is shown; writing values; stacks, frames, variables of frames
* ``execution``: resuming, suspending, stepping, what a stop shows
* ``breakpoints``: all that has a number and stops or reports
* ``eval``: Java expressions, from text to values described
* ``calls``: the component ``session.observer``: calls observed while the target runs
* ``inspect``: what else can be read of a target: classes, threads, locks, the heap, the VM
* ``profile``: the component ``session.profiler``
* ``hotswap``: code replaced
* ``recorded``: calls that were recorded line by line, read; pure
* ``in_target``: conditions, logpoints and calls that the target itself computes; ``snapshots``: the target in a file
* ``answer_stream``: the stream of a connection whose peer is in this process
* ``without_agent``: a JVM without the debugger agent, by HotSpot's attach socket
* ``class_dump``: class files of what runs
* ``packets``: packets of other sessions, out of captures and recordings
* ``testing``: where tests fail
* ``watchdog``: what gets a target running again when its user does not
* ``components``: what can be done to a target, each part loaded when it is first used
* ``session``: the session, with all components
* ``clients``: several clients of one session
* ``connect``: the ways to a session: attach, listen, launch
"""
