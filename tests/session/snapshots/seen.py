"""All that a session shows of its target, to compare it with a snapshot."""

from __future__ import annotations

import jdbpy
from jdbpy.session.model.values import Limits

DEEP = Limits(depth=3)


async def modules_of(session: jdbpy.Session) -> list[str]:
    """The names of all modules; the words for a JVM that has none."""
    try:
        return [each.name for each in await session.modules.list()]
    except jdbpy.StateError as error:
        return [f"{error}, {error.hint}"]


async def seen(session: jdbpy.Session) -> dict[str, object]:
    """What a session shows: stacks, variables of all frames, locks."""
    traces = await session.stack.all()
    frames = [frame.replace(epoch=0) for trace in traces for frame in trace.frames]
    variables = await session.stack.variables_of_all([frame for trace in traces for frame in trace.frames], DEEP)
    deadlocks = await session.locks.deadlocks()
    return {
        "frames": [(frame.location, frame.thread) for frame in frames],
        "variables": [[(each.name, each.type, each.value, each.error) for each in some] for some in variables],
        "deadlocks": [[each.thread.name for each in one.cycle] for one in deadlocks.deadlocks],
        "threads": [(each.id, each.name, each.state, each.group) for each in await session.threads.list()],
        "modules": await modules_of(session),
        "properties": await session.vm.properties(""),
    }
