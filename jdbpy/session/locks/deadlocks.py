"""Finds the threads that wait for each other. Pure: it is given who waits for whom.

A thread waits for one thing at a time, so that each has at most one thread before it, and a walk along them either
ends or comes back to where it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from jdbpy.session.locks.model import Deadlock, ThreadLocks


def find_deadlocks(threads: Iterable[ThreadLocks]) -> list[Deadlock]:
    """The cycles, each with all who wait for one of its threads. Each begins with the thread that was listed first."""
    known = {each.thread.id: each for each in threads}
    waits_for = {
        number: each.awaits.owner.id
        for number, each in known.items()
        if each.awaits is not None and each.awaits.owner is not None and each.awaits.owner.id in known
    }
    found = []
    for cycle in find_cycles(waits_for):
        behind = [number for number in waits_for if number not in cycle and _leads_to(number, cycle, waits_for)]
        found.append(Deadlock(tuple(known[each] for each in cycle), tuple(known[each] for each in behind)))
    return found


def find_cycles(after: Mapping[int, int]) -> list[list[int]]:
    """The cycles of a graph in which each node has at most one successor, in the order of their first nodes."""
    cycles = []
    seen: set[int] = set()
    for start in after:
        path: dict[int, int] = {}
        node: int | None = start
        while node is not None and node not in seen:
            seen.add(node)
            path[node] = len(path)
            node = after.get(node)
        if node in path:
            cycles.append(list(path)[path[node] :])
    return cycles


def _leads_to(node: int, cycle: Sequence[int], after: Mapping[int, int]) -> bool:
    seen: set[int] = set()
    at: int | None = node
    while at is not None and at not in seen:
        if at in cycle:
            return True
        seen.add(at)
        at = after.get(at)
    return False
