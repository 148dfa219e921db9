"""Snapshots: what a JVM would answer, in a file; and texts in one."""

from __future__ import annotations

import os
from typing import Annotated

from jdbpy import Notice, snapshots
from jdbpy.cli.arguments.base import ChoiceArgument, FileName, Number, Option, Patterns, Size, TextArgument
from jdbpy.cli.arguments.target import BreakpointNumber
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Sentence, Shown, count as count_of, faint, number as styled_number
from jdbpy.cli.output.shows import shows
from jdbpy.cli.results import Actions
from jdbpy.cli.settings import Settings
from jdbpy.cli.stop_actions import require_stop
from jdbpy.cli.table import command
from jdbpy.errors import UsageError


@shows(snapshots.SnapshotTaken)
def snapshot_shown(result: snapshots.SnapshotTaken, settings: Settings) -> Shown:
    yield f"wrote {result.path} ({_size(result.size)}); 'jdbpy open {result.path}' shows it"
    threads, frames = count_of(result.threads, "thread"), count_of(result.frames, "frame")
    objects, trips = count_of(result.objects, "object"), count_of(result.trips, "round trip")
    paused = "" if result.paused is None else f"; the JVM stood still for {_time(result.paused)}"
    yield Sentence(f"  {threads}, {frames}, {objects}, in {_time(result.took)} and {trips}{paused}", "    ")
    if not result.complete:
        yield Sentence("  not all objects are in it: --max ended the collection", "    ")
    if result.names_only:
        words = (
            f"of {count_of(result.names_only, 'class', 'classes')} only the names are in it: --classes all takes longer"
        )
        yield Sentence(f"  {words}", "    ")
    if result.recorded:
        yield Sentence(f"  {count_of(result.recorded, 'recorded call')}: 'recorded' lists them there too", "    ")
    if result.recorded_left_out:
        words = f"{count_of(result.recorded_left_out, 'recorded call')} left out: what they hold is not masked"
        yield Sentence(f"  {words}", "    ")
    if result.masked:
        yield Sentence(f"  {count_of(result.masked, 'value')} masked", "    ")


@shows(snapshots.TextsFound)
def texts_shown(result: snapshots.TextsFound, settings: Settings) -> Shown:
    if not result.total:
        yield f"nothing in the snapshot contains '{result.text}'"
    limit = settings["string-limit"]
    for each in result.found:
        text = each.text if len(each.text) <= limit else f"{each.text[:limit]}..."
        object_id = styled_number(f"@{each.id} ") if each.id is not None and each.kind == "string" else ""
        yield f"{each.kind} " + object_id + text
        if each.where:
            yield faint(f"  {': '.join(each.where)}")
    if result.total > len(result.found):
        yield faint(f"  ... {result.total - len(result.found)} more; -n shows more")


def _size(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"


def _time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


@command("snapshot", group="session")
async def snapshot(
    ctx: Context,
    file: Annotated[str, FileName()],
    on: Annotated[str, ChoiceArgument("on")] = "",
    number: Annotated[int | None, BreakpointNumber()] = None,
    *,
    depth: Annotated[
        int | None, Option("--depth", argument=Number("N", 0, 100), help="references followed from a variable; 4")
    ] = None,
    most: Annotated[int | None, Option("--max", argument=Size(), help="bytes of answers to keep; 64M")] = None,
    mask: Annotated[
        tuple[str, ...], Option("--mask", argument=Patterns(), help="names whose values are replaced: *password*,token")
    ] = (),
    classes: Annotated[
        str,
        Option("--classes", argument=ChoiceArgument("all"), help="everything, also of classes that nothing refers to"),
    ] = "",
    again: Annotated[bool, Option("--again", help="where the file exists, write FILE-2, FILE-3 and so on")] = False,
) -> snapshots.SnapshotTaken | Actions:
    """Write threads, stacks, variables, locks, classes and the objects reached from them to a new file.

    `jdbpy open FILE` shows it without the JVM. A running target stands still meanwhile, and runs on; Ctrl-C ends it.
    `snapshot FILE on 2` takes one each time breakpoint or catchpoint 2 is hit, into FILE, FILE-2 and so on. `--mask`
    keeps values out of the file by the names of fields, variables and keys of maps: `--mask "*password*,*token*"`.
    """
    if on and number is None:
        raise UsageError("NUMBER is missing", hint="'snapshot FILE on 2': at each hit of breakpoint 2")
    if number is not None:
        require_stop(ctx, number)
        words = ["snapshot", "--again", *(["--depth", str(depth)] if depth is not None else [])]
        words += ["--max", str(most)] if most is not None else []
        words += ["--classes", classes] if classes else []
        words += ["--mask", f'"{",".join(mask)}"'] if mask else []
        ctx.actions.setdefault(number, []).append(" ".join([*words, f'"{file}"']))
        return Actions(number, tuple(ctx.actions[number]))

    def progress(at: snapshots.SnapshotProgress) -> None:
        size = at.collected / 1e6
        ctx.session.publish(
            Notice("progress", f"snapshot, {at.what}: {at.threads} threads, {at.objects:,} objects, {size:.1f} MB")
        )

    path = _unused(file) if again else file
    return await ctx.session.snapshot(
        path, depth=depth, most=most, masks=mask, all_classes=bool(classes), on_progress=progress
    )


def _unused(path: str) -> str:
    """Return the path, or the first of ``NAME-2.EXT`` and so on that no file has."""
    stem, extension = os.path.splitext(path)
    number = 1
    while os.path.lexists(path):
        number += 1
        path = f"{stem}-{number}{extension}"
    return path


@command("find", group="session")
async def find(
    ctx: Context,
    text: Annotated[str, TextArgument("TEXT")],
    *,
    count: Annotated[int, Option("-n", argument=Number("N"), help="how many are shown")] = 50,
) -> snapshots.TextsFound:
    """Find strings, and names of threads and classes, that contain a text: in a snapshot, whatever the case.

    Each string comes with the shortest way to it from a variable or a static field.
    """
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    return await ctx.session.snapshots.find(text, most=count)
