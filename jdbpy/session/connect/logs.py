"""The files that a session writes as it goes: the log of its packets, and a recording."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from jdbpy.session.model.options import Options
from jdbpy.wire.wirelog import open_wire_log

if TYPE_CHECKING:
    from jdbpy.session.snapshots.recording import SessionRecorder
    from jdbpy.wire.wirelog import WireLog


@contextmanager
def wire_log(options: Options) -> Iterator[WireLog | None]:
    """The log that the options ask for. Raises UsageError."""
    if not options.wire_log:
        yield None
        return
    with open_wire_log(options.wire_log) as log:
        yield log


@contextmanager
def recorder_of(options: Options, name: str) -> Iterator[SessionRecorder | None]:
    """The recorder that the options ask for. Raises UsageError."""
    if not options.record:
        yield None
        return
    from jdbpy.session.snapshots.recording import recording

    with recording(options.record, name) as recorder:
        yield recorder
