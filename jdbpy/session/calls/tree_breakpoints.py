"""The calls inside of a method, by breakpoints in front of each and behind it. None of them suspends anything.

What is called has no breakpoint, unless the tree goes deeper: so calls of it from elsewhere cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from jdbpy.record import Record
from jdbpy.session.breakpoints.method_patterns import ObservedMethod
from jdbpy.session.breakpoints.method_places import find_places
from jdbpy.session.calls.backend import EndedCall, MethodKey, NotRead, ReadCall
from jdbpy.session.calls.breakpoint_backend import NOTHING_READ, BreakpointBackend, OpenCall, Step
from jdbpy.session.calls.statistics import Fold
from jdbpy.session.events.requests import RequestHit, RequestSpec
from jdbpy.session.events.target import Target
from jdbpy.session.java.bytecode import MalformedCode, decode
from jdbpy.session.java.constant_pool import ConstantPool
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.changed_code import is_own_class
from jdbpy.wire.ids import CodeLocation

OnTree = Callable[[EndedCall, Fold], None]
"""Takes a call that has ended, with what was called inside. No wait."""


class TreeCall(OpenCall):
    """A call under way, with what it has called so far. ``level`` is 1 for the method that was asked for."""

    __slots__ = ("fold", "level", "site")

    def __init__(self, method: ObservedMethod, began: float, level: int, fold: Fold) -> None:
        super().__init__(method, began)
        self.level = level
        self.fold = fold
        self.site: tuple[CallSite, float] | None = None  # what it is calling, and since when


class TreeBackend(BreakpointBackend):
    """Observes what methods call, ``depth`` levels of it. Methods to be followed are opened with ``follow``."""

    def __init__(self, target: Target, on_tree: OnTree, depth: int) -> None:
        super().__init__(target, lambda calls: None)
        self._on_tree = on_tree
        self._depth = depth
        self._roots: set[tuple[int, int]] = set()
        self.sites: dict[MethodKey, list[CallSite]] = {}
        """The calls in the code of each method that is observed."""

    async def open(self, methods: Sequence[ObservedMethod]) -> None:
        """Begin with methods whose trees are wanted. wire: 4 trips."""
        self._roots.update(each.key for each in methods)
        await super().open(methods)

    async def follow(self, methods: Sequence[ObservedMethod]) -> None:
        """Observe also what these call, where a tree comes to them. wire: 4 trips."""
        await super().open(methods)

    async def _specs(self, methods: Sequence[ObservedMethod]) -> list[RequestSpec]:
        known: dict[tuple[int, int], ObservedMethod] = {each.key: each for each in methods}
        keys = [each.key for each in methods if each.method.has_code]
        found = await find_places(self._target, [(e.owner, e.method) for e in methods], entries=True, exits=True)
        owners = list(dict.fromkeys(key[0] for key in keys))
        codes = await self._target.types.facts.many(facts.BYTECODES, keys)
        pools = await self._target.types.facts.many(facts.CONSTANT_POOL, owners)
        lines = await self._target.types.line_tables(keys)
        self.lacks += [f"{name} is not observed: it is {why}" for name, why in found.missed]
        steps: dict[CodeLocation, list[Step]] = {}
        entered = {(place.classID, place.methodID) for place in found.entries}
        for place in found.entries:
            steps.setdefault(place, []).append(partial(self._entered, known[place.classID, place.methodID]))
        for key in keys:
            pool, method = pools.get(key[0]), known[key]
            if pool is None or key not in entered:
                continue
            table = lines.get(key)
            sites = [
                each.replace(line=table.line_at(each.index) if table is not None else None)
                for each in find_call_sites(codes.get(key, b""), pool)
            ]
            self.sites[key] = sites
            at = partial(CodeLocation, method.owner.tag, *key)
            for site in sites:
                steps.setdefault(at(site.after), []).append(partial(self._came_back, key, site))
            for site in sites:
                steps.setdefault(at(site.index), []).append(partial(self._calls, key, site))
        for each in found.exits:
            key = each.place.classID, each.place.methodID
            if key in entered:
                steps.setdefault(each.place, []).append(partial(self._left, known[key]))
        # entries last: a call whose begin is seen must be seen to end, or all later ones seem to be inside of it
        ordered = sorted(steps.items(), key=lambda each: each[0] in found.entries)
        return [self._free(place, partial(_all, done)) for place, done in ordered]

    # -- what comes in -----------------------------------------------------------------------------------------------

    def _entered(self, method: ObservedMethod, thread: int, now: float) -> None:
        above: Any = self._open.of(thread)
        if not above:
            if method.key in self._roots:
                self._open.enter(thread, TreeCall(method, now, 1, Fold()))
            return
        caller: TreeCall = above[-1]
        fold = (
            caller.fold.child(caller.site[0].key) if caller.site is not None and caller.level < self._depth else Fold()
        )
        self._open.enter(thread, TreeCall(method, now, caller.level + 1, fold))

    def _calls(self, key: tuple[int, int], site: CallSite, thread: int, now: float) -> None:
        call = self._innermost(thread, key)
        if call is not None:
            call.site = site, now

    def _came_back(self, key: tuple[int, int], site: CallSite, thread: int, now: float) -> None:
        call = self._innermost(thread, key)
        if call is not None and call.site is not None and call.site[0] is site:
            call.fold.child(site.key).add(now - call.site[1], failed=False)
            call.site = None

    def _innermost(self, thread: int, key: tuple[int, int]) -> TreeCall | None:
        calls: Any = self._open.of(thread)
        return calls[-1] if calls and calls[-1].key == key else None

    def _left(self, method: ObservedMethod, thread: int, now: float) -> None:
        call = self._open.leave(thread, method.key)
        if call is not None:
            self._done(call, thread, now, failed=False)

    def _end(
        self,
        ended: Sequence[OpenCall],
        hit: RequestHit,
        now: float,
        read: Mapping[OpenCall, ReadCall | NotRead] = NOTHING_READ,
    ) -> None:
        self._open.end(hit.thread, ended)
        for call in ended:
            self._failed_inside(call, now)
            self._done(call, hit.thread, now, failed=True)
        rest = self._open.of(hit.thread)
        place = hit.event.catchLocation
        if rest and place.classID and rest[-1].key == (place.classID, place.methodID):
            self._failed_inside(rest[-1], now)  # it catches what it has called

    def _failed_inside(self, call: Any, now: float) -> None:
        if call.site is not None:
            site, began = call.site
            call.fold.child(site.key).add(now - began, failed=True)
            call.site = None

    def _done(self, call: Any, thread: int, now: float, *, failed: bool) -> None:
        if call.level == 1:
            cost = now - call.began
            call.fold.add(cost, failed=failed)
            self._on_tree(EndedCall(call.method, thread, cost, failed=failed), call.fold)


def _all(steps: Sequence[Step], thread: int, now: float) -> None:
    for step in steps:
        step(thread, now)


_CALLS = range(182, 186)  # invokevirtual, invokespecial, invokestatic, invokeinterface


class CallSite(Record):
    """A call: the code index of the instruction, that of the one behind it, and which method the code names."""

    index: int
    after: int
    class_name: str
    method: str
    descriptor: str
    line: int | None = None

    @property
    def key(self) -> tuple[int | None, str, str]:
        """Return the line and the method: calls that are folded into one."""
        return self.line, self.class_name, self.method


def find_call_sites(code: bytes, pool: ConstantPool) -> list[CallSite]:
    """Return the calls of a method, in the order of its code; those by ``invokedynamic`` (lambdas, joined strings) are
    left out. None for code that cannot be read."""
    try:
        calls = [each for each in decode(code) if each.opcode in _CALLS]
    except MalformedCode:
        return []
    found = []
    for each in calls:
        owner, name, descriptor = pool.member(int.from_bytes(code[each.index + 1 : each.index + 3], "big"))
        if name and not is_own_class(owner):
            found.append(CallSite(each.index, each.index + each.length, owner.replace("/", "."), name, descriptor))
    return found
