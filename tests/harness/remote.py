"""Ways to a JVM elsewhere: a real sshd on the loopback, and programs that behave as docker and kubectl do.

Each puts a program of that name into a directory, which a test puts before the PATH.
"""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from jdbpy.record import Record
from tests.harness.limits import LIMIT, within
from tests.harness.needs import sshd as find_sshd
from tests.harness.processes import piped
from tests.harness.targets import reserved_port


class Sshd(Record):
    """A running ssh server. ``programs`` holds an ``ssh`` that knows it and nothing of the user's own files."""

    port: int
    place: str  # USER@HOST:PORT, as in an address
    programs: str
    process: trio.Process

    def refuse_all(self) -> None:
        """From now on nobody may log in."""
        Path(self.programs, "..", "authorized").write_text("")


@asynccontextmanager
async def run_sshd(directory: Path) -> AsyncIterator[Sshd]:
    """An sshd of Debian's openssh-server on a free port of the loopback, with its own files below a directory."""
    server = find_sshd()
    assert server is not None, "no sshd: apt-get install openssh-server"
    ssh = shutil.which("ssh")
    assert ssh is not None, "no ssh: apt-get install openssh-client"
    directories = [directory] + [Path("/run/sshd")] * (os.getuid() == 0)  # it will not start without
    for each in directories:
        each.mkdir(mode=0o755, exist_ok=True)
    for name in ("host", "user"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(directory / name)]
        await trio.run_process(words)
    (directory / "authorized").write_text((directory / "user.pub").read_text())
    (directory / "authorized").chmod(0o600)
    with reserved_port() as port:
        (directory / "sshd_config").write_text(
            f"ListenAddress 127.0.0.1\nPort {port}\nHostKey {directory}/host\n"
            f"AuthorizedKeysFile {directory}/authorized\n"
            "PidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"
            "PermitRootLogin prohibit-password\nAllowTcpForwarding yes\n"
        )
        host = (directory / "host.pub").read_text()
        (directory / "known").write_text(f"[127.0.0.1]:{port} {host}")
        (directory / "ssh_config").write_text(
            f"IdentityFile {directory}/user\nIdentitiesOnly yes\nUserKnownHostsFile {directory}/known\n"
            "GlobalKnownHostsFile none\nStrictHostKeyChecking yes\n"
        )
        write_program(directory / "bin" / "ssh", f'#!/bin/sh\nexec {ssh} -F {directory}/ssh_config "$@"\n')
        async with piped([server, "-D", "-e", "-f", str(directory / "sshd_config")], stderr=subprocess.PIPE) as process:
            assert process.stderr is not None
            seen = b""
            with within(LIMIT):
                while b"Server listening" not in seen:
                    data = await process.stderr.receive_some()
                    assert data, seen.decode()
                    seen += data
            yield Sshd(port, f"{getpass.getuser()}@127.0.0.1:{port}", str(directory / "bin"), process)


DOCKER = """\
import json, os, sys
words = sys.argv[1:]
state = json.load(open({state!r}))
with open({state!r} + ".calls", "a") as calls:
    calls.write(json.dumps(words) + "\\n")
if words[:2] == ["context", "inspect"]:
    print(state.get("endpoint", "unix:///var/run/docker.sock"))
elif words[:2] == ["container", "inspect"]:
    if words[-1] != state["name"]:
        sys.exit("Error response from daemon: No such container: " + words[-1])
    print(json.dumps(state["inspect"]))
elif words[:2] == ["exec", "-i"]:
    if not state["inspect"]["State"]["Running"]:
        sys.exit("Error response from daemon: container " + words[2] + " is not running")
    os.execvp(words[3], words[3:])
else:
    sys.exit("docker: '" + words[0] + "' is not a docker command.")
"""

KUBECTL = """\
import json, os, select, socket, sys, threading
words = sys.argv[1:]
state = json.load(open({state!r}))
with open({state!r} + ".calls", "a") as calls:
    calls.write(json.dumps([os.getpid(), *words]) + "\\n")
options = {{}}
while words and words[0] in ("-n", "--context"):
    options[words[0]] = words[1]
    del words[:2]
if "--context" in options and options["--context"] not in state.get("contexts", ["kind"]):
    sys.exit('error: context "%s" does not exist' % options["--context"])
if "no-server" in words:
    log = "E1123 06:34:38.666729   29471 memcache.go:265] " + '"Unhandled Error" err="could not get group list"'
    sys.exit("\\n".join([log] * 5 + ["The connection to the server localhost:8080 was refused"]))
if words[0] == "get":
    if "-l" in words:
        found = state["selected"].get(words[words.index("-l") + 1], [])
    else:
        found = [state["names"][each] for each in words[1:] if each in state["names"]]
    print("\\n".join(found))
elif words[:2] == ["exec", "-i"]:
    if words[2] not in state["names"].values():
        sys.exit('Error from server (NotFound): pods "%s" not found' % words[2].partition("/")[2])
    os.execvp(words[4], words[4:])
elif words[:2] == ["set", "env"]:
    print(state["names"][words[2]] + " env updated")
elif words[0] == "port-forward":
    workload, ports = words[-2:]
    if workload not in state["ports"]:
        sys.exit('Error from server (NotFound): pods "%s" not found' % workload.partition("/")[2])
    listener = socket.create_server(("127.0.0.1", 0))
    local, remote = listener.getsockname()[1], int(ports.lstrip(":"))
    print("Forwarding from 127.0.0.1:%d -> %d" % (local, remote), flush=True)
    while True:
        here, _ = listener.accept()
        print("Handling connection for %d" % local, flush=True)
        try:
            there = socket.create_connection(("127.0.0.1", state["ports"][workload]))
        except OSError:
            said = "E1122 20:00:00.000000 1 portforward.go:413] an error occurred forwarding %d -> %d: error forwarding"
            said += " port %d to pod 6f, uid : connect: connection refused\\n"
            sys.stderr.write(said % (local, remote, remote))
            sys.stderr.flush()
            here.close()
            if state.get("stays"):  # up to 1.22 it listens on
                continue
            sys.exit("error: lost connection to pod")
        def copy(source, sink):
            try:
                while data := source.recv(65536):
                    sink.sendall(data)
            except OSError:
                pass  # a side that was killed with something unread
            try:
                sink.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # it has gone as well
        threading.Thread(target=copy, args=(there, here), daemon=True).start()
        threading.Thread(target=copy, args=(here, there), daemon=True).start()
"""


def write_program(path: Path, text: str) -> None:
    """Write an executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def write_python_program(path: Path, text: str, state: Path) -> None:
    """Write an executable file in Python, which reads what it is to say from a file of JSON."""
    write_program(path, f"#!{sys.executable}\n{text.format(state=str(state))}")
