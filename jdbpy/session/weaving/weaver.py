"""Calls put in front of lines of methods."""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.session.weaving.parts import Place, Woven


def weave(data: bytes, places: Sequence[Place]) -> Woven:
    """Return the class file with a call at each place. Raises MalformedClassFile."""
    raise NotImplementedError
