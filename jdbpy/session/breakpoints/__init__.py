"""Breakpoints: how places are written, what they mean in the target, and how they get there.

* ``location_spec`` reads a place as the user writes it; ``places`` finds it in loaded classes.
* ``breakpoint`` is one numbered breakpoint; ``placement`` puts it into the target, now and when classes come later.
* ``component`` is what the session shows: setting and finding them. Numbers, switching and hits are those of all points
  (``jdbpy.session.points``).
"""

from jdbpy.session.breakpoints.component import Breakpoints

__all__ = ["Breakpoints"]
