"""The garbage collector is held back in a block, and as it was behind it."""

from __future__ import annotations

import gc

import pytest

from jdbpy.garbage import no_collection


@pytest.mark.parametrize("on", [True, False])
def test_it_is_as_it_was_afterwards(on: bool) -> None:
    before = gc.isenabled()
    (gc.enable if on else gc.disable)()
    try:
        with pytest.raises(LookupError, match="mine"), no_collection():
            assert not gc.isenabled()
            raise LookupError("mine")
        assert gc.isenabled() is on
    finally:
        (gc.enable if before else gc.disable)()
