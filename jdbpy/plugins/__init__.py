"""Plug-ins: Python files of the user that add commands, views and hooks; and Python beside a session of the prompt.

    import jdbpy
    import jdbpy.sync

    @jdbpy.command
    def orders(vm: jdbpy.sync.Vm, most: int = 10) -> list[str]:
        "List the orders that are open."
        return [order["name"].string for order in vm.static("com.acme.Shop.OPEN").children.page(0, most)]

* ``declare``: ``jdbpy.command``, ``jdbpy.view``, ``jdbpy.on``, ``jdbpy.pane``: marks on functions, nothing else.
* ``loading``: a file becomes a ``Plugin``, if no other user can have written it; faults become one sentence.
* ``running``: ``PythonRunner`` calls functions and runs code of the user beside a session, and can interrupt them.
* ``given``: the objects that their code is given.
* ``printing``: what they print goes to the front end.

This package stands above ``api`` and ``sync``, and below ``cli``, which makes commands of the declarations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jdbpy.plugins.loading import Plugin

LOADED: dict[str, Plugin] = {}
"""The plug-ins of this process by the paths of their files; they outlive a session."""

NAMES: dict[str, Any] = {"__name__": "__py__"}
"""The names of `py`, which outlive a session as well."""
