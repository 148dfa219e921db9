"""Profiles in the formats of other tools: collapsed stacks, speedscope JSON, pprof protocol buffers."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable

from jdbpy.drawing.stacks import WeightedStacks
from jdbpy.drawing.units import BYTES, NANOS
from jdbpy.escape import escape


def collapsed(stacks: WeightedStacks) -> str:
    """Return one line per stack: its frames separated by ``;``, then its weight."""
    lines = (
        ";".join(escape(name).replace(";", ":") for name in path) + f" {weight}"
        for path, weight in sorted(stacks.weights.items())
        if path
    )
    return "".join(f"{line}\n" for line in lines)


def from_collapsed(text: str) -> WeightedStacks:
    """Parse collapsed stacks; malformed lines are skipped."""
    found = WeightedStacks()
    for line in text.splitlines():
        path, _, weight = line.rpartition(" ")
        if path and weight.isdecimal() and len(weight) < 19:
            found.add(tuple(path.split(";")), int(weight))
    return found


def speedscope(stacks: WeightedStacks) -> str:
    """Return speedscope.app JSON with one sampled profile."""
    index: dict[str, int] = {}
    samples, weights = [], []
    for path, weight in sorted(stacks.weights.items()):
        samples.append([index.setdefault(name, len(index)) for name in path])
        weights.append(weight)
    title = stacks.title or "profile"
    return json.dumps(
        {
            "$schema": "https://www.speedscope.app/file-format-schema.json",
            "shared": {"frames": [{"name": escape(name)} for name in index]},
            "profiles": [
                {
                    "type": "sampled",
                    "name": title,
                    "unit": {BYTES: "bytes", NANOS: "nanoseconds"}.get(stacks.unit, "none"),
                    "startValue": 0,
                    "endValue": stacks.total,
                    "samples": samples,
                    "weights": weights,
                }
            ],
            "name": title,
            "activeProfileIndex": 0,
            "exporter": "jdbpy",
        }
    )


_SAMPLE_TYPE, _SAMPLE, _LOCATION, _FUNCTION, _STRING = 1, 2, 4, 5, 6
"""Fields of the message Profile."""


def pprof(stacks: WeightedStacks) -> bytes:
    """Return the profile as a gzipped pprof protocol buffer."""
    strings: dict[str, int] = {"": 0}
    functions: dict[str, int] = {}

    def text(value: str) -> int:
        return strings.setdefault(escape(value), len(strings))

    kind, unit = {BYTES: ("space", "bytes"), NANOS: ("time", "nanoseconds")}.get(stacks.unit, (stacks.unit, "count"))
    body = bytearray(_message(_SAMPLE_TYPE, _number(1, text(kind)) + _number(2, text(unit))))
    for path, weight in sorted(stacks.weights.items()):
        places = [functions.setdefault(name, len(functions) + 1) for name in reversed(path)]
        body += _message(_SAMPLE, _packed(1, places) + _packed(2, [weight]))
    for name, number in functions.items():
        line = _message(4, _number(1, number))
        body += _message(_LOCATION, _number(1, number) + line)
        body += _message(_FUNCTION, _number(1, number) + _number(2, text(name)) + _number(3, text(name)))
    for value in strings:
        body += _message(_STRING, value.encode("utf-8", "replace"))
    return gzip.compress(bytes(body), mtime=0)


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append((value & 127) | 128)
        value >>= 7
    return bytes(found) + bytes([value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _message(field: int, body: bytes) -> bytes:
    return _varint((field << 3) | 2) + _varint(len(body)) + body


def _packed(field: int, values: Iterable[int]) -> bytes:
    return _message(field, b"".join(map(_varint, values)))
