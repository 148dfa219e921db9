"""The forms of stops and other events."""

from __future__ import annotations

from jdbpy import (
    Event,
    EventsDropped,
    ExceptionInfo,
    Exited,
    Notice,
    Report,
    Stopped,
    StopReason,
    SuspendPolicy,
    ThreadsResumed,
    Variable,
    VMDisconnected,
    kinds,
    testing,
)
from jdbpy.cli.output.pieces import (
    CodePieces,
    Pieces,
    Sentence,
    Shown,
    count,
    faint,
    joined,
    name,
    nearest,
    piece,
    title,
)
from jdbpy.cli.output.places import line_of, method_of, place_of
from jdbpy.cli.output.values import value_line, value_tree, variable_line
from jdbpy.cli.settings import Settings

_MOST_LINES = 20
"""Further lines that are shown of a message, or of a value that was compared."""

_OTHERS = {SuspendPolicy.THREAD: " (the other threads run on)", SuspendPolicy.NONE: " (nothing is suspended)"}


def event_shown(event: Event, settings: Settings) -> Shown:
    """Yield an event; the output of the application is none, it is written as it is."""
    if isinstance(event, Stopped):
        yield from stop_shown(event, settings)
    elif isinstance(event, Exited):
        yield title(f"The target {_how_ended(event.status)}.")
    elif isinstance(event, VMDisconnected):
        yield Sentence(title(f"The connection is closed: {event.reason}"))
    elif isinstance(event, Notice) and event.kind != "breakpoint-pending":  # 'breakpoints' shows it
        first, *more = event.lines
        indent = "  " if event.report is None else "    "
        yield Sentence(first, indent) if event.report is not None or not more else first  # a table: as it is
        if event.report is not None and event.kind == "call":
            yield from _inside(event.report)
        yield from more
        if event.kind == "hot-place":
            yield Sentence(_way_out(event), "    ")
    elif isinstance(event, ThreadsResumed):
        yield Sentence(faint(_resumed(event)))
    elif isinstance(event, EventsDropped):
        verb = "was" if event.count == 1 else "were"
        yield Sentence(title(f"{count(event.count, 'event')} {verb} dropped (too fast to show)"))


def _how_ended(status: int | None) -> str:
    if status is None:
        return "has ended"
    return f"was ended by signal {-status}" if status < 0 else f"has ended with status {status}"


def _inside(report: Report) -> Shown:
    """Yield what the values of a call hold, each once, as far as it was read and their own text does not tell it."""
    values = [*report.arguments, *report.values]
    others = (("this", None if report.values else report.object), ("returned", report.return_value))
    values += [Variable(title_of, value.type, value, "expression") for title_of, value in others if value is not None]
    known: set[int | None] = set()
    for each in values:
        held = each.value
        if held is None or not held.children or held.id in known:
            continue
        if held.id is not None:
            known.add(held.id)
        if not held.text.endswith(("]", "}")) or any(child.value and child.value.children for child in held.children):
            yield "    " + variable_line(each, children=False)
            yield from value_tree(held, "      ")


def _resumed(event: ThreadsResumed) -> str:
    which = "all threads" if not event.threads else count(len(event.threads), "thread")
    if len(event.threads) == 1:
        which = f"thread {event.threads[0]}"
    but = f" but {', '.join(map(str, event.suspended))}" if event.suspended else ""
    return f"{event.client or 'jdbpy'} has resumed {which}{but}"


def _way_out(notice: Notice) -> str:
    """Return the hint under the report of a hot place."""
    data = dict(notice.data)
    number = data.get("breakpoint")
    if data.get("weave"):
        return f"  hint: 'weave {number}' has the target compute it, without a stop; 'disable {number}' takes it out"
    if data.get("why") in ("rate", "cost"):
        return (
            f"  hint: 'disable {number}' takes it out; set with 'cost 20%' it is switched off when it takes more, with "
            "'limit 10/s' it reports less"
        )
    return f"  hint: 'disable {number}' takes it out; 'suspend thread' or 'go' suspend less than all threads"


def stop_shown(stop: Stopped, settings: Settings) -> Shown:
    """Yield why and where a thread stopped, what the stop is about, and the source."""
    where: list[Pieces | str] = []
    if stop.thread is not None:
        where.append("thread " + piece(f'"{stop.thread.name}"', "string"))
    if stop.location is not None:
        where += [method_of(stop.location), piece(line_of(stop.location), "type")]
    reason = title(reason_of(stop))
    yield Sentence(reason + ": " + joined(", ", where) + faint(_OTHERS.get(stop.policy, "")) if where else reason)
    if stop.test is not None:
        yield from _failed_test(stop.test, stop.exception)
    elif stop.exception is not None:
        yield from _exception(stop.exception)
    if stop.variable:
        new = " -> " + value_line(stop.new_value) if stop.new_value is not None else Pieces()
        yield "  " + name(stop.variable) + ": " + value_line(stop.old_value) + new
        if stop.object is not None:
            yield "  of " + value_line(stop.object, children=False)
    if stop.class_name:
        yield f"  class {stop.class_name}"
    if stop.return_value is not None:
        verb = "returned" if stop.reason is StopReason.STEP else "returns"
        yield faint(f"  {verb}") + " " + value_line(stop.return_value)
    if stop.error:
        yield Sentence(faint(f"  ({stop.error})"), "    ")
    if stop.message:
        yield Sentence(f"  {stop.message}", "    ")
    if stop.source is not None and settings.stop_lines:
        yield CodePieces(nearest(stop.source, settings.stop_lines))


def reason_of(stop: Stopped) -> str:
    """Return why, in a few words: ``Breakpoint 2 hit``."""
    numbers = ", ".join(str(number) for number in stop.breakpoints if number > 0) or str(stop.breakpoint or "")
    if stop.reason is StopReason.BREAKPOINT:
        return f"{'Temporary breakpoint' if stop.temporary else 'Breakpoint'} {numbers} hit"
    if stop.test is not None:
        return f"{stop.test.name} failed"
    kind = kinds.KIND_OF.get(stop.reason)
    number = f" ({kind.noun} {numbers})" if numbers and kind is not None else ""
    if stop.reason is StopReason.EXCEPTION and stop.exception is not None:
        return (
            f"{'Uncaught exception' if stop.exception.caught is False else 'Exception'} {stop.exception.type}{number}"
        )
    return stop.reason.words.headline + number


def _failed_test(test: testing.FailedTest, thrown: ExceptionInfo | None) -> Shown:
    """Yield what a failure says; where both values are known, a message in words says nothing more."""
    if thrown is not None:
        first, *more = (thrown.message or "").splitlines() or [""]
        yield Sentence("  " + piece(thrown.type, "type") + (f": {first}" if first else ""), "    ")
        if not test.is_compared:
            yield from (f"    {line}" for line in more[:_MOST_LINES])
        if thrown.cause:
            yield faint("  cause") + f": {thrown.cause}"
    for called, text in (("expected", test.expected), ("actual  ", test.actual)):
        if text is not None and test.is_compared:
            first, *more = text.splitlines() or [""]
            yield faint(f"  {called}") + f": {first}"
            yield from (f"            {line}" for line in more[:_MOST_LINES])
    if test.first_thrown is not None:
        yield faint("  first thrown at") + " " + place_of(test.first_thrown)
    if test.time_limit:
        yield Sentence(f"  {test.time_limit}: that time goes on while the test stands", "    ")


def _exception(exception: ExceptionInfo) -> Shown:
    if exception.message is not None:
        yield faint("  message") + f": {exception.message}"
    if exception.cause:
        yield faint("  cause") + f": {exception.cause}"
    if exception.catch_location is not None:
        yield faint("  will be caught at") + " " + place_of(exception.catch_location)
    if exception.caught is None:
        yield Sentence(
            "  where it will be caught is not known: a method that it passes is recorded or observed", "    "
        )
