"""Files of recorded calls: JSON, a line for each method and for each call, so that any tool reads them.

A file has the lines of source with it, where they were at hand: it can be read where nothing of the program is.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from jdbpy.errors import UsageError
from jdbpy.files import open_regular
from jdbpy.record import Record
from jdbpy.session.recorded.call import EVENTS, HEAD, CallData, RecordedCall, RecordedException
from jdbpy.session.recorded.points import RETURNED, THREW, MethodPoints, RecordPoint, VariableScope
from jdbpy.session.recorded.shapes import SourceShape, read_shape, shape_lines
from jdbpy.session.recorded.telling import call_told

MARK = "jdbpy recorded calls"
VERSION = 1
MOST_BYTES = 500_000_000
"""Bytes of a file that is read."""

_KINDS = ("returned", "threw", "argument", "line", "store", "field", "call")
_SIGNATURE = re.compile(r"\[{0,255}([ZBCSIJFDV]|L[^;]+;)")
_METHOD = re.compile(rf"\(({_SIGNATURE.pattern})*\){_SIGNATURE.pattern}")
_WRONG = (ValueError, KeyError, TypeError, LookupError, OverflowError, RecursionError, AttributeError, MemoryError)
_LATEST = 1e11

Sources = Mapping[str, tuple[str, Sequence[str]]]
"""Names of files and their lines, by the name of a class."""


class RecordedFile(Record):
    """The content of a file: calls, the lines of source by the name of a class, and what is known of classes."""

    calls: tuple[RecordedCall, ...]
    sources: Sources
    shapes: Mapping[str, SourceShape] = MappingProxyType({})
    about: Mapping[str, str] = MappingProxyType({})
    taken: float = 0.0


def file_text(
    calls: Iterable[RecordedCall],
    sources: Sources,
    shapes: Iterable[SourceShape] = (),
    about: Mapping[str, str] = MappingProxyType({}),
    taken: float = 0.0,
) -> str:
    """Return the text of a file. ``about`` says of what: the ``address``, ``name`` and ``java`` version of the JVM;
    ``taken`` is when, in seconds since 1970."""
    lines: list[Any] = [{"file": MARK, "version": VERSION, **about, "taken": taken}]
    methods: dict[int, int] = {}
    for name, (file, text) in sources.items():
        lines.append({"source": name, "file": file, "lines": list(text)})
    lines += map(shape_lines, shapes)
    for call in calls:
        if id(call.method) not in methods:
            methods[id(call.method)] = len(methods)
            lines.append({"method": _plain(call.method)})
        thrown = call.exception
        lines.append(
            {
                "call": call.number,
                "of": methods[id(call.method)],
                "at": call.at_time,
                "cost": call.cost,
                "exception": None if thrown is None else [thrown.type, thrown.message],
                "source": call.source,
                "data": list(call.data.data),
                "before": list(call.data.before),
                "text": call.data.text,
            }
        )
    return "".join(json.dumps(each, ensure_ascii=True) + "\n" for each in lines)


def _plain(points: MethodPoints) -> dict[str, Any]:
    return {
        "class": points.class_name,
        "name": points.method,
        "signature": points.signature,
        "static": points.is_static,
        "points": [[*(getattr(each, field) for field in RecordPoint.__fields__)] for each in points.points],
        "variables": [[*(getattr(each, field) for field in VariableScope.__fields__)] for each in points.variables],
        "lacks": list(points.lacks),
    }


def is_recorded_file(head: bytes) -> bool:
    """True if a file that begins so is one of recorded calls."""
    return head.startswith(b'{"file": "' + MARK.encode() + b'"')


def read_file(path: str) -> bytes:
    """Return the bytes of a file, as many as may be. Raises UsageError. It blocks."""
    try:
        with open_regular(path) as file:
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None


def read_recorded(data: bytes, path: str) -> RecordedFile:
    """Return the content of a file. Raises UsageError for one that is damaged, or of a later version."""
    if not is_recorded_file(data[:100]) or len(data) > MOST_BYTES:
        raise UsageError(f"{path} is not a file of recorded calls", hint="'recorded to FILE' writes one")
    return read_lines(data.splitlines(), path)


def read_lines(lines: Iterable[bytes], path: str) -> RecordedFile:
    """Return the content of the lines of a file. Raises UsageError, as ``read_recorded``.

    What the file says is not trusted: what cannot be understood later on is found out here.
    """
    methods: list[MethodPoints] = []
    calls: list[RecordedCall] = []
    sources: dict[str, tuple[str, Sequence[str]]] = {}
    shapes: dict[str, SourceShape] = {}
    about: dict[str, str] = {}
    taken, number = 0.0, 0
    try:
        for line in lines:
            number += 1
            one = json.loads(line)
            if "file" in one and "version" in one:
                if one["version"] > VERSION:
                    raise UsageError(f"{path} was written by a later jdbpy", hint="open it with that one")
                about = {name: str(one[name])[:4096] for name in ("address", "name", "java") if name in one}
                taken = _within(one.get("taken", 0.0), _LATEST)
            elif "method" in one:
                methods.append(_points(one["method"]))
            elif "call" in one:
                calls.append(_call(one, methods))
            elif "shape" in one:
                shapes[str(one["shape"])] = read_shape(one)
            else:
                sources[str(one["source"])] = str(one["file"]), [str(each) for each in one["lines"]]
    except _WRONG as error:
        why = str(error)[:200] or type(error).__name__
        raise UsageError(f"{path} is damaged in line {number}: {why}", hint="copy the file again") from None
    return RecordedFile(tuple(calls), sources, shapes, about, taken)


def _within(number: Any, most: float) -> float:
    found = float(number)
    if not 0 <= found <= most:
        raise ValueError(f"{number} is no time")
    return found


def _typed(values: Sequence[Any], *types: type) -> Sequence[Any]:
    """Return values of these types. Raises ValueError for others."""
    if len(values) != len(types) or any(type(each) is not kind for each, kind in zip(values, types, strict=True)):
        raise ValueError(f"{str(values)[:80]} makes no sense")
    return values


def _points(one: Mapping[str, Any]) -> MethodPoints:
    points = tuple(RecordPoint(*_typed(each, str, int, int, int, str, str, int)) for each in one["points"])
    variables = tuple(VariableScope(*_typed(each, str, str, int, int, int)) for each in one["variables"])
    signature = str(one["signature"])
    good = len(points) > max(RETURNED, THREW) and _METHOD.fullmatch(signature)
    if not good or any(each.kind not in _KINDS or not _SIGNATURE.fullmatch(each.signature) for each in points):
        raise ValueError("its points make no sense")
    return MethodPoints(
        class_name=str(one["class"]),
        method=str(one["name"]),
        signature=signature,
        is_static=bool(one["static"]),
        points=points,
        variables=variables,
        lacks=tuple(map(str, one["lacks"])),
    )


def _call(one: Mapping[str, Any], methods: Sequence[MethodPoints]) -> RecordedCall:
    thrown = one["exception"]
    number, of, source, text = _typed([one[name] for name in ("call", "of", "source", "text")], int, int, str, str)
    data = CallData(array("q", one["data"]), text, array("q", one["before"]))
    if not 0 <= of < len(methods) or len(data.data) < HEAD or not 0 <= data.data[0] < 1 << 62:
        raise ValueError("it is of no method, or has no events")
    points = data.data[HEAD::2][: min(data.data[0], EVENTS)]
    if any(not 0 <= each < len(methods[of].points) for each in points):
        raise ValueError("an event is of no point")

    def made() -> RecordedCall:
        return RecordedCall(
            number,
            methods[of],
            data,
            at=_within(one["at"], _LATEST),
            cost=_within(one["cost"], _LATEST),
            exception=None if thrown is None else RecordedException(str(thrown[0]), _message(thrown[1])),
            source=source,
        )

    tried = made()  # what is understood of it takes much more memory than what is kept
    call_told(tried)
    _ = tried.events, tried.steps, tried.writes
    return made()


def _message(text: Any) -> str | None:
    return None if text is None else str(text)
