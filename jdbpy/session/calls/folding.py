"""The calls inside of a method, folded by line and by the method that is called. Pure."""

from __future__ import annotations

from jdbpy.session.model.calls import CallNode

SiteKey = tuple[int | None, str, str]
"""The line of a call, and the method that it names."""


class Fold:
    """Times of calls of one kind, and the calls inside of them."""

    __slots__ = ("children", "count", "failures", "maximum", "minimum", "total")

    def __init__(self) -> None:
        self.count = self.failures = 0
        self.total = self.minimum = self.maximum = 0.0
        self.children: dict[SiteKey, Fold] = {}

    def add(self, cost: float, *, failed: bool) -> None:
        """Enter a call."""
        self.minimum = cost if not self.count else min(self.minimum, cost)
        self.maximum = max(self.maximum, cost)
        self.count += 1
        self.failures += failed
        self.total += cost

    def child(self, key: SiteKey) -> Fold:
        """The calls of one kind that are made inside."""
        found = self.children.get(key)
        if found is None:
            found = self.children[key] = Fold()
        return found

    def merge(self, other: Fold) -> None:
        """Take in what was folded elsewhere."""
        if other.count:
            self.minimum = other.minimum if not self.count else min(self.minimum, other.minimum)
            self.maximum = max(self.maximum, other.maximum)
        self.count += other.count
        self.failures += other.failures
        self.total += other.total
        for key, child in other.children.items():
            self.child(key).merge(child)

    @property
    def own(self) -> float:
        """The time that was spent in none of the calls inside."""
        return max(self.total - sum(child.total for child in self.children.values()), 0.0)

    def nodes(self, whole: float) -> tuple[CallNode, ...]:
        """The calls inside, in the order of their lines; ``whole`` is the time that is all of it."""
        ordered = sorted(self.children.items(), key=lambda item: item[0][0] or 0)
        return tuple(
            CallNode(
                line,
                class_name,
                method,
                fold.count,
                fold.failures,
                fold.minimum,
                fold.maximum,
                fold.total,
                fold.total / whole if whole else 0.0,
                fold.nodes(whole),
            )
            for (line, class_name, method), fold in ordered
            if fold.count
        )
