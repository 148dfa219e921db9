"""Typing of lambdas, method references and anonymous classes that the target itself runs (JLS 9.8, 15.13, 15.27)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jdbpy.session.eval.compile.capture import capture
from jdbpy.session.eval.compile.scope import Scope
from jdbpy.session.eval.java.types import ClassType, FunctionType, JavaType
from jdbpy.session.eval.javac.source import class_around, source_type
from jdbpy.session.eval.operands import Operand
from jdbpy.session.eval.ops.base import Op, Run
from jdbpy.session.eval.ops.functions import MakeFunction
from jdbpy.session.eval.syntax import tree

if TYPE_CHECKING:
    from jdbpy.session.eval.compile.compiler import Compiler


class Function(Op):
    """A lambda or method reference whose target type is not known yet; a conversion makes it an object."""

    def __init__(self, node: tree.Lambda | tree.MethodRef, scope: Scope) -> None:
        super().__init__(FunctionType(len(node.parameters) if isinstance(node, tree.Lambda) else -1), node.at)
        self.node = node
        self.scope = scope

    async def run(self, run: Run) -> Operand:
        raise AssertionError("a lambda is run as what it was converted to")


async def compile_function(c: Compiler, node: tree.Lambda | tree.MethodRef, scope: Scope) -> Op:
    """A lambda or method reference: as an argument, in a cast, or assigned."""
    _require_javac(c, node.at)
    return Function(node, scope)


def _require_javac(c: Compiler, at: int) -> None:
    if not c.target.may_define_classes:
        c.refuse(
            "a lambda or anonymous class here must run in the target, where it would need a new class",
            at,
            "'set javac on' lets jdbpy compile it and define it there; filters and maps need neither: list[? it.x > 1]",
        )


async def make_function(c: Compiler, function: Function, target: JavaType) -> Op:
    """The object of a functional interface that a lambda becomes."""
    node = function.node
    declared = node.parameters if isinstance(node, tree.Lambda) else ()
    return await _compiled(c, node.source, declared, target, node.at, function.scope)


async def make_anonymous(c: Compiler, node: tree.New, kind: ClassType, scope: Scope) -> Op:
    """The object of an anonymous class."""
    _require_javac(c, node.at)
    return await _compiled(c, node.source, (), kind, node.at, scope)


async def _compiled(c: Compiler, text: str, declared: tuple[str, ...], kind: JavaType, at: int, scope: Scope) -> Op:
    home = c.require_frame("a lambda needs a frame", at)
    captured = await capture(c, text, declared, at, scope)
    package = "" if home.package.startswith("java.") or home.package == "java" else home.package
    source = class_around(package, captured.parameters, source_type(kind), captured.text)
    compiled = await c.target.compile_java(source)
    return MakeFunction(kind, compiled, captured.values, at)
