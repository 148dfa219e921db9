"""Class loaders in words, and the classes that they see.

They are called "bootstrap", "platform", "app", or by the loader's class with its object id. Nothing is invoked for
that: a loader's own ``getName()`` is not asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from jdbpy.errors import JdwpError
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.types import TypeCache
from jdbpy.wire.connection import Connection
from jdbpy.wire.ids import ClassLoaderID, ReferenceTypeID
from jdbpy.wire.messages import class_loader_reference, object_reference

BOOTSTRAP = "bootstrap"

_USUAL = {
    "jdk.internal.loader.ClassLoaders$AppClassLoader": "app",
    "jdk.internal.loader.ClassLoaders$PlatformClassLoader": "platform",
    "jdk.internal.loader.ClassLoaders$BootClassLoader": BOOTSTRAP,
    "sun.misc.Launcher$AppClassLoader": "app",
    "sun.misc.Launcher$ExtClassLoader": "platform",  # Java 8 called it the extension loader
}


class Loaders:
    """The class loaders of one target."""

    def __init__(self, conn: Connection, types: TypeCache) -> None:
        self._conn = conn
        self._types = types
        self._names: dict[ClassLoaderID, str] = {ClassLoaderID(0): BOOTSTRAP}
        self._classes: dict[ClassLoaderID, ReferenceTypeID] = {}

    async def names(self, type_ids: Iterable[ReferenceTypeID]) -> dict[ReferenceTypeID, str]:
        """Return the defining loader of each type. wire: 3 trips, 0 when known."""
        loaders = await self._types.facts.many(facts.LOADER, type_ids)
        words = await self.in_words(loaders.values())
        return {type_id: words[loader] for type_id, loader in loaders.items()}

    async def in_words(self, loaders: Iterable[ClassLoaderID]) -> dict[ClassLoaderID, str]:
        """Return each loader in words, "?" for one that is gone, or is not known. wire: 2 trips, 0 when known."""
        wanted = list(dict.fromkeys(loaders))
        nameless = [loader for loader in wanted if loader not in self._names]
        unknown = [loader for loader in nameless if loader not in self._classes]
        replies = await self._conn.batch([object_reference.ReferenceType(loader) for loader in unknown])
        for loader, reply in zip(unknown, replies, strict=True):
            if not isinstance(reply, JdwpError):  # else unloaded in between
                self._classes[loader] = reply.typeID
        classes = {loader: self._classes[loader] for loader in nameless if loader in self._classes}
        known = await self._types.info(classes.values())
        for loader, class_id in classes.items():
            if class_id in known:
                name = known[class_id].name
                self._names[loader] = _USUAL.get(name) or f"{name}@{loader}"
        return {loader: self._names.get(loader, "?") for loader in wanted}

    def told(self, classes: Mapping[ClassLoaderID, ReferenceTypeID]) -> None:
        """Take in the classes of loader objects, so that ``in_words`` need not ask for them. No trip."""
        self._classes.update(classes)

    async def visible(self, type_id: ReferenceTypeID) -> set[ReferenceTypeID]:
        """Return the types that the loader of this one sees: those it, or a parent for it, has loaded by name.

        The boot loader is no object that could be asked: its own classes are known by theirs. wire: 1 to 2 trips.
        """
        loader = (await self._types.facts.many(facts.LOADER, [type_id]))[type_id]
        if not loader:
            everything = [known.id for known in self._types.all_known()]
            return {each for each, own in (await self._types.facts.many(facts.LOADER, everything)).items() if not own}
        reply = await self._conn.request(class_loader_reference.VisibleClasses(loader))
        return {each.typeID for each in reply.classes}
