"""The tool that records calls of a method line by line, tells how those that failed differ, and reads one of them."""

from __future__ import annotations

from typing import Annotated, Any

import trio

from jdbpy import Session, UsageError
from jdbpy.mcp.answers import Body
from jdbpy.mcp.debugging import Debugging
from jdbpy.mcp.measuring import running
from jdbpy.mcp.tools import Within, tool

_MOST_LISTED = 20


@tool()
async def record(
    debugging: Debugging,
    method: Annotated[str, "Class.method"] = "",
    number: Annotated[int, "read this recorded call instead"] = 0,
    seconds: Annotated[float, Within(0.1, 300)] = 10.0,
    calls: Annotated[int, "ends after", Within(1, 10_000)] = 100,
    condition: Annotated[str, "of calls to record, at their end"] = "",
    failing: Annotated[str, "which calls are wrong: $ret < 0. else those that threw"] = "",
) -> Body:
    """Record each line and stored value of a method's calls while the program runs, and tell how calls that failed
    differ from others."""
    if number:
        return await _read((await debugging.vm()).session, number)
    if not method:
        raise UsageError("record needs a method, or the number of a recorded call", code="WRONG_ARGUMENT")
    vm = await running(debugging)
    began = trio.current_time()
    async with vm.record(method, when=condition, most=calls) as recording:
        found = await recording.wait(seconds)
        differ = await recording.differences(failing) if found else None
        state, missed, ended = recording.state, recording.missed, recording.count
    recorder = vm.session.recorder
    body: Body = {
        "method": method,
        "seconds": round(trio.current_time() - began, 3),
        "calls": ended,
        "recorded": len(found),
        "missed": missed,
        "notes": recording.notes,
    }
    if differ is None:
        return {**body, "state": state}
    wrong = {each.number for each in recorder.wrong(failing, found)}
    shown = sorted(found, key=lambda each: each.number not in wrong)[:_MOST_LISTED]
    body["failed"] = {
        "calls": differ.failed,
        "others": differ.returned,
        "differences": [f"{each.what}: {each.failed} failed, {each.returned} others" for each in differ.differences],
    }
    if differ.parting is not None:
        body["failed"]["part"] = differ.parting.to_dict()
    body["failed_first"] = [_in_short(recorder.told(each)) for each in shown]
    return body


def _in_short(call: Any) -> Body:
    given = ", ".join(f"{each.name} = {each.text}" for each in call.arguments)
    ended = f"threw {call.exception}" if call.exception is not None else f"returned {call.result}"
    return {
        "number": call.number,
        "thread": call.thread,
        "ms": round(call.cost * 1e3, 3),
        "call": given,
        "ended": ended,
    }


async def _read(session: Session, number: int) -> Body:
    """Return a recorded call: its lines in order, each with its source, what it has written and called."""
    recorder = session.recorder
    await recorder.refresh()
    call = recorder.call(number)
    source = await recorder.source(call) or ()
    cursor = recorder.open(number)
    lines = []
    for step in call.steps[:-1]:
        text = source[step.line - 1].strip() if 0 < step.line <= len(source) else ""
        cursor.go_to(step.number + 1)
        place = recorder.place(cursor)
        done = [f"{each.name} = {each.text}" for each in place.called if each.text]
        done += [f"{each.name} = {each.new}" for each in place.changes]
        gap = f"({step.left_out} lines left out) " if step.left_out else ""
        lines.append(f"{gap}{step.line}: {text}" + (f" // {'; '.join(done)}" if done else ""))
    return {"call": _in_short(recorder.told(call)), "method": call.method.name, "lines": lines}
