"""What the fixture ManyVirtual says of its virtual threads, and whether the debugger says the same."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from jdbpy.session.model.threads import EqualStacks, FrameInfo, StackTrace, ThreadInfo

EACH = 15
KINDS = {"latch": "atLatch", "semaphore": "atSemaphore", "asleep": "asleep", "task": "inTask"}
"""Names of threads before the number, and the methods that they stand in."""

NAMES = sorted(f"{kind}-{number}" for kind in KINDS for number in range(EACH))
CARRIERS = ("-Djdk.virtualThreadScheduler.parallelism=8",)


def own_methods(frames: Iterable[FrameInfo]) -> list[tuple[str, int | None]]:
    """Methods of the program on a stack, with their lines, but for what starts the thread."""
    places = [each.location for each in frames if each.location.class_name == "ManyVirtual"]
    return [(at.method, at.line) for at in places if not at.method.startswith("lambda")]


def settled(threads: Iterable[ThreadInfo]) -> list[str]:
    """The names of all that wait."""
    return sorted(each.name for each in threads if not each.name.startswith("busy-"))


def require_what_the_program_says(
    traces: Sequence[StackTrace], groups: Sequence[EqualStacks], marks: dict[str, int]
) -> None:
    """Each thread stands where its name says; equal stacks are as many as the program has started."""
    assert settled(each.thread for each in traces) == NAMES
    assert len({each.thread.name for each in traces}) == len(NAMES) + 8
    for trace in traces:
        kind = trace.thread.name.partition("-")[0]
        if kind in KINDS:
            assert own_methods(trace.frames) == [(KINDS[kind], marks[kind])]
            assert trace.total == len(trace.frames)
            assert trace.thread.frame is not None
            assert trace.frames[-1].location.class_name == "java.lang.VirtualThread"
        assert trace.thread.virtual
        assert bool(trace.thread.container) == (kind == "task")
    counted = [
        (len(group.threads), own_methods(group.frames)[0][0], {each.name.partition("-")[0] for each in group.threads})
        for group in groups
        if not any(each.name.startswith("busy-") for each in group.threads)
    ]
    assert sorted(counted) == sorted((EACH, method, {kind}) for kind, method in KINDS.items())


def left_of(target_pid: int) -> list[str]:
    """Directories that were made for files of threads."""
    temporary = Path(f"/proc/{target_pid}/root/tmp")
    return [each.name for each in temporary.glob(f"jdbpy-threads-{target_pid}-*") if each.stat().st_uid == os.geteuid()]
