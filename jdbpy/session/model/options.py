"""Options of a session, a breakpoint and a call, as plain data."""

from __future__ import annotations

from enum import StrEnum

from jdbpy.record import Record
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.tracing import Reporting


class Options(Record):
    """Options of a session.

    ``source_path``: directories and jars in which sources are looked for. ``wire_log``: a file for the readable log of
    every packet. ``read_only``: no command that changes or suspends the target leaves; ``allow_suspend`` permits to
    suspend in it. ``audit``: a file to which a line is appended for each packet that changes or suspends the
    target. ``max_suspend``: seconds after which what is suspended is resumed, while the user does nothing
    (``Session.touch``). ``hold``: "thread" or "all", what a breakpoint suspends unless it says
    so itself; "" decides by where the JVM is. ``excludes``: step filters in place of the default ones. ``record``: a
    new file for all packets of the session, which ``replay_session`` plays again. ``in_target``: "auto", "ask" or
    "off", which conditions the target computes itself (``Instrumentation.mode``).
    """

    source_path: tuple[str, ...] = ()
    wire_log: str | None = None
    read_only: bool = False
    allow_suspend: bool = False
    audit: str | None = None
    hold: str = ""
    max_suspend: float | None = None
    excludes: tuple[str, ...] | None = None
    record: str | None = None
    in_target: str = "off"


class PointOptions(Record):
    """The behavior of a point, and the filters that the target itself applies.

    ``policy`` is what a hit suspends: by default everything, on a remote target the thread that hits; NONE publishes a
    notice and goes on. ``ignore`` hits pass first; a ``temporary`` point goes after its hit; ``condition`` is a boolean
    Java expression in the frame of the hit. The filters: ``thread`` (an id), ``instance`` (the id of the object that
    must be ``this``; of a watchpoint the object whose field it is), ``classes`` and ``excludes`` (patterns of the class
    whose code it happens in, one ``*`` at the start or end; ``Order+`` is that class and its subclasses).

    What the debugger decides, beside the condition: ``callers`` are patterns of classes or methods, one of which must
    fit a frame above that of the hit; ``hits`` says which hits count, ``"== 3"``, ``">= 10"``, ``"% 100"``; ``after``
    is the number of a point that must be hit first, and with ``after_each`` again after every hit of this one.

    A hit has a number, from 1, when it passes the filters, comes from a fitting caller and its condition holds. Its
    number must then fit ``hits``, and of those that do, the first ``ignore`` pass.

    ``log`` makes a logpoint of it: each hit reports this text, in which ``{...}`` are Java expressions, and the thread
    goes on. ``reporting`` is for these, and for all that the policy NONE makes report. One that is not ``enabled`` is
    not set, nor looked for in the target, before it is enabled; with ``tried`` it is set for a moment in which its
    hits do not count, to see whether it can be.

    One that is ``internal`` belongs to a front end and not to its user: its number is negative, it is not listed, and
    other clients of a shared session hear nothing of it.
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
    enabled: bool = True
    tried: bool = False
    internal: bool = False


NO_OPTIONS = PointOptions()


class InvokeRules(Record):
    """The rules for running methods. ``limit`` is in seconds for each call; ``others_run`` lets the other threads run
    meanwhile; ``javac`` lets lambdas and anonymous classes be compiled here and defined in the target.
    """

    limit: float = 10.0
    others_run: bool = False
    javac: bool = False

    def changed(self, limit: float | None, others_run: bool | None) -> InvokeRules:
        """These rules with what is given in place of their own."""
        return InvokeRules(
            self.limit if limit is None else limit,
            self.others_run if others_run is None else others_run,
            self.javac,
        )


class StepDepth(StrEnum):
    INTO = "into"
    OVER = "over"
    OUT = "out"


class StepSize(StrEnum):
    LINE = "line"
    MIN = "min"  # one bytecode instruction
