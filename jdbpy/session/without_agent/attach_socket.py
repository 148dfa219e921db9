"""HotSpot's attach socket, by which ``jcmd`` speaks to a JVM: finding it, waking its listener, one request.

The socket is ``.java_pidN`` in the temporary directory of the JVM, N its process number there; where it is not there
yet a file ``.attach_pidN`` and the signal QUIT make the JVM open it. That signal ends a process that does not catch it:
it is sent to a HotSpot that does, and to nothing else. What answers is believed only if it is that very process.

This file imports nothing of jdbpy, and runs as a program as well, on another machine or as another user: it reads
requests from standard input and leaves nothing behind (``channels``). Without annotations it is Python 3.6.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import pwd
import signal
import socket
import stat
import struct
import sys
import tempfile
import time
from typing import Any

WAKE_LIMIT = 5.0
"""Seconds until the socket of a JVM has to be there; it takes milliseconds."""

ANSWER_LIMIT = 10.0
"""Seconds until a JVM begins to answer, and between two pieces of its answer, unless a request gives it longer."""

MOST_BYTES = 256 * 1024 * 1024
"""Bytes of one answer. A dump of 10,000 threads with deep stacks has some 50 MB."""

_MOST_FACTS = 4 * 1024 * 1024
_PERF_BYTES = 1024 * 1024
_CREDENTIALS = struct.Struct("3i")
_PAUSE = 0.005


class AttachError(Exception):
    """The attach socket of a JVM cannot be used; the message says why, ``hint`` what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Process:
    """What /proc says about a process, which may end at any time."""

    def __init__(self, pid: int, proc: str = "/proc") -> None:
        self.pid = pid
        self.place = os.path.join(proc, str(pid))
        if not os.path.isdir(proc):
            raise AttachError("a JVM without a debugger agent is asked through /proc, which only Linux has")
        status = dict(
            line.split(":", 1) for line in self._read("status").decode("utf-8", "replace").splitlines() if ":" in line
        )
        self.name = status.get("Name", "").strip()
        self.state = status.get("State", "?").strip()[:1]
        self.caught = int(status.get("SigCgt", "0"), 16)
        self.uid = int(status.get("Uid", "0 0").split()[1])
        self.gid = int(status.get("Gid", "0 0").split()[1])
        self.inner = int((status.get("NSpid") or str(pid)).split()[-1])  # its number in its own container

    def words(self) -> list[str]:
        """Return the command line, and the environment variables that a JVM reads options from."""
        words = self._read("cmdline").decode("utf-8", "replace").rstrip("\0").split("\0")
        try:
            variables = self._read("environ").decode("utf-8", "replace").split("\0")
        except AttachError:
            return words
        for variable in variables:
            name, _, value = variable.partition("=")
            if name in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"):
                words += value.split()
        return words

    def maps(self) -> str:
        """Return the mapped files."""
        return self._read("maps").decode("utf-8", "replace")

    def _read(self, name: str) -> bytes:
        try:
            with open(os.path.join(self.place, name), "rb") as file:
                return file.read(_MOST_FACTS)
        except (FileNotFoundError, ProcessLookupError):
            hint = "jdbpy jvms shows the JVMs of this machine"
            raise AttachError(f"the process {self.pid} does not exist", hint) from None
        except PermissionError:
            raise _not_ours(self.pid, os.stat(self.place).st_uid) from None


def _not_ours(pid: int, owner: int) -> AttachError:
    if owner == os.geteuid():
        return AttachError(
            f"the process {pid} of {_user_of(owner)} may not be looked at: it is protected",
            "it runs in a container or with other rights: run jdbpy there, or as docker://CONTAINER/pid:N",
        )
    return AttachError(
        f"the process {pid} belongs to {_user_of(owner)}, and this is {_user_of(os.geteuid())}",
        "run jdbpy as that user or as root",
    )


def checked(pid: int, proc: str = "/proc") -> Process:
    """Return a process after checking that it is a HotSpot JVM of this user. Raises AttachError. Sends nothing."""
    process = Process(pid, proc)
    maps = process.maps()
    what = f"the process {pid} ({process.name})"
    if process.state in "ZX":
        raise AttachError(f"the process {pid} has ended")
    if "libj9" in maps:
        raise AttachError(what + " is an OpenJ9 JVM, which has another attach mechanism", "give it the debugger agent")
    if "/libjvm.so" not in maps:
        raise AttachError(what + " is not a JVM", "jdbpy jvms shows the JVMs of this machine")
    if os.geteuid() != process.uid:
        raise _not_ours(pid, process.uid)
    _require_running(process)
    if "-XX:+DisableAttachMechanism" in process.words():
        raise AttachError(
            f"the JVM {pid} was started with -XX:+DisableAttachMechanism: it answers nobody",
            "start it without that option, or with the debugger agent",
        )
    return process


def _require_running(process: Process) -> None:
    if Process(process.pid, os.path.dirname(process.place)).state in "Tt":
        raise AttachError(
            f"the JVM {process.pid} is stopped (by SIGSTOP, or another debugger) and cannot answer",
            f"kill -CONT {process.pid} lets it run on",
        )


def opened(process: Process) -> socket.socket:
    """Return a connection to the attach socket of a JVM; have the JVM open it if necessary. Raises AttachError."""
    path = os.path.join(process.place, f"root/tmp/.java_pid{process.inner}")
    stream = _connected(process, path)
    if stream is not None:
        return stream
    if not process.caught & 1 << signal.SIGQUIT - 1:
        raise AttachError(
            f"the JVM {process.pid} does not catch the signal that opens its attach socket: it would end",
            "it is only starting: try again; or it runs with -Xrs, and takes the debugger agent to be looked at",
        )
    request = _make_request(process)
    try:
        os.kill(process.pid, signal.SIGQUIT)
        until = time.monotonic() + WAKE_LIMIT
        while True:
            stream = _connected(process, path)
            if stream is not None:
                return stream
            _require_running(process)
            if time.monotonic() > until:
                raise AttachError(
                    f"the JVM {process.pid} has opened no attach socket within {WAKE_LIMIT:g} seconds",
                    "it hangs, a debugger holds it, its temporary files are elsewhere, "
                    "or it runs with -XX:+DisableAttachMechanism",
                )
            time.sleep(_PAUSE)  # HotSpot gives no other sign
    finally:
        with contextlib.suppress(OSError):  # HotSpot may have removed it, or its directory is gone
            os.unlink(request)


def _make_request(process: Process) -> str:
    """Create the file that tells a JVM to open its attach socket on SIGQUIT, and return its path."""
    failed = None
    for directory in ("cwd", "root/tmp"):
        path = os.path.join(process.place, directory, f".attach_pid{process.inner}")
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
            return path
        except OSError as error:
            failed = error
            if error.errno == errno.EEXIST and _is_ours(path, process, stat.S_ISREG):
                return path  # an earlier debugger was killed
    raise AttachError(
        f"no file can be made that asks the JVM {process.pid} for its attach socket: {failed}",
        "its working directory or its /tmp has to be writable",
    )


def _is_ours(path: str, process: Process, kind: Any) -> bool:
    found = os.lstat(path)
    return bool(kind(found.st_mode)) and found.st_uid == process.uid


def _connected(process: Process, path: str) -> socket.socket | None:
    """Return a connection to the socket, or None if it does not exist or nothing listens. Raises AttachError."""
    try:
        ours = _is_ours(path, process, stat.S_ISSOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise AttachError(f"the temporary files of the JVM {process.pid} cannot be read: {error.strerror}") from None
    if not ours:
        raise AttachError(
            f"{path} is not a socket of the JVM {process.pid}: it is not asked",
            "somebody else has put it there; remove it",
        )
    stream = socket.socket(socket.AF_UNIX)
    try:
        stream.settimeout(WAKE_LIMIT)
        stream.connect(path)
        pid, uid, _ = _CREDENTIALS.unpack(stream.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
        if pid != process.pid or uid != process.uid:
            raise AttachError(
                f"the process {pid} listens at the attach socket of the JVM {process.pid}: it is not asked",
                f"somebody else has put it there; remove {path}",
            )
        return stream
    except (ConnectionRefusedError, FileNotFoundError):  # left by a JVM that has gone
        stream.close()
        return None
    except OSError as error:
        stream.close()
        why = "takes no connection at its attach socket" if _is_late(error) else f"cannot be asked: {error}"
        raise AttachError(f"the JVM {process.pid} {why}", _HELD) from None
    except BaseException:
        stream.close()
        raise


def _is_late(error: OSError) -> bool:
    return isinstance(error, TimeoutError) or str(error) == "timed out"  # before Python 3.10 it is a class of its own


_HELD = "it hangs, or a debugger holds its threads; the debugger agent would tell more"


def ask(pid: int, words: list[str], limit: float = ANSWER_LIMIT, proc: str = "/proc") -> tuple[int, str]:
    """Send one request to a JVM and return the status and the text of its answer. Raises AttachError.

    ``words`` are the command and up to three arguments; ``limit`` is for the first piece of the answer and each other.
    """
    if len(words) > 4 or any("\0" in word for word in words):
        raise AttachError("a request has a command and three arguments, without NUL")
    process = checked(pid, proc)
    stream = opened(process)
    try:
        stream.settimeout(limit)
        padded = ["1", *words, *[""] * (4 - len(words))]
        stream.sendall(b"".join(word.encode("utf-8", "surrogateescape") + b"\0" for word in padded))
        answer = bytearray()
        while True:
            data = stream.recv(1 << 16)
            if not data:
                break
            answer += data
            if len(answer) > MOST_BYTES:
                raise AttachError(f"the answer of the JVM {pid} has more than {MOST_BYTES:,} bytes")
    except OSError as error:
        late = _is_late(error)
        why = f"has not answered within {limit:g} seconds" if late else f"has closed its attach socket: {error}"
        raise AttachError(f"the JVM {pid} {why}", _HELD if late else "") from None
    finally:
        stream.close()
    status, newline, _ = bytes(answer[:12]).partition(b"\n")
    if not newline or not status.strip().lstrip(b"-").isdigit():
        if not answer:
            raise AttachError(f"the JVM {pid} has closed its attach socket without an answer: it is ending")
        raise AttachError(f"the JVM {pid} answers its attach socket with what is no answer")
    return int(status), bytes(answer[len(status) + 1 :]).decode("utf-8", "replace")


class ThreadFile:
    """A file into which a JVM writes its threads, in a new directory of its user in its ``/tmp``; both are removed when
    the block ends, whatever the JVM does then. Raises AttachError."""

    def __init__(self, pid: int, proc: str = "/proc") -> None:
        process = checked(pid, proc)
        self._owner = process.uid
        try:
            temporary = os.path.join(process.place, "root/tmp")
            self._directory = tempfile.mkdtemp(prefix=f"jdbpy-threads-{pid}-", dir=temporary)
        except OSError as error:
            raise AttachError(
                f"no directory can be made in the /tmp of the JVM {pid}: {error.strerror}",
                "it writes its virtual threads into a file there",
            ) from None
        self._path = os.path.join(self._directory, "threads.json")
        inside = os.path.join("/tmp", os.path.basename(self._directory), "threads.json")
        self.words = ["jcmd", f"Thread.dump_to_file -format=json {inside}"]
        """The request that makes the JVM write it."""

    def __enter__(self) -> ThreadFile:
        return self

    def __exit__(self, *_: object) -> None:
        for remove, path in ((os.unlink, self._path), (os.rmdir, self._directory)):
            with contextlib.suppress(OSError):
                remove(path)

    def read(self, said: str) -> bytes:
        """Return what is in it; ``said`` is the answer of the JVM. Raises AttachError."""
        try:
            with open(os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
                found = os.fstat(file.fileno())
                if not stat.S_ISREG(found.st_mode) or found.st_uid != self._owner:
                    raise AttachError("what is in place of the file of its threads is not one that the JVM has made")
                data = file.read(MOST_BYTES + 1)
        except OSError as error:
            why = said.strip().split("\n")[0][:200] or error.strerror
            raise AttachError(f"the JVM has written no file of its threads: {why}") from None
        if len(data) > MOST_BYTES:
            raise AttachError(f"the file of the JVM's threads has more than {MOST_BYTES:,} bytes")
        return data


def thread_file(pid: int, limit: float) -> bytes:
    """Return the JSON into which a JVM writes all its threads (Java 21). Raises AttachError."""
    with ThreadFile(pid) as file:
        return file.read(ask(pid, file.words, limit)[1])


def counters(pid: int, proc: str = "/proc") -> bytes:
    """Return HotSpot's performance counter file (read by ``jstat``), or b"" if there is none. Raises AttachError."""
    process = Process(pid, proc)
    temporary = os.path.join(process.place, "root/tmp")
    try:
        names = [name for name in os.listdir(temporary) if name.startswith("hsperfdata_")]
    except OSError:
        return b""
    for name in names:
        directory = os.path.join(temporary, name)
        path = os.path.join(directory, str(process.inner))
        try:
            if _is_ours(directory, process, stat.S_ISDIR) and _is_ours(path, process, stat.S_ISREG):
                with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
                    return file.read(_PERF_BYTES)
        except OSError:
            continue
    return b""


def facts(pid: int, proc: str = "/proc") -> dict[str, Any]:
    """Return facts about a JVM from /proc, without sending it anything. Raises AttachError."""
    process = checked(pid, proc)
    return {"pid": pid, "inner": process.inner, "words": process.words()}


def become_owner(pid: int) -> None:
    """As root, switch to the user of a JVM for good: HotSpot answers its own user, and no file is touched as root."""
    process = Process(pid)
    if os.geteuid() == 0 and process.uid:
        os.setgroups([])
        os.setresgid(process.gid, process.gid, process.gid)
        os.setresuid(process.uid, process.uid, process.uid)


def _user_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"the user {uid}"


def main() -> None:
    """Read requests from standard input, one per line, and write each answer after a line with its length in bytes."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))  # what was made is removed on the way
    while True:
        line = sys.stdin.readline()
        if not line:
            return
        data = b""
        try:
            asked = json.loads(line)
            head: dict[str, Any] = {}
            if asked["op"] == "ask":
                head["status"], text = ask(asked["pid"], asked["words"], asked["limit"])
                data = text.encode("utf-8", "replace")
            elif asked["op"] == "threads":
                data = thread_file(asked["pid"], asked["limit"])
            elif asked["op"] == "counters":
                data = counters(asked["pid"])
            elif asked["op"] == "become":
                become_owner(asked["pid"])
            else:
                head["facts"] = facts(asked["pid"])
        except AttachError as error:
            head = {"error": error.message, "hint": error.hint}
        except Exception as error:
            head = {"error": f"{type(error).__name__}: {error}"}
        head["bytes"] = len(data)
        sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + data)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
