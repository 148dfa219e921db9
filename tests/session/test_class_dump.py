"""Class files of what runs: those of loaders where they are it, else made of what the agent tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from jdbpy.errors import EvalError, JdbpyError, UsageError
from jdbpy.session import class_dump
from jdbpy.session.eval.jvm.pins import COLLECTED
from jdbpy.session.eval.target import Raw
from jdbpy.session.eval.utility_calls import UtilityCall, UtilityCalls
from jdbpy.session.hotswap.differences import differences, of_file
from jdbpy.session.hotswap.hotswap import running_shapes
from jdbpy.session.in_target.thread_runner import InThread
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


async def test_what_was_read_is_read_again_where_it_was_collected(
    jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the dump, and for code that goes into the target: in a program that allocates without end it comes to that."""
    outcomes = UtilityCalls.outcomes
    reads = 0

    async def collected(self: UtilityCalls, *calls: UtilityCall, **options: bool) -> list[Raw | JdbpyError]:
        nonlocal reads
        found = await outcomes(self, *calls, **options)
        if any(each.once for each in calls):
            reads += 1
            if reads % 3:
                return [EvalError("it was collected", code=COLLECTED) for _ in calls]
        return found

    monkeypatch.setattr(UtilityCalls, "outcomes", collected)
    made = program("Operated").on(jvm)
    async with debug(jvm, "Operated", f"{made.classes}/") as d:
        await d.run_to("ready")
        [dumped] = (await d.session.class_dump.dump("*d$Cache", str(tmp_path))).classes
        assert (dumped.how, reads) == ("loader", 3)
        [type_] = await d.session._target.types.by_signature("LOperated$Cache;")
        async with d.session._calls.calls("a test") as calls:
            data = await InThread(d.session._target, calls, 0).class_file(type_)
        assert (data, reads) == (read(dumped.path), 6)


def test_no_name_leads_out_of_the_directory() -> None:
    taken: set[str] = set()
    for name in ("../../etc/passwd", "a...b", "a/../../b", "..", "\0", "C:\\x"):
        path = class_dump._path("/out", name, "..", taken)
        assert path.startswith("/out/")
        assert "/../" not in path
        assert "\0" not in path
