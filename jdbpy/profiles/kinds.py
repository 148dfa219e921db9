"""The kinds of profiles: the flight recorder events that each is made from, and their settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from jdbpy.drawing.units import BYTES, NANOS, SAMPLES

CPU, WALL, ALLOC, LOCK, EXCEPTIONS = "cpu", "wall", "alloc", "lock", "exceptions"

PERIOD_MILLIS = 10
"""The time between two samples that the flight recorder takes of the threads that run."""


TIMING_EVENT = "jdk.MethodTiming"
"""The event that adds up the calls of a method which the JVM times itself."""


class EventSource(NamedTuple):
    """Events of one type: which fields hold the thread, the weight ("" for 1) and the class."""

    event: str
    thread: str = "eventThread"
    weight: str = ""
    about: str = ""


class Bias(NamedTuple):
    """What a profile leaves out. ``{}`` in the text is the setting of an event, as the recording states it;
    ``unstated`` is the text without that."""

    text: str
    event: str = ""
    setting: str = ""
    unstated: str = ""

    def words(self, settings: Mapping[tuple[str, str], str]) -> str:
        """Return the text, by the settings of a recording: values by event and setting."""
        if not self.event:
            return self.text
        value = settings.get((self.event, self.setting), "")
        return self.text.format(_spaced(value)) if value else self.unstated


def _spaced(value: str) -> str:
    """Return the value of a setting in words: ``10ms`` is 10 ms, ``1000/s`` 1,000 a second."""
    found = re.fullmatch(r"(\d+) ?([a-z]+|/s)", value)
    if found is None:
        return value
    return f"{int(found[1]):,} {'a second' if found[2] == '/s' else found[2]}"


class Kind(NamedTuple):
    """``sources`` are groups in order of preference: the first one that has events is used, and its bias is told."""

    name: str
    unit: str
    title: str
    sources: tuple[tuple[EventSource, ...], ...]
    settings: tuple[tuple[str, str], ...]
    biases: tuple[Bias, ...]


_EXECUTION = EventSource("jdk.ExecutionSample", "sampledThread")
_PROCESSOR = EventSource("jdk.CPUTimeSample")
_ENTER = EventSource("jdk.JavaMonitorEnter", weight="duration", about="monitorClass")
_PARK = EventSource("jdk.ThreadPark", weight="duration", about="parkedClass")
_PERIOD = ("jdk.ExecutionSample#period", f"{PERIOD_MILLIS}ms")

KINDS = {
    each.name: each
    for each in (
        Kind(
            CPU,
            SAMPLES,
            "time on the processor",
            ((_PROCESSOR,), (_EXECUTION,)),
            (("jdk.ExecutionSample#enabled", "true"), ("jdk.ExecutionSample#stackTrace", "true"), _PERIOD),
            (
                Bias(
                    "samples of each thread by its processor time ({}), also in native methods",
                    "jdk.CPUTimeSample",
                    "throttle",
                    "samples of each thread by its processor time, also in native methods",
                ),
                Bias(
                    "a sample every {}, of a few of the threads that run Java code; code of native methods is not seen",
                    "jdk.ExecutionSample",
                    "period",
                    "samples of a few of the threads that run Java code; code of native methods is not seen",
                ),
            ),
        ),
        Kind(
            WALL,
            NANOS,
            "time that passes",
            (
                (
                    _EXECUTION,
                    EventSource("jdk.ThreadSleep", weight="duration"),
                    EventSource("jdk.JavaMonitorWait", weight="duration"),
                    EventSource("jdk.SocketRead", weight="duration"),
                    EventSource("jdk.SocketWrite", weight="duration"),
                    EventSource("jdk.FileRead", weight="duration"),
                    EventSource("jdk.FileWrite", weight="duration"),
                    _ENTER,
                    _PARK,
                ),
            ),
            (
                ("jdk.ExecutionSample#enabled", "true"),
                ("jdk.ExecutionSample#stackTrace", "true"),
                _PERIOD,
                *(
                    (f"jdk.{name}#{setting}", value)
                    for name in (
                        "ThreadSleep",
                        "JavaMonitorWait",
                        "SocketRead",
                        "SocketWrite",
                        "FileRead",
                        "FileWrite",
                        "JavaMonitorEnter",
                        "ThreadPark",
                    )
                    for setting, value in (("enabled", "true"), ("threshold", "1ms"), ("stackTrace", "true"))
                ),
            ),
            (
                Bias(
                    "waits count when they are over, from {} on",
                    "jdk.ThreadPark",
                    "threshold",
                    "waits count when they are over",
                ),
            ),
        ),
        Kind(
            ALLOC,
            BYTES,
            "memory allocated",
            (
                (EventSource("jdk.ObjectAllocationSample", weight="weight", about="objectClass"),),
                (
                    EventSource("jdk.ObjectAllocationInNewTLAB", weight="tlabSize", about="objectClass"),
                    EventSource("jdk.ObjectAllocationOutsideTLAB", weight="allocationSize", about="objectClass"),
                ),
            ),
            (
                ("jdk.ObjectAllocationSample#enabled", "true"),
                ("jdk.ObjectAllocationSample#throttle", "1000/s"),
                ("jdk.ObjectAllocationSample#stackTrace", "true"),
            ),
            (
                Bias(
                    "samples of allocations, at most {}, each with the bytes that it stands for",
                    "jdk.ObjectAllocationSample",
                    "throttle",
                    "samples of allocations, each with the bytes that it stands for",
                ),
                Bias("each new buffer of a thread counts with its whole size, for the object that it began with"),
            ),
        ),
        Kind(
            LOCK,
            NANOS,
            "time in which threads wait for locks",
            ((_ENTER, _PARK),),
            tuple(
                (f"jdk.{name}#{setting}", value)
                for name in ("JavaMonitorEnter", "ThreadPark")
                for setting, value in (("enabled", "true"), ("threshold", "0ns"), ("stackTrace", "true"))
            ),
            (Bias("waits count when they are over; those of queues and conditions do not"),),
        ),
        Kind(
            EXCEPTIONS,
            "exceptions",
            "exceptions made",
            ((EventSource("jdk.JavaExceptionThrow", about="thrownClass"),),),
            (("jdk.JavaExceptionThrow#enabled", "true"), ("jdk.JavaExceptionThrow#stackTrace", "true")),
            (Bias("counted where they are made, not where they are thrown"),),
        ),
    )
}


def settings_of(kind: str, release: int) -> dict[str, str]:
    """Return the event settings for a kind on a Java release, by ``EVENT#SETTING``."""
    found = dict(KINDS[kind].settings)
    if kind == CPU and release >= 25:
        found["jdk.CPUTimeSample#enabled"] = "true"
        found["jdk.CPUTimeSample#throttle"] = f"{PERIOD_MILLIS}ms"
        found["jdk.CPUTimeSample#stackTrace"] = "true"
    if kind == EXCEPTIONS and release >= 25:
        found["jdk.JavaExceptionThrow#throttle"] = "10000/s"
    if kind == ALLOC and release < 16:
        names = ("jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB")
        return {f"{name}#{setting}": "true" for name in names for setting in ("enabled", "stackTrace")}
    return found
