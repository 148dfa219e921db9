"""MBeans of a target: found, read as plain data, set and called, and compared with what the program says."""

from __future__ import annotations

import pytest

from jdbpy.errors import Thrown, UsageError
from tests.harness import Jvm, debug, program

CACHE = "com.acme:type=Cache,name=the main one"


@pytest.mark.every_java
async def test_an_mbean_is_read_set_and_called(jvm: Jvm) -> None:
    async with debug(jvm, "Operated", program("Operated").on(jvm).classes) as d:
        await d.run_to("ready")
        mbeans = d.session.mbeans
        assert CACHE in await mbeans.names()
        assert await mbeans.names("acme") == (CACHE,)
        assert CACHE in mbeans.known_names()
        [cache] = await mbeans.detail("com.acme:*")
        values = {each.name: each.value for each in cache.attributes if not each.error}
        assert values == {
            "Size": 5,
            "Name": "main cache",
            "Counts": {"hit": 3, "miss": 1},
            "Tags": ["a", "b"],
            "Times": [1 << 40, 2],
        }
        assert {each.name for each in cache.attributes if each.writable} == {"Size", "Tags"}
        assert [each.error for each in cache.attributes if each.name == "Broken"] != [""]
        assert {each.name: (each.type, len(each.parameters)) for each in cache.operations} == {
            "resize": ("java.lang.String", 2),
            "clear": ("void", 0),
        }
        known = dict(mbeans.known_members()[CACHE])
        assert known["Size"] == "attribute int"
        assert known["resize"] == "operation"
        [memory] = await mbeans.detail("java.lang:type=Memory", "HeapMemoryUsage")
        usage = memory.attributes[0].value
        assert usage.keys() == {"committed", "init", "max", "used"}
        assert 0 < usage["used"] <= usage["committed"]
        [runtime] = await mbeans.detail("java.lang:type=Runtime", "SystemProperties")
        assert runtime.attributes[0].value["java.specification.version"] == str(jvm.feature).replace("8", "1.8")
        pools = await mbeans.detail("java.lang:*type=MemoryPool*", "*Usage")
        assert len(pools) > 2

        assert (await mbeans.set(CACHE, "Tags", '["x", y z]')).attributes[0].value == ["x", "y z"]
        assert (await mbeans.call(CACHE, "resize", ("7", '"fast"'))).value == "fast 7"
        assert (await mbeans.set(CACHE, "Size", "9")).attributes[0].value == 9
        assert (await mbeans.call("java.lang:type=Memory", "gc")).value is None
        await d.resume()
        await d.target.wait_output("size 9 tags x+y z")


async def test_what_cannot_be_says_why(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Operated", program("Operated").on(any_jvm).classes) as d:
        await d.run_to("ready")
        mbeans = d.session.mbeans
        for ask, why in (
            (mbeans.detail("no.such"), "no MBean like"),
            (mbeans.detail(CACHE, "Nonesuch"), "no attribute or operation Nonesuch"),
            (mbeans.set("java.lang", "Verbose", "true"), "MBeans fit"),
            (mbeans.set(CACHE, "Name", "x"), "cannot be set"),
            (mbeans.set(CACHE, "Size", "x"), "not of type int"),
            (mbeans.set(CACHE, "Size", "3000000000"), "not of type int"),
            (mbeans.set(CACHE, "Size", "-1"), "negative"),
            (mbeans.call(CACHE, "resize", ("1",)), "takes other arguments"),
            (mbeans.call(CACHE, "nonesuch"), "no attribute or operation nonesuch"),
        ):
            with pytest.raises(UsageError, match=why):
                await ask
        with pytest.raises(Thrown):
            await mbeans.call("java.lang:type=Threading", "getThreadInfo", ("-1",))
