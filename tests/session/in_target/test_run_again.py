"""Recorded calls made once more, with the arguments that were kept."""

from __future__ import annotations

import pytest

from jdbpy.errors import StateError
from tests.harness import LIMIT, Jvm, debug, within


@pytest.mark.every_java
async def test_calls_of_every_kind_are_made_again(jvm: Jvm) -> None:
    """With eight threads going on: the same arguments, the same end; private methods, and those of a superclass."""
    async with debug(jvm, "Rerun", suspend=False, jvm_options=["-Xverify:all"]) as d:
        await d.target.wait_output("ready")
        recorder = d.session.recorder
        recording = await recorder.record("Desk.*", hold=True)
        assert (recording.state, recording.notes) == ("recording", [])
        await d.target.send("calls")
        await d.target.wait_output("done calls")
        await recorder.refresh()
        calls = {each.method.method: each for each in recorder.calls}
        named = ["kinds", "objects", "add", "secret", "told", "none", "refused"]
        assert [name for name in calls if name != "long_"] == named
        for name in named:
            ran = await recorder.again(calls[name])
            assert ran.same is (name != "add"), (name, ran)
            found = recorder.call(ran.recorded)
            assert (found.method.method, found.thread) == (name, "jdbpy")
            assert [value.text for _, value in found.arguments][1:] == [v.text for _, v in calls[name].arguments][1:]
        ran = await recorder.again(calls["add"])
        assert (ran.outcome, ran.before) == ("returned 15", "returned 5")  # Desk.add, not LateDesk.add
        assert not [each.name for each in await d.session.threads.list() if each.suspend_count]
        if "long_" in calls:
            with pytest.raises(StateError, match="of text only the first 200 of 250 characters were kept"):
                await recorder.again(calls["long_"])


@pytest.mark.parametrize("hold", [False, True])
async def test_an_object_may_be_collected_unless_it_is_held(any_jvm: Jvm, hold: bool) -> None:
    """What keeps a call keeps its objects only where that was asked for, and no longer than the call."""
    async with debug(any_jvm, "Rerun", suspend=False) as d:
        await d.target.wait_output("ready")
        recorder = d.session.recorder
        await recorder.record("Desk.taken", hold=hold)
        await d.target.send("slip")
        await d.target.wait_output("done slip")
        await recorder.refresh()
        [call] = recorder.calls
        await d.target.send("gc")
        await d.target.wait_output("done gc held\n" if hold else "done gc\n")
        if hold:
            await d.session.breakpoints.add(d.at("taken", "Desk"))
            await d.target.send("slip")
            await d.wait_stop("breakpoint", at="taken")
            ran = await recorder.again(call)  # in the thread that has stopped
            assert (ran.outcome, ran.same) == ("returned 41", True)
            await d.resume()
            await d.target.wait_lines("done slip", 2)
            await recorder.refresh()
            assert recorder.forget() == 3
            await d.session.threads.list()  # by the time of the answer the objects are let go
            await d.target.send("gc")
            await d.target.wait_output("done gc\n")
        else:
            with pytest.raises(StateError, match=r"again: slip, Slip@[0-9a-f]+, was collected since") as caught:
                await recorder.again(call)
            assert "record METHOD hold" in caught.value.hint


async def test_a_class_that_the_debugger_itself_loads_is_recorded(jvm: Jvm) -> None:
    """The thread of the debugger's own runs the method that loads it: it cannot put the code in at that moment."""
    async with debug(jvm, "Rerun", suspend=False) as d:
        await d.target.wait_output("ready")
        recording = await d.session.recorder.record("Unloaded.seven")
        assert recording.state.startswith("pending")
        with within(LIMIT):
            while not recording.kept:
                assert (await d.session.values.evaluate("Unloaded.seven()")).text == "7"
                await d.session.recorder.refresh()
