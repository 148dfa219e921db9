"""Coming to a target and leaving it: attach, listen, launch, detach, and every way in which that goes wrong."""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import Any

import pytest
import trio
from trio.testing import MockClock

import jdbpy
from jdbpy.errors import ConnectError, Disconnected, StateError, UsageError
from jdbpy.session.connect import attach, greeting
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.events import Exited, Output, StopReason, VMDisconnected
from jdbpy.session.model.vm import VmState
from jdbpy.wire.handshake import HungUp
from tests.harness import Jvm, debug, program, start_target

pytestmark = pytest.mark.one_java


async def started(session: jdbpy.Session) -> None:
    """The target has just started and is stopped there."""
    stop = await session.next_stop()
    assert isinstance(stop, jdbpy.Stopped)
    assert stop.reason is StopReason.START
    assert stop.frame is None  # none of its code has run
    assert not stop.error


@pytest.mark.two_javas
async def test_attach_tells_what_the_target_is(jvm: Jvm) -> None:
    async with start_target(jvm, "Ticker", suspend=False) as target, jdbpy.attach_session(target.address) as session:
        assert session.info.jdwp_major == jvm.feature
        assert session.info.version.split(".")[0] == str(jvm.feature)
        assert session.state is VmState.RUNNING
        assert session.can("canPopFrames")
        assert not session.remote


@pytest.mark.parametrize("form", ["{port}", "localhost:{port}", "127.0.0.1:{port}"])
async def test_forms_of_an_address(any_jvm: Jvm, form: str) -> None:
    async with start_target(any_jvm, "Ticker", suspend=False) as target:
        async with jdbpy.attach_session(form.format(port=target.port)) as session:
            assert session.info.name


async def test_ipv6(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, "Ticker", suspend=False, agent=",address=[::1]:0") as target:
        async with jdbpy.attach_session(f"[::1]:{target.port}") as session:
            assert not session.remote


@pytest.mark.parametrize("form", ["{port}", ":{port}", "localhost:{port}"])
async def test_an_agent_at_ipv6_only_is_found_by_its_port(any_jvm: Jvm, form: str) -> None:
    async with start_target(any_jvm, "Ticker", suspend=False, agent=",address=[::1]:0") as target:
        async with jdbpy.attach_session(form.format(port=target.port)) as session:
            assert session.info.address == f"[::1]:{target.port}"


async def test_detaching_leaves_the_target_running(jvm: Jvm) -> None:
    async with start_target(jvm, "Ticker") as target:
        async with jdbpy.attach_session(target.address) as session:
            await started(session)
            await session.breakpoints.add(target.program.at("spun"))
            await session.execution.cont()
            await session.execution.suspend()
        await target.send()
        await target.wait_output("tick 1")
        await target.wait_listening(2)
        async with jdbpy.attach_session(target.address) as again:
            assert again.state is VmState.RUNNING


async def test_a_script_attaches_again_at_once(jvm: Jvm, port: int) -> None:
    """Between two debuggers the agent does not listen for some milliseconds."""
    async with start_target(jvm, "Ticker", suspend=False, agent=f",address=127.0.0.1:{port}"):
        for _ in range(10):
            async with jdbpy.attach_session(str(port)) as session:
                assert session.state is VmState.RUNNING


async def test_an_error_in_the_block_comes_out_as_itself(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, "Ticker", suspend=False) as target:
        with pytest.raises(LookupError, match="mine"):
            async with jdbpy.attach_session(target.address):
                raise LookupError("mine")


async def test_a_cancelled_block_still_lets_the_target_go(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, "Ticker") as target:
        with trio.CancelScope() as scope:
            async with jdbpy.attach_session(target.address) as session:
                await started(session)
                scope.cancel()
                await trio.Event().wait()
        assert scope.cancelled_caught
        await target.wait_output("ready")


async def test_the_end_of_the_target_is_an_event_and_a_state(jvm: Jvm) -> None:
    async with debug(jvm, "Hello") as d:
        await d.resume()
        await d.target.send()
        await d.wait_exit()
        assert d.session.state is VmState.EXITED
        with pytest.raises(StateError, match="ended"):
            await d.session.execution.pause()


async def test_breakpoints_that_are_first_used_after_the_end_are_refused(jvm: Jvm) -> None:
    async with debug(jvm, "Hello") as d:
        await d.resume()
        await d.target.send()
        await d.wait_exit()
        with pytest.raises(StateError, match="ended"):
            await d.session.breakpoints.add("Hello.greeting")


async def test_exit_ends_the_vm_with_a_status(jvm: Jvm) -> None:
    async with debug(jvm, "Ticker") as d:
        await d.session.exit(42)
        await d.wait_exit(42)


async def test_a_killed_target_is_a_lost_connection(jvm: Jvm) -> None:
    async with debug(jvm, "Ticker") as d:
        await d.resume()
        await d.target.wait_output("ready")
        d.target.kill()
        with pytest.raises(Disconnected):
            await d.session.next_stop()
        assert isinstance(await d.next_event(), VMDisconnected)
        assert d.session.state is VmState.DISCONNECTED
        with pytest.raises(Disconnected):
            await d.session.execution.pause()


async def test_pause_shows_a_thread_and_cont_goes_on(jvm: Jvm) -> None:
    async with start_target(jvm, "Ticker", suspend=False) as target:
        await target.wait_output("ready")
        async with jdbpy.attach_session(target.address) as session:
            stop = await session.execution.pause()
            assert stop.reason is StopReason.PAUSE
            assert stop.thread and stop.thread.name == "main"
            assert session.state is VmState.STOPPED
            with pytest.raises(StateError, match="already"):
                await session.execution.pause()
            await session.execution.resume()
            with pytest.raises(StateError, match="running"):
                await session.execution.resume()
            await target.send()
            await target.wait_output("tick 1")


async def test_pausing_one_thread_leaves_the_others(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, "Ticker", suspend=False) as target:
        await target.wait_output("ready")
        async with jdbpy.attach_session(target.address) as session:
            spinner = await session.threads.find("spinner")
            stop = await session.execution.pause(spinner.id)
            assert stop.policy is SuspendPolicy.THREAD
            await target.send()
            await target.wait_output("tick 1")


async def test_a_second_debugger_is_told_that_there_is_one(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, "Ticker", suspend=False) as target, jdbpy.attach_session(target.address):
        with pytest.raises(ConnectError) as caught:
            async with jdbpy.attach_session(target.address):
                pass
        assert "one debugger at a time" in caught.value.hint


async def test_a_handshake_that_comes_too_late_is_tried_again(jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent hangs up after two seconds and listens on. jdbpy calls once more for each call that it hung up on."""
    calls: list[str] = []
    hung_up: list[HungUp] = []
    async with start_target(jvm, "Ticker", suspend=False) as target:

        async def held_up(stream: trio.SocketStream, name: str, **options: Any) -> greeting.Greeted:
            calls.append(name)
            if len(calls) == 1:
                await target.wait_output("Debugger failed to attach", stream="stderr")
            try:
                return await greeting.greet(stream, name, **options)
            except HungUp as error:
                hung_up.append(error)
                raise

        monkeypatch.setattr(attach, "greet", held_up)
        address = target.address
        async with jdbpy.attach_session(address) as session:
            assert session.state is VmState.RUNNING
    assert hung_up
    assert calls == [address] * (1 + len(hung_up))


@pytest.mark.parametrize(("takes", "calls"), [(0.0, 1), (1.9, 1), (3.0, 4)])
async def test_a_peer_that_always_hangs_up(mock_clock: MockClock, takes: float, calls: int) -> None:
    """It is called again if our handshake may have been late, as long as there is time. The clock stands otherwise."""
    answered = 0

    async def hang_up(stream: trio.SocketStream) -> None:
        nonlocal answered
        answered += 1
        mock_clock.jump(takes)
        with suppress(trio.BrokenResourceError):
            await stream.send_eof()
            await stream.receive_some()

    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with listener, trio.open_nursery() as nursery:
        nursery.start_soon(trio.serve_listeners, hang_up, [listener])
        with pytest.raises(ConnectError, match="closed the connection without a JDWP handshake"):
            async with jdbpy.attach_session(f"127.0.0.1:{listener.socket.getsockname()[1]}", timeout=10):
                pass
        nursery.cancel_scope.cancel()
    assert answered == calls


async def test_nobody_there() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening: refused, and nobody else gets the port
        port = taken.getsockname()[1]
        with pytest.raises(ConnectError, match="refused") as caught:
            async with jdbpy.attach_session(f"127.0.0.1:{port}"):
                pass
    assert "-agentlib:jdwp" in caught.value.hint


@pytest.mark.parametrize("form", ["{}", "localhost:{}"])
async def test_nobody_at_any_address_of_this_machine(form: str) -> None:
    with socket.socket() as taken, socket.socket(socket.AF_INET6) as other:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        other.bind(("::1", port))
        with pytest.raises(ConnectError) as caught:
            async with jdbpy.attach_session(form.format(port)):
                pass
    said = f"no debugger agent is listening at 127.0.0.1:{port} or [::1]:{port} (connection refused)"
    assert caught.value.message == said


async def test_a_name_that_does_not_resolve() -> None:
    with pytest.raises(ConnectError, match="no-such-host"):
        async with jdbpy.attach_session("no-such-host.invalid:5005"):
            pass


async def test_listening_for_a_jvm(jvm: Jvm) -> None:
    send, receive = trio.open_memory_channel[str](1)
    async with trio.open_nursery() as nursery:

        async def debugger() -> None:
            async with jdbpy.listen_session("0", on_listening=send.send_nowait) as session:
                await started(session)
                assert isinstance(await session.execution.cont(), Exited)
            nursery.cancel_scope.cancel()

        nursery.start_soon(debugger)
        address = await receive.receive()
        stranger = await trio.open_tcp_stream(*_host_port(address))
        await stranger.send_all(b"GET / HTTP/1.0\r\n\r\n")
        assert await stranger.receive_some() != b""  # our half of the handshake, then it is sent away
        await stranger.aclose()
        async with start_target(jvm, "Hello", connect_to=address) as target:
            await target.send()
            assert await target.wait_exit() == 0
            await trio.sleep_forever()


def _host_port(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host, int(port)


async def test_listening_on_a_taken_port() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ConnectError, match="cannot listen"):
            async with jdbpy.listen_session(str(taken.getsockname()[1])):
                pass


async def test_launching_hands_on_all_output_before_the_end(jvm: Jvm) -> None:
    hello = program("Hello")
    command = jdbpy.LaunchCommand(["-cp", hello.classes, hello.main], java=jvm.java)
    async with jdbpy.launch_session(command) as session:
        with session.events() as events:
            await started(session)
            assert await session.execution.cont() == Exited(0, "the VM has ended")
            seen = [event async for event in events]
    assert "".join(event.text for event in seen if isinstance(event, Output))
    assert isinstance(seen[-1], Exited)


async def test_launching_what_is_not_there_says_what_java_said(any_jvm: Jvm) -> None:
    command = jdbpy.LaunchCommand(["no.such.Main"], java=any_jvm.java)
    async with jdbpy.launch_session(command) as session:
        with session.events() as events:
            await session.next_stop()
            end = await session.execution.cont()
            assert isinstance(end, Exited) and end.status == 1
            text = "".join([event.text async for event in events if isinstance(event, Output)])
    assert "no.such.Main" in text


async def test_a_java_that_is_none() -> None:
    with pytest.raises(UsageError):
        async with jdbpy.launch_session(jdbpy.LaunchCommand(["X"], java="/nonexistent/java")):
            pass


async def test_a_wire_log_that_fails(any_jvm: Jvm) -> None:
    """Commands that are under way are answered, and a warning says that the log has ended."""

    class Broken:
        def write(self, line: bytes, /) -> None:
            raise ValueError("write to closed file")

    async with debug(any_jvm, "Hello") as d:
        d.session.log_wire(Broken())
        assert await d.session.threads.list()
        assert "ValueError: write to closed file" in (await d.wait_notice("warning")).text
        await d.resume()
        await d.target.send()
        await d.wait_exit()


async def test_the_wire_log_is_private(any_jvm: Jvm, tmp_path: object) -> None:
    path = trio.Path(str(tmp_path)) / "wire.log"
    async with start_target(any_jvm, "Ticker", suspend=False) as target:
        async with jdbpy.attach_session(target.address, options=jdbpy.Options(wire_log=str(path))):
            pass
    assert (await path.stat()).st_mode & 0o777 == 0o600
    assert "VirtualMachine.Dispose" in await path.read_text()
