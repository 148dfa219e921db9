"""The models of the panes and of the screen as a whole, without a terminal: a state in, rows of text out."""

from __future__ import annotations

import random

import pytest

import jdbpy
from jdbpy import UsageError, ValueInfo, Variable
from jdbpy.cli.screen.fragments import columns_of, cut_text, fitted, of_terminal, short_type, skipped, width, wrapped
from jdbpy.cli.screen.keys import bottom, help_lines
from jdbpy.cli.screen.layout import LEAST_ROWS, OUTPUT, PANES, SOURCE, Sizes, arranged
from jdbpy.cli.screen.model import ScreenModel
from jdbpy.cli.screen.output_log import OutputLog
from jdbpy.cli.screen.panes import Action
from jdbpy.cli.screen.state import (
    FrameShown,
    JvmShown,
    LineMark,
    NodeShown,
    PluginPane,
    ScreenState,
    SourceShown,
    ThreadShown,
    WatchShown,
)
from jdbpy.cli.screen.tree import NodeContents, VariableTree
from jdbpy.plugins.declare import PaneDeclaration, declarations

LINES = tuple(f"int n{number} = {number}; // 日本" for number in range(1, 101))
STATE = ScreenState(
    runs=False,
    thread="main",
    source=SourceShown("source", "/Shop.java", "Shop.java — com.acme", "Shop.java", "com.acme.Shop", LINES, 40)
    .replace(values="n40 = 40"),
    marks=(LineMark(41, 3, "on"), LineMark(42, 4, "off"), LineMark(43, 5, "log")),
    frames=(FrameShown(1, "Shop.total", "Shop.java:40", "com.acme", True), FrameShown(2, "Shop.main", "Shop.java:9")),
    variables=(
        NodeShown("shop", "shop", "com.acme.Shop@1 {}", "com.acme.Shop", opens=True),
        NodeShown("n", "n", "7", "int", changed=True),
    ),
    threads=(ThreadShown(1, "main", "running", True, True, True), ThreadShown(2, "other", "waiting", True)),
)  # fmt: skip


def model(state: ScreenState = STATE) -> ScreenModel:
    made = ScreenModel(OutputLog())
    made.take(state)
    return made


def drawn(screen: ScreenModel, columns: int = 100, rows: int = 30) -> str:
    return "\n".join("".join(text for _, text in line) for line in screen.rows(columns, rows))


def test_what_a_stop_looks_like() -> None:
    text = drawn(model())
    assert "1 Shop.java — com.acme" in text
    assert " ▶ 40 int n40 = 40; // 日本  n40 = 40" in text
    assert "●  41 " in text
    assert "○  42 " in text
    assert "◆  43 " in text
    assert "▶1 Shop.total Shop.java:40 com.acme" in text
    assert " ▸ shop = Shop@1 {}" in text
    assert "*  n = 7" in text
    assert "▶1 main running" in text
    assert "4 Watches" not in text  # nothing is displayed
    assert "6 JVMs" not in text


def test_a_pane_comes_with_what_it_shows() -> None:
    more = STATE.replace(
        watches=(WatchShown(1, "n * 2", "14"),), jvms=(JvmShown("a", "running"),), plugins=(PluginPane("shop", ("x",)),)
    )
    screen = model(more)
    text = drawn(screen, 120, 50)
    assert "4 Watches" in text and "1 n * 2 = 14" in text and "6 JVMs" in text and "8 Shop" in text
    screen.take(STATE)
    assert "8 Shop" not in drawn(screen, 120, 50)


@pytest.mark.parametrize("seed", range(3))
def test_every_window_is_filled(seed: int) -> None:
    """Each row is as wide as the window, whatever its size, what is shown, and where the cursors are."""
    chosen = random.Random(seed)
    screen = model(STATE.replace(watches=(WatchShown(1, "本", "本" * 50),)))
    names = [*PANES]
    for _ in range(150):
        columns, rows = chosen.randint(1, 250), chosen.randint(1, 60)
        match chosen.randrange(8):
            case 0:
                screen.toggle(chosen.choice(names))
            case 1:
                screen.zoom()
            case 2:
                screen.resize(chosen.choice(names), chosen.randint(-20, 20))
            case 3:
                screen.turn(1)
            case 4:
                screen.pane.move(chosen.randint(-200, 200))
                screen.pane.page(chosen.choice((-1, 1)))
            case 5:
                screen.wheel(chosen.randrange(columns), chosen.randrange(rows), chosen.choice((-1, 1)))
            case 6:
                screen.click(chosen.randrange(columns), chosen.randrange(rows))
            case 7:
                screen.pane.aside(chosen.choice((-1, 1)))
        lines = screen.rows(columns, rows)
        assert len(lines) == rows
        for line in lines:
            assert width(line) == columns or not screen.places, (columns, rows, line)


@pytest.mark.parametrize("columns", [20, 64, 80, 100, 150, 200, 250])
@pytest.mark.parametrize("rows", [5, 12, 22, 28, 58])
def test_panes_do_not_overlap(columns: int, rows: int) -> None:
    places = arranged(columns, rows, PANES, Sizes())
    taken = [
        (column, row)
        for place in places.values()
        for column in range(place.column, place.column + place.columns)
        for row in range(place.row, place.row + place.rows)
    ]
    assert len(taken) == len(set(taken))
    assert max(column for column, _ in taken) < columns and max(row for _, row in taken) < rows
    assert all(place.rows >= min(LEAST_ROWS, rows) for place in places.values())
    if columns >= 80 and rows >= 22:
        assert {SOURCE, OUTPUT, "variables", "stack"} <= places.keys()


def test_the_margin_sets_a_breakpoint_and_takes_it_away() -> None:
    screen = model()
    drawn(screen)
    row = 1 + 35 - screen.source.top
    assert screen.click(0, row) == Action("line", "break com.acme.Shop:35")
    assert screen.click(20, row) is None
    assert screen.click(20, row, twice=True) == Action("line", "break com.acme.Shop:35")
    assert screen.click(0, row + 6) == Action("line", "delete 3")
    screen.source.go_to(42)
    assert screen.source.switch() == Action("line", "enable 4")


def test_panes_of_plugins_have_names_of_their_own() -> None:
    [declared] = declarations(jdbpy.pane(orders))
    assert isinstance(declared, PaneDeclaration) and declared.name == "orders"
    for name in ("source", "on", "no name", "1"):
        with pytest.raises(UsageError):
            jdbpy.pane(name)


def orders() -> str:
    return ""


def test_search_goes_round() -> None:
    screen = model()
    assert screen.source.search("N41")
    assert screen.source.cursor == 41
    assert screen.source.search("n4") and screen.source.cursor == 42
    assert screen.source.search("", back=True) and screen.source.cursor == 41
    assert screen.source.search("n7 ") and screen.source.cursor == 7
    assert not screen.source.search("n101")


def test_the_cursor_follows_the_stop_and_nothing_else() -> None:
    screen = model()
    assert screen.source.cursor == 40
    screen.source.go_to(10)
    screen.take(STATE.replace(marks=()))
    assert screen.source.cursor == 10
    screen.take(STATE.replace(source=STATE.source.replace(current=44)))
    assert screen.source.cursor == 44


def test_keys_of_lists_run_commands() -> None:
    screen = model()
    drawn(screen)
    screen.focus_on("stack")
    screen.pane.move(1)
    assert screen.pane.enter() == Action("line", "frame 2")
    screen.focus_on("threads")
    screen.pane.ends(last=True)
    assert screen.pane.enter() == Action("line", "thread 2")
    screen.focus_on("variables")
    screen.pane.ends(last=False)
    assert screen.pane.aside(1) == Action("open", "shop")


def value(text: str, number: int | None = None, length: int | None = None, tag: str = "L") -> ValueInfo:
    return ValueInfo("com.acme.T", text, tag if number else "I", number or 7, number, length)


def test_the_tree_opens_pages_and_marks() -> None:
    tree = VariableTree()
    cups = Variable("cups", "List", value("ArrayList(120)", 5, 120), "local")
    tree.take(("m", 1, 2), [cups, Variable("n", "int", value("1"), "local")])
    assert [(each.path, each.opens, each.open) for each in tree.nodes()] == [("cups", True, False), ("n", False, False)]
    tree.opened("cups")
    [(path, held, count)] = tree.wanted()
    assert (path, held.id, count) == ("cups", 5, 50)
    items = tuple(Variable(f"[{number}]", "T", value(f"T{number}", 10 + number), "element") for number in range(50))
    tree.put("cups", NodeContents(items, 120))
    nodes = tree.nodes()
    assert [each.path for each in nodes[:3]] == ["cups", "cups[0]", "cups[1]"]
    assert nodes[51].more and "70 more of 120" in nodes[51].text
    tree.more("cups")
    assert tree.wanted()[0][2] == 100
    tree.take(("m", 1, 2), [cups, Variable("n", "int", value("2"), "local")])
    assert [each.changed for each in tree.nodes() if each.name == "n"] == [True]
    assert tree.wanted()[0][0] == "cups"  # what is open stays open, and is read again
    tree.take(("other", 1, 2), [cups])
    assert tree.wanted() == []


def test_names_that_are_hidden_by_others_have_paths_of_their_own() -> None:
    tree = VariableTree()
    tree.take(("m", 1, 2), [Variable("this", "T", value("T", 9), "this")])
    tree.opened("this")
    tree.put(
        "this",
        NodeContents(tuple(Variable("n", "int", value("1"), "field", declared_in=each) for each in ("a.B", "a.C"))),
    )
    assert len({each.path for each in tree.nodes()}) == 3


def test_output_is_bounded_and_stays_where_it_was_scrolled_to() -> None:
    log = OutputLog(most=100)
    screen = ScreenModel(log)
    pane = screen.panes[OUTPUT]
    log.write("".join(f"line {number}\n" for number in range(1000)))
    assert "line 999" in "".join(text for line in pane.rows(40, 5, False) for _, text in line)
    pane.move(-10)
    shown = pane.rows(40, 5, False)
    log.write("more\n")
    assert pane.rows(40, 5, False) == shown
    assert "11 more below" in pane.heading()
    pane.ends(last=True)
    assert pane.rows(40, 5, False)[-1] == [("", "more")]
    assert len(log.since(0)) == 100


def test_lines_are_cut_by_columns() -> None:
    assert (columns_of("日本"), cut_text("日本", 3)) == (4, "日")
    assert fitted([("", "日本茶")], 5) == [("", "日本"), ("class:faint", "…")]
    assert width(fitted([("", "日本茶")], 4, fill="")) == 4
    assert skipped([("", "日本")], 1) == [("", " 本")]
    assert wrapped([("", "日本茶")], 4) == [[("", "日本")], [("", "茶")]]
    assert wrapped([("", "日")], 1) == [[]]


def test_colors_of_a_renderer_become_styles() -> None:
    assert of_terminal("\x1b[1;32mok\x1b[0m no\n") == [[("bold ansigreen", "ok"), ("", " no")]]


def test_packages_are_left_out_but_not_in_texts() -> None:
    assert short_type("java.util.Map<java.lang.String,com.acme.Order>[]") == "Map<String,Order>[]"
    assert short_type('com.acme.Order@1 {name: "a.b.C"}') == 'Order@1 {name: "a.b.C"}'
    assert short_type("Drink.ESPRESSO") == "Drink.ESPRESSO"


@pytest.mark.parametrize("columns", [10, 40, 80, 200])
def test_keys_fit(columns: int) -> None:
    assert "? keys" in "".join(text for _, text in bottom(columns))
    assert columns < 40 or width(bottom(columns)) <= columns
    assert all(width(line) <= 84 for line in help_lines(84))
