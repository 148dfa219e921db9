"""What the target's own management beans tell of its memory; they are run in the target, on the stopped thread.

Owns the Java expressions and the reading of their answers. Needs the modules java.management and jdk.management in the
target; a runtime image without them is answered in words.
"""

from __future__ import annotations

import re

from jdbpy.errors import EvalError, StateError, UsageError
from jdbpy.session.heap.model import ClassCount, Histogram, MemoryArea
from jdbpy.session.model import Limits, Value
from jdbpy.session.values.component import Values

_FACTORY = "java.lang.management.ManagementFactory"
_HISTOGRAM = (
    f"(String) {_FACTORY}.getPlatformMBeanServer().invoke("
    'new javax.management.ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram", '
    'new Object[] {new String[0]}, new String[] {"[Ljava.lang.String;"})'
)
_ROW = re.compile(r"^\s*\d+:\s+(\d+)\s+(\d+)\s+(\S+)", re.MULTILINE)
_WHOLE = Limits(string=50_000_000)


class Usage:
    """The memory of one target, as its beans see it. All methods run code in the target."""

    def __init__(self, values: Values) -> None:
        self._values = values

    async def collect(self) -> None:
        """System.gc() in the target. Raises StateError when no thread can run it."""
        await self._values.evaluate("java.lang.System.gc()", remember=False)

    async def memory(self) -> tuple[MemoryArea, ...]:
        """Heap, non-heap, pools and collectors."""
        areas = [
            _area("heap", "heap", await self._dump(f"{_FACTORY}.getMemoryMXBean().getHeapMemoryUsage()")),
            _area("non-heap", "non-heap", await self._dump(f"{_FACTORY}.getMemoryMXBean().getNonHeapMemoryUsage()")),
        ]
        pools = f"{_FACTORY}.getMemoryPoolMXBeans()"
        for index in range(await self._count(pools)):
            name = await self._text(f"{pools}.get({index}).getName()")
            areas.append(_area(name, "pool", await self._dump(f"{pools}.get({index}).getUsage()")))
        collectors = f"{_FACTORY}.getGarbageCollectorMXBeans()"
        for index in range(await self._count(collectors)):
            bean = f"{collectors}.get({index})"
            times = (
                await self._number(f"{bean}.getCollectionCount()"),
                await self._number(f"{bean}.getCollectionTime()"),
            )
            areas.append(MemoryArea(await self._text(f"{bean}.getName()"), "collector", 0, 0, None, *times))
        return tuple(areas)

    async def histogram(self, pattern: str, *, limit: int) -> Histogram:
        """Instances and bytes by class, counted by the target itself after a collection (DiagnosticCommand)."""
        text = await self._values.evaluate(_HISTOGRAM, limits=_WHOLE, remember=False)
        wanted = re.compile(re.escape(pattern).replace(r"\*", ".*") if pattern else ".*")
        rows = [
            ClassCount(_class_name(name), 0, int(count), int(size))
            for count, size, name in _ROW.findall(text.text.replace("\\n", "\n"))
        ]
        rows = [row for row in rows if wanted.fullmatch(row.class_name)]
        rows.sort(key=lambda row: -(row.bytes or 0))
        total = sum(row.count for row in rows)
        return Histogram(tuple(rows[:limit]), total, max(0, len(rows) - limit), sum(row.bytes or 0 for row in rows))

    async def size_of(self, class_name: str) -> int | None:
        """Bytes that one instance of a class takes, from the target's own histogram; None for arrays, which differ."""
        histogram = await self.histogram(class_name, limit=1)
        if not histogram.classes or class_name.endswith("]"):
            return None
        [row] = histogram.classes
        return (row.bytes or 0) // row.count

    async def dump(self, path: str, *, live: bool = True) -> None:
        """Writes an HPROF file on the target's machine; it must not exist. ``live``: reachable objects only.

        Raises UsageError for a name the VM refuses (JDK 13 and later want ``.hprof``).
        """
        if not path.endswith(".hprof"):
            raise UsageError("the file must end in .hprof", hint="for example heapdump /tmp/app.hprof")
        bean = "com.sun.management.HotSpotDiagnosticMXBean"
        name = '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
        await self._values.evaluate(
            f"{_FACTORY}.getPlatformMXBean({bean}.class).dumpHeap({name}, {str(live).lower()})", remember=False
        )

    async def _dump(self, text: str) -> Value:
        try:
            return await self._values.dump(text, Limits(depth=1))
        except EvalError as error:
            if "ManagementFactory" in error.message:
                raise StateError(
                    "the target's runtime has no management beans",
                    hint="it was made without the module java.management; 'histogram' works without it",
                ) from error
            raise

    async def _count(self, text: str) -> int:
        return await self._number(f"{text}.size()")

    async def _number(self, text: str) -> int:
        value = await self._values.evaluate(text, remember=False)
        return int(value.raw or 0)

    async def _text(self, text: str) -> str:
        value = await self._values.evaluate(text, remember=False)
        return value.text.strip('"')


def _area(name: str, kind: str, usage: Value) -> MemoryArea:
    parts = {child.name: child.value.raw for child in usage.children if child.value is not None}
    maximum = int(parts.get("max") or 0)
    return MemoryArea(
        name, kind, int(parts.get("used") or 0), int(parts.get("committed") or 0), maximum if maximum > 0 else None
    )


def _class_name(name: str) -> str:
    """A name as the histogram writes it ("[I", "[Ljava.lang.String;") as Java does."""
    from jdbpy.session.types.signatures import java_name

    return java_name(name.replace(".", "/")) if name.startswith("[") else name
