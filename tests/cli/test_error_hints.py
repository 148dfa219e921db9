"""The hints for the agent's error codes name only commands that there are."""

from __future__ import annotations

import re

import pytest

from jdbpy.cli.commands import TABLE
from jdbpy.wire.constants import Error
from jdbpy.wire.error_text import jdwp_error

QUOTED = {(error.name, quoted) for error in Error for quoted in re.findall(r"'([^']*)'", jdwp_error(error).hint)}


@pytest.mark.parametrize(("error", "quoted"), sorted(QUOTED))
def test_quoted_commands_exist(error: str, quoted: str) -> None:
    assert TABLE.find(quoted) is not None or quoted.startswith("javac ")


def test_there_are_some() -> None:
    assert ("THREAD_NOT_SUSPENDED", "suspend") in QUOTED
