"""The commands, one module per group; importing this package fills the table."""

from jdbpy.cli.commands import (
    breakpoints,
    classes,
    data,
    frames,
    code,
    heap,
    help,
    leaving,
    running,
    hotswap,
    scripts,
    settings,
    source,
    stack,
    stepping,
    threads,
)
from jdbpy.cli.table import TABLE

__all__ = [
    "TABLE",
    "breakpoints",
    "classes",
    "data",
    "frames",
    "heap",
    "help",
    "leaving",
    "running",
    "code",
    "scripts",
    "settings",
    "source",
    "stack",
    "hotswap",
    "stepping",
    "threads",
]
