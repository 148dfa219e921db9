"""The facts of a loaded type that never changes while it stays loaded and is not redefined.

Each fact is declared once: which command asks for it, how the reply is read, and which errors are an answer ("there is
none") rather than a failure. ``FactCache`` asks for many at a time, for each once, and owns the values and their end:
all of a type's are dropped when it is unloaded, those of its code when it is redefined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

from jdbpy.errors import JdwpError, ProtocolError
from jdbpy.session.java.constant_pool import ConstantPool, class_names, read_pool
from jdbpy.session.java.smap import SourceMap, parse as parse_source_map
from jdbpy.session.jvm.refs import NO_LINES, Field, LineTable, Method, Slot, VariableTable
from jdbpy.wire.command import Command
from jdbpy.wire.connection import Connection
from jdbpy.wire.constants import ClassStatus, Error
from jdbpy.wire.ids import ClassID, ClassLoaderID, ClassObjectID, MethodID, ModuleID, ReferenceTypeID
from jdbpy.wire.messages import class_type, method, reference_type

K = TypeVar("K")
V = TypeVar("V")

MethodKey = tuple[ReferenceTypeID, MethodID]
"""A method and the type that declares it."""


class Fact(Generic[K, V]):
    """A kind of fact about things named by K. Identity is by object: the constants of this module.

    ``without`` maps error codes to the value that they stand for. ``kept`` facts survive a redefinition of the class,
    which on HotSpot changes code but neither members nor ancestry. A ``link`` leads to the types directly above.
    Values that do not ``last`` are not remembered: they are those of now.
    """

    __slots__ = ("ask", "kept", "lasts", "link", "read", "without")

    def __init__(
        self,
        ask: Callable[[K], Command[Any]],
        read: Callable[[K, Any], V],
        without: Mapping[int, V] | None = None,
        *,
        kept: bool = False,
        link: bool = False,
        lasts: Callable[[V], bool] = lambda value: True,
    ) -> None:
        self.ask = ask
        self.read = read
        self.without = without or {}
        self.kept = kept
        self.link = link
        self.lasts = lasts


def _methods(type_id: ReferenceTypeID, reply: reference_type.MethodsWithGenericReply) -> tuple[Method, ...]:
    return tuple(
        Method(each.methodID, type_id, each.name, each.signature, each.genericSignature, each.modBits)
        for each in reply.declared
    )


def _fields(type_id: ReferenceTypeID, reply: reference_type.FieldsWithGenericReply) -> tuple[Field, ...]:
    return tuple(
        Field(each.fieldID, type_id, each.name, each.signature, each.genericSignature, each.modBits)
        for each in reply.declared
    )


def _lines(key: MethodKey, reply: method.LineTableReply) -> LineTable:
    # The specification promises no order, and some compilers give one index to several lines: the last one counts.
    by_index = {line.lineCodeIndex: line.lineNumber for line in reply.lines}
    return LineTable(reply.start, reply.end, tuple(sorted(by_index.items())))


def _variables(key: MethodKey, reply: method.VariableTableWithGenericReply) -> VariableTable:
    slots = (
        Slot(each.codeIndex, each.name, each.signature, each.genericSignature, each.length, each.slot)
        for each in reply.slots
    )
    return VariableTable(reply.argCnt, tuple(slots))


_NOT_THERE: Mapping[int, None] = {Error.ABSENT_INFORMATION: None, Error.NOT_IMPLEMENTED: None}

SIGNATURE: Fact[ReferenceTypeID, reference_type.SignatureWithGenericReply] = Fact(
    reference_type.SignatureWithGeneric, lambda _, reply: reply, kept=True
)
"""JNI and generic signature."""

MODIFIERS: Fact[ReferenceTypeID, int] = Fact(reference_type.Modifiers, lambda _, reply: reply.modBits, kept=True)

METHODS: Fact[ReferenceTypeID, tuple[Method, ...]] = Fact(reference_type.MethodsWithGeneric, _methods)
"""Methods that the type itself declares."""

FIELDS: Fact[ReferenceTypeID, tuple[Field, ...]] = Fact(reference_type.FieldsWithGeneric, _fields)
"""Fields that the type itself declares, in the class file's order."""

SUPERCLASS: Fact[ReferenceTypeID, ClassID] = Fact(
    lambda type_id: class_type.Superclass(ClassID(type_id)), lambda _, reply: reply.superclass, kept=True, link=True
)
"""The direct superclass; 0 for java.lang.Object and for interfaces."""

INTERFACES: Fact[ReferenceTypeID, tuple[ReferenceTypeID, ...]] = Fact(
    reference_type.Interfaces, lambda _, reply: tuple(dict.fromkeys(reply.interfaces)), kept=True, link=True
)
"""The interfaces named in the type's own declaration."""

LOADER: Fact[ReferenceTypeID, ClassLoaderID] = Fact(
    reference_type.ClassLoader, lambda _, reply: reply.classLoader, kept=True
)
"""The defining class loader, 0 for the boot loader."""

CLASS_OBJECT: Fact[ReferenceTypeID, ClassObjectID] = Fact(
    reference_type.ClassObject, lambda _, reply: reply.classObject, kept=True
)
"""The ``java.lang.Class`` object."""

STATUS: Fact[ReferenceTypeID, int] = Fact(
    reference_type.Status,
    lambda _, reply: reply.status,
    kept=True,
    lasts=lambda status: bool(status & (ClassStatus.INITIALIZED | ClassStatus.ERROR)),
)
"""Flags of ``ClassStatus``; remembered once the class is initialized, or has failed to be."""

SOURCE_FILE: Fact[ReferenceTypeID, str | None] = Fact(
    reference_type.SourceFile, lambda _, reply: reply.sourceFile, _NOT_THERE
)
"""The file's name without directories; None without that attribute, and for arrays."""

SOURCE_MAP: Fact[ReferenceTypeID, SourceMap | None] = Fact(
    reference_type.SourceDebugExtension, lambda _, reply: parse_source_map(reply.extension), _NOT_THERE
)
"""The SourceDebugExtension (JSR 45) of classes that were compiled from something else than Java."""

CLASS_FILE_VERSION: Fact[ReferenceTypeID, tuple[int, int] | None] = Fact(
    reference_type.ClassFileVersion, lambda _, reply: (reply.majorVersion, reply.minorVersion), _NOT_THERE
)

MENTIONED_CLASSES: Fact[ReferenceTypeID, frozenset[str] | None] = Fact(
    reference_type.ConstantPool, lambda _, reply: class_names(reply.count, reply.bytes), _NOT_THERE
)
"""Names of the classes in the constant pool, nested ones that are not loaded yet among them; None if unreadable."""

CONSTANT_POOL: Fact[ReferenceTypeID, ConstantPool | None] = Fact(
    reference_type.ConstantPool, lambda _, reply: read_pool(reply.count, reply.bytes), _NOT_THERE
)
"""The constant pool; None if unreadable, and for arrays."""

MODULE: Fact[ReferenceTypeID, ModuleID | None] = Fact(
    reference_type.Module, lambda _, reply: reply.module, _NOT_THERE, kept=True
)
"""The module; None before Java 9."""

LINES: Fact[MethodKey, LineTable] = Fact(
    lambda key: method.LineTable(*key),
    _lines,
    {Error.NATIVE_METHOD: NO_LINES, Error.ABSENT_INFORMATION: NO_LINES},
)
"""Lines of a method; a native method has none, as has one without debugging information."""

VARIABLES: Fact[MethodKey, VariableTable | None] = Fact(
    lambda key: method.VariableTableWithGeneric(*key),
    _variables,
    {Error.NATIVE_METHOD: None, Error.ABSENT_INFORMATION: None},
)
"""Variables of a method; None for native ones and without -g."""

BYTECODES: Fact[MethodKey, bytes] = Fact(
    lambda key: method.Bytecodes(*key), lambda _, reply: reply.bytes, {Error.NOT_IMPLEMENTED: b""}
)
"""The instructions of a method (JVMS 6); empty for native and abstract ones."""


_GONE = frozenset({Error.INVALID_OBJECT, Error.INVALID_CLASS, Error.INVALID_METHODID, Error.CLASS_NOT_PREPARED})
"""Errors about a type that was unloaded, or is not linked yet: there is no answer now, and nothing to remember."""

_UNKNOWN: Any = object()
_MOST_REFUSALS = 10_000

_MOST_TURNS = 8
"""The most times that a fact is asked for while its type keeps being redefined."""

_MOST_ABOVE = 10_000
"""Types above one type; the largest hierarchies have some hundred."""


class FactCache:
    """Facts about what is loaded in one target.

    A fact of many things is a dict by what was asked; what is gone is missing from it.
    """

    def __init__(self, conn: Connection) -> None:
        self._conn = conn
        self._refusals: dict[tuple[Fact[Any, Any], Any], JdwpError] = {}
        self._facts: dict[Fact[Any, Any], dict[Any, Any]] = {}
        self._fetching: list[set[ReferenceTypeID]] = []

    async def many(self, fact: Fact[K, V], keys: Iterable[K]) -> dict[K, V]:
        """Return one fact of many types or methods. wire: 1 trip, 0 when known."""
        wanted = list(dict.fromkeys(keys))
        fetched = await self._fetch([(fact, key) for key in wanted])
        known = self._facts.get(fact, {})
        values = ((key, fetched[fact, key] if (fact, key) in fetched else known.get(key, _UNKNOWN)) for key in wanted)
        return {key: value for key, value in values if value is not _UNKNOWN}

    async def prefetch(self, *wants: tuple[Fact[Any, Any], Iterable[Any]], lenient: bool = False) -> None:
        """Learn several facts side by side, so that asking for them afterwards is free. wire: 1 trip, 0 when known.

        ``lenient``: a fact that the agent refuses to tell is missing, as one of a type that is gone; see ``refusal``.
        """
        await self._fetch([(fact, key) for fact, keys in wants for key in dict.fromkeys(keys)], lenient=lenient)

    def refusal(self, fact: Fact[K, Any], key: K) -> JdwpError | None:
        """Return the error with which the agent refused a fact, when it was last asked for it. No trip."""
        return self._refusals.get((fact, key))

    def known(self, fact: Fact[K, V], key: K) -> V | None:
        """Return the fact if it is in the cache, else None. No trip."""
        value: V | None = self._facts.get(fact, {}).get(key)
        return value

    def all_of(self, fact: Fact[K, V]) -> Mapping[K, V]:
        """Return all that is in the cache of one kind of fact. No trip."""
        return self._facts.get(fact, {})

    def learn(self, fact: Fact[K, V], key: K, value: V) -> None:
        """Take in a fact that is known without asking."""
        self._facts.setdefault(fact, {})[key] = value

    async def _fetch(
        self, wants: list[tuple[Fact[Any, Any], Any]], *, lenient: bool = False
    ) -> dict[tuple[Fact[Any, Any], Any], Any]:
        """Ask for what is not known, return what came of it and remember it.

        Facts of a type that was dropped meanwhile are asked for again: the answer may describe the old code.
        """
        missing = self._missing(wants)
        if not missing:
            return {}
        for _, key in missing:
            if not key or (isinstance(key, tuple) and not all(key)):
                raise ProtocolError("the target named null (id 0) where there must be a type or a method")
        fetched: dict[tuple[Fact[Any, Any], Any], Any] = {}
        for _ in range(_MOST_TURNS):
            answers, dropped = await self._ask(missing, lenient=lenient)
            fetched.update(answers)
            missing = self._missing((fact, key) for fact, key in wants if _type_of(key) in dropped)
            if not missing:
                break
        return fetched

    def _missing(self, wants: Iterable[tuple[Fact[Any, Any], Any]]) -> list[tuple[Fact[Any, Any], Any]]:
        """Return the facts that are not in the cache."""
        return [(fact, key) for fact, key in wants if key not in self._facts.get(fact, {})]

    async def _ask(
        self, missing: list[tuple[Fact[Any, Any], Any]], *, lenient: bool
    ) -> tuple[dict[tuple[Fact[Any, Any], Any], Any], set[ReferenceTypeID]]:
        """Return the target's answers, and the types that were dropped meanwhile; no fact of those is remembered."""
        dropped: set[ReferenceTypeID] = set()
        self._fetching.append(dropped)
        try:
            outcomes = await self._conn.batch([fact.ask(key) for fact, key in missing])
        finally:
            self._fetching = [each for each in self._fetching if each is not dropped]
        fetched: dict[tuple[Fact[Any, Any], Any], Any] = {}
        for (fact, key), outcome in zip(missing, outcomes, strict=True):
            if not isinstance(outcome, JdwpError):
                fetched[fact, key] = _read(fact, key, outcome)
            elif outcome.number in fact.without:
                fetched[fact, key] = fact.without[outcome.number]
            elif lenient or outcome.number in _GONE:
                self._refuse(fact, key, outcome)
            else:
                raise outcome
        for (fact, key), value in fetched.items():
            if fact.link:
                self._require_above(key, value)
            self._refusals.pop((fact, key), None)
            if _type_of(key) not in dropped and fact.lasts(value):
                self._facts.setdefault(fact, {})[key] = value
        return fetched, dropped

    def _require_above(self, type_id: ReferenceTypeID, value: Any) -> None:
        """Raise ProtocolError for a link that closes a circle: all that climbs may rely on coming to an end."""
        links = [known for fact, known in self._facts.items() if fact.link]
        seen: set[ReferenceTypeID] = set()
        pending = list(value if isinstance(value, tuple) else (value,))
        while pending:
            above = pending.pop()
            if above == type_id or len(seen) > _MOST_ABOVE:
                what = "lead in a circle" if above == type_id else f"lead to more than {_MOST_ABOVE} types"
                raise ProtocolError(
                    f"the superclasses and interfaces of type {type_id:#x} {what}, by what the target says",
                    hint="what it says cannot be trusted; --wire-log FILE shows the packets",
                )
            if above and above not in seen:
                seen.add(above)
                for known in links:
                    found = known.get(above, ())
                    pending += found if isinstance(found, tuple) else (found,)

    def _refuse(self, fact: Fact[Any, Any], key: Any, error: JdwpError) -> None:
        if len(self._refusals) >= _MOST_REFUSALS:
            self._refusals.clear()
        self._refusals[fact, key] = error

    def invalidate(self, type_ids: Iterable[ReferenceTypeID]) -> None:
        """Drop what a redefinition changes: members, lines, variables, code, source name."""
        self._drop([known for fact, known in self._facts.items() if not fact.kept], set(type_ids))

    def forget(self, type_ids: Iterable[ReferenceTypeID]) -> None:
        """Drop all that is known of types that were unloaded."""
        self._drop(self._facts.values(), set(type_ids))

    def _drop(self, stores: Iterable[dict[Any, Any]], type_ids: set[ReferenceTypeID]) -> None:
        for known in stores:
            for key in [key for key in known if _type_of(key) in type_ids]:
                del known[key]
        for dropped in self._fetching:
            dropped |= type_ids


def _read(fact: Fact[K, V], key: K, reply: Any) -> V:
    """Return the fact that a reply has. Raises ProtocolError for one that makes no sense."""
    try:
        return fact.read(key, reply)
    except (ArithmeticError, LookupError, ValueError, RecursionError) as fault:
        raise ProtocolError(f"the reply to {fact.ask(key).NAME} makes no sense: {fault}") from fault


def _type_of(key: Any) -> ReferenceTypeID:
    """Return the type that a key of a fact is about."""
    type_id: ReferenceTypeID = key[0] if isinstance(key, tuple) else key
    return type_id
