"""From text to tree: columns, the debugger's additions to Java, and what is wrong with a text in javac's words."""

from __future__ import annotations

import pytest

from jdbpy.errors import EvalError
from jdbpy.session.eval.syntax import tree
from jdbpy.session.eval.syntax.parser import parse, parse_expression
from jdbpy.session.eval.syntax.rewrite import rewrite


def shape(node: object) -> str:
    """A tree in short: the class of each node with what it consists of."""
    match node:
        case tree.Literal(value=value):
            return repr(value)
        case tree.Name(name=name):
            return name
        case tree.TypeName():
            args = "" if node.args is None else f"<{','.join(map(shape, node.args))}>"
            return node.bound + node.name + args + "[]" * node.dimensions
        case tree.Node():
            parts = [
                shape(value)
                for name, value in node.__iter_fields__()
                if name != "at" and value not in (None, False, "")
            ]
            return f"{type(node).__name__}({' '.join(parts)})"
        case tuple():
            return f"[{' '.join(map(shape, node))}]"
    return str(node)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", "a"),
        ("a.b.c", "Select(Select(a b) c)"),
        ("a[1][2]", "Index(Index(a 1) 2)"),
        ("a + b * c", "Binary(+ a Binary(* b c))"),
        ("(a + b) * c", "Binary(* Binary(+ a b) c)"),
        ("a - b - c", "Binary(- Binary(- a b) c)"),
        ("a = b = c", "Assign(= a Assign(= b c))"),
        ("a ? b : c ? d : e", "Conditional(a b Conditional(c d e))"),
        ("-2147483648", "-2147483648"),
        ("-x", "Unary(- x)"),
        ("- -5", "Unary(- -5)"),
        ("i++ + ++i", "Binary(+ Update(++ i) Update(++ True i))"),
        ("foo()", "Call(foo [])"),
        ("a.foo(1, x)", "Call(a foo [1 x])"),
        ("a.<String>foo(1)", "Call(a foo [1])"),
        ("super.foo()", "Call(Super() foo [])"),
        ("Outer.super.foo()", "Call(Super(Outer) foo [])"),
        ("Outer.this.x", "Select(This(Outer) x)"),
        ("new Foo(1)", "New(Foo [1])"),
        ("new Foo<>() {}", "New(Foo<> [] new Foo<>() {})"),
        ("o.new Inner(2)", "New(Inner [2] o)"),
        ("this.new Inner()", "New(Inner [] This())"),
        ("new a.b.C<String, ?>()", "New(a.b.C<String,?> [])"),
        ("new int[2][]", "NewArray(int[][] [2])"),
        ("new int[][]{{1}, {}}", "NewArray(int[][] [] ArrayInit([ArrayInit([1]) ArrayInit([])]))"),
        ("(int) x", "Cast([int] x)"),
        ("(A & B) x", "Cast([A B] x)"),
        ("(String) (Object) x", "Cast([String] Cast([Object] x))"),
        ("(a) + b", "Binary(+ a b)"),
        ("x instanceof String", "InstanceOf(x String)"),
        ("x instanceof final Foo f", "InstanceOf(x Foo f)"),
        ("x instanceof List<?> l", "InstanceOf(x List<?> l)"),
        ("String[].class", "ClassLiteral(String[])"),
        ("java.util.Map.Entry.class", "ClassLiteral(java.util.Map.Entry)"),
        ("x -> x + 1", "Lambda([x] Binary(+ x 1) x -> x + 1)"),
        ("(int a, var b) -> a", "Lambda([a b] a (int a, var b) -> a)"),
        ("String::length", "MethodRef(String length String::length)"),
        ("int[]::new", "MethodRef(int[] new int[]::new)"),
        ("@12.x", "Select(ObjectId(12) x)"),
        ("a[10..20]", "Slice(a 10 20)"),
        ("a[..n]", "Slice(a 0 n)"),
        ("a[i + 1..]", "Slice(a Binary(+ i 1))"),
        ("a[b ? 1 : 2..x = 3]", "Slice(a Conditional(b 1 2) Assign(= x 3))"),
        ("a[b[1..2][0]..3]", "Slice(a Index(Slice(b 1 2) 0) 3)"),
        ("a[? it.x > 1]", "Filter(a Binary(> Select(it x) 1))"),
        ("a[? it.b[? it] == c][0]", "Index(Filter(a Binary(== Filter(Select(it b) it) c)) 0)"),
        ('"@12" + "[..]"', "Binary(+ '@12' '[..]')"),
        ("a /* [? */ [1] // ..", "Index(a 1)"),
        (r"\u0061 + '\u0062'", "Binary(+ a 98)"),
        ('"""\n  x\n  """', "'x\\n'"),
        (
            "switch (x) { case 1, 2 -> a; default -> { yield b; } }",
            "Switch(x [Case([1 2] True [ExpressionStatement(a)]) Case([] True True [Block([Yield(b)])])])",
        ),
        (
            "switch (x) { case A: case B: yield 1; default: yield 2; }",
            "Switch(x [Case([A] []) Case([B] [Yield(1)]) Case([] True [Yield(2)])])",
        ),
    ],
)
def test_trees(text: str, expected: str) -> None:
    assert shape(parse_expression(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a; b;", "[ExpressionStatement(a) ExpressionStatement(b)]"),
        ("int x = 3; x", "[LocalVariable(int x 3) ExpressionStatement(x)]"),
        ("int[] a = {1}, b[] = {{2}};", None),
        ("var x = 1", "[LocalVariable(x 1)]"),
        ("if (a) b(); else c();", None),
        ("if (a) { b(); }", "[If(a Block([ExpressionStatement(Call(b []))]))]"),
        ("throw e", "[Throw(e)]"),
    ],
)
def test_statements(text: str, expected: str | None) -> None:
    found = shape(parse(text))
    if expected is not None:
        assert found == expected
    else:
        assert len(parse(text)) == {"if": 1, "in": 2}[text[:2]]


@pytest.mark.parametrize(
    ("text", "place", "at"),
    [
        ("a.bcd", tree.Select, 2),
        ("aa + bb", tree.Binary, 3),
        ("foo.bar(1)", tree.Call, 4),
        ("é + x.ü", tree.Binary, 2),
        ("x[1]", tree.Index, 1),
        ("list[? it]", tree.Filter, 4),
        ("a ? b : c", tree.Conditional, 2),
        ("(int) x", tree.Cast, 0),
        ("x instanceof Y", tree.InstanceOf, 2),
        (r"\u0061.b", tree.Select, 7),
        ("a[1..2].b", tree.Select, 8),
        ("@5.b", tree.Select, 3),
        ("  new Foo()", tree.New, 2),
    ],
)
def test_columns_are_those_of_what_was_typed(text: str, place: type[tree.Expression], at: int) -> None:
    found = parse_expression(text)
    assert isinstance(found, place)
    assert found.at == at


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("", "illegal start of expression", 0),
        ("1 +", "illegal start of expression", 3),
        ("1 + * 2", "illegal start of expression", 4),
        ("* 2", "illegal start of expression", 0),
        ("(1 + 2", "')' expected", 6),
        ("foo(1, ", "')' expected", 6),
        ("a[1", "']' expected", 3),
        ("a]", "illegal start of expression", 1),
        ("(a]", "')' expected", 2),
        ("foo(1,)", "illegal start of expression", 6),
        ("a.", "<identifier> expected", 2),
        ("a..b", "<identifier> expected", 2),
        ("x y z", "';' expected", 3),
        ("1 2", "';' expected", 1),
        ("12abc", "';' expected", 2),
        ("x =", "illegal start of expression", 3),
        ("x ? 1", ": or -> expected", 5),
        ("-", "illegal start of expression", 1),
        ("new", "<identifier> expected", 3),
        ("class A {}", "a class declaration cannot be evaluated", 0),
        ("while (a) b();", "a while statement cannot be evaluated", 0),
        ("x instanceof P(int a)", "record patterns cannot be evaluated", 0),
        ('"abc', "unclosed string literal", 0),
        ("a + 'xy'", "unclosed character literal", 4),
        ("2147483648", "integer number too large: 2147483648", 0),
        ("é + 2147483648", "integer number too large: 2147483648", 4),
        (r"\u00e", "illegal unicode escape", 0),
        ("a; b", "one expression is expected here", 3),
    ],
)
def test_what_is_wrong(text: str, message: str, column: int) -> None:
    with pytest.raises(EvalError) as caught:
        parse_expression(text)
    assert (caught.value.message, caught.value.column) == (message, column)


def test_nesting_has_an_end() -> None:
    """A text that would overflow the stack is refused, not crashed on."""
    from jdbpy.session.eval.program import Program

    with pytest.raises(EvalError, match="nested too deeply"):
        Program("(" * 5000 + "1" + ")" * 5000)


@pytest.mark.parametrize("text", ["a[1..2]", "x[? it > 1] + @5", r"\u0061 + b", "a[b[..1]..].c"])
def test_every_character_knows_its_column(text: str) -> None:
    rewritten = rewrite(text)
    assert len(rewritten.columns) == len(rewritten.text) + 1
    assert list(rewritten.columns) == sorted(rewritten.columns)
    assert rewritten.columns[-1] == len(text)
