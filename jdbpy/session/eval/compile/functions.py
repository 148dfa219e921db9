"""Lambdas, method references and anonymous classes that the target itself runs (JLS 9.8, 15.13, 15.27).

Owns their typing, and what their text takes from the frame, and how it reads once that is handed in. The text is
compiled in a class of its own, outside of the frame. So locals become parameters, and what belongs to an instance
around the frame is reached through a parameter for that instance; types are written in full. Private fields, which that
class could not name, are handed in by their value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jdbpy.record import Record
from jdbpy.session.eval.compile.names import Level, levels, variable
from jdbpy.session.eval.compile.typenames import find_class
from jdbpy.session.eval.javac import CapturedParameter, class_around, source_type
from jdbpy.session.eval.operands import Operand
from jdbpy.session.eval.ops.base import Op, Run, Scope
from jdbpy.session.eval.ops.calls import MakeFunction
from jdbpy.session.eval.ops.read import ReadField, ReadStatic
from jdbpy.session.eval.syntax import tree
from jdbpy.session.eval.syntax.explain import KEYWORDS
from jdbpy.session.eval.syntax.lexer import Token, TokenKind, tokens
from jdbpy.session.eval.typing.class_graph import is_inherited
from jdbpy.session.java import signatures
from jdbpy.session.java.types import ClassType, FunctionType, JavaType

if TYPE_CHECKING:
    from jdbpy.session.eval.compile.compiler import Compiler


_INSTANCE = "self{}_"
"""The parameter for the instance of a class around the frame, counted from the inside."""

_NO_TYPES = frozenset(["return", "throw", "new", "else", "case", "instanceof", "yield", "do", "assert"])
"""Words after which an identifier is no declaration."""


class Captured(Record):
    """The text as it is compiled, and what it is handed."""

    text: str
    parameters: tuple[CapturedParameter, ...]
    values: tuple[Op, ...]


async def capture(c: Compiler, text: str, declared: tuple[str, ...], at: int, scope: Scope) -> Captured:
    """Prepare a text; ``declared`` are names that it declares itself, such as a lambda's parameters."""
    return await _Capture(c, text, frozenset(declared), at, scope).run()


class _Capture:
    """Walks over the tokens of one text."""

    def __init__(self, c: Compiler, text: str, declared: frozenset[str], at: int, scope: Scope) -> None:
        self._c = c
        self._text = text
        self._tokens = tokens(text)
        self._declared = declared | frozenset(self._declarations())
        self._at = at
        self._scope = scope
        self._parameters: dict[str, tuple[CapturedParameter, Op]] = {}

    async def run(self) -> Captured:
        out: list[str] = []
        copied = 0
        for index, token in enumerate(self._tokens):
            written = await self._rewritten(index, token)
            if written is not None:
                out += [self._text[copied : token.start], written]
                copied = token.end
        out.append(self._text[copied:])
        handed = self._parameters.values()
        return Captured("".join(out), tuple(each for each, _ in handed), tuple(op for _, op in handed))

    def _declarations(self) -> set[str]:
        """Identifiers that stand behind a type: variables, parameters and methods of the text itself."""
        return {token.text for index, token in enumerate(self._tokens) if self._is_declared_here(index, token)}

    def _is_declared_here(self, index: int, token: Token) -> bool:
        if token.kind is not TokenKind.IDENTIFIER or token.text in KEYWORDS or index == 0:
            return False
        before = self._tokens[index - 1]
        if before.text == "]":
            return index > 1 and self._tokens[index - 2].text == "["
        return before.kind is TokenKind.IDENTIFIER and before.text not in _NO_TYPES

    async def _rewritten(self, index: int, token: Token) -> str | None:
        """Return what is written in place of a token; None for what stays."""
        if token.kind is not TokenKind.IDENTIFIER or token.text in self._declared:
            return None
        before = self._tokens[index - 1].text if index else ""
        after = self._tokens[index + 1].text if index + 1 < len(self._tokens) else ""
        if before in (".", "::", "@") or after == "->":
            return None
        if token.text == "this":
            return self._instance(0, (await levels(self._c))[0])
        if token.text in KEYWORDS or token.text in ("true", "false", "null", "var"):
            return None
        if after == "(":
            return None if before == "new" else await self._method(token.text)
        return await self._name(token.text)

    async def _method(self, name: str) -> str | None:
        """Return a method that is called without an object."""
        for number, level in enumerate(await levels(self._c)):
            found = [m for m in await self._c.graph.methods(level.cls, name) if is_inherited(m, level.cls)]
            if found and all(method.member.is_static for method in found):
                return f"{source_type(level.cls.type)}.{name}"
            if found and level.links is not None:
                return f"{self._instance(number, level)}.{name}"
        return None

    async def _name(self, name: str) -> str | None:
        op = await variable(self._c, name, self._at, self._scope)
        if op is None:
            cls = await find_class(self._c, [name], self._at, load=True) if name[:1].isupper() else None
            return None if cls is None else source_type(cls.type)
        if isinstance(op, ReadField | ReadStatic) and not op.field.member.bits & signatures.PRIVATE:
            if isinstance(op, ReadStatic):
                return f"{source_type(op.field.owner.type)}.{name}"
            for number, level in enumerate(await levels(self._c)):
                if await self._c.graph.field(level.cls, name) == op.field:
                    return f"{self._instance(number, level)}.{name}"
        self._parameters.setdefault(name, (CapturedParameter(name, source_type(op.type)), op))
        return None

    def _instance(self, number: int, level: Level) -> str:
        """Return the parameter for the instance of a class around the frame."""
        name = _INSTANCE.format(number)
        op = level.instance(self._c, self._at)
        if op is None:
            self._c.refuse("non-static variable this cannot be referenced from a static context", self._at)
        self._parameters.setdefault(name, (CapturedParameter(name, source_type(level.cls.type)), op))
        return name


class Function(Op):
    """A lambda or method reference whose target type is not known yet; a conversion makes it an object."""

    def __init__(self, node: tree.Lambda | tree.MethodRef, scope: Scope) -> None:
        super().__init__(FunctionType(len(node.parameters) if isinstance(node, tree.Lambda) else -1), node.at)
        self.node = node
        self.scope = scope

    async def run(self, run: Run) -> Operand:
        raise AssertionError("a lambda is run as what it was converted to")


async def compile_function(c: Compiler, node: tree.Lambda | tree.MethodRef, scope: Scope) -> Op:
    """Return a lambda or method reference: as an argument, in a cast, or assigned."""
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
    """Return the object of a functional interface that a lambda becomes."""
    node = function.node
    declared = node.parameters if isinstance(node, tree.Lambda) else ()
    return await _compiled(c, node.source, declared, target, node.at, function.scope)


async def make_anonymous(c: Compiler, node: tree.New, kind: ClassType, scope: Scope) -> Op:
    """Return the object of an anonymous class."""
    _require_javac(c, node.at)
    return await _compiled(c, node.source, (), kind, node.at, scope)


async def _compiled(c: Compiler, text: str, declared: tuple[str, ...], kind: JavaType, at: int, scope: Scope) -> Op:
    home = c.require_frame("a lambda needs a frame", at)
    captured = await capture(c, text, declared, at, scope)
    package = "" if home.package.startswith("java.") or home.package == "java" else home.package
    source = class_around(package, captured.parameters, source_type(kind), captured.text)
    compiled = await c.target.compile_java(source)
    return MakeFunction(kind, compiled, captured.values, at)
