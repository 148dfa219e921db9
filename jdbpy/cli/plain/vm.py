"""The VM as a whole as plain text: properties, paths, capabilities, clocks, flags, modules."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from jdbpy import modules, vm
from jdbpy.cli.plain.text import count, table
from jdbpy.cli.results.vm import Capabilities, DiagnosticOutput, Flags, Modules, Properties, PropertySet
from jdbpy.cli.settings import Settings
from jdbpy.escape import escape


def properties(result: Properties, settings: Settings) -> Iterator[str]:
    yield from (f"{escape(each.name)} = {escape(each.value)}" for each in result.properties)
    yield count(len(result.properties), "property", "properties") + _like(result.pattern)


def property_set(result: PropertySet, settings: Settings) -> Iterator[str]:
    if result.value is None:
        was = "there was no such property" if result.old is None else f"removed; it was {result.old}"
        yield escape(f"{result.name}: {was}")
    else:
        was = "" if result.old is None else f", it was {result.old}"
        yield escape(f"{result.name} = {result.value}{was}")


def paths(result: vm.SearchPaths, settings: Settings) -> Iterator[str]:
    for title, parts in (
        ("boot class path", result.boot),
        ("class path", result.class_path),
        ("module path", result.module_path),
        ("upgrade module path", result.upgrade_path),
    ):
        if parts or title == "class path":
            yield f"{title}:" if parts else f"{title}: empty"
            yield from (f"  {escape(part)}" for part in parts)
    yield f"relative parts start in {escape(result.base)}"
    yield f"Java is in {escape(result.java_home)}"


def capabilities(result: Capabilities, settings: Settings) -> Iterator[str]:
    yield from table(capability_rows(result))


def capability_rows(result: Capabilities) -> list[tuple[str, str, str]]:
    return [("yes" if each.available else "no", each.name, each.meaning) for each in result.capabilities]


def facts(result: vm.VmFacts, settings: Settings) -> Iterator[str]:
    arguments = None if result.arguments is None else " ".join(result.arguments)
    rows = [
        ("VM", f"{result.name} {result.version}"),
        ("vendor", result.vendor),
        ("Java", f"{result.java}, in {result.home}" if result.home else result.java),
        ("runs as", result.mode),
        ("compiler", result.compiler),
        ("system", result.system),
        ("processors", _text(result.processors)),
        ("process", _text(result.process)),
        ("program", result.command),
        ("options", arguments or ""),
    ]
    yield from table([row for row in rows if row[1]])
    yield from (f"  ({escape(note)})" for note in result.notes)


def clocks(result: vm.Clocks, settings: Settings) -> Iterator[str]:
    rows = [
        ("up for", duration(result.uptime)),
        ("started", _moment(result.started)),
        ("time", _moment(result.now)),
        ("nanoTime", str(result.nano_time)),
        ("CPU time", "" if result.cpu is None else f"{result.cpu:.2f} s"),
        ("compiling", "" if result.compile_time is None else f"{result.compile_time:.2f} s"),
        ("load", "" if result.load is None else f"{result.load:.2f}"),
    ]
    yield from table([row for row in rows if row[1]])


def flags(result: Flags, settings: Settings) -> Iterator[str]:
    yield from table(flag_rows(result))
    yield count(len(result.flags), "flag") + _like(result.pattern)


def flag_rows(result: Flags) -> list[tuple[str, ...]]:
    return [
        (flag.name, flag.value, flag.origin if flag.origin != "default" else "", "can be set" if flag.writeable else "")
        for flag in result.flags
    ]


def diagnostic(result: DiagnosticOutput, settings: Settings) -> Iterator[str]:
    yield from (escape(line.expandtabs()) for line in result.text.rstrip().split("\n"))


def module_list(result: Modules, settings: Settings) -> Iterator[str]:
    yield from table(module_rows(result.modules))
    yield count(len(result.modules), "module") + _like(result.pattern)


def module_rows(found: Iterable[modules.ModuleInfo]) -> list[tuple[str, ...]]:
    return [(str(each.id), each.name or "(unnamed)", each.version, each.kind, each.loader) for each in found]


def module(result: modules.ModuleDetail, settings: Settings) -> Iterator[str]:
    info = result.info
    name = f"module {info.name}" if info.name else "unnamed module"
    version = f" {info.version}" if info.version else ""
    kind = f", {info.kind}" if info.kind and info.name else ""
    yield escape(f"{name}{version}, of loader {info.loader}{kind}")
    rows = [("main class", result.main_class), ("requires", ", ".join(result.requires))]
    rows += [("reads", ", ".join(result.reads)), ("uses", ", ".join(result.uses))]
    yield from table([row for row in rows if row[1]], "  ")
    if not info.name:
        yield "  it reads every module, and exports and opens all of its packages"
    for word, accesses in (("provides", result.provides), ("exports", result.exports), ("opens", result.opens)):
        joint = " by " if word == "provides" else " to "
        for each in accesses:
            yield escape(f"  {word} {each.package}{joint + ', '.join(each.to) if each.to else ''}")
    given = {each.package for each in (*result.exports, *result.opens)}
    inner = [package for package in result.packages if package not in given]
    if inner:
        yield escape(f"  keeps to itself: {', '.join(inner)}")
    yield from (f"  ({escape(note)})" for note in result.notes)


def duration(seconds: float) -> str:
    """``3 days 4:05:06``, ``0:00:07``."""
    days, rest = divmod(int(seconds), 86400)
    clock = f"{rest // 3600}:{rest // 60 % 60:02}:{rest % 60:02}"
    return f"{count(days, 'day')} {clock}" if days else clock


def _moment(seconds: float) -> str:
    """A moment in UTC, which the target and we mean alike; as the number it is when it is out of bounds."""
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))
    except (OverflowError, OSError, ValueError):
        return f"{seconds:.3f} s since 1970"


def _like(pattern: str) -> str:
    return f" like {escape(pattern)}" if pattern else ""


def _text(number: int | None) -> str:
    return "" if number is None else str(number)


LINES: dict[type, Callable[[Any, Settings], Iterator[str]]] = {
    Capabilities: capabilities,
    DiagnosticOutput: diagnostic,
    Flags: flags,
    Modules: module_list,
    Properties: properties,
    PropertySet: property_set,
    vm.Clocks: clocks,
    modules.ModuleDetail: module,
    vm.SearchPaths: paths,
    vm.VmFacts: facts,
}
