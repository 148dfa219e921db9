"""Plain data about redefined classes for front ends."""

from __future__ import annotations

from typing import Annotated

from jdbpy.json_form import Json
from jdbpy.record import Record
from jdbpy.session.model.breakpoints import BreakpointInfo
from jdbpy.session.model.threads import FrameInfo


class RedefinedClass(Record):
    """A class that was replaced. ``changes`` say in words what is new in it, as far as that can be known.

    ``file`` is the class file; "" when it was compiled from source.
    """

    name: str
    id: int
    file: Annotated[str, Json("the class file, when it was not compiled for this", optional=True)]
    changes: Annotated[tuple[str, ...], "what differs, in words"]


class Redefinition(Record):
    """The outcome of a redefinition: all of the ``classes`` were replaced in one step, or none was.

    ``unchanged`` names loaded classes that run what the files have; ``not_loaded`` those that the target will take from
    its own class path when it needs them. ``obsolete`` are frames of held threads that still run replaced code.
    ``lost`` are the breakpoints that the new code has no place for.
    """

    classes: tuple[RedefinedClass, ...]
    unchanged: Annotated[tuple[str, ...], Json("loaded classes that run what the files have", optional=False)] = ()
    not_loaded: Annotated[tuple[str, ...], Json("classes that have a file, but are not loaded", optional=False)] = ()
    obsolete: Annotated[tuple[FrameInfo, ...], Json("frames that still run old code", optional=False)] = ()
    lost: Annotated[
        tuple[BreakpointInfo, ...], Json("breakpoints that the new code has no place for", optional=False)
    ] = ()
