"""This machine: what can be said of it without a target.

* ``java_home``: finding a Java runtime
* ``tunnel``: the process at the other end of a connection to this machine: a JVM, or a tunnel to one elsewhere
"""
