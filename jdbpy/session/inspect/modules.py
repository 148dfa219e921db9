"""The component ``session.modules``: which modules there are, what they share with whom, and changes to that.

Modules are changed as a loaded agent may (JVM TI AddModuleReads and the like): by the methods of
``jdk.internal.module.Modules``, which HotSpot's own implementation calls.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from jdbpy.errors import JdwpError, StateError, Thrown, UsageError
from jdbpy.session.concurrency import both
from jdbpy.session.eval.target import Raw, Ref
from jdbpy.session.eval.utility_calls import CallRunner, UtilityCalls
from jdbpy.session.events.target import Target
from jdbpy.session.inspect.classes import ClassDirectory
from jdbpy.session.inspect.module_reader import (
    BRIEF_CLASSES,
    MODULE_CLASSES,
    Access,
    Brief,
    Contents,
    read_briefs,
    read_contents,
)
from jdbpy.session.java.class_names import close_to, like
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.loaders import Loaders
from jdbpy.session.jvm.reading import read_both
from jdbpy.session.model.modules import ModuleDetail, ModuleInfo, PackageAccess
from jdbpy.session.model.threads import Location
from jdbpy.session.model.values import Limits
from jdbpy.session.values.objects import Objects, Viewer
from jdbpy.session.values.shown import UnknownLayout
from jdbpy.wire.constants import GONE, Tag
from jdbpy.wire.ids import ClassLoaderID, ModuleID, ObjectID, ReferenceTypeID
from jdbpy.wire.messages import module_reference, virtual_machine

_Row = tuple[ModuleID, str, ClassLoaderID]
"""A module, its name, its loader."""

ALL_UNNAMED = "ALL-UNNAMED"
"""The word of java's options for all unnamed modules together."""


class ModuleDirectory:
    """The modules of one target."""

    def __init__(self, target: Target, classes: ClassDirectory, runner: CallRunner) -> None:
        self._target = target
        self._classes = classes
        self._runner = runner
        self._loaders = Loaders(target.conn, target.types)
        self._names: tuple[str, ...] = ()

    async def list(self, pattern: str = "") -> builtins.list[ModuleInfo]:
        """Modules by name, the unnamed ones of class loaders last: all, or those that a pattern fits (``patterns``).

        Runs nothing. Raises StateError before Java 9. wire: 5 trips, whatever their number.
        """
        rows, _ = await both(self._rows, self._learn_briefs)
        found, briefs = await both(lambda: self._infos(rows), lambda: self._briefs([module for module, *_ in rows]))
        infos = [_with_brief(each, briefs.get(each.id)) for each in found if like(pattern, each.name)]
        return sorted(infos, key=lambda each: (not each.name, each.name, each.loader))

    async def _learn_briefs(self) -> None:
        """Learns over a link what modules are described in, beside the question which there are."""
        reader = Objects.of(self._target).reader
        await reader.run(reader.boot_classes(BRIEF_CLASSES if self._target.high_latency else ()))

    async def _briefs(self, modules: Sequence[int]) -> dict[int, Brief]:
        reader = Objects.of(self._target).reader
        try:
            return await reader.run(read_briefs(reader, modules))
        except UnknownLayout:
            return {}

    async def names_of(self, places: Sequence[Location]) -> dict[int, str]:
        """Return the names of the modules of the classes of some places, by the id of the class; "" for an unnamed one.

        Raises StateError before Java 9. wire: 2 trips.
        """
        types = {ReferenceTypeID(each.type_id) for each in places if each.type_id}
        rows, homes = await both(self._rows, lambda: self._target.types.facts.many(facts.MODULE, types))
        names = {module: name for module, name, _ in rows}
        return {int(of): names.get(module, "") for of, module in homes.items() if module is not None}

    async def find(self, text: str) -> ModuleInfo:
        """Return the module of this name or id, or that of a class. Raises UsageError. wire: 3 trips, more for a
        class."""
        rows = await self._rows()
        number = await self._among(text, rows)
        return next(each for each in await self._infos(rows) if each.id == number)

    async def _among(self, text: str, rows: Sequence[_Row]) -> int:
        """Return the id of the module with this name or id, or of that of a class. Raises UsageError."""
        for module, name, _ in rows:
            if text and text in (name, str(module)):
                return int(module)
        classes = await self._classes.find(text)
        if not classes:
            near = close_to(text, [name for _, name, _ in rows])
            raise UsageError(
                f"no module and no loaded class '{text}'",
                hint=f"there is {', '.join(near)}" if near else "'modules' lists the modules",
                code="NO_SUCH_MODULE",
            )
        type_id = ReferenceTypeID(classes[0].id)
        home = (await self._target.types.facts.many(facts.MODULE, [type_id])).get(type_id)
        return next(int(module) for module, *_ in rows if module == home)

    async def detail(self, text: str) -> ModuleDetail:
        """Return all about the module of this name or id, or that of a class. Runs nothing. wire: 15 trips or so, 12
        again."""
        reader = Objects.of(self._target).reader
        expected = MODULE_CLASSES if self._target.high_latency else ()
        rows, _ = await both(self._rows, lambda: reader.run(reader.boot_classes(expected)))
        number = await self._among(text, rows)
        viewer = Viewer(reader, Objects.of(self._target).views, Limits().string)
        everything, found = await both(lambda: self._infos(rows), lambda: self._contents(viewer, number))
        info = next(each for each in everything if each.id == number)
        if isinstance(found, UnknownLayout):
            return ModuleDetail(info, (), (), (), (), (), (), (), "", (f"this JVM keeps modules otherwise: {found}",))
        brief, contents = found
        names = {each.id: each.name or f"unnamed of {each.loader}" for each in everything}
        names[contents.all_unnamed] = ALL_UNNAMED
        return _detail(_with_brief(info, brief), contents, names)

    async def _contents(self, viewer: Viewer, module: int) -> tuple[Brief | None, Contents] | UnknownLayout:
        reader = Objects.of(self._target).reader
        try:
            briefs, contents = await reader.run(
                read_both(read_briefs(reader, [module]), read_contents(reader, viewer, module))
            )
        except UnknownLayout as error:
            return error
        return briefs.get(module), contents

    async def add_reads(self, module: str, other: str) -> None:
        """Make a module read another (JVM TI AddModuleReads). Raises UsageError, StateError. wire: 1 call."""
        await _apply(self._runner, _reads((await self.find(module)).id, (await self.find(other)).id))

    async def add_access(self, module: str, package: str, other: str | None, *, opened: bool) -> None:
        """Make a module export or open a package: to another, or to all (exports) or all unnamed ones (opens).

        JVM TI AddModuleExports, AddModuleOpens. Raises UsageError, StateError. wire: 1 call.
        """
        to = None if other is None or other.upper() == ALL_UNNAMED else (await self.find(other)).id
        await _apply(self._runner, _gives((await self.find(module)).id, package, to, opened=opened))

    async def add_uses(self, module: str, service: str) -> None:
        """Make a module use a service (JVM TI AddModuleUses). Raises UsageError, StateError. wire: 1 call."""
        [service_class] = await self._class_objects(service)
        await _apply(self._runner, _uses((await self.find(module)).id, service_class))

    async def add_provides(self, module: str, service: str, implementation: str) -> None:
        """Make a module provide a service by a class (JVM TI AddModuleProvides).

        The catalog of services takes it in; ``detail`` shows what is declared only. Raises as the others. wire: 1 call.
        """
        service_class, provider = await self._class_objects(service, implementation)
        await _apply(self._runner, _provides((await self.find(module)).id, service_class, provider))

    def known_names(self) -> Sequence[str]:
        """Return the names that were listed last; for completion. No trip."""
        return self._names

    # -- helpers -----------------------------------------------------------------------------------------------------

    async def _class_objects(self, *names: str) -> builtins.list[ObjectID]:
        """Return the class objects of loaded classes. Raises UsageError."""
        found = [await self._classes.find(name) for name in names]
        for name, classes in zip(names, found, strict=True):
            if not classes:
                raise UsageError(f"no class {name} is loaded", code="CLASS_NOT_LOADED")
        ids = [ReferenceTypeID(classes[0].id) for classes in found]
        objects = await self._target.types.facts.many(facts.CLASS_OBJECT, ids)
        return [ObjectID(objects[each]) for each in ids]

    async def _all(self) -> builtins.list[ModuleInfo]:
        """Return every module with its loader, without version and kind. wire: 4 trips, 2 when the loaders are
        known."""
        return await self._infos(await self._rows())

    async def _rows(self) -> builtins.list[_Row]:
        """Return every module with its name and loader. wire: 2 trips."""
        target = self._target
        target.require_alive()
        if not target.at_least(9):
            raise StateError(
                f"this target, Java {target.info.version}, has no modules",
                hint="they came with Java 9",
                code="NOT_AVAILABLE",
            )
        modules: Sequence[ModuleID] = (await target.conn.request(virtual_machine.AllModules())).modules
        outcomes = await target.conn.batch(
            [ask(each) for ask in (module_reference.Name, module_reference.ClassLoader) for each in modules]
        )
        refused = next((each for each in outcomes if isinstance(each, JdwpError) and each.number not in GONE), None)
        if refused is not None:
            raise refused
        rows = [
            (module, name.name, loader.classLoader)
            for module, name, loader in zip(modules, outcomes[: len(modules)], outcomes[len(modules) :], strict=True)
            if not isinstance(name, JdwpError) and not isinstance(loader, JdwpError)  # its loader was collected
        ]
        self._names = tuple(sorted(name for _, name, _ in rows if name))
        return rows

    async def _infos(self, rows: Sequence[_Row]) -> builtins.list[ModuleInfo]:
        """Return the modules with their loaders in words. wire: 2 trips, 0 when the loaders are known."""
        words = await self._loaders.in_words(loader for *_, loader in rows)
        return [
            ModuleInfo(module, name, words[loader], kind="" if name else "unnamed") for module, name, loader in rows
        ]


def _with_brief(info: ModuleInfo, brief: Brief | None) -> ModuleInfo:
    return info if brief is None else info.replace(version=brief.version, kind=brief.kind)


def _detail(info: ModuleInfo, contents: Contents, names: dict[int, str]) -> ModuleDetail:
    def access(each: Access) -> PackageAccess:
        return PackageAccess(
            each.package, () if each.everyone else tuple(sorted(names.get(module, "?") for module in each.to))
        )

    return ModuleDetail(
        info,
        contents.requires,
        tuple(sorted({names.get(module, "?") for module in contents.reads})),
        tuple(map(access, contents.exports)),
        tuple(map(access, contents.opens)),
        contents.uses,
        tuple(PackageAccess(service, to) for service, to in contents.provides),
        contents.packages,
        contents.main_class,
    )


_MODULES = "jdk.internal.module.Modules"
_MODULE = "Ljava/lang/Module;"
_STRING = "Ljava/lang/String;"
_CLASS = "Ljava/lang/Class;"


class ModuleChange:
    """One change, to be run. ``what`` is for messages."""

    def __init__(self, what: str, method: str, signature: str, *args: Ref | str) -> None:
        self.what = what
        self.method = method
        self.signature = f"({signature})V"
        self.args = args


def _reads(module: int, other: int) -> ModuleChange:
    """Return the module reads another."""
    return ModuleChange("adding what a module reads", "addReads", _MODULE * 2, _ref(module), _ref(other))


def _gives(module: int, package: str, other: int | None, *, opened: bool) -> ModuleChange:
    """Return the module exports or opens a package to another module, or to all (None)."""
    what = "opening a package" if opened else "exporting a package"
    method = "addOpens" if opened else "addExports"
    if other is not None:
        return ModuleChange(what, method, _MODULE + _STRING + _MODULE, _ref(module), package, _ref(other))
    if opened:  # there is no method to open to everyone: to all unnamed modules, which is where reflection comes from
        return ModuleChange(what, "addOpensToAllUnnamed", _MODULE + _STRING, _ref(module), package)
    return ModuleChange(what, method, _MODULE + _STRING, _ref(module), package)


def _uses(module: int, service: int) -> ModuleChange:
    """Return the module uses a service; ``service`` is a class object."""
    return ModuleChange("adding a use", "addUses", _MODULE + _CLASS, _ref(module), Ref(service, Tag.CLASS_OBJECT))


def _provides(module: int, service: int, implementation: int) -> ModuleChange:
    """Return the module provides a service by a class; both are class objects."""
    classes = (Ref(service, Tag.CLASS_OBJECT), Ref(implementation, Tag.CLASS_OBJECT))
    return ModuleChange("adding a provider", "addProvides", _MODULE + _CLASS * 2, _ref(module), *classes)


async def _apply(runner: CallRunner, change: ModuleChange) -> None:
    """Make the change. Raises UsageError when the JDK refuses, StateError when no method can be run. wire: 1 call."""
    async with runner.calls(change.what) as calls:
        try:
            await _call(calls, change)
        except Thrown as error:
            raise UsageError(error.exception_message or error.message, code="REFUSED") from error


async def _call(calls: UtilityCalls, change: ModuleChange) -> Raw:
    try:
        return await calls.static(_MODULES, change.method, change.signature, *change.args)
    except StateError as error:
        if error.code == "NOT_AVAILABLE":
            error.hint = "modules can be changed on HotSpot's JDK 9 and later"
        raise


def _ref(module: int) -> Ref:
    return Ref(module, Tag.OBJECT)
