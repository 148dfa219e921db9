"""`snapshot`, `find` and `jdbpy open` as processes: what the JVM has shown, the snapshot shows."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jdbpy import open_snapshot_session
from jdbpy.cli.repl.prompt_state import Picture, ring_when_left_alone
from tests.cli.process import jdbpy, launching, script
from tests.harness import Jvm, program, start_target

LOCKS = program("Locks")
SHOP = program("Shop")

SHOWS = (
    *("where", "where all", "where all --fold", "where full", "wherei", "threads", "threadgroups", "thread main"),
    *("deadlocks", "threadlocks", "locals", "args", "list", "modules", "properties", "classes", "class Locks"),
    *(
        "methods Locks",
        "lines Locks",
        "fields Locks",
        "classpath",
        "capabilities",
        "print Locks.left",
        "lock Locks.left",
    ),
)


def steps(directory: Path) -> list[tuple[str, Callable[[Any], object]]]:
    """Lines, and what the data of each result must satisfy: the first of a JVM, the others of its snapshot."""
    return [
        (f"snapshot {directory / 'shop.jdbpy'}", lambda d: d["complete"] and d["objects"] > 100 and d["size"] > 10_000),
        ("find A-1", lambda d: any(e["text"] == "A-1" and e["where"][1].endswith("id") for e in d["found"])),
        ("find -n 1 e", lambda d: d["total"] > 1 and len(d["found"]) == 1),
    ]


@pytest.mark.every_java
async def test_every_command_of_snapshots(jvm: Jvm, tmp_path: Path) -> None:
    [(first, check), *others] = steps(tmp_path)
    lines = [f"stop at {SHOP.at('body')}", "run", first]
    live = await jdbpy(*launching(SHOP.on(jvm), "--json", *script(*lines)), jvm=jvm)
    assert check(live.results[2]["data"]), live.results[2]
    shown = await jdbpy("open", str(tmp_path / "shop.jdbpy"), "--json", *script(*(line for line, _ in others)))
    for (line, check), found in zip(others, shown.results, strict=True):
        assert found["ok"], found
        assert check(found["data"]), f"{line}: {found}"


@pytest.mark.every_java
async def test_every_command_shows_what_it_showed_on_the_jvm(jvm: Jvm, tmp_path: Path) -> None:
    path = tmp_path / "locks.jdbpy"
    shows = [line for line in SHOWS if jvm.feature >= 9 or line != "modules"]
    lines = [f"stop at {LOCKS.at('ready')}", "run", f"snapshot {path}", *shows]
    live = await jdbpy(*launching(LOCKS.on(jvm), "--json", "--sourcepath", LOCKS.sources, *script(*lines)), jvm=jvm)
    assert live.status == 0, live.out
    shown = await jdbpy("open", str(path), "--batch", "--json", *script(*shows))
    assert shown.status == 0, shown.out
    for one, other in zip(live.results[3:], shown.results, strict=True):
        assert one == other, one["command"]
    taken = live.results[2]["data"]
    assert taken["complete"]
    assert taken["paused"] is None
    assert taken["threads"] > 10


async def test_what_needs_the_jvm_is_refused(any_jvm: Jvm, tmp_path: Path) -> None:
    path = tmp_path / "shop.jdbpy"
    lines = [
        f"stop at {SHOP.at('body')}",
        "run",
        f'snapshot "{path}" --depth 3 --max 10M --mask "*code*,id"',
        f"snapshot {path}",
    ]
    taken = await jdbpy(*launching(SHOP, "--json", "--keep-going", *script(*lines)), jvm=any_jvm)
    assert taken.status == 1
    assert taken.results[-1]["error"]["code"] == "FILE"
    assert "it exists already" in taken.results[-1]["error"]["message"]
    refused = (
        *("cont", "step", "stop in shop.Order.total", "print total()", "set i = 2", "catch Exception", "histogram"),
        *("trace go shop.Order.total", 'logpoint shop.Order.total "x"', "watch shop.Order.id"),
        *("calls shop.Order.total", "calls tree shop.Order.total", "calls stats shop.Order.total"),
        *("instances shop.Order", "referrers this", "cputime", "jcmd Thread.print", "flags", "gc", "interrupt 1"),
        *("suspend", "resume", "pop", "redefine ."),
        *("py vm.heap.histogram()", "py vm.stop_at('shop.Order.total')"),
    )
    shown = await jdbpy("open", str(path), "--batch", "--json", "--keep-going", *script(*refused))
    codes = [each["error"]["code"] for each in shown.results]
    assert codes == ["SNAPSHOT"] * len(refused), shown.out
    for each in shown.results:
        assert re.fullmatch(r"not in a snapshot: .* needs the JVM", each["error"]["message"]), each
    shown_by = ("find tea", "find nothing like this", "print lines[1].name", "dump this", "py stop", "py frame.method")
    text = await jdbpy("open", str(path), *script(*shown_by, "quit"))
    assert text.status == 0, text.err
    assert "string @" in text.out
    assert 'thread "main", frame ' in text.out
    assert "nothing in the snapshot contains 'nothing like this'" in text.out
    assert '"cup"' in text.out
    assert '"<masked>"' in text.out, "the field id"
    assert text.out.endswith("<no stop: a snapshot has no stop>\n'total'\nthe snapshot is closed\n"), text.out


async def test_a_snapshot_at_each_hit(any_jvm: Jvm, tmp_path: Path) -> None:
    path = tmp_path / "hit.jdbpy"
    lines = [f"stop at {SHOP.at('body')}", f"snapshot {path} --depth 2 on 1", "run", "cont", "on 1"]
    done = await jdbpy(*launching(SHOP, *script(*lines)), jvm=any_jvm)
    assert done.status == 0, done.err
    assert sorted(os.listdir(tmp_path)) == ["hit-2.jdbpy", "hit.jdbpy"]
    for name, number in (("hit.jdbpy", "0"), ("hit-2.jdbpy", "1")):
        shown = await jdbpy("open", str(tmp_path / name), *script("print i"))
        assert f"= {number}\n" in shown.out, shown


async def test_of_a_running_jvm(jvm: Jvm, tmp_path: Path) -> None:
    path = tmp_path / "one.jdbpy"
    async with start_target(jvm, LOCKS, suspend=False) as target:
        await target.wait_output("ready")
        taken = await jdbpy("attach", target.address, "--json", *script(f"snapshot {path}", "threads -n 1"))
        assert taken.status == 0, taken.out
        data = taken.results[0]["data"]
        assert 0 < data["paused"] < data["took"]
        assert not any(each["suspended"] for each in taken.results[1]["data"]["threads"])
    shown = await jdbpy("open", str(path), "--json", *script("deadlocks"))
    assert len(shown.results[0]["data"]["deadlocks"]) == 3
    async with open_snapshot_session(str(path)) as session:  # the toolbar does not count for how long it is held
        state = await Picture(session).draw()
        assert (state.state, state.held) == ("snapshot", ""), state
        said: list[str] = []
        await ring_when_left_alone(session, said.append)
        assert not said


async def test_a_file_that_is_none_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "notes"
    file.write_text("nothing")
    for path, why in ((file, "is not a snapshot: it is another kind of file"), (tmp_path / "no", "No such file")):
        done = await jdbpy("open", str(path), *script("where"))
        assert done.status == 2
        assert why in done.err
        assert "Traceback" not in done.err
    assert (await jdbpy("open")).status == 2
