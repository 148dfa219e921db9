"""What there is to know about a loaded type that never changes while it stays loaded and is not redefined.

Each fact is declared once: which command asks for it, how the reply is read, and which errors are an answer ("there
is none") rather than a failure. ``types.TypeCache`` does the asking and the remembering.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from jdbpy.session.code.constant_pool import ConstantPool, class_names, read_pool
from jdbpy.session.strata.smap import SourceMap, parse as parse_source_map
from jdbpy.session.types.refs import NO_LINES, Field, LineTable, Method, Slot, VariableTable
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Error
from jdbpy.wire.ids import ClassID, ClassLoaderID, MethodID, ModuleID, ReferenceTypeID
from jdbpy.wire.messages import class_type, method, reference_type

K = TypeVar("K")
V = TypeVar("V")

MethodKey = tuple[ReferenceTypeID, MethodID]
"""A method and the type that declares it."""


class Fact(Generic[K, V]):
    """A kind of fact about things named by K. Identity is by object: the constants of this module.

    ``without`` maps error codes to the value that they stand for. ``kept`` facts survive a redefinition of the class,
    which on HotSpot changes code but neither members nor ancestry. A ``link`` leads to the types directly above.
    """

    __slots__ = ("ask", "kept", "link", "read", "without")

    def __init__(
        self,
        ask: Callable[[K], Command[Any]],
        read: Callable[[K, Any], V],
        without: Mapping[int, V] | None = None,
        *,
        kept: bool = False,
        link: bool = False,
    ) -> None:
        self.ask = ask
        self.read = read
        self.without = without or {}
        self.kept = kept
        self.link = link


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
