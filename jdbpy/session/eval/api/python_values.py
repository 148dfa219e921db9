"""Values of Python on their way into the target: numbers and texts as Java literals, lists and dicts as objects there.

What a list becomes is said by the type of the variable that it is for: an array of that type, a collection of that
class; without such a variable an ``ArrayList``. The objects are made by expressions, so that Java's rules decide what
fits, and are kept from collection until the evaluation ends, which holds the target's thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set as AnySet
from typing import Any, TypeGuard

from jdbpy.errors import UsageError
from jdbpy.session.eval.evaluator import Evaluation
from jdbpy.session.eval.operands import Operand, operand_of
from jdbpy.session.eval.program import Program
from jdbpy.session.java.texts import char_literal, double_text, string_literal
from jdbpy.session.java.types import ArrayType, ClassType, JavaType, Primitive, unboxed
from jdbpy.session.model.values import ValueInfo

MOST = 10_000
"""Elements and entries of what is sent at once."""

_DEEPEST = 20

_LISTS = {
    "java.util.Queue": "java.util.ArrayDeque",
    "java.util.Deque": "java.util.ArrayDeque",
    "java.util.Set": "java.util.LinkedHashSet",
    "java.util.SequencedSet": "java.util.LinkedHashSet",
    "java.util.SortedSet": "java.util.TreeSet",
    "java.util.NavigableSet": "java.util.TreeSet",
    "java.util.HashSet": "java.util.LinkedHashSet",
}
_MAPS = {
    "java.util.SortedMap": "java.util.TreeMap",
    "java.util.NavigableMap": "java.util.TreeMap",
    "java.util.concurrent.ConcurrentMap": "java.util.concurrent.ConcurrentHashMap",
    "java.util.concurrent.ConcurrentNavigableMap": "java.util.concurrent.ConcurrentSkipListMap",
}
_OWN_LISTS = frozenset(
    f"java.util.{name}" for name in ("ArrayDeque", "LinkedList", "LinkedHashSet", "PriorityQueue", "TreeSet", "Vector")
) | {f"java.util.concurrent.{name}" for name in ("ConcurrentLinkedQueue", "CopyOnWriteArrayList")}
_OWN_MAPS = frozenset(f"java.util.{name}" for name in ("TreeMap", "Hashtable", "WeakHashMap", "IdentityHashMap")) | {
    f"java.util.concurrent.{name}" for name in ("ConcurrentHashMap", "ConcurrentSkipListMap")
}
"""Classes of the JDK that a list or a dict is made, if the variable is of that very class."""


def is_composite(value: object) -> TypeGuard[Iterable[Any]]:
    """True for what becomes an object of several: a list, a tuple, a set, a dict, bytes."""
    return isinstance(value, list | tuple | AnySet | Mapping | bytes | bytearray) and not isinstance(value, ValueInfo)


class ValueSender:
    """Makes objects of Python values in one evaluation."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._given: dict[str, Operand] = {}
        self._count = 0

    async def operand(self, name: str, value: object, wanted: JavaType | None = None) -> Operand:
        """Return the value as an operand; ``name`` is what errors call it. Raises UsageError for what Java has no value
        for, EvalError for what does not fit. wire: 3 to 5 trips a list, and 1 for each entry of a dict."""
        if not is_composite(value):
            return operand_of(name, value)
        return await self._run(await self.text(name, value, wanted))

    async def text(self, name: str, value: object, wanted: JavaType | None, depth: int = 0) -> str:
        """Return how an expression may say the value, with ``given``. Raises and wire: as ``operand``."""
        if isinstance(value, ValueInfo) or not is_composite(value):
            literal = _literal(value, wanted)
            return literal if literal else self._name(operand_of(name, value))
        if depth > _DEEPEST:
            raise UsageError(f"{name}: it is nested too deeply, or refers to itself", code="TOO_DEEP")
        if isinstance(value, Mapping):
            return self._name(await self._map(name, value, wanted, depth))
        elements: Sequence[Any] = list(value)
        if isinstance(value, bytes | bytearray):
            wanted = wanted if isinstance(wanted, ArrayType) else ArrayType(_BYTE)
            elements = [each - 256 if each > 127 and wanted == ArrayType(_BYTE) else each for each in elements]
        self._take(name, len(elements))
        if isinstance(wanted, ArrayType):
            return self._name(await self._array(name, elements, wanted.element, depth))
        kind = wanted.name if isinstance(wanted, ClassType) else ""
        of = wanted.args[0] if isinstance(wanted, ClassType) and len(wanted.args) == 1 else _OBJECT
        numbers = _numbers(elements, of)
        if numbers:  # boxed in the target: that is a few calls instead of one for each
            array = self._name(await self._run(f"java.util.Arrays.stream({numbers}).boxed().toArray()"))
        else:
            array = self._name(await self._array(name, elements, _boxed(of), depth))
        default = "java.util.LinkedHashSet" if isinstance(value, AnySet) else "java.util.ArrayList"
        made = kind if kind in _OWN_LISTS else _LISTS.get(kind, default)
        return self._name(await self._run(f"new {made}(java.util.Arrays.asList((Object[]) {array}))"))

    @property
    def given(self) -> Mapping[str, Operand]:
        """Return the objects that were made, by the names that texts have for them."""
        return self._given

    async def _array(self, name: str, elements: Iterable[Any], element: JavaType, depth: int) -> Operand:
        texts = [await self.text(f"{name}[{index}]", each, element, depth + 1) for index, each in enumerate(elements)]
        return await self._run(f"new {_source(element)}[] {{{', '.join(texts)}}}")

    async def _map(self, name: str, value: Mapping[Any, Any], wanted: JavaType | None, depth: int) -> Operand:
        self._take(name, len(value))
        kind = wanted.name if isinstance(wanted, ClassType) else ""
        types = wanted.args if isinstance(wanted, ClassType) and len(wanted.args) == 2 else (_OBJECT, _OBJECT)
        made = kind if kind in _OWN_MAPS else _MAPS.get(kind, "java.util.LinkedHashMap")
        map_ = self._name(await self._run(f"new {made}()"))
        puts = []
        for key, each in value.items():
            texts = (
                await self.text(f"a key of {name}", key, _boxed(types[0]), depth + 1),
                await self.text(f"{name}[{key!r}]", each, _boxed(types[1]), depth + 1),
            )
            puts.append(f"{map_}.put({texts[0]}, {texts[1]});")
        return await self._run(" ".join([*puts, map_]))

    async def _run(self, text: str) -> Operand:
        return await self._evaluation.run(Program(text), self._given)

    def _name(self, operand: Operand) -> str:
        name = f"jdbpy$sent{len(self._given)}"
        self._given[name] = operand
        return name

    def _take(self, name: str, count: int) -> None:
        self._count += count
        if self._count > MOST:
            raise UsageError(f"{name}: no more than {MOST:,} values are sent at once", code="TOO_MANY")


_OBJECT = ClassType("java.lang.Object")
_BYTE = next(kind for kind in (unboxed(ClassType("java.lang.Byte")),) if kind is not None)


def _numbers(elements: Sequence[Any], of: JavaType) -> str:
    """Return an array of primitives with these elements, if they are many and all of the kind that is wanted; else
    ""."""
    if len(elements) < _MANY:
        return ""
    name = of.name.removeprefix("java.lang.") if isinstance(of, ClassType) else "Object"
    kinds = {type(each) for each in elements}
    if kinds == {float} and name in ("Double", "Object", "Number"):
        kind = "double"
    elif kinds != {int}:
        return ""
    elif name == "Long":
        kind = "long"
    elif name in ("Integer", "Object", "Number") and all(-(1 << 31) <= each < 1 << 31 for each in elements):
        kind = "int"
    else:
        return ""
    wanted = ClassType({"double": "java.lang.Double", "long": "java.lang.Long", "int": "java.lang.Integer"}[kind])
    return f"new {kind}[] {{{', '.join(_literal(each, wanted) for each in elements)}}}"


_MANY = 32


def _boxed(kind: JavaType) -> JavaType:
    """Return a type that elements may be made as: a class, or Object where a type variable or a wildcard stands."""
    return ClassType(kind.name) if isinstance(kind, ClassType) else kind if isinstance(kind, ArrayType) else _OBJECT


def _source(kind: JavaType) -> str:
    """Return a type as source has it."""
    if isinstance(kind, ArrayType):
        return f"{_source(kind.element)}[]"
    if isinstance(kind, Primitive):
        return kind.name
    return kind.name.replace("$", ".") if isinstance(kind, ClassType) else "java.lang.Object"


def _literal(value: object, wanted: JavaType | None) -> str:
    """Return how Java writes a value for a variable of that type; "" for a value of the target, and what Java has none
    for.
    """
    kind = wanted if isinstance(wanted, Primitive) else unboxed(wanted) if wanted is not None else None
    of = kind.name if kind is not None else ""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() if of in ("float", "double") and not isinstance(wanted, Primitive) and -(1 << 53) <= value < 1 << 53:
            return f"{value}{'f' if of == 'float' else 'd'}"
        case int() if -(1 << 31) <= value < 1 << 31:
            return f"{value}L" if of == "long" else str(value)
        case int() if -(1 << 63) <= value < 1 << 63:
            return f"{value}L"
        case float() if value != value or value in (float("inf"), float("-inf")):
            name = "NaN" if value != value else "NEGATIVE_INFINITY" if value < 0 else "POSITIVE_INFINITY"
            return f"java.lang.{'Float' if of == 'float' else 'Double'}.{name}"
        case float():
            return f"(float) {double_text(value)}" if of == "float" else double_text(value)
        case str() if len(value) == 1 and of == "char":
            return char_literal(value)
        case str():
            return string_literal(value)
    return ""
