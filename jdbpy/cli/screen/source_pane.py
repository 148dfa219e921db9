"""The source pane: numbered lines with marks, the current line with values, a cursor, search. Pure.

Lines are highlighted block by block when they are first shown, in the colors of `list`.
"""

from __future__ import annotations

import re
import textwrap
from functools import lru_cache

from jdbpy.cli.output.source import highlighted
from jdbpy.cli.screen.fragments import Line, columns_of, fitted, skipped, width
from jdbpy.cli.screen.panes import Action, Pane
from jdbpy.cli.screen.state import LineMark, ScreenState, SourceShown

MARKS = {
    "on": ("class:breakpoint", "●"),
    "off": ("class:faint", "○"),
    "log": ("class:logpoint", "◆"),
    "wait": ("class:faint", "◌"),
}
BLOCK = 80
"""Lines highlighted at once."""


class SourcePane(Pane):
    """The source of the selected frame, or the file that was listed last."""

    name, title = "source", "Source"

    def __init__(self) -> None:
        self.shown = SourceShown()
        self.marks: dict[int, LineMark] = {}
        self.cursor = 1
        self.top = 1
        self.left = 0
        self.pattern = ""
        self._height = 1
        self._behind: dict[int, str] = {}
        self._sought = False  # the cursor was put somewhere, and has not been drawn there
        self._runs = True
        self._recorded = False

    def take(self, state: ScreenState) -> None:
        before, now = self.shown, state.source
        self._runs = state.runs
        self._recorded = bool(state.recorded)
        self.shown = now
        self._behind = {each.line: each.text for each in now.behind}
        self.marks = {}
        for mark in state.marks:
            if mark.line not in self.marks or self.marks[mark.line].kind == "off":
                self.marks[mark.line] = mark
        if now.at and (now.at, now.key) != (before.at, before.key):
            self.go_to(now.at)
        elif now.current is not None and (now.current, now.key) != (before.current, before.key):
            self.go_to(now.current)
        elif now.key != before.key:
            self.go_to(1)

    @property
    def last(self) -> int:
        """Return the number of lines."""
        return len(self.shown.lines)

    def heading(self) -> str:
        shown = self.shown
        if not shown.title:
            return "Source"
        kind = {"bytecode": " (bytecode)", "decompiled": " (decompiled)"}.get(shown.kind, "")
        return f"{shown.title}{kind}"

    def rows(self, columns: int, rows: int, focused: bool) -> list[Line]:
        self._height = max(1, rows)
        shown = self.shown
        if not shown.lines:
            words = shown.message or ("the program runs; Ctrl-C or p pauses it" if self._runs else "no source here")
            broken = [part for each in words.split("\n") for part in textwrap.wrap(each, max(10, columns - 4))]
            return [[], *(fitted([("class:faint", f"  {each}")], columns) for each in broken)][:rows]
        self._keep_in_sight()
        digits = max(3, len(str(self.last)))
        found: list[Line] = []
        for number in range(self.top, min(self.last, self.top + rows - 1) + 1):
            found.append(self._row(number, columns, digits, focused))
        return found

    def _row(self, number: int, columns: int, digits: int, focused: bool) -> Line:
        shown = self.shown
        current = number == shown.current and not self._runs
        margin: Line = [MARKS[self.marks[number].kind] if number in self.marks else ("", " ")]
        margin.append(("class:marker", ("▶" if shown.top else "▷") if current else " "))
        at_cursor = focused and number == self.cursor
        margin.append(("class:cursor" if at_cursor else "class:lineno", f"{number:>{digits}}"))
        margin.append(("class:cursor" if at_cursor else "", " "))
        code = self._code(number)
        if current:
            code = [("class:current", "".join(text for _, text in code) or " ")]
        if self.left:
            code = skipped(code, self.left)
        if self.pattern:
            code = marked(code, self.pattern)
        values = shown.values if current else self._behind.get(number, "")
        if values and self._recorded:  # which are what one looks for
            room = columns - width(margin)
            code = fitted(code, max(room // 2, min(width(code), room - columns_of(values) - 2)))
        if values:
            code = [*code, ("class:values", f"  {values}")]
        return fitted([*margin, *code], columns)

    def _code(self, number: int) -> Line:
        shown = self.shown
        if shown.kind == "bytecode":
            return [("", shown.lines[number - 1])]
        first = (number - 1) // BLOCK * BLOCK
        return _highlighted(shown.lines[first : first + BLOCK], shown.name)[number - 1 - first]

    # The cursor

    def go_to(self, line: int) -> None:
        """Put the cursor on a line; scroll it to a third of the height if it was out of sight."""
        self.cursor = max(1, min(self.last, line))
        self._sought = True

    def move(self, by: int) -> None:
        self.cursor = max(1, min(self.last, self.cursor + by))

    def page(self, by: int) -> None:
        step = by * max(1, self._height - 1)
        self.top = max(1, min(self.last - self._height + 1, self.top + step))
        self.move(step)

    def ends(self, *, last: bool) -> None:
        self.move(self.last if last else -self.last)

    def aside(self, by: int) -> Action | None:
        widest = max((len(line) for line in self.shown.lines[self.top - 1 : self.top + self._height]), default=0)
        self.left = max(0, min(self.left + 8 * by, widest - 8))
        return None

    def scroll(self, by: int) -> None:
        self.top = max(1, min(max(1, self.last - self._height + 1), self.top + by))
        self.cursor = max(self.top, min(self.top + self._height - 1, self.cursor))

    def _keep_in_sight(self) -> None:
        self.cursor = max(1, min(self.last, self.cursor))
        if self._sought and not self.top + 1 <= self.cursor <= self.top + self._height - 2:
            self.top = max(1, self.cursor - self._height // 3)
        self._sought = False
        self.top = min(self.top, max(1, self.last - self._height + 1), self.cursor)
        self.top = max(1, self.top, self.cursor - self._height + 1)

    # What keys do

    def search(self, pattern: str, *, back: bool = False) -> bool:
        """Put the cursor on the next line that contains a text, ignoring case; wrap around. False if not found."""
        self.pattern = pattern or self.pattern
        if not self.pattern:
            return False
        wanted = self.pattern.lower()
        step = -1 if back else 1
        for distance in range(1, self.last + 1):
            line = (self.cursor - 1 + step * distance) % self.last + 1
            if wanted in self.shown.lines[line - 1].lower():
                self.go_to(line)
                return True
        return False

    def toggle(self, line: int | None = None) -> Action:
        """Return the action that sets a breakpoint at a line, or deletes the one there."""
        line = line or self.cursor
        if line in self.marks:
            return Action("line", f"delete {self.marks[line].number}")
        if self.shown.kind != "source" or not self.shown.class_name:
            return Action("say", "a breakpoint needs a line of source: 'break CLASS.METHOD' sets one without")
        return Action("line", f"break {self.shown.class_name}:{line}")

    def switch(self) -> Action:
        """Return the action that disables or enables the breakpoint at the cursor."""
        if self.cursor not in self.marks:
            return Action("say", "no breakpoint at this line")
        mark = self.marks[self.cursor]
        return Action("line", f"{'enable' if mark.kind == 'off' else 'disable'} {mark.number}")

    def run_here(self) -> Action:
        """Return the action that runs the thread to the line of the cursor."""
        if self.shown.kind != "source":
            return Action("say", "no line of source here")
        if self._recorded:
            on = self.cursor > (self.shown.current or 0)
            return Action("line", f"{'cont' if on else 'back'} to {self.cursor}")
        return Action("line", f"advance {self.shown.class_name}:{self.cursor}")

    def enter(self) -> Action | None:
        return self.toggle() if self.last else None

    def click(self, column: int, row: int, *, twice: bool = False) -> Action | None:
        line = self.top + row
        if not 1 <= line <= self.last:
            return None
        self.cursor = line
        in_margin = column < 2 + max(3, len(str(self.last)))
        return self.toggle(line) if in_margin or twice else None


@lru_cache(64)
def _highlighted(lines: tuple[str, ...], name: str) -> list[Line]:
    found: list[Line] = []
    for text in highlighted(lines, name):
        line: Line = []
        end = 0
        for span in sorted(text.spans, key=lambda each: each.start):
            if span.end <= end:
                continue
            start = max(span.start, end)
            if start > end:
                line.append(("", text.plain[end:start]))
            line.append((_style(str(span.style)), text.plain[start : span.end]))
            end = span.end
        if end < len(text.plain):
            line.append(("", text.plain[end:]))
        found.append(line)
    return found


_COLORS = frozenset(("red", "green", "yellow", "blue", "magenta", "cyan"))


@lru_cache(64)
def _style(words: str) -> str:
    """Return a style of rich in prompt_toolkit's notation."""
    found = []
    for word in words.split():
        if word == "dim":
            found.append("class:faint")
        elif word in ("bold", "underline", "italic"):
            found.append(word)
        elif word in _COLORS:
            found.append(f"ansi{word}")
    return " ".join(found)


def marked(line: Line, pattern: str) -> Line:
    """Return a line of code with search matches marked."""
    found: Line = []
    for style, text in line:
        end = 0
        for match in re.finditer(re.escape(pattern), text, re.IGNORECASE):
            found.append((style, text[end : match.start()]))
            found.append((f"{style} class:found", match[0]))
            end = match.end()
        found.append((style, text[end:]))
    return [each for each in found if each[1]]
