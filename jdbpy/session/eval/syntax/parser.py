"""The walk over tree-sitter's tree, which gives the evaluator's own. What a tree means is decided in ``compile``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from jdbpy.errors import EvalError
from jdbpy.session.eval.syntax import tree
from jdbpy.session.eval.syntax.grammar import ParsedText, children, field, text
from jdbpy.session.eval.syntax.rewrite import Mark, rewrite
from jdbpy.session.java import literals
from jdbpy.session.java.types import BOOLEAN, CHAR, NULL, STRING

if TYPE_CHECKING:
    from tree_sitter import Node


_INTEGERS = ("decimal_integer_literal", "hex_integer_literal", "octal_integer_literal", "binary_integer_literal")
_NUMBERS = (*_INTEGERS, "decimal_floating_point_literal", "hex_floating_point_literal")


class Builder:
    """Turns the tree of one text into ours."""

    def __init__(self, parsed: ParsedText) -> None:
        self._parsed = parsed
        self._at = parsed.at

    def statements(self) -> tuple[tree.Statement, ...]:
        """Return the statements of the text."""
        return self._statements(children(self._parsed.block))

    def _refusal(self, node: Node, what: str, hint: str = "") -> EvalError:
        return EvalError(what, self._at(node), hint=hint)

    # Statements

    def _statements(self, nodes: Iterable[Node]) -> tuple[tree.Statement, ...]:
        return tuple(statement for node in nodes for statement in self._statement(node))

    def _statement(self, node: Node) -> list[tree.Statement]:
        at = self._at(node)
        match node.type:
            case "expression_statement":
                return [tree.ExpressionStatement(at, self.expression(children(node)[0]))]
            case "local_variable_declaration":
                return self._locals(node)
            case "block":
                return [tree.Block(at, self._statements(children(node)))]
            case "yield_statement":
                return [tree.Yield(at, self.expression(children(node)[0]))]
            case "throw_statement":
                return [tree.Throw(at, self.expression(children(node)[0]))]
            case "return_statement":
                value = children(node)
                return [tree.Return(at, self.expression(value[0]) if value else None)]
            case "if_statement":
                otherwise = node.child_by_field_name("alternative")
                return [
                    tree.If(
                        at,
                        self.expression(field(node, "condition")),
                        self._single(field(node, "consequence")),
                        None if otherwise is None else self._single(otherwise),
                    )
                ]
        words = node.type.replace("_", " ")
        raise self._refusal(node, f"a {words} cannot be evaluated", "give expressions, separated by ';'")

    def _single(self, node: Node) -> tree.Statement:
        found = self._statement(node)
        return found[0] if len(found) == 1 else tree.Block(self._at(node), tuple(found))

    def _locals(self, node: Node) -> list[tree.Statement]:
        declared = self._type(field(node, "type"))
        out: list[tree.Statement] = []
        for declarator in node.children_by_field_name("declarator"):
            name = field(declarator, "name")
            dimensions = declarator.child_by_field_name("dimensions")
            kind = self._with_dimensions(declared, dimensions)
            value = declarator.child_by_field_name("value")
            out.append(
                tree.LocalVariable(
                    self._at(name),
                    None if kind.name == "var" else kind,
                    text(name),
                    None if value is None else self._initializer(value, kind),
                )
            )
        return out

    def _initializer(self, node: Node, kind: tree.TypeName) -> tree.Expression:
        if node.type != "array_initializer":
            return self.expression(node)
        return tree.NewArray(self._at(node), kind, (), self._array_init(node))

    # Types

    def _type(self, node: Node) -> tree.TypeName:
        at = self._at(node)
        match node.type:
            case "array_type":
                return self._with_dimensions(self._type(field(node, "element")), field(node, "dimensions"))
            case "generic_type":
                base, arguments = children(node)
                return tree.TypeName(at, self._dotted(base), tuple(self._type(arg) for arg in children(arguments)))
            case "wildcard":
                bounds = [child for child in children(node) if child.type != "super"]
                kind = "" if not bounds else "super" if any(c.type == "super" for c in node.children) else "extends"
                return tree.TypeName(at, "?", tuple(self._type(bound) for bound in bounds) or None, bound=kind)
            case "annotated_type":
                return self._type(children(node)[-1])
        return tree.TypeName(at, self._dotted(node))

    def _dotted(self, node: Node) -> str:
        """Return the name of a type without annotations, blanks and the arguments of the types around it."""
        if node.type in ("scoped_type_identifier", "generic_type"):
            parts = [child for child in children(node) if "annotation" not in child.type]
            if node.type == "generic_type":
                return self._dotted(parts[0])
            return ".".join(self._dotted(part) for part in parts)
        return text(node)

    def _with_dimensions(self, kind: tree.TypeName, dimensions: Node | None) -> tree.TypeName:
        if dimensions is None:
            return kind
        count = sum(child.type == "[" for child in dimensions.children)
        return tree.TypeName(kind.at, kind.name, kind.args, kind.dimensions + count, kind.bound)

    # Expressions

    def expression(self, node: Node) -> tree.Expression:
        build = _EXPRESSIONS.get(node.type)
        if build is None:
            words = node.type.replace("_", " ")
            raise self._refusal(node, f"a {words} cannot be evaluated")
        return build(self, node)

    def _arguments(self, node: Node) -> tuple[tree.Expression, ...]:
        return tuple(self.expression(child) for child in children(node))

    def _parenthesized(self, node: Node) -> tree.Expression:
        return self.expression(children(node)[0])

    def _name(self, node: Node) -> tree.Expression:
        name = text(node)
        if self._parsed.mark(node) is Mark.OBJECT_ID:
            if len(name) > 20 or int(name[1:]) >= 1 << 64:
                raise EvalError(f"no object has the number {name[1:]:.30}", self._at(node), code="NO_SUCH_OBJECT")
            return tree.ObjectId(self._at(node), int(name[1:]))
        return tree.Name(self._at(node), name)

    def _number(self, node: Node, *, negative: bool = False) -> tree.Expression:
        kind, value = literals.number(text(node), self._at(node), negative=negative)
        return tree.Literal(self._at(node), kind, value)

    def _constant(self, node: Node) -> tree.Expression:
        at, written = self._at(node), text(node)
        match node.type:
            case "character_literal":
                return tree.Literal(at, CHAR, literals.character(written, at))
            case "string_literal":
                return tree.Literal(at, STRING, literals.string(written, at))
            case "null_literal":
                return tree.Literal(at, NULL, None)
        return tree.Literal(at, BOOLEAN, written == "true")

    def _this(self, node: Node) -> tree.Expression:
        return tree.This(self._at(node))

    def _super(self, node: Node) -> tree.Expression:
        return tree.Super(self._at(node))

    def _select(self, node: Node) -> tree.Expression:
        found = field(node, "object")
        member = field(node, "field")
        if member.type == "this":
            return tree.This(self._at(member), self.expression(found))
        target = self._qualified_super(node, found)
        return tree.Select(self._at(member), target, text(member))

    def _qualified_super(self, node: Node, found: Node) -> tree.Expression:
        """Return the object of a member; ``Outer.super`` has the word as a child of its own."""
        if found.type != "super" and any(child.type == "super" for child in children(node)):
            return tree.Super(self._at(found), self.expression(found))
        return self.expression(found)

    def _call(self, node: Node) -> tree.Expression:
        found = node.child_by_field_name("object")
        name = field(node, "name")
        return tree.Call(
            self._at(name),
            None if found is None else self._qualified_super(node, found),
            text(name),
            self._arguments(field(node, "arguments")),
        )

    def _class_literal(self, node: Node) -> tree.Expression:
        return tree.ClassLiteral(self._at(node), self._type(children(node)[0]))

    def _new(self, node: Node) -> tree.Expression:
        kind = field(node, "type")
        before = [child for child in children(node) if child.end_byte <= kind.start_byte]
        outer = next((child for child in before if child.type in _EXPRESSIONS), None)
        return tree.New(
            self._at(node),
            self._type(kind),
            self._arguments(field(node, "arguments")),
            None if outer is None else self.expression(outer),
            text(node) if any(child.type == "class_body" for child in children(node)) else "",
        )

    def _new_array(self, node: Node) -> tree.Expression:
        kind = self._type(field(node, "type"))
        lengths = []
        for dimension in node.children_by_field_name("dimensions"):
            if dimension.type == "dimensions_expr":
                lengths.append(self.expression(children(dimension)[-1]))
            kind = self._with_dimensions(kind, dimension)
        value = node.child_by_field_name("value")
        init = None if value is None else self._array_init(value)
        return tree.NewArray(self._at(node), kind, tuple(lengths), init)

    def _array_init(self, node: Node) -> tree.ArrayInit:
        elements = [
            self._array_init(child) if child.type == "array_initializer" else self.expression(child)
            for child in children(node)
        ]
        return tree.ArrayInit(self._at(node), tuple(elements))

    def _index(self, node: Node) -> tree.Expression:
        array, index = field(node, "array"), field(node, "index")
        bracket = next(child for child in node.children if child.type == "[")
        sequence, found, at = self.expression(array), self.expression(index), self._at(bracket)
        mark = self._parsed.mark(bracket)
        if mark is Mark.FILTER and isinstance(found, tree.Call):
            return tree.Filter(at, sequence, found.args[0])
        if mark is Mark.SLICE and isinstance(found, tree.Binary):
            open_end = isinstance(found.right, tree.Literal) and found.right.type is NULL
            return tree.Slice(at, sequence, found.left, None if open_end else found.right)
        return tree.Index(at, sequence, found)

    def _unary(self, node: Node) -> tree.Expression:
        op, operand = text(field(node, "operator")), field(node, "operand")
        if op == "-" and operand.type in _NUMBERS:
            literal = self._number(operand, negative=True)
            return literal.replace(at=self._at(node))
        return tree.Unary(self._at(node), op, self.expression(operand))

    def _update(self, node: Node) -> tree.Expression:
        prefix = node.children[0].type in ("++", "--")
        op = node.children[0 if prefix else -1]
        return tree.Update(self._at(op), op.type, prefix, self.expression(children(node)[0]))

    def _binary(self, node: Node) -> tree.Expression:
        op = field(node, "operator")
        left, right = self.expression(field(node, "left")), self.expression(field(node, "right"))
        return tree.Binary(self._at(op), text(op), left, right)

    def _conditional(self, node: Node) -> tree.Expression:
        question = next(child for child in node.children if child.type == "?")
        parts = [self.expression(field(node, name)) for name in ("condition", "consequence", "alternative")]
        return tree.Conditional(self._at(question), *parts)

    def _assign(self, node: Node) -> tree.Expression:
        op = field(node, "operator")
        target, value = self.expression(field(node, "left")), self.expression(field(node, "right"))
        return tree.Assign(self._at(op), text(op), target, value)

    def _cast(self, node: Node) -> tree.Expression:
        types = tuple(self._type(child) for child in node.children_by_field_name("type"))
        return tree.Cast(self._at(node), types, self.expression(field(node, "value")))

    def _instance_of(self, node: Node) -> tree.Expression:
        word = next(child for child in node.children if child.type == "instanceof")
        kind = node.child_by_field_name("right")
        if kind is None:
            raise self._refusal(node, "record patterns cannot be evaluated", "test the type, and then the accessors")
        binding = node.child_by_field_name("name")
        name = None if binding is None else text(binding)
        return tree.InstanceOf(self._at(word), self.expression(field(node, "left")), self._type(kind), name)

    def _lambda(self, node: Node) -> tree.Expression:
        found = field(node, "parameters")
        if found.type == "identifier":
            names = [text(found)]
        elif found.type == "inferred_parameters":
            names = [text(child) for child in children(found)]
        else:
            names = [text(field(child, "name")) for child in children(found)]
        body = field(node, "body")
        if body.type == "block":
            block = tree.Block(self._at(body), self._statements(children(body)))
            return tree.Lambda(self._at(node), tuple(names), block, text(node))
        return tree.Lambda(self._at(node), tuple(names), self.expression(body), text(node))

    def _method_ref(self, node: Node) -> tree.Expression:
        found = children(node)
        target = self.expression(found[0]) if found[0].type in _EXPRESSIONS else self._type(found[0])
        last = node.children[-1]
        return tree.MethodRef(self._at(node), target, text(last), text(node))

    # Switch

    def _switch(self, node: Node) -> tree.Expression:
        cases = [self._case(child) for child in children(field(node, "body"))]
        return tree.Switch(self._at(node), self.expression(field(node, "condition")), tuple(cases))

    def _case(self, node: Node) -> tree.Case:
        labels = [child for child in children(node) if child.type == "switch_label"]
        rest = [child for child in children(node) if child.type != "switch_label"]
        values: list[tree.Expression] = []
        default = False
        for label in labels:
            default = default or any(child.type == "default" for child in label.children)
            for child in children(label):
                if child.type == "pattern" or "guard" in child.type:
                    raise self._refusal(child, "patterns in switch are not part of Java 17")
                values.append(self.expression(child))
        arrow = node.type == "switch_rule"
        return tree.Case(self._at(node), tuple(values), default, arrow, self._statements(rest))


_EXPRESSIONS: dict[str, Callable[[Builder, Node], tree.Expression]] = {
    "identifier": Builder._name,
    "this": Builder._this,
    "super": Builder._super,
    "true": Builder._constant,
    "false": Builder._constant,
    "null_literal": Builder._constant,
    "character_literal": Builder._constant,
    "string_literal": Builder._constant,
    "parenthesized_expression": Builder._parenthesized,
    "field_access": Builder._select,
    "method_invocation": Builder._call,
    "class_literal": Builder._class_literal,
    "object_creation_expression": Builder._new,
    "array_creation_expression": Builder._new_array,
    "array_access": Builder._index,
    "unary_expression": Builder._unary,
    "update_expression": Builder._update,
    "binary_expression": Builder._binary,
    "ternary_expression": Builder._conditional,
    "assignment_expression": Builder._assign,
    "cast_expression": Builder._cast,
    "instanceof_expression": Builder._instance_of,
    "lambda_expression": Builder._lambda,
    "method_reference": Builder._method_ref,
    "switch_expression": Builder._switch,
    **dict.fromkeys(_NUMBERS, Builder._number),
}


def parse(text: str) -> tuple[tree.Statement, ...]:
    """Return the statements of a text; one without a semicolon is a single expression. EvalError with the column."""
    statements = Builder(ParsedText(rewrite(text))).statements()
    if not statements:
        raise EvalError("illegal start of expression", 0, hint="no expression")
    return statements


def parse_expression(text: str) -> tree.Expression:
    """Return the one expression of a text; EvalError when it is anything else."""
    statements = parse(text)
    if len(statements) != 1 or not isinstance(statements[0], tree.ExpressionStatement):
        raise EvalError("one expression is expected here", statements[-1].at)
    return statements[0].expression
