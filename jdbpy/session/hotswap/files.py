"""Class files on this machine: one, all in a directory or an archive, or compiled by a javac found here.

Owns the choice of the compiler and its options. The class files are as new as what the target runs, and carry all
debugging information. Files are read with functions that may block: call them in a thread.
"""

from __future__ import annotations

import os
import re
import subprocess
import zipfile
from collections.abc import Collection, Iterator, Sequence

import trio

from jdbpy.errors import UsageError
from jdbpy.record import Record
from jdbpy.session.java.class_file import ClassFile, MalformedClassFile, parse
from jdbpy.session.local.java_home import JAVAC_JVM, JavaHome, java_homes
from jdbpy.session.sources.local_classes import LocalPaths

_MOST_BYTES = 64 * 1024 * 1024
"""No class file comes near it."""


class FoundFile(Record):
    """A class file with its bytes; ``path`` is where, "/a/app.jar!/com/acme/Order.class" inside an archive."""

    path: str
    data: bytes
    file: ClassFile


def read_one(path: str) -> FoundFile:
    """Read a class file. Raises UsageError."""
    try:
        if os.path.getsize(path) > _MOST_BYTES:
            raise UsageError(f"{path} is too large to be a class file")
        with open(path, "rb") as stream:
            data = stream.read()
    except (OSError, ValueError) as error:  # ValueError: no file can have such a name
        raise UsageError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return _parsed(path, data)


def read_all(path: str, wanted: Collection[str]) -> tuple[list[FoundFile], list[str]]:
    """Return the class files below a directory or in an archive whose file name without ending is wanted, and all
    names.

    Raises UsageError when there are none at all, or one is damaged.
    """
    names: list[str] = []
    found: list[FoundFile] = []
    try:
        for place, stem, read in _entries(path):
            names.append(stem)
            if stem in wanted:
                found.append(_parsed(place, read()))
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise UsageError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not names:
        raise UsageError(f"no class files in {path}", hint="give the directory that the compiler writes to, or a jar")
    return found, names


def _entries(path: str) -> Iterator[tuple[str, str, _Read]]:
    if os.path.isdir(path):
        for directory, directories, files in os.walk(path):
            directories.sort()
            for name in sorted(files):
                if name.endswith(".class"):
                    place = os.path.join(directory, name)
                    yield place, name.removesuffix(".class"), _Read(place)
        return
    with zipfile.ZipFile(path) as archive:
        for entry in archive.namelist():
            if entry.endswith(".class") and not entry.startswith("META-INF/"):
                stem = entry.rpartition("/")[2].removesuffix(".class")
                yield f"{path}!/{entry}", stem, _Read(entry, archive)


class _Read:
    """Reads an entry when called."""

    def __init__(self, name: str, archive: zipfile.ZipFile | None = None) -> None:
        self._name = name
        self._archive = archive

    def __call__(self) -> bytes:
        if self._archive is not None:
            with self._archive.open(self._name) as member:
                data = member.read(_MOST_BYTES + 1)
        else:
            with open(self._name, "rb") as stream:
                data = stream.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise UsageError(f"{self._name} is too large to be a class file")
        return data


def _parsed(path: str, data: bytes) -> FoundFile:
    try:
        return FoundFile(path, data, parse(data))
    except MalformedClassFile as error:
        hint = "to compile source: redefine --compile FILE" if path.endswith((".java", ".kt")) else ""
        raise UsageError(f"{path} is not a class file: {error}", hint=hint, code="INVALID_CLASS_FORMAT") from None


_LIMIT = 120.0
"""Seconds that a compiler may take."""

_MISSING = re.compile(r"cannot find symbol|cannot access|does not exist")
"""Errors that a class path with more in it may mend."""

_DIAGNOSTIC = re.compile(r"^(?P<file>.*?):(?P<line>\d+): error: (?P<text>.*)$|^error: (?P<alone>.*)$", re.MULTILINE)


def find_javac(release: int) -> JavaHome:
    """Return the JDK to compile with for that Java release: the same one if it is here, else the oldest newer one.

    Raises UsageError when there is none.
    """
    able = [home for home in java_homes() if home.javac and home.feature >= release]
    if not able:
        raise UsageError(
            f"no javac of Java {release} or later was found on this machine",
            hint=f"install a JDK (Debian: apt-get install openjdk-{release}-jdk-headless), or set JAVA_HOME; "
            "'redefine CLASS FILE' takes what was compiled elsewhere",
            code="NO_JAVAC",
        )
    return min(able, key=lambda home: home.feature)


async def compile_sources(sources: Sequence[str], class_path: LocalPaths, release: int, directory: str) -> None:
    """Compile the files into the directory. Raises UsageError with what javac says about the source."""
    for source in sources:
        if not await trio.to_thread.run_sync(os.path.isfile, source):
            raise UsageError(f"no file {source}", hint="give the source file, not the class")
    home = await trio.to_thread.run_sync(find_javac, release)
    assert home.javac is not None
    # No processors run, whatever the class path has of them; names are absolute, or "@x.java" were a file of options.
    nothing = os.path.join(directory, "no-sources")  # else javac takes sources it meets on the class path
    command = [home.javac, *JAVAC_JVM, "-g", "-encoding", "UTF-8", "-proc:none", "-implicit:none"]
    command += ["-nowarn", "-sourcepath", nothing, "-d", directory]
    command += ["-cp", os.pathsep.join(class_path.used) or directory]
    command += ["--release", str(release)] if home.feature != release else []
    with trio.move_on_after(_LIMIT) as scope:
        done = await trio.run_process(
            [*command, *map(os.path.abspath, sources)],
            check=False,
            capture_stdout=True,
            stderr=subprocess.STDOUT,
            stdin=b"",
        )
    if scope.cancelled_caught:
        raise UsageError(f"javac did not end within {_LIMIT:.0f} seconds", code="NO_JAVAC")
    if done.returncode:
        raise _refused(done.stdout.decode("utf-8", "replace"), class_path)


def _refused(output: str, class_path: LocalPaths) -> UsageError:
    """Return the first error of the compiler as the message, the next ones in the hint."""
    errors = [
        match["alone"] or f"{os.path.basename(match['file'])}:{match['line']}: {match['text']}"
        for match in _DIAGNOSTIC.finditer(output)
    ]
    first = errors[0] if errors else (output.strip().splitlines() or ["it says nothing"])[0]
    hints = [f"also {'; '.join(errors[1:4])}"] if errors[1:] else []
    if len(errors) > 4:
        hints.append(f"{len(errors)} errors in all")
    if class_path.left_out:
        named = ", ".join([*class_path.left_out[:3], *(["..."] if class_path.left_out[3:] else [])])
        hints.append(
            f"{named} of the target's class path is neither below the working directory nor on the source path "
            "and was left out: '-cp PATHS' gives one"
        )
    elif not any(os.path.exists(each) for each in class_path.used):
        hints.append("the target's class path is not on this machine: '-cp PATHS' gives one")
    elif any(_MISSING.search(each) for each in errors):
        hints.append("'-cp PATHS' names other directories and jars to compile with")
    return UsageError(f"javac: {first}", hint="; ".join(hints), code="DOES_NOT_COMPILE")
