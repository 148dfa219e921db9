"""Sources and code as the client shows them: files, texts out of archives, disassembled methods, modules.

A file of this machine is named by its path. What is in an archive (a jar of sources, the JDK's src.zip) has a number,
by which its text is asked for. So has a class without source: what the user's decompiler makes of it, else its
instructions, are shown on the lines that they were compiled from, so that the line of a frame is right, and breakpoints
can be set there as in a source.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import jdbpy
from jdbpy import JdbpyError, StateError, UsageError
from jdbpy.dap.adapter import Adapter
from jdbpy.dap.events import say
from jdbpy.dap.protocol import Body, request
from jdbpy.escape import escape, escape_lines
from jdbpy.record import Record

if TYPE_CHECKING:
    from jdbpy import Location, code

MOST_INSTRUCTIONS = 10_000
MOST_SOURCES = 2_000

_INDEX_BITS = 16
_LAST_LINE = 65_535


class MadeSource(Record):
    """A source that is no file: of a class, by its source's name; ``disassembled`` if there is none.

    ``place`` is what stands before the line in a breakpoint there.
    """

    class_name: str
    source: str | None
    disassembled: bool
    place: str


class CodeOf(Record):
    """A method, by the names of its class and itself and its signature."""

    class_name: str
    method: str
    signature: str


class SourceTable:
    """The sources and methods that the client was shown, by their numbers."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter
        self._bodies: dict[tuple[str, str | None], Body] = {}
        self._texts: list[MadeSource] = []
        self._references: dict[MadeSource, int] = {}
        self._methods: list[CodeOf] = []
        self._method_numbers: dict[CodeOf, int] = {}
        self._classes: list[str] = []
        self._class_numbers: dict[str, int] = {}
        self._told: set[str | int] = set()  # paths and numbers of sources that the client has been told of

    async def of_places(self, places: Sequence[Location]) -> list[Body | None]:
        """Return the source of each place; None for native code of a class that has none. No trip."""
        return [await self.of_place(place) for place in places]

    async def of_place(self, place: Location) -> Body | None:
        """Return the source of a place. No trip."""
        key = _outermost(place.class_name), place.source_file
        known = self._bodies.get(key) or self._bodies.get((place.class_name, place.source_file))
        if known is not None:
            return known
        path = await self._adapter.session.sources.find(place.class_name, place.source_file)
        if path is None:
            return self._without_source(place)
        name = place.source or path.replace("\\", "/").rpartition("/")[2]
        if "!" in path:
            text = MadeSource(key[0], place.source_file, False, _place_of(place))
            body: Body = {"name": escape(name), "sourceReference": self.number(text), "origin": escape(path)}
        else:
            body = {"name": escape(name), "path": self._adapter.paths.to_client(path)}
        self._bodies[key] = body
        return body

    async def loaded(self, places: Sequence[Location]) -> None:
        """Tell the client of the sources of classes that a breakpoint has waited for. No trip."""
        for place in places:
            body = await self.of_place(place)
            key = body.get("path") or body.get("sourceReference") if body is not None else None
            if key is not None and key not in self._told:
                self._told.add(key)
                self._adapter.sender.event("loadedSource", {"reason": "new", "source": body})

    def replaced(self, class_names: Sequence[str]) -> None:
        """Tell the client which sources that it was shown are of classes that have been replaced. No trip."""
        owners = {_outermost(each) for each in class_names}
        shown = [body for (owner, _), body in self._bodies.items() if owner in owners]
        for text, number in self._references.items():
            if text.disassembled and _outermost(text.class_name) in owners:
                name = text.source or f"{text.class_name.rpartition('.')[2]}.class"
                shown.append({"name": escape(name), "sourceReference": number, "origin": self.origin})
        for body in shown:
            self._adapter.sender.event("loadedSource", {"reason": "changed", "source": body})

    def _without_source(self, place: Location) -> Body:
        """Return the decompiled or disassembled class in place of its source; a source that turns up later is found
        then."""
        text = MadeSource(place.class_name, place.source_file, True, _place_of(place))
        name = place.source or f"{place.class_name.rpartition('.')[2]}.class"
        return {"name": escape(name), "sourceReference": self.number(text), "origin": self.origin}

    @property
    def origin(self) -> str:
        """Return what is shown in place of a source that is not found."""
        return "decompiled" if self._adapter.console.decompiler else "disassembly"

    def number(self, text: MadeSource) -> int:
        """Return the number of a source that is no file."""
        number = self._references.get(text)
        if number is None:
            self._texts.append(text)
            number = self._references[text] = len(self._texts)
        return number

    def text(self, number: int) -> MadeSource:
        """Return the source of a number. Raises UsageError."""
        if not 0 < number <= len(self._texts):
            raise UsageError(f"no source {number}", code="NO_SUCH_SOURCE")
        return self._texts[number - 1]

    def place(self, number: int) -> str:
        """Return what stands before the line of a breakpoint in the source of a number. Raises UsageError."""
        return self.text(number).place

    async def classes_of(self, file: str) -> list[str]:
        """Return names of loaded classes that were compiled from a file. wire: 2 trips."""
        found: list[str] = []
        for path, classes in (await self._adapter.session.classes.source_files()).items():
            typed, known = file.split("/"), path.split("/")
            common = min(len(typed), len(known))
            if typed[-common:] == known[-common:]:
                found += classes
        return found

    def method_number(self, method: CodeOf) -> int:
        """Return the number of a method, for addresses."""
        number = self._method_numbers.get(method)
        if number is None:
            self._methods.append(method)
            number = self._method_numbers[method] = len(self._methods)
        return number

    def method(self, number: int) -> CodeOf:
        """Return the method of a number. Raises UsageError."""
        if not 0 < number <= len(self._methods):
            raise UsageError("no code at that address", code="NO_CODE")
        return self._methods[number - 1]

    def class_number(self, name: str) -> int:
        """Return the number of a class, for the place of its declaration. No trip."""
        number = self._class_numbers.get(name)
        if number is None:
            self._classes.append(name)
            number = self._class_numbers[name] = len(self._classes)
        return number

    def class_of(self, number: int) -> str:
        """Return the class of a number. Raises UsageError."""
        if not 0 < number <= len(self._classes):
            raise UsageError(f"no location {number}", code="NO_SUCH_LOCATION")
        return self._classes[number - 1]


def _outermost(class_name: str) -> str:
    package, dot, name = class_name.rpartition(".")
    return f"{package}{dot}{name[:1]}{name[1:].partition('$')[0]}"


def _place_of(place: Location) -> str:
    """Return the file of a place with the directories of its package; without a file's name the class."""
    if place.source is None:
        return place.class_name
    package = place.class_name.rpartition(".")[0].replace(".", "/")
    return f"{package}/{place.source}" if package else place.source


class SourceRef(Record):
    """The record with a source's number, in newer clients."""

    sourceReference: int = 0


class SourceArguments(Record):
    """Arguments of ``source``."""

    sourceReference: int = 0
    source: SourceRef | None = None


@request("source", SourceArguments)
async def source(adapter: Adapter, args: SourceArguments) -> Body:
    """Return the text of a source that is no file, or the code of a class that has none.

    wire: none; 3 trips for code, some 15 more for a decompiler.
    """
    number = args.source.sourceReference if args.source is not None and args.source.sourceReference else 0
    text = adapter.sources.text(number or args.sourceReference)
    session = adapter.session
    if not text.disassembled:
        file = await session.sources.text(text.class_name, text.source)
        if file is None:
            raise StateError("the source cannot be read any more")
        return {"content": "\n".join(file.lines) + "\n", "mimeType": "text/x-java"}
    try:
        methods = await session.code.disassemble(text.class_name)
    except UsageError as error:
        raise StateError(f"no source, and no code: {error.message}") from None
    if command := adapter.console.decompiler:
        firsts = [(each.method, next((one.line for one in each.instructions if one.line), 0)) for each in methods]
        try:
            made = await session.sources.decompiled_on_lines(text.class_name, command, firsts)
        except JdbpyError as error:
            say(adapter, f"{text.class_name} is shown as bytecode: {error.message}", "important")
        else:
            return {"content": escape_lines("\n".join(made.lines)) + "\n", "mimeType": "text/x-java"}
    return {"content": laid_out(methods), "mimeType": "text/plain"}


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


# -- instructions ----------------------------------------------------------------------------------------------------


def instruction_reference(adapter: Adapter, place: Location) -> str:
    """Return the address of an instruction: the number of its method, and its index. No trip."""
    method = CodeOf(place.class_name, place.method, place.signature)
    return f"{adapter.sources.method_number(method) << _INDEX_BITS | max(0, place.code_index):#x}"


class Disassemble(Record):
    """Arguments of ``disassemble``."""

    memoryReference: str
    instructionCount: int
    offset: int = 0
    instructionOffset: int = 0


@request("disassemble", Disassemble, supportsDisassembleRequest=True)
async def disassemble(adapter: Adapter, args: Disassemble) -> Body:
    """Instructions around an address; those before and behind the method are said to be none. wire: 3 trips."""
    count = args.instructionCount
    if not 0 <= count <= MOST_INSTRUCTIONS or abs(args.instructionOffset) > 1 << 31 or abs(args.offset) > 1 << 31:
        raise UsageError(f"arguments.instructionCount must be from 0 to {MOST_INSTRUCTIONS:,}", code="WRONG_ARGUMENT")
    address = _address(args.memoryReference) + args.offset
    method = adapter.sources.method(address >> _INDEX_BITS)
    base = address >> _INDEX_BITS << _INDEX_BITS
    found = await _instructions(adapter, method)
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
                body["line"] = adapter.line_out(each.line)
        else:
            beyond = base + number if number < 0 else base + last + 1 + number - len(found)
            body = {"address": f"{max(0, beyond):#x}", "instruction": "", "presentationHint": "invalid"}
        shown.append(body)
    return {"instructions": shown}


def _address(reference: str) -> int:
    try:
        return int(reference[:32], 0)
    except ValueError:
        raise UsageError("a memory reference is not an address of code", code="WRONG_ARGUMENT") from None


async def code_at(adapter: Adapter, reference: str, offset: int) -> str:
    """Return an address as a place of breakpoints: ``Order.total(int)@12``. Raises UsageError. wire: 3 trips, once."""
    address = _address(reference) + offset
    method = adapter.sources.method(address >> _INDEX_BITS)
    found = await disassembly(adapter, method)
    if found is None:
        raise UsageError("no code at that address", code="NO_CODE")
    return f"{method.class_name}.{method.method}({','.join(found.parameters)})@{address & (1 << _INDEX_BITS) - 1}"


async def disassembly(adapter: Adapter, method: CodeOf) -> code.Disassembly | None:
    """Return the code of a method, None if it is there no more. wire: 3 trips, none for one that is known."""
    methods = await adapter.session.code.disassemble(f"{method.class_name}.{method.method}")
    return next((each for each in methods if each.signature == method.signature), None)


async def _instructions(adapter: Adapter, method: CodeOf) -> Sequence[code.Instruction]:
    found = await disassembly(adapter, method)
    return found.instructions if found is not None else ()


class LocationOf(Record):
    """Arguments of ``locations``."""

    locationReference: int


@request("locations", LocationOf)
async def locations(adapter: Adapter, args: LocationOf) -> Body:
    """Return where the class of a value is written: its first line with code. wire: 3 trips."""
    name = adapter.sources.class_of(args.locationReference)
    entries = await adapter.session.classes.lines(name)
    detail = await adapter.session.classes.detail(name)
    line = min((each.line for each in entries if not each.source), default=None)
    place = jdbpy.Location(name, "", "", detail.source, line, 0)
    source = await adapter.sources.of_place(place)
    if source is None or line is None:
        raise StateError(f"the class {name} has no lines")
    return {"source": source, "line": adapter.line_out(line)}


# -- lists -----------------------------------------------------------------------------------------------------------


@request("loadedSources", supportsLoadedSourcesRequest=True)
async def loaded_sources(adapter: Adapter, args: Record) -> Body:
    """Return the sources of loaded classes, those of the runtime left out. wire: 2 trips."""
    files = await adapter.session.classes.source_files()
    shown: list[Body] = []
    for path, classes in list(files.items())[:MOST_SOURCES]:
        name = path.rpartition("/")[2]
        found = await adapter.session.sources.find(classes[0], name) if classes else None
        if found is not None and "!" not in found:
            shown.append({"name": escape(name), "path": adapter.paths.to_client(found)})
        elif classes:
            place = MadeSource(_outermost(classes[0]) if found else classes[0], name, found is None, path)
            origin = escape(found) if found is not None else adapter.sources.origin
            number = adapter.sources.number(place)
            shown.append({"name": escape(name), "sourceReference": number, "origin": origin})
    return {"sources": shown}


class ModulesOf(Record):
    """Arguments of ``modules``."""

    startModule: int = 0
    moduleCount: int = 0


@request("modules", ModulesOf, supportsModulesRequest=True)
async def modules(adapter: Adapter, args: ModulesOf) -> Body:
    """Return the modules of Java 9 and later. wire: 5 trips."""
    found = await adapter.session.modules.list()
    start = max(0, args.startModule)
    chosen = found[start : start + args.moduleCount] if args.moduleCount > 0 else found[start:]
    shown = []
    for each in chosen:
        body: Body = {"id": each.id, "name": escape(each.name or f"unnamed of {each.loader}")}
        if each.version:
            body["version"] = escape(each.version)
        shown.append(body)
    return {"modules": shown, "totalModules": len(found)}
