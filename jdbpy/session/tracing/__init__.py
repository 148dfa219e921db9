"""Points that report and go on: how many of their hits are told, where to, and what they come to.

* ``meter`` is the pace of one point: reports a second, hits in all, what they cost.
* ``sieve`` takes events where packets come in that only have to be counted; ``tally`` is what they are counted in.
* ``reports`` makes notices of hits; ``log_file`` is where they may go instead.
* ``summary`` says what a tally comes to.

This package's own names are its plain data, public as ``jdbpy.tracing``.
"""

from jdbpy.session.tracing.model import MethodTally, TraceSummary, ValueCount

__all__ = ["MethodTally", "TraceSummary", "ValueCount"]
