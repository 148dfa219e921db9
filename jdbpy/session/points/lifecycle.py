"""Catchpoints for what comes and goes: classes, threads, the VM itself."""

from __future__ import annotations

from typing import Any

from jdbpy.session.execution.excludes import matches
from jdbpy.session.points import filters
from jdbpy.session.points.event_point import Basis, EventPoint, count_for_agent
from jdbpy.session.requests import GO, Hit, Vote
from jdbpy.session.types.signatures import java_name
from jdbpy.wire.constants import EventKind
from jdbpy.wire.messages import event_request

_PLATFORM_THREADS_SINCE = 21


class ClassLoadPoint(EventPoint):
    """Classes that are prepared; of a class that fits, none of its code has run."""

    noun = "catchpoint"
    kind = "class-load"
    what = "the loading of classes"
    allowed = filters.THREAD | filters.CLASSES | filters.CONDITION

    def __init__(self, basis: Basis, *, source: str = "") -> None:
        super().__init__(basis)
        self.source = source

    @property
    def spec(self) -> str:
        names = ",".join(self.options.classes) or "*"
        return f"load source {self.source}" if self.source else f"load {names}"

    @property
    def agent_count(self) -> int:
        return count_for_agent(self)

    async def _set_up(self) -> None:
        source = [event_request.SourceNameMatch(self.source)] if self.source else []
        await self._request([(EventKind.CLASS_PREPARE, source)])

    async def details(self, hit: Hit) -> dict[str, Any]:
        happened = hit.event
        known = self._target.types.learn(happened.typeID, happened.refTypeTag, happened.signature)
        return {"class_name": known.name}

    def told(self, hit: Hit, where: str, details: dict[str, Any]) -> tuple[str, str]:
        return "class-loaded", f"class {details['class_name']} loaded: {where}"

    def shown_options(self) -> list[tuple[str, str]]:
        return [shown for shown in super().shown_options() if shown[0] != "from" or self.source]


class ClassUnloadPoint(EventPoint):
    """Classes that are gone. The agent never suspends anything for them, so they are only reported."""

    noun = "catchpoint"
    kind = "class-unload"
    what = "the unloading of classes"
    allowed = filters.CLASSES

    @property
    def spec(self) -> str:
        return f"unload {','.join(self.options.classes) or '*'}"

    @property
    def agent_count(self) -> int:
        return count_for_agent(self)

    async def _set_up(self) -> None:
        await self._request([(EventKind.CLASS_UNLOAD, [])])

    def _on_event(self, earlier: tuple[str, ...], hit: Hit) -> Vote:
        """The class has no id any more: only its name tells it, to us and to the cache of types."""
        self._target.types.forget_signature(hit.event.signature)
        if any(matches(pattern, java_name(hit.event.signature)) for pattern in earlier):
            return GO
        return super()._on_event((), hit)

    async def details(self, hit: Hit) -> dict[str, Any]:
        return {"class_name": java_name(hit.event.signature)}

    def told(self, hit: Hit, where: str, details: dict[str, Any]) -> tuple[str, str]:
        return "class-unloaded", f"class {details['class_name']} unloaded"

    def shown_options(self) -> list[tuple[str, str]]:
        return [shown for shown in super().shown_options() if shown[0] != "from"]


class ThreadPoint(EventPoint):
    """Threads that start, or end; virtual ones, of which there may be millions, only if they are asked for."""

    noun = "catchpoint"
    kind = "thread"
    what = "starts and ends of threads"
    allowed = filters.THREAD

    def __init__(self, basis: Basis, *, start: bool, death: bool, virtual: bool) -> None:
        super().__init__(basis)
        self.start = start
        self.death = death
        self.virtual = virtual

    @property
    def spec(self) -> str:
        which = "" if self.start and self.death else " start" if self.start else " death"
        return f"thread{which}" + (" virtual" if self.virtual else "")

    @property
    def agent_count(self) -> int:
        return count_for_agent(self) if self.start != self.death else 0

    async def _set_up(self) -> None:
        kinds = [EventKind.THREAD_START] * self.start + [EventKind.THREAD_DEATH] * self.death
        platform = not self.virtual and self._target.at_least(_PLATFORM_THREADS_SINCE)
        await self._request([(kind, [event_request.PlatformThreadsOnly()] if platform else []) for kind in kinds])

    def told(self, hit: Hit, where: str, details: dict[str, Any]) -> tuple[str, str]:
        if hit.request.kind == EventKind.THREAD_START:
            return "thread-started", f"{where} starts"
        return "thread-ended", f"{where} ends"


class ExitPoint(EventPoint):
    """The end of the VM, while everything can still be looked at."""

    noun = "catchpoint"
    kind = "exit"
    what = "the end of the VM"
    allowed = frozenset[str]()

    @property
    def spec(self) -> str:
        return "exit"

    async def _set_up(self) -> None:
        await self._request([(EventKind.VM_DEATH, [])])

    def told(self, hit: Hit, where: str, details: dict[str, Any]) -> tuple[str, str]:
        return "vm-death", "the target is about to end"
