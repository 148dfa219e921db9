"""``jdbpy.join``: the objects of ``jdbpy.attach`` on a session that another process serves."""

from __future__ import annotations

import ast
import json
import pkgutil
import re
from contextlib import aclosing
from decimal import Decimal
from importlib import import_module
from inspect import getsource, iscoroutinefunction
from pathlib import Path
from typing import Any, cast

import pytest
import trio

import jdbpy
import jdbpy.api
import jdbpy.session
import jdbpy.sync
from jdbpy.serve.calls import MADE
from jdbpy.serve.objects import JoinedComponent, JoinedSession
from jdbpy.serve.typed import pack, unpack
from jdbpy.session.values.export import JavaObject
from tests.harness import LIMIT, Jvm, start_target, within
from tests.harness.interrupting import at_every_step
from tests.serve.serving import serving


def test_what_crosses_comes_out_as_it_went_in() -> None:
    location = jdbpy.Location("com.acme.Order", "total", "()I", "Order.java", 42, 7)
    order = JavaObject("com.acme.Order")
    order.update(lines=[order, 1, None], price=Decimal("1.50"))
    values: list[Any] = [
        (None, True, -7, 1.5, "\ud800ü", b"\0\xff", (1, [2]), {3}, frozenset((4,)), {(1, 2): "pair"}),
        jdbpy.BreakpointInfo(1, "Order:42", "line", True, False, jdbpy.SuspendPolicy.THREAD, (location,)),
    ]
    for value in values:
        found = unpack(json.loads(json.dumps(pack(value))))
        assert found == value and repr(found) == repr(value)
    found = unpack(json.loads(json.dumps(pack(order))))
    assert (type(found), found.type, found["price"]) == (JavaObject, "com.acme.Order", Decimal("1.50"))
    assert found["lines"][0] is found
    error = jdbpy.Thrown("java.lang.Error", "no", id=7, stack=("at A.b",), hint="h")
    again = unpack(json.loads(json.dumps(pack(error))))
    assert (type(again), str(again), vars(again)) == (jdbpy.Thrown, str(error), vars(error))


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        {},
        {"r": ["Nothing"]},
        {"r": ["SuspendPolicy", 1]},
        {"r": ["Location", 1]},
        {"e": ["SuspendPolicy", "some"]},
        {"x": ["JdbpyError", [["__class__", 1]]]},
        {"x": ["Exception", []]},
        {"#": 3},
        {"z": 1},
        {"b": "%"},
        {"d": [[{"l": []}, 1]]},
    ],
)
def test_what_cannot_have_been_sent_is_refused(wrong: Any) -> None:
    with pytest.raises(jdbpy.UsageError):
        unpack(wrong)


def test_all_that_the_objects_ask_of_a_session_is_there() -> None:
    """What ``jdbpy.api`` asks of a session is had of a joined one: at once, or by a coroutine that may be called."""
    classes = dict[str, type[Any]]()
    for each in pkgutil.walk_packages(jdbpy.session.__path__, "jdbpy.session."):
        found = vars(import_module(each.name)).items()
        classes.update((name, value) for name, value in found if isinstance(value, type))
    asked = set[tuple[str, ...]]()
    for path in Path(jdbpy.api.__path__[0]).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            said = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
            asked.update(tuple(filter(None, found.groups())) for found in ASKED.finditer(said))
    assert {("observer", "tree"), ("points", "list"), ("is_current",)} <= asked and len(asked) > 60
    session = JoinedSession(cast(Any, None), {})
    for component in NOT_SHARED:
        with pytest.raises(jdbpy.StateError, match=f"has no '{component}'"):
            getattr(session, component)
    for component, *names in (each for each in asked if each[0] not in ("info", "address", *NOT_SHARED)):
        part = getattr(session, component)
        if isinstance(part, JoinedComponent) and names and f"{component}.{names[0]}" not in MADE:
            kind = classes[getattr(jdbpy.Session, component).func.__annotations__["return"]]
            handed_on = f"self.{names[0]} = " in getsource(kind.__init__)  # a coroutine of another class
            own = names[0] in vars(type(part)) or handed_on
            assert own or iscoroutinefunction(getattr(kind, names[0])), (component, names)
        elif names:
            assert hasattr(part, names[0]), (component, names)


NOT_SHARED = ("recorder",)
"""Components of scripts that attach themselves: recorded calls are many bytes, which are where they are read."""

ASKED = re.compile(r"^(?:self\._?session|(?:self\.)?_?(?:vm|core)\.session|session|before)\.(\w+)(?:\.(\w+))?")
"""The names of what is asked of a session."""


async def test_a_script_has_the_objects_of_attach(jvm: Jvm) -> None:
    async with (
        start_target(jvm, "Desks", suspend=False) as target,
        serving("--name", "desks", "attach", target.address, "--hold", "thread") as served,
    ):
        await target.wait_output("open")
        source = target.program
        with within(3 * LIMIT):
            async with jdbpy.join("desks", client="ann") as ann, jdbpy.join("desks", client="ben") as ben:
                # each stops for itself, at the same time
                first = await ann.stop_at(source.at("first"))
                second = await ben.stop_at(source.at("second"), when="number == 2")
                stop, other = await first.wait(), await second.wait()
                assert (stop.thread.name, other.thread.name) == ("desk-1", "desk-2")
                assert (stop.breakpoint.number, stop.is_current, stop.suspends_all) == (1, True, False)
                assert [each.number for each in ann.breakpoints] == [1, 2]
                # frames, variables, expressions, errors
                frame = stop.frame
                assert (frame.line, frame.method) == (source.line("first"), "first")
                assert await (await frame["this"])["number"].python() == 1
                assert (await frame.eval("number + extra", extra=41)).text == "42"
                assert await frame.eval("java.util.List.of(1, 2, 3)").python() == [1, 2, 3]
                assert await frame.eval("it.length()", it=await frame.eval('"text"')).python() == 4
                with pytest.raises(jdbpy.EvalError, match="cannot find symbol"):
                    await frame.eval("nowhere")
                with pytest.raises(jdbpy.Thrown, match="ArithmeticException"):
                    await frame.eval("1 / (number - 1)")
                assert (await frame.set("taken", 41)).text == "41"
                assert bool(frame.is_current)  # evaluations leave it good
                with pytest.raises(jdbpy.UsageError, match="longer than"):
                    await frame.set("taken", "long" * 300_000)
                stepped = await stop.thread.next()
                assert (stepped.reason, stepped.frame.line) == ("step", source.line("first-next"))
                assert [each.is_current for each in (frame, stop, stepped)] == [False, False, True]
                with pytest.raises(jdbpy.StateError, match="earlier stop"):
                    await frame.eval("number")
                # what the other does is seen, and disturbs nothing
                assert other.is_current
                assert (await ann.find_thread("desk-2")).is_suspended
                assert await ann.heap.count("Desks") >= 3
                assert "Desks" in await ann.classes("Desks")
                stacks = {each.thread.name: each for each in await ann.stacks()}
                assert {"desk-1", "desk-2"} <= set(stacks)
                # what stands for another is not resumed
                await stepped.resume()
                assert (await first.wait()).thread.name == "desk-1"
                await first.remove()
                await ann.resume()
                assert (ann.is_suspended, other.is_current) == (False, True)
                # waits end, hits are reported
                with pytest.raises(jdbpy.TimedOut):
                    await second.wait(timeout=0.001)  # its thread stands
                assert not first.exists
                async with ann.log(source.at("first"), "{number}") as hits:
                    async for hit in hits.take(count=3):
                        assert hit.values["number"].text == "1"
                    assert hits.breakpoint.hits >= 3
                    assert (await hits.summary()).hits >= 3
                async with ann.sample("Desks") as spent:
                    assert (await spent.result()).looks >= 0
                # calls are observed
                async with ann.calls("Desks.first", show=["number"]) as calls:
                    async with aclosing(cast(Any, calls.take(count=2))) as taken:
                        async for call in taken:
                            assert call.values["number"].text == "1"
                    assert calls.count >= 2
                async with ann.calls("Desks.first", when="$cost > 1000s") as refused:
                    while refused.count < 2:
                        await trio.lowlevel.checkpoint()
                        await ann.find_thread("desk-1")
                assert refused.summary().condition_false == refused.count
                with pytest.raises(jdbpy.UsageError, match="nothing"):
                    async with ann.calls("Desks.nothing"):
                        pass
                [tree] = await ann.call_tree("Desks.first", 2)
                assert (tree.method, tree.calls) == ("first", 2)
                async with ann.call_stats("Desks.first") as times:
                    while not (seen_now := times.take().methods):
                        await times.refresh()
                [counted] = times.whole().methods
                assert (counted.method, counted.count >= seen_now[0].count > 0) == ("first", True)
                assert counted.minimum <= counted.p50 <= counted.p99 <= counted.maximum
                # a function for each stop, whose error is raised at the end
                seen: list[str] = []
                again = await ann.stop_at(source.at("first"), do=lambda each: seen.append(each.thread.name))
                while len(seen) < 2:
                    await trio.lowlevel.checkpoint()
                    await ann.find_thread("desk-1")
                await again.remove()
                paused = await ann.pause()
                assert paused.reason == "pause"
                await ann.resume()
                assert other.is_current
            # both have left: nothing is suspended, nothing is set
            async with jdbpy.join("desks", read_only=True) as reader:
                assert reader.breakpoints == []
                assert not reader.is_suspended
                with pytest.raises(jdbpy.ReadOnlyError):
                    await reader.stop_at(source.at("first"))
                with pytest.raises(jdbpy.StateError, match="has no 'sources'"):
                    await reader.session.sources.find("Desks", None)
                with pytest.raises(jdbpy.UsageError, match="no call"):
                    await reader.session.heap.nothing()  # type: ignore[attr-defined]
            await trio.to_thread.run_sync(without_await, source.at("third"))
            # the process of the session is killed, and another one serves the JVM
            changes: list[str] = []
            async with (
                jdbpy.join("desks") as last,
                jdbpy.join("desks", reconnect=LIMIT, on_reconnect=lambda _, why: changes.append(why)) as lasting,
            ):
                again = await lasting.stop_at(source.at("second"))
                assert (await again.wait()).frame.line == source.line("second")
                served.process.kill()
                with pytest.raises(jdbpy.Disconnected, match="the session has gone"):
                    await last.wait()
                with pytest.raises(jdbpy.Disconnected):
                    await last.classes("Desks")
                await target.wait_listening_again()
                async with serving("--name", "desks", "attach", target.address, "--hold", "thread"):
                    await lasting.wait_connected(timeout=LIMIT)
                    assert changes == ["the session has gone", ""]
                    assert (await again.wait()).breakpoint.number == again.number


def without_await(place: str) -> None:
    with jdbpy.sync.join("desks", client="cyd") as vm:
        breakpoint = vm.stop_at(place)
        interrupted = at_every_step(lambda: breakpoint.wait(timeout=LIMIT))  # Ctrl-C at each moment of a wait
        for count, result in enumerate(interrupted, 1):
            if result is None:
                vm.resume()  # does not release the stop that was put back
            stop = result or vm.wait(timeout=LIMIT)
            assert (stop.frame["number"].python(), breakpoint.hits) == (3, count)
            if result is None:
                assert vm.is_suspended
                vm.resume()
        assert stop.thread.finish(timeout=LIMIT).reason == "step"
        breakpoint.remove()
        vm.resume()
        for paused in at_every_step(vm.pause):  # refused if one that was interrupted still lasts
            if paused is not None:
                paused.resume()
