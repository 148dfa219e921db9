"""Tools that look: stacks, variables, values, threads, source."""

from __future__ import annotations

import re
from typing import Annotated

from jdbpy import Limits, SourceWindow, StateError, UsageError, threads as kinds
from jdbpy.identifiers import WORD
from jdbpy.mcp.answers import Body
from jdbpy.mcp.debugging import Debugging
from jdbpy.mcp.running import ThreadName
from jdbpy.mcp.tools import Within, tool

Limit = Annotated[int, "most items", Within(1, 1000)]
First = Annotated[int, "skip so many items", Within(0, 10_000_000)]
FrameNumber = Annotated[int, "1 is the innermost", Within(1, 100_000)]
Depth = Annotated[int, "levels of fields and elements", Within(0, 5)]

_STRING = 500

_CLASS = re.compile(rf"[{WORD}]+(?:\.[{WORD}]+)*")


@tool(reads=True)
async def stack(
    debugging: Debugging,
    thread: Annotated[str, "id or name; default: the thread that stopped last; * for all suspended ones"] = "",
    first: First = 0,
    limit: Limit = 20,
) -> Body:
    """The frames of a suspended thread, the innermost first."""
    vm = await debugging.vm()
    if thread == "*":
        stacks = await vm.session.stack.all(count=min(limit, 20))
        return {"stacks": [each.to_dict() for each in stacks[first : first + limit] if not each.error]}
    found = await debugging.thread(thread)
    trace = await vm.session.stack.of(found.id, first, limit)
    if trace.error:
        raise StateError(
            trace.error, hint="pause suspends it, or it stops at a breakpoint", code="THREAD_NOT_SUSPENDED"
        )
    return trace.to_dict()


@tool(reads=True)
async def inspect(
    debugging: Debugging,
    expression: Annotated[str, "a value instead: order.items, this, args[0]; elements in pages"] = "",
    thread: ThreadName = "",
    frame: FrameNumber = 1,
    depth: Depth = 1,
    first: First = 0,
    limit: Limit = 20,
) -> Body:
    """The variables of a frame, or a value with its fields, elements or entries; of static names without a stop."""
    vm = await debugging.vm()
    limits = Limits(depth=depth, string=_STRING, elements=limit, fields=limit)
    if not expression:
        shown = await debugging.frame(thread, frame)
        found = await vm.session.stack.variables(shown.record, limits.replace(depth=max(0, depth - 1)))
        return {
            "frame": shown.to_dict(),
            "variables": [each.to_dict() for each in found[first : first + limit]],
            "total": len(found),
        }
    evaluate = vm.session.values.evaluate
    stopped = await debugging.frame_if_stopped(thread, frame)
    record = stopped.record if stopped is not None else None
    if not first:
        value = await evaluate(expression, frame=record, limits=limits, remember=False)
        return {"expression": expression, **value.to_dict()}
    value = await evaluate(expression, frame=record, limits=Limits(depth=0), remember=False)
    part = await vm.session.objects.part(value, first, limit, limits.replace(depth=max(0, depth - 1)))
    if part is None:
        raise UsageError(f"{expression} has no elements", hint="leave out 'first'", code="NO_ELEMENTS")
    return {
        "expression": expression,
        **value.to_dict(),
        "first": first,
        "children": [each.to_dict() for each in part.items],
    }


@tool(changes=True)
async def evaluate(
    debugging: Debugging,
    expression: Annotated[str, "Java: a.b(c), x = 5, several statements, lambdas"],
    thread: ThreadName = "",
    frame: FrameNumber = 1,
    depth: Depth = 1,
    limit: Limit = 20,
    timeout: Annotated[float, "seconds for each method that it calls", Within(0.1, 600)] = 10.0,
) -> Body:
    """The value of a Java expression in a frame. Calls and assignments need --allow-changes; reading does not."""
    vm = await debugging.vm()
    shown = await debugging.frame_if_stopped(thread, frame)
    value = await vm.session.values.evaluate(
        expression,
        frame=shown.record if shown is not None else None,
        limits=Limits(depth=depth, string=_STRING, elements=limit, fields=limit),
        remember=False,
        time_limit=timeout,
    )
    return {"expression": expression, **value.to_dict()}


@tool(reads=True)
async def threads(
    debugging: Debugging,
    name: Annotated[str, "only those whose name has this in it; * stands for anything"] = "",
    first: First = 0,
    limit: Limit = 30,
) -> Body:
    """The threads with their states, those that stopped first."""
    vm = await debugging.vm()
    found = await vm.session.threads.list(chosen=kinds.ThreadFilter(name=name))
    stopped = {stop.thread.id for stop in debugging.stops if stop.thread is not None}
    found = sorted(found, key=lambda each: each.id not in stopped)
    return {"threads": [each.to_dict() for each in found[first : first + limit]], "total": len(found)}


@tool(reads=True)
async def source(
    debugging: Debugging,
    class_name: Annotated[str, "default: the place of the frame"] = "",
    line: Annotated[int, "the middle of what is shown", Within(1, 10_000_000)] = 1,
    around: Annotated[int, "lines before and after", Within(0, 500)] = 15,
    thread: ThreadName = "",
    frame: FrameNumber = 1,
) -> Body:
    """Lines of source of a class, or around the place of a frame."""
    vm = await debugging.vm()
    if not class_name:
        shown = await debugging.frame(thread, frame)
        window = await vm.session.sources.window(shown.record, around)
        if window is None:
            raise _no_source(shown.class_name)
        return {"source": window.to_dict()}
    if not _CLASS.fullmatch(class_name):
        raise UsageError(f"'{class_name[:100]}' is not a name of a class", code="WRONG_ARGUMENT")
    file = await vm.session.sources.text(class_name)
    if file is None:
        raise _no_source(class_name)
    total = len(file.lines)
    if line > total:
        raise UsageError(f"the source of {class_name} has {total} lines", code="WRONG_ARGUMENT")
    lines = file.numbered(max(1, line - around), min(total, line + around))
    window = SourceWindow(file.path, file.path.replace("\\", "/").rpartition("/")[2], lines, None, total)
    return {"source": window.to_dict()}


def _no_source(class_name: str) -> StateError:
    return StateError(
        f"no source of {class_name} was found",
        hint="the server's user can name directories and jars with --sourcepath",
        code="NO_SOURCE",
    )
