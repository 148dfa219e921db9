"""A JVM that takes its time to report its start, or a debugger that takes its time to hear of it."""

from __future__ import annotations

import pytest

import jdbpy
from jdbpy.session.connect import attach
from tests.harness import Jvm, program


async def test_a_launched_jvm_stands_at_its_start_however_busy_the_machine_is(
    jvm: Jvm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No threads of it are taken for ones that an earlier debugger has left suspended."""
    monkeypatch.setattr(attach, "START_LIMIT", 0.0)
    command = jdbpy.LaunchCommand(["-cp", program("Hello").classes, "Hello"], java=jvm.java)
    async with jdbpy.launch_session(command) as session:
        assert session.last_stop is not None and session.last_stop.reason is jdbpy.StopReason.START
        assert session.suspended_everything
