"""Operations that run code in the target or make objects there: calls, ``new``, arrays, classes compiled with javac.

Entries of maps that the debugger has read itself are no objects of the target.
"""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.errors import EvalError, Thrown
from jdbpy.session.concurrency import both
from jdbpy.session.eval.javac import METHOD, ClassFiles
from jdbpy.session.eval.operands import Entry, Operand
from jdbpy.session.eval.ops.base import Op, Run, run_all
from jdbpy.session.eval.ops.values import in_target
from jdbpy.session.eval.target import Raw, Ref
from jdbpy.session.eval.typing.class_graph import JavaMethod, JClass, make_method
from jdbpy.session.java.types import LATE, VOID, ArrayType, ClassType, JavaType, descriptor, erasure, source_name

MAX_ARRAYS = 10_000
"""The most arrays that one ``new int[a][b]`` may make: each costs a request."""


class Invoke(Op):
    """A method call. ``receiver`` is None for a static method; ``exact`` is a call through ``super``."""

    acts = True
    remote = True

    def __init__(
        self,
        type: JavaType,
        receiver: Op | None,
        method: JavaMethod,
        args: Sequence[Op],
        at: int,
        *,
        exact: bool = False,
    ) -> None:
        super().__init__(type, at, *args)
        self.receiver = receiver
        self.method = method
        self.args = args
        self.nonvirtual = exact
        self.sure = isinstance(type, ClassType | ArrayType) and erasure(type) == method.erased.returns

    async def run(self, run: Run) -> Operand:
        run.target.require_invocation()
        ops = ([] if self.receiver is None else [self.receiver]) + list(self.args)
        return await self.on(run, await run_all(run, ops))

    async def on(self, run: Run, operands: Sequence[Operand]) -> Operand:
        """Run the method with the receiver, if it has one, and arguments that have been evaluated."""
        run.target.require_invocation()
        owner = self.method.owner
        obj: Ref | None = None
        if self.receiver is None:
            args = await in_target(run, operands)
            await initialize(run, owner)
        else:
            if operands[0].value is None:
                raise Thrown("java.lang.NullPointerException", f'Cannot invoke "{self._shown()}"', column=self.at)
            found, *args = await in_target(run, operands)
            assert isinstance(found, Ref)
            obj = found
        result = await run.target.invoke(obj, owner.id, self.method.member, args, exact=self.nonvirtual)
        return Operand(self.type, None if self.type is VOID else result)

    def _shown(self) -> str:
        """Return the method as the JVM's message about a null receiver names it: in full, parameters erased."""
        parameters = ", ".join(source_name(kind) for kind in self.method.erased.parameters)
        owner = self.method.owner.name
        return f"{owner.replace('java.lang.String', 'String')}.{self.method.member.name}({parameters})"


async def initialize(run: Run, cls: JClass) -> None:
    """Run the class's static initializer if that has not happened, as Java does before a static member is used."""
    if not await run.target.initialized(cls.id):
        await run.target.initialize(cls.id, cls.name)


class Instantiate(Op):
    """``new Type(args)``; an outer instance is the first argument."""

    acts = True
    remote = True
    sure = True

    def __init__(self, type: JavaType, constructor: JavaMethod, args: Sequence[Op], at: int) -> None:
        super().__init__(type, at, *args)
        self.constructor = constructor
        self.args = args

    async def run(self, run: Run) -> Operand:
        run.target.require_invocation()
        args = await in_target(run, await run_all(run, self.args))
        made = await run.target.instantiate(self.constructor.owner.id, self.constructor.member, args)
        return Operand(self.type, made)


class MakeArray(Op):
    """``new T[a][b][]``: ``type`` is that of the whole array, ``lengths`` those dimensions that have one."""

    acts = True
    remote = True
    sure = True

    def __init__(self, type: ArrayType, lengths: Sequence[Op], at: int) -> None:
        super().__init__(type, at, *lengths)
        self.array_type = type
        self.lengths = lengths

    async def run(self, run: Run) -> Operand:
        sizes = [operand.value for operand in await run_all(run, self.lengths)]
        lengths = [size for size in sizes if isinstance(size, int)]
        for length in lengths:
            if length < 0:
                raise Thrown("java.lang.NegativeArraySizeException", str(length), column=self.at)
        made = 1
        for length in lengths[:-1]:
            made *= max(length, 1)
        if made > MAX_ARRAYS:
            raise EvalError(f"that makes {made} arrays, and the limit is {MAX_ARRAYS}", self.at)
        return Operand(self.type, await _make(run, self.array_type, lengths, self.at))


async def _make(run: Run, kind: JavaType, lengths: Sequence[int], at: int) -> Ref:
    assert isinstance(kind, ArrayType)
    array = await new_array(run, kind, lengths[0], at)
    if len(lengths) > 1 and lengths[0]:
        inner: list[Raw] = [await _make(run, kind.element, lengths[1:], at) for _ in range(lengths[0])]
        await run.target.write_array(array, descriptor(kind.element), 0, inner)
    return array


async def new_array(run: Run, kind: ArrayType, length: int, at: int) -> Ref:
    """Make an array, whose class is loaded first if need be."""
    cls = await run.graph.array_class(kind)
    if cls is None:
        raise EvalError(f"cannot find symbol: class {kind}", at)
    return await run.target.new_array(cls.id, length)


class ArrayOf(Op):
    """An array with its elements: ``new T[] {..}``, or the variable arguments of a call."""

    acts = True
    remote = True
    sure = True

    def __init__(self, type: ArrayType, elements: Sequence[Op], at: int) -> None:
        super().__init__(type, at, *elements)
        self.array_type = type
        self.elements = elements

    async def run(self, run: Run) -> Operand:
        elements = await run_all(run, self.elements)
        values, array = await both(
            lambda: in_target(run, elements), lambda: new_array(run, self.array_type, len(elements), self.at)
        )
        if values:
            await run.target.write_array(array, descriptor(self.array_type.element), 0, values)
        return Operand(self.type, array)


class ClassObject(Op):
    """``Type.class``."""

    remote = True
    sure = True

    def __init__(self, type: JavaType, named: JavaType, at: int) -> None:
        super().__init__(type, at)
        self.named = named

    async def run(self, run: Run) -> Operand:
        cls = await run.graph.load(source_name(self.named))
        if cls is None:
            raise EvalError(f"cannot find symbol: class {self.named}", self.at)
        return Operand(self.type, await run.target.class_object(cls.id))


ENTRY_METHODS = {"getKey": "key", "getValue": "value"}
"""The methods of ``Map.Entry`` that an entry of the debugger answers."""


class EntryPart(Op):
    """``it.key`` and ``it.value``."""

    def __init__(self, entry: Op, name: str, at: int) -> None:
        super().__init__(LATE, at, entry)
        self.entry = entry
        self.name = name

    async def run(self, run: Run) -> Operand:
        entry = (await self.entry.run(run)).value
        assert isinstance(entry, Entry)
        return entry.key if self.name == "key" else entry.value


class EntryMethod(Op):
    """``getKey()`` or ``getValue()`` of what is a ``Map.Entry`` by its static type: an entry of either kind."""

    remote = True

    def __init__(self, invoke: Invoke) -> None:
        assert invoke.receiver is not None
        super().__init__(invoke.type, invoke.at, invoke.receiver)
        self.invoke = invoke
        self.receiver = invoke.receiver

    async def run(self, run: Run) -> Operand:
        operand = await self.receiver.run(run)
        if isinstance(operand.value, Entry):
            part = getattr(operand.value, ENTRY_METHODS[self.invoke.method.member.name])
            assert isinstance(part, Operand)
            return part
        return await self.invoke.on(run, [operand])


class MakeFunction(Op):
    """Runs the method of the compiled class that makes the object. The class is defined when that first happens."""

    acts = True
    remote = True
    sure = True

    def __init__(self, type: JavaType, compiled: ClassFiles, values: Sequence[Op], at: int) -> None:
        super().__init__(type, at, *values)
        self.compiled = compiled
        self.values = values
        self._class_id = 0

    async def run(self, run: Run) -> Operand:
        operands = await run_all(run, self.values)
        if not self._class_id:
            self._class_id = await run.target.define_classes(self.compiled)
        (cls,) = await run.graph.of_ids([self._class_id])
        method = make_method(cls, next(each for each in cls.facts.methods if each.name == METHOD))
        return await Invoke(self.type, None, method, self.values, self.at).on(run, operands)
