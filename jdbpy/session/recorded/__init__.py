"""Calls of one method that were recorded: every line, every store; read after the fact. Pure.

* ``points``: the points of a method at which something is recorded; ``stack_sources``: whose field is written
* ``kept_values``: values, read from what the target has kept; ``expressions``: Java expressions over these
* ``call``: a recorded call: its lines, its writes, the values at any line; ``cursor``: a place in it, forward and back
* ``junit``: a call as a test; ``java_source``: values as source; ``shapes``: how objects of a class are made in source
* ``comparing``: two calls, and many; ``keeping``: files of them; ``telling``: all this as plain data
"""
