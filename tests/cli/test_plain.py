"""The plain renderer: a text for every result, what it says at a stop, and no control character in any."""

from __future__ import annotations

import typing

import pytest

from jdbpy import (
    ClassInfo,
    EvalError,
    Event,
    Exited,
    FrameInfo,
    Location,
    Output,
    SourceLine,
    SourceWindow,
    Stopped,
    StopReason,
    SuspendPolicy,
    ThreadRef,
    Thrown,
    ValueInfo,
    Variable,
    VMDisconnected,
    values,
)
from jdbpy.cli.catalog import shown_types
from jdbpy.cli.commands import TABLE
from jdbpy.cli.commands.classes import Classes
from jdbpy.cli.commands.data import Examined, Printed, Variables
from jdbpy.cli.console import Console
from jdbpy.cli.output.pieces import LinePieces, plain_text
from jdbpy.cli.output.plain import PlainRenderer
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.output.shows import shown
from jdbpy.cli.results import Displayed
from jdbpy.cli.settings import Settings
from jdbpy.errors import UsageError
from jdbpy.escape import escape
from jdbpy.process import standard
from jdbpy.record import Record
from tests.cli.samples import HOSTILE, sample

LOCATION = Location("com.acme.Order", "total", "()I", "Order.java", 42, 3)
THREAD = ThreadRef(1, "main")
FRAME = FrameInfo(1, LOCATION, THREAD)
SOURCE = SourceWindow("/src/Order.java", "Order.java", (SourceLine(41, "\tint n;"), SourceLine(42, "\tn++;")), 42, 100)


def stop(reason: StopReason = StopReason.BREAKPOINT, **extra: typing.Any) -> Stopped:
    fields: dict[str, typing.Any] = {"location": LOCATION, "frame": FRAME, "source": SOURCE, "breakpoint": 2}
    return Stopped(reason=reason, thread=THREAD, policy=SuspendPolicy.ALL, epoch=1, **{**fields, **extra})


def render(result: Record, settings: Settings | None = None) -> str:
    return PlainRenderer(settings or Settings()).result(Outcome("command", None, result))


def assert_harmless(text: str) -> None:
    assert text.endswith("\n") or not text
    for line in text.split("\n"):
        assert escape(line) == line


def test_every_result_of_a_command_has_a_text() -> None:
    shown = set(shown_types())
    assert not [record for command in TABLE for record in command.returns if not shown & set(record.__mro__)]


@pytest.mark.parametrize("record", list(shown_types()), ids=lambda record: record.__name__)
def test_no_control_character_of_the_target_passes(record: type[Record]) -> None:
    assert_harmless(render(sample(record, HOSTILE)))


@pytest.mark.parametrize("event", [e for e in typing.get_args(Event) if e is not Output], ids=lambda e: e.__name__)
def test_no_control_character_of_an_event_passes(event: type[Record]) -> None:
    for reason in StopReason if event is Stopped else [None]:
        record = sample(event, HOSTILE) if reason is None else sample(event, HOSTILE).replace(reason=reason)
        assert_harmless(PlainRenderer(Settings()).event(record))


def test_application_output_comes_back_as_it_is() -> None:
    assert PlainRenderer(Settings()).event(Output("stdout", "\x1b[31mred")) == "\x1b[31mred"


def test_a_first_stop_shows_why_where_the_source_and_a_hint() -> None:
    renderer = PlainRenderer(Settings())
    first = renderer.event(stop())
    assert first.splitlines()[:3] == [
        'Breakpoint 2 hit: thread "main", com.acme.Order.total, Order.java:42',
        "   41      int n;",
        "=> 42      n++;",
    ]
    assert first.splitlines()[3].startswith("Hint: 'where'")
    assert "Hint" not in renderer.event(stop())


def test_hints_can_be_switched_off() -> None:
    settings = Settings()
    settings.set("hints", "off")
    assert "Hint" not in PlainRenderer(settings).event(stop())


def test_a_missing_source_is_said_once() -> None:
    renderer = PlainRenderer(Settings())
    assert "Order.java was not found; 'use DIRECTORY'" in renderer.event(stop(source=None))
    assert "was not found" not in renderer.event(stop(source=None))


def test_the_start_hints_at_run() -> None:
    start = stop(StopReason.START, location=None, frame=None, source=None, breakpoint=None)
    text = PlainRenderer(Settings()).event(start)
    assert text.startswith('Ready to start: thread "main"\n')
    assert "'run' starts the program" in text


@pytest.mark.parametrize(
    ("extra", "wanted"),
    [
        ({"temporary": True}, "Temporary breakpoint 2 hit"),
        ({"breakpoints": (2, 5)}, "Breakpoint 2, 5 hit"),
        ({"policy": SuspendPolicy.THREAD}, "(the other threads run on)"),
        ({"message": "the condition failed"}, "  the condition failed"),
        ({"return_value": ValueInfo("int", "7", "I", 7)}, "  returns 7"),
    ],
)
def test_a_stop_says_what_is_special(extra: dict[str, typing.Any], wanted: str) -> None:
    policy = extra.pop("policy", SuspendPolicy.ALL)
    assert wanted in PlainRenderer(Settings()).event(stop(**extra).replace(policy=policy))


def test_an_end_says_its_status() -> None:
    renderer = PlainRenderer(Settings())
    assert renderer.event(Exited(3)) == "The target has ended with status 3.\n"
    assert renderer.event(Exited(None)) == "The target has ended.\n"
    assert renderer.event(VMDisconnected("reset by peer")) == "The connection is closed: reset by peer\n"


def test_variables_are_grouped_and_declared_as_in_java() -> None:
    this = Variable("this", "Order", ValueInfo("Order", "Order@7", "L", 7, id=7), "this")
    argument = Variable("n", "int", ValueInfo("int", "7", "I", 7), "argument")
    local = Variable("s", "java.lang.String", None, "local", error="not in scope")
    assert render(Variables((this, argument, local))) == (
        "this = Order@7\nArguments:\n  n = 7\nLocal variables:\n  s = <not in scope>\n"
    )
    assert render(Variables((this, argument, local), types=True)) == (
        "Order this = Order@7\nArguments:\n  int n = 7\nLocal variables:\n  java.lang.String s = <not in scope>\n"
    )
    assert render(Variables(())) == "no variables here\n"
    assert render(Variables((), only="argument")) == "no arguments\n"


def test_print_shows_children_in_the_line_and_dump_below_it() -> None:
    element = Variable("[0]", "int", ValueInfo("int", "1", "I", 1), "element")
    field = Variable("name", "java.lang.String", ValueInfo("java.lang.String", '"x"', "s", 3), "field", declared_in="B")
    value = ValueInfo("A", "A@7", "L", 7, id=7, children=(element, field))
    assert render(Printed("a", value)) == 'a = A@7 {1, name: "x"}\n'
    number = ValueInfo("int", "10", "I", 10, formatted="0xa")
    assert render(Printed("n", number)) == "n = 0xa\n"
    numbered = Printed("n", ValueInfo("int", "10", "I", 10, number=3), numbered=True)
    assert render(numbered) == "n = 10  ($3)\n"
    assert render(numbered.replace(numbered=False)) == "n = 10\n"
    assert render(Printed("a", value, full=True)) == 'a = A@7\n  [0] = 1\n  java.lang.String name = "x"  (B)\n'


def test_an_exception_of_a_called_method_is_shown_with_its_stack() -> None:
    stack = tuple(f"A.m{number}(A.java:{number})" for number in range(12))
    error = Thrown("java.lang.IllegalStateException", "no\x1b", id=7, stack=stack, hint="$exc is it")
    shown = PlainRenderer(Settings()).error(Outcome("print m()", TABLE.get("print"), error=error)).splitlines()
    assert shown == [
        "error: java.lang.IllegalStateException: no\\u001b",
        *(f"    at {frame}" for frame in stack[:10]),
        "    ... 2 more",
        "  hint: $exc is it",
    ]


def test_bytes_are_shown_sixteen_in_a_line() -> None:
    found = values.Bytes("byte[]", "byte", 1, 256, 300, bytes(range(60, 78)))
    assert render(Examined("buf", found)).splitlines() == [
        "buf: byte[], 300 bytes",
        "  00000100  3c 3d 3e 3f 40 41 42 43  44 45 46 47 48 49 4a 4b  |<=>?@ABCDEFGHIJK|",
        "  00000110  4c 4d                                             |LM|",
        "  ... 282 more elements; a slice shows them, [18..36], or 'x/300' all",
    ]
    found = values.Bytes("java.lang.String", "char", 2, 0, 5, bytes.fromhex("0048 65e5 d83d 001b"))
    assert render(Examined("text", found)).splitlines() == [
        "text: java.lang.String, 5 chars, high byte first",
        "  00000000  0048 65e5 d83d 001b                       |H日..|",
        "  ... 1 more element; 'x/5' shows all",
    ]
    found = values.Bytes("long[]", "long", 8, 0, 2, bytes(8) + bytes.fromhex("ffffffffffffffff"))
    assert render(Examined("wide", found)).splitlines() == [
        "wide: long[], 2 longs, high byte first",
        "  00000000  0000000000000000  ffffffffffffffff  |................|",
    ]


def test_what_the_text_of_a_value_tells_is_not_told_twice() -> None:
    child = Variable("[0]", "int", ValueInfo("int", "1", "I", 1), "element")
    assert render(Printed("a", ValueInfo("int[]", "int[1] {1}", "[", 7, id=7, children=(child,)))) == "a = int[1] {1}\n"


def test_frames_are_counted_as_the_setting_says() -> None:
    settings = Settings()
    settings.set("frame-base", "0")
    from jdbpy.cli.results import FrameSelected

    assert render(FrameSelected(FRAME, None)) == "  [1] com.acme.Order.total (Order.java:42)\n"
    assert render(FrameSelected(FRAME, None), settings) == "  [0] com.acme.Order.total (Order.java:42)\n"


@pytest.mark.parametrize(
    ("location", "wanted"),
    [
        (LOCATION.replace(code_index=-1, line=None), "com.acme.Order.total (native method)"),
        (LOCATION.replace(line=None), "com.acme.Order.total (Order.java)"),
        (LOCATION.replace(source=None, line=None), "com.acme.Order.total (unknown source)"),
        (LOCATION.replace(source=None), "com.acme.Order.total (line 42)"),
    ],
)
def test_places_say_what_is_known(location: Location, wanted: str) -> None:
    from jdbpy.cli.output.places import place_of

    assert place_of(location).text == wanted


def test_an_error_is_a_sentence_and_its_hint() -> None:
    error = UsageError("unknown command 'x'", hint="'help'")
    assert PlainRenderer(Settings()).error(Outcome("x", None, error=error)) == (
        "error: unknown command 'x'\n  hint: 'help'\n"
    )


def test_a_wrong_expression_has_a_caret_under_its_column() -> None:
    text = PlainRenderer(Settings()).error(
        Outcome("print  a + * b", TABLE.by_name["print"], error=EvalError("unexpected *", 4))
    )
    assert text == "error: unexpected *\n  a + * b\n      ^\n"


def test_displays_say_what_cannot_be_evaluated() -> None:
    from jdbpy.cli.results import DisplayedItem

    shown = Displayed(
        (DisplayedItem(1, "n", ValueInfo("int", "7", "I", 7)), DisplayedItem(3, "q", None, "no such name"))
    )
    assert PlainRenderer(Settings()).displays(shown) == "1: n = 7\n3: q = <no such name>\n"


def test_a_long_result_is_written_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it at once would take its size several times; a write for each hundred lines would wake the reader."""
    names = [f"com.acme.library.Book{number}" for number in range(20_000)]
    classes = tuple(ClassInfo(number, each, "class", "") for number, each in enumerate(names))
    written: list[str] = []
    monkeypatch.setattr(standard, "write", lambda text, stream=None: written.append(text))
    Console(PlainRenderer(Settings()), json=False).outcome(Outcome("classes", None, Classes("", classes)))
    assert "".join(written) == "".join(f"{name}\n" for name in names) + "20000 classes\n"
    assert 8 < len(written) < 200
    assert max(map(len, written)) < len("".join(written)) / 8
    assert all(text.endswith("\n") for text in written)


@pytest.mark.parametrize("kind", sorted(shown_types(), key=str), ids=str)
def test_long_lists_say_the_same_as_text_and_as_pieces(kind: type[Record]) -> None:
    for each in shown(sample(kind), Settings()):
        if isinstance(each, LinePieces):
            assert [plain_text(line) for line in each.lines] == [escape(text) for text in each.plain]
