"""Prefetching for an expression: what compiling and running it will need is asked for side by side.

The compiler asks for one thing after the other, as the rules of Java lead it from name to name. Over a slow link that
is a trip each. So where the target is far away, what the text mentions is followed first, all of it at once: the
classes of its variables and of the fields on its paths, their ancestors, the parameters of methods that have the name
of a call, what type names may mean, and the values on the way. The walk is a reading (``session.target.reading``) over
an ``EvalTarget`` of readings; what it learns is in the memories from which the compiler and the operations are answered
then. Nothing is decided here: a wrong guess costs some bytes, and no error gets out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar, cast

from jdbpy.errors import JdbpyError
from jdbpy.session.eval.compile.typenames import distant_spellings, spellings_in_scope, usual_spellings
from jdbpy.session.eval.syntax import tree
from jdbpy.session.eval.syntax.lexer import Imports
from jdbpy.session.eval.syntax.mentions import THIS, MentionedCall, Mentions, Path
from jdbpy.session.eval.target import ClassFacts, EvalTarget, FrameValues, Raw, Ref
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
from jdbpy.session.jvm import refs
from jdbpy.session.jvm.reading import Reading, SingleFlight, start
from jdbpy.wire.constants import Tag

if TYPE_CHECKING:
    from jdbpy.session.eval.compile.compiler import Compiler

T = TypeVar("T")

_MOST_CLASSES = 150
"""Classes that are learned for one expression."""
_IN_SIGNATURE = re.compile(r"L([\w/$]+)")


async def prefetch(c: Compiler, statements: Sequence[tree.Statement]) -> None:
    """Learn what the statements are likely to need. wire: as many trips as their longest chain of names."""
    mentions = Mentions(statements)
    if mentions.paths or mentions.calls or mentions.types:
        imports = await c.imports()
        await c.target.prefetch(lambda target: _Walk(c, mentions, imports, target).run())


class _Walk:
    """The walk along the paths, calls and types that a text mentions. ``target`` gives readings."""

    def __init__(self, c: Compiler, mentions: Mentions, imports: Imports, target: EvalTarget) -> None:
        self._c = c
        self._imports = imports
        self._target = target
        self._mentions = mentions
        self._flight = SingleFlight()
        self._learned: set[tuple[int, bool]] = set()
        # Where nothing but fields is mentioned, only the classes in which they are not found lead to those above.
        self._climbs = bool(mentions.calls or mentions.types or any(path.inspected for path in mentions.paths))

    async def run(self) -> None:
        """Begin all of it; what is begun ends with the drive."""
        mentions = self._mentions
        for path in mentions.paths:
            await self._start(self._path(path))
        for name in mentions.types:
            await self._start(self._class_of_name(tuple(name.split("."))))
        if mentions.calls or any(path.steps for path in mentions.paths):
            await self._start(self._named(OBJECT.name))
        if mentions.strings and (mentions.calls or mentions.assigns):  # they have to be made in the target
            await self._start(self._named(STRING.name))
        if self._c.home is not None and any(not call.qualified for call in mentions.calls):
            await self._start(self._learn(self._c.home.id, climbs=True))

    @staticmethod
    async def _start(reading: Reading[object]) -> None:
        """Begin a branch that is not waited for. No error of the target gets out of it."""

        async def branch() -> None:
            with suppress(JdbpyError):  # the code that needs it meets it again
                await reading

        await start(branch())

    async def _once(self, key: object, begin: Callable[[], Reading[T]]) -> T | None:
        """Return the result of a reading that is run once for each key; None when it fails."""
        with suppress(JdbpyError):
            return await self._flight.read(key, begin)
        return None

    # Paths

    async def _path(self, path: Path) -> None:
        """A variable and the fields behind it."""
        c, root = self._c, path.root
        local = next((each for each in reversed(c.frame.locals) if each.name == root), None)
        if local is not None:
            if path.steps or path.typed or path.inspected:
                await self._types_in(local.generic or local.signature)
            elif path.result and not self._target.knows_object_in(local):
                await self._shown(local.signature, local.generic)
            if path.inspected and self._mentions.texts and local.signature[0] in "L[":
                await self._start(self._named(OBJECT.name))
            frame = await self._frame()
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

    async def _frame(self) -> FrameValues | None:
        return await self._once("frame", lambda: self._target.read_frame(self._c.frame.locals, this=True))

    async def _this(self) -> Ref | None:
        if self._c.frame.is_static:
            return None
        frame = await self._frame()
        return frame.this if frame is not None else None

    async def _field_or_class(self, path: Path) -> None:
        home = self._c.home
        field = next((each for each in home.facts.fields if each.name == path.root), None) if home else None
        if field is None:
            if home is not None:
                await self._start(self._learn(home.id, climbs=True))
            await self._below_class(path)
            return
        await self._matters(path, field, last=not path.steps)
        value = None
        if path.first:
            value = await self._read(None if field.is_static else await self._this(), field)
        await self._steps(path, value, read_type(field.signature), sure=_is_checked(field))

    async def _below_class(self, path: Path) -> None:
        """A path that begins with a class, and a static field of it."""
        parts = [path.root]
        for step in path.steps:
            if not isinstance(step, str) or parts[-1][:1].isupper():
                break
            parts.append(step)
        if not parts[-1][:1].isupper():
            await self._find(spellings_in_scope(self._c, path.root, self._imports))
            return
        class_id = await self._class_of_name(tuple(parts))
        steps = path.steps[len(parts) - 1 :]
        if not class_id or not steps:
            return
        facts = await self._facts(class_id)
        field = next((each for each in facts.fields if each.name == steps[0]), None) if facts else None
        if field is not None and field.is_static:
            await self._matters(path, field, last=len(steps) == 1)
            value = await self._read(None, field) if path.first else None
            rest = path.replace(steps=steps[1:])
            await self._steps(rest, value, read_type(field.signature), sure=_is_checked(field))

    async def _steps(self, path: Path, value: object, kind: JavaType, *, sure: bool) -> None:
        """Follow the steps of a path from an object, or from its type alone where there is no object."""
        for number, step in enumerate(path.steps, 1):
            if isinstance(step, int) or isinstance(kind, ArrayType):
                if not isinstance(kind, ArrayType) or not isinstance(step, int):
                    if isinstance(value, Ref) and step == "length":
                        await self._target.array_length(value)
                    return
                kind = kind.element
                value = await self._element(value, step) if isinstance(value, Ref) and path.first else None
                continue
            holder = await self._holder(value, kind, sure=sure)
            field = await self._field(holder, step) if holder else None
            if field is None:
                return
            kind = read_type(field.signature)
            await self._matters(path, field, last=number == len(path.steps))
            read = isinstance(value, Ref) and path.first and not field.is_static
            value = await self._read(cast("Ref", value), field) if read else None
            sure = _is_checked(field)
        if isinstance(value, Ref) and path.inspected:
            await self._inspect(value)
        elif isinstance(value, Ref) and path.result and value.tag != Tag.STRING:
            if value.tag == Tag.ARRAY:
                await self._start(self._target.array_length(value))
            await self._class_of(value)

    async def _inspect(self, value: Ref) -> None:
        """Learn what an object is that is handed to something."""
        if value.tag == Tag.STRING:
            if self._mentions.calls:
                await self._start(self._named(STRING.name))
            await self._target.read_strings([value])
            return
        if self._mentions.texts:
            await self._start(self._named(OBJECT.name))
        class_id = await self._class_of(value)
        if class_id:
            await self._learn(class_id, climbs=True)

    async def _holder(self, value: object, kind: JavaType, *, sure: bool) -> int:
        """Return the class to look for a field in: that of the object, unless the declared one is sure."""
        if isinstance(value, Ref) and not sure:
            class_id = await self._class_of(value)
            await self._start(self._learn(class_id, climbs=True))
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

    async def _read(self, obj: Ref | None, field: refs.Field) -> Raw:
        """Return the value of a field; None where the object is not known."""
        if field.is_static:
            [value] = await self._target.read_statics(field.type_id, [field])
        elif obj is not None:
            [value] = await self._target.read_fields(obj, [field])
        else:
            return None
        return value

    async def _element(self, array: Ref, index: int) -> Raw:
        return next(iter(await self._target.read_array(array, index, 1)), None)

    async def _matters(self, path: Path, field: refs.Field, *, last: bool) -> None:
        """Learn the type of a field on a path, if it matters."""
        if not last or path.typed or path.inspected:
            await self._types_in(field.generic or field.signature)
        elif path.result:
            await self._shown(field.signature, field.generic)

    # Classes

    async def _shown(self, signature: str, generic: str) -> None:
        """Learn what an object that is to be shown, and what is in it, most likely consists of."""
        for name in sorted(made_of(_names_in(generic or signature))):
            await self._start(self._consists(name))

    async def _types_in(self, signature: str) -> None:
        """The classes that a signature names are learned, those of type arguments too."""
        for name in _names_in(signature):
            if name != STRING.name or self._mentions.calls:
                await self._start(self._named(name))

    async def _named(self, name: str) -> int:
        """Learn a class by its full name, and what is most likely above it."""
        home = self._c.home
        if home is not None and name == home.name:
            return home.id
        if self._climbs:
            for other in above(name, self._target.release):
                await self._start(self._find((other,)))
        return await self._find((name,))

    async def _consists(self, name: str) -> None:
        """Learn what objects of a class consist of. Those of the JDK are mostly shown by what it declares itself."""
        class_id = await self._find((name,), climbs=False)
        root = self._target.likely_class(OBJECT.name)  # which has no fields: it is not worth the trip
        while class_id and not name.startswith("java."):
            facts = await self._facts(class_id)
            class_id = facts.superclass if facts is not None and facts.superclass != root else 0

    async def _find(self, names: Sequence[str], *, climbs: bool | None = None) -> int:
        """Learn the first of the classes that there is of these names; looks for all of them."""
        for name in names:
            await self._start(self._look_up(name))
        for name in names:
            class_id = await self._look_up(name)
            if class_id:
                await self._start(self._learn(class_id, climbs=self._climbs if climbs is None else climbs))
                return class_id
        return 0

    async def _look_up(self, name: str) -> int:
        """Return the class of that name, looked for once. Where it was heard of, its facts are learned beside that."""

        async def begin() -> list[int]:
            likely = self._target.likely_class(name)
            if likely:
                await self._start(self._facts(likely))
            return await self._target.find_classes([name])

        found = await self._once(("name", name), begin)
        return found[0] if found else 0

    async def _facts(self, class_id: int) -> ClassFacts | None:
        found = await self._once(("facts", class_id), lambda: self._target.class_facts([class_id]))
        return found[0] if found else None

    async def _learn(self, class_id: int, *, climbs: bool) -> None:
        """Learn what a class declares, and what it names that matters; with ``climbs``, all above it as well."""
        if (class_id, climbs) in self._learned or len(self._learned) >= _MOST_CLASSES:
            return
        self._learned.add((class_id, climbs))
        facts = await self._facts(class_id)
        if facts is None:
            return
        for each in (facts.superclass, *facts.interfaces) if climbs else ():
            if each:
                await self._start(self._learn(each, climbs=True))
        for field in facts.fields:
            if field.name in self._mentions.fields:
                await self._types_in(field.generic or field.signature)
        for call in self._mentions.calls:
            for method in facts.methods:
                if method.name == call.name:
                    await self._method(call, method, facts)

    async def _method(self, call: MentionedCall, method: refs.Method, owner: ClassFacts) -> None:
        """The classes that matter when a call may mean the method."""
        if method.is_synthetic or (method.name == "<init>" and not self._is_made(owner.name)):
            return
        kind = read_method(method.signature)
        if call.typed:
            await self._types_in(method.generic.rpartition(")")[2])
            await self._types_in(method.signature.rpartition(")")[2])
        if call.result:
            for name in sorted(given(_names_in((method.generic or method.signature).rpartition(")")[2]))):
                await self._start(self._consists(name))
        parameters = list(kind.parameters)
        last = parameters[-1] if method.is_varargs else None
        if isinstance(last, ArrayType) and len(call.args) >= len(parameters) - 1:
            await self._start(self._find((source_name(last),)))
            parameters = [*parameters[:-1], *[last.element] * (len(call.args) - len(parameters) + 1)]
        if len(parameters) == len(call.args):
            await self._arguments(call, parameters)

    async def _arguments(self, call: MentionedCall, parameters: Sequence[JavaType]) -> None:
        for arg, formal in zip(call.args, parameters, strict=True):
            primitive = self._primitive(arg)
            if formal.is_reference and primitive is not None:
                await self._start(self._named(BOXES[primitive].name))
            if formal.is_reference == (primitive is None) and isinstance(erasure(formal), ClassType):
                await self._start(self._named(cast("ClassType", erasure(formal)).name))

    def _is_made(self, name: str) -> bool:
        return any(simple_name(name) == each.rpartition(".")[2] for each in self._mentions.types)

    def _primitive(self, arg: Primitive | str | None) -> Primitive | None:
        """Return the primitive type of an argument, as far as it can be seen."""
        if isinstance(arg, str):
            signatures = [local.signature for local in self._c.frame.locals if local.name == arg]
            kind = read_type(signatures[-1]) if signatures else None
            return kind if isinstance(kind, Primitive) else None
        return arg

    async def _class_of_name(self, parts: tuple[str, ...]) -> int:
        """Learn the class that a name in the text means, and whether it is initialized."""
        home = self._c.home
        in_scope = spellings_in_scope(self._c, parts[0], self._imports)
        class_id = home.id if home is not None and parts == (home.name,) == tuple(in_scope[:1]) else 0
        if not class_id:
            packages = [".".join(parts[:cut]) + "." + "$".join(parts[cut:]) for cut in range(len(parts) - 1, 0, -1)]
            near = [*packages, *in_scope]
            if parts[0][:1].isupper():  # the compiler asks whether a local class is meant
                await self._start(self._referenced())
                near += [] if self._heard_of(near) else usual_spellings(parts[0])
            heard_of = self._heard_of(near)
            if heard_of:
                await self._start(self._target.initialized(self._target.likely_class(heard_of)))
                near = near[: near.index(heard_of) + 1]
            class_id = await self._find(near)
            if not class_id and parts[0][:1].isupper():
                class_id = await self._find(distant_spellings(parts[0], await self._referenced()))
        if class_id:
            await self._start(self._learn(class_id, climbs=self._climbs))
            await self._start(self._target.initialized(class_id))
        return class_id

    def _heard_of(self, names: Sequence[str]) -> str:
        """Return the first of the names that some class is known to have; empty for none."""
        return next(filter(self._target.likely_class, names), "")

    async def _referenced(self) -> list[str]:
        return await self._once("referenced", self._target.referenced_classes) or []


def _names_in(signature: str) -> list[str]:
    """Return names of the classes in a signature, those of type arguments too."""
    return [name.replace("/", ".") for name in _IN_SIGNATURE.findall(signature)]


def _is_checked(field: refs.Field) -> bool:
    """True if the JVM has checked that what the field holds is of its type."""
    return not field.generic.startswith("T") and not field.generic.lstrip("[").startswith("T")
