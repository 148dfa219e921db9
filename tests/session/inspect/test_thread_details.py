"""Threads in detail on real JVMs: fields, times, filters, equal stacks, virtual ones, multitudes, changes."""

from __future__ import annotations

import pytest

from jdbpy.errors import EvalError, StateError, UsageError
from jdbpy.session.model.options import Options
from jdbpy.session.model.threads import STATES, ThreadDetail, ThreadFilter, ThreadInfo, fits, fold
from tests.harness import Jvm, all_jvms, debug, inline


@pytest.mark.every_java
async def test_fields_and_times(jvm: Jvm) -> None:
    async with debug(jvm, "Crowd", "3") as d:
        await d.run_to("ready")
        threads = d.session.threads
        found = {each.name: each for each in await threads.with_times(await threads.list())}
        assert (found["main"].daemon, found["main"].priority) == (False, 5)
        assert (found["sleeper"].daemon, found["Finalizer"].priority) == (True, 8)
        ids = [each.java_id for each in found.values()]
        assert None not in ids
        assert len(set(ids)) == len(ids)
        assert all(each.cpu is not None for each in found.values())
        assert (found["main"].cpu or 0) > (found["sleeper"].cpu or 0) > 0


@pytest.mark.every_java
async def test_all_about_a_thread(jvm: Jvm) -> None:
    async with debug(jvm, "Crowd", "1") as d:
        await d.run_to("ready")
        threads = d.session.threads
        diver = await threads.detail((await threads.find("diver")).id)
        assert diver.groups == ("system", "main", "crowd", "inner")
        assert (diver.class_name, diver.carrier) == ("java.lang.Thread", None)
        assert diver.interrupted is False
        assert diver.frames is not None
        assert diver.frames > 300
        assert diver.thread.cpu is not None
        assert diver.allocated is not None
        assert "AppClassLoader" in (diver.context_loader or "")
        assert diver.blocker is None
        assert diver.notes == ()
        worker = await threads.detail((await threads.find("worker-0")).id)
        assert "Sync@" in (worker.blocker or "")
        with pytest.raises(UsageError, match="no thread 999999"):
            await threads.detail(999999)
        await d.resume()
        spinner = await threads.detail((await threads.find("spinner")).id)
        assert (spinner.frames, spinner.thread.daemon) == (None, True)
        assert spinner.thread.cpu is not None
        assert spinner.interrupted is False
        assert len(spinner.notes) == 1
        d.session.instrumentation.mode = "off"
        spinner = await threads.detail((await threads.find("spinner")).id)
        assert (spinner.frames, spinner.thread.cpu, spinner.thread.daemon) == (None, None, True)
        assert len(spinner.notes) == (
            2 if jvm.feature >= 14 else 3
        )  # a field tells since then whether it is interrupted


INTERRUPTED = """
import java.util.concurrent.CountDownLatch;

public class Interrupted {
    public static void main(String[] args) throws Exception {
        Sly sly = new Sly();
        start("sly", sly);
        start("calm", new Thread(Interrupted::spin));
        start("interrupted", new Thread(() -> {
            Thread.currentThread().interrupt();
            spin();
        }));
        ready.await();
        sly.interrupt();
        Thread never = new Thread("never started");
        System.out.println("others"); // @others
        Thread.currentThread().interrupt();
        System.out.println("itself"); // @itself
        System.out.println("main was interrupted: " + Thread.interrupted());
        System.out.println("never was: " + never.isInterrupted()); // @over
    }

    static final CountDownLatch ready = new CountDownLatch(3);
    static volatile boolean over;

    static class Sly extends Thread {
        public boolean isInterrupted() {
            throw new IllegalStateException("run by a debugger");
        }

        public void run() {
            spin();
        }
    }

    static void spin() {
        ready.countDown();
        while (!over) Thread.yield();
    }

    static void start(String name, Thread thread) {
        thread.setName(name);
        thread.setDaemon(true);
        thread.start();
    }
}
"""


@pytest.mark.every_java
async def test_whether_a_thread_is_interrupted(jvm: Jvm) -> None:
    """What is shown is what the program finds; a thread at an event, whose interrupt the agent keeps, is not said to
    have none.
    """
    async with debug(jvm, inline(INTERRUPTED, release=8)) as d:
        threads = d.session.threads

        async def detail(name: str) -> ThreadDetail:
            return await threads.detail((await threads.find(name)).id)

        await d.run_to("others")
        for name, expected in (("sly", True), ("calm", False), ("interrupted", True)):
            about = await detail(name)
            assert (name, about.interrupted, about.notes) == (name, expected, ())
        await d.run_to("itself")
        main = await detail("main")
        assert main.interrupted is not False
        assert len(main.notes) == (0 if main.interrupted else 1)
        assert all("the agent keeps an interrupt" in note for note in main.notes)
        await d.run_to("over")
        await d.target.wait_output("main was interrupted: true")
        main = await detail("main")
        assert main.interrupted is None
        assert len(main.notes) == 1
        await d.session.execution.unsuspend()


@pytest.mark.every_java
async def test_where_no_method_can_be_run_only_a_field_tells_whether_a_thread_is_interrupted(jvm: Jvm) -> None:
    async with debug(jvm, inline(INTERRUPTED, release=8), options=Options(read_only=True, allow_suspend=True)) as d:
        await d.run_to("others")
        threads = d.session.threads
        about = await threads.detail((await threads.find("interrupted")).id)
        if jvm.feature >= 14:
            assert about.interrupted is True
            assert len(about.notes) == 1
        else:
            assert about.interrupted is None
            assert "not known whether it is interrupted: " in about.notes[-1]
            assert "read-only" in about.notes[-1]


async def test_filters(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Crowd", "3") as d:
        await d.run_to("ready")

        async def names(**chosen: str) -> set[str]:
            return {each.name for each in await d.session.threads.list(chosen=ThreadFilter(**chosen))}

        assert await names(name="worker-*") == {"worker-0", "worker-1", "worker-2"}
        assert await names(name="EEPER") == {"sleeper"}
        assert await names(state="blocked") == {"blocked"}
        assert await names(state="sleeping", group="inner") == {"sleeper"}
        assert await names(state="sleeping", group="crowd") == set()
        assert {trace.thread.name for trace in await d.session.stack.all(ThreadFilter(group="INNER"))} == {
            "sleeper",
            "blocked",
            "diver",
            "spinner",
        }
        [short] = await d.session.stack.all(ThreadFilter("diver"), count=2)
        assert len(short.frames) == 2
        assert short.total > 300
        for ask in (
            d.session.threads.list(chosen=ThreadFilter(state="mad")),
            d.session.stack.all(ThreadFilter("", "x")),
        ):
            with pytest.raises(UsageError, match="not a state of a thread"):
                await ask


def test_every_state_can_be_chosen() -> None:
    for word, state in STATES.items():
        thread = ThreadInfo(1, "x", state or "running", word == "suspended", 0, virtual=word == "virtual")
        also = {"running"} if word in ("suspended", "virtual") else set()
        assert {each for each in STATES if fits(ThreadFilter(state=each), thread)} == {word} | also


async def test_a_multitude_of_platform_threads(any_jvm: Jvm) -> None:
    """2,000 threads are asked for in as many round trips as a few, and their stacks fold into one."""
    async with debug(any_jvm, "Multitude", "2000", "0", suspend=False) as d:
        await d.target.wait_output("ready\n")
        await d.session.execution.suspend()
        before = d.session.statistics()
        found = await d.session.threads.list(with_frames=True)
        listed = d.session.statistics().since(before).waves
        assert len([each for each in found if each.name.startswith("one-of-many-")]) == 2000
        before = d.session.statistics()
        folded = await d.session.stack.folded()
        stacks = d.session.statistics().since(before).waves
        [equal] = [each for each in folded if len(each.threads) == 2000]
        assert equal.frames[-1].location.method == "run"
        assert folded == fold(await d.session.stack.all())
        assert listed <= 4
        assert stacks <= 4
        assert not (await d.session.locks.deadlocks()).deadlocks
        await d.session.execution.unsuspend()


async def test_virtual_threads_out_of_the_heap(newest_jvm: Jvm) -> None:
    async with debug(newest_jvm, "Multitude", "2", "3000") as d:
        await d.run_to("ready")
        threads = d.session.threads
        assert not any(each.virtual for each in await threads.list()), "the agent has met none of them"
        before = d.session.statistics()
        found = await threads.virtual(with_frames=True)
        assert d.session.statistics().since(before).waves <= 6
        assert len(found) == 3000
        assert all(each.virtual for each in found)
        waiting = found[0]
        assert waiting.frame is not None
        assert waiting.frame.location.class_name.startswith(("java.", "jdk.internal.vm."))  # the latter on 21
        assert len(await threads.virtual(10)) == 10
        detail = await threads.detail(waiting.id)
        assert (detail.thread.daemon, detail.thread.priority) == (True, 5)
        assert detail.class_name == "java.lang.VirtualThread"
        assert detail.notes == ("no CPU time: this JVM does not measure it for virtual threads",)
        with pytest.raises(StateError, match="only where an event has stopped it in Java code"):
            await threads.throw_in(waiting.id, "new RuntimeException()")


async def test_there_are_no_virtual_threads_before_21() -> None:
    old = all_jvms()[0]  # whichever versions are tested
    assert old.feature < 21
    async with debug(old, "Crowd", "0", suspend=False) as d:
        await d.target.wait_output("ready\n")
        with pytest.raises(StateError, match="no virtual threads") as error:
            await d.session.threads.virtual()
        assert "21" in error.value.hint


@pytest.mark.every_java
async def test_an_exception_is_thrown_in_a_thread(jvm: Jvm) -> None:
    async with debug(jvm, "Crowd", "1") as d:
        await d.run_to("ready")
        threads = d.session.threads
        sleeper = await threads.find("sleeper")
        for wrong, why in (('"text"', "cannot be converted to Throwable"), ("nothing.here", "nothing")):
            with pytest.raises(EvalError, match=why):
                await threads.throw_in(sleeper.id, wrong)
        with pytest.raises(UsageError, match="null cannot be thrown"):
            await threads.throw_in(sleeper.id, "null")
        await threads.throw_in(sleeper.id, 'new IllegalStateException("enough")')
        await d.resume()
        await d.target.wait_output("IllegalStateException: enough", stream="stderr")
        assert '"sleeper"' in d.target.stderr


@pytest.mark.every_java
async def test_a_thread_gets_another_name(jvm: Jvm) -> None:
    async with debug(jvm, "Crowd", "1") as d:
        await d.run_to("ready")
        diver = await d.session.threads.find("diver")
        await d.session.threads.rename(diver.id, "Tauchgänger")
        assert (await d.session.threads.find("Tauchgänger")).id == diver.id
        assert (await d.session.values.evaluate("started.get(2).getName()")).text == '"Tauchgänger"'


async def test_a_read_only_session_changes_no_thread(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Crowd", "0", options=Options(read_only=True, allow_suspend=True)) as d:
        await d.run_to("ready")
        diver = await d.session.threads.find("diver")
        for change in (d.session.threads.throw_in(diver.id, "null"), d.session.threads.rename(diver.id, "x")):
            with pytest.raises(StateError, match="read-only"):
                await change
