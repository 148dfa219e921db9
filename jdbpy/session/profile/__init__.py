"""Profiles of a running target: by its own flight recorder, or by sampling its stacks.

* ``component``: the component ``session.profiler``: picks the method and returns the result
* ``recorder``: a recording of the flight recorder: started, stopped, fetched, removed
* ``left_behind``: recordings that a killed debugger has left running, and their names
* ``method_timing``: the times of methods as the JVM itself takes them
* ``stack_samples``: a profile from samples of all stacks
"""
