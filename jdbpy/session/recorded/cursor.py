"""A recorded call that is looked at: where one stands in it, and the ways to go on and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from jdbpy.errors import EvalError, StateError, Thrown, UsageError
from jdbpy.session.recorded.call import RecordedCall, RecordedStep
from jdbpy.session.recorded.expressions import KeptExpression, parsed, text_value
from jdbpy.session.recorded.kept_values import KeptValue


class CallCursor:
    """A place in a recorded call: a step of it, at first the first one."""

    def __init__(self, call: RecordedCall) -> None:
        self.call = call
        self._at = 0

    @property
    def step(self) -> RecordedStep:
        """Return the step at which it is."""
        return self.call.steps[self._at]

    def values(self) -> dict[str, KeptValue]:
        """Return what was known there; see ``RecordedCall.values``."""
        return self.call.values(self.step)

    def evaluate(self, text: str) -> KeptValue:
        """Return the value of an expression over what was kept. Raises EvalError, Thrown."""
        return parsed(text).value(names_at(self.call, self.step))

    def move(self, count: int) -> RecordedStep:
        """Go so many lines on, or back; as far as there are any. Raises StateError at the end and at the beginning."""
        at = min(max(0, self._at + count), len(self.call.steps) - 1)
        if at == self._at:
            hint = "'back' goes back in it, 'close' leaves it" if count > 0 else "'next' and 'cont' go on in it"
            raise StateError(_at_edge(count), hint=hint, code="AT_THE_EDGE")
        self._at = at
        return self.step

    def go_to(self, number: int) -> RecordedStep:
        """Go to the step with that number. Raises UsageError."""
        if not 1 <= number <= len(self.call.steps):
            raise UsageError(f"no step {number}: there are 1 to {len(self.call.steps)}")
        self._at = number - 1
        return self.step

    def go_to_end(self) -> RecordedStep:
        """Go to where the call ends. Raises StateError when it is there."""
        return self.move(len(self.call.steps))

    def go_to_start(self) -> RecordedStep:
        """Go to the first line. Raises StateError when it is there."""
        return self.move(-len(self.call.steps))

    def go_to_line(self, line: int, *, back: bool = False) -> RecordedStep:
        """Go to the next or the last time that a line was reached. Raises StateError where it was not."""
        return self._seek(lambda step: step.line == line, f"line {line} was not reached", back=back)

    def go_where(self, condition: str, *, back: bool = False) -> RecordedStep:
        """Go to the next or the last line at which a condition holds. A line where it has no value is passed.

        Raises StateError where it holds nowhere, with the reason if it has a value nowhere; EvalError for what is no
        expression.
        """
        expression = parsed(condition)
        seen: list[JavaFailure] = []
        return self._seek(
            lambda step: _holds(expression, self.call, step, seen), f"'{condition}' does not hold", back=back, why=seen
        )

    def go_to_stop(self, stops: Mapping[int, str], *, back: bool = False) -> bool:
        """Go to the next or the last time that a line of ``stops`` was reached, else to the end, or the beginning.

        Each line has the condition of its breakpoint, "" for none; one that has no value over what was kept holds.
        Return True if it is at one of the lines. Raises StateError at the end, and at the beginning.
        """
        for at in self._others(back):
            step = self.call.steps[at]
            if step.line in stops and not step.end and self._stops_at(step, stops[step.line]):
                self._at = at
                return True
        if back:
            self.go_to_start()
        else:
            self.go_to_end()
        return False

    def _stops_at(self, step: RecordedStep, condition: str) -> bool:
        seen: list[JavaFailure] = []
        try:
            return not condition or _holds(parsed(condition), self.call, step, seen) or bool(seen)
        except EvalError:  # it is more than what was kept can tell
            return True

    def _seek(
        self,
        fits: Callable[[RecordedStep], bool],
        what: str,
        *,
        back: bool,
        why: list[JavaFailure] | None = None,
    ) -> RecordedStep:
        for at in self._others(back):
            if fits(self.call.steps[at]):
                self._at = at
                return self.step
        where = "before this line" if back else "after this line"
        reason = f": {why[-1].message}" if why and len(why) == len(list(self._others(back))) else ""
        raise StateError(f"{what} {where}{reason}", code="NOT_REACHED")

    def _others(self, back: bool) -> Iterator[int]:
        if back:
            return iter(range(self._at - 1, -1, -1))
        return iter(range(self._at + 1, len(self.call.steps)))


JavaFailure = EvalError | Thrown


def _at_edge(count: int) -> str:
    return "this is the end of the recorded call" if count > 0 else "this is the beginning of the recorded call"


def _holds(expression: KeptExpression, call: RecordedCall, step: RecordedStep, seen: list[JavaFailure]) -> bool:
    try:
        return expression.holds(names_at(call, step))
    except (EvalError, Thrown) as error:
        seen.append(error)
        return False


def names_at(call: RecordedCall, step: RecordedStep) -> dict[str, KeptValue]:
    """Return what names mean at a step; at the end of the call the result and the exception too."""
    names = call.values(step)
    if step.end:
        names.update(_results(call))
    return names


def names_of(call: RecordedCall) -> dict[str, KeptValue]:
    """Return what names mean for a call as a whole: arguments as they were given, variables as they were last, the
    result, the exception (its class as a text), the time, the thread.
    """
    return {**call.last_values(), **dict(call.arguments), **_results(call)}


def _results(call: RecordedCall) -> dict[str, KeptValue]:
    found = {"$cost": KeptValue("double", call.cost * 1e3, "primitive"), "$thread": text_value(call.thread)}
    if call.result is not None:
        found["$ret"] = call.result
    thrown = call.exception
    found["$exc"] = KeptValue("null", kind="null") if thrown is None else text_value(thrown.text)
    return found
