"""Reads modules from the fields of java.lang.Module and of its ModuleDescriptor. Nothing is run.

Owns the names of those fields. To be run by the reader; a field that this JVM does not have raises UnknownLayout. What
was added to modules after they were defined, by --add-exports and the like or by calls of java.lang.Module, the JDK
keeps apart, in ``Module$ReflectionData``: maps by pairs of modules whose keys are weak (``java.lang.WeakPairMap``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jdbpy.errors import JdwpError
from jdbpy.record import Record
from jdbpy.session.java.signatures import java_name
from jdbpy.session.jvm.reading import gather, read_both
from jdbpy.session.values.obj import find_fields, named_fields, reference
from jdbpy.session.values.objects import Viewer
from jdbpy.session.values.reader import ClassLayout, Reader
from jdbpy.session.values.shown import Entries, Items, UnknownLayout
from jdbpy.wire.ids import TaggedValue
from jdbpy.wire.layout import OBJECT_TAGS

MOST = 10_000
_DATA = "java.lang.Module$ReflectionData"


class Later(Record):
    """Additions: pairs of object ids. ``exports`` and ``opens`` are (module, other module, package)."""

    reads: tuple[tuple[int, int], ...] = ()
    exports: tuple[tuple[int, int, str], ...] = ()
    opens: tuple[tuple[int, int, str], ...] = ()
    uses: tuple[tuple[int, int], ...] = ()  # module, class object


async def read_later(reader: Reader, viewer: Viewer) -> Later:
    """Return all additions; none when this JVM keeps them otherwise. wire: 8 trips or so, whatever their number."""
    data = await reader.boot_class(_DATA)
    if data is None:
        return Later()  # nothing was ever added: the class is loaded when something is
    try:
        reads, exports, uses = await gather(
            [_pairs(reader, viewer, data, name) for name in ("reads", "exports", "uses")]
        )
        packages = await gather([_packages(reader, viewer, value) for *_, value in exports])
    except (UnknownLayout, JdwpError):
        return Later()
    flat = [
        (module, other, package, opened)
        for (module, other, _), found in zip(exports, packages, strict=True)
        for package, opened in found
    ]
    return Later(
        reads=tuple((module, other) for module, other, _ in reads),
        exports=tuple((module, other, package) for module, other, package, _ in flat),
        opens=tuple((module, other, package) for module, other, package, opened in flat if opened),
        uses=tuple((module, other) for module, other, _ in uses),
    )


async def _pairs(reader: Reader, viewer: Viewer, data: ClassLayout, name: str) -> list[tuple[int, int, TaggedValue]]:
    """Return the entries of one map: the objects of the pair, and the value."""
    field = data.field(name, static=True)
    if field is None:
        return []
    [pair_map] = await reader.statics(data, [field])
    table = (await _fields(reader, pair_map, "map"))[0] if pair_map.value else None
    if table is None or not table.value:
        return []
    shown = await viewer.show(int(table.value), MOST)
    if not isinstance(shown, Entries):
        return []
    pairs = await gather([_pair(reader, key) for key, _ in shown.entries])
    return [(*pair, value) for pair, (_, value) in zip(pairs, shown.entries, strict=True) if all(pair)]


async def _pair(reader: Reader, key: TaggedValue) -> tuple[int, int]:
    """Return the two objects that a key refers to, 0 for one that was collected."""
    first, peer = await _fields(reader, key, "referent", "peer")
    [second] = await _fields(reader, peer, "referent")
    return int(first.value or 0), int(second.value or 0)


async def _packages(reader: Reader, viewer: Viewer, value: TaggedValue) -> list[tuple[str, bool]]:
    """Return the packages of one pair of modules; whether each is opened, not only exported."""
    if value.tag not in OBJECT_TAGS or not value.value:
        return []
    shown = await viewer.show(int(value.value), MOST)
    if not isinstance(shown, Entries):
        return []
    names, opened = await read_both(
        gather([reader.text(int(key.value or 0)) for key, _ in shown.entries]),
        gather([_fields(reader, flag, "value") for _, flag in shown.entries]),
    )
    return [(name, bool(flag[0].value)) for name, flag in zip(names, opened, strict=True)]


async def _fields(reader: Reader, value: TaggedValue, *names: str) -> list[TaggedValue]:
    """Fields of an object by name. Raises UnknownLayout."""
    return await named_fields(reader, reference(value), names)


_MODULE = "java.lang.Module"
_DESCRIPTOR = "java.lang.module.ModuleDescriptor"
BRIEF_CLASSES = (_MODULE, _DESCRIPTOR, f"{_DESCRIPTOR}$Version")
"""The classes whose fields describe many modules."""
MODULE_CLASSES = (
    *BRIEF_CLASSES,
    f"{_MODULE}$ReflectionData",
    *(f"{_DESCRIPTOR}${name}" for name in ("Requires", "Provides")),
    "java.lang.Enum",
    "java.util.HashMap",
    "java.util.HashMap$Node",
    "java.util.HashSet",
    "java.util.ImmutableCollections",
    *(f"java.util.ImmutableCollections${name}" for name in ("List12", "ListN", "Map1", "MapN", "Set12", "SetN")),
    "java.util.concurrent.ConcurrentHashMap",
    "java.util.concurrent.ConcurrentHashMap$Node",
)
"""The classes in which modules are kept: worth learning at once over a slow link."""
NULL = TaggedValue(ord("L"), 0)


class Brief(Record):
    """A module in a line."""

    version: str = ""
    kind: str = "unnamed"


class Access(Record):
    """A package with the ids of the modules that it is exported or opened to; ``everyone`` is to all."""

    package: str
    to: tuple[int, ...]
    everyone: bool


class Contents(Record):
    """All about a module; other modules are ids."""

    requires: tuple[str, ...]
    reads: tuple[int, ...]
    exports: tuple[Access, ...]
    opens: tuple[Access, ...]
    uses: tuple[str, ...]
    provides: tuple[tuple[str, tuple[str, ...]], ...]
    packages: tuple[str, ...]
    main_class: str
    all_unnamed: int  # the module that stands for all unnamed ones, 0 if there is none


async def read_briefs(reader: Reader, modules: Sequence[int]) -> dict[int, Brief]:
    """Version and kind of modules. wire: 4 trips, whatever their number."""
    module = await reader.boot_class(_MODULE)
    field = module.field("descriptor") if module is not None else None
    if field is None:
        return {}
    rows = await reader.fields_of_all(modules, [field])
    found = await gather([_brief(reader, NULL if isinstance(row, JdwpError) else row[0]) for row in rows])
    return dict(zip(modules, found, strict=True))


async def _brief(reader: Reader, descriptor: TaggedValue) -> Brief:
    if not descriptor.value:
        return Brief()
    values = await _named(reader, _DESCRIPTOR, descriptor, "rawVersionString", "version", "open", "automatic")
    kind = "open" if values["open"].value else "automatic" if values["automatic"].value else ""
    version = values["rawVersionString"]
    if values["version"].value:
        version = (await _named(reader, f"{_DESCRIPTOR}$Version", values["version"], "version"))["version"]
    return Brief(await _text(reader, version), kind)


async def read_contents(reader: Reader, viewer: Viewer, module: int) -> Contents:
    """Return all about one module. wire: 15 trips or so."""
    (values, later), special = await read_both(
        read_both(
            _named(
                reader,
                _MODULE,
                TaggedValue(ord("L"), module),
                "descriptor",
                "reads",
                "openPackages",
                "exportedPackages",
            ),
            read_later(reader, viewer),
        ),
        _special(reader),
    )
    (reads, exports, opens), declared = await read_both(
        gather([
            _ids(viewer, values["reads"]),
            _accesses(reader, viewer, values["exportedPackages"], later_of(later.exports, module), special),
            _accesses(reader, viewer, values["openPackages"], later_of(later.opens, module), special),
        ]),
        _declared(reader, viewer, values["descriptor"]),
    )  # fmt: skip
    used = await gather([reader.reflected(class_object) for owner, class_object in later.uses if owner == module])
    return declared.replace(
        reads=(*reads, *(other for owner, other in later.reads if owner == module)),
        exports=exports,
        opens=opens,
        uses=(*declared.uses, *(java_name(each) for each in used)),
        all_unnamed=special.get("ALL_UNNAMED_MODULE", 0),
    )


def later_of(added: Sequence[tuple[int, int, str]], module: int) -> list[tuple[int, str]]:
    """Return what was added to one module: to whom, and which package."""
    return [(other, package) for owner, other, package in added if owner == module]


async def _special(reader: Reader) -> dict[str, int]:
    """Return the two placeholder modules: for everyone, and for all unnamed modules."""
    shape = await reader.boot_class(_MODULE)
    names = ("ALL_UNNAMED_MODULE", "EVERYONE_MODULE")
    fields = [shape.field(name, static=True) for name in names] if shape is not None else []
    known = [field for field in fields if field is not None]
    values = await reader.statics(shape, known) if shape is not None else []
    return {field.name: int(value.value or 0) for field, value in zip(known, values, strict=True)}


async def _declared(reader: Reader, viewer: Viewer, descriptor: TaggedValue) -> Contents:
    """Return what stands in the module's declaration; an unnamed module has none."""
    if not descriptor.value:
        return Contents((), (), (), (), (), (), (), "", 0)
    values = await _named(reader, _DESCRIPTOR, descriptor, "requires", "uses", "provides", "packages", "mainClass")
    requires, provides, uses, packages = await gather([
        _items(viewer, values[name]) for name in ("requires", "provides", "uses", "packages")
    ])  # fmt: skip
    (required, provided), (used, packaged) = await read_both(
        read_both(
            gather([_required(reader, viewer, each) for each in requires]),
            gather([_provided(reader, viewer, each) for each in provides]),
        ),
        read_both(_texts(reader, uses), _texts(reader, packages)),
    )
    main = await _text(reader, values["mainClass"])
    return Contents(
        tuple(sorted(required)),
        (),
        (),
        (),
        tuple(sorted(used)),
        tuple(sorted(provided)),
        tuple(sorted(packaged)),
        main,
        0,
    )


async def _required(reader: Reader, viewer: Viewer, requires: TaggedValue) -> str:
    values = await _named(reader, f"{_DESCRIPTOR}$Requires", requires, "name", "mods")
    name, modifiers = await read_both(_text(reader, values["name"]), _items(viewer, values["mods"]))
    named = await gather([_named(reader, "java.lang.Enum", each, "name") for each in modifiers])
    words = await gather([_text(reader, each["name"]) for each in named])
    return " ".join([*sorted(word.lower() for word in words if word != "MANDATED"), name])


async def _provided(reader: Reader, viewer: Viewer, provides: TaggedValue) -> tuple[str, tuple[str, ...]]:
    values = await _named(reader, f"{_DESCRIPTOR}$Provides", provides, "service", "providers")
    service, providers = await read_both(_text(reader, values["service"]), _items(viewer, values["providers"]))
    return service, tuple(await _texts(reader, providers))


async def _accesses(
    reader: Reader, viewer: Viewer, table: TaggedValue, added: Sequence[tuple[int, str]], special: Mapping[str, int]
) -> tuple[Access, ...]:
    """Return the packages of a map from names to sets of modules, and those that were added later."""
    to: dict[str, set[int]] = {}
    if table.value:
        shown = await viewer.show(int(table.value), MOST)
        if not isinstance(shown, Entries):
            raise UnknownLayout("expected a map")
        names, modules = await read_both(
            gather([reader.text(int(key.value or 0)) for key, _ in shown.entries]),
            gather([_ids(viewer, value) for _, value in shown.entries]),
        )
        to = {name: set(ids) for name, ids in zip(names, modules, strict=True)}
    for other, package in added:
        to.setdefault(package, set()).add(other)
    everyone = special.get("EVERYONE_MODULE", 0)
    return tuple(Access(package, tuple(sorted(ids)), everyone in ids) for package, ids in sorted(to.items()))


async def _ids(viewer: Viewer, value: TaggedValue) -> tuple[int, ...]:
    return tuple(int(each.value or 0) for each in await _items(viewer, value))


async def _items(viewer: Viewer, value: TaggedValue) -> Sequence[TaggedValue]:
    """Return the elements of a set or list; none of null."""
    if value.tag not in OBJECT_TAGS or not value.value:
        return ()
    shown = await viewer.show(int(value.value), MOST)
    if not isinstance(shown, Items):
        raise UnknownLayout("expected a collection")
    return shown.items


async def _named(reader: Reader, class_name: str, value: TaggedValue, *names: str) -> dict[str, TaggedValue]:
    """Fields of an object of a class of the JDK. Raises UnknownLayout."""
    shape = await reader.boot_class(class_name)
    if shape is None or not value.value:
        raise UnknownLayout(f"{class_name} is not loaded")
    fields = await find_fields(reader, shape, names)
    return dict(zip(names, await reader.fields(int(value.value), fields), strict=True))


async def _text(reader: Reader, value: TaggedValue) -> str:
    return await reader.text(int(value.value)) if value.value else ""


async def _texts(reader: Reader, values: Sequence[TaggedValue]) -> list[str]:
    return await gather([_text(reader, value) for value in values])
