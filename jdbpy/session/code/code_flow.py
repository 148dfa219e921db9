"""Which of several places of one source line a breakpoint needs, so that one pass over the line stops once.

javac gives a line several entries in a method whenever a statement comes back to it: a call whose arguments stand on
lines of their own returns to its first line, a ``for`` header has its start and its increment far apart, a ``finally``
block is there once for every way into it. Stopping at all of them stops twice in the first case; stopping at the first
only, as jdb does, misses the other two.

The rule: a place is left out when it can be reached only over another place of the line that is kept, each time anew.
Pure: reads bytecode, asks nobody.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from jdbpy.session.code.instructions import MalformedCode, decode

_Flow = dict[int, tuple[int, ...]]


def once_per_pass(code: bytes, places: Sequence[int]) -> list[int]:
    """The code indices out of ``places`` (rising) to stop at; all of them when the code cannot be read."""
    if len(places) < 2 or not code:
        return list(places)
    try:
        flow: _Flow = {instruction.index: instruction.next for instruction in decode(code)}
    except MalformedCode:
        return list(places)
    roots = _roots(flow)
    kept: list[int] = []
    for place in places:
        if not any(_leads_always(flow, roots, first, place) for first in kept):
            kept.append(place)
    return kept


def _leads_always(flow: _Flow, roots: Iterable[int], first: int, place: int) -> bool:
    """Whether every execution of ``place`` has one of ``first`` before it, since the last execution of ``place``."""
    starts = [root for root in roots if root != first]
    return place not in _reached(flow, [*starts, *flow.get(place, ())], without=first)


def _roots(flow: _Flow) -> list[int]:
    """Where execution may begin: the entry, and the exception handlers, told by nothing leading to them."""
    roots: list[int] = []
    seen: set[int] = set()
    for index in sorted(flow):
        if index not in seen:
            roots.append(index)
            seen |= _reached(flow, [index])
    return roots


def _reached(flow: _Flow, starts: Iterable[int], without: int | None = None) -> set[int]:
    """Everything that can be executed from ``starts`` on, those included, when nothing goes through ``without``."""
    seen = {without} if without is not None else set()
    pending = [start for start in starts if start not in seen]
    reached: set[int] = set(pending)
    while pending:
        for index in flow.get(pending.pop(), ()):
            if index not in reached and index not in seen:
                reached.add(index)
                pending.append(index)
    return reached
