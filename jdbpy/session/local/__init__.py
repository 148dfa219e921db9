"""This machine: what can be said of it without a target.

* ``java_home``: finding a Java runtime
* ``sockets``: sockets and threads of a process; ``agent_socket``: which socket of a JVM is its agent's
* ``tunnel``: the process at the other end of a connection to this machine: a JVM, or a tunnel to one elsewhere
"""
