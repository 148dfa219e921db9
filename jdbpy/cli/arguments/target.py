"""Arguments that name something in the target: threads, frames, classes, breakpoints by number."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated

from jdbpy.cli.arguments.base import Argument, matching
from jdbpy.cli.names import Candidate, Names
from jdbpy.errors import UsageError
from jdbpy.record import Record

_CLASS = re.compile(r"[^\s()\[\];:,]+(\[\])*")
"""A text that may be a class's name, or a pattern of names."""


class ThreadArgument(Argument[str]):
    """A thread; the session finds it by id or name."""

    metavar = "THREAD"
    help = "a thread: its id as `threads` shows it, or its name"

    def parse(self, text: str) -> str:
        return text

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        for number, name in names.threads:
            if str(number).startswith(text):
                yield Candidate(str(number), len(text), name)
            elif name.lower().startswith(text.lower()):
                yield Candidate(f'"{name}"' if " " in name else name, len(text), f"thread {number}")


ThreadWord = Annotated[str | None, ThreadArgument()]


class FrameNumber(Record):
    """A frame as it was typed; ``from_zero`` when it was written ``#N``."""

    number: int
    from_zero: bool


class FrameArgument(Argument[FrameNumber]):
    """A frame by its number."""

    metavar = "FRAME"
    help = "a frame: its number as `where` shows it, or #N counted from 0"

    def parse(self, text: str) -> FrameNumber:
        digits = text.removeprefix("#")
        if not re.fullmatch(r"[0-9]{1,9}", digits):
            raise UsageError(f"'{text}' is not a frame number")
        return FrameNumber(int(digits), text.startswith("#"))

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, (str(number) for number in range(1, min(names.frames, 50) + 1)), "frame")


class ClassNameArgument(Argument[str]):
    """A class by its full name, or by its simple name when only one is called so."""

    metavar = "CLASS"
    help = "a class: its full name, or its simple name"

    def parse(self, text: str) -> str:
        if not _CLASS.fullmatch(text):
            raise UsageError(f"'{text}' is not a class name")
        return text.replace("/", ".") if "." not in text and "/0x" not in text else text

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return class_names(text, names)


ClassNameText = Annotated[str, ClassNameArgument()]


class ClassPattern(Argument[str]):
    """A pattern of class names: ``*`` matches anything."""

    metavar = "PATTERN"
    help = "class names, `*` for any part: `com.acme.*`, `*Order*`; without `*`, names that contain it"

    def parse(self, text: str) -> str:
        if not _CLASS.fullmatch(text):
            raise UsageError(f"'{text}' is not a pattern of class names")
        return text if "*" in text else f"*{text}*"

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return class_names(text, names)


class MethodName(Argument[str]):
    """A method of a class that was named before."""

    metavar = "METHOD"
    help = "a method by its name"

    def parse(self, text: str) -> str:
        return text

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, sorted({name for methods in names.methods.values() for name in methods}), "method")


class ExcludePatterns(Argument["tuple[str, ...]"]):
    """Patterns of classes, with commas or blanks between them; ``none`` for no pattern."""

    metavar = "PATTERNS|none"
    help = "class patterns that begin or end with `*`, commas between them"
    takes_rest = True
    of_words = True

    def parse(self, text: str) -> tuple[str, ...]:
        if text.lower() == "none":
            return ()
        patterns = tuple(part for part in re.split(r"[\s,]+", text) if part)
        for pattern in patterns:
            if "*" in pattern[1:-1]:
                raise UsageError(f"'{pattern}' has its `*` inside; the target takes it only at the start or the end")
        return patterns

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(re.split(r"[\s,]+", text)[-1], (*names.excludes, "none"), "pattern")


class BreakpointNumbers(Argument["tuple[int, ...]"]):
    """Breakpoint numbers, single or as a range: ``2``, ``2-5``."""

    metavar = "NUMBER"
    help = "a breakpoint: its number as `breakpoints` shows it; `2-5` for several"

    def parse(self, text: str) -> tuple[int, ...]:
        if re.fullmatch(r"[0-9]{1,9}\.[0-9]{1,9},?", text):
            raise UsageError(
                f"'{text}' is a place of a breakpoint, not a breakpoint", hint=f"'disable {text}' takes it out there"
            )
        match = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?,?", text)
        if not match:
            raise UsageError(f"'{text}' is not a breakpoint number")
        first, last = int(match[1]), int(match[2] or match[1])
        if not 0 < first <= last or last - first > 10_000:
            raise UsageError(f"'{text}' is not a range of breakpoint numbers")
        return tuple(range(first, last + 1))

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return complete_numbers(text, names)


class PlaceNumber(Record):
    """A breakpoint, or with ``place`` one of its places: ``1.2``."""

    number: int
    place: int = 0


class BreakpointPlaces(Argument["tuple[PlaceNumber, ...]"]):
    """Breakpoints by number or range, or places of one: ``2``, ``2-5``, ``1.2``, ``1.2-4``."""

    metavar = "NUMBER"
    help = (
        "a breakpoint: its number as `breakpoints` shows it; `2-5` for several; `1.2` is one of the places of "
        "breakpoint 1, `1.2-4` are several"
    )

    def parse(self, text: str) -> tuple[PlaceNumber, ...]:
        before, dot, places = text.partition(".")
        if not dot:
            return tuple(map(PlaceNumber, BreakpointNumbers().parse(text)))
        [number] = BreakpointNumbers().parse(before) if before.isdecimal() else (0,)
        match = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?,?", places)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not number or not 0 < first <= last or last - first > 10_000:
            raise UsageError(f"'{text}' is not a place of a breakpoint", hint="1.2 is the second place of breakpoint 1")
        return tuple(PlaceNumber(number, place) for place in range(first, last + 1))

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        yield from complete_numbers(text, names)
        for number, what in names.breakpoint_places:
            if number.startswith(text):
                yield Candidate(number, len(text), what)


class BreakpointNumber(Argument[int]):
    """One breakpoint by its number."""

    metavar = "NUMBER"
    help = "a breakpoint: its number as `breakpoints` shows it"

    def parse(self, text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,9}", text):
            raise UsageError(f"'{text}' is not a breakpoint number")
        return int(text)

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return complete_numbers(text, names)


class BreakpointNumbersOrAll(BreakpointNumbers):
    """Breakpoint numbers, or ``all``: an empty tuple."""

    metavar = "NUMBER|all"

    def parse(self, text: str) -> tuple[int, ...]:
        return () if text.lower() == "all" else super().parse(text)

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        yield from super().complete(text, names)
        yield from matching(text, ("all",))


def complete_numbers(text: str, names: Names) -> Iterable[Candidate]:
    """Breakpoints whose number begins with ``text``."""
    for number, place in names.breakpoints:
        if str(number).startswith(text):
            yield Candidate(str(number), len(text), place)


def class_names(text: str, names: Names, meta: str = "class") -> Iterable[Candidate]:
    """Classes whose full or simple name begins with ``text``; those of lambdas once it goes as far as their ``$$``."""
    folded = text.lower()
    for name in names.classes:
        if "$$Lambda" in name and "$$" not in text:
            continue
        if name.lower().startswith(folded) or (folded and name.rpartition(".")[2].lower().startswith(folded)):
            yield Candidate(name, len(text), meta)
