"""Colors: the text is the plain renderer's, tables fit, and no code of the target's making reaches the terminal."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from wcwidth import wcswidth

from jdbpy import (
    ClassInfo,
    Event,
    EventsDropped,
    Exited,
    FrameInfo,
    Location,
    Notice,
    Output,
    SourceLine,
    SourceWindow,
    Stopped,
    StopReason,
    SuspendPolicy,
    ThreadInfo,
    ThreadRef,
    UsageError,
    ValueInfo,
    Variable,
    VMDisconnected,
)
from jdbpy.cli.catalog import shown_types
from jdbpy.cli.commands.classes import Classes
from jdbpy.cli.commands.data import Variables
from jdbpy.cli.commands.threads import Threads
from jdbpy.cli.output import terminal as render_rich
from jdbpy.cli.output.columns import cut
from jdbpy.cli.output.pieces import STYLES, CutPieces, TablePieces, package
from jdbpy.cli.output.plain import PlainRenderer
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.output.shows import shown
from jdbpy.cli.output.source import highlighted, source_texts
from jdbpy.cli.output.terminal import RichRenderer
from jdbpy.cli.repl.terminal import wants_links
from jdbpy.cli.settings import Settings
from jdbpy.escape import escape
from jdbpy.record import Record
from tests.cli.samples import HOSTILE, sample

CODES = re.compile(r"\x1b\[[0-9;]*m")
LOCATION = Location("com.acme.shop.Order", "total", "()I", "Order.java", 42, 3)
MAIN = ThreadRef(1, "main")
FRAME = FrameInfo(1, LOCATION, MAIN)
SOURCE = SourceWindow(
    "/src/Order.java",
    "Order.java",
    (SourceLine(40, "\tint a = 1; // one"), SourceLine(41, ""), SourceLine(42, '\tString b = "x";')),
    42,
    100,
)


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, int]]:
    """The size of the window that the renderer sees."""
    size = {"columns": 100, "lines": 40}
    monkeypatch.setattr(render_rich, "size", lambda: (size["columns"], size["lines"]))
    yield size


def rich(result: Record) -> str:
    return RichRenderer(Settings()).result(Outcome("command", None, result))


def uncolored(text: str) -> str:
    return CODES.sub("", text)


RESULTS = list(shown_types())
EVENTS = [Exited, VMDisconnected, EventsDropped, Notice, Stopped]


def both(result: Record) -> tuple[str, str]:
    """What the plain renderer and this one say of a result or an event."""
    renderers = (PlainRenderer(Settings()), RichRenderer(Settings()))
    if type(result) in EVENTS:
        first, second = (renderer.event(result) for renderer in renderers)  # type: ignore[arg-type]
    else:
        first, second = (renderer.result(Outcome("command", None, result)) for renderer in renderers)
    return first, second


@pytest.mark.parametrize("text", ["text", "a.b.C", 'it\'s "quoted" (1) <x> = 2 /* y', "[bold]no markup[/] :smile:"])
@pytest.mark.parametrize("record", [*RESULTS, *EVENTS], ids=lambda record: record.__name__)
def test_the_text_is_the_plain_renderers(record: type[Record], text: str, window: dict[str, int]) -> None:
    plain_text, colored = both(sample(record, text))
    if record not in EVENTS and any(isinstance(each, TablePieces) for each in shown(sample(record, text), Settings())):
        assert set(uncolored(colored).split()) >= set(text.split()) & set(plain_text.split())
    else:
        assert uncolored(colored) == plain_text


@pytest.mark.parametrize("record", [*RESULTS, *EVENTS], ids=lambda record: record.__name__)
def test_no_control_character_of_the_target_passes(record: type[Record], window: dict[str, int]) -> None:
    _, colored = both(sample(record, HOSTILE))
    assert {number for code in CODES.findall(colored) for number in code[2:-1].split(";")} <= OUR_CODES
    for line in uncolored(colored).split("\n"):
        assert escape(line) == line


OUR_CODES = {"0", "1", "2", "4", "31", "32", "35", "36"}
"""Readable on light and on dark: no black, white, yellow or blue, nothing bright, no background."""


def test_only_readable_colors_are_used() -> None:
    for style in STYLES.values():
        assert set(style.split()) <= {"bold", "dim", "underline", "red", "green", "magenta", "cyan"}


THREADS = Threads(
    (
        ThreadInfo(1, "main", "running", True, 1, "main", at_breakpoint=True, frame=FRAME, current=True),
        ThreadInfo(2222, "http-nio-8080-exec-10", "waiting for a monitor", True, 2, "main", frame=FRAME),
        ThreadInfo(33, "日本語スレッド", "waiting", True, 1, "system"),
    )
)
VARIABLES = Variables(
    (
        Variable("this", "com.acme.shop.Order", ValueInfo("com.acme.shop.Order", "Order@5", "L", 5, id=5), "this"),
        Variable(
            "items",
            "java.util.List<com.acme.shop.Item>",
            ValueInfo("java.util.List", "ArrayList(3)", "L", 6),
            "argument",
        ),
        Variable("sum", "int", ValueInfo("int", "42", "I", 42), "local", changed=True),
        Variable("label", "String", ValueInfo("String", '"' + "word " * 60 + '"', "s", 7), "local"),
        Variable("lost", "int", None, "local", error="not readable"),
    )
)


@pytest.mark.parametrize("columns", [20, 30, 40, 60, 80, 100, 200])
def test_tables_fit_the_window(columns: int, window: dict[str, int]) -> None:
    window["columns"] = columns
    lines = uncolored(rich(THREADS)).splitlines()
    assert all(wcswidth(line) <= columns for line in lines)
    assert all(line == line.rstrip() for line in lines)


def test_what_a_wide_window_shows(window: dict[str, int]) -> None:
    text = uncolored(rich(THREADS))
    assert re.search(r"^\* +1 +main +main +running, stopped here +Order\.total:42$", text, re.MULTILINE)
    text = uncolored(rich(VARIABLES))
    assert re.search(r"^  sum = 42  \(changed\)$", text, re.MULTILINE)
    assert re.search(r"^  lost = <not readable>$", text, re.MULTILINE)
    assert text.index("Arguments") < text.index("items") < text.index("Local variables") < text.index("sum")


def test_what_a_narrow_window_leaves_out(window: dict[str, int]) -> None:
    window["columns"] = 30
    text = uncolored(rich(THREADS))
    assert "2222" in text
    assert "Order.total" not in text


@pytest.mark.parametrize("columns", [20, 40, 80, 200])
def test_variables_take_a_row_each(columns: int) -> None:
    text = uncolored("".join(RichRenderer(Settings(), lambda: columns).parts(Outcome("locals", None, VARIABLES))))
    lines = text.splitlines()
    assert len(lines) == 7 and all(wcswidth(line) <= columns for line in lines)
    assert lines[5].startswith("  label") and lines[5].endswith("…")


def test_a_narrow_window_abbreviates_packages_before_it_cuts() -> None:
    line = CutPieces("at " + package("com.acme.shop.") + "Order.total (Order.java:42)")
    assert cut(line, None).text == cut(line, 60).text == "at com.acme.shop.Order.total (Order.java:42)"
    assert cut(line, 43).text == "at c.acme.shop.Order.total (Order.java:42)"
    assert cut(line, 36).text == "at c.a.s.Order.total (Order.java:42)"
    assert cut(line, 30).text == "at c.a.s.Order.total (Order.j…"
    assert cut(CutPieces("日本語日本語日本語日本語"), 20).text == "日本語日本語日本語…"


def test_a_stop(window: dict[str, int]) -> None:
    stop = Stopped(StopReason.BREAKPOINT, MAIN, FRAME, LOCATION, SuspendPolicy.ALL, 1, breakpoint=1, source=SOURCE)
    text = RichRenderer(Settings()).event(stop)
    assert "\x1b[1mBreakpoint 1 hit\x1b[0m" in text
    assert "\x1b[1;32m=> \x1b[0m\x1b[1m42\x1b[0m" in text
    assert "\x1b[35mint\x1b[0m a = \x1b[36m1\x1b[0m; \x1b[2m// one\x1b[0m" in text
    assert text.count("Hint:") == 1


def test_the_file_of_a_stop_is_a_link_where_that_is_wanted(tmp_path: Path) -> None:
    file = tmp_path / "Order 1.java"
    file.write_text("")
    settings, source = Settings(), SOURCE.replace(path=str(file))
    settings.set("hints", "off")
    stop = Stopped(StopReason.BREAKPOINT, MAIN, FRAME, LOCATION, SuspendPolicy.ALL, 1, breakpoint=1, source=source)
    place = f"{LOCATION.source}:{LOCATION.line}"
    plain = RichRenderer(settings).event(stop)
    assert place in plain and "\x1b]8;" not in plain
    settings.set("links", "on")
    text = RichRenderer(settings).event(stop)
    link = re.escape(f"{tmp_path}/Order%201.java")
    assert re.search(rf"\x1b\]8;;file://[^/]*{link}\x1b\\{re.escape(place)}\x1b\]8;;\x1b\\", text)
    assert re.sub(r"\x1b\]8;;[^\x1b]*\x1b\\", "", text) == plain
    missing = stop.replace(source=SOURCE.replace(path=f"{tmp_path}/none.jar,Order.java"))
    assert "\x1b]8;" not in RichRenderer(settings).event(missing)


@pytest.mark.parametrize(
    ("environ", "wanted"),
    [
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "vscode"}, True),
        ({"TERM": "xterm-256color", "VTE_VERSION": "6800"}, True),
        ({"TERM": "xterm-256color", "VTE_VERSION": "4205"}, False),
        ({"TERM": "screen-256color", "TERM_PROGRAM": "vscode", "TMUX": "/tmp/tmux,1,0"}, False),
        ({"TERM": "dumb", "KITTY_WINDOW_ID": "1"}, False),
        ({"TERM": "xterm-kitty", "KITTY_WINDOW_ID": "1"}, True),
    ],
)
def test_terminals_with_links(environ: dict[str, str], wanted: bool) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert wants_links("auto", Terminal(), environ) is wanted
    assert not wants_links("auto", io.StringIO(), environ)
    assert wants_links("on", io.StringIO(), environ) and not wants_links("off", Terminal(), environ)


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (Exited(3), "\x1b[1mThe target has ended with status 3.\x1b[0m\n"),
        (Exited(-9), "\x1b[1mThe target was ended by signal 9.\x1b[0m\n"),
        (VMDisconnected("the peer closed it"), "\x1b[1mThe connection is closed: the peer closed it\x1b[0m\n"),
        (EventsDropped(5), "\x1b[1m5 events were dropped (too fast to show)\x1b[0m\n"),
        (Notice("trace", "entered"), "entered\n"),
        (Output("stdout", "as it is\x1b"), "as it is\x1b"),
    ],
)
def test_events(event: Event, text: str, window: dict[str, int]) -> None:
    assert RichRenderer(Settings()).event(event) == text


def test_an_error(window: dict[str, int]) -> None:
    error = UsageError("there is no [such] thing", hint="try another")
    text = RichRenderer(Settings()).error(Outcome("x", None, error=error))
    assert text == "\x1b[1;31merror:\x1b[0m there is no [such] thing\n\x1b[2m  hint: try another\x1b[0m\n"


@pytest.mark.parametrize(
    ("lines", "faint"),
    [
        ([" * in the middle of", " * a comment", " */", "int a;"], [True, True, True, False]),
        (["the end */ int a;", "int b;"], [True, False]),
        (["int a; /* begins", "ends */ int b;"], [False, True]),
        (["/* begins", "and does not end"], [True, True]),
        (["int a;", "int b;"], [False, False]),
        ([" * all of it", "", " * comment"], [True, False, True]),
    ],
)
def test_comments_that_begin_above_the_window(lines: list[str], faint: list[bool]) -> None:
    texts = highlighted(lines, "A.java")
    assert [text.plain for text in texts] == lines
    begins_faint = [
        any("dim" in str(span.style) or getattr(span.style, "dim", False) for span in text.spans if span.start == 0)
        for text in texts
    ]
    assert begins_faint == faint


@pytest.mark.parametrize("name", ["A.java", "A.kt", "A.scala", "A.groovy", "A.clj", "A.jsp", "A", ""])
@pytest.mark.parametrize("text", ["", "x", "\n", "a\n\nb", '"open', "'", "/*", "*/", "é日本\\u001b", "}{][)("])
def test_highlighting_changes_no_letter(name: str, text: str) -> None:
    lines = text.split("\n")
    assert [one.plain for one in highlighted(lines, name)] == lines


def test_an_empty_window() -> None:
    assert source_texts(SourceWindow("/x", "X.java", (), None, 0)) == []


def test_a_long_list_is_made_while_it_is_read(window: dict[str, int]) -> None:
    many = Classes("", tuple(ClassInfo(number, f"com.acme.C{number}", "class", "") for number in range(50_000)))
    parts = RichRenderer(Settings()).parts(Outcome("classes", None, many))
    first = next(parts)
    assert uncolored(first).startswith("com.acme.C0\n")
    assert first.count("\n") <= 100
    assert uncolored(next(parts)).startswith("com.acme.C100\n")
