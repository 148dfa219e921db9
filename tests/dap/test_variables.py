"""Variables page by page and in groups, raw beside logical, changed; expressions and completion."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from benchmarks.relay import open_relay
from tests.dap.client import Body, DapClient, dap_client, dap_client_here
from tests.harness import Jvm, inline, program, start_target


@asynccontextmanager
async def at(jvm: Jvm, marker: str, **client: object) -> AsyncIterator[tuple[DapClient, Body, Body]]:
    """A client at a marker of Large, with the stop and the innermost frame."""
    large = program("Large")
    async with start_target(jvm, large) as target, dap_client() as dap:
        await dap.initialize(**client)
        await dap.attach(target)
        await dap.breakpoints(large, marker)
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint")
        [top, *_] = await dap.frames(stop)
        yield dap, stop, top
        await dap.request("disconnect", terminateDebuggee=True)
        await dap.event("terminated")


async def test_a_map_of_100_000_entries_is_paged(jvm: Jvm) -> None:
    async with at(jvm, "here") as (dap, _, top):
        map_ = (await dap.locals(top))["map"]
        assert map_["indexedVariables"] == 100_000 and map_["namedVariables"] == 1
        assert map_["type"] == "java.util.Map<java.lang.Integer, java.lang.String>"
        page = await dap.variables(map_, filter="indexed", start=20_000, count=50)
        assert list(page) == [str(number) for number in range(20_000, 20_050)]
        assert page["20049"]["value"] == '"v20049"'
        named = await dap.variables(map_, filter="named")
        assert list(named) == ["(fields)"]
        assert (await dap.variables(named["(fields)"]))["size"]["value"] == "100000"


async def test_a_client_without_pages_gets_groups(jvm: Jvm) -> None:
    async with at(jvm, "here", supportsVariablePaging=False) as (dap, _, top):
        found = await dap.locals(top)
        groups = await dap.variables(found["map"])
        assert list(groups)[:2] == ["[0 .. 9999]", "[10000 .. 19999]"] and len(groups) == 11
        inner = await dap.variables(groups["[20000 .. 29999]"])
        assert len(inner) == 100
        last = await dap.variables(inner["[20000 .. 20099]"])
        assert len(last) == 100 and last["20099"]["value"] == '"v20099"'
        squares = await dap.variables(found["array"])
        assert len(squares) == 25
        last = await dap.variables(squares["[2400 .. 2499]"])
        assert last["[2499]"]["value"] == str(2499 * 2499) and last["[2499]"]["evaluateName"] == "array[2499]"
        assert [each["value"] for each in (await dap.variables(found["list"])).values()] == ['"a"', '"b"', '"c"', ""]


async def test_texts_of_the_target_do_not_act(jvm: Jvm) -> None:
    async with at(jvm, "here") as (dap, _, top):
        found = await dap.locals(top)
        assert found["text"]["value"] == '"line\\n\\u0007end"' and found["text"]["variablesReference"] == 0
        assert found["nothing"]["value"] == "null" and found["nothing"]["type"] == "java.lang.Object"


async def test_evaluate_names_lead_to_the_same_values(jvm: Jvm) -> None:
    async with at(jvm, "here") as (dap, _, top):
        found = await dap.locals(top)
        [entry, _] = (await dap.variables(found["named"])).values()
        inner = await dap.variables(entry)
        assert inner["label"]["evaluateName"] == 'named.get("first").label'
        for each in (*inner.values(), *(await dap.variables(found["array"], filter="indexed", count=3)).values()):
            if name := each.get("evaluateName"):
                assert (await dap.evaluate(name, top))["result"] == each["value"]
        hint = inner["label"]["presentationHint"]
        assert hint == {"kind": "property", "attributes": ["readOnly"]}
        assert inner["next"]["presentationHint"]["visibility"] == "private"


@pytest.mark.every_java
async def test_to_string_runs_when_it_is_opened_and_not_before(jvm: Jvm) -> None:
    async with at(jvm, "here") as (dap, _, top):
        large = (await dap.locals(top))["large"]
        lazy = (await dap.variables(large))["toString()"]
        assert lazy["presentationHint"]["lazy"] is True
        assert (await dap.evaluate("shared", top))["result"] == "1"
        [shown] = (await dap.variables(lazy)).values()
        assert shown["value"] == '"Large main"'
        assert (await dap.evaluate("shared", top))["result"] == "2"


@pytest.mark.every_java
async def test_variables_fields_and_elements_are_set(jvm: Jvm) -> None:
    async with at(jvm, "here") as (dap, _, top):
        scopes = await dap.scopes(top)
        reference = scopes["Locals"]["variablesReference"]
        found = await dap.variables(scopes["Locals"])
        changed = await dap.request("setVariable", variablesReference=reference, name="text", value='"new" + 1')
        assert changed["value"] == '"new1"' and changed["type"] == "java.lang.String"
        assert (await dap.event("invalidated"))["areas"] == ["variables"]
        array = found["array"]["variablesReference"]
        assert (await dap.request("setVariable", variablesReference=array, name="[3]", value="7"))["value"] == "7"
        large = found["large"]["variablesReference"]
        await dap.request("setVariable", variablesReference=large, name="changed", value="array[3] * 2")
        static = scopes["Static"]["variablesReference"]
        await dap.request("setVariable", variablesReference=static, name="shared", value="40")
        set_ = await dap.request(
            "setExpression", frameId=top["id"], expression="large.changed", value="large.changed + 1"
        )
        assert set_["value"] == "15"
        hex_: Body = {"format": {"hex": True}}
        set_ = await dap.request("setVariable", variablesReference=array, name="[4]", value="0x40", **hex_)
        assert set_["value"] == "0x40"
        page = await dap.variables(found["array"], filter="indexed", start=3, count=2, **hex_)
        assert [each["value"] for each in page.values()] == ["0x7", "0x40"]
        set_ = await dap.request("setExpression", frameId=top["id"], expression="array[5]", value="-1", **hex_)
        assert set_["value"] == "0xffffffff"
        page = await dap.variables(found["array"], filter="indexed", start=5, count=1)
        assert page["[5]"]["value"] == "-1"
        assert (await dap.evaluate("text + array[3] + large.changed + shared", top))["result"] == '"new171540"'
        assert "incompatible types" in await dap.refused(
            "setVariable", variablesReference=reference, name="text", value="1"
        )
        assert "cannot be set" in await dap.refused(
            "setVariable", variablesReference=found["list"]["variablesReference"], name="[0]", value='"z"'
        )
        assert "cannot be set" in await dap.refused(
            "setVariable", variablesReference=reference, name="text=1;//", value='"z"'
        )
        assert "no variables" in await dap.refused("variables", variablesReference=987654)
        late = await dap.scopes(top)  # which were read before the change
        await dap.evaluate('text = "late"', top)
        assert (await dap.variables(late["Locals"]))["text"]["value"] == '"late"'


@pytest.mark.every_java
async def test_expressions_in_every_context(jvm: Jvm) -> None:
    async with at(jvm, "here") as (dap, _, top):
        assert (await dap.evaluate("array[16]", top, context="watch", format={"hex": True}))["result"] == "0x100"
        for expression, shown in {"1.5": "1.5", "list.isEmpty()": "false", "(byte) -1": "0xff", "'a'": "0x61"}.items():
            assert (await dap.evaluate(expression, top, context="watch", format={"hex": True}))["result"] == shown
        repl = await dap.evaluate("list.size()", top, context="repl")
        assert repl["result"] == "3" and repl["type"] == "int"
        assert (await dap.evaluate("$1 + 1", top, context="repl"))["result"] == "4"
        hover = await dap.evaluate("large", top, context="hover")
        assert (await dap.variables(hover))["label"]["value"] == '"main"'
        made = await dap.evaluate("list.map(it -> it.length())", top, context="watch")
        assert [each["value"] for each in (await dap.variables(made)).values()] == ["1", "1", "1"]
        text = await dap.evaluate(
            'new String(new char[20000]).replace((char) 0, "x".charAt(0))', top, context="clipboard"
        )
        assert text["result"] == '"' + 20_000 * "x" + '"'
        assert "ArithmeticException" in await dap.refused(
            "evaluate", expression="1 / (large.changed - 5)", frameId=top["id"]
        )
        assert "no expression" in await dap.refused("evaluate", expression=" ", frameId=top["id"])
        assert "no frame" in await dap.refused("evaluate", expression="1", frameId=99_999)


async def test_hovers_have_no_side_effects(jvm: Jvm) -> None:
    async with at(jvm, "here") as (dap, _, top):
        for context in ("hover", "variables"):
            for expression in (
                "large.changed++",
                "--array[3]",
                "shared = 9",
                "large.toString()",
                "text = null",
                "$x = 1",
            ):
                refused = await dap.refused("evaluate", expression=expression, frameId=top["id"], context=context)
                assert "side effect" in refused and "(evaluate it in the console or as a watch)" in refused, expression
            assert (await dap.evaluate("array[3] + large.label", top, context=context))["result"] == '"9main"'
            assert (await dap.evaluate("(shared + 1) * 2", top, context=context))["result"] == "4"
        shown = 'large.changed + " " + array[3] + " " + shared'
        assert (await dap.evaluate(shown, top, context="watch"))["result"] == '"5 9 1"'
        assert "$x" in await dap.refused("evaluate", expression="$x", frameId=top["id"], context="watch")
        assert (await dap.evaluate("++large.changed", top, context="watch"))["result"] == "6"


async def test_completion_of_variables_and_members(jvm: Jvm) -> None:
    async with at(jvm, "here") as (dap, _, top):

        async def complete(text: str) -> list[str]:
            found = await dap.request("completions", frameId=top["id"], text=text, column=len(text) + 1)
            return [each["label"] for each in found["targets"]]

        assert await complete("lar") == ["large"]
        members = await complete("1 + large.")
        assert members[:4] == ["shared", "label", "changed", "next"] and members == await complete("large.")
        assert "twice" in await complete("large.tw") and await complete("array.") == ["length"]
        assert "shared" in await complete("Large.s") and await complete("nowhere.x") == []
        found = await dap.request("completions", frameId=top["id"], text="1 + large.lab", column=14)
        assert found["targets"] == [{"label": "label", "type": "field", "start": 11, "length": 3}]


async def test_what_a_step_returned_is_a_scope_and_values_outlive_evaluations(jvm: Jvm) -> None:
    async with at(jvm, "call") as (dap, stop, top):
        await dap.evaluate("large.twice(4)", top)  # methods that run leave the frame good
        assert (await dap.locals(top))["large"]["value"]
        await dap.request("stepIn", threadId=stop["threadId"])
        stop = await dap.stopped("step")
        [inside, caller] = await dap.frames(stop)
        assert inside["name"] == "Large.twice" and caller["name"] == "Large.main"

        async def names(**format: bool) -> list[str]:
            return [each["name"] for each in await dap.frames(stop, format=format)]

        line = inside["line"]
        assert await names() == await names(includeAll=True) == ["Large.twice", "Large.main"]
        assert await names(parameters=True, line=True) == [
            f"Large.twice(int) line {line}",
            f"Large.main(java.lang.String[]) line {caller['line']}",
        ]
        assert (await names(parameterNames=True))[0] == "Large.twice(n)"
        assert (await names(parameterValues=True, hex=True))[0] == "Large.twice(0x15)"
        everything = {"parameterTypes": True, "parameterNames": True, "parameterValues": True}
        assert (await names(**everything))[0] == "Large.twice(int n = 21)"
        assert (await names(parameterValues=True))[1] == "Large.main(String[0])"
        assert (await dap.locals(inside))["n"]["value"] == "21"
        await dap.request("stepOut", threadId=stop["threadId"])
        stop = await dap.stopped("step")
        [top] = await dap.frames(stop)
        scopes = await dap.scopes(top)
        assert next(iter(scopes)) == "Returned" and scopes["Returned"]["presentationHint"] == "returnValue"
        assert [each["value"] for each in (await dap.variables(scopes["Returned"])).values()] == ["42"]


NUMBERS = {
    "b": "2", "s": "-300", "c": "'y'", "i": "2147483647", "big": "-6000000000", "rate": "2.5", "none": "-Infinity",
    "flag": "false", "boxedByte": "2", "boxedShort": "-300", "boxedChar": "'y'", "boxedInt": "8", "boxedLong": "44",
    "boxedFloat": "NaN", "boxedDouble": "3.0", "boxedFlag": "false",
}  # fmt: skip


async def test_numbers_are_set_as_they_are_shown(jvm: Jvm) -> None:
    numbers = program("Numbers")
    async with start_target(jvm, numbers) as target, dap_client() as dap:
        await dap.initialize()
        await dap.attach(target)
        await dap.breakpoints(numbers, "set")
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint")
        [top] = await dap.frames(stop)

        async def set_all(of: Body, others: dict[str, str]) -> None:
            """Send back what is shown, in both forms, and then another value."""
            for form in ({}, {"format": {"hex": True}}):
                for name, each in (await dap.variables(of, **form)).items():
                    if name in others:
                        number = of["variablesReference"]
                        again = await dap.request(
                            "setVariable", variablesReference=number, name=name, value=each["value"], **form
                        )
                        assert (again["value"], again["type"]) == (each["value"], each["type"]), each
            for name, value in others.items():
                changed = await dap.request(
                    "setVariable", variablesReference=of["variablesReference"], name=name, value=value
                )
                assert changed["value"] == value

        scopes = await dap.scopes(top)
        await set_all(scopes["Locals"], NUMBERS)
        found = await dap.locals(top)
        await set_all(found["longs"], {"[0]": "9000000000"})
        await set_all(found["floats"], {"[0]": "1.0E10"})
        await set_all(found["numbers"], {"small": "3", "field": "-7000000000", "boxed": "-0.5"})
        await set_all(scopes["Static"], {"shared": "NaN"})
        # what does not fit is refused in Java's words, and Java is Java
        for expression, value in {"b": "128", "i": "2147483648", "c": "65536", "flag": "1", "boxedInt": "2.5"}.items():
            refused = await dap.refused("setExpression", frameId=top["id"], expression=expression, value=value)
            assert "incompatible types" in refused or "too large" in refused, refused
        await dap.request("setExpression", frameId=top["id"], expression="big", value="i + 1")
        await dap.request("setExpression", frameId=top["id"], expression="rate", value="3")
        await dap.request("setExpression", frameId=top["id"], expression="boxedLong", value="-5000000000")
        await dap.request("continue", threadId=stop["threadId"])
        await dap.event("terminated")
        printed = [
            "2 -300 y 2147483647 -2147483648 3.0 -Infinity false",
            "2 -300 y 8 -5000000000 NaN 3.0 false",
            "9000000000 1.0E10 3 -7000000000 -0.5 NaN",
        ]
        for line in printed:
            await target.wait_output(line)


PAGES = """
import java.util.*;
import java.util.concurrent.*;

public class Pages {
    public static void main(String[] args) {
        for (Map<Integer, String> map : List.of(new HashMap<Integer, String>(), new LinkedHashMap<Integer, String>(),
                new TreeMap<Integer, String>(), new ConcurrentHashMap<Integer, String>())) {
            for (int i = 0; i < 2_200; i++) map.put(i, "v" + i);
            hold(map);
            map.remove(0);
            map.put(2_000, "other");
            hold(map);
        }
    }

    static void hold(Map<Integer, String> map) {
        int local = 0;
        System.out.println(map.size() + local); // @here
    }
}
"""


@pytest.mark.parametrize("hold", ["all", "thread"])
async def test_a_page_begins_where_the_one_before_has_ended(jvm: Jvm, hold: str) -> None:
    """Of a large map each node is read once; what has run or was written is seen. While other threads run that is so
    for a HashMap, which says itself that it has changed."""
    pages = inline(PAGES)
    async with (
        start_target(jvm, pages) as target,
        open_relay(target.address, rtt=0.0) as relay,
        dap_client_here() as dap,
    ):
        await dap.attach(target, port=relay.port, hold=hold)
        await dap.breakpoints(pages, "here")
        await dap.request("configurationDone")

        async def opened() -> tuple[Body, Body, Body]:
            stop = await dap.stopped("breakpoint")
            [top, *_] = await dap.frames(stop)
            return stop, top, (await dap.locals(top))["map"]

        async def page(start: int, count: int = 50) -> tuple[dict[str, Body], int]:
            # what was asked before is not remembered beyond this
            locals_ = (await dap.scopes(top))["Locals"]["variablesReference"]
            await dap.request("setVariable", variablesReference=locals_, name="local", value=str(start))
            before = relay.traffic()
            shown = await dap.variables(map_, filter="indexed", start=start, count=count)
            return shown, relay.traffic().since(before).commands

        for kind in ("HashMap", "LinkedHashMap", "TreeMap", "ConcurrentHashMap"):
            known = hold == "all" or kind == "HashMap"
            stop, top, map_ = await opened()
            for start in range(1_900, 2_100, 50):
                shown, commands = await page(start)
                assert list(shown) == [str(number) for number in range(start, start + 50)]
                assert commands > 1_900 if start == 1_900 else commands < 500 or not known
            for _ in range(2):
                _, commands = await page(1_000)
                assert commands < 500 or not known
            await dap.request("continue", threadId=stop["threadId"])
            stop, top, map_ = await opened()
            changed, _ = await page(1_999, 2)
            assert [each["value"] for each in changed.values()] == ['"other"', '"v2001"']
            await dap.evaluate('map.put(2000, "third")', top)
            changed, _ = await page(1_999, 2)
            assert [each["value"] for each in changed.values()] == ['"third"', '"v2001"']
            await dap.evaluate("map.remove(2001)", top)
            changed, _ = await page(1_999, 2)
            assert list(changed) == ["2000", "2002"]
            await dap.request("continue", threadId=stop["threadId"])
        await dap.event("terminated")
