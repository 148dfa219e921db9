"""No looking for garbage while a front end starts: nothing of what is imported is any, and the looking takes a tenth.

Owns when the collector rests at the start: from before the first large import until there is a session.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def without_collection(start: Callable[[], T]) -> T:
    """Calls what imports and runs a front end; the collector rests until ``loaded``, at the latest until its end."""
    gc.disable()
    try:
        return start()
    finally:
        gc.enable()


def loaded() -> None:
    """What was loaded stays for good; from now on there may be garbage."""
    gc.freeze()
    gc.enable()
