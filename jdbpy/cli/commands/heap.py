"""The heap: instances, who refers to them, what keeps them alive, memory and dumps."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import partial
from typing import Annotated

import trio

from jdbpy import EvalError, Notice, heap
from jdbpy.cli import pictures
from jdbpy.cli.arguments.base import FileName, Number, Option, WordArgument
from jdbpy.cli.arguments.code import ExpressionText
from jdbpy.cli.arguments.target import ClassNameArgument, ClassPattern
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Line, RowPieces, Sentence, Shown, count as count_of, faint, number, remark
from jdbpy.cli.output.shows import shows
from jdbpy.cli.output.values import value_line
from jdbpy.cli.resolving import class_of, of_class
from jdbpy.cli.results import Done
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.errors import JdbpyError, UsageError
from jdbpy.identifiers import IDENTIFIER
from jdbpy.json_form import Json
from jdbpy.record import Record


class Referrers(Record):
    """The objects that refer to the value of an expression."""

    expression: str
    referrers: tuple[heap.Referrer, ...]


class Memory(Record):
    """The target's memory by areas."""

    areas: tuple[heap.MemoryArea, ...]


class ObjectSize(Record):
    """Bytes of one object by itself; None of an array, which has its ``length``."""

    expression: str
    type: str
    bytes: Annotated[int | None, "null for arrays"]
    length: Annotated[int | None, Json("of an array", optional=True)]


@shows(heap.Instances)
def instances_shown(result: heap.Instances, settings: Settings) -> Shown:
    yield f"{count_of(result.total, 'instance')} of {result.class_name}"
    yield RowPieces((number(f"  @{value.id}"), value_line(value)) for value in result.values)
    if result.total > len(result.values):
        yield faint(f"  ... {result.total - len(result.values)} more; -n shows more")


@shows(heap.ClassHistogram)
def histogram_shown(result: heap.ClassHistogram, settings: Settings) -> Shown:
    with_bytes = result.bytes is not None
    rows: list[tuple[Line, ...]] = [
        tuple(map(faint, (f"{'instances':>12}", *([f"{'bytes':>14}"] if with_bytes else []), "class")))
    ]
    for each in result.classes:
        size = [number(f"{each.bytes or 0:>14,}")] if with_bytes else []
        rows.append((number(f"{each.count:>12,}"), *size, each.class_name))
    yield RowPieces(rows)
    more = f" and {count_of(result.left_out, 'class', 'classes')} more" if result.left_out else ""
    size_text = f", {result.bytes:,} bytes" if result.bytes is not None else ""
    yield f"{result.total:,} instances in all{size_text}{more}"


@shows(Referrers)
def referrers_shown(result: Referrers, settings: Settings) -> Shown:
    if not result.referrers:
        yield Sentence(f"nothing in the heap refers to {result.expression}; a thread's stack may")
        return
    rows = [
        (number(f"  @{each.value.id}"), value_line(each.value), ", ".join(each.how) if each.how else "(inside the VM)")
        for each in result.referrers
    ]
    yield f"{result.expression} is held by {count_of(len(rows), 'object')}:"
    yield RowPieces(rows)


@shows(heap.HeapPath)
def path_shown(result: heap.HeapPath, settings: Settings) -> Shown:
    if result.root:
        yield result.root
        for depth, step in enumerate(result.steps):
            how = f" {step.how}" if step.how else ""
            yield f"{'  ' * (depth + 1)}-> " + value_line(step.value) + how
    else:
        yield Sentence(f"no path was found: {result.note}")
    yield remark(f"{count_of(result.searched, 'object')} searched")


@shows(Memory)
def memory_shown(result: Memory, settings: Settings) -> Shown:
    rows: list[tuple[Line, ...]] = [("", *(faint(f"{title:>10}") for title in ("used", "committed", "maximum")))]
    rows += [
        (area.name, *(number(_mib(size)) for size in (area.used, area.committed, area.maximum)))
        for area in result.areas
        if area.kind != "collector"
    ]
    yield RowPieces(rows)
    for area in result.areas:
        if area.kind == "collector":
            yield f"{area.name}: {count_of(area.collections or 0, 'collection')}, {area.milliseconds} ms"


@shows(ObjectSize)
def object_size(result: ObjectSize, settings: Settings) -> Shown:
    if result.bytes is not None:
        yield f"{result.expression}: {count_of(result.bytes, 'byte')} ({result.type}), without what it holds"
    else:
        yield f"{result.expression}: {result.type} of {count_of(result.length or 0, 'element')}"


def _mib(size: int | None) -> str:
    return f"{'-':>10}" if size is None else f"{size / 2**20:>8.1f} M"


@command("instances", group="heap")
async def instances(
    ctx: Context,
    class_name: Annotated[str, ClassNameArgument()],
    *,
    count: Annotated[int, Option("-n", argument=Number("N"), help="how many are shown")] = 20,
) -> heap.Instances:
    """Count the reachable instances of a class and show the first ones.

    Instances of subclasses do not count. The target stands still while its heap is walked. `print @ID` shows one.
    """
    ask = partial(ctx.session.heap.instances, limit=count, limits=ctx.limits(depth=0))
    return (await of_class(ctx, class_name, ask))[1]


@command("histogram", "histo", group="heap")
async def histogram(
    ctx: Context,
    pattern: Annotated[str, ClassPattern()] = "",
    *,
    count: Annotated[int, Option("-n", argument=Number("N"), help="how many classes are shown")] = 30,
    bytes: Annotated[bool, Option("--bytes", help="with bytes, counted by a method that runs in the target")] = False,
    svg: pictures.Svg = "",
) -> heap.ClassHistogram:
    """Count the reachable instances of each class, of all or of those that fit a pattern.

    The target stands still while its heap is walked. `--bytes` asks the target's own diagnostic command, by a
    method that is run there, and sorts by size.
    """
    if bytes:
        found = await ctx.session.heap.usage.histogram(pattern, limit=count)
    else:
        found = await ctx.session.heap.histogram(pattern, limit=count)
    if svg:
        pictures.draw_histogram(ctx.session, found, svg)
    return found


@command("referrers", group="heap")
async def referrers(
    ctx: Context,
    expression: ExpressionText,
    *,
    count: Annotated[int, Option("-n", argument=Number("N"), help="how many are shown")] = 50,
) -> Referrers:
    """Show the objects that refer to an object, with the fields and elements that hold it.

    The target stands still while its heap is walked.
    """
    found = await ctx.session.heap.referrers(await _object(ctx, expression), limit=count)
    return Referrers(expression, found)


@command("path", group="heap")
async def path(ctx: Context, expression: ExpressionText) -> heap.HeapPath:
    """Show the shortest chain of references to an object: why it is still there.

    The chain begins at a static field, or at a variable of a thread that is stopped. Each step of the search walks the
    heap, and the target stands still meanwhile; Ctrl-C ends the search.
    """
    return await ctx.session.heap.path(await _object(ctx, expression))


@command("size", group="heap")
async def size(ctx: Context, expression: ExpressionText) -> ObjectSize:
    """Show how many bytes an object takes by itself, without what it refers to.

    The size comes from the target's own histogram, so a method runs in the target. Arrays of one type differ in size:
    their length is shown instead.
    """
    value = await ctx.session.values.evaluate(expression, limits=ctx.limits(0), remember=False)
    if value.id is None:
        raise UsageError(f"'{expression}' is not an object", hint="only objects have a size in the heap")
    bytes = None if value.type.endswith("]") else await ctx.session.heap.usage.size_of(value.type)
    return ObjectSize(expression, value.type, bytes, value.length)


@command("disablegc", group="heap")
async def disablegc(ctx: Context, expression: ExpressionText) -> Done:
    """Keep an object from being garbage-collected, until `enablegc` or the end of the session."""
    await ctx.session.heap.pin(await _object(ctx, expression))
    return Done(f"{expression} is kept from collection", hint="'enablegc' lets it go")


@command("enablegc", group="heap")
async def enablegc(ctx: Context, expression: ExpressionText) -> Done:
    """Let an object be garbage-collected again that `disablegc` keeps."""
    await ctx.session.heap.unpin(await _object(ctx, expression))
    return Done(f"{expression} may be collected again")


@command("gc", group="heap")
async def gc(ctx: Context) -> Done:
    """Run System.gc() in the target, on the selected thread."""
    await ctx.session.heap.usage.collect()
    return Done("System.gc() was run in the target")


@command("memory", "info memory", group="heap")
async def memory(ctx: Context) -> Memory:
    """Show the target's memory: heap, pools, collectors. Methods of its management beans run in the target."""
    return Memory(await ctx.session.heap.usage.memory())


@command("heapdump", group="heap")
async def heapdump(
    ctx: Context,
    file: Annotated[str, WordArgument("FILE", "a new file on the target's machine; it must end in .hprof")] = "",
    *,
    fetch: Annotated[
        str, Option("--fetch", argument=FileName(), help="bring it here, into a new file, and remove it there")
    ] = "",
    everything: Annotated[bool, Option("--all", help="with objects that nothing refers to any more")] = False,
) -> Done:
    """Write a heap dump (HPROF) to a file on the machine of the target. The target stands still meanwhile.

    `heapdump --fetch app.hprof` brings it here over the debugger's own port, compares length and checksum, and removes
    it there; FILE says where it is meanwhile, by default among the temporary files.
    """
    session = ctx.session
    if not fetch:
        if not file:
            raise UsageError("a file is missing", hint="'heapdump /tmp/app.hprof' there, 'heapdump --fetch FILE' here")
        await session.heap.usage.dump(file, live=not everything)
        return Done(f"the heap was written to {file}, on the target's machine")
    path = await trio.to_thread.run_sync(os.path.expanduser, fetch)
    if await trio.to_thread.run_sync(os.path.lexists, path):
        raise UsageError(f"cannot write {path}: it exists already", hint="name a new file here", code="FILE")
    file = file or await session.files.temporary(".hprof")
    await session.heap.usage.dump(file, live=not everything)
    try:
        fetched = await session.files.fetch(file, path, remove=True, on_progress=_progress(ctx, path))
    except BaseException as error:
        still = f"the heap dump is still in {file}, on the target's machine"
        if isinstance(error, JdbpyError):
            error.hint = f"{still}; {error.hint}" if error.hint else still
        else:
            session.publish(Notice("warning", still))
        raise
    left = "" if fetched.removed else f"; {file} could not be removed on the target's machine"
    return Done(f"the heap was written to {path}, {fetched.size:,} bytes{left}")


def _progress(ctx: Context, path: str) -> Callable[[int, int], None]:
    """Return what says how much is here, a few times a second at most."""
    last = trio.current_time()

    def say(here: int, size: int) -> None:
        nonlocal last
        if trio.current_time() - last >= 1.0:
            last = trio.current_time()
            words = f"{path}: {here / 2**20:,.0f} of {size / 2**20:,.0f} MB ({here / size:.0%})"
            ctx.session.publish(Notice("progress", words))

    return say


_CLASS_NAME = re.compile(rf"\*?{IDENTIFIER}(?:\.{IDENTIFIER})*\*?")


async def _object(ctx: Context, expression: str) -> int:
    """Return the id of the object that an expression gives."""
    try:
        value = await ctx.session.values.evaluate(expression, limits=ctx.limits(0), remember=False)
    except EvalError:
        if _CLASS_NAME.fullmatch(expression) and (named := await class_of(ctx, expression)):
            raise UsageError(
                f"{named} is a class, and an object is wanted",
                hint=f"'instances {named}' lists its objects, each with a name such as @17",
            ) from None
        raise
    if value.id is None:
        raise UsageError(
            f"'{expression}' is {value.text}, not an object", hint="name an object, for example @17 or order"
        )
    return value.id
