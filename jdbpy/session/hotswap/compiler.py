"""Compiling source with a javac of this machine, so that the target can take the result.

Owns the choice of the compiler and its options. The class files are as new as what the target runs, and carry all
debugging information.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence

import trio

from jdbpy.errors import UsageError
from jdbpy.session.local_paths import LocalPaths
from jdbpy.session.opening.java_home import JavaHome, java_homes

_LIMIT = 120.0
"""Seconds that a compiler may take."""

_MISSING = re.compile(r"cannot find symbol|cannot access|does not exist")
"""Errors that a class path with more in it may mend."""

_DIAGNOSTIC = re.compile(r"^(?P<file>.*?):(?P<line>\d+): error: (?P<text>.*)$|^error: (?P<alone>.*)$", re.MULTILINE)


def find_javac(release: int) -> JavaHome:
    """The JDK to compile with for that Java release: the same one if it is here, else the oldest newer one.

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
    """Compiles the files into the directory. Raises UsageError with what javac says about the source."""
    for source in sources:
        if not await trio.Path(source).is_file():
            raise UsageError(f"there is no file {source}", hint="give the source file, not the class")
    home = await trio.to_thread.run_sync(find_javac, release)
    assert home.javac is not None
    # No processors run, whatever the class path has of them; names are absolute, or "@x.java" were a file of options.
    nothing = os.path.join(directory, "no-sources")  # else javac takes sources it meets on the class path
    command = [home.javac, "-J-Duser.language=en", "-g", "-encoding", "UTF-8", "-proc:none", "-implicit:none"]
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
    """The first error of the compiler as the message, the next ones in the hint."""
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
