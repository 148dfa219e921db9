"""Methods that are run in virtual threads and pass breakpoints of policy ALL: the thread stays where it stood."""

from __future__ import annotations

import trio

from jdbpy.session.model import SuspendPolicy
from tests.harness import LIMIT, Jvm, debug
from tests.session.test_crowded_calls import counts_agree, next_hit

CALLS = 100


async def test_a_method_that_passes_breakpoints(newest_jvm: Jvm) -> None:
    with trio.fail_after(LIMIT):
        async with debug(newest_jvm, "Fibre") as d:
            for marker in ("here", "inner"):
                await d.session.breakpoints.add(d.at(marker), policy=SuspendPolicy.ALL)
            thread = await next_hit(d.session)
            for _ in range(CALLS):
                assert (await d.session.values.evaluate("outer()", remember=False)).text == "14"
                await counts_agree(d.session)
                assert (await d.session.stack.frames(thread, 0, 1))[0].location.method == "run"
            d.unseen()
            await d.resume()
            await d.wait_exit()
