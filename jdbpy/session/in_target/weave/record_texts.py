"""The texts that become of objects in a record: what ``recorded.kept_values`` reads. Written in the target.

``fixed`` is called at an event: it returns what cannot change any more, the object itself or a StringBuilder with its
text. Once the texts of a call take ``MOST_TEXT`` characters, one tells of class and identity alone. ``told`` is called
at the end of a call: it returns one text of all objects (see ``record_objects``), and puts where each is into the
values of the events. In front of all stands the name of the thread, as of a string.
"""

from __future__ import annotations

from jdbpy.session.in_target.weave.record_code import EVENTS, HEAD, RECORD
from jdbpy.session.in_target.weave.record_objects import (
    BUILDER,
    CLASS,
    COLLECTION,
    MAP,
    WRITE,
    B,
    append,
    append_identity,
    append_letter,
    for_each,
    jump_if_is,
    write_objects,
)
from jdbpy.session.in_target.weave.records import OBJECT, STRING
from jdbpy.session.java.edit.assembler import Assembler, ClassWriter, Label

MOST_TEXT = 500_000
"""Characters of the texts of a call, about."""

FIXED = f"({OBJECT}{RECORD}){OBJECT}"
_ROOM = 5  # the part of a record with the characters of its texts

_LONGS = "[J"


def write_texts(cls: ClassWriter, depth: int) -> None:
    """Add the methods to a helper. Raises CodeTooLong, PoolFull."""
    _Texts(cls, depth).write_all()


class _Texts:
    def __init__(self, cls: ClassWriter, depth: int) -> None:
        self._cls = cls
        self._depth = depth

    def write_all(self) -> None:
        method = self._cls.method
        method("fixed", FIXED, self._fixed)
        method("told", f"({RECORD}){STRING}", self._told)
        method("tell", f"({OBJECT}{B})J", self._tell)
        write_objects(self._cls)

    # -- at an event ---------------------------------------------------------------------------------------------------

    def _fixed(self, code: Assembler) -> None:
        itself, told = Label(), Label()
        code.load(OBJECT, 0)
        code.jump("ifnull", itself)
        jump_if_is(code, 0, STRING, itself)
        if not self._depth:
            jump_if_is(code, 0, B, told)
            jump_if_is(code, 0, f"L{COLLECTION};", told)
            jump_if_is(code, 0, f"L{MAP};", told)
            code.load(OBJECT, 0)
            code.call("java/lang/Object", "getClass", f"(){CLASS}")
            code.call("java/lang/Class", "isArray", "()Z")
            code.jump("ifeq", itself)
        code.place(told)
        builder, room = code.new_local(B), code.new_local("[I")
        known, bare, done = Label(), Label(), Label()
        self._new_builder(code, builder)
        code.load(RECORD, 1)
        code.push_int(_ROOM)
        code.array_load(OBJECT)
        code.check_cast("[I")
        code.store("[I", room)
        code.load("[I", room)
        code.jump("ifnonnull", known)
        code.push_int(1)
        code.new_array("I")
        code.store("[I", room)
        code.load(RECORD, 1)
        code.push_int(_ROOM)
        code.load("[I", room)
        code.array_store(OBJECT)
        code.place(known)
        code.load("[I", room)
        code.push_int(0)
        code.array_load("I")
        code.push_int(MOST_TEXT)
        code.jump("if_icmpge", bare)
        code.load(OBJECT, 0)
        code.push_int(self._depth)
        code.load(B, builder)
        code.call_static(self._cls.name, "write", WRITE)
        code.jump("goto", done)
        code.place(bare)
        append_letter(code, builder, "O")
        append_identity(code, 0, builder)

        def name() -> None:
            code.load(OBJECT, 0)
            code.call("java/lang/Object", "getClass", f"(){CLASS}")
            code.call("java/lang/Class", "getName", f"(){STRING}")

        append(code, builder, STRING, name)
        append(code, builder, STRING, lambda: code.push_string(" -1 ;"))
        code.place(done)
        code.load("[I", room)
        code.push_int(0)
        code.load("[I", room)
        code.push_int(0)
        code.array_load("I")
        code.load(B, builder)
        code.call(BUILDER, "length", "()I")
        code.op("iadd")
        code.array_store("I")
        code.load(B, builder)
        code.return_(OBJECT)
        code.place(itself)
        code.load(OBJECT, 0)
        code.return_(OBJECT)

    @staticmethod
    def _new_builder(code: Assembler, local: int) -> None:
        code.new(BUILDER)
        code.op("dup")
        code.call_constructor(BUILDER, "()V")
        code.store(B, local)

    # -- at the end of a call ------------------------------------------------------------------------------------------

    def _told(self, code: Assembler) -> None:
        data, refs, builder = code.new_local(_LONGS), code.new_local(RECORD), code.new_local(B)
        at, most, place = code.new_local("I"), code.new_local("I"), code.new_local("J")
        done = Label()
        self._new_builder(code, builder)
        code.call_static("java/lang/Thread", "currentThread", "()Ljava/lang/Thread;")
        code.call("java/lang/Thread", "getName", f"(){STRING}")
        code.load(B, builder)
        code.call_static(self._cls.name, "chars", f"({STRING}{B})V")
        self._part(code, 0, _LONGS, data)
        self._part(code, 1, RECORD, refs)
        code.load(_LONGS, data)
        code.push_int(0)
        code.array_load("J")
        code.push_long(EVENTS)
        code.call_static("java/lang/Math", "min", "(JJ)J")
        code.op("l2i")
        code.store("I", most)
        for_each(code, at, most, lambda: self._tell_one(code, refs, data, at, builder, place, 2, HEAD + 1))
        for part, value in ((1, None), (0, data)):  # what is kept needs no objects, and no room
            code.load(RECORD, 0)
            code.push_int(part)
            if value is None:
                code.op("aconst_null")
            else:
                code.load(_LONGS, value)
                code.load("I", most)
                code.push_int(1)
                code.op("ishl")
                code.push_int(HEAD)
                code.op("iadd")
                code.call_static("java/util/Arrays", "copyOf", "([JI)[J")
            code.array_store(OBJECT)
        code.load(RECORD, 0)
        code.push_int(2)
        code.array_load(OBJECT)
        code.jump("ifnull", done)
        self._part(code, 2, _LONGS, data)
        self._part(code, 3, RECORD, refs)
        code.load(RECORD, refs)
        code.op("arraylength")
        code.store("I", most)
        for_each(code, at, most, lambda: self._tell_one(code, refs, data, at, builder, place, 3, 1))
        code.place(done)
        code.load(B, builder)
        code.call(BUILDER, "toString", f"(){STRING}")
        code.return_(STRING)

    @staticmethod
    def _part(code: Assembler, part: int, signature: str, local: int) -> None:
        code.load(RECORD, 0)
        code.push_int(part)
        code.array_load(OBJECT)
        code.check_cast(signature)
        code.store(signature, local)

    def _tell_one(
        self, code: Assembler, refs: int, data: int, at: int, builder: int, place: int, width: int, offset: int
    ) -> None:
        """Tell the object of an event, and put where its text is in the place of its value."""
        nothing = Label()
        code.load(RECORD, refs)
        code.load("I", at)
        code.array_load(OBJECT)
        code.jump("ifnull", nothing)
        code.load(RECORD, refs)
        code.load("I", at)
        code.array_load(OBJECT)
        code.load(B, builder)
        code.call_static(self._cls.name, "tell", f"({OBJECT}{B})J")
        code.store("J", place)
        code.load(_LONGS, data)
        code.load("I", at)
        code.push_int(width)
        code.op("imul")
        code.push_int(offset)
        code.op("iadd")
        code.load("J", place)
        code.array_store("J")
        code.place(nothing)

    def _tell(self, code: Assembler) -> None:
        """``tell(object, builder)`` writes an object, or its text, and returns where that is."""
        start, own, done = code.new_local("I"), Label(), Label()
        code.load(B, 1)
        code.call(BUILDER, "length", "()I")
        code.store("I", start)
        jump_if_is(code, 0, B, own)
        code.load(OBJECT, 0)
        code.push_int(0)
        code.load(B, 1)
        code.call_static(self._cls.name, "write", WRITE)
        code.jump("goto", done)
        code.place(own)
        code.load(B, 1)
        code.load(OBJECT, 0)
        code.check_cast("Ljava/lang/CharSequence;")
        code.call(BUILDER, "append", f"(Ljava/lang/CharSequence;){B}")
        code.op("pop")
        code.place(done)
        code.load("I", start)
        code.op("i2l")
        code.push_int(32)
        code.op("lshl")
        code.load(B, 1)
        code.call(BUILDER, "length", "()I")
        code.load("I", start)
        code.op("isub")
        code.op("i2l")
        code.op("lor")
        code.return_("J")
