"""Monitors and locks: who holds them, who waits for them, and threads that wait for each other.

* ``component``: ``session.locks``, which reads them for threads or for one object
* ``reading``: the protocol's questions about monitors, for any number of threads in the same few waves
* ``synchronizers``: the locks of java.util.concurrent, read from the fields of what a thread is parked for
* ``deadlocks``: finds cycles; pure
"""
