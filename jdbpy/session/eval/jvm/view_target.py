"""One object as the evaluator's target: what the expression of a user's own view sees.

The object is ``this`` of a frame that has nothing else. It only reads: whatever would run code in the target or change
it is refused, so that looking at a value cannot change the program. Where Java would call ``toString()`` of an object,
its own short text stands, as ``print`` shows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from jdbpy.errors import JdbpyError, StateError
from jdbpy.session.eval.javac.compiler import ClassFiles
from jdbpy.session.eval.javac.source import JavaSource
from jdbpy.session.eval.jvm.calls import Calls
from jdbpy.session.eval.jvm.class_finder import LoaderMemory
from jdbpy.session.eval.jvm.frame_target import FrameTarget
from jdbpy.session.eval.jvm.pins import PinLedger, Pins
from jdbpy.session.eval.rules import InvokeRules
from jdbpy.session.eval.syntax.imports import NO_IMPORTS, Imports
from jdbpy.session.eval.target import FrameFacts, FrameValues, Invocation, Local, Raw, Ref
from jdbpy.session.model import Frame, Limits, Location, ThreadRef
from jdbpy.session.target import Target
from jdbpy.session.types.refs import Field, Method
from jdbpy.session.values.describe import describe
from jdbpy.session.values.reader import ClassLayout
from jdbpy.wire.ids import TaggedValue

_SHORT = Limits(depth=0)


async def _no_imports(frame: Frame) -> Imports:
    return NO_IMPORTS


class ViewTarget(FrameTarget):
    """An object of a class, or of a class below it: names mean what they mean in the code of ``shape``."""

    def __init__(self, target: Target, memory: LoaderMemory, shape: ClassLayout, obj: Ref) -> None:
        place = Location(shape.name, "", "", None, None, -1, type_id=shape.id)
        frame = Frame(1, place, ThreadRef(0, ""))
        super().__init__(target, frame, memory, _no_imports, InvokeRules(), Pins(PinLedger(target)))
        self._shape = shape
        self._this = obj

    async def frame(self) -> FrameFacts:
        """See ``EvalTarget``."""
        return FrameFacts(self._shape.id, self._shape.name, False, (), self._shape.name)

    async def read_frame(self, locals_: Sequence[Local], *, this: bool) -> FrameValues:
        """See ``EvalTarget``."""
        return FrameValues(self._this, {})

    async def object_text(self, obj: Ref) -> str | None:
        """See ``EvalTarget``."""
        [value] = await describe(self._target, [TaggedValue(obj.tag, obj.id)], _SHORT)
        return value.text

    # What a view may not do

    def _ready_calls(self) -> Calls:
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
