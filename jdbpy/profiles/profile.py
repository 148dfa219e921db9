"""A profile: weighted stacks, and their weights by thread, by class, and over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest

from jdbpy.drawing.flame import flame_graph
from jdbpy.drawing.html import hot_table
from jdbpy.drawing.stacks import CallBranch, HotMethod, WeightedStacks, merged
from jdbpy.drawing.units import SAMPLES
from jdbpy.record import Record

TOP = 20
"""How many methods are shown."""

_SPANS = 60
"""How many parts the time is cut into."""

RECORDER, SAMPLING = "flight recorder", "sampling"
"""Where a profile comes from."""


def merged_profiles(profiles: Sequence[tuple[str, Profile]]) -> Profile:
    """Merge several profiles of one kind; the name of each, unless "", becomes the outermost frame of its stacks."""
    first = profiles[0][1]
    found = Profile(first.kind, first.unit, first.stacks.title)
    found.stacks = merged(
        WeightedStacks(
            {(name, *path) if name else path: weight for path, weight in each.stacks.weights.items()},
            each.unit,
            each.stacks.title,
        )
        for name, each in profiles
    )
    for name, each in profiles:
        found.threads.update(
            {f"{thread} in {name}" if name else thread: weight for thread, weight in each.threads.items()}
        )
        found.classes.update(each.classes)
        found.samples += each.samples
        found.recorded += each.recorded
        found.seconds = max(found.seconds, each.seconds)
    found.course = [sum(parts) for parts in zip_longest(*(each.course for _, each in profiles), fillvalue=0)]
    found.source = first.source
    found.notes = tuple(dict.fromkeys(note for _, each in profiles for note in each.notes))
    return found


class ProfileData(Record):
    """A profile as plain data, for a script in another process."""

    kind: str
    unit: str
    title: str
    stacks: tuple[tuple[tuple[str, ...], int], ...]
    threads: tuple[tuple[str, int], ...]
    classes: tuple[tuple[str, int], ...]
    course: tuple[int, ...]
    seconds: float
    samples: int
    recorded: int
    source: str
    notes: tuple[str, ...]


class Profile:
    """The result of one profile. Weights are in ``unit``.

    ``threads``, ``classes`` and ``course`` are the weights by thread, by the class that the events concern, and by time
    slice. ``samples`` is the number of events or samples, ``recorded`` the size of the recording in bytes. ``notes``
    are caveats: what it cost, how it is biased.
    """

    def __init__(self, kind: str, unit: str = SAMPLES, title: str = "") -> None:
        self.kind = kind
        self.stacks = WeightedStacks(None, unit, title)
        self.threads: Counter[str] = Counter()
        self.classes: Counter[str] = Counter()
        self.course: list[int] = []
        self.seconds = 0.0
        self.samples = 0
        self.recorded = 0
        self.source = RECORDER
        self.notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Profile {self.kind}, {self.seconds:.1f} s, {self.samples} samples>"

    def _repr_html_(self) -> str:
        """Return the HTML that notebooks show: the flame graph and the hottest methods."""
        return flame_graph(self.stacks) + hot_table(self.stacks)

    @classmethod
    def of(cls, data: ProfileData) -> Profile:
        """Return the profile that ``data`` was made of."""
        found = cls(data.kind, data.unit, data.title)
        found.stacks.weights.update({tuple(path): weight for path, weight in data.stacks})
        found.threads.update(dict(data.threads))
        found.classes.update(dict(data.classes))
        found.course = list(data.course)
        found.seconds, found.samples, found.recorded = data.seconds, data.samples, data.recorded
        found.source, found.notes = data.source, tuple(data.notes)
        return found

    @property
    def data(self) -> ProfileData:
        """Return all of it as plain data."""
        return ProfileData(
            self.kind,
            self.unit,
            self.stacks.title,
            tuple(self.stacks.weights.items()),
            tuple(self.threads.items()),
            tuple(self.classes.items()),
            tuple(self.course),
            self.seconds,
            self.samples,
            self.recorded,
            self.source,
            self.notes,
        )

    @property
    def unit(self) -> str:
        """What weights count."""
        return self.stacks.unit

    @property
    def total(self) -> int:
        """The sum of all weights."""
        return self.stacks.total

    @property
    def hot(self) -> list[HotMethod]:
        """The methods with the most self weight, at most twenty."""
        return self.stacks.methods()[:TOP]

    @property
    def tree(self) -> CallBranch:
        """The call tree, from the outermost frames inward."""
        return self.stacks.tree()

    def share(self, weight: float) -> float:
        """Return a weight as a fraction of the total, from 0 to 1."""
        return self.stacks.share(weight)

    def matching(self, pattern: str) -> Profile:
        """Return the part whose stacks contain a method that matches a pattern; threads and course still cover all
        stacks."""
        found = Profile(self.kind, self.unit, self.stacks.title)
        found.__dict__.update(self.__dict__)
        found.stacks = self.stacks.matching(pattern)
        return found

    def to_svg(self, before: Profile | None = None) -> str:
        """Return the flame graph as SVG; with ``before``, a differential one: red has grown, blue has shrunk."""
        return flame_graph(self.stacks, before=None if before is None else before.stacks)

    def add(self, path: tuple[str, ...], weight: int, thread: str, about: str = "") -> None:
        """Add an event: its stack, outermost frame first, its thread, and the class that it concerns."""
        self.stacks.add(path, weight)
        self.threads[thread] += weight
        if about:
            self.classes[about] += weight
        self.samples += 1

    def set_course(self, moments: Sequence[tuple[int, int, int]]) -> None:
        """Set the course over time from the (time, weight, duration) of every event; long events are spread over their
        slices."""
        if not moments:
            return
        first = min(time for time, *_ in moments)
        span = max(1, max(time + length for time, _, length in moments) - first + 1)
        self.course = [0] * _SPANS
        for time, weight, length in moments:
            begin, end = (time - first) * _SPANS // span, (time + length - first) * _SPANS // span
            for place in range(begin, end + 1):
                self.course[place] += weight // (end - begin + 1)
