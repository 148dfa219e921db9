"""Requests to stop the target, in jdb's words: breakpoints, watchpoints, exceptions; also before there is a target.

jdb knows them by their text and not by a number. Each becomes a point of the session when there is one; a point whose
class is not loaded yet is "deferred", and said to be set when the session says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jdbpy import PointOptions, SuspendPolicy, UsageError
from jdbpy.jdb.output import JdbOutput, number

if TYPE_CHECKING:
    from jdbpy import BreakpointInfo, Session

POLICIES = {"go": SuspendPolicy.NONE, "thread": SuspendPolicy.THREAD}
"""What stops at a hit, by jdb's word for it; everything without one."""


class Spec:
    """One of them. ``text`` is how jdb names it."""

    def __init__(self, text: str, policy: SuspendPolicy = SuspendPolicy.ALL) -> None:
        self.text = text
        self.policy = policy
        self.number = 0  # of the session's point
        self.resolved = False

    async def set_in(self, session: Session) -> BreakpointInfo:
        """Set it. Raises JdbpyError."""
        raise NotImplementedError

    def waits(self, point: BreakpointInfo) -> bool:
        """True if the point still waits for its class."""
        return bool(point.message)

    def why_not(self, message: str, code: str) -> str:
        """Return why it cannot be set; ``code`` is the error's."""
        return message


class BreakpointSpec(Spec):
    """``place`` is the class with a line or a method, as typed."""

    def __init__(
        self, class_name: str, place: str, policy: SuspendPolicy = SuspendPolicy.ALL, thread: int | None = None
    ) -> None:
        super().__init__(f"breakpoint {class_name}{place}", policy)
        self.class_name = class_name
        self.place = place
        self.thread = thread

    async def set_in(self, session: Session) -> BreakpointInfo:
        session.breakpoints.refuse_lines_without_code()
        return await session.breakpoints.add(f"{self.class_name}{self.place}", policy=self.policy, thread=self.thread)

    def waits(self, point: BreakpointInfo) -> bool:
        return not point.code

    def why_not(self, message: str, code: str) -> str:
        place = self.place[1:]
        match code:
            case "NO_METHOD":
                return f"No method {place.partition('(')[0]} in {self.class_name}"
            case "NO_CODE" if place.isdigit():
                return f"No code at line {number(int(place))} in {self.class_name}"
            case "NO_LINES":
                return f"No linenumber information for {self.class_name}.  Try compiling with debugging on."
            case "ABSTRACT_METHOD":
                name = self.class_name
                return f"Breakpoints can be located only in classes.  {name} is an interface or array."
        return message


class WatchSpec(Spec):
    """Accesses to a field, or modifications of it: jdb keeps the two apart."""

    def __init__(self, class_name: str, field: str, *, access: bool, policy: SuspendPolicy = SuspendPolicy.ALL) -> None:
        what = "watch accesses of" if access else "watch modification of"
        super().__init__(f"{what} {class_name}.{field}", policy)
        self.class_name = class_name
        self.field = field
        self.access = access

    async def set_in(self, session: Session) -> BreakpointInfo:
        return await session.watchpoints.add(
            f"{self.class_name}.{self.field}",
            access=self.access,
            modification=not self.access,
            options=PointOptions(policy=self.policy),
        )

    def why_not(self, message: str, code: str) -> str:
        return f"No field {self.field} in {self.class_name}" if code == "NO_FIELD" else message


class ExceptionSpec(Spec):
    """Exceptions of a class or pattern. jdb waits for ever for classes that fit a pattern."""

    def __init__(self, pattern: str, *, caught: bool, uncaught: bool) -> None:
        which = "all" if caught and uncaught else "caught" if caught else "uncaught"
        super().__init__(f"{which} {pattern}")
        self.pattern = pattern
        self.caught = caught
        self.uncaught = uncaught

    async def set_in(self, session: Session) -> BreakpointInfo:
        return await session.catchpoints.exception(
            self.pattern, caught=self.caught, uncaught=self.uncaught, options=PointOptions(policy=self.policy)
        )

    def waits(self, point: BreakpointInfo) -> bool:
        return "*" in self.pattern or bool(point.message)


class Specs:
    """All of them, in the order in which they were given."""

    def __init__(self, out: JdbOutput) -> None:
        self._out = out
        self._specs: dict[str, Spec] = {}  # by their text, in their order

    def of(self, kind: type[Spec]) -> list[Spec]:
        return [spec for spec in self._specs.values() if isinstance(spec, kind)]

    def by_number(self, number_: int) -> Spec | None:
        """Return the one that is the session's point of that number."""
        return next((spec for spec in self._specs.values() if spec.number == number_), None)

    async def add(self, spec: Spec, session: Session | None) -> None:
        """Set it now, or keep it for later, and say which."""
        if spec.text in self._specs:
            await self._forget(spec.text, session)
        if session is not None and not await self._set(spec, session, "Unable to set"):
            return
        self._specs[spec.text] = spec
        if spec.resolved:
            self._out.line(f"Set {spec.text}")
        else:
            self._out.line(f"Deferring {spec.text}.\nIt will be set after the class is loaded.")

    async def open(self, session: Session) -> None:
        """Set all in a session that has just begun: what can be set at once is announced."""
        session.breakpoints.stop_at_failures()
        default = ExceptionSpec("java.lang.Throwable", caught=False, uncaught=True)
        self._specs.setdefault(default.text, default)
        self._out.line(f"Set {default.text}")
        for spec in list(self._specs.values()):
            if await self._set(spec, session, "Unable to set deferred") and spec.resolved:
                self._out.line(f"Set deferred {spec.text}")

    async def delete(self, spec: Spec, session: Session | None) -> bool:
        """Takes away the one of the same text; False if there is none."""
        return await self._forget(spec.text, session)

    async def redefined(self, class_name: str, session: Session) -> None:
        """Take the breakpoints of a class out of the target: as in jdb they are listed still, and hit no more."""
        for spec in self._specs.values():
            if spec.number and isinstance(spec, BreakpointSpec):
                point = session.points.get(spec.number)
                if any(place.class_name == class_name for place in point.resolved):
                    await session.points.remove([spec.number])
                    spec.number = 0

    async def _set(self, spec: Spec, session: Session, complaint: str) -> bool:
        try:
            point = await spec.set_in(session)
        except UsageError as error:
            self._out.line(f"{complaint} {spec.text} : {spec.why_not(error.message, error.code)}")
            return False
        spec.number = point.number
        spec.resolved = not spec.waits(point)
        return True

    async def _forget(self, text: str, session: Session | None) -> bool:
        found = self._specs.pop(text, None)
        if found is None:
            return False
        if session is not None and found.number:
            await session.points.remove([found.number])
        return True
