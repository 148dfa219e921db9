"""Classes of the target as one frame sees them: found by name through its loader, and loaded when they are not yet.

Owns the memory of what a loader has answered, which never changes (JVMS 5.3: a loader that has once been asked for a
name gives the same class for ever).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jdbpy.errors import EvalError, JdwpError
from jdbpy.session.concurrency import both
from jdbpy.session.eval.target import ClassFacts, Ref
from jdbpy.session.java import constant_pool
from jdbpy.session.java.signatures import java_name, signature_of
from jdbpy.session.java.types import simple_name
from jdbpy.session.target import facts
from jdbpy.session.target.refs import RefType
from jdbpy.session.target.suspension import Moment
from jdbpy.session.target.target import Target
from jdbpy.session.values.writes import as_seen_from
from jdbpy.wire.constants import ClassStatus
from jdbpy.wire.ids import ClassLoaderID, ReferenceTypeID
from jdbpy.wire.messages import reference_type


class LoaderMemory:
    """The memory of a target's loaders over all evaluations."""

    def __init__(self) -> None:
        self.found: dict[tuple[ClassLoaderID, str], ReferenceTypeID] = {}
        self.initialized: set[int] = set()
        self.mentioned: dict[int, list[str]] = {}  # names in the constant pool of a class
        self.class_objects: dict[int, Ref] = {}  # by the class's id: there is one, for as long as the class is loaded
        self._absent: set[tuple[ClassLoaderID, str]] = set()
        self._moment: Moment | None = None

    def absent(self, moment: Moment | None) -> set[tuple[ClassLoaderID, str]]:
        """The names that no class had when they were looked for: good for as long as nothing in the target has run."""
        if moment is None or moment != self._moment:
            self._absent = set()
            self._moment = moment
        return self._absent


class ClassFinder:
    """Finds classes for one class of the target, the frame's; ``home`` 0 stands for the boot loader."""

    FACTS = (facts.SIGNATURE, facts.MODIFIERS, facts.SUPERCLASS, facts.INTERFACES, facts.FIELDS, facts.METHODS)
    """What ``facts`` tells."""

    def __init__(self, target: Target, memory: LoaderMemory, home: ReferenceTypeID) -> None:
        self._target = target
        self._memory = memory
        self._home = home

    @property
    def class_objects(self) -> dict[int, Ref]:
        """The ``java.lang.Class`` of classes, as far as they are known."""
        return self._memory.class_objects

    async def loader(self) -> ClassLoaderID:
        """The defining loader of the frame's class. wire: 1 trip, 0 when known."""
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
        """Takes in what the loader has answered."""
        self._memory.found[await self.loader(), name] = type_id

    async def facts(self, ids: Sequence[int]) -> list[ClassFacts]:
        """Facts of loaded classes. Raises EvalError for one that was unloaded. wire: 1 trip, 0 when known."""
        types = self._target.types
        wanted = [ReferenceTypeID(class_id) for class_id in ids]
        await types.facts.prefetch(*((fact, wanted) for fact in self.FACTS))
        return [self._facts(class_id) for class_id in wanted]

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
            raise EvalError("a class that the expression needs was unloaded")
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
        """Names of loaded classes with that simple name. wire: 1 trip."""
        listed = await self._target.types.all_classes()
        endings = (f"/{name};", f"${name};", f"L{name};")
        names = {java_name(each.signature) for each in listed if each.signature.endswith(endings)}
        return sorted(each for each in names if simple_name(each) == name and not each.endswith("]"))

    async def has_package(self, name: str) -> bool:
        """True if a class of the package is loaded. wire: 1 trip."""
        beginning = f"L{name.replace('.', '/')}/"
        return any(each.signature.startswith(beginning) for each in await self._target.types.all_classes())

    async def referenced(self) -> list[str]:
        """Names of classes that the frame's class mentions. wire: 1 trip, 0 when known."""
        home = self._home
        if not home or not self._target.can("canGetConstantPool"):
            return []
        if home not in self._memory.mentioned:
            names: frozenset[str] | None = None
            try:
                pool = await self._target.conn.request(reference_type.ConstantPool(home))
                names = constant_pool.class_names(pool.count, pool.bytes)
            except JdwpError:
                pass  # a hint that is missing, no more
            self._memory.mentioned[home] = sorted(names or ())
        return self._memory.mentioned[home]

    async def prepared(self, class_id: int) -> bool:
        """True if the class is linked. wire: 1 trip."""
        reply = await self._target.conn.request(reference_type.Status(ReferenceTypeID(class_id)))
        return bool(reply.status & ClassStatus.PREPARED)

    def is_initialized(self, class_id: int) -> bool:
        """True if a class is known to have been initialized. No trip."""
        return class_id == self._home or class_id in self._memory.initialized

    async def initialized(self, class_id: int) -> bool:
        """True if a class has been initialized, or has failed to. wire: 1 trip, 0 when known.

        The frame's own class is at least being initialized, or its code would not run.
        """
        if not self.is_initialized(class_id):
            reply = await self._target.conn.request(reference_type.Status(ReferenceTypeID(class_id)))
            if not reply.status & (ClassStatus.INITIALIZED | ClassStatus.ERROR):
                return False
            self._memory.initialized.add(class_id)
        return True
