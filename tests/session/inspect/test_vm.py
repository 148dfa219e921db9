"""The VM as a whole on real JVMs: properties, paths, capabilities, facts, clocks, flags, diagnostic commands."""

from __future__ import annotations

import time

import pytest

from jdbpy.errors import EvalError, StateError, UsageError
from jdbpy.session.inspect import vm_facts as vm_facts
from jdbpy.session.inspect.hotspot import only_prints
from jdbpy.session.inspect.vm import MEANINGS, in_words
from jdbpy.session.model.options import Options
from tests.harness import Jvm, debug, program


@pytest.mark.every_java
async def test_properties(jvm: Jvm) -> None:
    async with debug(jvm, "Crowd", "0", jvm_options=["-Dshop.name=Blümchen & Co"]) as d:
        await d.run_to("ready")
        vm = d.session.vm
        found = {each.name: each.value for each in await vm.properties()}
        assert found["shop.name"] == "Blümchen & Co"
        assert found["java.specification.version"] == str(jvm.feature).replace("8", "1.8")
        assert list(found) == sorted(found)
        assert [each.name for each in await vm.properties("shop.*")] == ["shop.name"]
        assert [each.name for each in await vm.properties("SHOP")] == ["shop.name"]
        assert await vm.properties("no.such") == []
        assert "shop.name" in vm.known_names()[0]
        assert await vm.set_property("shop.name", "Rosé") == "Blümchen & Co"
        assert await vm.set_property("shop.open", "yes") is None
        assert {each.name: each.value for each in await vm.properties("shop")} == {
            "shop.name": "Rosé",
            "shop.open": "yes",
        }
        assert await vm.set_property("shop.open", None) == "yes"
        assert [each.name for each in await vm.properties("shop")] == ["shop.name"]
        with pytest.raises(UsageError, match="name"):
            await vm.set_property("", "x")


async def test_what_a_running_target_tells(any_jvm: Jvm) -> None:
    """Where the debugger may have no thread of its own there."""
    async with debug(any_jvm, "Crowd", "0", suspend=False, options=Options(in_target="off")) as d:
        await d.target.wait_output("ready\n")
        vm = d.session.vm
        assert "java.home" in {each.name for each in await vm.properties()}
        facts = await vm.facts()
        assert facts.command == "Crowd 0"
        assert facts.processors is None
        assert "needs a thread stopped at a breakpoint or step" in facts.notes[0]
        for ask in (vm.clocks(), vm.flags(), vm.set_property("a", "b"), vm.diagnostic_command("VM.version")):
            with pytest.raises(StateError, match="needs a thread stopped at a breakpoint or step") as error:
                await ask
            assert error.value.code == "NOT_AT_EVENT"


async def test_a_read_only_session(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Crowd", "0", options=Options(read_only=True, allow_suspend=True)) as d:
        await d.run_to("ready")
        assert (await d.session.vm.properties("java.home"))[0].value
        with pytest.raises(StateError, match="read-only"):
            await d.session.vm.set_property("a", "b")


@pytest.mark.every_java
async def test_paths(jvm: Jvm) -> None:
    async with debug(jvm, "Crowd", "0") as d:
        await d.run_to("ready")
        paths = await d.session.vm.paths()
        assert paths.class_path == await d.session.sources.class_path() == (d.program.classes,)
        assert paths.module_path == ()
        assert paths.java_home == jvm.home
        more = program("Hello").on(jvm).classes
        with pytest.raises(EvalError, match="ClassNotFound"):
            await d.session.values.evaluate('Class.forName("Hello")')
        await d.session.vm.append_to_class_path(more)
        assert (await d.session.values.evaluate('Class.forName("Hello")')).text == "Hello.class"


@pytest.mark.every_java
async def test_facts_and_clocks(jvm: Jvm) -> None:
    async with debug(jvm, "Crowd", "0") as d:
        await d.run_to("ready")
        facts = await d.session.vm.facts()
        assert facts.command == "Crowd 0"
        assert facts.java == jvm.version
        assert facts.processors is not None
        assert facts.processors >= 1
        assert facts.process == d.target.pid
        assert facts.arguments is not None
        assert any("jdwp" in each for each in facts.arguments)
        assert facts.notes == ()
        clocks = await d.session.vm.clocks()
        again = await d.session.vm.clocks()
        assert clocks.nano_time is not None
        assert again.nano_time is not None
        assert again.nano_time > clocks.nano_time
        assert abs(clocks.now - time.time()) < 60
        assert 0 < clocks.uptime <= again.uptime
        assert clocks.cpu is not None
        assert clocks.cpu > 0


async def test_facts_of_a_jvm_that_keeps_them_elsewhere(any_jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the process is and was started with is told by the bean where the quick way is missing."""
    async with debug(any_jvm, "Crowd", "0") as d:
        await d.run_to("ready")
        usual = await d.session.vm.facts()
        monkeypatch.setattr(vm_facts, "_VM", "jdk.internal.misc.Elsewhere")
        assert await d.session.vm.facts() == usual


@pytest.mark.every_java
async def test_flags(jvm: Jvm) -> None:
    async with debug(jvm, "Crowd", "0") as d:
        await d.run_to("ready")
        vm = d.session.vm
        flags = {each.name: each for each in await vm.flags()}
        assert len(flags) > 300
        assert (flags["UseSerialGC"].value, flags["UseSerialGC"].writeable) == ("true", False)
        assert flags["TieredStopAtLevel"].origin == "vm creation"
        assert flags["HeapDumpPath"].writeable
        assert "UseSerialGC" in vm.known_names()[1]
        await vm.set_flag("HeapDumpPath", "/tmp/é.hprof")
        [changed] = await vm.flags("heapdumppath")
        assert (changed.value, changed.origin) == ("/tmp/é.hprof", "management")
        for name, value, why in (
            ("UseSerialGC", "false", "not writeable"),
            ("Nonesuch", "1", "does not exist"),
            ("MinHeapFreeRatio", "much", "expects numeric"),
        ):
            with pytest.raises(UsageError, match=why):
                await vm.set_flag(name, value)


@pytest.mark.every_java
async def test_diagnostic_commands(jvm: Jvm) -> None:
    async with debug(jvm, "Crowd", "0") as d:
        await d.run_to("ready")
        vm = d.session.vm
        assert "VM.version" in await vm.diagnostic_command("")
        assert f"JDK {jvm.feature}" in await vm.diagnostic_command("VM.version")
        assert '"sleeper"' in await vm.diagnostic_command("Thread.print")
        with pytest.raises(UsageError, match="Unknown diagnostic command"):
            await vm.diagnostic_command("VM.nonesuch")


async def test_capabilities(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Crowd", "0") as d:
        told = {each.name: each for each in d.session.vm.capabilities()}
        assert told["canPopFrames"].available
        assert not told["canAddMethod"].available
        assert list(told) == list(MEANINGS)
    assert [each.name for each in in_words({"reserved32": True, "reserved31": False})][-1] == "reserved32"


@pytest.mark.parametrize(
    ("line", "prints"),
    [
        *((line, True) for line in ("", "help", "VM.version", "VM.flags -all", "Thread.print -l", "JFR.check")),
        *(
            (line, False)
            for line in ("JFR.start name=a", "GC.heap_dump a.hprof", "VM.set_flag A 1", "VM.log list", "GC.run")
        ),
    ],
)
def test_a_command_that_changes_something_is_never_run_again(line: str, prints: bool) -> None:
    """Where the target has collected its answer before it was read: it would start a second recording."""
    assert only_prints(line) == prints
