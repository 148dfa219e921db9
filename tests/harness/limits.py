"""Limits of waits whose failure tells where every task stood when the time ran out."""

from __future__ import annotations

import linecache
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import trio

LIMIT = 90.0
"""Seconds that any single wait of the harness may take; far above what a busy machine needs."""

_ROOT = Path(__file__).resolve().parents[2]
_OURS = tuple(f"{_ROOT / name}/" for name in ("tests", "jdbpy", "benchmarks"))
_SHOWN = 12  # frames of one task, the innermost ones


@contextmanager
def within(seconds: float) -> Iterator[trio.CancelScope]:
    """Cancel the block after so many seconds, as ``trio.fail_after`` does, and tell where it stood.

    trio.TooSlowError then names, for every task and every thread, the frames in code of this project, innermost last.
    They are noted when the time runs out, before anything is cancelled, and written to stderr at once: a task that
    cannot be cancelled is seen as well.
    """
    task = trio.lowlevel.current_task()
    scope = trio.CancelScope()
    watch = trio.CancelScope()
    stood = ""

    async def look() -> None:
        nonlocal stood
        with watch:
            await trio.sleep(seconds)
            stood = where_all_stand(task)
            sys.stderr.write(f"not done within {seconds:g} seconds:\n{stood}\n")
            scope.cancel()

    trio.lowlevel.spawn_system_task(look)
    try:
        with scope:
            yield scope
    finally:
        watch.cancel()
    if scope.cancelled_caught:
        raise trio.TooSlowError(f"not done within {seconds:g} seconds:\n{stood}")


def where_all_stand(first: trio.lowlevel.Task) -> str:
    """Return the frames in code of this project of every task, this one first, and of every other thread."""
    lines = list(_told(f"task {first.name}, which waited", _awaited(first)))
    root = trio.lowlevel.current_root_task()
    for task in _below(root) if root is not None else ():
        if task is not first:
            lines += _told(f"task {task.name}", _awaited(task))
    here = threading.get_ident()
    names = {each.ident: each.name for each in threading.enumerate()}
    for ident, frame in sys._current_frames().items():
        if ident != here:
            lines += _told(f"thread {names.get(ident, ident)}", _called(frame))
    return "\n".join(lines)


def _below(task: trio.lowlevel.Task) -> Iterator[trio.lowlevel.Task]:
    for nursery in task.child_nurseries:
        for child in sorted(nursery.child_tasks, key=lambda each: each.name):
            yield child
            yield from _below(child)


def _awaited(task: trio.lowlevel.Task) -> list[tuple[FrameType, int]]:
    return list(task.iter_await_frames())


def _called(frame: FrameType | None) -> list[tuple[FrameType, int]]:
    found: list[tuple[FrameType, int]] = []
    while frame is not None:
        found.append((frame, frame.f_lineno))
        frame = frame.f_back
    return found[::-1]


def _told(title: str, frames: Iterable[tuple[FrameType, int]]) -> Iterator[str]:
    ours = [(frame.f_code, line) for frame, line in frames if frame.f_code.co_filename.startswith(_OURS)]
    ours = [(code, line) for code, line in ours if code.co_filename != __file__]
    if ours:
        yield f"  {title}:"
    for code, line in ours[-_SHOWN:]:
        path = Path(code.co_filename).relative_to(_ROOT)
        yield f"    {path}:{line} {code.co_qualname}: {linecache.getline(code.co_filename, line).strip()}"
