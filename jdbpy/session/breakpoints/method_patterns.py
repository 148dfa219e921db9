"""The methods that a name or a pattern is for: ``Order.pay(int)``, ``Order.<init>``, ``Order``, ``*Service.find*``.

A name may be of a class that is loaded later. A pattern is for the classes that are loaded, and for so many methods at
most.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from jdbpy.errors import UsageError
from jdbpy.record import Record
from jdbpy.session.breakpoints.location_spec import MethodPlace, parse_location
from jdbpy.session.events.target import Target
from jdbpy.session.java.class_names import ClassName, of_the_runtime, parse_class_name
from jdbpy.session.java.signatures import is_hidden_class
from jdbpy.session.jvm.changed_code import is_own_class
from jdbpy.session.jvm.refs import Method, RefType
from jdbpy.wire.ids import MethodID, ReferenceTypeID


class ObservedMethod(Record):
    """A method whose calls are observed, and the class that declares it."""

    owner: RefType
    method: Method

    @property
    def key(self) -> tuple[ReferenceTypeID, MethodID]:
        return self.owner.id, self.method.id

    @property
    def name(self) -> str:
        """Class and method: ``com.acme.Order.pay``."""
        return f"{self.owner.name}.{self.method.name}"


class TooMany(UsageError):
    """A pattern fits more methods than may be observed: ``count`` of them."""

    def __init__(self, text: str, count: int, most: int) -> None:
        super().__init__(
            f"'{text}' fits {count:,} methods, more than {most:,}",
            hint=f"'-methods {count}' observes them all, 'except PATTERNS' leaves some out",
            code="TOO_MANY_METHODS",
        )
        self.count = count


class Wanted(Record):
    """The meaning of a text: the methods of a class by name (``place``), or those that a pattern fits; without those
    that patterns of ``excludes`` fit."""

    text: str
    class_name: ClassName | None
    place: MethodPlace | None = None
    classes: str = ""
    methods: str = ""
    excludes: tuple[str, ...] = ()


def read_wanted(text: str, excludes: Sequence[str] = ()) -> Wanted:
    """Read a name or a pattern of methods, and patterns of methods or classes to be left out. Raises UsageError."""
    for each in excludes:
        if not each or "(" in each:
            raise UsageError(
                f"'{each}' is not a pattern of methods or classes",
                hint="'except *Test*.*', 'except *.get*,com.acme.util.*'",
            )
    return _read(text.strip()).replace(excludes=tuple(excludes))


def _read(text: str) -> Wanted:
    before, bracket, _ = text.partition("(")
    if "*" in before:
        if bracket:
            raise UsageError("a pattern has no parameter types", hint=f"'{before}' is for every overload")
        owner, dot, method = before.replace("#", ".").replace("::", ".").rpartition(".")
        if not dot:
            raise UsageError(
                f"'{text}' names no methods of a class", hint="write Class.method*, com.acme.*Service.find*"
            )
        named = parse_class_name(owner) if owner and "*" not in owner else None
        return Wanted(text, named, classes=owner, methods=method)
    if not any(mark in text for mark in ".#:("):
        return Wanted(text, parse_class_name(text), classes=text, methods="*")  # a class without a package
    place = parse_location(text)
    if not isinstance(place, MethodPlace) or place.class_name is None or place.index:
        raise UsageError(f"'{text}' names no method of a class", hint="write Class.method or Class.method(int,String)")
    return Wanted(text, place.class_name, place)


async def choose(target: Target, wanted: Wanted, most: int) -> list[ObservedMethod]:
    """Return the methods of loaded classes that are meant; none where the class is not loaded.

    Raises TooMany, UsageError for a name that may be of several classes. wire: 2 trips.
    """
    await target.types.all_classes()
    types = [each for each in target.types.all_known() if not each.is_array and not is_own_class(each.name)]
    if wanted.place is None:
        owners = _fitting(types, wanted.classes)
        found = await _methods(target, owners, wanted.methods)
        if not found and wanted.methods == "*":  # com.acme.*: all classes of a package
            found = await _methods(target, _fitting(types, f"{wanted.classes}.*"), "*")
        if not found and wanted.class_name is not None and not owners:
            return []
        if not found:
            raise UsageError(f"no method of a loaded class fits '{wanted.text}'", code="NO_SUCH_METHOD")
    else:
        plain = wanted.place.parameters is None and not wanted.place.method.startswith("<")
        whole = parse_class_name(wanted.text) if plain else None
        names = {each.name for each in types}
        if whole is not None and (owners_of_whole := whole.choose(names)):
            found = await _methods(target, [each for each in types if each.name in owners_of_whole], "*")
        else:
            assert wanted.class_name is not None
            chosen = wanted.class_name.choose(names)
            return await choose_in(target, wanted, [each for each in types if each.name in chosen])
    found = _without(found, wanted)
    if len(found) > most:
        raise TooMany(wanted.text, len(found), most)
    return found


async def choose_in(target: Target, wanted: Wanted, types: Sequence[RefType]) -> list[ObservedMethod]:
    """Return the methods of one name in these classes, or in those that they inherit it from. Raises UsageError where
    there is none. wire: 1 trip, and 1 for each superclass.
    """
    if wanted.place is None:
        return _without(await _methods(target, types, wanted.methods), wanted)
    found: dict[object, ObservedMethod] = {}
    for each in types:
        for owner in (each, *await target.types.ancestors(each.id)):
            declared = (await target.types.methods([owner.id])).get(owner.id, ())
            own = [ObservedMethod(owner, method) for method in declared if wanted.place.fits(method)]
            own = [each for each in own if not each.method.is_bridge] or own
            found.update({method.key: method for method in own})
            if own:
                break
    if types and not found:
        raise UsageError(f"{types[0].name} has no method {wanted.place.method_text}", code="NO_SUCH_METHOD")
    return _without(list(found.values()), wanted)


def _without(found: list[ObservedMethod], wanted: Wanted) -> list[ObservedMethod]:
    """Return the methods that are not to be left out. Raises UsageError where no other is there."""
    left = found
    for pattern in wanted.excludes:
        gone = {each.key for each in _excluded(found, pattern)}
        left = [each for each in left if each.key not in gone]
    if found and not left:
        raise UsageError(
            f"'except {','.join(wanted.excludes)}' leaves out every method that '{wanted.text}' fits",
            code="NO_SUCH_METHOD",
        )
    return left


def _excluded(found: Sequence[ObservedMethod], pattern: str) -> list[ObservedMethod]:
    """Return the methods that a pattern of methods fits; of one that fits none, those of the classes that it fits."""
    whole = pattern.replace("#", ".").replace("::", ".")
    owner, dot, method = whole.rpartition(".")
    fits = _pattern(method)
    chosen = [each for each in found if dot and _is_of(each, owner) and fits.fullmatch(each.method.name)]
    return chosen or [each for each in found if _is_of(each, whole)]


def _is_of(method: ObservedMethod, pattern: str) -> bool:
    """True if a pattern fits the class of a method; one without a dot is for the last part of names."""
    name = method.owner.name
    names = (name, name.replace("$", "."))
    if "." not in pattern:
        names = (name.rpartition(".")[2], names[1].rpartition(".")[2])
    return any(_pattern(pattern).fullmatch(each) for each in names)


async def _methods(target: Target, owners: Sequence[RefType], pattern: str) -> list[ObservedMethod]:
    declared = await target.types.methods([each.id for each in owners])
    fits = _pattern(pattern)
    return [
        ObservedMethod(owner, method)
        for owner in owners
        for method in declared.get(owner.id, ())
        if method.has_code and not method.is_bridge and not method.is_lambda_body
        if method.name != "<clinit>" and fits.fullmatch(method.name)
    ]


def _fitting(types: Sequence[RefType], pattern: str) -> list[RefType]:
    """Classes that a pattern fits; one without a dot is for the last part of names. A pattern that begins with ``*``
    is not for the JDK's own."""
    if "*" not in pattern:
        chosen = parse_class_name(pattern).choose(each.name for each in types) if pattern else set()
        return [each for each in types if each.name in chosen]
    fits = _pattern(pattern)
    short = "." not in pattern
    return [
        each
        for each in types
        if not is_hidden_class(each.name)
        if fits.fullmatch(each.name.rpartition(".")[2] if short else each.name)
        if not (pattern.startswith("*") or short) or not of_the_runtime(each.name)
    ]


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, text.split("*"))))
