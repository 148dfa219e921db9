"""Folded stacks with weights: the data behind every picture and every table of a profile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

from jdbpy.drawing.units import SAMPLES

Path = tuple[str, ...]
"""The names of a stack's frames, the outermost first."""


class HotMethod(NamedTuple):
    """A method: ``own`` is the weight of the stacks that end in it, ``total`` that of all stacks that contain it."""

    name: str
    own: int
    total: int


class CallBranch:
    """A node of the call tree: a method as called through the nodes above it."""

    __slots__ = ("children", "name", "own", "total")

    def __init__(self, name: str) -> None:
        self.name = name
        self.own = 0
        self.total = 0
        self.children: dict[str, CallBranch] = {}

    def sorted(self) -> list[CallBranch]:
        """Return its callees, heaviest first."""
        return sorted(self.children.values(), key=lambda each: (-each.total, each.name))

    def walk(self) -> Iterator[tuple[int, CallBranch]]:
        """Yield all nodes below it with their depth, heaviest first; not recursive."""
        waiting = [(0, each) for each in reversed(self.sorted())]
        while waiting:
            depth, branch = waiting.pop()
            yield depth, branch
            waiting += [(depth + 1, each) for each in reversed(branch.sorted())]


class WeightedStacks:
    """Weights by stack. ``unit`` is what they count, ``title`` what they describe."""

    def __init__(self, weights: Mapping[Path, int] | None = None, unit: str = SAMPLES, title: str = "") -> None:
        self.weights: Counter[Path] = Counter(weights or {})
        self.unit = unit
        self.title = title

    def add(self, path: Path, weight: int = 1) -> None:
        """Add a stack, outermost frame first."""
        self.weights[path] += weight

    def __len__(self) -> int:
        return len(self.weights)

    def __bool__(self) -> bool:
        return bool(self.weights)

    @property
    def total(self) -> int:
        """The sum of all weights."""
        return sum(self.weights.values())

    def share(self, weight: float) -> float:
        """Return a weight as a fraction of the total, from 0 to 1."""
        return weight / (self.total or 1)

    def matching(self, pattern: str) -> WeightedStacks:
        """Return the stacks that contain a method that matches a pattern: ``com.acme.*``, ``Order.total``,
        ``*.parse``."""
        if pattern in ("", "*"):
            return self
        fits: dict[str, bool] = {}

        def wanted(name: str) -> bool:
            if name not in fits:
                fits[name] = fits_name(name, pattern)
            return fits[name]

        chosen = {path: weight for path, weight in self.weights.items() if any(map(wanted, path))}
        return WeightedStacks(chosen, self.unit, self.title)

    def renamed(self, name: Callable[[str], str]) -> WeightedStacks:
        """Return the stacks with frames renamed; stacks that become equal are added up."""
        found = WeightedStacks(None, self.unit, self.title)
        for path, weight in self.weights.items():
            found.weights[tuple(map(name, path))] += weight
        return found

    def methods(self) -> list[HotMethod]:
        """Return all methods by self weight, heaviest first. A method that is in a stack twice counts once."""
        own: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for path, weight in self.weights.items():
            if path:
                own[path[-1]] += weight
                for name in set(path):
                    total[name] += weight
        found = [HotMethod(name, own[name], weight) for name, weight in total.items()]
        return sorted(found, key=lambda each: (-each.own, -each.total, each.name))

    def tree(self) -> CallBranch:
        """Return the call tree: a root without a name, with the outermost frames below it."""
        root = CallBranch("")
        for path, weight in self.weights.items():
            branch = root
            branch.total += weight
            for name in path:
                below = branch.children.get(name)
                if below is None:
                    below = branch.children[name] = CallBranch(name)
                branch = below
                branch.total += weight
            branch.own += weight
        return root

    def hot_paths(self, count: int = 3, share: float = 0.1) -> list[tuple[Path, int]]:
        """Return the heaviest paths from the root, each followed as long as one branch holds most of the weight below
        it."""
        found = []
        for branch in self.tree().sorted()[: count * 3]:
            path = [branch.name]
            while branch.children:
                heaviest = branch.sorted()[0]
                if heaviest.total * 2 < branch.total or self.share(heaviest.total) < share:
                    break
                branch = heaviest
                path.append(branch.name)
            if self.share(branch.total) >= share:
                found.append((tuple(path), branch.total))
        return sorted(found, key=lambda each: -each[1])[:count]


def merged(parts: Iterable[WeightedStacks]) -> WeightedStacks:
    """Merge several sets of stacks."""
    found = WeightedStacks()
    for part in parts:
        found.unit, found.title = part.unit, found.title or part.title
        found.weights.update(part.weights)
    return found


def fits_name(name: str, pattern: str) -> bool:
    """True if a pattern matches a method (``Class.method``) or its class."""
    class_name = name.rpartition(".")[0]
    return any(fnmatchcase(text, wanted) for text in (name, class_name) for wanted in (pattern, f"*.{pattern}"))
