"""The file in which a JVM writes its threads: what it says, and what a hostile one may not do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jdbpy.errors import StateError
from jdbpy.session.java import dump_file
from jdbpy.session.java.dump_file import DumpedFrame, parse_dump_file, parse_frame

PARKED = [
    "java.base/java.lang.VirtualThread.park(VirtualThread.java:582)",
    "com.acme.Shop.sell(Shop.java:17)",
    "java.base/java.lang.VirtualThread.run(VirtualThread.java:309)",
]


def dump(*threads: Any, container: str = "<root>", parent: Any = None) -> bytes:
    about = {"container": container, "parent": parent, "owner": None}
    whole = {"processId": "1", "threadContainers": [{**about, "threads": threads, "threadCount": str(len(threads))}]}
    return json.dumps({"threadDump": whole}, indent=1).encode()


@pytest.mark.parametrize(
    ("text", "frame"),
    [
        ("java.base/java.lang.Thread.run(Thread.java:1583)", ("java.lang.Thread", "run", "Thread.java", 1583)),
        ("java.base/java.lang.Thread.sleep0(Native Method)", ("java.lang.Thread", "sleep0", "", 0, True)),
        ("com.acme.Shop.<init>(Unknown Source)", ("com.acme.Shop", "<init>")),
        ("app//com.acme.Shop.sell(Shop.java)", ("com.acme.Shop", "sell", "Shop.java")),
        ("plugins/acme@1.2/com.acme.Shop.sell(Shop.kt:7)", ("com.acme.Shop", "sell", "Shop.kt", 7)),
        ("Shop$$Lambda/0x00007f12.run(Unknown Source)", ("Shop$$Lambda/0x00007f12", "run")),
        ("app//a.Shop$$Lambda/0x00007f12.run(Unknown Source)", ("a.Shop$$Lambda/0x00007f12", "run")),
        ("nonsense", ("nonsense", "")),
        ("a.B.c(D.java:99999999999999999999)", ("a.B", "c", "D.java:99999999999999999999")),
    ],
)
def test_frames(text: str, frame: tuple[Any, ...]) -> None:
    assert parse_frame(text) == DumpedFrame(*frame)


def test_before_java_25_the_stack_tells_who_is_virtual() -> None:
    carrier = ["a.B.c(B.java:1)", "java.base/java.lang.VirtualThread.runContinuation(VirtualThread.java:221)"]
    found = parse_dump_file(
        dump(
            {"tid": "21", "name": "one", "stack": PARKED},
            {"tid": "22", "name": "deep", "stack": [PARKED[0]] + [PARKED[1]] * 1023},
            {"tid": "23", "name": "carrier", "stack": carrier},
            {"tid": "24", "name": "none", "stack": []},
            {"tid": "25", "name": "two", "stack": PARKED},
            container="java.util.concurrent.ThreadPerTaskExecutor@1f",
        )
    )
    assert [(each.number, each.name, each.state) for each in found] == [
        (21, "one", ""),
        (22, "deep", ""),
        (25, "two", ""),
    ]
    assert found[0].frames is found[2].frames
    assert {each.container for each in found} == {"java.util.concurrent.ThreadPerTaskExecutor@1f"}


def test_java_25_tells_more() -> None:
    parked = {"parkBlocker": {"object": "java.util.concurrent.CountDownLatch$Sync@1f"}}
    about = {"virtual": True, "state": "WAITING", "stack": PARKED}
    found = parse_dump_file(
        dump(
            {"tid": "1", "name": "main", "state": "RUNNABLE", "stack": PARKED},
            {"tid": "2", "name": "a", **about, **parked},
            {"tid": 3, "name": "b", **about, "waitingOn": "java.lang.Object@2"},
            {"tid": "4", "name": "c", **about, "blockedOn": "java.lang.Object@3"},
        )
    )
    assert [(each.number, each.blocker, each.waiting, each.entering, each.container) for each in found] == [
        (2, "java.util.concurrent.CountDownLatch$Sync@1f", "", "", ""),
        (3, "", "java.lang.Object@2", "", ""),
        (4, "", "", "java.lang.Object@3", ""),
    ]


def test_a_file_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever a piece ends: within a number, a character, an escape."""
    whole = dump(
        {"tid": 21, "name": 'caf\u00e9 \U0001f600 "\\', "stack": PARKED}, {"tid": 22, "name": "", "stack": PARKED}
    )
    data = whole.replace(b"caf\\u00e9", "caf\u00e9".encode())
    for size in (1, 2, 3, 7, 64):
        monkeypatch.setattr(dump_file, "_PIECE", size)
        assert [(each.number, each.name) for each in parse_dump_file(data)] == [
            (21, 'caf\u00e9 \U0001f600 "\\'),
            (22, ""),
        ]


_BEGIN = b'{"threadDump":{"threadContainers":[{"threads":['


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "not the JSON of a thread dump"),
        (b"\xff\xfe{}", "not the JSON of a thread dump"),
        (b"[]", "not the JSON of a thread dump"),
        (b"{", "cut off"),
        (b'{"a" 1}', "not the JSON of a thread dump"),
        (b'{1: 1}', "not the JSON of a thread dump"),
        (dump({"tid": "1", "name": "a", "stack": PARKED})[:-20], "cut off|not the JSON"),
        (_BEGIN + b"1]}]}}", "a thread in it is none"),
        (_BEGIN + b'{"tid":"-1","name":"a"}', "no number, name and stack"),
        (_BEGIN + b'{"tid":"\xd9\xa1","name":"a"}', "no number, name and stack"),
        (_BEGIN + b'{"tid":"1","name":7}', "no number, name and stack"),
        (_BEGIN + b'{"tid":"1","name":"a","stack":{}}', "no number, name and stack"),
        (_BEGIN + b'{"tid":' + b"9" * 20_000 + b"}", "cut off"),
        (_BEGIN + b"[" * 200_000, "nested too deeply"),
        (b'{"threadDump":' * 200_000, "not the JSON|cut off|nested too deeply"),
        (b'{"more":' + b'{"a":' * 200_000, "nested too deeply"),
        (_BEGIN + b'{"tid":"1","name":"' + b"a" * 6_000_000, "a value in it is too long"),
        (_BEGIN + b'{"tid":"1","name":"a","stack":[' + b'"",' * 2_000_000, "a value in it is too long"),
    ],
)  # fmt: skip
def test_hostile_files(data: bytes, why: str) -> None:
    with pytest.raises(StateError, match=f"dump of its threads cannot be read: .*({why})"):
        parse_dump_file(data)


def test_what_a_file_may_ask_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dump_file, "MOST_THREADS", 3)
    threads = [
        {"tid": str(each), "name": "", "stack": [*PARKED[:2], f"a.B.c(B.java:{each})", PARKED[2]]} for each in range(4)
    ]
    assert len(parse_dump_file(dump(*threads[:3]))) == 3
    with pytest.raises(StateError, match="more than 3 virtual threads"):
        parse_dump_file(dump(*threads))
    monkeypatch.setattr(dump_file, "_MOST_FRAMES", 11)
    with pytest.raises(StateError, match="more than 11 frames"):
        parse_dump_file(dump(*threads[:3]))
