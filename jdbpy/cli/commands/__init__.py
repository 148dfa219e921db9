"""The commands, one module a subject: their results, how these are shown, and the functions that are the commands.

A module is loaded when one of its commands is looked up: starting must not wait for commands that nobody gives. The
names stand in ``names.py``, which `./dev generate names` makes.
"""

from jdbpy.cli.commands.names import NAMES
from jdbpy.cli.table import TABLE

TABLE.hold(__name__, NAMES)

__all__ = ["TABLE"]
