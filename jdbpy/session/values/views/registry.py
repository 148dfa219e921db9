"""The table of views and the classes that they show.

Owns the table class pattern -> view function. The views of well-known classes are in it from the start; users add
theirs (``Registry.add``), which then come first. A view for a class is good for its subclasses as well.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from fnmatch import fnmatchcase
from importlib import import_module
from typing import Any

from jdbpy.session.values.obj import Obj
from jdbpy.session.values.shown import Shown

View = Callable[[Obj], Coroutine[Any, Any, Shown]]
"""Reads an object and says what it is; raises UnknownLayout."""

OF_THE_JDK = ("java.", "javax.", "jdk.", "sun.")

_FAMILIES = (
    "atomic",
    "clojure",
    "hashing",
    "immutable",
    "language",
    "languages",
    "lists",
    "maps",
    "scala",
    "scala_maps",
    "sets",
    "time",
    "words",
)


class Registry:
    """Views by class pattern: a Java name, in which ``*`` matches anything (``com.acme.*Id``).

    A nested class may be written as in source (``com.acme.Order.Line``), and what is no class of the JDK by its simple
    name (``Line``).

    The latest view that fits a class wins, and what is added here wins over what is in ``below``.
    """

    def __init__(self, below: Registry | None = None) -> None:
        self._below = below
        self._exact: dict[str, View] = {}
        self._patterns: dict[str, View] = {}
        self._interfaces: dict[str, View] = {}

    def add(self, pattern: str, view: View) -> None:
        """Show classes of that name, and their subclasses, with ``view`` from now on."""
        table = self._patterns if "*" in pattern else self._exact
        table.pop(pattern, None)
        table[pattern] = view

    def remove(self, pattern: str) -> None:
        """Take back ``add``. Raises KeyError when there is none of that pattern."""
        del (self._patterns if "*" in pattern else self._exact)[pattern]

    def find(self, class_name: str) -> View | None:
        """Return the view for objects of exactly that class, or None; superclasses are up to the caller."""
        source_name = class_name.replace("$", ".")
        names = [class_name, source_name]
        if not class_name.startswith(OF_THE_JDK):
            names.append(source_name.rpartition(".")[2])
        found = next((self._exact[name] for name in names if name in self._exact), None)
        if found is not None:
            return found
        for pattern, view in reversed(self._patterns.items()):
            if fnmatchcase(class_name, pattern) or fnmatchcase(source_name, pattern):
                return view
        return self._below.find(class_name) if self._below else None

    def add_interface(self, name: str, view: View) -> None:
        """Show objects with ``view`` if their class, without a view otherwise, implements this interface itself."""
        self._interfaces[name] = view

    def find_interface(self, names: Iterable[str]) -> View | None:
        """Return the view for a class that implements these interfaces, None if there is none."""
        found = next((self._interfaces[name] for name in names if name in self._interfaces), None)
        return found or (self._below.find_interface(names) if self._below else None)


_BUILT_IN = Registry()


def view(*patterns: str) -> Callable[[View], View]:
    """Declares a function as the built-in view of classes."""

    def declare(function: View) -> View:
        for pattern in patterns:
            _BUILT_IN.add(pattern, function)
        return function

    return declare


def interface_view(name: str) -> Callable[[View], View]:
    """Declares a function as the built-in view of classes that implement an interface."""

    def declare(function: View) -> View:
        _BUILT_IN.add_interface(name, function)
        return function

    return declare


def built_in() -> Registry:
    """Return the views that come with jdbpy; loaded when the first object is shown."""
    for family in _FAMILIES:
        import_module(f"jdbpy.session.values.views.{family}")
    return _BUILT_IN
