"""Prefetching for an expression: what compiling and running it will need is asked for side by side.

The compiler asks for one thing after the other, as the rules of Java lead it from name to name. Over a slow link that
is a trip each. So where the target is far away, what the text mentions is followed first, all of it at once: the
classes of its variables and of the fields on its paths, their ancestors, the parameters of methods that have the name
of a call, what type names may mean, and the values on the way. All of it goes into the memories from which the compiler
and the operations are answered then. Nothing is decided here: a wrong guess costs some bytes, and no error gets out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from jdbpy.session.concurrency import open_nursery
from jdbpy.session.eval.compile.ahead_classes import ClassesAhead
from jdbpy.session.eval.compile.typenames import class_spellings
from jdbpy.session.eval.syntax import tree
from jdbpy.session.eval.syntax.mentions import THIS, Mentions, Path
from jdbpy.session.eval.target import Ref, Spot
from jdbpy.session.java.descriptors import read_type
from jdbpy.session.java.types import OBJECT, STRING, ArrayType, ClassType, JavaType
from jdbpy.session.target import refs
from jdbpy.wire.constants import Tag

if TYPE_CHECKING:
    from jdbpy.session.eval.compile.compiler import Compiler


async def look_ahead(c: Compiler, statements: Sequence[tree.Statement]) -> None:
    """Learns what the statements are likely to need. wire: as many trips as their longest chain of names."""
    mentions = Mentions(statements)
    if mentions.paths or mentions.calls or mentions.types:
        async with open_nursery() as nursery:
            _PathsAhead(c, mentions, ClassesAhead(c, mentions, nursery)).start()


class _PathsAhead:
    """The prefetching along the paths that a text mentions; ``classes`` runs it, and learns the classes on the way."""

    def __init__(self, c: Compiler, mentions: Mentions, classes: ClassesAhead) -> None:
        self._c = c
        self._target = c.target
        self._mentions = mentions
        self._classes = classes

    def start(self) -> None:
        """Begin all of it."""
        mentions = self._mentions
        for path in mentions.paths:
            self._classes.start(self._path, path)
        for name in mentions.types:
            self._classes.start(self._classes.class_of_name, tuple(name.split(".")))
        if mentions.calls or any(path.steps for path in mentions.paths):
            self._classes.start(self._classes.named, OBJECT.name)
        if mentions.strings and (mentions.calls or mentions.assigns):  # they have to be made in the target
            self._classes.start(self._classes.named, STRING.name)
        if self._c.home is not None and any(not call.qualified for call in mentions.calls):
            self._classes.start(self._classes.learn, self._c.home.id, True)

    # Paths

    async def _path(self, path: Path) -> None:
        """A variable and the fields behind it."""
        c, root = self._c, path.root
        local = next((each for each in reversed(c.frame.locals) if each.name == root), None)
        if local is not None:
            if path.steps or path.typed or path.inspected:
                self._classes.types_in(local.generic or local.signature)
            elif path.result and not self._target.knows_object_in(local):
                self._classes.shown(local.signature, local.generic)
            if path.inspected and self._mentions.texts and local.signature[0] in "L[":
                self._classes.start(self._classes.named, OBJECT.name)
            frame = await self._classes.once("frame", lambda: self._target.read_frame(c.frame.locals, this=True))
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
        frame = await self._classes.once("frame", lambda: self._target.read_frame(self._c.frame.locals, this=True))
        return frame.this if frame is not None else None

    async def _field_or_class(self, path: Path) -> None:
        home = self._c.home
        field = next((each for each in home.facts.fields if each.name == path.root), None) if home else None
        if field is None:
            if home is not None:
                self._classes.start(self._classes.learn, home.id, True)
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
            await self._classes.find(await class_spellings(self._c, path.root))
            return
        class_id = await self._classes.class_of_name(tuple(parts))
        steps = path.steps[len(parts) - 1 :]
        if not class_id or not steps:
            return
        facts = await self._classes.facts(class_id)
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
            if value.tag == Tag.ARRAY:
                self._classes.start(self._target.array_length, value)
            await self._class_of(value)

    async def _inspect(self, value: Ref) -> None:
        """Learns what an object is that is handed to something."""
        if value.tag == Tag.STRING:
            if self._mentions.calls:
                self._classes.start(self._classes.named, STRING.name)
            await self._target.read_strings([value])
            return
        if self._mentions.texts:
            self._classes.start(self._classes.named, OBJECT.name)
        class_id = await self._class_of(value)
        if class_id:
            await self._classes.learn(class_id, True)

    async def _holder(self, value: object, kind: JavaType, *, sure: bool) -> int:
        """The class to look for a field in: that of the object, unless the declared one is sure."""
        if isinstance(value, Ref) and not sure:
            class_id = await self._class_of(value)
            self._classes.start(self._classes.learn, class_id, True)
            return class_id
        return await self._classes.named(kind.name) if isinstance(kind, ClassType) else 0

    async def _class_of(self, ref: Ref) -> int:
        found = await self._classes.once(("class of", ref.id), lambda: self._target.classes_of([ref]))
        return found[0] if found else 0

    async def _field(self, class_id: int, name: str) -> refs.Field | None:
        while class_id:
            facts = await self._classes.facts(class_id)
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

    def _matters(self, path: Path, field: refs.Field, *, last: bool) -> None:
        """Learns the type of a field on a path, if it matters."""
        if not last or path.typed or path.inspected:
            self._classes.types_in(field.generic or field.signature)
        elif path.result:
            self._classes.shown(field.signature, field.generic)


def _is_told(field: refs.Field) -> bool:
    """True if the JVM has seen to it that what the field holds is of its type."""
    return not field.generic.startswith("T") and not field.generic.lstrip("[").startswith("T")
