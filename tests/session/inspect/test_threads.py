"""Threads on real JVMs: states, groups, finding one, and round trips that do not grow with their number."""

from __future__ import annotations

from typing import Any

import pytest
import trio

from jdbpy.errors import StateError, UsageError
from jdbpy.session.events.threads import wire_thread
from jdbpy.session.model.threads import ThreadGroup, ThreadInfo
from jdbpy.wire.command import Command
from jdbpy.wire.messages import method, thread_group_reference, thread_reference
from tests.harness import Jvm, debug, inline
from tests.session.running import watching


class Steps(trio.abc.Instrument):
    """Counts the steps of all tasks: what happens in one of them, nothing else comes between."""

    count = 0

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        self.count += 1


def by_name(threads: list[ThreadInfo]) -> dict[str, ThreadInfo]:
    return {thread.name: thread for thread in threads}


@pytest.mark.every_java
async def test_states_in_words(jvm: Jvm) -> None:
    async with debug(jvm, "Crowd", "2") as d:
        await d.run_to("ready")
        threads = by_name(await d.session.threads.list())
        assert {
            name: threads[name].state for name in ("sleeper", "blocked", "diver", "worker-1", "main", "spinner")
        } == {
            "sleeper": "sleeping",
            "blocked": "waiting for a monitor",
            "diver": "waiting",
            "worker-1": "waiting",
            "main": "running",  # so the agent says of a thread that an event has stopped
            "spinner": "running",
        }
        assert all(thread.suspended and thread.suspend_count == 1 for thread in threads.values())
        assert (threads["main"].at_breakpoint, threads["main"].current) == (True, True)
        assert (threads["sleeper"].at_breakpoint, threads["sleeper"].current) == (False, False)
        assert (threads["main"].group, threads["diver"].group, threads["worker-0"].group) == ("main", "inner", "crowd")
        assert not any("JDWP" in name for name in threads)
        assert threads["main"].frame is None
        await d.session.execution.suspend([threads["sleeper"].id])
        again = by_name(await d.session.threads.list())
        assert (again["sleeper"].suspend_count, again["diver"].suspend_count) == (2, 1)


async def test_top_frames(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Crowd", "1") as d:
        await d.run_to("ready")
        threads = by_name(await d.session.threads.list(with_frames=True))
        frame = threads["main"].frame
        assert frame is not None
        assert (frame.location.method, frame.location.line) == ("main", d.program.line("ready"))
        assert threads["blocked"].frame is not None
        assert threads["blocked"].frame.location.method == "enter"
        parked = threads["diver"].frame
        assert parked is not None
        assert parked.native


async def test_running_threads_have_no_frames(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Crowd", "1", suspend=False) as d:
        await d.target.wait_output("ready\n")
        threads = by_name(await d.session.threads.list(with_frames=True))
        assert not any(thread.suspended for thread in threads.values())
        assert threads["main"].frame is None


async def test_round_trips_do_not_grow(any_jvm: Jvm) -> None:
    costs = []
    for count in ("10", "120"):
        async with debug(any_jvm, "Crowd", count) as d:
            await d.run_to("ready")
            before = d.session.statistics()
            found = await d.session.threads.list(with_frames=True)
            costs.append(d.session.statistics().since(before).waves)
            assert len(found) > int(count)
            before = d.session.statistics()
            await d.session.threads.list(with_frames=True)
            assert d.session.statistics().since(before).waves <= 2
    assert max(costs) <= 3


async def test_groups_and_places_are_asked_for_before_any_reply_is_taken(any_jvm: Jvm) -> None:
    """Both in one step of one task: whatever else runs in that turn, the trip is the same."""
    steps = Steps()
    asked: dict[type[Any], set[int]] = {}

    def tell(command: Command[Any]) -> None:
        asked.setdefault(type(command), set()).add(steps.count)

    async with debug(any_jvm, "Crowd", "12") as d:
        await d.run_to("ready")
        trio.lowlevel.add_instrument(steps)
        with watching(tell):
            await d.session.threads.list(with_frames=True)
    assert len(asked[thread_group_reference.Name]) == 1
    assert asked[thread_group_reference.Name] == asked[method.LineTable]


async def test_what_is_known_is_not_asked_again(any_jvm: Jvm) -> None:
    """The group of a thread is asked once, frames of none that runs; one that another has suspended is seen to be."""
    async with debug(any_jvm, "Crowd", "12", suspend=False) as d:
        await d.target.wait_output("ready\n")
        await d.session.threads.list(with_frames=True)
        before = d.session.statistics()
        threads = by_name(await d.session.threads.list(with_frames=True))
        assert d.session.statistics().since(before).commands <= 1 + 3 * len(threads)
        assert (threads["diver"].group, threads["worker-0"].group) == ("inner", "crowd")
        diver = wire_thread(threads["diver"].id)
        await d.session._target.conn.request(thread_reference.Suspend(diver))
        threads = by_name(await d.session.threads.list(with_frames=True))
        assert threads["diver"].suspended
        assert threads["diver"].frame is not None
        assert not threads["sleeper"].suspended
        traces = {each.thread.name: each for each in await d.session.stack.all()}
        assert traces["diver"].total > 300
        assert traces["sleeper"].error == "the thread is running"
        await d.session._target.conn.request(thread_reference.Resume(diver))


async def test_finding_a_thread(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Crowd", "12") as d:
        await d.run_to("ready")
        find = d.session.threads.find
        main = await find("main")
        assert (await find(str(main.id))).name == "main"
        assert (await find(f"#{main.id}")).id == main.id
        assert (await find(hex(main.id))).id == main.id
        assert (await find("worker-1")).name == "worker-1", "the whole name, although others begin with it"
        assert (await find("SLEEPER")).name == "sleeper"
        assert (await find("slee")).name == "sleeper"
        assert (await find("*eeper")).name == "sleeper"
        assert (await find("pinne")).name == "spinner"
        with pytest.raises(UsageError, match=r"'worker-' fits 12 threads: .* and 7 more") as several:
            await find("worker-")
        assert several.value.code == "AMBIGUOUS_THREAD"
        with pytest.raises(UsageError, match="no thread is called 'nobody'"):
            await find("nobody")
        for number in ("0", "-3", "987654321"):
            with pytest.raises(UsageError, match=f"no thread {number}"):
                await find(number)
        [boot] = await d.session.classes.find("java.lang.Object")
        with pytest.raises(UsageError, match="no thread"):
            await find(str(boot.id))  # an object of another kind
        assert {thread.name for thread in await d.session.threads.find_all("worker-?")} == {
            f"worker-{number}" for number in range(10)
        }


@pytest.mark.every_java
async def test_groups(jvm: Jvm) -> None:
    async with debug(jvm, "Crowd", "2") as d:
        await d.run_to("ready")
        [system] = await d.session.threads.groups()
        assert system.name == "system"
        main = group(system, "main")
        assert [thread.name for thread in main.threads] == ["main"]
        crowd = group(main, "crowd")
        assert {thread.name for thread in crowd.threads} == {"worker-0", "worker-1"}
        inner = group(crowd, "inner")
        assert {thread.name for thread in inner.threads} == {"sleeper", "blocked", "diver", "spinner"}
        assert (inner.threads[0].group, inner.groups) == ("inner", ())


def group(above: ThreadGroup, name: str) -> ThreadGroup:
    [found] = [each for each in above.groups if each.name == name]
    return found


async def test_threads_that_come_and_go(any_jvm: Jvm) -> None:
    """Lists of a target that starts and ends threads all the time: whoever dies in between is left out."""
    async with debug(any_jvm, "Bustle", suspend=False) as d:
        await d.target.wait_output("bustling\n")
        for _ in range(40):
            assert "main" in by_name(await d.session.threads.list(with_frames=True))
            await d.session.stack.all()


async def test_virtual_threads(newest_jvm: Jvm) -> None:
    async with debug(newest_jvm, "Crowd", "0") as d:
        stop = await d.run_to("virtual", frames=["Crowd.deeper", "Crowd.inVirtualThread"])
        assert stop.thread is not None
        threads = {thread.id: thread for thread in await d.session.threads.list()}
        virtual = threads[stop.thread.id]
        assert (virtual.virtual, virtual.current, virtual.at_breakpoint) == (True, True, True)
        assert not any(thread.virtual for number, thread in threads.items() if number != virtual.id)
        assert (await d.session.threads.find(str(virtual.id))).virtual
        assert virtual.id in {trace.thread.id for trace in await d.session.stack.all()}


async def test_a_virtual_thread_that_went_on_stays_listed_until_it_ends(newest_jvm: Jvm) -> None:
    source = """
        import java.util.concurrent.CountDownLatch;
        public class Met {
            public static void main(String[] args) throws Exception {
                Runnable body = () -> {
                    try { waits(); } catch (Exception e) { throw new IllegalStateException(e); }
                };
                var start = Thread.class.getMethod("startVirtualThread", Runnable.class);
                Thread thread = (Thread) start.invoke(null, body);
                System.in.read();
                open.countDown();
                thread.join();
                System.out.println("joined " + thread); // @joined
            }
            static final CountDownLatch open = new CountDownLatch(1);
            static void waits() throws Exception {
                System.out.println("stops"); // @met
                open.await();
            }
        }
    """
    async with debug(newest_jvm, inline(source)) as d:
        stop = await d.run_to("met")
        assert stop.thread is not None
        await d.session.breakpoints.add(d.at("joined"))
        await d.resume()
        await d.target.wait_output("stops")
        [met] = [thread for thread in await d.session.threads.list() if thread.virtual]
        assert (met.id, met.suspended) == (stop.thread.id, False)
        assert (await d.session.threads.find(str(met.id))).virtual
        await d.target.send("")
        await d.wait_stop("breakpoint", at="joined", thread="main")
        assert not [thread for thread in await d.session.threads.list() if thread.virtual]


async def test_a_target_that_has_ended(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Hello") as d:
        await d.session.exit(0)
        await d.wait_exit()
        for ask in (d.session.threads.list, d.session.threads.groups, d.session.stack.all):
            with pytest.raises(StateError, match="ended"):
                await ask()
