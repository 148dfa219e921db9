"""ArrayReference, command set 13: length and elements of arrays."""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.wire.command import Command, Empty, Reply
from jdbpy.wire.constants import CommandSet
from jdbpy.wire.ids import ArrayID, ArrayRegion, Int, UntaggedValue


class LengthReply(Reply):
    arrayLength: Int


class Length(Command[LengthReply], number=(CommandSet.ArrayReference, 1)):
    """The number of elements."""

    arrayObject: ArrayID


class GetValuesReply(Reply):
    values: ArrayRegion


class GetValues(Command[GetValuesReply], number=(CommandSet.ArrayReference, 2)):
    """``length`` elements from ``firstIndex`` on; -1 is the rest.

    INVALID_INDEX when it starts at the end or beyond (always so in an empty array), INVALID_LENGTH when there
    are fewer.
    """

    arrayObject: ArrayID
    firstIndex: Int
    length: Int


class SetValues(Command[Empty], number=(CommandSet.ArrayReference, 3)):
    """Set elements from ``firstIndex`` on; the values must be of the element type. TYPE_MISMATCH for a wrong class."""

    arrayObject: ArrayID
    firstIndex: Int
    values: Sequence[UntaggedValue]
