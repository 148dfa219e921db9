"""What compiling and running an expression will ask for, asked for side by side before it begins.

The compiler asks for one thing after the other, as the rules of Java lead it from name to name. Over a slow link that
is a trip each. So where the target is far away, what the text mentions is followed first, all of it at once: the
classes of its variables and of the fields on its paths, their ancestors, the parameters of methods that have the name
of a call, what type names may mean, and the values on the way. All of it goes into the memories from which the compiler
and the operations are answered then. Nothing is decided here: a wrong guess costs some bytes, and no error gets out.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar, cast

import trio

from jdbpy.errors import JdbpyError
from jdbpy.session.concurrency import open_nursery
from jdbpy.session.eval.compile.typenames import class_spellings, distant_spellings
from jdbpy.session.eval.java.descriptors import read_method, read_type
from jdbpy.session.eval.java.types import (
    BOXES,
    OBJECT,
    STRING,
    ArrayType,
    ClassType,
    JavaType,
    Primitive,
    erasure,
    simple_name,
)
from jdbpy.session.eval.syntax import tree
from jdbpy.session.eval.syntax.mentions import THIS, Call, Mentions, Path
from jdbpy.session.eval.target import ClassFacts, Ref, Spot
from jdbpy.session.types import refs
from jdbpy.session.types.jdk import above, made_of
from jdbpy.wire.constants import Tag

if TYPE_CHECKING:
    from jdbpy.session.eval.compile.compiler import Compiler

T = TypeVar("T")

_MOMENT = 3
"""Turns of the loop in which the beginnings of all paths come to their first question."""
_MOST_CLASSES = 150
"""Classes that are learned for one expression."""
_IN_SIGNATURE = re.compile(r"L([\w/$]+)")


async def look_ahead(c: Compiler, statements: Sequence[tree.Statement]) -> None:
    """Learns what the statements are likely to need. wire: as many trips as their longest chain of names."""
    mentions = Mentions(statements)
    if mentions.paths or mentions.calls or mentions.types:
        await _Ahead(c, mentions).run()


class _Shared:
    """Something that is asked for once, and how it ended."""

    def __init__(self) -> None:
        self.ended = trio.Event()
        self.result: object = None


class _Ahead:
    def __init__(self, c: Compiler, mentions: Mentions) -> None:
        self._c = c
        self._target = c.target
        self._mentions = mentions
        self._shared: dict[object, _Shared] = {}
        self._classes = 0
        self._wanted: list[str] = []  # names to look up
        self._looking_up = False
        # Where nothing but fields is mentioned, only the classes in which they are not found lead to those above.
        self._climbs = bool(mentions.calls or mentions.types or any(path.inspected for path in mentions.paths))

    async def run(self) -> None:
        async with open_nursery() as self._nursery:
            mentions = self._mentions
            for path in mentions.paths:
                self._start(self._path, path)
            for name in mentions.types:
                self._start(self._class_of_name, tuple(name.split(".")))
            if mentions.calls or any(path.steps for path in mentions.paths):
                self._start(self._named, OBJECT.name)
            if self._c.home is not None and any(not call.qualified for call in mentions.calls):
                self._start(self._class, self._c.home.id, True)

    def _start(self, call: Callable[..., Awaitable[object]], *args: object) -> None:
        self._nursery.start_soon(self._quietly, call, args)

    @staticmethod
    async def _quietly(call: Callable[..., Awaitable[object]], args: tuple[object, ...]) -> None:
        with suppress(JdbpyError):  # whoever really needs it meets it again
            await call(*args)

    async def _once(self, key: object, call: Callable[[], Awaitable[T]]) -> T | None:
        """What the call gives, which is made once for each key; None when it fails."""
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

    # Paths

    async def _path(self, path: Path) -> None:
        """A variable and the fields behind it."""
        c, root = self._c, path.root
        local = next((each for each in reversed(c.frame.locals) if each.name == root), None)
        if local is not None:
            if path.steps or path.typed or path.inspected:
                self._types_in(local.generic or local.signature)
            elif path.result:
                self._shown(local.signature, local.generic)
            if path.inspected and self._mentions.texts and local.signature[0] in "L[":
                self._start(self._named, OBJECT.name)
            frame = await self._once("frame", lambda: self._target.read_frame(c.frame.locals, this=True))
            value = frame.slots.get(local.slot) if frame is not None else None
            if isinstance(value, Ref):
                await self._steps(path, value, read_type(local.signature), sure=False)
            return
        operand = c.variables.get(root[1:]) if root.startswith("$") else None
        if operand is not None:
            await self._steps(path, operand.value if isinstance(operand.value, Ref) else None, OBJECT, sure=False)
        elif root == THIS and c.home is not None:
            await self._steps(path, await self._this(), c.home.type, sure=True)
        else:
            await self._field_or_class(path)

    async def _this(self) -> Ref | None:
        if self._c.frame.is_static:
            return None
        frame = await self._once("frame", lambda: self._target.read_frame(self._c.frame.locals, this=True))
        return frame.this if frame is not None else None

    async def _field_or_class(self, path: Path) -> None:
        home = self._c.home
        field = next((each for each in home.facts.fields if each.name == path.root), None) if home else None
        if field is None:
            if home is not None:
                self._start(self._class, home.id, True)
            await self._below_class(path)
            return
        self._matters(path, field, last=not path.steps)
        value = None
        if path.first:
            value = await self._read(Spot(None if field.is_static else await self._this(), field))
        await self._steps(path, value, read_type(field.signature), sure=_is_told(field))

    async def _below_class(self, path: Path) -> None:
        """A path that begins with a class, and a static field of it."""
        parts = [path.root]
        for step in path.steps:
            if not isinstance(step, str) or parts[-1][:1].isupper():
                break
            parts.append(step)
        if not parts[-1][:1].isupper():
            await self._find(await class_spellings(self._c, path.root))
            return
        class_id = await self._class_of_name(tuple(parts))
        steps = path.steps[len(parts) - 1 :]
        if not class_id or not steps:
            return
        facts = await self._facts(class_id)
        field = next((each for each in facts.fields if each.name == steps[0]), None) if facts else None
        if field is not None and field.is_static:
            self._matters(path, field, last=len(steps) == 1)
            value = await self._read(Spot(None, field)) if path.first else None
            rest = path.replace(steps=steps[1:])
            await self._steps(rest, value, read_type(field.signature), sure=_is_told(field))

    async def _steps(self, path: Path, value: object, kind: JavaType, *, sure: bool) -> None:
        """Follows the steps of a path from an object, or from its type alone where there is no object."""
        for number, step in enumerate(path.steps, 1):
            if isinstance(step, int) or isinstance(kind, ArrayType):
                if not isinstance(kind, ArrayType) or not isinstance(step, int):
                    if isinstance(value, Ref) and step == "length":
                        await self._target.array_length(value)
                    return
                kind = kind.element
                value = await self._read(Spot(value, None, step)) if isinstance(value, Ref) and path.first else None
                continue
            holder = await self._holder(value, kind, sure=sure)
            field = await self._field(holder, step) if holder else None
            if field is None:
                return
            kind = read_type(field.signature)
            self._matters(path, field, last=number == len(path.steps))
            read = isinstance(value, Ref) and path.first and not field.is_static
            value = await self._read(Spot(cast("Ref", value), field)) if read else None
            sure = _is_told(field)
        if isinstance(value, Ref) and path.inspected:
            await self._inspect(value)
        elif isinstance(value, Ref) and path.result and value.tag != Tag.STRING:
            await self._class_of(value)

    async def _inspect(self, value: Ref) -> None:
        """Learns what an object is that is handed to something."""
        if value.tag == Tag.STRING:
            if self._mentions.calls:
                self._start(self._named, STRING.name)
            await self._target.read_strings([value])
            return
        if self._mentions.texts:
            self._start(self._named, OBJECT.name)
        class_id = await self._class_of(value)
        if class_id:
            await self._class(class_id, True)

    async def _holder(self, value: object, kind: JavaType, *, sure: bool) -> int:
        """The class to look for a field in: that of the object, unless the declared one is sure."""
        if isinstance(value, Ref) and not sure:
            class_id = await self._class_of(value)
            self._start(self._class, class_id, True)
            return class_id
        return await self._named(kind.name) if isinstance(kind, ClassType) else 0

    async def _class_of(self, ref: Ref) -> int:
        found = await self._once(("class of", ref.id), lambda: self._target.classes_of([ref]))
        return found[0] if found else 0

    async def _field(self, class_id: int, name: str) -> refs.Field | None:
        while class_id:
            facts = await self._facts(class_id)
            if facts is None:
                return None
            for field in facts.fields:
                if field.name == name:
                    return field
            class_id = facts.superclass
        return None

    async def _read(self, spot: Spot) -> object:
        if spot.obj is None and (spot.field is None or not spot.field.is_static):
            return None
        return await self._target.read_ahead(spot)

    # Classes

    def _matters(self, path: Path, field: refs.Field, *, last: bool) -> None:
        """Learns the type of a field on a path, if it matters."""
        if not last or path.typed or path.inspected:
            self._types_in(field.generic or field.signature)
        elif path.result:
            self._shown(field.signature, field.generic)

    def _shown(self, signature: str, generic: str) -> None:
        """Learns what an object that is to be shown, and what is in it, most likely consists of."""
        for name in sorted(made_of(_names_in(generic or signature))):
            self._start(self._find, (name,))

    def _types_in(self, signature: str) -> None:
        """The classes that a signature names are learned, those of type arguments too."""
        for name in _names_in(signature):
            if name != STRING.name or self._mentions.calls:
                self._start(self._named, name)

    async def _named(self, name: str) -> int:
        """Learns a class by its full name, and what is most likely above it."""
        home = self._c.home
        if home is not None and name == home.name:
            return home.id
        if self._climbs:
            for other in above(name):
                self._start(self._find, (other,))
        return await self._find((name,))

    async def _find(self, names: Sequence[str]) -> int:
        """Learns the first of the classes that there is of these names; looks for all of them."""
        for name in names:
            if ("name", name) not in self._shared:
                self._shared["name", name] = _Shared()
                self._wanted.append(name)
                likely = self._target.likely_class(name)
                if likely:
                    self._start(self._facts, likely)
        if self._wanted and not self._looking_up:
            self._start(self._look_up)
        for name in names:
            shared = self._shared["name", name]
            await shared.ended.wait()
            if shared.result:
                class_id = cast("int", shared.result)
                self._start(self._class, class_id, self._climbs)
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

    async def _facts(self, class_id: int) -> ClassFacts | None:
        found = await self._once(("facts", class_id), lambda: self._target.class_facts([class_id]))
        return found[0] if found else None

    async def _class(self, class_id: int, climbs: bool) -> None:
        """Learns what a class declares, and what it names that matters; with ``climbs``, all above it as well."""
        if ("class", class_id) in self._shared or self._classes >= _MOST_CLASSES:
            return
        self._shared["class", class_id] = _Shared()
        self._classes += 1
        facts = await self._facts(class_id)
        if facts is None:
            return
        for each in (facts.superclass, *facts.interfaces) if climbs else ():
            if each:
                self._start(self._class, each, True)
        for field in facts.fields:
            if field.name in self._mentions.fields:
                self._types_in(field.generic or field.signature)
        for call in self._mentions.calls:
            for method in facts.methods:
                if method.name == call.name:
                    self._method(call, method, facts)

    def _method(self, call: Call, method: refs.Method, owner: ClassFacts) -> None:
        """The classes that matter when a call may mean the method."""
        if method.is_synthetic or (method.name == "<init>" and not self._is_made(owner.name)):
            return
        kind = read_method(method.signature)
        if call.typed:
            self._types_in(method.generic.rpartition(")")[2])
            self._types_in(method.signature.rpartition(")")[2])
        if len(kind.parameters) != len(call.args):
            return
        for arg, formal in zip(call.args, kind.parameters, strict=True):
            primitive = self._primitive(arg)
            if formal.is_reference and primitive is not None:
                self._start(self._named, BOXES[primitive].name)
            if formal.is_reference == (primitive is None) and isinstance(erasure(formal), ClassType):
                self._start(self._named, cast("ClassType", erasure(formal)).name)

    def _is_made(self, name: str) -> bool:
        return any(simple_name(name) == each.rpartition(".")[2] for each in self._mentions.types)

    def _primitive(self, arg: Primitive | str | None) -> Primitive | None:
        """The primitive type of an argument, as far as it can be seen."""
        if isinstance(arg, str):
            signatures = [local.signature for local in self._c.frame.locals if local.name == arg]
            kind = read_type(signatures[-1]) if signatures else None
            return kind if isinstance(kind, Primitive) else None
        return arg

    async def _class_of_name(self, parts: tuple[str, ...]) -> int:
        """Learns the class that a name in the text means, and whether it is initialised."""
        home = self._c.home
        in_scope = await class_spellings(self._c, parts[0])
        class_id = home.id if home is not None and parts == (home.name,) == tuple(in_scope[:1]) else 0
        if not class_id:
            packages = [".".join(parts[:cut]) + "." + "$".join(parts[cut:]) for cut in range(len(parts) - 1, 0, -1)]
            near = [*packages, *in_scope]
            likely = next(filter(None, map(self._target.likely_class, near)), 0)
            if likely:
                self._start(self._initialized, likely)
            elif parts[0][:1].isupper():
                self._start(self._target.referenced_classes)
            class_id = await self._find(near)
            if not class_id and parts[0][:1].isupper():
                class_id = await self._find(await distant_spellings(self._c, parts[0]))
        if class_id:
            self._start(self._class, class_id, self._climbs)
            self._start(self._initialized, class_id)
        return class_id

    async def _initialized(self, class_id: int) -> None:
        await self._target.initialized(class_id)


def _names_in(signature: str) -> list[str]:
    """Names of the classes in a signature, those of type arguments too."""
    return [name.replace("/", ".") for name in _IN_SIGNATURE.findall(signature)]


def _is_told(field: refs.Field) -> bool:
    """Whether the JVM has seen to it that what the field holds is of its type."""
    return not field.generic.startswith("T") and not field.generic.lstrip("[").startswith("T")
