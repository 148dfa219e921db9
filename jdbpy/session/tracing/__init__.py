"""Points that report and go on: how many of their hits are told, where to, and what they come to.

* ``meter`` is the pace of one point: reports a second, hits in all, what they cost.
* ``reports`` makes notices of hits; ``log_file`` is where they may go instead.
"""
