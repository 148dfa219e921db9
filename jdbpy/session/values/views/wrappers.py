"""Collections.unmodifiableX, synchronizedX and checkedX: shown as what they wrap."""

from __future__ import annotations

from jdbpy.session.values.obj import Obj
from jdbpy.session.values.shown import Shown
from jdbpy.session.values.views.maps import entries_of
from jdbpy.session.values.views.registry import view


@view(
    "java.util.Collections$UnmodifiableCollection",
    "java.util.Collections$SynchronizedCollection",
    "java.util.Collections$CheckedCollection",
)
async def wrapped_collection(obj: Obj) -> Shown:
    return await obj.show(await obj.get("c"))


@view(
    "java.util.Collections$UnmodifiableMap",
    "java.util.Collections$SynchronizedMap",
    "java.util.Collections$CheckedMap",
)
async def wrapped_map(obj: Obj) -> Shown:
    return await entries_of(obj, await obj.get("m"))
