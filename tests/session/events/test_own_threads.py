"""Threads of the debugger's own: one that the target collects before it is pinned is made again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from jdbpy.errors import JdwpError
from jdbpy.session.events.own_threads import OwnThread, OwnThreads
from jdbpy.wire.constants import Error
from jdbpy.wire.error_text import jdwp_error


class Maker:
    """Fails so often, with this error, before a thread is made."""

    def __init__(self, failures: int, error: Error) -> None:
        self.left, self.error, self.tries = failures, error, 0

    def forbidden(self) -> str:
        return ""

    async def make(self, target: object) -> OwnThread:
        self.tries += 1
        if self.tries <= self.left:
            raise jdwp_error(self.error)
        return OwnThread(7)

    async def prepare(self, target: object, thread: int) -> int:
        return 1


@pytest.mark.parametrize(("failures", "error", "tries"), [(2, Error.INVALID_OBJECT, 3), (1, Error.VM_DEAD, 1)])
async def test_a_thread_that_was_collected_is_made_again(failures: int, error: Error, tries: int) -> None:
    suspension = SimpleNamespace(evaluating=set(), stopped_by_event=lambda thread: True)
    threads = OwnThreads(cast(Any, SimpleNamespace(suspension=suspension)))
    threads.maker = maker = Maker(failures, error)
    if error is Error.INVALID_OBJECT:
        assert (await threads.get()).id == 7
    else:
        with pytest.raises(JdwpError):
            await threads.get()
    assert maker.tries == tries
