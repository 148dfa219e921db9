"""What a trial is given and what it reports: tries with seeds, failures, figures."""

from __future__ import annotations

import random
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.harness import Jvm
from tests.harness.programs import ROOT

MOST_FAILURES = 20
"""A trial that has failed in so many different ways has shown what it can show."""


@dataclass
class Failure:
    """A way in which a trial did not hold: the seed of the first try that failed so, and how many did."""

    seed: int
    what: str
    times: int = 1


@dataclass
class Outcome:
    """What came of one trial on one JVM (``jvm`` is "" where no JVM takes part)."""

    trial: str
    jvm: str
    seed: int
    tries: int = 0
    seconds: float = 0.0
    failures: list[Failure] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    figures: dict[str, str] = field(default_factory=dict)

    @property
    def failed(self) -> int:
        """The number of tries that did not hold."""
        return sum(each.times for each in self.failures)

    def to_dict(self) -> dict[str, object]:
        """Return all of it as JSON has it."""
        return {**vars(self), "kinds": dict(self.kinds), "failures": [vars(each) for each in self.failures]}


class Run:
    """One trial on one JVM, for as long as it may take.

    ``directory`` is an empty directory for whatever it writes. ``tries`` bounds the number of tries; 0 is no bound.
    """

    def __init__(
        self, trial: str, jvm: Jvm | None, directory: Path, *, seed: int, seconds: float, tries: int = 0
    ) -> None:
        self.outcome = Outcome(trial, str(jvm.feature) if jvm else "", seed)
        self.directory = directory
        self.seed = seed
        self.tries = tries
        self._jvm = jvm
        self._next = seed
        self._begun = time.monotonic()
        self._end = self._begun + seconds
        self._said = self._begun

    @property
    def jvm(self) -> Jvm:
        assert self._jvm is not None, f"{self.outcome.trial} runs without a JVM"
        return self._jvm

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return max(0.0, self._end - time.monotonic())

    @property
    def over(self) -> bool:
        """True if no further try is to begin."""
        enough = 0 < self.tries <= self._next - self.seed
        return enough or not self.left or len(self.outcome.failures) >= MOST_FAILURES

    def seeds(self) -> Iterator[int]:
        """The seed of each try, until there is no time left. Several tasks may share the seeds of one run."""
        while self._next == self.seed or not self.over:  # one try in any case
            self._next += 1
            yield self._next - 1

    def random(self, seed: int) -> random.Random:
        """The source of all choices of one try."""
        return random.Random(f"{self.outcome.trial} {seed}")

    @contextmanager
    def attempt(self, seed: int, kind: str = "") -> Iterator[None]:
        """One try: an exception that comes out of the block is a failure. ``kind`` is counted for the table."""
        try:
            yield
        except Exception as error:
            if self.failed(seed, f"{kind}: {_sentence(error)}" if kind else _sentence(error)):
                traceback.print_exception(error, file=sys.stderr)
        self.outcome.tries += 1
        if kind:
            self.outcome.kinds[kind] += 1
        self._progress()

    @contextmanager
    def attempt_whole(self) -> Iterator[None]:
        """The run itself: an exception from outside its tries is a failure too."""
        try:
            yield
        except Exception as error:
            self.failed(self._next - 1, f"the trial broke off: {_sentence(error)}")
            traceback.print_exception(error, file=sys.stderr)

    def failed(self, seed: int, what: str) -> bool:
        """Record a failure of the try with that seed; False if others have failed so before."""
        for known in self.outcome.failures:
            if _alike(known.what) == _alike(what):
                known.times += 1
                return False
        self.outcome.failures.append(Failure(seed, what))
        self.say(f"FAILED with seed {seed}: {what}")
        return True

    def figure(self, name: str, value: object) -> None:
        """Record something measured, for the table."""
        self.outcome.figures[name] = str(value)

    def finish(self) -> Outcome:
        """Return what came of the run."""
        self.outcome.seconds = time.monotonic() - self._begun
        return self.outcome

    def say(self, text: str) -> None:
        """Write a line about the progress."""
        jvm = f" on {self.outcome.jvm}" if self.outcome.jvm else ""
        sys.stderr.write(f"soak: {self.outcome.trial}{jvm}: {text}\n")

    def _progress(self) -> None:
        now = time.monotonic()
        if now - self._said > 15:
            self._said = now
            self.say(f"{self.outcome.tries:,} tries, {self.outcome.failed} failed, {self.left:.0f} s left")


def _alike(what: str) -> str:
    """The text without its numbers: failures that differ in them only are one."""
    return re.sub(r"\d+", "", what)[:100]


def _sentence(error: BaseException) -> str:
    """The exception in a line, of a group its first leaf; for one that no check has raised also where."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    text = " ".join(str(error).split())
    text = text if len(text) < 600 else f"{text[:200]} ... {text[-400:]}"
    if isinstance(error, AssertionError):
        return text or "AssertionError"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if str(ROOT / "jdbpy") in frame.filename]
    place = f" ({Path(frames[-1].filename).relative_to(ROOT)}:{frames[-1].lineno})" if frames else ""
    return " ".join([f"{type(error).__name__}: {text}{place}", *getattr(error, "__notes__", ())])


@dataclass(frozen=True)
class Trial:
    """A kind of trial. ``what`` is what it shows, in a sentence; ``weight`` its share of the time given."""

    name: str
    what: str
    run: Callable[[Run], Awaitable[None]]
    weight: float = 1.0
    on_jvms: bool = True
