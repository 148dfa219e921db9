"""Tests that fail in JVMs which a command starts, for scripts: one failure after the other, each with its JVM.

Made by ./dev generate from jdbpy/api/testing.py; do not edit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jdbpy.api import testing as inner
from jdbpy.sync import portal

if TYPE_CHECKING:
    from jdbpy.sync.breakpoints import Stop
    from jdbpy.sync.vm import Vm


class Failure(portal.Synced):
    """A test that has failed. Its JVM stands, in the deepest frame of the program's own code, until the next failure
    is asked for.
    """

    __slots__ = ()

    @property
    def vm(self) -> Vm:
        """As of ``jdbpy.api.Failure``."""
        found: Vm = self._wrap(self._inner.vm)
        return found

    @property
    def stop(self) -> Stop:
        """As of ``jdbpy.api.Failure``."""
        found: Stop = self._wrap(self._inner.stop)
        return found

    @property
    def name(self) -> str:
        """Return the test as ``Class.method``. No trip."""
        found: str = self._wrap(self._inner.name)
        return found

    @property
    def expected(self) -> str | None:
        """Return the text of the value that an assertion expected; None where that is not known. No trip."""
        found: str | None = self._wrap(self._inner.expected)
        return found

    @property
    def actual(self) -> str | None:
        """Return the text of the value that it found; None where that is not known. No trip."""
        found: str | None = self._wrap(self._inner.actual)
        return found

    @property
    def message(self) -> str:
        """Return the exception with its message: ``java.lang.AssertionError: no tea``. No trip."""
        found: str = self._wrap(self._inner.message)
        return found


portal.register(inner.Failure, Failure)


class FailingTests(portal.Synced):
    """The failures of a command, an iterator that ends with the command. ``status`` is its exit status then."""

    __slots__ = ()

    @property
    def status(self) -> int | None:
        """Return the exit status of the command; None while it runs. No trip."""
        found: int | None = self._wrap(self._inner.status)
        return found

    def end(self) -> None:
        """End the command: SIGTERM to it and to what it has started."""
        self._wrap(self._inner.end())

    def wait(self) -> int | None:
        """Wait for the end of the command and return its exit status; failures that were not taken are passed."""
        found: int | None = self._await(lambda: self._inner.wait())
        return found

    def __iter__(self) -> Iterator[Failure]:
        """Walk through them."""
        return self._iterate(self._inner._take_pages())


portal.register(inner.FailingTests, FailingTests)
