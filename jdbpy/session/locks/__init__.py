"""Monitors and locks: which threads own them, which wait for them, and threads that wait for each other.

* ``locks``: the component ``session.locks``, which reads them for threads or for one object; deadlocks
* ``reading``: the protocol's questions about monitors, for any number of threads in the same few waves
* ``synchronizers``: the locks of java.util.concurrent, read from the fields of what a thread is parked for
"""
