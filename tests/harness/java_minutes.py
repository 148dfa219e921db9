"""A plugin of pytest: the minutes that the tests of each Java version took, printed at the end of a run.

They are the minutes of all workers added up, set-up and teardown of the tests included. What asks for no ``jvm`` is
counted as the rest. The process that leads the run adds up the reports that it gets in any case.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

import pytest

_VERSION = "java"
_REST = "the rest"

_seconds: defaultdict[str, float] = defaultdict(float)
_tests: Counter[str] = Counter()


def pytest_runtest_setup(item: pytest.Item) -> None:
    jvm = getattr(getattr(item, "callspec", None), "params", {}).get("jvm")
    if jvm is not None:
        item.user_properties.append((_VERSION, str(jvm.feature)))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    version = str(dict(report.user_properties).get(_VERSION, _REST))
    _seconds[version] += report.duration
    _tests[version] += report.when == "call"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if line := minutes(_seconds, _tests):
        terminalreporter.write_line(line)


def minutes(seconds: Mapping[str, float], tests: Mapping[str, int]) -> str:
    """Return the line of a run; "" if no test ran on any version."""
    versions = sorted((each for each in seconds if each != _REST), key=int)
    if not versions:
        return ""
    shown = [f"Java {each} {seconds[each] / 60:.1f} ({tests[each]} tests)" for each in versions]
    if _REST in seconds:
        shown.append(f"{_REST} {seconds[_REST] / 60:.1f} ({tests[_REST]})")
    return f"minutes of all workers together: {', '.join(shown)}"
