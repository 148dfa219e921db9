"""What the other commands return, as plain text: values, breakpoints, classes, settings, help."""

from __future__ import annotations

from collections.abc import Iterator

from jdbpy import Breakpoint, BreakpointPlace, ClassDetail, Panicked, SuspendPolicy
from jdbpy.cli.plain.text import changed_mark, count, place_of, some, source_lines, table, value_text, value_tree
from jdbpy.cli.results import (
    Actions,
    Assigned,
    Breakpoints,
    BreakpointsChanged,
    BreakpointSet,
    Classes,
    Displayed,
    Done,
    Excludes,
    Fields,
    Left,
    Lines,
    Listing,
    Methods,
    Monitors,
    Printed,
    Resumed,
    Saved,
    ScriptRead,
    SettingValues,
    ShellRun,
    SourceFiles,
    SourcePath,
    Stopped,
    TypeOf,
    Version,
)
from jdbpy.cli.settings import Settings
from jdbpy.escape import escape

_SUSPENDS = {
    SuspendPolicy.ALL: "suspends all threads",
    SuspendPolicy.THREAD: "suspends only the thread that hits",
    SuspendPolicy.NONE: "suspends nothing",
}


_NOUNS = {
    "exception": "catchpoint",
    "class-load": "catchpoint",
    "class-unload": "catchpoint",
    "thread": "catchpoint",
    "exit": "catchpoint",
    "field": "watchpoint",
    "methods": "trace",
    "monitors": "trace",
}
"""What points are called that are no breakpoints, by their kind."""


def done(result: Done, settings: Settings) -> Iterator[str]:
    yield escape(result.message)
    if result.hint and settings["hints"]:
        yield f"  ({escape(result.hint)})"


def resumed(result: Resumed, settings: Settings) -> Iterator[str]:
    if result.note:
        yield escape(result.note)


def stopped(result: Stopped, settings: Settings) -> Iterator[str]:
    """Nothing: the stop is shown as an event."""
    yield from ()


def printed(result: Printed, settings: Settings) -> Iterator[str]:
    mark = changed_mark(result.value) if result.full else ""
    number = f"  (${result.value.number})" if result.numbered and result.value.number else ""
    yield f"{escape(result.expression)} = {value_text(result.value, children=not result.full)}{mark}{number}"
    if result.full:
        yield from value_tree(result.value)


def type_of(result: TypeOf, settings: Settings) -> Iterator[str]:
    yield f"{escape(result.expression)}: {escape(result.type)}"


def assigned(result: Assigned, settings: Settings) -> Iterator[str]:
    yield f"{escape(result.target)} = {value_text(result.value)}"


def displayed(result: Displayed, settings: Settings) -> Iterator[str]:
    for item in result.items:
        text = value_text(item.value, item.error) + changed_mark(item.value)
        yield f"{item.number}: {escape(item.expression)} = {text}"
    if not result.items:
        yield "nothing is shown at stops; 'display EXPRESSION' adds something"


_MOST_PLACES = 8
"""Places that are listed when a breakpoint is set."""


def breakpoint_set(result: BreakpointSet, settings: Settings) -> Iterator[str]:
    point = result.breakpoint
    noun = noun_of(point)
    name = f"{'Temporary ' + noun if point.temporary else noun.capitalize()} {point.number}"
    effect = f"a hit {_SUSPENDS[point.policy]}" if point.kind != "class-unload" else "reports only"
    if not _has_place(point):
        filters = "".join(f" {each}" for each in filters_of(point))
        message = f"; {point.message}" if point.message else ""
        yield escape(f"{name} set: {point.spec}{filters}; {effect}{message}{_once_hit(point)}")
    elif point.resolved:
        places = place_of(point.resolved[0])
        if len(point.places) > 1:
            places = f"{escape(point.spec)}, {count(len(point.places), 'place')}"
        yield f"{name} set: {places}; {effect}{_once_hit(point)}"
        yield from table(place_rows(point, most=_MOST_PLACES), "  ")
        if point.message:
            yield f"  {escape(point.message)}"
    else:
        pending = escape(point.message) or "its class is not loaded yet"
        pending = f"pending: {pending.removeprefix('pending: ')}"
        yield f"{name} at {escape(point.spec)} is {pending}; {effect}{_once_hit(point)}"
    if result.remote and point.policy is SuspendPolicy.ALL:
        yield "  the target is remote: while all its threads stand still, health checks may end it"
        yield "  ('break', or 'suspend thread' after the place, holds only the thread that hits)"


def _once_hit(point: Breakpoint) -> str:
    return f"; {_waits(point)}" if point.waiting else ""


def _waits(point: Breakpoint) -> str:
    return f"waits for {'each hit' if point.after_each else 'a hit'} of {point.after}"


def breakpoints(result: Breakpoints, settings: Settings) -> Iterator[str]:
    if not result.breakpoints:
        yield nothing_set(result)
        return
    yield from table(row for point in result.breakpoints for row in breakpoint_rows(point))


def nothing_set(result: Breakpoints) -> str:
    """What to say when there are none."""
    if not result.kinds:
        return "no breakpoints; 'stop at CLASS:LINE' or 'stop in CLASS.METHOD' sets one"
    ways = {"exception": "catch CLASS", "field": "watch CLASS.FIELD", "methods": "trace methods from CLASS"}
    noun = _NOUNS[result.kinds[0]]
    return f"no {noun}s; '{ways[result.kinds[0]]}' sets one"


def breakpoints_changed(result: BreakpointsChanged, settings: Settings) -> Iterator[str]:
    if not result.breakpoints:
        yield "there are no breakpoints"
    for point in result.breakpoints:
        what = f"at {point.spec}" if _has_place(point) else f"{noun_of(point)} {point.spec}"
        mine = [each for each in result.places if each.startswith(f"{point.number}.")]
        number = " ".join(mine or [str(point.number)])
        changed = {"condition set": f" if {point.condition}", "hit count set": f", {_which_hits(point)}"}
        yield escape(f"{result.action}: {number} {what}{changed.get(result.action, '')}")


def panicked(result: Panicked, settings: Settings) -> Iterator[str]:
    who = {"all": "all threads", "1": "1 thread"}.get(result.resumed, f"{escape(result.resumed)} threads")
    yield f"resumed: {who}" if result.resumed != "none" else "nothing was suspended"
    if result.disabled:
        numbers = " ".join(map(str, result.disabled))
        yield f"disabled: {numbers}, nothing of them is in the target; 'enable {numbers}' sets them again"
    else:
        yield "no breakpoints were enabled"


def monitors(result: Monitors, settings: Settings) -> Iterator[str]:
    for one in result.monitors:
        yield escape(f"{one.number}: {one.command}")
    if not result.monitors:
        yield "nothing is run at stops; 'monitor COMMAND' adds something"


def actions(result: Actions, settings: Settings) -> Iterator[str]:
    if result.expected:
        yield f"commands for hits of {result.number}, one a line; 'end' ends them"
        return
    if not result.commands:
        yield f"a hit of {result.number} runs no commands"
        return
    yield f"a hit of {result.number} runs"
    yield from (f"  {escape(line)}" for line in result.commands)


def listing(result: Listing, settings: Settings) -> Iterator[str]:
    yield from source_lines(result.window)


def source_path(result: SourcePath, settings: Settings) -> Iterator[str]:
    yield from (escape(part) for part in result.path)
    if not result.path:
        yield "the source path is empty; 'use PATHS' sets it"


def classes(result: Classes, settings: Settings) -> Iterator[str]:
    yield from map(escape, result.names)
    yield count(len(result.classes), "class", "classes") + (f" like {escape(result.pattern)}" if result.pattern else "")


def class_detail(result: ClassDetail, settings: Settings) -> Iterator[str]:
    yield escape(result.declaration)
    superclasses = (result.generic_superclass or "".join(result.superclasses[:1]), *result.superclasses[1:])
    interfaces = ", ".join(result.generic_interfaces or result.interfaces)
    called = f' "{result.loader_name}"' if result.loader_name not in ("", result.loader) else ""
    came_from = result.code_source or " or ".join(result.code_source_candidates)
    rows = [
        ("extends", " < ".join(superclasses) if result.superclasses else ""),
        ("implements" if result.info.kind == "class" else "interfaces", interfaces),
        ("subclasses", some(result.subclasses, 50)),
        ("nested", some(result.nested, 50)),
        ("source", result.source or ""),
        ("loader", " < ".join((result.loader + called, *result.loader_parents))),
        ("code from", came_from),
        ("status", result.info.status),
        ("module", result.module),
        ("class file", result.class_file_version),
    ]
    yield from table([row for row in rows if row[1]], "  ")
    yield from (f"  ({escape(each)})" for each in result.unknown)


def methods(result: Methods, settings: Settings) -> Iterator[str]:
    for method in result.methods:
        modifiers = f"{method.modifiers} " if method.modifiers else ""
        returns = "" if method.name in ("<init>", "<clinit>") else f"{method.returns} "
        inherited = f"  ({method.class_name})" if method.class_name != result.class_name else ""
        yield escape(f"{modifiers}{returns}{method.name}({', '.join(method.parameters)}){inherited}")
    if not result.methods:
        yield "no methods"


def fields(result: Fields, settings: Settings) -> Iterator[str]:
    for field in result.fields:
        modifiers = f"{field.modifiers} " if field.modifiers else ""
        inherited = f"  ({field.class_name})" if field.class_name != result.class_name else ""
        yield escape(f"{modifiers}{field.type} {field.name}{inherited}")
    if not result.fields:
        yield "no fields"


def lines(result: Lines, settings: Settings) -> Iterator[str]:
    yield from table(
        (
            f"{one.source}:{one.line}" if one.source else str(one.line),
            f"{one.method}{one.signature}",
            f"code {one.code_index}",
        )
        for one in result.lines
    )


def excludes(result: Excludes, settings: Settings) -> Iterator[str]:
    yield "steps pass through: " + (escape(", ".join(result.patterns)) if result.patterns else "no class")


def setting_values(result: SettingValues, settings: Settings) -> Iterator[str]:
    yield from table((one.name, one.value, f"{one.help} ({one.form})") for one in result.settings)


def version(result: Version, settings: Settings) -> Iterator[str]:
    yield escape(f"jdbpy {result.jdbpy}, JSON form {result.schema}")
    yield escape(f"target {result.address}: {result.vm}, Java {result.java}, JDWP {result.jdwp}")
    yield from (f"  {escape(line)}" for line in result.description.splitlines())


def script_read(result: ScriptRead, settings: Settings) -> Iterator[str]:
    yield f"{count(result.commands, 'command')} of {escape(result.path)} done"


def shell_run(result: ShellRun, settings: Settings) -> Iterator[str]:
    yield from (escape(line) for line in result.output.splitlines())
    if result.status:
        how = f"signal {-result.status}" if result.status < 0 else f"status {result.status}"
        yield f"the shell command ended with {how}"


def source_files(result: SourceFiles, settings: Settings) -> Iterator[str]:
    rows = ((one.name, count(len(one.classes), "class", "classes"), one.path or "not found") for one in result.files)
    yield from table(rows)
    if not result.files:
        yield "no loaded class names a source file"


def saved(result: Saved, settings: Settings) -> Iterator[str]:
    yield f"{count(result.count, 'breakpoint')} written to {escape(result.path)}"


def left(result: Left, settings: Settings) -> Iterator[str]:
    yield escape(result.message)


def breakpoint_rows(point: Breakpoint) -> Iterator[tuple[str, ...]]:
    """The row of a breakpoint, and one for each of its places where it has several, or is not at the one it has."""
    yield breakpoint_row(point)
    for number, state, place, kind, note in place_rows(point):
        yield number, state, place, kind, "", note


def place_rows(point: Breakpoint, most: int = 100) -> Iterator[tuple[str, ...]]:
    """Number, state, place and kind of each place, and what keeps the breakpoint from it; none for a plain one."""
    if len(point.places) == 1 and point.places[0].enabled and not point.places[0].error:
        return
    for place in point.places[:most]:
        state = "off" if not place.enabled else "no" if place.error else "on"
        note = f"the condition makes no sense here: {place.error}" if place.error else ""
        copies = f", {count(len(place.locations), 'time')}" if len(place.locations) > 1 else ""
        yield f"{point.number}.{place.number}", state, f"{_plain_place(place)}{copies}", place.kind, note
    if len(point.places) > most:
        yield "", "", f"and {len(point.places) - most} more; 'breakpoints' lists them", "", ""


def _plain_place(place: BreakpointPlace) -> str:
    if not place.locations:
        return "not loaded"
    location = place.locations[0]
    line = f":{location.line}" if location.line is not None else ""
    return f"{location.class_name}.{location.method} ({location.source or '?'}{line})"


def breakpoint_row(point: Breakpoint) -> tuple[str, ...]:
    notes = [f"if {point.condition}"] if point.condition else []
    notes += [f"condition failed {count(point.failures, 'time')}: {point.failure}"] if point.failures else []
    notes += [_which_hits(point)] if point.hit_count else []
    notes += [f"after {count(point.ignore, 'hit')}"] if point.ignore else []
    notes += [f"thread {point.thread}"] if point.thread is not None else []
    notes += [f"called from {', '.join(point.callers)}"] if point.callers else []
    notes += filters_of(point)
    if point.after is not None:
        notes.append(
            _waits(point) if point.waiting else f"after {'each hit' if point.after_each else 'a hit'} of {point.after}"
        )
    notes += ["once"] if point.temporary else []
    absent = point.enabled and not (point.waiting or point.over or point.resolved)
    missing = ["not loaded yet"] if _has_place(point) and absent else []
    notes += [point.message] if point.message else missing
    notes += [f"'enable {point.number}' counts anew"] if point.over else []
    state = "off" if not point.enabled else "over" if point.over else "waits" if point.waiting else "on"
    return (
        str(point.number),
        state,
        point.spec if _has_place(point) else f"{noun_of(point)} {point.spec}",
        _SUSPENDS[point.policy],
        count(point.hits, "hit"),
        "; ".join(notes),
    )


def _which_hits(point: Breakpoint) -> str:
    return f"hits {point.hit_count}"


def noun_of(point: Breakpoint) -> str:
    """What a point is called: breakpoint, logpoint, tracepoint, catchpoint, watchpoint, trace."""
    options = dict(point.options)
    if "stack" in options or "log" in options:
        return "tracepoint" if "stack" in options else "logpoint"
    return _NOUNS.get(point.kind, "breakpoint")


def filters_of(point: Breakpoint) -> list[str]:
    """What a point is limited to, and what its hits run."""
    return [f"{name} {text}".rstrip() for name, text in point.options]


def _has_place(point: Breakpoint) -> bool:
    return point.kind not in _NOUNS
