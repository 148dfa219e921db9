"""The meaning of a type name at the frame's place (JLS 6.5.5), and beyond: any loaded class by its simple name.

Owns the order of the search, and the loading of classes that are not loaded yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from jdbpy.errors import EvalError
from jdbpy.session.eval.syntax import tree
from jdbpy.session.eval.syntax.lexer import Imports
from jdbpy.session.eval.typing.class_graph import JClass
from jdbpy.session.java.types import OBJECT, PRIMITIVES, ArrayType, JavaType, Wildcard, boxed, simple_name

if TYPE_CHECKING:
    from jdbpy.session.eval.compile.compiler import Compiler

UNKNOWN_CLASS = "UNKNOWN_CLASS"
"""The code of an error about a class that is not there, or not loaded."""

# What jshell imports by itself: a last guess before all loaded classes are searched.
_USUAL_PACKAGES = (
    "java.util",
    "java.io",
    "java.math",
    "java.net",
    "java.nio.file",
    "java.time",
    "java.util.concurrent",
    "java.util.concurrent.atomic",
    "java.util.function",
    "java.util.regex",
    "java.util.stream",
)


async def resolve_type(c: Compiler, node: tree.TypeName) -> JavaType:
    """Return the type of a type name in the source of the expression. Raises EvalError in javac's words."""
    if node.name == "?":
        bound = await resolve_type(c, node.args[0]) if node.args else OBJECT
        return Wildcard({"extends": "+", "super": "-"}.get(node.bound, "*"), bound)
    kind: JavaType | None = PRIMITIVES.get(node.name)
    if kind is None:
        cls = await find_class(c, node.name.split("."), node.at, load=True)
        if cls is None:
            raise unknown_class(node.name, node.at)
        args = [boxed(await resolve_type(c, arg)) for arg in node.args or ()]
        kind = cls.type.replace(args=tuple(args))
    for _ in range(node.dimensions):
        kind = ArrayType(kind)
    return kind


def unknown_class(name: str, at: int) -> EvalError:
    package, _, simple = name.rpartition(".")
    if package and package[0].islower() and not simple[:1].islower():
        return EvalError(f"cannot find symbol: class {simple} in package {package}", at, code=UNKNOWN_CLASS)
    message, hint = f"cannot find symbol: class {name}", "give the name with its package"
    return EvalError(message, at, hint=hint, code=UNKNOWN_CLASS)


async def find_class(c: Compiler, parts: Sequence[str], at: int, *, load: bool) -> JClass | None:
    """Return the class that all the parts of a dotted name together mean, None when there is none.

    ``load`` allows to load it through the frame's loader, which runs code in the target. Raises EvalError for a name
    that classes of several loaders have, none of which the frame's loader has been asked for, nor can load.
    """
    try:
        return await _find_class(c, parts, at, load=load)
    except _UndecidedError:
        return None


class _UndecidedError(Exception):
    """The frame's loader has to be asked what a name means, which may not be done now."""


async def _first(c: Compiler, names: Sequence[str], at: int, *, load: bool) -> JClass | None:
    """Return the first of the names that a loaded class has; of several classes of one name, that of the frame's
    loader."""
    found = await c.graph.first(names)
    name = "" if found is not None else c.graph.undecided(names)
    if name and not load:
        raise _UndecidedError
    if name:
        found = await c.graph.load(name)
    if name and found is None:
        loaders = ", ".join(await c.target.holders(name))
        raise EvalError(
            f"reference to {name} is ambiguous: classes of several loaders have that name: {loaders}",
            at,
            hint="select a frame of a class that uses the one you mean, or take members of an object of it",
        )
    return found


async def _find_class(c: Compiler, parts: Sequence[str], at: int, *, load: bool) -> JClass | None:
    simple = await _simple(c, parts[0], at, load=load and len(parts) == 1)
    if simple is not None:
        found = await _nested(c, simple, parts[1:])
        if found is not None:
            return found
    if len(parts) == 1:
        return None
    spellings = [".".join(parts[:cut]) + "." + "$".join(parts[cut:]) for cut in range(len(parts) - 1, 0, -1)]
    known = await _first(c, spellings, at, load=load)
    if known is not None:
        return known
    if load:
        outer = await _simple(c, parts[0], at, load=True) if parts[0][:1].isupper() else None
        if outer is not None:
            return await _nested(c, outer, parts[1:])
        for spelling in spellings:
            if _looks_like_a_class(spelling) and (loaded := await c.graph.load(spelling)):
                return loaded
    return None


def _looks_like_a_class(name: str) -> bool:
    return simple_name(name)[:1].isupper()


async def _nested(c: Compiler, cls: JClass, names: Sequence[str]) -> JClass | None:
    """Return a member class, inherited ones included."""
    current: JClass | None = cls
    for name in names:
        assert current is not None
        await c.graph.link([current])
        owners = [owner.name for owner in c.graph.ancestors(current) if owner.name != OBJECT.name]
        current = await c.graph.first([f"{owner}${name}" for owner in owners])
        if current is None:
            return None
    return current


async def _simple(c: Compiler, name: str, at: int, *, load: bool) -> JClass | None:
    """Return the class of a simple name: in scope, imported, of the same package, of java.lang; then any that is
    loaded."""
    in_scope = await _member_names(c, name, at)
    imported = list(_imported(c, name, await c.imports()))
    scope = [*in_scope, *imported]
    referenced = await c.target.referenced_classes()
    sure = next((at for at, each in enumerate(scope) if each in referenced), len(scope))
    known = await _first(c, scope[: sure + 1], at, load=load)
    if known is not None:
        return known
    if sure < len(scope):  # it is there, and not loaded yet: no other class is meant
        return await c.graph.load(scope[sure]) if load else None
    elsewhere = distant_spellings(name, referenced)
    spelling = _local_name(name)
    local = [each for each in referenced if spelling.fullmatch(each)]  # of other methods: where nothing else is meant
    known = await _first(c, elsewhere, at, load=load)
    if known is None and local:
        elsewhere = [_only(local, name, at), *elsewhere]
        known = await _first(c, elsewhere[:1], at, load=load)
    if known is not None:
        return known
    loaded = [] if not name[:1].isupper() else await c.target.simple_names(name)
    if len(loaded) > 1:
        listed = ", ".join(sorted(loaded)[:6])
        raise EvalError(f"reference to {name} is ambiguous: {listed}", at, hint="give the name with its package")
    if loaded:
        return await _first(c, loaded, at, load=load)
    if load and name[:1].isupper():
        for candidate in [*imported, *elsewhere]:
            if (found := await c.graph.load(candidate)) is not None:
                return found
    return None


def _local_name(name: str, outer: str = ".*") -> re.Pattern[str]:
    """Return a pattern for the binary names of local classes of a simple name; ``outer`` is one for what is around."""
    return re.compile(rf"{outer}\$\d+{re.escape(name)}")


def distant_spellings(name: str, referenced: Sequence[str]) -> list[str]:
    """Return the classes of a simple name that are not in scope: of those that the frame's class refers to
    (``EvalTarget.referenced_classes``), and in the usual packages.
    """
    return [*(each for each in referenced if simple_name(each) == name), *usual_spellings(name)]


def usual_spellings(name: str) -> list[str]:
    """Return the spellings in the usual packages."""
    return [f"{package}.{name}" for package in _USUAL_PACKAGES] if name[:1].isupper() else []


def spellings_in_scope(c: Compiler, name: str, imports: Imports) -> list[str]:
    """Return most of the names by which a class of a simple name is looked for in scope: not inherited ones."""
    around = list(enclosing_names(c.home.name)) if c.home is not None else []
    members = [
        spelling
        for outer in around
        for spelling in ([outer] if simple_name(outer) == name else []) + _declared_names(outer, name)
    ]
    return [*members, *_imported(c, name, imports)]


async def _member_names(c: Compiler, name: str, at: int) -> list[str]:
    """Spellings of a class that the frame's method declares, or its class or one around it declares or inherits."""
    names: list[str] = []
    if c.home is None:
        return names
    for outer in enclosing_names(c.home.name):
        if simple_name(outer) == name or _local_name(name).fullmatch(outer):
            names.append(outer)
        names += await _local_class(c, outer, name, at)
        (cls,) = await c.graph.named([outer])
        if cls is not None:
            await c.graph.link([cls])
            names += [f"{owner.name}${name}" for owner in c.graph.ancestors(cls) if owner.name != OBJECT.name]
    return names


async def _local_class(c: Compiler, outer: str, name: str, at: int) -> list[str]:
    """Return the local class of that name in a method of a class around the frame's place, [] when none is meant.

    Class files do not number local classes by method, and the method's code and variables say which are its own. All
    code of a class that is local itself stands in one method. Raises EvalError when several fit.
    """
    assert c.home is not None
    spelling = _local_name(name, re.escape(outer))
    mentioned = {each for each in await c.target.referenced_classes() if spelling.fullmatch(each)}
    if not mentioned:
        return []
    used = mentioned.intersection(await c.target.classes_in_method())
    if not used and c.home.name != outer:
        used = mentioned
    return [_only(sorted(used), name, at)] if used else []


def _only(found: Sequence[str], name: str, at: int) -> str:
    """Return the one class that a simple name means. Raises EvalError when there are several."""
    if len(found) > 1:
        listed = ", ".join(found[:6])
        hint = f"give the name as the JVM has it: {found[0]}"
        raise EvalError(f"reference to {name} is ambiguous: {listed}", at, hint=hint)
    return found[0]


def _declared_names(outer: str, name: str) -> list[str]:
    """Return a member class, and local classes."""
    return [f"{outer}${name}", *(f"{outer}${number}{name}" for number in range(1, 4))]


def _imported(c: Compiler, name: str, imports: Imports) -> Iterator[str]:
    yield from (full for simple, full in imports.types if simple == name)
    package = c.frame.class_name.rpartition(".")[0]
    yield f"{package}.{name}" if package else name
    yield f"java.lang.{name}"
    yield from (f"{on_demand}.{name}" for on_demand in imports.packages)
    yield from (f"{cls}${name}" for cls in imports.classes)
    # An import may name a member class, with dots only.
    yield from (_nest(full) for simple, full in imports.types if simple == name and _nest(full) != full)


def _nest(dotted: str) -> str:
    """``java.util.Map$Entry`` for ``java.util.Map.Entry``, by the custom that classes begin with a capital letter."""
    parts = dotted.split(".")
    first = next((i for i, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1)
    return ".".join([*parts[:first], "$".join(parts[first:])])


def enclosing_names(name: str) -> Iterator[str]:
    """Yield the class itself and the classes around it, innermost first, as far as their names tell."""
    yield name
    while (cut := name.rfind("$")) > name.rfind(".") + 1:
        name = name[:cut]
        yield name
