"""Random sessions of everyday words on a program with several threads; after each word the rules of stops hold.

The program knows itself (fixtures/Crew.java); what it says is compared with what a client is shown (``judge``). A try
is one session; several sessions follow each other on one JVM.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import trio

import jdbpy
from jdbpy.cli.batch import Batch
from jdbpy.cli.console import Console
from jdbpy.cli.output.json_lines import JsonRenderer
from jdbpy.cli.settings import Settings
from jdbpy.process.scripts import ScriptLines
from tests.harness import LIMIT, Jvm, start_target, within
from tests.harness.kept import BUILD
from tests.soak.busy import Busy
from tests.soak.judge import RESUMING, Broken, Judge, Shown
from tests.soak.trial import Run

WORKERS = 6
WORDS = 25
"""Words of one session, those of the checks not counted."""

SESSIONS = 20
"""Sessions that one JVM sees."""

PATIENCE = 15.0
"""Seconds in which a word has an answer, a stop for those that wait for one."""

SHOWN = 16
"""Lines of a transcript that are shown."""

PLACES = ("Crew.hit", "Crew.hit", "Crew.hit", "Crew.deep", "Crew.deeper", "Crew.guarded")


class Lines:
    """Lines for a batch that come one by one. ``typed``: the batch shows events while it waits for the next."""

    def __init__(self, typed: bool) -> None:
        self._typed = typed
        self.send, self._receive = trio.open_memory_channel[str](1)

    def at_hand(self) -> list[str]:
        return []

    def ready(self) -> bool:
        return not self._typed

    async def next(self) -> str | None:
        try:
            return await self._receive.receive()
        except trio.EndOfChannel:
            return None


class Recorder(Console):
    """A console whose lines are kept."""

    def __init__(self) -> None:
        super().__init__(JsonRenderer(), json=True)
        self.send, self.receive = trio.open_memory_channel[Shown](10_000)

    def write(self, text: str, stream: Any = None) -> None:
        for line in text.splitlines():
            self.send.send_nowait(json.loads(line))

    def say(self, text: str) -> None:
        pass


class BatchDoor:
    """A batch in this process: words go in, JSON comes out."""

    def __init__(self, batch: Batch, lines: Lines, recorder: Recorder) -> None:
        self._batch, self._lines, self._recorder = batch, lines, recorder

    async def ask(self, word: str) -> list[Shown]:
        """Run a word; return what was shown since the last one, its result last."""
        await self._lines.send.send(word)
        shown: list[Shown] = []
        with within(2 * PATIENCE):
            while not shown or shown[-1]["type"] != "result":
                shown.append(await self._recorder.receive.receive())
        return shown

    async def interrupt(self, word: str) -> list[Shown]:
        """Run a word and interrupt it."""
        async with trio.open_nursery() as nursery:

            @nursery.start_soon
            async def interrupt() -> None:
                await trio.sleep(0.05)
                self._batch.interrupt()

            return await self.ask(word)


@asynccontextmanager
async def batch_door(session: jdbpy.Session, *, typed: bool) -> AsyncIterator[BatchDoor]:
    """Run a batch on a session for the time of the block."""
    lines, recorder = Lines(typed), Recorder()
    batch = Batch(session, recorder, Settings(), timeout=PATIENCE, keep_going=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(batch.run, cast(ScriptLines, lines))
        yield BatchDoor(batch, lines, recorder)
        lines.send.close()


class Words:
    """Chooses the next word: what a person does at that moment."""

    def __init__(self, rng: random.Random, judge: Judge, *, rich: bool) -> None:
        self._rng, self._judge, self._rich = rng, judge, rich
        self._suspended: list[str] = []

    def opening(self, hold: str) -> list[str]:
        """The first words of a session."""
        words = [f"set hold {hold}"]
        if self._rich:
            words += ["set in-target auto", 'dprintf Crew.awaited "{n} {name}"']
            words += ["stop in Crew.hit if n % 5 == 0"] if self._rng.random() < 0.5 else ["stop in Crew.hit"]
        else:
            words.append(f"stop in {self._rng.choice(PLACES)}")
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
        if kind in RESUMING:
            return kind
        if kind == "run":
            return f"print Crew.slow({rng.randrange(100)})"
        if kind == "look":
            return rng.choice(("where", "locals", "print name", "print n", "threads", "breakpoints", "list"))
        if kind == "thread":
            return f"thread worker-{rng.randrange(WORKERS)}"
        if kind == "frame":
            return rng.choice(("up", "down"))
        if kind == "hold":
            if self._suspended and rng.random() < 0.6:
                return f"resume {self._suspended.pop()}"
            self._suspended.append(f"worker-{rng.randrange(WORKERS)}")
            return f"suspend {self._suspended[-1]}"
        if kind == "break off":
            return "print Crew.slower(2)"
        number = rng.choice(list(points))
        others = [f"clear {number}", f"disable {number}", self._stop()]
        if not points[number].enabled:
            others = [f"enable {number}"]
        elif points[number].method == "hit":
            others.append(f"condition {number} n % 5 == 0" if not points[number].condition else f"condition {number}")
        return rng.choice(others)

    def closing(self) -> list[str]:
        """The last words: what was suspended by name is resumed."""
        return [f"resume {name}" for name in self._suspended]

    def _stop(self) -> str:
        taken = {f"Crew.{point.method}" for point in self._judge.passes.points.values()}
        free = [place for place in PLACES if place not in taken] or ["Crew.awaited"]
        return f"stop in {self._rng.choice(free)}"


class Talk:
    """A session of words, each of which is judged."""

    def __init__(self, door: BatchDoor, judge: Judge) -> None:
        self._door, self.judge = door, judge
        self.transcript: list[str] = []

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
        if judge.method in ("hit", "deep", "deeper", "guarded", "awaited", "work"):
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
        self.transcript.append(f"> {word}")
        self.transcript += [f"    {brief(each)}" for each in shown]
        self.judge.take(word, shown)
        point = self.judge.passes.points.get(_stopped_by(shown))
        if point is not None and point.condition:
            await self._judged("print n % 5 == 0")


def _stopped_by(shown: list[Shown]) -> int:
    stops = [each["data"] for each in shown if each.get("event") == "stop"]
    return stops[-1].get("breakpoint") or 0 if stops else 0


def brief(shown: Shown) -> str:
    """An object of the output in a line of a transcript."""
    data = shown.get("data") or {}
    if shown.get("event") == "stop" or "stop" in data:
        stop = data if shown.get("event") == "stop" else data["stop"]
        place = f"{stop['location']['method']}:{stop['location']['line']}"
        text = f"{stop['reason']} {stop.get('breakpoint', '')} {stop['thread']['name']} {place}"
        return f"{'stop' if 'event' in shown else 'result'}: {text}"
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


async def words_in_process(run: Run, seed: int, crew: Busy, figures: Counter[str]) -> None:
    """One session of words."""
    rng = run.random(seed)
    judge = Judge()
    rich, hold = seed % 3 == 2, ("all", "thread")[seed % 2]
    words = Words(rng, judge, rich=rich)
    async with jdbpy.attach_session(await crew.address()) as session:
        async with batch_door(session, typed=rng.random() < 0.5) as door:
            talk = Talk(door, judge)
            try:
                for word in words.opening(hold):
                    await talk.word(word)
                for _ in range(WORDS):
                    word = words.next()
                    await talk.word(word, interrupted="slower" in word)
                for word in words.closing():
                    await talk.word(word)
            except Broken as broken:
                keep(run, seed, f"words, hold {hold}", [*talk.transcript, str(broken)])
                raise
            finally:
                figures.update(judge.rules)


@asynccontextmanager
async def crew(jvm: Jvm, *, virtual: bool = False) -> AsyncIterator[Busy]:
    """Start the program that knows itself."""
    words = [str(WORKERS), *(["virtual"] if virtual else [])]
    async with start_target(jvm, "Crew", *words, suspend=False) as target:
        await target.wait_output("ready")
        yield Busy(target)


async def moves_on(program: Busy) -> None:
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
                with run.attempt(seed, "words"):
                    try:
                        with within(10 * LIMIT):
                            await words_in_process(run, seed, program, figures)
                            await moves_on(program)
                        continue
                    except Broken as broken:
                        figures[f"broken {broken.rule}"] += 1
                        run.failed(seed, firsts.setdefault(broken.rule, str(broken)))
                break  # what it has left behind is no matter of the next session
    for name, count in figures.items():
        run.figure(name, f"{count:,}")
