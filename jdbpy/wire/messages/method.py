"""Method, command set 6: code, lines and variables of methods.

``refType`` is the type that declares the method. An id of another type, or 0, ends the VM.
"""

from __future__ import annotations

from jdbpy.record import Record
from jdbpy.wire.command import Command, Reply
from jdbpy.wire.constants import CommandSet
from jdbpy.wire.ids import Boolean, Bytes, Int, Long, MethodID, ReferenceTypeID, String


class LineInfo(Record):
    lineCodeIndex: Long
    lineNumber: Int


class LineTableReply(Reply):
    start: Long
    end: Long
    lines: list[LineInfo]


class LineTable(Command[LineTableReply], number=(CommandSet.Method, 1)):
    """First and last code index, and the index at which each line begins (a line may have several).

    Native: NATIVE_METHOD. Abstract: -1, -1 and no lines. Compiled without line numbers: no lines.
    """

    refType: ReferenceTypeID
    methodID: MethodID


class SlotInfo(Record):
    codeIndex: Long
    name: String
    signature: String
    length: Int
    slot: Int


class VariableTableReply(Reply):
    argCnt: Int
    slots: list[SlotInfo]


class VariableTable(Command[VariableTableReply], number=(CommandSet.Method, 2)):
    """The variables, each alive from ``codeIndex`` for ``length``.

    ``argCnt`` is in slots: ``this`` counts, and a long or double counts twice. ABSENT_INFORMATION without ``javac -g``,
    NATIVE_METHOD for native methods.
    """

    refType: ReferenceTypeID
    methodID: MethodID


class BytecodesReply(Reply):
    bytes: Bytes


class Bytecodes(Command[BytecodesReply], number=(CommandSet.Method, 3), capability="canGetBytecodes"):
    """The instructions, as in the Code attribute; nothing for native and abstract methods."""

    refType: ReferenceTypeID
    methodID: MethodID


class IsObsoleteReply(Reply):
    isObsolete: Boolean


class IsObsolete(Command[IsObsoleteReply], number=(CommandSet.Method, 4)):
    """Ask if a redefinition has left the method behind. HotSpot lets the old id mean the new method, which is not."""

    refType: ReferenceTypeID
    methodID: MethodID


class SlotInfoWithGeneric(Record):
    codeIndex: Long
    name: String
    signature: String
    genericSignature: String
    length: Int
    slot: Int


class VariableTableWithGenericReply(Reply):
    argCnt: Int
    slots: list[SlotInfoWithGeneric]


class VariableTableWithGeneric(Command[VariableTableWithGenericReply], number=(CommandSet.Method, 5), since="1.5"):
    """VariableTable, with generic signatures where there are any."""

    refType: ReferenceTypeID
    methodID: MethodID
