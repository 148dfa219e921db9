"""The calls in a method's code: where each begins, and where it is over. Pure."""

from __future__ import annotations

from jdbpy.record import Record
from jdbpy.session.java.bytecode import MalformedCode, decode
from jdbpy.session.java.constant_pool import ConstantPool

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
        """The line and the method: calls that are folded into one."""
        return self.line, self.class_name, self.method


def find_call_sites(code: bytes, pool: ConstantPool) -> list[CallSite]:
    """The calls of a method, in the order of its code; those by ``invokedynamic`` (lambdas, strings put together) are
    left out. None for code that cannot be read."""
    try:
        calls = [each for each in decode(code) if each.opcode in _CALLS]
    except MalformedCode:
        return []
    found = []
    for each in calls:
        owner, name, descriptor = pool.member(int.from_bytes(code[each.index + 1 : each.index + 3], "big"))
        if name:
            found.append(CallSite(each.index, each.index + each.length, owner.replace("/", "."), name, descriptor))
    return found
