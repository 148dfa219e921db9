"""The catchpoint for failures of tests: it stops when an exception leaves a test, in the program's own code.

Nothing is asked of a JVM that runs no tests: exceptions are events only once a runner of tests is loaded. From then on
each exception costs a trip, and one or two more where it may leave a test. A class that throws very many, of which none
has left a test, is left out from then on, but for its assertion errors.

An assertion of ``clojure.test`` reports a failure instead of throwing it: there is a breakpoint at its report function.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from enum import Enum
from functools import partial
from typing import Any, Protocol

from jdbpy.errors import JdwpError
from jdbpy.record import Record
from jdbpy.session.breakpoints import event_point
from jdbpy.session.breakpoints.breakpoint_base import BreakpointBase
from jdbpy.session.breakpoints.event_point import Basis, Concerned, EventBreakpoint
from jdbpy.session.concurrency import both
from jdbpy.session.events.requests import (
    RESUME,
    EventRequest,
    RequestHit,
    RequestSpec,
    StopPlan,
    Verdict,
    Vote,
    verdict_of,
)
from jdbpy.session.events.threads import wire_thread
from jdbpy.session.extension import Extension
from jdbpy.session.java.signatures import signature_of
from jdbpy.session.jvm.refs import RefType
from jdbpy.session.model.events import Notice
from jdbpy.session.model.kinds import StopReason
from jdbpy.session.model.testing import FailedTest
from jdbpy.session.testing import frameworks
from jdbpy.session.testing.frameworks import FoundTest
from jdbpy.session.testing.reading import FailureFrame, FailureReader
from jdbpy.session.values.throwables import exception_info
from jdbpy.wire.constants import Error, EventKind
from jdbpy.wire.ids import CodeLocation, ReferenceTypeID
from jdbpy.wire.messages import event_request, thread_reference
from jdbpy.wire.pending import Pending

NEAR = 12
"""Frames that are read first: most exceptions are caught within them."""

MOST_PASSED = 500
"""Exceptions of one class's code that left no test, after which no more are looked at."""

_REMEMBERED = 256
_ANY = ReferenceTypeID(0)
_ASSERTION_ERROR = "Ljava/lang/AssertionError;"


class Turn(Protocol):
    """Whose turn it is to stop, of several targets."""

    async def take(self) -> bool:
        """Wait for the turn; False if there is not to be a stop."""

    def drop(self) -> None:
        """There is no stop after all."""


class LoadedStop(Enum):
    """What stops where a test framework is loaded."""

    NONE = "nothing"
    THREAD = "its thread"
    ALL = "everything"


class _Failure(Record):
    """A failure on its way to the stop that shows it."""

    found: FoundTest
    frames: tuple[FailureFrame, ...]
    first: CodeLocation | None


class FailedTestCatchpoint(EventBreakpoint):
    """Stops where a test fails. ``turn`` is taken before each stop, and may say no; ``loaded`` is called once, when the
    runner of tests is loaded: it says what to stop there.
    """

    kind = "test"
    what = "failures of tests"
    allowed = event_point.CONDITION
    brings = frozenset(("exc",))
    looks_at_thread = True

    def __init__(
        self,
        basis: Basis,
        *,
        reader: FailureReader,
        watches: bool,
        turn: Turn | None,
        loaded: Callable[[], Awaitable[LoadedStop]] | None,
    ) -> None:
        super().__init__(basis)
        on_hit = self._on_hit

        async def on_failure(point: BreakpointBase, reason: StopReason, hit: RequestHit) -> Verdict:
            verdict = await verdict_of(on_hit(point, StopReason.TEST_FAILURE, hit))
            if verdict is RESUME and turn is not None:
                turn.drop()
            return verdict

        self._on_hit = on_failure
        self.was_hot = True  # what it costs is bounded by ``MOST_PASSED``
        self._reader = reader
        self._watches = watches
        self._turn = turn
        self._loaded = loaded
        self._is_loaded = False
        self._waits: list[EventRequest] = []  # for a runner to be loaded
        self._exceptions: list[EventRequest] = []
        self._assertions: list[EventRequest] = []  # also where those of all exceptions leave classes out
        self._found: dict[int, _Failure] = {}  # by threads
        self._first: OrderedDict[int, CodeLocation] = OrderedDict()  # where each throwable was seen first
        self._told: OrderedDict[int, None] = OrderedDict()  # throwables of failures
        self._passed: Counter[ReferenceTypeID] = Counter()  # by the classes whose code has thrown
        self.stops_again = False
        """True if an exception that passes a recorded method stops once more where that call has ended."""
        self.passing: set[int] = set()
        """Throwables that are on their way there."""
        self.left_out: list[str] = []
        """Classes whose exceptions are not looked at any more."""

    @property
    def spec(self) -> str:
        return "test"

    @property
    def counts_every_hit(self) -> bool:
        """Most exceptions are no failures: they suspend their own thread only."""
        return False

    @property
    def is_armed(self) -> bool:
        return bool(self.requests or self._waits)

    def disarm(self) -> list[Pending[Any]]:
        waits, self._waits = self._waits, []
        return [*self._target.requests.drop(waits), *super().disarm()]

    async def _set_up(self) -> None:
        """wire: 1 trip, and 2 where a runner of tests is loaded already."""
        policy = self._target.requests.policy_of_watching
        specs = [
            RequestSpec(
                EventKind.CLASS_PREPARE,
                policy,
                [event_request.ClassMatch(name)],
                self._on_prepare,
                during_calls=True,
            )
            for name in frameworks.FIRST_CLASSES
        ]
        submitted = [self._target.requests.submit(spec) for spec in specs]
        self._waits += [request for request, _ in submitted]
        signatures = [signature_of(name) for name in frameworks.FIRST_CLASSES]
        _, found = await both(
            lambda: self._target.conn.gather([pending for _, pending in submitted]),
            lambda: self._target.types.by_signatures(signatures),
        )
        self.message = "no test framework is loaded yet"
        for each in [each for types in found.values() for each in types]:
            await self._watch(each)

    def _on_prepare(self, hit: RequestHit) -> Vote:
        event = hit.event
        return self._runner_loaded(self._target.types.learn(event.typeID, event.refTypeTag, event.signature))

    async def _runner_loaded(self, runner: RefType) -> StopPlan | None:
        first, self._is_loaded = not self._is_loaded, True
        await self._watch(runner)
        if not first or self._loaded is None or (stops := await self._loaded()) is LoadedStop.NONE:
            return RESUME
        said = "the test framework is loaded: no test has run yet"
        return StopPlan(StopReason.CLASS_PREPARE, {"class_name": runner.name, "message": said}, stops is LoadedStop.ALL)

    async def _watch(self, runner: RefType) -> None:
        """Watch for failures of tests that a class runs. wire: 1 trip, 2 for Clojure."""
        if not self._watches:
            return
        self.message = ""
        if runner.name == frameworks.CLOJURE_REPORT:
            await self._watch_reports(runner)
        if not self._exceptions:
            self._exceptions = await self._set([event_request.ExceptionOnly(_ANY, True, True)])

    async def _watch_reports(self, runner: RefType) -> None:
        methods = (await self._target.types.methods([runner.id])).get(runner.id, ())
        named = {each.name: each for each in reversed(methods)}
        method = named.get("invokeStatic") or named.get("invoke")
        if method is not None:
            place = CodeLocation(runner.tag, runner.id, method.id, 0)
            await self._request([(EventKind.BREAKPOINT, [event_request.LocationOnly(place)])])

    async def _set(self, modifiers: Sequence[Any]) -> list[EventRequest]:
        before = len(self.requests)
        await self._request([(EventKind.EXCEPTION, modifiers)])
        return self.requests[before:]

    # Which exceptions are failures

    def concerns(self, hit: RequestHit) -> Concerned:
        if hit.request.kind == EventKind.BREAKPOINT:
            return partial(self._is_reported_failure, hit)
        event = hit.event
        if hit.request in self._assertions and not self._is_left_out(event.location):
            return False  # the request of all exceptions reports it too
        caught = self._target.types.known(event.catchLocation.classID) if event.catchLocation.classID else None
        if caught is not None and frameworks.stays_inside(caught.name):
            self._remember(hit)
            return partial(self._leave_out, event.location) if self._note_passed(event.location) else False
        return partial(self._leaves_test, hit)

    def _remember(self, hit: RequestHit) -> CodeLocation | None:
        """Return where a throwable was seen before; it is remembered from now on. wire: no wait."""
        thrown = int(hit.event.exception.objectID)
        first = self._first.pop(thrown, None)
        self._first[thrown] = first or hit.event.location
        if len(self._first) > _REMEMBERED:
            self._first.popitem(last=False)
        return first

    async def _leaves_test(self, hit: RequestHit) -> bool:
        """True if the exception of a hit leaves a test that does not expect it.

        wire: 1 trip where it is caught near, 2 where not, and those of its class and of the test's expectations.
        """
        event, thrown = hit.event, int(hit.event.exception.objectID)
        first = self._remember(hit)
        if thrown in self._told:
            return await self._has_left(hit)
        try:
            found, frames = await self._test_left(hit)
            if found is not None and await self._reader.is_expected(hit, found, frames):
                found = None
        except JdwpError:  # it was resumed meanwhile
            return False
        if found is None:
            return bool(self._note_passed(event.location)) and await self._leave_out(event.location)
        self._told[thrown] = None
        if len(self._told) > _REMEMBERED:
            self._told.popitem(last=False)
        self._found[hit.thread] = _Failure(found, tuple(frames), first if first != event.location else None)
        if self.stops_again and self._target.changed_code.throws_again(event.catchLocation):
            self.passing.add(thrown)
        return self._turn is None or await self._turn.take()

    async def _has_left(self, hit: RequestHit) -> bool:
        """True if the exception of a failure that was told has ended all recorded calls, and that is to be seen."""
        thrown, code = int(hit.event.exception.objectID), self._target.changed_code
        if thrown not in self.passing or not code.throws_again(hit.event.location):
            return False
        if code.throws_again(hit.event.catchLocation):
            return False
        self.passing.discard(thrown)
        return self._turn is None or await self._turn.take()

    async def _test_left(self, hit: RequestHit) -> tuple[FoundTest | None, list[FailureFrame]]:
        """Return the test that the exception leaves, None if it leaves none, and the stack."""
        catch = hit.event.catchLocation
        if self._target.changed_code.throws_again(catch):
            return await self._test_left_behind(hit)
        frames = await self._frames(hit.thread, NEAR)
        caught = self._index(frames, catch)
        if caught is not None and frameworks.is_inside([each.class_name for each in frames], caught):
            return None, frames
        if len(frames) == NEAR:
            frames = await self._frames(hit.thread, -1)
            caught = self._index(frames, catch)
        test = frameworks.find_test([each.class_name for each in frames])
        return (None if test is None or (caught is not None and caught <= test.test) else test), frames

    async def _test_left_behind(self, hit: RequestHit) -> tuple[FoundTest | None, list[FailureFrame]]:
        """The same for an exception that passes a method which is recorded: what catches it there throws it again.
        Where it is not known who catches it then, that is the time to tell."""
        frames = await self._frames(hit.thread, -1)
        test = frameworks.find_test([each.class_name for each in frames])
        passed = self._index(frames, hit.event.catchLocation)
        if test is None or passed is None or passed > test.test:
            return test, frames
        inside = [each.place for each in frames[: test.test + 1]]
        for extension in self._target.extensions.of(Extension.caught_behind):
            caught = await extension.caught_behind(hit.event, inside)
            if caught is not None and not caught.classID:
                return test, frames
        return None, frames

    @staticmethod
    def _index(frames: Sequence[FailureFrame], catch: CodeLocation) -> int | None:
        """Return the innermost frame of the method that catches; None if there is none."""
        where = (catch.classID, catch.methodID)
        found = (index for index, each in enumerate(frames) if (each.place.classID, each.place.methodID) == where)
        return next(found, None)

    async def _frames(self, thread: int, count: int) -> list[FailureFrame]:
        """Return the first frames of a thread, -1 for all. Raises JdwpError. wire: 1 trip, 2 for new classes or where
        the thread has fewer.
        """
        conn, number = self._target.conn, wire_thread(thread)
        try:
            frames = (await conn.request(thread_reference.Frames(number, 0, count))).frames
        except JdwpError as error:
            if count < 0 or error.number != Error.INVALID_LENGTH:
                raise
            frames = (await conn.request(thread_reference.Frames(number, 0, -1))).frames
        known = await self._target.types.info({each.location.classID for each in frames})
        return [
            FailureFrame(
                index,
                each.frameID,
                each.location,
                known[each.location.classID].name if each.location.classID in known else "",
            )
            for index, each in enumerate(frames)
        ]

    # Classes that throw very many

    def _note_passed(self, place: CodeLocation) -> bool:
        """Count an exception that has left no test; True once there were so many that its class is to be left out."""
        self._passed[place.classID] += 1
        return self._passed[place.classID] == MOST_PASSED

    def _is_left_out(self, place: CodeLocation) -> bool:
        return self._passed[place.classID] >= MOST_PASSED

    async def _leave_out(self, place: CodeLocation) -> bool:
        """Look at no more exceptions of a class's code but assertion errors. False: such a hit is no failure. wire: 1
        trip."""
        known = (await self._target.types.info([place.classID])).get(place.classID)
        if known is None:
            return False
        self.left_out.append(known.name)
        before, self._exceptions = self._exceptions, []
        excludes = [event_request.ClassExclude(name) for name in self.left_out]
        self._exceptions = await self._set([event_request.ExceptionOnly(_ANY, True, True), *excludes])
        self.requests = [each for each in self.requests if each not in before]
        self._target.requests.drop(before)
        errors = await self._target.types.by_signature(_ASSERTION_ERROR) if not self._assertions else ()
        for each in errors[:1]:
            self._assertions = await self._set([event_request.ExceptionOnly(each.id, True, True)])
        text = f"{MOST_PASSED} exceptions of {known.name} left no test: no more of that class are looked at"
        self._target.publish(Notice("exceptions-left-out", text, (("class", known.name),)))
        return False

    # Clojure

    async def _is_reported_failure(self, hit: RequestHit) -> bool:
        """True if what clojure.test reports is a failure. wire: 5 trips."""
        try:
            frames = await self._frames(hit.thread, -1)
            actual = await self._reader.reported_failure(hit, frames)
            if actual is None or actual in self._told:  # it stopped where that exception left the test
                return False
        except JdwpError:
            return False
        own = next((each.index for each in frames if frameworks.is_own(each.class_name)), 0)
        self._found[hit.thread] = _Failure(
            FoundTest(frameworks.CLOJURE, own, own), tuple(frames), self._first.get(actual)
        )
        return self._turn is None or await self._turn.take()

    # What is told

    async def details(self, hit: RequestHit) -> dict[str, Any]:
        """Return what has failed, and the frame to show. wire: as ``exception_info``, and 2 trips."""
        failure = self._found.pop(hit.thread, None)
        thrown = await exception_info(self._target, hit.event) if hit.request.kind == EventKind.EXCEPTION else None
        if failure is None:
            return {"exception": thrown}
        test = await self._reader.failed_test(hit, failure.found, failure.frames, thrown)
        if thrown is not None:
            thrown = await self._reader.with_message(hit, thrown, failure.found, failure.frames)
        if failure.first is not None:
            [place] = await self._target.types.locations([failure.first])
            test = test.replace(first_thrown=place)
        return {"exception": thrown, "test": test, "frame_number": failure.found.own + 1}

    def told(self, hit: RequestHit, where: str, details: dict[str, Any]) -> tuple[str, str]:
        test: FailedTest | None = details.get("test")
        thrown = details.get("exception")
        what = f"{test.name} failed" if test is not None else "a test failed"
        said = f" with {thrown.type}" if thrown is not None else ""
        message = f": {thrown.message}" if thrown is not None and thrown.message is not None else ""
        return "test-failed", f"{what}{said}{message}: {where}"
