"""What a fake JVM has inside: threads with suspend counts and stacks, classes with methods, lines and fields.

Owns plain data and the agent's arithmetic of suspend counts (docs/agent.md, "One count a thread", "Policies are
suspensions"). It knows no packets; ``tests.fakes.answers`` does.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from jdbpy.wire.constants import JdwpSuspendPolicy, Tag, TypeTag
from jdbpy.wire.ids import CodeLocation, FrameID, MethodID, ReferenceTypeID, ThreadID

GROUP = 900
"""The id of the one thread group, "main"."""


@dataclass
class FakeMethod:
    """A method; ``lines`` maps code indexes to line numbers."""

    id: int
    name: str
    signature: str = "()V"
    lines: dict[int, int] = field(default_factory=dict)
    modifiers: int = 1

    @property
    def end(self) -> int:
        """The last code index."""
        return max(self.lines, default=0) + 3


@dataclass
class FakeField:
    """A field; ``tag`` is the tag of its type."""

    id: int
    name: str
    signature: str = "I"
    modifiers: int = 0

    @property
    def tag(self) -> int:
        return ord(self.signature[0])


@dataclass
class FakeClass:
    """A prepared class."""

    id: int
    signature: str
    source: str = ""
    methods: list[FakeMethod] = field(default_factory=list)
    fields: list[FakeField] = field(default_factory=list)

    def location(self, method: FakeMethod, index: int = 0) -> CodeLocation:
        """A place in one of its methods."""
        return CodeLocation(TypeTag.CLASS, ReferenceTypeID(self.id), MethodID(method.id), index)


@dataclass
class FakeThread:
    """A live platform thread; ``stack`` is its frames' places, the top first."""

    id: int
    name: str
    stack: list[CodeLocation] = field(default_factory=list)
    suspend_count: int = 0
    resumed: int = 0
    at_event: bool = False
    """True from an event of its own until it is resumed; otherwise it waits for something."""

    def frame_id(self, depth: int) -> FrameID:
        """As the agent makes them: void after every resume."""
        return FrameID((self.resumed + 1) << 16 | depth)

    def resume(self) -> None:
        if self.suspend_count:
            self.suspend_count -= 1
            self.resumed += 0 if self.suspend_count else 1
            self.at_event = self.at_event and self.suspend_count > 0


def _played() -> FakeClass:
    main = FakeMethod(0x7000, "main", "([Ljava/lang/String;)V", {0: 3, 8: 4, 16: 5}, modifiers=9)
    count = FakeField(0x7100, "count", modifiers=8)
    return FakeClass(100, "LPlayed;", "Played.java", [main, FakeMethod(0x7001, "total", "()I", {0: 9, 4: 10})], [count])


@dataclass
class World:
    """One thread, ``main``, that stands in ``Played.main``; change it at will.

    ``arrays`` maps ids of arrays to the tags of their elements, which only ArrayReference.SetValues asks for.
    ``begun``: the ``java`` launcher has come to the main class; the class with which it does that is not listed.
    """

    classes: list[FakeClass] = field(default_factory=lambda: [_played()])
    threads: dict[int, FakeThread] = field(default_factory=dict)
    arrays: dict[int, int] = field(default_factory=dict)
    begun: bool = True

    def __post_init__(self) -> None:
        if not self.threads:
            played = self.classes[0]
            self.threads[1] = FakeThread(1, "main", [played.location(played.methods[0], 8)])

    def suspended(self) -> list[str]:
        """The names of the threads that are held."""
        return [thread.name for thread in self.threads.values() if thread.suspend_count]

    def suspend_all(self) -> None:
        for thread in self.threads.values():
            thread.suspend_count += 1

    def resume_all(self) -> None:
        for thread in self.threads.values():
            thread.resume()

    def let_go(self) -> None:
        """What the agent does when the debugger leaves or is gone: every count back to 0."""
        for thread in self.threads.values():
            while thread.suspend_count:
                thread.resume()

    def stop(self, policy: int, thread: ThreadID | int) -> None:
        """Counts up as an event with this policy in this thread does."""
        if policy != JdwpSuspendPolicy.NONE and thread in self.threads:
            self.threads[thread].at_event = True
        if policy == JdwpSuspendPolicy.ALL:
            self.suspend_all()
        elif policy == JdwpSuspendPolicy.EVENT_THREAD and thread in self.threads:
            self.threads[thread].suspend_count += 1

    def tag_of_field(self, field_id: int) -> int:
        """The tag of a field's type; the agent would crash at an id that is none, this fails the test."""
        [tag] = [one.tag for cls in self.classes for one in cls.fields if one.id == field_id]
        return tag if tag != ord("[") else Tag.ARRAY
