"""All that has a number and stops the target or reports from it: one row of numbers, one rule for what a hit means.

* ``breakpoint_table``: all of them under their numbers; ``breakpoint_base``: what all kinds have; ``hit_rule``: what
  a hit of one means
* ``hit_log``: what was decided about hits, for who reads it
* ``callers``, ``dependents``: hits that count only below certain callers, or after another point

Breakpoints at lines and methods:

* ``line_breakpoints``: the component; ``location_spec``: how places are written; ``places``: what they mean in the
  target
* ``line_breakpoint``: one of them; ``placement``: putting them into the target, now and when classes are loaded
* ``until_hot``: conditions that are not in the target yet
* ``class_groups``: the classes that they may be in, loaded or not; ``class_watch``: those of the other kinds

Kinds that are made of event requests:

* ``event_point``: what they have in common
* ``catchpoints``: the component; classes, threads and the VM that come and go; ``exceptions``: exceptions
* ``watchpoints``: fields; ``field_accesses``: the code that reads and changes them
* ``traces``: the component; monitors; ``methods``: methods; ``method_places``: methods traced by breakpoints
* ``method_patterns``: which methods a name or a pattern is for, with a cap

Those that report and suspend nothing:

* ``reports``: the text of a hit, to the listeners or a file
* ``hot_places``: reports of what costs the target much; ``slowdown``: what they cost it, measured there
* ``counting_filter``: hits that are only counted; ``hit_statistics``: what they come to; ``summary``: that in words
* ``throttle``: points whose hits suspend threads, while they are only counted
"""
