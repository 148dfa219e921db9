"""Profiles: of the running program, and of recordings in files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar

import trio

import jdbpy.jfr
from jdbpy import Notice, calls as model
from jdbpy.cli.arguments.profiling import TIMING, ProfileArgument, ProfileRequest
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Column, RowPieces, Shown, TablePieces, faint, number, remark
from jdbpy.cli.output.shows import shows
from jdbpy.cli.progress import Progress, wait_for
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.drawing.charts import sparkline
from jdbpy.drawing.exports import from_collapsed
from jdbpy.drawing.flame import changes, flame_graph
from jdbpy.drawing.stacks import WeightedStacks, fits_name
from jdbpy.drawing.units import BYTES, NANOS, in_words
from jdbpy.errors import UsageError
from jdbpy.jfr.recording import FlightRecording
from jdbpy.json_form import HIDDEN
from jdbpy.profiles.files import write, write_text
from jdbpy.profiles.kinds import CPU, KINDS, TIMING_EVENT
from jdbpy.profiles.profile import SAMPLING, TOP, Profile, merged_profiles
from jdbpy.profiles.recorded import kinds_in, read_profile
from jdbpy.record import Record

DEFAULT_SECONDS = 10.0

_LEAST = 0.02
"""The share below which a branch of the tree is not shown."""

_LINES = 40
"""The most lines of a tree."""

_LARGEST_FILE = 1 << 30


class HotRow(Record):
    """A method of a profile: its own weight and its total one, as numbers and as shares of all."""

    method: str
    own: int
    total: int
    own_share: float
    total_share: float


class TreeRow(Record):
    """A line of the tree of calls. ``depth`` is how far it is indented, ``through`` how many calls lead to it that
    call nothing else.
    """

    depth: int
    method: str
    through: int
    own: int
    total: int
    share: float


class ShareRow(Record):
    """A thread, or a class, with its weight."""

    name: str
    weight: int
    share: float


class ProfileShown(Record):
    """A profile: the tree of calls, the hottest methods, threads, classes, and its course in equal parts of the time.

    ``unit`` is what weights count; ``samples`` how many events or samples they come from; ``recorded`` the bytes of the
    recording; ``files`` were written.
    """

    json_name = "profile"

    kind: str
    unit: str
    title: str
    source: str
    seconds: float
    samples: int
    total: int
    recorded: int
    tree: tuple[TreeRow, ...]
    methods: tuple[HotRow, ...]
    threads: tuple[ShareRow, ...]
    classes: tuple[ShareRow, ...]
    course: tuple[int, ...]
    notes: tuple[str, ...]
    others: tuple[str, ...]
    files: tuple[str, ...]
    found: Annotated[Profile | None, HIDDEN] = None
    request: Annotated[ProfileRequest | None, HIDDEN] = None


class ProfileEverywhere(ProfileShown):
    """The profiles of several JVMs as one: the outermost frame of each stack is the name of its JVM."""

    json_name = "profile-everywhere"
    spans_jvms: ClassVar[bool] = True

    failed: Annotated[tuple[str, ...], "JVMs where it failed, and why"] = ()


class ChangedShare(Record):
    """A method whose share of a profile has changed, of its own."""

    method: str
    before: float
    after: float


class ProfileChange(Record):
    """What has changed between two profiles: the methods whose own shares have changed most."""

    json_name = "profile-change"

    before: str
    after: str
    methods: tuple[ChangedShare, ...]
    files: tuple[str, ...]


_TREE = (
    Column("share", right=True, style="number", least=6),
    Column("own", right=True, least=6),
    Column("weight", right=True, style="faint", least=6, drop=1),
    Column("calls", least=20),
)
_HOT = (
    Column("own", right=True, style="number", least=6),
    Column("total", right=True, least=6),
    Column("weight", right=True, style="faint", least=6, drop=1),
    Column("method", least=20),
)
_SHARES = (
    Column("share", right=True, style="number", least=6),
    Column("weight", right=True, style="faint", least=6, drop=1),
    Column("", least=16),
)
_CHANGES = (
    Column("before", right=True, least=6),
    Column("after", right=True, least=6),
    Column("points", right=True, style="number", least=6),
    Column("method", least=20),
)


@shows(ProfileShown)
def profile_shown(result: ProfileShown, settings: Settings) -> Shown:
    what = f"{result.title}: " if result.title else ""
    how = f"{result.samples:,} {_counted(result)} in {result.seconds:.1f} s"
    if not result.samples or not result.total:
        yield f"{what}nothing was seen in {result.seconds:.1f} s"
    else:
        total = "" if result.unit not in (NANOS, BYTES) else f"{in_words(result.total, result.unit)}, "
        yield f"{what}{total}{how}"
        if result.course:
            yield number(sparkline(result.course))
        said = partial(_weight, result.unit)
        yield titled_table(_TREE, [_tree_cells(each, said, result.total) for each in result.tree])
        rows = [
            (_percent(each.own_share), _percent(each.total_share), said(each.own), each.method)
            for each in result.methods
        ]
        yield ""
        yield titled_table(_HOT, rows)
        for title, shares in (("thread", result.threads), ("class", result.classes)):
            if len(shares) > (1 if title == "thread" else 0):
                columns = (*_SHARES[:-1], _SHARES[-1].replace(title=title))
                yield ""
                yield titled_table(columns, [(_percent(each.share), said(each.weight), each.name) for each in shares])
    yield from map(remark, result.notes)
    if result.others:
        yield remark(f"also in it: {', '.join(result.others)}")
    if isinstance(result, ProfileEverywhere):
        yield from map(remark, result.failed)
    yield from (f"written: {file}" for file in result.files)


def titled_table(columns: tuple[Column, ...], rows: Sequence[tuple[str, ...]]) -> TablePieces:
    """Return a table whose titles are there for pipes too."""
    titles = [column.title for column in columns]
    widths = [
        max(map(len, (title, *(row[place] for row in rows)))) if column.right else 0
        for place, (title, column) in enumerate(zip(titles, columns, strict=True))
    ]
    head, *lines = (
        tuple(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in (titles, *rows)
    )
    return TablePieces(columns, rows, plain=RowPieces([tuple(map(faint, head)), *lines]))


def _tree_cells(row: TreeRow, said: partial[str], total: int) -> tuple[str, ...]:
    through = f"… {row.through} {'call' if row.through == 1 else 'calls'}, " if row.through else ""
    own = _percent(row.own / total) if row.own * 1000 >= total else ""
    return _percent(row.share), own, said(row.total), "  " * row.depth + through + row.method


@shows(ProfileChange)
def change_shown(result: ProfileChange, settings: Settings) -> Shown:
    if not result.methods:
        yield "no method's share has changed"
    rows = [
        (_percent(each.before), _percent(each.after), f"{100 * (each.after - each.before):+.1f}", each.method)
        for each in result.methods
    ]
    yield titled_table(_CHANGES, rows)
    yield from (f"written: {file}" for file in result.files)


def _counted(result: ProfileShown) -> str:
    of_events = result.unit in (NANOS, BYTES) or result.kind == "exceptions"
    word = "event" if of_events and result.source != SAMPLING else "sample"
    return word if result.samples == 1 else f"{word}s"


def _percent(share: float) -> str:
    return f"{share:.1%}"


def _weight(unit: str, weight: int) -> str:
    return in_words(weight, unit) if unit in (NANOS, BYTES) else f"{weight:,}"


@command("profile", group="vm")
async def profile(
    ctx: Context, request: Annotated[ProfileRequest, ProfileArgument()] = ProfileRequest()
) -> ProfileShown:
    """Find where the running program spends its time, memory or exceptions: a tree, the hottest methods, by thread.

    `profile 10s`, `profile 30s alloc`, `profile 1m cpu com.acme.* to cpu.svg`. The kinds are `cpu` (time on the
    processor), `wall` (time that passes, waits too), `alloc` (bytes), `lock` (waits for locks) and `exceptions`. The
    program's own flight recorder takes the samples; without one (Java 8 before update 262) `cpu` and `wall` are made of
    samples of all stacks. Ctrl-C ends it early and shows what there is. A file gets a flame graph (`.svg`, `.html`) or
    another form.
    """
    session = ctx.session
    kind = request.kind or CPU
    seconds = request.seconds or DEFAULT_SECONDS
    async with session.profiler.running(kind, sampling=request.sampling) as running:
        if running.why_sampled and not request.sampling:
            session.publish(Notice("warning", f"without the flight recorder: {running.why_sampled}"))
        progress = Progress(ctx, f"profiling {KINDS[kind].title}", seconds)
        await wait_for(ctx, seconds, progress.show)
        progress.end()
        found = await session.profiler.finish()
    return _result(found, request, write_files=not ctx.with_others)


def folded(profiles: Sequence[tuple[str, ProfileShown]], failed: Sequence[str]) -> ProfileEverywhere | None:
    """Return the profiles of several JVMs as one, where that was asked for: by ``--fold``, or by a file."""
    request = profiles[0][1].request
    if request is None or not (request.fold or request.files):
        return None
    parts = [(jvm, shown.found.matching(request.pattern)) for jvm, shown in profiles if shown.found is not None]
    merged = merged_profiles(parts)
    unseen = [jvm for jvm, found in parts if not found.stacks.total]
    if unseen and len(unseen) < len(parts):
        merged.notes = (f"nothing was seen in {', '.join(unseen)}", *merged.notes)
    result = _result(merged, request.replace(pattern=""))
    fields = {name: getattr(result, name) for name in ProfileShown.__fields__}
    fields["tree"] = tuple(tree_rows(merged.stacks, names_first=True))
    return ProfileEverywhere(**fields, failed=tuple(failed))


@command("profile open", group="vm", everywhere=True)
async def profile_open(
    ctx: Context, request: Annotated[ProfileRequest, ProfileArgument(sources=1)]
) -> ProfileShown | model.MethodTimings:
    """Show the profile in a recording of the flight recorder, or in collapsed stacks.

    `profile open app.jfr`, `profile open app.jfr alloc to alloc.svg`. `jdbpy open app.jfr` does the same without a JVM.
    `profile open app.jfr timing` shows the methods that a JVM of Java 25 has timed.
    """
    return await trio.to_thread.run_sync(partial(opened, request), abandon_on_cancel=True)


@command("profile diff", group="vm", everywhere=True)
async def profile_diff(ctx: Context, request: Annotated[ProfileRequest, ProfileArgument(sources=2)]) -> ProfileChange:
    """Compare two recordings, or two files of collapsed stacks: the methods whose shares have changed most.

    `profile diff before.jfr after.jfr cpu to change.svg` draws a flame graph of the second: red has grown, blue has
    shrunk.
    """
    return await trio.to_thread.run_sync(partial(compared, request), abandon_on_cancel=True)


def opened(request: ProfileRequest) -> ProfileShown | model.MethodTimings:
    """Return the profile that a file has, or the times of methods. Raises UsageError for a file that has none."""
    path = request.sources[0]
    recording = _recording(path)
    counts = recording.counts() if recording is not None else Counter[str]()
    kinds, is_timed = kinds_in(counts), counts[TIMING_EVENT] > 0
    if recording is not None and (request.kind == TIMING or (is_timed and not request.kind and not kinds)):
        if not is_timed:
            raise UsageError(f"{path} has no methods that the JVM has timed", hint=_there(kinds))
        if request.files:
            raise UsageError("the times of methods are a table, not a picture", hint="'--json' gives them to programs")
        return model.MethodTimings.in_recording(recording, partial(_is_wanted, request.pattern))
    found, others = _profile_in(path, recording, kinds, request.kind)
    return _result(found, request, (*others, *((TIMING,) if is_timed else ())))


def _is_wanted(pattern: str, key: model.MethodKey) -> bool:
    class_name, method, _ = key
    return pattern in ("", "*") or fits_name(f"{class_name}.{method}", pattern)


def compared(request: ProfileRequest) -> ProfileChange:
    """Return what has changed between two files."""
    first, second = request.sources
    before, after = (_compared(path, request) for path in request.sources)
    rows = [
        ChangedShare(method, old, new)
        for method, old, new in changes(after.stacks, before.stacks)[:TOP]
        if abs(new - old) >= 0.0005
    ]
    files = []
    for path in request.files:
        if path.lower().endswith((".svg", ".html")):
            title = f"{Path(first).name} → {Path(second).name}"
            files.append(write_text(flame_graph(after.stacks, before=before.stacks, title=title), path))
        else:
            raise UsageError("a change is drawn as a picture", hint="name a file that ends in .svg")
    return ProfileChange(first, second, tuple(rows), tuple(files))


def _recording(path: str) -> FlightRecording | None:
    """Return the recording in a file, None if it has something else. Raises UsageError."""
    with _readable(path):
        with open(path, "rb") as file:
            head = file.read(4)
        return jdbpy.jfr.read(path) if head == b"FLR\0" else None


@contextmanager
def _readable(path: str) -> Iterator[None]:
    """Raise UsageError for a file that cannot be read."""
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror or error}",
            hint="name a recording of the flight recorder (.jfr), or collapsed stacks",
        ) from error


def _compared(path: str, request: ProfileRequest) -> Profile:
    recording = _recording(path)
    kinds = kinds_in(recording.counts()) if recording is not None else []
    return _profile_in(path, recording, kinds, request.kind)[0].matching(request.pattern)


def _profile_in(
    path: str, recording: FlightRecording | None, kinds: Sequence[str], kind: str
) -> tuple[Profile, list[str]]:
    """Return the profile of a kind in a file, and the other of its ``kinds``; the first one if none is named."""
    if recording is None:
        return _collapsed(path), []
    chosen = kind or (kinds[0] if kinds else "")
    if chosen not in kinds:
        raise UsageError(f"{path} has no events for {chosen or 'a profile'}", hint=_there(kinds))
    found = read_profile(recording, chosen)
    found.stacks.title = f"{Path(path).name}, {found.stacks.title}"
    return found, [each for each in kinds if each != chosen]


def _there(kinds: Sequence[str]) -> str:
    return f"it has {', '.join(kinds)}" if kinds else "it has events of no kind that is shown"


def _collapsed(path: str) -> Profile:
    file = Path(path)
    with _readable(path):
        if file.stat().st_size > _LARGEST_FILE:
            raise UsageError(f"{path} is too large")
        stacks = from_collapsed(file.read_text(encoding="utf-8", errors="replace"))
    if not stacks:
        raise UsageError(
            f"{path} is neither a recording nor collapsed stacks",
            hint="'profile 10s to FILE.collapsed' writes these, 'jcmd PID JFR.dump' recordings",
        )
    found = Profile(CPU, stacks.unit, file.name)
    for path_of_stack, weight in stacks.weights.items():
        found.stacks.add(path_of_stack, weight)
    found.samples = stacks.total
    return found


def shown(found: Profile, file: str) -> ProfileShown:
    """Return a profile as it is shown, and written to a file unless that is "". Raises UsageError."""
    return _result(found, ProfileRequest(files=(file,) if file else ()))


def _result(
    found: Profile, request: ProfileRequest, others: tuple[str, ...] = (), *, write_files: bool = True
) -> ProfileShown:
    chosen = found.matching(request.pattern)
    stacks = chosen.stacks
    files = tuple(write(stacks, path) for path in request.files if write_files)
    shares = tuple(
        tuple(ShareRow(name, weight, found.share(weight)) for name, weight in counted.most_common(8))
        for counted in (found.threads, found.classes)
    )
    return ProfileShown(
        found.kind,
        found.unit,
        stacks.title,
        found.source,
        found.seconds,
        found.samples,
        stacks.total,
        found.recorded,
        tuple(tree_rows(stacks)),
        tuple(
            HotRow(each.name, each.own, each.total, stacks.share(each.own), stacks.share(each.total))
            for each in stacks.methods()[:TOP]
            if each.own
        ),
        shares[0],
        shares[1],
        tuple(found.course),
        found.notes,
        others,
        files,
        found,
        request,
    )


def tree_rows(
    stacks: WeightedStacks, least: float = _LEAST, most: int = _LINES, *, names_first: bool = False
) -> Iterator[TreeRow]:
    """Yield the lines of the tree of calls: calls that lead only to one other are one line with it.

    ``names_first``: the outermost frames are names, each of which has a line.
    """
    total = stacks.total or 1
    waiting = [(0, 0, each) for each in reversed(stacks.tree().sorted())]
    while waiting and most:
        depth, through, branch = waiting.pop()
        if branch.total < least * total:
            continue
        below = [each for each in branch.sorted() if each.total >= least * total]
        is_name = names_first and not depth
        if len(below) == 1 and below[0].total >= 0.98 * branch.total and not is_name:
            waiting.append((depth, through + 1, below[0]))
            continue
        yield TreeRow(depth, branch.name, through, branch.own, branch.total, branch.total / total)
        most -= 1
        waiting += [(depth + 1, 0, each) for each in reversed(below)]
