"""The loaded classes of a session: listed, found by name, and described with their members, lines and relatives.

Owns the list of all; the details of a single class belong to ``details``, loaded when one is asked about. A
name of a class may be full or short, ``Outer.Inner`` or ``Outer$Inner``, an array type, and may end in ``@ID`` to
choose among classes of one name that several loaders have defined.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from jdbpy.session.events.target import Target
from jdbpy.session.inspect.class_list import ClassList, class_list
from jdbpy.session.java.class_names import of_the_runtime
from jdbpy.session.sources.local_classes import LocalClasses
from jdbpy.wire.messages import virtual_machine

if TYPE_CHECKING:
    from jdbpy.session.eval.utility_calls import CallRunner
    from jdbpy.session.inspect.class_details import Details
    from jdbpy.session.jvm.refs import RefType
    from jdbpy.session.model.classes import ClassDetail, ClassInfo, FieldInfo, KnownNames, LineEntry, MethodInfo


class ClassDirectory:
    """The ``classes`` of a session."""

    def __init__(self, target: Target, runner: Callable[[], CallRunner | None] = lambda: None) -> None:
        """``runner`` may run what a class does not tell otherwise: where its code came from."""
        self._target = target
        self._runner = runner

    @cached_property
    def _details(self) -> Details:
        from jdbpy.session.inspect.class_details import Details

        return Details(self._target, self._runner)

    async def list(self, pattern: str = "", *, visible_to: str | None = None) -> ClassList:
        """Loaded classes and array types by name: all, or those that fit.

        A pattern with ``*`` or ``?`` is compared with the whole name; other text may stand anywhere in it.
        Capitals count only where it has some itself. ``visible_to`` names a class: only what its loader has
        been asked for by name (ClassLoaderReference.VisibleClasses). wire: 1 trip, 4 with ``visible_to``.
        """
        self._target.require_agent("listing classes")
        listed = (await self._target.conn.request(virtual_machine.AllClassesWithGeneric())).classes
        self._target.cache_all(listed)
        seen = None if visible_to is None else await self._details.visible(visible_to)
        return class_list(listed, pattern, seen)

    async def find(self, name: str) -> builtins.list[ClassInfo]:
        """Return the loaded classes of that name, one for each loader that has one; [] when there is none.

        Raises UsageError when a short name may be several classes. wire: 1 trip, 0 while everything is held and nothing
        has been run since the classes were listed last; 3 more for several, with their loaders.
        """
        self._target.require_agent("looking for classes")
        return await self._details.find(name)

    async def detail(self, name: str) -> ClassDetail:
        """Return all about one class. Raises UsageError when it is not loaded.

        The protocol does not tell subclasses: every class is asked for its parents, once in a session and all in one
        trip; a final class is spared that. wire: 3 trips; a final class 2 and 1 a superclass; where it comes from takes
        some 9 for the first class of a loader, 6 for each further one, none for the bootstrap loader's.
        """
        return await self._details.detail(name)

    async def methods(self, name: str, *, inherited: bool = True) -> builtins.list[MethodInfo]:
        """Return the methods of a class: its own, then those of superclasses and interfaces, overridden ones included.

        Raises UsageError when it is not loaded. wire: 2 trips, and 1 a level of inheritance; over a slow link most of
        those of the JDK's are asked for at once.
        """
        return await self._details.methods(name, inherited=inherited)

    async def fields(self, name: str, *, inherited: bool = True) -> builtins.list[FieldInfo]:
        """Return the fields of a class: its own, then those of superclasses and interfaces. Costs, raises as
        ``methods``."""
        return await self._details.fields(name, inherited=inherited)

    async def source_debug_extension(self, name: str) -> str:
        """Return the source map (JSR 45) of a class as it stands in its class file, "" if it has none.

        Raises UsageError when the class is not loaded. wire: 2 trips.
        """
        return await self._details.source_debug_extension(name)

    async def lines(self, name: str, method: str = "") -> builtins.list[LineEntry]:
        """Return every code location at which a line begins, of a class or of one method's overloads; [] without lines.

        Raises UsageError when the class is not loaded or has no such method. wire: 3 trips, 2 if it was heard of.
        """
        return await self._details.lines(name, method)

    async def source_files(self, pattern: str = "") -> dict[str, tuple[str, ...]]:
        """Return the source files of loaded classes, by name with the package's directories, each with its classes.

        Without a pattern (as that of ``list``) classes of the runtime are left out. wire: 2 trips.
        """
        listed = await self.list(pattern)
        return await self._details.source_files(
            each for each in listed if each.kind != "array" and (pattern or not of_the_runtime(each.name))
        )

    def known(self) -> KnownNames:
        """Return names that some answer has mentioned so far, for completion. No trip."""
        return self._details.known()

    async def not_loaded(self, limit: float = 1.0) -> frozenset[str]:
        """Return names of classes that may be loaded later: on the source path and, of a local target, the class path.

        Those found after ``limit`` seconds at the latest; the search goes on then. wire: 1 trip, once.
        """
        return await LocalClasses.of(self._target).look(limit)

    async def loaded(self, name: str) -> RefType:
        """Return the class of that name; of several loaders' the first. Raises UsageError when it is not loaded.

        wire: 1 trip, 2 for a short name.
        """
        return await self._details.loaded(name)
