"""Classes that points of other kinds than breakpoints wait for: those that a name means now, and each that comes later.

Owns their class prepare requests. These suspend the preparing thread until everything is set in the class; where a
read-only session may not suspend, a class that is loaded later runs on meanwhile, and its first hits may be missed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from jdbpy.errors import JdwpError
from jdbpy.session.concurrency import both
from jdbpy.session.events.requests import RESUME, EventRequest, RequestHit, RequestSpec, Vote
from jdbpy.session.events.target import Target
from jdbpy.session.java.class_names import ClassName, none_loaded, not_loaded, of_the_runtime, similar
from jdbpy.session.jvm.refs import RefType
from jdbpy.session.sources.local_classes import LONGEST_LOOK, LocalClasses
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy
from jdbpy.wire.ids import ReferenceTypeID
from jdbpy.wire.messages import event_request
from jdbpy.wire.pending import Pending

OnClass = Callable[[RefType], Awaitable[None]]


class ClassWatch:
    """Watches for one name. ``name`` is bound to the full name once a class is found that it means.

    ``of_the_jdk``: a short name may also be that of a class of the JDK which is loaded later.
    """

    def __init__(self, target: Target, name: ClassName, on_class: OnClass, *, of_the_jdk: bool = False) -> None:
        self.name = name
        self._typed = name
        self._of_the_jdk = of_the_jdk
        self._target = target
        self._on_class = on_class
        self._requests: list[EventRequest] = []
        self._is_open = False
        self.preparing: dict[ReferenceTypeID, int] = {}
        """The classes that ``on_class`` is told of now, each with the thread that prepares it and is held; 0: one that
        runs a method for the debugger, which waits until ``on_class`` is done."""

    async def open(self, base: ReferenceTypeID | None = None) -> list[RefType]:
        """Return the classes of today; ``on_class`` is called with those to come. With ``base`` only subclasses are
        watched for. Raises UsageError for an ambiguous name. wire: 1 trip, and 1, once, where only the JDK has the
        name.

        Watching begins before the listing, in one segment, so that no class can be loaded unseen in between.
        """
        types = self._target.types
        self._is_open = True
        await both(lambda: self._watch(base), types.all_classes)
        known = [each for each in types.all_known() if not each.is_array]
        chosen = await self._choose([each.name for each in known if self.name.needle in each.name])
        found = [each for each in known if each.name in chosen]
        if found:
            await self._bind(found[0].name, base)
        return found

    async def _choose(self, names: Sequence[str]) -> set[str]:
        """Return those that are meant: a class of the program that is not loaded yet goes before one of the JDK."""
        name = self.name
        own = name.choose(each for each in names if not of_the_runtime(each))
        if own or name.is_full or name.is_pattern or self._of_the_jdk or not any(map(name.is_end_of, names)):
            return own or name.choose(names)
        local = LocalClasses.of(self._target)
        await local.look(LONGEST_LOOK)
        return set() if local.has(name) else name.choose(names)

    def close(self) -> list[Pending[Any]]:
        """Watch no more, also where ``open`` is still under way; the pending replies may be waited for."""
        self._is_open = False
        requests, self._requests = self._requests, []
        return self._target.requests.drop(requests)

    def is_for(self, name: ClassName) -> bool:
        """True if another way to write the class means what is watched for."""
        own = self.name.text
        return (
            name.text == self._typed.text
            or name.is_name_of(own)
            or name.is_end_of(own)
            or self.name.is_end_of(name.text)
        )

    def waiting(self) -> str:
        """Return why its point is pending, with what may have been meant instead. No trip."""
        if self.name.is_pattern:
            return none_loaded(self.name.text)
        near = similar(self.name.text, (each.name for each in self._target.types.all_known() if not each.is_array))
        return not_loaded([self.name.text], near)

    async def _watch(self, base: ReferenceTypeID | None) -> None:
        if not self._is_open:  # its point was disarmed while classes were listed
            return
        only = [event_request.ClassOnly(base)] if base else []
        policy = self._target.requests.policy_of_watching
        specs = [
            RequestSpec(
                EventKind.CLASS_PREPARE,
                policy,
                [event_request.ClassMatch(pattern), *only],
                self._on_prepare,
                during_calls=True,
            )
            for pattern in self.name.prepare_patterns(nested=False)
        ]
        submitted = [self._target.requests.submit(spec) for spec in specs]
        self._requests += [request for request, _ in submitted]
        for outcome in await self._target.conn.gather([pending for _, pending in submitted]):
            if isinstance(outcome, JdwpError):
                raise outcome

    async def _bind(self, full: str, base: ReferenceTypeID | None) -> None:
        """Take the full name for a short one, and watch for that only. wire: 1 trip, 0 for a name that was full."""
        if self.name.is_pattern or self.name.bound:
            return
        was_full = self.name.text == full
        self.name = ClassName(full, bound=True)
        if not was_full:
            before, self._requests = self._requests, []
            try:
                await self._watch(base)
            finally:  # a caller that is cancelled has no other hold on them
                self._target.requests.drop(before)

    def _on_prepare(self, hit: RequestHit) -> Vote:
        event = hit.event
        prepared = self._target.types.learn(event.typeID, event.refTypeTag, event.signature)
        if hit.request in self._requests and self._may_mean(prepared.name):
            if not self.name.is_pattern:
                self.name = ClassName(prepared.name, bound=True)
            return self._target.verdict_on_prepared(partial(self._prepared, prepared, hit))
        return RESUME

    async def _prepared(self, prepared: RefType, hit: RequestHit) -> None:
        self.preparing[prepared.id] = hit.thread if hit.policy is not JdwpSuspendPolicy.NONE else 0
        try:
            await self._on_class(prepared)
        finally:
            self.preparing.pop(prepared.id, None)

    def _may_mean(self, full: str) -> bool:
        of_the_jdk = self._of_the_jdk and not self.name.is_full and self.name.is_end_of(full)
        return of_the_jdk or self.name.may_mean(full)
