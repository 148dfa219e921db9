"""What differs between a class that the target runs and a newer one, in words. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jdbpy.record import Record
from jdbpy.session.hotswap.shape import ClassShape, MemberKey, MethodShape
from jdbpy.session.types.signatures import java_name, parameter_types, simple_name
from jdbpy.wire.constants import Error

_CLASS_BITS = 0x0611  # public, final, interface, abstract: those that nested classes do not tell in their own way


class Difference(Record):
    """One difference. ``refusal`` is the error with which a VM refuses it that cannot do it; None: any VM can."""

    text: str
    refusal: Error | None = None


def differences(running: ClassShape, new: ClassShape) -> list[Difference]:
    """All differences that can be told; [] when both are the same."""
    found = [*_of_head(running, new), *_of_fields(running.fields, new.fields), *_of_methods(running, new)]
    if not found and running.constants is not None and (new.constants or frozenset()) - running.constants:
        found.append(Difference("constants"))  # annotations, default values and the like are told by nothing else
    return found


def describe(key: MemberKey) -> str:
    """A method as people write it, "total(int)"; types without their packages."""
    name, signature = key
    return f"{name}({', '.join(simple_name(each) for each in parameter_types(signature))})"


def _of_head(running: ClassShape, new: ClassShape) -> Iterator[Difference]:
    if running.superclass != new.superclass:
        yield Difference(f"extends {_name(new.superclass)}", Error.HIERARCHY_CHANGE_NOT_IMPLEMENTED)
    if running.interfaces != new.interfaces:
        names = ", ".join(map(_name, new.interfaces)) or "nothing"
        yield Difference(f"implements {names}", Error.HIERARCHY_CHANGE_NOT_IMPLEMENTED)
    if "$" not in new.name and (running.access ^ new.access) & _CLASS_BITS:
        yield Difference("other modifiers of the class", Error.CLASS_MODIFIERS_CHANGE_NOT_IMPLEMENTED)


def _of_fields(running: Mapping[MemberKey, int], new: Mapping[MemberKey, int]) -> Iterator[Difference]:
    refusal = Error.SCHEMA_CHANGE_NOT_IMPLEMENTED
    for name, signature in new:
        if (name, signature) not in running:
            yield Difference(f"new field {java_name(signature)} {name}", refusal)
        elif running[name, signature] != new[name, signature]:
            yield Difference(f"other modifiers of field {name}", refusal)
    for name, signature in running:
        if (name, signature) not in new:
            yield Difference(f"no field {java_name(signature)} {name} any more", refusal)
    if list(running) != list(new) and set(running) == set(new):
        yield Difference("another order of the fields", refusal)


def _of_methods(running: ClassShape, new: ClassShape) -> Iterator[Difference]:
    for key, method in new.methods.items():
        before = running.methods.get(key)
        if before is None:
            yield Difference(f"new method {describe(key)}", Error.ADD_METHOD_NOT_IMPLEMENTED)
        else:
            yield from _of_method(key, before, method)
    for key in running.methods:
        if key not in new.methods:
            yield Difference(f"no method {describe(key)} any more", Error.DELETE_METHOD_NOT_IMPLEMENTED)


def _of_method(key: MemberKey, before: MethodShape, method: MethodShape) -> Iterator[Difference]:
    if before.access != method.access:
        yield Difference(f"other modifiers of {describe(key)}", Error.METHOD_MODIFIERS_CHANGE_NOT_IMPLEMENTED)
    if before.rows != method.rows:
        yield Difference(describe(key))
    elif before.lines != method.lines:
        yield Difference(f"lines of {describe(key)}")
    elif before.variables != method.variables:
        yield Difference(f"variables of {describe(key)}")


def _name(internal: str) -> str:
    return internal.replace("/", ".")
