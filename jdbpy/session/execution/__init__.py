"""Running and stopping: resume, pause, steps, until, forced returns and popped frames; what a stop shows.

* ``execution``: the component, which puts the others together
* ``resuming``: resume, suspend and pause
* ``stepping``: steps and ``until``; ``returned``: the value that a method returns at the end of a step
* ``unwinding``: forced returns and popped frames
* ``waiting``: stops that wait to be shown, and what follows for their threads
* ``stops``: from the votes on an event to the ``Stopped`` that front ends show
"""
