"""The tool that runs tests and tells of those that fail: where, with what values."""

from __future__ import annotations

import tempfile
from typing import IO, Annotated

import trio

import jdbpy
from jdbpy import BuildCommand, BuildFailure, Limits, Options, StateError, UsageError, recorded
from jdbpy.mcp.answers import Body
from jdbpy.mcp.debugging import Debugging
from jdbpy.mcp.tools import Within, tool
from jdbpy.task_groups import open_nursery

_LIMITS = Limits(depth=0, string=200, elements=10, fields=10)
_CALLS = 20
_OUTPUT = 1_500
"""Characters of the end of the command's output that are told: what has failed before any test ran stands there."""


@tool()
async def run_tests(
    debugging: Debugging,
    command: Annotated[tuple[str, ...], '["mvn", "test"]'],
    cwd: Annotated[str, "working directory"] = "",
    record: Annotated[tuple[str, ...], "methods whose calls are told with each failure: Price.total"] = (),
    timeout: Annotated[float, "seconds, then it is ended", Within(1, 3600)] = 600.0,
    limit: Annotated[int, "failures told", Within(1, 100)] = 10,
) -> Body:
    """Run a build or test command; needs --allow-changes. Tells each failing test: exception, expected, actual, stack
    and variables where the program's own code failed. Nothing stops."""
    if not debugging.rights.changes:
        raise StateError(
            "this server may not start programs",
            hint="its user can start it with --allow-changes",
            code="NOT_ALLOWED",
        )
    if not command:
        raise UsageError("run_tests needs a command", code="WRONG_ARGUMENT")
    found: list[BuildFailure] = []
    options = Options(source_path=debugging.rights.source_path)
    with tempfile.TemporaryFile() as output:
        what = BuildCommand(command, cwd=cwd or None, stdout=output.fileno(), stderr=output.fileno(), record=record)
        status: int | None = None
        with trio.move_on_after(timeout):
            async with jdbpy.open_build(what, options) as build, open_nursery() as nursery:
                nursery.start_soon(_pass_failures, build, found)
                await build.ended.wait()
                status = build.status
        return {
            "status": status,
            "ended": status is not None,
            "failed": len(found),
            "failures": [_told(each) for each in found[:limit]],
            "output_end": _end_of(output),
        }


async def _pass_failures(build: jdbpy.Build, found: list[BuildFailure]) -> None:
    await jdbpy.pass_failures(build, found.append, limits=_LIMITS)


def _told(failure: BuildFailure) -> Body:
    stop, test = failure.stop, failure.stop.test
    told: Body = {"test": failure.name}
    if test is not None and test.is_compared:
        told |= {"expected": test.expected, "actual": test.actual}
    if stop.exception is not None:
        told["exception"] = {"type": stop.exception.type, "message": stop.exception.message}
        if stop.exception.cause:
            told["exception"]["cause"] = stop.exception.cause
    told["frames"] = [_place(each.location) for each in failure.frames[: _depth(failure)]]
    told["variables"] = {
        each.name: each.value.text if each.value is not None else each.error for each in failure.variables
    }
    if stop.source is not None:
        told["source"] = [
            f"{'>' if line.line == stop.source.current else ' '} {line.line} {line.text}" for line in stop.source.lines
        ]
    if test is not None and test.first_thrown is not None:
        told["first_thrown"] = _place(test.first_thrown)
    if failure.calls:
        told["calls"] = [_call(each) for each in failure.calls[-_CALLS:]]
    if failure.error:
        told["error"] = failure.error
    return told


def _call(call: recorded.RecordedCallInfo) -> str:
    given = ", ".join(f"{each.name} = {each.text}" for each in call.arguments)
    ended = f" threw {call.exception}" if call.exception is not None else f" = {call.result}" if call.result else ""
    return f"{call.name}({given}){ended}"


def _depth(failure: BuildFailure) -> int:
    """Return the number of frames from that of the stop out to the test."""
    test, frame = failure.stop.test, failure.stop.frame
    return max(1, test.depth - frame.index + 1) if test is not None and frame is not None else 1


def _place(place: jdbpy.Location) -> str:
    return f"{place.class_name}.{place.method}({place.source or 'unknown'}:{place.line or 0})"


def _end_of(output: IO[bytes]) -> str:
    size = output.seek(0, 2)
    output.seek(max(0, size - 4 * _OUTPUT))
    return output.read().decode("utf-8", "replace")[-_OUTPUT:]
