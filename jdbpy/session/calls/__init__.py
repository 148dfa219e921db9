"""Calls of methods, observed while the target runs: arguments, results, exceptions, time.

* ``observer``: the component; ``observation``: what the three kinds of observation have in common
* ``each_call``: each call by itself; ``call_stats``: statistics; ``call_trees``: what is called inside
* ``backend``: the interface of a means of observing: breakpoints (``breakpoint_backend``), or code in the target, which
  ``in_target.call_sites`` puts there
* ``pending_calls``: pairs entries with ends, by thread; pure
* ``call_reader``: conditions and values at the end of a call; ``expressions``: what may be asked there
* ``tree_breakpoints``: the calls in a method's code, and breakpoints around them
* ``statistics``, pure: what calls come to, quantiles, and folded by line
"""
