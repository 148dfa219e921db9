"""Choosing threads by name, state and group, and folding equal stacks. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from jdbpy.errors import UsageError
from jdbpy.session.model import Frame, StackTrace, ThreadInfo
from jdbpy.session.threads.model import STATES, EqualStacks, ThreadFilter
from jdbpy.session.types.patterns import like

EVERY_THREAD = ThreadFilter()


def fits(chosen: ThreadFilter, info: ThreadInfo) -> bool:
    """Whether the filter lets the thread through."""
    return (
        like(chosen.name, info.name)
        and (not chosen.group or info.group.lower() == chosen.group.lower())
        and (not chosen.state or _state_fits(chosen.state, info))
    )


def check(chosen: ThreadFilter) -> ThreadFilter:
    """The filter itself. Raises UsageError for a state that there is not."""
    if chosen.state and chosen.state not in STATES:
        raise UsageError(f"'{chosen.state}' is no state of a thread", hint=f"there are {', '.join(STATES)}")
    return chosen


def fold(traces: Iterable[StackTrace]) -> list[EqualStacks]:
    """Groups of threads with equal stacks, the largest first; among equals in the order of the threads.

    Stacks are equal when they have the same methods at the same places. Threads without frames are grouped by why.
    """
    groups: dict[object, list[StackTrace]] = {}
    for trace in traces:
        groups.setdefault((trace.error, *map(_place, trace.frames)), []).append(trace)
    folded = [
        EqualStacks(tuple(trace.thread for trace in group), group[0].frames, group[0].error)
        for group in groups.values()
    ]
    return sorted(folded, key=lambda group: -len(group.threads))


def _place(frame: Frame) -> tuple[int, int, int]:
    return frame.location.type_id, frame.location.method_id, frame.location.code_index


def _state_fits(wanted: str, info: ThreadInfo) -> bool:
    if wanted == "suspended":
        return info.suspended
    if wanted == "virtual":
        return info.virtual
    return info.state == STATES[wanted]
