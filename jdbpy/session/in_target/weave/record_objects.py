"""One object of the program as text: written in the target, read by ``recorded.kept_values``.

``write`` writes one object:

* ``N`` null; ``S12:5:Hello`` a string of 12 characters, of which 5 are there; ``T77 12:5:Hello`` a StringBuilder with
  its identity
* ``Vjava.lang.Integer 2:42`` a number or truth value; ``E`` a constant of an enum; ``C`` a class: the class, the text
* ``O77 com.acme.Order -1 ...;`` any other object: identity, class, size (-1: none), and as deep as was asked for its
  parts: ``f`` a field with name and value, ``e`` an element, ``k`` a key and its value

Of the program's code nothing runs: sizes and elements are asked of the classes of ``java.util`` alone.
"""

from __future__ import annotations

from collections.abc import Callable

from jdbpy.session.in_target.weave.records import OBJECT, STRING
from jdbpy.session.java.edit.assembler import Assembler, ClassWriter, Label

STRING_LIMIT, ELEMENT_LIMIT = 200, 16
"""Characters of a string, and elements of a container, that are kept."""

MOST_OF_ONE = 20_000
"""Characters of one object, about: what is in others inside of it is left out beyond."""

BUILDER = "java/lang/StringBuilder"
B = f"L{BUILDER};"
CLASS = "Ljava/lang/Class;"
COLLECTION, MAP = "java/util/AbstractCollection", "java/util/AbstractMap"
WRITE = f"({OBJECT}I{B})V"
_ITERATOR, _ENTRY = "Ljava/util/Iterator;", "java/util/Map$Entry"
_FIELD = "Ljava/lang/reflect/Field;"


def write_objects(cls: ClassWriter) -> None:
    """Add the methods to a helper. Raises CodeTooLong, PoolFull."""
    _ObjectTexts(cls).write_all()


def append(code: Assembler, builder: int, signature: str, push: Callable[[], object]) -> None:
    """Append to the builder in a variable what ``push`` pushes."""
    code.load(B, builder)
    push()
    code.call(BUILDER, "append", f"({signature}){B}")
    code.op("pop")


def append_letter(code: Assembler, builder: int, letter: str) -> None:
    """Append a character."""
    append(code, builder, "C", lambda: code.push_int(ord(letter)))


def append_identity(code: Assembler, thing: int, builder: int) -> None:
    """Append the identity hash of an object."""

    def push() -> None:
        code.load(OBJECT, thing)
        code.call_static("java/lang/System", "identityHashCode", f"({OBJECT})I")

    append(code, builder, "I", push)
    append_letter(code, builder, " ")


def jump_if_is(code: Assembler, local: int, signature: str, label: Label) -> None:
    """Jump if the object in a variable is of a class."""
    code.load(OBJECT, local)
    code.instance_of(signature)
    code.jump("ifne", label)


def count_up(code: Assembler, at: int, push_most: Callable[[], None], body: Callable[[], None], end: Label) -> None:
    """Write a loop with the variable ``at`` from 0 to below what ``push_most`` pushes. ``body`` may jump to ``end``."""
    again = Label()
    code.push_int(0)
    code.store("I", at)
    code.place(again)
    code.load("I", at)
    push_most()
    code.jump("if_icmpge", end)
    body()
    code.load("I", at)
    code.push_int(1)
    code.op("iadd")
    code.store("I", at)
    code.jump("goto", again)


def for_each(code: Assembler, at: int, most: int, body: Callable[[], None]) -> None:
    """Write a loop over 0 to ``most`` - 1, both in variables, as ``at``."""
    end = Label()
    count_up(code, at, lambda: code.load("I", most), body, end)
    code.place(end)


class _ObjectTexts:
    def __init__(self, cls: ClassWriter) -> None:
        self._cls = cls

    def write_all(self) -> None:
        method = self._cls.method
        method("write", WRITE, self._write)
        method("chars", f"({STRING}{B})V", self._chars)
        method("simple", f"(C{STRING}{STRING}{B})V", self._simple)
        method("plain", f"({STRING})Z", self._plain)
        method("size", f"({OBJECT}{CLASS})I", self._size)
        method("parts", f"({OBJECT}{CLASS}I{B})V", self._parts)
        method("fields", f"({OBJECT}{CLASS}I{B})V", self._fields)

    # -- one object ----------------------------------------------------------------------------------------------------

    def _write(self, code: Assembler) -> None:
        thing, depth, builder = 0, 1, 2
        null, string, text, value, number, constant, class_, other = (Label() for _ in range(8))
        type_, name = code.new_local(CLASS), code.new_local(STRING)
        code.load(OBJECT, thing)
        code.jump("ifnull", null)
        jump_if_is(code, thing, STRING, string)
        jump_if_is(code, thing, B, text)
        code.load(OBJECT, thing)
        code.call("java/lang/Object", "getClass", f"(){CLASS}")
        code.store(CLASS, type_)
        code.load(CLASS, type_)
        code.call("java/lang/Class", "getName", f"(){STRING}")
        code.store(STRING, name)
        jump_if_is(code, thing, "Ljava/lang/Enum;", constant)
        jump_if_is(code, thing, CLASS, class_)
        jump_if_is(code, thing, "Ljava/lang/Boolean;", value)
        jump_if_is(code, thing, "Ljava/lang/Character;", value)
        jump_if_is(code, thing, "Ljava/lang/Number;", number)
        code.place(other)
        append_letter(code, builder, "O")
        append_identity(code, thing, builder)
        append(code, builder, STRING, lambda: code.load(STRING, name))
        append_letter(code, builder, " ")

        def size() -> None:
            code.load(OBJECT, thing)
            code.load(CLASS, type_)
            code.call_static(self._cls.name, "size", f"({OBJECT}{CLASS})I")

        append(code, builder, "I", size)
        append_letter(code, builder, " ")
        end = Label()
        code.load("I", depth)
        code.jump("ifle", end)
        code.load(OBJECT, thing)
        code.load(CLASS, type_)
        code.load("I", depth)
        code.load(B, builder)
        code.call_static(self._cls.name, "parts", f"({OBJECT}{CLASS}I{B})V")
        code.place(end)
        append_letter(code, builder, ";")
        code.return_()
        code.place(null)
        append_letter(code, builder, "N")
        code.return_()
        code.place(string)
        append_letter(code, builder, "S")
        code.load(OBJECT, thing)
        code.check_cast(STRING)
        code.load(B, builder)
        code.call_static(self._cls.name, "chars", f"({STRING}{B})V")
        code.return_()
        code.place(text)
        append_letter(code, builder, "T")
        append_identity(code, thing, builder)
        code.load(OBJECT, thing)
        code.check_cast(B)
        code.call(BUILDER, "toString", f"(){STRING}")
        code.load(B, builder)
        code.call_static(self._cls.name, "chars", f"({STRING}{B})V")
        code.return_()
        code.place(number)  # numbers of other packages may be classes of the program, or change
        code.load(STRING, name)
        code.call_static(self._cls.name, "plain", f"({STRING})Z")
        code.jump("ifeq", other)
        code.place(value)

        def simple(letter: str, class_name: Callable[[], None], text_of: Callable[[], None]) -> None:
            code.push_int(ord(letter))
            class_name()
            text_of()
            code.load(B, builder)
            code.call_static(self._cls.name, "simple", f"(C{STRING}{STRING}{B})V")
            code.return_()

        def call_on(signature: str, owner: str, method: str) -> None:
            code.load(OBJECT, thing)
            if signature:
                code.check_cast(signature)
            code.call(owner, method, f"(){STRING}")

        simple("V", lambda: code.load(STRING, name), lambda: call_on("", "java/lang/Object", "toString"))
        code.place(constant)

        def declaring() -> None:
            code.load(OBJECT, thing)
            code.check_cast("Ljava/lang/Enum;")
            code.call("java/lang/Enum", "getDeclaringClass", f"(){CLASS}")
            code.call("java/lang/Class", "getName", f"(){STRING}")

        simple("E", declaring, lambda: call_on("Ljava/lang/Enum;", "java/lang/Enum", "name"))
        code.place(class_)
        simple("C", lambda: code.load(STRING, name), lambda: call_on(CLASS, "java/lang/Class", "getName"))

    def _plain(self, code: Assembler) -> None:
        """``plain(name)``: true for the numbers of the JDK that never change."""
        yes = Label()
        for prefix in ("java.lang.", "java.math.Big"):
            code.load(STRING, 0)
            code.push_string(prefix)
            code.call("java/lang/String", "startsWith", f"({STRING})Z")
            code.jump("ifne", yes)
        code.push_int(0)
        code.return_("I")
        code.place(yes)
        code.push_int(1)
        code.return_("I")

    def _chars(self, code: Assembler) -> None:
        """``chars(string, builder)``: the length, how many characters follow, and these."""
        count = code.new_local("I")
        code.load(STRING, 0)
        code.call("java/lang/String", "length", "()I")
        code.push_int(STRING_LIMIT)
        code.call_static("java/lang/Math", "min", "(II)I")
        code.store("I", count)

        def length() -> None:
            code.load(STRING, 0)
            code.call("java/lang/String", "length", "()I")

        append(code, 1, "I", length)
        append_letter(code, 1, ":")
        append(code, 1, "I", lambda: code.load("I", count))
        append_letter(code, 1, ":")
        code.load(B, 1)
        code.load(STRING, 0)
        code.push_int(0)
        code.load("I", count)
        code.call(BUILDER, "append", f"(Ljava/lang/CharSequence;II){B}")
        code.op("pop")
        code.return_()

    def _simple(self, code: Assembler) -> None:
        """``simple(letter, class name, text, builder)``."""
        append(code, 3, "C", lambda: code.load("I", 0))
        append(code, 3, STRING, lambda: code.load(STRING, 1))
        append_letter(code, 3, " ")
        code.load(STRING, 2)
        code.load(B, 3)
        code.call_static(self._cls.name, "chars", f"({STRING}{B})V")
        code.return_()

    # -- what is in an object ------------------------------------------------------------------------------------------

    def _size(self, code: Assembler) -> None:
        """``size(object, class)``: how many elements an array, or a container of ``java.util``, has; -1 of others."""
        start, end, failed, other, array = Label(), Label(), Label(), Label(), Label()
        code.place(start)
        code.load(CLASS, 1)
        code.call("java/lang/Class", "isArray", "()Z")
        code.jump("ifne", array)
        self._require_java_util(code, 1, other)
        for owner in (COLLECTION, MAP):
            following = Label()
            code.load(OBJECT, 0)
            code.instance_of(f"L{owner};")
            code.jump("ifeq", following)
            code.load(OBJECT, 0)
            code.check_cast(f"L{owner};")
            code.call(owner, "size", "()I")
            code.return_("I")
            code.place(following)
        code.jump("goto", other)
        code.place(array)
        code.load(OBJECT, 0)
        code.call_static("java/lang/reflect/Array", "getLength", f"({OBJECT})I")
        code.return_("I")
        code.place(end)
        code.handle(start, end, failed)
        code.place(failed)
        code.op("pop")
        code.place(other)
        code.push_int(-1)
        code.return_("I")

    def _require_java_util(self, code: Assembler, type_: int, out: Label) -> None:
        """Jump to ``out`` for a class that is not of the package ``java.util``, and for Vector, which locks."""
        code.load(CLASS, type_)
        code.call("java/lang/Class", "getName", f"(){STRING}")
        code.push_string("java.util.")
        code.call("java/lang/String", "startsWith", f"({STRING})Z")
        code.jump("ifeq", out)
        code.load(CLASS, type_)
        code.call("java/lang/Class", "getName", f"(){STRING}")
        code.push_int(ord("."))
        code.call("java/lang/String", "lastIndexOf", "(I)I")
        code.push_int(len("java.util"))
        code.jump("if_icmpne", out)
        code.load(OBJECT, 0)
        code.instance_of("Ljava/util/Vector;")
        code.jump("ifne", out)

    def _parts(self, code: Assembler) -> None:
        """``parts(object, class, depth, builder)`` writes elements, entries or fields, one level less deep."""
        thing, type_, depth, builder = range(4)
        start, end, failed, out, array, fields, map_ = (Label() for _ in range(7))
        at, most, iterator = code.new_local("I"), code.new_local("I"), code.new_local(_ITERATOR)
        entry = code.new_local(OBJECT)
        code.load(B, builder)
        code.call(BUILDER, "length", "()I")
        code.push_int(MOST_OF_ONE)
        code.jump("if_icmpge", out)
        code.place(start)
        code.load(CLASS, type_)
        code.call("java/lang/Class", "isArray", "()Z")
        code.jump("ifne", array)
        self._require_java_util(code, type_, fields)
        jump_if_is(code, thing, f"L{MAP};", map_)
        code.load(OBJECT, thing)
        code.instance_of(f"L{COLLECTION};")
        code.jump("ifeq", fields)
        code.load(OBJECT, thing)
        code.check_cast(f"L{COLLECTION};")
        code.call(COLLECTION, "iterator", f"(){_ITERATOR}")
        code.store(_ITERATOR, iterator)
        self._elements(code, at, iterator, out, lambda: self._part_of(code, "e", lambda: self._next(code, iterator)))
        code.place(map_)
        code.load(OBJECT, thing)
        code.check_cast(f"L{MAP};")
        code.call(MAP, "entrySet", "()Ljava/util/Set;")
        code.call_interface("java/util/Set", "iterator", f"(){_ITERATOR}")
        code.store(_ITERATOR, iterator)

        def key_and_value() -> None:
            self._next(code, iterator)
            code.store(OBJECT, entry)
            for letter, method in (("k", "getKey"), ("", "getValue")):

                def push(method: str = method) -> None:
                    code.load(OBJECT, entry)
                    code.check_cast(f"L{_ENTRY};")
                    code.call_interface(_ENTRY, method, f"(){OBJECT}")

                self._part_of(code, letter, push)

        self._elements(code, at, iterator, out, key_and_value)
        code.place(array)
        code.load(OBJECT, thing)
        code.call_static("java/lang/reflect/Array", "getLength", f"({OBJECT})I")
        code.push_int(ELEMENT_LIMIT)
        code.call_static("java/lang/Math", "min", "(II)I")
        code.store("I", most)

        def element() -> None:
            code.load(OBJECT, thing)
            code.load("I", at)
            code.call_static("java/lang/reflect/Array", "get", f"({OBJECT}I){OBJECT}")

        for_each(code, at, most, lambda: self._part_of(code, "e", element))
        code.jump("goto", out)
        code.place(fields)
        code.load(OBJECT, thing)
        code.load(CLASS, type_)
        code.load("I", depth)
        code.load(B, builder)
        code.call_static(self._cls.name, "fields", f"({OBJECT}{CLASS}I{B})V")
        code.jump("goto", out)
        code.place(end)
        code.handle(start, end, failed)
        code.place(failed)
        code.op("pop")
        code.place(out)
        code.return_()

    def _elements(self, code: Assembler, at: int, iterator: int, out: Label, body: Callable[[], None]) -> None:
        def element() -> None:
            code.load(_ITERATOR, iterator)
            code.call_interface("java/util/Iterator", "hasNext", "()Z")
            code.jump("ifeq", out)
            body()

        count_up(code, at, lambda: code.push_int(ELEMENT_LIMIT), element, out)

    @staticmethod
    def _next(code: Assembler, iterator: int) -> None:
        code.load(_ITERATOR, iterator)
        code.call_interface("java/util/Iterator", "next", f"(){OBJECT}")

    def _part_of(self, code: Assembler, letter: str, push: Callable[[], object]) -> None:
        """Write a part; what pushes it comes first, as that may fail."""
        value = code.new_local(OBJECT)
        push()
        code.store(OBJECT, value)
        if letter:
            append_letter(code, 3, letter)
        self._write_part(code, value)

    def _write_part(self, code: Assembler, value: int) -> None:
        code.load(OBJECT, value)
        code.load("I", 2)
        code.push_int(1)
        code.op("isub")
        code.load(B, 3)
        code.call_static(self._cls.name, "write", WRITE)

    def _fields(self, code: Assembler) -> None:
        """``fields(object, class, depth, builder)``: those that may be read, of the class and those above it."""
        thing, type_, builder = 0, 1, 3
        above, out = Label(), Label()
        fields, at, most, field = (
            code.new_local(f"[{_FIELD}"), code.new_local("I"), code.new_local("I"), code.new_local(_FIELD)
        )  # fmt: skip
        value = code.new_local(OBJECT)
        code.place(above)
        code.load(CLASS, type_)
        code.jump("ifnull", out)
        code.load(CLASS, type_)
        code.call("java/lang/Class", "getDeclaredFields", f"()[{_FIELD}")
        code.store(f"[{_FIELD}", fields)
        code.load(f"[{_FIELD}", fields)
        code.op("arraylength")
        code.store("I", most)

        def one() -> None:
            start, end, failed, following = Label(), Label(), Label(), Label()
            code.load(f"[{_FIELD}", fields)
            code.load("I", at)
            code.array_load(_FIELD)
            code.store(_FIELD, field)
            code.load(_FIELD, field)
            code.call("java/lang/reflect/Field", "getModifiers", "()I")
            code.push_int(0x8)
            code.op("iand")
            code.jump("ifne", following)
            code.place(start)
            code.load(_FIELD, field)
            code.push_int(1)
            code.call("java/lang/reflect/Field", "setAccessible", "(Z)V")
            code.load(_FIELD, field)
            code.load(OBJECT, thing)
            code.call("java/lang/reflect/Field", "get", f"({OBJECT}){OBJECT}")
            code.store(OBJECT, value)
            code.place(end)
            append_letter(code, builder, "f")

            def name() -> None:
                code.load(_FIELD, field)
                code.call("java/lang/reflect/Field", "getName", f"(){STRING}")

            append(code, builder, STRING, name)
            append_letter(code, builder, " ")
            self._write_part(code, value)
            code.jump("goto", following)
            code.handle(start, end, failed)
            code.place(failed)
            code.op("pop")
            code.place(following)

        for_each(code, at, most, one)
        code.load(CLASS, type_)
        code.call("java/lang/Class", "getSuperclass", f"(){CLASS}")
        code.store(CLASS, type_)
        code.jump("goto", above)
        code.place(out)
        code.return_()
