"""Private fields of ``this`` in conditions of the target: the program's own code reads them, and the right ones."""

from __future__ import annotations

import pytest

from tests.harness import Jvm, debug, inline

PROGRAM = inline("""
    class T {
        public static void main(String[] args) {
            Crate before = new Crate(null, 0);
            int sum = 0;
            for (int i = 1; i <= 600; i++) {
                Crate crate = new Crate(i % 100 == 0 ? "hundred" : i == 450 ? null : "one", i);
                sum += crate.weigh(before, "hundred");
                before = crate;
            }
            System.out.println("sum " + sum);
        }
    }
    class Crate extends Box {
        private final String name;
        private int total;
        private long weight;
        private boolean full;
        private double[] parts = {1, 2.5};

        Crate(String name, int total) {
            super(total);
            this.name = name;
            this.total = total;
            weight = 10L * total; // @made
        }

        int weigh(Crate other, String name) {
            int total = 7;
            full = (weight & 1024) != 0;
            return total + (int) weight; // @weigh
        }
    }
    class Box {
        private int total;
        Box(int total) { this.total = -total; }
    }""")

WEIGH = (
    "this.name.equals(name) && this.total == other.total + 1 && total == 7 && weight < 5_000L && !full && parts[1] > 2"
    " && ((Box) this).total < 0"
)


@pytest.mark.every_java
async def test_fields_of_this_are_read_by_the_program_s_own_code(jvm: Jvm) -> None:
    """Beside a local variable and a superclass's field of the same name, in a constructor, and where one is null."""
    async with debug(jvm, PROGRAM) as d:
        await d.session.breakpoints.add(d.at("made", "Crate"), condition="total == 123 && weight == 0", woven=True)
        await d.session.breakpoints.add(d.at("weigh", "Crate"), condition=WEIGH, woven=True)
        found = []
        for at in ("weigh", "made", "weigh", "weigh"):
            await d.resume()
            stop = await d.wait_stop("breakpoint", at=at)
            reason = "failed" if "NullPointerException" in stop.message else ""
            found.append(((await d.session.values.evaluate("this.total")).text, reason))
        assert found == [("100", ""), ("123", ""), ("300", ""), ("450", "failed")]
        shown = d.session.breakpoints.list()
        assert [each.in_target for each in shown] == [True, True], shown
        [code] = await d.session.code.disassemble("Crate.weigh", woven=True)
        names = [each.name for each in code.instructions]
        check = next(at for at, each in enumerate(code.instructions) if "Jdbpy__" in each.meaning)
        first = names.index("putfield")  # of the line before
        assert names[first:check].count("getfield") == 5, "name, total, weight, full, parts"
        await d.session.breakpoints.clear_all()
        await d.resume()
        await d.wait_exit()


async def test_a_class_is_not_changed_at_a_hit_that_may_stop(jvm: Jvm) -> None:
    """Two breakpoints at one place, of which one asks to be in the target: the other stops with its line."""
    async with debug(jvm, PROGRAM) as d:
        await d.session.breakpoints.add(d.at("weigh", "Crate"), condition="total > 100", woven=True)
        await d.session.breakpoints.add(d.at("weigh", "Crate"), temporary=True)
        await d.resume()
        stop = await d.wait_stop("breakpoint", at="weigh", breakpoint=2)
        assert stop.frame is not None and not stop.frame.obsolete
        assert (await d.session.values.evaluate("total")).text == "7"
        await d.session.breakpoints.clear_all()
        await d.resume()
        await d.wait_exit()
