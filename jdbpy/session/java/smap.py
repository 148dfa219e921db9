"""The SourceDebugExtension of a class as JSR 45 has it: an SMAP, in which each language is a stratum.

Pure: text in, records out. A class file may hold any text there; what is no SMAP gives a map without strata.
"""

from __future__ import annotations

import re

from jdbpy.record import Record

JAVA = "Java"
"""The stratum that every class has without a map: the lines of the class file (JSR 45, base stratum)."""

_NUMBER = r"(\d{1,9})"
_LINE = re.compile(f"{_NUMBER}(?:#{_NUMBER})?(?:,{_NUMBER})?:{_NUMBER}(?:,{_NUMBER})?", re.ASCII)


class SourcePlace(Record):
    """A line of a source file. ``path`` has slashes, mostly relative; None when the map names the file only."""

    file: str
    path: str | None
    line: int


class StratumFile(Record):
    """A file of a stratum."""

    id: int
    name: str
    path: str | None


class LineRun(Record):
    """Lines that are mapped together: each of ``count`` lines from ``first`` on is ``step`` lines of the class file.

    The lines of the class file begin with ``output``; with a step of 0 all source lines share that one.
    """

    file: int
    first: int
    count: int
    output: int
    step: int

    @property
    def end(self) -> int:
        """Return the first line of the class file after the run."""
        return self.output + max(1, self.count * self.step)


class Stratum(Record):
    """One language of a map: its files, the main one first in them, and how its lines are those of the class file."""

    name: str
    files: tuple[StratumFile, ...]
    runs: tuple[LineRun, ...]

    def place(self, line: int) -> SourcePlace | None:
        """Return what a line of the class file was made from; None for what the compiler added itself."""
        for run in self.runs:
            if run.output <= line < run.end:
                file = next((each for each in self.files if each.id == run.file), None)
                if file is not None:
                    source_line = run.first + ((line - run.output) // run.step if run.step else 0)
                    return SourcePlace(file.name, file.path, source_line)
        return None


class SourceMap(Record):
    """The map of a class: ``text`` as the class file has it, ``default`` the stratum that its compiler chose."""

    text: str
    generated: str = ""  # the file that was compiled in between, "index_jsp.java"
    default: str = ""
    strata: tuple[Stratum, ...] = ()

    def stratum(self, wanted: str = "") -> Stratum | None:
        """Return the wanted stratum if the class has it, else its default; None for Java, the lines of the class file.

        That a stratum which a class lacks means its default is JSR 45's rule.
        """
        if wanted == JAVA:
            return None
        for name in (wanted, self.default):
            for each in self.strata:
                if each.name == name:
                    return each
        return None


def parse(text: str) -> SourceMap:
    """Read a SourceDebugExtension. What does not follow the grammar is passed over, section by section.

    ``*E`` should end the map, but Kotlin writes a second stratum after it.
    """
    lines = [line.strip() for line in re.split(r"\r\n|\r|\n", text)]
    if len(lines) < 3 or lines[0] != "SMAP":
        return SourceMap(text)
    strata: dict[str, tuple[list[StratumFile], list[LineRun]]] = {}
    current: tuple[list[StratumFile], list[LineRun]] | None = None
    embedded = ""  # an SMAP within this one, of a language that is translated twice: not resolved, passed over
    for kind, argument, body in _sections(lines[3:]):
        if kind == "O":
            embedded = argument
        elif kind == "C" and argument == embedded:
            embedded = ""
        elif embedded:
            continue
        elif kind == "S":
            current = strata.setdefault(argument, ([], []))
        elif kind == "F" and current is not None:
            current[0].extend(_files(body))
        elif kind == "L" and current is not None:
            current[1].extend(_runs(body, current[0]))
    made = tuple(Stratum(name, tuple(files), tuple(runs)) for name, (files, runs) in strata.items())
    return SourceMap(text, lines[1], lines[2], made)


def _sections(lines: list[str]) -> list[tuple[str, str, list[str]]]:
    """Return the sections in order: the letter after the star, what follows it, and the lines up to the next star."""
    sections: list[tuple[str, str, list[str]]] = []
    for line in lines:
        if line.startswith("*"):
            sections.append((line[1:2], line[2:].strip(), []))
        elif sections and line:
            sections[-1][2].append(line)
    return sections


def _files(body: list[str]) -> list[StratumFile]:
    """``1 Main.kt``, or ``+ 1 Main.kt`` with a line for the path after it."""
    files = []
    rest = iter(body)
    for line in rest:
        with_path = line.startswith("+")
        number, _, name = line.removeprefix("+").strip().partition(" ")
        path = next(rest, "") if with_path else None
        if re.fullmatch(_NUMBER, number, re.ASCII) and name:
            files.append(StratumFile(int(number), name, _path(name, path) if path is not None else None))
    return files


def _path(name: str, path: str) -> str:
    """Return the file's path. Kotlin writes there the name of the class that the file became, in the file's package."""
    path = path.replace("\\", "/")
    root = "/" if path.startswith("/") else ""  # Clojure tells where the file was on the machine that compiled it
    directory = path.strip("/").rpartition("/")[0]
    return f"{root}{directory}/{name}" if directory else f"{root}{name}"


def _runs(body: list[str], files: list[StratumFile]) -> list[LineRun]:
    """``InputStart#File,Repeat:OutputStart,Increment``; the file is that of the line before when it is left out."""
    runs = []
    file = files[0].id if files and not any(each.id == 0 for each in files) else 0
    for line in body:
        if match := _LINE.fullmatch(line):
            first, number, count, output, step = match.groups()
            file = int(number) if number is not None else file
            runs.append(LineRun(file, int(first), int(count or 1), int(output), int(step) if step is not None else 1))
    return runs
