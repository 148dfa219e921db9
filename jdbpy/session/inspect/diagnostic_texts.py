"""Reads what HotSpot's diagnostic commands print, and its file of counters: properties, flags, memory. Pure.

The forms differ between releases; a line that fits none is left out.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping

from jdbpy.session.model.heap import MemoryArea
from jdbpy.session.model.vm import VmFlag

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}
_FLAG = re.compile(r"^\s*(?P<type>\w+)\s+(?P<name>\w+)\s*(?P<set>:?=)\s*(?P<value>.*?)\s*(?P<kinds>(\{[^}]*\} ?)+)\s*$")
_KIND = re.compile(r"\{([^}]*)\}")
_ORIGINS = {
    "default": "default",
    "command line": "vm creation",
    "environment": "environment",
    "config file": "config file",
    "management": "management",
    "ergonomic": "ergonomic",
    "attach": "attach",
    "attach on demand": "attach",
    "jimage": "default",
    "internal": "default",
}


def properties_in(text: str) -> dict[str, str]:
    """Return the entries of a text in the form of ``java.util.Properties.store``."""
    found: dict[str, str] = {}
    for line in text.split("\n"):
        if line.startswith(("#", "!")) or not line.strip():
            continue
        key: list[str] = []
        value: list[str] = []
        part, at = key, 0
        while at < len(line):
            character = line[at]
            if character == "\\" and at + 1 < len(line):
                escaped = line[at + 1]
                if escaped == "u":
                    digits = line[at + 2 : at + 6]
                    part.append(chr(int(digits, 16)) if re.fullmatch("[0-9A-Fa-f]{4}", digits) else "?")
                    at += 6
                    continue
                part.append(_ESCAPES.get(escaped, escaped))
                at += 2
                continue
            if part is key and character in "=:":
                part = value
            else:
                part.append(character)
            at += 1
        found["".join(key).strip()] = _surrogates("".join(value))
    return found


def _surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def flags_in(text: str) -> list[VmFlag]:
    """Return the flags that ``VM.flags -all`` prints, by name."""
    found = []
    for line in text.split("\n"):
        row = _FLAG.match(line)
        if row is None:
            continue
        kinds = _KIND.findall(row["kinds"])
        words = {word for each in kinds for word in each.split()}
        origin = next((_ORIGINS[each] for each in reversed(kinds) if each in _ORIGINS), "")
        origin = origin or ("vm creation" if row["set"] == ":=" else "default")  # Java 8 says no more
        found.append(VmFlag(row["name"], _value(row["type"], row["value"]), origin, "manageable" in words))
    return sorted(found, key=lambda flag: flag.name)


def _value(kind: str, value: str) -> str:
    if kind == "double":
        try:
            return str(float(value))
        except ValueError:
            return value
    return value


def counters_in(data: bytes) -> dict[str, int | str]:
    """Return the counters of a file that a HotSpot keeps for ``jstat`` (hsperfdata, version 2); {} for any other."""
    if len(data) < 32 or data[:4] != b"\xca\xfe\xc0\xc0":
        return {}
    order = "<" if data[4] else ">"
    start, count = struct.unpack_from(f"{order}ii", data, 24)
    found: dict[str, int | str] = {}
    at = start
    for _ in range(min(count, 10_000)):
        if not 0 < at <= len(data) - 20:
            break
        length, name_at, vector, kind, _, _, _, value_at = struct.unpack_from(f"{order}iiiBBBBi", data, at)
        if length <= 0 or at + length > len(data):
            break
        name = data[at + name_at : at + length].split(b"\0", 1)[0].decode("utf-8", "replace")
        if kind == ord("J") and not vector and value_at + 8 <= length:
            found[name] = int(struct.unpack_from(f"{order}q", data, at + value_at)[0])
        elif kind == ord("B") and vector:
            text = data[at + value_at : at + min(length, value_at + vector)]
            found[name] = text.split(b"\0", 1)[0].decode("utf-8", "replace")
        at += length
    return found


_METASPACE = {
    "metaspace": re.compile(r"^\s*Metaspace\s+used (\d+)K,.*\bcommitted (\d+)K", re.MULTILINE),
    "compressed class space": re.compile(r"^\s*class space\s+used (\d+)K,.*\bcommitted (\d+)K", re.MULTILINE),
}
"""Lines of ``GC.heap_info``, up to Java 24."""


def memory_in(counters: Mapping[str, int | str], info: str) -> tuple[MemoryArea, ...]:
    """Return heap, metaspace, the spaces of the heap, and the collectors, by the counters of a HotSpot.

    They are of the last collection; what ``GC.heap_info`` tells is as it is now, and is all there is without counters.
    """
    areas, now = _counted(counters), heap_in(info)
    if not areas or not now:
        return areas or now
    live = {"heap": (now[0].used, now[0].committed)}
    for name, form in _METASPACE.items():
        if (found := form.search(info)) is not None:
            live[name] = int(found[1]) * 1024, int(found[2]) * 1024
    if "metaspace" in live:
        live["non-heap"] = live["metaspace"]
    shown = []
    for each in areas:
        used, committed = live.get(each.name, (each.used, each.committed))
        if committed or each.kind in ("heap", "collector"):  # before the first collection there are no figures
            shown.append(each.replace(used=used, committed=committed))
    return tuple(shown)


def _counted(counters: Mapping[str, int | str]) -> tuple[MemoryArea, ...]:
    spaces = []
    for generation in range(8):
        for space in range(8):
            prefix = f"sun.gc.generation.{generation}.space.{space}."
            if f"{prefix}used" in counters:
                name = str(counters.get(f"{prefix}name", f"space {generation}.{space}"))
                if name == "space":  # the only one of its generation
                    name = str(counters.get(f"sun.gc.generation.{generation}.name", name))
                spaces.append(_area(name, counters, prefix))
    if not spaces:
        return ()
    most = sum(_number(counters, f"sun.gc.generation.{each}.maxCapacity") for each in range(8))
    if str(counters.get("sun.gc.policy.name", "")).startswith("GarbageFirst") or _overlap(counters):
        most = max(_number(counters, f"sun.gc.generation.{each}.maxCapacity") for each in range(8))
    heap = MemoryArea(
        "heap", "heap", sum(each.used for each in spaces), sum(each.committed for each in spaces), most or None
    )
    others = [_area("metaspace", counters, "sun.gc.metaspace.")] if "sun.gc.metaspace.used" in counters else []
    if "sun.gc.compressedclassspace.used" in counters:
        others.append(_area("compressed class space", counters, "sun.gc.compressedclassspace."))
    whole = [MemoryArea("non-heap", "non-heap", each.used, each.committed, None) for each in others[:1]]
    return (heap, *whole, *spaces, *others, *_collectors(counters))


def _overlap(counters: Mapping[str, int | str]) -> bool:
    """True if each generation may take the whole heap, as with G1."""
    most = [_number(counters, f"sun.gc.generation.{each}.maxCapacity") for each in range(2)]
    return bool(most[0]) and most[0] == most[1]


def _collectors(counters: Mapping[str, int | str]) -> list[MemoryArea]:
    ticks = _number(counters, "sun.os.hrt.frequency") or 1_000_000_000
    found = []
    for each in range(8):
        prefix = f"sun.gc.collector.{each}."
        if f"{prefix}invocations" in counters:
            times = _number(counters, f"{prefix}invocations"), _number(counters, f"{prefix}time") * 1000 // ticks
            found.append(MemoryArea(str(counters.get(f"{prefix}name", each)), "collector", 0, 0, None, *times))
    return found


def _area(name: str, counters: Mapping[str, int | str], prefix: str) -> MemoryArea:
    used, committed, most = (_number(counters, f"{prefix}{each}") for each in ("used", "capacity", "maxCapacity"))
    return MemoryArea(name, "pool", used, committed, most if 0 < most < 1 << 62 else None)


def _number(counters: Mapping[str, int | str], name: str) -> int:
    value = counters.get(name, 0)
    return value if isinstance(value, int) else 0


_HEAP = re.compile(
    r"^\s*(?P<name>\S.*?)\s+(?:total(?: reserved \d+[KMG],)?|used)?[^\n]*?\b(?:committed|total|capacity)"
    r"\s+(?P<committed>\d+)(?P<unit>[KMG])[^\n]*?\bused\s+(?P<used>\d+)(?P<used_unit>[KMG])",
    re.MULTILINE,
)
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def heap_in(text: str) -> tuple[MemoryArea, ...]:
    """Return the heap as ``GC.heap_info`` tells it: used and committed, of one or several generations; () if it
    tells it in another way."""
    parts = [
        (int(row["used"]) * _UNITS[row["used_unit"]], int(row["committed"]) * _UNITS[row["unit"]])
        for row in _HEAP.finditer(text)
        if "etaspace" not in row["name"] and "class space" not in row["name"]
    ]
    if not parts:
        return ()
    return (MemoryArea("heap", "heap", sum(used for used, _ in parts), sum(most for _, most in parts), None),)
