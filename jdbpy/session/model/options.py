"""Options of a session and of a call, as plain data; those of a breakpoint are in ``breakpoints``."""

from __future__ import annotations

from enum import StrEnum

from jdbpy.record import Record


class Options(Record):
    """Options of a session.

    ``source_path``: directories and jars in which sources are looked for. ``wire_log``: a file for the readable log of
    every packet. ``read_only``: no command that changes or suspends the target leaves; ``allow_suspend`` permits to
    suspend in it. ``audit``: a file to which a line is appended for each packet that changes or suspends the
    target. ``max_suspend``: seconds after which what is suspended is resumed, while the user does nothing
    (``Session.touch``). ``hold``: "thread" or "all", what a breakpoint suspends unless it has a
    policy; "" decides by where the JVM is. ``excludes``: step filters in place of the default ones. ``record``: a
    new file for all packets of the session, which ``replay_session`` plays again. ``in_target``: "auto",
    "eager", "ask" or "off", which conditions the target computes itself (``Instrumentation.mode``). ``decisions``: a
    file for a line about each hit, what was decided and why; "-" is standard error.
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
    in_target: str = "auto"
    decisions: str | None = None


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
