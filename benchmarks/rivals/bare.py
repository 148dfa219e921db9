"""The floor at a breakpoint: what a debugger that knows the protocol by heart would send, and no more.

Written by hand on purpose, as ``floor`` is. Policies, kinds and modifiers are the numbers of the protocol.
"""

from __future__ import annotations

import struct

from benchmarks.rivals.floor import Command, Floor, count, ids, text

THREAD, ALL = b"\1", b"\2"
NONE = b"\0"
_STEP, _BREAKPOINT, _METHOD_ENTRY = b"\1", b"\2", b"\x28"

SIZES = {"Z": 1, "B": 1, "C": 2, "S": 2, "I": 4, "F": 4, "J": 8, "D": 8}
"""Bytes of values by the letter of their type; all others are ids."""

_STATIC = 8

_RESUME_VM: Command = (1, 9, b"")


class BareStop:
    """A connection whose target stands at a breakpoint in ``main``'s thread."""

    def __init__(self, floor: Floor, class_name: str, line: int, policy: bytes = ALL) -> None:
        self.floor = floor
        self._policy = policy
        [found] = floor.wave([(1, 2, text(f"L{class_name};"))])
        tag, clazz = found[4:5], found[5:13]
        [methods] = floor.wave([(2, 5, clazz)])
        method, index = self._code_of(clazz, _member_ids(methods), line)
        place = tag + clazz + method + struct.pack(">q", index)
        [request] = floor.wave([(15, 1, _BREAKPOINT + policy + struct.pack(">iB", 1, 7) + place)])
        self._clear: list[Command] = [(15, 2, _BREAKPOINT + request)]
        self.thread, self.clazz, self.method = b"", clazz, method
        self.await_stop()

    def _code_of(self, clazz: bytes, methods: list[bytes], line: int) -> tuple[bytes, int]:
        tables = self.floor.wave([(6, 1, clazz + method) for method in methods])
        for method, table in zip(methods, tables, strict=True):
            for at in range(20, len(table), 12):
                index, number = struct.unpack_from(">qi", table, at)
                if number == line:
                    return method, index
        raise RuntimeError(f"no code at line {line}")

    def await_stop(self) -> None:
        """Waits for the next event: it tells thread and place."""
        self.thread = self.floor.next_event()[10:18]

    def hit(self) -> None:
        """Resumes and waits for the next hit."""
        self.floor.post([_RESUME_VM])
        self.await_stop()

    def step(self, depth: int) -> None:
        """Clears the former request, sets a step by line with a count, resumes and waits, all in one trip."""
        step = (
            _STEP + self._policy + struct.pack(">i", 2) + b"\x0a" + self.thread + struct.pack(">iiBi", 1, depth, 1, 1)
        )
        self.floor.post([*self._clear, (15, 1, step), _RESUME_VM])
        self._clear = []
        self.await_stop()

    def frame(self) -> bytes:
        """The id of the top frame: 1 trip."""
        [frames] = self.floor.wave([(11, 6, self.thread + struct.pack(">ii", 0, 1))])
        return frames[4:12]

    def variables(self) -> dict[str, tuple[str, int]]:
        """Type and slot of all variables of the method: 1 trip."""
        [table] = self.floor.wave([(6, 2, self.clazz + self.method)])
        at, found = 8, {}
        for _ in range(count(table, 4)):
            name, at = _string(table, at + 8)
            signature, at = _string(table, at)
            found[name] = (signature, count(table, at + 4))
            at += 8
        return found

    def reads(self, frame: bytes, *variables: tuple[str, int]) -> Command:
        """StackFrame.GetValues of these variables."""
        slots = b"".join(struct.pack(">ic", slot, signature[:1].encode()) for signature, slot in variables)
        return (16, 1, self.thread + frame + struct.pack(">i", len(variables)) + slots)

    def show(self, values: list[tuple[str, bytes]]) -> None:
        """Reads the texts of strings and the names of the types of other objects: 2 trips."""
        strings = [value for tag, value in values if tag == "s"]
        objects = [value for tag, value in values if tag not in SIZES and tag != "s" and any(value)]
        answers = self.floor.wave([(10, 1, value) for value in strings] + [(9, 1, value) for value in objects])
        types = {answer[1:9] for answer in answers[len(strings) :]}
        self.floor.wave([(2, 1, type_id) for type_id in sorted(types)])

    def locals(self) -> int:
        """All variables with their values, the frame unknown: 5 trips. Gives how many."""
        frame = self.frame()
        [values] = self.floor.wave([self.reads(frame, *self.variables().values())])
        found = tagged(values, 4, count(values))
        self.show(found)
        return len(found)

    def dump_object(self, name: str) -> int:
        """All fields of the object that a variable holds, nothing known: 7 trips. Gives how many."""
        value = self._local(name)
        [answer] = self.floor.wave([(9, 1, value)])
        [fields] = self.floor.wave([(2, 4, answer[1:9])])
        field_ids = _member_ids(fields, instance_only=True)
        [values] = self.floor.wave([(9, 2, value + struct.pack(">i", len(field_ids)) + b"".join(field_ids))])
        found = tagged(values, 4, count(values))
        self.show(found)
        return len(found)

    def dump_array(self, name: str) -> int:
        """All strings of the array that a variable holds, nothing known: 5 trips. Gives how many."""
        value = self._local(name)
        [elements] = self.floor.wave([(13, 2, value + struct.pack(">ii", 0, -1))])
        strings = [element for _, element in tagged(elements, 5, count(elements, 1))]
        return len(self.floor.wave([(10, 1, string) for string in strings]))

    def _local(self, name: str) -> bytes:
        frame = self.frame()
        [values] = self.floor.wave([self.reads(frame, self.variables()[name])])
        return values[5:13]

    def condition(self, name: str) -> None:
        """Reads a variable at a hit, then resumes; the frame's id is foreseen, and the frame read beside it."""
        frame, variable = self.frame(), self.variables()[name]
        resume: Command = (11, 3, self.thread)
        while True:
            answers = self.floor.wave([(11, 6, self.thread + struct.pack(">ii", 0, 1)), self.reads(frame, variable)])
            if answers[0][4:12] != frame or not answers[1]:
                raise RuntimeError("the frame id was not foreseen")
            self.floor.post([resume])
            self.await_stop()
            frame = _next_frame(frame)

    def logpoint(self, name: str) -> None:
        """Reads a variable at a hit and resumes in the same segment."""
        frame, variable = self.frame(), self.variables()[name]
        resume: Command = (11, 3, self.thread)
        while True:
            self.floor.post([self.reads(frame, variable), resume])
            self.await_stop()
            frame = _next_frame(frame)


def request_entries(floor: Floor, class_name: str) -> None:
    """Asks to be told of methods of the class that are entered, with the policy NONE."""
    modifier = struct.pack(">iB", 1, 5) + text(class_name)
    floor.wave([(15, 1, _METHOD_ENTRY + NONE + modifier)])


def count_entries(floor: Floor, times: int) -> None:
    """Takes in so many events, or a few more."""
    seen = 0
    while seen < times:
        seen += count(floor.next_event(), 1)


def tagged(data: bytes, at: int, number: int) -> list[tuple[str, bytes]]:
    """Values with their tags, from an offset."""
    found = []
    for _ in range(number):
        tag = chr(data[at])
        size = SIZES.get(tag, 8)
        found.append((tag, data[at + 1 : at + 1 + size]))
        at += 1 + size
    return found


def _member_ids(data: bytes, *, instance_only: bool = False) -> list[bytes]:
    """The ids in an answer of ReferenceType.Methods or Fields, which are written alike."""
    found, at = [], 4
    for _ in range(count(data)):
        member = ids(data, at, 1)
        _, at = _string(data, at + 8)
        _, at = _string(data, at)
        if not (instance_only and count(data, at) & _STATIC):
            found += member
        at += 4
    return found


def _string(data: bytes, at: int) -> tuple[str, int]:
    end = at + 4 + count(data, at)
    return data[at + 4 : end].decode(), end


def _next_frame(frame: bytes) -> bytes:
    return (int.from_bytes(frame, "big") + (1 << 16)).to_bytes(8, "big")
