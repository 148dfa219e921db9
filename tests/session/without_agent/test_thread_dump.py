"""Forms of thread dumps: those of each release, and what fits none. Whole dumps are compared in ``test_equal``."""

from __future__ import annotations

import pytest

from jdbpy.session.java.dump_file import DumpedFrame
from jdbpy.session.without_agent.thread_dump import DumpedThread, parse_dump


def only(text: str) -> DumpedThread:
    dump = parse_dump(text)
    assert not dump.unknown
    [thread] = dump.threads
    return thread


@pytest.mark.parametrize(
    "header",
    [
        '"a" #7 daemon prio=5 os_prio=0 tid=0x00007f18f4001800 nid=0x2dfb runnable [0x0000000000000000]',  # 8
        '"a" #7 daemon prio=5 os_prio=0 cpu=1.25ms elapsed=5.20s tid=0x1 nid=0x2 runnable  [0x0000]',  # 11, 17
        '"a" #7 [14460] daemon prio=5 os_prio=0 cpu=1.25ms elapsed=5.20s tid=0x1 nid=14460 runnable  [0x0]',  # 21
        '"a" #7 [14460] daemon prio=5 os_prio=0 cpu=1.25ms elapsed=5.20s allocated=2K defined_classes=1 tid=0x1',  # -e
    ],
)
def test_headers(header: str) -> None:
    thread = only(header + "\n   java.lang.Thread.State: RUNNABLE\n\n   Locked ownable synchronizers:\n\t- None\n")
    assert (thread.name, thread.number, thread.daemon, thread.priority) == ("a", 7, True, 5)
    assert thread.cpu in (None, 0.00125)


@pytest.mark.parametrize(
    ("place", "frame"),
    [
        ("a.B.run(B.java:12)", DumpedFrame("a.B", "run", "B.java", 12)),
        ("a.B.run(Native Method)", DumpedFrame("a.B", "run", native=True)),
        ("a.B.run(Unknown Source)", DumpedFrame("a.B", "run")),
        ("a.B.run(java.base@17.0.15/B.java:12)", DumpedFrame("a.B", "run", "B.java", 12)),
        ("a.B.run(java.base@17.0.15/Native Method)", DumpedFrame("a.B", "run", native=True)),
        ("a.B.run(java.base@17/Unknown Source)", DumpedFrame("a.B", "run")),
        ("a.B.run(B.java)", DumpedFrame("a.B", "run", "B.java")),
        ("a.B$$Lambda$1/471910020.run(Unknown Source)", DumpedFrame("a.B$$Lambda$1/471910020", "run")),
        ("app//a.B.<init>(B.kt:3)", DumpedFrame("a.B", "<init>", "B.kt", 3)),
        ("a.B.run(Redefined)", DumpedFrame("a.B", "run")),
    ],
)
def test_frames(place: str, frame: DumpedFrame) -> None:
    assert only(f'"a" #7 prio=5 tid=0x1\n\tat {place}\n').frames == [frame]


def test_names() -> None:
    """Anything may stand in a name: it is what the program says."""
    names = ["", "two\nlines", 'with "quotes" and #9 prio=1', '"main" #1 prio=5', "\tat a.B.run(B.java:1)", "\u20ac"]
    text = "".join(f'"{name}" #{number} prio=5 os_prio=0 tid=0x1\n\n' for number, name in enumerate(names, 1))
    dump = parse_dump(text)
    assert [(each.number, each.name) for each in dump.threads] == list(enumerate(names, 1))


def test_virtual_threads() -> None:
    """A carrier waits; the frames of what it carries are told since 24."""
    dump = parse_dump(
        '"ForkJoinPool-1-worker-1" #23 [32361] daemon prio=5 os_prio=0 cpu=425.93ms tid=0x1  [0x2]\n'
        "   Carrying virtual thread #22\n"
        "\tat jdk.internal.vm.Continuation.run(java.base@25.0.3/Continuation.java:251)\n"
        "   Mounted virtual thread #22\n"
        "\tat Virt.lambda$main$0(Virt.java:3)\n"
        "\t- locked <0x000000069ec16b20> (a java.lang.Object)\n\n"
        "   Locked ownable synchronizers:\n"
        "\t- <0x000000069ec16b28> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)\n"
    )
    assert not dump.unknown
    carrier, virtual = dump.threads
    assert (carrier.state, len(carrier.frames), len(carrier.owned), carrier.locked) == ("WAITING", 1, 1, [])
    assert (virtual.number, virtual.virtual, virtual.frames[0].method) == (22, True, "lambda$main$0")
    assert virtual.locked[0].depth == 0


def test_a_thread_of_the_vm_without_a_name_is_passed_over() -> None:
    """The sampler of the flight recorder of Java 11 and 17."""
    dump = parse_dump(
        '"a" #7 prio=5 tid=0x1\n   java.lang.Thread.State: RUNNABLE\n\n'
        "os_prio=0 cpu=4.62ms elapsed=1.01s tid=0x00007f87b80d7380 nid=0x1894 runnable  \n"
    )
    assert not dump.unknown
    assert [each.name for each in dump.threads] == ["a"]


def test_what_is_not_known_is_kept() -> None:
    dump = parse_dump(
        '"a" #7 prio=5 tid=0x1\n   java.lang.Thread.State: RUNNABLE\n   Scoped by a later release: 3\n'
        "\tat a.B.run(B.java:12)\n\t- handed over <0x01> (a java.lang.Object)\n"
    )
    assert dump.unknown == ["   Scoped by a later release: 3", "\t- handed over <0x01> (a java.lang.Object)"]
    assert dump.threads[0].frames


def test_a_dump_that_is_cut_off_or_garbage() -> None:
    whole = '"a" #7 prio=5 tid=0x1\n   java.lang.Thread.State: WAITING (parking)\n\tat a.B.run(B.java:12)\n'
    for end in range(len(whole)):
        assert len(parse_dump(whole[:end]).threads) <= 1
    assert parse_dump('"' * 5000).threads == []
    assert len(parse_dump("x\n" * 100_000).unknown) == 1000
