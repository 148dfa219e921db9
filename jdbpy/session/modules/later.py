"""What was added to modules after they were defined: by --add-exports and the like, or by calls of java.lang.Module.

The JDK keeps it apart from the modules, in ``Module$ReflectionData``: maps by pairs of modules whose keys are weak.
Owns the layout of those maps (``java.lang.WeakPairMap``). To be run by the reader.
"""

from __future__ import annotations

from jdbpy.errors import JdwpError
from jdbpy.record import Record
from jdbpy.session.values.obj import named_fields, reference
from jdbpy.session.values.reader import ClassLayout, Reader
from jdbpy.session.values.shown import Entries, UnknownLayout
from jdbpy.session.values.viewer import Viewer
from jdbpy.session.values.waves import both, gather
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
    """All additions; none when this JVM keeps them otherwise. wire: 8 trips or so, whatever their number."""
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
    """The entries of one map: the objects of the pair, and the value."""
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
    """The two objects that a key refers to, 0 for one that was collected."""
    first, peer = await _fields(reader, key, "referent", "peer")
    [second] = await _fields(reader, peer, "referent")
    return int(first.value or 0), int(second.value or 0)


async def _packages(reader: Reader, viewer: Viewer, value: TaggedValue) -> list[tuple[str, bool]]:
    """The packages of one pair of modules; whether each is opened, not only exported."""
    if value.tag not in OBJECT_TAGS or not value.value:
        return []
    shown = await viewer.show(int(value.value), MOST)
    if not isinstance(shown, Entries):
        return []
    names, opened = await both(
        gather([reader.text(int(key.value or 0)) for key, _ in shown.entries]),
        gather([_fields(reader, flag, "value") for _, flag in shown.entries]),
    )
    return [(name, bool(flag[0].value)) for name, flag in zip(names, opened, strict=True)]


async def _fields(reader: Reader, value: TaggedValue, *names: str) -> list[TaggedValue]:
    """Fields of an object by name. Raises UnknownLayout."""
    return await named_fields(reader, reference(value), names)
