"""The places in code of the target: from a parsed location to the code indices at which to stop.

Owns the search, over types that are loaded: which of them are meant, which methods, which instructions. It sets
nothing in the target. What is to happen when a class is not loaded yet belongs to ``placement``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from jdbpy.errors import UsageError
from jdbpy.record import Record
from jdbpy.session.breakpoints.location_spec import ClassLine, FileLine, MethodPlace
from jdbpy.session.events.target import Target
from jdbpy.session.java.bytecode import MalformedCode, decode
from jdbpy.session.java.class_names import (
    close_to,
    enclosing,
    is_hidden_name,
    not_loaded,
    of_the_runtime,
    path_of_package,
)
from jdbpy.session.java.constant_pool import ConstantPool
from jdbpy.session.java.signatures import is_lambda_class, outermost, package_of, simple_name
from jdbpy.session.java.smap import StratumFile
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.facts import MethodKey
from jdbpy.session.jvm.lines import no_code_on_line
from jdbpy.session.jvm.refs import Method, RefType
from jdbpy.session.jvm.types import sources_of
from jdbpy.session.sources.class_lines import ClassLines
from jdbpy.wire.ids import CodeLocation, ReferenceTypeID

_NEW = 187
_OF_MEMBERS = (178, 183, 184)
"""getstatic, invokespecial, invokestatic"""

_INDEXED = 16
"""Groups of types whose lines are kept by number, for the next breakpoint in them."""

AbsoluteSpec = ClassLine | FileLine | MethodPlace
"""A place that means the same whichever frame is selected; a MethodPlace of this kind names its class."""


class FoundPlaces(Record):
    """The code indices at which to stop. Without places, ``waiting`` for classes that are not loaded yet; ``note`` is a
    clause more.

    ``moved``: the line that was asked for has no code, and these places are on the next one that has.
    """

    places: tuple[CodeLocation, ...]
    note: str = ""
    moved: bool = False

    @property
    def waiting(self) -> bool:
        return not self.places


class PlaceFinder:
    """Finds places in the loaded types of one target."""

    def __init__(self, target: Target) -> None:
        self._types = target.types
        self._class_lines = ClassLines.of(target)
        self._by_line: dict[tuple[Any, ...], dict[int, list[MethodKey]]] = {}  # of the types that were last looked at

    def forget(self) -> None:
        """Classes were redefined: they have other lines now."""
        self._by_line.clear()

    # -- which types -------------------------------------------------------------------------------------------------

    async def among(self, spec: AbsoluteSpec, listed: Iterable[RefType]) -> list[RefType]:
        """Return the types, out of all that are loaded, that the place can be in. Raises UsageError for an ambiguous
        name.

        wire: 1 trip for a file, whose classes are known by their SourceFile attribute and their source map; else none.
        """
        named = None if isinstance(spec, FileLine) else spec.class_name
        hidden = named is not None and is_hidden_name(named.text)
        classes = [each for each in listed if (hidden and not each.is_array) or _may_have_source(each)]
        if isinstance(spec, FileLine):
            return await self._of_file(spec, classes)
        assert spec.class_name is not None
        near = [each for each in classes if spec.class_name.needle in each.signature]
        if isinstance(spec, MethodPlace):
            chosen = spec.class_name.choose(each.name for each in near)
            return [each for each in near if each.name in chosen]
        names = {each: enclosing(each.name) for each in near}
        chosen = spec.class_name.choose(name for around in names.values() for name in around)
        return [each for each, around in names.items() if not chosen.isdisjoint(around)]

    def likely(self, spec: AbsoluteSpec) -> list[ReferenceTypeID]:
        """Known types that the place may be in, for asking ahead. No trip."""
        if isinstance(spec, FileLine):
            stem = _stem(spec)
            return [each.id for each in self._types.all_known() if f"/{stem}" in each.signature and not each.is_array]
        name = spec.class_name
        assert name is not None
        near = [each for each in self._types.all_known() if name.needle in each.signature and _may_have_source(each)]
        return [each.id for each in near if any(map(name.may_mean, enclosing(each.name)))]

    async def concerns(self, spec: AbsoluteSpec, prepared: RefType) -> bool:
        """True if a class that has just been prepared may contain the place. wire: 1 trip for a file, else none."""
        if not isinstance(spec, FileLine):
            return self.may_concern(spec, prepared)
        await self._types.facts.prefetch((facts.METHODS, [prepared.id]))
        files = (await sources_of(self._types, [prepared.id]))[prepared.id]
        return any(_is_of(spec, file, prepared.name) for file in files) or (
            not spec.file.endswith(".java") and any(file.name == spec.file for file in files)
        )

    def may_concern(self, spec: AbsoluteSpec, prepared: RefType) -> bool:
        """The same as far as the name of the class decides it, which for a file it does not. No trip."""
        if isinstance(spec, FileLine):
            return True
        assert spec.class_name is not None
        if isinstance(spec, MethodPlace):
            return spec.class_name.may_mean(prepared.name)
        return any(map(spec.class_name.may_mean, enclosing(prepared.name)))

    async def _of_file(self, spec: FileLine, classes: Sequence[RefType]) -> list[RefType]:
        """Classes compiled from the file, or into which code of it was inlined.

        Java's are looked for in the packages of those named like the file.
        """
        stem = _stem(spec)
        packages = {package_of(each.name) for each in classes if simple_name(outermost(each.name)) == stem}
        if packages and spec.file.endswith(".java"):
            pool = [each for each in classes if package_of(each.name) in packages]
        else:
            pool = [each for each in classes if not of_the_runtime(each.name)]
        sources = await sources_of(self._types, (each.id for each in pool))
        named = [each for each in pool if any(file.name == spec.file for file in sources[each.id])]
        fitting = [each for each in named if any(_is_of(spec, file, each.name) for file in sources[each.id])]
        return fitting or named

    # -- which instructions ------------------------------------------------------------------------------------------

    async def places(self, spec: AbsoluteSpec, types: Sequence[RefType], *, move: bool = False) -> FoundPlaces:
        """Return the places to stop at in these types. Raises UsageError when there can be none, now or later.

        With ``move``, which is for all the types that a line may be in, a line without code is the next one with code.

        wire: a line 2 trips, and 1 for lines that a method comes back to; a method 1 trip, and 1 a superclass when it
        is inherited; 0 for types whose code is known.
        """
        if isinstance(spec, MethodPlace):
            return await self._methods(spec, types)
        return await self._line(spec, types, move=move)

    async def _line(self, spec: ClassLine | FileLine, types: Sequence[RefType], *, move: bool) -> FoundPlaces:
        file = spec.file if isinstance(spec, FileLine) else None
        around = (file, *(each.id for each in types))
        known = self._by_line.get(around, {}).get(spec.line, ())
        if known and (places := await self._types.locations_of_line(known, spec.line, file)):
            return FoundPlaces(tuple(places))
        declared = await self._types.methods(each.id for each in types)
        keys = [
            (type_id, method.id)
            for type_id, methods in declared.items()
            for method in methods
            if method.has_code and not method.is_bridge and not _is_forwarder(method, methods)
        ]
        places = await self._types.locations_of_line(keys, spec.line, file)
        for other in self._files_of_strata(types) if not places and file is None else ():
            if places := await self._types.locations_of_line(keys, spec.line, other):
                return FoundPlaces(tuple(places))
        if len(self._by_line) >= _INDEXED:
            self._by_line.clear()
        index: dict[int, list[MethodKey]] = {}
        self._by_line[around] = index
        for key in keys:
            for line in self._types.lines_of(key, file).lines():
                index.setdefault(line, []).append(key)
        if places:
            return FoundPlaces(tuple(places))
        lines = set(index)
        tops = sorted({outermost(each.name) for each in types})
        where = spec.file if isinstance(spec, FileLine) else " or ".join(tops)
        nowhere = no_code_on_line(spec.line, lines, where, has_code=bool(keys))
        absent = await self._not_loaded(types)
        local = any(map(_is_local, absent)) or (absent and not self._are_of_java(types))
        if move and not local and (within := self._next_within(keys, spec.line, file)):
            return await self._moved(spec, within, index[within], where, file)
        elsewhere = await self._lines_not_loaded(absent, types) if absent and move and lines else None
        further = min((line for line in lines if line > spec.line), default=None) if move else None
        if elsewhere is not None:
            nearest = min((line for line in elsewhere if line >= spec.line), default=None)
            if nearest is not None and (further is None or nearest < further):
                classes = elsewhere[nearest]
                if nearest == spec.line:
                    return FoundPlaces((), not_loaded(classes))
                where = f"the next one with code, {nearest}, is in {', '.join(classes)}, which is not loaded yet"
                return FoundPlaces((), f"no code on line {spec.line}; {where}")
            absent = []
        if absent and not lines:  # an interface, the static forwarders of an object of Scala's
            return FoundPlaces((), not_loaded(absent))
        if absent:
            verb = "is" if len(absent) == 1 else "are"
            return FoundPlaces(
                (), f"{nowhere.message}, if it is not in {', '.join(absent[:5])}, which {verb} not loaded yet"
            )
        if isinstance(spec, FileLine) and (not keys or (lines and _may_hold_more(spec, lines, types))):
            return FoundPlaces((), f"{nowhere.message}, in the classes of the file that are loaded so far")
        if further is not None:
            return await self._moved(spec, further, index[further], where, file)
        raise nowhere

    async def _lines_not_loaded(self, absent: Sequence[str], types: Sequence[RefType]) -> dict[int, list[str]] | None:
        """Return the lines of classes inside these that are not loaded yet, with the classes, as class files on this
        machine have them; None unless those of all absent ones are known. wire: 1 trip, once."""
        if not self._are_of_java(types) or any(self._types.stratum_of(each.id) for each in types):
            return None
        found: dict[int, list[str]] = {}
        loaded = {each.name for each in self._types.all_known()}
        for top in sorted(set(map(_top, absent))):
            inside = await self._class_lines.inside(top)
            if any(_top(name) == top and name not in inside for name in absent):
                return None
            for name, lines in inside.items():
                for line in lines if name not in loaded else ():
                    found.setdefault(line, []).append(name)
        return found

    async def _moved(
        self, spec: ClassLine | FileLine, to: int, keys: Sequence[MethodKey], where: str, file: str | None
    ) -> FoundPlaces:
        """Return the places on the next line with code. wire: 1 trip, 0 when known."""
        places = await self._types.locations_of_line(keys, to, file)
        return FoundPlaces(tuple(places), f"moved to line {to}: no code on line {spec.line} of {where}", moved=True)

    def _next_within(self, keys: Sequence[MethodKey], line: int, file: str | None) -> int | None:
        """Return the next line with code of a method that has lines on both sides of a line: a class that is not loaded
        yet can have none there, unless it is a local one. No trip.

        Constructors and static initializers have the lines of fields, which may stand on both sides of a class.
        """
        names = {
            (type_id, m.id): m.name
            for type_id, _ in keys
            for m in self._types.facts.known(facts.METHODS, type_id) or ()
        }
        for key in keys:
            lines = [] if names.get(key, "<").startswith("<") else list(self._types.lines_of(key, file).lines())
            if lines and min(lines) < line < max(lines):
                return min(each for each in lines if each > line)
        return None

    def _are_of_java(self, types: Iterable[RefType]) -> bool:
        """True if the types were compiled from Java, as far as their source files say it: other languages name classes
        of closures and local classes as they like. No trip."""
        files = (self._types.facts.known(facts.SOURCE_FILE, each.id) for each in types)
        return all(file is None or file.endswith(".java") for file in files)

    def _files_of_strata(self, types: Sequence[RefType]) -> list[str]:
        """Return the files whose lines the types have by their strata. No trip."""
        strata = [self._types.stratum_of(each.id) for each in types]
        return list(dict.fromkeys(file.name for each in strata if each is not None for file in each.files))

    async def outstanding(self, places: Sequence[CodeLocation]) -> list[str]:
        """Return names of classes that are written inside those of the places, used by code of their lines, and not
        loaded.

        Compilers make one of a lambda (Scala, Kotlin) or an anonymous class. wire: 1 trip, 0 when known.
        """
        types, keys = self._types, list(dict.fromkeys((place.classID, place.methodID) for place in places))
        await types.facts.prefetch(
            (facts.BYTECODES, keys), (facts.CONSTANT_POOL, {type_id for type_id, _ in keys}), (facts.LINES, keys)
        )
        loaded = {each.name for each in types.all_known()}
        found: set[str] = set()
        for place in places:
            key, pool = (place.classID, place.methodID), types.facts.known(facts.CONSTANT_POOL, place.classID)
            lines, code = types.facts.known(facts.LINES, key), types.facts.known(facts.BYTECODES, key)
            if pool is None or lines is None or not code:
                continue
            top, line = _top(types.location(place).class_name), lines.line_at(place.index)
            used = {name for index, name in _classes_used(code, pool) if lines.line_at(index) == line}
            found |= {name for name in used - loaded if "$" in name and _top(name) == top}
        return sorted(found)

    async def _not_loaded(self, types: Iterable[RefType]) -> list[str]:
        """Return names of nested, local and anonymous classes inside these types, and of what is around them, that are
        not loaded yet. wire: 1 trip."""
        mentioned = await self._types.facts.many(facts.MENTIONED_CLASSES, [each.id for each in types])
        tops = {_top(each.name) for each in types}
        loaded = {each.name for each in self._types.all_known()}
        names = {name for pool in mentioned.values() for name in pool or () if not is_lambda_class(name)}
        return sorted(name for name in names - loaded if ("$" in name or name in tops) and _top(name) in tops)

    async def _methods(self, spec: MethodPlace, types: Sequence[RefType]) -> FoundPlaces:
        assert spec.class_name is not None
        declared = await self._types.methods(each.id for each in types)
        fitting = [(each, method) for each in types for method in declared.get(each.id, ()) if spec.fits(method)]
        note = ""
        if not fitting and not spec.class_name.is_pattern:
            fitting = await self._inherited(spec, types)
            if fitting:
                note = f"inherited from {fitting[0][0].name}: stops for every class that inherits it"
        if not fitting:
            raise _no_method(spec, types, [method for methods in declared.values() for method in methods])
        # A bridge only calls the method that the source has, and would stop a second time.
        own = [(each, method) for each, method in fitting if not method.is_bridge] or fitting
        places = [CodeLocation(each.tag, each.id, method.id, spec.index) for each, method in own if method.has_code]
        without = [method for _, method in own if not method.has_code]
        if spec.index and places:
            places = await self._at_instructions(spec, places)
        if not places:
            raise _no_code(own[0][0], without)
        if without and not spec.class_name.is_pattern:
            note = f"passed over: {', '.join(map(_describe, without))}, without code"
        return FoundPlaces(tuple(places), note)

    async def _at_instructions(self, spec: MethodPlace, places: Sequence[CodeLocation]) -> list[CodeLocation]:
        """Return the places at which an instruction begins: inside of one the VM takes a breakpoint and breaks. wire: 1
        trip.
        """
        code = await self._types.facts.many(facts.BYTECODES, [(each.classID, each.methodID) for each in places])
        chosen = [each for each in places if _begins(code.get((each.classID, each.methodID)) or b"", each.index)]
        if not chosen:
            raise UsageError(
                f"no instruction begins at index {spec.index} of {spec.method}",
                hint="'disassemble CLASS.METHOD' shows the indexes",
                code="NO_CODE",
            )
        return chosen

    async def _inherited(self, spec: MethodPlace, types: Sequence[RefType]) -> list[tuple[RefType, Method]]:
        """Return the method as the nearest superclass, or else an interface, declares it; not private, not a
        constructor."""
        if spec.method.startswith("<"):
            return []
        found: dict[tuple[RefType, Method], None] = {}
        for each in types:
            for ancestor in await self._types.ancestors(each.id, facts.METHODS):
                methods = self._types.facts.known(facts.METHODS, ancestor.id) or ()
                fitting = [method for method in methods if spec.fits(method) and not method.is_private]
                if fitting:
                    found.update(dict.fromkeys((ancestor, method) for method in fitting))
                    break
        return list(found)


def _is_forwarder(method: Method, methods: Iterable[Method]) -> bool:
    """True if Scala compiled the method a second time for primitive types: ``apply`` only calls ``apply$mcII$sp``."""
    start, signature = f"{method.name}$mc", method.signature
    return any(
        each.name.startswith(start) and each.name.endswith("$sp") and each.signature == signature for each in methods
    )


def _top(name: str) -> str:
    """Return the top-level class, an object of Scala's (``Main$``) taken together with the class of its name."""
    return outermost(name).removesuffix("$")


def _classes_used(code: bytes, pool: ConstantPool) -> Iterator[tuple[int, str]]:
    """Yield the index of each instruction that makes an object of a class or uses its members, and the class."""
    try:
        for each in decode(code):
            entry = int.from_bytes(code[each.index + 1 : each.index + 3], "big")
            if each.opcode == _NEW:
                yield each.index, pool.name(entry).replace("/", ".")
            elif each.opcode in _OF_MEMBERS:
                yield each.index, pool.member(entry)[0].replace("/", ".")
    except MalformedCode:
        return


def _begins(code: bytes, index: int) -> bool:
    try:
        return any(each.index == index for each in decode(code))
    except MalformedCode:
        return False


def _may_have_source(each: RefType) -> bool:
    return not each.is_array and not is_lambda_class(each.signature)


def _stem(spec: FileLine) -> str:
    return spec.file.partition(".")[0]


def _is_of(spec: FileLine, file: StratumFile, class_name: str) -> bool:
    """True if this file of a class is the one: its name, and a directory that does not contradict what was typed.

    The directory is where the file's path says, else that of the class's package; either may say less than the other.
    """
    typed = [part for part in spec.directory.split("/") if part not in ("", ".")]
    where = path_of_package(class_name) if file.path is None else file.path.rpartition("/")[0]
    known = [part for part in where.split("/") if part]
    common = min(len(typed), len(known))
    return file.name == spec.file and (not common or typed[-common:] == known[-common:])


def _is_local(name: str) -> bool:
    """True for the name of a local or anonymous class, whose code stands within a method."""
    return any(part[:1].isdigit() for part in simple_name(name).split("$")[1:])


def _may_hold_more(spec: FileLine, lines: set[int], types: Iterable[RefType]) -> bool:
    """True if a class that is not loaded may have the line: in Java one behind the class that the file is named for, or
    anywhere while that is not there."""
    named = any(simple_name(outermost(each.name)) == _stem(spec) for each in types)
    return not spec.file.endswith(".java") or spec.line > max(lines) or (spec.line < min(lines) and not named)


def _describe(method: Method) -> str:
    return f"{method.name}({','.join(simple_name(each) for each in method.parameters)})"


def _no_method(spec: MethodPlace, types: Sequence[RefType], methods: Sequence[Method]) -> UsageError:
    where = " or ".join(sorted({each.name for each in types}))
    overloads = [_describe(method) for method in methods if method.name == spec.method]
    if overloads:
        hint = f"there is {', '.join(overloads)}"
    elif spec.method == "<clinit>":
        hint = "the class has no static initializer"
    else:
        similar = close_to(spec.method, (method.name for method in methods))
        hint = f"there is {', '.join(similar)}" if similar else f"'methods {types[0].name}' lists what there is"
        if spec.method == simple_name(types[0].name).rpartition("$")[2]:
            hint = "constructors are called <init>"
    return UsageError(f"no method {spec.method_text} in {where}", hint=hint, code="NO_METHOD")


def _no_code(declaring: RefType, methods: Sequence[Method]) -> UsageError:
    method = methods[0]
    name = f"{declaring.name}.{_describe(method)}"
    if method.is_native:
        return UsageError(f"{name} is native: no code to stop at", hint="stop where it is called", code="NATIVE_METHOD")
    return UsageError(
        f"{name} is abstract: no code to stop at",
        hint=f"stop in a class that implements it; 'class {declaring.name}' lists some",
        code="ABSTRACT_METHOD",
    )
