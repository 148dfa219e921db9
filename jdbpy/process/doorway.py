"""Who is let in at a port: connections that have not shown their token yet are few, brief and small.

Any user of the machine can connect to a port of it. What a stranger can take is a place before the token, for a while:
those who have shown it have places of their own, and the oldest of the others makes way for who comes next. So nobody
locks out the owner, who shows the token at once.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from contextlib import contextmanager

import trio

from jdbpy.errors import UsageError

GREETING_LIMIT = 10.0
"""Seconds that a connection has for showing its token."""

MOST_WAITING = 64
"""Connections without a token; a further one takes the place of the oldest."""

MOST_GREETING = 64 * 1024
"""Bytes of a message of who has not shown the token."""

SHORTEST_TOKEN = 16


def same_token(given: str, expected: str) -> bool:
    """True if a text is the token; how long this takes does not depend on where they differ."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), expected.encode())


def check_token(token: str, variable: str) -> str:
    """Return a token that the user has chosen. Raises UsageError for one that can be guessed, or not be sent."""
    if token and not (token.isascii() and token.isprintable() and len(token) >= SHORTEST_TOKEN):
        raise UsageError(f"{variable} must have at least {SHORTEST_TOKEN} printable characters")
    return token


class Doorway:
    """The connections to one port, or one socket."""

    def __init__(self, most: int, limit: float = GREETING_LIMIT, most_waiting: int = MOST_WAITING) -> None:
        """``most`` is how many may be inside at once, ``limit`` the seconds for coming in."""
        self.most = most
        self.limit = limit
        self.most_waiting = most_waiting
        self.waiting: list[Visitor] = []
        self.inside: set[Visitor] = set()

    @contextmanager
    def visited(self) -> Iterator[Visitor]:
        """Give a connection a place before the door while it is served; the block is cancelled if it has to go."""
        if len(self.waiting) >= self.most_waiting:
            self.waiting.pop(0).scope.cancel()
        visitor = Visitor(self, trio.CancelScope(deadline=trio.current_time() + self.limit))
        self.waiting.append(visitor)
        try:
            with visitor.scope:
                yield visitor
        finally:
            if visitor in self.waiting:
                self.waiting.remove(visitor)
            self.inside.discard(visitor)


class Visitor:
    """A connection at a doorway."""

    def __init__(self, doorway: Doorway, scope: trio.CancelScope) -> None:
        self.scope = scope
        self._doorway = doorway

    def enter(self) -> None:
        """Give the connection, which has shown its token, a place inside for as long as it likes.

        Raises UsageError when these are taken.
        """
        doorway = self._doorway
        if self in doorway.inside:
            return
        if len(doorway.inside) >= doorway.most:
            raise UsageError(f"{doorway.most} clients are connected, and no more are served", code="TOO_MANY")
        if self in doorway.waiting:
            doorway.waiting.remove(self)
        doorway.inside.add(self)
        self.scope.deadline = float("inf")
