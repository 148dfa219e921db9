"""Code, source maps and redefined classes as plain text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from jdbpy import code, hotswap, strata
from jdbpy.cli.plain.text import count, frame_line, some, table
from jdbpy.cli.results.code import Disassemblies
from jdbpy.cli.settings import Settings
from jdbpy.escape import escape


def constant_pool(result: code.ConstantPoolListing, settings: Settings) -> Iterator[str]:
    yield from table((f"{f'#{entry.index}':>6}", entry.kind, entry.references, entry.text) for entry in result.entries)
    yield f"{count(len(result.entries), 'entry', 'entries')} of {escape(result.class_name)}"


def disassemblies(result: Disassemblies, settings: Settings) -> Iterator[str]:
    for number, method in enumerate(result.methods):
        if number:
            yield ""
        yield from _method(method)


def source_debug(result: strata.SourceDebug, settings: Settings) -> Iterator[str]:
    yield from (escape(line) for line in result.text.splitlines())
    for each in result.strata:
        notes = [word for word, holds in (("default", each.default), ("shown now", each.chosen)) if holds]
        files = ", ".join(file.path or file.name for file in each.files)
        about = f" ({', '.join(notes)})" if notes else ""
        yield escape(f"{each.name}{about}: {files}")
    if not result.strata:
        yield "(it is no SMAP: lines are those of the class file)"


def stratum_choice(result: strata.StratumChoice, settings: Settings) -> Iterator[str]:
    shown = f"of the stratum {result.chosen}" if result.chosen else "of each class's own default stratum"
    yield escape(f"lines shown: {shown}")
    known = ", ".join((*result.known, "Java"))
    yield escape(f"  (strata known so far: {known}; 'stratum default' goes back)")


def redefinition(result: hotswap.Redefinition, settings: Settings) -> Iterator[str]:
    for each in result.classes:
        changes = f": {some(each.changes)}" if each.changes else ", though nothing differs"
        yield escape(f"redefined {each.name}{changes}")
    if not result.classes:
        yield "nothing to redefine: no loaded class differs from its file"
    if result.unchanged:
        yield f"  {count(len(result.unchanged), 'class', 'classes')} unchanged: {escape(some(result.unchanged))}"
    if result.not_loaded:
        yield f"  {count(len(result.not_loaded), 'class', 'classes')} not loaded: {escape(some(result.not_loaded))}"
    for point in result.lost:
        yield escape(f"breakpoint {point.number} at {point.spec} has no place in the new code: {point.message}")
    if result.obsolete:
        yield f"{count(len(result.obsolete), 'frame')} still in old code:"
        for frame in result.obsolete:
            yield f'  thread {frame.thread.id} "{escape(frame.thread.name)}" {frame_line(frame, settings)}'
        yield "  ('pop' takes the innermost frame back to before its call; the next call runs the new code)"


def _method(method: code.Disassembly) -> Iterator[str]:
    modifiers = f"{method.modifiers} " if method.modifiers else ""
    returns = "" if method.method.startswith("<") else f"{method.returns} "
    head = f"{modifiers}{returns}{method.class_name}.{method.method}({', '.join(method.parameters)})"
    yield escape(f"{head}: {count(method.size, 'byte')}" if method.instructions else head)
    for each in method.instructions:
        if each.line is not None:
            yield f"  {f'{escape(each.source)}:' if each.source else 'line '}{each.line}"
        operands = f" {escape(each.operands)}" if each.operands else ""
        meaning = f"// {escape(each.meaning)}" if each.meaning else ""
        start = f"{'=>' if each.current else '  '} {each.index:>6}: {escape(each.name):<15}{operands:<12}"
        yield f"{start} {meaning}".rstrip()
        for case in each.cases:
            yield f"{'':>13}{escape(case.label):>10}: {case.target}"
    if method.note:
        yield f"  ({escape(method.note)})"


LINES: dict[type, Callable[[Any, Settings], Iterator[str]]] = {
    code.ConstantPoolListing: constant_pool,
    Disassemblies: disassemblies,
    strata.SourceDebug: source_debug,
    strata.StratumChoice: stratum_choice,
    hotswap.Redefinition: redefinition,
}
