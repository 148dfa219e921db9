"""Caller filters: a hit counts only when one of the frames above it is of a class or a method that fits a pattern.

Owns the patterns and what is remembered of methods that were seen on stacks: the agent knows no such filter, so that
every hit costs a trip for the frames. Any caller counts, not only the nearest: ``from OrderController`` means code that
was reached through it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from jdbpy.errors import JdwpError, UsageError
from jdbpy.identifiers import WORD
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import wire_thread
from jdbpy.session.java.class_names import close_to, of_the_runtime, similar
from jdbpy.session.java.signatures import simple_name
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.refs import Method
from jdbpy.wire.constants import Error
from jdbpy.wire.ids import MethodID, ReferenceTypeID
from jdbpy.wire.messages import thread_reference

_PATTERN = re.compile(r"([^\s()]+?)(?:\(([^()]*)\))?")
_WORD = re.compile(rf"[{WORD}*<>.-]+")
_LAMBDA = re.compile(r"lambda\$(.+)\$\d+")

Fits = Callable[[str, Method | None], bool]
"""Returns true if a pattern fits a class (its binary name) and one of its methods."""


class Callers:
    """One point's patterns. Raises UsageError for what is no pattern."""

    def __init__(self, target: Target, patterns: Iterable[str]) -> None:
        self._target = target
        self._typed = tuple(patterns)
        self._patterns = [parse_caller(pattern) for pattern in self._typed]
        self._known: dict[tuple[ReferenceTypeID, MethodID], bool] = {}

    async def fit(self, thread_id: int) -> bool:
        """True if a caller of the thread's innermost frame fits; not if the thread was resumed meanwhile.

        Raises JdwpError when the stack cannot be read for another reason.

        wire: 1 trip, and 1 for classes that are new.
        """
        try:
            frames = (await self._target.conn.request(thread_reference.Frames(wire_thread(thread_id), 0, -1))).frames
        except JdwpError as error:
            if error.number in (Error.THREAD_NOT_SUSPENDED, Error.INVALID_THREAD):
                return False
            raise
        callers = dict.fromkeys((frame.location.classID, frame.location.methodID) for frame in frames[1:])
        new = [caller for caller in callers if caller not in self._known]
        if new:
            await self._learn(new)
        return any(self._known.get(caller, False) for caller in callers)

    async def slip(self) -> str:
        """Return a word about a pattern that fits no loaded class, where another one may have been meant. wire: 1
        trip."""
        await self._target.types.all_classes()
        names = {each.name for each in self._target.types.all_known() if not each.is_array}
        simple = {simple_name(name): name for name in names if not of_the_runtime(name)}
        for pattern in self._typed:
            classes = _possible_classes(pattern)
            if classes and not any(parse_caller(each)(name, None) for each in classes for name in names):
                near = similar(classes[0], names) or [simple[each] for each in close_to(classes[0], simple)]
                if near:
                    return f"no class that is loaded fits {pattern}; there is {', '.join(near)}"
        return ""

    async def _learn(self, callers: list[tuple[ReferenceTypeID, MethodID]]) -> None:
        types, type_ids = self._target.types, {type_id for type_id, _ in callers}
        await types.facts.prefetch((facts.SIGNATURE, type_ids), (facts.MODIFIERS, type_ids), (facts.METHODS, type_ids))
        classes = await types.info(type_ids)
        for type_id, method_id in callers:
            if type_id not in classes:
                continue  # unloaded in between
            methods = types.facts.known(facts.METHODS, type_id) or ()
            method = next((each for each in methods if each.id == method_id), None)  # None: of an old version
            name = classes[type_id].name
            self._known[type_id, method_id] = any(fits(name, method) for fits in self._patterns)


def parse_caller(text: str) -> Fits:
    """Read ``com.acme.*``, ``Order``, ``Order.pay``, ``pay``, ``Order.pay(int,String)``. Raises UsageError.

    ``*`` stands for anything, at any place. A name need not be whole: it may begin at any part of the full one, unless
    it begins with a package and has a ``*``. A method means its lambdas too.
    """
    match = _PATTERN.fullmatch(text.strip())
    if match is None or not _WORD.fullmatch(match[1]):
        raise UsageError(
            f"'{text}' is not a pattern of callers", hint="write a class, a method or a pattern: com.acme.*, Order.pay"
        )
    dotted, types = match[1].replace("$", "."), match[2]
    whole = "*" in dotted and (dotted[0] == "*" or (dotted[0].islower() and "." in dotted))
    body = re.escape(dotted).replace(r"\*", ".*")
    name = re.compile(body if whole else rf"(?:.*\.)?{body}", re.DOTALL)
    if types is None:
        return lambda class_name, method: any(map(name.fullmatch, _texts(class_name, method, with_class=True)))
    wanted = [each.strip() for each in types.split(",")] if types.strip() else []

    def fits(class_name: str, method: Method | None) -> bool:
        if method is None or not _same_types(wanted, method.parameters):
            return False
        return any(map(name.fullmatch, _texts(class_name, method, with_class=False)))

    return fits


def _possible_classes(pattern: str) -> list[str]:
    """Return the names of classes that a pattern may mean, the likeliest first; none where it may mean a method
    alone."""
    name, bracket, _ = pattern.partition("(")
    owner = name.rpartition(".")[0]
    if "*" in name or not (owner or name[:1].isupper()):
        return []
    return [owner] * bool(owner) + ([] if bracket else [name])


def _texts(class_name: str, method: Method | None, *, with_class: bool) -> list[str]:
    dotted = class_name.replace("$", ".")
    texts = [dotted] if with_class else []
    if method is not None:
        around = _LAMBDA.fullmatch(method.name)
        texts += [f"{dotted}.{name}" for name in (method.name, around[1] if around else "") if name]
    return texts


def _same_types(wanted: list[str], declared: Iterable[str]) -> bool:
    """True if parameter types are those that were typed, with or without their package."""
    types = [each.replace("$", ".") for each in declared]
    typed = [each.replace("...", "[]").replace("$", ".") for each in wanted]
    return len(types) == len(typed) and all(
        full == short or full.endswith(f".{short}") for short, full in zip(typed, types, strict=True)
    )
