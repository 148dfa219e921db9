"""Objects that methods give to an expression: the last ones are kept, older ones are released."""

from __future__ import annotations

import pytest

from jdbpy.errors import EvalError
from jdbpy.session.eval.saved import KEPT
from jdbpy.wire.messages import virtual_machine
from tests.harness import Debugging, Jvm, debug, inline
from tests.session.running import target_of

MAKER = inline("""
class Maker {
    public static void main(String[] args) {
        System.out.println("ready"); // @ready
    }

    static byte[] make3Megabytes() {
        return new byte[3 * 1024 * 1024];
    }

    static StringBuilder text(String text) {
        return new StringBuilder(text);
    }

    static final StringBuilder SAME = new StringBuilder("same");

    static StringBuilder same() {
        return SAME;
    }
}
""")


async def text(d: Debugging, expression: str) -> str:
    return (await d.session.values.evaluate(expression)).text


async def test_a_small_heap_is_enough_for_any_number_of_calls(jvm: Jvm) -> None:
    async with debug(jvm, MAKER, jvm_options=["-Xmx40m"]) as d:
        await d.run_to("ready")
        for number in range(1, 41):
            value = await d.session.values.evaluate("make3Megabytes()", remember=number % 2 == 0)
            assert value.text.startswith("byte[3145728]")
        await d.resume()
        await d.wait_exit()


async def test_the_last_results_are_kept_and_what_has_a_name(jvm: Jvm) -> None:
    async with debug(jvm, MAKER) as d:
        await d.run_to("ready")
        assert await text(d, 'text("one").length()') == "3"
        await text(d, 'text("two")')
        await d.session.values.save("named", 'text("three")')
        await text(d, '$assigned = text("four")')
        for number in range(KEPT):
            await text(d, f'text("{number}")')
        assert await text(d, f"${KEPT + 2}.length()") == "1"
        await text(d, 'text("last")')
        with pytest.raises(EvalError) as caught:
            await text(d, "$2.length()")
        assert caught.value.code == "RELEASED"
        assert caught.value.message.startswith("the object of $2 is not kept any more")
        assert "'save NAME EXPRESSION'" in caught.value.hint
        assert "$2" not in [each.name for each in await d.session.values.history(100)]
        assert await text(d, "$named.length() + $assigned.length()") == "9"
        assert await text(d, "$1") == "3"
        await d.resume()
        await d.wait_exit()


async def test_what_is_looked_at_again_is_kept(any_jvm: Jvm) -> None:
    async with debug(any_jvm, MAKER) as d:
        await d.run_to("ready")
        await text(d, 'text("first")')
        for number in range(3 * KEPT):
            await text(d, f'text("{number}")')
            await text(d, "$1")
        assert await text(d, "$1.length()") == "5"
        await d.resume()
        await d.wait_exit()


async def test_an_object_that_is_given_again_and_again(jvm: Jvm) -> None:
    """Its id is taken back as often as it was given by calls, and no more: the VM would abort."""
    async with debug(jvm, MAKER) as d:
        await d.run_to("ready")
        given: list[virtual_machine.DisposeObjects] = []
        conn, submit = target_of(d).conn, target_of(d).conn.submit

        def counting(command: object, **options: object) -> object:
            if isinstance(command, virtual_machine.DisposeObjects):
                given.append(command)
            return submit(command, **options)  # type: ignore[arg-type]

        conn.submit = counting  # type: ignore[method-assign, assignment]
        for _ in range(3):
            await text(d, "same()")
            await text(d, "same().append('x').length() + same().length()")
            await text(d, "SAME")
        for number in range(3 * KEPT):
            await text(d, f'text("{number}").append("a").append("b")')
        assert sum(each.refCnt for command in given for each in command.requests) > 9
        assert await text(d, "same().length()") == "7"
        assert await text(d, "SAME.length()") == "7"
        await d.resume()
        await d.wait_exit()
