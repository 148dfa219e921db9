"""The names that the expression itself brings in: pattern variables, declared variables, parameters of lambdas.

Pure and immutable: a scope is made from the one around it. What the frame and its class have is found by ``names``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from jdbpy.record import Record
from jdbpy.session.eval.java.types import JavaType


class Binding(Record):
    """A variable of the expression: where its value is kept, and its type."""

    cell: int
    type: JavaType


Bindings = Mapping[str, Binding]
NO_BINDINGS: Bindings = MappingProxyType({})


class Scope:
    """Variables by name, and the types of operands that are held for an operation compiled late."""

    def __init__(self, variables: Bindings | None = None, held: Mapping[int, JavaType] | None = None) -> None:
        self.variables: Bindings = variables or NO_BINDINGS
        self.held: Mapping[int, JavaType] = held or {}

    def with_variables(self, more: Bindings) -> Scope:
        return Scope({**self.variables, **more}, self.held) if more else self

    def holding(self, types: Mapping[int, JavaType]) -> Scope:
        return Scope(self.variables, {**self.held, **types})
