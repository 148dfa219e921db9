"""From text to the evaluator's syntax tree."""

from __future__ import annotations

from jdbpy.errors import EvalError
from jdbpy.session.eval.syntax import tree
from jdbpy.session.eval.syntax.builder import Builder
from jdbpy.session.eval.syntax.grammar import ParsedText
from jdbpy.session.eval.syntax.rewrite import rewrite


def parse(text: str) -> tuple[tree.Statement, ...]:
    """The statements of a text; one without a semicolon is a single expression. EvalError with the column."""
    statements = Builder(ParsedText(rewrite(text))).statements()
    if not statements:
        raise EvalError("illegal start of expression", 0, hint="there is no expression")
    return statements


def parse_expression(text: str) -> tree.Expression:
    """The one expression of a text; EvalError when it is anything else."""
    statements = parse(text)
    if len(statements) != 1 or not isinstance(statements[0], tree.ExpressionStatement):
        raise EvalError("one expression is expected here", statements[-1].at)
    return statements[0].expression
