"""Classes and their members: what a class is, its methods and fields, its lines with code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from jdbpy.json_form import HIDDEN, Json
from jdbpy.record import Record


class MethodInfo(Record):
    """A method of a loaded class. ``id`` is its JDWP method id."""

    json_name = "method"

    id: Annotated[int, HIDDEN]
    name: str
    signature: str
    generic: Annotated[str, Json(optional=True)]
    modifiers: str  # as in source, "public static"
    modifier_bits: Annotated[int, HIDDEN]
    class_name: Annotated[str, Json(key="class")]
    type_id: Annotated[int, HIDDEN]
    parameters: Annotated[tuple[str, ...], "their types"]
    returns: str


class FieldInfo(Record):
    """A field of a loaded class. ``id`` is its JDWP field id, valid only with ``type_id``."""

    json_name = "field"

    id: Annotated[int, HIDDEN]
    name: str
    signature: str
    generic: Annotated[str, Json(optional=True)]
    type: str
    modifiers: str
    modifier_bits: Annotated[int, HIDDEN]
    class_name: Annotated[str, Json(key="class")]
    type_id: Annotated[int, HIDDEN]


class ClassInfo(Record):
    """A loaded reference type in a line."""

    json_name = "class"

    id: int
    name: str
    kind: Annotated[str, "class, interface or array"]
    signature: str
    generic: Annotated[str, "its generic signature"] = ""
    status: Annotated[str, "verified, prepared, initialized"] = ""
    loader: str | None = None  # None when it was not asked for, "bootstrap" for the boot loader


class ClassDetail(Record):
    """All that ``class NAME`` shows."""

    info: Annotated[ClassInfo, Json(key="class")]
    modifiers: str
    superclass: str | None
    superclasses: Annotated[tuple[str, ...], "up to java.lang.Object"]
    interfaces: tuple[str, ...]
    subclasses: tuple[str, ...]
    nested: tuple[str, ...]
    source: str | None
    loader: str
    class_file_version: Annotated[str, "with the release: `61.0, Java 17`"] = ""
    module: str = ""
    declaration: Annotated[
        str, Json('as in source: "public final class com.acme.Basket<T extends java.lang.Number>"', optional=False)
    ] = ""
    generic_superclass: Annotated[str, "with its type arguments, where the class file has them"] = ""
    generic_interfaces: Annotated[tuple[str, ...], "with their type arguments"] = ()
    loader_name: Annotated[str, "what the loader's maker called it"] = ""
    loader_parents: Annotated[tuple[str, ...], "the loaders above it, nearest first"] = ()
    code_source: Annotated[str, "URL of the directory or archive that it came from"] = ""
    code_source_candidates: Annotated[tuple[str, ...], "what that may be, when it is not certain"] = ()
    unknown: Annotated[tuple[str, ...], "what the JVM did not give, and why"] = ()


class LineEntry(Record):
    """One code location of a source line."""

    json_name = "line"

    line: int
    method: str
    signature: str
    code_index: int
    source: Annotated[str, "the file, when it is not the class's own: of inlined code"] = ""
    parameters: Annotated[tuple[str, ...], HIDDEN] = ()  # the types of the method's


class KnownNames(Record):
    """Names that are known without asking the target, for completion. Members are by the full name of their class."""

    classes: tuple[str, ...]
    methods: Mapping[str, tuple[str, ...]]
    fields: Mapping[str, tuple[str, ...]]
    sources: tuple[str, ...]
