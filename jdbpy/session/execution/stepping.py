"""Steps: into, over, out, by instruction, with a count; and ``until``.

Owns the step requests: at most one a thread (the agent reports only the newest, ``stepControl.c``), each with a Count
so that it drops itself, cleared when something else stops the thread first. A stop of another thread leaves it. A
breakpoint met during a step wins.
"""

from __future__ import annotations

from typing import Any

from jdbpy.errors import JdwpError, StateError, UsageError
from jdbpy.record import Record
from jdbpy.session.events.clients import Steps
from jdbpy.session.events.requests import RESUME, Handler, RequestHit, RequestSpec, StopPlan, Verdict
from jdbpy.session.events.target import Target
from jdbpy.session.execution.resuming import Resuming
from jdbpy.session.execution.returned import returned
from jdbpy.session.execution.stops import StopShower
from jdbpy.session.java import class_names
from jdbpy.session.java.signatures import is_hidden_class
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.facts import MethodKey
from jdbpy.session.jvm.lines import Inlined, inlined_at
from jdbpy.session.model.events import Notice, Stopped, StopReason
from jdbpy.session.model.options import StepDepth, StepSize
from jdbpy.session.model.threads import Location
from jdbpy.wire import constants, ids
from jdbpy.wire.constants import Error, EventKind
from jdbpy.wire.messages import event_request, thread_reference

_DEPTHS = {
    StepDepth.INTO: constants.JdwpStepDepth.INTO,
    StepDepth.OVER: constants.JdwpStepDepth.OVER,
    StepDepth.OUT: constants.JdwpStepDepth.OUT,
}
_SIZES = {StepSize.LINE: constants.JdwpStepSize.LINE, StepSize.MIN: constants.JdwpStepSize.MIN}


_COUNTED_HERE = 50
"""Steps of one command that are counted here, a trip each. The agent counts more than that, at its own speed."""
_MAY_BE_REFUSED = frozenset({EventKind.METHOD_EXIT_WITH_RETURN_VALUE, EventKind.THREAD_DEATH})
"""Kinds of events without which a step is a step all the same: an agent need not have them."""


class MappedLine(Record):
    """A line of source in one frame, recognized by what a frame keeps while it runs: its method and its depth.

    ``inlined`` is the call for which the line was inlined into the method, None for the method's own line.
    """

    type_tag: int
    key: MethodKey
    depth: int
    source: str | None
    line: int | None
    inlined: Inlined | None

    def is_called_in(self, line: MappedLine) -> bool:
        """True if the line is in the same frame, and was inlined for a call that this one is not in."""
        same_frame = (self.key, self.depth) == (line.key, line.depth)
        return same_frame and line.inlined not in (None, self.inlined)


_ENDS_OF_THREADS = ("exit", "dispatchUncaughtException")
"""Methods of ``java.lang.Thread`` that the VM runs in a thread of which the last frame was left."""

_CALL_SITES = "org.codehaus.groovy.runtime.callsite."
"""The package of the classes that Groovy's call sites extend."""


class Stepping:
    """Steps of one target. ``patterns`` are the classes in which a step by line does not stop."""

    def __init__(self, target: Target, stops: StopShower, resuming: Resuming) -> None:
        self._target = target
        self._stops = stops
        self._resuming = resuming
        self._steps = Steps.of(target)
        self._pending = self._steps.pending
        self._watched = self._steps.watched
        self._looked_up: dict[int, tuple[MethodKey, int]] = {}
        """The method whose lines the agent has looked up last for a thread; how often its code was replaced before."""
        self.patterns: tuple[str, ...] = class_names.DEFAULT_EXCLUDES

    async def start(
        self,
        thread: int,
        depth: StepDepth,
        size: StepSize = StepSize.LINE,
        count: int = 1,
        *,
        filtered: bool = True,
        alone: bool = False,
    ) -> None:
        """Start a step of a held thread and let it run; the stop comes as an event.

        Where everything is suspended all threads run meanwhile, but for ``alone``.

        Raises StateError when the thread runs, UsageError for a count below 1. wire: 1 trip (Clear of the former
        step, Set and Resume in one segment), one more when the class at the top has to be asked for; 1 for each further
        step of up to 50. A step by line
        goes on through methods that the compiler made (bridges, accessors) and code that the VM spun for a lambda.
        A step over stays on the frame's own lines: what a compiler inlined there is passed at full speed.
        """
        if count < 1:
            raise UsageError("the number of steps must be 1 or more")
        self._require(thread)
        by_line = size is StepSize.LINE
        # As in jdb, filters apply to steps by line that could enter something, not to 'step up' and 'stepi'.
        use = filtered and by_line and depth is not StepDepth.OUT
        patterns = (
            class_names.excludes_outside(self.patterns, await self._class_at_top(thread))
            if use and self.patterns
            else ()
        )
        start = await self._mapped_line(thread) if by_line else None
        is_inlined = start is not None and start.inlined is not None and depth is StepDepth.OUT
        by_one = count == 1 and by_line and depth is not StepDepth.INTO and not is_inlined
        here = await self._place(thread) if by_line else None
        watch = await returned(self._target, thread, here, depth) if by_one else None
        at = await self._in_former_lines(thread, _in_code(here)) if here is not None else None
        # The agent counts raw lines and the instructions of checks, and stops in code that the compiler or the VM made.
        changed_code = self._target.changed_code
        by_agent = start is None and at is None and count > _COUNTED_HERE
        counted_here = not by_agent if by_line else changed_code.has_checks
        left = count if counted_here else 1
        in_check = not by_line and depth is not StepDepth.OUT and await self._is_in_check(thread)
        excluded = [event_request.ClassExclude(pattern) for pattern in patterns]
        step = event_request.Step(_thread_id(thread), _SIZES[size], _DEPTHS[depth])

        def one_more(policy: constants.JdwpSuspendPolicy, steps: int = 1) -> RequestSpec:
            return RequestSpec(EventKind.SINGLE_STEP, policy, [step, *excluded, event_request.Count(steps)], done)

        def one_instruction(policy: constants.JdwpSuspendPolicy) -> RequestSpec:
            over = event_request.Step(_thread_id(thread), constants.JdwpStepSize.MIN, constants.JdwpStepDepth.OVER)
            return RequestSpec(EventKind.SINGLE_STEP, policy, [over, event_request.Count(1)], done)

        def to_own_lines(of: MappedLine, policy: constants.JdwpSuspendPolicy) -> list[RequestSpec]:
            """Set breakpoints at the frame's own lines; a step out is for the case that it comes to none of them."""
            out = event_request.Step(_thread_id(thread), _SIZES[size], constants.JdwpStepDepth.OUT)
            left_frame = RequestSpec(EventKind.SINGLE_STEP, policy, [out, *excluded, event_request.Count(1)], done)
            only = event_request.ThreadOnly(_thread_id(thread))
            places = [event_request.LocationOnly(each) for each in self._own_lines(of, anew=depth is StepDepth.OUT)]
            return [left_frame, *(RequestSpec(EventKind.BREAKPOINT, policy, [only, at], at_own_line) for at in places)]

        async def at_own_line(hit: RequestHit) -> Verdict:
            location, now = await self._top(thread)
            if start is None or now != start.depth:  # deeper in a recursion
                return RESUME
            return await counted(hit, self._mapped(location, now))

        def at_other_lines(policy: constants.JdwpSuspendPolicy) -> list[RequestSpec]:
            """Set breakpoints at the other lines of a frame in which the agent steps by those of former code."""
            only = event_request.ThreadOnly(_thread_id(thread))
            places = self._other_lines(at) if at is not None and depth is not StepDepth.OUT else []
            return [
                RequestSpec(EventKind.BREAKPOINT, policy, [only, event_request.LocationOnly(each)], at_other_line)
                for each in places
            ]

        async def at_other_line(hit: RequestHit) -> Verdict:
            _, now = await self._top(thread)
            return RESUME if at is None or now != at.depth else await arrived(hit)  # deeper in a recursion

        async def again(hit: RequestHit) -> Verdict:
            """Let the thread go on to one line more."""
            nonlocal at
            at = await self._in_former_lines(thread, hit.event.location) if by_line else None
            async with self._target.code_guard.unchanged():
                await self._go_on(thread, [one_more(hit.policy), *at_other_lines(hit.policy)])
            return RESUME

        async def done(hit: RequestHit) -> Verdict:
            self._target.requests.spent(hit.request)
            return await arrived(hit)

        async def arrived(hit: RequestHit) -> Verdict:
            nonlocal in_check
            place = hit.event.location
            if changed_code.is_inserted(place):
                await self._go_on(thread, [one_instruction(hit.policy)])
                return RESUME
            if in_check:  # the thread has come to the instruction that was shown before the step
                in_check = False
                await self._go_on(thread, [one_more(hit.policy)])
                return RESUME
            if depth is not StepDepth.INTO and await self._is_end_of_thread(place):
                await self._go_on(thread, [self._until_the_end(thread, hit.policy, done)])
                return RESUME
            passed, here = by_line and await self._is_made_up(place), start
            if not passed and by_line and depth is not StepDepth.OUT:
                passed, here = await self._still_on_line(thread, place, start)
                if start is not None and here is not None and depth is StepDepth.OVER and start.is_called_in(here):
                    async with self._target.code_guard.unchanged():
                        await self._go_on(thread, to_own_lines(start, hit.policy))
                    return RESUME
            if not passed and at is not None and depth is not StepDepth.OUT:
                passed = await self._is_at(thread, place, at)
            return await again(hit) if passed else await counted(hit, here)

        async def counted(hit: RequestHit, here: MappedLine | None) -> Verdict:
            nonlocal start, left
            start, left = here, left - 1
            if left:
                return await again(hit)
            if self._target.left:
                return RESUME
            given = await watch.value() if watch is not None else {}
            return StopPlan(StopReason.STEP, {**self._target.mine, **given})

        exits = [watch.spec()] if watch is not None else []
        if is_inlined and start is not None:
            async with self._target.code_guard.unchanged():
                await self._arm(thread, to_own_lines(start, self.policy(alone)), alone)
        else:
            one = one_more(self.policy(alone), 1 if counted_here else count)
            async with self._target.code_guard.unchanged():
                await self._arm(thread, [*exits, one, *at_other_lines(self.policy(alone))], alone)

    async def start_until(self, thread: int, line: int | None = None) -> None:
        """Run until a line past the current one (None) or the given line of this method, or until its frame is left.

        The frame is the one at the top now: a deeper recursion that passes the line does not stop. Raises StateError
        without line numbers, UsageError for a line without code. wire: 3 trips, and 1 a stop looked at on the way.
        """
        self._require(thread)
        location, depth = await self._top(thread)
        if location.line is None:
            raise StateError("this method has no line numbers", hint="'step up' runs until it returns")
        start = location.line if line is None else line
        first = self._mapped(location, depth)

        async def at_line(hit: RequestHit) -> Verdict:
            if await self._is_end_of_thread(hit.event.location):
                await self._go_on(thread, [self._until_the_end(thread, hit.policy, at_line)])
                return RESUME
            here, now = await self._top(thread)
            left = now < depth
            beside = now == depth and not first.is_called_in(self._mapped(here, now))  # inlined lines are no later ones
            further = now == depth and (line is not None or here.line is None or (here.line > start and beside))
            if not (left or further) or self._target.left:
                return RESUME
            return StopPlan(StopReason.UNTIL, {**self._target.mine})

        step = event_request.Step(
            _thread_id(thread),
            constants.JdwpStepSize.LINE,
            constants.JdwpStepDepth.OVER if line is None else constants.JdwpStepDepth.OUT,
        )
        specs = [RequestSpec(EventKind.SINGLE_STEP, self.policy(), [step], at_line)]
        at = await self._in_former_lines(thread, _in_code(location))
        async with self._target.code_guard.unchanged():
            others = self._other_lines(at) if at is not None else []
            for place in await self._places(location, line) if line is not None else others:
                modifiers = [event_request.ThreadOnly(_thread_id(thread)), event_request.LocationOnly(place)]
                specs.append(RequestSpec(EventKind.BREAKPOINT, self.policy(), modifiers, at_line))
            await self._arm(thread, specs)

    def policy(self, alone: bool = False) -> constants.JdwpSuspendPolicy:
        """A step holds at its end what is held at its start: the whole VM, or the thread alone."""
        if self._target.suspension.everything_held and not alone:
            return constants.JdwpSuspendPolicy.ALL
        return constants.JdwpSuspendPolicy.EVENT_THREAD

    async def _arm(self, thread: int, specs: list[RequestSpec], alone: bool = False) -> None:
        """Replace the thread's former step by these requests and let it run, in one segment."""
        requests = self._target.requests
        self._steps.end(thread)
        submitted = [requests.submit(spec) for spec in specs]
        self._pending[thread] = [request for request, _ in submitted]
        self._steps.begun[thread] += 1
        if self._target.clients is not None:
            self._steps.clients[thread] = self._target.client
        watching = None
        if thread not in self._watched:
            self._watched.add(thread)
            modifiers = [event_request.ThreadOnly(_thread_id(thread)), event_request.Count(1)]
            none = constants.JdwpSuspendPolicy.NONE
            watching = requests.submit(RequestSpec(EventKind.THREAD_DEATH, none, modifiers, self._on_death))
            submitted.append(watching)
        self._resuming.run_for_step(thread, alone=alone)
        try:
            outcomes = await self._target.conn.gather([pending for _, pending in submitted])
        finally:
            if watching is not None and not watching[0].active:  # refused, or abandoned: it is taken out of the target
                self._watched.discard(thread)
        for (request, _), outcome in zip(submitted, outcomes, strict=True):
            if isinstance(outcome, JdwpError) and request.kind not in _MAY_BE_REFUSED:
                raise outcome

    async def _go_on(self, thread: int, specs: list[RequestSpec]) -> None:
        """Set what a thread's step needs to go on, instead of what it had; the caller lets it run. wire: 1 trip."""
        requests, had = self._target.requests, self._pending.get(thread, [])
        exits = [each for each in had if each.kind == EventKind.METHOD_EXIT_WITH_RETURN_VALUE]
        with self._target.conn.corked:
            requests.submit_clear([each for each in had if each not in exits])
            submitted = [requests.submit(spec) for spec in specs]
        self._pending[thread] = [*exits, *(request for request, _ in submitted)]
        for outcome in await self._target.conn.gather([pending for _, pending in submitted]):
            if isinstance(outcome, JdwpError):
                raise outcome

    @staticmethod
    def _until_the_end(thread: int, policy: constants.JdwpSuspendPolicy, handler: Handler) -> RequestSpec:
        """Return the request that lets a step of a thread last until the thread has ended."""
        out = event_request.Step(_thread_id(thread), constants.JdwpStepSize.LINE, constants.JdwpStepDepth.OUT)
        return RequestSpec(EventKind.SINGLE_STEP, policy, [out, event_request.Count(1)], handler)

    async def _is_end_of_thread(self, place: ids.CodeLocation) -> bool:
        """True where the VM has begun to run what ends a thread: no method has called that. wire: 1 trip, 0 when
        known."""
        if place.index:
            return False
        [location] = await self._target.types.locations([place])
        return location.class_name == "java.lang.Thread" and location.method in _ENDS_OF_THREADS

    async def _is_made_up(self, place: ids.CodeLocation) -> bool:
        """True in a method without source: a bridge, an accessor, what the VM spun to call a lambda, a call site that
        Groovy made.

        A lambda's body is the user's code, although its method is synthetic. wire: 1 trip, 0 when known; for a class
        without lines that may be a call site 1 more for each superclass.
        """
        if not place.methodID:
            return False
        types = self._target.types
        [location] = await types.locations([place])
        methods = types.facts.known(facts.METHODS, place.classID) or ()
        method = next((each for each in methods if each.id == place.methodID), None)
        if method is not None and method.is_synthetic:
            return not method.is_lambda_body
        if location.line is not None:
            return False
        return is_hidden_class(location.class_name) or await self._is_call_site(place, location.class_name)

    async def _is_call_site(self, place: ids.CodeLocation, class_name: str) -> bool:
        """True in a class through which Groovy calls methods, one for each place that calls."""
        if "$" not in class_name:
            return False
        type_id = ids.ReferenceTypeID(place.classID)
        above = (await self._target.types.superclasses([type_id])).get(type_id, ())
        return any(each.name.startswith(_CALL_SITES) for each in above)

    async def _mapped_line(self, thread: int) -> MappedLine | None:
        """Return the line that a step starts on, when a stratum makes it another than the VM's own.

        wire: none at the stop that was shown last in a class without source map, else 1 trip.
        """
        last, types = self._shown_last(thread), self._target.types
        location = last.location if last is not None else None
        if location is None:
            location, _ = await self._top(thread, count=False)
        if types.facts.known(facts.SOURCE_MAP, ids.ReferenceTypeID(location.type_id)) is None:
            return None
        self._target.step_by_raw_lines()
        location, depth = await self._top(thread)
        return self._mapped(location, depth) if location.stratum else None

    async def _still_on_line(
        self, thread: int, place: ids.CodeLocation, start: MappedLine | None
    ) -> tuple[bool, MappedLine | None]:
        """Return whether a step must go on because it stands on no line of the source, or on the one it came from.

        The agent steps by lines of the class file, of which several may be one line of the source. wire: none without a
        source map; else 1 trip.
        """
        types = self._target.types
        [location] = await types.locations([place])
        if types.stratum_of(place.classID) is None or not place.methodID:
            return False, None
        self._target.step_by_raw_lines()
        if not location.stratum:
            return True, start
        _, depth = await self._top(thread)
        here = self._mapped(location, depth)
        return here == start, here

    def _mapped(self, location: Location, depth: int) -> MappedLine:
        """Return the line of a known location, with the call that it was inlined for. No trip."""
        types, type_id = self._target.types, ids.ReferenceTypeID(location.type_id)
        key = type_id, ids.MethodID(location.method_id)
        source_map, stratum = types.facts.known(facts.SOURCE_MAP, type_id), types.stratum_of(type_id)
        lines, inlined = types.facts.known(facts.LINES, key), None
        raw = lines.line_at(location.code_index) if lines is not None else None
        if source_map is not None and stratum is not None and raw is not None:
            inlined = inlined_at(source_map, stratum, types.facts.known(facts.SOURCE_FILE, type_id), raw)
        return MappedLine(location.type_tag, key, depth, location.source, location.line, inlined)

    def _own_lines(self, line: MappedLine, *, anew: bool) -> list[ids.CodeLocation]:
        """Return where code of the frame's lines begins that is inlined in none, or in the same call as the line.

        ``anew`` leaves the call: it begins at the lines that are inlined in none, and at this line too. No trip.
        """
        types = self._target.types
        known = types.facts.known(facts.LINES, line.key)
        found = []
        for index, _ in known.entries if known is not None else ():
            place = ids.CodeLocation(line.type_tag, *line.key, index)
            location = types.location(place)
            entry = self._mapped(location, line.depth)
            own = entry.inlined is None or (not anew and entry.inlined == line.inlined)
            if location.stratum and own and (anew or entry != line):
                found.append(place)
        return found

    async def _in_former_lines(self, thread: int, place: ids.CodeLocation | None) -> MappedLine | None:
        """Return the line on which a step by line begins, if the agent takes the lines of former code for those of its
        method.

        It looks them up when a thread begins a step in another method than that of its last step, and not when the code
        was replaced (``stepControl.c``). wire: none, else 2 trips.
        """
        if place is None:
            return None
        key = place.classID, place.methodID
        times = self._target.changed_code.replaced[place.classID]
        known, then = self._looked_up.get(thread, (None, 0))
        if known != key:
            self._looked_up[thread] = key, times
            return None
        if then == times:
            return None
        await self._target.types.line_tables([key])
        location, depth = await self._top(thread)
        return self._mapped(location, depth)

    def _other_lines(self, line: MappedLine) -> list[ids.CodeLocation]:
        """Return where code of the frame's other lines begins. No trip."""
        types = self._target.types
        known = types.facts.known(facts.LINES, line.key)
        places = [ids.CodeLocation(line.type_tag, *line.key, index) for index, _ in known.entries] if known else []
        return [each for each in places if self._mapped(types.location(each), line.depth) != line]

    async def _is_at(self, thread: int, place: ids.CodeLocation, line: MappedLine) -> bool:
        """True if the thread stands on that line of that frame. wire: 1 trip, 0 in another method."""
        if (place.classID, place.methodID) != line.key:
            return False
        location, depth = await self._top(thread)
        return self._mapped(location, depth) == line

    def _shown_last(self, thread: int) -> Stopped | None:
        """Return the thread's last stop, if the thread has not run since."""
        last = self._target.stops.get(thread)
        if last is not None and last.epoch == self._target.suspension.epoch_of(thread):
            return last
        return None

    async def _on_death(self, hit: RequestHit) -> Verdict:
        self._target.requests.spent(hit.request)
        self._watched.discard(hit.thread)
        self._looked_up.pop(hit.thread, None)
        self._steps.begun.pop(hit.thread, None)
        if requests := self._pending.pop(hit.thread, None):
            self._target.requests.drop(requests)
            self._steps.overdue.discard(hit.thread)
            text = "the thread ended during the step; the target runs on"
            self._target.publish(Notice("thread-ended", text, (("thread", hit.thread),)))
        self._target.suspension.forget(hit.thread)
        self._steps.on_end()
        return None

    def _require(self, thread: int) -> None:
        self._target.require_alive()
        self._target.suspension.require_stopped(thread)
        self._target.conn.require_allowed(event_request.Set)

    async def _places(self, location: Location, line: int) -> list[ids.CodeLocation]:
        """Return where the code of a line begins in the method of the location. Raises UsageError when it has none
        there.
        """
        key = (ids.ReferenceTypeID(location.type_id), ids.MethodID(location.method_id))
        await self._target.types.locations_of_line([key], line, location.source)
        table = self._target.types.lines_of(key, location.source)
        starts = table.starts_of(line)
        if not starts:
            lines = sorted(table.lines())
            raise UsageError(
                f"{location.method} has no code on line {line}",
                hint=f"its code is between lines {lines[0]} and {lines[-1]}; 'advance' goes to other methods",
            )
        return [ids.CodeLocation(location.type_tag, *key, start) for start in starts]

    async def _place(self, thread: int) -> Location | None:
        """Return where the thread stands. wire: none at the stop that was shown last, else 1 to 3 trips."""
        last = self._shown_last(thread)
        if last is not None:
            return last.location
        location, _ = await self._top(thread, count=False)
        return location

    async def _place_in_code(self, thread: int) -> ids.CodeLocation | None:
        """Return where the thread stands, as the agent writes it. wire: as ``_place``."""
        here = await self._place(thread)
        return _in_code(here) if here is not None else None

    async def _is_in_check(self, thread: int) -> bool:
        """True if the thread stands in front of an instruction that is none of the program's. wire: as ``_place``."""
        if not self._target.changed_code.has_checks:
            return False
        here = await self._place_in_code(thread)
        return here is not None and self._target.changed_code.is_inserted(here)

    async def _class_at_top(self, thread: int) -> str:
        """Name of the class the thread stands in. wire: none at the stop that was shown last, else 1 to 3 trips."""
        location = await self._place(thread)
        return location.class_name if location is not None else ""

    async def _top(self, thread: int, *, count: bool = True) -> tuple[Location, int]:
        """Return the model location at the top of the stack, and the number of frames. wire: 1 trip, class known."""
        commands: list[Any] = [thread_reference.Frames(_thread_id(thread), 0, 1)]
        if count:
            commands.append(thread_reference.FrameCount(_thread_id(thread)))
        outcomes = await self._target.conn.batch(commands)
        empty = isinstance(outcomes[0], JdwpError) and outcomes[0].number == Error.INVALID_INDEX
        for outcome in () if empty else outcomes:
            if isinstance(outcome, Exception):
                raise outcome
        frames = () if empty else outcomes[0].frames
        if not frames:
            last = self._shown_last(thread)
            begins = last is not None and last.reason is StopReason.START
            hint = "'run' starts the program" if begins else "choose another with 'threads' and 'thread N'"
            raise StateError("the thread has no Java frames", hint=hint)
        [location] = await self._target.types.locations([frames[0].location])
        return location, outcomes[1].frameCount if count else 0


def _thread_id(thread: int) -> ids.ThreadID:
    return ids.ThreadID(ids.ObjectID(thread))


def _in_code(place: Location) -> ids.CodeLocation:
    """Return a place as the agent writes it."""
    type_id, method_id = ids.ReferenceTypeID(place.type_id), ids.MethodID(place.method_id)
    return ids.CodeLocation(place.type_tag, type_id, method_id, place.code_index)
