"""A target that names files of the debugger's machine: none is run, none is read outside what the user has named."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest
import trio

import jdbpy
from jdbpy.errors import UsageError
from jdbpy.session.model.events import Notice
from jdbpy.session.model.options import StepDepth
from jdbpy.session.sources.local_classes import below
from jdbpy.session.sources.roots import MOST_BYTES
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import ClassID, FieldValue, TaggedValue
from jdbpy.wire.messages import class_type, virtual_machine
from tests.harness import Jvm, debug, inline
from tests.harness.class_files import with_source_file, with_source_map
from tests.harness.programs import Program

pytestmark = pytest.mark.one_java

SECRET = "a secret of this machine"

NAMING = inline(
    """
    class Naming {
        public static void main(String[] args) {
            int n = 1; // @first
            n = 2;
            n = 3;
            n = 4;
            n = 5;
            n = 6;
            n = 7;
            n = 8;
            n = 9; // @last
        }
    }
    """
)


def java_home(evil: Path, proof: Path) -> None:
    """A directory that looks like a JDK, whose programs leave a proof that they were run."""
    for name in ("bin/java", "bin/javac"):
        file = evil / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\necho run > {proof}\necho '    java.version = 17' >&2\n")
        file.chmod(0o755)
    (evil / "lib").mkdir()
    (evil / "lib/libjdwp.so").touch()
    with zipfile.ZipFile(evil / "lib/src.zip", "w") as archive:
        archive.writestr("java.base/java/lang/String.java", f"package java.lang;\n// {SECRET}\n")


async def test_the_java_home_of_the_target_is_not_run(jvm: Jvm, tmp_path: Path) -> None:
    evil, proof = tmp_path / "evil", tmp_path / "it-was-run"
    java_home(evil, proof)
    async with debug(jvm, "Hello") as d:
        target = d.session._target
        [holder] = await target.types.by_signature("Ljdk/internal/util/StaticProperty;")
        [field] = [one for one in (await target.types.fields([holder.id]))[holder.id] if one.name == "JAVA_HOME"]
        told = (await target.conn.request(virtual_machine.CreateString(str(evil)))).stringObject
        value = FieldValue(field.id, TaggedValue(Tag.STRING, told))
        await target.conn.request(class_type.SetValues(ClassID(holder.id), [value]))
        await d.session.breakpoints.add("java.lang.String.length", temporary=True)
        await d.resume()
        stop = await d.wait_stop("breakpoint")
        text = await d.session.sources.text("java.lang.String", "String.java")
        for source in (stop.source and stop.source.path, text and text.path):
            assert not (source or "").startswith(str(evil))
        assert not await trio.Path(proof).exists()


TOLD = ("../../secret.java", "SECRET", "link.java", "pipe.java", "huge.java", "/proc/kmsg", ".hid/x.java", "ok.xyz")


def source_path(root: Path, secret: Path) -> None:
    """A directory of sources with what can go wrong in one: links out of it, a pipe, a file of 20 GB."""
    secret.write_text(f"// {SECRET}\n" * 20)
    (root / "link.java").symlink_to(secret)
    os.mkfifo(root / "pipe.java")
    with open(root / "huge.java", "wb") as file:
        file.truncate(20 << 30)
    (root / ".hid").mkdir()
    (root / ".hid/x.java").write_text(SECRET)
    (root / "ok.xyz").write_text("fine\n" * 9)


def mapped_to_all(root: Path, secret: Path) -> Program:
    """Each line of the program comes from another of the files."""
    paths = [str(secret) if path == "SECRET" else path for path in TOLD]
    files = [line for number, path in enumerate(paths, 1) for line in (f"+ {number} {path.rpartition('/')[2]}", path)]
    lines = [f"{number}#{number}:{NAMING.line('first') + number - 1}" for number in range(1, len(paths) + 1)]
    smap = ["SMAP", "x", "Xyz", "*S Xyz", "*F", *files, "*L", *lines, "*E", ""]
    return with_source_map(NAMING, root, "\n".join(smap))


@pytest.mark.parametrize("how", ["map", "attribute"])
async def test_the_target_chooses_no_file_outside_the_source_path(jvm: Jvm, tmp_path: Path, how: str) -> None:
    secret, root = tmp_path / "secret.java", tmp_path / "own/root"
    if how == "map":
        program, count = mapped_to_all(root, secret), len(TOLD)
    else:
        program, count = with_source_file(NAMING, root, "../../secret.java"), 1
    source_path(root, secret)
    async with debug(jvm, program, options=jdbpy.Options(source_path=(str(root),))) as d:
        await d.session.breakpoints.add(f"Naming:{NAMING.line('first')}" if how == "attribute" else "Naming.main")
        await d.resume()
        notices: list[str] = []
        for number in range(count):
            event = await d.next_event()
            while isinstance(event, Notice):
                notices.append(event.text)
                event = await d.next_event()
            assert isinstance(event, jdbpy.Stopped)
            if how == "map" and number == count - 1:
                assert event.source is not None
                assert event.source.lines[-1] == (9, "fine")
            else:
                assert event.source is None, event
            if number < count - 1:
                await d.session.execution.step(StepDepth.INTO)  # over would pass other files as inlined
        if how == "map":
            assert notices == [f"{root / 'huge.java'} is larger than {MOST_BYTES >> 20} MB: it is not shown as source"]


def bomb_of(path: Path) -> None:
    """An archive whose one member is 64 MB of nothing, and said to be 100 bytes."""
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("Hello.java", "w", force_zip64=True) as member,
    ):
        for _ in range(64):
            member.write(bytes(1 << 20))
    data = path.read_bytes()
    at = data.rindex(b"PK\x01\x02") + 24  # its size in the directory
    path.write_bytes(data[:at] + (100).to_bytes(4, "little") + data[at + 4 :])


async def test_members_of_archives_are_not_unpacked_without_limit(jvm: Jvm, tmp_path: Path) -> None:
    bomb = tmp_path / "sources.jar"
    bomb_of(bomb)
    async with debug(jvm, "Hello", options=jdbpy.Options(source_path=(str(bomb),))) as d:
        assert await d.session.sources.text("Hello") is None
        assert d.session.sources._search._files == {}


async def test_a_class_path_elsewhere_is_not_given_to_the_compiler(
    jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its archives would be opened, and searched for annotation processors by a compiler that looks for them."""
    source, work = tmp_path / "Naming.java", tmp_path / "work"
    source.write_text("class Naming { public static void main(String[] args) { Other.call(); } }")
    work.mkdir()
    monkeypatch.chdir(work)
    async with debug(jvm, NAMING) as d:
        d.session.sources.path = ()
        with pytest.raises(UsageError) as caught:
            await d.session.hotswap.redefine_sources([str(source)])
        assert NAMING.classes in caught.value.hint
        assert "-cp PATHS" in caught.value.hint


def test_what_of_a_path_may_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, named, elsewhere = (tmp_path / name for name in ("here", "named", "elsewhere"))
    for directory in (here, named, elsewhere):
        directory.mkdir()
    (here / "link").symlink_to(elsewhere)
    monkeypatch.chdir(here)
    good = [str(here / "lib/a.jar"), str(named / "classes"), "/usr/share/java/asm.jar"]
    bad = [
        str(elsewhere / "a.jar"), str(here / "link/a.jar"), str(here / "../elsewhere"), "lib/a.jar", f"{here}x/a.jar",
        f"{here}/a.jar{os.pathsep}{elsewhere}", "/", f"{here}/\0",
    ]  # fmt: skip
    found = below([*good, *bad], [str(named)])
    assert list(found.used) == good
    assert list(found.left_out) == bad


async def test_a_source_file_is_never_an_option_of_the_compiler(
    jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``javac @x.java`` reads options from x.java, processors to run among them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "@Naming.java").write_text("class Naming {}")
    (tmp_path / "Naming.java").write_text("-proc:only")
    async with debug(jvm, NAMING) as d:
        await d.run_to("first")
        with pytest.raises(jdbpy.JdbpyError) as caught:  # it lacks a method that the class has
            await d.session.hotswap.redefine_sources(["@Naming.java"])
        assert "main" in f"{caught.value.message} {caught.value.hint}"
