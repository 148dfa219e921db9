"""Keeps the names that completion offers: read in the background after each stop, swapped whole.

Owns what is asked of the session for it, and when: never at a key press, never while a command runs, nothing twice of
one stop, and on a slow link only what is cheap. A name that is missing costs the user a few letters; a name that is
late costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import trio

from jdbpy import JdbpyError, VmState
from jdbpy.cli.context import Context
from jdbpy.cli.names import Names
from jdbpy.cli.settings import SETTINGS
from jdbpy.cli.table import CommandTable
from jdbpy.task_groups import open_nursery

if TYPE_CHECKING:
    from jdbpy import Session

SETTLED = 0.2
"""Seconds without news before names are read: a row of steps reads them once."""

STALE = 30.0
"""Seconds after which the list of all loaded classes is read again, at the next stop."""


_MOST_CALLS = 50
"""Recorded calls that completion offers, the last ones."""

LONGEST_SEARCH = 15.0
"""Seconds for which the search for classes that are not loaded is waited for, in the background."""


class Known:
    """The names known now: read by the prompt's thread, replaced by the refresher."""

    def __init__(self, table: CommandTable) -> None:
        self.names = Names(commands=table.names, settings=tuple(SETTINGS))


class NamesRefresher:
    """Keeps ``known`` fresh. ``poke()`` says that something may have changed; ``run()`` must be running.

    ``wanted`` is False where nothing completes: then nothing is read.
    """

    def __init__(self, context: Context, known: Known, *, wanted: bool = True) -> None:
        self.context = context
        """The JVM whose names are wanted."""
        self._wanted = wanted
        self._command_runs = False
        self._reading = trio.CancelScope()
        self._moment: object = None  # the stop of which threads and variables are known
        self._known = known
        self._news = trio.Event()
        self._searching = False
        self._found: frozenset[str] = frozenset()
        self._listed = -STALE  # when all classes were listed

    def poke(self) -> None:
        """Something has happened after which other names may be known."""
        self._news.set()

    @contextmanager
    def held(self) -> Iterator[None]:
        """A command runs within the block: nothing is read meanwhile, and what was being read is read again after."""
        self._command_runs = True
        self._reading.cancel()
        try:
            yield
        finally:
            self._command_runs = False
            self.poke()

    def set_jvms(self, names: tuple[str, ...]) -> None:
        """These JVMs are debugged."""
        self._known.names = self._known.names.replace(jvms=names)

    async def run(self) -> None:
        """Reads names after each ``poke()``, until cancelled."""
        if not self._wanted:
            return
        async with open_nursery() as nursery:
            while True:
                await self._news.wait()
                while self._news.is_set():
                    self._news = trio.Event()
                    with trio.move_on_after(SETTLED):
                        await self._news.wait()
                if self._command_runs:
                    continue
                with trio.CancelScope() as self._reading:
                    await self._refresh()
                if not self._searching:
                    self._searching = True
                    nursery.start_soon(self._search_paths)

    async def _search_paths(self) -> None:
        """Classes that are not loaded: the search may take seconds, the first time."""
        with suppress(JdbpyError):
            found = await self.context.session.classes.not_loaded(LONGEST_SEARCH)
            if found is not self._found:
                self._found = found
                self._known.names = self._known.names.replace(not_loaded=tuple(sorted(found)))
        self._searching = False

    async def _refresh(self) -> None:
        moment = _moment(self.context.session)
        again = moment is not None and moment == self._moment
        self._moment = None
        self._known.names = await self.read(of_debugger=again)
        self._moment = moment

    async def read(self, *, of_debugger: bool = False) -> Names:
        """Return what is known now. wire: some 5 trips, once for a stop and a frame selected there; none while the
        target runs but for the threads. With ``of_debugger`` only what no trip tells."""
        session = self.context.session
        changes: dict[str, Any] = {}
        at_stop = () if of_debugger else (_threads, _frame)
        parts = (self._list_classes, _classes, _breakpoints, _recorded, _saved, _vm, *at_stop)
        seen = self.context.seen
        for part in parts if seen is None else (each for each in parts if each not in (_threads, _frame)):
            with suppress(JdbpyError):  # the target runs again, or is gone: the next stop brings the next chance
                changes.update(await part(session))
        changes.update(seen or {})
        cursor = self.context.open_call
        changes["in_recorded_call"] = cursor is not None
        if cursor is not None:
            kept = session.recorder.variables(cursor)
            changes.update(variables=tuple((each.name, each.type) for each in kept), members=())
        changes["displays"] = tuple(self.context.displays)
        changes["excludes"] = tuple(session.execution.excludes)
        names: Names = self._known.names.replace(**changes)
        return names

    async def _list_classes(self, session: Session) -> dict[str, Any]:
        """Return all classes, megabytes of them in a large program: now and then, and never over a network."""
        now = trio.current_time()
        if not session.remote and now - self._listed > STALE:
            await session.classes.list()
            self._listed = now
        return {}


def _moment(session: Session) -> object:
    """Return what is the same as long as nothing has run and the same frame is selected; None while the target runs."""
    if session.state is not VmState.STOPPED:
        return None
    return session, session.ran, session.last_stop, session.selection


async def _classes(session: Session) -> dict[str, Any]:
    known = session.classes.known()
    return {"classes": known.classes, "methods": known.methods, "fields": known.fields, "sources": known.sources}


async def _breakpoints(session: Session) -> dict[str, Any]:
    points = session.points.list() if session.points_are_used else []
    places = (
        (f"{point.number}.{place.number}", place) for point in points for place in point.places[1:] and point.places
    )
    return {
        "breakpoints": tuple((point.number, point.spec) for point in points),
        "breakpoint_places": tuple(
            (number, f"{place.kind} in {place.locations[0].method}") for number, place in places
        ),
    }


async def _recorded(session: Session) -> dict[str, Any]:
    calls = session.recorder.calls[-_MOST_CALLS:] if session.is_used("recorder") else ()
    return {"recorded": tuple((call.number, call.method.name) for call in calls)}


async def _saved(session: Session) -> dict[str, Any]:
    return {"saved": tuple(session.values.saved() if session.is_used("values") else ())}


async def _vm(session: Session) -> dict[str, Any]:
    """Return what was listed last: nothing is asked, and nothing loaded that has listed nothing."""
    properties, flags = session.vm.known_names() if session.is_used("vm") else ((), ())
    modules = session.modules.known_names() if session.is_used("modules") else ()
    loggers = session.loggers.known_names() if session.is_used("loggers") else ()
    mbeans, members = (
        (session.mbeans.known_names(), session.mbeans.known_members()) if session.is_used("mbeans") else ((), {})
    )
    return {
        "properties": tuple(properties),
        "flags": tuple(flags),
        "modules": tuple(modules),
        "loggers": loggers,
        "mbeans": mbeans,
        "mbean_members": members,
    }


async def _threads(session: Session) -> dict[str, Any]:
    threads = await session.threads.list()
    return {
        "threads": tuple((thread.id, thread.name) for thread in threads),
        "thread_groups": tuple(sorted({thread.group for thread in threads if thread.group})),
    }


async def _frame(session: Session) -> dict[str, Any]:
    if session.state is not VmState.STOPPED or session.selection[0] is None:
        return {"variables": (), "members": (), "frames": 0}
    variables = await session.stack.variables()
    this = [variable.value for variable in variables if variable.kind == "this" and variable.value is not None]
    return {
        "variables": tuple((variable.name, variable.type) for variable in variables),
        "members": tuple(member.name for value in this for member in value.children),
        "frames": (await session.stack.of(count=1)).total,
    }
