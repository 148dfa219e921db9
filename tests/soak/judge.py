"""The rules of stops, judged by what a client is shown and what the program says of itself (fixtures/Crew.java).

* **S1** A stop is shown only while its thread stands there, until somebody whom it was shown to lets it go.
* **S2** No word resumes a thread whose stop has not been shown: of each pass over a breakpoint a stop was shown.
* **S3** A stop selects its thread when it is shown; nothing but the client's own words moves the selection.
* **S4** A hit of a breakpoint that was removed, disabled or given another condition is not shown.
* **S5** A step ends in its own thread, or it is said why not.
* **S6** While a method runs for an expression, hits of others wait: it ends with its value, the stop is as it was.
* **S7** A step that was interrupted by a stop is over, unless it is said to be pending.
* **end** A word that waits for a stop gets one; behind a debugger that has left all workers go on.

A ``Judge`` stands for one client. It is told each word and all that was shown for it, as JSON lines have it.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

Shown = dict[str, Any]
"""An object of the JSON output: an event or a result."""

STEPS = {"next", "step", "step up", "until"}
RESUMING = STEPS | {"cont"}

RELEASING = {"cont", "resume", "clear", "disable", "condition"}
"""Words that may resume threads which the client has not selected."""

NAMED = {"hit", "deep", "deeper", "guarded", "awaited", "work"}
"""Methods in all lines of which ``name`` says whose frame it is."""


QUIET = ("logpoint", "trace", "calls")
"""Kinds of notices that say nothing of a step."""

FORGIVEN = frozenset(os.environ.get("JDBPY_STOPS_FORGIVE", "").split(","))
"""Rules that are not looked at, as "S5,S7": for work on one of the others."""


class Broken(AssertionError):
    """A rule does not hold."""

    def __init__(self, rule: str, what: str) -> None:
        super().__init__(f"{rule}: {what}")
        self.rule = rule


@dataclass
class BreakpointBase:
    """A breakpoint as its client has set it. ``counter`` is the program's own count of what makes it stop."""

    number: int
    method: str
    counter: str
    line: int
    code_index: int
    condition: str = ""
    enabled: bool = True


@dataclass
class Passes:
    """What the clients of one session have been shown, against the counts of the program.

    A worker that is shown at the breakpoint has passed it so many times; from then on each pass has a stop of its own.
    """

    points: dict[int, BreakpointBase] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)
    allowed: dict[tuple[int, int], int] = field(default_factory=dict)  # (breakpoint, worker) -> passes with a stop
    fresh: set[tuple[int, int]] = field(default_factory=set)  # shown, and the count not looked at yet

    def show(self, thread: str, location: Shown, numbers: list[int]) -> None:
        """A stop of a thread is shown at a place, of these breakpoints."""
        worker = _worker(thread)
        for point in self.points.values():
            place = (location["method"], location.get("code_index"))
            here = point.number in numbers or place == (point.method, point.code_index)
            if worker is None or not point.enabled or not here:
                continue
            if (point.number, worker) in self.allowed:
                self.allowed[point.number, worker] += 1
            else:
                self.fresh.add((point.number, worker))

    def look_at(self, thread: str) -> None:
        """A client has chosen a thread by hand, which a hit may hold: the next stop of it that is shown counts."""
        worker = _worker(thread)
        self.allowed = {key: value for key, value in self.allowed.items() if key[1] != worker}
        self.fresh = {key for key in self.fresh if key[1] != worker}

    def forget(self, number: int) -> None:
        """The breakpoint is not what it was: hits that wait may be dropped, others may pass."""
        self.allowed = {key: value for key, value in self.allowed.items() if key[0] != number}
        self.fresh = {key for key in self.fresh if key[0] != number}

    def compare(self, counter: str, counts: list[int]) -> None:
        """The program has told a count. Raises Broken."""
        for number, worker in list(self.allowed):
            if self.points[number].counter == counter and counts[worker] > self.allowed[number, worker]:
                more = counts[worker] - self.allowed[number, worker]
                raise Broken("S2", f"worker-{worker} has passed breakpoint {number} {more} times without a stop shown")
        for number, worker in list(self.fresh):
            if self.points[number].counter == counter:
                self.fresh.discard((number, worker))
                self.allowed[number, worker] = counts[worker] + 1  # it stands in front of this pass


class Judge:
    """Holds a client to the rules: what it is shown must fit what it was shown before."""

    def __init__(self, passes: Passes | None = None) -> None:
        self.passes = passes or Passes()
        self.thread = ""  # the one that must be selected; "": not known
        self.place: tuple[str, int | None] | None = None  # of its innermost frame: method, line
        self.method = ""  # of the selected frame; "": not known
        self.at_stop = False  # the thread is selected because its stop was shown last
        self.stepping = ""  # the thread of a step under way
        self.pending: set[str] = set()  # threads whose step is said to be pending
        self.busy = False  # an evaluation was interrupted, whose method may still run
        self.alone = True  # no other client lets threads go, or makes steps
        self.holds_all = True  # its stops suspend all threads, which go on together
        self.standing: set[str] = set()  # threads that were shown at a stop, and have not been let go
        self.by_name: set[str] = set()  # threads suspended by name
        self.seen: set[str] = set()  # threads that must not be shown at a stop again: no word has resumed them
        self.rules: Counter[str] = Counter()

    def lose(self) -> None:
        """Somebody else lets the program run: what is selected is known again at the next stop."""
        self.thread, self.method, self.place, self.at_stop = "", "", None, False

    def take(self, word: str, shown: list[Shown]) -> None:
        """A word was given and all this was shown, in that order. Raises Broken."""
        name = self._name(word)
        stops = [each["data"] for each in shown if each.get("event") == "stop"]
        said = any(each.get("event") == "notice" and each["data"].get("kind") not in QUIET for each in shown)
        [result] = [each for each in shown if each["type"] == "result"][-1:] or [{"ok": True, "data": {}}]
        said = said or bool(result.get("data", {}).get("note") or result.get("data", {}).get("notices"))
        if name in STEPS:
            self.stepping = self.thread
        before = self.at_stop
        held = name in RESUMING
        if held and (result["ok"] or result["error"]["code"] == "TIMED_OUT"):
            self.standing -= set(self.standing) if self.holds_all else {self.thread}
        if name in RELEASING or (name in STEPS and self.holds_all):
            self.seen.clear()
        elif name in STEPS:
            self.seen.discard(self.thread)
        unknown = not self.thread
        for stop in stops:
            self._stop(name, stop, said)
            self._once(name, stop)
            held = False
            if name in STEPS and unknown and stop["reason"] != "step":
                self.stepping = self.thread  # it stopped before the word, whose step is its own
        if not result["ok"]:
            self._failed(word, name, result["error"], before)
            return
        if held and not stops:
            raise Broken("end", f"'{word}' has ended without a stop: {result['data']}")
        answered = result["data"].get("stop") if isinstance(result["data"], dict) else None
        chosen = [stop for stop in stops if stop.get("focus", True)]
        if answered and chosen and answered["thread"] != chosen[-1]["thread"]:
            raise Broken("S3", f"'{word}' answers {_words(answered)}, and the last stop shown is {_words(chosen[-1])}")
        getattr(self, f"_after_{name.replace(' ', '_')}", lambda word, data: None)(word, result["data"])

    def has_stopped(self, thread: str) -> bool:
        """True if the client itself keeps a thread suspended: at a stop that it was shown, or by name."""
        return thread in self.standing | self.by_name

    @staticmethod
    def _name(word: str) -> str:
        return "step up" if word.startswith("step up") else word.split()[0]

    # What is shown

    def _stop(self, name: str, stop: Shown, said: bool) -> None:
        self.rules["stops"] += 1
        thread, location, reason = stop["thread"]["name"], stop["location"], stop["reason"]
        self.standing.add(thread)
        numbers = stop.get("breakpoints") or ([stop["breakpoint"]] if stop.get("breakpoint") else [])
        for number in numbers:
            point = self.passes.points.get(number)
            if point is None and number in self.passes.gone:
                raise Broken("S4", f"a stop of breakpoint {number}, which was removed: {_words(stop)}")
            if point is not None and not point.enabled:
                raise Broken("S4", f"a stop of breakpoint {number}, which is disabled: {_words(stop)}")
            if point is not None and point.method != location["method"]:
                raise Broken("S1", f"a stop of breakpoint {number} in {point.method} elsewhere: {_words(stop)}")
        if not stop.get("focus", True) and thread != self.thread and reason != "step":
            if stop.get("policy") == "all":
                raise Broken("S3", f"a stop that suspends all threads leaves another selected: {_words(stop)}")
            self.passes.show(thread, location, numbers)
            return  # told for the sake of completeness: the client stays where it is, and its step goes on
        if reason == "step":
            if self.alone and not self.stepping and thread not in self.pending and "S7" not in FORGIVEN:
                raise Broken("S7", f"a step ends that nobody makes: {_words(stop)}, after '{name}'")
            if self.alone and self.stepping not in ("", thread) and thread not in self.pending and "S5" not in FORGIVEN:
                raise Broken("S5", f"'{name}' of {self.stepping} ends in another thread: {_words(stop)}")
            self.rules["steps in their own thread"] += 1
        elif self.stepping and name in STEPS and thread != self.stepping:
            if not said and "S5" not in FORGIVEN:
                raise Broken("S5", f"'{name}' of {self.stepping} is interrupted without a word by {_words(stop)}")
            self.rules["steps interrupted"] += 1
        self.pending.discard(thread)  # its step has ended, or something on its way
        if said and self.stepping not in ("", thread):
            self.pending.add(self.stepping)
        self.stepping = ""
        self.passes.show(thread, location, numbers)
        if not stop.get("focus", True) and thread != self.thread:
            return
        self.thread, self.at_stop = thread, True
        self.place, self.method = (location["method"], location["line"]), location["method"]

    def _once(self, name: str, stop: Shown) -> None:
        """Check that a stop is shown once, however many wait beside it. Raises Broken."""
        thread = stop["thread"]["name"]
        if stop["reason"] == "step" or self.busy or not self.alone or name in RELEASING:
            self.seen.discard(thread)  # shown before the word was run, or behind it
            return
        if thread in self.seen:
            raise Broken("S1", f"a stop is shown again, and nobody has let its thread go: {_words(stop)}")
        self.seen.add(thread)

    def _failed(self, word: str, name: str, error: Shown, at_stop: bool) -> None:
        text = f"{error['code']}: {error['message']}"
        if error["code"] == "JDBPY_FAULT":
            raise Broken("fault", f"'{word}': {text}")
        if error["code"] == "TIMED_OUT":
            raise Broken("end", f"'{word}': {text}")
        if error["code"] == "EVAL" and self.method not in NAMED:
            return  # it has no such variable, or a field of that name
        if "cannot find symbol" in text and self.at_stop:
            raise Broken("E7" if self.busy else "S3", f"'{word}' in {self.method} of {self.thread}: {text}")
        if self.busy or (name == "until" and self.place is not None and self.place[1] is None):
            return  # a method of the JDK has no lines to run to
        if at_stop and ("no thread is selected" in text or "NO_THREAD" in error["code"]):
            raise Broken("S3", f"'{word}' right after a stop of {self.thread}: {text}")
        if at_stop and (name in RESUMING or name in ("where", "locals", "print")):
            rule = "S6" if name == "print" and "slow" in word else "S1"
            raise Broken(rule, f"'{word}' at the stop of {self.thread} in {self.place}: {text}")
        if name in STEPS:
            self.stepping = ""

    # What the words have answered

    def _after_where(self, word: str, data: Shown) -> None:
        if word == "where" and not self.thread and not self.alone:
            self.thread = data["thread"]["name"]
            self.place, self.method = None, data["frames"][0]["method"] if data["frames"] else ""
        if not self.thread or word != "where":
            return
        if data["thread"]["name"] != self.thread:
            raise Broken("S3", f"'where' is about {data['thread']['name']}; {self._expected}")
        top = (data["frames"][0]["method"], data["frames"][0]["line"]) if data["frames"] else ("", None)
        if self.busy and top != self.place:
            return
        self.busy = False
        if self.place is None:
            self.place = top
        elif top != self.place:
            raise Broken("S1", f"'where' shows {self.thread} in {_at(top)}; {self._expected}")
        self.rules["places"] += 1

    def _after_print(self, word: str, data: Shown) -> None:
        if word == "print name" and self.thread and self.method in NAMED:
            if data["value"] != f'"{_short(self.thread)}"':
                raise Broken("S3", f"'print name' is {data['value']}; {self._expected}")
            self.rules["names"] += 1
        elif (found := re.fullmatch(r"print Crew\.(\w+)", word)) is not None and found[1] != "turn":
            counts = [int(each["value"]) for each in data["children"]]
            self.passes.compare(found[1], counts)
            self.rules["counts"] += 1
        elif (found := re.fullmatch(r"print Crew\.slow\((\d+)\)", word)) is not None:
            if data["value"] != str(2 * int(found[1])):
                raise Broken("S6", f"'{word}' is {data['value']}")
            self.rules["methods run"] += 1
        elif word.removeprefix("print ") in CONDITIONS.values() and data["value"] != "true":
            raise Broken("S4", f"a stop of a condition that is false: {self._expected}")

    def _after_locals(self, word: str, data: Shown) -> None:
        names = [each["value"] for each in data["variables"] if each["name"] == "name"]
        if names and self.thread and not self.busy and names != [f'"{_short(self.thread)}"']:
            raise Broken("S3", f"'locals' has name = {names[0]}; {self._expected}")

    def _after_thread(self, word: str, data: Shown) -> None:
        self.thread, self.at_stop, self.place, self.busy = data["thread"]["name"], False, None, False
        self.method = data["frame"]["method"] if data.get("frame") else ""
        if not data["thread"].get("suspended"):
            self.thread = ""
        self.passes.look_at(self.thread)  # by hand: where it stands is seen, and the client may let it go from there

    def _after_resume(self, word: str, data: Shown) -> None:
        thread = word.split()[1]
        self.standing.discard(thread)
        self.by_name.discard(thread)
        self.passes.look_at(thread)  # let go by name, whatever holds it
        if thread == self.thread and "still suspended" not in data.get("message", ""):
            self.lose()

    def _after_suspend(self, word: str, data: Shown) -> None:
        self.by_name.add(word.split()[1])

    def _after_up(self, word: str, data: Shown) -> None:
        self.method = data["frame"]["method"]

    _after_down = _after_up

    def _after_disable(self, word: str, data: Shown) -> None:
        number = int(word.split()[1])
        self.passes.points[number].enabled = False
        self.passes.forget(number)

    def _after_enable(self, word: str, data: Shown) -> None:
        self.passes.points[int(word.split()[1])].enabled = True

    def _after_clear(self, word: str, data: Shown) -> None:
        number = int(word.split()[1])
        del self.passes.points[number]
        self.passes.gone.add(number)
        self.passes.forget(number)

    def _after_condition(self, word: str, data: Shown) -> None:
        _, number, *condition = word.split(None, 2)
        point = self.passes.points[int(number)]
        point.condition = condition[0] if condition else ""
        point.counter = _counter(point.method, bool(condition))
        self.passes.forget(point.number)

    def _after_stop(self, word: str, data: Shown) -> None:
        place = data["breakpoint"]["resolved"][0]
        number, condition = data["breakpoint"]["number"], word.partition(" if ")[2]
        counter = _counter(place["method"], bool(condition))
        self.passes.points[number] = BreakpointBase(
            number, place["method"], counter, place["line"], place["code_index"], condition
        )

    @property
    def _expected(self) -> str:
        why = "its stop was shown last" if self.at_stop else "it was selected"
        place = f" in {_at(self.place)}" if self.place else ""
        return f"it should be {self.thread}{place}: {why}"


CONDITIONS = {"hit": "n % 5 == 0", "deeper": "n % 50 == 0"}
"""Conditions, by method, of which the program counts how often they are true."""


def _counter(method: str, conditional: bool) -> str:
    """Return the program's count of what a breakpoint stops at: all passes, or those where the condition is true."""
    if method == "hit":
        return "fives" if conditional else "passed"
    return f"{method}Fiftieths" if conditional else method


def _short(thread: str) -> str:
    return thread.replace("orker-", "").replace("elper-", "")


def _worker(thread: str) -> int | None:
    return int(thread.removeprefix("worker-")) if thread.startswith("worker-") else None


def _at(place: tuple[str, int | None]) -> str:
    return f"{place[0]}:{place[1]}"


def _words(stop: Shown) -> str:
    number = f" {stop['breakpoint']}" if stop.get("breakpoint") else ""
    location = stop["location"]
    return f"{stop['reason']}{number} of {stop['thread']['name']} in {location['method']}:{location['line']}"
