"""The ways to a JVM: attach, launch, listen. What is imported here is what starting a script takes."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from jdbpy.api.reconnecting import Reconnecting
from jdbpy.errors import UsageError
from jdbpy.session.connect.greeting import CONNECT_LIMIT
from jdbpy.session.connect.launch import START_LIMIT, LaunchCommand, launch_session
from jdbpy.session.model.options import Options
from jdbpy.task_groups import open_nursery, require_trio

if TYPE_CHECKING:
    from jdbpy.api.fleet import Fleet
    from jdbpy.api.vm import Vm
    from jdbpy.session.session import Session


@asynccontextmanager
async def attach(
    address: str = "",
    *,
    pid: int | None = None,
    hold: str = "",
    read_only: bool = False,
    allow_suspend: bool = False,
    max_suspend: float | None = None,
    audit: str | Path | None = None,
    wire_log: str | Path | None = None,
    source_path: Sequence[str | Path] = (),
    reconnect: bool | float = False,
    on_reconnect: Callable[[Vm, str], object] | None = None,
    timeout: float = CONNECT_LIMIT,
) -> AsyncIterator[Vm]:
    """Debug a JVM whose agent listens at ``[HOST:]PORT``, for an ``async with`` block. At its end the JVM runs on.

    The address may also be ``ssh://[USER@]HOST/PORT``, ``docker://CONTAINER:PORT`` or
    ``k8s://[CONTEXT/]NAMESPACE/WORKLOAD:PORT``: ssh, docker or kubectl then makes the connection. ``pid`` is a process
    of this machine instead of an address (as an address ``pid://N``): its agent is used if it has one, else its attach
    socket, which tells threads, locks, flags and the heap; what only an agent can do raises StateError.
    ``hold`` is what a stop suspends: "thread", "all", or "" for all threads of a JVM on this machine, one thread
    elsewhere. ``read_only`` refuses all that changes or suspends the target, ``allow_suspend`` permits to suspend in
    it; ``max_suspend`` is after how many seconds what is suspended is resumed; ``audit`` and ``wire_log`` are files for
    what was changed and for every packet; ``source_path`` are directories and jars of sources. ``timeout`` is in
    seconds, for connecting.

    With ``reconnect`` a JVM that goes away is attached to again when it comes back, within so many seconds, or
    whenever it does for True. What was set in it is set again with its number, and waits for stops and hits go on;
    other calls that were cut off raise Disconnected, and ``vm.wait_connected`` waits. ``on_reconnect`` is called with
    the JVM and why it went away, and with "" when it is back. Raises UsageError for the address or the process,
    ConnectError when no
    JVM answers, LeaveError at the end when it is not certain that the JVM runs on. wire: 2 trips.
    """
    from jdbpy.session.connect.attach import attach_session

    where = _address(address, pid)
    options = _options(hold, read_only, allow_suspend, max_suspend, audit, wire_log, source_path)

    def opening() -> AbstractAsyncContextManager[Session]:
        return attach_session(where, options=options, timeout=timeout)

    again = None
    if reconnect is not False:
        again = Reconnecting(opening, math.inf if reconnect is True else reconnect, on_reconnect)
    async with _opened(opening(), again) as vm:
        yield vm


@asynccontextmanager
async def fleet(
    addresses: Sequence[str] | Mapping[str, str],
    *,
    hold: str = "",
    read_only: bool = False,
    allow_suspend: bool = False,
    max_suspend: float | None = None,
    audit: str | Path | None = None,
    source_path: Sequence[str | Path] = (),
    reconnect: bool | float = False,
    timeout: float = CONNECT_LIMIT,
) -> AsyncIterator[Fleet]:
    """Debug several JVMs side by side, for an ``async with`` block. At its end all run on.

    ``addresses`` are as of ``attach``, with names of yours in a dict; in a list the address is the name. A ``k8s://``
    address with a selector means all its running pods. A JVM that cannot be had is in ``fleet.missing``. The rest
    is as of ``attach``. Raises UsageError, the ConnectError of the first if none can be had, and LeaveError.
    wire: 2 trips, of the slowest.
    """
    from jdbpy.api.fleet import Opened, named
    from jdbpy.session.connect.transports import expand_address

    require_trio()
    pairs = list(addresses.items()) if isinstance(addresses, Mapping) else [(each, each) for each in addresses]
    found: list[tuple[str, str]] = []
    for name, address in pairs:
        pods = await expand_address(address)
        found += [(name, address)] if len(pods) == 1 else [(pod, pod) for pod in pods]
    openings = {
        name: attach(
            address,
            hold=hold,
            read_only=read_only,
            allow_suspend=allow_suspend,
            max_suspend=max_suspend,
            audit=audit,
            source_path=source_path,
            reconnect=reconnect,
            timeout=timeout,
        )
        for name, address in named(iter(found)).items()
    }
    async with open_nursery() as nursery:
        opened = Opened(nursery)
        yield await opened.open(openings)
        await opened.leave()


@asynccontextmanager
async def listen(
    address: str,
    *,
    on_listening: Callable[[str], None] | None = None,
    hold: str = "",
    read_only: bool = False,
    allow_suspend: bool = False,
    max_suspend: float | None = None,
    audit: str | Path | None = None,
    wire_log: str | Path | None = None,
    source_path: Sequence[str | Path] = (),
    timeout: float = math.inf,
) -> AsyncIterator[Vm]:
    """Wait for a JVM that was started with ``server=n`` to connect to ``[HOST:]PORT``, and debug it. At the end it runs
    on.

    ``on_listening`` gets the address before the wait (port 0 takes a free one); ``timeout`` is in seconds. The rest
    is as of ``attach``. Raises UsageError, ConnectError (the port is taken, no JVM connected).
    """
    from jdbpy.session.connect.attach import listen_session

    options = _options(hold, read_only, allow_suspend, max_suspend, audit, wire_log, source_path)
    waiting = listen_session(address, options=options, on_listening=on_listening, timeout=timeout)
    async with _opened(waiting) as vm:
        yield vm


@asynccontextmanager
async def launch(
    *command: str | Path,
    java: str | Path | None = None,
    cwd: str | Path | None = None,
    stdin: str | Path = "none",
    suspend: bool = True,
    hold: str = "",
    read_only: bool = False,
    allow_suspend: bool = False,
    max_suspend: float | None = None,
    audit: str | Path | None = None,
    wire_log: str | Path | None = None,
    source_path: Sequence[str | Path] = (),
    timeout: float = START_LIMIT,
) -> AsyncIterator[Vm]:
    """Start a JVM and debug it, for an ``async with`` block. At its end the JVM is ended.

    ``command`` is what follows ``java``: ``launch("-cp", "classes", "com.acme.Main", "7")``. The JVM stands before its
    main class is loaded until ``vm.resume()``, unless ``suspend=False``. ``java`` is an executable or a Java home;
    ``cwd`` the working directory; ``stdin`` is "none", "inherit" or the path of a file; ``timeout`` is in seconds,
    until the JVM has connected. The rest is as of ``attach``. Raises UsageError (no Java, no such file), ConnectError
    (it did not come up: the message has what it printed).
    """
    options = _options(hold, read_only, allow_suspend, max_suspend, audit, wire_log, source_path)
    what = LaunchCommand(
        [str(each) for each in command], java=_text(java), cwd=_text(cwd), stdin=str(stdin), suspend=suspend
    )
    async with _opened(launch_session(what, options=options, timeout=timeout)) as vm:
        yield vm


@asynccontextmanager
async def open_snapshot(path: str | Path, *, source_path: Sequence[str | Path] = ()) -> AsyncIterator[Vm]:
    """Look at a snapshot that ``vm.snapshot`` or the command ``snapshot`` has written, without its JVM.

    A file of recorded calls is opened too. ``vm.recorded_calls()`` has them, and those that a snapshot has taken along.

    Everything in it is suspended. What was not kept raises JdwpError (``code`` is NOT_IN_SNAPSHOT), what would run or
    change the program raises StateError (SNAPSHOT). Raises UsageError for a file that cannot be read or is not a
    snapshot, StateError for a damaged one. wire: nothing.
    """
    from jdbpy.session.connect.offline import open_snapshot_session

    options = Options(source_path=tuple(str(each) for each in source_path))
    async with _opened(open_snapshot_session(str(path), options=options)) as vm:
        yield vm


def _opened(
    opening: AbstractAsyncContextManager[Session], again: Reconnecting | None = None
) -> AbstractAsyncContextManager[Vm]:
    from jdbpy.api.vm import opened_vm

    return opened_vm(opening, again)


def _options(
    hold: str,
    read_only: bool,
    allow_suspend: bool,
    max_suspend: float | None,
    audit: str | Path | None,
    wire_log: str | Path | None,
    source_path: Sequence[str | Path],
) -> Options:
    return Options(
        source_path=tuple(str(each) for each in source_path),
        wire_log=_text(wire_log),
        read_only=read_only,
        allow_suspend=allow_suspend,
        audit=_text(audit),
        hold=hold,
        max_suspend=max_suspend,
    )


def _address(address: str, pid: int | None) -> str:
    """Return the address of what is to be attached to. Raises UsageError unless exactly one of both is given."""
    if pid is None:
        if not address:
            raise UsageError("no address", hint='attach("HOST:PORT"), or attach(pid=N) for a process of this machine')
        return address
    if address:
        raise UsageError("an address and a pid", hint="give one of them")
    if pid <= 0:
        raise UsageError(f"{pid} is not the ID of a process", hint="'jdbpy jvms' lists the JVMs of this machine")
    return f"pid://{pid}"


def _text(path: str | Path | None) -> str | None:
    return str(path) if path is not None else None
