"""The table of functions that show results: one for each type, wherever the result is declared.

Owns the registry. A command's module declares its results and how they are shown; so what is to be shown has been
registered when a command returns it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from jdbpy.cli.output.pieces import Shown
from jdbpy.cli.settings import Settings

Show = Callable[[Any, Settings], Shown]

_SHOWS: dict[type, Show] = {}

_S = TypeVar("_S", bound=Show)


def shows(*results: type) -> Callable[[_S], _S]:
    """Make a function the one that shows these types of results."""

    def register(function: _S) -> _S:
        for result in results:
            if result in _SHOWS:
                raise ValueError(f"two functions show {result.__name__}")
            _SHOWS[result] = function
        return function

    return register


def shown(result: Any, settings: Settings) -> Shown:
    """Return what a result is shown as. A subclass is shown as its base, if nothing else is declared."""
    for kind in type(result).__mro__:
        if kind in _SHOWS:
            return _SHOWS[kind](result, settings)
    raise LookupError(f"no function shows {type(result).__name__}")


def shown_types() -> list[type]:
    """Return the types that can be shown, as far as their modules are loaded; ``catalog`` loads all."""
    return list(_SHOWS)
