"""``jdbpy.sync`` on real JVMs: the same objects without ``await``, Ctrl-C, several threads, the end of a session."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

import pytest
import trio

import jdbpy.sync as jdbpy
from docs.tools import sync_api
from tests.harness import LIMIT, Jvm, Target, program, start_target, within

LAB = program("Lab")


async def in_lab(jvm: Jvm, script: Callable[[Target, Callable[[str], None]], None]) -> None:
    """Run a script without ``await`` in a thread; it gets the target, and what sends a line to it."""
    async with start_target(jvm, LAB, suspend=False) as target:
        await target.wait_output("ready")

        def send(line: str) -> None:
            trio.from_thread.run(target.send, line)

        await trio.to_thread.run_sync(script, target, send)


def test_what_is_generated_is_up_to_date() -> None:
    wrong = [name for name, text in sync_api.sources().items() if (sync_api.SYNC / name).read_text() != text]
    assert not wrong, "./dev generate sync"


async def test_the_tour(jvm: Jvm) -> None:
    def script(target: Target, send: Callable[[str], None]) -> None:
        with jdbpy.attach(target.address, hold="thread") as vm:
            with vm.entries("lab.Lab.submit", when="customer == null", stack=3) as hits:
                send("pool 2 4")
                for hit in hits.take(seconds=LIMIT, count=4):
                    assert hit.time > 1e9
                    assert hit.args["amount"].python() in (0, 2)
                    assert hit.thread.name.startswith("pool-")
                    assert "lab.Lab.lambda$pool$" in str(hit.caller)
            breakpoint = vm.stop_at(f"Lab.java:{LAB.line('order')}", when="total > 100")
            send("order 3")
            stop = breakpoint.wait(timeout=LIMIT)
            frame = stop.frame
            assert frame["order"].python(depth=5)["items"][1] == {"name": "cake", "cents": 320}
            assert frame["order"]["customer"]["name"].string == "Ada"
            assert frame.eval("order.total() * factor", factor=2).python() == 1140
            assert frame.eval("order.fits(one, limit)", one=frame["order"]["items"][0], limit=250).python() is True
            assert set(frame.caller.locals) == {"words"}
            assert frame.set("total", 7).python() == 7
            assert frame.set("letter", "y").python() == "y"
            assert frame.set("rate", 0.25).python() == 0.25
            assert frame.set("order.state", frame["total"]).python() == 7
            assert frame["order"]["state"].python() == 7
            assert [each.method for each in stop.thread.stack()] == ["order", "does", "main"]
            inner = vm.stop_at("lab.Lab.submit")
            stop.resume()
            assert inner.wait(timeout=LIMIT).thread.finish(timeout=LIMIT).returned.python() == 4
            assert (breakpoint.hits, breakpoint.enabled, inner.number) == (1, True, 3)
            with pytest.raises(jdbpy.StateError, match="earlier stop"):
                frame["total"]
            inner.remove()
            vm.resume()
            before = vm.heap.histogram()
            send("hoard")
            with vm.changes("lab.Lab.served") as changes:
                send("nothing")
                assert changes.next(timeout=LIMIT).new.python() >= 1
            grown = vm.heap.histogram() - before
            assert grown["lab.Lab$Kept"] >= 500
            assert "lab.Lab$Kept" in [row[0] for row in grown.top(10)]
            send("calc")
            trio.from_thread.run(target.wait_output, "calculating")
            with vm.sample("lab.calc.*", seconds=0.5) as spent:
                table = spent.table()
            assert table.columns == ("method", "seconds", "own", "share")
            [called, caller] = table  # a thread is in both, always, and as long as it is measured
            assert (called[0], caller[0]) == ("lab.calc.Primes.count", "lab.calc.Sums.sum")
            assert called[1] == called[2] == caller[1] > caller[2] == 0
            names = [node["name"].string for node in vm.static("lab.Lab.HEAD").follow("next")]
            assert names == [f"node {number}" for number in range(1000)]
            assert [node["name"].string for node in vm.static("lab.Lab.RING").follow("next")] == ["ring 0", "ring 1"]
            assert {"main", "Finalizer"} <= {thread.name for thread in vm.threads}
            send("quit")
            assert vm.wait_ended(timeout=LIMIT) is None

    await in_lab(jvm, script)


TOUR = """
import jdbpy.sync as jdbpy

with jdbpy.attach("orders.internal:5005", hold="thread") as vm:
    with vm.entries("Orders.submit", when="customer == null", stack=3) as hits:      # reports, suspends nothing
        for hit in hits.take(seconds=3):
            print(hit.time, hit.thread.name, hit.args["amount"].python(), hit.caller)
    stop = vm.stop_at("Order.java:42", when="total > 100").wait(timeout=10)        # TimedOut
    frame = stop.frame                                                             # good until its thread runs
    print(frame["order"].python(depth=3), frame["order"]["customer"]["name"].string)
    print(frame.eval("order.total() * 2").python(), frame.caller.locals)
    frame.set("total", 7)
    print(stop.thread.finish().returned)
    before = vm.heap.histogram()
    with vm.sample("lab.calc.*", seconds=3) as spent:
        print(spent.table())
    print((vm.heap.histogram() - before).top(10))
    names = [node["name"].string for node in vm.static("lab.Lab.HEAD").follow("next")]
    vm.swap("build/classes")
    vm.on_exception("java.lang.OutOfMemoryError", do=lambda stop: stop.snapshot("oom.jdbpy"))
"""
"""The tour that scripts are designed by, in its own words: names of it are not changed."""


async def test_the_tour_as_it_is_written(jvm: Jvm) -> None:
    """It is run as it stands, but for the address, the files' directory, and how long its steps last."""
    orders = program("Orders")
    assert orders.line("tour") == 42
    async with start_target(jvm, orders, suspend=False) as target:
        await target.wait_output("ready")
        script = TOUR.replace("orders.internal:5005", target.address).replace("build/classes", orders.classes)
        shorter = (("take(seconds=3)", "take(count=3)"), ("seconds=3)", "seconds=0.3)"), ("=10)", f"={LIMIT})"))
        for long, short in shorter:
            assert long in script
            script = script.replace(long, short)
        with within(2 * LIMIT):
            done = await trio.run_process(
                [sys.executable, "-W", "error", "-c", script + "print(len(names), names[-1])"],
                capture_stdout=True,
            )
    *hits, order, total, returned = done.stdout.decode().partition("\nmethod")[0].splitlines()
    assert len(hits) == 3
    assert all(re.fullmatch(r"[\d.]+ clerk \d*[02468] Orders\.serve\(Orders\.java:\d+\)", each) for each in hits), hits
    assert "Order$Item({'name': 'cake', 'cents': 320})" in order
    assert order.endswith(" Grace")
    assert total.startswith("1140 {'order': ")
    assert returned == "7"
    assert "\nlab.calc.Sums.sum " in done.stdout.decode()
    assert done.stdout.decode().endswith("\n1000 node 999\n")


async def test_values(jvm: Jvm) -> None:
    def script(target: Target, send: Callable[[str], None]) -> None:
        with jdbpy.attach(target.address) as vm:
            assert vm.static("lab.Lab.LONG").string == "ab\u00e9\n" * 2000
            with pytest.raises(jdbpy.UsageError, match="more than 100"):
                vm.static("lab.Lab.LONG").read_string(most=100)
            with pytest.raises(jdbpy.UsageError, match="more than 500 values"):
                vm.static("lab.Lab.ROWS").python(depth=3, most=500)
            rows = vm.static("lab.Lab.ROWS")
            assert [row["cents"].python() for row in rows.children] == list(range(1000))
            assert rows[999]["name"].string == "item 999"
            assert (rows.length, rows[-1] == rows[999], rows.children.count()) == (1000, True, 1000)
            with pytest.raises(jdbpy.UsageError, match="no element 1000"):
                rows[1000]
            index = vm.static("lab.Lab.INDEX")
            assert index["key 7"]["name"].string == "item 7"
            keys = {entry.key.string for entry in index.children if entry.key is not None}
            assert keys == {f"key {number}" for number in range(1000)}
            assert index.python(depth=2)["key 3"] == {"name": "item 3", "cents": 3}
            head = vm.static("lab.Lab.HEAD")
            assert list(head.fields) == ["name", "next"]
            assert (head.type, head.is_object, head.is_null) == ("lab.Lab$Node", True, False)
            with pytest.raises(jdbpy.UsageError, match="no field 'nom'"):
                head["nom"]
            with pytest.raises(jdbpy.UsageError, match="is not a string"):
                _ = head.string
            with pytest.raises(jdbpy.UsageError, match="more than 10 objects"):
                list(head.follow("next", most=10))
            assert vm.eval("1 + one", one=2).python() == 3
            assert vm.eval('"a" + b', b="c").string == "ac"

    await in_lab(jvm, script)


async def test_what_notebooks_show_is_escaped(any_jvm: Jvm) -> None:
    def script(target: Target, send: Callable[[str], None]) -> None:
        with jdbpy.attach(target.address) as vm:
            value = vm.eval('"<script>alert(1)</script>\\u001b[31m"')
            assert "<script>" not in value._repr_html_()
            assert "\x1b" not in repr(value) + value._repr_html_()
            assert "&lt;script&gt;" in value._repr_html_()
            table = vm.heap.histogram("lab.*").top(3)
            assert table._repr_html_().startswith("<table>")
            assert "lab.Lab$Item" in str(table)
            stop = vm.pause()
            assert "<ol" in stop.thread.stack()._repr_html_()
            shown: list[str] = []
            printer = type("Printer", (), {"text": staticmethod(shown.append)})()
            for each in (
                vm,
                stop,
                stop.thread,
                stop.thread.stack(),
                value,
                value.children,
                vm.heap,
                vm.sample(),
                table,
            ):
                each._repr_pretty_(printer, False)
            assert len(shown) == 9

    await in_lab(any_jvm, script)


async def test_threads_of_a_script_share_a_session(jvm: Jvm) -> None:
    """Eight threads of the target hit; four of the script wait for them, evaluate, and let them go on."""

    def script(target: Target, send: Callable[[str], None]) -> None:
        with jdbpy.attach(target.address, hold="thread") as vm:
            breakpoint = vm.stop_at("lab.Lab.submit")
            got: list[int] = []

            def work() -> None:
                while len(got) < 40:
                    with suppress(jdbpy.TimedOut):
                        stop = breakpoint.wait(timeout=1)
                        assert stop.frame.eval("java.lang.Math.abs(amount)").python() == stop.frame["amount"].python()
                        got.append(stop.thread.id)
                        stop.resume()

            workers = [threading.Thread(target=work) for _ in range(4)]
            for worker in workers:
                worker.start()
            send("pool 8 6")
            for worker in workers:
                worker.join()
            assert len(set(got)) == 8

    await in_lab(jvm, script)


async def test_a_function_may_ask_at_each_stop(jvm: Jvm) -> None:
    def script(target: Target, send: Callable[[str], None]) -> None:
        with pytest.raises(ZeroDivisionError):
            with jdbpy.attach(target.address, hold="thread") as vm:
                seen: list[int] = []
                done = threading.Event()

                def look(stop: jdbpy.Stop) -> None:
                    seen.append(stop.frame["amount"].python())
                    if len(seen) == 3:
                        done.set()
                        raise ZeroDivisionError

                vm.stop_at("lab.Lab.submit", do=look)
                send("pool 1 3")
                assert done.wait(LIMIT)
                assert seen == [0, 1, 2]
        with pytest.raises(jdbpy.StateError, match="the session is over"):
            vm.resume()

    await in_lab(jvm, script)


_INTERRUPTED = """
import sys
import jdbpy.sync as jdbpy
with jdbpy.attach(sys.argv[1], hold="thread") as vm:
    breakpoint = vm.stop_at("lab.Lab.submit")
    try:
        print("waiting", flush=True)
        breakpoint.wait()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    stop = breakpoint.wait(timeout=60)
    print("amount", stop.frame["amount"].python(), flush=True)
    stop.resume()
"""


async def test_ctrl_c_interrupts_a_wait_and_leaves_the_session_usable(jvm: Jvm) -> None:
    async with start_target(jvm, LAB, suspend=False) as target:
        await target.wait_output("ready")
        command = [sys.executable, "-c", _INTERRUPTED, target.address]
        process = await trio.lowlevel.open_process(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        assert process.stdout is not None
        text = b""
        while (piece := await process.stdout.receive_some()) != b"":
            text += piece
            if text.endswith(b"waiting\n"):
                process.send_signal(signal.SIGINT)
            if text.endswith(b"interrupted\n"):
                await target.send("order 5")
        assert await process.wait() == 0
        assert text.decode().split("\n")[:3] == ["waiting", "interrupted", "amount 5"]
        await target.wait_output("ordered 570 6")


async def test_a_session_without_a_block_is_left_at_the_end_of_python(any_jvm: Jvm) -> None:
    code = "import sys, jdbpy.sync as jdbpy; vm = jdbpy.attach(sys.argv[1]); vm.pause(); print(vm)"
    async with start_target(any_jvm, LAB, suspend=False) as target:
        await target.wait_output("ready")
        done = await trio.run_process([sys.executable, "-c", code, target.address], capture_stdout=True)
        assert b"<vm 127.0.0.1:" in done.stdout
        await target.send("nothing")
        await target.wait_output("nothing")


def test_a_refused_connection_is_an_error_at_once() -> None:
    with pytest.raises(jdbpy.ConnectError):
        jdbpy.attach("127.0.0.1:1")
