"""Round trips over a link of 100 ms, as an editor causes them: a hit until ``stopped``, then what it shows there."""

from __future__ import annotations

from benchmarks.bench import TARGETS
from benchmarks.relay import Relay, open_relay
from tests.dap.client import Body, DapClient, dap_client_here
from tests.harness import Jvm, program, start_target

RTT = 0.1
DATA = program("Data", where=TARGETS)


async def look(dap: DapClient, stop: Body) -> None:
    """Ask what an editor asks at a stop: the stack, scopes, then the variables of each that is cheap."""
    frames = await dap.frames(stop, startFrame=0, levels=20)
    scopes = await dap.scopes(frames[0])
    asked = [
        await dap.start("variables", variablesReference=each["variablesReference"])
        for each in scopes.values()
        if not each["expensive"]
    ]
    for number in asked:
        assert (await dap.response(number))["success"]


async def trips_of_look(dap: DapClient, stop: Body, relay: Relay) -> int:
    """The trips that the editor waits for, one that was begun before it asked included."""
    before = relay.traffic()
    await look(dap, stop)
    return relay.traffic().since(before).waves + (before.commands > before.replies)


async def test_of_a_hit_and_of_what_an_editor_shows(jvm: Jvm) -> None:
    """At the first stop all classes are new; later ones are read ahead, which may come too early: the best counts."""
    async with (
        start_target(jvm, DATA) as target,
        open_relay(target.address, rtt=RTT, settled=True) as relay,
        dap_client_here() as dap,
    ):
        await dap.attach(target, port=relay.port, hold="all")
        await dap.breakpoints(DATA, "look")
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint")
        assert await trips_of_look(dap, stop, relay) <= 2
        assert await trips_of_look(dap, stop, relay) == 0
        hits, looks = [], []
        for _ in range(4):
            before = relay.traffic()
            await dap.request("continue", threadId=stop["threadId"])
            stop = await dap.stopped("breakpoint")
            hits.append(relay.traffic().since(before).waves)
            looks.append(await trips_of_look(dap, stop, relay))
        assert min(hits) <= 2, hits  # the resume, and one for the hit
        assert min(looks) <= 2, looks
        await dap.request("disconnect", terminateDebuggee=True)
        await dap.event("terminated")
