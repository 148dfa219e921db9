"""A method that nobody waits for any more goes on in its thread: that is said, and what the thread is of no use for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import trio

import jdbpy
from jdbpy.errors import JdbpyError, StateError
from jdbpy.session.eval.jvm import invoking
from jdbpy.session.model.options import InvokeRules, StepDepth
from tests.dap.client import dap_client
from tests.harness import LIMIT, Debugging, Jvm, debug, program, start_target, within

pytestmark = pytest.mark.one_java

ENDLESS = "Thread.sleep(600_000)"


async def interrupted(d: Debugging, evaluate: Callable[[], Awaitable[object]]) -> int:
    """Interrupt an evaluation in the selected thread as soon as its method runs; gives the thread."""
    [thread, _] = d.session.selection
    assert thread is not None
    evaluating = d.session._target.suspension.evaluating
    with within(LIMIT):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(evaluate)
            while thread not in evaluating:
                await trio.lowlevel.checkpoint()
            nursery.cancel_scope.cancel()
    return thread


@pytest.mark.two_javas
async def test_every_word_about_the_thread_says_why(jvm: Jvm) -> None:
    async with debug(jvm, "Eaten") as d:
        await d.run_to("total")
        session, execution = d.session, d.session.execution
        thread = await interrupted(d, lambda: session.values.evaluate(ENDLESS))
        notice = await d.wait_notice("warning")
        named = f'is still running in thread "main" ({thread}): '
        assert notice.text.startswith(f"java.lang.Thread.sleep, which nobody waits for any more, {named}")
        can_be_ended = jvm.feature >= 25
        ends_it = f"'interrupt {thread}' interrupts it" if can_be_ended else "this JVM interrupts no thread before"
        assert ends_it in notice.text
        words: list[Callable[[], Awaitable[object]]] = [
            lambda: session.values.evaluate("cents"),
            lambda: session.values.evaluate("nothing.like.it"),
            lambda: session.values.evaluate("Eaten.main(null)"),
            lambda: session.values.assign("cents", "7"),
            lambda: session.values.dump("this"),
            lambda: session.stack.selected(),
            lambda: session.stack.select_frame(2),
            lambda: session.stack.variables(),
            lambda: execution.step(StepDepth.OVER),
            lambda: execution.until(),
            lambda: execution.force_return("1"),
            lambda: execution.pop(),
            lambda: execution.reenter(),
        ]
        why = "that thread is running a method for an earlier expression: java.lang.Thread.sleep"
        for word in words:
            with pytest.raises(StateError) as refused:
                await word()
            assert (refused.value.message, refused.value.code) == (why, "STILL_RUNNING")
            assert ends_it in refused.value.hint
        assert (await session.stack.of()).error == why
        assert await execution.interrupt(thread) is can_be_ended
        if not can_be_ended:
            return
        notice = await d.wait_notice("warning")
        assert notice.text == "java.lang.Thread.sleep, which was left running, has ended with an exception"
        assert (await session.values.evaluate("cents")).text == "5"
        assert (await session.stack.of()).frames[0].location.method == "total"


async def test_a_name_says_that_no_frame_is_there(jvm: Jvm) -> None:
    async with debug(jvm, "Eaten") as d:
        await d.run_to("total")
        await d.session.execution.suspend()
        d.session._target.selection.clear()
        for text in ("order.name", "order", "order.name.length()"):
            with pytest.raises(JdbpyError) as refused:
                await d.session.values.evaluate(text)
            assert "no thread is selected" in refused.value.message, text
        assert (await d.session.values.evaluate("java.lang.Integer.MAX_VALUE")).text == "2147483647"


async def test_the_limit_of_a_method_is_that_of_the_whole_wait(jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the next one would have waited for this one, that was a part of it."""
    left = []
    wait = invoking._wait

    async def noted(target: Any, thread: int, run: Any, rules: InvokeRules, since: float) -> None:
        left.append(since + rules.limit - trio.current_time())
        await wait(target, thread, run, rules, since)

    monkeypatch.setattr(invoking, "_wait", noted)
    async with debug(jvm, "Eaten") as d:
        await d.run_to("total")
        with pytest.raises(StateError, match=r"has not returned within 0\.2 s"):
            await d.session.values.evaluate(ENDLESS, time_limit=0.2)
    assert len(left) == 1 and left[0] <= 0


async def test_scripts_are_told(jvm: Jvm) -> None:
    async with start_target(jvm, "Eaten") as target, jdbpy.attach(target.address) as vm:
        breakpoint = await vm.stop_at(program("Eaten").at("total"))
        await vm.resume()
        stop = await breakpoint.wait(timeout=LIMIT)
        with within(LIMIT):
            with pytest.raises(StateError) as unreturned:
                await stop.frame.eval(ENDLESS, timeout=0.01)
            assert unreturned.value.code == "STILL_RUNNING"
            words: list[Callable[[], Awaitable[object]]] = [
                lambda: stop.frame.eval("cents"),
                lambda: stop.thread.next(),
                lambda: stop.frame.pop(),
            ]
            for word in words:
                with pytest.raises(StateError, match="running a method for an earlier expression") as refused:
                    await word()
                assert refused.value.code == "STILL_RUNNING"
            with pytest.raises(StateError, match=r"an earlier expression: java\.lang\.Thread\.sleep"):
                await stop.thread.frames()


async def test_editors_are_told(jvm: Jvm) -> None:
    async with start_target(jvm, "Eaten") as target, dap_client() as dap:
        await dap.attach(target)
        await dap.breakpoints(target.program, "total")
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint")
        [frame, *_] = await dap.frames(stop)
        endless = await dap.start("evaluate", expression=ENDLESS, frameId=frame["id"], context="repl")
        with within(LIMIT):
            while True:
                answer = await dap.response(await dap.start("evaluate", expression="cents", frameId=frame["id"]))
                if not answer["success"]:
                    break
        await dap.request("cancel", requestId=endless)
        await dap.response(endless)
        await dap.wait("a warning", lambda: "is still running in thread" in dap.output)
        for asked in ("next", "stepIn", "stackTrace"):
            assert "running a method" in await dap.refused(asked, threadId=stop["threadId"])
        assert "running a method" in await dap.refused("evaluate", expression="cents", frameId=frame["id"])
