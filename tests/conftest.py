"""Fixtures that every test may ask for; the rest of the harness is imported: ``from tests.harness import ...``."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.harness.jvms import Jvm, describe, test_jvms
from tests.harness.targets import reserved_port
from tests.harness.wire_coverage import (
    pytest_configure as pytest_configure,
    pytest_runtest_setup as pytest_runtest_setup,
    pytest_sessionfinish as pytest_sessionfinish,
    pytest_terminal_summary as pytest_terminal_summary,
)

for _number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
    if signal.getsignal(_number) is signal.SIG_IGN:  # under nohup, or in the background: what tests start inherits it
        signal.signal(_number, signal.default_int_handler if _number == signal.SIGINT else signal.SIG_DFL)

settings.register_profile(
    "jdbpy", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("jdbpy")  # the same examples each time, however busy the machine is


@pytest.fixture(scope="session", params=test_jvms(), ids=describe)
def jvm(request: pytest.FixtureRequest) -> Jvm:
    """Each distinct Java version of the machine: a test that asks for it runs once on every one."""
    chosen: Jvm = request.param
    return chosen


@pytest.fixture(scope="session")
def any_jvm() -> Jvm:
    """One runtime, for tests of what does not depend on its version."""
    return test_jvms()[0]


@pytest.fixture(scope="session")
def newest_jvm() -> Jvm:
    """The newest runtime, for tests of what older ones do not have: virtual threads, the decimals of today."""
    newest = max(test_jvms(), key=lambda jvm: jvm.feature)
    assert newest.feature >= 21
    return newest


@pytest.fixture
def port() -> Iterator[int]:
    """A port that is free: where nothing listens, or one JVM after the other."""
    with reserved_port() as number:
        yield number
