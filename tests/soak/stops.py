"""Random sessions of everyday words on a program with several threads; after each word the rules of stops hold.

The program knows itself (fixtures/Crew.java); what it says is compared with what a client is shown (``judge``). A try
is one session; several sessions follow each other on one JVM.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar
from unittest.mock import patch

import jdbpy
from benchmarks.relay import open_relay
from jdbpy.session.breakpoints import until_hot
from jdbpy.session.in_target import component
from tests.harness import LIMIT, Jvm, start_target, within
from tests.harness.kept import BUILD
from tests.serve.serving import serving
from tests.soak.busy import Blocker
from tests.soak.doors import ALONE, LINES, ApiDoor, BatchDoor, Door, ProcessDoor, batch_door, dap_door, process_door
from tests.soak.judge import CONDITIONS, NAMED, RESUMING, STEPS, Broken, Judge, Passes, Shown
from tests.soak.trial import Run

WORKERS = 6
LISTED = (0, 1, 3, 4)
"""Workers that are no virtual threads in any program: the agent lists them."""

VIRTUAL = ("worker-2", "worker-5")
"""Workers that are virtual threads in every other program."""

WORDS = 25
"""Words of one session, those of the checks not counted."""

SESSIONS = 20
"""Sessions that one JVM sees."""

DECISIONS = 60
"""Decisions about hits that are kept with the transcript of a broken rule."""

SHOWN = 16
"""Lines of a transcript that are shown."""

HOT = 5
"""False hits after which a condition goes into the target: a session has no time for more."""

PLACES = ("Crew.hit", "Crew.hit", "Crew.hit", "Crew.deep", "Crew.deeper", "Crew.guarded")


class Words:
    """Chooses the next word: what a person does at that moment."""

    def __init__(self, rng: random.Random, judge: Judge, *, hold: str, rich: bool, filters: bool = True) -> None:
        """``filters``: the front end can set a breakpoint for one thread."""
        self._rng, self._judge, self._rich, self._filters = rng, judge, rich, filters
        self._hold, self._stop_in = hold, "stop thread in" if hold == "thread" else "stop in"
        self._suspended: list[str] = []
        self._only = ""  # the worker that alone stops at the first breakpoint

    def opening(self) -> list[str]:
        """The first words of a session."""
        words = [f"set hold {self._hold}"]
        if self._rich:
            words += ["set in-target eager", 'dprintf Crew.awaited "{n} {name}"']
            condition = " if n % 5 == 0" if self._rng.random() < 0.5 else ""
            words.append(f"{self._stop_in} Crew.hit{condition}")
        elif self._rng.random() < 0.5:
            method = self._rng.choice(("hit", "deeper", "deeper"))
            # of one worker, which is not in the way of itself: it soon goes into the target
            self._only = f"worker-{self._rng.choice(LISTED)}" if method == "deeper" and self._filters else ""
            only = f" thread {self._only}" if self._only else ""
            words.append(f"{self._stop_in} Crew.{method}{only} if {CONDITIONS[method]}")
        else:
            words.append(f"{self._stop_in} {self._rng.choice(PLACES)}")
        return [*words, "cont"]

    def next(self) -> str:
        """Return a word that makes sense now."""
        rng, points = self._rng, self._judge.passes.points
        enabled = [number for number, point in points.items() if point.enabled]
        if not enabled:
            disabled = list(points)
            return f"enable {rng.choice(disabled)}" if disabled and rng.random() < 0.5 else self._stop()
        kind = rng.choices(
            (
                "cont",
                "next",
                "step",
                "step up",
                "until",
                "run",
                "look",
                "thread",
                "frame",
                "hold",
                "point",
                "break off",
            ),
            (20, 16, 8, 6, 3, 20, 10, 4, 5, 3, 10, 2),
        )[0]
        if kind in STEPS:
            return f"{kind}{ALONE}" if kind != "until" and rng.random() < 0.1 else kind
        if kind == "cont":
            return kind
        if kind == "run":
            return f"print Crew.slow({rng.randrange(100)})"
        if kind == "look":
            return rng.choice(("where", "locals", "print name", "print n", "threads", "breakpoints", "list"))
        if kind == "thread":
            # a step of one that sleeps ends nowhere: there another worker has to stop
            return f"thread {self._only or f'worker-{rng.randrange(WORKERS)}'}"
        if kind == "frame":
            return rng.choice(("up", "down"))
        if kind == "hold":
            if self._filters and rng.random() < 0.3:
                named = self._judge.thread if rng.random() < 0.5 else f"worker-{rng.randrange(WORKERS)}"
                choice = ["set step-others hold", "set step-others run", *([f"resume {named}"] if named else [])]
                return rng.choice(choice)
            if self._suspended and rng.random() < 0.6:
                return f"resume {self._suspended.pop()}"
            chosen = rng.choice([name for name in (f"worker-{i}" for i in range(WORKERS)) if name != self._only])
            self._suspended.append(chosen)
            return f"suspend {self._suspended[-1]}"
        if kind == "break off":
            return "print Crew.slower(2)"
        number = rng.choice(list(points))
        others = [f"clear {number}", f"disable {number}", self._stop()]
        if not points[number].enabled:
            others = [f"enable {number}"]
        elif condition := CONDITIONS.get(points[number].method):
            others.append(f"condition {number} {condition}" if not points[number].condition else f"condition {number}")
        return rng.choice(others)

    def closing(self) -> list[str]:
        """The last words: what was suspended by name is resumed."""
        return [f"resume {name}" for name in self._suspended]

    def _stop(self) -> str:
        taken = {f"Crew.{point.method}" for point in self._judge.passes.points.values()}
        free = [place for place in PLACES if place not in taken] or ["Crew.awaited"]
        return f"{self._stop_in} {self._rng.choice(free)}"


class Talk:
    """A session of words, each of which is judged."""

    def __init__(
        self, door: Door, judge: Judge, transcript: list[str], name: str = "", judges: Sequence[Judge] = ()
    ) -> None:
        """``judges``: of all clients of the session."""
        self._door, self.judge, self._transcript, self._name = door, judge, transcript, name
        self._judges = judges or [judge]
        self._steps_alone = False

    async def look(self) -> None:
        """Look where one is, after somebody else's word."""
        await self._judged("where")
        if self.judge.thread and self.judge.method in NAMED:
            await self._judged("print name")

    async def word(self, word: str, *, interrupted: bool = False) -> None:
        """Give a word, and judge what it shows; then have the rules checked by further words."""
        self.judge.busy = self.judge.busy or interrupted
        await self._judged(word, interrupted=interrupted)
        if interrupted:
            await self._come_back()
        judge = self.judge
        if not judge.thread or judge.busy:
            return
        await self._judged("where")
        if judge.method in NAMED:
            await self._judged("print name")
        for counter in sorted({point.counter for point in judge.passes.points.values()} - {"awaited"}):
            await self._judged(f"print Crew.{counter}")

    async def _come_back(self) -> None:
        """The method of an interrupted evaluation ends by itself; then the thread stands where it stood."""
        await self._judged("print name")
        for _ in range(100):
            if not self.judge.busy:
                return
            await self._judged("wait 0.05")
            await self._judged("where")
        raise Broken("E7", f"after an interrupted evaluation {self.judge.thread} never comes back to its stop")

    async def _judged(self, word: str, *, interrupted: bool = False) -> None:
        shown = await (self._door.interrupt(word) if interrupted else self._door.ask(word))
        for each in shown:
            if each.get("selected"):  # the thread that stays selected though another one has stopped
                each["data"]["focus"] = False
        self._transcript.append(f"{self._name}> {word}")
        self._transcript += [f"    {brief(each)}" for each in shown]
        if word.startswith("set step-others"):
            self._steps_alone = word.endswith("hold")
        alone = word.endswith(ALONE) or (self._steps_alone and word in STEPS)
        thread = self.judge.thread
        try:
            self.judge.take(word, shown)
        except Broken as broken:
            if broken.rule == "end" and (await self._is_blocked() or (alone and await self._runs(thread))):
                raise Blocked from None
            if isinstance(self._door, (BatchDoor, ProcessDoor)):
                # what was decided about the last hits
                self._transcript += [json.dumps(each) for each in await self._door.ask(f"info hits {DECISIONS}")]
            raise
        point = self.judge.passes.points.get(_stopped_by(shown))
        if point is not None and point.condition:
            await self._judged(f"print {point.condition}")

    async def _runs(self, thread: str) -> bool:
        """True if a thread runs, or waits for one of those that are suspended."""
        [*_, result] = shown = await self._door.ask(f"thread {thread}")
        self._transcript += [f"> thread {thread}", *(f"    {brief(each)}" for each in shown)]
        return not (result["ok"] and result["data"]["thread"].get("suspended"))

    async def _is_blocked(self) -> bool:
        """True if a worker waits for the program's lock, and its owner is a thread that the client keeps suspended.

        Or it has no owner, and is kept free for such a thread, which was suspended in LOCK.wait (docs/agent.md).
        """
        lock = await self._door.lock("Crew.LOCK")
        self._transcript.append(f"    lock: {lock}")
        if not lock.entering and self.judge.thread not in VIRTUAL:  # nor one that waits for it
            return False
        # an agent of Java 21 or later does not report virtual threads
        owners = [lock.owner] if lock.owner else [*VIRTUAL, *lock.entering]
        return any(judge.has_stopped(owner) for judge in self._judges for owner in owners)


class Blocked(Exception):
    """The program cannot go on: what the client holds owns the lock."""


F = TypeVar("F", bound=BaseException)


def _stopped_by(shown: list[Shown]) -> int:
    stops = [each["data"] for each in shown if each.get("event") == "stop" and each["data"].get("focus", True)]
    return stops[-1].get("breakpoint") or 0 if stops else 0


def brief(shown: Shown) -> str:
    """An object of the output in a line of a transcript."""
    data = shown.get("data") or {}
    if shown.get("event") == "stop" or "stop" in data:
        stop = data if shown.get("event") == "stop" else data["stop"]
        place = f"{stop['location']['method']}:{stop['location']['line']}"
        text = f"{stop['reason']} {stop.get('breakpoint', '')} {stop['thread']['name']} {place}"
        stays = f"; {shown['selected']} stays selected" if "selected" in shown else ""
        return f"{'stop' if 'event' in shown else 'result'}: {text}{stays}"
    if not shown.get("ok", True):
        return f"error: {shown['error']['code']}: {shown['error']['message']}"
    if "frames" in data:
        frames = " < ".join(f"{frame['method']}:{frame['line']}" for frame in data["frames"][:3])
        return f"result: {data['thread']['name']} {frames}"
    return f"{shown.get('event', 'result')}: {str(data.get('value') or data.get('text') or data)[:100]}"


def keep(run: Run, seed: int, what: str, transcript: list[str]) -> None:
    """Write the transcript of a session in which a rule was broken to build/soak, and show its end."""
    path = BUILD / "soak" / f"stops-{run.jvm.feature}-{seed}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([what, *transcript, ""]), encoding="utf-8")
    run.say("\n  ".join([f"seed {seed}, {what}; all of it in {path}", "...", *transcript[-SHOWN:]]))


class Lead:
    """What leads one session: its words, its clients, the transcript of all of them."""

    def __init__(self, run: Run, seed: int, kind: str) -> None:
        self.rng = run.random(seed)
        self.kind = kind
        self.hold = ("all", "thread")[seed % 2]
        self.rich = seed % 3 == 2
        self.judges: list[Judge] = []
        self.transcript: list[str] = []

    async def alone(self, door: Door, can: Callable[[str], bool] = lambda word: True) -> None:
        """Lead a session of one client; ``can``: whether its front end has such a word."""
        judge = Judge()
        judge.holds_all = self.hold == "all"
        self.judges.append(judge)
        filters = isinstance(door, BatchDoor | ProcessDoor)
        words = Words(self.rng, judge, hold=self.hold, rich=self.rich, filters=filters)
        talk = Talk(door, judge, self.transcript)
        for word in filter(can, words.opening()):
            await talk.word(word)
        for _ in range(WORDS):
            while not can(word := words.next()):
                pass
            await talk.word(word, interrupted="slower" in word)
        for word in filter(can, words.closing()):
            await talk.word(word)

    async def together(self, ann: Door, ben: Door) -> None:
        """Lead a session of two clients, who take turns; each sees the stops of both, which suspend everything: one of
        a thread alone concerns only the client whose breakpoint it is, who alone lets it go."""
        passes = Passes()
        self.judges += [Judge(passes), Judge(passes)]
        for judge in self.judges:
            judge.alone = False
        talks = [
            Talk(door, judge, self.transcript, name, self.judges)
            for door, judge, name in zip((ann, ben), self.judges, ("ann", "ben"), strict=True)
        ]
        words = [Words(self.rng, judge, hold="all", rich=False) for judge in self.judges]
        turns = [(0, word) for word in words[0].opening()]
        for _ in range(WORDS):
            turn, word = turns.pop(0) if turns else (self.rng.randrange(2), "")
            while not word or word.split()[0] in ("suspend", "resume") or "slower" in word:
                word = words[turn].next()
            if word.removesuffix(ALONE) in RESUMING:
                self.judges[1 - turn].lose()
            await talks[turn].word(word)
            await talks[1 - turn].look()


Kind = Callable[["Lead", Blocker, str], Awaitable[None]]


async def _words(lead: Lead, program: Blocker, address: str) -> None:
    async with jdbpy.attach_session(address) as session:
        async with batch_door(session, typed=lead.rng.random() < 0.5) as door:
            await lead.alone(door)


async def _link(lead: Lead, program: Blocker, address: str) -> None:
    async with open_relay(address, rtt=ROUND_TRIP) as relay:
        await _words(lead, program, relay.address)


async def _process(lead: Lead, program: Blocker, address: str) -> None:
    async with process_door("attach", address) as door:
        await lead.alone(door, lambda word: "slower" not in word)


async def _api(lead: Lead, program: Blocker, address: str) -> None:
    async with jdbpy.attach_session(address) as session:
        await lead.alone(ApiDoor(session), lambda word: word.split()[0] in API_WORDS and "slower" not in word)


async def _dap(lead: Lead, program: Blocker, address: str) -> None:
    LINES.update({place: program.target.program.line(place.partition(".")[2]) for place in PLACES})

    def can(word: str) -> bool:
        if word.startswith("thread") and lead.hold != "all":
            return False  # it may be suspended for a moment
        return word in DAP_LOOKS or (word.split()[0] in DAP_WORDS and "slower" not in word)

    async with dap_door(program.target, lead.hold) as door:
        await lead.alone(door, can)


async def _two(lead: Lead, program: Blocker, address: str) -> None:
    with tempfile.TemporaryDirectory(prefix="jdbpy-") as directory:
        with patch.dict(os.environ, XDG_RUNTIME_DIR=directory):
            async with (
                serving("--name", "crew", "attach", address),
                process_door("join", "crew", "--as", "ann") as ann,
                process_door("join", "crew", "--as", "ben") as ben,
            ):
                await lead.together(ann, ben)


ROUND_TRIP = 0.02
"""Seconds of the link of sessions from afar."""

API_WORDS = {"set", "stop", "clear", "disable", "enable", "thread", "where", "locals", "print", *RESUMING}
DAP_LOOKS = {"where", "print name", "print n"}
DAP_WORDS = {"stop", "clear", "cont", "next", "step", "thread", "print"}

KINDS: dict[str, tuple[Kind, int]] = {
    "words": (_words, 12),
    "link": (_link, 2),
    "process": (_process, 1),
    "api": (_api, 2),
    "dap": (_dap, 3),
    "two": (_two, 1),
}
"""How a session is led, and how often."""

ONLY = os.environ.get("JDBPY_STOPS_KINDS", "").split(",")
"""Kinds of sessions, as "dap,two"; the empty string: all."""


async def session(run: Run, seed: int, program: Blocker, figures: Counter[str]) -> None:
    """Lead one session. Raises Broken."""
    kinds = {name: KINDS[name][1] for name in KINDS if ONLY == [""] or name in ONLY}
    [kind] = run.random(seed).choices(list(kinds), list(kinds.values()))
    lead = Lead(run, seed, kind)
    try:
        with (
            patch.object(until_hot, "PROMOTED_AFTER", HOT),
            patch.object(component, "PROMOTED_AFTER", HOT),
            patch.object(component, "AGAIN_AFTER", 10 * HOT),
        ):
            await KINDS[kind][0](lead, program, await program.address())
        await moves_on(program)
    except Exception as error:
        if _found(error, Blocked) is not None:
            figures["sessions that end at a lock"] += 1
            return
        broken = _found(error, Broken)
        if broken is None:
            raise
        keep(run, seed, f"{kind}, hold {lead.hold}{', rich' if lead.rich else ''}", [*lead.transcript, str(broken)])
        raise broken from None
    finally:
        figures[f"sessions of {kind}"] += 1
        for judge in lead.judges:
            figures.update(judge.rules)


def _found(error: BaseException, kind: type[F]) -> F | None:
    """Return the exception of that kind that an exception is, or a group has."""
    if isinstance(error, BaseExceptionGroup):
        return next((found for each in error.exceptions if (found := _found(each, kind)) is not None), None)
    return error if isinstance(error, kind) else None


@asynccontextmanager
async def crew(jvm: Jvm, *, virtual: bool = False) -> AsyncIterator[Blocker]:
    """Start the program that knows itself."""
    words = [str(WORKERS), *(["virtual"] if virtual else [])]
    async with start_target(jvm, "Crew", *words, suspend=False) as target:
        await target.wait_output("ready")
        yield Blocker(target)


async def moves_on(program: Blocker) -> None:
    """After a debugger has left nothing is suspended and every worker passes on. Raises Broken."""
    try:
        await program.verify()
    except AssertionError as error:
        raise Broken("end", str(error)) from error


async def run(run: Run) -> None:
    """Session after session, some on each JVM, for as long as there is time."""
    figures: Counter[str] = Counter()
    firsts: dict[str, str] = {}  # the first failure of each rule stands for all of them
    seeds = iter(run.seeds())
    left = True
    while left:
        async with crew(run.jvm, virtual=figures["JVMs"] % 2 == 1) as program:
            figures["JVMs"] += 1
            for _ in range(SESSIONS):
                if (seed := next(seeds, None)) is None:
                    left = False
                    break
                with run.attempt(seed):
                    try:
                        with within(10 * LIMIT):
                            await session(run, seed, program, figures)
                        continue
                    except Broken as broken:
                        figures[f"broken {broken.rule}"] += 1
                        run.failed(seed, firsts.setdefault(broken.rule, str(broken)))
                break  # what it has left behind is no matter of the next session
    for name, count in figures.items():
        run.figure(name, f"{count:,}")
