"""Holding back the garbage collector while very many records are made at once.

Python looks for garbage each time so many more objects have been made than freed. Tens of thousands of records out of
one reply are no garbage, and looking takes as long as making them. Owns nothing but the switch.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
