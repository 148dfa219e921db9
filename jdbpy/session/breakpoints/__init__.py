"""Breakpoints: how places are written, what they mean in the target, and how they get there.

* ``location_spec`` reads a place as the user writes it; ``places`` finds it in loaded classes.
* ``breakpoint`` is one numbered breakpoint; ``placement`` puts it into the target, now and when classes come later.
* ``component`` is what the session shows: setting, listing, removing, and what happens at a hit.
* ``conditions`` is what a hit asks of the evaluator.
"""

from jdbpy.session.breakpoints.component import Breakpoints

__all__ = ["Breakpoints"]
