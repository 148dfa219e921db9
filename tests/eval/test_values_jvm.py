"""Expressions through ``session.values`` on real JVMs: jdb's own faults, calls and their rules, what stays sound."""

from __future__ import annotations

import pytest
import trio

import jdbpy
from jdbpy.errors import EvalError, JdbpyError, StateError, Thrown, UsageError
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.values import Limits
from tests.eval.at_stop import stopped, value
from tests.harness import Jvm, debug, program, start_target
from tests.session.running import target_of

pytestmark = pytest.mark.one_java

# -- what jdb gets wrong -------------------------------------------------------------------------------------------


@pytest.mark.every_java
async def test_what_jdb_gets_wrong(jvm: Jvm) -> None:
    """Every fault about values and expressions in the list of jdb's faults."""
    async with stopped(jvm) as (d, _):
        rows = {
            "true && false": "false",
            "true || false": "true",
            "6 & 3": "2",
            "6 | 3": "7",
            "6 ^ 3": "5",
            "name instanceof String": "true",
            '"né日本"': '"né日本"',
            'name.equals("né日本")': "true",
            "new int[] {1, 2}": "int[2] {1, 2}",
            "Integer.valueOf(3)": "3",
            "java.util.Collections.nCopies(2, 1).size()": "2",
            "Collections.singletonList(2).get(0)": "2",
            "calls": "0",
            "mixed": 'Object[3] {1, null, "three"}',
        }
        assert {text: await value(d, text) for text in rows} == rows
        with pytest.raises(Thrown) as caught:
            await value(d, "(String) (Object) strings")
        assert caught.value.exception_type == "java.lang.ClassCastException"
        dumped = await d.session.values.dump("mixed", Limits(depth=2))
        assert [child.value.text for child in dumped.children if child.value] == ["1", "null", '"three"']


@pytest.mark.every_java
async def test_only_the_one_thread_runs(jvm: Jvm) -> None:
    """jdb lets all other threads run during a call; here they do so only when they are let."""
    async with stopped(jvm) as (d, _):
        before = await value(d, "ticks")
        assert await value(d, "tickOver(100_000_000L)") == "0"
        assert await value(d, "ticks") == before
        moved = await d.session.values.evaluate("tickOver(2_000_000_000L)", others_run=True)
        assert int(moved.text) > 0
        assert d.session.suspended_everything
        assert await value(d, "tickOver(100_000_000L)") == "0"


# -- calls ---------------------------------------------------------------------------------------------------------


async def test_the_frame_stays_good_after_a_call(jvm: Jvm) -> None:
    """Frame ids are void after a call; who looks at the frame does not notice."""
    async with stopped(jvm) as (d, _):
        assert await value(d, "twice(local) + local") == "12"
        assert await value(d, "local = twice(local)") == "8"
        assert await value(d, "local + twice(local = 5) + local") == "23"
        names = {each.name: each.value.text for each in await d.session.stack.variables() if each.value}
        assert names["local"] == "5"
        stop = await d.session.execution.step()
        await d.check_stop(stop, "step", at="twice", frames=["Evaluated.twice", "Evaluated.run", "Evaluated.main"])
        await d.session.select_frame(2)
        assert await value(d, "local * 2") == "10"


@pytest.mark.every_java
async def test_an_exception_of_the_called_method(jvm: Jvm) -> None:
    async with stopped(jvm) as (d, _):
        with pytest.raises(Thrown) as caught:
            await value(d, 'fails("because")')
        error = caught.value
        assert (error.exception_type, error.exception_message) == ("java.lang.IllegalStateException", "because")
        assert error.stack[0] == f"Evaluated.deeper(Evaluated.java:{d.program.line('thrown')})"
        assert error.stack[1].startswith("Evaluated.fails(Evaluated.java:")
        assert "$exc" in error.hint
        assert await value(d, "$exc.getMessage()") == '"because"'
        assert await value(d, "$exc instanceof IllegalStateException") == "true"
        with pytest.raises(Thrown) as null:
            await value(d, "nobody.twice(1)")
        assert null.value.exception_type == "java.lang.NullPointerException"
        with pytest.raises(Thrown) as inside:
            await value(d, "java.util.Objects.requireNonNull(nobody)")
        assert inside.value.exception_type == "java.lang.NullPointerException"
        with pytest.raises(Thrown) as thrown:
            await value(d, 'throw new IllegalArgumentException("mine")')
        assert (thrown.value.exception_type, thrown.value.exception_message) == (
            "java.lang.IllegalArgumentException",
            "mine",
        )


@pytest.mark.every_java
async def test_a_call_that_does_not_return_gives_the_prompt_back(jvm: Jvm) -> None:
    """It goes on in its thread; the thread is of no use until it has ended, and its end is told."""
    async with stopped(jvm) as (d, stop):
        with pytest.raises(StateError) as caught:
            await d.session.values.evaluate("locked()", time_limit=0.2)
        assert caught.value.code == "STILL_RUNNING"
        assert "Evaluated.locked" in caught.value.message
        assert "is still running" in caught.value.message
        with pytest.raises(StateError, match="running a method for an earlier expression"):
            await value(d, "local")
        threads = await d.session.threads.list()
        assert stop.thread is not None
        [holder] = [thread for thread in threads if thread.name == "holder"]
        # The holder is let run and told to release the lock: the call ends, and all is as it was.
        await d.session.select_thread(holder.id)
        assert await value(d, "release = true") == "true"
        await d.session.execution.unsuspend([holder.id])
        notice = await d.wait_notice("warning")
        assert notice.text == "Evaluated.locked, which was left running, has returned"
        await d.session.select_thread(stop.thread.id)
        assert await value(d, "locked()") == '"got it"'
        assert await value(d, "local") == "4"


async def test_a_cancelled_call_goes_on_by_itself(jvm: Jvm) -> None:
    async with stopped(jvm) as (d, stop):
        assert stop.thread is not None
        evaluating = d.session._target.suspension.evaluating
        async with trio.open_nursery() as nursery:
            nursery.start_soon(value, d, "locked()")
            while stop.thread.id not in evaluating:
                await trio.lowlevel.checkpoint()
            nursery.cancel_scope.cancel()
        assert stop.thread.id in evaluating
        assert "Evaluated.locked, which nobody waits for any more" in (await d.wait_notice("warning")).text
        [holder] = [thread for thread in await d.session.threads.list() if thread.name == "holder"]
        await d.session.select_thread(holder.id)
        await d.session.values.assign("release", "true")
        await d.session.execution.unsuspend([holder.id])
        assert (await d.wait_notice("warning")).text == "Evaluated.locked, which was left running, has returned"
        assert not evaluating
        await d.session.select_thread(stop.thread.id)
        assert await value(d, "twice(4)") == "8"


async def test_a_breakpoint_inside_a_call_is_passed(jvm: Jvm) -> None:
    """The stated rule: what an expression runs does not stop."""
    async with stopped(jvm) as (d, _):
        point = await d.session.breakpoints.add(d.at("twice"))
        assert await value(d, "twice(21)") == "42"
        await d.session.breakpoints.remove([point.number])


async def test_a_thread_held_more_than_once_can_still_run_methods(jvm: Jvm) -> None:
    async with stopped(jvm) as (d, stop):
        assert stop.thread is not None
        await d.session.execution.suspend([stop.thread.id])
        assert await value(d, "twice(3)") == "6"
        assert await value(d, "local + twice(4)") == "12"
        await d.session.execution.unsuspend([stop.thread.id])


@pytest.mark.parametrize(
    "text",
    [
        "System.exit(3)",
        "Runtime.getRuntime().exit(3)",
        "Runtime.getRuntime().halt(3)",
    ],
)
async def test_what_would_end_the_target_is_refused(any_jvm: Jvm, text: str) -> None:
    async with stopped(any_jvm) as (d, _):
        with pytest.raises(EvalError) as caught:
            await value(d, text)
        assert caught.value.code == "REFUSED"
        assert await value(d, "local") == "4"


async def test_a_thread_that_no_event_has_stopped_runs_nothing(jvm: Jvm) -> None:
    """The debugger's own does, where it may have one."""
    async with stopped(jvm) as (d, stop):
        [holder] = [thread for thread in await d.session.threads.list() if thread.name == "holder"]
        await d.session.select_thread(holder.id)
        assert int(await value(d, "ticks")) > 0
        assert await value(d, 'Evaluated.LOCK != null && "x".length() == 1') == "true"
        assert await value(d, "Thread.currentThread().getName()") == '"jdbpy"'
        d.session.instrumentation.mode = "off"
        with pytest.raises(StateError) as caught:
            await value(d, "new Object()")
        assert caught.value.code == "NOT_AT_EVENT"
        assert stop.thread is not None
        await d.session.select_thread(stop.thread.id)


async def test_read_only(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, program("Evaluated")) as target:
        async with jdbpy.attach_session(
            target.address, options=jdbpy.Options(read_only=True, allow_suspend=True)
        ) as session:
            await session.breakpoints.add(target.program.at("here"))
            await session.execution.cont()
            assert (await session.values.evaluate("local + name.length()")).text == "8"
            for text in ("twice(1)", "local = 5", "number++", "new int[1]", "mixed[0] = null", "strings + name"):
                with pytest.raises(StateError) as caught:
                    await session.values.evaluate(text)
                assert caught.value.code == "READ_ONLY"
            assert (await session.values.evaluate("local + number")).text == "46"
        await target.wait_output("done")


async def test_objects_of_an_expression_are_not_collected_meanwhile(jvm: Jvm) -> None:
    """With only the one thread held, nothing but a pin keeps a new object."""
    async with stopped(jvm, policy=SuspendPolicy.THREAD) as (d, _):
        assert not d.session.suspended_everything
        text = 'new Object[] {new StringBuilder("a"), garbage(), "b" + local, garbage(), new int[] {1}}[0].toString()'
        assert await value(d, text) == '"a"'
        await d.session.values.save("kept", 'new StringBuilder("kept")')
        await value(d, "garbage()")
        assert await value(d, "$kept.append(1).toString()") == '"kept1"'


async def test_an_object_of_a_wrong_class_never_reaches_a_method(jvm: Jvm) -> None:
    """Generic signatures promise what the heap may not keep: the VM would crash on it."""
    async with stopped(jvm) as (d, _):
        await value(d, "((java.util.List) (Object) strings).add(5)")
        with pytest.raises(JdbpyError) as caught:
            await value(d, "strings.get(2).length()")
        assert "Integer" in caught.value.message
        assert await value(d, "strings.size()") == "3"


# -- names, classes, variables -------------------------------------------------------------------------------------


async def test_classes_are_loaded_and_initialized_as_java_would(jvm: Jvm) -> None:
    async with stopped(jvm) as (d, _):
        assert await value(d, "Late.loaded") == "99"
        assert await value(d, "new Late().made") == "100"
        assert await value(d, "new Inner().own + this.new Inner().own") == "86"
        assert await value(d, 'java.util.UUID.fromString("0-0-0-0-1").getLeastSignificantBits()') == "1"
        assert await value(d, "java.util.concurrent.TimeUnit.DAYS.toHours(2)") == "48"
        with pytest.raises(Thrown) as caught:
            await value(d, "Broken.value")
        assert caught.value.exception_type == "java.lang.ExceptionInInitializerError"
        with pytest.raises(EvalError, match="cannot find symbol: class Nowhere"):
            await value(d, "new Nowhere()")


async def test_history_and_variables(jvm: Jvm) -> None:
    async with stopped(jvm) as (d, _):
        assert await value(d, "number") == "42"
        assert await value(d, "$_ + 1") == "43"
        assert await value(d, "$1 + $2") == "85"
        assert await value(d, "$list = strings; $list.size() + $list.get(0)") == '"2one"'
        this = await d.session.values.evaluate("this")
        assert await value(d, f"@{this.id}.number") == "42"
        assert await value(d, "$this.number") == "42"
        assert await value(d, "$list.get(1)") == '"two"'
        for text in ("$9 + 1", "$exc", "$ret"):
            with pytest.raises(EvalError, match="has no value"):
                await value(d, text)
        with pytest.raises(EvalError, match="no such object; it may have been"):
            await value(d, "@99999.x")
        with pytest.raises(EvalError, match="is set by the debugger"):
            await value(d, "$_ = 1")
        await d.session.values.save("order", "name")
        assert await value(d, "$order.length()") == "4"
        assert d.session.values.saved() == ["_", "list", "order"]
        d.session.values.forget("order")
        with pytest.raises(UsageError):
            d.session.values.forget("order")


@pytest.mark.every_java
async def test_assignments_reach_the_program(jvm: Jvm) -> None:
    async with stopped(jvm) as (d, _):
        values = d.session.values
        assert (await values.assign("local", "local * 25")).text == "100"
        assert (await values.assign("wide", "3")).type == "long"
        assert (await values.assign("letter", "'x' + 1")).text == "'y'"
        assert (await values.assign("words[1]", '"new"')).text == '"new"'
        assert (await values.assign("nobody", "new Evaluated()")).type == "Evaluated"
        assert (await values.assign("nobody", "null")).text == "null"
        assert (await values.assign("number", "number + 1")).text == "43"
        assert (await values.assign("calls", "twice(500)")).text == "1000"
        fixed = await values.assign("fixed", "8")
        assert "final" in fixed.note
        with pytest.raises(EvalError, match="possible lossy conversion from double to int"):
            await values.assign("local", "1.5")
        with pytest.raises(EvalError, match="String cannot be converted to int"):
            await values.assign("number", '"x"')
        await d.run_to("after")
        assert await value(d, 'local + " " + wide + letter + number + words[1]') == '"100 3y43new"'
    assert "local=100 wide=3y2null number=43 calls=1001" in d.target.stdout


async def test_to_string(jvm: Jvm) -> None:
    async with stopped(jvm) as (d, _):
        rows = {"this": '"Evaluated(42)"', "strings": '"[one, two]"', "wide": '"1099511627776"', "nobody": '"null"'}
        assert {text: (await d.session.values.to_string(text)).text for text in rows} == rows


async def test_without_debugging_information(jvm: Jvm) -> None:
    """Arguments and slots go by the names that the stack shows."""
    async with debug(jvm, program("Evaluated", debug="none")) as d:
        await d.session.breakpoints.add("Evaluated.run", temporary=True)
        await d.resume()
        await d.wait_stop("breakpoint")
        assert await value(d, "arg0 + arg1.length") == "5"
        assert await value(d, "arg1[1] + number") == '"b42"'
        await d.resume()
        await d.wait_exit()


async def test_while_the_target_runs_only_static_names_have_a_meaning(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Ticker") as d:
        await d.resume()
        assert await value(d, "1 + 2 * 3") == "7"
        for text in ("undefined", "undefined()", "undefined.x", "this"):
            with pytest.raises(StateError) as caught:
                await value(d, text)
            assert caught.value.code == "NO_THREAD"
        assert await value(d, "new Object().getClass().getName().length()") == "16"
        await d.session.exit(0)
        await d.wait_exit()


# -- at hits -------------------------------------------------------------------------------------------------------


@pytest.mark.every_java
async def test_a_condition_is_evaluated_at_every_hit(jvm: Jvm) -> None:
    async with debug(jvm, "Evaluated") as d:
        condition = d.session.values.compile_condition("n == 21 && calls >= 0")
        with pytest.raises(EvalError):
            d.session.values.compile_condition("n ==")
        await d.session.breakpoints.add(d.at("twice"))
        here = await d.run_to("here")
        await d.resume()
        stop = await d.wait_stop("breakpoint", at="twice")
        assert stop.thread is not None and here.thread is not None
        assert not await condition.holds(stop.thread.id)
        await value(d, "n = 21")
        assert await condition.holds(stop.thread.id)
        target_of(d).conn.recall = None  # as at another hit
        before = d.session.statistics()
        assert await condition.holds(stop.thread.id)
        after = d.session.statistics()
        # Frames and locals together, then the static field.
        assert (after.waves - before.waves, after.commands - before.commands) == (2, 3)
        wrong = d.session.values.compile_condition("undefined > 1")
        with pytest.raises(EvalError, match="cannot find symbol: variable undefined"):
            await wrong.holds(stop.thread.id)
        number = d.session.values.compile_condition("n + 1")
        with pytest.raises(EvalError, match="int cannot be converted to boolean"):
            await number.holds(stop.thread.id)
        await d.resume()
        await d.wait_exit()


async def test_the_text_of_a_logpoint(jvm: Jvm) -> None:
    async with stopped(jvm) as (d, stop):
        assert stop.thread is not None
        text = "{argument}, {name} and {letter} of {words} {{as it is}} {strings[? it.length() > 2].size()}{'!'}"
        template = d.session.values.compile_template(text)
        entry = await template.render(stop.thread.id)
        assert entry.text == '3, né日本 and x of String[2] {"a", "b"} {as it is} 2!'
        with pytest.raises(EvalError) as caught:
            d.session.values.compile_template("so {much + }")
        assert caught.value.column == 10
