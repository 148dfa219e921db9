"""Conditions of breakpoints and values of logpoints that the target itself computes, at the speed of its code.

* ``instrumentation``: the component ``session.instrumentation``: what is put into the target, when, and taken out
* ``installing``: the way of a condition into the target, step by step
* ``code_changes``: classes given checks, or their own code again, while all other breakpoints stay in effect
* ``sites``: one place of a breakpoint there, and what a hit of it is
* ``rings``: what the target keeps, read while everything runs; ``log_sites``: places whose hits are kept;
  ``trace_sites``: methods whose entries and exits are; ``call_sites``: methods whose calls the target observes;
  ``call_logs``: what it counts of them, ``call_records``: calls that it keeps one by one
* ``standing``: frames that are in a class already, for which its code must stay as it is
* ``stopping``: threads that have stopped in such a frame, or may be about to
* ``in_thread``: a thread that comes to a place, and what it is needed for: classes defined, class files, method handles
* ``host_class``: class files on this machine
* ``originals``: the code that classes had, kept in the target; what a debugger that was killed has left there

``weaving`` makes the class files; ``target.changed_code`` has the part of this that lower floors need.
"""
