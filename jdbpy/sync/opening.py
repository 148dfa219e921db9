"""The ways to a JVM without ``await``: each gives a JVM that is connected, for a ``with`` block or to be closed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from jdbpy.api import opening, testing
from jdbpy.session.connect.greeting import CONNECT_LIMIT
from jdbpy.session.connect.launch import START_LIMIT
from jdbpy.sync.fleet import Fleet
from jdbpy.sync.portal import Portal
from jdbpy.sync.testing import FailingTests
from jdbpy.sync.vm import Vm


class Debugged(Vm):
    """A JVM that is connected: a ``Vm`` with an end. In a ``with`` block that is the end of the block.

    Without a block it is ``close``, or the end of Python.
    """

    __slots__ = ()

    def close(self) -> None:
        """Leave the JVM: an attached one runs on, a launched one is ended. To do it again is no error.

        Raises LeaveError when it is not certain that it runs on, and what a function given as ``do`` has raised.
        """
        self._portal.close()

    def __enter__(self) -> Debugged:
        """Give the JVM itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the JVM: as ``close``."""
        self._portal.close(error)


def attach(
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
    timeout: float = CONNECT_LIMIT,
) -> Debugged:
    """Debug a JVM whose agent listens at ``[HOST:]PORT``. When it is left the JVM runs on.

    ``pid`` is a process of this machine instead of an address, also one that was started without the agent: as of
    ``jdbpy.attach``. ``hold`` is what a stop suspends: "thread", "all", or "" for all threads of a JVM on this machine,
    one thread elsewhere. ``read_only`` refuses all that changes or suspends the target, ``allow_suspend`` permits to
    suspend in it; ``max_suspend`` is after how many seconds what is suspended is resumed; ``audit`` and ``wire_log``
    are files for what was changed and for every packet; ``source_path`` are directories and jars of sources. With
    ``reconnect`` a JVM that goes away is attached to again when it comes back, with all that was set in it: as of
    ``jdbpy.attach``. ``timeout`` is in seconds, for connecting. Raises UsageError for the address, ConnectError when no
    JVM answers, LeaveError at the end when it is not certain that the JVM runs on. wire: 2 trips.
    """
    return _opened(
        Portal(
            opening.attach(
                address,
                pid=pid,
                hold=hold,
                read_only=read_only,
                allow_suspend=allow_suspend,
                max_suspend=max_suspend,
                audit=audit,
                wire_log=wire_log,
                source_path=source_path,
                reconnect=reconnect,
                timeout=timeout,
            )
        )
    )


class DebuggedFleet(Fleet):
    """Several JVMs that are connected: a ``Fleet`` with an end, as a ``Debugged`` has it."""

    __slots__ = ()

    def close(self) -> None:
        """Leave all of them; they run on. To do it again is no error. Raises LeaveError."""
        self._portal.close()

    def __enter__(self) -> DebuggedFleet:
        """Give the fleet itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave all of them: as ``close``."""
        self._portal.close(error)


def fleet(
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
) -> DebuggedFleet:
    """Debug several JVMs side by side. When they are left all run on.

    ``addresses`` are as of ``attach``, with names of yours in a dict; in a list the address is the name. A ``k8s://``
    address with a selector stands for all its running pods. A JVM that cannot be had is in ``fleet.missing``. The rest
    is as of ``attach``. Raises UsageError, the ConnectError of the first if none can be had, and LeaveError.
    wire: 2 trips, of the slowest.
    """
    portal = Portal(
        opening.fleet(
            addresses,
            hold=hold,
            read_only=read_only,
            allow_suspend=allow_suspend,
            max_suspend=max_suspend,
            audit=audit,
            source_path=source_path,
            reconnect=reconnect,
            timeout=timeout,
        )
    )
    return DebuggedFleet(portal, portal.open())


class TestedCommand(FailingTests):
    """A command that runs tests: ``FailingTests`` with an end, as a ``Debugged`` has it."""

    __slots__ = ()

    def close(self) -> None:
        """End the command if it still runs. To do it again is no error."""
        self._portal.close()

    def __enter__(self) -> TestedCommand:
        """Give the failures themselves."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the command: as ``close``."""
        self._portal.close(error)


def test(
    command: Sequence[str | Path],
    *,
    only: Sequence[str] = (),
    never: Sequence[str] = (),
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    hold: str = "",
    source_path: Sequence[str | Path] = (),
) -> TestedCommand:
    """Run a command that runs tests, as ``["mvn", "test"]``; give the tests that fail, one after the other.

    Every JVM that the command starts is debugged, unless ``only`` and ``never`` choose others by patterns of main
    classes. ``cwd`` and ``env`` are the command's directory and its whole environment; ``hold`` and ``source_path``
    are as of ``attach``. At the end of the block the command is ended if it still runs. Raises UsageError for a
    command that cannot be started.
    """
    portal = Portal(testing.test(command, only=only, never=never, cwd=cwd, env=env, hold=hold, source_path=source_path))
    return TestedCommand(portal, portal.open())


def listen(
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
) -> Debugged:
    """Wait for a JVM that was started with ``server=n`` to connect to ``[HOST:]PORT``. When it is left it runs on.

    ``on_listening`` gets the address before the wait, in the thread of the session (port 0 takes a free one);
    ``timeout`` is in seconds. The rest is as of ``attach``. Raises UsageError, ConnectError (the port is taken, no JVM
    connected).
    """
    return _opened(
        Portal(
            opening.listen(
                address,
                on_listening=on_listening,
                hold=hold,
                read_only=read_only,
                allow_suspend=allow_suspend,
                max_suspend=max_suspend,
                audit=audit,
                wire_log=wire_log,
                source_path=source_path,
                timeout=timeout,
            )
        )
    )


def launch(
    *command: str | Path,
    java: str | Path | None = None,
    cwd: str | Path | None = None,
    stdin: str = "none",
    suspend: bool = True,
    hold: str = "",
    read_only: bool = False,
    allow_suspend: bool = False,
    max_suspend: float | None = None,
    audit: str | Path | None = None,
    wire_log: str | Path | None = None,
    source_path: Sequence[str | Path] = (),
    timeout: float = START_LIMIT,
) -> Debugged:
    """Start a JVM and debug it. When it is left it is ended.

    ``command`` is what follows ``java``: ``launch("-cp", "classes", "com.acme.Main", "7")``. The JVM stands before its
    main class is loaded until ``vm.resume()``, unless ``suspend=False``. ``java`` is an executable or a Java home;
    ``cwd`` the working directory; ``stdin`` is "none" or "inherit"; ``timeout`` is in seconds, until the JVM has
    connected. The rest is as of ``attach``. Raises UsageError (no Java), ConnectError (it did not come up: the message
    has what it printed).
    """
    return _opened(
        Portal(
            opening.launch(
                *command,
                java=java,
                cwd=cwd,
                stdin=stdin,
                suspend=suspend,
                hold=hold,
                read_only=read_only,
                allow_suspend=allow_suspend,
                max_suspend=max_suspend,
                audit=audit,
                wire_log=wire_log,
                source_path=source_path,
                timeout=timeout,
            )
        )
    )


def join(
    name: str = "",
    *,
    client: str = "",
    token: str = "",
    read_only: bool = False,
    allow_suspend: bool = False,
    keep: bool = False,
    reconnect: bool | float = False,
) -> Debugged:
    """Join a session that ``jdbpy serve`` serves, by its name, or HOST:PORT with its token; "" is the only one.

    This script's breakpoints stop for it alone, and hits, steps and evaluations are its own. When it is left its
    breakpoints and what it has suspended are taken back, unless ``keep`` is given. ``client`` is what the others call
    it; ``read_only`` refuses all that changes or suspends the target, ``allow_suspend`` permits to suspend in it. Each
    call takes a trip to the process of the session more. ``reconnect`` is as of ``attach``. Raises ConnectError and
    UsageError. wire: nothing.
    """
    from jdbpy.serve.objects import join as joining

    return _opened(
        Portal(
            joining(
                name,
                client=client,
                token=token,
                read_only=read_only,
                allow_suspend=allow_suspend,
                keep=keep,
                reconnect=reconnect,
            )
        )
    )


def open_snapshot(path: str | Path, *, source_path: Sequence[str | Path] = ()) -> Debugged:
    """Look at a snapshot that ``vm.snapshot`` or the command ``snapshot`` has written, without its JVM.

    What was not read then raises StateError, as does all that would run or change the program. Raises UsageError for a
    file that cannot be read or is no snapshot. No trip.
    """
    return _opened(Portal(opening.open_snapshot(path, source_path=source_path)))


def _opened(portal: Portal) -> Debugged:
    return Debugged(portal, portal.open())
