"""The JVMs that one prompt or batch debugs: which there are, which is the current one, how they come and go.

Owns their names, the rule by which a stop makes its JVM the current one, and the tasks that keep further sessions open.
What is shown of them is up to the front end, which is called for each that joins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from copy import copy
from typing import Protocol

import trio

from jdbpy import (
    BreakpointInfo,
    ConnectError,
    Event,
    Exited,
    JdbpyError,
    Notice,
    Session,
    Stopped,
    VMDisconnected,
    VmState,
)
from jdbpy.cli.context import Context
from jdbpy.cli.interpreter import Interpreter
from jdbpy.cli.restarting import Restarts, set_again
from jdbpy.errors import UsageError
from jdbpy.task_groups import open_nursery

FIRST_PAUSE = 0.25
LONGEST_PAUSE = 15.0
"""Seconds between two attempts to attach to a target that went away: the pause doubles each time."""

WAITING_FOR_ANY = ("cont", "run", "each", "jvm")
"""Commands after which the stop of any of several JVMs is waited for."""

_NAMED = re.compile(r"([A-Za-z_][\w.-]*)=(\S+)", re.ASCII)

Opening = Callable[[str, str], AbstractAsyncContextManager[Session]]
"""Opens a session with the JVM at an address; the second argument is its name."""


class Jvm:
    """One of them, with what the front end keeps for it. ``context`` and ``interpreter`` are set when it joins."""

    context: Context
    interpreter: Interpreter

    def __init__(self, name: str, address: str, session: Session, restarts: Restarts | None = None) -> None:
        self.selector = ""  # the address that stood for several, this one among them
        self.name = name
        self.address = address
        self.session = session
        self.restarts = restarts
        self.steps = False  # a step goes on: its end is waited for, wherever else something stops
        self.returning = False  # it went away, and is attached to again when it comes back
        self.left = trio.Event()
        self.closed = trio.Event()

    @property
    def lives(self) -> bool:
        """True while its session lasts."""
        return self.session.ending is None


class JvmsFront(Protocol):
    """The front end that shows them."""

    def join(self, jvm: Jvm) -> None:
        """Give a JVM its context and its interpreter, if it has none, and show its events from now on."""

    def part(self, jvm: Jvm) -> None:
        """Show no more events of a JVM."""

    def selected(self, jvm: Jvm) -> None:
        """Commands go to this one from now on."""

    def say(self, text: str) -> None:
        """Show a sentence."""

    def all_ended(self) -> None:
        """All have ended, and no more are expected."""

    def show_output(self, text: str) -> None:
        """Show what a command that has started them has written."""


class Jvms:
    """The JVMs of one front end after the other; the one that was there first is opened by the caller.

    ``nursery`` keeps the others open; without it there is but the first. ``several``: there were ever more than one,
    and all that is shown names its JVM. ``limit``: seconds for which one may stay away.
    """

    def __init__(
        self,
        nursery: trio.Nursery | None = None,
        opening: Opening | None = None,
        *,
        automatic: bool = False,
        limit: float = float("inf"),
    ) -> None:
        self.members: list[Jvm] = []
        self.several = False
        self._current: Jvm | None = None
        self._nursery = nursery
        self._opening = opening
        self._automatic = automatic
        self._limit = limit
        self._front: JvmsFront | None = None
        self.expecting = False
        """True while more may come, that are opened elsewhere: the work goes on without any meanwhile."""
        self.on_quit: Callable[[], str] | None = None
        """What `quit` does beside leaving, and returns in words; None: nothing."""
        self.on_detach: Callable[[], str] | None = None
        """The same for `detach`, which then leaves all of them; None: it leaves the current one."""
        self._for_all: set[int] = set()  # numbers of breakpoints and their like that were set in all
        self.ends_early = False  # Ctrl-C has ended what observed in a batch: no line follows

    @property
    def current(self) -> Jvm:
        """Return the one that commands go to."""
        assert self._current is not None
        return self._current

    def observing(self) -> list[trio.Event]:
        """Return what ends the commands that observe: with ``each`` there is one in each of several JVMs."""
        if self._front is None:
            return []
        contexts = [jvm.context for jvm in self.members]
        return [context.observing for context in contexts if context.observing is not None]

    def end_observing(self) -> bool:
        """End in good order what commands observe; False if none does, or if they are ending already."""
        if all(each.is_set() for each in self.observing()):
            return False
        for each in self.observing():
            each.set()
        for jvm in self.members:
            jvm.context.interrupted = jvm.context.with_others
        return True

    @property
    def leaving(self) -> bool:
        """True when a command has ended the work with all of them."""
        return self._front is not None and any(jvm.context.leaving for jvm in self.members)

    @property
    def go_on(self) -> bool:
        """True while one of them is there, or may come back, or others may come."""
        return self.expecting or any(jvm.lives or jvm.returning for jvm in self.members)

    def label(self, jvm: Jvm) -> str:
        """Return the name to show with what one of them says; "" while it is the only one."""
        return jvm.name if self.several and not (self.on_quit is not None and len(self.members) == 1) else ""

    def begin(self, session: Session, address: str, restarts: Restarts | None) -> None:
        """Take the session of a single JVM, which the caller has opened, in place of the one before it."""
        if self._current is None:
            name, address = self._named(address or session.address, ())
            self._add(Jvm(name, address, session, restarts)).closed.set()
        else:
            self.current.session = session

    def take(self, name: str, session: Session) -> None:
        """Take one more that the caller has opened, and closes."""
        self.several = True
        jvm = self._add(Jvm(self._name(name), session.address, session))
        jvm.closed.set()
        if self._front is not None:
            self._front.join(jvm)

    def expect_no_more(self) -> None:
        """No more come: the work is over when all that are there have ended."""
        self.expecting = False
        if self._front is not None and not self.go_on:
            self._front.all_ended()

    def show_output(self, text: str) -> None:
        """Show what a command that has started them has written."""
        if self._front is not None:
            self._front.show_output(text)

    def bind(self, front: JvmsFront) -> None:
        """Let a front end show them."""
        self._front = front
        for jvm in self.members:
            front.join(jvm)

    # They come and go

    async def open_all(self, addresses: Sequence[tuple[str, str]], failed: Callable[[str, JdbpyError], None]) -> None:
        """Attach to several side by side; ``failed`` is called for each that cannot be had. The first is current.

        With each address goes the selector that it was found by, or "".
        """
        self.several = True
        found: dict[int, Jvm] = {}

        async def open_one(index: int, name: str, address: str, selector: str) -> None:
            try:
                found[index] = await self._opened(name, address)
                found[index].selector = selector
            except JdbpyError as error:
                failed(name, error)

        async with open_nursery() as nursery:
            names: list[str] = []
            for index, (text, selector) in enumerate(addresses):
                name, address = self._named(text, names)
                names.append(name)
                nursery.start_soon(open_one, index, name, address, selector)
        for _, jvm in sorted(found.items()):
            self._add(jvm)

    async def attach(self, text: str) -> Jvm:
        """Attach to one more, which becomes the current one. Raises ConnectError, UsageError."""
        name, address = self._named(text, ())
        jvm = await self._opened(name, address)
        self.several = True
        self._add(jvm)
        assert self._front is not None
        self._front.join(jvm)
        await self._set_for_all(jvm, jvm.context)
        self.select(jvm)
        return jvm

    async def remove(self, jvm: Jvm) -> None:
        """Leave one of several, which runs on; another becomes the current one. Raises LeaveError."""
        self.members.remove(jvm)
        if self._front is not None:
            self._front.part(jvm)
        if jvm is self._current:
            self.select(next((other for other in self.members if other.lives), self.members[0]))
        jvm.returning = False
        try:
            if jvm.lives:
                await jvm.session.detach()
        finally:
            jvm.left.set()

    async def detach_all(self) -> None:
        """Leave all of them side by side; they run on. Raises the first LeaveError."""
        failed: list[JdbpyError] = []

        async def detach(jvm: Jvm) -> None:
            try:
                await jvm.session.detach()
            except JdbpyError as error:
                failed.append(error)

        async with open_nursery() as nursery:
            for jvm in self.members:
                if jvm.lives:
                    nursery.start_soon(detach, jvm)
        if failed:
            raise failed[0]

    async def close(self) -> None:
        """Leave those that this object has opened, side by side, and wait for that."""
        for jvm in self.members:
            jvm.left.set()
        for jvm in self.members:
            await jvm.closed.wait()

    def happened(self, jvm: Jvm, event: Event) -> None:
        """An event of one of them is about to be shown: choose the current one by it.

        A stop makes its JVM the current one unless the user is at work in another, which is suspended or steps. When
        the current one ends another takes its place.
        """
        if not self.several or jvm not in self.members:
            return
        current = self.current
        if isinstance(event, Stopped):
            jvm.steps = False
            typing = current.context.collecting is not None or current.context.python_lines is not None
            busy = current.steps or typing
            if jvm is not current and not busy and current.session.state is not VmState.STOPPED:
                self.select(jvm)
        elif isinstance(event, Exited | VMDisconnected) and not self.leaving:
            jvm.steps = False
            others = [other for other in self.members if other.lives]
            if jvm is current and others:
                stopped = [other for other in others if other.session.state is VmState.STOPPED]
                self.select((stopped or others)[0])
            if jvm.restarts is not None and jvm.restarts.automatic:
                self.bring_back(jvm)

    def bring_back(self, jvm: Jvm) -> None:
        """Attach again to one of several as soon as it is there; breakpoints and their like are put back."""
        if not jvm.returning and jvm.restarts is not None and self._nursery is not None:
            jvm.returning = True
            self._nursery.start_soon(self._bring_back, jvm)

    async def _bring_back(self, jvm: Jvm) -> None:
        front, restarts = self._front, jvm.restarts
        assert front is not None and restarts is not None and self._nursery is not None
        restarts.ask(jvm.context, "")
        jvm.context.leaving = False
        jvm.left.set()
        await jvm.closed.wait()
        deadline = trio.current_time() + self._limit
        pause, said = FIRST_PAUSE, ""
        while jvm.returning:
            jvm.left, jvm.closed = trio.Event(), trio.Event()
            try:
                await self._follow(jvm)
                session = await self._nursery.start(self._hold, jvm.name, jvm.address, jvm.left, jvm.closed)
                break
            except ConnectError as error:
                if trio.current_time() + pause > deadline:
                    front.say(f"[{jvm.name}] did not come back within {self._limit:g} seconds ({error.message})")
                    jvm.returning = False
                    return
                if error.code != said:
                    front.say(f"[{jvm.name}] waiting for the target: {error.message}")
                said = error.code
            except JdbpyError as error:
                front.say(f"[{jvm.name}] is not attached to again: {error.message}")
                jvm.returning = False
                return
            await trio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        if not jvm.returning:  # it was removed meanwhile
            jvm.left.set()
            return
        jvm.session = jvm.context.session = session
        jvm.context.listed = jvm.context.python = None
        front.join(jvm)
        jvm.returning = False
        beside = copy(jvm.context)  # the user may run commands meanwhile
        Interpreter(jvm.interpreter.table, beside, jvm.interpreter.report)
        await restarts.put_back(beside, lambda text: front.say(f"[{jvm.name}] {text}"))
        await self._set_for_all(jvm, beside)

    @contextmanager
    def for_all(self, jvms: Sequence[Jvm]) -> Iterator[None]:
        """Let what the block sets in these JVMs be for all: those that are attached to later, or come back,
        get it too.
        """
        before = max((_last_number(jvm) for jvm in jvms), default=0)
        try:
            yield
        finally:
            for jvm in jvms:
                self._for_all.update(range(before + 1, _last_number(jvm) + 1))

    async def _set_for_all(self, jvm: Jvm, ctx: Context) -> None:
        """Set in a JVM, with their numbers, the breakpoints that were set in all and that it does not have."""
        missing = self._for_all.difference(_points(jvm))
        others = sorted((other for other in self.members if other is not jvm), key=lambda other: not other.lives)
        found = {number: point for other in reversed(others) for number, point in _points(other).items()}
        wanted = [(found[number], ()) for number in sorted(missing) if number in found]
        if wanted and self._front is not None:
            front = self._front
            failed = await set_again(ctx, wanted, lambda text: front.say(f"[{jvm.name}] {text}"), of="another JVM")
            ctx.session.publish(_copied(len(wanted), failed))

    async def _follow(self, jvm: Jvm) -> None:
        """Take the address of another one of the same selector, if its own is gone for good. Raises ConnectError."""
        if not jvm.selector:
            return
        from jdbpy import expand_address  # which brings what ssh, docker and kubectl take

        there = await expand_address(jvm.selector)
        taken = {other.address for other in self.members}
        free = [address for address in there if address not in taken]
        if jvm.address not in there and free and jvm in self.members:
            jvm.address = free[0]
            jvm.name = self._name(free[0])

    async def _opened(self, name: str, address: str) -> Jvm:
        if self._nursery is None or self._opening is None:
            raise UsageError(
                "here only one JVM is debugged", hint="'jdbpy attach A B' debugs several, at the prompt and in batches"
            )
        left, closed = trio.Event(), trio.Event()
        session = await self._nursery.start(self._hold, name, address, left, closed)
        jvm = Jvm(name, address, session, Restarts(attaches=True, automatic=self._automatic))
        jvm.left, jvm.closed = left, closed
        return jvm

    async def _hold(
        self,
        name: str,
        address: str,
        left: trio.Event,
        closed: trio.Event,
        task_status: trio.TaskStatus[Session] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Keep a session open until it is left."""
        assert self._opening is not None
        begun = False
        try:
            async with self._opening(address, name) as session:
                begun = True
                task_status.started(session)
                await left.wait()
        except JdbpyError as error:
            if not begun:
                raise
            if self._front is not None:
                self._front.say(f"[{name}] {error.message}")
        finally:
            closed.set()

    # Names

    def select(self, jvm: Jvm) -> None:
        """Make one of them the current one."""
        if self._current is not None and jvm is not self._current and hasattr(self._current, "interpreter"):
            jvm.interpreter.last = self._current.interpreter.last
        self._current = jvm
        if self._front is not None:
            self._front.selected(jvm)

    def find(self, word: str) -> Jvm:
        """Return the one of that name or number, counted from 1. Raises UsageError."""
        if word.isascii() and word.isdigit() and len(word) < 10 and 1 <= int(word) <= len(self.members):
            return self.members[int(word) - 1]
        found = [jvm for jvm in self.members if jvm.name == word]
        found = found or [jvm for jvm in self.members if jvm.name.lower().startswith(word.lower())]
        if len(found) == 1:
            return found[0]
        if found:
            raise UsageError(f"ambiguous JVM name '{word}': {', '.join(jvm.name for jvm in found)}")
        raise UsageError(f"no JVM '{word}'", hint="'jvms' lists them, 'attach ADDRESS' adds one")

    def touch(self) -> None:
        """The user is there."""
        for jvm in self.members:
            jvm.session.touch()

    def _add(self, jvm: Jvm) -> Jvm:
        self.members.append(jvm)
        if self._current is None:
            self._current = jvm
        return jvm

    def _named(self, text: str, taken: Sequence[str]) -> tuple[str, str]:
        """Return name and address of ``[NAME=]ADDRESS``."""
        given = _NAMED.fullmatch(text)
        name = given[1] if given else name_of(text)
        return self._name(name, taken), given[2] if given else text

    def _name(self, text: str, also: Sequence[str] = ()) -> str:
        """Return a name that no other has."""
        name, count = name_of(text), 1
        taken = {jvm.name for jvm in self.members}.union(also)
        while name in taken:
            count += 1
            name = f"{name_of(text)}#{count}"
        return name


def _last_number(jvm: Jvm) -> int:
    """Return the highest number that a breakpoint of a JVM has had; 0 where there was none."""
    return jvm.session.points.last_number if jvm.session.points_are_used else 0


def remote_notice(session: Session) -> Notice | None:
    """Return what to say at attach of a JVM that counts as remote: why, and what breakpoints suspend."""
    if not (reason := session.remote_reason):
        return None
    return Notice("remote", reason, (("tunnel", session.tunnel), ("hold", str(session.default_policy))))


def _copied(points: int, failed: int) -> Notice:
    text = f"{points - failed} of {points} breakpoints and their like that are set in all are set here, too"
    return Notice("set-for-all", text, (("breakpoints", points - failed), ("failed", failed)))


def _points(jvm: Jvm) -> dict[int, BreakpointInfo]:
    """Return the breakpoints of a JVM and their like, by number."""
    return {each.number: each for each in jvm.session.points.list()} if jvm.session.points_are_used else {}


def without_name(text: str) -> str:
    """Return the address of ``[NAME=]ADDRESS``."""
    given = _NAMED.fullmatch(text)
    return given[2] if given else text


def name_of(address: str) -> str:
    """Return what a JVM is called by its address: the pod, the container, ``HOST:PORT``; the port on this machine."""
    scheme, separator, rest = address.partition("://")
    rest = re.sub(r"/pid:\d+$", "", rest) + ":0" if scheme in ("docker", "k8s") and "/pid:" in rest else rest
    if not separator:
        host, _, port = address.rpartition(":")
        return port if host in ("127.0.0.1", "localhost", "[::1]") else address
    if scheme == "k8s":
        return rest.partition("?")[0].rpartition(":")[0].rpartition("/")[2]
    if scheme == "docker":
        return rest.rpartition(":")[0]
    return rest.rpartition("@")[2] if scheme == "ssh" else f"pid-{rest}"
