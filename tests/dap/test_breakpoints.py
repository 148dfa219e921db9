"""Breakpoints of the client: lines with conditions, hit conditions and messages, functions, exceptions, fields."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dap.client import Body, DapClient, dap_client, source_of
from tests.harness import Jvm, inline, program, start_target


async def resume(dap: DapClient, stop: Body) -> None:
    """Let the target go on."""
    assert (await dap.request("continue", threadId=stop["threadId"]))["allThreadsContinued"] is True


async def value(dap: DapClient, stop: Body, expression: str) -> str:
    """The value of an expression in the innermost frame of a stop."""
    [top] = await dap.frames(stop, levels=1)
    return str((await dap.evaluate(expression, top))["result"])


@pytest.mark.every_java
async def test_conditions_hit_conditions_and_messages(jvm: Jvm) -> None:
    counter = program("Counting")
    path = source_of(counter, "total")
    async with start_target(jvm, counter) as target, dap_client() as dap:
        await dap.attach(target)
        line = counter.line("total")
        [shown] = await dap.set_breakpoints(path, [{"line": line, "condition": "i == 7"}])
        await dap.request("configurationDone")
        await dap.event("breakpoint")
        stop = await dap.stopped("breakpoint", hitBreakpointIds=[shown["id"]])
        assert await value(dap, stop, "i") == "7"
        [again] = await dap.set_breakpoints(path, [{"line": line, "condition": "i > 7", "hitCondition": "> 2"}])
        assert again["verified"] and again["id"] != shown["id"]
        await resume(dap, stop)
        stop = await dap.stopped("breakpoint")
        assert await value(dap, stop, "i") == "10"
        [_, log] = await dap.set_breakpoints(
            path, [{"line": counter.line("failures")}, {"line": line, "logMessage": "counts {i}", "hitCondition": "3"}]
        )
        assert log["verified"]
        await resume(dap, stop)
        stop = await dap.stopped("breakpoint")
        assert dap.console == "counts -11\n"
        [wrong, hits, far] = await dap.set_breakpoints(
            path,
            [{"line": line, "condition": "i +"}, {"line": line, "hitCondition": "often"}, {"line": 9_999}],
        )
        assert not wrong["verified"] and not hits["verified"] and not far["verified"]
        assert "often" in hits["message"] and "9999" in far["message"]
        assert await dap.set_breakpoints(path, []) == []
        await resume(dap, stop)
        await dap.event("terminated")
        assert await target.wait_exit() == 0


async def test_an_editor_hears_what_a_breakpoint_waits_for(jvm: Jvm) -> None:
    shop = program("Shop")
    async with start_target(jvm, shop) as target, dap_client() as dap:
        await dap.attach(target)
        line = shop.line("anonymous")
        [shown] = await dap.set_breakpoints(source_of(shop, "anonymous"), [{"line": line}])
        assert not shown["verified"]
        await dap.request("configurationDone")
        told = (await dap.event("breakpoint"))["breakpoint"]
        assert (told["id"], told["verified"]) == (shown["id"], False)
        assert told["message"] == "pending: class shop.Order$1 is not loaded yet"
        assert (await dap.event("breakpoint"))["breakpoint"] == {"id": shown["id"], "verified": True, "line": line}
        await dap.stopped("breakpoint", hitBreakpointIds=[shown["id"]])


async def test_breakpoints_that_stay_keep_their_ids_and_hits(jvm: Jvm) -> None:
    counter = program("Counting")
    async with start_target(jvm, counter) as target, dap_client() as dap:
        await dap.attach(target)
        await dap.breakpoints(counter, "begin")
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint")
        path, line = source_of(counter, "call"), counter.line("call")
        [first] = await dap.set_breakpoints(path, [{"line": line, "hitCondition": "2"}])
        await dap.set_breakpoints(path, [{"line": line, "hitCondition": "2"}, {"line": counter.line("own")}])
        await resume(dap, stop)
        stop = await dap.stopped("breakpoint")
        assert await value(dap, stop, "i") == "0"
        [same] = await dap.set_breakpoints(path, [{"line": line, "hitCondition": "2"}])
        assert same["id"] == first["id"]
        await resume(dap, stop)
        stop = await dap.stopped("breakpoint", hitBreakpointIds=[first["id"]])
        assert await value(dap, stop, "i") == "1"
        locations = await dap.request(
            "breakpointLocations", source={"path": path}, line=counter.line("loop") - 1, endLine=counter.line("call")
        )
        assert [each["line"] for each in locations["breakpoints"]] == [line - 2, line - 1, line]
        await dap.request("disconnect", terminateDebuggee=True)
        await dap.event("terminated")


async def test_functions_of_classes_that_come_later(jvm: Jvm) -> None:
    counter = program("Counting")
    async with start_target(jvm, counter) as target, dap_client() as dap:
        await dap.attach(target)
        found = await dap.request(
            "setFunctionBreakpoints",
            breakpoints=[{"name": "Counting.count", "condition": "i == 3"}, {"name": "no such method !"}],
        )
        good, bad = found["breakpoints"]
        assert not good["verified"] and good["reason"] == "pending" and not bad["verified"] and bad["message"]
        await dap.request("configurationDone")
        stop = await dap.stopped("function breakpoint", hitBreakpointIds=[good["id"]])
        assert (await dap.event("breakpoint"))["breakpoint"]["verified"]
        assert await value(dap, stop, "i + this.own") == "5"
        await dap.request("setFunctionBreakpoints", breakpoints=[])
        await resume(dap, stop)
        await dap.event("terminated")


async def test_exceptions_with_classes_conditions_and_causes(jvm: Jvm) -> None:
    counter = program("Counting")
    async with start_target(jvm, counter) as target, dap_client() as dap:
        await dap.attach(target)
        filters = {each["filter"] for each in dap.capabilities["exceptionBreakpointFilters"]}
        assert filters == {"caught", "uncaught"}
        found = await dap.request(
            "setExceptionBreakpoints",
            filters=["uncaught"],
            filterOptions=[
                {"filterId": "caught", "condition": "Counting$Failure if $exc.code == 2"},
                {"filterId": "x"},
            ],
        )
        assert [each["verified"] for each in found["breakpoints"]] == [True, False, False]
        await dap.request("configurationDone")
        stop = await dap.stopped("exception", description="Paused on exception", text="Counting$Failure: failure 2")
        info = await dap.request("exceptionInfo", threadId=stop["threadId"])
        assert info["exceptionId"] == "Counting$Failure" and info["breakMode"] == "always"
        assert info["description"] == "failure 2"
        [inner] = info["details"]["innerException"]
        assert inner["fullTypeName"] == "java.lang.IllegalStateException" and inner["message"] == "inner"
        await dap.request("setExceptionBreakpoints", filters=[])
        [shown] = await dap.breakpoints(counter, "end")
        await resume(dap, stop)
        stop = await dap.stopped("breakpoint", hitBreakpointIds=[shown["id"]])
        assert "does not stand at an exception" in await dap.refused("exceptionInfo", threadId=stop["threadId"])
        await resume(dap, stop)
        await dap.event("terminated")


async def test_fields_of_one_object_and_static_ones(jvm: Jvm) -> None:
    counter = program("Counting")
    async with start_target(jvm, counter) as target, dap_client() as dap:
        await dap.attach(target)
        await dap.breakpoints(counter, "loop")
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint")
        [top] = await dap.frames(stop)
        scopes = await dap.scopes(top)
        b = (await dap.variables(scopes["Locals"]))["b"]
        info = await dap.request("dataBreakpointInfo", variablesReference=b["variablesReference"], name="own")
        assert info["accessTypes"] == ["read", "write", "readWrite"] and "Counting.own" in info["description"]
        local = await dap.request(
            "dataBreakpointInfo", variablesReference=scopes["Locals"]["variablesReference"], name="b"
        )
        assert local["dataId"] is None and local["description"]
        static = await dap.request(
            "dataBreakpointInfo", variablesReference=scopes["Static"]["variablesReference"], name="total"
        )
        found = await dap.request(
            "setDataBreakpoints",
            breakpoints=[
                {"dataId": info["dataId"], "accessType": "write"},
                {"dataId": static["dataId"], "accessType": "readWrite", "hitCondition": "100"},
                {"dataId": "nothing at all"},
            ],
        )
        own, total, bad = found["breakpoints"]
        assert own["verified"] and total["verified"] and not bad["verified"]
        await dap.set_breakpoints(source_of(counter, "loop"), [])
        await resume(dap, stop)
        stop = await dap.stopped("data breakpoint", hitBreakpointIds=[own["id"]])
        assert stop["description"] == "Counting.own changes from 0 to 0"
        assert await value(dap, stop, "i") == "0"
        await resume(dap, stop)
        stop = await dap.stopped("data breakpoint", hitBreakpointIds=[own["id"]])
        assert stop["description"] == "Counting.own changes from 0 to -1"
        await dap.request("setDataBreakpoints", breakpoints=[])
        await resume(dap, stop)
        await dap.event("terminated")


async def test_files_are_told_apart_by_their_packages(jvm: Jvm) -> None:
    """Also a path of Windows, an address of a file, and lines that begin with 0."""
    shop = program("Shop")
    path = Path(shop.sources, shop.markers[next(iter(shop.markers))][0])
    marker = next(iter(shop.markers))
    async with start_target(jvm, shop) as target, dap_client() as dap:
        await dap.initialize(linesStartAt1=False, pathFormat="uri")
        await dap.attach(target)
        inside = path.relative_to(shop.sources)
        other = await dap.set_breakpoints(f"file:///srv/my%20shop/other/{path.name}", [{"line": shop.line(marker) - 1}])
        windows = f"C:\\\\Users\\\\me\\\\my work\\\\{str(inside).replace('/', chr(92) * 2)}"
        shown = await dap.set_breakpoints(windows, [{"line": shop.line(marker) - 1}])
        assert not other[0]["verified"] and not shown[0]["verified"]
        await dap.request("configurationDone")
        changed = await dap.event("breakpoint", reason="changed")
        assert changed["breakpoint"]["id"] == shown[0]["id"]
        assert changed["breakpoint"]["line"] == shop.line(marker) - 1
        stop = await dap.stopped("breakpoint", hitBreakpointIds=[shown[0]["id"]])
        assert (await dap.frames(stop))[0]["line"] == shop.line(marker) - 1
        await dap.request("disconnect", terminateDebuggee=True)
        await dap.event("terminated")


MOVES = """
public class Moves {
    public static void main(String[] args) {
        System.out.println(new Outer.Inner().number());
        System.out.println(Outer.own());
        System.out.println("end"); // @end
    }
}
class Outer {
    static int own() {
        return 1; // @own
    }
    static class Inner { // @inner
        int number() {
            return 2;
        }
    }
    static class Never {
        ; // @never
        int no() { return 3; }
    }
}
"""


async def test_messages_of_breakpoints_that_wait_are_told(jvm: Jvm) -> None:
    moves = inline(MOVES)
    async with start_target(jvm, moves) as target, dap_client() as dap:
        await dap.attach(target)
        own, never, end = await dap.breakpoints(moves, "own", "never", "end")
        assert "no class of Moves.java is loaded" in never["message"]
        await dap.request("configurationDone")
        told = {own["id"]: list[Body](), never["id"]: list[Body](), end["id"]: list[Body]()}
        while not told[own["id"]] or not told[own["id"]][-1]["verified"]:
            each = (await dap.event("breakpoint", reason="changed"))["breakpoint"]
            told[each["id"]].append(each)
        assert told[own["id"]][-1] == {"id": own["id"], "verified": True, "line": moves.line("own")}
        assert "class Outer is not loaded yet" in told[own["id"]][-2]["message"]
        stop = await dap.stopped("breakpoint", hitBreakpointIds=[own["id"]])
        assert (await dap.frames(stop, levels=1))[0]["line"] == moves.line("own")
        assert "is in Outer$Never, which is not loaded yet" in told[never["id"]][-1]["message"]
        assert not told[never["id"]][-1]["verified"]
        await resume(dap, stop)
        stop = await dap.stopped("breakpoint", hitBreakpointIds=[end["id"]])
        assert not [each for each in dap.events if each["event"] == "breakpoint"]
        await resume(dap, stop)
        await dap.event("terminated")


PURSE = """
public class Purse {
    public static void main(String[] args) {
        Purse purse = new Purse(); // @begin
        new Later().see(1);
        for (int i = 1; i < 5; i++) purse.pay(i);
    }

    private int cents;
    int coins;

    static class Later {
        private int seen;

        void see(int amount) {
            seen = amount;
        }
    }

    void pay(int amount) {
        cents += amount;
        coins++; // @coins
    }
}
"""


async def test_the_condition_of_a_data_breakpoint_is_looked_at_when_it_is_set(jvm: Jvm) -> None:
    """Where all code is known that accesses the field, a name that means nothing there is refused; elsewhere told."""
    purse = inline(PURSE)
    async with start_target(jvm, purse) as target, dap_client() as dap:
        await dap.attach(target)
        await dap.breakpoints(purse, "begin")
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint")
        wanted = [
            {"dataId": "Purse.cents", "accessType": "write", "condition": "amuont == 3"},
            {"dataId": "Purse.cents", "accessType": "write", "condition": "amount == 3 && $new == 6"},
            {"dataId": "Purse.cents", "accessType": "write", "condition": "purse.cents == 3"},
            {"dataId": "Purse.coins", "accessType": "write", "condition": "amuont == 3"},
            {"dataId": "Purse$Later.seen", "accessType": "write", "condition": "amuont == 1"},
            {"dataId": "Purse$Later.seen", "accessType": "read", "condition": "amuont == 1"},
        ]
        shown = (await dap.request("setDataBreakpoints", breakpoints=wanted))["breakpoints"]
        # Purse.cents is private, and Purse$Later may use it as well once it is loaded: it is told, and not refused
        assert [each["verified"] for each in shown] == [True, True, True, True, False, False]
        assert "amuont" in shown[0]["message"] and "Purse.pay" in shown[0]["message"]
        assert "makes no sense" not in shown[1]["message"]
        assert "purse" in shown[2]["message"] and "amuont" in shown[3]["message"]
        await dap.set_breakpoints(source_of(purse, "begin"), [])
        dap.events.clear()
        await resume(dap, stop)
        stop = await dap.stopped("data breakpoint", hitBreakpointIds=[shown[0]["id"], shown[2]["id"]])
        assert "amuont" in stop["text"]
        told = [each["body"]["breakpoint"] for each in dap.events if each["event"] == "breakpoint"]
        later = {each["id"]: each for each in told}
        assert later[shown[5]["id"]]["verified"]
        assert not later[shown[4]["id"]]["verified"] and "amuont" in later[shown[4]["id"]]["message"]
        # all classes that may use the private field are loaded by now
        wanted[1:] = [{**wanted[0], "accessType": "readWrite"}, wanted[1], wanted[3]]
        shown = (await dap.request("setDataBreakpoints", breakpoints=wanted))["breakpoints"]
        assert [each["verified"] for each in shown] == [True, False, True, True]
        assert "amuont" in shown[1]["message"] and "amuont" in shown[3]["message"]
        await dap.request("disconnect")
        await dap.event("terminated")


async def test_a_breakpoint_moves_again_when_something_nearer_is_loaded(jvm: Jvm) -> None:
    """An editor shows it on the line where it stands by now."""
    nearer = program("Nearer")
    async with start_target(jvm, nearer) as target, dap_client() as dap:
        await dap.attach(target)
        blank, inside, between = await dap.breakpoints(nearer, "blank", "inside", "between")
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint", hitBreakpointIds=[between["id"]])

        async def lines() -> dict[int, int]:
            told = [each["body"]["breakpoint"] for each in dap.events if each["event"] == "breakpoint"]
            dap.events.clear()
            return {each["id"]: each["line"] for each in told if each["verified"]}

        third = nearer.line("third-class")
        assert (await lines()).items() >= {blank["id"]: third, inside["id"]: third}.items()
        await resume(dap, stop)
        stop = await dap.stopped("breakpoint", hitBreakpointIds=[inside["id"]])
        assert (await dap.frames(stop, levels=1))[0]["line"] == nearer.line("inner")
        assert await lines() == {blank["id"]: nearer.line("second-class"), inside["id"]: nearer.line("inner")}
        await resume(dap, stop)
        await dap.event("terminated")
