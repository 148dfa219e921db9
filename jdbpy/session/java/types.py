"""Java's types as the evaluator reasons about them, and how they are written.

Owns the type records (primitives, classes with type arguments, arrays, type variables, wildcards), erasure, and how
types are spelled. It is pure: what a class extends or declares belongs to ``class_graph``. Classes are
distinguished by their binary name (``java.util.Map$Entry``), and by their id where the frame's loader means another
class by that name.
"""

from __future__ import annotations

from collections.abc import Mapping

from jdbpy.record import Record


class JavaType(Record):
    """Base of all types."""

    @property
    def is_reference(self) -> bool:
        return True


class Primitive(JavaType):
    """One of the eight primitive types, or ``void``. ``tag`` is the descriptor character and JDWP's tag."""

    name: str
    tag: str
    rank: int = 0  # width among the numeric types: a smaller rank widens to a larger one (char aside)

    @property
    def is_reference(self) -> bool:
        return False

    def __str__(self) -> str:
        return self.name


class ClassType(JavaType):
    """A class or interface; ``args`` are its type arguments, empty when it is raw or not generic.

    ``class_id`` is 0 for the class that the frame's loader means by the name; one of another loader has its id there.
    """

    name: str
    args: tuple[JavaType, ...] = ()
    class_id: int = 0

    def __str__(self) -> str:
        simple = simple_name(self.name)
        return f"{simple}<{','.join(map(str, self.args))}>" if self.args else simple


class ArrayType(JavaType):
    """An array of ``element``, which may itself be an array."""

    element: JavaType

    def __str__(self) -> str:
        return f"{self.element}[]"


class TypeVar(JavaType):
    """A type variable in a generic signature; ``bound`` is its leftmost bound."""

    name: str
    bound: JavaType

    def __str__(self) -> str:
        return self.name


class Wildcard(JavaType):
    """``?``, ``? extends bound`` (kind "+") or ``? super bound`` (kind "-")."""

    kind: str
    bound: JavaType

    def __str__(self) -> str:
        return {"+": f"? extends {self.bound}", "-": f"? super {self.bound}"}.get(self.kind, "?")


class NullType(JavaType):
    """The type of ``null`` (JLS 4.1)."""

    def __str__(self) -> str:
        return "<null>"


class LateType(JavaType):
    """Not known before the expression runs: the run-time class of the value decides then."""

    def __str__(self) -> str:
        return "Object"


class SequenceType(JavaType):
    """Elements that the debugger itself holds: the result of a slice, a filter or ``map``."""

    element: JavaType

    def __str__(self) -> str:
        return f"{self.element}[]"


class FunctionType(JavaType):
    """The type of a lambda or method reference before its target is known; ``arity`` -1 fits any."""

    arity: int

    def __str__(self) -> str:
        return "lambda"


class EntryType(JavaType):
    """A key with its value, as the debugger has read it out of a map: ``it`` in a filter over one."""

    def __str__(self) -> str:
        return "Entry"


BOOLEAN = Primitive("boolean", "Z")
BYTE = Primitive("byte", "B", 1)
SHORT = Primitive("short", "S", 2)
CHAR = Primitive("char", "C", 2)
INT = Primitive("int", "I", 3)
LONG = Primitive("long", "J", 4)
FLOAT = Primitive("float", "F", 5)
DOUBLE = Primitive("double", "D", 6)
VOID = Primitive("void", "V")
NULL = NullType()
LATE = LateType()
ENTRY = EntryType()
OBJECT = ClassType("java.lang.Object")
STRING = ClassType("java.lang.String")

PRIMITIVES: Mapping[str, Primitive] = {
    kind.name: kind for kind in (BOOLEAN, BYTE, SHORT, CHAR, INT, LONG, FLOAT, DOUBLE, VOID)
}
BY_TAG: Mapping[str, Primitive] = {kind.tag: kind for kind in PRIMITIVES.values()}

_BOX_NAMES: Mapping[Primitive, str] = {
    BOOLEAN: "Boolean",
    BYTE: "Byte",
    SHORT: "Short",
    CHAR: "Character",
    INT: "Integer",
    LONG: "Long",
    FLOAT: "Float",
    DOUBLE: "Double",
}
BOXES: Mapping[Primitive, ClassType] = {kind: ClassType(f"java.lang.{name}") for kind, name in _BOX_NAMES.items()}
_UNBOXED: Mapping[str, Primitive] = {box.name: kind for kind, box in BOXES.items()}
ARRAY_SUPERTYPES = (OBJECT, ClassType("java.lang.Cloneable"), ClassType("java.io.Serializable"))


def unboxed(kind: JavaType) -> Primitive | None:
    """Return the primitive of a box class (JLS 5.1.8); the type itself when it is primitive; else None."""
    if isinstance(kind, Primitive):
        return kind
    return _UNBOXED.get(kind.name) if isinstance(kind, ClassType) else None


def boxed(kind: JavaType) -> JavaType:
    """Return the box class of a primitive (JLS 5.1.7); any other type unchanged."""
    return BOXES.get(kind, kind) if isinstance(kind, Primitive) else kind


def is_numeric(kind: JavaType) -> bool:
    """True if a value of the type is a number, or unboxes to one (JLS 5.1.8)."""
    primitive = unboxed(kind)
    return primitive is not None and primitive.rank > 0


def is_integral(kind: JavaType) -> bool:
    """True if a value of the type is, or unboxes to, byte, short, char, int or long."""
    primitive = unboxed(kind)
    return primitive is not None and 0 < primitive.rank <= LONG.rank


def is_boolean(kind: JavaType) -> bool:
    return unboxed(kind) is BOOLEAN


def is_string(kind: JavaType) -> bool:
    return isinstance(kind, ClassType) and kind.name == STRING.name


def erasure(kind: JavaType) -> JavaType:
    """Return the type without type arguments and variables (JLS 4.6)."""
    if isinstance(kind, ClassType):
        return ClassType(kind.name, (), kind.class_id) if kind.args else kind
    if isinstance(kind, ArrayType):
        return ArrayType(erasure(kind.element))
    if isinstance(kind, TypeVar | Wildcard):
        return erasure(upper_bound(kind))
    return kind


def upper_bound(kind: JavaType) -> JavaType:
    """Return what a value of the type surely is: the bound of a variable or wildcard, else the type itself."""
    if isinstance(kind, TypeVar):
        return kind.bound
    if isinstance(kind, Wildcard):
        return kind.bound if kind.kind == "+" else OBJECT
    return kind


def substitute(kind: JavaType, bindings: Mapping[str, JavaType]) -> JavaType:
    """Return the type with its variables replaced; those without a binding stay."""
    if isinstance(kind, TypeVar):
        return bindings.get(kind.name, kind)
    if isinstance(kind, ClassType) and kind.args:
        return kind.replace(args=tuple(substitute(arg, bindings) for arg in kind.args))
    if isinstance(kind, ArrayType):
        return ArrayType(substitute(kind.element, bindings))
    if isinstance(kind, Wildcard):
        bound = substitute(kind.bound, bindings)
        return bound if isinstance(bound, Wildcard) else Wildcard(kind.kind, bound)
    return kind


def told_apart(kind: JavaType, ids: Mapping[str, int]) -> JavaType:
    """Return the type with these classes in place of those that the frame's loader means by their names."""
    if isinstance(kind, ClassType):
        args = tuple(told_apart(arg, ids) for arg in kind.args)
        return ClassType(kind.name, args, ids.get(kind.name, kind.class_id))
    if isinstance(kind, ArrayType):
        return ArrayType(told_apart(kind.element, ids))
    if isinstance(kind, TypeVar):
        return TypeVar(kind.name, told_apart(kind.bound, ids))
    if isinstance(kind, Wildcard):
        return Wildcard(kind.kind, told_apart(kind.bound, ids))
    return kind


def is_told_apart(kind: JavaType) -> bool:
    """True if the type is one of a class that the frame's loader does not mean by its name."""
    kind = erasure(kind)
    while isinstance(kind, ArrayType):
        kind = kind.element
    return isinstance(kind, ClassType) and bool(kind.class_id)


def type_named(name: str) -> JavaType:
    """Return the type that a binary name spells: ``int[]``, ``java.util.Map$Entry``."""
    if name.endswith("[]"):
        return ArrayType(type_named(name[:-2]))
    return PRIMITIVES.get(name) or ClassType(name)


def simple_name(binary_name: str) -> str:
    """``Entry`` for ``java.util.Map$Entry``; an anonymous class keeps the name of the class around it."""
    last = binary_name.rpartition(".")[2]
    inner = last.rpartition("$")[2]
    return inner if inner and not inner[0].isdigit() else last


def source_name(kind: JavaType) -> str:
    """Return the erased type with its full binary name, as the session spells types: ``java.util.Map$Entry[]``."""
    kind = erasure(kind)
    if isinstance(kind, ArrayType):
        return source_name(kind.element) + "[]"
    if isinstance(kind, SequenceType):
        return source_name(kind.element) + "[]"
    if kind in (ENTRY, LATE):
        return "java.util.Map$Entry" if kind is ENTRY else OBJECT.name
    return kind.name if isinstance(kind, ClassType) else str(kind)


def jvm_name(kind: JavaType) -> str:
    """Return the erased type as ``Class.getName`` has it: ``[Ljava.lang.String;``, ``java.util.Map$Entry``, ``int``."""
    kind = erasure(kind)
    return descriptor(kind).replace("/", ".") if isinstance(kind, ArrayType) else source_name(kind)


def descriptor(kind: JavaType) -> str:
    """Return the descriptor of the erased type (JVMS 4.3.2): ``[Ljava/lang/String;``."""
    kind = erasure(kind)
    if isinstance(kind, Primitive):
        return kind.tag
    if isinstance(kind, ArrayType):
        return "[" + descriptor(kind.element)
    return f"L{kind.name.replace('.', '/')};" if isinstance(kind, ClassType) else "Ljava/lang/Object;"
