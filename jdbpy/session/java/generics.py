"""Generic signatures of class files shown as Java: ``<T:Ljava/lang/Object;>(TT;)TT;`` is ``<T> T m(T)``.

Owns the grammar of JVMS 4.7.9.1. Names are written in full, as the class file has them; shortening is the front
end's. A signature that does not parse makes the caller fall back on the erased one, never an error: class files of
obfuscators are full of wrong ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from jdbpy.record import Record
from jdbpy.session.java.signatures import PRIMITIVES, java_name

T = TypeVar("T")


class DeclaredGeneric(Protocol):
    """A field or a variable."""

    @property
    def signature(self) -> str: ...

    @property
    def generic(self) -> str: ...


class GenericClass(Record):
    """A class signature. ``parameters`` are type parameters with their bounds, "T extends java.lang.Number"."""

    parameters: tuple[str, ...]
    superclass: str
    interfaces: tuple[str, ...]


class GenericMethod(Record):
    """A method signature. ``type_parameters`` as in GenericClass; the rest are types as in source."""

    type_parameters: tuple[str, ...]
    parameters: tuple[str, ...]
    returns: str
    throws: tuple[str, ...]


def generic_type(signature: str) -> str | None:
    """Return the Java spelling of a generic field signature: "java.util.List<? extends T>[]". None if it does not
    parse."""
    return _whole(signature, _SignatureReader.type)


def source_type(declared: DeclaredGeneric) -> str:
    """Return the type of a field or variable as in source, with its type arguments when the class file has them."""
    return (declared.generic and generic_type(declared.generic)) or java_name(declared.signature)


def generic_class(signature: str) -> GenericClass | None:
    """Return the parts of a generic class signature. None if it does not parse."""
    return _whole(signature, _SignatureReader.class_signature)


def generic_method(signature: str) -> GenericMethod | None:
    """Return the parts of a generic method signature. None if it does not parse."""
    return _whole(signature, _SignatureReader.method_signature)


class _Malformed(Exception):
    pass


def _whole(signature: str, read: Callable[[_SignatureReader], T]) -> T | None:
    """Return what ``read`` makes of the signature, if that takes it to the last character."""
    reader = _SignatureReader(signature)
    try:
        result = read(reader)
        return result if reader.at_end else None
    except (_Malformed, RecursionError):
        return None


class _SignatureReader:
    """A recursive descent over one signature."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0

    @property
    def at_end(self) -> bool:
        return self._position == len(self._text)

    def class_signature(self) -> GenericClass:
        parameters = self._type_parameters()
        superclass = self.type()
        interfaces = []
        while not self.at_end:
            interfaces.append(self.type())
        return GenericClass(parameters, superclass, tuple(interfaces))

    def method_signature(self) -> GenericMethod:
        type_parameters = self._type_parameters()
        self._expect("(")
        parameters = []
        while not self._accept(")"):
            parameters.append(self.type())
        returns = self.type()
        throws = []
        while self._accept("^"):
            throws.append(self.type())
        return GenericMethod(type_parameters, tuple(parameters), returns, tuple(throws))

    def type(self) -> str:
        letter = self._next()
        if letter == "[":
            return self.type() + "[]"
        if letter == "T":
            return self._until(";")
        if letter == "L":
            return self._class_type()
        if letter in PRIMITIVES:
            return PRIMITIVES[letter]
        raise _Malformed

    def _class_type(self) -> str:
        """``java/util/Map<..>.Entry<..>;`` after its L. What follows a dot is a nested class of the part before."""
        text = ""
        while True:
            start = self._position
            while self._peek() not in "<.;":
                self._position += 1
            text += self._text[start : self._position].replace("/", ".")
            if self._accept("<"):
                text += self._arguments()
            if self._accept(";"):
                return text
            self._expect(".")
            text += "."

    def _arguments(self) -> str:
        arguments = []
        while not self._accept(">"):
            if self._accept("*"):
                arguments.append("?")
            elif self._accept("+"):
                arguments.append(f"? extends {self.type()}")
            elif self._accept("-"):
                arguments.append(f"? super {self.type()}")
            else:
                arguments.append(self.type())
        return f"<{', '.join(arguments)}>"

    def _type_parameters(self) -> tuple[str, ...]:
        parameters: list[str] = []
        if self._accept("<"):
            while not self._accept(">"):
                parameters.append(self._type_parameter())
        return tuple(parameters)

    def _type_parameter(self) -> str:
        name = self._until(":")
        # The class bound is empty when the first bound is an interface; Object alone is not worth a word.
        bounds = [] if self._peek() == ":" else [self.type()]
        while self._accept(":"):
            bounds.append(self.type())
        if bounds == ["java.lang.Object"]:
            return name
        return f"{name} extends {' & '.join(bounds)}"

    def _peek(self) -> str:
        if self.at_end:
            raise _Malformed
        return self._text[self._position]

    def _next(self) -> str:
        letter = self._peek()
        self._position += 1
        return letter

    def _accept(self, letter: str) -> bool:
        if not self.at_end and self._text[self._position] == letter:
            self._position += 1
            return True
        return False

    def _expect(self, letter: str) -> None:
        if not self._accept(letter):
            raise _Malformed

    def _until(self, letter: str) -> str:
        end = self._text.find(letter, self._position)
        if end < 0:
            raise _Malformed
        text = self._text[self._position : end]
        self._position = end + 1
        return text
