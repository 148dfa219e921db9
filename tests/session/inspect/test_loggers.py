"""Loggers of three frameworks in several class loaders. The frameworks are stand-ins: fixtures/Operated."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from jdbpy.errors import UsageError
from jdbpy.session.model.operating import LogContext
from tests.harness import Debugging, Jvm, debug, program


@asynccontextmanager
async def operated(jvm: Jvm) -> AsyncIterator[Debugging]:
    """Operated, with its loggers in place."""
    async with debug(jvm, "Operated", program("Operated").on(jvm).classes) as d:
        await d.run_to("ready")
        yield d


def levels(context: LogContext) -> dict[str, tuple[str | None, str]]:
    return {each.name: (each.level, each.effective) for each in context.loggers}


@pytest.mark.one_java
async def test_levels_by_framework_and_loader(jvm: Jvm) -> None:
    async with operated(jvm) as d:
        loggers = d.session.loggers
        found = await loggers.contexts()
        assert [each.framework for each in found] == ["Logback", "Logback", "Log4j 2", "java.util.logging"]
        assert len({each.loader for each in found[:2]}) == 2
        assert all("URLClassLoader" in each.loader for each in found[:3])
        assert (found[2].name, found[3].loader) == ("shop", "")
        assert levels(found[0]) == {"root": ("DEBUG", "DEBUG")}
        assert levels(found[2]) == {"root": ("ERROR", "ERROR")}
        found = await loggers.contexts("com.acme")
        by_names = [levels(each) for each in found]
        assert {"com.acme.Shop", "com.acme"} <= set(by_names[0])
        assert by_names[2] == {"com.acme.Bank": (None, "ERROR")}
        assert by_names[3] == {"com.acme.jul.Thing": (None, "INFO")}
        assert "com.acme.Bank" in loggers.known_names()

        both = await loggers.set("com.acme.Shop", "warning")  # a word of another framework
        assert [levels(each) for each in both.contexts] == [{"com.acme.Shop": ("WARN", "WARN")}] * 2
        with_orders = next(each.number for each in found if "com.acme.orders.Order" in levels(each))
        [only] = (await loggers.set("com.acme.orders", "OFF", context=with_orders)).contexts
        assert levels(only) == {"com.acme.orders": ("OFF", "OFF")}
        await loggers.set("com.acme.Bank", "DEBUG")
        [own] = (await loggers.set("com.acme.jul.Thing", "debug")).contexts
        assert levels(own) == {"com.acme.jul.Thing": ("FINE", "FINE")}
        [order] = [one for each in await loggers.contexts("orders.Order") for one in each.loggers]
        assert (order.level, order.effective) == (None, "OFF")
        await d.resume()
        await d.target.wait_output("debug false false false true true")


async def test_levels_taken_away_and_refused(any_jvm: Jvm) -> None:
    async with operated(any_jvm) as d:
        loggers = d.session.loggers
        await loggers.set("com.acme.Bank", "DEBUG")
        [bank] = (await loggers.set("com.acme.Bank", "inherited")).contexts
        assert levels(bank) == {"com.acme.Bank": (None, "ERROR")}
        for name, level, why in (
            ("com.acme.Bank", "LOUD", "not a level of Log4j 2"),
            ("com.acme.jul.Thing", "LOUD", "not a level of java.util.logging"),
            ("com.acme.Shop", "LOUD", "not a level of Logback"),
            ("no.such", "INFO", "several contexts"),
        ):
            with pytest.raises(UsageError, match=why) as refused:
                await loggers.set(name, level)
            assert refused.value.hint
        with pytest.raises(UsageError, match="no context 9"):
            await loggers.set("root", "INFO", context=9)
        with pytest.raises(UsageError, match=r"no logger no.such"):
            await loggers.set("no.such", "INFO", context=4)
        [made] = (await loggers.set("com.new", "DEBUG", context=3)).contexts
        assert levels(made) == {"com.new": ("DEBUG", "DEBUG")}
