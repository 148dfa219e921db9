"""Lines without code in classes with member classes that load later, or never: the breakpoint moves at once."""

from __future__ import annotations

from tests.harness import Jvm, debug, inline

SOURCE = """
class Start {
    public static void main(String[] args) {
        int first = Parts.First.one();
        int all = Parts.sum(first);
        System.out.println(Parts.sum(all));  // @call
    }
}

class Parts {
    static class First { static int one() {
        int made = 1;
        return made;  // @first
    } }
    static class Never { static int two() { return 2; } }

    static int sum(int a) {
        int all = a;
        // a comment  @comment
        all += First.one();

        for (int i = 0; i < 2; i++) {
            all += i;
        // @brace
        }
        return all;  // @sum
    }

    static int never() { return Never.two(); }
}
"""


def at(marker: str) -> int:
    return next(n for n, line in enumerate(SOURCE.split("\n"), 1) if f"@{marker}" in line)


async def test_a_line_within_a_method_moves_at_once(jvm: Jvm) -> None:
    program = inline(SOURCE)
    async with debug(jvm, program) as d:
        await d.run_to("call")
        point = await d.session.breakpoints.add(f"Parts:{at('comment')}")
        assert point.resolved, point
        assert point.message.startswith(f"moved to line {at('comment') + 1}: no code on line {at('comment')}")
        await d.resume()
        stop = await d.wait_stop("breakpoint")
        assert stop.frame is not None
        assert stop.frame.location.line == at("comment") + 1


async def test_also_where_a_member_class_is_prepared_first_and_another_never(jvm: Jvm) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        point = await d.session.breakpoints.add(f"Start.java:{at('comment')}")
        await d.resume()
        await d.wait_notice("breakpoint-resolved")
        stop = await d.wait_stop("breakpoint")
        assert stop.frame is not None
        assert stop.frame.location.line == at("comment") + 1
        [shown] = [each for each in d.session.breakpoints.list() if each.number == point.number]
        assert shown.message.startswith(f"moved to line {at('comment') + 1}")
