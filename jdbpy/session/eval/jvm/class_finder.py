"""Classes of the target as one frame sees them: found by name through its loader, and loaded when they are not yet.

Owns the memory of what a loader has answered, which never changes (JVMS 5.3: a loader that has once been asked for a
name gives the same class for ever). While it has not been asked, the only class of a name is taken, of whatever loader
it is, for as long as nothing in the target has run; of several, none is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from jdbpy.errors import EvalError, JdwpError
from jdbpy.session.concurrency import both
from jdbpy.session.eval.target import ClassFacts, Ref
from jdbpy.session.events.suspension import Moment
from jdbpy.session.events.target import Target
from jdbpy.session.java.bytecode import classes_used
from jdbpy.session.java.signatures import java_name, signature_of
from jdbpy.session.java.types import simple_name
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.facts import MethodKey
from jdbpy.session.jvm.loaders import Loaders
from jdbpy.session.jvm.reading import gather
from jdbpy.session.jvm.refs import RefType
from jdbpy.session.values.reader import Reader
from jdbpy.session.values.writes import OF_THE_JDK, as_seen_from
from jdbpy.wire.constants import ClassStatus, Tag
from jdbpy.wire.ids import ClassLoaderID, ObjectID, ReferenceTypeID

BOOT = ClassLoaderID(ObjectID(0))
"""The boot loader, as JDWP has it."""

_IN_SIGNATURE = re.compile(r"L([^;<]+)")


class FoundNow:
    """Names that were looked up at one moment; valid until something in the target runs.

    ``guessed`` are the only classes of their names, ``absent`` are names of none, ``undecided`` those of several;
    ``others`` is what the names mean for a second loader, if that is another class.
    """

    def __init__(self, moment: Moment | None) -> None:
        self.moment = moment
        self.guessed: dict[tuple[ClassLoaderID, str], ReferenceTypeID] = {}
        self.absent: set[tuple[ClassLoaderID, str]] = set()
        self.undecided: set[tuple[ClassLoaderID, str]] = set()
        self.others: dict[tuple[ClassLoaderID, ClassLoaderID, str], int] = {}


class LoaderMemory:
    """The memory of a target's loaders over all evaluations, those of views too."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._found: dict[tuple[ClassLoaderID, str], ReferenceTypeID] = {}
        self._now = FoundNow(None)
        self.loaders = Loaders(target.conn, target.types)

    @classmethod
    def of(cls, target: Target) -> LoaderMemory:
        """Return that of a target."""
        return target.part(cls, cls)

    @property
    def now(self) -> FoundNow:
        """Return what was found at this moment."""
        moment = self._target.suspension.moment
        if moment is None or moment != self._now.moment:
            self._now = FoundNow(moment)
        return self._now

    def recall(self, loader: ClassLoaderID, name: str) -> ReferenceTypeID | None:
        """Return the class of a name that was found before; None where it has to be looked for. No trip."""
        key = (loader, name)
        found = self._found.get(key)
        if found is None:
            found = self.now.guessed.get(key)
            if found is not None and self._is_sure(loader, name, found):
                self._found[key] = found
        return found

    def _is_sure(self, loader: ClassLoaderID, name: str, type_id: ReferenceTypeID) -> bool:
        """True if a loader means the class and will: it has defined it, or it is one of the JDK."""
        defined = self._target.types.facts.known(facts.LOADER, type_id)
        return name.startswith("java.") or (defined is not None and defined in (loader, BOOT))

    def answered(self, loader: ClassLoaderID, name: str, type_id: ReferenceTypeID) -> None:
        """Take in what a loader has answered."""
        self._found[loader, name] = type_id

    def guess(self, loader: ClassLoaderID, name: str, type_id: ReferenceTypeID) -> None:
        """Take in the only class of a name."""
        self.now.guessed[loader, name] = type_id
        if self._is_sure(loader, name, type_id):
            self._found[loader, name] = type_id


class ClassFinder:
    """Finds classes for one class of the target, the frame's; ``home`` 0: for the loader ``apart``, the boot loader."""

    FACTS = (facts.SIGNATURE, facts.MODIFIERS, facts.SUPERCLASS, facts.INTERFACES, facts.FIELDS, facts.METHODS)
    """The facts that ``facts`` returns."""

    def __init__(self, target: Target, home: ReferenceTypeID) -> None:
        self.apart = BOOT
        self._target = target
        self._memory = LoaderMemory.of(target)
        self._home = home

    async def loader(self) -> ClassLoaderID:
        """Return the defining loader of the frame's class. wire: 1 trip, 0 when known."""
        if not self._home:
            return self.apart
        return (await self._target.types.facts.many(facts.LOADER, [self._home])).get(self._home, BOOT)

    def _known_loader(self) -> ClassLoaderID | None:
        """Return what ``loader`` gives, where that is known. No trip."""
        return self._target.types.facts.known(facts.LOADER, self._home) if self._home else self.apart

    def knows(self, names: Sequence[str]) -> bool:
        """True if all of them have been found before. No trip."""
        loader = self._known_loader()
        return loader is not None and all(self._memory.recall(loader, name) for name in names)

    def found(self, names: Sequence[str]) -> list[int] | None:
        """Return what ``find`` gives, where that is known. No trip."""
        loader = self._known_loader()
        known = [self._memory.recall(loader, name) or 0 for name in names] if loader is not None else [0]
        return [int(each) for each in known] if all(known) else None

    def known(self, name: str) -> int | None:
        """Return what ``find`` gives for a name, 0 if no class has it; None where that is not known. No trip."""
        loader = self._known_loader()
        if loader is None:
            return None
        now = self._memory.now
        absent = (loader, name) in now.absent or (loader, name) in now.undecided
        return 0 if absent else self._memory.recall(loader, name)

    def is_undecided(self, name: str) -> bool:
        """True if classes of several loaders had the name when it was looked for, and nothing says which one the
        frame's class means. No trip."""
        return (self._known_loader(), name) in self._memory.now.undecided

    async def find(self, names: Sequence[str]) -> list[int]:
        """Loaded classes by name, 0 where there is none. wire: 1 trip, 0 when known; 2 more for a name of several."""
        types = self._target.types
        signatures = {name: signature_of(name) for name in names}
        loaded: dict[str, list[RefType]] = {}
        if self._home and types.facts.known(facts.LOADER, self._home) is None:  # then nothing is remembered either
            _, loaded = await both(self.loader, lambda: types.by_signatures(signatures.values()))
        loader = await self.loader()
        known = {name: self.known(name) for name in names}
        missing = [name for name in known if known[name] is None]
        if missing:
            loaded = loaded or await types.by_signatures(signatures[name] for name in missing)
            for name in missing:
                known[name] = await self._choose(loader, name, loaded[signatures[name]])
        return [known[name] or 0 for name in names]

    async def _choose(self, loader: ClassLoaderID, name: str, loaded: Sequence[RefType]) -> int:
        """Return the type of that name which the frame's class means, or the only one; 0 if there is none such."""
        if len(loaded) > 1:
            seen = await as_seen_from(self._target, self._home, loaded)
            if seen is not None:
                self._memory.answered(loader, name, seen)
                return seen
            self._memory.now.undecided.add((loader, name))
        elif loaded:
            self._memory.guess(loader, name, loaded[0].id)
            return loaded[0].id
        else:
            self._memory.now.absent.add((loader, name))
        return 0

    async def holders(self, name: str) -> list[str]:
        """Return the loaders of the classes of a name, in words. wire: 3 trips."""
        loaded = await self._target.types.by_signature(signature_of(name))
        loaders = await self._target.types.facts.many(facts.LOADER, [each.id for each in loaded])
        words = await self._memory.loaders.in_words(loaders.values())
        return sorted(words.values())

    async def others(self, class_id: int, names: Sequence[str]) -> dict[str, int]:
        """Return which of the names mean another class for the loader of a class than for the frame's, with that class.

        wire: 1 trip, 0 when known; 2 more where several classes have a name.
        """
        owner, types = ReferenceTypeID(class_id), self._target.types
        loaders = await types.facts.many(facts.LOADER, [owner])
        theirs, ours = loaders.get(owner, BOOT), await self.loader()
        known = self._memory.now.others
        missing = [name for name in dict.fromkeys(names) if (ours, theirs, name) not in known]
        loaded = await types.by_signatures(map(signature_of, missing)) if missing else {}
        for name in missing:
            several = loaded[signature_of(name)]
            found = await as_seen_from(self._target, owner, several) if len(several) > 1 else None
            meant = (await self.find([name]))[0] if found is not None else 0
            known[ours, theirs, name] = found if found is not None and found != meant else 0
        return {name: known[ours, theirs, name] for name in names if known[ours, theirs, name]}

    async def learn(self, name: str, type_id: ReferenceTypeID) -> None:
        """Take in what the loader has answered."""
        self._memory.answered(await self.loader(), name, type_id)

    async def facts(self, ids: Sequence[int]) -> list[ClassFacts]:
        """Facts of loaded classes. Raises EvalError for one that was unloaded. wire: 1 trip, 0 when known."""
        types = self._target.types
        wanted = [ReferenceTypeID(class_id) for class_id in ids]
        doubtful = [*filter(self._is_doubtful, wanted)]
        homes = [self._home] if self._home and doubtful else []
        await types.facts.prefetch(*((fact, wanted) for fact in self.FACTS), (facts.LOADER, [*homes, *doubtful]))
        return [self._facts(class_id) for class_id in wanted]

    async def read_facts(self, reader: Reader, class_id: int) -> ClassFacts:
        """Return ``facts`` of one class: a reading."""
        doubtful = self._is_doubtful(ReferenceTypeID(class_id))
        wanted = [reader.learn(ReferenceTypeID(class_id), (*self.FACTS, facts.LOADER) if doubtful else self.FACTS)]
        if doubtful and self._known_loader() is None:
            wanted.append(reader.learn(self._home, (facts.LOADER,)))
        await gather(wanted)
        return self._facts(ReferenceTypeID(class_id))

    def known_facts(self, ids: Sequence[int]) -> list[ClassFacts] | None:
        """Return what ``facts`` gives, where that is known. No trip."""
        known, wanted = self._target.types.facts.known, [ReferenceTypeID(class_id) for class_id in ids]
        facts_of_all: list[Any] = [known(fact, each) for fact in self.FACTS for each in wanted]
        doubtful = [*filter(self._is_doubtful, wanted)]
        facts_of_all += [known(facts.LOADER, each) for each in doubtful] + ([self._known_loader()] if doubtful else [])
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
            not self._is_doubtful(class_id) or known(facts.LOADER, class_id) in (self._known_loader(), BOOT),
        )

    def _is_doubtful(self, class_id: ReferenceTypeID) -> bool:
        """True unless a class is known to be one of which there are no others of its name."""
        signature = self._target.types.facts.known(facts.SIGNATURE, class_id)
        return class_id != self._home and (
            signature is None or not signature.signature.lstrip("[").startswith(OF_THE_JDK)
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
