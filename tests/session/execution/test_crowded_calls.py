"""Methods that are run in a thread while other threads hit breakpoints: all are answered, all suspend counts stay."""

from __future__ import annotations

import pytest
import trio

import jdbpy
from benchmarks.relay import open_relay
from jdbpy.errors import StateError
from jdbpy.session.eval.utility_calls import CallRunner, UtilityCall
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.events import Exited, Notice, Stopped
from tests.harness import LIMIT, Jvm, debug, inline, program, start_target, within
from tests.harness.hits import next_hit, runs_to_its_end
from tests.session.running import counts_agree, target_of

pytestmark = pytest.mark.one_java

POLICIES = [SuspendPolicy.THREAD, SuspendPolicy.ALL]
EXPRESSION = "p.a() * 10 + p.a() - new Pool(p.number * 11).a()"


@pytest.mark.parametrize("others_run", [False, True])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.every_java
async def test_print_at_a_stop(jvm: Jvm, policy: SuspendPolicy, others_run: bool) -> None:
    """Other threads come to the line while the method runs, and stop there; the method returns all the same."""
    with within(LIMIT):
        async with debug(jvm, "Pool", "7", "4") as d:
            number = (await d.session.breakpoints.add(d.at("work"), policy=policy)).number
            for _ in range(12):
                await next_hit(d.session)
                assert (await d.session.values.evaluate(EXPRESSION, others_run=others_run)).text == "0"
                await counts_agree(d.session)
            await d.session.breakpoints.remove([number])
            await runs_to_its_end(d, 28)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.every_java
async def test_breakpoint_in_the_method(jvm: Jvm, policy: SuspendPolicy) -> None:
    """It is passed, also by a thread that is suspended more than once."""
    with within(LIMIT):
        async with debug(jvm, "Pool", "7", "4") as d:
            numbers = [
                (await d.session.breakpoints.add(d.at(marker), policy=policy)).number for marker in ("work", "a")
            ]
            for _ in range(12):
                thread = await next_hit(d.session)
                await d.session.execution.suspend([thread])
                assert (await d.session.values.evaluate(EXPRESSION)).text == "0"
                await counts_agree(d.session)
                await d.session.execution.unsuspend([thread])
            await d.session.breakpoints.remove(numbers)
            await runs_to_its_end(d, 28)


@pytest.mark.parametrize("policy", POLICIES)
async def test_condition(jvm: Jvm, policy: SuspendPolicy) -> None:
    with within(LIMIT):
        async with debug(jvm, "Pool", "8", "25") as d:
            await d.session.breakpoints.add(d.at("work"), condition="p.a() == 100", policy=policy)
            await runs_to_its_end(d, 200)
            assert d.session.breakpoints.list()[0].failures == 0


@pytest.mark.every_java
async def test_condition_beside_a_breakpoint(jvm: Jvm) -> None:
    """The condition is asked while others stop at a breakpoint, and methods are run at its stops."""
    with within(LIMIT):
        async with debug(jvm, "Pool", "6", "6") as d:
            shown = await d.session.breakpoints.add(d.at("passed"))
            await d.session.breakpoints.add(d.at("work"), condition="p.a() == 100", policy=SuspendPolicy.ALL)
            for _ in range(15):
                await next_hit(d.session)
                assert (await d.session.values.evaluate(EXPRESSION)).text == "0"
                await counts_agree(d.session, waiting=True)
            await d.session.breakpoints.remove([shown.number])
            await runs_to_its_end(d, 36)


@pytest.mark.every_java
async def test_logpoint(jvm: Jvm) -> None:
    with within(LIMIT):
        async with debug(jvm, "Pool", "8", "10") as d:
            d.ignored.add("logpoint")
            shown = await d.session.breakpoints.add(d.at("passed"), temporary=True)
            await d.session.breakpoints.add(d.at("work"), log="{p.a() - p.number} {new Pool(3).a()}")
            with d.session.events() as events:
                await next_hit(d.session)
                await d.session.breakpoints.add(d.at("all"), policy=SuspendPolicy.ALL)
                assert shown.number == 1
                await next_hit(d.session)
                texts = []
                while (event := events.take_nowait()) is not None:
                    if isinstance(event, Notice) and event.kind == "logpoint":
                        texts.append(event.text)
            assert texts == ["0 3"] * 80
            await runs_to_its_end(d, 80)


async def test_over_a_link(jvm: Jvm) -> None:
    """Calls of the debugger's own are then sent one behind the other."""
    pool = program("Pool")
    async with start_target(jvm, pool, "7", "4") as target, open_relay(target.address, rtt=0.03) as relay:
        with within(LIMIT):
            async with jdbpy.attach_session(relay.address) as session:
                number = (await session.breakpoints.add(pool.at("work"), policy=SuspendPolicy.ALL)).number
                runner = CallRunner(session._target, session.stack, lambda: session.values.evaluator)
                for _ in range(8):
                    await next_hit(session)
                    assert (await session.values.evaluate(EXPRESSION)).text == "0"
                    async with runner.calls("a test") as calls:
                        wanted = [UtilityCall("java.lang.Math", "abs", "(I)I", (-each,)) for each in range(8)]
                        assert await calls.all(*wanted) == list(range(8))
                    await counts_agree(session)
                await session.breakpoints.remove([number])
                while isinstance(await session.execution.cont(), Stopped):
                    pass
                await target.wait_output("done 28")


@pytest.mark.every_java
async def test_a_method_that_waits_for_a_lock(jvm: Jvm) -> None:
    """Who holds it is told, and letting that thread run ends the call; all counts are as before."""
    with within(LIMIT):
        async with debug(jvm, "Pool", "2", "2") as d:
            for marker in ("holding", "over"):
                await d.session.breakpoints.add(d.at(marker), policy=SuspendPolicy.THREAD)
            await d.resume()
            stops = [await d.session.next_stop(), await d.session.next_stop()]
            found = {stop.thread.name: stop.thread for stop in stops if isinstance(stop, Stopped) and stop.thread}
            holder = found["main"]
            await d.session.select_thread(found["last"].id)
            assert len(d.unseen()) == 2
            with pytest.raises(StateError) as caught:
                await d.session.values.evaluate("new Pool(1).locked()", time_limit=1.5)
            assert caught.value.code == "STILL_RUNNING"
            assert "it waits to enter the monitor of" in caught.value.message
            assert f'which thread "main" ({holder.id}) holds, and that is suspended' in caught.value.message
            assert f"'resume {holder.id}' lets it run" in caught.value.hint
            await d.session.execution.unsuspend([holder.id])
            notice = await d.wait_notice("warning")
            assert notice.text == "Pool.locked, which was left running, has returned"
            await counts_agree(d.session)
            assert (await d.session.values.evaluate("new Pool(1).locked()")).text == "1"
            await runs_to_its_end(d, 4)


@pytest.mark.two_javas
async def test_a_method_that_runs_on(jvm: Jvm) -> None:
    """Where it is, is told; it goes on until what it waits for has happened."""
    with within(LIMIT):
        async with debug(jvm, "Pool", "2", "2") as d:
            number = (await d.session.breakpoints.add(d.at("work"), policy=SuspendPolicy.THREAD)).number
            thread = await next_hit(d.session)
            with pytest.raises(StateError) as caught:
                await d.session.values.evaluate("p.waitFor(1)", time_limit=0.3)
            assert "; it is in " in caught.value.message
            assert (f"'interrupt {thread}' interrupts it" in caught.value.hint) is (jvm.feature >= 25)
            await d.session.breakpoints.remove([number])
            await d.session.values.assign("Pool.enough", "true")
            d.ignored.add("warning")
            await runs_to_its_end(d, 4)


async def test_frames_outlive_a_method(jvm: Jvm) -> None:
    """They are good until their thread runs on."""
    with within(LIMIT):
        async with debug(jvm, "Pool", "2", "2") as d:
            await d.session.breakpoints.add(d.at("work"))
            thread = await next_hit(d.session)
            frames = (await d.session.stack.of()).frames
            assert (await d.session.values.evaluate("p.a() - p.number")).text == "0"
            for frame, names in zip(frames, ({"p", "round"}, {"p", "round", "rounds"}), strict=False):
                found = {each.name for each in await d.session.stack.variables(frame)}
                assert names <= {name.removeprefix("val$") for name in found}
                await d.session.values.evaluate("p.a()")
            while await next_hit(d.session) != thread:
                pass  # the other thread's hit was on its way already
            with pytest.raises(StateError, match="its thread has run since"):
                await d.session.stack.variables(frames[0])
            await d.session.breakpoints.remove([1])
            await runs_to_its_end(d, 4)


ASKING = inline("""
class Asking {
    public static void main(String[] args) throws Exception {
        Thread other = new Thread(Asking::waitForIt);
        other.start();
        asked = false; // @here
        other.join();
    }

    static volatile boolean asked;

    static int ask() throws java.io.IOException {
        asked = true;
        return System.in.read();
    }

    static void waitForIt() {
        while (!asked) Thread.onSpinWait();
        asked = true; // @other
    }
}
""")


async def test_a_stop_of_everything_lets_a_method_run_on(jvm: Jvm) -> None:
    """One whose condition was asked: it is the debugger that suspends all threads, the one of the call among them."""
    with within(LIMIT):
        async with debug(jvm, ASKING) as d:
            await d.session.breakpoints.add(d.at("here"), policy=SuspendPolicy.THREAD)
            await d.session.breakpoints.add(d.at("other"), policy=SuspendPolicy.ALL, condition="asked")
            thread = await next_hit(d.session)
            answers: list[str] = []

            async def ask() -> None:
                answers.append((await d.session.values.evaluate("ask()")).text)

            async with trio.open_nursery() as nursery:
                nursery.start_soon(ask)
                stop = await d.session.next_stop()
                assert isinstance(stop, Stopped)
                assert stop.thread is not None
                assert stop.thread.id != thread
                assert d.session.suspended_everything
                await d.target.send("x")
            assert answers == [str(ord("x"))]
            await counts_agree(d.session, waiting=True)
            assert isinstance(await d.session.execution.cont(), Exited)
            d.unseen()


@pytest.mark.parametrize("others_run", [False, True])
async def test_a_method_runs_on_when_another_has_returned(jvm: Jvm, others_run: bool) -> None:
    """The end of a call that lets all threads run suspends all of them: those that run other methods, too."""
    with within(LIMIT):
        async with debug(jvm, "Pool", "2", "2") as d:
            number = (await d.session.breakpoints.add(d.at("work"), policy=SuspendPolicy.THREAD)).number
            await d.resume()
            stops = [await d.session.next_stop(), await d.session.next_stop()]
            first, second = [stop.frame for stop in stops if isinstance(stop, Stopped)]
            await d.session.execution.suspend()
            waited: list[str] = []

            async def wait() -> None:
                text = "p.waitFor(1) - p.number"
                waited.append((await d.session.values.evaluate(text, frame=first, others_run=others_run)).text)

            async with trio.open_nursery() as nursery:
                nursery.start_soon(wait)
                while not target_of(d).invocations.any:
                    await trio.lowlevel.checkpoint()
                assert (await d.session.values.evaluate("p.a() - p.number", frame=second, others_run=True)).text == "0"
                assert not waited
                await d.session.values.assign("Pool.enough", "true")
            assert waited == ["0"]
            await counts_agree(d.session)
            await d.session.breakpoints.remove([number])
            await d.session.execution.unsuspend()
            await runs_to_its_end(d, 4)
