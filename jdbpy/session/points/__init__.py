"""Points: everything that has a number and stops the target or reports from it.

Breakpoints, catchpoints, watchpoints and traces share one row of numbers, one listing, one way to be switched on and
off, and one rule for what a hit means.

* ``point`` is one of them, whatever its kind; ``component`` keeps them all and holds the rule of a hit.
* ``conditions`` is what a hit asks of the evaluator.
* ``event_point`` is a point made of event requests; ``filters`` turns what it is limited to into modifiers.
* ``class_watch`` tells of the classes that a name means, those of today and those of later.
* ``telling`` words what happened for points that report and suspend nothing.
* ``exceptions``, ``fields``, ``methods``, ``monitors`` and ``lifecycle`` are the kinds; ``catchpoints``,
  ``watchpoints`` and ``traces`` are how a session sets them. Breakpoints have a package of their own.
"""
