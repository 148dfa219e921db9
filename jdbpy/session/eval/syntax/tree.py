"""The evaluator's own syntax tree: Java's expressions (JLS 15) and the few statements that occur in them.

Pure data. ``at`` is the 0-based column in what the user typed at which an error in this node is reported: the name of
a member, the operator of an operation, else where the node begins. The tree says nothing about types or the target.
"""

from __future__ import annotations

from jdbpy.record import Record
from jdbpy.session.java.types import JavaType


class Node(Record):
    """Base of all nodes."""

    at: int


class TypeName(Node):
    """A type as written: ``name`` is a primitive or a dotted name, ``?`` for a wildcard; args None when there are none.

    ``args`` is empty for the diamond. ``bound`` is "" , "extends" or "super" for a wildcard, whose bound is args[0].
    """

    name: str
    args: tuple[TypeName, ...] | None = None
    dimensions: int = 0
    bound: str = ""


class Expression(Node):
    """Base of all expressions."""


class Literal(Expression):
    """A literal with its value: int, float, bool, str, None; a char is its code unit."""

    type: JavaType
    value: int | float | bool | str | None


class ShownNumber(Expression):
    """A number as it is shown, to be assigned: the type of the variable says which literal it is. Never parsed."""

    text: str


class Name(Expression):
    """A simple name: a variable, or the beginning of a type or package name; ``$x`` is the debugger's."""

    name: str


class ObjectId(Expression):
    """``@123``."""

    id: int


class Held(Expression):
    """A value that is known already: an operand of an operation that is compiled at run time. Never parsed."""

    cell: int


class ExpressionList(Expression):
    """Several expressions evaluated together, with the sequence of their values for a value. Never parsed."""

    elements: tuple[Expression, ...]


class Select(Expression):
    """``object.name``: a field, or a part of a qualified name."""

    object: Expression
    name: str


class This(Expression):
    """``this``, or ``Outer.this``."""

    qualifier: Expression | None = None


class Super(Expression):
    """``super`` or ``Outer.super``, in front of a member."""

    qualifier: Expression | None = None


class ClassLiteral(Expression):
    type: TypeName


class Call(Expression):
    """``object.name(args)``; without object, a method in scope."""

    object: Expression | None
    name: str
    args: tuple[Expression, ...]


class New(Expression):
    """``new type(args)``, or ``outer.new type(args)``; ``source`` is the text of an anonymous class, else ""."""

    type: TypeName
    args: tuple[Expression, ...]
    outer: Expression | None = None
    source: str = ""


class ArrayInit(Expression):
    """``{a, b}`` after a type that says what it makes."""

    elements: tuple[Expression, ...]


class NewArray(Expression):
    """``new type[a][b][]`` or ``new type[][] {..}``; ``type`` has all dimensions."""

    type: TypeName
    lengths: tuple[Expression, ...]
    init: ArrayInit | None = None


class Index(Expression):
    """``array[index]``."""

    array: Expression
    index: Expression


class Slice(Expression):
    """``sequence[start..end]``: elements from start up to but not including end, or to the last one."""

    sequence: Expression
    start: Expression
    end: Expression | None


class Filter(Expression):
    """``sequence[? condition]``: the elements, each called ``it`` in the condition, for which it holds."""

    sequence: Expression
    condition: Expression


class Unary(Expression):
    """``+ - ! ~``."""

    op: str
    operand: Expression


class Update(Expression):
    """``++`` and ``--``, before or after a variable."""

    op: str
    prefix: bool
    operand: Expression


class Binary(Expression):
    op: str
    left: Expression
    right: Expression


class Conditional(Expression):
    """``condition ? then : otherwise``."""

    condition: Expression
    then: Expression
    otherwise: Expression


class Assign(Expression):
    """``target op value``; op is "=" or a compound one such as ">>>="."""

    op: str
    target: Expression
    value: Expression


class Cast(Expression):
    """``(A & B) operand``."""

    types: tuple[TypeName, ...]
    operand: Expression


class InstanceOf(Expression):
    """``operand instanceof type``, with the name of the pattern variable if there is one."""

    operand: Expression
    type: TypeName
    binding: str | None = None


class Lambda(Expression):
    """``(a, b) -> body``; ``source`` is its text."""

    parameters: tuple[str, ...]
    body: Expression | Block
    source: str = ""


class MethodRef(Expression):
    """``target::name``; name is "new" for a constructor, target a type where it cannot be an expression."""

    target: Expression | TypeName
    name: str
    source: str = ""


class Statement(Node):
    """Base of all statements."""


class Block(Statement):
    statements: tuple[Statement, ...]


class ExpressionStatement(Statement):
    expression: Expression


class LocalVariable(Statement):
    """``type name = value;``, one node for each declarator; type None is ``var``."""

    type: TypeName | None
    name: str
    value: Expression | None


class If(Statement):
    condition: Expression
    then: Statement
    otherwise: Statement | None


class Yield(Statement):
    value: Expression


class Return(Statement):
    value: Expression | None


class Throw(Statement):
    value: Expression


class Case(Node):
    """The labels of a case and what it does. ``labels`` is empty and ``default`` set for ``default``.

    With an arrow, ``body`` is one statement; without, the statements up to the next label, and control falls through.
    """

    labels: tuple[Expression, ...]
    default: bool
    arrow: bool
    body: tuple[Statement, ...]


class Switch(Expression):
    """A switch expression (JLS 15.28)."""

    selector: Expression
    cases: tuple[Case, ...]
