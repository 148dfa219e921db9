"""The commands, one module per group; importing this package fills the table."""

from jdbpy.cli.table import TABLE

__all__ = ["TABLE"]
