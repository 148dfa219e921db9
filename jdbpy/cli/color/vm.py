"""Tables in colors for what commands about the VM as a whole return. The cells are the plain renderer's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.text import Text

from jdbpy.cli.color.columns import Column
from jdbpy.cli.color.tables import Drawn, draw
from jdbpy.cli.plain.text import count
from jdbpy.cli.plain.vm import capability_rows, flag_rows, module_rows
from jdbpy.cli.results.vm import Capabilities, Flags, Modules, Properties

_PROPERTIES = (
    Column("property", style="name", least=12, fold=True),
    Column("value", style="string", least=12, fold=True),
)
_CAPABILITIES = (
    Column("can", style="number", least=3),
    Column("capability", style="faint", least=12, drop=1),
    Column("what", least=16, fold=True),
)
_FLAGS = (
    Column("flag", style="name", least=16, fold=True),
    Column("value", style="number", least=8, fold=True),
    Column("from", style="faint", least=10, drop=2),
    Column("", least=10, drop=1),
)
_MODULES = (
    Column("id", style="number", least=4, right=True, drop=2),
    Column("module", style="name", least=16, fold=True),
    Column("version", least=7, drop=1),
    Column("", style="faint", least=7),
    Column("loader", style="type", least=8, fold=True),
)


def properties(result: Properties, width: int) -> Drawn:
    yield from draw(_PROPERTIES, [(each.name, each.value) for each in result.properties], width, titles=True)
    yield Text(count(len(result.properties), "property", "properties"))


def capabilities(result: Capabilities, width: int) -> Drawn:
    yield from draw(_CAPABILITIES, capability_rows(result), width, titles=True)


def flags(result: Flags, width: int) -> Drawn:
    yield from draw(_FLAGS, flag_rows(result), width, titles=True)
    yield Text(count(len(result.flags), "flag"))


def modules(result: Modules, width: int) -> Drawn:
    yield from draw(_MODULES, module_rows(result.modules), width, titles=True)
    yield Text(count(len(result.modules), "module"))


VM_TABLES: dict[type, Callable[[Any, int], Drawn]] = {
    Capabilities: capabilities,
    Flags: flags,
    Modules: modules,
    Properties: properties,
}
