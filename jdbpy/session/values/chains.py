"""Long chains of nodes: followed from one to the next, or looked for in the heap, which lists all of a class at once.

Following takes a trip for each node, which is what a list of 100,000 elements is slow by. While everything is suspended
the agent may as well list the instances of the nodes' class (the VM stands still for that, as it does anyway). All of
them are read side by side, and the chain is put together here.
"""

from __future__ import annotations

from collections.abc import Sequence

import trio

from jdbpy.errors import JdbpyError, JdwpError, ProtocolError
from jdbpy.session.jvm.refs import Field, as_declared
from jdbpy.session.values.batched_reads import get_fields
from jdbpy.session.values.walk import LEFT_OUT
from jdbpy.wire.connection import Connection
from jdbpy.wire.ids import ObjectID, ReferenceTypeID, TaggedValue
from jdbpy.wire.messages import object_reference, reference_type, virtual_machine
from jdbpy.wire.pending import Pending

_AT_ONCE = 2_000
"""Nodes that are read in one wave: what a cancelled reading leaves to the target."""

_MOST_INSTANCES = 1_000_000


class ChainWalk:
    """A chain of nodes that is followed where its replies come in: each submits the question for the next node."""

    def __init__(
        self, conn: Connection, fields: Sequence[Field], want: int, spare: int, *, skip_empty: bool, in_part: bool
    ) -> None:
        self.items: list[TaggedValue] = []
        self.received: list[TaggedValue] = []
        """Items and nodes of the chain, as they were sent."""
        self.lost = False
        self._conn = conn
        self._fields = fields
        self._want = want
        self._spare = spare
        self._skip_empty = skip_empty
        self._in_part = in_part
        self._known: dict[int, tuple[TaggedValue, TaggedValue]] = {}
        self._pending: Pending[object_reference.GetValuesReply] | None = None
        self._error: JdbpyError | None = None
        self._ended = trio.Event()

    async def run(self, first: int, *, from_heap: bool = False) -> None:
        """Follow the chain to its end. Cancelled, it asks for no further node."""
        if from_heap:
            await self._read_instances(first)
        with self._conn.corked:
            self._ask(first)
        try:
            await self._ended.wait()
        except BaseException:
            if self._pending is not None:
                self._pending.abandon()
            raise
        self._dispose()
        if self._error is not None:
            raise self._error

    async def _read_instances(self, first: int) -> None:
        """Read the nodes' class from the heap, as many instances as the chain can have, and some more."""
        node_class = ReferenceTypeID(self._fields[1].type_id)
        most = min(2 * self._want + self._spare, _MOST_INSTANCES)
        [found] = await self._conn.batch([reference_type.Instances(node_class, most)])
        if isinstance(found, JdwpError):
            return
        nodes = [int(each.objectID) for each in found.instances if each.objectID]
        for start in range(0, len(nodes), _AT_ONCE):
            part = nodes[start : start + _AT_ONCE]
            for node, outcome in zip(
                part, await self._conn.batch([get_fields(each, self._fields) for each in part]), strict=True
            ):
                if not isinstance(outcome, JdwpError):
                    item, link = as_declared(self._fields, outcome.values)
                    self._known[node] = item, link

    def _dispose(self) -> None:
        """Give back the ids of nodes of other chains: once of the times that they were sent. wire: no wait."""
        if self._known and self._conn.close_reason is None:
            self._conn.submit(
                virtual_machine.DisposeObjects([virtual_machine.Request(ObjectID(each), 1) for each in self._known])
            )

    def _ask(self, node: int) -> None:
        while node in self._known:
            node = self._take(*self._known.pop(node))
            if not node:
                self._end(None)
                return
        try:
            self._pending = self._conn.submit(get_fields(node, self._fields), on_reply=self._answered)
        except JdbpyError as error:
            self._end(error)

    def _answered(self, outcome: object_reference.GetValuesReply | JdbpyError) -> None:
        if isinstance(outcome, JdbpyError):
            left_out = isinstance(outcome, JdwpError) and outcome.number in LEFT_OUT
            self._end(None if left_out and self._in_part and self.items else outcome)
            return
        try:
            item, link = as_declared(self._fields, outcome.values)
        except ProtocolError as error:
            self._end(error)
            return
        following = self._take(item, link)
        if following:
            self._ask(following)
        else:
            self._end(None)

    def _take(self, item: TaggedValue, link: TaggedValue) -> int:
        """Take in a node; return the next one, 0 at the end."""
        self.received += item, link
        if item.value or not self._skip_empty:
            self.items.append(item)
        else:
            self._spare -= 1
            self.lost = self._spare < 0
        if self.lost or len(self.items) >= self._want:
            return 0
        return int(link.value or 0)

    def _end(self, error: JdbpyError | None) -> None:
        self._error = error
        self._ended.set()
