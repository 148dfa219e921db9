"""What a target keeps for looking at its objects: one reader with its memory, and the views in force."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from jdbpy.session.types.cache import TypeCache
from jdbpy.session.types.likely import LikelyClasses
from jdbpy.session.values.reader import Reader
from jdbpy.session.values.remembered import Remembered
from jdbpy.wire.connection import Connection

if TYPE_CHECKING:
    from jdbpy.session.values.views.registry import Registry


class Objects:
    """``reader`` asks; ``views`` says how objects are shown, and takes views of the user's own (``views.add``)."""

    def __init__(self, conn: Connection, types: TypeCache, release: int, likely: LikelyClasses | None = None) -> None:
        self.reader = Reader(conn, types, Remembered(), release, likely)

    @cached_property
    def views(self) -> Registry:
        """Views of this session above the built-in ones, which are loaded when the first object is shown."""
        from jdbpy.session.values.views.registry import Registry, built_in

        return Registry(built_in())
