"""The parts of the protocols that the suite uses on real JVMs: counted in each run, printed at its end, required of a
whole run.

Counted are the tests that ask for ``jvm``: commands that were answered without an error, kinds of events that arrived,
kinds of modifiers that a request was taken with; of the Debug Adapter Protocol the requests of its published schema
that were answered with success, those that the adapter sends, and the events. Workers write what they have seen to
files, and the process that leads the run adds them up. Of JDWP all is required on each of the Java versions that every
test of the session runs on; of those that only the tests marked ``every_java`` run on, the figures are printed. Of the
Debug Adapter Protocol all is required on any version, since a test of a front end runs on one.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from jdbpy.wire.command import all_commands
from jdbpy.wire.connection import Connection
from jdbpy.wire.messages import event, event_request
from jdbpy.wire.pending import Pending
from tests.dap.schema import all_names
from tests.harness.jvms import test_jvms

_SEEN_IN = Path(__file__).resolve().parents[2] / "build" / "wire-coverage"

CANNOT = {
    "17": {"ThreadReference.IsVirtual": "came with JDK 21", "PlatformThreadsOnly": "came with JDK 21"},
}
"""What a version of Java cannot answer, and why."""

DAP_CANNOT = {
    "goto": "the agent cannot move a thread to another place of its method",
    "gotoTargets": "no goto",
    "event module": "the agent reports no modules that are added; the request lists them",
}
"""Messages of the Debug Adapter Protocol that are not served, and why."""

_NOT_SENT_BY_US = {"Event.Composite"}
_NOT_EVENTS = {"Event", "UnknownEvent", "ThreadEvent", "LocatableEvent", "MonitorEvent", "FieldEvent"}

_seen: defaultdict[str, set[str]] = defaultdict(set)
_current = ""


def saw(name: str) -> None:
    """A message of the Debug Adapter Protocol was answered, or came."""
    if _current:
        _seen[_current].add(f"DAP {name}")


def expected_of_dap() -> set[str]:
    """All messages of the Debug Adapter Protocol but those that cannot be."""
    return {f"DAP {name}" for name in all_names() - set(DAP_CANNOT)}


def expected() -> set[str]:
    """Names of all commands that a debugger sends, all kinds of events, all modifiers."""
    commands = {command.NAME for command in all_commands()} - _NOT_SENT_BY_US
    modifiers = {kind.__name__ for kind in _choices(event_request.Modifier)}
    events = {kind.__name__ for kind in _choices(event.Event)} - _NOT_EVENTS
    return commands | {f"event {name}" for name in events} | modifiers


def _choices(base: type) -> set[type]:
    found: set[type] = set(base.__subclasses__())
    return found.union(*(_choices(each) for each in found)) if found else found


def pytest_runtest_setup(item: pytest.Item) -> None:
    global _current
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    chosen = parameters.get("jvm")
    _current = str(chosen.feature) if chosen is not None else ""


def pytest_configure(config: pytest.Config) -> None:
    """Listens to every connection of this process."""
    settle, next_event = Pending.settle, Connection.next_event

    def settled(self: Any, answer: Any) -> None:
        if _current and getattr(answer, "error", None) == 0:
            _seen[_current].add(self.command.NAME)
            for modifier in getattr(self.command, "modifiers", ()):
                _seen[_current].add(type(modifier).__name__)
        settle(self, answer)

    async def event_taken(self: Connection) -> Any:
        composite = await next_event(self)
        if _current:
            _seen[_current].update(f"event {type(each).__name__}" for each in composite.events)
        return composite

    Pending.settle = settled  # type: ignore[method-assign]
    Connection.next_event = event_taken  # type: ignore[method-assign]
    if not hasattr(config, "workerinput") and _SEEN_IN.is_dir():
        for file in _SEEN_IN.glob("*.json"):
            file.unlink()


@pytest.hookimpl(trylast=True)  # when the workers have ended, and written what they have seen
def pytest_sessionfinish(session: pytest.Session) -> None:
    _SEEN_IN.mkdir(parents=True, exist_ok=True)
    name = os.environ.get("PYTEST_XDIST_WORKER", "main")
    seen = {version: sorted(names) for version, names in _seen.items()}
    (_SEEN_IN / f"{name}.json").write_text(json.dumps(seen), encoding="utf-8")
    config = session.config
    if hasattr(config, "workerinput"):
        return
    for file in _SEEN_IN.glob("*.json"):
        for version, names in json.loads(file.read_text(encoding="utf-8")).items():
            _seen[version].update(names)
    if (
        _is_whole(config)
        and session.exitstatus == 0
        and (any(missing(version) for version in required()) or missing_of_dap())
    ):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    for version in sorted(_seen, key=int):
        have, lacking = expected() & _seen[version], missing(version)
        terminalreporter.write_line(
            f"wire coverage, Java {version}: {len(have)} of {len(expected())} commands, events and modifiers were used"
        )
        dap = expected_of_dap()
        terminalreporter.write_line(f"DAP coverage, Java {version}: {len(dap & _seen[version])} of {len(dap)} messages")
        for name, why in CANNOT.get(version, {}).items():
            terminalreporter.write_line(f"  cannot be: {name}, {why}")
        if lacking and _is_whole(config) and version in required():
            terminalreporter.write_line(f"  MISSING, and the run fails for it: {', '.join(sorted(lacking))}")
    if _is_whole(config) and missing_of_dap():
        names = ", ".join(sorted(missing_of_dap()))
        terminalreporter.write_line(f"MISSING on all versions, and the run fails for it: {names}")


def required() -> set[str]:
    """Return the Java versions on which a whole run has to use everything: those that every test runs on."""
    return {str(jvm.feature) for jvm in test_jvms()}


def missing(version: str) -> set[str]:
    """What should have been used on this version and was not."""
    return expected() - _seen[version] - set(CANNOT.get(version, {}))


def missing_of_dap() -> set[str]:
    """What of the Debug Adapter Protocol should have been used and was not."""
    return expected_of_dap().difference(*_seen.values())


def _is_whole(config: pytest.Config) -> bool:
    """Whether the whole suite was asked for."""
    options = ("keyword", "markexpr", "maxfail", "lf")
    narrowed = any(config.getoption(option, None) for option in options)
    return not narrowed and list(config.args) == [str(path) for path in config.getini("testpaths")]
