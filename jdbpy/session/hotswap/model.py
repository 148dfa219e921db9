"""Plain data about redefined classes for front ends."""

from __future__ import annotations

from jdbpy.record import Record
from jdbpy.session.model import Breakpoint, Frame


class RedefinedClass(Record):
    """A class that was replaced. ``changes`` say in words what is new in it, as far as that can be told.

    ``file`` is the class file; "" when it was compiled from source.
    """

    name: str
    id: int
    file: str
    changes: tuple[str, ...]


class Redefinition(Record):
    """What came of it: all of the ``classes`` were replaced in one step, or none was.

    ``unchanged`` names loaded classes that run what the files have; ``not_loaded`` those that the target will take from
    its own class path when it needs them. ``obsolete`` are frames of held threads that still run replaced code.
    ``lost`` are the breakpoints that the new code has no place for.
    """

    classes: tuple[RedefinedClass, ...]
    unchanged: tuple[str, ...] = ()
    not_loaded: tuple[str, ...] = ()
    obsolete: tuple[Frame, ...] = ()
    lost: tuple[Breakpoint, ...] = ()
