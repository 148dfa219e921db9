"""How the user wants classes to be shown: ``session.values.views``.

Owns the list of views that were added, above the built-in ones: Python functions over an ``Obj``, and Java expressions
over the fields of the object. Neither can change the target unless the function goes out of its way.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from jdbpy.errors import UsageError
from jdbpy.session.target import Target
from jdbpy.session.values.model import UserView

if TYPE_CHECKING:
    from jdbpy.session.eval.ops.base import VariableStore
    from jdbpy.session.values.views.registry import View

_PATTERN = re.compile(r"[\w$.*]+")


class UserViews:
    """Views by class pattern: a Java name, in which ``*`` stands for anything. The latest that fits a class wins."""

    def __init__(self, target: Target, variables: Callable[[], VariableStore]) -> None:
        self._target = target
        self._variables = variables
        self._added: dict[str, UserView] = {}

    def add(self, pattern: str, view: View | str) -> None:
        """Shows objects of classes of that name, and of their subclasses, with a view from now on.

        A view is an ``async def`` function that takes a ``jdbpy.views.Obj`` and returns what it is to be shown as, a
        ``Shown`` of ``jdbpy.views``; or the text of a Java expression over the fields of the object, which runs no
        methods. What goes wrong in it is told beside the object, which is then shown by its fields. No trip.
        Raises UsageError for what is no pattern, EvalError for what is no expression.
        """
        if not _PATTERN.fullmatch(pattern):
            raise UsageError(f"'{pattern}' is no pattern of class names", hint="com.acme.Money, com.acme.*Id, *.Money")
        if isinstance(view, str):
            from jdbpy.session.eval.view import ExpressionView

            added: View = ExpressionView(self._target, self._variables(), view)
            shown = UserView(pattern, view, "")
        else:
            added = view
            shown = UserView(pattern, "", getattr(view, "__qualname__", type(view).__name__))
        self._target.objects.views.add(pattern, added)
        self._added.pop(pattern, None)
        self._added[pattern] = shown

    def remove(self, pattern: str) -> None:
        """Takes back ``add``. Raises UsageError when there is no view of that pattern."""
        if pattern not in self._added:
            raise UsageError(f"there is no view for {pattern}", hint="'view' lists them", code="NO_SUCH_VIEW")
        self._target.objects.views.remove(pattern)
        del self._added[pattern]

    def list(self) -> tuple[UserView, ...]:
        """The views that were added, the latest last."""
        return tuple(self._added.values())
