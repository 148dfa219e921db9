"""Ctrl-C in a wait of ``jdbpy.sync`` loses no stop and no hit, at whichever moment of the call it comes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
import trio

import jdbpy.sync as jdbpy
from jdbpy.plugins.running import PythonRunner
from jdbpy.session.concurrency import ThreadCall
from jdbpy.sync.portal import Portal
from tests.harness import LIMIT, Jvm, debug, program, start_target, within
from tests.harness.interrupting import at_every_step

LAB = program("Lab")


async def in_lab(jvm: Jvm, script: Callable[[jdbpy.Vm, Callable[[str], None]], None]) -> None:
    """Run a script in a thread, attached to a target that takes lines."""

    def run(address: str, send: Callable[[str], None]) -> None:
        with jdbpy.attach(address, hold="thread") as vm:
            script(vm, send)

    await beside_lab(jvm, run)


async def in_fleet(jvm: Jvm, script: Callable[[jdbpy.Fleet, Callable[[str], None]], None]) -> None:
    """The same with a fleet of that target alone."""

    def run(address: str, send: Callable[[str], None]) -> None:
        with jdbpy.fleet([address], hold="thread") as fleet:
            script(fleet, send)

    await beside_lab(jvm, run)


async def beside_lab(jvm: Jvm, run: Callable[[str, Callable[[str], None]], None]) -> None:
    """Run a function in a thread, with the address of a target and a function that sends a line to the target."""
    async with start_target(jvm, LAB, suspend=False) as target:
        await target.wait_output("ready")
        address = target.address
        with within(3 * LIMIT):
            await trio.to_thread.run_sync(lambda: run(address, lambda line: trio.from_thread.run(target.send, line)))


@pytest.mark.parametrize("of", ["breakpoint", "vm"])
async def test_no_stop_is_lost(jvm: Jvm, of: str) -> None:
    def script(vm: jdbpy.Vm, send: Callable[[str], None]) -> None:
        breakpoint = vm.stop_at("lab.Lab.submit")
        waited = breakpoint if of == "breakpoint" else vm
        send("pool 1 1000000")
        seen = []
        for result in at_every_step(lambda: waited.wait(timeout=LIMIT)):
            if result is None:
                vm.resume()  # all but the stop that nobody has got
            stop = result or waited.wait(timeout=LIMIT)
            seen.append(stop.frame["amount"].python())
            stop.resume()
        assert seen == list(range(len(seen)))
        assert len(seen) > 10
        breakpoint.remove()

    await in_lab(jvm, script)


async def test_no_stop_of_a_loop_is_lost(jvm: Jvm) -> None:
    def script(vm: jdbpy.Vm, send: Callable[[str], None]) -> None:
        breakpoint = vm.stop_at("lab.Lab.submit")
        send("pool 1 1000000")
        got: list[jdbpy.Stop] = []
        seen: list[object] = []

        def some() -> None:
            for stop in breakpoint.stops(count=2):
                got.append(stop)

        for _ in at_every_step(some):
            for stop in got:
                seen.append(stop.frame["amount"].python() if stop.is_current else None)
                stop.resume()
            got.clear()
        assert len(seen) > 10
        assert all(number in (None, place) for place, number in enumerate(seen)), seen
        breakpoint.remove()

    await in_lab(jvm, script)


async def test_no_hit_is_lost(jvm: Jvm) -> None:
    def script(vm: jdbpy.Vm, send: Callable[[str], None]) -> None:
        with vm.entries("lab.Lab.submit") as hits:
            send("pool 1 5000")
            seen: list[jdbpy.Reported] = []
            for result in at_every_step(lambda: hits.next(timeout=LIMIT)):
                seen.append(result or hits.next(timeout=LIMIT))
            first = len(seen)
            assert first > 10

            def some() -> None:
                for hit in hits.take(count=3):
                    seen.append(hit)

            for _ in at_every_step(some):
                pass
            assert len(seen) > first + 10
            assert [hit.args["amount"].python() for hit in seen] == list(range(len(seen)))

    await in_lab(jvm, script)


async def test_a_pause_is_undone(jvm: Jvm) -> None:
    def script(vm: jdbpy.Vm, send: Callable[[str], None]) -> None:
        breakpoint = vm.stop_at("lab.Lab.submit")
        interrupted = 0
        for stop in at_every_step(vm.pause):
            if stop is not None:
                stop.resume()
                continue
            interrupted += 1
            send("order 3")
            breakpoint.wait(timeout=LIMIT).resume()  # it runs
        assert interrupted > 10
        assert not vm.is_suspended
        vm.pause().resume()

    await in_lab(jvm, script)


async def test_a_fleet_loses_none_and_takes_none_when_it_no_longer_waits(jvm: Jvm) -> None:
    def script(fleet: jdbpy.Fleet, send: Callable[[str], None]) -> None:
        [vm] = fleet.vms.values()
        breakpoint = vm.stop_at("lab.Lab.submit")
        [answer] = fleet.each(lambda _: breakpoint.wait(), timeout=0.01).values()
        assert isinstance(answer.error, jdbpy.TimedOut)
        send("order 3")
        breakpoint.wait(timeout=LIMIT).resume()
        breakpoint.remove()
        with fleet.hits(lambda vm: vm.entries("lab.Lab.submit")) as hits:
            send("pool 1 500")
            seen = []
            for result in at_every_step(lambda: hits.next(timeout=LIMIT)):
                hit = (result or hits.next(timeout=LIMIT)).hit
                assert hit is not None
                seen.append(hit.args["amount"].python())
            assert len(seen) > 10
            assert seen == list(range(len(seen)))

    await in_fleet(jvm, script)


class LateThreads:
    """Threads for the functions of a method: one begins when ``given_up`` is set, and sets ``ended``."""

    def __init__(self) -> None:
        self.given_up = threading.Event()
        self.ended = threading.Event()
        self._run_sync = trio.to_thread.run_sync

    async def run_sync(self, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        def run(*given: Any) -> Any:
            try:
                assert self.given_up.wait(LIMIT)
                return function(*given)
            finally:
                self.ended.set()

        is_late = getattr(function, "__func__", None) is ThreadCall.run
        return await self._run_sync(run if is_late else function, *args, **options)


async def test_a_function_that_begins_when_nobody_waits_for_it_is_not_called(
    jvm: Jvm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stop that the function would have waited for goes to the script, which waits for it."""
    threads = LateThreads()

    def script(fleet: jdbpy.Fleet, send: Callable[[str], None]) -> None:
        [vm] = fleet.vms.values()
        breakpoint = vm.stop_at("lab.Lab.submit")
        with monkeypatch.context() as patch:
            patch.setattr(trio.to_thread, "run_sync", threads.run_sync)
            [answer] = fleet.each(lambda _: breakpoint.wait(), timeout=0.01).values()
        assert isinstance(answer.error, jdbpy.TimedOut)
        threads.given_up.set()
        assert threads.ended.wait(LIMIT)
        send("order 3")
        breakpoint.wait(timeout=LIMIT).resume()

    await in_fleet(jvm, script)


async def test_python_that_begins_behind_ctrl_c_is_not_run(any_jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    threads = LateThreads()
    ran: list[None] = []
    async with debug(any_jvm, "Hello") as d, trio.open_nursery() as nursery:
        runner = PythonRunner(d.session, nursery, print)
        with monkeypatch.context() as patch, trio.move_on_after(0.01) as scope:
            patch.setattr(trio.to_thread, "run_sync", threads.run_sync)
            await runner.in_thread(lambda: ran.append(None))
        assert scope.cancelled_caught
        threads.given_up.set()
        assert await trio.to_thread.run_sync(threads.ended.wait, LIMIT)
    assert not ran


async def test_a_function_that_nobody_waits_for_ends_at_its_next_wait() -> None:
    """The function may wait again after that, to clean up."""
    given_up = threading.Event()
    told: list[str] = []
    begun, left, ended = trio.Event(), trio.Event(), trio.Event()
    asking = trio.CancelScope()
    token = trio.lowlevel.current_trio_token()

    async def answer() -> str:
        return "cleaned up"

    with within(LIMIT):
        async with trio.open_nursery() as nursery:
            portal = Portal.within(nursery)

            def work() -> None:
                token.run_sync_soon(begun.set)
                assert given_up.wait(LIMIT)
                try:
                    portal.wait(trio.sleep_forever, str)
                except KeyboardInterrupt:
                    told.append(portal.wait(answer, str))
                finally:
                    token.run_sync_soon(ended.set)

            async def ask() -> None:
                with asking:
                    await portal.call_in_thread(work)
                left.set()

            nursery.start_soon(ask)
            await begun.wait()
            asking.cancel()
            await left.wait()
            given_up.set()
            await ended.wait()
    assert told == ["cleaned up"]
