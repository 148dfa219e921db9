"""What an operator asks, for scripts without ``await``: load, loggers, MBeans, files and classes of the target."""

from __future__ import annotations

import os
from pathlib import Path

import trio

import jdbpy.sync as jdbpy
from tests.harness import LIMIT, Jvm, program, start_target


async def test_a_script_for_operators(any_jvm: Jvm, tmp_path: Path) -> None:
    made = program("Operated").on(any_jvm)
    (tmp_path / "there").write_text("there")

    def script(address: str) -> None:
        with jdbpy.attach(address, hold="thread") as vm:
            vm.stop_at("Operated.ready", hold="thread")
            stop = vm.run(timeout=LIMIT)
            load = vm.top(0.2, most=3)
            assert len(load.threads) == 3
            assert not load.since_start
            assert vm.top(most=1, by_allocation=True, seconds=2).threads[0].name == "allocator"
            assert {each.framework for each in vm.loggers()} == {"Logback", "Log4j 2", "java.util.logging"}
            assert vm.set_level("com.acme.Bank", "DEBUG").contexts[0].loggers[0].effective == "DEBUG"
            [cache] = vm.mbeans("acme")
            assert vm.mbean(cache, "Size")[0].attributes[0].value == 5
            assert vm.set_attribute(cache, "Size", "6").attributes[0].value == 6
            assert vm.call_operation(cache, "resize", "7", "up") == "up 7"
            assert vm.fetch(str(tmp_path / "there"), tmp_path / "here", remove=True).removed
            assert [each.how for each in vm.dump_classes("*d$Cache", tmp_path / "out").classes] == ["loader"]
            stop.resume()

    async with start_target(any_jvm, program("Operated"), f"{made.classes}/") as target:
        await trio.to_thread.run_sync(script, target.address)
    assert sorted(os.listdir(tmp_path)) == ["here", "out"]
