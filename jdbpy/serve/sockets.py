"""The places of served sessions: a socket each in the user's runtime directory, or a port with a token.

Owns names, the directory and its owner, sockets that a process has left behind, and the way to a session. Everything
here is of this user alone: the directory has mode 0700, a socket 0600, and what belongs to another user is refused.
"""

from __future__ import annotations

import os
import re
import socket
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

import trio

from jdbpy import ConnectError, UsageError
from jdbpy.escape import escape
from jdbpy.task_groups import require_trio

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,39}")
"""Names of sessions: safe as names of files."""

_ENDING = ".sock"

_LOCK = ".lock"
"""The file that is locked while a socket is made or removed."""

TOKEN = "JDBPY_TOKEN"
"""The variable of the environment with the token of a session on a port."""


def check_name(name: str) -> str:
    """Return the name, if a session can be called so. Raises UsageError."""
    if NAME.fullmatch(name) is None:
        raise UsageError(
            f"'{escape(name[:60])}' is not a valid session name", hint="letters, digits, '.', '_' and '-', at most 40"
        )
    return name


def name_for(text: str) -> str:
    """Return a name made of an address or a class."""
    found = re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:40]
    return found if NAME.fullmatch(found) else "session"


def directory(environ: Mapping[str, str] = os.environ, *, create: bool = False) -> str:
    """Return the user's directory of sockets; "" if there is none and it is not to be made.

    It is ``jdbpy`` in XDG_RUNTIME_DIR, else one of the user's own below the directory for temporary files. Raises
    UsageError where it belongs to another user, or others may write to it.
    """
    if not hasattr(socket, "AF_UNIX"):
        raise UsageError("this system has no Unix sockets", hint="--port serves on a port", code="NO_SOCKETS")
    above = environ.get("XDG_RUNTIME_DIR", "")
    path = os.path.join(above, "jdbpy") if os.path.isabs(above) else ""
    path = path or os.path.join(tempfile.gettempdir(), f"jdbpy-{os.getuid()}")
    if create:
        with suppress(FileExistsError):
            try:
                os.mkdir(path, 0o700)
            except FileExistsError:
                raise
            except OSError as error:
                reason = error.strerror or str(error)
                raise UsageError(f"the directory for sockets cannot be made: {reason}", code="NO_DIRECTORY") from error
    try:
        found = os.lstat(path)
    except OSError:
        return ""
    if not stat.S_ISDIR(found.st_mode):
        raise UsageError("the directory for sockets is not a directory", code="NOT_TRUSTED")
    if found.st_uid != os.getuid():
        raise UsageError("the directory for sockets belongs to another user", code="NOT_TRUSTED")
    if found.st_mode & 0o077:
        raise UsageError(
            "others may look into the directory for sockets", hint="its mode must be 0700", code="NOT_TRUSTED"
        )
    return path


def names() -> list[str]:
    """Return the names of all sockets in the directory, also those whose process has gone. Raises as ``directory``."""
    path = directory()
    found = os.listdir(path) if path else []
    return sorted(each.removesuffix(_ENDING) for each in found if each.endswith(_ENDING))


async def listen(name: str) -> tuple[str, trio.SocketListener]:
    """Return the name that a session has got, and its socket: this name, or a similar one that is free.

    Raises UsageError where the socket cannot be made.
    """
    path, chosen, number = directory(create=True), check_name(name), 1
    own = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _locked(path):
            while is_served(path, chosen):
                number += 1
                chosen = f"{name[:36]}-{number}"
            with suppress(FileNotFoundError):
                os.unlink(_path(path, chosen))
            before = os.umask(0o177)
            try:
                own.bind(_path(path, chosen))
            finally:
                os.umask(before)
            own.listen(16)
    except OSError as error:
        own.close()
        reason = error.strerror or str(error)
        raise UsageError(f"the socket for the session cannot be made: {reason}", code="NO_SOCKET") from error
    return chosen, trio.SocketListener(trio.socket.from_stdlib_socket(own))


@contextmanager
def _locked(path: str) -> Iterator[None]:
    """Keep other processes from making or removing sockets in the directory. What is done in the block must not wait.

    A socket refuses callers between ``bind`` and ``listen``, as one does whose process has gone.
    """
    import fcntl  # Unix alone has it, as it has the sockets

    lock = os.open(os.path.join(path, _LOCK), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def remove(name: str) -> None:
    """Take away the socket of a session that is over."""
    with suppress(OSError, UsageError):
        if path := directory():
            os.unlink(_path(path, name))


def _remove_left_over(path: str, name: str) -> None:
    """Take away a socket that a process has left behind, unless another one serves a session of that name by now."""
    with suppress(OSError), _locked(path):
        if not is_served(path, name):
            os.unlink(_path(path, name))


def is_served(path: str, name: str) -> bool:
    """True if a process listens at the socket of that name, be it busy with other callers."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
        caller.setblocking(False)
        try:
            caller.connect(_path(path, name))
        except BlockingIOError:
            return True
        except OSError:
            return False
    return True


async def reach(name: str) -> trio.SocketStream:
    """Return a connection to a session by its name; "" is the only one there is. Raises ConnectError, UsageError."""
    require_trio()
    if _is_address(name):
        return await _reach_port(name)
    if name:
        check_name(name)
    path = directory()
    known = names() if path else []
    if not name:
        alive = [each for each in known if is_served(path, each)]
        if not alive:
            raise ConnectError("no session is served", hint="'jdbpy serve attach PORT' serves one", code="NO_SESSION")
        if len(alive) > 1:
            raise UsageError("several sessions are served", hint=f"name one: {', '.join(alive)}", code="NAME_NEEDED")
        [name] = alive
    elif name not in known:
        there = f"served: {', '.join(known)}" if known else "'jdbpy serve attach PORT' serves one"
        raise ConnectError(f"no session is called '{name}'", hint=there, code="NO_SESSION")
    try:
        found = os.lstat(_path(path, name))
        if found.st_uid != os.getuid():
            raise ConnectError(f"the socket of session '{name}' belongs to another user", code="NOT_TRUSTED")
        return await trio.open_unix_socket(_path(path, name))
    except (FileNotFoundError, ConnectionRefusedError) as error:
        _remove_left_over(path, name)
        raise ConnectError(
            f"session '{name}' is over: the process that served it has gone",
            hint="'jdbpy sessions' lists those that are served",
            code="NO_SESSION",
        ) from error
    except OSError as error:
        raise ConnectError(f"session '{name}' cannot be reached: {error.strerror or error}") from error


def same_user(stream: trio.SocketStream) -> bool:
    """True if the process at the other end of a Unix socket is this user's, as far as the system reports it."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None or stream.socket.family != socket.AF_UNIX:
        return True
    found = stream.socket.getsockopt(socket.SOL_SOCKET, option, 12)
    return int.from_bytes(found[4:8], sys.byteorder) in (os.getuid(), 0)


def _path(directory: str, name: str) -> str:
    return os.path.join(directory, name + _ENDING)


def _is_address(name: str) -> bool:
    _, colon, port = name.rpartition(":")
    return bool(colon) and port.isascii() and port.isdigit()


async def _reach_port(address: str) -> trio.SocketStream:
    host, _, port = address.rpartition(":")
    try:
        return await trio.open_tcp_stream(host.strip("[]") or "127.0.0.1", int(port))
    except (OSError, OverflowError) as error:
        tried = error.__cause__ if isinstance(error.__cause__, BaseExceptionGroup) else None
        refused = tried is not None and tried.split(ConnectionRefusedError)[1] is None  # by all addresses
        reason = "connection refused" if refused else getattr(error, "strerror", None) or str(error)
        raise ConnectError(f"no session can be reached at {escape(address)}: {reason}") from error
