"""The ``hotswap`` of a session: classes of the target replaced by newer ones.

Owns the order of things: find, compare, redefine all at once, forget what is known of the old code, set breakpoints
again, tell which frames still run it. What the VM refuses changes nothing. The classes as the target runs them are read
over the wire.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence

import trio

from jdbpy.errors import JdwpError, StateError, UsageError
from jdbpy.escape import escape
from jdbpy.record import Record
from jdbpy.session.breakpoints.line_breakpoints import LineBreakpoints
from jdbpy.session.events.redefining import redefine
from jdbpy.session.events.target import Target
from jdbpy.session.extension import Extension
from jdbpy.session.hotswap.differences import (
    FIELD_BITS,
    ClassShape,
    MethodShape,
    ShapeDifference,
    code_rows,
    constants_of,
    differences,
    explained,
    method_bits,
    of_file,
)
from jdbpy.session.hotswap.files import FoundFile, compile_sources, read_all, read_one
from jdbpy.session.inspect.classes import ClassDirectory
from jdbpy.session.java import class_file, signatures
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.refs import NO_LINES, Method, RefType
from jdbpy.session.jvm.types import TypeCache
from jdbpy.session.local.java_home import feature_number
from jdbpy.session.model.breakpoints import BreakpointInfo
from jdbpy.session.model.hotswap import RedefinedClass, Redefinition
from jdbpy.session.model.threads import FrameInfo
from jdbpy.session.sources.local_classes import LocalPaths, allowed_paths, local_class_path, path_of_url
from jdbpy.session.values.stack import StackReader
from jdbpy.wire.ids import ReferenceTypeID
from jdbpy.wire.messages import virtual_machine


async def running_shapes(types: TypeCache, wanted: Sequence[RefType]) -> dict[ReferenceTypeID, ClassShape]:
    """Return what the target runs of these classes. wire: 2 trips, and 1 for ancestors that are not known."""
    ids = [each.id for each in wanted]
    about = (
        facts.METHODS,
        facts.FIELDS,
        facts.MODIFIERS,
        facts.SUPERCLASS,
        facts.INTERFACES,
        facts.CONSTANT_POOL,
        facts.CLASS_FILE_VERSION,
    )
    await types.facts.prefetch(*((fact, ids) for fact in about))
    declared = await types.methods(ids)
    keys = [(type_id, method.id) for type_id, methods in declared.items() for method in methods if method.has_code]
    await types.facts.prefetch((facts.BYTECODES, keys), (facts.LINES, keys), (facts.VARIABLES, keys))
    above = [types.facts.known(facts.SUPERCLASS, each) for each in ids]
    interfaces = [parent for each in ids for parent in types.facts.known(facts.INTERFACES, each) or ()]
    await types.info([each for each in (*above, *interfaces) if each])
    return {each.id: await _shape(types, each) for each in wanted}


async def _shape(types: TypeCache, each: RefType) -> ClassShape:
    """Puts together what is known by now. No trip."""
    pool = types.facts.known(facts.CONSTANT_POOL, each.id)
    version = types.facts.known(facts.CLASS_FILE_VERSION, each.id)
    superclass = types.facts.known(facts.SUPERCLASS, each.id)
    above = await types.info([superclass] if superclass else ())
    interfaces = types.facts.known(facts.INTERFACES, each.id) or ()
    known = await types.info(interfaces)
    fields = types.facts.known(facts.FIELDS, each.id) or ()
    is_interface = bool((types.facts.known(facts.MODIFIERS, each.id) or 0) & signatures.INTERFACE)

    def method_shape(method: Method) -> MethodShape:
        key = (each.id, method.id)
        table = types.facts.known(facts.VARIABLES, key)
        slots = table.slots if table else ()
        return MethodShape(
            method_bits(method.name, method.bits),
            code_rows(types.facts.known(facts.BYTECODES, key) or b"", pool),
            (types.facts.known(facts.LINES, key) or NO_LINES).entries,
            frozenset((slot.code_index, slot.length, slot.name, slot.signature, slot.slot) for slot in slots),
        )

    return ClassShape(
        name=each.signature[1:-1],
        version=version if version is not None else (0, 0),
        access=types.facts.known(facts.MODIFIERS, each.id) or 0,
        superclass="java/lang/Object" if is_interface else "".join(_internal(parent) for parent in above.values()),
        interfaces=tuple(_internal(known[parent]) for parent in interfaces if parent in known),
        fields={(field.name, field.signature): field.bits & FIELD_BITS for field in fields},
        methods={
            (method.name, method.signature): method_shape(method)
            for method in types.facts.known(facts.METHODS, each.id) or ()
        },
        constants=constants_of(pool),
    )


def _internal(each: RefType) -> str:
    return each.signature[1:-1]


class _Replacement(Record):
    """A class of the target, the file that is to replace it, and what differs."""

    type: RefType
    found: FoundFile
    changes: tuple[ShapeDifference, ...]


class HotSwap:
    """Replaces classes of one target."""

    def __init__(
        self,
        target: Target,
        classes: ClassDirectory,
        breakpoints: LineBreakpoints,
        stack: StackReader,
        shared: HotSwap | None = None,
    ) -> None:
        self._target = target
        self._types = target.types
        self._classes = classes
        self._breakpoints = breakpoints
        self._stack = stack
        # what was given to the VM: then that is what it runs
        self._sent: dict[ReferenceTypeID, bytes] = {} if shared is None else shared._sent

    async def redefine(self, class_name: str, file: str) -> Redefinition:
        """Replaces one class by a class file, changed or not; of a name that several loaders have, all of them.

        Without a name it is the class that the file is of.

        Raises UsageError for a class that is not loaded or a file of another class, JdwpError when the VM refuses.
        wire: 5 trips, and 3 a breakpoint in the class.
        """
        self._require()
        found = await trio.to_thread.run_sync(read_one, file)
        name = _java_name(found)
        own = await self._classes.loaded(class_name or name)
        if own.is_array:
            raise UsageError(f"{own.name} is an array type: it has no class file")
        if name != own.name:
            raise UsageError(
                f"{file} is the class {name}, not {own.name}", hint=f"redefine {name} {file}", code="NAMES_DONT_MATCH"
            )
        types = [own] if "@" in class_name else await self._types.by_signature(own.signature)
        return await self._replace(await self._compared(types, [found]), Redefinition(()))

    async def redefine_all(self, path: str) -> Redefinition:
        """Replaces every loaded class that differs from its class file below a directory or in a jar, all in one step.

        Classes are compared by members, code, lines, variables and constants. Raises UsageError without class files,
        JdwpError when the VM refuses one. wire: 6 trips, and 3 a breakpoint in the classes.
        """
        self._require()
        listed = await self._types.all_classes()
        loaded = {each.signature: self._types.learn(each.typeID, each.refTypeTag, each.signature) for each in listed}
        stems = {name[1:-1].rpartition("/")[2] for name in loaded if name[0] == "L"}
        found, names = await trio.to_thread.run_sync(read_all, path, stems)
        matching = _by_signature(each for each in found if f"L{each.file.name};" in loaded)
        types = [
            self._types.learn(each.typeID, each.refTypeTag, each.signature)
            for each in listed
            if each.signature in matching
        ]
        replacements = await self._compared(types, list(matching.values()))
        changed = [each for each in replacements if each.changes]
        known = {each.rpartition(".")[2] for each in map(_java_name, matching.values())}
        result = Redefinition(
            (),
            unchanged=tuple(sorted({each.type.name for each in replacements if not each.changes})),
            not_loaded=tuple(sorted(name for name in names if name not in known)),
        )
        return await self._replace(changed, result)

    async def redefine_sources(self, sources: Sequence[str], class_path: Sequence[str] = ()) -> Redefinition:
        """Compiles source files with a javac of this machine and replaces the classes that are changed by that.

        It is compiled for the release that the class runs as, on what its class loader and those above it read from,
        and the target's class path, unless a path is given: on those entries that may be opened here, which are below
        the working directory, the source path, or where build tools keep libraries; all of a launched target.
        Raises UsageError when it does not compile, JdwpError when the VM refuses.
        wire: as ``redefine_all``, and 3 trips, and some 12 for the class loaders.
        """
        self._require()
        named = await self._named_like(sources)
        paths = LocalPaths(tuple(class_path)) if class_path else await self._class_path(named)
        release = await self._release(named)
        with tempfile.TemporaryDirectory(prefix="jdbpy-") as directory:
            await compile_sources(sources, paths, release, directory)
            done = await self.redefine_all(directory)
        classes = tuple(each.replace(file="") for each in done.classes)  # they are gone with the directory
        return done.replace(classes=classes)

    async def set_again(self, type_ids: Sequence[ReferenceTypeID]) -> None:
        """Set breakpoints again in classes whose code the VM itself has replaced: it has dropped them.

        wire: 3 trips a breakpoint in the classes.
        """
        async with self._target.code_guard.replacing(type_ids):
            self._types.invalidate(type_ids)
            self._stack.forget()
            await self._breakpoints.reinstall(type_ids)

    # -- helpers -----------------------------------------------------------------------------------------------------

    def _require(self) -> None:
        self._target.require_alive()
        self._target.conn.require_allowed(virtual_machine.RedefineClasses)
        if not self._target.can("canRedefineClasses"):
            raise StateError("this VM cannot redefine classes", hint="'version' shows which VM it is")

    async def _compared(self, types: Sequence[RefType], found: Sequence[FoundFile]) -> list[_Replacement]:
        """Return the types with their files and what differs. wire: 2 trips for classes that were not replaced
        before."""
        files = {each.file.name: each for each in found}
        running = await running_shapes(self._types, [each for each in types if each.id not in self._sent])
        replacements = []
        for each in types:
            file = files[each.signature[1:-1]]
            own = self._target.changed_code.original(each.id)
            if own is not None:  # the debugger has put something into what runs
                before, same = of_file(class_file.parse(own)), own == file.data
            elif each.id in self._sent:
                before = of_file(class_file.parse(self._sent[each.id]))
                same = self._sent[each.id] == file.data
            else:
                before, same = running[each.id], False
            changes = [] if same else differences(before, of_file(file.file))
            if each.id in self._sent and not same and not changes:
                changes = [ShapeDifference("attributes")]
            replacements.append(_Replacement(each, file, tuple(changes)))
        return replacements

    async def _replace(self, replacements: Sequence[_Replacement], result: Redefinition) -> Redefinition:
        """Redefines the classes in one command and puts in order what hung on their old code."""
        if not replacements:
            return result
        ids = [each.type.id for each in replacements]
        async with self._target.code_guard.replacing(ids):
            stood = await self._replace_code(replacements)
        names = ", ".join(escape(each.type.name) for each in replacements)
        self._target.tell_others("classes-redefined", f"redefined: {names}")
        return Redefinition(
            classes=tuple(
                RedefinedClass(
                    each.type.name, each.type.id, each.found.path, tuple(change.text for change in each.changes)
                )
                for each in replacements
            ),
            unchanged=result.unchanged,
            not_loaded=result.not_loaded,
            obsolete=await self._obsolete(set(ids)),
            lost=tuple(point for point in self._breakpoints.list() if point.number in stood and not point.resolved),
        )

    async def _replace_code(self, replacements: Sequence[_Replacement]) -> list[int]:
        """Redefine the classes and set breakpoints again; return the numbers of those that stood there."""
        definitions = [virtual_machine.ClassDef(each.type.id, each.found.data) for each in replacements]
        ids = [each.type.id for each in replacements]
        await self._breakpoints.before_redefinition(ids)
        try:
            await redefine(self._target, definitions)
        except JdwpError as error:
            by_class = {each.type.name: each.changes for each in replacements}
            raise explained(error, by_class, [of_file(each.found.file) for each in replacements]) from None
        self._sent.update({each.type.id: each.found.data for each in replacements})
        for extension in self._target.extensions.of(Extension.hot_swapped):
            for each in replacements:
                await extension.hot_swapped(each.type.id, each.found.data)
        self._types.invalidate(ids)
        self._stack.forget()
        stood = [point.number for point in self._breakpoints.list() if _stands_in(point, set(ids))]
        await self._breakpoints.reinstall(ids)
        return stood

    async def _obsolete(self, ids: set[ReferenceTypeID]) -> tuple[FrameInfo, ...]:
        """Frames of held threads that run what was replaced. wire: 2 trips, none when nothing is held."""
        if not self._target.suspension.anything_held:
            return ()
        traces = await self._stack.all()
        frames = (frame for trace in traces for frame in trace.frames)
        return tuple(frame for frame in frames if frame.obsolete and frame.location.type_id in ids)

    async def _named_like(self, sources: Sequence[str]) -> list[ReferenceTypeID]:
        """Return the loaded classes that are called like one of the files. wire: 1 trip."""
        stems = {os.path.basename(source).partition(".")[0] for source in sources}
        listed = await self._types.all_classes()
        return [
            each.typeID for each in listed if each.signature.removesuffix(";").lstrip("L").rpartition("/")[2] in stems
        ]

    async def _class_path(self, named: Sequence[ReferenceTypeID]) -> LocalPaths:
        """Return what the loaders of the classes read from, then the target's class path. wire: as ``Origins``."""
        from jdbpy.session.inspect.class_origin import Origins

        own = await local_class_path(self._target)
        origins = Origins(self._target)
        loaders = (await self._types.facts.many(facts.LOADER, named)).values()
        urls = [url for loader in dict.fromkeys(loaders) for url in await origins.read_from(loader)]
        told = dict.fromkeys(path for path in map(path_of_url, urls) if path)
        found = await allowed_paths(self._target, list(told))
        used = dict.fromkeys(path.rstrip(os.sep) for path in (*found.used, *own.used))
        return LocalPaths(tuple(used), tuple(dict.fromkeys((*found.left_out, *own.left_out))))

    async def _release(self, named: Sequence[ReferenceTypeID]) -> int:
        """Return the Java release of the newest of the classes; the target's, if there is none. wire: 1 trip."""
        versions = await self._types.facts.many(facts.CLASS_FILE_VERSION, named)
        releases = [version[0] - 44 for version in versions.values() if version]
        return max(releases, default=feature_number(self._target.info.version))


def _by_signature(found: Iterable[FoundFile]) -> dict[str, FoundFile]:
    """Return the files by the JNI signature of their class. Raises UsageError when two of one class differ."""
    chosen: dict[str, FoundFile] = {}
    for each in found:
        other = chosen.setdefault(f"L{each.file.name};", each)
        if other.data != each.data:
            raise UsageError(
                f"there are two files of {_java_name(each)} that differ: {other.path} and {each.path}",
                hint="name the directory of those that are wanted",
            )
    return chosen


def _stands_in(point: BreakpointInfo, ids: set[ReferenceTypeID]) -> bool:
    return any(place.type_id in ids for place in point.resolved)


def _java_name(found: FoundFile) -> str:
    return found.file.name.replace("/", ".")
