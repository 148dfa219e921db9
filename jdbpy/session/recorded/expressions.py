"""Java expressions over what was kept of a call: nothing is asked of a JVM, which may be gone.

Numbers and texts are computed as Java does. Objects are known by class, identity, size and the parts that were kept; of
their methods those have a value that say no more than that (``size()``, ``isEmpty()``, ``equals``, those of strings).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from jdbpy.errors import EvalError, Thrown
from jdbpy.session.eval.syntax import tree
from jdbpy.session.eval.syntax.parser import parse
from jdbpy.session.java import arithmetic
from jdbpy.session.java.types import BOOLEAN, BOXES, CHAR, INT, PRIMITIVES, Primitive
from jdbpy.session.recorded.kept_values import NULL_VALUE, KeptRaw, KeptValue

_BOXES = {box.name: kind.name for kind, box in BOXES.items()}
_COMPARISONS = ("<", "<=", ">", ">=")
_SHIFTS = ("<<", ">>", ">>>")

_TEXT_METHODS: Mapping[tuple[str, int], Callable[..., KeptRaw]] = {
    ("length", 0): len,
    ("isEmpty", 0): lambda text: not text,
    ("isBlank", 0): lambda text: not text.strip(),
    ("trim", 0): str.strip,
    ("toLowerCase", 0): str.lower,
    ("toUpperCase", 0): str.upper,
    ("toString", 0): str,
    ("startsWith", 1): lambda text, other: text.startswith(_need_text(other)),
    ("endsWith", 1): lambda text, other: text.endswith(_need_text(other)),
    ("contains", 1): lambda text, other: _need_text(other) in text,
    ("indexOf", 1): lambda text, other: text.find(_need_text(other)),
    ("equalsIgnoreCase", 1): lambda text, other: isinstance(other, str) and text.lower() == other.lower(),
}


def _need_text(value: KeptRaw) -> str:
    if not isinstance(value, str):
        raise EvalError("a text is needed there")
    return value


def text_value(text: str) -> KeptValue:
    """Return a string."""
    return KeptValue("java.lang.String", text, "string")


def number_value(kind: Primitive, raw: KeptRaw) -> KeptValue:
    """Return a primitive value; a char is a one-character str."""
    return KeptValue(kind.name, raw, "primitive")


class KeptExpression:
    """An expression, parsed once."""

    def __init__(self, text: str) -> None:
        """Raises EvalError for what is no Java expression."""
        self.text = text
        statements = parse(text)
        if len(statements) != 1 or not isinstance(statements[0], tree.ExpressionStatement):
            raise EvalError("one expression is needed")
        self._expression = statements[0].expression

    def value(self, names: Mapping[str, KeptValue]) -> KeptValue:
        """Return its value, given those of names. Raises EvalError for what was not kept, Thrown as Java does."""
        return _KeptEvaluation(names).of(self._expression)

    def holds(self, names: Mapping[str, KeptValue]) -> bool:
        """True if a condition holds. Raises EvalError, Thrown."""
        value = self.value(names)
        raw = value.raw
        if not isinstance(raw, bool):
            raise EvalError(f"'{self.text}' is not true or false, but {value.text}")
        return raw


@cache
def parsed(text: str) -> KeptExpression:
    """Return an expression, parsed. Raises EvalError."""
    return KeptExpression(text)


class _KeptEvaluation:
    def __init__(self, names: Mapping[str, KeptValue]) -> None:
        self._names = names

    def of(self, node: tree.Expression) -> KeptValue:
        match node:
            case tree.Literal():
                return self._literal(node)
            case tree.Name():
                return self._name(node.name)
            case tree.This():
                return self._name("this")
            case tree.Select():
                return self._select(node)
            case tree.Index():
                return self._index(node)
            case tree.Call():
                return self._call(node)
            case tree.Unary():
                return self._unary(node)
            case tree.Binary():
                return self._binary(node)
            case tree.Conditional():
                return self.of(node.then if self._truth(node.condition) else node.otherwise)
            case tree.Cast(operand=operand):
                return self._cast(node, operand)
            case tree.InstanceOf(operand=operand, type=type_):
                value = self.of(operand)
                same = value.type == type_.name or value.type.rpartition(".")[2].rpartition("$")[2] == type_.name
                return number_value(BOOLEAN, not value.is_null and same)
        raise EvalError("this kind of expression has no value over what was recorded")

    @staticmethod
    def _literal(node: tree.Literal) -> KeptValue:
        if node.value is None:
            return NULL_VALUE
        if isinstance(node.type, Primitive):
            raw = chr(node.value) if node.type is CHAR and isinstance(node.value, int) else node.value
            return number_value(node.type, raw)
        return text_value(str(node.value))

    def _name(self, name: str) -> KeptValue:
        found = self._names.get(name)
        if found is None:
            found = self._names.get(f"this.{name}")
        if found is None and (this := self._names.get("this")) is not None:
            found = this.part(name)
        if found is None:
            known = ", ".join(list(self._names)[:8])
            raise EvalError(f"no value of '{name}' was recorded here", hint=f"recorded are {known}" if known else "")
        return found

    def _select(self, node: tree.Select) -> KeptValue:
        written = self._names.get(_path(node))
        if written is not None:
            return written
        of = self.of(node.object)
        if of.is_null:
            raise Thrown("java.lang.NullPointerException", f"{_path(node.object) or 'it'} is null")
        if node.name == "length" and of.type.endswith("[]"):
            return number_value(INT, of.size)
        found = of.part(node.name)
        if found is None:
            raise EvalError(
                f"the field {node.name} of {of.text} was not recorded", hint="'record METHOD deep 1' keeps fields"
            )
        return found

    def _index(self, node: tree.Index) -> KeptValue:
        of, index = self.of(node.array), self.of(node.index)
        key = f"[{index.text}]"
        found = of.part(key)
        if found is None:
            raise EvalError(f"{key} of {of.text} was not recorded", hint="'record METHOD deep 1' keeps elements")
        return found

    def _call(self, node: tree.Call) -> KeptValue:
        if node.object is None:
            raise EvalError("methods of the program are not run: the call is over")
        of, args = self.of(node.object), [self.of(each) for each in node.args]
        name = node.name
        if of.is_null:
            raise Thrown("java.lang.NullPointerException", f"{_path(node.object) or 'it'} is null")
        if name == "equals" and len(args) == 1:
            return number_value(BOOLEAN, self._equal(of, args[0]))
        if name in ("size", "length") and not args and of.size >= 0:
            return number_value(INT, of.size)
        if name == "isEmpty" and not args and of.size >= 0:
            return number_value(BOOLEAN, of.size == 0)
        if name == "get" and len(args) == 1 and (found := of.part(f"[{args[0].text}]")) is not None:
            return found
        if name == "name" and not args and of.kind == "constant":
            return text_value(str(of.raw))
        if name.endswith("Value") and not args and of.type in _BOXES:
            return number_value(PRIMITIVES[_BOXES[of.type]], of.raw)
        function = _TEXT_METHODS.get((name, len(args)))
        if of.kind in ("string", "builder") and isinstance(of.raw, str) and function is not None:
            if of.length and name != "length":
                raise EvalError(f"only the first {len(of.raw)} characters of the text were recorded")
            result = of.length if of.length else function(of.raw, *(each.raw for each in args))
            kind = BOOLEAN if isinstance(result, bool) else INT
            return text_value(result) if isinstance(result, str) else number_value(kind, result)
        raise EvalError(f"{name}() is not run: the call is over", hint="fields and sizes that were kept can be used")

    def _truth(self, node: tree.Expression) -> bool:
        raw = self.of(node).raw
        if not isinstance(raw, bool):
            raise EvalError("a condition is needed there")
        return raw

    def _unary(self, node: tree.Unary) -> KeptValue:
        if node.op == "!":
            return number_value(BOOLEAN, not self._truth(node.operand))
        kind, raw = self._number(self.of(node.operand))
        kind = arithmetic.unary_promotion(kind)
        if node.op == "-":
            return number_value(kind, arithmetic.negate(kind, raw))
        if node.op == "~" and isinstance(raw, int):
            return number_value(kind, ~raw)
        return number_value(kind, raw)

    def _binary(self, node: tree.Binary) -> KeptValue:
        op = node.op
        if op == "&&":
            return number_value(BOOLEAN, self._truth(node.left) and self._truth(node.right))
        if op == "||":
            return number_value(BOOLEAN, self._truth(node.left) or self._truth(node.right))
        left, right = self.of(node.left), self.of(node.right)
        if op in ("==", "!="):
            return number_value(BOOLEAN, self._same(left, right) == (op == "=="))
        if op == "+" and "string" in (left.kind, right.kind):
            return text_value(_plain(left) + _plain(right))
        if isinstance(left.raw, bool) and isinstance(right.raw, bool) and op in ("&", "|", "^"):
            return number_value(BOOLEAN, bool(arithmetic.binary(op, BOOLEAN, left.raw, right.raw)))
        left_kind, left_raw = self._number(left)
        right_kind, right_raw = self._number(right)
        if op in _SHIFTS:
            kind = arithmetic.unary_promotion(left_kind)
            return number_value(kind, arithmetic.shift(op, kind, int(left_raw), int(right_raw)))
        kind = arithmetic.binary_promotion(left_kind, right_kind)
        a, b = (arithmetic.convert(own, kind, raw) for own, raw in ((left_kind, left_raw), (right_kind, right_raw)))
        if op in _COMPARISONS:
            return number_value(BOOLEAN, arithmetic.compare(op, a, b))
        return number_value(kind, arithmetic.binary(op, kind, a, b))

    def _cast(self, node: tree.Cast, operand: tree.Expression) -> KeptValue:
        value, to = self.of(operand), PRIMITIVES.get(node.types[0].name)
        if to is None or node.types[0].dimensions or isinstance(value.raw, bool):
            return value
        kind, raw = self._number(value)
        converted = arithmetic.convert(kind, to, raw)
        return number_value(to, chr(int(converted)) if to is CHAR else converted)

    @staticmethod
    def _number(value: KeptValue) -> tuple[Primitive, int | float]:
        name = _BOXES.get(value.type, value.type)
        kind = PRIMITIVES.get(name)
        if value.is_null:
            raise Thrown("java.lang.NullPointerException", "null has no number")
        raw = ord(value.raw) if kind is CHAR and isinstance(value.raw, str) else value.raw
        if kind is None or isinstance(raw, bool | str) or raw is None:
            raise EvalError(f"{value.text} is not a number")
        return kind, raw

    def _same(self, left: KeptValue, right: KeptValue) -> bool:
        """``==``: of a box and a number as numbers, of objects by their identity, of strings by their text."""
        if left.is_null or right.is_null:
            return left.is_null and right.is_null
        if "primitive" in (left.kind, right.kind) and not isinstance(left.raw, bool):
            a, b = self._number(left), self._number(right)
            kind = arithmetic.binary_promotion(a[0], b[0])
            return arithmetic.compare("==", arithmetic.convert(*_to(a, kind)), arithmetic.convert(*_to(b, kind)))
        return self._equal(left, right)

    @staticmethod
    def _equal(left: KeptValue, right: KeptValue) -> bool:
        if left.kind == "object" or right.kind == "object":
            return left.type == right.type and left.identity == right.identity
        return left.raw == right.raw and _BOXES.get(left.type, left.type) == _BOXES.get(right.type, right.type)


def _to(number: tuple[Primitive, int | float], kind: Primitive) -> tuple[Primitive, Primitive, int | float]:
    return number[0], kind, number[1]


def _path(node: tree.Expression) -> str:
    """Return the text of names with dots between them; "" for anything else."""
    match node:
        case tree.Name():
            return node.name
        case tree.This():
            return "this"
        case tree.Select():
            before = _path(node.object)
            return f"{before}.{node.name}" if before else ""
    return ""


def _plain(value: KeptValue) -> str:
    """Return a value as the text that it becomes beside a string."""
    if value.kind in ("string", "constant") or value.type in ("char", "java.lang.Character"):
        return str(value.raw)
    return value.text
