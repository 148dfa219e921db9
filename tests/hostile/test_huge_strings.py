"""Strings of 50 million characters: nothing that is asked of one costs more than what is shown of it."""

from __future__ import annotations

import pytest

from jdbpy.errors import EvalError
from tests.harness import Jvm, debug, inline

pytestmark = pytest.mark.one_java

HUGE = inline(
    """
    class Huge {
        public static void main(String[] args) throws Exception {
            String text = "ab".repeat(25_000_000);
            String wide = "\\u00e4\\u4e2d".repeat(25_000_000);
            Object any = text;
            Exception failure = new Exception(text);
            StringBuilder builder = new StringBuilder(text);
            for (int i = 0; i < 3; i++) {
                int length = i; // @stop
            }
            throw failure;
        }
    }
    """
)
FEW = 128 * 1024
"""Bytes that all looks of a test may cost, the members of their classes among them; each text has 50 million."""


async def test_methods_of_huge_strings_fetch_what_they_need(jvm: Jvm) -> None:
    async with debug(jvm, HUGE) as d:
        await d.run_to("stop")
        values, conn = d.session.values, d.session._target.conn
        before = conn.statistics().bytes_in
        for expression, text in {
            "text.length()": "50000000",
            "text.isEmpty()": "false",
            "text.charAt(49_999_999)": "'b'",
            "text.substring(49_999_997)": '"bab"',
            "text.substring(7, 10)": '"bab"',
            'text.equals("abab")': "false",
            'text.startsWith("abab")': "true",
            'text.endsWith("abab")': "true",
            "text.hashCode() == any.hashCode()": "true",
            'text.indexOf("c")': "-1",
            "text.equals(any)": "true",
            "wide.length()": "50000000",
            "wide.charAt(1)": "'\u4e2d'",
            "wide.substring(0, 3)": '"\u00e4\u4e2d\u00e4"',
            "text.toString().length()": "50000000",
            "text.length() + wide.length()": "100000000",
        }.items():
            assert (await values.evaluate(expression)).text == text, expression
        with pytest.raises(EvalError, match="50000000 characters"):
            await values.evaluate('text + "x"')
        assert conn.statistics().bytes_in - before < FEW
        before = conn.statistics().bytes_in
        for _ in range(10):
            await values.evaluate("text.length() + text.charAt(1_000) + any.hashCode()")
        assert conn.statistics().bytes_in - before < 10_000


async def test_views_fetch_what_they_show(jvm: Jvm) -> None:
    async with debug(jvm, HUGE) as d:
        await d.run_to("stop")
        conn = d.session._target.conn
        before = conn.statistics().bytes_in
        variables = {each.name: each.value for each in await d.session.stack.variables()}
        for name, start in (("text", "abab"), ("any", "abab"), ("wide", "\u00e4\u4e2d"), ("builder", "abab")):
            value = variables[name]
            assert value is not None
            assert value.text.startswith(f'"{start}'), value.text
            assert (value.length, value.truncated) == (50_000_000, True)
            assert len(value.text) < 300
        assert len((await d.session.values.bytes("text", None)).data) == 256
        assert conn.statistics().bytes_in - before < FEW


async def test_conditions_and_exceptions_do_not_fetch_huge_texts(jvm: Jvm) -> None:
    async with debug(jvm, HUGE) as d:
        await d.session.catchpoints.exception("java.lang.Exception")
        await d.session.breakpoints.add(d.at("stop"), condition="text.length() == 50_000_000 && i == 2")
        await d.resume()
        before = d.session._target.conn.statistics().bytes_in
        await d.wait_stop("breakpoint", at="stop")
        await d.resume()
        stop = await d.wait_stop("exception")
        assert stop.exception is not None
        assert (stop.exception.message or "").startswith("abab")
        assert d.session._target.conn.statistics().bytes_in - before < FEW
