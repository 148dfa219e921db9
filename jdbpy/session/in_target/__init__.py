"""Conditions of breakpoints and values of logpoints that the target itself computes, at the speed of its code.

* ``component``: the component ``session.instrumentation``: what is put into the target, when, and taken out
* ``install``: the way of a condition into the target, step by step
* ``class_changes``: classes given checks, or their own code again, while all other breakpoints stay in effect
* ``sites``: one place of a breakpoint there, and what a hit of it is
* ``ring_poller``: what the target keeps, read while everything runs; ``logpoint_sites``: places whose hits are kept;
  ``trace_sites``: methods whose entries and exits are; ``call_sites``: methods whose calls the target observes;
  ``call_counters``: what it counts of them, ``call_records``: calls that it keeps one by one
* ``recorder``: the component ``session.recorder``: calls recorded line by line, and kept; ``recording``: one recording,
  ``record_log``: its records, read; ``held_objects``: the objects that calls were given; ``run_again``: a recorded call
  made once more; ``class_shapes``: what the target tells of classes for source that makes their objects
* ``catching``: who catches an exception that passes a method with such code
* ``change_safety``: frames that are in a class already, for which its code must stay as it is
* ``stopping``: threads that have stopped in such a frame, or may be about to
* ``thread_runner``: a thread that comes to a place, and what it is needed for: classes defined, class files, method
  handles
* ``own_thread``: a thread of the debugger's own made there, in which methods run while the program does
* ``class_files``: class files on this machine
* ``saved_originals``: the code that classes had, kept in the target; what a debugger that was killed has left there

``emit`` makes bytecode of expressions, ``weave`` the class files; ``jvm.changed_code`` has the part of this that lower
floors need.
"""
