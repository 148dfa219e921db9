"""The ``strata`` of a session: through which stratum lines are looked at, and what map a class has.

The choice is the user's; ``TypeCache`` keeps it. The agent has no part in it: it knows lines of class files only.
"""

from __future__ import annotations

from jdbpy.errors import JdbpyError
from jdbpy.session.events.target import Target
from jdbpy.session.inspect.classes import ClassDirectory
from jdbpy.session.java.smap import JAVA
from jdbpy.session.jvm import facts
from jdbpy.session.model.strata import SourceDebug, StratumChoice, StratumInfo, StratumSource
from jdbpy.session.values.stack import StackReader


class Strata:
    """The source maps of one target."""

    def __init__(self, target: Target, classes: ClassDirectory, stack: StackReader) -> None:
        self._target = target
        self._types = target.types
        self._classes = classes
        self._stack = stack

    @property
    def choice(self) -> StratumChoice:
        """Return what is chosen, and the strata of the classes that are known so far. No trip."""
        maps = self._types.facts.all_of(facts.SOURCE_MAP).values()
        names = {stratum.name for each in maps if each is not None for stratum in each.strata}
        return StratumChoice(self._types.stratum, tuple(sorted(names - {JAVA})))

    def choose(self, name: str) -> StratumChoice:
        """Show lines of that stratum: "Java" for those of the class file, "" for each class's own default.

        A class that does not have it goes on with its default, as JSR 45 wants it. Breakpoints stay where they are.
        No trip.
        """
        self._target.require_alive()
        self._types.stratum = name
        self._stack.forget()
        return self.choice

    async def of_class(self, class_name: str) -> SourceDebug:
        """Return the SourceDebugExtension of a class.

        Raises UsageError when it is not loaded, JdbpyError when it has none. wire: 2 trips, 3 for a short name.
        """
        own = await self._classes.loaded(class_name)
        source_map = (await self._types.facts.many(facts.SOURCE_MAP, [own.id])).get(own.id)
        if source_map is None:
            raise JdbpyError(
                f"{own.name} has no SourceDebugExtension",
                hint="compilers of other languages than Java write one: Kotlin for inlined code, JSP for its pages",
                code="ABSENT_INFORMATION",
            )
        chosen = source_map.stratum(self._types.stratum)
        strata = (
            StratumInfo(
                each.name,
                tuple(StratumSource(file.name, file.path) for file in each.files),
                default=each.name == source_map.default,
                chosen=each is chosen,
            )
            for each in source_map.strata
        )
        return SourceDebug(own.name, source_map.text, source_map.generated, tuple(strata))
