"""Tests that fail in JVMs which a command starts, for scripts: one failure after the other, each with its JVM."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from jdbpy.errors import JdbpyError
from jdbpy.session.connect.build import Build, BuildCommand, BuildJvm, open_build
from jdbpy.session.model.kinds import StopReason
from jdbpy.session.model.options import Options
from jdbpy.task_groups import open_nursery

if TYPE_CHECKING:
    from jdbpy.api.breakpoints import Stop
    from jdbpy.api.vm import Vm
    from jdbpy.session.session import Session


class Failure:
    """A test that has failed. Its JVM stands, in the deepest frame of the program's own code, until the next failure
    is asked for.
    """

    def __init__(self, vm: Vm, stop: Stop) -> None:
        self.vm = vm
        self.stop = stop

    @property
    def name(self) -> str:
        """Return the test as ``Class.method``. No trip."""
        test = self.stop.record.test
        return test.name if test is not None else ""

    @property
    def expected(self) -> str | None:
        """Return the text of the value that an assertion expected; None where that is not known. No trip."""
        test = self.stop.record.test
        return test.expected if test is not None else None

    @property
    def actual(self) -> str | None:
        """Return the text of the value that it found; None where that is not known. No trip."""
        test = self.stop.record.test
        return test.actual if test is not None else None

    @property
    def message(self) -> str:
        """Return the exception with its message: ``java.lang.AssertionError: no tea``. No trip."""
        thrown = self.stop.record.exception
        if thrown is None:
            return ""
        return thrown.type if thrown.message is None else f"{thrown.type}: {thrown.message}"

    def __repr__(self) -> str:
        return f"<Failure {self.name}: {self.message}>"


class FailingTests:
    """The failures of a command, an async iterator that ends with the command. ``status`` is its exit status then."""

    def __init__(self, build: Build, nursery: trio.Nursery) -> None:
        self._build = build
        self._nursery = nursery
        self._send, self._receive = trio.open_memory_channel[Failure](0)
        self._done = trio.Event()
        nursery.start_soon(self._follow)

    @property
    def status(self) -> int | None:
        """Return the exit status of the command; None while it runs. No trip."""
        return self._build.status

    def end(self) -> None:
        """End the command: SIGTERM to it and to what it has started."""
        self._build.end()

    async def wait(self) -> int | None:
        """Wait for the end of the command and return its exit status; failures that were not taken are passed."""
        async for _ in self:
            pass
        return self.status

    def __aiter__(self) -> AsyncIterator[Failure]:
        return self

    async def _take_pages(self) -> AsyncIterator[deque[Failure]]:
        async for each in self:
            yield deque((each,))

    async def __anext__(self) -> Failure:
        self._done.set()
        try:
            return await self._receive.receive()
        except trio.EndOfChannel:
            raise StopAsyncIteration from None

    async def _follow(self) -> None:
        async with self._send, open_nursery() as nursery:
            while (jvm := await self._build.next_jvm()) is not None:
                nursery.start_soon(self._failures_of, jvm)

    async def _failures_of(self, jvm: BuildJvm) -> None:
        from jdbpy.api.vm import opened_vm

        async with opened_vm(_already_open(jvm.session)) as vm:
            try:
                while True:
                    stop = await vm.wait()
                    if stop.record.reason is StopReason.TEST_FAILURE:
                        self._done = trio.Event()
                        await self._send.send(Failure(vm, stop))
                        await self._done.wait()
                    if vm.is_suspended:
                        await vm.resume()
            except JdbpyError:
                if not vm.has_ended:
                    raise


@asynccontextmanager
async def _already_open(session: Session) -> AsyncIterator[Session]:
    yield session


@asynccontextmanager
async def test(
    command: Sequence[str | Path],
    *,
    only: Sequence[str] = (),
    never: Sequence[str] = (),
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    hold: str = "",
    source_path: Sequence[str | Path] = (),
) -> AsyncIterator[FailingTests]:
    """Run a command that runs tests, as ``["mvn", "test"]``, for an ``async with`` block; give the tests that fail.

    Every JVM that the command starts is debugged, unless ``only`` and ``never`` choose others by patterns of main
    classes. ``cwd`` and ``env`` are the command's directory and its whole environment; ``hold`` and ``source_path``
    are as of ``attach``. At the end of the block the command is ended if it still runs. Raises UsageError for a
    command that cannot be started.
    """
    what = BuildCommand(
        [str(each) for each in command],
        only=only,
        never=never,
        cwd=str(cwd) if cwd is not None else None,
        env=env,
    )
    options = Options(hold=hold, source_path=tuple(str(each) for each in source_path))
    async with open_build(what, options) as build, open_nursery() as nursery:
        yield FailingTests(build, nursery)
        nursery.cancel_scope.cancel()
