"""The classes of the target as the evaluator asks for them: the part of ``EvalTarget`` that needs no stopped thread.

Owns nothing: what loaders have answered is ``class_finder``'s, what classes consist of ``types.TypeCache``'s. Loads no
class.
"""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.session.eval.jvm.class_finder import ClassFinder
from jdbpy.session.eval.target import ClassFacts, Ref
from jdbpy.session.target import Target
from jdbpy.session.types.signatures import signature_of
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import ReferenceTypeID
from jdbpy.wire.messages import reference_type


class ClassTarget:
    """The loaded classes, as the code of one of them sees them through its loader."""

    def __init__(self, target: Target, classes: ClassFinder) -> None:
        self._target = target
        self._classes = classes

    @property
    def release(self) -> int:
        """See ``EvalTarget``."""
        return self._target.release

    @property
    def far(self) -> bool:
        """See ``EvalTarget``."""
        return self._target.far

    async def find_classes(self, names: Sequence[str]) -> list[int]:
        """See ``EvalTarget``."""
        return await self._classes.find(names)

    def knows_classes(self, names: Sequence[str]) -> bool:
        """See ``EvalTarget``."""
        return self._classes.knows(names)

    def likely_class(self, name: str) -> int:
        """See ``EvalTarget``."""
        return self._target.types.known_named(signature_of(name))

    async def class_facts(self, ids: Sequence[int]) -> list[ClassFacts]:
        """See ``EvalTarget``."""
        return await self._classes.facts(ids)

    async def simple_names(self, name: str) -> list[str]:
        """See ``EvalTarget``."""
        return await self._classes.simple_names(name)

    async def has_package(self, name: str) -> bool:
        """See ``EvalTarget``."""
        return await self._classes.has_package(name)

    async def referenced_classes(self) -> list[str]:
        """See ``EvalTarget``."""
        return await self._classes.referenced()

    async def initialized(self, class_id: int) -> bool:
        """See ``EvalTarget``."""
        return await self._classes.initialized(class_id)

    async def class_object(self, class_id: int) -> Ref:
        """See ``EvalTarget``."""
        known = self._classes.class_objects
        if class_id not in known:
            reply = await self._target.conn.request(reference_type.ClassObject(ReferenceTypeID(class_id)))
            known[class_id] = Ref(reply.classObject, Tag.CLASS_OBJECT)
        return known[class_id]
