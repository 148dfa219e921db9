"""The classes that an expression leads to, learned before it is compiled: by name, above them, out of their methods.

Owns what is likely to be needed of classes, of which any may be asked for at the same moment; ``ahead`` follows the
paths on which they are met.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar, cast

import trio

from jdbpy.errors import JdbpyError
from jdbpy.session.eval.compile.typenames import class_spellings, distant_spellings, usual_spellings
from jdbpy.session.eval.syntax.mentions import MentionedCall, Mentions
from jdbpy.session.eval.target import ClassFacts
from jdbpy.session.java.descriptors import read_method, read_type
from jdbpy.session.java.jdk import above, given, made_of
from jdbpy.session.java.types import (
    BOXES,
    OBJECT,
    STRING,
    ArrayType,
    ClassType,
    JavaType,
    Primitive,
    erasure,
    simple_name,
    source_name,
)
from jdbpy.session.target import refs

if TYPE_CHECKING:
    from jdbpy.session.eval.compile.compiler import Compiler

T = TypeVar("T")

_MOMENT = 3
"""Turns of the loop in which the beginnings of all paths come to their first question."""
_MOST_CLASSES = 150
"""Classes that are learned for one expression."""
_IN_SIGNATURE = re.compile(r"L([\w/$]+)")


class _Shared:
    """Something that is asked for once, and how it ended."""

    def __init__(self) -> None:
        self.ended = trio.Event()
        self.result: object = None


class ClassesAhead:
    """The prefetching of classes, by tasks of ``nursery``. No error of the target gets out of ``start``."""

    def __init__(self, c: Compiler, mentions: Mentions, nursery: trio.Nursery) -> None:
        self._nursery = nursery
        self._c = c
        self._target = c.target
        self._mentions = mentions
        self._shared: dict[object, _Shared] = {}
        self._classes = 0
        self._wanted: list[str] = []  # names to look up
        self._looking_up = False
        # Where nothing but fields is mentioned, only the classes in which they are not found lead to those above.
        self._climbs = bool(mentions.calls or mentions.types or any(path.inspected for path in mentions.paths))

    def start(self, call: Callable[..., Awaitable[object]], *args: object) -> None:
        self._nursery.start_soon(self._quietly, call, args)

    @staticmethod
    async def _quietly(call: Callable[..., Awaitable[object]], args: tuple[object, ...]) -> None:
        with suppress(JdbpyError):  # the code that needs it meets it again
            await call(*args)

    async def once(self, key: object, call: Callable[[], Awaitable[T]]) -> T | None:
        """Return what the call gives, which is made once for each key; None when it fails."""
        shared = self._shared.get(key)
        if shared is not None:
            await shared.ended.wait()
        else:
            shared = self._shared[key] = _Shared()
            try:
                with suppress(JdbpyError):
                    shared.result = await call()
            finally:
                shared.ended.set()
        return cast("T | None", shared.result)

    def shown(self, signature: str, generic: str) -> None:
        """Learns what an object that is to be shown, and what is in it, most likely consists of."""
        for name in sorted(made_of(_names_in(generic or signature))):
            self.start(self._consists, name)

    def types_in(self, signature: str) -> None:
        """The classes that a signature names are learned, those of type arguments too."""
        for name in _names_in(signature):
            if name != STRING.name or self._mentions.calls:
                self.start(self.named, name)

    async def named(self, name: str) -> int:
        """Learns a class by its full name, and what is most likely above it."""
        home = self._c.home
        if home is not None and name == home.name:
            return home.id
        if self._climbs:
            for other in above(name, self._target.release):
                self.start(self.find, (other,))
        return await self.find((name,))

    async def _consists(self, name: str) -> None:
        """Learns what objects of a class consist of. Those of the JDK are mostly shown by what it declares itself."""
        class_id = await self.find((name,), climbs=False)
        root = self._target.likely_class(OBJECT.name)  # which has no fields: it is not worth the trip
        while class_id and not name.startswith("java."):
            facts = await self.facts(class_id)
            class_id = facts.superclass if facts is not None and facts.superclass != root else 0

    async def find(self, names: Sequence[str], *, climbs: bool | None = None) -> int:
        """Learns the first of the classes that there is of these names; looks for all of them."""
        for name in names:
            if ("name", name) not in self._shared:
                self._shared["name", name] = _Shared()
                self._wanted.append(name)
                likely = self._target.likely_class(name)
                if likely:
                    self.start(self.facts, likely)
        if self._wanted and not self._looking_up:
            self.start(self._look_up)
        for name in names:
            shared = self._shared["name", name]
            await shared.ended.wait()
            if shared.result:
                class_id = cast("int", shared.result)
                self.start(self.learn, class_id, self._climbs if climbs is None else climbs)
                return class_id
        return 0

    async def _look_up(self) -> None:
        """Looks for the classes that are wanted, with those that others ask for at the same moment."""
        self._looking_up = True
        for _ in range(_MOMENT):
            await trio.lowlevel.checkpoint()
        names, self._wanted, self._looking_up = self._wanted, [], False
        try:
            for name, class_id in zip(names, await self._target.find_classes(names), strict=True):
                self._shared["name", name].result = class_id
        finally:
            for name in names:
                self._shared["name", name].ended.set()

    async def facts(self, class_id: int) -> ClassFacts | None:
        found = await self.once(("facts", class_id), lambda: self._target.class_facts([class_id]))
        return found[0] if found else None

    async def learn(self, class_id: int, climbs: bool) -> None:
        """Learns what a class declares, and what it names that matters; with ``climbs``, all above it as well."""
        asked = ("class", class_id, climbs)
        if asked in self._shared or self._classes >= _MOST_CLASSES:
            return
        self._shared[asked] = _Shared()
        self._classes += 1
        facts = await self.facts(class_id)
        if facts is None:
            return
        for each in (facts.superclass, *facts.interfaces) if climbs else ():
            if each:
                self.start(self.learn, each, True)
        for field in facts.fields:
            if field.name in self._mentions.fields:
                self.types_in(field.generic or field.signature)
        for call in self._mentions.calls:
            for method in facts.methods:
                if method.name == call.name:
                    self._method(call, method, facts)

    def _method(self, call: MentionedCall, method: refs.Method, owner: ClassFacts) -> None:
        """The classes that matter when a call may mean the method."""
        if method.is_synthetic or (method.name == "<init>" and not self._is_made(owner.name)):
            return
        kind = read_method(method.signature)
        if call.typed:
            self.types_in(method.generic.rpartition(")")[2])
            self.types_in(method.signature.rpartition(")")[2])
        if call.result:
            for name in sorted(given(_names_in((method.generic or method.signature).rpartition(")")[2]))):
                self.start(self._consists, name)
        parameters = list(kind.parameters)
        last = parameters[-1] if method.is_varargs else None
        if isinstance(last, ArrayType) and len(call.args) >= len(parameters) - 1:
            self.start(self.find, (source_name(last),))
            parameters = [*parameters[:-1], *[last.element] * (len(call.args) - len(parameters) + 1)]
        if len(parameters) == len(call.args):
            self._arguments(call, parameters)

    def _arguments(self, call: MentionedCall, parameters: Sequence[JavaType]) -> None:
        for arg, formal in zip(call.args, parameters, strict=True):
            primitive = self._primitive(arg)
            if formal.is_reference and primitive is not None:
                self.start(self.named, BOXES[primitive].name)
            if formal.is_reference == (primitive is None) and isinstance(erasure(formal), ClassType):
                self.start(self.named, cast("ClassType", erasure(formal)).name)

    def _is_made(self, name: str) -> bool:
        return any(simple_name(name) == each.rpartition(".")[2] for each in self._mentions.types)

    def _primitive(self, arg: Primitive | str | None) -> Primitive | None:
        """The primitive type of an argument, as far as it can be seen."""
        if isinstance(arg, str):
            signatures = [local.signature for local in self._c.frame.locals if local.name == arg]
            kind = read_type(signatures[-1]) if signatures else None
            return kind if isinstance(kind, Primitive) else None
        return arg

    async def class_of_name(self, parts: tuple[str, ...]) -> int:
        """Learns the class that a name in the text means, and whether it is initialized."""
        home = self._c.home
        in_scope = await class_spellings(self._c, parts[0])
        class_id = home.id if home is not None and parts == (home.name,) == tuple(in_scope[:1]) else 0
        if not class_id:
            packages = [".".join(parts[:cut]) + "." + "$".join(parts[cut:]) for cut in range(len(parts) - 1, 0, -1)]
            near = [*packages, *in_scope]
            if not self._heard_of(near) and parts[0][:1].isupper():
                self.start(self._target.referenced_classes)
                near += usual_spellings(parts[0])
            heard_of = self._heard_of(near)
            if heard_of:
                self.start(self._initialized, self._target.likely_class(heard_of))
                near = near[: near.index(heard_of) + 1]
            class_id = await self.find(near)
            if not class_id and parts[0][:1].isupper():
                class_id = await self.find(await distant_spellings(self._c, parts[0]))
        if class_id:
            self.start(self.learn, class_id, self._climbs)
            self.start(self._initialized, class_id)
        return class_id

    def _heard_of(self, names: Sequence[str]) -> str:
        """The first of the names that some class is known to have; empty for none."""
        return next(filter(self._target.likely_class, names), "")

    async def _initialized(self, class_id: int) -> None:
        await self._target.initialized(class_id)


def _names_in(signature: str) -> list[str]:
    """Names of the classes in a signature, those of type arguments too."""
    return [name.replace("/", ".") for name in _IN_SIGNATURE.findall(signature)]
