"""Takes a snapshot: suspends the target, collects, resumes it as it was, and writes the file.

Owns the time in which the target stands still. What does not change is asked before and after it. Whatever happens, the
suspension is taken back: when the snapshot is cancelled and when an answer makes no sense; when the connection ends the
agent does so by itself.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

import trio

from jdbpy.errors import StateError, UsageError
from jdbpy.garbage import no_collection
from jdbpy.session.model.snapshots import DEFAULT_DEPTH, DEFAULT_MOST, SnapshotProgress, SnapshotTaken, TextsFound
from jdbpy.session.snapshots.collecting import Collector
from jdbpy.session.snapshots.finding import find_text
from jdbpy.session.snapshots.forms import INT, RECORDED, SOURCES
from jdbpy.session.snapshots.masking import Masks
from jdbpy.session.snapshots.store import write_store
from jdbpy.session.values.thread_fields import dumps_are_safe, find_virtual_threads
from jdbpy.task_groups import open_nursery
from jdbpy.wire.ids import IDSizes

if TYPE_CHECKING:
    from jdbpy.session.events.target import Target
    from jdbpy.session.sources.sources import Sources
    from jdbpy.session.values.stack import StackReader

MOST_DEPTH = 100

Progress = Callable[[SnapshotProgress], None]

OTHERS_LIMIT = 20.0
"""Seconds for the facts of classes that no frame and no object has led to."""

SOURCES_LIMIT = 3.0
"""Seconds for looking for source files, which are kept as far as they are found by then."""

MOST_VIRTUAL = 10_000
"""Virtual threads that are kept of a JVM without the agent."""

_INTERVAL = 0.5
_MOST_SOURCES = 500


class Snapshots:
    """Component ``session.snapshots``."""

    def __init__(
        self,
        target: Target,
        stack: StackReader,
        sources: Sources,
        recorded: Callable[[], Awaitable[tuple[int, str]]],
    ) -> None:
        """``recorded`` returns how many recorded calls are kept, and the text of a file of them."""
        self._target = target
        self._stack = stack
        self._sources = sources
        self._recorded = recorded
        self._busy = False
        self._virtual: list[int] = []  # threads that are kept beside those that are listed

    async def take(
        self,
        path: str,
        *,
        depth: int | None = None,
        most: int | None = None,
        masks: Sequence[str] = (),
        all_classes: bool = False,
        on_progress: Progress | None = None,
    ) -> SnapshotTaken:
        """Write all threads, stacks, variables, locks, classes, and the objects reached from them, to a new file.

        References are followed ``depth`` times from a variable (4); after ``most`` bytes of answers (64 MB) no further
        object is asked for. Values of fields, variables and map entries whose names fit one of the ``masks``
        (``*secret*``) are replaced by ``<masked>``. Classes that no frame and no object leads to are asked for their
        facts for 20 seconds, with ``all_classes`` for as long as it takes; of the others the names are kept. A running
        target is suspended meanwhile, and resumed as it was, also when this is cancelled. ``on_progress`` is called
        every half a second in which answers come in. Raises UsageError for a file that exists or cannot be written,
        StateError while another snapshot is being taken. wire: about 35 trips, whatever the number of threads.
        """
        target = self._target
        target.require_alive()
        depth = DEFAULT_DEPTH if depth is None else depth
        most = DEFAULT_MOST if most is None else most
        if not 0 <= depth <= MOST_DEPTH or most < 0:
            raise UsageError(f"the depth of a snapshot is 0 to {MOST_DEPTH}, and its size 0 or more")
        rules = Masks(masks)
        _require_new(path)
        if target.snapshot is not None:
            raise StateError(
                f"this session shows {target.snapshot.noun} already", hint="copy its file", code="SNAPSHOT"
            )
        if target.conn.id_sizes != IDSizes():
            raise StateError("snapshots of this JVM cannot be taken: its ids do not have 8 bytes", code="NOT_AVAILABLE")
        if self._busy:
            raise StateError("another snapshot is being taken")
        self._busy = True
        try:
            return await self._take(
                path, rules, depth, most, OTHERS_LIMIT if not all_classes else math.inf, on_progress
            )
        finally:
            self._busy = False

    async def find(self, text: str, *, most: int = 50) -> TextsFound:
        """Strings, names of threads and of classes that contain a text, whatever the case, in a session on a snapshot.

        Each string comes with the shortest way to it from a variable or a static field. Raises UsageError without a
        text, StateError in a session with a JVM. wire: nothing.
        """
        shown = self._target.snapshot
        if shown is not None and shown.calls_alone:
            raise StateError(f"{shown.noun} has no texts to find", hint="'recorded /TEXT' finds calls", code="SNAPSHOT")
        path = shown.path if shown is not None else None
        return await trio.to_thread.run_sync(find_text, path, text, most, abandon_on_cancel=True)

    async def _take(
        self, path: str, masks: Masks, depth: int, most: int, others: float, on_progress: Progress | None
    ) -> SnapshotTaken:
        collector = Collector(self._target, masks, depth=depth, most=most)
        # A hundred thousand questions are a hundred thousand objects that are not garbage: a collector that looks for
        # cycles among them takes longer than all else.
        with no_collection():
            return await self._collect(path, masks, collector, depth, others, on_progress)

    async def _collect(
        self,
        path: str,
        masks: Masks,
        collector: Collector,
        depth: int,
        others: float,
        on_progress: Progress | None,
    ) -> SnapshotTaken:
        target, asker, began = self._target, collector.asker, trio.current_time()
        stage = ["threads"]
        async with open_nursery() as nursery:
            if on_progress is not None:
                nursery.start_soon(_report, collector, stage, on_progress)
            for phase in (collector.before, collector.members):
                with target.conn.corked:
                    phase()
                await asker.rest()
            stage[0] = "objects"
            before = asker.trips
            paused = await self._suspended(collector)
            paused_trips = asker.trips - before
            stage[0] = "classes"
            for phase, limit in ((collector.after, math.inf), (collector.last, math.inf), (collector.others, others)):
                with target.conn.corked:
                    phase()
                await asker.rest(limit)
            stage[0] = "file"
            await self._source_texts(collector)
            kinds = collector.kept.whole()
            masks.finish(kinds, collector.classes.layouts)
            calls, text = await self._recorded()
            if not masks.patterns:  # what calls hold has other names, or none
                kinds = {**kinds, RECORDED: {INT.pack(at): line.encode() for at, line in enumerate(text.splitlines())}}
            about = self._about(collector, masks, depth)
            size = await trio.to_thread.run_sync(write_store, path, about, kinds)
            nursery.cancel_scope.cancel()
        return SnapshotTaken(
            path=path,
            threads=len(collector.stacks.threads),
            frames=collector.stacks.frames,
            objects=collector.objects.count,
            classes=len(collector.classes.layouts),
            paused=paused,
            took=trio.current_time() - began,
            trips=asker.trips,
            paused_trips=paused_trips,
            questions=asker.questions,
            collected=collector.kept.collected,
            size=size,
            complete=collector.objects.complete,
            masked=masks.masked,
            names_only=collector.classes.without_facts,
            recorded=0 if masks.patterns else calls,
            recorded_left_out=calls if masks.patterns else 0,
        )

    async def _suspended(self, collector: Collector) -> float | None:
        """Collect what changes, with the target suspended; return for how many seconds that suspended it."""
        target, asker = self._target, collector.asker
        met = [*target.suspension.held_threads(), *target.met] if target.at_least(21) else []
        if target.suspension.everything_held:
            with target.conn.corked:
                collector.suspended(met)
            await asker.rest()
            return None
        began = trio.current_time()
        with target.frozen() as frozen:
            if target.diagnostics is not None and dumps_are_safe(target):
                self._virtual = [int(each) for each in await find_virtual_threads(target, MOST_VIRTUAL)]
                met += self._virtual
            with target.conn.corked:
                collector.suspended(met)
            await asker.rest()
        if frozen.resumed is not None:
            await frozen.resumed.settled()
        return None if target.agent_line else trio.current_time() - began  # a dump there holds nothing

    async def _source_texts(self, collector: Collector) -> None:
        """Keep the source files of the program's classes on the stacks that are on this machine."""
        kept = collector.kept.entries.setdefault(SOURCES, {})
        with trio.move_on_after(SOURCES_LIMIT):
            for class_name, source in collector.classes.sources()[:_MOST_SOURCES]:
                file = await self._sources.text(class_name, source)
                if file is not None:
                    text = f"{file.path}\0" + "\n".join(file.lines)
                    kept[f"{class_name}\0{source}".encode("utf-8", "replace")] = text.encode("utf-8", "replace")

    def _about(self, collector: Collector, masks: Masks, depth: int) -> dict[str, Any]:
        target = self._target
        selected = target.selection.thread
        stop = target.last_stop
        stopped = stop is not None and stop.thread is not None and target.suspension.is_suspended(stop.thread.id)
        return {
            "what": "snapshot",
            "taken": time.time(),
            "address": target.info.address,
            "threads": len(collector.stacks.threads),
            "frames": collector.stacks.frames,
            "objects": collector.objects.count,
            "complete": collector.objects.complete,
            "depth": depth,
            "masks": list(masks.patterns),
            "selected": selected.id if selected is not None else 0,
            "frame": target.selection.frame,
            "met": [*[*target.met][:1000], *self._virtual],
            "at_event": target.suspension.threads_at_events()[:1000],
            "reason": _reason(stop) if stop is not None and stopped else "",
        }


def _reason(stop: Any) -> str:
    number = f" {stop.breakpoint}" if stop.breakpoint is not None else ""
    thrown = f" {stop.exception.type}" if stop.exception is not None else ""
    return f"{stop.reason}{number}{thrown}"


def _require_new(path: str) -> None:
    """Raises UsageError for a path at which no new file can be made: before anything is suspended."""
    directory = os.path.dirname(path) or "."
    why = ""
    if os.path.lexists(path):
        why = "it exists already"
    elif not os.path.isdir(directory):
        why = "its directory does not exist"
    elif not os.access(directory, os.W_OK):
        why = "its directory cannot be written"
    if why:
        raise UsageError(f"cannot write {path}: {why}", hint="name a new file in a directory of your own", code="FILE")


async def _report(collector: Collector, stage: list[str], on_progress: Progress) -> None:
    before = ("", 0)
    while True:
        await trio.sleep(_INTERVAL)
        now = stage[0], collector.kept.collected
        if now == before and stage[0] != "file":
            continue
        before = now
        on_progress(
            SnapshotProgress(stage[0], len(collector.stacks.threads), collector.objects.count, collector.kept.collected)
        )
