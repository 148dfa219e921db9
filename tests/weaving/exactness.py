"""Recorded calls compared with what a self-logging program says of them: every line, every store, every count.

Of a call whose middle was not kept the beginning and the end are compared, how often each line was reached in all, how
often each variable was stored to, and what it was stored last in between.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import jdbpy
from jdbpy.record import Record
from jdbpy.session.recorded.call import EVENTS, RecordedCall, RecordedEvent
from jdbpy.session.recorded.kept_values import KeptValue
from tests.harness import Jvm, inline, start_target
from tests.weaving.self_logging import SelfLogging

THREADS, CALLS, TURNS = 8, 6, 1_500
"""The calls between two comparisons; some of them go so often through a loop."""


class LoggedCall(Record):
    """A call as the program tells of it."""

    thread: str
    method: int
    arguments: str
    events: Sequence[str]
    end: str


def read_logs(file: Path, begin: int) -> tuple[dict[int, LoggedCall], int]:
    """The calls that stand in a file behind so many bytes, by number; and how many bytes there are now."""
    with file.open("rb") as stream:
        stream.seek(begin)
        data = stream.read()
    found = {}
    for line in data.decode("utf-8").splitlines():
        number, thread, method, arguments, rest = line.split("|", 4)
        *events, end = rest.split(";")
        found[int(number)] = LoggedCall(thread, int(method), arguments, events, end)
    return found, begin + len(data)


def text_of(value: KeptValue | None) -> str:
    """A value as the program logs it."""
    if value is None:
        return "null"
    raw = value.raw
    match value.kind, value.type.rpartition(".")[2]:
        case "null", _:
            return "null"
        case "primitive", "float":
            return f"F{struct.unpack('>i', struct.pack('>f', raw))[0] if raw == raw else 0x7FC00000}"
        case "primitive", "double":
            return f"D{struct.unpack('>q', struct.pack('>d', raw))[0] if raw == raw else 0x7FF8 << 48}"
        case "primitive", "char":
            return f"C{ord(str(raw))}"
        case (("primitive" | "box"), _):
            return str(raw).lower()
        case "string", _:
            return f"S{value.length or _units(str(raw))}:{_hash(str(raw))}"
    return f"A{value.size}" if value.type.endswith("[]") else f"O{value.identity}"


def _units(text: str) -> int:
    return len(text.encode("utf-16-be", "surrogatepass")) // 2


def _hash(text: str) -> int:
    data = text.encode("utf-16-be", "surrogatepass")
    found = 0
    for (unit,) in struct.iter_unpack(">H", data):
        found = (31 * found + unit) & 0xFFFFFFFF
    return found - (1 << 32) if found >> 31 else found


def _said(event: RecordedEvent, *, calls: bool) -> str:
    """An event as the program logs it; "" for one of which it says nothing."""
    point = event.point
    if point.kind in ("store", "field") and event.value is not None:
        return f"{point.name}={text_of(event.value)}"
    if calls and point.kind == "call" and point.name.startswith("Help."):
        return f"{point.name}={text_of(event.value)}"
    return ""


class CallCheck:
    """Compares the calls of one program. ``level`` is that of the recording."""

    def __init__(self, program: SelfLogging, level: str) -> None:
        self._lines = program.lines
        self._stores, self._calls = level in ("stores", "all"), level in ("calls", "all")
        self.lines = 0
        """Line events that were compared, one by one."""
        self.gaps = 0
        """Calls of which not all was kept."""
        self.missed = 0
        """Calls that found no room."""

    def check(self, call: RecordedCall, log: LoggedCall) -> None:
        """Raises AssertionError."""
        of = f"call of m{log.method}"
        assert call.method.method == f"m{log.method}", of
        assert call.thread == log.thread, of
        given = dict(call.arguments)
        for each in log.arguments.split(","):
            name, _, text = each.partition("=")
            assert text_of(given[name]) == text, (of, each, given[name])
        if call.exception is not None:
            assert log.end == f"threw {call.exception.type}", (of, call.exception, log.end)
        else:
            assert log.end == f"returned {text_of(call.result)}", (of, call.result, log.end)
        wanted = [each for each in log.events if self._is_wanted(each)]
        found = list(self._events(call))
        if not call.left_out:
            self._same(of, found, wanted)
            return
        self.gaps += 1
        at = next(at for at, each in enumerate(found) if each is None)
        before, after = found[:at], found[at + 1 :]
        self._same(of, before, wanted[:at])
        self._same(of, after, wanted[len(wanted) - len(after) :])
        self._check_gap(of, call, wanted, wanted[at : len(wanted) - len(after)])

    def _is_wanted(self, text: str) -> bool:
        if text.startswith("L"):
            return True
        return self._calls if text.startswith("Help.") else self._stores

    def _events(self, call: RecordedCall) -> Iterator[str | None]:
        """What was recorded as the program logs it, with None where something is left out."""
        first_half = EVENTS // 2
        turns: Counter[int] = Counter()
        steps = {each.first: each for each in call.steps if not each.end}
        cut = False
        for each in call.events:
            if each.in_gap:
                continue
            if call.left_out and not cut and each.number >= first_half:
                cut = True
                turns.clear()
                yield None
            step = steps.get(each.number)
            if step is not None and step.line in self._lines:
                turns[step.line] += 1
                self.lines += 1
                if step.left_out and step.left_out < sum(call.lines_in_gap().values()):
                    continue  # it was reached before, and goes on here
                if not cut:
                    assert step.turn == turns[step.line], (step, turns[step.line])
                yield f"L{step.line}"
            elif text := _said(each, calls=self._calls):
                yield text

    @staticmethod
    def _same(of: str, found: Sequence[str | None], wanted: Sequence[str]) -> None:
        if found != wanted:
            at = next((at for at, (a, b) in enumerate(zip(found, wanted, strict=False)) if a != b), len(found))
            near = slice(max(0, at - 4), at + 4)
            raise AssertionError(f"{of}: event {at}: recorded {found[near]}, the program says {wanted[near]}")

    def _check_gap(self, of: str, call: RecordedCall, wanted: Sequence[str], left_out: Sequence[str]) -> None:
        """Check the counts of what is left out, and the values behind it."""
        reached = Counter(each for each in wanted if each.startswith("L"))
        last: dict[int, int] = {}
        for step in call.steps:
            if not step.end and step.line in self._lines:
                last[step.line] = step.turn
        after = next((each for each in call.steps if each.left_out), None)
        if after is None:
            assert not any(each.startswith("L") for each in left_out), f"{of}: no step says that lines were left out"
            return
        for line, turn in last.items():
            behind = any(each.line == line and each.number >= after.number for each in call.steps if not each.end)
            if behind:
                assert turn == reached[f"L{line}"], (of, "turns of line", line, turn, reached[f"L{line}"])
        counted: Counter[str] = Counter()
        values: dict[str, str] = {}
        before: Sequence[int] = call.data.before
        for event in call.events:
            if event.in_gap and (text := _said(event, calls=self._calls)):
                name, _, value = text.partition("=")
                number = next(at for at, point in enumerate(call.method.points) if point is event.point)
                counted[name] += before[3 * number]
                values[name] = value  # events are in their order
        names = [each.partition("=") for each in left_out if not each.startswith("L")]
        assert counted == Counter(name for name, _, _ in names), (of, "stores that are left out")
        assert values == {name: value for name, _, value in names}, (of, "values that are left out")
        lines = sum(each.startswith("L") for each in left_out)
        told = sum(count for line, count in call.lines_in_gap().items() if line in self._lines)
        assert told == lines, (of, "lines left out", told, lines)


async def record_and_compare(
    jvm: Jvm, seed: int, level: str, directory: Path, lines: int, methods: int = 6, *, catching: bool = False
) -> CallCheck:
    """Run a program under a recording until so many line events were compared. Raises AssertionError.

    ``catching``: an exception breakpoint is set beside it, for uncaught ones, which it has to tell from others.
    """
    program = SelfLogging(seed, methods)
    check = CallCheck(program, level)
    file = directory / f"{seed}.log"
    compiled = inline(program.source, release=8)
    verified = ["-Xverify:all"]
    async with (
        start_target(jvm, compiled, str(file), suspend=False, jvm_options=verified) as target,
        jdbpy.attach_session(target.address) as session,
    ):
        await target.wait_output("ready")
        recorder = session.recorder
        if catching:
            options = jdbpy.PointOptions(policy=jdbpy.SuspendPolicy.THREAD)
            await session.catchpoints.exception("java.lang.Exception", caught=False, options=options)
        recording = await recorder.record("Work.m*", level=level)
        at = done = told = ended = 0
        while check.lines < lines:
            done += 1
            await target.send(f"{THREADS} {CALLS} {TURNS}" if done > 1 else "1 3 3")
            await target.wait_lines("done", done)
            await recorder.refresh()
            logs, at = read_logs(file, at)
            assert recording.state == "recording", recording.info
            assert recording.kept + recording.missed + recording.refused == recording.calls, recording.info
            if done > 1:  # the first calls have put the code in
                refused = {each.split()[0] for each in recording.notes if " cannot be recorded: " in each}
                wanted = sum(f"Work.m{each.method}" not in refused for each in logs.values())
                assert recording.calls - ended == wanted, (recording.info, wanted)
            assert len(recorder.calls) == recording.kept - told - recorder.dropped, (recording.info, recorder.dropped)
            ended, told = recording.calls, recording.kept - recorder.dropped
            for call in recorder.calls:
                check.check(call, logs[int(dict(call.arguments)["id"].text)])
            recorder.forget()
        check.missed = recording.missed
        assert not recording.ended_by
    return check
