"""rbreak: breakpoints in all methods whose names fit, a question when there are many, few trips for many classes."""

from __future__ import annotations

import pytest

from jdbpy.cli.commands import TABLE
from jdbpy.cli.commands.rbreak import MANY, RegexBreakpoints
from jdbpy.cli.context import Context
from jdbpy.cli.output.plain import PlainRenderer
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.results import Done
from jdbpy.cli.settings import Settings
from jdbpy.errors import UsageError
from jdbpy.record import Record
from tests.harness import Jvm, debug, inline

SHOP = """
public class Shop {
    public static void main(String[] args) {
        Stock stock = new Shelf();
        System.out.println(stock.findAll());                         // @all
        ((Comparable) stock).compareTo(stock);
    }
    static native void findNothing();
}
abstract class Stock {
    abstract int find(String name);
    int findAll() { return find("a") + find("b"); }
}
class Shelf extends Stock implements Comparable<Shelf> {
    int find(String name) { return name.length(); }                  // @find
    int find(int number) { return number; }
    public int compareTo(Shelf other) { return 0; }                  // @compare
}
"""


async def run(context: Context, line: str) -> Record:
    found = TABLE.find(line)
    assert found is not None
    return await found.command(context, line[found.rest :])


async def test_it_stops_in_each_method_whose_name_fits(jvm: Jvm) -> None:
    async with debug(jvm, inline(SHOP)) as d:
        await d.run_to("all")
        result = await run(Context(d.session), "rbreak ^find")
        assert isinstance(result, RegexBreakpoints)
        assert sorted(each.spec for each in result.breakpoints) == [
            "Shelf.find(int)",
            "Shelf.find(java.lang.String)",
            "Stock.findAll()",
        ]
        assert all(each.resolved for each in result.breakpoints)
        text = PlainRenderer(Settings()).result(Outcome("rbreak ^find", None, result))
        assert text.splitlines()[-1] == "3 methods like ^find"
        assert "Shelf.find (Shop.java:" in text
        await d.resume()
        await d.wait_stop("breakpoint", frames=["Stock.findAll", "Shop.main"])
        await d.resume()
        await d.wait_stop("breakpoint", at="find", frames=["Shelf.find", "Stock.findAll", "Shop.main"])
        await d.session.points.remove([each.number for each in result.breakpoints])
        await run(Context(d.session), "rbreak compareTo Shelf")
        await d.resume()
        await d.wait_stop("breakpoint", at="compare", frames=["Shelf.compareTo", "Shelf.compareTo", "Shop.main"])
        assert [each.hits for each in d.session.breakpoints.list()] == [1]  # not in the bridge, too
        await d.resume()
        await d.wait_exit()


async def test_a_question_comes_first_when_there_are_many(any_jvm: Jvm) -> None:
    async with debug(any_jvm, inline(SHOP)) as d:
        context = Context(d.session)
        context.interactive = True
        asked: list[str] = []

        async def no(question: str) -> bool:
            asked.append(question)
            return False

        context._ask = no
        result = await run(context, "rbreak . java.lang.String")
        assert result == Done("no breakpoint was set")
        assert d.session.points.list() == []
        number = int(asked[0].split()[1])
        assert number > MANY
        assert asked == [f"set {number} breakpoints?"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("rbreak (", "'(' is not a regular expression: missing ), unterminated subpattern at position 0"),
        ("rbreak nothing Shop", "no method of Shop has a name like nothing"),
        ("rbreak ^valueOf$", "no method of the loaded classes has a name like ^valueOf$"),
    ],
)
async def test_what_fits_nothing_is_said(any_jvm: Jvm, line: str, message: str) -> None:
    async with debug(any_jvm, inline(SHOP)) as d:
        await d.run_to("all")
        with pytest.raises(UsageError) as raised:
            await run(Context(d.session), line)
        assert raised.value.message == message
        assert raised.value.hint
        await d.resume()
        await d.wait_exit()
