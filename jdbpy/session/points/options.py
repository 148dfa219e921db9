"""What every point may be given beside its subject: what it suspends, how often, and what it is limited to."""

from __future__ import annotations

from jdbpy.session.model import SuspendPolicy
from jdbpy.wire.record import Record


class Reporting(Record):
    """How a point reports that stops nothing, and when it is enough.

    ``stack`` is how many frames a report has. ``limit`` is the most reports a second (None: all, 0: hits are only
    counted); what is left out is said. ``file`` is the path that reports are appended to, instead of being published.
    After ``most`` hits the point is switched off (0: never); so it is when its hits take more than ``cost`` percent of
    the target's time, as far as the debugger can tell: hits a second, times what one costs (0: never). With
    ``hold=False`` nothing is suspended, not even for as long as it takes to read something: what is told is what the
    events themselves carry.
    """

    stack: int = 0
    limit: int | None = None
    file: str = ""
    most: int = 0
    cost: int = 0
    hold: bool = True


class PointOptions(Record):
    """How a point behaves, and the filters that the target itself applies.

    ``policy`` is what a hit suspends: by default everything, on a remote target the thread that hits; NONE publishes a
    notice and goes on. ``ignore`` hits pass first; a ``temporary`` point goes after its hit; ``condition`` is a boolean
    Java expression in the frame of the hit. The filters: ``thread`` (an id), ``instance`` (the id of the object that
    must be ``this``; of a watchpoint the object whose field it is), ``classes`` and ``excludes`` (patterns of the class
    whose code it happens in, one ``*`` at the start or end; ``Order+`` is that class and its subclasses).

    What the debugger decides, beside the condition: ``callers`` are patterns of classes or methods, one of which must
    fit a frame above that of the hit (``points.callers``); ``hits`` says which hits count, ``"== 3"``, ``">= 10"``,
    ``"% 100"`` (``points.hit_count``); ``after`` is the number of a point that must be hit first, and with
    ``after_each`` again after every hit of this one.

    A hit has a number, from 1, when it passes the filters, comes from a fitting caller and its condition holds. Its
    number must then fit ``hits``, and of those that do, the first ``ignore`` pass.

    ``log`` makes a logpoint of it: each hit reports this text, in which ``{...}`` are Java expressions, and the thread
    goes on. ``reporting`` is for these, and for all that the policy NONE makes report.
    """

    policy: SuspendPolicy | None = None
    temporary: bool = False
    condition: str = ""
    ignore: int = 0
    thread: int | None = None
    instance: int | None = None
    classes: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    callers: tuple[str, ...] = ()
    hits: str = ""
    after: int | None = None
    after_each: bool = False
    log: str = ""
    reporting: Reporting = Reporting()


NO_OPTIONS = PointOptions()
