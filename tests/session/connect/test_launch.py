"""Launching: the JVM connects back, its output is handed on, and it never outlives the session."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
import trio

import jdbpy
from jdbpy.errors import ConnectError, StateError, UsageError
from jdbpy.session.connect import launched as launched_module
from jdbpy.session.connect.launch import LaunchCommand, launch_target
from jdbpy.session.connect.launched import Launched
from jdbpy.session.model.events import Exited, Output, Stopped, StopReason
from jdbpy.wire.handshake import HANDSHAKE
from tests.harness import LIMIT, Jvm, inline, program, start_target, within
from tests.harness.processes import halt

pytestmark = [pytest.mark.usefixtures("clean_environment"), pytest.mark.one_java]


@pytest.fixture
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"):
        monkeypatch.delenv(name, raising=False)


def text(outputs: list[Output], stream: str = "stdout") -> str:
    return "".join(output.text for output in outputs if output.stream == stream)


def java(jvm: Jvm, name: str, *args: str, stdin: str = "none") -> LaunchCommand:
    return LaunchCommand(["-cp", program(name).classes, name, *args], java=jvm.java, stdin=stdin)


DISPOSE = bytes([0, 0, 0, 11, 0, 0, 0, 1, 0, 1, 6])
"""A whole VirtualMachine.Dispose packet: the agent lets its target run on without a debugger."""


async def let_run(launched: Launched) -> None:
    """Shake hands and dispose once VMStart is here: an agent that has not sent it yet may suspend everything later."""
    with within(LIMIT):
        await launched.stream.send_all(HANDSHAKE)
        got = b""
        while len(got) <= len(HANDSHAKE):  # the first packet of its own is VMStart
            got += await launched.stream.receive_some()
        await launched.stream.send_all(DISPOSE)
        async for _ in launched.stream:
            pass
    assert got.startswith(HANDSHAKE)


async def test_the_agent_connects_and_the_output_comes_before_the_exit(jvm: Jvm) -> None:
    outputs: list[Output] = []
    async with launch_target(java(jvm, "Hello", "né", "日本"), outputs.append) as launched:
        assert outputs == []
        await let_run(launched)
        with within(LIMIT):
            assert await launched.wait_exit() == 0
    assert text(outputs) == "1 hello né\n2 hello 日本\nwaiting\ndone 2\n"
    assert text(outputs, "stderr") == ""


async def test_output_comes_without_waiting_for_a_line(any_jvm: Jvm) -> None:
    prompt = inline("""
        class Prompt {
            public static void main(String[] args) throws Exception {
                System.out.print("name? ");
                System.out.flush();
                byte[] name = System.in.readNBytes(3);
                System.out.write(0xc3);   // half of an é, then the other half
                System.out.flush();
                System.out.write(0xa9);
                System.out.print("hi " + new String(name));
            }
        }""")
    sender, receiver = trio.open_memory_channel[Output](100)
    command = LaunchCommand(["-cp", prompt.classes, "Prompt"], java=any_jvm.java, stdin="pipe")
    async with launch_target(command, sender.send_nowait) as launched:
        await let_run(launched)
        with within(LIMIT):
            assert await receiver.receive() == Output("stdout", "name? ")
            await launched.send_input("Ada")
            await launched.close_input()
            assert await launched.wait_exit() == 0
    rest: list[Output] = []
    sender.close()
    async for output in receiver:
        rest.append(output)
    assert text(rest) == "éhi Ada"


async def test_leaving_ends_the_target_with_its_children(any_jvm: Jvm) -> None:
    parent = inline("""
        class Parent {
            public static void main(String[] args) throws Exception {
                Process child = new ProcessBuilder("sleep", "600").start();
                System.out.println(child.pid());
                child.waitFor();
            }
        }""")
    sender, receiver = trio.open_memory_channel[Output](100)
    async with launch_target(
        LaunchCommand(["-cp", parent.classes, "Parent"], java=any_jvm.java), sender.send_nowait
    ) as launched:
        assert os.getsid(launched.pid) == launched.pid != os.getsid(0)
        await let_run(launched)
        with within(LIMIT):
            child = int((await receiver.receive()).text)
    assert launched.process.returncode is not None
    with within(LIMIT):
        while is_running(child):
            await trio.lowlevel.checkpoint()


def is_running(pid: int) -> bool:
    """False also for a process that has ended but that nobody has waited for yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


async def test_a_target_that_is_let_go_outlives_the_block(any_jvm: Jvm) -> None:
    async with launch_target(java(any_jvm, "Hello", stdin="pipe"), lambda output: None) as launched:
        await let_run(launched)
        launched.keep_running()
        assert launched.process.returncode is None
    with within(LIMIT):
        assert await launched.process.wait() == 0  # its standard input has ended, and so it ends by itself


async def test_a_target_that_ignores_sigterm_is_killed(any_jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launched_module, "TERMINATE_LIMIT", 0.2)
    async with launch_target(java(any_jvm, "Hello"), lambda output: None) as launched:
        await halt(launched.pid)  # a stopped process cannot act on SIGTERM
    assert launched.process.returncode == -signal.SIGKILL


async def test_a_jvm_that_does_not_come_up_is_told_with_its_words(jvm: Jvm) -> None:
    with pytest.raises(ConnectError, match=r"ended with status 1 .*: Unrecognized option: -Xfoo(\n|$)") as caught:
        async with launch_target(LaunchCommand(["-Xfoo", "Main"], java=jvm.java), lambda output: None):
            pass
    assert "before the main class" in caught.value.hint


async def test_a_missing_main_class_is_the_target_s_own_affair(jvm: Jvm) -> None:
    """The launcher loads the main class after the debugger is there, so this is an output and an exit status."""
    outputs: list[Output] = []
    async with launch_target(LaunchCommand(["NoSuchMain"], java=jvm.java), outputs.append) as launched:
        await let_run(launched)
        with within(LIMIT):
            assert await launched.wait_exit() == 1
    assert "Could not find or load main class NoSuchMain" in text(outputs, "stderr")


async def test_a_jvm_that_never_connects(tmp_path: Path, any_jvm: Jvm) -> None:
    lazy = tmp_path / "lazy"
    (lazy / "bin").mkdir(parents=True)
    (lazy / "lib").symlink_to(Path(any_jvm.home) / "lib")
    (lazy / "release").symlink_to(Path(any_jvm.home) / "release")
    (lazy / "bin" / "java").write_text("#!/bin/sh\nexec sleep 600\n")
    (lazy / "bin" / "java").chmod(0o755)
    with pytest.raises(ConnectError, match="did not connect to the debugger"):
        async with launch_target(LaunchCommand(["Main"], java=str(lazy)), lambda output: None, timeout=0.2):
            pass


@pytest.mark.parametrize(
    "command",
    [
        LaunchCommand(["-agentlib:jdwp=transport=dt_socket", "Main"]),
        LaunchCommand(["-cp", "x.jar", "-Xrunjdwp:server=y", "Main"]),
        LaunchCommand(["Main"], jvm_options=["-agentlib:jdwp=server=y"]),
        LaunchCommand(["Main"], env={"PATH": "/bin", "JAVA_TOOL_OPTIONS": "-ea -agentlib:jdwp=server=y"}),
    ],
)
async def test_a_second_agent_is_refused(command: LaunchCommand) -> None:
    with pytest.raises(UsageError, match="takes only one debugger agent"):
        async with launch_target(command, lambda output: None):
            pass


async def test_words_of_the_program_are_its_own(any_jvm: Jvm) -> None:
    outputs: list[Output] = []
    async with launch_target(java(any_jvm, "Hello", "-agentlib:jdwp=mine"), outputs.append) as launched:
        await let_run(launched)
        with within(LIMIT):
            assert await launched.wait_exit() == 0
    assert text(outputs).startswith("1 hello -agentlib:jdwp=mine\n")


async def test_a_missing_directory_is_named(any_jvm: Jvm) -> None:
    with pytest.raises(UsageError, match="No such file or directory: /no/such/dir"):
        async with launch_target(LaunchCommand(["Main"], java=any_jvm.java, cwd="/no/such/dir"), lambda output: None):
            pass


async def test_input_without_a_pipe(any_jvm: Jvm) -> None:
    async with launch_target(java(any_jvm, "Hello"), lambda output: None) as launched:
        with pytest.raises(UsageError, match="without a pipe"):
            await launched.send_input("x")


HOOKED = """
public class Hooked {
    public static void main(String[] args) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(Hooked::end));
        System.out.println("begun");
        Thread.onSpinWait(); // @begun
        for (int number = 0; ; number++)
            System.out.println("behind it " + number);
    }
    static void end() {
        for (int number = 0; number < 1000; number++)
            Thread.yield();
        System.out.println("hook");
    }
}
"""


async def test_ending_runs_the_shutdown_hooks_before_anything_behind_the_breakpoint(
    jvm: Jvm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jdbpy.session.session.STANDING", LIMIT)
    hooked = inline(HOOKED)
    command = LaunchCommand(["-cp", hooked.classes, "Hooked"], java=jvm.java)
    async with jdbpy.launch_session(command) as session:
        with within(LIMIT), session.events() as events:
            await session.breakpoints.add(f"Hooked:{hooked.line('begun')}")
            await session.execution.cont()
            await session.end(LIMIT)
            ending = await session.wait_ended()
            lines = "".join([each.text async for each in events if isinstance(each, Output)]).splitlines()
    assert ending == Exited(128 + signal.SIGTERM, "the VM has ended")
    assert lines[:2] == ["begun", "hook"]  # at its very end the agent itself resumes what is suspended


async def test_only_a_launched_target_is_ended_by_its_process(any_jvm: Jvm) -> None:
    async with (
        start_target(any_jvm, "Hello", suspend=False) as target,
        jdbpy.attach_session(target.address) as session,
    ):
        with pytest.raises(StateError, match="not launched by the debugger"):
            await session.end(1)
        assert await session.threads.list()


WRITES = """
public class Writes {
    public static void main(String[] args) {
        for (int round = 0; round < 40; round++) {
            (round % 3 == 0 ? System.err : System.out).println(2 * round);
            (round % 3 == 0 ? System.out : System.err).println(2 * round + 1);
            System.out.flush(); // @written
        }
    }
}
"""


async def test_output_and_errors_come_in_the_order_in_which_they_were_written(jvm: Jvm) -> None:
    writes = inline(WRITES)
    command = LaunchCommand(["-cp", writes.classes, "Writes"], java=jvm.java)
    seen = ""
    async with jdbpy.launch_session(command) as session:
        with within(LIMIT), session.events() as events:
            await session.breakpoints.add(f"Writes:{writes.line('written')}")
            for round in range(1, 41):
                await session.execution.cont()
                while len(seen.splitlines()) < 2 * round or not seen.endswith("\n"):
                    event = await anext(events)
                    seen += event.text if isinstance(event, Output) else ""
            assert await session.execution.cont() == Exited(0, "the VM has ended")
    assert seen.split() == [str(number) for number in range(80)]


ENDS = """
public class Ends {
    public static void main(String[] args) {
        System.exit(7);
    }
}
"""


@pytest.mark.every_java
async def test_the_end_of_a_program_is_an_end_whoever_looks_at_it_first(jvm: Jvm) -> None:
    """The agent is spoken to while the VM ends; that is not a lost connection, and the exit status is known."""
    ends = inline(ENDS, release=8)
    command = LaunchCommand(["-cp", ends.classes, "Ends"], java=jvm.java)
    for looks in (False, True):
        async with jdbpy.launch_session(command) as session:
            with within(LIMIT):
                if looks:
                    await session.catchpoints.exit()
                    stop = await session.execution.cont()
                    assert isinstance(stop, Stopped)
                    assert stop.reason is StopReason.VM_DEATH
                assert await session.execution.cont() == Exited(7, "the VM has ended")
