"""The text of the source pane and the marks in its margin, read from a session.

Chooses between source, decompiled text and bytecode, and finds the breakpoints at lines of the file shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from jdbpy import BreakpointInfo, FrameInfo, JdbpyError, Location, SuspendPolicy, Variable, code
from jdbpy.cli.context import Context, Listed
from jdbpy.cli.screen.state import LineMark, SourceShown
from jdbpy.cli.screen.tree import one_line
from jdbpy.cli.settings import NO_DECOMPILER
from jdbpy.errors import StateError, UsageError
from jdbpy.escape import escape, escape_code

_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?|\'(?:[^\'\\]|\\.)*\'?|//.*')
_SPEC = re.compile(r"(?P<owner>[\w.$]+):(?P<line>\d+)")

MOST_VALUES = 6
LONGEST_VALUE = 40


class SourceReader:
    """The sources of one session. Keeps the last file: a step within it reads nothing."""

    def __init__(self) -> None:
        self._texts: dict[tuple[str, tuple[str, ...]], tuple[str, ...]] = {}

    async def at_frame(self, ctx: Context, frame: FrameInfo) -> SourceShown | None:
        """Return the file of a frame; None where there is none, or the frame has no line in it. wire: no trip."""
        at = frame.location
        if at.line is None or frame.obsolete:
            return None
        found = await self._file(ctx, at.class_name, at.source_file)
        if found is None:
            return None
        doubt = self._doubt(ctx, at, found)
        return found.replace(current=at.line, top=frame.index == 1, message=doubt)

    async def listed(self, ctx: Context, listed: Listed) -> SourceShown | None:
        """Return the file that `list` has shown last. wire: no trip."""
        return await self._file(ctx, listed.class_name, listed.source)

    async def _file(self, ctx: Context, class_name: str, source: str | None) -> SourceShown | None:
        file = await ctx.session.sources.text(class_name, source, anywhere=not ctx.session.remote)
        if file is None:
            return None
        return SourceShown(
            "source",
            file.path,
            _title(file.path, class_name),
            file.path.rpartition("/")[2],
            _outermost(class_name),
            self._lines(file.path, file.lines),
        )

    def of_text(self, class_name: str, source: str, lines: Sequence[str]) -> SourceShown:
        """Return the file of a class that has these lines. No trip."""
        key, text = f"{class_name} {source}", tuple(lines)
        return SourceShown("source", key, escape(source), source, _outermost(class_name), self._lines(key, text))

    def _lines(self, path: str, lines: tuple[str, ...]) -> tuple[str, ...]:
        """Return the lines of a file, safe for the terminal; the same object as long as they are the same."""
        known = next((escaped for (name, raw), escaped in self._texts.items() if name == path and raw is lines), None)
        if known is None:
            if len(self._texts) > 20:
                self._texts.clear()
            known = self._texts[path, lines] = tuple(escape_code(lines))
        return known

    def _doubt(self, ctx: Context, at: Location, shown: SourceShown) -> str:
        return "" if at.line is not None and at.line <= len(shown.lines) else "the file ends before this line"

    async def without_source(self, ctx: Context, frame: FrameInfo) -> SourceShown:
        """Return the decompiled class of a frame, else its bytecode, else the reason for neither.

        wire: 2 trips for bytecode.
        """
        at = frame.location
        title = f"{at.class_name}.{at.method}"
        if frame.native:
            why = f"{title} is native: it has no source and no bytecode"
            return SourceShown(title=escape(title), message=escape(why) + "\n'u' goes to the caller")
        try:
            if ctx.settings["decompiler"] != NO_DECOMPILER and not frame.obsolete:
                file = await ctx.session.sources.decompiled(at.class_name, ctx.settings["decompiler"])
                lines = tuple(escape_code(file.lines))
                [(first, _), *_] = ctx.session.sources.methods_in(file, at.class_name, at.method) or [(1, 1)]
                return SourceShown("decompiled", f"{file.path}#{at.method}", escape(title), "X.java", "", lines, first)
        except (StateError, UsageError):
            pass  # `list` says why
        try:
            found = await ctx.session.code.disassemble("")
        except JdbpyError as error:
            why = f"no source was found, and the bytecode cannot be read: {error.message}"
            return SourceShown(title=escape(title), message=escape(why) + "\n'use PATHS' says where sources are")
        for method in found:
            if any(each.current for each in method.instructions):
                return _bytecode(method)
        return SourceShown(title=escape(title), message=escape(f"{title} has no source and no bytecode"))


def _bytecode(method: code.Disassembly) -> SourceShown:
    lines: list[str] = []
    current = None
    for each in method.instructions:
        if each.line is not None:
            lines.append(f"   line {each.line}")
        meaning = f"  // {each.meaning}" if each.meaning else ""
        lines.append(escape(f"{each.index:>6}: {each.name} {each.operands}{meaning}"))
        if each.current:
            current = len(lines)
    title = f"{method.class_name}.{method.method}"
    return SourceShown("bytecode", f"{title}{method.signature}", escape(title), "", "", tuple(lines), current)


def _title(path: str, class_name: str) -> str:
    package = class_name.rpartition(".")[0]
    name = path.rpartition("/")[2]
    return escape(f"{name} — {package}" if package else name)


def _outermost(class_name: str) -> str:
    """Return the main class of a file that defines several."""
    package, dot, simple = class_name.rpartition(".")
    cut = simple.find("$", 1)
    return class_name if cut < 0 else f"{package}{dot}{simple[:cut]}"


def line_marks(points: list[BreakpointInfo], shown: SourceShown) -> tuple[LineMark, ...]:
    """Return the marks of breakpoints at the lines of a file that is shown."""
    if shown.kind != "source":
        return ()
    found: list[LineMark] = []
    for point in points:
        lines = {at.line for at in point.code if at.line is not None and _is_of(at, shown)}
        if not lines and not point.code:
            spec = _SPEC.fullmatch(point.spec)
            if spec is not None and _same_class(spec["owner"], shown):
                lines = {int(spec["line"])}
        found += [LineMark(line, point.number, _kind(point)) for line in sorted(lines)]
    return tuple(found)


def _kind(point: BreakpointInfo) -> str:
    if not point.enabled or point.over:
        return "off"
    if point.given.log or point.policy is SuspendPolicy.NONE:
        return "log"
    return "on" if point.code else "wait"


def _is_of(at: Location, shown: SourceShown) -> bool:
    """True if a location is in the file: same package, same file name."""
    name = (at.source_path or at.source or "").rpartition("/")[2]
    same_file = name == shown.name if name else _outermost(at.class_name) == shown.class_name
    return same_file and at.class_name.rpartition(".")[0] == shown.class_name.rpartition(".")[0]


def _same_class(owner: str, shown: SourceShown) -> bool:
    own = _outermost(owner.removesuffix(".java"))
    return shown.class_name in (own, shown.class_name.rpartition(".")[0] + "." + own) or (
        "." not in own and shown.class_name.rpartition(".")[2] == own
    )


def values_at(shown: SourceShown, variables: tuple[Variable, ...]) -> str:
    """Return the variables that the current line names, with their values: ``total = 42, i = 3``."""
    known = {each.name: each for each in variables if each.kind != "this" and each.value is not None}
    this = next((each.value for each in variables if each.kind == "this" and each.value is not None), None)
    for each in this.children if this is not None else ():
        known.setdefault(each.name, each)
    return named_values(shown, {name: one_line(each, children=False) for name, each in known.items()})


def named_values(shown: SourceShown, known: Mapping[str, str]) -> str:
    """Return those of the values that the current line names: ``total = 42, i = 3``."""
    if shown.kind != "source" or shown.current is None or not 0 < shown.current <= len(shown.lines):
        return ""
    text = _STRING.sub(" ", shown.lines[shown.current - 1])
    parts: list[str] = []
    for name in dict.fromkeys(_WORD.findall(text)):
        if name in known and len(parts) < MOST_VALUES:
            value = known[name]
            parts.append(f"{name} = {value if len(value) <= LONGEST_VALUE else value[: LONGEST_VALUE - 1] + '…'}")
    return ", ".join(parts)
