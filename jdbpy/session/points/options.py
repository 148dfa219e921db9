"""What every point may be given beside its subject: what it suspends, how often, and what it is limited to."""

from __future__ import annotations

from jdbpy.record import Record
from jdbpy.session.model import SuspendPolicy
from jdbpy.session.tracing.model import Reporting


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
