"""Classes of the target as one frame sees them: found by name through its loader, and loaded when they are not yet.

Owns the memory of what a loader has answered, which never changes (JVMS 5.3: a loader that has once been asked for a
name gives the same class for ever).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from jdbpy.errors import EvalError, JdwpError
from jdbpy.session.concurrency import both
from jdbpy.session.eval.target import ClassFacts, Ref
from jdbpy.session.java.bytecode import classes_used
from jdbpy.session.java.signatures import java_name, signature_of
from jdbpy.session.java.types import simple_name
from jdbpy.session.target import facts
from jdbpy.session.target.facts import MethodKey
from jdbpy.session.target.refs import RefType
from jdbpy.session.target.suspension import Moment
from jdbpy.session.target.target import Target
from jdbpy.session.values.reader import Reader
from jdbpy.session.values.writes import as_seen_from
from jdbpy.wire.constants import ClassStatus, Tag
from jdbpy.wire.ids import ClassLoaderID, ReferenceTypeID

_IN_SIGNATURE = re.compile(r"L([^;<]+)")


class LoaderMemory:
    """The memory of a target's loaders over all evaluations, those of views too."""

    def __init__(self, target: Target) -> None:
        self.found: dict[tuple[ClassLoaderID, str], ReferenceTypeID] = {}
        self._absent: set[tuple[ClassLoaderID, str]] = set()
        self._moment: Moment | None = None

    @classmethod
    def of(cls, target: Target) -> LoaderMemory:
        """Return that of a target."""
        return target.part(cls, cls)

    def absent(self, moment: Moment | None) -> set[tuple[ClassLoaderID, str]]:
        """Return the names that no class had when they were looked for: good for as long as nothing in the target has
        run."""
        if moment is None or moment != self._moment:
            self._absent = set()
            self._moment = moment
        return self._absent


class ClassFinder:
    """Finds classes for one class of the target, the frame's; ``home`` 0 is the boot loader."""

    FACTS = (facts.SIGNATURE, facts.MODIFIERS, facts.SUPERCLASS, facts.INTERFACES, facts.FIELDS, facts.METHODS)
    """The facts that ``facts`` returns."""

    def __init__(self, target: Target, home: ReferenceTypeID) -> None:
        self._target = target
        self._memory = LoaderMemory.of(target)
        self._home = home

    async def loader(self) -> ClassLoaderID:
        """Return the defining loader of the frame's class. wire: 1 trip, 0 when known."""
        if not self._home:
            return ClassLoaderID(0)
        return (await self._target.types.facts.many(facts.LOADER, [self._home])).get(self._home, ClassLoaderID(0))

    def knows(self, names: Sequence[str]) -> bool:
        """True if all of them have been found before. No trip."""
        loader = self._target.types.facts.known(facts.LOADER, self._home) if self._home else ClassLoaderID(0)
        return loader is not None and all((loader, name) in self._memory.found for name in names)

    def found(self, names: Sequence[str]) -> list[int] | None:
        """Return what ``find`` gives, where that is known. No trip."""
        loader = self._target.types.facts.known(facts.LOADER, self._home) if self._home else ClassLoaderID(0)
        known = [self._memory.found.get((loader, name), 0) for name in names] if loader is not None else [0]
        return known if all(known) else None

    def known(self, name: str) -> int | None:
        """Return what ``find`` gives for a name, 0 if no class has it; None where that is not known. No trip."""
        loader = self._target.types.facts.known(facts.LOADER, self._home) if self._home else ClassLoaderID(0)
        if loader is None:
            return None
        absent = (loader, name) in self._memory.absent(self._target.suspension.moment)
        return 0 if absent else self._memory.found.get((loader, name))

    async def find(self, names: Sequence[str]) -> list[int]:
        """Loaded classes by name, 0 where there is none. wire: 1 trip, 0 when known; 2 more for a name of several."""
        types = self._target.types
        signatures = {name: signature_of(name) for name in names}
        loaded: dict[str, list[RefType]] = {}
        if self._home and types.facts.known(facts.LOADER, self._home) is None:  # then nothing is remembered either
            _, loaded = await both(self.loader, lambda: types.by_signatures(signatures.values()))
        loader = await self.loader()
        known = self._memory.found
        absent = self._memory.absent(self._target.suspension.moment)
        missing = [name for name in names if (loader, name) not in known and (loader, name) not in absent]
        if missing:
            loaded = loaded or await types.by_signatures(signatures[name] for name in missing)
            for name in missing:
                found = await self._choose(loaded[signatures[name]])
                if found is not None:
                    known[loader, name] = found
                else:
                    absent.add((loader, name))
        return [known.get((loader, name), 0) for name in names]

    async def _choose(self, loaded: Sequence[RefType]) -> ReferenceTypeID | None:
        """Return the type of that name which the frame's class means; any, if it means none of them."""
        if len(loaded) > 1 and self._home:
            seen = await as_seen_from(self._target, self._home, loaded)
            if seen is not None:
                return seen
        return loaded[0].id if loaded else None

    async def learn(self, name: str, type_id: ReferenceTypeID) -> None:
        """Take in what the loader has answered."""
        self._memory.found[await self.loader(), name] = type_id

    async def facts(self, ids: Sequence[int]) -> list[ClassFacts]:
        """Facts of loaded classes. Raises EvalError for one that was unloaded. wire: 1 trip, 0 when known."""
        types = self._target.types
        wanted = [ReferenceTypeID(class_id) for class_id in ids]
        await types.facts.prefetch(*((fact, wanted) for fact in self.FACTS))
        return [self._facts(class_id) for class_id in wanted]

    async def read_facts(self, reader: Reader, class_id: int) -> ClassFacts:
        """Return ``facts`` of one class: a reading."""
        await reader.learn(ReferenceTypeID(class_id), self.FACTS)
        return self._facts(ReferenceTypeID(class_id))

    def known_facts(self, ids: Sequence[int]) -> list[ClassFacts] | None:
        """Return what ``facts`` gives, where that is known. No trip."""
        known, wanted = self._target.types.facts.known, [ReferenceTypeID(class_id) for class_id in ids]
        facts_of_all: list[Any] = [known(fact, each) for fact in self.FACTS for each in wanted]
        return None if None in facts_of_all else [self._facts(each) for each in wanted]

    def _facts(self, class_id: ReferenceTypeID) -> ClassFacts:
        known = self._target.types.facts.known
        signature = known(facts.SIGNATURE, class_id)
        superclass: int | None = known(facts.SUPERCLASS, class_id)
        interfaces: tuple[int, ...] | None = known(facts.INTERFACES, class_id)
        if signature is None:
            raise _unloaded()
        return ClassFacts(
            class_id,
            java_name(signature.signature),
            known(facts.MODIFIERS, class_id) or 0,
            signature.genericSignature,
            superclass or 0,
            interfaces or (),
            known(facts.FIELDS, class_id) or (),
            known(facts.METHODS, class_id) or (),
        )

    async def simple_names(self, name: str) -> list[str]:
        """Return names of loaded classes with that simple name. wire: 1 trip."""
        listed = await self._target.types.all_classes()
        endings = (f"/{name};", f"${name};", f"L{name};")
        names = {java_name(each.signature) for each in listed if each.signature.endswith(endings)}
        return sorted(each for each in names if simple_name(each) == name and not each.endswith("]"))

    async def has_package(self, name: str) -> bool:
        """True if a class of the package is loaded. wire: 1 trip."""
        beginning = f"L{name.replace('.', '/')}/"
        return any(each.signature.startswith(beginning) for each in await self._target.types.all_classes())

    async def referenced(self) -> list[str]:
        """Return names of classes that the frame's class refers to. wire: 1 trip, 0 when known."""
        known = self.known_referenced()
        if known is not None:
            return known
        try:
            mentioned = await self._target.types.facts.many(facts.MENTIONED_CLASSES, [self._home])
        except JdwpError:
            return []  # a hint that is missing, no more
        return sorted(mentioned.get(self._home) or ())

    async def used_in(self, method: MethodKey) -> list[str]:
        """Return names of the classes that a method's code and its variables refer to; [] where neither is known.

        wire: 1 trip, 0 when known.
        """
        types = self._target.types.facts
        try:
            await types.prefetch(
                (facts.BYTECODES, [method]), (facts.VARIABLES, [method]), (facts.CONSTANT_POOL, [method[0]])
            )
        except JdwpError:
            return []  # what says nothing is asked no further
        pool, code = types.known(facts.CONSTANT_POOL, method[0]), types.known(facts.BYTECODES, method)
        variables = types.known(facts.VARIABLES, method)
        found = set(classes_used(code, pool)) if pool is not None and code else set()
        for each in variables.slots if variables is not None else ():
            found |= {name.replace("/", ".") for name in _IN_SIGNATURE.findall(f"{each.signature} {each.generic}")}
        return sorted(found)

    def known_referenced(self) -> list[str] | None:
        """Return what ``referenced`` gives, where that is known. No trip."""
        if not self._home or not self._target.can("canGetConstantPool"):
            return []
        known = self._target.types.facts.all_of(facts.MENTIONED_CLASSES)
        return sorted(known[self._home] or ()) if self._home in known else None

    async def class_object(self, class_id: int) -> Ref:
        """Return the ``java.lang.Class`` of a class. Raises EvalError when it was unloaded. wire: 1 trip, 0 when
        known."""
        type_id = ReferenceTypeID(class_id)
        found = await self._target.types.facts.many(facts.CLASS_OBJECT, [type_id])
        if type_id not in found:
            raise _unloaded()
        return Ref(found[type_id], Tag.CLASS_OBJECT)

    def known_class_object(self, class_id: int) -> Ref | None:
        """Return what ``class_object`` gives, where that is known. No trip."""
        known = self._target.types.facts.known(facts.CLASS_OBJECT, ReferenceTypeID(class_id))
        return Ref(known, Tag.CLASS_OBJECT) if known is not None else None

    async def prepared(self, class_id: int) -> bool:
        """True if the class is linked. Raises EvalError when it was unloaded. wire: 1 trip, 0 once initialized."""
        return bool(await self._status(class_id) & ClassStatus.PREPARED)

    def is_initialized(self, class_id: int) -> bool:
        """True if a class is known to have been initialized. No trip."""
        known = self._target.types.facts.known(facts.STATUS, ReferenceTypeID(class_id))
        return class_id == self._home or known is not None

    async def initialized(self, class_id: int) -> bool:
        """True if a class has been initialized, or has failed to. wire: 1 trip, 0 when known.

        The frame's own class is at least being initialized, or its code would not run.
        """
        if self.is_initialized(class_id):
            return True
        return bool(await self._status(class_id) & (ClassStatus.INITIALIZED | ClassStatus.ERROR))

    async def _status(self, class_id: int) -> int:
        type_id = ReferenceTypeID(class_id)
        found = await self._target.types.facts.many(facts.STATUS, [type_id])
        if type_id not in found:
            raise _unloaded()
        return found[type_id]


def _unloaded() -> EvalError:
    return EvalError("a class that the expression needs was unloaded")
