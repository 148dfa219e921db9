"""Names for completion out of a real session, and when they are read."""

from __future__ import annotations

from typing import Any

import trio
from trio.testing import MockClock

from jdbpy import StateError, VmState
from jdbpy.cli.commands import TABLE
from jdbpy.cli.context import Context, Display
from jdbpy.cli.names import Names
from jdbpy.cli.repl.completion import complete_line
from jdbpy.cli.repl.completion_refresh import SETTLED, Known, NamesRefresher
from tests.harness import Jvm, debug, inline

SHOP = """
public class Shop {
    public static void main(String[] args) {
        new Shop().total(args.length);
    }
    String owner = "Ann";
    int total(int factor) {
        int sum = factor; // @sum
        return sum;
    }
}
"""


async def test_names_at_a_stop(any_jvm: Jvm) -> None:
    async with debug(any_jvm, inline(SHOP)) as d:
        await d.session.breakpoints.add(d.at("sum"))
        await d.resume()
        await d.wait_stop("breakpoint", at="sum")
        known = Known(TABLE)
        context = Context(d.session)
        context.displays[3] = Display("sum")
        names = await NamesRefresher(context, known).read()
        assert ("factor", "int") in names.variables
        assert "owner" in names.members
        assert "Shop" in names.classes
        assert "java.lang.String" in names.classes
        assert "main" in [name for _, name in names.threads]
        assert names.breakpoints == ((1, d.at("sum")),)
        assert names.frames == 2
        assert names.displays == (3,)
        offered = [candidate.text for candidate in complete_line(TABLE, "print fac", names)]
        assert offered[0] == "factor"
        await d.resume()
        await d.wait_exit()


async def test_names_while_the_target_runs(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Ticker", suspend=False) as d:
        await d.target.wait_output("ready")
        names = await NamesRefresher(Context(d.session), Known(TABLE)).read()
        assert "Ticker" in names.classes
        assert "main" in [name for _, name in names.threads]
        assert (names.variables, names.members, names.frames) == ((), (), 0)
        unused = ("points", "values", "vm", "modules")
        assert not any(map(d.session.is_used, unused))  # it loads no component only to find that it knows no names


class Running:
    """A session whose target runs."""

    state = VmState.RUNNING


class Reader(NamesRefresher):
    """Counts how often names are read."""

    def __init__(self, known: Known) -> None:
        super().__init__(Context(Running()), known)  # type: ignore[arg-type]
        self.reads: list[float] = []

    async def read(self, *, of_debugger: bool = False) -> Names:
        self.reads.append(trio.current_time())
        return Names(classes=(f"C{len(self.reads)}",))

    async def _search_paths(self) -> None:
        """There is no session to search for."""


async def test_a_row_of_stops_reads_once(autojump_clock: MockClock) -> None:
    known = Known(TABLE)
    reader = Reader(known)
    begun = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(reader.run)
        for _ in range(10):
            reader.poke()
            await trio.sleep(SETTLED / 2)
        await trio.sleep(10)
        reader.poke()
        await trio.sleep(10)
        nursery.cancel_scope.cancel()
    assert len(reader.reads) == 2
    assert reader.reads[0] - begun > 9 * SETTLED / 2
    assert known.names.classes == ("C2",)


async def test_a_part_that_cannot_be_read_spoils_no_other() -> None:
    class Session:
        """A session whose target has just gone on."""

        remote = True
        state = "stopped"
        selection = (1, 1)

        def __getattr__(self, name: str) -> Any:
            if name == "execution":
                return type("Execution", (), {"excludes": ("java.*",)})
            raise StateError("the target runs")

    known = Known(TABLE)
    known.names = known.names.replace(classes=("Known",))
    names = await NamesRefresher(Context(Session()), known).read()  # type: ignore[arg-type]
    assert names.classes == ("Known",)
    assert names.excludes == ("java.*",)
