"""The rests of Python's collector: nothing of what is imported, or of a long list that is being made, is garbage.

Looking for it takes a tenth of the start, and most of the time of reading 100,000 elements. Owns when the collector
rests at the start, from before the first large import until there is a session, and while long lists are made.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar


@contextmanager
def no_collection() -> Iterator[None]:
    """Garbage is not looked for in the block, which must not wait for anything; afterwards it is if it was before."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


_resting = 0  # blocks of ``rare_collection`` that are under way
_usual = True  # the collector was on before the first of them


@contextmanager
def rare_collection() -> Iterator[None]:
    """Like ``no_collection``, for a block that waits for what it makes: that of a list whose length is limited."""
    global _resting, _usual
    if not _resting:
        _usual = gc.isenabled()
        gc.disable()
    _resting += 1
    try:
        yield
    finally:
        _resting -= 1
        if not _resting and _usual:
            gc.enable()


T = TypeVar("T")


def without_collection(start: Callable[[], T]) -> T:
    """Calls what imports and runs a front end; the collector rests until ``loaded``, at the latest until its end."""
    gc.disable()
    try:
        return start()
    finally:
        gc.enable()


def loaded() -> None:
    """Take note that loading is over: what was loaded stays for good; from now on there may be garbage."""
    gc.freeze()
    gc.enable()
