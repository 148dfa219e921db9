"""Arrays of more references than the agent has room for in one answer, where it would end the JVM."""

from __future__ import annotations

import pytest

from jdbpy import Limits
from tests.harness import Jvm, debug, inline

pytestmark = pytest.mark.one_java

SOURCE = """
public class Wide {
    public static void main(String[] args) {
        Object[] array = new Object[70_000]; array[69_999] = "last";
        java.util.Map<Object, Object> roomy = new java.util.concurrent.ConcurrentHashMap<>(70_000);
        java.util.Map<Object, Object> table = new java.util.Hashtable<>(70_000);
        java.util.Map<Object, Object> linked = new java.util.LinkedHashMap<>();
        roomy.put("k", "v"); table.put("k", "v");
        for (int i = 0; i < 70_000; i++) linked.put(i, i);
        System.out.println(array.length + roomy.size() + table.size() + linked.size()); // @here
    }
}
"""


async def test_large_tables_are_read_in_parts_and_the_target_lives(jvm: Jvm) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        stop = await d.run_to("here")
        assert stop.frame is not None
        found = {each.name: each.value for each in await d.session.stack.variables(stop.frame)}
        for name in ("roomy", "table"):
            value = found[name]
            assert value is not None and value.text.endswith('(1) {"k"="v"}'), value
        assert found["array"] is not None and found["linked"] is not None
        all_ = await d.session.objects.part(found["array"], 0, 70_000, Limits(depth=0))
        assert all_ is not None and len(all_.items) == 70_000
        assert all_.items[-1].value is not None and all_.items[-1].value.text == '"last"'
        linked = await d.session.objects.part(found["linked"], 69_990, 10, Limits(depth=0))
        assert linked is not None and [each.name for each in linked.items] == [str(n) for n in range(69_990, 70_000)]
        await d.resume()
        await d.wait_exit()


async def test_what_is_assigned_to_a_variable_known_at_run_time_only_may_read_the_frame(jvm: Jvm) -> None:
    """The class of a value that is handed in is known when the expression runs; the locals are read before."""
    async with debug(jvm, "Large") as d:
        stop = await d.run_to("here")
        assert stop.frame is not None
        found = {each.name: each.value for each in await d.session.stack.variables(stop.frame)}
        given = {"it": found["large"]}
        value = await d.session.values.assign("it.changed", "array[3] * 2", frame=stop.frame, given=given)
        assert value.text == "18"
        await d.resume()
        await d.wait_exit()
