"""The grammar of catch, watch, trace and their likes, and what completion offers in them."""

from __future__ import annotations

from typing import Any

import pytest

from jdbpy import PointOptions, Reporting, SuspendPolicy, UsageError, breakpoints
from jdbpy.cli.arguments.base import Argument
from jdbpy.cli.arguments.condition import ConditionArgument, ConditionRequest
from jdbpy.cli.arguments.location import BreakpointArgument
from jdbpy.cli.arguments.logpoint import Logpoint, Tracepoint, quoted
from jdbpy.cli.arguments.points import (
    Catch,
    CatchArgument,
    Trace,
    TraceArgument,
    Uncatch,
    UncatchArgument,
    Watch,
    WatchArgument,
)
from jdbpy.cli.arguments.tail import Tail, split_tail
from jdbpy.cli.names import Names
from jdbpy.cli.points import as_command
from tests.cli.tails import tail_of

RESUME = SuspendPolicy.NONE


FOO = ("all", "Foo")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Foo", Catch("exception", FOO)),
        ("uncaught com.acme.*", Catch("exception", ("uncaught", "com.acme.*"))),
        ("go CAUGHT *", Catch("exception", ("caught", "*"), tail_of(RESUME))),
        ("Foo in a.*, b.* except c.*", Catch("exception", FOO, tail_of(classes=("a.*", "b.*"), excludes=("c.*",)))),
        ("-t Foo -c 3 if x > 1", Catch("exception", FOO, tail_of(temporary=True, ignore=2, condition="x > 1"))),
        ("-hit >= 3 Foo from a.*,m(int, B) after 2", Catch("exception", FOO, tail_of(
            hits=">= 3", callers=("a.*", "m(int, B)"), after=2))),
        ("all load", Catch("exception", ("all", "load"))),
        ("load a.*,b.* -d", Catch("load", (), tail_of(classes=("a.*", "b.*"), enabled=False))),
        ("load *", Catch("load", ())),
        ("load source Order*", Catch("load", ("Order*",))),
        ("unload a.*", Catch("unload", (), tail_of(classes=("a.*",)))),
        ("thread", Catch("thread", ())),
        ("thread end virtual thread main", Catch("thread", ("death", "virtual"), tail_of(thread="main"))),
        ("exit suspend all", Catch("exit", (), tail_of(SuspendPolicy.ALL))),
    ],
)  # fmt: skip
def test_catch(text: str, wanted: Catch) -> None:
    assert CatchArgument().parse(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Foo", Uncatch("", "Foo")),
        ("all Foo", Uncatch("all", "Foo")),
        ("uncaught com.acme.*", Uncatch("uncaught", "com.acme.*")),
        ("3 10", Uncatch(number=3, count=10)),
    ],
)
def test_ignore(text: str, wanted: Uncatch) -> None:
    assert UncatchArgument().parse(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("A.f", Watch("A.f")),
        ("access A.f", Watch("A.f", True, False)),
        ("all A.f", Watch("A.f", True, True)),
        ("-w A.f", Watch("A.f", False, True)),
        ("go -rw this.f on that", Watch("this.f", True, True, tail_of(RESUME, on="that"))),
        ('map.get("a b").f thread "my thread"', Watch('map.get("a b").f', tail=tail_of(thread="my thread"))),
        ("list.get(from, thread).f -t", Watch("list.get(from, thread).f", tail=tail_of(temporary=True))),
    ],
)
def test_watch(text: str, wanted: Watch) -> None:
    assert WatchArgument().parse(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("methods", Trace("methods")),
        ("go methods 0x1f", Trace("methods", tail_of(RESUME, thread="0x1f"))),
        ("method exit", Trace("exit")),
        ("go METHOD exits in a.*", Trace("exits", tail_of(RESUME, classes=("a.*",)))),
        ("entries except java.*", Trace("entries", tail_of(excludes=("java.*",)))),
        ("monitors", Trace("monitors")),
        ("monitors wait, waited", Trace("monitors", kinds=("wait", "waited"))),
    ],
)
def test_trace(text: str, wanted: Trace) -> None:
    assert TraceArgument().parse(text) == wanted


def test_trace_of_a_place() -> None:
    found = TraceArgument().parse("go in Order.add(int, String) -t")
    assert found.place is not None
    assert (found.what, found.place.place.text, found.tail) == (
        "place",
        "Order.add(int, String)",
        tail_of(RESUME, temporary=True),
    )


@pytest.mark.parametrize(
    ("text", "tail"),
    [
        ("-hit 3", tail_of(hits="3")),
        ("-hit >= 10", tail_of(hits=">= 10")),
        ("-hit '% 100' -t", tail_of(hits="% 100", temporary=True)),
        ("-hit !=2 -c 2", tail_of(hits="!=2", ignore=1)),
        ("after 3", tail_of(after=3)),
        ("after each -1 if x", tail_of(after=-1, after_each=True, condition="x")),
        ("from Shop.sell(int, String),*Service", tail_of(callers=("Shop.sell(int, String)", "*Service"))),
        ("caller a on this.owner", tail_of(callers=("a",), on="this.owner")),
    ],
)
def test_what_limits_a_place(text: str, tail: Tail) -> None:
    assert split_tail(f"A:1 {text}", filters=False) == ("A:1", tail)


def test_flags_before_a_place() -> None:
    wanted = ("A:1", tail_of(hits=">= 3", ignore=1, temporary=True))
    assert split_tail("-hit >= 3 -c 2 -t A:1", filters=False) == wanted


@pytest.mark.parametrize(
    ("text", "place", "tail"),
    [
        ("suspend thread A:1", "A:1", tail_of(SuspendPolicy.THREAD)),
        ("suspend thread in A.m thread main", "A.m", tail_of(SuspendPolicy.THREAD, thread="main")),
        ("-t suspend all -c 2 A:1 if x", "A:1", tail_of(SuspendPolicy.ALL, temporary=True, ignore=1, condition="x")),
        ("A:1 suspend thread thread main", "A:1", tail_of(SuspendPolicy.THREAD, thread="main")),
        ("A:1 thread main suspend thread", "A:1", tail_of(SuspendPolicy.THREAD, thread="main")),
        ("suspend thread main", "main", tail_of(SuspendPolicy.THREAD)),
        ("suspend if x", "suspend", tail_of(condition="x")),
    ],
)
def test_what_is_suspended_may_stand_before_a_place(text: str, place: str, tail: Tail) -> None:
    request = BreakpointArgument().parse(text)
    assert (request.place.text, request.tail) == (place, tail)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2 total > 100", ConditionRequest(2, "total > 100")),
        ("2", ConditionRequest(2)),
        ("2 if(a)", ConditionRequest(2, "(a)")),
        ("2 iffy;", ConditionRequest(2, "iffy")),
        ("-hitcount 2 >= 10", ConditionRequest(2, hits=">= 10")),
        ("-hitcount 2 '% 5'", ConditionRequest(2, hits="% 5")),
        ("-hitcount 2", ConditionRequest(2, hits="")),
    ],
)
def test_condition(text: str, wanted: ConditionRequest) -> None:
    assert ConditionArgument().parse(text) == wanted


def test_filters_are_for_some_only() -> None:
    assert split_tail("A:1 from a.*, b thread main", filters=False) == (
        "A:1",
        tail_of(thread="main", callers=("a.*", "b")),
    )
    with pytest.raises(UsageError, match="'except' needs a pattern of several methods, not one place"):
        split_tail("A:1 except a.*", filters=False)
    with pytest.raises(UsageError, match="a quote is not closed"):
        split_tail('A.f thread "main', filters=True)
    with pytest.raises(UsageError, match="'x' is not one of all, thread, none"):
        split_tail("A.f suspend x", filters=True)


def test_every_option_is_read_as_it_is_saved() -> None:
    """An option is declared once; what is typed, listed and saved follows from that."""
    given = PointOptions(
        RESUME, temporary=True, condition="x > 1", ignore=2, classes=("a.*", "b.B+"), excludes=("c.*",),
        callers=("m(int, B)", "*Service"), hits=">= 3", after=2, after_each=True, enabled=False,
        reporting=Reporting(stack=4, limit=5, file="a b", most=7, cost=30, hold=False),
    )  # fmt: skip
    caught = breakpoints.listed(given, number=1, spec="uncaught Foo", kind="exception", resolved=())
    text = as_command(caught)
    read = CatchArgument().parse(text.removeprefix("catch "))
    assert (read.words, read.tail.options) == (("uncaught", "Foo"), given), text
    assert dict(caught.options) == {
        "--no-suspend": "", "in": "a.*,b.B+", "except": "c.*", "stack": "4", "limit": "5/s", "to": "a b", "cost": "30%",
        "-max": "7",
    }  # fmt: skip
    here = given.replace(classes=(), excludes=(), policy=SuspendPolicy.THREAD, reporting=Reporting(most=7))
    line = breakpoints.listed(here, number=1, spec="Foo:3", kind="line", resolved=())
    assert BreakpointArgument().parse(as_command(line).removeprefix("break ")).tail.options == here
    woven = line.replace(given=here.replace(woven=True), options=(*line.options, ("in-target", "")))
    assert BreakpointArgument().parse(as_command(woven).removeprefix("break ")).tail.options.woven
    assert not line.is_of_this_run
    assert all(line.replace(given=here.replace(**{field: 7})).is_of_this_run for field in ("thread", "instance"))
    declared = {option.field for option in breakpoints.OPTIONS} | {"reporting", "after_each"}
    without_words = {"tried", "internal", "longest"}  # of front ends, not of users
    assert declared | without_words == {*PointOptions.__fields__, *Reporting.__fields__}


NAMES = Names(
    classes=("com.acme.Order", "com.acme.OrderException"),
    methods={"com.acme.Order": ("<init>", "pay", "total")},
    fields={"com.acme.Order": ("total",)},
    variables=(("amount", "int"),),
    breakpoints=((1, "com.acme.Order:3"), (2, "com.acme.Order.pay")),
    members=("owner",),
    threads=((1, "main"),),
    sources=("Order.java",),
)


@pytest.mark.parametrize(
    ("argument", "text", "offered"),
    [
        (CatchArgument(), "un", {"uncaught", "unload"}),
        (CatchArgument(), "uncaught OrderE", {"com.acme.OrderException"}),
        (CatchArgument(), "thread st", {"start"}),
        (CatchArgument(), "Foo from com.acme.OrderE", {"com.acme.OrderException"}),
        (CatchArgument(), "Foo thread m", {"main"}),
        (CatchArgument(), "Foo exc", {"except"}),
        (UncatchArgument(), "uncaught OrderE", {"com.acme.OrderException"}),
        (WatchArgument(), "com.acme.Order.to", {"total"}),
        (WatchArgument(), "access this.o", {"owner"}),
        (WatchArgument(), "A.f suspend t", {"thread"}),
        (WatchArgument(), "A.f th", {"thread"}),
        (TraceArgument(), "go ent", {"entries"}),
        (TraceArgument(), "monitors en", {"enter", "entered"}),
        (TraceArgument(), "Order.j", {"Order.java"}),
        (TraceArgument(), "methods fr", {"from"}),
        (TraceArgument(), "methods if ow", {"owner"}),
        (CatchArgument(), "Foo if am", {"amount"}),
        (WatchArgument(), "A.f if this.o", {"owner"}),
        (BreakpointArgument(), "Order:3 from com.acme.Order.p", {"pay"}),
        (BreakpointArgument(), "Order:3 after ", {"1", "2", "each"}),
        (BreakpointArgument(), "Order:3 after each ", {"1", "2"}),
        (BreakpointArgument(), "Order:3 -hit ", {"==", "=", "!=", ">=", "<=", ">", "<", "%"}),
        (BreakpointArgument(), "Order:3 af", {"after"}),
        (BreakpointArgument(), "Order:3 on th", set()),
        (BreakpointArgument(), "Order:3 on ow", {"owner"}),
        (BreakpointArgument(), "Order:3 if tot", {"total"}),
        (BreakpointArgument(), "in Order.pay(int) if this.tot", {"total"}),
        (BreakpointArgument(), "Order.java:3 if 3 < pa", {"pay"}),
        (BreakpointArgument(), "Order:3 if am", {"amount"}),
        (BreakpointArgument(), "3 if ow", {"owner"}),
        (ConditionArgument(), "", {"1", "2", "-hit"}),
        (ConditionArgument(), "2 tot", {"total"}),
        (ConditionArgument(), "9 ow", {"owner"}),
        (ConditionArgument(), "-hitcount ", {"1", "2"}),
    ],
)
def test_completion(argument: Argument[Any], text: str, offered: set[str]) -> None:
    assert {candidate.text for candidate in argument.complete(text, NAMES)} == offered


@pytest.mark.parametrize("text", ["total {total}", r'say "{word}" and \ not', "{{braces}} if"])
def test_the_text_of_a_logpoint(text: str) -> None:
    request = Logpoint().parse(f'Order:42 {quoted(text)} thread 1 if words.equals("a")')
    assert request.text == text
    assert request.breakpoint.place.text == "Order:42"
    assert request.breakpoint.tail == tail_of(thread="1", condition='words.equals("a")')


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ('Order:42,"total %d\\n",total', "total {total}"),
        ('Order:42, "%s and %5d", a, b', None),
        ('Order:42,"%s, %ld%% \\"x\\" {}",name(a, "b,c"),this.n[1]', '{name(a, "b,c")}, {this.n[1]}% "x" {{}}'),
        ('Order:42,"%c",letter', "{(char) (letter)}"),
        ('Order:42,"plain\\ttext\\n"', "plain\ttext"),
    ],
)
def test_formats_of_gdb(typed: str, text: str | None) -> None:
    if text is None:
        with pytest.raises(UsageError, match="has no counterpart"):
            Logpoint().parse(typed)
        return
    request = Logpoint().parse(typed)
    assert (request.breakpoint.place.text, request.text) == ("Order:42", text)


def test_how_it_is_reported() -> None:
    tail = Logpoint().parse("-max 7 Order:42 \"x\" limit 5/s to 'my log' cost 30%").breakpoint.tail
    assert tail.options.reporting == Reporting(limit=5, file="my log", cost=30, most=7)
    assert tail.said == {"limit", "file", "cost", "most"}
    assert Logpoint().parse('A:1 "x" limit none cost none').breakpoint.tail.options.reporting == Reporting()
    assert Tracepoint().parse("A.m").breakpoint.tail.options.reporting == Reporting(stack=5)
    request = Tracepoint().parse('A.m "{x}" stack 2 if x > 1')
    assert (request.text, request.breakpoint.tail.options.reporting.stack) == ("{x}", 2)
    tail = TraceArgument().parse("--no-suspend exits in a.* limit 0").tail
    assert (tail.options.policy, tail.options.reporting) == (RESUME, Reporting(limit=0, hold=False))
    for word in ("--no-stop", "go"):
        tail = TraceArgument().parse(f"{word} exits in a.* from b.B limit 0").tail
        assert tail.options == PointOptions(RESUME, classes=("a.*",), callers=("b.B",), reporting=Reporting(limit=0))
    with pytest.raises(UsageError, match="the methods of which classes"):
        TraceArgument().parse("--no-stop methods from a.*")
    with pytest.raises(UsageError, match="contradict each other"):
        TraceArgument().parse("--no-suspend exits suspend all")


@pytest.mark.parametrize(
    ("argument", "text", "offered"),
    [
        (Logpoint(), "Order.j", {"Order.java"}),
        (Logpoint(), 'Order:42 "text" li', {"limit"}),
        (Logpoint(), 'Order:42 "text" limit n', {"none"}),
        (Logpoint(), 'Order:42 "te', set()),
        (Tracepoint(), "Order:42 sta", {"stack"}),
        (TraceArgument(), "--no", {"--no-stop", "--no-suspend"}),
    ],
)
def test_completion_of_reports(argument: Argument[Any], text: str, offered: set[str]) -> None:
    assert {candidate.text for candidate in argument.complete(text, NAMES)} == offered
