"""Bytecode from instructions, with labels; and whole classes of version 49, for which no stack maps are needed.

The verifier infers the types of such classes itself. The depth of the operand stack is counted here.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from math import copysign

from jdbpy.session.java.class_file import MAGIC
from jdbpy.session.java.edit.class_parts import PoolWriter
from jdbpy.session.java.edit.code_variable import CheckParameter
from jdbpy.session.java.signatures import split_method

VERSION = 49
"""The last version of class files without stack maps that has class literals in the pool."""

PUBLIC, STATIC, FINAL, SUPER, VOLATILE, SYNTHETIC = 0x1, 0x8, 0x10, 0x20, 0x40, 0x1000

MOST_CODE = 32_000
"""Jumps of 16 bits reach that far."""

_LOADS = {"J": 22, "F": 23, "D": 24, "L": 25, "[": 25}
_STORES = {"J": 55, "F": 56, "D": 57, "L": 58, "[": 58}
_RETURNS = {"J": 173, "F": 174, "D": 175, "L": 176, "[": 176, "V": 177}
_ARRAY_LOADS = {"I": 46, "J": 47, "F": 48, "D": 49, "L": 50, "[": 50, "B": 51, "Z": 51, "C": 52, "S": 53}
_ARRAY_STORES = {kind: opcode + 33 for kind, opcode in _ARRAY_LOADS.items()}
_ARRAY_KINDS = {"Z": 4, "C": 5, "F": 6, "D": 7, "B": 8, "S": 9, "I": 10, "J": 11}
_TWO_WORDS = ("J", "D")

# Instructions without operands, and how many words each takes off the stack and puts there.
OPCODES = {
    "aconst_null": (1, 1), "pop": (87, -1), "pop2": (88, -2), "dup": (89, 1), "dup_x1": (90, 1), "dup_x2": (91, 1),
    "dup2": (92, 2), "swap": (95, 0),
    "iadd": (96, -1), "ladd": (97, -2), "fadd": (98, -1), "dadd": (99, -2),
    "isub": (100, -1), "lsub": (101, -2), "fsub": (102, -1), "dsub": (103, -2),
    "imul": (104, -1), "lmul": (105, -2), "fmul": (106, -1), "dmul": (107, -2),
    "idiv": (108, -1), "ldiv": (109, -2), "fdiv": (110, -1), "ddiv": (111, -2),
    "irem": (112, -1), "lrem": (113, -2), "frem": (114, -1), "drem": (115, -2),
    "ineg": (116, 0), "lneg": (117, 0), "fneg": (118, 0), "dneg": (119, 0),
    "ishl": (120, -1), "lshl": (121, -1), "ishr": (122, -1), "lshr": (123, -1), "iushr": (124, -1), "lushr": (125, -1),
    "iand": (126, -1), "land": (127, -2), "ior": (128, -1), "lor": (129, -2), "ixor": (130, -1), "lxor": (131, -2),
    "i2l": (133, 1), "i2f": (134, 0), "i2d": (135, 1), "l2i": (136, -1), "l2f": (137, -1), "l2d": (138, 0),
    "f2i": (139, 0), "f2l": (140, 1), "f2d": (141, 1), "d2i": (142, -1), "d2l": (143, 0), "d2f": (144, -1),
    "i2b": (145, 0), "i2c": (146, 0), "i2s": (147, 0),
    "lcmp": (148, -3), "fcmpl": (149, -1), "fcmpg": (150, -1), "dcmpl": (151, -3), "dcmpg": (152, -3),
    "arraylength": (190, 0), "athrow": (191, -1), "monitorenter": (194, -1), "monitorexit": (195, -1),
}  # fmt: skip
JUMPS = {
    "ifeq": (153, -1), "ifne": (154, -1), "iflt": (155, -1), "ifge": (156, -1), "ifgt": (157, -1), "ifle": (158, -1),
    "if_icmpeq": (159, -2), "if_icmpne": (160, -2), "if_icmplt": (161, -2), "if_icmpge": (162, -2),
    "if_icmpgt": (163, -2), "if_icmple": (164, -2), "if_acmpeq": (165, -2), "if_acmpne": (166, -2),
    "goto": (167, 0), "ifnull": (198, -1), "ifnonnull": (199, -1),
}  # fmt: skip


class CodeTooLong(Exception):
    """The code is too long for its jumps, or needs too many constants."""


NUMBERS = "java/util/concurrent/atomic/AtomicLongArray"
"""The class of arrays of numbers that several threads change."""


class Label:
    """A place in code that jumps lead to."""

    def __init__(self) -> None:
        self.index = -1
        self.depth = -1


def words(signature: str) -> int:
    """Return how many words a value of the type takes; 0 of void."""
    return 0 if signature == "V" else 2 if signature in _TWO_WORDS else 1


class Assembler:
    """The code of one static method of the class ``owner``, an internal name. ``parameters`` are the variables of the
    host that are its arguments, in order."""

    def __init__(self, pool: PoolWriter, owner: str, parameters: Sequence[CheckParameter] = ()) -> None:
        self.pool = pool
        self.owner = owner
        self.parameters = parameters
        self.locals = 0
        self.arguments: dict[int, int] = {}  # by slots of the host
        for each in parameters:
            self.arguments[each.slot] = self.new_local(each.passed_as)
        self._code = bytearray()
        self._depth = 0
        self._most = 0
        self._jumps: list[tuple[int, Label]] = []
        self._handlers: list[tuple[Label, Label, Label, int]] = []

    @property
    def depth(self) -> int:
        """Return the words on the operand stack here."""
        return self._depth

    def new_local(self, signature: str) -> int:
        """Return the number of a new local variable."""
        number = self.locals
        self.locals += words(signature)
        return number

    # Plain instructions

    def op(self, name: str) -> None:
        """Write an instruction without operands."""
        opcode, change = OPCODES[name]
        self._emit(bytes([opcode]), change)

    def load(self, signature: str, local: int) -> None:
        self._local(_LOADS.get(signature[0], 21), local, words(signature))

    def store(self, signature: str, local: int) -> None:
        self._local(_STORES.get(signature[0], 54), local, -words(signature))

    def load_argument(self, slot: int, signature: str) -> None:
        """Load the variable of the host that is in the slot there: a reference with no better type than Object."""
        self.load(signature, self.arguments[slot])

    def return_(self, signature: str = "V") -> None:
        self._emit(bytes([_RETURNS.get(signature[0], 172)]), -words(signature))

    def array_load(self, element: str) -> None:
        self._emit(bytes([_ARRAY_LOADS[element[0]]]), words(element) - 2)

    def array_store(self, element: str) -> None:
        self._emit(bytes([_ARRAY_STORES[element[0]]]), -2 - words(element))

    # Constants

    def push_int(self, value: int) -> None:
        if -1 <= value <= 5:
            self._emit(bytes([3 + value]), 1)
        elif -0x80 <= value < 0x80:
            self._emit(struct.pack(">Bb", 16, value), 1)
        elif -0x8000 <= value < 0x8000:
            self._emit(struct.pack(">Bh", 17, value), 1)
        else:
            self._constant(self.pool.int_(value))

    def push_long(self, value: int) -> None:
        if value in (0, 1):
            self._emit(bytes([9 + value]), 2)
        else:
            self._emit(struct.pack(">BH", 20, self.pool.long_(value)), 2)

    def push_float(self, value: float) -> None:
        if value in (0.0, 1.0, 2.0) and copysign(1.0, value) > 0:
            self._emit(bytes([11 + round(value)]), 1)
        else:
            self._constant(self.pool.float_(value))

    def push_double(self, value: float) -> None:
        if value in (0.0, 1.0) and copysign(1.0, value) > 0:
            self._emit(bytes([14 + round(value)]), 2)
        else:
            self._emit(struct.pack(">BH", 20, self.pool.double_(value)), 2)

    def push_string(self, text: str) -> None:
        self._constant(self.pool.string(text))

    def push_class(self, name: str) -> None:
        """Push a class literal, given an internal name or the descriptor of an array type."""
        self._constant(self.pool.class_(name))

    def _constant(self, index: int) -> None:
        self._emit(bytes([18, index]) if index < 256 else struct.pack(">BH", 19, index), 1)

    # Members, types

    def get_static(self, owner: str, name: str, signature: str) -> None:
        self._emit(struct.pack(">BH", 178, self.pool.field(owner, name, signature)), words(signature))

    def put_static(self, owner: str, name: str, signature: str) -> None:
        self._emit(struct.pack(">BH", 179, self.pool.field(owner, name, signature)), -words(signature))

    def get_field(self, owner: str, name: str, signature: str) -> None:
        self._emit(struct.pack(">BH", 180, self.pool.field(owner, name, signature)), words(signature) - 1)

    def call_static(self, owner: str, name: str, signature: str, *, interface: bool = False) -> None:
        member = self.pool.interface_method if interface else self.pool.method
        self._emit(struct.pack(">BH", 184, member(owner, name, signature)), _change(signature))

    def call(self, owner: str, name: str, signature: str) -> None:
        """Write a virtual call."""
        self._emit(struct.pack(">BH", 182, self.pool.method(owner, name, signature)), _change(signature) - 1)

    def call_interface(self, owner: str, name: str, signature: str) -> None:
        taken = 1 + sum(map(words, split_method(signature)[0]))
        index = self.pool.interface_method(owner, name, signature)
        self._emit(struct.pack(">BHBB", 185, index, taken, 0), _change(signature) - 1)

    def call_constructor(self, owner: str, signature: str) -> None:
        self._emit(struct.pack(">BH", 183, self.pool.method(owner, "<init>", signature)), _change(signature) - 1)

    def new(self, name: str) -> None:
        self._emit(struct.pack(">BH", 187, self.pool.class_(name)), 1)

    def new_array(self, element: str) -> None:
        """Push a new array of elements with that signature; its length is on the stack."""
        if element in _ARRAY_KINDS:
            self._emit(bytes([188, _ARRAY_KINDS[element]]), 0)
        else:
            self._emit(struct.pack(">BH", 189, self.pool.class_(class_constant(element))), 0)

    def new_arrays(self, signature: str, dimensions: int) -> None:
        index = self.pool.class_(signature)
        self._emit(struct.pack(">BHB", 197, index, dimensions), 1 - dimensions)

    def check_cast(self, signature: str) -> None:
        self._emit(struct.pack(">BH", 192, self.pool.class_(class_constant(signature))), 0)

    def instance_of(self, signature: str) -> None:
        self._emit(struct.pack(">BH", 193, self.pool.class_(class_constant(signature))), 0)

    # Jumps, handlers

    def jump(self, name: str, label: Label) -> None:
        """Write a jump. Code behind ``goto``, as behind a return or throw, is reached by labels only."""
        opcode, change = JUMPS[name]
        self._jumps.append((len(self._code), label))
        self._emit(struct.pack(">Bh", opcode, 0), change)
        label.depth = self._depth

    def place(self, label: Label) -> None:
        """Put a label here."""
        label.index = len(self._code)
        if label.depth >= 0:
            self._depth = label.depth

    def handle(self, start: Label, end: Label, handler: Label, kind: str = "") -> None:
        """Send what is thrown between two labels to the handler; the class of it, "" for all."""
        handler.depth = 1
        self._most = max(self._most, 1)
        self._handlers.append((start, end, handler, self.pool.class_(kind) if kind else 0))

    def put_numbers(self, owner: str, field: str, count: int) -> None:
        """Make an AtomicLongArray of so many zeros, and put it into a static field."""
        self.new(NUMBERS)
        self.op("dup")
        self.push_int(count)
        self.call_constructor(NUMBERS, "(I)V")
        self.put_static(owner, field, f"L{NUMBERS};")

    def end_quietly(self, start: Label, out: Label) -> None:
        """End a method that returns nothing: ``out`` is here, and what is thrown behind ``start`` is dropped."""
        dropped = Label()
        self.place(out)
        self.return_()
        self.handle(start, out, dropped)
        self.place(dropped)
        self.op("pop")
        self.return_()

    def attribute(self, variables: Sequence[tuple[str, str, int]] = ()) -> bytes:
        """Return the content of the Code attribute; ``variables`` (name, signature, local) are alive everywhere in it.

        Raises CodeTooLong.
        """
        if len(self._code) > MOST_CODE:
            raise CodeTooLong
        for index, label in self._jumps:
            struct.pack_into(">h", self._code, index + 1, label.index - index)
        handlers = [(a.index, b.index, c.index, kind) for a, b, c, kind in self._handlers]
        tables = b""
        if variables:
            rows = [
                struct.pack(">HHHHH", 0, len(self._code), self.pool.utf8(name), self.pool.utf8(signature), local)
                for name, signature, local in variables
            ]
            content = struct.pack(">H", len(rows)) + b"".join(rows)
            tables = struct.pack(">HI", self.pool.utf8("LocalVariableTable"), len(content)) + content
        return b"".join(
            (
                struct.pack(">HHI", self._most + 2, self.locals, len(self._code)),
                self._code,
                struct.pack(">H", len(handlers)),
                *(struct.pack(">HHHH", *each) for each in handlers),
                struct.pack(">H", bool(variables)),
                tables,
            )
        )

    def _local(self, opcode: int, local: int, change: int) -> None:
        data = bytes([opcode, local]) if local < 256 else struct.pack(">BBH", 196, opcode, local)
        self._emit(data, change)

    def _emit(self, data: bytes, change: int) -> None:
        self._code += data
        self._depth += change
        self._most = max(self._most, self._depth)


def _change(signature: str) -> int:
    parameters, returned = split_method(signature)
    return words(returned) - sum(map(words, parameters))


def class_constant(signature: str) -> str:
    """Return the name of a reference type as Class entries of a pool have it."""
    return signature if signature[0] == "[" else signature[1:-1]


class ClassWriter:
    """A class of version 49 with static members: ``name`` is internal."""

    def __init__(self, name: str, *, public: bool = False) -> None:
        self.name = name
        self._access = FINAL | SUPER | SYNTHETIC | (PUBLIC if public else 0)
        self.pool = PoolWriter()
        self._this = self.pool.class_(name)
        self._super = self.pool.class_("java/lang/Object")
        self._fields: list[bytes] = []
        self._methods: list[bytes] = []

    def field(self, access: int, name: str, signature: str, text: str | None = None) -> None:
        """Add a static field; ``text`` is the constant of a String."""
        head = struct.pack(">HHH", access | STATIC | SYNTHETIC, self.pool.utf8(name), self.pool.utf8(signature))
        if text is None:
            self._fields.append(head + b"\0\0")
            return
        value = struct.pack(">HHIH", 1, self.pool.utf8("ConstantValue"), 2, self.pool.string(text))
        self._fields.append(head + value)

    def method(
        self,
        name: str,
        signature: str,
        write: Callable[[Assembler], None],
        parameters: Sequence[CheckParameter] = (),
        variables: Sequence[tuple[str, str, int]] = (),
    ) -> None:
        """Add a public static method; ``parameters``, or else the types in ``signature``, are its arguments."""
        code = Assembler(self.pool, self.name, parameters)
        if not parameters:
            for each in split_method(signature)[0]:
                code.new_local(each)
        write(code)
        content = code.attribute(variables)
        access = STATIC if name == "<clinit>" else PUBLIC | STATIC | SYNTHETIC
        head = struct.pack(">HHHH", access, self.pool.utf8(name), self.pool.utf8(signature), 1)
        self._methods.append(head + struct.pack(">HI", self.pool.utf8("Code"), len(content)) + content)

    def data(self) -> bytes:
        """Return the class file."""
        return b"".join(
            (
                MAGIC,
                struct.pack(">HHH", 0, VERSION, self.pool.count),
                self.pool.data,
                struct.pack(">HHHHH", self._access, self._this, self._super, 0, len(self._fields)),
                *self._fields,
                struct.pack(">H", len(self._methods)),
                *self._methods,
                b"\0\0",
            )
        )
