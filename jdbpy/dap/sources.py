"""The sources and methods that the client was shown: their bodies, numbers and addresses.

A file of this machine is named by its path. What is in an archive (a jar of sources, the JDK's src.zip) has a number,
by which its text is asked for. So has a class without source: what the user's decompiler makes of it, else its
instructions, are shown on the lines that they were compiled from, so that the line of a frame is right, and breakpoints
can be set there as in a source.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jdbpy import UsageError
from jdbpy.dap.debuggee import Debuggee
from jdbpy.dap.editor import Editor
from jdbpy.dap.paths import PART_OF_PATH, ClientSource
from jdbpy.dap.protocol import Body
from jdbpy.escape import escape
from jdbpy.record import Record

if TYPE_CHECKING:
    from jdbpy import Location, code

INDEX_BITS = 16
"""Bits of an address that are the index of the instruction; those before it are the number of the method."""


class MadeSource(Record):
    """A source that is no file: of a class, by its source's name; ``disassembled`` if there is none.

    ``place`` is what stands before the line in a breakpoint there. ``lines``: it is this text, which a file of recorded
    calls has brought.
    """

    class_name: str
    source: str | None
    disassembled: bool
    place: str
    lines: tuple[str, ...] = ()


class CodeOf(Record):
    """A method, by the names of its class and itself and its signature."""

    class_name: str
    method: str
    signature: str


class SourceTable:
    """The sources and methods that the client was shown, by their numbers."""

    def __init__(self, debuggee: Debuggee, editor: Editor) -> None:
        self._debuggee = debuggee
        self._editor = editor
        self.decompiler = ""
        """The decompiler's program and arguments, from the configuration or `set decompiler`; "" for none."""
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
        key = outermost(place.class_name), place.source_file
        known = self._bodies.get(key) or self._bodies.get((place.class_name, place.source_file))
        if known is not None:
            return known
        path = await self._debuggee.session.sources.find(place.class_name, place.source_file)
        if path is None:
            return self._without_source(place)
        name = place.source or path.replace("\\", "/").rpartition("/")[2]
        if "!" in path:
            text = MadeSource(key[0], place.source_file, False, _place_of(place))
            body: Body = {"name": escape(name), "sourceReference": self.number(text), "origin": escape(path)}
        else:
            body = {"name": escape(name), "path": self._editor.paths.to_client(path)}
        self._bodies[key] = body
        return body

    def of_text(self, place: Location, lines: Sequence[str]) -> Body:
        """Return a source that is this text. No trip."""
        text = MadeSource(place.class_name, place.source_file, False, _place_of(place), tuple(lines))
        return {"name": escape(place.source or place.class_name), "sourceReference": self.number(text)}

    async def loaded(self, places: Sequence[Location]) -> None:
        """Tell the client of the sources of classes that a breakpoint has waited for. No trip."""
        for place in places:
            body = await self.of_place(place)
            key = body.get("path") or body.get("sourceReference") if body is not None else None
            if key is not None and key not in self._told:
                self._told.add(key)
                self._editor.event("loadedSource", {"reason": "new", "source": body})

    def replaced(self, class_names: Sequence[str]) -> None:
        """Tell the client which sources that it was shown are of classes that have been replaced. No trip."""
        owners = {outermost(each) for each in class_names}
        shown = [body for (owner, _), body in self._bodies.items() if owner in owners]
        for text, number in self._references.items():
            if text.disassembled and outermost(text.class_name) in owners:
                name = text.source or f"{text.class_name.rpartition('.')[2]}.class"
                shown.append({"name": escape(name), "sourceReference": number, "origin": self.origin})
        for body in shown:
            self._editor.event("loadedSource", {"reason": "changed", "source": body})

    def _without_source(self, place: Location) -> Body:
        """Return the decompiled or disassembled class in place of its source; a source that turns up later is found
        then."""
        text = MadeSource(place.class_name, place.source_file, True, _place_of(place))
        name = place.source or f"{place.class_name.rpartition('.')[2]}.class"
        return {"name": escape(name), "sourceReference": self.number(text), "origin": self.origin}

    @property
    def origin(self) -> str:
        """Return what is shown in place of a source that is not found."""
        return "decompiled" if self.decompiler else "disassembly"

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
        for path, classes in (await self._debuggee.session.classes.source_files()).items():
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

    def instruction_reference(self, place: Location) -> str:
        """Return the address of an instruction: the number of its method, and its index. No trip."""
        method = CodeOf(place.class_name, place.method, place.signature)
        return f"{self.method_number(method) << INDEX_BITS | max(0, place.code_index):#x}"

    async def code_at(self, reference: str, offset: int) -> str:
        """Return an address as a place of breakpoints: ``Order.total(int)@12``. Raises UsageError.

        wire: 3 trips, once.
        """
        address = address_of_code(reference) + offset
        method = self.method(address >> INDEX_BITS)
        found = await self.disassembly(method)
        if found is None:
            raise UsageError("no code at that address", code="NO_CODE")
        return f"{method.class_name}.{method.method}({','.join(found.parameters)})@{address & (1 << INDEX_BITS) - 1}"

    async def disassembly(self, method: CodeOf) -> code.Disassembly | None:
        """Return the code of a method, None if it is there no more. wire: 3 trips, none for one that is known."""
        methods = await self._debuggee.session.code.disassemble(f"{method.class_name}.{method.method}")
        return next((each for each in methods if each.signature == method.signature), None)

    def place_of(self, source: ClientSource) -> str:
        """Return the file as places name it: its name behind those directories that may be a package; the whole path
        where all of them may."""
        known = self.place(source.sourceReference) if source.sourceReference else ""
        path = known or self._editor.paths.of_client(source.path) or source.name
        parts = path.replace("\\", "/").split("/")
        if not parts[-1] or len(path) > 10_000 or any(sign in parts[-1] for sign in ":\n\r"):
            raise UsageError("the source has no file name", code="WRONG_ARGUMENT")
        directories: list[str] = []
        for part in reversed(parts[:-1]):
            if not PART_OF_PATH.fullmatch(part):
                break
            directories.insert(0, part)
        if not parts[0] and len(directories) == len(parts) - 2:
            directories.insert(0, "")
        return "/".join([*directories, parts[-1]])


def outermost(class_name: str) -> str:
    """Return the name of the class around a nested one; that of any other class as it is."""
    package, dot, name = class_name.rpartition(".")
    return f"{package}{dot}{name[:1]}{name[1:].partition('$')[0]}"


def _place_of(place: Location) -> str:
    """Return the file of a place with the directories of its package; without a file's name the class."""
    if place.source is None:
        return place.class_name
    package = place.class_name.rpartition(".")[0].replace(".", "/")
    return f"{package}/{place.source}" if package else place.source


def address_of_code(reference: str) -> int:
    """Return the address of a reference. Raises UsageError."""
    try:
        return int(reference[:32], 0)
    except ValueError:
        raise UsageError("a memory reference is not an address of code", code="WRONG_ARGUMENT") from None
