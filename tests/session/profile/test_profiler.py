"""Profiles of a running program, against what it says of itself."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio

import jdbpy
from jdbpy import Notice, Options, Session, StateError
from jdbpy.errors import UsageError
from jdbpy.profiles.profile import RECORDER, SAMPLING, Profile
from jdbpy.session.eval.target import Ref
from jdbpy.session.profile.left_behind import host
from jdbpy.session.profile.recorder import TargetRecorder
from jdbpy.wire.constants import Tag
from tests.cli.process import driving
from tests.harness import LIMIT, Jvm, program, start_target, within

pytestmark = pytest.mark.one_java


@asynccontextmanager
async def profiled(jvm: Jvm) -> AsyncIterator[Session]:
    """A session on ``fixtures/Shares.java``, one thread of which stands at a breakpoint, and runs methods."""
    shares = program("Shares")
    async with start_target(jvm, shares, suspend=False) as target:
        await target.wait_output("ready")
        async with jdbpy.attach_session(target.address, options=Options(hold="thread")) as session:
            await session.breakpoints.add(shares.at("beat"))
            with within(LIMIT):
                await session.next_stop()
            yield session


async def profile_with(
    session: Session, enough: Callable[[Profile], bool], kind: str = "cpu", seconds: float = 0.5
) -> Profile:
    """A profile that has enough in it: a busy machine may run nothing of the program for a while."""
    while not enough(found := await session.profiler.profile(seconds, kind)):
        seconds *= 2
    return found


async def ended_process() -> int:
    """The number of a process that has been, and is no more."""
    process = await trio.lowlevel.open_process([sys.executable, "-c", ""])
    await process.wait()
    return process.pid


async def recordings(session: Session) -> str:
    return await session.vm.diagnostic_command("JFR.check")


@pytest.mark.two_javas
async def test_profiles_are_what_the_program_does(jvm: Jvm) -> None:
    async with profiled(jvm) as session:
        with within(LIMIT):
            cpu = await profile_with(session, lambda found: found.samples >= 50, seconds=2)
            places = {each.name: place for place, each in enumerate(cpu.hot)}
            assert cpu.source == RECORDER
            # More than three times as long: of methods that take nearly as long, chance may put either first.
            assert places["Shares.half"] < places.get("Shares.rest", len(places))
            assert cpu.matching("Shares.compute").share(cpu.matching("Shares.compute").total) == 1
            assert cpu.threads.most_common(1)[0][0] == "computer"
            lock = await profile_with(session, lambda found: {"holder-1", "holder-2"} <= found.threads.keys(), "lock")
            assert lock.hot[0].name == "Shares.hold"
            exceptions = await profile_with(
                session, lambda found: found.classes["java.lang.IllegalStateException"] > 5, "exceptions"
            )
            assert exceptions.hot[0].name == "Shares.fail"
            alloc = await profile_with(session, lambda found: found.samples > 5, "alloc")
            assert alloc.hot[0].name == "Shares.allocate"
            assert alloc.classes.most_common(1)[0][0] == "long[]"
            assert "jdbpy-" not in await recordings(session)


async def test_looks_where_there_is_no_recorder(any_jvm: Jvm) -> None:
    async with profiled(any_jvm) as session:
        with within(LIMIT):
            async with session.profiler.running(sampling=True):
                while not (found := await session.profiler.finish()).matching("Shares.half").hot:
                    await trio.lowlevel.checkpoint()
                assert found.source == SAMPLING
            async with session.profiler.running("wall", sampling=True):
                while "holder-1" not in (await session.profiler.finish()).threads:
                    await trio.lowlevel.checkpoint()
            with pytest.raises(StateError, match="only cpu and wall"):
                await session.profiler.profile(0.1, "alloc", sampling=True)
            with pytest.raises(UsageError, match="no such kind"):
                await session.profiler.profile(0.1, "heat")


async def test_nothing_is_left_behind(any_jvm: Jvm) -> None:
    """Neither by a profile that is cancelled, nor by a debugger that was killed; what others record stays."""
    async with profiled(any_jvm) as session:
        with within(LIMIT):
            with trio.move_on_after(0.5) as scope:
                await session.profiler.profile(100)
            assert scope.cancelled_caught
            assert "jdbpy-" not in await recordings(session)
            gone = await ended_process()
            left = f"jdbpy-{host()}-{gone}-1"
            kept = f"jdbpy-{host()}-{os.getppid()}-1"
            for name in (left, kept, "theirs"):
                await session.vm.diagnostic_command(f"JFR.start name={name} settings=none")
            async with session.profiler.running():
                said = await recordings(session)
                assert left not in said
                assert kept in said
                assert "theirs" in said
                with pytest.raises(StateError, match="already"):
                    await session.profiler.profile(0.1)
            assert f"jdbpy-{host()}-{os.getpid()}" not in await recordings(session)


@pytest.mark.two_javas
async def test_of_two_that_begin_at_the_same_moment_one_is_refused(jvm: Jvm) -> None:
    outcomes: list[str] = []
    async with profiled(jvm) as session:
        with within(LIMIT):
            async with trio.open_nursery() as nursery:
                for _ in range(2):
                    nursery.start_soon(profile_or_refusal, session, outcomes)
            assert sorted(outcomes) == ["PROFILING", "flight recorder"]
            assert "jdbpy-" not in await recordings(session)


async def profile_or_refusal(session: Session, outcomes: list[str]) -> None:
    try:
        outcomes.append((await session.profiler.profile(0.1)).source)
    except StateError as error:
        outcomes.append(error.code)


@pytest.mark.every_java
async def test_what_a_killed_debugger_has_left_ends_at_the_next_attach(jvm: Jvm) -> None:
    """What others record runs on. With Java 8 a session ends although the recorder's own thread is there."""
    left, kept = f"jdbpy-{host()}-{await ended_process()}-1", f"jdbpy-{host()}-{os.getppid()}-1"
    settings = "profile" if jvm.feature == 8 else "none"
    async with start_target(jvm, program("Shares"), suspend=False) as target:
        await target.wait_output("ready")
        with within(LIMIT):
            async with jdbpy.attach_session(target.address) as session:
                for name in (left, kept, "theirs"):
                    await session.vm.diagnostic_command(f"JFR.start name={name} settings={settings}")
            await target.wait_listening(2)
            async with jdbpy.attach_session(target.address, options=Options(read_only=True)) as session:
                notice = await left_over(session)
                assert f"{left} of the flight recorder, left by a debugger that was killed, runs on: refused" in notice
                assert f"'jcmd JFR.stop name={left}' ends it" in notice
            await target.wait_listening(3)
            async with jdbpy.attach_session(target.address) as session:
                assert await left_over(session) == (
                    f"ended the recording {left} of the flight recorder, left by a debugger that was killed"
                )
                said = await recordings(session)
                assert left not in said
                assert kept in said
                assert "theirs" in said


class FakeCalls:
    """Runs the methods of a recording, of which the first stream was collected before it could be pinned."""

    def __init__(self) -> None:
        self.opened = 0
        self.closed: list[int] = []
        self.left = 3

    async def bytes(self, data: bytes) -> Ref:
        return Ref(1, Tag.ARRAY)

    async def static(self, *words: object) -> Ref:
        return Ref(2, Tag.ARRAY)

    async def call(self, obj: Ref, class_name: str, name: str, *words: object) -> object:
        if name == "getStream":
            self.opened += 1
            return Ref(10 + self.opened)
        if name == "close":
            self.closed.append(obj.id)
            return None
        if obj.id == 11 or not self.left:
            return -1
        self.left -= 1
        return 2

    async def request(self, command: object) -> object:
        return SimpleNamespace(values=SimpleNamespace(values=[70, -1]))


async def test_a_recording_is_read_although_its_stream_was_collected() -> None:
    """Its finalizer has closed it: it gives nothing, and another one gives all."""
    calls = FakeCalls()
    recorder = TargetRecorder(cast(Any, SimpleNamespace(conn=calls)), cast(Any, None), cast(Any, None))
    assert await recorder._read(cast(Any, calls), Ref(5)) == b"F\xff" * 3
    assert (calls.opened, calls.closed) == (2, [11, 12])


@pytest.mark.every_java
async def test_the_recorders_own_thread_is_asked_for_frames_only_where_that_takes_no_time(
    jvm: Jvm, tmp_path: Path
) -> None:
    """With Java 8 each question takes the agent 6 seconds; stacks, leaving and changing a class ask all threads."""
    shares, log = program("Shares"), tmp_path / "wire.log"
    async with start_target(jvm, shares, suspend=False) as target:
        await target.wait_output("ready")
        with within(LIMIT):
            options = Options(in_target="eager", wire_log=str(log))
            async with jdbpy.attach_session(target.address, options=options) as session:
                settings = "profile" if jvm.feature == 8 else "none"
                await session.vm.diagnostic_command(f"JFR.start name=theirs settings={settings}")
                [own] = [each.id for each in await session.threads.list() if each.name == "JFR Recorder Thread"]
                point = await session.breakpoints.add(shares.at("beat"), condition="1 == 2")
                session.instrumentation.ask(point.number)
                while not session.breakpoints.get(point.number).in_target:  # noqa: ASYNC110 # nothing tells
                    await trio.sleep(0.05)
                await session.execution.suspend()
                [shown] = [each for each in await session.stack.all() if each.thread.id == own]
                assert not shown.frames
    asked = re.findall(rf"-> #\d+ ThreadReference\.(?:Frames|FrameCount) thread={own}\b", log.read_text())
    assert bool(asked) is (jvm.feature > 8)


async def left_over(session: Session) -> str:
    with session.events() as events:
        notice = await anext(events)
    assert isinstance(notice, Notice)
    assert notice.kind == "left-over"
    return notice.text


async def test_a_profile_that_is_killed_ends_at_the_next_attach(jvm: Jvm) -> None:
    async with start_target(jvm, program("Shares"), suspend=False, with_agent=False) as target:
        await target.wait_output("ready")
        with within(LIMIT):
            async with jdbpy.attach_session(f"pid://{target.pid}") as session:
                async with driving("attach", "--pid", str(target.pid), "-c", "profile 100s") as killed:
                    while (name := f"jdbpy-{host()}-{killed.process.pid}-1") not in await recordings(session):
                        pass
                    killed.process.kill()
                    await killed.process.wait()
                assert name in await recordings(session)
                async with jdbpy.attach_session(f"pid://{target.pid}") as another:
                    assert name in await left_over(another)
                    assert name not in await recordings(another)
