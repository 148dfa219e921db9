"""The length of a round trip, and the lengths from which on prefetching pays.

Two estimates serve two purposes. ``round_trip`` is the shortest trip so far: what the link takes at best, which a busy
machine does not make longer. It decides once and for all whether the link is slow, so that two runs show the same.
``recent`` follows the trips of the last hits, upwards too: the reads of the next hit are timed by it.

There are two thresholds because prefetches differ in cost. One for a stop is several large commands, most of which
may be in vain: ``HIGH``. The reads of the next hit of a breakpoint in a loop are two small ones, and nearly always
right; each saves the loop a trip: ``HIGH_FOR_HITS``.
"""

from __future__ import annotations

HIGH = 0.005
"""The round trip from which on the link counts as slow, in seconds."""

HIGH_FOR_HITS = 0.002
"""The round trip from which on the next hit is read before it has come in, in seconds."""

_RISE = 1.1
"""The factor by which the recent round trip may rise with each trip."""


class Latency:
    """The estimates of one connection, in seconds."""

    def __init__(self, round_trip: float) -> None:
        """``round_trip`` is what the handshake took; 0 for a JVM that was launched here."""
        self.round_trip = round_trip
        self.recent = 0.0
        self.is_none = False
        """True for a recording that is played: what it takes to answer says nothing of a link, and it has no answer to
        what was not asked then."""

    @property
    def is_high(self) -> bool:
        """True if what a stop may need is to be prefetched."""
        return self.round_trip > HIGH and not self.is_none

    @property
    def is_high_for_hits(self) -> bool:
        """True if the reads of the next hit are to be sent before it has come in."""
        return self.recent > HIGH_FOR_HITS and not self.is_none

    def trip_took(self, seconds: float) -> None:
        """Take note of a trip: the handshake of a near target that was busy may have taken longer than its way."""
        self.round_trip = min(self.round_trip, seconds)

    def hit_read_took(self, seconds: float) -> None:
        """Take note of a trip that has read what a condition needs of a hit."""
        self.recent = min(seconds, self.recent * _RISE) if self.recent else seconds
