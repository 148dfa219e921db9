"""Snapshots on real JVMs: what they hold, that the target is left as it was, what is masked, what is refused."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import zlib
from pathlib import Path

import pytest
import trio

import jdbpy
from jdbpy.errors import EvalError, JdwpError, StateError, UsageError
from jdbpy.session.model.values import Limits
from jdbpy.session.model.vm import VmState
from jdbpy.wire.messages import class_type
from tests.fakes.jvm import FakeJvm
from tests.harness import Debugging, Jvm, debug, inline
from tests.session.running import counts_agree, counts_of
from tests.session.snapshots.seen import seen

pytestmark = pytest.mark.one_java

SECRETS = """
public class Secrets {
    public static void main(String[] args) {
        Account account = new Account();
        account.next = new Account();
        String password = account.password;
        var settings = new java.util.HashMap<String, String>();
        settings.put("db.password", "s3cr3t");
        settings.put("db.user", "dora");
        String copy = account.password;
        String equal = new String(password.toCharArray()); // hunter2
        System.out.println(account.name + password.length() + copy.length() + settings.size()); // @stop
    }

    static class Account {
        String name = "carol";
        String password = "hunter2";
        char[] passphrase = "open sesame".toCharArray();
        int passcode = 0x5EC2E7ED;
        Account next;
    }
}
"""

CLEANED = """
public class Cleaned {
    public static void main(String[] args) {
        var cleaner = java.lang.ref.Cleaner.create();
        java.lang.ref.Cleaner.Cleanable last = null;
        for (int i = 0; i < 100; i++) last = cleaner.register(new int[i], () -> { });
        System.out.println(last); // @stop
    }
}
"""

CHAIN = """
public class Chain {
    public static void main(String[] args) throws Exception {
        Link head = new Last(0);
        for (int i = 1; i < 40; i++) head = new Link(i + 100, head);
        String large = "large ".repeat(30_000);
        var many = java.util.stream.IntStream.range(0, 300).boxed().toList();
        var linked = new java.util.LinkedList<>(many);
        var queued = new java.util.concurrent.ConcurrentLinkedQueue<>(many);
        var ordered = new java.util.LinkedHashMap<>();
        var skipping = new java.util.concurrent.ConcurrentSkipListMap<>();
        for (Integer each : many) skipping.put(each, ordered.put(each, each) == null ? each : null);
        System.out.println("" + head.number + large.length() + linked + queued + ordered + skipping); // @stop
    }

    static class Link {
        final int number;
        final Link next;
        Link[] others;

        Link(int number) {
            this(number, null);
            others = number < 8 ? new Link[] {new Link(number + 1)} : null;
        }

        Link(int number, Link next) {
            this.number = number;
            this.next = next;
            others = next == null ? null : next.others;
        }
    }

    static class Last extends Link {
        final String note = "the end";

        Last(int number) {
            super(number);
        }
    }
}
"""


async def still(session: jdbpy.Session, before: dict[int, int]) -> dict[int, int]:
    """The suspend counts of these threads now: the VM begins and ends threads of its own at any time."""
    return {thread: count for thread, count in (await counts_of(session)).items() if thread in before} | {
        thread: count for thread, count in before.items() if not count
    }


@pytest.mark.parametrize(("program", "marker"), [("Locks", "ready"), ("Views", "stop")])
@pytest.mark.every_java
async def test_a_snapshot_shows_what_the_jvm_shows(jvm: Jvm, tmp_path: Path, program: str, marker: str) -> None:
    path = str(tmp_path / "one.jdbpy")
    async with debug(jvm, program) as d:
        await d.run_to(marker)
        taken = await d.session.snapshot(path)
        live = await seen(d.session)
    async with jdbpy.open_snapshot_session(path) as session:
        assert session.state is VmState.STOPPED
        shown = await seen(session)
        for what, found in live.items():
            assert shown[what] == found, what
        info = session.snapshot_info
        assert info is not None
        assert (info.threads, info.frames, info.objects) == (taken.threads, taken.frames, taken.objects)
        assert info.reason == "breakpoint 1"
    assert taken.complete
    assert taken.paused is None, "it was stopped anyway"
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert os.listdir(tmp_path) == ["one.jdbpy"]


async def test_expressions_and_sources(jvm: Jvm, tmp_path: Path) -> None:
    path = str(tmp_path / "one.jdbpy")
    async with debug(jvm, "Shop") as d:
        await d.run_to("body")
        await d.session.snapshot(path)
        window = await d.session.sources.window((await d.session.stack.selected()).location)
    async with jdbpy.open_snapshot_session(path, options=jdbpy.Options(source_path=(str(tmp_path),))) as session:
        texts = [
            (await session.values.evaluate(each)).text
            for each in ("this.lines[1].name", "id.length() + i", 'id + "!"', "Shop.OPENED")
        ]
        assert texts == ['"cup"', "3", '"A-1!"', "8"]
        await session.up()
        assert (await session.values.evaluate("order.lines[0].name")).text == '"tea"'
        await session.down()
        assert await session.sources.window((await session.stack.selected()).location) == window
        for text in ("total()", "new Object()"):
            with pytest.raises(StateError, match="not in a snapshot: running a") as refused:
                await session.values.evaluate(text)
            assert refused.value.code == "SNAPSHOT"
        for call in (session.execution.cont, session.execution.step, session.execution.pop):
            with pytest.raises(StateError, match="not in a snapshot"):
                await call()
        with pytest.raises(StateError, match="not in a snapshot"):
            await session.values.assign("i", "5")
        with pytest.raises(StateError, match="not in a snapshot"):
            await session.breakpoints.add("shop.Order:1")
        with pytest.raises(StateError, match="shows a snapshot already"):
            await session.snapshot(str(tmp_path / "two.jdbpy"))
        for walk in (session.heap.histogram(), session.heap.instances("shop.Order")):
            with pytest.raises(StateError, match=r"not in a snapshot: .* instances needs the JVM"):
                await walk


@pytest.mark.every_java
async def test_a_running_target_is_resumed_as_it_was(jvm: Jvm, tmp_path: Path) -> None:
    async with debug(jvm, "Crowd", "20") as d:
        await d.run_to("ready", thread="main")
        threads = {each.name: each.id for each in await d.session.threads.list()}
        await d.session.execution.suspend([threads["blocked"]])
        await d.resume()
        before = await counts_of(d.session)
        taken = await d.session.snapshot(str(tmp_path / "one.jdbpy"))
        assert taken.paused is not None
        assert await still(d.session, before) == before
        await counts_agree(d.session)
        await d.session.execution.unsuspend([threads["blocked"]])
        await d.target.send("x\n")
        await d.wait_exit()
    async with jdbpy.open_snapshot_session(taken.path) as session:
        assert {each.name for each in await session.threads.list()} >= {"main", "blocked"}


async def test_a_cancelled_snapshot_leaves_nothing(jvm: Jvm, tmp_path: Path) -> None:
    async with debug(jvm, "Crowd", "50") as d:
        await d.run_to("ready", thread="main")
        await d.resume()
        before = await counts_of(d.session)
        suspended = trio.Event()
        target = d.session._target
        submit = target.submit_op

        def watched(*given: object, **named: object) -> object:
            suspended.set()
            return submit(*given, **named)  # type: ignore[arg-type]

        target.submit_op = watched  # type: ignore[method-assign,assignment]
        async with trio.open_nursery() as nursery:
            nursery.start_soon(d.session.snapshot, str(tmp_path / "one.jdbpy"))
            await suspended.wait()
            nursery.cancel_scope.cancel()
        assert await still(d.session, before) == before
        await counts_agree(d.session)
        assert os.listdir(tmp_path) == []
        taken = await d.session.snapshot(str(tmp_path / "two.jdbpy"))
        assert taken.threads > 50
        await d.target.send("x\n")
        await d.wait_exit()


async def test_the_limits(any_jvm: Jvm, tmp_path: Path) -> None:
    async with debug(any_jvm, inline(CHAIN)) as d:
        await d.run_to("stop")
        near = await d.session.snapshot(str(tmp_path / "near.jdbpy"), depth=1)
        high_latency = await d.session.snapshot(str(tmp_path / "far.jdbpy"), depth=6)
        small = await d.session.snapshot(str(tmp_path / "small.jdbpy"), most=1)
        start = (await d.session.values.evaluate("large.substring(0, 50_000)")).length
    assert near.objects < high_latency.objects
    assert near.complete
    assert not small.complete
    assert high_latency.paused_trips < 60, "a link takes one trip, although there is a subclass that it could be of"
    assert start == 50_000
    async with jdbpy.open_snapshot_session(near.path) as session:
        assert (await session.values.evaluate("head.next.next.number")).text == "137", "links of a chain cost little"
        with pytest.raises(JdwpError, match="not in the snapshot") as refused:
            await session.values.evaluate("head.others[0].others[0].others[0].others[0].number")
        assert "--depth" in refused.value.hint
        for elements in (5, 100, 1_000):
            limits = Limits(elements=elements)
            for expression, text in (("linked", "LinkedList(300) [0, "), ("ordered", "LinkedHashMap(300) {0=0, ")):
                found = await session.values.dump(expression, limits)
                assert found.text.startswith(text), "the beginning of a chain is shown"
                assert found.text.endswith((", ...]", ", ...}"))
                assert found.note == ""
            for expression in ("queued", "skipping"):
                found = await session.values.dump(expression, limits)
                assert found.note == "not all of it is in the snapshot", "how many there are is not known"
        beyond = await session.values.dump("head.others[0]")
        assert "not in the snapshot" in beyond.text + beyond.note
    async with jdbpy.open_snapshot_session(high_latency.path) as session:
        assert (await session.values.evaluate("large.length()")).text == "180000"
        head = (await session.values.evaluate("head")).id
        assert head is not None
        assert len(await session.objects.chain(head, "next")) == 40, "no heap is walked for it"
        last = f"((Chain.Last) head{39 * '.next'}).note"
        assert (await session.values.evaluate(last)).text == '"the end"', "read again, as what it is"
        assert (await session.values.evaluate("large.charAt(50_000)")).text == "'r'"
    async with jdbpy.open_snapshot_session(small.path) as session:
        assert [each.location.method for each in (await session.stack.of()).frames] == ["main"]


async def test_masked_values_never_reach_the_file(jvm: Jvm, tmp_path: Path) -> None:
    path = str(tmp_path / "one.jdbpy")
    async with debug(jvm, inline(SECRETS)) as d:
        await d.run_to("stop")
        taken = await d.session.snapshot(path, masks=("*PASS*",))
    assert taken.masked >= 8
    base = sqlite3.connect(path)
    plain = b"".join(zlib.decompress(data) for (data,) in base.execute("SELECT data FROM blocks"))
    base.close()
    number = (0x5EC2E7ED).to_bytes(4, "big")
    for secret in (b"hunter2", b"s3cr3t", b"open sesame", "open sesame".encode("utf-16-be"), number):
        assert secret not in plain
    async with jdbpy.open_snapshot_session(path) as session:
        assert session.snapshot_info is not None
        assert session.snapshot_info.masks == ("*PASS*",)

        async def text(expression: str) -> str:
            return (await session.values.evaluate(expression)).text

        assert await text("account.name") == '"carol"'
        for hidden in ("account.password", "account.next.password", "password", "account.passphrase", "copy", "equal"):
            assert await text(hidden) == '"<masked>"', hidden
        assert [
            each.value.text for each in await session.stack.variables() if each.name == "password" and each.value
        ] == ['"<masked>"']
        settings = await text("settings")
        assert '"dora"' in settings
        assert '"<masked>"' in settings
        fields = {each.name: each.value.text for each in (await session.values.dump("account")).children if each.value}
        assert fields["passcode"] == '"<masked>"'
        with pytest.raises(EvalError, match="the value of 'passcode' is masked in this snapshot"):
            await text("account.passcode + 1")


async def test_texts_are_found(any_jvm: Jvm, tmp_path: Path) -> None:
    path = str(tmp_path / "one.jdbpy")
    async with debug(any_jvm, "Shop") as d:
        await d.run_to("loop")
        await d.session.snapshot(path)
        with pytest.raises(StateError, match="in a snapshot only"):
            await d.session.snapshots.find("tea")
    async with jdbpy.open_snapshot_session(path) as session:
        found = await session.snapshots.find("TEA")
        [tea] = [each for each in found.found if each.text == "tea"]
        root, way = tea.where
        assert root.startswith('thread "main", frame ')
        assert (await session.values.evaluate(f"@{tea.id}")).text == '"tea"'
        if root.endswith("frame 1"):
            assert (await session.values.evaluate(way)).text == '"tea"'
        kinds = {each.kind for each in (await session.snapshots.find("main")).found}
        assert "thread" in kinds
        assert [each.text for each in (await session.snapshots.find("shop.Order$Line")).found] == ["shop.Order$Line"]
        assert (await session.snapshots.find("no such text")).total == 0
        with pytest.raises(UsageError, match="missing"):
            await session.snapshots.find("")


async def test_no_file_is_overwritten(any_jvm: Jvm, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("mine")
    async with debug(any_jvm, "Hello") as d:
        for path, why in (
            (there, "it exists already"),
            (tmp_path / "no" / "such", "its directory does not exist"),
        ):
            with pytest.raises(UsageError, match=why):
                await d.session.snapshot(str(path))
        with pytest.raises(UsageError, match="0 to 100"):
            await d.session.snapshot(str(tmp_path / "x"), depth=101)
        await d.session.snapshot(str(tmp_path / "one"))
        with pytest.raises(UsageError, match="it exists already"):
            await d.session.snapshot(str(tmp_path / "one"))
    assert there.read_text() == "mine"


async def test_a_lost_connection_leaves_no_file(any_jvm: Jvm, tmp_path: Path) -> None:
    async with debug(any_jvm, "Crowd", "5") as d:
        await d.run_to("ready", thread="main")

        async def lose() -> None:
            with pytest.raises(jdbpy.Disconnected):
                await d.session.snapshot(str(tmp_path / "one.jdbpy"))

        os.kill(d.target.pid, signal.SIGSTOP)  # it answers nothing more, however quick it is
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lose)
            await trio.testing.wait_all_tasks_blocked()
            d.target.kill()
        await _ended(d)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("superclass", [b"", b"\0\0\1"], ids=["nothing", "too short"])
async def test_ids_that_are_none_are_not_asked_for(tmp_path: Path, superclass: bytes) -> None:
    jvm = FakeJvm()  # it lists no java.lang.String, and takes no command that is not well formed
    jvm.on(class_type.Superclass, superclass)
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        taken = await session.snapshot(str(tmp_path / "one.jdbpy"))
    assert taken.threads


async def _ended(d: Debugging) -> None:
    event = await d.next_event()
    assert isinstance(event, (jdbpy.Exited, jdbpy.VMDisconnected)), event


async def test_lists_that_the_jvm_keeps_for_itself_are_not_followed(jvm: Jvm, tmp_path: Path) -> None:
    """Each of their links would be a trip: of all that a program has registered with a cleaner, up to Java 23."""
    async with debug(jvm, inline(CLEANED)) as d:
        await d.run_to("stop")
        taken = await d.session.snapshot(str(tmp_path / "cleaned.jdbpy"))
        assert taken.paused_trips < 30
