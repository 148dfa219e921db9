"""Methods run while the program runs or is paused, in a thread of the debugger's own."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
import trio
import trio.lowlevel

import jdbpy
from jdbpy.errors import Disconnected, StateError
from jdbpy.session.in_target import own_thread
from jdbpy.session.model.kinds import StopReason
from jdbpy.session.model.options import Options
from tests.harness import LIMIT, Debugging, Jvm, debug, program, start_target, within

pytestmark = pytest.mark.one_java

NAME = "Thread.currentThread().getName()"


async def use_words(session: jdbpy.Session) -> None:
    """Ask everything that runs methods in the target."""
    assert {"heap", "non-heap"} <= {each.name for each in await session.heap.usage.memory()}
    assert (await session.vm.clocks()).uptime > 0
    assert any(each.name == "HeapDumpOnOutOfMemoryError" for each in await session.vm.flags())
    await session.vm.set_flag("HeapDumpOnOutOfMemoryError", "true")
    assert await session.vm.diagnostic_command("VM.version")
    await session.vm.set_property("jdbpy.word", "tea")
    assert (await session.values.evaluate('System.getProperty("jdbpy.word")')).text == '"tea"'
    assert (await session.values.to_string("Bystanders.order")).text == '"[tea]"'
    assert (await session.values.evaluate('Class.forName("java.util.zip.CRC32").getSimpleName()')).text == '"CRC32"'
    await session.heap.usage.collect()


async def passed(session: jdbpy.Session) -> int:
    """Return how often the program's threads have passed, read from a field."""
    value = await session.values.evaluate("Bystanders.passed.value")
    assert isinstance(value.raw, int)
    return value.raw


async def require_going_on(d: Debugging) -> None:
    """The program's threads get on, and nothing suspends them."""
    before = await passed(d.session)
    with within(LIMIT):
        while [each.name for each in await d.session.threads.list() if each.suspend_count]:
            pass  # hits that were on their way
        while await passed(d.session) <= before:
            await trio.lowlevel.checkpoint()


@pytest.mark.every_java
async def test_words_on_a_running_and_a_paused_jvm(jvm: Jvm) -> None:
    async with debug(jvm, "Bystanders", "2", suspend=False) as d:
        await d.target.wait_output("held\n")
        session = d.session
        await use_words(session)
        await require_going_on(d)
        assert (await session.values.evaluate(NAME)).text == '"jdbpy"'
        [own] = session.own_threads
        assert own not in [each.id for each in await session.threads.list()]
        assert (session.state.value, session.suspended_threads) == ("running", ())
        await d.target.send("jdbpy")
        await d.target.wait_output("told 1 jdbpy\n")
        assert "true 5 " in d.target.stdout
        await session.execution.pause()
        stop = await d.wait_stop("pause")
        await use_words(session)
        assert stop.thread is not None
        before = await passed(session)
        assert session.is_current(stop)
        assert await passed(session) == before, "the program has gone on"
        await d.resume()
        await use_words(session)
        await require_going_on(d)
        assert list(session.own_threads) == [own]
        await session.instrumentation.remove()
        assert not list(session.own_threads)
        told = ["told 1 jdbpy"]
        with within(LIMIT):
            while told[-1] != "told 0 jdbpy":
                await d.target.send("jdbpy")
                told = await d.target.wait_lines("told", len(told) + 1)


async def test_made_while_the_jvm_is_paused(jvm: Jvm) -> None:
    """Values of a frame are read there; what has to be run is run in the debugger's own thread."""
    async with debug(jvm, "Bystanders", "1", suspend=False) as d:
        await d.target.wait_output("held\n")
        session = d.session
        await session.execution.pause()
        await d.wait_stop("pause")
        [worker] = await session.threads.find_all("worker-0")
        await session.select_thread(worker.id)
        before = await passed(session)
        assert (await session.values.evaluate(f"Bystanders.order.size() + {NAME}")).text == '"1jdbpy"'
        [frame] = [each for each in (await session.stack.of()).frames if each.location.method == "work"]
        number = (await session.values.evaluate("number", frame=frame)).text
        assert (await session.values.evaluate("Integer.valueOf(number).toString()", frame=frame)).text == f'"{number}"'
        assert await passed(session) == before
        assert len(session.own_threads) == 1
        await d.resume()
        await require_going_on(d)


async def test_one_that_comes_to_its_start_late(jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a busy machine: it is let go before the agent knows it, which suspends it at its start all the same."""
    call = own_thread._call

    async def let_go_first(target: Any, lender: int, obj: int, clazz: Any, method: Any, *args: Any) -> Any:
        if method.name == "start":
            own_thread._Coming(target, obj).let_go()
        return await call(target, lender, obj, clazz, method, *args)

    monkeypatch.setattr(own_thread, "_call", let_go_first)
    async with debug(jvm, "Bystanders", "1", suspend=False) as d:
        await d.target.wait_output("held\n")
        await d.session.execution.pause()
        await d.wait_stop("pause")
        assert (await d.session.values.evaluate(NAME)).text == '"jdbpy"'
        await d.resume()
        await require_going_on(d)


async def test_at_the_start_of_a_thread(jvm: Jvm) -> None:
    """Threads of the JVM's own start too, and no method can run in one: it runs in the debugger's own thread."""
    async with debug(jvm, "Bystanders", "1") as d:
        session = d.session
        d.ignored.add("stops-waiting")
        await session.catchpoints.thread(death=False)
        await d.resume()
        name = ""
        while name != "holder":
            stop = await d.wait_stop(StopReason.THREAD_START)
            assert stop.thread is not None
            name = stop.thread.name
            assert name != "jdbpy"
            assert await session.heap.usage.memory()
            ran_in = (await session.values.evaluate(NAME)).text.strip('"')
            assert ran_in in ({"jdbpy"} if stop.frame is None else {"jdbpy", name})
            await d.resume()
        assert (await session.values.evaluate(NAME)).text == '"jdbpy"'


async def test_a_lock_that_a_suspended_thread_owns(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Bystanders", "1", suspend=False) as d:
        await d.target.wait_output("held\n")
        session = d.session
        [holder] = await session.threads.find_all("holder")
        await session.execution.suspend([holder.id])
        with pytest.raises(StateError, match=r'which thread "holder" \(\d+\) holds, and that is suspended') as error:
            await session.values.evaluate("Bystanders.locked()", time_limit=1.5)
        assert error.value.code == "STILL_RUNNING"
        before = await passed(session)
        while await passed(session) <= before:
            await trio.lowlevel.checkpoint()
        assert (await session.values.evaluate(NAME)).text == '"jdbpy"', "of a further thread"
        assert len(session.own_threads) == 2
        await d.session.execution.unsuspend([holder.id])
        await d.target.send("end")
        assert "has returned" in (await d.wait_notice("warning")).text
        await d.wait_exit()


async def test_words_beside_hits(jvm: Jvm) -> None:
    """Hits of eight threads go on as they do without, and a stop is none of the word's."""
    async with debug(jvm, "Bystanders", "8", suspend=False) as d:
        await d.target.wait_output("held\n")
        session = d.session
        point = await session.breakpoints.add(d.at("pass"), condition="number < 0")
        for _ in range(3):
            await use_words(session)
        assert session.points.get(point.number).hits == 0
        await session.points.remove([point.number])
        await require_going_on(d)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(use_words, session)
            await session.breakpoints.add(d.at("pass"), temporary=True)
            await d.wait_stop("breakpoint", at="pass")
        await d.resume()
        await require_going_on(d)


async def test_what_is_left_behind(jvm: Jvm) -> None:
    """Nothing, whether the debugger leaves or its connection is cut, in the middle of a method too."""
    async with start_target(jvm, program("Bystanders"), "1", suspend=False) as target:
        await target.wait_output("held\n")
        for how in ("leave", "cut", "cut in a method"):
            async with jdbpy.attach_session(target.address) as session:
                assert (await session.values.evaluate(NAME)).text == '"jdbpy"'
                if how == "cut in a method":
                    async with trio.open_nursery() as nursery:
                        nursery.start_soon(_sleep, session)
                        while not session._target.suspension.evaluating:
                            await trio.lowlevel.checkpoint()
                        await session._target.conn.aclose()
                        nursery.cancel_scope.cancel()
                if how == "cut":
                    await session._target.conn.aclose()
            await target.wait_listening_again()
            async with jdbpy.attach_session(target.address) as session:
                with within(LIMIT):
                    while await session.threads.find_all("jdbpy"):
                        pass  # it is about to end
                assert [each.name for each in await session.threads.list() if each.suspend_count] == []
            await target.wait_listening_again()


async def _sleep(session: jdbpy.Session) -> None:
    with suppress(Disconnected):
        await session.values.evaluate("Thread.sleep(300)")


async def test_where_it_may_not_be(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, program("Bystanders"), "1", suspend=False) as target:
        await target.wait_output("held\n")
        for options, text in (
            (Options(in_target="off"), "'set in-target off' forbids"),
            (Options(read_only=True, allow_suspend=True), "read-only"),
        ):
            async with jdbpy.attach_session(target.address, options=options) as session:
                for ask in (session.vm.flags(), session.values.evaluate(NAME)):
                    with pytest.raises(StateError, match=text):
                        await ask
                assert not list(session.own_threads)
            await target.wait_listening_again()
