"""The beginning of a connection, seen from the client: its first line, and the refusal that may answer it."""

from __future__ import annotations

import getpass
import os

from jdbpy import ConnectError, JdbpyError, UsageError
from jdbpy.serve import sockets
from jdbpy.serve.lines import Message

VERSION = 1
"""The version of the lines between a session and those who join it."""


def greeting(token: str, client: str) -> Message:
    """Return the first line of a client. The token may come from the environment."""
    try:
        name = client or getpass.getuser()
    except (KeyError, OSError):
        name = "client"
    return {"jdbpy": VERSION, "name": name, "token": token or os.environ.get(sockets.TOKEN, "")}


def error_of(message: Message) -> JdbpyError:
    """Return the error that the session has sent instead of an answer."""
    told = message.get("error")
    found = told if isinstance(told, dict) else {}
    code, text, hint = (str(found.get(key, "")) for key in ("code", "message", "hint"))
    kind = ConnectError if code in ("ENDED", "WRONG_TOKEN", "WRONG_VERSION") else UsageError
    return kind(text or "the session has refused the connection", hint=hint, code=code)
