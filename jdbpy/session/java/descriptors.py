"""Types as class files write them: descriptors and generic signatures (JVMS 4.3, 4.7.9.1), read. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from jdbpy.errors import EvalError
from jdbpy.record import Record
from jdbpy.session.java.types import BY_TAG, OBJECT, ArrayType, ClassType, JavaType, TypeVar, Wildcard


class MethodType(Record):
    """A method's descriptor or generic signature, taken apart. ``variables`` are its own type parameters."""

    parameters: tuple[JavaType, ...]
    returns: JavaType
    variables: tuple[TypeVar, ...] = ()


class ClassSignature(Record):
    """A class's generic signature: its type parameters and its supertypes with their arguments."""

    variables: tuple[TypeVar, ...]
    supertypes: tuple[ClassType, ...]  # superclass first, then the interfaces


class SignatureReader:
    """Reads one descriptor or signature from left to right (grammar of JVMS 4.7.9.1)."""

    _ends: ClassVar[str] = "<;."

    def __init__(self, text: str, variables: Mapping[str, TypeVar] | None = None) -> None:
        self._text = text
        self._at = 0
        self._variables = dict(variables or {})

    def type(self) -> JavaType:
        """Return one field type."""
        tag = self._next()
        if tag in BY_TAG:
            return BY_TAG[tag]
        if tag == "[":
            return ArrayType(self.type())
        if tag == "T":
            name = self._until(";")
            return self._variables.get(name) or TypeVar(name, OBJECT)
        if tag == "L":
            return self._class_type()
        raise self._malformed()

    def method(self) -> MethodType:
        """Return a method descriptor or signature; what it throws is passed over."""
        own = self._type_parameters()
        if self._next() != "(":
            raise self._malformed()
        parameters = []
        while self._peek() != ")":
            parameters.append(self.type())
        self._at += 1
        return MethodType(tuple(parameters), self.type(), own)

    def class_signature(self) -> ClassSignature:
        """Return a class signature."""
        own = self._type_parameters()
        supertypes = []
        while self._at < len(self._text):
            kind = self.type()
            if isinstance(kind, ClassType):
                supertypes.append(kind)
        return ClassSignature(own, tuple(supertypes))

    def _type_parameters(self) -> tuple[TypeVar, ...]:
        """``<T:Ljava/lang/Object;U::Ljava/util/List<TT;>;>``: the leftmost bound of each is kept."""
        if self._peek() != "<":
            return ()
        self._at += 1
        own: list[TypeVar] = []
        while self._peek() != ">":
            name = self._until(":")
            bounds = [] if self._peek() == ":" else [self.type()]
            while self._peek() == ":":
                self._at += 1
                bounds.append(self.type())
            variable = TypeVar(name, bounds[0] if bounds else OBJECT)
            self._variables[name] = variable
            own.append(variable)
        self._at += 1
        return tuple(own)

    def _class_type(self) -> ClassType:
        name = ""
        args: tuple[JavaType, ...] = ()
        while True:
            start = self._at
            while self._peek() not in self._ends:
                self._at += 1
            name += self._text[start : self._at]
            end = self._next()
            if end == "<":
                args = self._type_arguments()
                end = self._next()
            if end == ";":
                return ClassType(name.replace("/", "."), args)
            if end != ".":
                raise self._malformed()
            name += "$"
            args = ()

    def _type_arguments(self) -> tuple[JavaType, ...]:
        args: list[JavaType] = []
        while self._peek() != ">":
            kind = self._peek()
            if kind == "*":
                self._at += 1
                args.append(Wildcard("*", OBJECT))
            elif kind in "+-":
                self._at += 1
                args.append(Wildcard(kind, self.type()))
            else:
                args.append(self.type())
        self._at += 1
        return tuple(args)

    def _until(self, end: str) -> str:
        stop = self._text.find(end, self._at)
        if stop < 0:
            raise self._malformed()
        text = self._text[self._at : stop]
        self._at = stop + 1
        return text

    def _peek(self) -> str:
        if self._at >= len(self._text):
            raise self._malformed()
        return self._text[self._at]

    def _next(self) -> str:
        char = self._peek()
        self._at += 1
        return char

    def _malformed(self) -> EvalError:
        return EvalError(f"the target sent a malformed signature, {self._text!r}", code="BAD_SIGNATURE")


def read_type(text: str, variables: Mapping[str, TypeVar] | None = None) -> JavaType:
    """Return the type of a field descriptor or signature; EvalError when it is malformed."""
    return SignatureReader(text, variables).type()


def read_method(text: str, variables: Mapping[str, TypeVar] | None = None) -> MethodType:
    """Return the types of a method descriptor or signature; EvalError when it is malformed."""
    return SignatureReader(text, variables).method()


def read_class(text: str) -> ClassSignature:
    """Return the parts of a class signature; EvalError when it is malformed."""
    return SignatureReader(text).class_signature()
