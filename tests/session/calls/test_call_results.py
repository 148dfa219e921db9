"""Objects that methods give to an expression: the last ones are kept, older ones are released."""

from __future__ import annotations

import pytest

from jdbpy.errors import EvalError, Thrown
from jdbpy.session.eval.saved import KEPT
from jdbpy.session.model.options import StepDepth
from jdbpy.session.values.objects import Objects
from jdbpy.wire.messages import virtual_machine
from tests.harness import Debugging, Jvm, debug, inline
from tests.session.running import target_of

pytestmark = pytest.mark.one_java

MAKER = inline("""
import java.util.*;

class Maker {
    public static void main(String[] args) {
        System.out.println("ready"); // @ready
    }

    static byte[] make3Megabytes() {
        return new byte[3 * 1024 * 1024];
    }

    static List<byte[]> list() {
        return new ArrayList<>(List.of(make3Megabytes()));
    }

    static LinkedList<byte[]> linked() {
        return new LinkedList<>(List.of(make3Megabytes()));
    }

    static Map<String, Object[]> map() {
        return new HashMap<>(Map.of("key", new Object[] { make3Megabytes() }));
    }

    static class Node {
        byte[] data = make3Megabytes();
        Node self = this;
        Node[] others = { this };
    }

    static class Failure extends RuntimeException {
        byte[] data = make3Megabytes();
    }

    static int fail() {
        throw new Failure();
    }

    static List<String> texts() {
        return new ArrayList<>(List.of(make2MegabytesOfText()));
    }

    static String make2MegabytesOfText() {
        return "x".repeat(2 * 1024 * 1024);
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
        for _ in range(40):
            assert await text(d, "list()") == "ArrayList(1) [byte[3145728]]"
        for number in range(1, 41):  # of a long string a piece of the array behind it is read
            value = await d.session.values.evaluate("make2MegabytesOfText()", remember=number % 2 == 0)
            assert value.text.startswith('"xxx')
        assert await text(d, "make2MegabytesOfText().length()") == "2097152"
        await d.resume()
        await d.wait_exit()


async def test_what_is_read_of_a_result_is_released_with_it(jvm: Jvm) -> None:
    """The heap has room for 16 of the arrays; there are 12 times six of them."""
    async with debug(jvm, MAKER, jvm_options=["-Xmx72m"]) as d:
        await d.run_to("ready")
        values = d.session.values
        await values.save("kept", "list()")
        for number in range(12):
            [element] = (await values.evaluate("list()")).children
            assert element.value is not None and element.value.text.startswith("byte[3145728]")
            expression = ("linked()", "map()", "new Node()", "texts()")[number % 4]
            value = await values.evaluate(expression)
            assert value.id is not None
            await d.session.objects.fields(value.id)
            await text(d, f"new byte[{3 << 20}].length + new Node().others[0].self.data.length")
            with pytest.raises(Thrown, match="Failure"):
                await text(d, "fail()")
        assert await text(d, "$exc.data.length + $kept.get(0).length") == str(6 << 20)
        assert await text(d, "list()[0].length + $_") == str(9 << 20)
        await d.resume()
        await d.wait_exit()


async def test_what_was_read_of_a_result_and_is_used_again_stays(any_jvm: Jvm) -> None:
    async with debug(any_jvm, MAKER) as d:
        await d.run_to("ready")
        await text(d, "list()")
        await text(d, "$1[0]")
        await text(d, "$assigned = new Node().others[0]; 1")
        for _ in range(3 * KEPT):
            await text(d, "$2")
            await text(d, "list()")
        assert await text(d, "$2.length + $1[0].length + $assigned.self.data.length") == str(9 << 20)
        for _ in range(KEPT + 1):
            await text(d, "list()")
        with pytest.raises(EvalError, match=r"^the object of \$2 is not kept any more"):
            await text(d, "$2.length")
        assert await text(d, "$assigned.data.length") == str(3 << 20)
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


async def test_what_an_editor_shows_is_kept_as_long_as_its_thread_stands(jvm: Jvm) -> None:
    """Later the target is not kept from collecting it."""
    async with debug(jvm, MAKER) as d:
        await d.run_to("ready")
        values = d.session.values
        found = [await values.evaluate('text("kept")', keep=True, until_resumed=True) for _ in range(2 * KEPT)]
        assert values.evaluator.kept.ids == {each.id for each in found}
        assert [each.text for each in await values.of_objects([each.id for each in found if each.id])] == [
            each.text for each in found
        ]
        script = await values.evaluate('text("kept")', keep=True)
        await d.check_stop(await d.session.execution.step(StepDepth.OVER), "step")
        await values.evaluate("1", keep=True)
        assert values.evaluator.kept.ids == {script.id}
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


async def test_a_count_that_is_too_large_does_not_end_the_target(jvm: Jvm) -> None:
    """The agent ends the VM where an id is taken back more often than it was sent, were it our mistake."""
    async with debug(jvm, MAKER) as d:
        await d.run_to("ready")
        value = await d.session.values.evaluate('text("one")')
        assert value.id is not None
        [given] = Objects.of(target_of(d)).reader.given.of(value.id)
        given.sent[value.id] += 100
        for number in range(2 * KEPT):
            assert await text(d, f'text("{number}").length()') == str(len(str(number)))
            await text(d, f'text("{number}")')
        assert not Objects.of(target_of(d)).reader.given.of(value.id)
        assert await text(d, "same().length()") == "4"
        await d.resume()
        await d.wait_exit()
