"""Fixtures that every test may ask for; the rest of the harness is imported: ``from tests.harness import ...``."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator

import pytest
import trio
from hypothesis import HealthCheck, settings

from jdbpy.session.execution.stops import StopPrefetch
from tests.harness.jvms import Jvm, describe, jvms_of, test_jvms
from tests.harness.processes import heed_signals
from tests.harness.targets import reserved_port
from tests.harness.wire_coverage import (
    pytest_configure as pytest_configure,
    pytest_runtest_setup as pytest_runtest_setup,
    pytest_sessionfinish as pytest_sessionfinish,
    pytest_terminal_summary as pytest_terminal_summary,
)

heed_signals()

pytest_plugins = ("tests.harness.java_minutes", "tests.harness.quick")


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """Two workers a processor (``-n auto``): many tests wait for a link, or for a target that starts."""
    workers = yield
    return workers if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else 2 * workers


settings.register_profile(
    "jdbpy", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("jdbpy")  # the same examples each time, however busy the machine is


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for ``jvm`` once on every Java version that it is for: see ``jvms_of``."""
    if "jvm" in metafunc.fixturenames:
        marks = {mark.name for mark in metafunc.definition.iter_markers()}
        chosen = jvms_of(metafunc.definition.nodeid, marks)
        metafunc.parametrize("jvm", chosen, ids=describe, indirect=True, scope="session")


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Leave the thousands of tests out of all later collections of garbage, which would look through them each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
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


@pytest.fixture
def nothing_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is asked ahead behind a stop, for tests that count trips: on a busy machine a link counts as slow."""

    async def run(looks: StopPrefetch) -> None:
        await trio.sleep_forever()

    monkeypatch.setattr(StopPrefetch, "run", run)
