"""Many threads at once: hits of eight threads, each continued by itself; pausing, steps of one thread alone."""

from __future__ import annotations

from tests.dap.client import dap_client, source_of
from tests.harness import Jvm, inline, start_target

THREADS = 8


async def test_eight_threads_hit_at_once_and_each_goes_on_by_itself(jvm: Jvm) -> None:
    async with start_target(jvm, "Pool", str(THREADS), "2") as target, dap_client() as dap:
        await dap.attach(target, hold="thread")
        await dap.breakpoints(target.program, "work")
        await dap.request("configurationDone")
        stops = [await dap.stopped("breakpoint", allThreadsStopped=False) for _ in range(THREADS)]
        assert len({each["threadId"] for each in stops}) == THREADS
        assert stops[0]["preserveFocusHint"] is False and stops[-1]["preserveFocusHint"] is True
        numbers = {}
        for stop in stops:
            [top, *_] = await dap.frames(stop, levels=1)
            found = await dap.locals(top)
            numbers[stop["threadId"]] = (await dap.evaluate("p.a()", top))["result"]
            assert found["round"]["value"] == "0"
        assert sorted(numbers.values()) == [str(number) for number in range(THREADS)]
        first = stops[3]["threadId"]
        assert (await dap.request("continue", threadId=first))["allThreadsContinued"] is False
        again = await dap.stopped("breakpoint", threadId=first)
        [top, *_] = await dap.frames(again, levels=1)
        assert (await dap.locals(top))["round"]["value"] == "1"
        [other, *_] = await dap.frames(stops[5], levels=1)
        assert (await dap.locals(other))["round"]["value"] == "0"
        await dap.request("next", threadId=stops[5]["threadId"])
        step = await dap.stopped("step", threadId=stops[5]["threadId"], preserveFocusHint=False)
        assert (await dap.frames(step, levels=1))[0]["line"] == target.program.line("passed")
        await dap.request("disconnect")
        await dap.event("terminated")
        await target.wait_output(f"done {2 * THREADS}")


async def test_hits_of_eight_threads_come_one_by_one_where_everything_is_suspended(jvm: Jvm) -> None:
    async with start_target(jvm, "Pool", str(THREADS), "1") as target, dap_client() as dap:
        await dap.attach(target)
        await dap.breakpoints(target.program, "work")
        await dap.request("configurationDone")
        seen = set()
        for _ in range(THREADS):
            stop = await dap.stopped("breakpoint", allThreadsStopped=True)
            seen.add(stop["threadId"])
            assert (await dap.request("continue", threadId=stop["threadId"]))["allThreadsContinued"] is True
        assert len(seen) == THREADS
        await dap.event("terminated")
        await target.wait_output(f"done {THREADS}")


async def test_a_step_of_one_thread_alone_leaves_the_others_suspended(jvm: Jvm) -> None:
    async with start_target(jvm, "Pool", "2", "3") as target, dap_client() as dap:
        await dap.attach(target)
        await dap.breakpoints(target.program, "work", condition="p.number == 1 && round == 1")
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint")
        threads = (await dap.request("threads"))["threads"]
        main = next(each for each in threads if each["name"] == "main")
        before = await dap.request("stackTrace", threadId=main["id"])
        await dap.request("next", threadId=stop["threadId"], singleThread=True)
        await dap.stopped("step", threadId=stop["threadId"], allThreadsStopped=True)
        after = await dap.request("stackTrace", threadId=main["id"])
        assert [each["id"] for each in after["stackFrames"]] == [each["id"] for each in before["stackFrames"]]
        await dap.set_breakpoints(source_of(target.program, "work"), [])
        assert (await dap.request("continue", threadId=stop["threadId"]))["allThreadsContinued"] is True
        await dap.event("terminated")


async def test_pausing_paging_stacks_and_restarting_a_frame(jvm: Jvm) -> None:
    async with start_target(jvm, "Scopes") as target, dap_client() as dap:
        await dap.attach(target)
        await dap.breakpoints(target.program, "bottom")
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint")
        found = await dap.request("stackTrace", threadId=stop["threadId"], startFrame=1_000, levels=3)
        assert found["totalFrames"] == 2_003
        assert [each["name"] for each in found["stackFrames"]] == 3 * ["Scopes.dive"]
        frames = await dap.frames(stop, levels=3)
        await dap.request("restartFrame", frameId=frames[1]["id"])
        again = await dap.stopped("restart", threadId=stop["threadId"])
        [top, *_] = await dap.frames(again, levels=1)
        assert top["name"] == "Scopes.dive" and (await dap.locals(top))["depth"]["value"] == "0"
        await dap.set_breakpoints(source_of(target.program, "bottom"), [])
        await dap.request("continue", threadId=stop["threadId"])
        await dap.event("terminated")


async def test_a_running_target_is_paused(jvm: Jvm) -> None:
    async with start_target(jvm, "Hello", "a") as target, dap_client() as dap:
        await dap.attach(target)
        await dap.request("configurationDone")
        await target.wait_output("waiting")
        await dap.request("pause", threadId=1)
        stop = await dap.stopped("pause", allThreadsStopped=True)
        frames = await dap.frames(stop)
        assert frames[-1]["name"] == "Hello.main" and frames[0]["presentationHint"] == "subtle"
        named = await dap.frames(stop, format={"module": True})
        assert named[-1]["name"] == "Hello.main" and named[0]["name"] == f"java.base/{frames[0]['name']}"
        assert "stopped already" in await dap.refused("pause", threadId=1)
        await dap.request("continue", threadId=stop["threadId"])
        await target.send()
        await dap.event("terminated")


LINGERS = """
public class Lingers {
    public static void main(String[] args) throws Exception {
        Thread other = new Thread(() -> { for (;;) started = true; }, "other");
        other.setDaemon(true);
        other.start();
        while (!started) Thread.onSpinWait();
        int local = 5;
        System.out.println(local); // @here
        System.out.println(enough); // @next
    }

    static volatile boolean started;
    static volatile int enough, lingered;

    static int linger() {
        System.out.println("lingers");
        int mine = ++lingered;
        while (enough < mine) Thread.onSpinWait();
        return 7;
    }
}
"""


async def test_a_thread_runs_while_the_method_of_a_canceled_expression_does(jvm: Jvm) -> None:
    """The client hears that the thread runs when nobody waits for its method any more, and that it stands again."""
    lingers = inline(LINGERS)
    async with start_target(jvm, lingers) as target, dap_client() as dap:
        await dap.attach(target)
        await dap.breakpoints(lingers, "here")
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint")
        [top, *_] = await dap.frames(stop)
        threads = (await dap.request("threads"))["threads"]
        [other] = [each["id"] for each in threads if each["name"] == "other"]
        *_, elsewhere = (await dap.request("stackTrace", threadId=other))["stackFrames"]
        asked = await dap.start("evaluate", expression="Lingers.linger()", frameId=top["id"], context="watch")
        await target.wait_output("lingers")
        await dap.request("cancel", requestId=asked)
        assert (await dap.response(asked))["message"] == "cancelled"
        running = await dap.event("continued")
        assert running == {"threadId": stop["threadId"], "allThreadsContinued": False}
        await dap.wait("the warning", lambda: "is still running" in dap.output)
        assert (await dap.response(await dap.start("stackTrace", threadId=stop["threadId"])))["success"] is False
        await dap.evaluate("Lingers.enough = 1", elsewhere)
        again = await dap.stopped("pause", threadId=stop["threadId"], allThreadsStopped=True)
        assert again["description"] == "Lingers.linger, which was left running, has returned"
        [top, *_] = await dap.frames(again)
        assert top["line"] == lingers.line("here") and (await dap.evaluate("local", top))["result"] == "5"
        # one that takes longer than is waited for
        await dap.request("evaluate", expression="`set run-limit 1", context="repl")
        asked = await dap.start("evaluate", expression="Lingers.linger()", frameId=top["id"], context="watch")
        assert "has not returned within 1 s" in (await dap.response(asked))["message"]
        assert await dap.event("continued") == running
        await dap.evaluate("Lingers.enough = 2", elsewhere)
        again = await dap.stopped("pause", threadId=stop["threadId"])
        await dap.breakpoints(lingers, "next")
        await dap.request("continue", threadId=stop["threadId"])
        await dap.stopped("breakpoint")
        assert not [each for each in dap.events if each["event"] in ("continued", "stopped")]
        await dap.request("disconnect", terminateDebuggee=True)
        await dap.event("terminated")
