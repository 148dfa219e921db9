"""What docs/remote.md shows is done as it stands there: every line of its blocks is run.

Hosts of the page are names for this machine: its ``ssh`` goes to a real sshd, ``docker`` and ``kubectl`` are programs
that behave as those do (``tests.harness.remote`` says what of them is relied on).
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
import trio

from tests.harness import LIMIT, Jvm, Target, inline, start_target, within
from tests.harness.pages import ROOT, blocks
from tests.harness.processes import piped
from tests.harness.remote import DOCKER, KUBECTL, Sshd, run_sshd, write_program, write_python_program
from tests.harness.targets import reserved_port

ORDER = inline("""\
package com.acme;

public class Order {
    public static void main(String[] args) {
        java.util.Scanner input = new java.util.Scanner(System.in);
        System.out.println("ready");
        while (input.hasNextLine()) {
            try {
                if (input.nextLine().equals("full")) throw new OutOfMemoryError("no room");
                new Order().total();
            } catch (OutOfMemoryError error) {
                System.out.println("went on");
            }
        }
    }

    int total = 7;

    void total() {
        System.out.println("served");
    }
}
""")
BLOCKS = [block.text for block in blocks("text") if block.place.startswith("docs/remote.md:")]
LINES = [line for block in BLOCKS for line in block.splitlines()]
HERE = "127.0.0.1"
WAYS = {
    r"attach ssh://build\S+$": "ssh (process ",
    r"attach ssh://ada": "to ada@bastion.example.org,",
    r"^jdbpy attach k8s://shop/orders:5005$": "to deployment.apps/orders,",
    r"attach k8s://prod": "to statefulset/orders,",
    r"attach docker": "docker container orders at 127.0.0.1:",
}
"""Addresses of the page, by a pattern for the line, and what is said of each at attach."""
SEVERAL, SELECTED, BACK, LISTEN = "^jdbpy attach a=", "selector=app=orders'$", "attach --reconnect k8s", "^jdbpy listen"
HOSTS = {"build.example.org": HERE, "ada@bastion.example.org": HERE}
SSH = """\
#!{python}
import os, sys
names = {names!r}
os.execv({ssh!r}, ["ssh", "-p", "{port}", "-l", {user!r}, *(names.get(word, word) for word in sys.argv[1:])])
"""


def only(pattern: str) -> str:
    """The one line of the page that fits, which may stand there twice."""
    [found] = {line for line in LINES if re.search(pattern, line)}
    return found


class Place:
    """A directory with the programs of the page, and the JVMs that they lead to."""

    def __init__(self, directory: Path, jvm: Jvm) -> None:
        self.directory = directory
        self._programs = directory / "bin"
        self._environ = {
            **os.environ,
            "PATH": f"{self._programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
            "JAVA_HOME": jvm.home,
        }
        write_program(self._programs / "jdbpy", f'#!/bin/sh\nexec {sys.executable} -W error -m jdbpy "$@"\n')

    def lead_to(self, *targets: Target, sshd: Sshd | None = None) -> None:
        """Let ssh and docker lead to the first of the JVMs, the pods of the selector and ``deployment/orders`` too."""
        port = targets[0].port
        pods = {f"pod/orders-{number}": target.port for number, target in enumerate(targets, 1)}
        names = {"deployment/orders": "deployment.apps/orders"}
        ports = {"deployment.apps/orders": port, "statefulset/orders": port, **pods}
        selected = {"app=orders": [*pods]}
        cluster = {"ports": ports, "names": names, "selected": selected, "contexts": ["prod-context"]}
        published = {"5005/tcp": [{"HostIp": HERE, "HostPort": str(port)}]}
        inspect = {"State": {"Running": True}, "NetworkSettings": {"Ports": published, "Networks": {}}}
        for name, text, state in (
            ("kubectl", KUBECTL, cluster),
            ("docker", DOCKER, {"name": "orders", "inspect": inspect}),
        ):
            written = self.directory / f"{name}.json"
            (self.directory / "new").write_text(json.dumps(state))
            (self.directory / "new").replace(written)
            write_python_program(self._programs / name, text, written)
        if sshd is not None:
            user, _, at = sshd.place.partition("@")
            names = {**HOSTS, f"{HERE}:5005": f"{HERE}:{port}", "app7:5005": f"{HERE}:{port}"}
            real = f"{sshd.programs}/ssh"
            ssh = SSH.format(python=sys.executable, names=names, ssh=real, port=at.rpartition(":")[2], user=user)
            write_program(self._programs / "ssh", ssh)

    @asynccontextmanager
    async def running(self, line: str) -> AsyncIterator[trio.Process]:
        """Run a line of the page; what it writes comes by one pipe."""
        command = ["/bin/sh", "-c", f"exec 2>&1; exec {line}"]
        async with piped(command, cwd=self.directory, env=self._environ) as process:
            yield process

    async def run(self, line: str, *typed: str) -> str:
        """Run a line of the page to its end, with what is typed; it must succeed. Return what it has written."""
        async with self.running(line) as process:
            assert process.stdin is not None
            await process.stdin.send_all("".join(f"{each}\n" for each in typed).encode())
            await process.stdin.aclose()
            text = await read_until(process, None)
            assert await process.wait() == 0, f"{line}\n{text}"
            return text


async def read_until(process: trio.Process, wanted: str | None) -> str:
    """Return what it writes until that is among it; None is for all."""
    assert process.stdout is not None
    text = b""
    with within(LIMIT):
        while wanted is None or wanted.encode() not in text:
            data = await process.stdout.receive_some()
            if not data:
                assert wanted is None, text.decode()
                break
            text += data
    return text.decode()


@asynccontextmanager
async def orders(jvm: Jvm, count: int) -> AsyncIterator[list[Target]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(start_target(jvm, ORDER, suspend=False)) for _ in range(count)]


def test_no_command_of_the_page_is_left_out() -> None:
    assert {only(each) for each in (*WAYS, SEVERAL, SELECTED, BACK, LISTEN)} == {
        line for line in LINES if line.startswith("jdbpy ")
    }


async def test_the_ways(any_jvm: Jvm, tmp_path: Path) -> None:
    """Each is taken, said at attach, and counts as remote."""
    place = Place(tmp_path, any_jvm)
    async with run_sshd(tmp_path / "ssh") as sshd, orders(any_jvm, 1) as [target]:
        place.lead_to(target)
        assert "deployment.apps/orders env updated" in await place.run(only("^kubectl set env"))
        for time, (pattern, via) in enumerate(WAYS.items(), 1):
            await target.wait_listening(time)
            place.lead_to(target, sshd=sshd)
            said = await place.run(only(pattern), "break com.acme.Order.total")
            assert " is reached through " in said, said
            assert via in said, said
            assert "'break' suspends only the thread that hits" in said
        await target.wait_listening(len(WAYS) + 1)


async def test_several_jvms_and_what_is_compared(any_jvm: Jvm, tmp_path: Path) -> None:
    place = Place(tmp_path, any_jvm)
    async with run_sshd(tmp_path / "ssh") as sshd, orders(any_jvm, 3) as targets:
        first, second, third = targets
        place.lead_to(third, sshd=sshd)
        line = only(SEVERAL).replace("prod1:5005", first.address).replace("prod2:5005", second.address)
        said = await place.run(line, "each where all --fold", "jvms")
        assert " threads in 3 JVMs, 1 different stack" in said, said
        for target in targets:
            await target.wait_listening(2)
        place.lead_to(first, second)
        [compared] = [block for block in BLOCKS if block.startswith("diff orders-1 orders-2\n")]
        typed = ["snapshot yesterday.snapshot", "jvm orders-* threads", *compared.splitlines()]
        said = await place.run(only(SELECTED), *typed)
        assert said.count("is reached through kubectl") == 2, said
        for target in (first, second):
            await target.wait_listening(3)
        script = next(block for block in BLOCKS if block.startswith("async with jdbpy.fleet("))
        for named, real in (("prod1:5005", first.address), ("prod2:5005", second.address), ("seconds=60", "count=2")):
            assert named in script
            script = script.replace(named, real)
        script = script.replace(" as hits:\n", " as hits:\n        print('armed')\n")
        body = "".join(f"    {line}\n" for line in script.splitlines())
        script = f"import jdbpy, trio\nasync def main():\n{body}    print(answers)\ntrio.run(main)\n"
        (tmp_path / "fleet.py").write_text(script)
        async with place.running(f"{sys.executable} -W error -u fleet.py") as process:
            await read_until(process, "armed\n")
            for target in (first, second):
                await target.send()
            text = await read_until(process, None)
            assert await process.wait() == 0, text
            assert sorted(re.findall(r"^([ab]) .* total = 7$", text, re.MULTILINE)) == ["a", "b"], text


async def test_coming_back(any_jvm: Jvm, tmp_path: Path) -> None:
    """The deployment has another pod after a restart; the logpoint is there again."""
    place = Place(tmp_path, any_jvm)
    async with orders(any_jvm, 2) as [first, second]:
        place.lead_to(first)
        async with place.running(only(BACK)) as process:
            await read_until(process, "(Order.java:")
            await first.send()
            await read_until(process, "7\n")
            place.lead_to(second)
            first.kill()
            await read_until(process, "set again")
            await second.send()
            await read_until(process, "7\n")
        await second.wait_output("served")


async def test_when_the_jvm_begins(any_jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It starts jdbpy upon an exception, or connects to one that listens."""
    place = Place(tmp_path, any_jvm)
    java = f"{any_jvm.java} "
    program = f"-cp {ROOT / ORDER.classes} com.acme.Order"
    (tmp_path / "oom.jdb").write_text("where\nsnapshot oom.snapshot\n")
    line = only("onthrow=").replace("java ", java, 1).replace("...", program)
    said = await place.run(line, "", "full", "")
    assert "com.acme.Order.main" in said, said
    assert "went on" in said
    assert (tmp_path / "oom.snapshot").exists()
    with reserved_port() as port:
        listen = only(LISTEN).replace("5005", str(port))
        connect = only("server=n").replace("java ", java, 1).replace("...", program)
        connect = connect.replace("your.machine.example.org:5005", f"{HERE}:{port}")
        async with place.running(f"{listen} -c 'stop in com.acme.Order.total' -c cont -c where") as debugger:
            await read_until(debugger, "istening")
            said = await place.run(connect, "")
            assert "served" in said
            shown = await read_until(debugger, None)
            assert "com.acme.Order.total" in shown
            assert await debugger.wait() == 0
