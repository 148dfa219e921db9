"""The failures of a build, none of which stops it: what is known of each is read in passing, and a snapshot written."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated

from jdbpy.errors import Disconnected, JdbpyError
from jdbpy.record import Record
from jdbpy.session.connect.build import Build, BuildJvm
from jdbpy.session.model.events import Notice, Stopped
from jdbpy.session.model.kinds import StopReason
from jdbpy.session.model.recorded import RecordedCallInfo
from jdbpy.session.model.threads import FrameInfo
from jdbpy.session.model.values import Limits, Variable
from jdbpy.session.snapshots.masking import Masks
from jdbpy.task_groups import open_nursery

MASKED = "<masked>"
_FRAMES = 30
_CALLS = 100
_LIMITS = Limits(depth=1)


class BuildFailure(Record):
    """A test that has failed in a build."""

    stop: Stopped
    jvm: Annotated[str, "the JVM that ran it"]
    frames: Annotated[tuple[FrameInfo, ...], "the stack, from the frame of the stop outwards to the test"] = ()
    variables: Annotated[tuple[Variable, ...], "those of the frame of the stop"] = ()
    snapshot: Annotated[str, "the file with its snapshot"] = ""
    calls: Annotated[tuple[RecordedCallInfo, ...], "recorded since the failure before, the last ones"] = ()
    calls_file: Annotated[str, "the file with these calls"] = ""
    error: Annotated[str, "why something of it is missing"] = ""

    @property
    def name(self) -> str:
        """Return the name of the test."""
        return self.stop.test.name if self.stop.test is not None else ""


async def pass_failures(
    build: Build,
    found: Callable[[BuildFailure], None],
    *,
    directory: str = "",
    masks: Sequence[str] = (),
    limits: Limits = _LIMITS,
) -> None:
    """Call ``found`` with each failure of a build until that ends; its JVM runs on then.

    ``directory``: where a snapshot of each is written, named after the test; ``masks`` are the names of variables and
    fields whose values are in neither. Raises UsageError for a mask that is none.
    """
    hidden = Masks(masks)
    async with open_nursery() as nursery:
        while (jvm := await build.next_jvm()) is not None:
            nursery.start_soon(
                partial(_pass_those_of, jvm, found, directory, hidden, limits, build.warn, build.records)
            )


async def _pass_those_of(
    jvm: BuildJvm,
    found: Callable[[BuildFailure], None],
    directory: str,
    masks: Masks,
    limits: Limits,
    warn: Callable[[str], None],
    records: bool,
) -> None:
    last = 0  # the number of the last recorded call that was told
    read: BuildFailure | None = None  # one whose call has not ended yet
    if records:
        jvm.session.tests.stop_again()

    async def tell(failure: BuildFailure) -> None:
        nonlocal last
        if records:
            failure = await _with_calls(jvm, failure, last, masks)
            last = max([last, *(each.number for each in failure.calls)])
        found(failure)

    with jvm.session.events() as events:
        try:
            async for event in events:
                if isinstance(event, Notice) and event.kind == "warning":
                    warn(f"{jvm.name}: {event.text}")
                if not isinstance(event, Stopped):
                    continue
                if event.reason is StopReason.TEST_FAILURE:
                    before, read = read, None
                    if before is not None:
                        await tell(before)
                    if event.test is not None:
                        read = await _read(jvm, event, directory, masks, limits)
                    if read is not None and not (event.exception and jvm.session.tests.stops_again(event.exception.id)):
                        await tell(read)
                        read = None
                await jvm.session.execution.resume_if_stopped()
        except Disconnected:
            pass
        if read is not None:
            try:
                await tell(read)
            except Disconnected:
                found(read)


async def _read(jvm: BuildJvm, stop: Stopped, directory: str, masks: Masks, limits: Limits) -> BuildFailure:
    failure = BuildFailure(stop, jvm.name)
    try:
        if stop.thread is not None and stop.frame is not None:
            trace = await jvm.session.stack.of(stop.thread.id, stop.frame.index - 1, _FRAMES)
            own = await jvm.session.stack.variables(stop.frame, limits)
            shown = tuple(_masked(each) if masks.hides(each.name) else each for each in own)
            failure = failure.replace(frames=tuple(trace.frames), variables=shown)
        if directory:
            path = _unused(os.path.join(directory, f"{re.sub(r'[^A-Za-z0-9_.-]+', '_', failure.name)}.jdbpy"))
            await jvm.session.snapshot(path, masks=masks.patterns)
            failure = failure.replace(snapshot=path)
    except Disconnected:
        raise
    except JdbpyError as error:
        failure = failure.replace(error=error.message)
    return failure


async def _with_calls(jvm: BuildJvm, failure: BuildFailure, last: int, masks: Masks) -> BuildFailure:
    """Return a failure with the calls that were recorded since another, in a file beside its snapshot.

    Where values are masked no file is written: each line of a call has some.
    """
    recorder = jvm.session.recorder
    try:
        await recorder.refresh()
        calls = [each for each in recorder.calls if each.number > last][-_CALLS:]
        told = [recorder.told(each) for each in calls]
        shown = tuple(
            each.replace(
                arguments=tuple(
                    value.replace(text=MASKED) if masks.hides(value.name) else value for value in each.arguments
                )
            )
            for each in told
        )
        failure = failure.replace(calls=shown)
        if calls and failure.snapshot and not masks.patterns:
            path = _unused(f"{os.path.splitext(failure.snapshot)[0]}.calls")
            await recorder.save(calls, path)
            failure = failure.replace(calls_file=path)
    except Disconnected:
        raise
    except JdbpyError as error:
        failure = failure.replace(error=failure.error or error.message)
    return failure


def _masked(variable: Variable) -> Variable:
    value = variable.value
    return variable if value is None else variable.replace(value=value.replace(text=MASKED, raw=None, children=()))


def _unused(path: str) -> str:
    """Return the path, or the first of ``NAME-2.EXT`` and so on that no file has."""
    stem, extension = os.path.splitext(path)
    number = 1
    while os.path.lexists(path):
        number += 1
        path = f"{stem}-{number}{extension}"
    return path
