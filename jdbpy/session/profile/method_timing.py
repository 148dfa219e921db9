"""Method timing: the JVM counts the calls of methods and takes their times itself (JEP 520, Java 25 and later).

Owns the way from a method or a pattern to the filter of ``jdk.MethodTiming``. A filter names a class and a method
without its parameters; of the overloads that it times too, the result keeps those that were asked for.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence

import trio

from jdbpy.errors import StateError, UsageError
from jdbpy.jfr.recording import FlightRecording
from jdbpy.profiles.kinds import TIMING_EVENT
from jdbpy.record import Record
from jdbpy.session.breakpoints.method_patterns import Wanted, choose, read_wanted
from jdbpy.session.events.target import Target
from jdbpy.session.jvm.refs import Method
from jdbpy.session.model.calls import MethodKey, MethodTimings
from jdbpy.wire.ids import MethodID, ReferenceTypeID

FIRST_RELEASE = 25
"""The first Java release whose flight recorder times methods."""

INSTEAD = "'calls stats METHOD' counts and times calls with every Java"

_ANNOTATION = re.compile(r"@[\w$]+(\.[\w$]+)*")
_CLASS = re.compile(r"[\w$]+(\.[\w$]+)*")
_METHOD = re.compile(r"[\w$]+|<init>|<clinit>")


class TimedMethods(Record):
    """The methods to be timed, and the classes that declare them. ``keys`` and ``type_ids`` are None where a filter
    decides which these are."""

    filters: tuple[str, ...]
    keys: frozenset[MethodKey] | None = None
    type_ids: frozenset[ReferenceTypeID] | None = None
    wanted: Wanted | None = None
    notes: tuple[str, ...] = ()

    @property
    def settings(self) -> dict[str, str]:
        """The settings of a recording that times them, by ``EVENT#SETTING``."""
        return {f"{TIMING_EVENT}#enabled": "true", f"{TIMING_EVENT}#filter": ";".join(self.filters)}

    def has(self, key: MethodKey) -> bool:
        """True if a method was asked for."""
        if self.keys is not None:
            return key in self.keys
        place = self.wanted and self.wanted.place
        if not place or place.parameters is None:
            return True
        return place.fits(Method(MethodID(0), ReferenceTypeID(0), key[1], key[2], "", 0))


class RunningTiming:
    """Methods that are being timed; ``finish`` ends it."""

    def __init__(self, methods: TimedMethods, take: Callable[[], Awaitable[bytes]]) -> None:
        self.methods = methods
        self._take = take
        self._begun = trio.current_time()

    @property
    def count(self) -> int:
        """The number of methods, 0 where it is not known yet."""
        return len(self.methods.keys or ())

    async def finish(self) -> MethodTimings:
        """Stop timing and return the times so far."""
        seconds = trio.current_time() - self._begun
        data = await self._take()
        found = await trio.to_thread.run_sync(
            MethodTimings.in_recording, FlightRecording(data), self.methods.has, abandon_on_cancel=True
        )
        return found.replace(seconds=seconds, timed=self.count or found.timed, notes=self.methods.notes)


def require_release(release: int) -> None:
    """Raise StateError for a Java release without method timing."""
    if release < FIRST_RELEASE:
        raise StateError(
            f"timing methods needs Java {FIRST_RELEASE} or later; this is Java {release}",
            hint=INSTEAD,
            code="NO_METHOD_TIMING",
        )


async def choose_timed(target: Target, text: str, most: int, excludes: Sequence[str] = ()) -> TimedMethods:
    """Return the methods that a name, a pattern or an annotation stands for.

    Without the debugger agent, and for a class that is not loaded yet, the JVM is given the name as it was typed.
    Raises UsageError. wire: 2 trips.
    """
    text = text.strip()
    if text.startswith("@"):
        if excludes or not _ANNOTATION.fullmatch(text):
            raise UsageError(f"'{text}' is not an annotation", hint="write its full name: @jakarta.ws.rs.GET")
        return TimedMethods((text,))
    wanted = read_wanted(text, excludes)
    if target.agent_line:
        if excludes:
            raise UsageError("without the debugger agent, 'except' cannot be used")
        return _by_name(wanted, "without the debugger agent")
    methods = await choose(target, wanted, most)
    if not methods:
        if excludes:
            raise UsageError(f"no class {wanted.text} is loaded, from which 'except' could leave out methods")
        name = wanted.class_name.text if wanted.class_name else text
        return _by_name(wanted, "before its class is loaded", f"no class {name} was loaded when it began")
    with_code = [each for each in methods if each.method.has_code]
    if not with_code:
        what = "native" if methods[0].method.is_native else "abstract"
        raise UsageError(
            f"{methods[0].name} is {what}: it has no code whose calls could be timed",
            hint="name the class that implements it, or a pattern" if what == "abstract" else "",
            code="NO_CODE",
        )
    named = [each for each in with_code if _CLASS.fullmatch(each.owner.name) and _METHOD.fullmatch(each.method.name)]
    if not named:
        raise UsageError(
            f"the JVM cannot time {with_code[0].name}: no filter can name it", hint=INSTEAD, code="NO_METHOD_TIMING"
        )
    woven = [each.owner.name for each in named if target.changed_code.has_checks_in(each.owner.id)]
    if woven:
        raise StateError(
            f"the debugger has put code of its own into {woven[0]}; the JVM times only classes without",
            hint="'info woven' shows it, 'unweave' takes it out",
            code="WOVEN",
        )
    left_out = len(with_code) - len(named)
    return TimedMethods(
        tuple(dict.fromkeys(f"{each.owner.name}::{each.method.name}" for each in named)),
        frozenset((each.owner.name, each.method.name, each.method.signature) for each in named),
        frozenset(each.owner.id for each in named),
        notes=(f"{left_out} methods are not timed: no filter of the JVM can name them",) if left_out else (),
    )


def _by_name(wanted: Wanted, when: str, note: str = "") -> TimedMethods:
    """Return filters for a name as it was typed: that of a method, or that of a class."""
    place = wanted.place
    if "*" in wanted.text:
        raise UsageError(f"{when}, only a name can be timed, not a pattern", hint="write package.Class.method")
    owner = wanted.class_name.text if wanted.class_name else ""
    filters = []
    if place is not None:
        filters.append(f"{owner}::{place.method}")
    if place is None or (place.parameters is None and not place.method.startswith("<")):
        filters.append(wanted.text)
    if not all(_CLASS.fullmatch(owner) and _METHOD.fullmatch(method or "x") for owner, _, method in _split(filters)):
        raise UsageError(f"the JVM cannot time '{wanted.text}': no filter can name it", hint=INSTEAD)
    return TimedMethods(tuple(filters), wanted=wanted, notes=(note,) if note else ())


def _split(filters: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    return (each.replace("#", ".").partition("::") for each in filters)
