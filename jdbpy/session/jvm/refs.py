"""Reference types and their members as the session knows them: ids with the facts that never change.

Plain records; nothing here asks the target. Ids are the agent's: a field or method id is good only with the type that
declares it (the agent does not check, and a wrong one ends the VM), so members carry ``type_id``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from jdbpy.errors import ProtocolError
from jdbpy.record import Record
from jdbpy.session.java import signatures
from jdbpy.wire.constants import Tag, TypeTag
from jdbpy.wire.ids import FieldID, MethodID, ReferenceTypeID, TaggedValue
from jdbpy.wire.layout import OBJECT_TAGS

Id = TypeVar("Id", MethodID, FieldID)

OBSOLETE = MethodID(0)
"""The method id that the agent sends for a frame in a version replaced by redefinition. Never send it back."""


NOWHERE = -1
"""The line of an instruction that belongs to no line of the file in question."""


class RefType(Record):
    """A loaded class, interface or array type. ``tag`` is its TypeTag; ``signature`` the JNI one."""

    id: ReferenceTypeID
    tag: int
    signature: str

    @property
    def name(self) -> str:
        """Return the Java name, "java.util.Map$Entry" or "int[]"."""
        return signatures.java_name(self.signature)

    @property
    def is_array(self) -> bool:
        return self.tag == TypeTag.ARRAY


class Member(Record, Generic[Id]):
    """A member that ``type_id`` declares. ``bits`` are its modifiers as the agent sends them."""

    id: Id
    type_id: ReferenceTypeID
    name: str
    signature: str
    generic: str
    bits: int

    @property
    def is_static(self) -> bool:
        return bool(self.bits & signatures.STATIC)

    @property
    def is_final(self) -> bool:
        return bool(self.bits & signatures.FINAL)

    @property
    def is_private(self) -> bool:
        return bool(self.bits & signatures.PRIVATE)

    @property
    def is_synthetic(self) -> bool:
        return signatures.is_synthetic(self.bits)


class Method(Member[MethodID]):
    """A method, constructor or initializer."""

    @property
    def is_abstract(self) -> bool:
        return bool(self.bits & signatures.ABSTRACT)

    @property
    def is_native(self) -> bool:
        return bool(self.bits & signatures.NATIVE)

    @property
    def has_code(self) -> bool:
        return not self.bits & (signatures.ABSTRACT | signatures.NATIVE)

    @property
    def is_varargs(self) -> bool:
        return bool(self.bits & signatures.VARARGS)

    @property
    def is_bridge(self) -> bool:
        return bool(self.bits & signatures.BRIDGE)

    @property
    def is_lambda_body(self) -> bool:
        return signatures.is_lambda_body(self.name)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Erased types as in source: ("int", "java.lang.String...")."""
        return signatures.parameter_types(self.signature, varargs=self.is_varargs)

    @property
    def returns(self) -> str:
        return signatures.java_name(signatures.split_method(self.signature)[1])


class Field(Member[FieldID]):
    """A field, static or of an instance."""


class LineTable(Record):
    """The beginnings of the lines of a method: ``entries`` are (code index, line) by rising index; of two entries at
    one index the last counts. ``start`` and ``end`` are the first and last code index, -1 when the method has no code.
    """

    start: int
    end: int
    entries: tuple[tuple[int, int], ...]

    def line_at(self, code_index: int) -> int | None:
        """Return the line that the instruction belongs to; None in native code and without line numbers.

        Code before the first entry, which compilers put in by themselves, is counted to the first line, as JDI does.
        """
        if code_index < 0 or not self.entries:
            return None
        position = bisect_right(self.entries, code_index, key=lambda entry: entry[0])
        return self.entries[max(position, 1) - 1][1]

    def starts_of(self, line: int) -> list[int]:
        """Return the code indices at which a run of instructions of the line begins, rising."""
        starts = []
        before = None
        for index, number in self.entries:
            if number == line and before != line:
                starts.append(index)
            before = number
        return starts

    def lines(self) -> set[int]:
        """Return all lines that have code."""
        return {line for _, line in self.entries if line != NOWHERE}


NO_LINES = LineTable(-1, -1, ())
"""The line table of a method without code."""


class Slot(Record):
    """A local variable: alive from ``code_index`` on for ``length`` bytes of code, in slot number ``slot``."""

    code_index: int
    name: str
    signature: str
    generic: str
    length: int
    slot: int

    def visible_at(self, code_index: int) -> bool:
        return self.code_index <= code_index < self.code_index + self.length


class VariableTable(Record):
    """The variables of a method compiled with -g. ``argument_slots`` counts ``this``, and long and double twice."""

    argument_slots: int
    slots: tuple[Slot, ...]


class Declared(Protocol):
    """Anything with a declared type: a field, a local variable."""

    @property
    def signature(self) -> str: ...


MASKED_ID = 0x7FFFFFFFFFFFFFF0
"""The object that stands in a snapshot for every masked value: a string."""
MASKED = TaggedValue(Tag.STRING, MASKED_ID)


def as_declared(declared: Sequence[Declared], values: list[TaggedValue]) -> list[TaggedValue]:
    """Return the values that the target has sent for fields or variables.

    Raises ProtocolError when there are more or fewer, or one cannot be of its declared type. In a snapshot any of them
    may be the string in place of masked values.
    """
    if len(values) == len(declared):
        for each, value in zip(declared, values, strict=True):
            tag = ord(each.signature[0])
            if tag != value.tag and not (tag in OBJECT_TAGS and value.tag in OBJECT_TAGS) and value != MASKED:
                break
        else:
            return values
    raise ProtocolError("the target answered with values that are not of the declared types")
