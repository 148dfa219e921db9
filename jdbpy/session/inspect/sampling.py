"""The places where threads spend their time, by looking at their stacks again and again.

Owns one look: suspend, frames of all threads and resume leave in one segment, so that the target stands still for as
long as the agent takes to answer, and no longer; before release 21 for one trip more, as only a thread that is listed
then is known not to be ending. Method events would tell calls one by one, and slow the target many
times over; looks cost it the same whatever it does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

import trio

from jdbpy.errors import JdwpError, StateError
from jdbpy.record import Record
from jdbpy.session.events.target import Target
from jdbpy.wire.ids import ReferenceTypeID, ThreadID
from jdbpy.wire.messages import thread_reference, virtual_machine

_ALL = -1

_SHARE = 4
"""How much longer than a look the pause before the next one is, at least."""

Key = tuple[int, int]
"""Type and method."""


class MethodTime(Record):
    """Seconds that threads have spent in a method: in all, and at its own code, without what it called.

    Seconds of several threads add up. ``looks`` is how many looks have found a thread in it.
    """

    class_name: str
    method: str
    total: float
    own: float
    looks: int


class Sampled(Record):
    """The findings of looks for ``seconds``: methods by total time, the longest first.

    ``looks`` were made; ``held_up`` is the longest time, in seconds, from sending a look to its last answer.
    """

    methods: tuple[MethodTime, ...]
    seconds: float
    looks: int
    held_up: float


class SampledStacks(Record):
    """Stacks that looks have found: the name of the thread, its frames as ``Class.method``, the outermost first, and
    seconds. ``looks`` and ``held_up`` as in ``Sampled``.
    """

    stacks: tuple[tuple[str, tuple[str, ...], float], ...]
    seconds: float
    looks: int
    held_up: float


class Sampler:
    """Looks at all threads of one target from ``run`` on, until that is cancelled or the time is over."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._total: dict[Key, float] = {}
        self._own: dict[Key, float] = {}
        self._looks: Counter[Key] = Counter()
        self._begun = 0.0
        self._last = 0.0
        self._count = 0
        self._held_up = 0.0
        self._stacks: dict[tuple[int, tuple[Key, ...]], float] = {}
        self.keep_stacks = False
        """True if whole stacks are kept, by thread, for ``stacks_found``."""

    async def run(self, seconds: float | None = None, every: float = 0.01) -> None:
        """Look every so many seconds. Raises StateError when the target stands still, or may not be suspended.

        wire: 2 trips a look.
        """
        target = self._target
        target.require_alive()
        target.conn.require_allowed(virtual_machine.Suspend)
        self._begun = self._last = trio.current_time()
        while seconds is None or trio.current_time() - self._begun < seconds:
            before = trio.current_time()
            if not target.invocations.any:
                if target.suspension.everything_held:
                    raise StateError("all threads are suspended: no time is spent in methods")
                await self._look()
            took = trio.current_time() - before
            pause = max(every - took, _SHARE * took)
            if seconds is not None:
                pause = min(pause, max(0.0, self._begun + seconds - trio.current_time()))
            await trio.sleep(pause)

    async def _look(self) -> None:
        target, conn = self._target, self._target.conn
        if target.ending.matter:
            begun = trio.current_time()
            with target.frozen():
                sampled = self._sampled(await target.ending.list_threads())
                with conn.corked:
                    asked = [conn.submit(thread_reference.Frames(thread, 0, _ALL)) for thread in sampled]
        else:
            sampled = self._sampled(await target.ending.list_threads())
            begun = trio.current_time()
            with conn.corked, target.frozen():
                asked = [conn.submit(thread_reference.Frames(thread, 0, _ALL)) for thread in sampled]
        replies = await conn.gather(asked)
        now = trio.current_time()
        self._held_up = max(self._held_up, now - begun)
        passed, self._last = now - self._last, now
        self._count += 1
        for thread, reply in zip(sampled, replies, strict=True):
            if not isinstance(reply, JdwpError) and reply.frames:
                stack = [(frame.location.classID, frame.location.methodID) for frame in reply.frames]
                self._add(stack, passed)
                if self.keep_stacks:
                    key = int(thread), tuple(stack)
                    self._stacks[key] = self._stacks.get(key, 0.0) + passed

    def _sampled(self, threads: Iterable[ThreadID]) -> list[ThreadID]:
        left_out = self._target.suspension.own | self._target.frameless
        return [thread for thread in threads if thread not in left_out]

    def _add(self, stack: Sequence[Key], seconds: float) -> None:
        top = stack[0]
        self._own[top] = self._own.get(top, 0.0) + seconds
        for key in set(stack):
            self._total[key] = self._total.get(key, 0.0) + seconds
            self._looks[key] += 1

    async def result(self, pattern: str = "*") -> Sampled:
        """Return what was found so far, of the methods whose class, or ``Class.method``, fits the pattern.

        wire: 2 trips for classes that are new.
        """
        keys = list(self._total)
        names = await self._names({ReferenceTypeID(type_id) for type_id, _ in keys})
        found = []
        for key in keys:
            class_name, methods = names.get(key[0], ("?", {}))
            method = methods.get(key[1], "?")
            if fits(pattern, class_name, method):
                found.append(
                    MethodTime(class_name, method, self._total[key], self._own.get(key, 0.0), self._looks[key])
                )
        found.sort(key=lambda each: (-each.total, each.class_name, each.method))
        return Sampled(tuple(found), self._last - self._begun, self._count, self._held_up)

    async def stacks_found(self) -> SampledStacks:
        """Return the stacks that were found so far. wire: 3 trips for classes and threads that are new."""
        names = await self._names({ReferenceTypeID(type_id) for type_id, _ in self._total})
        threads = list({thread for thread, _ in self._stacks})
        conn = self._target.conn
        replies = await conn.gather([conn.submit(thread_reference.Name(ThreadID(thread))) for thread in threads])
        thread_names = {
            thread: "[thread that has ended]" if isinstance(reply, JdwpError) else reply.threadName
            for thread, reply in zip(threads, replies, strict=True)
        }

        def full(key: Key) -> str:
            class_name, methods = names.get(key[0], ("?", {}))
            return f"{class_name}.{methods.get(key[1], '?')}"

        found = tuple(
            (thread_names[thread], tuple(full(key) for key in reversed(stack)), seconds)
            for (thread, stack), seconds in self._stacks.items()
        )
        return SampledStacks(found, self._last - self._begun, self._count, self._held_up)

    async def _names(self, type_ids: Iterable[ReferenceTypeID]) -> dict[int, tuple[str, dict[int, str]]]:
        types, wanted = self._target.types, list(type_ids)
        infos = await types.info(wanted)
        declared = await types.methods(wanted)
        return {
            each: (info.name, {method.id: method.name for method in declared.get(each, ())})
            for each, info in infos.items()
        }


def fits(pattern: str, class_name: str, method: str) -> bool:
    """True if a pattern means the class, or the method of it: ``com.acme.*``, ``Prices``, ``*.Prices.find``."""
    full = f"{class_name}.{method}"
    return any(fnmatchcase(text, wanted) for text in (class_name, full) for wanted in (pattern, f"*.{pattern}"))
