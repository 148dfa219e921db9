"""Ways to an attach socket: from this process, or through a program that runs as another user or on another machine.

The program is ``attach_socket``, sent over the standard input of a Python there, or, where there is none, a shell
script with what that machine has. It ends when its input does, and nothing that it writes is left there.
"""

from __future__ import annotations

import ast
import functools
import json
import shlex
from pathlib import Path
from typing import Any, Protocol

import trio

from jdbpy.errors import ConnectError, StateError
from jdbpy.session.without_agent import attach_socket
from jdbpy.session.without_agent.attach_socket import ANSWER_LIMIT, MOST_BYTES, AttachError

LONG_LIMIT = 600.0
"""Seconds that a JVM gets for what walks its heap, or takes as long as the user says; Ctrl-C ends the wait."""

_HEAD_LIMIT = 1_000_000


class AttachChannel(Protocol):
    """Access to the attach socket of one JVM. All methods raise AttachError."""

    pid: int

    async def ask(self, *words: str, limit: float = ANSWER_LIMIT) -> tuple[int, str]:
        """Return the status and the text of the answer to one request: a command and up to three arguments."""

    async def thread_file(self) -> bytes:
        """Return the JSON into which the JVM writes all its threads (Java 21), in a file that is removed."""

    async def counters(self) -> bytes:
        """Return the performance counter file of the JVM, or b"" if there is none."""

    async def facts(self) -> dict[str, Any]:
        """Return facts about the JVM without sending it anything; ``words`` is its command line."""


class OwnChannel:
    """The attach socket of a JVM of this user on this machine. A cancelled request is read to its end."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    async def ask(self, *words: str, limit: float = ANSWER_LIMIT) -> tuple[int, str]:
        """As ``AttachChannel``."""
        call = functools.partial(attach_socket.ask, self.pid, list(words), limit)
        return await trio.to_thread.run_sync(call, abandon_on_cancel=True)

    async def thread_file(self) -> bytes:
        """As ``AttachChannel``."""
        with await trio.to_thread.run_sync(attach_socket.ThreadFile, self.pid) as file:
            _, said = await self.ask(*file.words, limit=LONG_LIMIT)
            return await trio.to_thread.run_sync(file.read, said)

    async def counters(self) -> bytes:
        """As ``AttachChannel``."""
        return await trio.to_thread.run_sync(attach_socket.counters, self.pid, abandon_on_cancel=True)

    async def facts(self) -> dict[str, Any]:
        """As ``AttachChannel``."""
        return await trio.to_thread.run_sync(attach_socket.facts, self.pid, abandon_on_cancel=True)


class ProgramChannel:
    """The attach socket of a JVM where a program runs, whose standard input and output are ``stream``.

    As root the program becomes the user of the JVM first.
    """

    def __init__(self, stream: trio.abc.Stream, pid: int) -> None:
        self.pid = pid
        self._stream = stream
        self._read = b""
        self._unread = 0  # answers that nobody waits for any more
        self._one = trio.Lock()

    async def begin(self) -> None:
        """Send the program if a Python waits for it. Raises AttachError."""
        source = program_source().encode()
        await self._send(b"%d\n" % len(source) + source)
        await self._request({"op": "become", "pid": self.pid})

    async def ask(self, *words: str, limit: float = ANSWER_LIMIT) -> tuple[int, str]:
        """As ``AttachChannel``."""
        head, data = await self._request({"op": "ask", "pid": self.pid, "words": list(words), "limit": limit})
        return int(head.get("status", -1)), data.decode("utf-8", "replace")

    async def thread_file(self) -> bytes:
        """As ``AttachChannel``."""
        return (await self._request({"op": "threads", "pid": self.pid, "limit": LONG_LIMIT}))[1]

    async def counters(self) -> bytes:
        """As ``AttachChannel``."""
        return (await self._request({"op": "counters", "pid": self.pid}))[1]

    async def facts(self) -> dict[str, Any]:
        """As ``AttachChannel``."""
        found = (await self._request({"op": "facts", "pid": self.pid}))[0].get("facts")
        return found if isinstance(found, dict) else {}

    async def _request(self, asked: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        async with self._one:
            while self._unread:
                await self._answer()
                self._unread -= 1
            self._unread += 1  # until it is read: a cancelled request leaves its answer behind
            await self._send(json.dumps(asked).encode() + b"\n")
            head, data = await self._answer()
            self._unread -= 1
        if "error" in head:
            raise AttachError(str(head["error"]), str(head.get("hint", "")))
        return head, data

    async def _answer(self) -> tuple[dict[str, Any], bytes]:
        """Return the next answer. After a cancellation the bytes read so far are kept for the next call."""
        while (end := self._read.find(b"\n")) < 0:
            if len(self._read) > _HEAD_LIMIT:
                raise AttachError("the program there answers what cannot be read")
            await self._more()
        try:
            head = json.loads(self._read[:end])
            size = int(head["bytes"])
        except (ValueError, KeyError, TypeError) as error:
            shown = self._read[:end][:80].decode("utf-8", "replace")
            raise AttachError(f"the program there answers what cannot be read: {shown!r}") from error
        if not 0 <= size <= MOST_BYTES:
            raise AttachError(f"the program there announces {size:,} bytes")
        parts, have = [self._read[end + 1 :]], len(self._read) - end - 1
        try:
            while have < size:
                data = await self._receive()
                parts.append(data)
                have += len(data)
        except BaseException:
            self._read = self._read[: end + 1] + b"".join(parts)
            raise
        whole = b"".join(parts)
        self._read = whole[size:]
        return head, whole[:size]

    async def _more(self) -> None:
        self._read += await self._receive()

    async def _receive(self) -> bytes:
        try:
            data = bytes(await self._stream.receive_some(1 << 16))
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise ChannelEnded("the connection to where the JVM is has broken") from error
        if not data:
            raise ChannelEnded("the program where the JVM is has ended")
        return data

    async def _send(self, data: bytes) -> None:
        try:
            await self._stream.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise ChannelEnded("the connection to where the JVM is has broken") from error


class ChannelEnded(AttachError):
    """The connection to the attach socket is lost; the JVM may still run."""


@functools.cache
def program_source() -> str:
    """Return the source of ``attach_socket`` for old Pythons, without annotations, docstrings and comments."""
    tree = ast.parse(Path(attach_socket.__file__).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [_plain(each) for each in body if not _is_left_out(each)] or [ast.Pass()]  # type: ignore[attr-defined]
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            for each in (*node.args.args, *node.args.kwonlyargs):
                each.annotation = None
    return ast.unparse(ast.fix_missing_locations(tree))


def _is_left_out(node: ast.stmt) -> bool:
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or (isinstance(node, ast.ImportFrom) and node.module in ("__future__", "typing"))


def _plain(node: ast.stmt) -> ast.stmt:
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        return ast.Assign([node.target], node.value, lineno=node.lineno)
    return node


_RUN = "import sys;exec(compile(sys.stdin.buffer.read(int(sys.stdin.buffer.readline())).decode(),'jdbpy','exec'))"
"""A Python that reads its program from standard input: the length on a line, then so many bytes."""


def python_words(python: str) -> list[str]:
    """Return the command line that runs the program with a Python of this machine."""
    return [python, "-I", "-S", "-u", "-c", _RUN]


def shell_script() -> str:
    """Return a command for a remote shell: a Python that waits for the program, or a script if there is no Python."""
    run = shlex.quote(_RUN)
    return (
        "for p in python3 python3.12 python3.11 python3.9 python3.6 /usr/libexec/platform-python; do\n"
        f"  if command -v $p >/dev/null 2>&1; then echo python; exec $p -u -c {run}; fi\n"
        f"done\n{_SHELL}"
    )


_SHELL = r"""
if command -v perl >/dev/null 2>&1 && perl -MSocket -e 1 2>/dev/null; then by=perl
elif command -v socat >/dev/null 2>&1; then by=socat
elif command -v jcmd >/dev/null 2>&1; then by=jcmd
else echo none; exit 0; fi
echo shell
no() { echo "!$1"; echo .; }
threads() {
  d=$(mktemp -d /proc/$1/root/tmp/jdbpy-threads-$1-XXXXXX 2>/dev/null) || {
    d=; no "no directory can be made in the /tmp of the JVM $1"; return; }
  said=$(ask $1 jcmd "Thread.dump_to_file -format=json /tmp/${d##*/}/threads.json" "" "")
  if [ -f $d/threads.json ] && [ ! -L $d/threads.json ]; then echo 0; sed 's/^/|/' $d/threads.json; echo
  else case $said in !*) echo "${said%.}";; *) echo "!the JVM has written no file of its threads";; esac; fi
  away; echo .
}
away() { [ -z "$d" ] || { rm -f $d/threads.json; rmdir $d; }; d=; }
trap away EXIT; trap 'exit 1' HUP INT TERM
ask() {
  P=/proc/$1
  [ -d $P ] || { no "the process $1 does not exist"; return; }
  grep -q libjvm.so $P/maps 2>/dev/null || { no "the process $1 is not a JVM of this user"; return; }
  grep -q libj9 $P/maps && { no "the process $1 is an OpenJ9 JVM, which has another attach mechanism"; return; }
  case $(sed -n 's/^State:[[:space:]]*//p' $P/status) in [Tt]*)
    no "the JVM $1 is stopped (by SIGSTOP, or another debugger) and cannot answer"; return;; esac
  if grep -q DisableAttachMechanism $P/cmdline; then
    no "the JVM $1 was started with -XX:+DisableAttachMechanism: it answers nobody"; return; fi
  if [ $by = jcmd ]; then
    [ "$2" = jcmd ] || { no "without python3, perl or socat there only diagnostic commands can be run"; return; }
    echo 0; jcmd $1 "$3" 2>&1 | sed '1{/^[0-9]*:$/d;};s/^/|/'; echo .; return; fi
  n=$(sed -n 's/^NSpid:.*[[:space:]]//p' $P/status); n=${n:-$1}; s=$P/root/tmp/.java_pid$n
  if [ -e $s ] || [ -L $s ]; then
    if [ -L $s ] || [ ! -S $s ] || [ ! -O $s ]; then no "$s is not a socket of the JVM $1 and this user"; return; fi
  else
    case $(sed -n 's/^SigCgt:[[:space:]]*//p' $P/status) in *[4-7c-f]) ;; *)
      no "the JVM $1 does not catch the signal that opens its attach socket: it would end"; return;; esac
    f=$P/cwd/.attach_pid$n; (set -C; : > $f) 2>/dev/null || { f=$P/root/tmp/.attach_pid$n
      (set -C; : > $f) 2>/dev/null || {
        no "no file can be made that asks the JVM $1 for its attach socket"; return; }; }
    kill -QUIT $1 2>/dev/null; i=0
    while [ ! -S $s ] && [ $i -lt 50 ]; do i=$((i+1)); sleep 0.1 2>/dev/null || { sleep 1; i=$((i+9)); }; done
    rm -f $f
    [ -S $s ] && [ ! -L $s ] && [ -O $s ] || { no "the JVM $1 has opened no attach socket within 5 seconds"; return; }
  fi
  if [ $by = perl ]; then perl -e '
    use Socket; my ($s, @w) = @ARGV; socket(S, PF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un($s)) or die "!$!\n";
    syswrite S, join("\0", "1", @w, ("") x (4 - @w)) . "\0"; $/ = "\n"; my $first = <S>; print $first;
    print "|$_" while <S>; print "\n"' $s "$2" "$3" "$4" "$5" 2>&1
  else printf '1\0%s\0%s\0%s\0%s\0' "$2" "$3" "$4" "$5" | socat -t 600 - UNIX-CONNECT:$s 2>&1 | sed '2,$s/^/|/'; echo
  fi
  echo .
}
while IFS= read -r pid && IFS= read -r a && IFS= read -r b && IFS= read -r c && IFS= read -r e; do
  if [ "$a" = threads ]; then threads "$pid"; else ask "$pid" "$a" "$b" "$c" "$e"; fi
done
"""
"""Requests are five lines: the process, the command, three arguments. An answer is the status on a line, lines of text,
each behind a bar, and a dot; an error is a line behind an exclamation mark, and a dot."""


class ShellChannel(ProgramChannel):
    """As ``ProgramChannel``, for machines without Python: a shell script uses perl, socat or jcmd."""

    async def begin(self) -> None:
        """Do nothing: the script is on the command line."""

    async def ask(self, *words: str, limit: float = ANSWER_LIMIT) -> tuple[int, str]:
        """As ``AttachChannel``."""
        if any("\n" in word for word in words):
            raise AttachError("a request has no line ends")
        with trio.move_on_after(limit):
            async with self._one:
                while self._unread:
                    await self._lines()
                    self._unread -= 1
                self._unread += 1
                asked = [str(self.pid), *words, *[""] * (4 - len(words))]
                await self._send("".join(f"{each}\n" for each in asked).encode("utf-8", "surrogateescape"))
                lines = await self._lines()
                self._unread -= 1
            return _shell_answer(lines)
        raise AttachError(f"the JVM {self.pid} has not answered within {limit:g} seconds")

    async def thread_file(self) -> bytes:
        """As ``AttachChannel``."""
        return (await self.ask("threads", limit=LONG_LIMIT))[1].encode()

    async def counters(self) -> bytes:
        """Return b"": the counters are not available."""
        return b""

    async def facts(self) -> dict[str, Any]:
        """Return no facts: the script checks the process at each request."""
        return {}

    async def _lines(self) -> list[str]:
        parts, size, end = [self._read], len(self._read), self._read[-3:]
        self._read = b""
        try:
            while not (end == b"\n.\n" or (end == b".\n" and size == 2)):
                if size > MOST_BYTES:
                    raise AttachError(f"the answer of the JVM {self.pid} has more than {MOST_BYTES:,} bytes")
                parts.append(await self._receive())
                size, end = size + len(parts[-1]), (end + parts[-1])[-3:]
        except BaseException:
            self._read = b"".join(parts)
            raise
        return b"".join(parts).decode("utf-8", "replace").split("\n")[:-2]


def _shell_answer(lines: list[str]) -> tuple[int, str]:
    first = lines[0] if lines else ""
    if first.startswith("!"):
        raise AttachError(first[1:])
    if not first.strip().lstrip("-").isdigit():
        raise AttachError(f"the program there answers what cannot be read: {first[:80]!r}")
    return int(first), "\n".join(line.removeprefix("|") for line in lines[1:]).rstrip("\n") + "\n"


def in_session(error: AttachError) -> StateError:
    """Return the session's error for a request that the JVM, or the connection to it, does not answer."""
    return StateError(error.message, hint=error.hint, code="NO_ANSWER")


def at_opening(error: AttachError) -> ConnectError:
    """Return the error for a session that cannot be opened."""
    return ConnectError(error.message, hint=error.hint)
