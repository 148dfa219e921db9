"""Changes modules of the running target, as a loaded agent may (JVM TI AddModuleReads and the like).

HotSpot's own implementation calls the same methods of ``jdk.internal.module.Modules``.
"""

from __future__ import annotations

from jdbpy.errors import StateError, Thrown, UsageError
from jdbpy.session.eval.target import Raw, Ref
from jdbpy.session.eval.utility_calls import CallRunner, UtilityCalls
from jdbpy.wire.constants import Tag

_MODULES = "jdk.internal.module.Modules"
_MODULE = "Ljava/lang/Module;"
_STRING = "Ljava/lang/String;"
_CLASS = "Ljava/lang/Class;"


class Change:
    """One change, to be run. ``what`` is for messages."""

    def __init__(self, what: str, method: str, signature: str, *args: Ref | str) -> None:
        self.what = what
        self.method = method
        self.signature = f"({signature})V"
        self.args = args


def reads(module: int, other: int) -> Change:
    """The module reads another."""
    return Change("adding what a module reads", "addReads", _MODULE * 2, _ref(module), _ref(other))


def gives(module: int, package: str, other: int | None, *, opened: bool) -> Change:
    """The module exports or opens a package to another module, or to all (None)."""
    what = "opening a package" if opened else "exporting a package"
    method = "addOpens" if opened else "addExports"
    if other is not None:
        return Change(what, method, _MODULE + _STRING + _MODULE, _ref(module), package, _ref(other))
    if opened:  # there is no method to open to everyone: to all unnamed modules, which is where reflection comes from
        return Change(what, "addOpensToAllUnnamed", _MODULE + _STRING, _ref(module), package)
    return Change(what, method, _MODULE + _STRING, _ref(module), package)


def uses(module: int, service: int) -> Change:
    """The module uses a service; ``service`` is a class object."""
    return Change("adding a use", "addUses", _MODULE + _CLASS, _ref(module), Ref(service, Tag.CLASS_OBJECT))


def provides(module: int, service: int, implementation: int) -> Change:
    """The module provides a service by a class; both are class objects."""
    classes = (Ref(service, Tag.CLASS_OBJECT), Ref(implementation, Tag.CLASS_OBJECT))
    return Change("adding a provider", "addProvides", _MODULE + _CLASS * 2, _ref(module), *classes)


async def apply(runner: CallRunner, change: Change) -> None:
    """Makes the change. Raises UsageError when the JDK refuses, StateError when no method can be run. wire: 1 call."""
    async with runner.calls(change.what) as calls:
        try:
            await _call(calls, change)
        except Thrown as error:
            raise UsageError(error.exception_message or error.message, code="REFUSED") from error


async def _call(calls: UtilityCalls, change: Change) -> Raw:
    try:
        return await calls.static(_MODULES, change.method, change.signature, *change.args)
    except StateError as error:
        if error.code == "NOT_AVAILABLE":
            error.hint = "modules can be changed on HotSpot's JDK 9 and later"
        raise


def _ref(module: int) -> Ref:
    return Ref(module, Tag.OBJECT)
