"""A view of the user's own that is a Java expression over the fields of the object.

Owns how the result of the expression is shown: text and numbers as they are, an object as its own view shows it, the
elements of a slice or filter as a collection.
"""

from __future__ import annotations

from contextvars import ContextVar

import trio

from jdbpy.errors import EvalError, JdbpyError
from jdbpy.session.eval.java.class_graph import ClassGraph
from jdbpy.session.eval.java.types import Primitive
from jdbpy.session.eval.jvm.class_finder import LoaderMemory
from jdbpy.session.eval.jvm.raw import to_wire
from jdbpy.session.eval.jvm.view_target import ViewTarget
from jdbpy.session.eval.operands import Elements, Entry, LocalBox, Operand
from jdbpy.session.eval.ops.base import VariableStore
from jdbpy.session.eval.ops.values import text_of
from jdbpy.session.eval.program import Compiled, Program
from jdbpy.session.eval.target import Ref
from jdbpy.session.target import Target
from jdbpy.session.values.obj import Obj, reference
from jdbpy.session.values.primitives import primitive_text
from jdbpy.session.values.shown import Entries, Holder, Items, Pair, Scalar, Shown, UnknownLayout
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue

_DEEPEST = 5
"""Views that show objects by views of the user's own, one in the other."""

_nesting: ContextVar[int] = ContextVar("nesting", default=0)


class _Compiling:
    """A text that is being compiled for a class."""

    def __init__(self) -> None:
        self.ended = trio.Event()
        self.outcome: Compiled | JdbpyError | None = None


class ExpressionView:
    """The view of one class pattern. Raises EvalError for a text that is no expression."""

    def __init__(self, target: Target, variables: VariableStore, text: str) -> None:
        self.text = text
        self._target = target
        self._variables = variables
        self._program = Program(text)
        self._program.expression()
        self._memory = LoaderMemory()
        self._compiled: dict[int, Compiled] = {}  # by class
        self._compiling: dict[int, _Compiling] = {}

    async def __call__(self, obj: Obj) -> Shown:
        """Shows an object. Raises EvalError for what does not compile in its class, StateError for what would run code.

        wire: 1 trip for each link of the expression, for all objects that are shown together.
        """
        return await obj.reader.outside(lambda: self._show(obj))

    async def _show(self, obj: Obj) -> Shown:
        if _nesting.get() >= _DEEPEST:
            raise EvalError("it leads to objects that are shown by such views again, and so on")
        _nesting.set(_nesting.get() + 1)  # in this task, and in those that it starts
        target = ViewTarget(self._target, self._memory, obj.view_class, Ref(obj.id))
        compiled = await self._compile(target, obj.view_class.id)
        run = await compiled.start(target, self._variables)
        return await self._shown(compiled, target, obj, await compiled.op.run(run))

    async def _compile(self, target: ViewTarget, class_id: int) -> Compiled:
        """The operations for a class; objects that are shown side by side wait for the first to find them out."""
        if class_id in self._compiled:
            return self._compiled[class_id]
        if class_id in self._compiling:
            under_way = self._compiling[class_id]
            await under_way.ended.wait()
        else:
            under_way = self._compiling[class_id] = _Compiling()
            try:
                under_way.outcome = await self._program.compile(target, ClassGraph(target), self._variables)
                self._compiled[class_id] = under_way.outcome
            except JdbpyError as error:
                under_way.outcome = error
            finally:
                del self._compiling[class_id]
                under_way.ended.set()
        if isinstance(under_way.outcome, Compiled):
            return under_way.outcome
        raise under_way.outcome or EvalError("it was not compiled")

    async def _shown(self, compiled: Compiled, target: ViewTarget, obj: Obj, result: Operand) -> Shown:
        wire = _wire(result)
        match result.value:
            case Ref(tag=tag) if wire is not None and tag != Tag.STRING:
                return await _as_shown(obj, wire)
            case Entry(key=key, value=value):
                pair = [_wire(key), _wire(value)]
                if pair[0] is not None and pair[1] is not None:
                    return Pair(pair[0], pair[1])
            case Elements(elements=elements):
                shown = _collection(elements, obj.want)
                if shown is not None:
                    return shown
        if isinstance(result.type, Primitive) and wire is not None:
            return Scalar(primitive_text(wire, obj.reader.release), held=wire)
        if isinstance(result.value, LocalBox):
            held = to_wire(result.value.kind.tag, result.value.value)
            return Scalar(primitive_text(held, obj.reader.release), held=held)
        run = await compiled.start(target, self._variables)
        return Scalar(await text_of(run, result))


async def _as_shown(obj: Obj, value: TaggedValue) -> Shown:
    """Another object in place of the one that is shown."""
    if value.tag == Tag.ARRAY:
        array = reference(value)
        length = await obj.reader.run(obj.reader.length(array))
        return Items(length, await obj.reader.run(obj.reader.elements(array, 0, min(length, obj.want))))
    try:
        return await obj.reader.run(obj.show(value))
    except UnknownLayout:
        return Holder(value)


def _collection(elements: list[Operand], want: int) -> Shown | None:
    """Elements that are the target's own; None if the debugger has made some of them."""
    first = elements[:want]
    pairs = [(_wire(each.value.key), _wire(each.value.value)) for each in first if isinstance(each.value, Entry)]
    known = [(key, value) for key, value in pairs if key is not None and value is not None]
    if known and len(known) == len(first):
        return Entries(len(elements), known)
    values = [value for value in map(_wire, first) if value is not None]
    return Items(len(elements), values) if len(values) == len(first) else None


def _wire(operand: Operand) -> TaggedValue | None:
    """The value as the target has it; None for what only the debugger has."""
    value = operand.value
    if isinstance(operand.type, Primitive):
        assert isinstance(value, int | float)
        return to_wire(operand.type.tag, value)
    if isinstance(value, Ref):
        return TaggedValue(value.tag, value.id)
    return TaggedValue(Tag.OBJECT, 0) if value is None else None
