"""Files that the user has asked for, and files that jdbpy obeys.

Owns how both are opened. The former hold values of the debugged program: they are for their owner only, and are written
to regular files of the user's own, never through a link, a pipe or a device that another user may have put there. The
latter run commands: they count only if no other user can have written them.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import BinaryIO

HARMLESS = ("/dev/null", "/dev/tty")
"""Devices that may be named for a file: nothing is kept there that others could read."""

_CAREFULLY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


def config_directory(environ: Mapping[str, str] = os.environ) -> str:
    """Return the directory of the user's own configuration, ``$XDG_CONFIG_HOME/jdbpy``; "" where there is no home.

    By default it is below ``~/.config``. XDG wants an absolute path and has relative ones ignored.
    """
    config = environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(config):
        home = environ.get("HOME", "")
        if not os.path.isabs(home):
            return ""
        config = os.path.join(home, ".config")
    return os.path.join(config, "jdbpy")


def state_directory(environ: Mapping[str, str] = os.environ) -> str:
    """Return the directory of what is kept between runs, ``$XDG_STATE_HOME/jdbpy``, by default below
    ``~/.local/state``; "" where there is no home, as in the container of a nameless user."""
    state = environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(state):
        home = environ.get("HOME", "")
        if not os.path.isabs(home):
            return ""
        state = os.path.join(home, ".local", "state")
    return os.path.join(state, "jdbpy")


def configured_plugins(environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return the files ``*.py`` of the folder ``plugins`` in the configuration, by name."""
    directory = os.path.join(config_directory(environ) or os.devnull, "plugins")
    try:
        return [os.path.join(directory, each) for each in sorted(os.listdir(directory)) if each.endswith(".py")]
    except OSError:
        return []


def open_private(path: str, *, append: bool = False) -> int:
    """Return a descriptor of the file at ``path``, mode 0600, emptied unless ``append``; it is made if it is missing.

    Raises OSError, whose ``strerror`` says why: for a link, a pipe, a device or a file of another user as well.
    """
    flags = os.O_WRONLY | os.O_CREAT | _CAREFULLY | (os.O_APPEND if append else 0)
    try:
        handle = os.open(path, flags, 0o600)
    except OSError as error:
        raise _explained(error, path) from error
    try:
        _require_own_file(handle, path)
        if not append and path not in HARMLESS:
            os.ftruncate(handle, 0)
        os.set_blocking(handle, True)
    except BaseException:
        os.close(handle)
        raise
    return handle


def open_regular(path: str) -> BinaryIO:
    """Return the regular file at ``path``, open for reading; nothing is waited for, as a pipe would have it.

    Raises OSError, whose ``strerror`` says why.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        status = os.fstat(handle)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, f"it is {_kind(status.st_mode)}", path)
        return open(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def append_lines(path: str, lines: Iterable[str]) -> None:
    """Append lines to the private file at ``path``. Raises OSError, as ``open_private``."""
    with open(open_private(path, append=True), "a", encoding="utf-8", errors="backslashreplace") as file:
        file.write("".join(f"{line}\n" for line in lines))


def write_whole(path: str, lines: Iterable[str], *, replace: bool = False) -> None:
    """Write a private file at once: it has all the lines, or is what it was. Raises OSError, as ``open_private``.

    A file that is there raises FileExistsError unless ``replace`` is given.
    """
    if path in HARMLESS:
        append_lines(path, lines)
        return
    if replace:
        with suppress(FileNotFoundError):
            os.close(open_private(path, append=True))  # refuses what is not to be replaced
    elif os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, "it exists already", path)
    beside, handle = _open_beside(path)
    try:
        with open(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write("".join(f"{line}\n" for line in lines))
        if replace:
            os.replace(beside, path)
        else:
            move_to_new(beside, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise


def beside_new_file(path: str) -> str:
    """Make an empty private file beside the one that is to be at ``path``, and return its path, for ``move_to_new``.

    Raises FileExistsError if there is a file already, and OSError, as ``open_private``.
    """
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, "it exists already", path)
    beside, handle = _open_beside(path)
    os.close(handle)
    return beside


def _open_beside(path: str) -> tuple[str, int]:
    """Return a new private file in the same directory: its path and its descriptor. Raises OSError."""
    directory, name = os.path.split(path)
    beside = os.path.join(directory, f".{name}.{os.getpid()}")
    try:
        return beside, os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CAREFULLY, 0o600)
    except OSError as error:
        raise _explained(error, path) from error


def why_not_trusted(path: str, *, by_group: bool = True) -> str:
    """Return why the commands of the file at ``path`` must not be run; "" if no other user can have written them.

    The file and the directories in which it stands, those of a link among them, must belong to this user or to root,
    and no other user may write them. ``by_group`` False: their group may, as in a project that people share. Above
    these, no directory may let everybody replace what is in it, as one without the sticky bit does.
    """
    if not hasattr(os, "geteuid"):  # such rights are not known here
        return ""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        try:
            status = os.fstat(handle)
        finally:
            os.close(handle)
        if not stat.S_ISREG(status.st_mode):
            return "it is not a regular file"
        others = stat.S_IWOTH | (stat.S_IWGRP if by_group else 0)
        if reason := _not_ours(status, others):
            return f"it {reason}"
        whole = (os.path.dirname(os.path.abspath(path)), os.path.dirname(os.path.realpath(path)))
        for directory in dict.fromkeys(whole):
            if reason := _not_ours(os.stat(directory), others):
                return f"its directory {reason}"
        for directory in dict.fromkeys(above for each in whole for above in _above(each)):
            status = os.stat(directory)
            if reason := _not_ours(status, 0 if status.st_mode & stat.S_ISVTX else stat.S_IWOTH):
                return f"a directory above it {reason}"
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    return ""


def _above(directory: str) -> Iterator[str]:
    """Yield the directories in which a directory stands, up to the root."""
    while (parent := os.path.dirname(directory)) != directory:
        directory = parent
        yield directory


def _not_ours(status: os.stat_result, others: int) -> str:
    if status.st_uid not in (os.geteuid(), 0):
        return "belongs to another user"
    if status.st_mode & others:
        return "may be written by others"
    return ""


def _require_own_file(handle: int, path: str) -> None:
    if path in HARMLESS:
        return
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, f"it is {_kind(status.st_mode)}", path)
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        raise OSError(errno.EPERM, "it belongs to another user", path)
    if hasattr(os, "fchmod"):
        os.fchmod(handle, 0o600)  # the mode given to open() is for new files only


def _explained(error: OSError, path: str) -> OSError:
    """Return the error in terms of the file: the system's words for a link or a pipe do not say what is wrong."""
    with suppress(OSError):
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode) and error.errno in (errno.ELOOP, errno.ENXIO, errno.EMLINK):
            return OSError(errno.EINVAL, f"it is {_kind(status.st_mode)}", path)
    return error


def _kind(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "a symbolic link"
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"


def move_to_new(beside: str, path: str) -> None:
    """Give a file its name unless that is taken meanwhile. Raises FileExistsError."""
    try:
        os.link(beside, path)
    except FileExistsError as error:
        raise FileExistsError(errno.EEXIST, "it exists already", path) from error
    except OSError:  # a file system without links
        os.replace(beside, path)
    else:
        os.unlink(beside)
