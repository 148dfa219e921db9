"""The choice among several methods of a name: JLS 15.12.2 in its three phases.

Owns applicability, the choice of the most specific method, the inference of type arguments as far as the arguments tell
it, and the sentences for calls that mean nothing or too much. Access is not checked: the debugger may call private
methods. Pure: the types must have been ensured in the class graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from jdbpy.errors import EvalError
from jdbpy.record import Record
from jdbpy.session.eval.typing.class_graph import ClassGraph, JavaMethod, bind_arguments
from jdbpy.session.eval.typing.conversions import ConversionContext, plan, refusal
from jdbpy.session.java.types import (
    NULL,
    ArrayType,
    ClassType,
    JavaType,
    TypeVar,
    Wildcard,
    boxed,
    erasure,
    substitute,
    upper_bound,
)


class Phase(Enum):
    """The phases of JLS 15.12.2, in order."""

    STRICT = 1
    LOOSE = 2
    VARARGS = 3


class CallArgument(Record):
    """An argument as far as it decides on the method: its static type, and its column for messages."""

    type: JavaType
    at: int


class Resolved(Record):
    """The method that a call means. ``parameters`` are the types the arguments are converted to, one for each argument;
    with ``varargs`` those from ``fixed`` on go into an array. ``returns`` is the type of the call."""

    method: JavaMethod
    parameters: tuple[JavaType, ...]
    returns: JavaType
    varargs: bool
    fixed: int


class Unresolved(EvalError):
    """No method, or more than one, fits the arguments."""


def resolve(
    graph: ClassGraph,
    candidates: Sequence[JavaMethod],
    receiver: JavaType | None,
    arguments: Sequence[CallArgument],
    what: str,
    at: int,
) -> Resolved:
    """Return the method for arguments of these static types. ``receiver`` is the type the method is looked up in,
    ``what`` names the call in messages ("method total"). Raises Unresolved in javac's words."""
    args = [argument.type for argument in arguments]
    applicable: list[JavaMethod] = []
    for phase in Phase:
        applicable = [each for each in candidates if _applicable(graph, each, receiver, args, phase)]
        if applicable:
            best = _most_specific(graph, applicable, args, phase)
            if len(best) > 1:
                raise Unresolved(_ambiguous(what, best), at)
            return _resolved(graph, best[0], receiver, args, varargs=phase is Phase.VARARGS)
    raise _not_applicable(graph, candidates, receiver, arguments, what, at)


def takes_strictly(method: JavaMethod, args: Sequence[JavaType]) -> bool:
    """True if the first phase may find the method: it neither boxes nor unboxes. Told by the number of arguments and
    which of them are primitive; asks for no class."""
    formals = method.erased.parameters
    if len(formals) != len(args):
        return False
    return all(arg.is_reference == formal.is_reference for arg, formal in zip(args, formals, strict=True))


def is_strict(
    graph: ClassGraph, candidates: Sequence[JavaMethod], receiver: JavaType | None, args: Sequence[JavaType]
) -> bool:
    """True if the first phase finds a method."""
    return any(_applicable(graph, each, receiver, args, Phase.STRICT) for each in candidates)


def _formals(method: JavaMethod, count: int, *, varargs: bool) -> tuple[JavaType, ...]:
    """Return the generic parameter types, the last one repeated for a call with variable arguments."""
    parameters = method.type.parameters
    if not varargs:
        return parameters
    last = parameters[-1]
    assert isinstance(last, ArrayType)
    return parameters[:-1] + (last.element,) * (count - len(parameters) + 1)


def _applicable(
    graph: ClassGraph, method: JavaMethod, receiver: JavaType | None, args: Sequence[JavaType], phase: Phase
) -> bool:
    count = len(method.type.parameters)
    varargs = phase is Phase.VARARGS
    if varargs:
        if not method.member.is_varargs or len(args) < count - 1:
            return False
    elif len(args) != count:
        return False
    context = ConversionContext.STRICT if phase is Phase.STRICT else ConversionContext.LOOSE
    formals = instantiate(graph, method, receiver, args, _formals(method, len(args), varargs=varargs))
    return all(plan(graph, arg, formal, context) is not None for arg, formal in zip(args, formals, strict=True))


def _most_specific(
    graph: ClassGraph, applicable: list[JavaMethod], args: Sequence[JavaType], phase: Phase
) -> list[JavaMethod]:
    """Return the maximally specific methods (JLS 15.12.2.5), one of them when they have the same signature."""
    varargs = phase is Phase.VARARGS
    width = max(len(args), *(len(method.type.parameters) for method in applicable)) if varargs else len(args)

    def formals(method: JavaMethod) -> tuple[JavaType, ...]:
        return tuple(map(erasure, _formals(method, width, varargs=varargs)))

    def more_specific(one: JavaMethod, other: JavaMethod) -> bool:
        return all(graph.is_subtype(a, b) for a, b in zip(formals(one), formals(other), strict=True))

    best = [one for one in applicable if all(more_specific(one, other) for other in applicable)]
    if not best:
        return applicable
    if len(best) > 1 and all(formals(one) == formals(best[0]) for one in best):
        concrete = [one for one in best if not one.member.is_abstract]
        return (concrete or best)[:1]
    return best


def _resolved(
    graph: ClassGraph, method: JavaMethod, receiver: JavaType | None, args: Sequence[JavaType], *, varargs: bool
) -> Resolved:
    count = len(method.type.parameters)
    formals = instantiate(
        graph, method, receiver, args, (*_formals(method, len(args), varargs=varargs), method.type.returns)
    )
    returns = formals[-1]
    if isinstance(returns, TypeVar | Wildcard):
        returns = upper_bound(returns)
    return Resolved(method, formals[:-1], returns, varargs, count - 1 if varargs else count)


# Generics


def instantiate(
    graph: ClassGraph,
    method: JavaMethod,
    receiver: JavaType | None,
    args: Sequence[JavaType],
    types: Sequence[JavaType],
) -> tuple[JavaType, ...]:
    """Types of a method's signature with its own and its class's type variables replaced by what is known of them.

    A variable about which nothing is known becomes its bound; of a raw receiver, everything is erased (JLS 4.8).
    """
    bindings: dict[str, JavaType] = {}
    owner = method.owner
    if receiver is not None and owner.variables and not method.member.is_static:
        view = graph.as_super(receiver, owner.type)
        if view is None or not view.args:
            return tuple(map(erasure, types))
        bindings = {name: _argument_bound(arg) for name, arg in bind_arguments(owner, view).items()}
    own = {variable.name for variable in method.type.variables}
    for formal, arg in zip(types, args, strict=False):
        _infer(graph, formal, boxed(arg), own, bindings)
    return tuple(_bounded(substitute(kind, bindings)) for kind in types)


def _argument_bound(arg: JavaType) -> JavaType:
    """Return a type argument as member types see it: of a wildcard, its upper bound (a plain capture, JLS 5.1.10)."""
    return upper_bound(arg) if isinstance(arg, Wildcard) else arg


def _bounded(kind: JavaType) -> JavaType:
    """Return a bare variable that nothing was inferred for becomes its bound."""
    if isinstance(kind, TypeVar):
        return erasure(kind)
    if isinstance(kind, ArrayType):
        return ArrayType(_bounded(kind.element))
    return kind


def _infer(graph: ClassGraph, formal: JavaType, arg: JavaType, own: set[str], bindings: dict[str, JavaType]) -> None:
    """Take what one argument says about the method's own type variables (JLS 18.2, as far as arguments go)."""
    if isinstance(formal, TypeVar):
        if formal.name in own and arg is not NULL and arg.is_reference:
            known = bindings.get(formal.name)
            bindings[formal.name] = arg if known is None else graph.common(known, arg)
    elif isinstance(formal, Wildcard):
        _infer(graph, formal.bound, upper_bound(arg), own, bindings)
    elif isinstance(formal, ArrayType):
        if isinstance(arg, ArrayType) and arg.element.is_reference:
            _infer(graph, formal.element, arg.element, own, bindings)
    elif isinstance(formal, ClassType) and formal.args:
        view = graph.as_super(arg, erasure(formal))
        if view is not None and len(view.args) == len(formal.args):
            for inner, given in zip(formal.args, view.args, strict=True):
                _infer(graph, inner, _argument_bound(given), own, bindings)


# Sentences


def _ambiguous(what: str, best: Sequence[JavaMethod]) -> str:
    name = what.partition(" ")[2]
    one, other = best[:2]
    kind = "constructor" if one.member.name == "<init>" else "method"
    both = [f"{kind} {method} in {method.owner.type}" for method in (one, other)]
    return f"reference to {name} is ambiguous: both {both[0]} and {both[1]} match"


def _not_applicable(
    graph: ClassGraph,
    candidates: Sequence[JavaMethod],
    receiver: JavaType | None,
    args: Sequence[CallArgument],
    what: str,
    at: int,
) -> Unresolved:
    """Return what is wrong: with the one argument, if only one method takes as many, else with all of them."""
    fitting = [each for each in candidates if takes(each, len(args))]
    if len(fitting) == 1 and (wrong := _wrong_argument(graph, fitting[0], receiver, args)):
        return wrong
    found = ",".join(str(arg.type) for arg in args) or "no arguments"
    if len(candidates) != 1:
        kind, _, name = what.partition(" ")
        tried = "; ".join(map(str, candidates[:8]))
        return Unresolved(f"no suitable {kind} found for {name}({found}): there is {tried}", at)
    (only,) = candidates
    required = ",".join(only.shown_parameters()) or "no arguments"
    refused = f"{what} in {only.owner.kind} {only.owner.type} cannot be applied to given types"
    reason = "actual and formal argument lists differ in length"
    return Unresolved(f"{refused}: required {required}, found {found} ({reason})", at)


def takes(method: JavaMethod, count: int) -> bool:
    """True if a call with so many arguments can mean the method, whatever they are."""
    own = len(method.type.parameters)
    return count >= own - 1 if method.member.is_varargs else count == own


def _wrong_argument(
    graph: ClassGraph, method: JavaMethod, receiver: JavaType | None, args: Sequence[CallArgument]
) -> Unresolved | None:
    """Return the first argument that does not fit its parameter."""
    types = [arg.type for arg in args]
    parameters = _formals(method, len(args), varargs=method.member.is_varargs)
    formals = instantiate(graph, method, receiver, types, parameters)
    for arg, formal in zip(args, formals, strict=True):
        if plan(graph, arg.type, formal, ConversionContext.LOOSE) is None:
            return Unresolved(refusal(arg.type, formal), arg.at)
    return None
