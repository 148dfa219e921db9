"""The changes of values since an earlier stop, marked without a further question.

Owns what was told of each frame, by its thread, method and height in the stack, and by what was asked (the variables,
an expression). It compares what was read anyway; what nobody has looked at before is not marked, and a variable that
was not there before is new, not changed.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from jdbpy.session.events.suspension import Suspension
from jdbpy.session.events.target import Target
from jdbpy.session.model.threads import FrameInfo
from jdbpy.session.model.values import ValueInfo, Variable

_MOST = 300
"""Questions that are remembered; the oldest are dropped."""

Asked = tuple[Hashable, ...]
_Told = Sequence[Variable]


class _Memory:
    """The values shown at the latest stop, and at the one before it at which the same was asked."""

    __slots__ = ("earlier", "latest", "stop")

    def __init__(self, stop: int, latest: _Told) -> None:
        self.stop = stop
        self.latest = latest
        self.earlier: _Told = ()


class Changes:
    """The memory of one target, for one client."""

    PER_CLIENT = True

    def __init__(self, suspension: Suspension) -> None:
        self._suspension = suspension
        self._known: dict[Asked, _Memory] = {}

    @classmethod
    def of(cls, target: Target) -> Changes:
        """Return that of a target."""
        return target.part(cls, lambda target: cls(target.suspension))

    def mark(self, frame: FrameInfo, asked: Hashable, told: _Told) -> tuple[Variable, ...]:
        """Return the variables with ``changed`` set where the value is another than at the last stop at which it was
        read.

        ``asked`` is what was asked in the frame, its limits included: only equal questions can be compared.
        """
        if frame.height is None:
            return tuple(told)
        thread = frame.thread.id
        key = (thread, frame.location.type_id, frame.location.method_id, frame.height, asked)
        stop = self._suspension.stop_of(thread)
        memory = self._known.pop(key, None)
        if memory is None:
            memory = _Memory(stop, told)
        elif memory.stop != stop:
            memory.stop, memory.earlier = stop, memory.latest
        memory.latest = told
        self._known[key] = memory
        if len(self._known) > _MOST:
            del self._known[next(iter(self._known))]
        return _marked(told, memory.earlier)

    def mark_value(self, frame: FrameInfo | None, asked: Hashable, value: ValueInfo) -> ValueInfo:
        """Like ``mark``, of the value of an expression."""
        if frame is None:
            return value
        [marked] = self.mark(frame, asked, (Variable("", value.type, value, "expression"),))
        assert marked.value is not None
        return marked.value.replace(changed=marked.changed) if marked.changed else marked.value


def _marked(told: _Told, earlier: _Told) -> tuple[Variable, ...]:
    before = {_key(each): each for each in earlier}
    return tuple(_compared(each, before.get(_key(each))) for each in told) if before else tuple(told)


def _key(variable: Variable) -> tuple[str, str]:
    return variable.name, variable.declared_in


def _compared(now: Variable, before: Variable | None) -> Variable:
    if before is None or before.value is None or now.value is None:
        return now
    children = _marked(now.value.children, before.value.children)
    inside = any(each.changed for each in children)
    if inside:
        now = now.replace(value=now.value.replace(children=children))
    return now.replace(changed=True) if inside or _fact(now.value) != _fact(before.value) else now


def _fact(value: ValueInfo | None) -> tuple[object, ...]:
    """Return what is compared of a value. A NaN is the same as another."""
    return () if value is None else (value.type, value.text, value.id, value.length)
