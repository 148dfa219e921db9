"""Calls of methods, observed while the target runs: arguments, results, exceptions, time.

* ``observer``: the component; ``observation``: what the three kinds of observation have in common
* ``observed_calls``: each call by itself; ``observed_times``: statistics; ``observed_tree``: what is called inside
* ``means``: the interface of a means of observing: breakpoints (``by_breakpoints``), or code in the target, which
  ``instrumentation.call_sites`` puts there
* ``chosen``: which methods a name or a pattern is for, with a cap
* ``open_calls``: pairs entries with ends, by thread; pure
* ``details``: conditions and values at the end of a call; ``expressions``: what may be asked there
* ``tree_means``: the calls in a method's code, and breakpoints around them
* ``statistics``, pure: what calls come to, quantiles, and folded by line
"""
