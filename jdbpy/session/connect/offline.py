"""Sessions without a JVM: on a snapshot, and on a recording that is played again.

A session on a snapshot is the same as on a JVM, with a peer that answers from the file.

Owns how they come up: everything counts as suspended, the thread is selected that was selected then, and nothing that
needs a JVM leaves. Leaving it leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import trio

from jdbpy.errors import ConnectError, StateError, UsageError
from jdbpy.files import open_regular
from jdbpy.session.answer_stream import AnswerStream
from jdbpy.session.connect.attach import session_with
from jdbpy.session.connect.greeting import greet
from jdbpy.session.connect.logs import wire_log
from jdbpy.session.events.suspension import SuspendOp
from jdbpy.session.events.target import Target
from jdbpy.session.model.options import Options
from jdbpy.session.model.snapshots import SnapshotInfo
from jdbpy.session.recorded.keeping import (
    MOST_BYTES,
    RecordedFile,
    is_recorded_file,
    read_file,
    read_lines,
    read_recorded,
)
from jdbpy.session.session import Session
from jdbpy.session.snapshots.answering import SnapshotGuard, SnapshotPeer
from jdbpy.session.snapshots.calls_alone import NothingKept
from jdbpy.session.snapshots.forms import RECORDED
from jdbpy.session.snapshots.recording import Recording, RecordingStream
from jdbpy.session.snapshots.store import SnapshotStore, not_a_snapshot
from jdbpy.session.snapshots.taking import MOST_VIRTUAL
from jdbpy.task_groups import open_nursery, require_trio
from jdbpy.wire.opening import running


@asynccontextmanager
async def open_snapshot_session(path: str, *, options: Options | None = None) -> AsyncIterator[Session]:
    """Open a snapshot for reading: a session without a JVM, everything in which is suspended. A file of recorded calls
    is opened too: ``session.recorder`` has them, and nothing else is there.

    What was not kept is refused with NOT_IN_SNAPSHOT, what would run or change the target with SNAPSHOT. Raises
    UsageError for a file that cannot be read or is no snapshot, StateError for a damaged one. wire: nothing.
    """
    require_trio()
    chosen = options or Options()
    if await trio.to_thread.run_sync(_has_calls_alone, path):
        async with _calls_session(path, chosen) as session:
            yield session
        return
    store = SnapshotStore(path)
    try:
        if store.meta.get("what") != "snapshot":
            raise not_a_snapshot(path, "it is a recording; 'jdbpy replay FILE' plays it")
        recorded = await trio.to_thread.run_sync(_recorded_in, path, store)
        info = _info(path, store).replace(recorded=len(recorded.calls))
        async with _peer_session(SnapshotPeer(store), info, chosen, store.meta) as session:
            if recorded.calls:
                session.recorder.take(recorded)
            await _select(session, store.meta)
            yield session
    finally:
        store.close()


@asynccontextmanager
async def _calls_session(path: str, options: Options) -> AsyncIterator[Session]:
    """Open a file of recorded calls. Raises UsageError for a damaged one."""
    content = await trio.to_thread.run_sync(lambda: read_recorded(read_file(path), path))
    name, java, address = (content.about.get(each, "") for each in ("name", "java", "address"))
    info = SnapshotInfo(
        path=path,
        taken=content.taken,
        address=address,
        threads=0,
        frames=0,
        objects=0,
        complete=True,
        depth=0,
        recorded=len(content.calls),
        calls_alone=True,
    )
    async with _peer_session(SnapshotPeer(NothingKept(path, name, java)), info, options, {}) as session:
        session.recorder.take(content)
        yield session


def _has_calls_alone(path: str) -> bool:
    """True if a file is one of recorded calls; whatever is wrong with it is said when it is read. It blocks."""
    try:
        with open_regular(path) as file:
            return is_recorded_file(file.read(100))
    except OSError:
        return False


def _recorded_in(path: str, store: SnapshotStore) -> RecordedFile:
    """Return the recorded calls that a snapshot has. Raises StateError for a damaged one. It blocks."""

    def lines() -> Iterator[bytes]:
        size = 0
        for _, line in store.items(RECORDED):
            size += len(line)
            if size > MOST_BYTES:
                raise store.damaged("there are too many recorded calls")
            yield line

    try:
        return read_lines(lines(), path)
    except UsageError as error:
        raise store.damaged(f"its recorded calls make no sense ({error.message})") from error


@asynccontextmanager
async def _peer_session(
    answers: SnapshotPeer, info: SnapshotInfo, options: Options, meta: Mapping[str, Any]
) -> AsyncIterator[Session]:
    """Open a session with a peer that answers from a file."""
    stream = AnswerStream(answers.answer)
    with wire_log(options) as log:
        try:
            greeted = await greet(stream, info.path, log=log)
        except ConnectError as error:
            raise stream.failed or answers.store.damaged(error.message) from error
        conn = greeted.connection
        conn.guard = SnapshotGuard(info.noun)
        target = Target(conn, greeted.info, greeted.capabilities, hold=options.hold)
        target.snapshot = info
        if info.calls_alone:
            target.selection.why_none = "in a file of recorded calls 'recorded' lists them, and 'recorded 1' opens one"
        target.suspension.apply(SuspendOp.VM_SUSPEND)
        for thread in _numbers(meta.get("at_event")):
            target.suspension.stood_at_event(thread)
        target.met.update(
            dict.fromkeys(_numbers(meta.get("met"), 1_000 + MOST_VIRTUAL))
        )  # also where they are more than a debugger meets
        async with _session(conn, target, options, stream) as session:
            session.sources.kept = answers.source
            yield session


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


def _numbers(value: Any, most: int = 1_000) -> Sequence[int]:
    found = value if isinstance(value, list) else []
    return [each for each in found if isinstance(each, int) and 0 < each < 1 << 63][:most]
