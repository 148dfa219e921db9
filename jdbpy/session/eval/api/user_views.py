"""The user's own views of classes: ``session.values.views``.

Owns the list of views that were added, above the built-in ones: Python functions over an ``Obj``, and Java expressions
over the fields of the object. Neither can change the target unless the function goes out of its way.

The object is ``this`` of a frame that has nothing else. The expression only reads: whatever would run code in the
target or change it is refused, so that looking at a value cannot change the program. Where Java would call
``toString()`` of an object, its own short text stands, as ``print`` shows it. Its result is shown so: text and numbers
as they are, an object as its own view shows it, the elements of a slice or filter as a collection.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, NoReturn

import trio

from jdbpy.errors import EvalError, JdbpyError, StateError, UsageError
from jdbpy.session.eval.api.function_views import FunctionView
from jdbpy.session.eval.javac import ClassFiles, JavaSource
from jdbpy.session.eval.jvm.calls import ThreadCalls
from jdbpy.session.eval.jvm.frame_target import FrameTarget
from jdbpy.session.eval.jvm.pins import PinLedger, Pins
from jdbpy.session.eval.operands import Elements, Entry, LocalBox, Operand
from jdbpy.session.eval.ops.base import VariableStore
from jdbpy.session.eval.ops.values import text_of
from jdbpy.session.eval.program import Compiled, Program
from jdbpy.session.eval.syntax.lexer import NO_IMPORTS, Imports
from jdbpy.session.eval.target import FrameFacts, FrameValues, Invocation, Local, Raw, Ref, to_wire
from jdbpy.session.eval.typing.class_graph import ClassGraph
from jdbpy.session.events.target import Target
from jdbpy.session.java.texts import primitive_text
from jdbpy.session.java.types import Primitive
from jdbpy.session.jvm.refs import Field, Method
from jdbpy.session.model.options import InvokeRules
from jdbpy.session.model.threads import FrameInfo, Location, ThreadRef
from jdbpy.session.model.values import Limits, UserView
from jdbpy.session.values.describe import describe
from jdbpy.session.values.obj import Obj, reference
from jdbpy.session.values.objects import Objects
from jdbpy.session.values.reader import ClassLayout
from jdbpy.session.values.shown import Entries, Holder, Items, Pair, Scalar, Shown, UnknownLayout
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue

if TYPE_CHECKING:
    from jdbpy.session.values.views.registry import View


_SHORT = Limits(depth=0)


async def _no_imports(frame: FrameInfo, anywhere: bool) -> Imports:
    return NO_IMPORTS


class ViewTarget(FrameTarget):
    """An object of a class, or of a class below it: names mean what they mean in the code of ``shape``."""

    def __init__(self, target: Target, shape: ClassLayout, obj: Ref) -> None:
        place = Location(shape.name, "", "", None, None, -1, type_id=shape.id)
        frame = FrameInfo(1, place, ThreadRef(0, ""))
        super().__init__(target, frame, _no_imports, InvokeRules(), Pins(PinLedger.of(target)))
        self._shape = shape
        self._this = obj

    async def frame(self) -> FrameFacts:
        """See ``EvalTarget``."""
        return FrameFacts(self._shape.id, self._shape.name, False, (), self._shape.name)

    def known_values(self, locals_: Sequence[Local]) -> FrameValues:
        """See ``FrameTarget``."""
        return FrameValues(self._this, {})

    async def object_text(self, obj: Ref) -> str | None:
        """See ``EvalTarget``."""
        [value] = await describe(self._target, [TaggedValue(obj.tag, obj.id)], _SHORT)
        return value.text

    # What a view may not do

    def require_invocation(self) -> None:
        """See ``EvalTarget``."""
        _refuse("run no methods")

    async def _ready_calls(self) -> ThreadCalls:
        _refuse("run no methods")

    async def invoke(
        self, obj: Ref | None, class_id: int, method: Method, args: Sequence[Raw], *, exact: bool, sure: bool = False
    ) -> Raw:
        """See ``EvalTarget``."""
        _refuse(f"run no methods, and {method.name} would have to be run")

    async def invoke_all(self, wanted: Sequence[Invocation], *, slow: bool = False) -> list[Raw | JdbpyError]:
        """See ``EvalTarget``."""
        _refuse(f"run no methods, and {wanted[0].method.name} would have to be run")

    async def instantiate(self, class_id: int, constructor: Method, args: Sequence[Raw]) -> Ref:
        """See ``EvalTarget``."""
        _refuse("make no objects")

    async def new_string(self, text: str) -> Ref:
        """See ``EvalTarget``."""
        _refuse("make no objects")

    async def new_array(self, class_id: int, length: int) -> Ref:
        """See ``EvalTarget``."""
        _refuse("make no arrays")

    async def compile_java(self, source: JavaSource) -> ClassFiles:
        """See ``EvalTarget``."""
        _refuse("define no classes")

    async def write_field(self, obj: Ref, field: Field, value: Raw) -> None:
        """See ``EvalTarget``."""
        _refuse("change nothing")

    async def write_static(self, class_id: int, field: Field, value: Raw) -> None:
        """See ``EvalTarget``."""
        _refuse("change nothing")

    async def write_array(self, array: Ref, element: str, start: int, values: Sequence[Raw]) -> None:
        """See ``EvalTarget``."""
        _refuse("change nothing")


def _refuse(what: str) -> NoReturn:
    raise StateError(f"views {what}", hint="they read fields only", code="VIEW_READS")


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
        self._compiled: dict[int, Compiled] = {}  # by class
        self._compiling: dict[int, _Compiling] = {}

    async def __call__(self, obj: Obj) -> Shown:
        """Show an object. Raises EvalError for what does not compile in its class, StateError for what would run code.

        wire: 1 trip for each link of the expression, for all objects that are shown together.
        """
        return await obj.reader.outside(lambda: self._show(obj))

    async def _show(self, obj: Obj) -> Shown:
        if _nesting.get() >= _DEEPEST:
            raise EvalError("it leads to objects that are shown by such views again, and so on")
        _nesting.set(_nesting.get() + 1)  # in this task, and in those that it starts
        target = ViewTarget(self._target, obj.view_class, Ref(obj.id))
        compiled = await self._compile(target, obj.view_class.id)
        run = await compiled.start(target, self._variables)
        return await self._shown(compiled, target, obj, await compiled.op.run(run))

    async def _compile(self, target: ViewTarget, class_id: int) -> Compiled:
        """Return the operations for a class; objects that are shown side by side wait for the first to find them
        out."""
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
    """Return another object in place of the one that is shown."""
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
    """Return the value as the target has it; None for what only the debugger has."""
    value = operand.value
    if isinstance(operand.type, Primitive):
        assert isinstance(value, int | float)
        return to_wire(operand.type.tag, value)
    if isinstance(value, Ref):
        return TaggedValue(value.tag, value.id)
    return TaggedValue(Tag.OBJECT, 0) if value is None else None


_PATTERN = re.compile(r"[\w$.*]+")


class UserViews:
    """Views by class pattern: a Java name, in which ``*`` matches anything. The latest that fits a class wins."""

    def __init__(self, target: Target, variables: Callable[[], VariableStore]) -> None:
        self._target = target
        self._variables = variables
        self._added: dict[str, UserView] = {}

    def add(self, pattern: str, view: View | Callable[..., object] | str) -> None:
        """Show objects of classes of that name, and of their subclasses, with a view from now on.

        A view is an ``async def`` function that takes a ``jdbpy.views.Obj``, or a plain function whose parameters are
        names of fields; it returns what is to be shown: a text, a number, a dict, a list, or a ``Shown`` of
        ``jdbpy.views``. Or it is the text of a Java expression over the fields of the object, which runs no methods.
        An error in it is shown beside the object, which is then shown by its fields. No trip.
        Raises UsageError for what is no pattern and a function with other parameters, EvalError for what is no
        expression.
        """
        if not _PATTERN.fullmatch(pattern):
            raise UsageError(
                f"'{pattern}' is not a pattern of class names", hint="com.acme.Money, com.acme.*Id, *.Money"
            )
        if isinstance(view, str):
            added: View = ExpressionView(self._target, self._variables(), view)
            shown = UserView(pattern, view, "")
        else:
            try:
                function = FunctionView(view)
            except TypeError as error:
                raise UsageError(f"this function is not a view: {error}", code="NO_VIEW") from error
            added = function
            shown = UserView(pattern, "", function.__qualname__)
        Objects.of(self._target).views.add(pattern, added)
        self._added.pop(pattern, None)
        self._added[pattern] = shown

    def remove(self, pattern: str) -> None:
        """Take back ``add``. Raises UsageError when there is no view of that pattern."""
        if pattern not in self._added:
            raise UsageError(f"no view for {pattern}", hint="'view' lists them", code="NO_SUCH_VIEW")
        Objects.of(self._target).views.remove(pattern)
        del self._added[pattern]

    def list(self) -> tuple[UserView, ...]:
        """Return the views that were added, the latest last."""
        return tuple(self._added.values())
