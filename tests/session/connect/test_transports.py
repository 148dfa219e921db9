"""Addresses that name their transport: a real sshd, and programs that behave as docker and kubectl do."""

from __future__ import annotations

import json
import os
import shutil
import signal
import tempfile
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

import jdbpy
from jdbpy import ConnectError, Disconnected, Stopped, SuspendPolicy, UsageError
from jdbpy.session.connect.greeting import Address
from jdbpy.session.connect.transports import PodTransport, SshTransport, container_addresses, parse_transport
from jdbpy.task_groups import open_nursery
from tests.cli.process import command
from tests.cli.pseudo_terminal import open_terminal
from tests.dap.client import dap_client
from tests.harness import LIMIT, Jvm, Target, start_target, within
from tests.harness.processes import piped
from tests.harness.remote import DOCKER, KUBECTL, run_sshd, write_program, write_python_program
from tests.serve.serving import serving

pytestmark = pytest.mark.one_java


def process_of(session: Any) -> int:
    """The helper program by which a session reaches its target: ``ssh (process 12) to ...``."""
    return int(session.tunnel.partition("(process ")[2].partition(")")[0])


def runs(pid: int) -> bool:
    return os.path.exists(f"/proc/{pid}")


async def gone(pid: int) -> None:
    """Wait until a process is there no more; it is no child of ours then, or has been waited for."""
    with within(LIMIT):
        while runs(pid):
            await trio.lowlevel.checkpoint()


def before_path(monkeypatch: pytest.MonkeyPatch, directory: str | Path) -> None:
    monkeypatch.setenv("PATH", f"{directory}{os.pathsep}{os.environ['PATH']}")


async def runs_on(target: Target) -> None:
    """The target is suspended no more: it reads its line and ends."""
    await target.send()
    assert await target.wait_exit() == 0


async def test_ssh(jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with run_sshd(tmp_path / "ssh") as sshd, start_target(jvm, "Hello", "Ada") as target:
        before_path(monkeypatch, sshd.programs)
        async with jdbpy.attach_session(f"ssh://{sshd.place}/{target.port}") as session:
            helper = process_of(session)
            assert session.remote
            assert session.tunnel == f"ssh (process {helper}) to {sshd.place.rpartition(':')[0]}"
            assert session.address == f"ssh://{sshd.place}/{target.port}"
            point = await session.breakpoints.add("Hello.greeting")
            assert point.policy is SuspendPolicy.THREAD
            stop = await session.execution.cont()
            assert isinstance(stop, Stopped)
            assert stop.breakpoint == 1
            frames = (await session.stack.of()).frames
            assert [frame.location.method for frame in frames] == ["greeting", "main"]
        await gone(helper)
        await runs_on(target)


async def test_the_ssh_process_is_killed_amid_a_command(
    jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with run_sshd(tmp_path / "ssh") as sshd, start_target(jvm, "Hello", "Ada") as target:
        before_path(monkeypatch, sshd.programs)
        async with jdbpy.attach_session(f"ssh://{sshd.place}/{target.port}") as session:
            await session.breakpoints.add("Hello.greeting")
            await session.execution.cont()
            helper = process_of(session)
            os.kill(helper, signal.SIGSTOP)  # nothing is answered from now on
            with pytest.raises(Disconnected, match=r"ssh \(process \d+\) was ended by signal 9"):
                async with open_nursery() as nursery:
                    nursery.start_soon(session.threads.list)
                    await trio.testing.wait_all_tasks_blocked()
                    os.kill(helper, signal.SIGKILL)
            await session.wait_ended()
        await runs_on(target)


async def test_ssh_is_not_let_in(any_jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with run_sshd(tmp_path / "ssh") as sshd:
        before_path(monkeypatch, sshd.programs)
        sshd.refuse_all()
        with pytest.raises(ConnectError, match=r"ssh \(.*\) ended with status 255: .*Permission denied") as caught:
            async with jdbpy.attach_session(f"ssh://{sshd.place}/5005"):
                pass
        assert "try it by hand: ssh -W 127.0.0.1:5005" in caught.value.hint


async def test_ssh_where_no_agent_listens(any_jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with run_sshd(tmp_path / "ssh") as sshd:
        before_path(monkeypatch, sshd.programs)
        with pytest.raises(
            ConnectError, match=r"no debugger agent answers at 127.0.0.1:1 there \(Connection refused\)"
        ) as caught:
            async with jdbpy.attach_session(f"ssh://{sshd.place}/1"):
                pass
        assert "start the JVM there with -agentlib:jdwp=" in caught.value.hint
        with pytest.raises(ConnectError, match=r"no debugger agent answers at nowhere\.invalid:5005 there") as caught:
            async with jdbpy.attach_session(f"ssh://{sshd.place}/nowhere.invalid:5005"):
                pass
        assert "as that host sees it" in caught.value.hint


async def test_a_helper_ends_with_a_debugger_that_is_killed(
    any_jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also kubectl, which reads no input; so nothing is left listening."""
    async with start_target(any_jvm, "Hello", "Ada") as target:
        state = fake_kubectl(tmp_path, {"pod/orders": target.port}, names={"pod/orders": "pod/orders"})
        before_path(monkeypatch, tmp_path / "bin")
        words = ["attach", "k8s://shop/orders:5005", "-c", "stop in Hello.greeting", "-c", "cont", "-x", "-"]
        async with piped(command(*words)) as debugger:
            assert debugger.stdout is not None
            seen = b""
            with within(LIMIT):
                while b"Breakpoint 1 hit" not in seen:
                    seen += await debugger.stdout.receive_some()
            helper = int(calls(state)[-1][0])
            assert runs(helper)
            debugger.kill()
            await debugger.wait()
            await gone(helper)
        await runs_on(target)


def fake_kubectl(
    directory: Path,
    ports: dict[str, int],
    names: dict[str, str],
    selected: dict[str, list[str]] | None = None,
    *,
    stays: bool = False,
) -> Path:
    """``stays``: it is one of those up to 1.22, which do not end when the pod cannot be reached."""
    state = directory / "kubectl.json"
    state.write_text(json.dumps({"ports": ports, "names": names, "selected": selected or {}, "stays": stays}))
    write_python_program(directory / "bin" / "kubectl", KUBECTL, state)
    return state


def calls(state: Path) -> list[list[Any]]:
    return [json.loads(line) for line in Path(f"{state}.calls").read_text().splitlines()]


async def test_kubectl(jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before_path(monkeypatch, tmp_path / "bin")
    async with start_target(jvm, "Hello", "Ada") as target:
        for time, (address, workload, options) in enumerate(
            (
                ("k8s://shop/orders:5005", "deployment.apps/orders", ["-n", "shop"]),
                ("k8s://kind/shop/pod/orders-7c:5005", "pod/orders-7c", ["--context", "kind", "-n", "shop"]),
                ("k8s://shop:5005?selector=app=orders", "pod/orders-7c", ["-n", "shop"]),
            ),
            1,
        ):
            await target.wait_listening(time)
            state = fake_kubectl(
                tmp_path,
                {"deployment.apps/orders": target.port, "pod/orders-7c": target.port},
                names={"deployment/orders": "deployment.apps/orders"},
                selected={"app=orders": ["pod/orders-7c", "pod/orders-8d"]},
            )
            async with jdbpy.attach_session(address) as session:
                helper = process_of(session)
                assert session.tunnel == f"kubectl (process {helper}) to {workload}"
                assert session.default_policy is SuspendPolicy.THREAD
                assert session.address == address
            await gone(helper)
            called = [helper, *options, "port-forward", "--address", "127.0.0.1", workload, ":5005"]
            assert calls(state)[-1] == called
        await target.send()


@pytest.mark.parametrize("named", ["--kubeconfig=/tmp/x", "-f", "secret/orders", "pod/-x", "x y", "deployment.apps/"])
async def test_what_kubectl_finds_is_believed_only_if_it_is_a_workload(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, port: int
) -> None:
    before_path(monkeypatch, tmp_path / "bin")
    state = fake_kubectl(tmp_path, {"pod/orders": port}, names={"pod/orders": named})
    with pytest.raises(ConnectError):
        async with jdbpy.attach_session("k8s://shop/orders:5005"):
            pass
    assert calls(state)[-1][1:] == ["-n", "shop", "port-forward", "--address", "127.0.0.1", "pod/orders", ":5005"]


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("k8s://shop/none:5005", r'NotFound\): pods "none" not found'),
        ("k8s://other/shop/orders:5005", 'context "other" does not exist'),
        ("k8s://shop:5005?selector=app=none", "no running pod in the namespace shop fits app=none"),
        (
            "k8s://shop/orders:5005",
            r"status 1: error: lost connection to pod; an error occurred forwarding .* connection refused",
        ),
        ("k8s://shop:5005?selector=no-server", r"status 1: The connection to the server [^;]*; .Unhandled Error"),
    ],
)
async def test_what_kubectl_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, why: str, port: int
) -> None:
    before_path(monkeypatch, tmp_path / "bin")
    fake_kubectl(tmp_path, {"pod/orders": port}, names={"pod/orders": "pod/orders"})
    with pytest.raises(ConnectError, match=why):
        async with jdbpy.attach_session(address):
            pass


async def test_a_kubectl_that_does_not_end_by_itself(
    any_jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: int
) -> None:
    """Up to 1.22 it closes the local connection and listens on: what it says is shown, and we end it."""
    before_path(monkeypatch, tmp_path / "bin")
    names = {"pod/orders": "pod/orders"}
    state = fake_kubectl(tmp_path, {"pod/orders": port}, names, stays=True)
    with pytest.raises(ConnectError, match=r"kubectl says: an error occurred forwarding .* connection refused"):
        async with jdbpy.attach_session("k8s://shop/orders:5005"):
            pass
    await gone(int(calls(state)[-1][0]))
    async with start_target(any_jvm, "Ticker", suspend=False) as target:
        fake_kubectl(tmp_path, {"pod/orders": target.port}, names, stays=True)
        async with jdbpy.attach_session("k8s://shop/orders:5005") as session:
            helper = process_of(session)
            target.kill()
            await session.wait_ended()
            assert runs(helper)
        await gone(helper)


def fake_docker(directory: Path, inspect: dict[str, Any], **more: Any) -> Path:
    state = directory / "docker.json"
    state.write_text(json.dumps({"name": "orders", "inspect": inspect, **more}))
    write_python_program(directory / "bin" / "docker", DOCKER, state)
    return state


def container(*, published: int = 0, running: bool = True) -> dict[str, Any]:
    ports = {"5005/tcp": [{"HostIp": "0.0.0.0", "HostPort": str(published)}]} if published else {}
    return {"State": {"Running": running}, "NetworkSettings": {"Ports": ports, "Networks": {}}}


async def test_a_container_with_a_published_port(jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before_path(monkeypatch, tmp_path / "bin")
    async with start_target(jvm, "Hello", "Ada") as target:
        fake_docker(tmp_path, container(published=target.port))
        async with jdbpy.attach_session("docker://orders:5005") as session:
            assert session.tunnel == f"docker container orders at 127.0.0.1:{target.port}"
            assert session.remote
        await runs_on(target)


async def test_editors_and_served_sessions_take_the_same_addresses(
    any_jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before_path(monkeypatch, tmp_path / "bin")
    async with start_target(any_jvm, "Ticker", suspend=False) as target:
        fake_docker(tmp_path, container(published=target.port))
        async with dap_client() as dap:
            await dap.initialize()
            await dap.request("attach", address="docker://orders:5005")
            said = (await dap.event("output", category="console"))["output"]
            assert said.startswith("docker://orders:5005 is reached through docker container orders at 127.0.0.1:")
            assert said.endswith("; 'break' suspends only the thread that hits\n")
            await dap.request("disconnect")
        await target.wait_listening_again()
        fake_docker(tmp_path, container(published=target.port))
        with tempfile.TemporaryDirectory(prefix="jdbpy-") as directory:  # the path of a socket must be short
            monkeypatch.setenv("XDG_RUNTIME_DIR", directory)
            async with serving("--name", "orders", "attach", "docker://orders:5005") as served:
                assert served.name == "orders"


async def test_the_loopback_of_a_container(
    any_jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: int
) -> None:
    """Only a program in the container gets there: bash, where there is no socat."""
    only(tmp_path / "bin", "sh", "cat", "bash")
    async with start_target(any_jvm, "Hello", "Ada") as target:
        state = fake_docker(tmp_path, container(published=port))
        monkeypatch.setenv("PATH", str(tmp_path / "bin"))
        async with jdbpy.attach_session(f"docker://orders:{target.port}") as session:
            helper = process_of(session)
            assert session.tunnel == f"docker (process {helper}) exec in orders"
            await session.breakpoints.add("Hello.greeting")
            stop = await session.execution.cont()
            assert isinstance(stop, Stopped)
            assert stop.breakpoint == 1
        await gone(helper)
        await runs_on(target)
    assert calls(state)[-1][:3] == ["exec", "-i", "orders"]


async def test_the_container_has_no_program_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    only(tmp_path / "bin", "sh")
    fake_docker(tmp_path, container())
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(ConnectError, match="no socat, bash or busybox"):
        async with jdbpy.attach_session(f"docker://orders:{port}"):
            pass


async def test_an_engine_elsewhere(any_jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The addresses of its containers mean nothing here: they are not tried."""
    before_path(monkeypatch, tmp_path / "bin")
    async with start_target(any_jvm, "Hello", "Ada") as target:
        fake_docker(tmp_path, container(published=target.port), endpoint="ssh://build.example.org")
        async with jdbpy.attach_session(f"docker://orders:{target.port}") as session:
            assert "exec in orders" in session.tunnel
        await runs_on(target)


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("docker://none:5005", "No such container: none"),
        ("docker://orders:5005", "the container orders does not run"),
    ],
)
async def test_what_docker_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, why: str) -> None:
    before_path(monkeypatch, tmp_path / "bin")
    fake_docker(tmp_path, container(running=False))
    with pytest.raises(ConnectError, match=why):
        async with jdbpy.attach_session(address):
            pass


def only(directory: Path, *programs: str) -> None:
    """Make a directory with these programs of the system."""
    directory.mkdir()
    for name in programs:
        found = shutil.which(name)
        assert found is not None, f"{name} is not installed"
        (directory / name).symlink_to(found)


def test_what_docker_inspect_says_is_believed_in_part() -> None:
    networks = {"a": {"IPAddress": "172.17.0.2"}, "b": {"IPAddress": "evil.example.org"}, "c": {}, "d": None}
    ports = {"5005/tcp": [{"HostIp": "example.org", "HostPort": "1"}, {"HostIp": "::", "HostPort": "7"}, None, {}]}
    found = {"NetworkSettings": {"Networks": networks, "Ports": ports}, "HostConfig": []}
    assert container_addresses(found, 5005) == [Address("::1", 7), Address("172.17.0.2", 5005)]
    assert container_addresses({"HostConfig": {"NetworkMode": "host"}}, 5005) == [Address("127.0.0.1", 5005)]
    strange: list[Any] = [None, [], "x", {"NetworkSettings": 3}]
    for nothing in strange:
        assert container_addresses(nothing, 5005) == []


async def test_a_program_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for address, name in (("ssh://h/1", "ssh"), ("docker://c:1", "docker"), ("k8s://n/w:1", "kubectl")):
        with pytest.raises(ConnectError, match=f"no program '{name}' on the PATH"):
            async with jdbpy.attach_session(address):
                pass


async def test_what_a_program_says_is_bounded_and_escaped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noise = "yes 0123456789 | head -c 10000000 >&2"
    write_program(tmp_path / "ssh", f"#!/bin/sh\n{noise}\nprintf 'no \\033[31mway\\n' >&2\nexit 255\n")
    before_path(monkeypatch, tmp_path)
    with pytest.raises(ConnectError, match=r"no \\u001b\[31mway") as caught:
        async with jdbpy.attach_session("ssh://host/5005"):
            pass
    assert len(caught.value.message) < 500


@pytest.mark.parametrize(
    "text",
    [
        "ssh://host", "ssh://host/", "ssh://host/x", "ssh:///5005", "ssh://-oProxyCommand=x/5005", "ssh://h:0/5005",
        "ssh://-lroot@host/5005", "ssh://host/70000", "ssh://a b/5005", f"ssh://host/{'9' * 5000}",
        "ssh://$(id)@host/5005", "ssh://a;id@host/5005", "ssh://a`id`@host/5005", "ssh://a'b@host/5005", "ssh://@host/5005",
        "ssh://a b@host/5005", "ssh://a|b@host/5005", "ssh://a%h@host/5005",
        "docker://5005", "docker://a:x", "docker://--help:5005", "docker://a/b:5005",
        "k8s://orders:5005", "k8s://n/-o:5005", "k8s://n/w", "k8s://-n/w:5005", "k8s://n:5005?selector=",
        "k8s://n/w:5005?selector=-A", "pid://x", "pid://", "http://host:80",
    ],
)  # fmt: skip
def test_no_addresses(text: str) -> None:
    with pytest.raises(UsageError):
        parse_transport(text)


def test_addresses() -> None:
    ssh = parse_transport("ssh://ada@[::1]:22/app:5005")
    assert isinstance(ssh, SshTransport)
    assert (ssh.place, ssh.place_port, ssh.host, ssh.port) == ("ada@::1", 22, "app", 5005)
    for user in ("ada", "ada.l-1", "ada@corp.example", "CORP\\ada", "host$"):
        assert (named := parse_transport(f"ssh://{user}@host/5005")) is not None and named.place == f"{user}@host"
    eks = parse_transport("k8s://arn:aws:eks:eu:1:cluster/prod/shop/deployment/orders:5005")
    assert isinstance(eks, PodTransport)
    assert (eks.context, eks.namespace, eks.place) == ("arn:aws:eks:eu:1:cluster/prod", "shop", "deployment/orders")
    assert parse_transport("localhost:5005") is None


ASKING = """\
#!/bin/bash
printf 'passphrase? ' >/dev/tty
read -r answer </dev/tty
[ "$answer" = yes ] || exit 255
exec 3<>/dev/tcp/127.0.0.1/{port}
cat <&3 &
exec cat >&3
"""


async def test_ssh_asks_at_the_terminal(any_jvm: Jvm, tmp_path: Path) -> None:
    """Its question reaches the user, the answer reaches it, and a Ctrl-C that is for jdbpy does not end it."""
    async with start_target(any_jvm, "Ticker", suspend=False) as target:
        write_program(tmp_path / "bin" / "ssh", ASKING.format(port=target.port))
        path = {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"}
        async with open_terminal(["attach", f"ssh://host/{target.port}"], tmp_path, environ=path) as terminal:
            await terminal.expect("passphrase?")
            terminal.type("yes\r")
            await terminal.expect("Attached to ssh://host", "is reached through ssh")
            await terminal.prompt(">")
            terminal.type("\x03")
            await terminal.expect("Paused")
            terminal.type("quit\r")
            assert await terminal.wait_exit() == 0
            assert terminal.modes == terminal.modes_before
