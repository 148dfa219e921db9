"""Class files of what runs: those of loaders where they are it, else made of what the agent tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from jdbpy.errors import UsageError
from jdbpy.session import class_dump
from jdbpy.session.hotswap.differences import differences, of_file
from jdbpy.session.hotswap.hotswap import running_shapes
from jdbpy.session.java.class_file import parse
from jdbpy.session.java.signatures import signature_of
from tests.harness import Debugging, Jvm, debug, program


def read(path: str) -> bytes:
    return Path(path).read_bytes()


async def different(d: Debugging, name: str, data: bytes) -> list[str]:
    """How a class file differs from what runs, but for the names of attributes among the constants."""
    types = d.session._target.types
    [each] = await types.by_signature(signature_of(name))
    shapes = await running_shapes(types, [each])
    found = differences(shapes[each.id], of_file(parse(data)))
    return [one.text for one in found if one.text != "constants"]


@pytest.mark.every_java
async def test_what_the_loader_has_and_what_was_changed(jvm: Jvm, tmp_path: Path) -> None:
    made = program("Operated").on(jvm)
    changed = tmp_path / "Operated$Cache.class"
    async with debug(jvm, "Operated", f"{made.classes}/") as d:
        await d.run_to("ready")
        out = tmp_path / "out"
        first = await d.session.class_dump.dump("Operated*", str(out))
        by_name = {each.name: each for each in first.classes}
        for name in ("Operated", "Operated$Cache", "Operated$CacheMXBean"):
            assert by_name[name].how == "loader"
            assert read(f"{out}/{name}.class") == read(f"{made.classes}/{name}.class")
        for each in first.classes:  # the classes of lambdas have none
            if each.how == "rebuilt":
                assert "no class file" in each.note
                assert parse(read(each.path)).methods
        twice = await d.session.class_dump.dump("ch.qos.logback.classic.Level", str(out))
        assert len({each.path for each in twice.classes}) == len({each.loader for each in twice.classes}) == 2

        # what a decompiler is given where no class file lies on this machine
        assert parse(await d.session._class_file("java.util.ArrayList")).name == "java/util/ArrayList"

        data = read(f"{made.classes}/Operated$Cache.class")
        changed.write_bytes(data.replace(b"main cache", b"other name"))
        await d.session.hotswap.redefine("Operated$Cache", str(changed))
        [after] = (await d.session.class_dump.dump("*d$Cache", str(out))).classes
        assert after.how == "rebuilt"
        assert "is not what runs" in after.note
        assert b"other name" in read(after.path)
        assert await different(d, "Operated$Cache", read(after.path)) == []
        with pytest.raises(UsageError, match="no loaded class fits"):
            await d.session.class_dump.dump("no.such", str(out))


def test_no_name_leads_out_of_the_directory() -> None:
    taken: set[str] = set()
    for name in ("../../etc/passwd", "a...b", "a/../../b", "..", "\0", "C:\\x"):
        path = class_dump._path("/out", name, "..", taken)
        assert path.startswith("/out/")
        assert "/../" not in path
        assert "\0" not in path
