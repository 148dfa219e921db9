"""Stacks and frames on real JVMs: one thread or all, deep, native, hidden; selecting frames; what it costs."""

from __future__ import annotations

import pytest

from jdbpy.errors import StateError, UsageError
from tests.harness import Jvm, debug


async def test_a_deep_stack_in_pieces(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Scopes") as d:
        await d.run_to("bottom")
        whole = await d.session.stack.of()
        assert whole.total == len(whole.frames) == 2003
        assert [frame.index for frame in whole.frames] == list(range(1, 2004))
        assert [whole.frames[index].location.method for index in (0, 1, 2001, 2002)] == [
            "bottom",
            "dive",
            "dive",
            "main",
        ]
        piece = await d.session.stack.of(start=1999, count=10)
        assert (piece.total, [frame.index for frame in piece.frames]) == (2003, [2000, 2001, 2002, 2003])
        assert piece.frames == whole.frames[1999:]
        top = await d.session.stack.of(count=1)
        assert (top.total, len(top.frames)) == (2003, 1)
        assert (await d.session.stack.of(start=5000)).frames == ()
        with pytest.raises(UsageError):
            await d.session.stack.of(start=-1)


async def test_frames_are_made_when_they_are_looked_at(any_jvm: Jvm) -> None:
    """They are those of a tuple all the same: by number, in pieces, compared, in a set; their variables are read."""
    async with debug(any_jvm, "Scopes") as d:
        await d.run_to("bottom")
        frames = (await d.session.stack.of(count=50)).frames
        held = tuple(frames)
        assert frames[0] is not frames[0]
        assert (frames[0], frames[-1], frames[49]) == (held[0], held[-1], held[49])
        assert (tuple(frames[5:9]), frames[::-2], tuple(frames[7:3])) == (held[5:9], held[::-2], ())
        assert frames == held == tuple(frames[:])
        assert len({frames, held, frames[:]}) == 1
        assert frames != held[1:]
        with pytest.raises(IndexError):
            frames[50]
        for passing in ("before anything was run", "after a method has made their ids void"):
            assert await d.session.stack.variables_of_all(frames[:3]) == await d.session.stack.variables_of_all(
                held[:3]
            ), passing
            await d.session.values.evaluate("Thread.currentThread().getName()")


@pytest.mark.usefixtures("nothing_ahead")
async def test_all_stacks_in_four_round_trips(any_jvm: Jvm) -> None:
    costs = []
    for count in ("10", "120"):
        async with debug(any_jvm, "Crowd", count) as d:
            await d.run_to("ready")
            before = d.session.statistics()
            stacks = await d.session.stack.all()
            cold = d.session.statistics()
            costs.append(cold.since(before).waves)
            assert len(stacks) > int(count)
            by_name = {trace.thread.name: trace for trace in stacks}
            assert by_name["diver"].total > 300
            assert all(trace.frames[0].native for name, trace in by_name.items() if name.startswith("worker-"))
            assert "waitForOpening" in [frame.location.method for frame in by_name["worker-3"].frames]
            await d.session.stack.all()
            assert d.session.statistics().since(cold).waves <= 2
    assert max(costs) <= 4


async def test_a_running_thread_is_answered_with_a_word(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Crowd", "1", suspend=False) as d:
        await d.target.wait_output("ready\n")
        sleeper = await d.session.threads.find("sleeper")
        trace = await d.session.stack.of(sleeper.id)
        assert (trace.frames, trace.total, trace.error) == ((), 0, "the thread is running")
        assert {each.error for each in await d.session.stack.all()} == {"the thread is running"}
        with pytest.raises(StateError, match="the thread is running"):
            await d.session.stack.frames(sleeper.id, 0, 1)
        with pytest.raises(UsageError, match="no thread 99999"):
            await d.session.stack.of(99999)
        with pytest.raises(StateError, match="no thread is selected"):
            await d.session.stack.of()
        with pytest.raises(StateError, match="no thread is selected"):
            await d.session.stack.selected()


async def test_selecting_frames(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Scopes") as d:
        await d.run_to("bottom")
        first = await d.session.stack.selected()
        assert (first.index, first.location.method) == (1, "bottom")
        before = d.session.statistics()
        assert await d.session.stack.selected() == first
        assert d.session.statistics().since(before).commands == 0, "asked twice at one stop"
        second = await d.session.up()
        assert (second.index, second.location.method, d.session.selection[1]) == (2, "dive", 2)
        assert (await d.session.stack.selected()).index == 2
        assert (await d.session.select_frame(2003)).location.method == "main"
        with pytest.raises(UsageError, match=r"no frame 2004: the stack of thread \d+ has 2003"):
            await d.session.up()
        assert d.session.selection[1] == 2003
        with pytest.raises(UsageError, match="innermost"):
            await d.session.down(2003)
        assert (await d.session.down(2002)).index == 1
        await d.session.execution.resume()
        await d.wait_exit()
        with pytest.raises(StateError):
            await d.session.stack.selected()


async def test_selecting_threads(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Crowd", "1") as d:
        await d.run_to("ready")
        blocked = await d.session.threads.find("blocked")
        await d.session.select_thread(blocked.id)
        assert (await d.session.stack.selected()).location.method == "enter"
        assert (await d.session.stack.of()).thread.name == "blocked"
        with pytest.raises(UsageError, match="no thread 4711"):
            await d.session.select_thread(4711)
        assert d.session.selection[0] == blocked.id


async def test_hidden_frames_are_marked(jvm: Jvm) -> None:
    async with debug(jvm, "Scopes") as d:
        await d.run_to("lambda")
        marks = {}
        for _ in range(3):  # the line is met when the lambda is made and in its body
            trace = await d.session.stack.of()
            for frame in trace.frames:
                marks[frame.location.class_name.partition("/")[0].partition("$$")[0], frame.location.method] = (
                    frame.hidden
                )
            if trace.frames[0].location.method.startswith("lambda$"):
                break
            await d.run_to("lambda")
        assert marks["Scopes", "captured"] is False
        assert marks["Scopes", "get"] is True, "the class that carries the lambda"


async def test_a_stop_s_frame_is_asked_for_once(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Scopes") as d:
        await d.run_to("arguments")
        assert d.session.last_stop is not None
        assert d.session.last_stop.frame is not None
        d.session.stack.remember(d.session.last_stop.frame)
        before = d.session.statistics()
        assert await d.session.stack.selected() == d.session.last_stop.frame
        assert d.session.statistics().since(before).commands == 0
