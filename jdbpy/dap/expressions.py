"""Expressions: evaluated in every context, the console with the commands of the prompt, and completed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from jdbpy import JdbpyError, StateError, UsageError
from jdbpy.dap.console import DebugConsole
from jdbpy.dap.debuggee import Debuggee
from jdbpy.dap.editor import Editor
from jdbpy.dap.handles import Handles
from jdbpy.dap.left_methods import LeftMethods
from jdbpy.dap.opening import OpeningRequests
from jdbpy.dap.protocol import Body, request
from jdbpy.dap.readings import FrameReadings, is_static, shallow
from jdbpy.dap.recorded_thread import RecordedThread
from jdbpy.dap.variables import NAME, ValueFormat, VariableRequests, is_hex, of_result, path_of
from jdbpy.escape import escape
from jdbpy.identifiers import IDENTIFIER, WORD
from jdbpy.record import Record

if TYPE_CHECKING:
    from jdbpy import FrameInfo


_LOOKS = ("hover", "variables")
"""Contexts in which the client evaluates without being asked by its user: an expression there has no side effects."""


class Evaluate(Record):
    """Arguments of ``evaluate``."""

    expression: str
    frameId: int | None = None
    context: str = ""
    format: ValueFormat | None = None


def _may_change(expression: str) -> bool:
    return any(sign in expression for sign in ("=", "(", "++", "--"))


class Completions(Record):
    """Arguments of ``completions``."""

    text: str
    column: int
    line: int = 1
    frameId: int | None = None


_BEFORE = re.compile(rf"({IDENTIFIER}(?:\.{IDENTIFIER}|\[\d+\])*)\.([{WORD}]*)$|({IDENTIFIER}|)$")
MOST_COMPLETIONS = 300


class ExpressionRequests:
    """Expressions evaluated and completed."""

    def __init__(
        self,
        debuggee: Debuggee,
        editor: Editor,
        handles: Handles,
        readings: FrameReadings,
        left_methods: LeftMethods,
        console: DebugConsole,
        values: VariableRequests,
        opening: OpeningRequests,
        recorded: RecordedThread,
    ) -> None:
        self._debuggee = debuggee
        self._editor = editor
        self._handles = handles
        self._readings = readings
        self._left_methods = left_methods
        self._console = console
        self._values = values
        self._opening = opening
        self._recorded = recorded

    @request("evaluate", Evaluate, supportsEvaluateForHovers=True, supportsClipboardContext=True)
    async def evaluate(self, args: Evaluate) -> Body:
        """Return the value of a Java expression in a frame; in the console a command of the prompt as well.

        wire: 1 trip for what is read of the frame, 1 for each link; for a command what it takes.
        """
        if not args.expression.strip():
            raise UsageError("no expression")
        in_console = args.context == "repl"
        if self._is_recorded(args.frameId):
            names = self._recorded.names()
            if in_console and await self._console.reads_as_command(args.expression, None, names):
                return await self._command(args.expression, None)
            return self._recorded.evaluate(args.expression)
        frame = self._handles.frame(args.frameId) if args.frameId is not None else None
        if in_console:
            with self._left_methods.evaluating(frame):
                if await self._console.reads_as_command(args.expression, frame):
                    if self._console.begins_anew(args.expression):
                        await self._opening.begin_anew()
                        return {"result": "", "variablesReference": 0}
                    return await self._command(args.expression, frame)
        with self._left_methods.evaluating(frame):
            value = await self._debuggee.session.values.evaluate(
                args.expression,
                limits=of_result(whole=args.context == "clipboard"),
                format="x" if is_hex(args.format) else "",
                remember=in_console,
                frame=frame,
                keep=True,
                until_resumed=True,
                read_only=args.context in _LOOKS,
            )
        path = args.expression if NAME.fullmatch(args.expression) else f"({args.expression})"
        if in_console:
            path = f"${value.number}" if value.number is not None else ""
        named = path if args.context != "hover" or "(" not in path else ""
        body = self._values.value_body(frame, value, named, key="result", hex=is_hex(args.format))
        if value.type == "void":
            body["result"] = "void"
        if args.context not in _LOOKS and _may_change(args.expression):
            self._readings.changed()
        if in_console and _may_change(args.expression):
            self._editor.invalidate("variables")
        return body

    def _is_recorded(self, frame: int | None) -> bool:
        """True if a frame is that of the recorded call that is open; no frame stands for that one then."""
        return self._handles.recorded(frame) is not None or (frame is None and self._recorded.is_open)

    async def _command(self, line: str, frame: FrameInfo | None) -> Body:
        """Run a command, and show the recorded call that it has opened, or in which it has moved."""
        try:
            return await self._console.run(line, frame)
        finally:
            self._recorded.follow()

    @request("completions", Completions, supportsCompletionsRequest=True, completionTriggerCharacters=["."])
    async def completions(self, args: Completions) -> Body:
        """Variables of the frame, and behind a dot fields and methods of what stands before it; commands of the prompt
        with what they take. Runs nothing.

        wire: none for variables that were read, 3 or 4 trips behind a dot; 2 or 3 for commands, none again.
        """
        lines = args.text.split("\n")
        index = args.line - 1 if self._editor.info.linesStartAt1 else args.line
        line = lines[index] if 0 <= index < len(lines) else ""
        first = 1 if self._editor.info.columnsStartAt1 else 0
        before = line[: max(0, args.column - first)]
        match = _BEFORE.search(before)
        recorded = self._is_recorded(args.frameId)
        frame = self._handles.frame(args.frameId) if args.frameId is not None and not recorded else None
        found: list[tuple[str, str]] = []
        typed = ""
        if recorded:
            typed = match[3] or "" if match is not None else ""
            found = [(name, "variable") for name in self._recorded.names() if match is None or not match[1]]
        elif match is not None and match[1]:
            typed = match[2]
            found = await self._members(frame, match[1])
        elif match is not None and frame is not None:
            typed = match[3]
            found = [
                (each.name, "variable")
                for each in await self._readings.variables(frame, "completions")
                if path_of(each)
            ]
            if any(name == "this" for name, _ in found):
                found += await self._members(frame, "this")
        start = len(before) - len(typed) + first
        targets: list[Body] = [
            {"label": name, "type": kind, "start": start, "length": len(typed)}
            for name, kind in dict.fromkeys(found)
            if name.startswith(typed)
        ]
        labels = {each["label"] for each in targets}
        for each in await self._console.complete(before, frame):
            if each.text not in labels:
                place = {"start": len(before) - each.replaces + first, "length": each.replaces}
                targets.append({"label": escape(each.text), "detail": escape(each.meta), "type": "keyword", **place})
        return {"targets": targets[:MOST_COMPLETIONS]}

    async def _members(self, frame: FrameInfo | None, before: str) -> list[tuple[str, str]]:
        """Fields and methods of the value of a path, or static ones of a class of that name."""
        session = self._debuggee.session
        static = False
        try:
            value = await session.values.evaluate(before, limits=shallow(), remember=False, frame=frame)
            owner = value.type.partition("<")[0]
        except JdbpyError:
            owner, static = before, True
        if owner.endswith("[]"):
            return [("length", "field")]
        try:
            fields = await session.classes.fields(owner)
            methods = await session.classes.methods(owner)
        except (UsageError, StateError):
            return []
        found = [(each.name, "field") for each in fields if not static or is_static(each)]
        names = [each.name for each in methods if not static or "static" in each.modifiers.split()]
        return [*found, *((name, "method") for name in names if NAME.fullmatch(name))]
