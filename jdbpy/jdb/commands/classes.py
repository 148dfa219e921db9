"""classes, class, methods, fields."""

from __future__ import annotations

import re

from jdbpy import ClassDetail, ClassInfo, MethodInfo, UsageError
from jdbpy.jdb.debugger import Debugger
from jdbpy.jdb.interpreter import jdb_command
from jdbpy.jdb.words import Words

_VARARGS = 0x0080
_INNERMOST = re.compile(r"<[^<>]*>")


@jdb_command("classes")
async def classes(jdb: Debugger, words: Words) -> None:
    jdb.out.line("** classes list **")
    jdb.out.print("".join(f"{name}\n" for name in (await jdb.target.classes.list()).names))


@jdb_command("class")
async def class_(jdb: Debugger, words: Words) -> None:
    if not words.more():
        jdb.out.line("No class specified.")
        return
    word = words.next()
    everything = words.next().lower()
    if everything not in ("", "all"):
        jdb.out.line("Invalid option on class command")
        return
    info = await find_class(jdb, word)
    if info is None:
        return
    if info.kind == "array":
        jdb.out.line(f"Array: {info.name}")
        return
    detail = await jdb.target.classes.detail(_exactly(info))
    lines = await (_interface(jdb, detail) if info.kind == "interface" else _class(jdb, detail, everything == "all"))
    jdb.out.print("".join(f"{line}\n" for line in [*lines, *(f"nested: {name}" for name in detail.nested)]))


@jdb_command("methods")
async def methods(jdb: Debugger, words: Words) -> None:
    info = await _named(jdb, words)
    if info is not None:
        jdb.out.line("** methods list **")
        found = () if info.kind == "array" else await jdb.target.classes.methods(_exactly(info))
        jdb.out.print("".join(f"{each.class_name} {typed_name(each)}\n" for each in found))


@jdb_command("fields")
async def fields(jdb: Debugger, words: Words) -> None:
    info = await _named(jdb, words)
    if info is None:
        return
    jdb.out.line("** fields list **")
    seen: set[str] = set()
    for each in await jdb.target.classes.fields(_exactly(info)):
        note = "" if each.class_name == info.name else f" (inherited from {each.class_name})"
        note = " (hidden)" if each.name in seen else note
        seen.add(each.name)
        jdb.out.line(f"{erased(each.type)} {each.name}{note}")


@jdb_command("extension")
async def extension(jdb: Debugger, words: Words) -> None:
    info = await _named(jdb, words)
    if info is not None:
        source_map = await jdb.target.classes.source_debug_extension(_exactly(info))
        jdb.out.line(f"SourceDebugExtension -- {source_map}" if source_map else "No SourceDebugExtension specified")


def erased(type_name: str) -> str:
    """Return a type without its type arguments."""
    while "<" in type_name:
        type_name = _INNERMOST.sub("", type_name)
    return type_name


def typed_name(method: MethodInfo) -> str:
    """Return a method with the types of its parameters."""
    types = list(method.parameters)
    if types and method.modifier_bits & _VARARGS:
        types[-1] = types[-1].removesuffix("...").removesuffix("[]") + "..."
    return f"{method.name}({', '.join(types)})"


async def find_class(jdb: Debugger, word: str) -> ClassInfo | None:
    """Return the loaded class of exactly that name, or with a name that ends so (``*.Order``); says so if there is
    none."""
    found: ClassInfo | None = None
    if word.startswith("*."):
        found = next((each for each in await jdb.target.classes.list() if each.name.endswith(word[1:])), None)
    elif not word[:1].isdigit():
        try:
            found = next((each for each in await jdb.target.classes.find(word) if each.name == word), None)
        except UsageError:
            found = None
    if found is None:
        jdb.out.line(f'"{word}" is not a valid id or class name.')
    return found


async def _named(jdb: Debugger, words: Words) -> ClassInfo | None:
    if not words.more():
        jdb.out.line("No class specified.")
        return None
    return await find_class(jdb, words.next())


def _exactly(info: ClassInfo) -> str:
    return f"{info.name}@{info.id}"


async def _class(jdb: Debugger, detail: ClassDetail, everything: bool) -> list[str]:
    lines = [f"Class: {detail.info.name}"]
    lines += [f"extends: {name}" for name in (detail.superclasses if everything else detail.superclasses[:1])]
    interfaces = dict.fromkeys(detail.interfaces)
    if everything:
        for name in [*detail.superclasses, *detail.interfaces]:
            interfaces.update(dict.fromkeys(await _interfaces(jdb, name)))
    lines += [f"implements: {name}" for name in interfaces]
    return lines + [f"subclass: {name}" for name in detail.subclasses]


async def _interface(jdb: Debugger, detail: ClassDetail) -> list[str]:
    lines = [f"Interface: {detail.info.name}"] + [f"extends: {name}" for name in detail.interfaces]
    below = {each.name: each.kind for each in await jdb.target.classes.list() if each.name in detail.subclasses}
    lines += [f"subinterface: {name}" for name in detail.subclasses if below.get(name) == "interface"]
    return lines + [f"implementor: {name}" for name in detail.subclasses if below.get(name) == "class"]


async def _interfaces(jdb: Debugger, name: str) -> list[str]:
    """Return all interfaces of a class or interface, inherited ones too."""
    found = list((await jdb.target.classes.detail(name)).interfaces)
    for each in list(found):
        found += await _interfaces(jdb, each)
    return found
