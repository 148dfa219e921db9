"""Sessions without a JVM: on a snapshot, and on a recording that is played again.

A session on a snapshot is the same as on a JVM, with a peer that answers from the file.

Owns how they come up: everything counts as suspended, the thread is selected that was selected then, and nothing that
needs a JVM leaves. Leaving it leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from jdbpy.errors import ConnectError, StateError, UsageError
from jdbpy.session.connect.attach import session_with, wire_log
from jdbpy.session.connect.greeting import greet
from jdbpy.session.events.suspension import SuspendOp
from jdbpy.session.events.target import Target
from jdbpy.session.model.options import Options
from jdbpy.session.model.snapshots import SnapshotInfo
from jdbpy.session.session import Session
from jdbpy.session.snapshots.answering import AnswerStream, SnapshotGuard, SnapshotPeer
from jdbpy.session.snapshots.recording import Recording, RecordingStream
from jdbpy.session.snapshots.store import SnapshotStore, not_a_snapshot
from jdbpy.task_groups import open_nursery
from jdbpy.wire.opening import running


@asynccontextmanager
async def open_snapshot_session(path: str, *, options: Options | None = None) -> AsyncIterator[Session]:
    """Open a snapshot for reading: a session without a JVM, everything in which is suspended.

    What was not kept is refused with NOT_IN_SNAPSHOT, what would run or change the target with SNAPSHOT. Raises
    UsageError for a file that cannot be read or is no snapshot, StateError for a damaged one. wire: nothing.
    """
    store = SnapshotStore(path)
    try:
        if store.meta.get("what") != "snapshot":
            raise not_a_snapshot(path, "it is a recording; 'jdbpy replay FILE' plays it")
        info = _info(path, store)
        answers = SnapshotPeer(store)
        stream = AnswerStream(answers.answer)
        chosen = options or Options()
        with wire_log(chosen) as log:
            try:
                greeted = await greet(stream, path, log=log)
            except ConnectError as error:
                raise stream.failed or store.damaged(error.message) from error
            conn = greeted.connection
            conn.guard = SnapshotGuard()
            target = Target(conn, greeted.info, greeted.capabilities, hold=chosen.hold)
            target.snapshot = info
            target.suspension.apply(SuspendOp.VM_SUSPEND)
            for thread in _numbers(store.meta.get("at_event")):
                target.suspension.stood_at_event(thread)
            for thread in _numbers(store.meta.get("met")):
                target.meet(thread)
            async with _session(conn, target, chosen, stream) as session:
                session.sources.kept = answers.source
                await _select(session, store.meta)
                yield session
    finally:
        store.close()


@asynccontextmanager
async def replay_session(path: str, *, options: Options | None = None) -> AsyncIterator[Session]:
    """Play a recording again: a session whose peer says what the JVM has said. Its ``recorded_lines`` are the user's.

    Commands are answered as they were then, and events come where they came; what was not asked then is refused with
    NOT_IN_RECORDING. The JVM counts as remote if it did, and ``hold`` is what it was.

    Raises UsageError for a file that cannot be read or is no recording, StateError for a damaged one.
    wire: nothing.
    """
    store = SnapshotStore(path)
    try:
        recorded = Recording(store)
        await recorded.read()
        stream = RecordingStream(recorded)
        chosen = options or Options()
        chosen = chosen.replace(hold=chosen.hold or recorded.hold)
        remote, lines = recorded.remote, tuple(recorded.lines)
        with wire_log(chosen) as log:
            try:
                greeted = await greet(stream, path, log=log, suspended=recorded.began_stopped)
            except ConnectError as error:
                raise store.damaged(f"it has no beginning ({error.message})") from error
            greeted.connection.carrier_ending = lambda: stream.ending
            async with session_with(greeted, chosen, remote=remote, peer=None, played=lines) as session:
                session.playback = stream
                stream.begin()
                yield session
    finally:
        store.close()


@asynccontextmanager
async def _session(conn: Any, target: Target, options: Options, stream: AnswerStream) -> AsyncIterator[Session]:
    async with running(conn), open_nursery() as nursery:
        session = Session(target, options)
        nursery.start_soon(session.run)
        nursery.start_soon(_watch, stream, conn)
        try:
            yield session
        finally:
            await session.leave()
            nursery.cancel_scope.cancel()


async def _watch(stream: AnswerStream, conn: Any) -> None:
    """Raise the reason when the file turns out to be damaged."""
    await conn.wait_closed()
    if stream.failed is not None:
        raise stream.failed


async def _select(session: Session, meta: dict[str, Any]) -> None:
    """Select the thread and frame that were selected then; else main, else the first with frames."""
    thread, frame = meta.get("selected"), meta.get("frame")
    threads = await session.threads.list()
    ids = [each.id for each in threads]
    if thread not in ids:
        with_frames = [each for each in threads if each.frame is not None]
        named = [each for each in with_frames if each.name == "main"]
        thread = next((each.id for each in [*named, *with_frames]), None)
        frame = 1
    if not isinstance(thread, int):
        return
    await session.select_thread(thread)
    if isinstance(frame, int) and frame > 1:
        try:
            await session.select_frame(frame)
        except (UsageError, StateError):
            await session.select_frame(1)


def _info(path: str, store: SnapshotStore) -> SnapshotInfo:
    """Return what the file says of itself. Raises StateError when that makes no sense."""
    meta = store.meta

    def number(name: str) -> int:
        value = meta.get(name)
        if not isinstance(value, int) or not 0 <= value < 1 << 62:
            raise store.damaged(f"'{name}' is not a number")
        return value

    taken, address, reason = meta.get("taken"), meta.get("address"), meta.get("reason")
    masks = meta.get("masks")
    if not isinstance(taken, (int, float)) or not 0 <= taken < 1e11:
        raise store.damaged("it does not say when it was taken")
    if not isinstance(address, str) or not isinstance(reason, str) or len(address) + len(reason) > 4096:
        raise store.damaged("it does not say of what it was taken")
    if not isinstance(masks, list) or not all(isinstance(each, str) for each in masks):
        raise store.damaged("its masks make no sense")
    return SnapshotInfo(
        path=path,
        taken=float(taken),
        address=address,
        threads=number("threads"),
        frames=number("frames"),
        objects=number("objects"),
        complete=bool(meta.get("complete")),
        depth=number("depth"),
        reason=reason,
        masks=tuple(masks),
    )


def _numbers(value: Any) -> Sequence[int]:
    found = value if isinstance(value, list) else []
    return [each for each in found if isinstance(each, int) and 0 < each < 1 << 63][:1000]
