"""What the agent refuses to tell is shown as not known, with its reason, and never as something else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

import jdbpy
from jdbpy.cli.output.events import stop_shown
from jdbpy.cli.output.plain import plain_lines
from jdbpy.cli.settings import Settings
from jdbpy.errors import JdwpError
from jdbpy.json_form import encode as to_json
from jdbpy.session.model.threads import NOT_KNOWN
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Error, Tag
from jdbpy.wire.ids import ClassLoaderID, ModuleID, ObjectID, ReferenceTypeID, TaggedObjectID
from jdbpy.wire.messages import (
    method,
    module_reference,
    object_reference,
    reference_type,
    thread_group_reference,
    thread_reference,
    virtual_machine,
)
from tests.fakes.jvm import FakeJvm
from tests.harness import LIMIT, within

REFUSED = int(Error.INTERNAL)


class Fake:
    """A fake JVM that is debugged, whose thread hits in a class of which nothing is known."""

    def __init__(self, jvm: FakeJvm, session: jdbpy.Session) -> None:
        self.jvm = jvm
        self.session = session

    async def hit(self) -> jdbpy.Stopped:
        await self.jvm.hit()
        return await self.stop()

    async def stop(self) -> jdbpy.Stopped:
        with within(LIMIT):
            stop = await self.session.next_stop()
        assert isinstance(stop, jdbpy.Stopped)
        assert self.session.suspended_everything
        return stop


@asynccontextmanager
async def fake(**options: Any) -> AsyncIterator[Fake]:
    jvm = FakeJvm()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        await session.breakpoints.add("Played:4", **options)
        session._target.types.forget([ReferenceTypeID(each.id) for each in jvm.world.classes])
        yield Fake(jvm, session)


@pytest.mark.parametrize(
    ("command", "what"),
    [
        (thread_reference.Frames, "the frames cannot be read: "),
        (thread_reference.Name, ""),
        (method.LineTable, "the line is not known: "),
        (reference_type.MethodsWithGeneric, "the method is not known: "),
        (reference_type.SourceFile, "the source file is not known: "),
        (reference_type.SourceDebugExtension, "the source map is not known: "),
        (reference_type.SignatureWithGeneric, "the stop cannot be read: "),
    ],
)
@pytest.mark.parametrize("error", [Error.INTERNAL, Error.VM_DEAD])
async def test_a_stop_is_a_stop_whatever_is_refused(command: type[Command[Any]], what: str, error: Error) -> None:
    async with fake() as f:
        f.jvm.on(command, int(error))
        stop = await f.hit()
        assert stop.reason == "breakpoint"
        assert stop.thread is not None
        assert stop.error.startswith(what)
        assert bool(stop.error) == bool(what)
        if what:
            assert error.name in stop.error
            assert to_json(stop)["error"] == stop.error
            assert f"  ({stop.error})" in list(plain_lines(stop_shown(stop, Settings())))
        else:
            assert stop.thread.name == NOT_KNOWN
            assert error.name in stop.thread.error
            assert "error" in to_json(stop)["thread"]
        assert (stop.frame is None) == (command in (thread_reference.Frames, reference_type.SignatureWithGeneric))
        if command is method.LineTable:
            assert stop.location is not None
            assert (stop.location.line, stop.location.source) == (None, "Played.java")


async def test_a_hit_whose_callers_cannot_be_read_is_a_stop() -> None:
    async with fake(callers=("Elsewhere",)) as f:
        f.jvm.on(thread_reference.Frames, REFUSED)
        stop = await f.hit()
        assert "INTERNAL" in stop.message


async def test_threads_whose_state_is_refused_stay_among_the_threads() -> None:
    async with fake() as f:
        for command in (thread_reference.Name, thread_reference.Status, thread_reference.SuspendCount):
            f.jvm.on(command, REFUSED)
        [thread] = await f.session.threads.list()
        assert (thread.name, thread.state) == (NOT_KNOWN, "state not known")
        for what in ("name", "state", "suspend count"):
            assert f"the {what} is not known: " in thread.error
        f.jvm.on(thread_reference.Status, int(Error.INVALID_THREAD))
        assert await f.session.threads.list() == []


async def test_thread_groups_are_not_left_out_in_silence() -> None:
    async with fake() as f:
        f.jvm.on(thread_group_reference.Children, REFUSED)
        with pytest.raises(JdwpError, match="INTERNAL"):
            await f.session.threads.groups()


async def test_a_class_loader_that_is_refused_is_not_the_boot_loader() -> None:
    async with fake() as f:
        f.jvm.on(reference_type.ClassLoader, REFUSED)
        detail = await f.session.classes.detail("Played")
        assert (detail.loader, detail.info.loader) == (NOT_KNOWN, NOT_KNOWN)
        [why] = [each for each in detail.unknown if "loader" in each]
        assert "INTERNAL" in why
        assert why in to_json(detail)["unknown"]


async def test_instances_that_the_agent_does_not_tell() -> None:
    async with fake() as f:
        f.jvm.on(virtual_machine.InstanceCounts, virtual_machine.InstanceCountsReply([3]))
        f.jvm.on(reference_type.Instances, REFUSED)
        with pytest.raises(JdwpError, match="INTERNAL"):
            await f.session.heap.instances("Played")


async def test_modules_that_the_agent_does_not_tell() -> None:
    async with fake() as f:
        f.jvm.on(virtual_machine.AllModules, virtual_machine.AllModulesReply([ModuleID(ObjectID(7))]))
        f.jvm.on(module_reference.Name, REFUSED)
        f.jvm.on(module_reference.ClassLoader, module_reference.ClassLoaderReply(ClassLoaderID(ObjectID(0))))
        with pytest.raises(JdwpError, match="INTERNAL"):
            await f.session.modules.list()


async def test_the_owner_of_a_monitor_that_the_agent_does_not_tell() -> None:
    async with fake() as f:
        f.jvm.on(thread_reference.OwnedMonitorsStackDepthInfo, thread_reference.OwnedMonitorsStackDepthInfoReply([]))
        f.jvm.on(thread_reference.OwnedMonitors, thread_reference.OwnedMonitorsReply([]))
        contended = thread_reference.CurrentContendedMonitorReply(TaggedObjectID(Tag.OBJECT, ObjectID(77)))
        f.jvm.on(thread_reference.CurrentContendedMonitor, contended)
        f.jvm.on(object_reference.MonitorInfo, REFUSED)
        await f.hit()
        report = await f.session.locks.of([1])
        [awaits] = [each.awaits for each in report.threads]
        assert awaits is not None
        assert awaits.owner is not None
        assert (awaits.owner.name, "INTERNAL" in awaits.owner.error) == (NOT_KNOWN, True)
