"""The origin of a class: its loader with the loaders above it, and the directory or archive that it was read from.

Owns the names of the fields that tell. Reading runs nothing; only where fields leave several archives open, and a
thread can run methods, ``getProtectionDomain`` is called.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress

from jdbpy.errors import JdbpyError, JdwpError, Thrown
from jdbpy.record import Record
from jdbpy.session.eval.target import Ref
from jdbpy.session.eval.utility_calls import CallRunner
from jdbpy.session.events.target import Target
from jdbpy.session.java.signatures import signature_of
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.reading import gather, read_both
from jdbpy.session.jvm.refs import Field
from jdbpy.session.sources.local_classes import allowed_paths, path_of_url
from jdbpy.session.values.obj import find_fields, named_fields
from jdbpy.session.values.objects import Objects, Viewer
from jdbpy.session.values.reader import SHAPE_FACTS, Reader
from jdbpy.session.values.shown import Entries, Items, UnknownLayout
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import ClassLoaderID, ObjectID, ReferenceTypeID, TaggedValue
from jdbpy.wire.messages import reference_type
from jdbpy.wire.messages.virtual_machine import ClassInfoWithGeneric

_MOST_LOADERS = 20
_MOST_SOURCES = 200
_NAMES = 200
_GETTER = "()Ljava/security/ProtectionDomain;"


_TELLING = frozenset(
    f"L{name};"
    for name in (
        "java/lang/Class",
        "java/lang/ClassLoader",
        "java/net/URL",
        "java/net/URLClassLoader",
        "java/security/CodeSource",
        "java/security/ProtectionDomain",
        "java/security/SecureClassLoader",
        "java/security/SecureClassLoader$CodeSourceKey",
        "java/util/concurrent/ConcurrentHashMap",
        "java/util/concurrent/ConcurrentHashMap$Node",
        "jdk/internal/loader/BuiltinClassLoader",
        "jdk/internal/loader/ClassLoaders$AppClassLoader",
        "jdk/internal/loader/ClassLoaders$BootClassLoader",
        "jdk/internal/loader/ClassLoaders$PlatformClassLoader",
    )
)
"""The classes whose fields usually have to be known."""


class Origin(Record):
    """``loader_name`` is what its maker called it; ``parents`` are the loaders above it, nearest first, as ids, 0 the
    bootstrap loader. ``code_source`` is a URL, "" when it is not known; ``candidates`` are then what it may be.
    """

    loader_name: str = ""
    parents: tuple[int, ...] = ()
    code_source: str = ""
    candidates: tuple[str, ...] = ()


class Origins:
    """The origins of one target's classes; what is once known of a loader or a protection domain is kept."""

    FACTS = SHAPE_FACTS
    """The facts of the ``expected`` classes that are to be learned."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._reader = Objects.of(target).reader
        self._loaders: dict[int, tuple[str, tuple[int, ...]]] = {}
        self._urls: dict[int, str] = {}
        self._origins: dict[ReferenceTypeID, Origin] = {}

    def expected(self, listed: Iterable[ClassInfoWithGeneric]) -> list[ReferenceTypeID]:
        """Classes out of the list of all whose fields ``read`` is going to ask for. No trip."""
        found = [each for each in listed if each.signature in _TELLING]
        known = [self._target.types.learn(each.typeID, each.refTypeTag, each.signature) for each in found]
        self._reader.cache_boot_classes(each for each in known if each.name.startswith("java."))
        return [each.id for each in known]

    def classes_of(self, loaders: Iterable[ClassLoaderID]) -> dict[ClassLoaderID, ReferenceTypeID]:
        """Return the classes of loaders, as far as they were asked for on the way. No trip."""
        known = {loader: self._reader.known_type(loader) for loader in loaders if loader}
        return {loader: type_id for loader, type_id in known.items() if type_id is not None}

    async def read(self, type_id: ReferenceTypeID, loader: int, runner: CallRunner | None) -> Origin:
        """Return the origin of a class that ``loader`` has defined.

        wire: some 9 trips, 6 when the loader is known, none when the class is and for the bootstrap loader's.
        """
        if not loader:
            return Origin()
        if type_id in self._origins:
            return self._origins[type_id]
        origin = await self._reader.run(self._read(type_id, loader))
        if (
            len(origin.candidates) > 1
            and runner is not None
            and runner.possible
            and (called := await self._call(runner, type_id))
        ):
            origin = Origin(origin.loader_name, origin.parents, called)
        if not origin.candidates:
            self._origins[type_id] = origin
        return origin

    async def read_from(self, loader: int) -> list[str]:
        """URLs that a loader and those above it read classes from, as far as their fields tell, the nearest first.

        wire: some 12 trips.
        """
        return await self._reader.run(self._read_from(loader)) if loader else []

    async def _read_from(self, loader: int) -> list[str]:
        _, parents = await self._about(loader)
        chain = [loader, *(each for each in parents if each)]
        found = await gather([read_both(self._url_path(each), self._cached_sources(each)) for each in chain])
        return list(dict.fromkeys(url for parts in found for urls in parts for url in urls))

    async def _url_path(self, loader: int) -> list[str]:
        """Return the URLs of a URLClassLoader, or of a loader of the JDK."""
        try:
            [search] = await named_fields(self._reader, loader, ("ucp",))
            if not search.value:
                return []
            [path] = await named_fields(self._reader, int(search.value or 0), ("path",))
            viewer = Viewer(self._reader, Objects.of(self._target).views, _NAMES)
            shown = await viewer.show(int(path.value), _MOST_SOURCES) if path.value else None
            urls = [each for each in shown.items if each.value] if isinstance(shown, Items) else []
            return await gather([_url_in_words(self._reader, int(each.value or 0)) for each in urls])
        except (UnknownLayout, JdwpError):
            return []

    async def _read(self, type_id: ReferenceTypeID, loader: int) -> Origin:
        (name, parents), sources = await read_both(self._about(loader), self._sources(type_id, loader))
        only = sources[0] if len(sources) == 1 else ""
        return Origin(name, parents, only, () if only else tuple(sources))

    async def _about(self, loader: int) -> tuple[str, tuple[int, ...]]:
        """Return the loader's name and the loaders above it."""
        if loader in self._loaders:
            return self._loaders[loader]
        name, called, current = "", TaggedValue(Tag.OBJECT, ObjectID(0)), loader
        parents: list[int] = []
        try:
            while current and len(parents) < _MOST_LOADERS:
                above, own_name = await named_fields(self._reader, current, ("parent", "name"))
                called = own_name if current == loader else called
                current = int(above.value or 0)
                parents.append(current)
            name = await _text(self._reader, called)
        except (UnknownLayout, JdwpError):
            pass  # loaders have no names before Java 9; or it was unloaded meanwhile
        self._loaders[loader] = name, tuple(parents)
        return self._loaders[loader]

    async def _sources(self, type_id: ReferenceTypeID, loader: int) -> list[str]:
        """Return the URL of the class's code source; of all that its loader has read from, where the class does not
        tell."""
        try:
            [field] = await _fields(self._reader, "java.lang.Class", "protectionDomain")  # Java 25
            class_object = (await self._reader.request(reference_type.ClassObject(type_id))).classObject
            [domain] = await self._reader.fields(int(class_object), [field])
            return [url] if (url := await self._url(domain)) else []
        except (UnknownLayout, JdwpError):
            return await self._cached_sources(loader)

    async def _cached_sources(self, loader: int) -> list[str]:
        """Return the URLs of all code sources that a SecureClassLoader has met."""
        try:
            [known] = await named_fields(self._reader, loader, ("pdcache",))  # of every SecureClassLoader
            viewer = Viewer(self._reader, Objects.of(self._target).views, _NAMES)
            shown = await viewer.show(int(known.value), _MOST_SOURCES) if known.value else None
            domains = [value for _, value in shown.entries] if isinstance(shown, Entries) else []
            return sorted({url for url in await gather([self._url(each) for each in domains]) if url})
        except (UnknownLayout, JdwpError):
            return []

    async def _url(self, domain: TaggedValue) -> str:
        """Return what ``domain.getCodeSource().getLocation()`` would print."""
        key = int(domain.value or 0)
        if key and key not in self._urls:
            self._urls[key] = await _url_of_domain(self._reader, key)
        return self._urls.get(key, "")

    async def _call(self, runner: CallRunner, type_id: ReferenceTypeID) -> str:
        """Return the URL by running ``getProtectionDomain`` of the class object; "" when that fails."""
        try:
            async with runner.calls("the code source") as calls:
                class_object = await self._target.conn.request(reference_type.ClassObject(type_id))
                domain = await calls.call(
                    Ref(class_object.classObject, Tag.CLASS_OBJECT), "java.lang.Class", "getProtectionDomain", _GETTER
                )
                if not isinstance(domain, Ref):
                    return ""
                return await self._reader.run(self._url(TaggedValue(Tag.OBJECT, ObjectID(domain.id))))
        except (JdbpyError, Thrown, UnknownLayout):
            return ""


async def paths_of(target: Target, class_name: str) -> tuple[str, ...]:
    """Archives and directories of this machine that the classes of a name came from, as far as they may be opened.

    Where a class does not tell, all that its loader has read from. wire: some 11 trips, 2 for a known loader.
    """
    origins = target.part(Origins, Origins)
    found = await target.types.by_signature(signature_of(class_name))
    loaders = await target.types.facts.many(facts.LOADER, [each.id for each in found])
    urls: list[str] = []
    for each in found:
        with suppress(JdbpyError):
            origin = await origins.read(each.id, loaders.get(each.id) or 0, None)
            urls += [origin.code_source] if origin.code_source else origin.candidates
    told = dict.fromkeys(path.rstrip(os.sep) for path in map(path_of_url, urls) if path)
    return (await allowed_paths(target, list(told))).used


async def _url_of_domain(reader: Reader, domain: int) -> str:
    [source] = await _declared(reader, "java.security.ProtectionDomain", domain, "codesource")
    if not source.value:
        return ""
    [location] = await _declared(reader, "java.security.CodeSource", int(source.value), "location")
    if not location.value:
        return ""
    return await _url_in_words(reader, int(location.value))


async def _url_in_words(reader: Reader, url: int) -> str:
    parts = await _declared(reader, "java.net.URL", url, "protocol", "authority", "file")
    protocol, authority, file = await gather([_text(reader, part) for part in parts])
    return f"{protocol}:{f'//{authority}' if authority else ''}{file}"


async def _text(reader: Reader, value: TaggedValue) -> str:
    return await reader.text(int(value.value)) if value.value else ""


async def _declared(reader: Reader, class_name: str, object_id: int, *names: str) -> list[TaggedValue]:
    """Fields that a class of the JDK declares, of an object that came out of a field of that type."""
    return await reader.fields(object_id, await _fields(reader, class_name, *names))


async def _fields(reader: Reader, class_name: str, *names: str) -> list[Field]:
    """Instance fields that a class of the JDK declares. Raises UnknownLayout."""
    shape = await reader.boot_class(class_name)
    if shape is None:
        raise UnknownLayout(f"{class_name} is not loaded")
    return await find_fields(reader, shape, names)
