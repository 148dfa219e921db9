"""The client's breakpoints: what it has set, under its ids, and what it hears of them as their classes are loaded.

A request names all breakpoints of its kind (of its file) that there are to be. Those that are there already stay, with
their hits; the others are set or taken out.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from jdbpy import EvalError, JdbpyError, UsageError
from jdbpy.dap.debuggee import Debuggee
from jdbpy.dap.editor import Editor
from jdbpy.dap.paths import ClientSource
from jdbpy.dap.protocol import Body
from jdbpy.dap.sources import SourceTable
from jdbpy.escape import escape
from jdbpy.record import Record

if TYPE_CHECKING:
    from jdbpy import BreakpointInfo, Stopped

Add = Callable[[], "Awaitable[BreakpointInfo]"]


class Set(Record):
    """A breakpoint that the client has set: its number in the session, None where it was refused, the answer, and how
    it is set again."""

    number: int | None
    shown: Body
    kind: str
    add: Add


class EditorBreakpoints:
    """The breakpoints that the client has set, by the kind or file and by what was asked for. The client's ids are our
    own.
    """

    def __init__(self, debuggee: Debuggee, editor: Editor, sources: SourceTable) -> None:
        self._debuggee = debuggee
        self._editor = editor
        self._sources = sources
        self._groups: dict[Hashable, dict[Hashable, Set]] = {}
        self._by_number: dict[int, tuple[int, str]] = {}  # number in the session -> id of the client, kind
        self._told: dict[int, Body] = {}  # number in the session -> what the client was told last
        self._last_id = 0
        self.entry: int | None = None
        """The number of the breakpoint at the entry of the main method."""
        self.thread_reports = 0
        """The number of what reports threads that start and end."""

    async def replace(self, group: Hashable, kind: str, wanted: Sequence[tuple[Hashable, Add]]) -> list[Body]:
        """Make the breakpoints of a group these, in their order; the answers. wire: 1 to 3 trips for each new."""
        session = self._debuggee.session
        had = self._groups.get(group, {})
        now: dict[Hashable, Set] = {}
        keys = {key for key, _ in wanted}
        gone = [each.number for key, each in had.items() if key not in keys and each.number is not None]
        there = {each.number for each in session.points.list()}
        await session.points.remove([number for number in gone if number in there])
        for number in gone:
            self._by_number.pop(number, None)
        answers = []
        for key, add in wanted:
            if key in now:
                answers.append(now[key].shown)
                continue
            known = had.get(key)
            if known is None or known.number not in there:
                known = await self._add(kind, add)
            now[key] = known
            self._groups[group] = {**{old: each for old, each in had.items() if old in keys}, **now}
            answers.append(self._fresh(known))
        self._groups[group] = now
        return answers

    async def set_again(self) -> None:
        """Set all of them in a new session, under their ids. wire: as setting them."""
        self._by_number.clear()
        self._told.clear()
        for group in self._groups.values():
            for key, known in list(group.items()):
                group[key] = await self._add(known.kind, known.add, known.shown["id"])
                self._editor.event("breakpoint", {"reason": "changed", "breakpoint": group[key].shown})

    async def _add(self, kind: str, add: Add, known_id: int = 0) -> Set:
        if not known_id:
            self._last_id += 1
        own = known_id or self._last_id
        if self._debuggee.plan.no_debug:
            return Set(None, {"id": own, "verified": False, "message": "started without debugging"}, kind, add)
        try:
            made = await add()
        except JdbpyError as error:
            hint = f" ({error.hint})" if isinstance(error, EvalError) and error.hint else ""
            return Set(None, {"id": own, "verified": False, "message": escape(error.message + hint)}, kind, add)
        self._by_number[made.number] = own, kind
        return Set(made.number, self._shown(made), kind, add)

    def _fresh(self, known: Set) -> Body:
        if known.number is None:
            return known.shown
        return self._shown(self._debuggee.session.points.get(known.number))

    def _shown(self, point: BreakpointInfo) -> Body:
        own, kind = self._by_number[point.number]
        found = bool(point.code) and not (kind != "source" and point.message)
        body: Body = {"id": own, "verified": point.armed or found}
        if point.message:
            body["message"] = escape(point.message)
        if not body["verified"]:
            body["reason"] = "pending"
        lines = [place.line for place in point.code if place.line is not None]
        if kind == "source" and lines:
            body["line"] = self._editor.line_out(min(lines))
        self._told[point.number] = dict(body)  # a request may add to its answer
        return body

    def changed(self, number: int, *, only_news: bool = False) -> None:
        """Something about a breakpoint is another now: its class was loaded. ``only_news``: if it is. No trip."""
        if number in self._by_number and self._debuggee.has_session:
            try:
                point = self._debuggee.session.points.get(number)
            except UsageError:  # another client has removed it
                gone = {"id": self._by_number.pop(number)[0], "verified": False}
                self._editor.event("breakpoint", {"reason": "removed", "breakpoint": gone})
                return
            told = self._told.get(number)
            shown = self._shown(point)
            if not only_news or shown != told:
                self._editor.event("breakpoint", {"reason": "changed", "breakpoint": shown})

    def tell_messages(self) -> None:
        """Tell the client of breakpoints that are shown otherwise by now, as of why they are not set. No trip."""
        for group in self._groups.values():
            for known in group.values():
                told = self._told.get(known.number, {}) if known.number is not None else {}
                if known.number in self._by_number and not (told.get("verified") and "message" not in told):
                    self.changed(known.number, only_news=True)

    def resolved(self, number: int) -> None:
        """The class of a breakpoint was loaded. No trip."""
        self.changed(number)
        if number in self._by_number and self._debuggee.has_session:
            places = self._debuggee.session.points.get(number).resolved
            self._debuggee.start(partial(self._sources.loaded, places))

    async def tell_changes(self) -> None:
        """Tell the client of breakpoints that commands of the console have set and removed. No trip but for sources.

        Those of lines and methods enter the client's own of that file: it may take them out again.
        """
        session = self._debuggee.session
        there = {each.number: each for each in session.points.list()}
        for number in [number for number in self._by_number if number not in there]:
            own, _ = self._by_number.pop(number)
            self._editor.event("breakpoint", {"reason": "removed", "breakpoint": {"id": own, "verified": False}})
        for number, point in there.items():
            ours = number in self._by_number or number in (self.entry, self.thread_reports)
            if (
                ours
                or point.client not in ("", getattr(session, "name", ""))
                or point.temporary
                or point.kind not in ("line", "method")
            ):
                continue
            self._last_id += 1
            self._by_number[number] = self._last_id, "source"
            body = self._shown(point)
            source = await self._sources.of_place(point.code[0]) if point.code else None
            if source is not None:
                body["source"] = source
                self._take_over(point, source, body)
            self._editor.event("breakpoint", {"reason": "new", "breakpoint": body})

    def _take_over(self, point: BreakpointInfo, source: Body, body: Body) -> None:
        file = self._sources.place_of(
            ClientSource(source["name"], source.get("path", ""), source.get("sourceReference", 0))
        )

        async def add() -> BreakpointInfo:
            return await self._debuggee.session.breakpoints.add_with(point.spec, point.given)

        line = min((place.line for place in point.code if place.line is not None), default=0)
        known = Set(point.number, body, "source", add)
        self._groups.setdefault(("source", file), {})[line, point.condition, point.hit_count, ""] = known

    def were_hit(self, stop: Stopped) -> None:
        """Forget temporary ones that a stop has used up."""
        if stop.temporary and stop.breakpoint is not None:
            self._by_number.pop(stop.breakpoint, None)

    def hit_ids(self, stop: Stopped) -> list[int]:
        """Return the client's ids of the breakpoints of a stop."""
        return [self._by_number[number][0] for number in stop.breakpoints if number in self._by_number]

    def kind(self, number: int | None) -> str:
        """Return how the client has set a breakpoint: "source", "function", "instruction" and so on; "" for none of
        its.
        """
        return self._by_number.get(number, (0, ""))[1] if number is not None else ""
