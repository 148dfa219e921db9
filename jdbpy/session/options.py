"""What a session can be told when it is opened."""

from __future__ import annotations

from jdbpy.record import Record


class Options(Record):
    """Options of a session.

    ``source_path``: directories and jars in which sources are looked for. ``wire_log``: a file for the readable log of
    every packet. ``read_only``: no command that changes or suspends the target leaves; ``allow_suspend`` permits to
    suspend in it. ``audit``: a file to which a line is appended for each packet that changes or suspends the
    target. ``max_suspend``: seconds after which what is suspended is resumed, while the user does nothing
    (``Session.touch``). ``hold``: "thread" or "all", what a breakpoint suspends unless it says
    so itself; "" decides by where the JVM is. ``excludes``: step filters in place of the default ones.
    """

    source_path: tuple[str, ...] = ()
    wire_log: str | None = None
    read_only: bool = False
    allow_suspend: bool = False
    audit: str | None = None
    hold: str = ""
    max_suspend: float | None = None
    excludes: tuple[str, ...] | None = None
