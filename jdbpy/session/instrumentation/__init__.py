"""Conditions of breakpoints that the target itself computes, at the speed of its code.

* ``instrumentation``: the component ``session.instrumentation``: what is put into the target, when, and taken out
* ``sites``: one place of a breakpoint there, and what a hit of it is
* ``standing``: frames that are in a class already, for which its code must stay as it is
* ``in_thread``: what a thread at an event is needed for: classes defined, class files, method handles
* ``host_class``: class files on this machine
* ``originals``: the code that classes had, kept in the target; what a debugger that was killed has left there

``weaving`` makes the class files; ``target.changed_code`` is what all floors know of them.
"""
