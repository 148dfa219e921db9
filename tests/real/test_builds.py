"""``jdbpy test`` with the frameworks themselves, by their own launchers and under Maven: it stops at the failures."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
import trio

import jdbpy
from tests.harness import Jvm, program, within
from tests.harness.needs import framework_jars, library_jars, surefire
from tests.harness.programs import FIXTURES
from tests.real.languages import groovy_classes

SLOW = 120.0
"""Seconds for a build tool to start, on a busy machine."""

LAUNCHERS = {
    "ThreeTest": ("junit4", ("junit.textui.TestRunner",)),
    "FourTest": ("junit4", ("org.junit.runner.JUnitCore",)),
    "FiveTest": ("junit5", ("org.junit.platform.console.ConsoleLauncher", "--details", "none", "--select-class")),
    "NextTest": ("testng", ("org.testng.TestNG", "-testclass")),
}
"""Each class of tests with Debian's package of its framework, and what runs it there."""

POM = """\
<project><modelVersion>4.0.0</modelVersion><groupId>shop</groupId><artifactId>shop</artifactId><version>1</version>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.x</version>
<scope>test</scope></dependency></dependencies></project>
"""
SETTINGS = """\
<settings><localRepository>{cache}</localRepository><mirrors><mirror><id>debian</id><mirrorOf>central</mirrorOf>
<url>file:///usr/share/maven-repo</url></mirror></mirrors></settings>
"""


def failing(source: str) -> list[str]:
    """The tests that fail, by their names."""
    text = (FIXTURES / "builds" / f"{source}.java").read_text(encoding="utf-8")
    return sorted(re.findall(r"void (failing\w+|testFailing\w+)\(", text))


async def failures(words: list[str], cwd: Path) -> tuple[list[str], int | None]:
    """What stopped, and the status of the command."""
    found = []
    with within(SLOW):
        async with jdbpy.test(words, cwd=cwd) as tests:
            async for failure in tests:
                found.append(failure.name)
                assert failure.stop.frame.class_name.startswith("shop."), failure
                if failure.name.lower().endswith("failingnumbers"):
                    assert (failure.expected, failure.actual) == ("6", "5")
            return found, tests.status


@pytest.mark.parametrize("source", LAUNCHERS)
async def test_the_frameworks_themselves(source: str, any_jvm: Jvm, tmp_path: Path) -> None:
    package, launcher = LAUNCHERS[source]
    jars = framework_jars(package)
    assert jars, f"apt-get install {package}"
    made = program(source, where=FIXTURES / "builds", libraries=jars)
    found, status = await failures([any_jvm.java, "-cp", made.classes, *launcher, f"shop.{source}"], tmp_path)
    names = [each.removeprefix(f"shop.{source}.") for each in found]
    wanted = ["setUp" if name == "failingBefore" else name for name in failing(source)]
    assert sorted(names) == sorted(wanted)
    assert status


async def test_spock(any_jvm: Jvm, tmp_path: Path) -> None:
    """Its features have names of their own, and its conditions make their messages when they are asked."""
    jars = framework_jars("libspock-java")
    assert jars, "apt-get install libspock-java groovy"
    libraries = os.pathsep.join(jars)
    classes = groovy_classes(FIXTURES / "builds" / "PriceSpec.groovy", libraries)
    words = [any_jvm.java, "-cp", os.pathsep.join((libraries, classes))]
    with within(SLOW):
        async with jdbpy.test([*words, "org.junit.runner.JUnitCore", "shop.PriceSpec"], cwd=tmp_path) as tests:
            found = {each.name: each.message async for each in tests}
    assert list(found) == [f"shop.PriceSpec.{name}" for name in ("failing numbers", "failing in the program")]
    assert tests.status == 1
    numbers, in_program = found.values()
    assert numbers.split("\n")[0].endswith("ConditionNotSatisfiedError: Condition not satisfied:")
    assert "\ngot == 6\n" in numbers
    assert in_program.endswith("too many: 101")


async def test_clojure_test(any_jvm: Jvm, tmp_path: Path) -> None:
    """It catches what leaves a test, and its assertions report in place of throwing."""
    jars = library_jars("clojure")
    assert jars, "apt-get install libclojure-java"
    script = FIXTURES / "builds" / "price_test.clj"
    words = [any_jvm.java, "-cp", os.pathsep.join(jars), "clojure.main", str(script)]
    with within(SLOW):
        async with jdbpy.test(words, cwd=tmp_path) as tests:
            found = {each.name: (each.expected, each.actual, each.stop.frame.class_name) async for each in tests}
    assert tests.status == len(found) == 3
    expected, actual, _ = found["shop.price-test/failing-numbers"]
    assert (expected, actual) == ("(= 6 got)", "(not (= 6 5))")
    assert found["shop.price-test/failing-in-the-program"][2] == "shop.price_test$total"
    assert found["shop.price-test/failing-inside-an-assertion"][0] == "(= 1 (total 102))"


async def test_a_build_of_maven(any_jvm: Jvm, tmp_path: Path) -> None:
    """Surefire starts a JVM of its own for the tests; Maven's runs free."""
    tool = surefire()
    assert tool is not None, "apt-get install maven libsurefire-java"
    mvn, goal = tool
    made = program("FourTest", where=FIXTURES / "builds", libraries=framework_jars("junit4"))
    (tmp_path / "pom.xml").write_text(POM, encoding="utf-8")
    (tmp_path / "settings.xml").write_text(SETTINGS.format(cache=tmp_path / "repository"), encoding="utf-8")
    await trio.to_thread.run_sync(
        shutil.copytree, made.classes.split(os.pathsep)[0], tmp_path / "target" / "test-classes"
    )
    words = [mvn, "--batch-mode", "--quiet", "--settings", "settings.xml", goal]
    found, status = await failures(words, tmp_path)
    assert sorted(found) == [f"shop.FourTest.{name}" for name in failing("FourTest")]
    assert status == 1
