"""Single classes: found by name, and described with their members, lines and relatives.

Owns how a name finds a class and its details; the facts themselves come from ``TypeCache``. ``classes``
says what its methods do and cost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from jdbpy.errors import JdwpError, UsageError
from jdbpy.session.concurrency import both, together
from jdbpy.session.events.suspension import Moment
from jdbpy.session.events.target import Target
from jdbpy.session.inspect.class_list import class_info
from jdbpy.session.inspect.class_records import declaration, field_info, method_info
from jdbpy.session.java import signatures
from jdbpy.session.java.class_file import version_words
from jdbpy.session.java.class_names import ClassName, close_to, parse_class_name, similar
from jdbpy.session.java.generics import generic_class
from jdbpy.session.java.jdk import above
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.loaders import Loaders
from jdbpy.session.jvm.refs import Field, Method, RefType
from jdbpy.session.jvm.types import lines_by_index
from jdbpy.session.model.classes import ClassDetail, ClassInfo, FieldInfo, KnownNames, LineEntry, MethodInfo
from jdbpy.session.model.threads import NOT_KNOWN
from jdbpy.session.sources.text import relative_path
from jdbpy.wire.constants import TypeTag
from jdbpy.wire.ids import ClassLoaderID, ReferenceTypeID
from jdbpy.wire.messages import module_reference, reference_type
from jdbpy.wire.messages.virtual_machine import ClassInfoWithGeneric

if TYPE_CHECKING:
    from jdbpy.session.eval.utility_calls import CallRunner
    from jdbpy.session.inspect.class_origin import Origins

_ABOUT: dict[facts.Fact[ReferenceTypeID, Any], str] = {
    facts.MODIFIERS: "the modifiers are",
    facts.SUPERCLASS: "the superclass is",
    facts.INTERFACES: "the interfaces are",
    facts.LOADER: "the class loader is",
    facts.SOURCE_FILE: "the source file is",
    facts.CLASS_FILE_VERSION: "the version of the class file is",
    facts.MODULE: "the module is",
}
"""The facts of the class itself that ``detail`` asks for."""


class Details:
    """The details of single classes of one target. Costs and errors as ``Classes`` says."""

    def __init__(self, target: Target, runner: Callable[[], CallRunner | None]) -> None:
        self._target = target
        self._runner = runner
        self._types = target.types
        self._loaders = Loaders(target.conn, target.types)
        self._listed: tuple[Moment, Sequence[ClassInfoWithGeneric]] | None = None  # and when

    @cached_property
    def _origins(self) -> Origins:
        """Loaded when a class is described: a list of classes does not need it."""
        from jdbpy.session.inspect.class_origin import Origins

        return Origins(self._target)

    async def find(self, name: str) -> list[ClassInfo]:
        """Return the loaded classes of that name, one for each loader that has one."""
        if not _can_be_a_class(name):
            return []
        found = [class_info(each) for each in _named(name, await self._everything())]
        if len(found) < 2:
            return found
        loaders = await self._loaders.names(ReferenceTypeID(info.id) for info in found)
        return [info.replace(loader=loaders.get(ReferenceTypeID(info.id))) for info in found]

    async def detail(self, name: str) -> ClassDetail:
        """Return all about one class."""
        everything = await self._everything()
        found = _named(name, everything)
        if not found:
            raise self._unknown(name)
        own = found[0].typeID
        await self._types.facts.prefetch(
            *((fact, [own]) for fact in self._about()),
            *((fact, self._origins.expected(everything)) for fact in self._origins.FACTS),
            lenient=True,
        )
        told = self._types.facts.known(facts.LOADER, own)
        loader = told or ClassLoaderID(0)
        subclasses, (module, refused_module), origin = await together(
            lambda: self._subclasses(found[0], everything),
            lambda: self._module(own),
            lambda: self._origins.read(own, loader, self._runner()),
        )
        involved = [loader, *map(ClassLoaderID, origin.parents)]
        self._loaders.told(self._origins.classes_of(involved))
        loaders = await self._loaders.in_words(involved)
        superclasses = [each.name for each in (await self._types.superclasses([own]))[own]]
        above = self._types.facts.known(facts.INTERFACES, own)
        interfaces = await self._types.info(above or ())
        loader_words = loaders[loader] if told is not None else NOT_KNOWN
        info = class_info(found[0]).replace(loader=loader_words)
        version = self._types.facts.known(facts.CLASS_FILE_VERSION, own)
        bits = self._types.facts.known(facts.MODIFIERS, own) or 0
        generic = generic_class(info.generic)
        return ClassDetail(
            info=info,
            modifiers=signatures.class_modifiers(bits),
            superclass=superclasses[0] if superclasses else None,
            superclasses=tuple(superclasses),
            interfaces=tuple(each.name for each in interfaces.values()),
            subclasses=subclasses,
            nested=_nested(info.name, everything),
            source=self._types.facts.known(facts.SOURCE_FILE, own),
            loader=loader_words,
            class_file_version=version_words(version) if version else "",
            module=module,
            declaration=declaration(info, bits, superclasses[0] if superclasses else None),
            generic_superclass=generic.superclass if generic else "",
            generic_interfaces=generic.interfaces if generic else (),
            loader_name=origin.loader_name,
            loader_parents=tuple(dict.fromkeys(loaders[ClassLoaderID(each)] for each in origin.parents)),
            code_source=origin.code_source,
            code_source_candidates=origin.candidates,
            unknown=(*self._refused(own), *refused_module),
        )

    async def visible(self, name: str) -> set[ReferenceTypeID]:
        """Return the types that the loader of a class has been asked for by name. wire: 3 trips."""
        return await self._loaders.visible((await self.loaded(name)).id)

    async def methods(self, name: str, *, inherited: bool) -> list[MethodInfo]:
        """Return the methods of a class: its own, then those of superclasses and interfaces, overridden ones
        included."""
        own = await self._loaded_with(name, facts.METHODS, inherited=inherited)
        family = await self._family(own, facts.METHODS, inherited)
        declared = await self._types.methods(each.id for each in family)
        return [method_info(each, method) for each in family for method in declared.get(each.id, ())]

    async def fields(self, name: str, *, inherited: bool) -> list[FieldInfo]:
        """Return the fields of a class: its own, then those of superclasses and interfaces."""
        own = await self._loaded_with(name, facts.FIELDS, inherited=inherited)
        family = await self._family(own, facts.FIELDS, inherited)
        declared = await self._types.fields(each.id for each in family)
        return [field_info(each, field) for each in family for field in declared.get(each.id, ())]

    async def source_debug_extension(self, name: str) -> str:
        """Return the source map (JSR 45) of a class as it stands in its class file, "" if it has none."""
        own = await self.loaded(name)
        [reply] = await self._target.conn.batch([reference_type.SourceDebugExtension(own.id)])
        if isinstance(reply, JdwpError):
            if reply.number in facts.SOURCE_MAP.without:
                return ""
            raise reply
        return str(reply.extension)

    async def lines(self, name: str, method: str) -> list[LineEntry]:
        """Return every code location at which a line begins, of a class or of one method's overloads; [] without
        lines."""
        own = await self._loaded_with(name, facts.METHODS, facts.SOURCE_FILE, facts.SOURCE_MAP)
        methods = (await self._types.methods([own.id])).get(own.id, ())
        chosen = [each for each in methods if method in ("", each.name)]
        if not chosen:
            near = close_to(method, (each.name for each in methods))
            raise UsageError(
                f"no method {method} in {own.name}",
                hint=f"there is {', '.join(near)}" if near else f"'methods {name}' lists what there is",
                code="NO_METHOD",
            )
        await self._types.facts.prefetch((facts.SOURCE_FILE, [own.id]), (facts.SOURCE_MAP, [own.id]))
        await self._types.line_tables((own.id, each.id) for each in chosen)
        return [
            LineEntry(line, each.name, each.signature, index, source, signatures.parameter_types(each.signature))
            for each in chosen
            for index, (line, source) in sorted(lines_by_index(self._types, (own.id, each.id)).items())
        ]

    def known(self) -> KnownNames:
        """Return names that some answer has mentioned so far, for completion."""
        types = {each.id: each for each in self._types.all_known() if not each.is_array}
        methods = self._types.facts.all_of(facts.METHODS)
        fields = self._types.facts.all_of(facts.FIELDS)
        sources = {source for source in self._types.facts.all_of(facts.SOURCE_FILE).values() if source}
        maps = (
            source_map.stratum() for source_map in self._types.facts.all_of(facts.SOURCE_MAP).values() if source_map
        )
        sources.update(file.name for stratum in maps if stratum for file in stratum.files)
        return KnownNames(
            classes=tuple(sorted({each.name for each in types.values()})),
            methods={types[key].name: _member_names(members) for key, members in methods.items() if key in types},
            fields={types[key].name: _member_names(members) for key, members in fields.items() if key in types},
            sources=tuple(sorted(sources)),
        )

    async def _everything(self) -> Sequence[ClassInfoWithGeneric]:
        """Return all loaded classes. wire: 1 trip, 0 while everything is held and nothing has been run since."""
        moment = self._target.suspension.moment
        if moment is not None and self._listed is not None and self._listed[0] == moment:
            return self._listed[1]
        listed = await self._types.all_classes()
        self._listed = None if moment is None else (moment, listed)
        return listed

    # -- helpers -----------------------------------------------------------------------------------------------------

    async def loaded(self, name: str) -> RefType:
        """Return the class of that name; of several loaders' the first."""
        plain = name.partition("@")[0].strip()
        if "." in plain or plain.endswith("]"):
            spellings = [plain] if plain.endswith("]") else parse_class_name(plain).spellings()
            exact = await self._types.by_signatures(map(signatures.signature_of, spellings))
            for types in exact.values():
                for each in types:
                    if "@" not in name or name.endswith(f"@{each.id}"):
                        return each
        found = _named(name, await self._everything())
        if not found:
            raise self._unknown(name)
        return self._types.learn(found[0].typeID, found[0].refTypeTag, found[0].signature)

    async def _loaded_with(
        self, name: str, *also: facts.Fact[ReferenceTypeID, Any], inherited: bool = False
    ) -> RefType:
        """``loaded``; over a slow link with facts of the class that it most likely is, and of what is above that."""
        if not self._target.high_latency:
            return await self.loaded(name)
        full = name.partition("@")[0].strip()
        links = (facts.SUPERCLASS, facts.INTERFACES, facts.SIGNATURE, facts.MODIFIERS) if inherited else ()
        names = [full, *(above(full, self._target.release) if inherited else ())]
        known = filter(None, (self._types.known_named(signatures.signature_of(each)) for each in names))
        wanted = list(known)
        own, _ = await both(
            lambda: self.loaded(name), lambda: self._types.facts.prefetch(*((fact, wanted) for fact in (*links, *also)))
        )
        return own

    def _unknown(self, name: str) -> UsageError:
        names = similar(name, (each.name for each in self._types.all_known() if _is_typed_by_people(each)))
        hint = f"there is {', '.join(names)}" if names else "a class is known once the program has loaded it"
        return UsageError(f"no class {name} is loaded", hint=hint, code="CLASS_NOT_LOADED")

    async def _family(self, own: RefType, fact: facts.Fact[ReferenceTypeID, Any], inherited: bool) -> list[RefType]:
        return [own, *(await self._types.ancestors(own.id, fact))] if inherited else [own]

    async def _subclasses(
        self, listed: ClassInfoWithGeneric, everything: Sequence[ClassInfoWithGeneric]
    ) -> tuple[str, ...]:
        """Return names of the direct subclasses, or of what directly extends or implements an interface. wire: 1
        trip."""
        own = listed.typeID
        modifiers = self._types.facts.known(facts.MODIFIERS, own) or 0
        if modifiers & signatures.FINAL or listed.refTypeTag == TypeTag.ARRAY:
            return ()
        ids = [each.typeID for each in everything if each.refTypeTag != TypeTag.ARRAY]
        children: Iterable[ReferenceTypeID]
        if listed.refTypeTag == TypeTag.INTERFACE:
            parents = await self._types.facts.many(facts.INTERFACES, ids)
            children = [each for each, above in parents.items() if own in above]
        else:
            classes = [each.typeID for each in everything if each.refTypeTag == TypeTag.CLASS]
            parent = await self._types.facts.many(facts.SUPERCLASS, classes)
            children = [each for each, above in parent.items() if above == own]
        known = await self._types.info(children)
        return tuple(sorted({each.name for each in known.values()}))

    async def source_files(self, classes: Iterable[ClassInfo]) -> dict[str, tuple[str, ...]]:
        """Return the source files of these classes, by name, each with the names of its classes. wire: 1 trip."""
        names = {ReferenceTypeID(each.id): each.name for each in classes}
        sources = await self._types.facts.many(facts.SOURCE_FILE, list(names))
        files: dict[str, set[str]] = {}
        for type_id, source in sources.items():
            if source:
                files.setdefault(relative_path(names[type_id], source), set()).add(names[type_id])
        return {name: tuple(sorted(files[name])) for name in sorted(files)}

    def _about(self) -> dict[facts.Fact[ReferenceTypeID, Any], str]:
        """Return the facts that this target has; one before Java 9 has no modules."""
        return {fact: what for fact, what in _ABOUT.items() if fact is not facts.MODULE or self._target.at_least(9)}

    def _refused(self, own: ReferenceTypeID) -> list[str]:
        """Return what of a class the agent refused to tell, and why."""
        found = ((what, self._types.facts.refusal(fact, own)) for fact, what in self._about().items())
        return [f"{what} not known: {error.message}" for what, error in found if error is not None]

    async def _module(self, own: ReferenceTypeID) -> tuple[str, list[str]]:
        """Return the module's name; "" for an unnamed one, and before Java 9; and why it is not known. wire: 1 trip."""
        module = self._types.facts.known(facts.MODULE, own)
        if not module:
            return "", []
        [reply] = await self._target.conn.batch([module_reference.Name(module)])
        if isinstance(reply, JdwpError):
            return NOT_KNOWN, [f"the module is not known: {reply.message}"]
        return reply.name, []


def _named(name: str, everything: Sequence[ClassInfoWithGeneric]) -> list[ClassInfoWithGeneric]:
    """Return the loaded classes that a name means, by rising id."""
    plain, at, number = name.partition("@")
    plain = plain.strip()
    if plain.endswith("]"):
        signature = signatures.signature_of(plain)
        found = [each for each in everything if each.signature == signature]
    else:
        class_name = _class_name(plain)
        near = [each for each in everything if class_name.needle in each.signature and each.refTypeTag != TypeTag.ARRAY]
        chosen = class_name.choose(signatures.java_name(each.signature) for each in near)
        found = [each for each in near if signatures.java_name(each.signature) in chosen]
    return sorted((each for each in found if not at or number == str(each.typeID)), key=lambda each: each.typeID)


def _can_be_a_class(text: str) -> bool:
    try:
        _class_name(re.sub(r"@\d+$|[\[\]]", "", text).strip())
    except UsageError:
        return False
    return True


def _class_name(text: str) -> ClassName:
    """Return the name of one class; of a hidden one, the slash belongs to it."""
    if "/" in text:
        return ClassName(text, bound=True)
    if "*" in text:
        raise UsageError(f"'{text}' is a pattern, not a class", hint=f"'classes {text}' lists what it fits")
    return parse_class_name(text)


def _nested(name: str, everything: Iterable[ClassInfoWithGeneric]) -> tuple[str, ...]:
    """Return names of the loaded classes directly inside one; anonymous and local ones too, which the agent leaves
    out."""
    prefix = name + "$"
    names = {signatures.java_name(each.signature) for each in everything if each.refTypeTag != TypeTag.ARRAY}
    inside = (each for each in names if each.startswith(prefix) and not signatures.is_lambda_class(each))
    return tuple(sorted(each for each in inside if "$" not in each[len(prefix) :]))


def _is_typed_by_people(each: RefType) -> bool:
    return not each.is_array and not signatures.is_lambda_class(each.signature)


def _member_names(members: Iterable[Method | Field]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(member.name for member in members if not member.is_synthetic))
