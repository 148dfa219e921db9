"""An agent that answers well but for what is twisted in it: circles in all that a debugger climbs or follows.

jvm = circling("superclass")
async with jvm.listening() as address, jdbpy.attach_session(address) as session: ...
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from jdbpy.wire.ids import ClassID, InterfaceID, ReferenceTypeID, ThreadGroupID
from jdbpy.wire.messages import class_type, reference_type, thread_group_reference
from tests.fakes.jvm import FakeJvm
from tests.fakes.world import GROUP, FakeClass, FakeField, FakeMethod

OTHER, THIRD = 101, 102
"""Ids of classes beside ``Played``, which is 100."""


def _own_superclass(jvm: FakeJvm) -> None:
    jvm.on(class_type.Superclass, lambda command: class_type.SuperclassReply(ClassID(command.clazz)))


def _long_circle(jvm: FakeJvm) -> None:
    above = {100: OTHER, OTHER: THIRD, THIRD: 100}
    jvm.on(
        class_type.Superclass,
        lambda command: class_type.SuperclassReply(ClassID(ReferenceTypeID(above[command.clazz]))),
    )


def _own_interface(jvm: FakeJvm) -> None:
    jvm.on(
        reference_type.Interfaces,
        lambda command: reference_type.InterfacesReply([InterfaceID(command.refType)] * 3),
    )


def _superclass_as_interface(jvm: FakeJvm) -> None:
    """Each link by itself leads upwards; both together circle."""
    above = {100: OTHER, OTHER: 0, THIRD: 0}
    jvm.on(
        class_type.Superclass,
        lambda command: class_type.SuperclassReply(ClassID(ReferenceTypeID(above[command.clazz]))),
    )
    jvm.on(
        reference_type.Interfaces,
        lambda command: reference_type.InterfacesReply(
            [InterfaceID(ReferenceTypeID(100))] if command.refType == OTHER else []
        ),
    )


def _own_group(jvm: FakeJvm) -> None:
    """A group is its own parent, and each of its many children is itself."""
    group = ThreadGroupID(GROUP)
    jvm.on(thread_group_reference.Parent, thread_group_reference.ParentReply(group))
    jvm.on(thread_group_reference.Children, thread_group_reference.ChildrenReply([], [group] * 3))


_TWISTS: dict[str, Callable[[FakeJvm], None]] = {
    "its own superclass": _own_superclass,
    "a long circle of superclasses": _long_circle,
    "its own superinterface": _own_interface,
    "a superclass that implements its subclass": _superclass_as_interface,
    "its own group": _own_group,
}
CIRCLES = tuple(_TWISTS)


def circling(circle: str) -> FakeJvm:
    """A JVM with one circle in it."""
    jvm = FakeJvm()
    for number, name in ((OTHER, "Other"), (THIRD, "Third")):
        method = FakeMethod(0x7000 + number, "run", "()V", {0: 3})
        field = FakeField(0x7100 + number, f"own{name}", modifiers=8)
        jvm.world.classes.append(FakeClass(number, f"L{name};", f"{name}.java", [method], [field]))
    _TWISTS[circle](jvm)
    return jvm


@contextmanager
def no_endless_loop(seconds: float = 20) -> Iterator[None]:
    """Fail instead of hanging when the block computes without an end, which no limit of trio's can interrupt."""

    def fail(number: int, frame: object) -> None:
        raise AssertionError(f"an endless loop: {seconds:g} seconds have passed")

    before = signal.signal(signal.SIGALRM, fail)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
