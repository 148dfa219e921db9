"""Profiles out of a recording whose program is known, and the files they are written to."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import jdbpy.jfr
from jdbpy.errors import UsageError
from jdbpy.jfr.chunk import Chunk
from jdbpy.jfr.recording import FlightRecording
from jdbpy.profiles.files import FORMS, write
from jdbpy.profiles.kinds import KINDS, settings_of
from jdbpy.profiles.profile import Profile, merged_profiles
from jdbpy.profiles.recorded import class_in_words, kinds_in, read_profile
from tests.cli.process import jdbpy as run_jdbpy
from tests.harness import Jvm
from tests.jfr.recorded import recording


def profiles(jvm: Jvm) -> dict[str, Profile]:
    read = jdbpy.jfr.read(recording(jvm))
    assert kinds_in(read.counts()) == list(KINDS)
    return {kind: read_profile(read, kind) for kind in KINDS}


def test_what_the_program_has_done(jvm: Jvm) -> None:
    found = profiles(jvm)
    assert found["exceptions"].classes["java.lang.IllegalStateException"] == 24
    assert found["exceptions"].stacks.methods()[0].name == "Recorded.fail"
    waits = [
        each
        for each in jdbpy.jfr.read(recording(jvm)).events("jdk.JavaMonitorEnter")
        if each["monitorClass"] is not None and each["monitorClass"]["name"] == "java/lang/Object"
    ]
    assert found["lock"].classes["java.lang.Object"] == sum(each.duration for each in waits)
    in_work = sum(each.duration for each in waits if each["stackTrace"]["frames"][0]["method"]["name"] == "work")
    assert {each.name: each.own for each in found["lock"].hot}["Recorded.work"] == in_work > 0
    slept = 24 * 11_000_000
    by_thread = {name: weight for name, weight in found["wall"].threads.items() if name.startswith("w\u00f6rker-")}
    assert len(by_thread) == 3
    assert sum(by_thread.values()) >= slept
    assert any(each.name == "Recorded.run" for each in found["cpu"].hot)
    assert sum(found["cpu"].course) == found["cpu"].total == found["cpu"].samples


def test_what_is_left_out_is_told_by_the_settings_of_the_recording(jvm: Jvm) -> None:
    """Those of ``profile.jfc`` here, and none but what was given in a recording that states none."""
    read = jdbpy.jfr.read(recording(jvm))
    stated = {
        (one["id"], one["name"]): one["value"] for one in read.events("jdk.ActiveSetting") if one["name"] != "enabled"
    }
    ids = {each.name: each.id for chunk in read.chunks() for each in chunk.metadata.by_name.values()}
    rate = stated[ids["jdk.ObjectAllocationSample"], "throttle"].removesuffix("/s")
    found = profiles(jvm)
    assert found["alloc"].notes == (
        f"samples of allocations, at most {rate} a second, each with the bytes that it stands for",
    )
    if jvm.feature < 25:
        period = stated[ids["jdk.ExecutionSample"], "period"]
        assert found["cpu"].notes[0].startswith(f"a sample every {period}, of a few of the threads")
    else:
        assert found["cpu"].notes[0].startswith("samples of each thread by its processor time (")
    assert found["wall"].notes == ("waits count when they are over, from 0 ns on",)


class Nothing(FlightRecording):
    """A recording without a chunk."""

    def chunks(self) -> Iterator[Chunk]:
        return iter(())


@pytest.mark.parametrize(
    ("kind", "given", "told"),
    [
        ("cpu", {"jdk.ExecutionSample#period": "20ms"}, "a sample every 20 ms, of a few of the threads"),
        ("cpu", {}, "samples of a few of the threads"),
        ("cpu", settings_of("cpu", 25), "samples of each thread by its processor time (10 ms), also in native methods"),
        ("alloc", settings_of("alloc", 17), "samples of allocations, at most 1,000 a second, each"),
        ("alloc", settings_of("alloc", 11), "each new buffer of a thread counts"),
        ("wall", settings_of("wall", 17), "waits count when they are over, from 1 ms on"),
    ],
)
def test_what_would_be_left_out_of_nothing(kind: str, given: dict[str, str], told: str) -> None:
    [note] = read_profile(Nothing(b""), kind, given).notes
    assert note.startswith(told)


def test_cpu_is_what_the_events_say(jvm: Jvm) -> None:
    """The methods on top, counted from the events themselves."""
    read = jdbpy.jfr.read(recording(jvm))
    tops: Counter[str] = Counter()
    for each in read.events("jdk.CPUTimeSample" if read.counts()["jdk.CPUTimeSample"] else "jdk.ExecutionSample"):
        if not each.get("failed") and each.stack_trace is not None:
            method = each.stack_trace["frames"][0]["method"]
            tops[f"{class_in_words(method['type']['name'])}.{method['name']}"] += 1
    own = {each.name: each.own for each in read_profile(read, "cpu").stacks.methods() if each.own}
    assert {name: count for name, count in own.items() if name != "[no Java frames]"} == tops


def test_the_hottest_methods_are_those_of_the_jdk(jvm: Jvm, newest_jvm: Jvm) -> None:
    """``jfr view``, on the same recording; it has come with JDK 21."""
    path = recording(jvm)
    read = jdbpy.jfr.read(path)
    view = "cpu-time-hot-methods" if read.counts()["jdk.CPUTimeSample"] else "hot-methods"
    command = [str(Path(newest_jvm.home, "bin", "jfr")), "view", "--width", "400", view, str(path)]
    shown = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
    rows: Counter[str] = Counter()
    for name, samples in re.findall(r"^(\S+)\(.*\) +(\d+) +[\d.]+%$", shown, re.MULTILINE):
        rows[re.sub(r"(\$\$Lambda)[\w$]*([.+](0x)?[0-9a-f]+)+(?=\.)", r"\1", name)] += int(samples)
    assert rows
    methods = read_profile(read, "cpu").stacks.methods()
    own = Counter({each.name: each.own for each in methods if each.own and each.name != "[no Java frames]"})
    assert {name: own[name] for name in rows} == rows
    assert max((own[name] for name in own if name not in rows), default=0) <= min(rows.values())


def test_profiles_of_several_are_one(any_jvm: Jvm) -> None:
    one = profiles(any_jvm)["exceptions"]
    both = merged_profiles([("a", one), ("b", one)])
    assert {path[0] for path in both.stacks.weights} == {"a", "b"}
    assert (both.total, both.samples, both.seconds) == (2 * one.total, 2 * one.samples, one.seconds)
    assert one.matching("Recorded.fail").total == 24
    assert not one.matching("nobody.*").stacks


def test_files(any_jvm: Jvm, tmp_path: Path) -> None:
    stacks = profiles(any_jvm)["alloc"].stacks
    for ending in FORMS:
        path = Path(write(stacks, str(tmp_path / f"a{ending}")))
        assert path.stat().st_size > 20
    with pytest.raises(UsageError):
        write(stacks, str(tmp_path / "a.doc"))
    with pytest.raises(UsageError):
        write(stacks, str(tmp_path / "none" / "a.svg"))


def test_names_of_classes() -> None:
    assert class_in_words("[[Ljava/lang/String;") == "java.lang.String[][]"
    assert class_in_words("[B") == "byte[]"
    assert class_in_words("a/B$$Lambda$14/0x0000000800c03000") == "a.B$$Lambda"
    assert class_in_words("a/B$$Lambda.1160460865") == "a.B$$Lambda"
    assert class_in_words("a/B$$Lambda$92+0x00007fa3ec03db40/2039810346") == "a.B$$Lambda"


async def test_open_shows_a_recording(any_jvm: Jvm, tmp_path: Path) -> None:
    path = recording(any_jvm)
    picture = tmp_path / "a b.svg"
    done = await run_jdbpy("open", str(path), "exceptions", "--json", "to", str(picture))
    [data] = [each["data"] for each in done.results]
    assert {row["method"]: row["own"] for row in data["methods"]}["Recorded.fail"] == 24
    assert data["others"] == ["cpu", "wall", "alloc", "lock"]
    assert "Recorded.fail" in picture.read_text()
    done = await run_jdbpy("open", str(path), "lock", "Recorded")
    assert "Recorded.work" in done.out
    assert "w\u00f6rker-1" in done.out
    cut = tmp_path / "cut.jfr"
    cut.write_bytes(path.read_bytes()[:5000])
    done = await run_jdbpy("open", str(cut))
    assert (done.status, "are there" in done.err) == (1, True)
