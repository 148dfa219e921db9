"""Classes, their members and loaders as plain data for front ends: from the agent's words to Java's.

Pure, but for the names of loaders: "bootstrap", "platform", "app", or the loader's class with its object id. Nothing is
invoked for them: a loader's own ``getName()`` is not asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from jdbpy.errors import JdwpError
from jdbpy.session.java import signatures
from jdbpy.session.java.generics import generic_class, generic_method, source_type
from jdbpy.session.model.classes import ClassInfo, FieldInfo, MethodInfo
from jdbpy.session.target import facts
from jdbpy.session.target.refs import Field, Method, RefType
from jdbpy.session.target.types import TypeCache
from jdbpy.wire.connection import Connection
from jdbpy.wire.ids import ClassLoaderID, ReferenceTypeID
from jdbpy.wire.messages import class_loader_reference, object_reference


def declaration(info: ClassInfo, bits: int, superclass: str | None) -> str:
    """Return how the class is declared, "public final record com.acme.Point<T>"; "synthetic" when the
    compiler made it.
    """
    words = signatures.class_modifiers(bits)
    if superclass == "java.lang.Record":
        words = f"{words.replace('final', '')} record"
    elif info.kind == "class" and not bits & signatures.ENUM:
        words = f"{words} class"
    elif info.kind == "array":
        words = ""
    generic = generic_class(info.generic)
    parameters = f"<{', '.join(generic.parameters)}>" if generic and generic.parameters else ""
    return " ".join(f"{words} {info.name}{parameters}".split())


def method_info(declaring: RefType, method: Method) -> MethodInfo:
    """Return a method with its types as in source, generic ones where the class file has them."""
    generic = generic_method(method.generic)
    parameters, returns = method.parameters, method.returns
    if generic is not None and len(generic.parameters) == len(parameters):  # inner classes' constructors hide some
        parameters, returns = generic.parameters, generic.returns
        if method.is_varargs and parameters:
            parameters = (*parameters[:-1], parameters[-1].removesuffix("[]") + "...")
    return MethodInfo(
        id=method.id,
        name=method.name,
        signature=method.signature,
        generic=method.generic,
        modifiers=signatures.method_modifiers(method.bits),
        modifier_bits=method.bits,
        class_name=declaring.name,
        type_id=method.type_id,
        parameters=parameters,
        returns=returns,
    )


def field_info(declaring: RefType, field: Field) -> FieldInfo:
    """Return a field with its type as in source."""
    return FieldInfo(
        id=field.id,
        name=field.name,
        signature=field.signature,
        generic=field.generic,
        type=source_type(field),
        modifiers=signatures.field_modifiers(field.bits),
        modifier_bits=field.bits,
        class_name=declaring.name,
        type_id=field.type_id,
    )


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
