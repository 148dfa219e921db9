"""Fixtures of the wire's tests."""

from __future__ import annotations

import pytest


@pytest.fixture(params=["generated", "construct"])
def codec(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The codec that connections of the test have."""
    name: str = request.param
    monkeypatch.setenv("JDBPY_CODEC", name)
    return name
