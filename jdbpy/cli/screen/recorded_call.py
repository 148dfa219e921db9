"""The recorded call that is open, read for the panes: its line with the values behind lines, what was kept, its place.

Nothing of it is asked of the target. The panes are those of a stop; what is live is shown again when it is closed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jdbpy import recorded
from jdbpy.cli.context import Context
from jdbpy.cli.screen.sources import SourceReader, named_values
from jdbpy.cli.screen.state import FrameShown, LineValues, NodeShown, SourceShown
from jdbpy.escape import escape


class RecordedReader:
    """Reads recorded calls for one screen; remembers which of their values are open."""

    def __init__(self, sources: SourceReader) -> None:
        self._sources = sources
        self._open: set[str] = set()

    def opened(self, kind: str, path: str) -> None:
        """Open or close a value: parts that were kept are shown, or not."""
        (self._open.discard if kind == "close" else self._open.add)(path)

    async def read(self, ctx: Context, cursor: Any) -> dict[str, Any]:
        """Return the parts of the screen's state that show a place in a recorded call. No trip."""
        recorder = ctx.session.recorder
        place, variables = recorder.place(cursor), recorder.variables(cursor)
        if place.end:
            variables = (*variables, *recorder.outcome(cursor))
        ctx.seen = {"variables": tuple((each.name, each.type) for each in variables), "members": ()}
        changed = {each.name for each in place.changes}
        return {
            "runs": False,
            "busy": False,
            "recorded": f"recorded call {place.call}",
            "thread": escape(f"recorded call {place.call} in {cursor.call.thread}"),
            "source": await self._source(ctx, cursor, place, variables),
            "frames": tuple(_frames(place)),
            "frames_total": 1,
            "variables": tuple(self._nodes(variables, "", 0, changed)),
            "variables_note": "" if variables else "no variable has a value here",
        }

    async def _source(
        self, ctx: Context, cursor: Any, place: recorded.RecordedPlace, variables: Sequence[recorded.KeptVariable]
    ) -> SourceShown:
        call = cursor.call
        where = place.outcome if place.end else f"{place.step}/{place.steps}"
        title = escape(f"{place.source or place.class_name} — recorded {place.call}, {where}")
        lines = await ctx.session.recorder.source(call)
        if lines is None:
            why = f"no source of {place.class_name} is found\n'use PATHS' says where sources are"
            return SourceShown(title=title, message=escape(why))
        shown = self._sources.of_text(place.class_name, place.source, lines)
        values = {each.name.removeprefix("this."): each.text for each in variables}
        shown = shown.replace(title=title, current=place.line or None)
        behind = ctx.session.recorder.behind_lines(cursor)
        return shown.replace(
            values=named_values(shown, values),
            behind=tuple(LineValues(line, escape(text)) for line, text in behind.items() if line != place.line),
        )

    def _nodes(
        self, variables: Sequence[recorded.KeptVariable], above: str, depth: int, changed: set[str]
    ) -> list[NodeShown]:
        found: list[NodeShown] = []
        for each in variables:
            path = (
                f"{above}{each.name}" if each.name.startswith("[") else f"{above}.{each.name}" if above else each.name
            )
            opens, is_open = bool(each.parts), bool(each.parts) and path in self._open
            kind = "string" if each.type == "java.lang.String" else "local"
            marked = not depth and each.name in changed
            found.append(
                NodeShown(
                    path, escape(each.name), escape(each.text), escape(each.type), kind, depth, opens, is_open, marked
                )
            )
            if is_open:
                found += self._nodes(each.parts, path, depth + 1, changed)
        return found


def _frames(place: recorded.RecordedPlace) -> list[FrameShown]:
    """Return the method, how far it is, and what the line before has done."""
    package, _, simple = place.class_name.rpartition(".")
    file = f"{place.source}:{place.line}" if place.source else f"line {place.line}"
    found = [FrameShown(0, escape(f"{simple}.{place.method}"), escape(file), escape(package), True)]
    turn = f", reached {place.turn} times" if place.turn > 1 and not place.end else ""
    how_far = escape(place.outcome) if place.end else f"line {place.step} of {place.steps - 1}{turn}"
    found.append(FrameShown(0, how_far, ""))
    if place.left_out:
        found.append(FrameShown(0, f"{place.left_out} lines before this are left out", ""))
    found += [
        FrameShown(0, escape(f"called {each.name}"), escape(f"= {each.text}" if each.text else ""))
        for each in place.called
    ]
    return found
