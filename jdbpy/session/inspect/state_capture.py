"""Takes a moment of a JVM: what can be compared with another one.

Owns what is read for it, and that a running target is suspended only while stacks are read. Nothing runs in the target
but for flags, which HotSpot gives by a method only.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import nullcontext
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import trio

from jdbpy.errors import Disconnected, JdbpyError, JdwpError, UsageError
from jdbpy.session.java.class_names import name_in_any_jvm
from jdbpy.session.model.moments import DEFAULT, SECTIONS, ClassVersion, Moment, StackCount
from jdbpy.wire.messages import method, reference_type

if TYPE_CHECKING:
    from jdbpy.session.events.target import Target
    from jdbpy.session.inspect.classes import ClassDirectory
    from jdbpy.session.inspect.heap import HeapReader
    from jdbpy.session.inspect.vm import VmReader
    from jdbpy.session.model.threads import FrameInfo
    from jdbpy.session.values.stack import StackReader

AT_ONCE = 100
"""Classes whose code is asked for side by side: what is left to the target to answer when this is cancelled."""

_INTERVAL = 0.5

MOST_CLASSES = 1_000_000

_OF_THE_JDK = re.compile(r"(java|javax|jdk|sun|com\.sun|org\.ietf|org\.xml\.sax|org\.w3c\.dom)\.")
_MADE_AT_RUN_TIME = re.compile(
    r"/|\$\$Lambda|\$Proxy\d|GeneratedMethodAccessor\d|GeneratedConstructorAccessor\d|LambdaForm"
)
_NATIVE_OR_ABSTRACT = 0x0100 | 0x0400


class Moments:
    """Component ``session.moments``."""

    def __init__(
        self, target: Target, stack: StackReader, classes: ClassDirectory, heap: HeapReader, vm: VmReader
    ) -> None:
        self._target = target
        self._stack = stack
        self._classes = classes
        self._heap = heap
        self._vm = vm

    async def take(
        self, sections: Sequence[str] = DEFAULT, *, on_progress: Callable[[str], None] | None = None
    ) -> Moment:
        """Return a moment with these ``SECTIONS``; one that cannot be read is left out, and ``missing`` says why.

        ``threads``: stacks, for which a running target is suspended and resumed. ``classes``: all loaded classes but
        those made at run time, those of the program with a checksum of their code. ``properties``, ``flags``: texts;
        flags are read by methods that are run there. ``histogram``: instances by class. Raises UsageError for
        another section, Disconnected. ``on_progress`` is told every half a second how far it is, in words. wire: 3
        trips for stacks, 2 and 2 for each 100 classes of the program.
        """
        unknown = [each for each in sections if each not in SECTIONS]
        if unknown:
            raise UsageError(f"'{unknown[0]}' is not one of {', '.join(SECTIONS)}")
        self._target.require_alive()
        readers: dict[str, Callable[[], Awaitable[object]]] = {
            "threads": self._threads,
            "classes": lambda: self._versions(on_progress),
            "properties": self._properties,
            "flags": self._flags,
            "histogram": self._histogram,
        }
        found: dict[str, Any] = {}
        missing: dict[str, str] = {}
        for section in dict.fromkeys(sections):
            try:
                found[section] = await readers[section]()
            except Disconnected:
                raise
            except JdbpyError as error:
                missing[section] = error.message
        info = self._target.info
        return Moment(info.address, info.name, info.version, time.time(), missing=missing, **found)

    async def _threads(self) -> tuple[StackCount, ...]:
        with nullcontext() if self._target.suspension.everything_held else self._target.frozen():
            groups = await self._stack.folded()
        return tuple(
            StackCount(
                tuple(map(_frame, group.frames)) or (f"({group.error or 'no frames'})",),
                tuple(thread.name for thread in group.threads),
            )
            for group in groups
        )

    async def _versions(self, on_progress: Callable[[str], None] | None) -> tuple[ClassVersion, ...]:
        listed = await self._classes.list()
        wanted = [
            each
            for each in listed
            if each.kind != "array" and not _MADE_AT_RUN_TIME.search(each.name) and "prepared" in str(each.status)
        ][:MOST_CLASSES]
        checksums: dict[int, str] = {}
        own = [each.id for each in wanted if not _OF_THE_JDK.match(each.name)]
        told = trio.current_time()
        for first in range(0, len(own), AT_ONCE):
            if on_progress is not None and trio.current_time() - told >= _INTERVAL:
                told = trio.current_time()
                on_progress(f"the code of {first:,} of {len(own):,} classes")
            checksums.update(await self._checksums(own[first : first + AT_ONCE]))
        return tuple(ClassVersion(each.name, checksums.get(each.id, "")) for each in wanted)

    async def _checksums(self, type_ids: Sequence[int]) -> dict[int, str]:
        """Return what the code of classes comes to; a class that is unloaded meanwhile has none. wire: 2 trips."""
        conn = self._target.conn
        ids: list[Any] = list(type_ids)
        asked: list[Any] = [*map(reference_type.ConstantPool, ids), *map(reference_type.MethodsWithGeneric, ids)]
        replies = await conn.batch(asked)
        pools, members = replies[: len(ids)], replies[len(ids) :]
        methods = [
            (type_id, each)
            for type_id, reply in zip(ids, members, strict=True)
            if not isinstance(reply, JdwpError)
            for each in reply.declared
        ]
        with_code = [(type_id, each) for type_id, each in methods if not each.modBits & _NATIVE_OR_ABSTRACT]
        codes = await conn.batch([method.Bytecodes(type_id, each.methodID) for type_id, each in with_code])
        code_of = {
            (type_id, each.methodID): bytes(reply.bytes)
            for (type_id, each), reply in zip(with_code, codes, strict=True)
            if not isinstance(reply, JdwpError)
        }
        parts: dict[int, list[bytes]] = {
            type_id: [b"" if isinstance(pool, JdwpError) else bytes(pool.bytes)]
            for type_id, pool in zip(ids, pools, strict=True)
        }
        for type_id, each in methods:
            about = f"{each.name}{each.signature} {each.modBits}".encode("utf-8", "surrogatepass")
            parts[type_id].append(about + b"\0" + code_of.get((type_id, each.methodID), b""))
        return {type_id: _checksum(found) for type_id, found in parts.items()}

    async def _properties(self) -> dict[str, str]:
        return {each.name: each.value for each in await self._vm.properties()}

    async def _flags(self) -> dict[str, str]:
        return {each.name: each.value for each in await self._vm.flags()}

    async def _histogram(self) -> dict[str, int]:
        found = await self._heap.histogram(limit=MOST_CLASSES)
        counts = Counter[str]()  # of several lambdas of a class together
        for each in found.classes:
            counts[name_in_any_jvm(each.class_name)] += each.count
        return dict(+counts)


def _checksum(parts: Iterable[bytes]) -> str:
    """Return a checksum of a constant pool and of methods, whose order does not count."""
    pool, *methods = parts
    digest = sha256(pool)
    for each in sorted(methods):
        digest.update(len(each).to_bytes(4, "big") + each)
    return digest.hexdigest()[:16]


def _frame(frame: FrameInfo) -> str:
    at = frame.location
    where = f"{at.source}:{at.line}" if at.line is not None else at.source or ("native" if frame.native else "unknown")
    return f"{name_in_any_jvm(at.class_name)}.{at.method} ({where})"
