"""Conversions of types: the conversions of JLS 5 as plans.

Owns the rules; a plan is a short tuple of steps that ``ops.Convert`` carries out. It never looks at values, but for the
constants that assignment may narrow (JLS 5.2). Types must have been ensured in the class graph.
"""

from __future__ import annotations

from enum import Enum, auto

from jdbpy.record import Record
from jdbpy.session.eval.typing.class_graph import ClassGraph
from jdbpy.session.java import arithmetic
from jdbpy.session.java.types import (
    BOOLEAN,
    BYTE,
    CHAR,
    INT,
    LATE,
    NULL,
    SHORT,
    ArrayType,
    ClassType,
    FunctionType,
    JavaType,
    Primitive,
    boxed,
    erasure,
    is_told_apart,
    unboxed,
    upper_bound,
)


class StepKind(Enum):
    PRIMITIVE = auto()  # widening or narrowing of a primitive
    BOX = auto()
    UNBOX = auto()
    CHECK = auto()  # a cast that the run-time class decides


class ConversionStep(Record):
    """One step of a conversion; ``to`` is the type after it."""

    kind: StepKind
    to: JavaType


Plan = tuple[ConversionStep, ...]
"""The steps of a conversion; none where the value stays as it is."""


class ConversionContext(Enum):
    """The context of a conversion (JLS 5.2, 5.3, 5.5)."""

    STRICT = auto()  # invocation, first phase
    LOOSE = auto()  # invocation, second phase; assignment
    CAST = auto()


def plan(graph: ClassGraph, source: JavaType, target: JavaType, context: ConversionContext) -> Plan | None:
    """Return how a value of source becomes one of target; None when Java does not allow it."""
    if source is LATE:
        return None
    if isinstance(source, FunctionType):
        return () if graph.fits_function(target, source.arity) else None
    if isinstance(source, Primitive):
        return _from_primitive(graph, source, target, context)
    if isinstance(target, Primitive):
        return _to_primitive(graph, source, target, context)
    if graph.is_subtype(source, target):
        return ()
    if context is ConversionContext.CAST and castable(graph, source, target):
        return (ConversionStep(StepKind.CHECK, target),)
    return None


def _from_primitive(graph: ClassGraph, source: Primitive, target: JavaType, context: ConversionContext) -> Plan | None:
    if source.tag == "V":
        return None
    if isinstance(target, Primitive):
        if source is target:
            return ()
        numeric_cast = (
            context is ConversionContext.CAST and source is not BOOLEAN and target is not BOOLEAN and target.tag != "V"
        )
        if arithmetic.widens(source, target) or numeric_cast:
            return (ConversionStep(StepKind.PRIMITIVE, target),)
        return None
    if context is ConversionContext.STRICT or not graph.is_subtype(boxed(source), target):
        return None
    return (ConversionStep(StepKind.BOX, boxed(source)),)


def _to_primitive(graph: ClassGraph, source: JavaType, target: Primitive, context: ConversionContext) -> Plan | None:
    if context is ConversionContext.STRICT or source is NULL:
        return None
    inner = unboxed(upper_bound(source))
    if inner is not None:
        if inner is target:
            return (ConversionStep(StepKind.UNBOX, inner),)
        if arithmetic.widens(inner, target):
            return (ConversionStep(StepKind.UNBOX, inner), ConversionStep(StepKind.PRIMITIVE, target))
        return None
    box = boxed(target)
    if context is ConversionContext.CAST and graph.is_subtype(box, source):  # (int) object
        return (ConversionStep(StepKind.CHECK, box), ConversionStep(StepKind.UNBOX, target))
    return None


def castable(graph: ClassGraph, source: JavaType, target: JavaType) -> bool:
    """True if a reference of source can be cast to target, to be checked at run time (JLS 5.5.1)."""
    source, target = erasure(source), erasure(target)
    if graph.is_subtype(source, target) or graph.is_subtype(target, source):
        return True
    if isinstance(source, ArrayType) and isinstance(target, ArrayType):
        both = source.element.is_reference and target.element.is_reference
        return both and castable(graph, source.element, target.element)
    if not isinstance(source, ClassType) or not isinstance(target, ClassType):
        return False
    known_source, known_target = graph.known(source), graph.known(target)
    if known_source is None or known_target is None:
        return True  # a class that is not loaded has no instances: only null passes
    if known_source.is_interface or known_target.is_interface:
        return not (known_source.is_final or known_target.is_final)
    return False


def narrows_constant(value: object, source: JavaType, target: JavaType) -> bool:
    """True if assignment may narrow a constant: int and smaller into byte, short, char or their boxes (JLS 5.2)."""
    kind = unboxed(target)
    if source not in (BYTE, SHORT, CHAR, INT) or kind not in (BYTE, SHORT, CHAR):
        return False
    return isinstance(value, int) and arithmetic.fits(value, kind)


def narrowing(target: JavaType) -> Plan:
    """Return the plan for a constant that ``narrows_constant`` allows."""
    kind = unboxed(target)
    assert kind is not None
    first = ConversionStep(StepKind.PRIMITIVE, kind)
    return (first,) if kind is target else (first, ConversionStep(StepKind.BOX, target))


OTHER_LOADER = " of another class loader"
"""Said behind the second of two classes of one name."""


def refusal(source: JavaType, target: JavaType) -> str:
    """javac's sentence for a conversion that is not allowed."""
    if isinstance(source, Primitive) and isinstance(target, Primitive) and source.rank and target.rank:
        return f"incompatible types: possible lossy conversion from {source} to {target}"
    other = OTHER_LOADER if is_told_apart(source) != is_told_apart(target) and str(source) == str(target) else ""
    return f"incompatible types: {source} cannot be converted to {target}{other}"
