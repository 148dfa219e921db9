"""Compares two JVMs, or two moments of one: `moment`, `diff`."""

from __future__ import annotations

import os
import time
from typing import Annotated

import trio

import jdbpy
from jdbpy import moments
from jdbpy.cli.arguments.jvms import Compared, ComparedWords
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import (
    Pieces,
    RowPieces,
    Sentence,
    Shown,
    count,
    faint,
    name,
    number,
    piece,
    remark,
    some,
    title,
)
from jdbpy.cli.output.shows import shows
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.errors import UsageError
from jdbpy.record import Record
from jdbpy.task_groups import open_nursery

MOST_SHOWN = 30
"""The most differences shown for a section; JSON has all of them."""

MOST_FRAMES = 12


class MomentKept(Record):
    """A kept moment."""

    name: str
    address: str
    taken: Annotated[float, "seconds since 1970"]
    threads: Annotated[int | None, "how many"]
    classes: Annotated[int | None, "how many"]


class KeptMoments(Record):
    """The kept moments."""

    json_name = "moments"

    moments: tuple[MomentKept, ...]


@shows(KeptMoments)
def moments_shown(result: KeptMoments, settings: Settings) -> Shown:
    for each in result.moments:
        at = time.strftime("%H:%M:%S", time.localtime(each.taken))
        threads = f", {count(each.threads, 'thread')}" if each.threads is not None else ""
        classes = f", {count(each.classes, 'class', 'classes')}" if each.classes is not None else ""
        yield name(each.name) + f": {each.address} at {at}{threads}{classes}"
    if not result.moments:
        yield Sentence("no moment was kept; 'moment NAME' keeps one of the current JVM")


@shows(moments.Difference)
def difference_shown(result: moments.Difference, settings: Settings) -> Shown:
    first, second = result.first, result.second
    for section in moments.SECTIONS:
        if section not in result.compared:
            continue
        found = getattr(result, section)
        if not found:
            yield title(f"{section}:") + " no difference"
            continue
        yield title(f"{section}:") + f" {count(len(found), 'difference')}"
        if section == "threads":
            for each in found[:MOST_SHOWN]:
                yield "  " + _counts(each.first, each.second) + f" threads: {some(each.threads, 6)}"
                yield from (faint(f"      {frame}") for frame in each.frames[:MOST_FRAMES])
                if len(each.frames) > MOST_FRAMES:
                    yield faint(f"      ... {len(each.frames) - MOST_FRAMES} more")
        elif section == "classes":
            for how, words in (("code", "other code"), ("first", f"only in {first}"), ("second", f"only in {second}")):
                names = [each.name for each in found if each.how == how]
                yield from (f"  {words}: {each}" for each in names[:MOST_SHOWN])
                if len(names) > MOST_SHOWN:
                    yield faint(f"  {words}: {len(names) - MOST_SHOWN} more")
            continue
        elif section == "histogram":
            yield RowPieces(("  ", _counts(each.first, each.second), each.class_name) for each in found[:MOST_SHOWN])
        else:
            for each in found[:MOST_SHOWN]:
                yield "  " + name(each.name) + f": {_text(each.first)} -> {_text(each.second)}"
        if len(found) > MOST_SHOWN:
            yield remark(f"{len(found) - MOST_SHOWN} more")
    for section, why in result.missing.items():
        yield title(f"{section}:") + f" not compared: {why}"


def _counts(first: int, second: int) -> Pieces:
    return number(first) + " -> " + number(second) + piece(f" ({second - first:+,})", "changed")


def _text(text: str | None) -> str:
    return "(none)" if text is None else repr(text) if len(text) < 100 else f"{text[:97]!r}..."


@command("moment", group="session")
async def moment(ctx: Context, words: Annotated[Compared, ComparedWords()] = Compared((), ())) -> KeptMoments:
    """Keep the current JVM as it is now under a name, to be compared by `diff`; without a name, list the moments kept.

    Kept are threads by their stacks, loaded classes with checksums of their code, system properties, flags where they
    can be read, and with the word `histogram` the instances by class: `moment before threads histogram`. A running
    target is suspended while the stacks are read.
    """
    if not words.names:
        return KeptMoments(tuple(_kept(name, each) for name, each in ctx.moments.items()))
    if len(words.names) > 1 or words.names[0] == "now":
        raise UsageError("a moment has one name", hint="'moment before', then 'diff before now'")
    [called] = words.names
    taken = ctx.moments[called] = await _taken(ctx.session, called, words.sections or moments.DEFAULT)
    return KeptMoments((_kept(called, taken),))


@command("diff", group="session")
async def diff(ctx: Context, words: Annotated[Compared, ComparedWords()]) -> moments.Difference:
    """Compare two JVMs, or two moments of one: `diff orders-1 orders-2`, `diff before now`, `diff before.snapshot now`.

    Compared are threads by their stacks, loaded classes and their code (by checksum), system properties and flags; a
    word chooses: `diff orders-1 orders-2 classes`, `diff before now histogram`. With one name the second is `now`, the
    current JVM. Names are those of `jvms`, of moments that `moment NAME` has kept, or files of snapshots.
    """
    if not 1 <= len(words.names) <= 2:
        raise UsageError("diff needs two names", hint="'diff A B': names of JVMs or moments, or 'now'")
    names = (words.names[0], words.names[1] if len(words.names) == 2 else "now")
    sections = words.sections or moments.DEFAULT
    found: dict[str, moments.Moment] = {}
    failed: list[jdbpy.JdbpyError] = []

    async def take(called: str) -> None:
        try:
            found[called] = await _moment(ctx, called, sections)
        except jdbpy.JdbpyError as error:
            failed.append(error)

    async with open_nursery() as nursery:
        for called in dict.fromkeys(names):
            nursery.start_soon(take, called)
    if failed:
        raise failed[0]
    first, second = (found[called] for called in names)
    chosen = {each: None for each in moments.SECTIONS if each not in sections}
    return moments.compare(first.replace(**chosen), second.replace(**chosen), names)


async def _moment(ctx: Context, called: str, sections: tuple[str, ...]) -> moments.Moment:
    if called == "now":
        return await _taken(ctx.session, called, sections)
    if called in ctx.moments:
        return ctx.moments[called]
    if ctx.jvms is not None and called in (jvm.name for jvm in ctx.jvms.members):
        return await _taken(ctx.jvms.find(called).session, called, sections)
    path = await trio.to_thread.run_sync(os.path.expanduser, called)
    if ctx.jvms is not None and await trio.to_thread.run_sync(os.path.isfile, path):
        async with jdbpy.open_snapshot_session(path) as session:
            return await session.moments.take(sections)
    raise UsageError(f"'{called}' is not a JVM, a moment or a file", hint="'jvms' lists the JVMs, 'moment' the moments")


async def _taken(session: jdbpy.Session, called: str, sections: tuple[str, ...]) -> moments.Moment:
    """Take a moment of a JVM. Each progress notice extends the time allowed for the command."""

    def progress(words: str) -> None:
        session.publish(jdbpy.Notice("progress", f"moment {called}: {words}"))

    return await session.moments.take(sections, on_progress=progress)


def _kept(called: str, taken: moments.Moment) -> MomentKept:
    threads = None if taken.threads is None else sum(len(each.threads) for each in taken.threads)
    return MomentKept(
        called, taken.address, taken.taken, threads, None if taken.classes is None else len(taken.classes)
    )
