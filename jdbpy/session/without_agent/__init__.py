"""JVMs without the debugger agent, inspected over HotSpot's attach socket. ``connect.without_agent`` opens sessions.

Such a session uses the same code as one with the agent: a peer answers its JDWP commands from thread dumps, so no
command needs a second implementation. Diagnostic commands go over the socket: ``Target.diagnostics``
(``events.target``) is set, and ``inspect.hotspot.run_diagnostic_command`` uses it. Everything built on that function,
such as histograms, works here too.

* ``attach_socket``: the client of the socket; also the program that is sent to the JVM's machine
* ``channels``: ways to the socket: from this process, as another user, on another machine
* ``thread_dump``: the parser of thread dumps; ``types``: the classes that dumps mention, in JDWP terms
* ``peer``: answers JDWP commands; ``guard``: refuses the commands that cannot be answered
* ``diagnostics``: diagnostic commands, flags, heap dumps
"""
