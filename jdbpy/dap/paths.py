"""Paths of the client and of this machine: URIs, mapped roots, and the place in a source that a path names.

The client may see the sources elsewhere than the adapter: in a container, on Windows. What it says and what it is told
goes through the mappings of its configuration (``pathMappings``); a breakpoint needs the package only.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from urllib.parse import quote, unquote, urlsplit

from jdbpy.identifiers import IDENTIFIER
from jdbpy.record import Record

PART_OF_PATH = re.compile(IDENTIFIER)
_OF_WINDOWS = re.compile(r"[A-Za-z]:|\\\\")


class PathMapping(Record):
    """A directory as the client sees it, and the same on the adapter's machine."""

    localRoot: str
    remoteRoot: str


class Paths:
    """The mapping between paths of one client and of this machine."""

    def __init__(self, *, uris: bool = False, mappings: Sequence[PathMapping] = ()) -> None:
        self._uris = uris
        self._roots = [(_root(each.localRoot), _root(each.remoteRoot), each.localRoot) for each in mappings]

    def of_client(self, path: str) -> str:
        """Return a path of the client as one of this machine, with slashes."""
        if self._uris and "://" in path:
            path = unquote(urlsplit(path).path)
            path = path[1:] if re.match(r"/[A-Za-z]:", path) else path
        plain = path.replace("\\", "/")
        for local, remote, _ in self._roots:
            if _begins(plain, local):
                return remote + plain[len(local) :]
        return plain

    def to_client(self, path: str) -> str:
        """Return a path of this machine as the client has it, absolute: its working directory is another one."""
        whole = path if os.path.isabs(path) else os.path.abspath(path)
        path = self._mapped(path) or self._mapped(whole) or whole
        if not self._uris:
            return path
        plain = path.replace("\\", "/")
        return f"file://{'' if plain.startswith('/') else '/'}{quote(plain, safe='/:')}"

    def _mapped(self, path: str) -> str:
        """Return a path of this machine below the client's root; "" if no mapping says one."""
        for _, remote, local in self._roots:
            if _begins(path, remote):
                path = local.rstrip("/\\") + path[len(remote) :]
                return path.replace("/", "\\") if _OF_WINDOWS.match(path) else path
        return ""


def _root(path: str) -> str:
    return path.replace("\\", "/").rstrip("/")


def _begins(path: str, root: str) -> bool:
    """True if the path is below a root; the letters of a drive of Windows are taken alike."""
    head = path[: len(root)]
    same = head.lower() == root.lower() if _OF_WINDOWS.match(root) else head == root
    return same and path[len(root) : len(root) + 1] in ("/", "")


class ClientSource(Record):
    """A source as the client names it."""

    name: str = ""
    path: str = ""
    sourceReference: int = 0
