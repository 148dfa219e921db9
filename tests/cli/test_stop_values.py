"""What stops show of variables, on a program in which each thread's variables say whose they are."""

from __future__ import annotations

import re

from tests.cli.process import jdbpy, script
from tests.harness import Jvm, program, start_target

CREW = program("Crew")
STOPS = ("clear 1", f"stop at {CREW.at('deep-call')}", "cont", "clear 2", "print 3 * n", "next", "next")


async def test_all_variables_are_those_of_the_thread_that_stopped(jvm: Jvm) -> None:
    async with start_target(jvm, CREW, "8") as target:
        lines = ("set stop-shows locals", "break Crew.hit", *["cont"] * 8, "set stop-shows changes", *STOPS)
        done = await jdbpy("attach", target.address, *script(*lines))
    assert done.status == 0, done
    _, *stops = re.split(r'(?=^\w[^\n]*: thread "worker-)', done.out, flags=re.MULTILINE)
    whole, [_, first, second] = stops[:8], stops[8:]
    assert len(whole) == 8
    for stop in whole:
        number = re.search(r'thread "worker-(\d)"', stop)
        assert number and f'\n  name = "w{number[1]}"\n' in stop, stop
    found = re.search(r"\n  one = (\d+)\n", first)  # it is new, and nothing else has changed
    assert found and first.count(" = ") == first.count("one = ") + first.count("int one = "), first
    assert re.search(r"\n  two = (\d+)\n", second) and "\n  one = " not in second, second
    assert f"\n3 * n = {found[1]}\n" in done.out  # what that call returns


async def test_variables_of_stops_are_an_event_of_batches(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, CREW, "2") as target:
        lines = ("break Crew.hit", "cont", "set stop-shows source changes", *STOPS)
        done = await jdbpy("attach", target.address, "--json", *script(*lines))
    events = done.events("display")
    shown = [[(each["name"], each.get("before", "")) for each in event["variables"]] for event in events]
    assert shown == [[("one", "")], [("two", "")]]
