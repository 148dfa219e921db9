"""``./dev test quick``: tests that need no JVM, of the layers below the front ends and of the words at the prompt."""

from __future__ import annotations

import pytest

_PLACES = (
    "tests/wire/",
    "tests/eval/",
    "tests/session/",
    "tests/cli/test_arguments",
    "tests/cli/test_bad_arguments",
    "tests/cli/test_point_arguments",
    "tests/cli/test_signature",
    "tests/cli/test_words",
)
_SLOW = ("tests/session/events/test_leaving",)
_OF_A_JVM = {"jvm", "any_jvm", "newest_jvm"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="only tests of the layers and of arguments that need no JVM")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--quick"):
        return
    kept = [each for each in items if _is_quick(each)]
    config.hook.pytest_deselected(items=[each for each in items if each not in kept])
    items[:] = kept


def _is_quick(item: pytest.Item) -> bool:
    fixtures: set[str] = set(getattr(item, "fixturenames", ()))
    return item.nodeid.startswith(_PLACES) and not item.nodeid.startswith(_SLOW) and not fixtures & _OF_A_JVM
