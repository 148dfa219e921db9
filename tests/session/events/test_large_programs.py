"""A program of many classes: what a snapshot and a moment of it ask for, and what is left out where time is short."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import jdbpy
from jdbpy.session.snapshots import asking, taking
from tests.cli.process import jdbpy as run_jdbpy
from tests.harness import Jvm, start_target

pytestmark = pytest.mark.one_java

CLASSES = 12_000


def is_made(name: str) -> bool:
    return name.startswith("Many$C")


async def test_all_classes_are_kept(jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For nested types the agent looks at all classes for each class: 12,000 times 12,000."""
    asked = set[str]()
    send = asking.Asker._send

    def noted(self: asking.Asker, command: type, *given: object) -> None:
        asked.add(command.NAME)  # type: ignore[attr-defined]
        send(self, command, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(asking.Asker, "_send", noted)
    monkeypatch.setattr(taking, "OTHERS_LIMIT", 0)
    async with start_target(jvm, "Many", str(CLASSES), suspend=False) as target:
        await target.wait_output(f"made {CLASSES}")
        async with jdbpy.attach_session(target.address) as session:
            near = await session.snapshot(str(tmp_path / "near.jdbpy"))
            whole = await session.snapshot(str(tmp_path / "whole.jdbpy"), all_classes=True)
            live = await session.classes.methods("Many$C00077", inherited=False)
    assert "Method.LineTable" in asked
    assert "ReferenceType.NestedTypes" not in asked
    assert near.names_only > CLASSES // 2
    assert whole.names_only == 0
    assert near.complete
    assert whole.complete
    for taken in near, whole:
        async with jdbpy.open_snapshot_session(taken.path) as session:
            assert sum(is_made(each) for each in names(await session.classes.list())) == CLASSES + 1
            assert (await session.values.evaluate("Many.made.length")).text == str(CLASSES)
    async with jdbpy.open_snapshot_session(whole.path) as session:
        kept = await session.classes.methods("Many$C00077", inherited=False)
        assert [each.name for each in kept] == [each.name for each in live] == ["<init>", "add", "text", "<clinit>"]


def names(listed: object) -> list[str]:
    return list(listed.names)  # type: ignore[attr-defined]


async def test_progress_counts_as_an_answer(jvm: Jvm, tmp_path: Path) -> None:
    """The limit is for a command that does not come forward."""
    file = tmp_path / "one.jdbpy"
    async with start_target(jvm, "Many", str(CLASSES), suspend=False) as target:
        await target.wait_output(f"made {CLASSES}")
        begun = time.monotonic()
        assert (await run_jdbpy("attach", target.address, "-c", "moment none classes", "-c", "version")).status == 0
        limit = max(4.0, 2 * (time.monotonic() - begun))  # no step takes as long, however busy the machine is
        await target.wait_listening_again()
        words = ("-c", f"snapshot {file} --classes all", "-c", "moment one classes", "-c", "version")
        done = await run_jdbpy("attach", target.address, "--timeout", f"{limit:.1f}", *words)
        assert (done.status, done.err) == (0, "")
        assert "wrote " in done.out
        assert "only the names" not in done.out
    async with jdbpy.open_snapshot_session(str(file)) as session:
        assert sum(is_made(each) for each in names(await session.classes.list())) == CLASSES + 1
