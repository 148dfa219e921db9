"""Which module of ``jdbpy/cli/commands`` has which commands: read from the decorators, written for the start-up.

The modules are not imported, so that the names can be made anew when a command's module is new.
"""

from __future__ import annotations

import ast
from pathlib import Path

import jdbpy

COMMANDS = Path(jdbpy.__file__).parent / "cli" / "commands"
FILE = COMMANDS / "names.py"

_HEAD = '''"""The names of the commands by the module that has them, which is loaded when one is looked up.

Made by `./dev generate names` from the decorators; a test compares them.
"""

from __future__ import annotations

'''


def names() -> str:
    """Return the content of the file."""
    lines = ["# fmt: off", "NAMES: dict[str, tuple[str, ...]] = {"]
    for path in sorted(COMMANDS.glob("*.py")):
        found = [name for node in ast.parse(path.read_text(encoding="utf-8")).body for name in _names_of(node)]
        if found:
            lines += [f'    "{path.stem}": (', *(f'        "{name}",' for name in found), "    ),"]
    return _HEAD + "\n".join([*lines, "}"]) + "\n"


def write_names() -> None:
    """Write the file anew."""
    FILE.write_text(names(), encoding="utf-8")


def _names_of(node: ast.stmt) -> list[str]:
    """Return the names that a function has by ``@command(...)``."""
    if not isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef):
        return []
    calls = [each for each in node.decorator_list if isinstance(each, ast.Call)]
    return [
        str(argument.value)
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id == "command"
        for argument in call.args
        if isinstance(argument, ast.Constant)
    ]
