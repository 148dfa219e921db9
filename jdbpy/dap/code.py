"""Code as the client shows it: texts of sources that are no files, disassembled methods, sources and modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import jdbpy
from jdbpy import JdbpyError, StateError, UsageError
from jdbpy.dap.debuggee import Debuggee
from jdbpy.dap.editor import Editor
from jdbpy.dap.protocol import Body, request
from jdbpy.dap.sources import INDEX_BITS, CodeOf, MadeSource, SourceTable, address_of_code, outermost
from jdbpy.escape import escape, escape_lines
from jdbpy.record import Record

if TYPE_CHECKING:
    from jdbpy import code

MOST_INSTRUCTIONS = 10_000
MOST_SOURCES = 2_000

_LAST_LINE = 65_535


class SourceRef(Record):
    """The record with a source's number, in newer clients."""

    sourceReference: int = 0


class SourceArguments(Record):
    """Arguments of ``source``."""

    sourceReference: int = 0
    source: SourceRef | None = None


def laid_out(methods: Sequence[code.Disassembly]) -> str:
    """Return the code of a class, each instruction on the line that it was compiled from; below each other without
    lines."""
    lines: dict[int, list[str]] = {}
    rest: list[str] = []
    for method in methods:
        head = escape(f"{method.method}({', '.join(method.parameters)})")
        line: int | None = None
        if not any(each.line for each in method.instructions):
            rest += [head, *(f"    {_text(each)}" for each in method.instructions)]
            continue
        for each in method.instructions:
            if each.line is not None and 0 < each.line <= _LAST_LINE:
                line = each.line
                lines.setdefault(line, [])
                if not any(piece.startswith(head) for piece in lines[line]):
                    lines[line].append(f"{head}:")
            if line is not None:
                lines[line].append(f"{_text(each)};")
    last = max(lines, default=0)
    body = [" ".join(lines.get(number, ())) for number in range(1, last + 1)]
    return "\n".join([*body, *rest]) + "\n"


def _text(instruction: code.Instruction) -> str:
    operands = f" {instruction.operands}" if instruction.operands else ""
    meaning = f" /* {instruction.meaning} */" if instruction.meaning else ""
    return escape(f"{instruction.index} {instruction.name}{operands}{meaning}")


class Disassemble(Record):
    """Arguments of ``disassemble``."""

    memoryReference: str
    instructionCount: int
    offset: int = 0
    instructionOffset: int = 0


class LocationOf(Record):
    """Arguments of ``locations``."""

    locationReference: int


class ModulesOf(Record):
    """Arguments of ``modules``."""

    startModule: int = 0
    moduleCount: int = 0


class CodeRequests:
    """Sources and code shown."""

    def __init__(self, debuggee: Debuggee, editor: Editor, sources: SourceTable) -> None:
        self._debuggee = debuggee
        self._editor = editor
        self._sources = sources

    @request("source", SourceArguments)
    async def source(self, args: SourceArguments) -> Body:
        """Return the text of a source that is no file, or the code of a class that has none.

        wire: none; 3 trips for code, some 15 more for a decompiler.
        """
        number = args.source.sourceReference if args.source is not None and args.source.sourceReference else 0
        text = self._sources.text(number or args.sourceReference)
        session = self._debuggee.session
        if text.lines:
            return {"content": "\n".join(text.lines) + "\n", "mimeType": "text/x-java"}
        if not text.disassembled:
            file = await session.sources.text(text.class_name, text.source)
            if file is None:
                raise StateError("the source cannot be read any more")
            return {"content": "\n".join(file.lines) + "\n", "mimeType": "text/x-java"}
        try:
            methods = await session.code.disassemble(text.class_name)
        except UsageError as error:
            raise StateError(f"no source, and no code: {error.message}") from None
        if command := self._sources.decompiler:
            firsts = [(each.method, next((one.line for one in each.instructions if one.line), 0)) for each in methods]
            try:
                made = await session.sources.decompiled_on_lines(text.class_name, command, firsts)
            except JdbpyError as error:
                self._editor.say(f"{text.class_name} is shown as bytecode: {error.message}", "important")
            else:
                return {"content": escape_lines("\n".join(made.lines)) + "\n", "mimeType": "text/x-java"}
        return {"content": laid_out(methods), "mimeType": "text/plain"}

    @request("disassemble", Disassemble, supportsDisassembleRequest=True)
    async def disassemble(self, args: Disassemble) -> Body:
        """Instructions around an address; those before and behind the method are said to be none. wire: 3 trips."""
        count = args.instructionCount
        if not 0 <= count <= MOST_INSTRUCTIONS or abs(args.instructionOffset) > 1 << 31 or abs(args.offset) > 1 << 31:
            raise UsageError(
                f"arguments.instructionCount must be from 0 to {MOST_INSTRUCTIONS:,}", code="WRONG_ARGUMENT"
            )
        address = address_of_code(args.memoryReference) + args.offset
        method = self._sources.method(address >> INDEX_BITS)
        base = address >> INDEX_BITS << INDEX_BITS
        found = await self._instructions(method)
        here = next((n for n, each in enumerate(found) if each.index >= address - base), len(found))
        last = found[-1].index if found else 0
        shown: list[Body] = []
        line: int | None = None
        for number in range(here + args.instructionOffset, here + args.instructionOffset + count):
            if 0 <= number < len(found):
                each = found[number]
                line = each.line if each.line is not None else line
                body: Body = {"address": f"{base + each.index:#x}", "instruction": _text(each)}
                if number == 0:
                    body["symbol"] = escape(f"{method.class_name}.{method.method}")
                if each.line is not None:
                    body["line"] = self._editor.line_out(each.line)
            else:
                beyond = base + number if number < 0 else base + last + 1 + number - len(found)
                body = {"address": f"{max(0, beyond):#x}", "instruction": "", "presentationHint": "invalid"}
            shown.append(body)
        return {"instructions": shown}

    async def _instructions(self, method: CodeOf) -> Sequence[code.Instruction]:
        found = await self._sources.disassembly(method)
        return found.instructions if found is not None else ()

    @request("locations", LocationOf)
    async def locations(self, args: LocationOf) -> Body:
        """Return where the class of a value is written: its first line with code. wire: 3 trips."""
        name = self._sources.class_of(args.locationReference)
        entries = await self._debuggee.session.classes.lines(name)
        detail = await self._debuggee.session.classes.detail(name)
        line = min((each.line for each in entries if not each.source), default=None)
        place = jdbpy.Location(name, "", "", detail.source, line, 0)
        source = await self._sources.of_place(place)
        if source is None or line is None:
            raise StateError(f"the class {name} has no lines")
        return {"source": source, "line": self._editor.line_out(line)}

    @request("loadedSources", supportsLoadedSourcesRequest=True)
    async def loaded_sources(self, args: Record) -> Body:
        """Return the sources of loaded classes, those of the runtime left out. wire: 2 trips."""
        files = await self._debuggee.session.classes.source_files()
        shown: list[Body] = []
        for path, classes in list(files.items())[:MOST_SOURCES]:
            name = path.rpartition("/")[2]
            found = await self._debuggee.session.sources.find(classes[0], name) if classes else None
            if found is not None and "!" not in found:
                shown.append({"name": escape(name), "path": self._editor.paths.to_client(found)})
            elif classes:
                place = MadeSource(outermost(classes[0]) if found else classes[0], name, found is None, path)
                origin = escape(found) if found is not None else self._sources.origin
                number = self._sources.number(place)
                shown.append({"name": escape(name), "sourceReference": number, "origin": origin})
        return {"sources": shown}

    @request("modules", ModulesOf, supportsModulesRequest=True)
    async def modules(self, args: ModulesOf) -> Body:
        """Return the modules of Java 9 and later. wire: 5 trips."""
        found = await self._debuggee.session.modules.list()
        start = max(0, args.startModule)
        chosen = found[start : start + args.moduleCount] if args.moduleCount > 0 else found[start:]
        shown = []
        for each in chosen:
            body: Body = {"id": each.id, "name": escape(each.name or f"unnamed of {each.loader}")}
            if each.version:
                body["version"] = escape(each.version)
            shown.append(body)
        return {"modules": shown, "totalModules": len(found)}
