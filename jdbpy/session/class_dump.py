"""The component ``session.class_dump``: the class files of what a target runs, in files here.

Owns where the bytes come from. A class loader gives its own class file as a resource, without any transformer; it
counts if it is what runs, member by member and instruction by instruction. Where it is not, as behind an agent that has
changed the class, or where there is none, a class file is made of what the debugging agent tells of what runs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

import trio

from jdbpy.errors import JdbpyError, JdwpError, StateError, UsageError
from jdbpy.files import open_private
from jdbpy.session.eval.target import Ref
from jdbpy.session.eval.utility_calls import TRIES, CallRunner, UtilityCalls, is_collected, on, reading
from jdbpy.session.events.target import Target
from jdbpy.session.hotswap.differences import ClassShape, differences, of_file
from jdbpy.session.hotswap.hotswap import running_shapes
from jdbpy.session.in_target.class_files import MOST_BYTES, running_class_file
from jdbpy.session.inspect.class_list import class_list
from jdbpy.session.java.class_file import MalformedClassFile, parse
from jdbpy.session.java.edit.class_parts import PoolFull
from jdbpy.session.java.edit.rebuilt import KnownClass, KnownMember, class_file_of
from jdbpy.session.java.signatures import signature_of
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.loaders import Loaders
from jdbpy.session.jvm.refs import NO_LINES, RefType
from jdbpy.session.model.operating import ClassesDumped, DumpedClass
from jdbpy.wire.ids import ReferenceTypeID
from jdbpy.wire.messages import reference_type, virtual_machine

MOST = 5_000
"""Classes that are written at once."""

_AT_ONCE = 32
"""Classes of which all is asked for in one wave."""

_CLASS = "java.lang.Class"
_INPUT = "java.io.InputStream"

Progress = Callable[[int, int], None]
"""Called with the classes that are written, and how many there are."""


class ClassDump:
    """Class files of one target. Methods that give those of loaders need a thread that can run them."""

    def __init__(self, target: Target, runner: CallRunner) -> None:
        self._target = target
        self._runner = runner
        self._loaders = Loaders(target.conn, target.types)

    async def of_loader(self, class_name: str) -> bytes:
        """Return the class file that the loader of a class has, if it is what runs; b"" if not, or if no method can be
        run. wire: some 20 trips."""
        types = await self._target.types.by_signature(signature_of(class_name))
        with suppress(JdbpyError):
            for each, data in (await self._of_loaders(types)).items():
                shapes = await running_shapes(self._target.types, [each])
                if not _why_not(shapes[each.id], data):
                    return data
        return b""

    async def dump(self, pattern: str, directory: str, *, on_progress: Progress | None = None) -> ClassesDumped:
        """Write the class files of the loaded classes that a pattern fits below a directory, by their packages.

        Of several classes of one name, all but the first stand in directories of their loaders. Files that are there
        are written anew. Raises UsageError where no class fits, more than ``MOST`` do, or a file cannot be written.
        wire: some 15 trips for 32 classes.
        """
        self._target.require_alive()
        listed = (await self._target.conn.request(virtual_machine.AllClassesWithGeneric())).classes
        self._target.cache_all(listed)
        ids = [ReferenceTypeID(each.id) for each in class_list(listed, pattern, None) if not each.name.endswith("]")]
        if not ids:
            raise UsageError(f"no loaded class fits '{pattern}'", hint="'classes' lists them", code="NO_SUCH_CLASS")
        if len(ids) > MOST:
            raise UsageError(f"{len(ids):,} classes fit '{pattern}', and {MOST:,} are written at most")
        known = await self._target.types.info(ids)
        types = [known[each] for each in ids if each in known]
        written: list[DumpedClass] = []
        failed: list[tuple[str, str]] = []
        taken: set[str] = set()
        for start in range(0, len(types), _AT_ONCE):
            some = types[start : start + _AT_ONCE]
            loaders = await self._loaders.names([each.id for each in some])
            for each, (data, how, note) in (await self._files(some)).items():
                if not data:
                    failed.append((each.name, note))
                    continue
                path = _path(directory, each.name, loaders.get(each.id, ""), taken)
                await trio.to_thread.run_sync(_write, path, data)
                written.append(DumpedClass(each.name, loaders.get(each.id, ""), path, len(data), how, note))
            if on_progress is not None:
                on_progress(min(start + _AT_ONCE, len(types)), len(types))
        return ClassesDumped(directory, tuple(written), tuple(failed))

    async def _files(self, types: Sequence[RefType]) -> dict[RefType, tuple[bytes, str, str]]:
        """Return the class file of each, where it is from, and what there is to say of it."""
        try:
            given, why = await self._of_loaders(types), "its loader has no class file"
        except StateError as error:
            given, why = await self._of_this_machine(types), error.message
        shapes = await running_shapes(self._target.types, types)
        found: dict[RefType, tuple[bytes, str, str]] = {}
        for each in types:
            data = self._target.changed_code.original(each.id) or given.get(each, b"")
            differs = _why_not(shapes[each.id], data) if data else why
            if data and (not differs or data is not given.get(each)):
                found[each] = data, "loader", ""
                continue
            try:
                found[each] = await self._rebuilt(each), "rebuilt", differs
            except (JdbpyError, PoolFull) as error:
                why_not = error.message if isinstance(error, JdbpyError) else error
                found[each] = b"", "", f"{differs}, and {why_not}"
        return found

    async def _of_this_machine(self, types: Sequence[RefType]) -> dict[RefType, bytes]:
        """Return the class files that may be opened here, where no method can be run."""
        found: dict[RefType, bytes] = {}
        for each in types:
            with suppress(JdbpyError):
                found[each] = await running_class_file(self._target, each.name)
        return found

    async def _of_loaders(self, types: Sequence[RefType]) -> dict[RefType, bytes]:
        """Return what the loaders of classes have as their class files. wire: some 10 trips.

        A stream, or what was read of it, may be collected before it is kept: then another one is read.
        """
        found: dict[RefType, bytes] = {}
        async with self._runner.calls("reading class files of the target") as calls:
            left = list(types)
            for _ in range(TRIES):
                left = await self._read(calls, left, found)
                if not left:
                    break
        return found

    async def _read(self, calls: UtilityCalls, types: Sequence[RefType], found: dict[RefType, bytes]) -> list[RefType]:
        """Read the class files of classes into ``found``; return the classes whose files are to be read once more."""
        objects = await calls.class_objects([int(each.id) for each in types])
        get = "(Ljava/lang/String;)Ljava/io/InputStream;"
        names = [f"{each.name.rpartition('.')[2]}.class" for each in types]
        streams = await calls.outcomes(
            *(
                on(of, _CLASS, "getResourceAsStream", get, name)
                for of, name in zip(objects, await calls.strings(names), strict=True)
            )
        )
        there = [(each, stream) for each, stream in zip(types, streams, strict=True) if isinstance(stream, Ref)]
        arrays = await calls.outcomes(*(reading(calls.release, stream, MOST_BYTES + 1) for _, stream in there))
        again = [each for (each, _), array in zip(there, arrays, strict=True) if is_collected(array)]
        read = [(each, array) for (each, _), array in zip(there, arrays, strict=True) if isinstance(array, Ref)]
        lengths = await calls.lengths([array for _, array in read])
        for (each, array), size in zip(read, lengths, strict=True):
            if not size:  # no class file is empty: the stream was closed by its finalizer
                again.append(each)
            elif size <= MOST_BYTES:
                found[each] = await calls.data(array, size)
        await calls.outcomes(*(on(stream, _INPUT, "close", "()V") for _, stream in there))
        return again

    async def _rebuilt(self, of: RefType) -> bytes:
        """Return a class file made of what the agent tells. wire: 2 trips for what is not known yet."""
        types, key = self._target.types, of.id
        [pool] = await self._target.conn.batch([reference_type.ConstantPool(key)])
        if isinstance(pool, JdwpError):
            raise StateError("this JVM does not tell its constants", code="NOT_AVAILABLE")
        await types.facts.prefetch((facts.SOURCE_FILE, [key]), lenient=True)

        version = types.facts.known(facts.CLASS_FILE_VERSION, key)
        source = types.facts.known(facts.SOURCE_FILE, key)
        superclass = types.facts.known(facts.SUPERCLASS, key)
        above = await types.info(
            [each for each in (superclass, *(types.facts.known(facts.INTERFACES, key) or ())) if each]
        )
        names: Mapping[ReferenceTypeID, str] = {number: each.signature[1:-1] for number, each in above.items()}
        code = [each for each in types.facts.known(facts.METHODS, key) or () if each.has_code]
        tables = {
            each.id: [(slot.code_index, slot.length, slot.name, slot.signature, slot.slot) for slot in table.slots]
            for each in code
            if (table := types.facts.known(facts.VARIABLES, (key, each.id)))
        }
        methods = [
            KnownMember(
                each.name,
                each.signature,
                each.bits,
                each.generic,
                types.facts.known(facts.BYTECODES, (key, each.id)) or b"",
                [] if not each.has_code else (types.facts.known(facts.LINES, (key, each.id)) or NO_LINES).entries,
                tables.get(each.id, []),
            )
            for each in types.facts.known(facts.METHODS, key) or ()
        ]
        fields = [
            KnownMember(each.name, each.signature, each.bits, each.generic)
            for each in types.facts.known(facts.FIELDS, key) or ()
        ]
        return class_file_of(
            KnownClass(
                of.signature[1:-1].replace(".", "+"),
                names.get(superclass, "java/lang/Object") if superclass else "java/lang/Object",
                [names[each] for each in types.facts.known(facts.INTERFACES, key) or () if each in names],
                types.facts.known(facts.MODIFIERS, key) or 0,
                version or (52, 0),
                source or "",
                pool.count,
                bytes(pool.bytes),
                fields,
                methods,
            )
        )


def _why_not(running: ClassShape, data: bytes) -> str:
    """Return why a class file is not what runs; "" if it is."""
    try:
        found = differences(running, of_file(parse(data)))
    except MalformedClassFile:
        return "what its loader gives is no class file"
    return f"its loader's class file is not what runs ({found[0].text})" if found else ""


def _path(directory: str, name: str, loader: str, taken: set[str]) -> str:
    """Return the file for a class. No part of the name leads anywhere else, whatever the target says."""
    parts = [_safe(each) for each in name.split(".")]
    path = os.path.join(directory, *parts) + ".class"
    if path in taken:
        path = os.path.join(directory, _safe(loader.replace(".", "_")), *parts) + ".class"
    number = 2
    base = path
    while path in taken:
        path = f"{base.removesuffix('.class')}-{number}.class"
        number += 1
    taken.add(path)
    return path


def _safe(part: str) -> str:
    made = "".join(each if each.isprintable() and each not in '/\\:*?"<>|' else "_" for each in part)[:200]
    return made if made.strip(". ") else f"_{made}"


def _write(path: str, data: bytes) -> None:
    """Write a private file, and the directories above it that are not there. Raises UsageError."""
    try:
        os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
        with open(open_private(path), "wb") as file:
            file.write(data)
    except OSError as error:
        raise UsageError(
            f"cannot write {path}: {error.strerror}", hint="name a directory of your own", code="FILE"
        ) from error
