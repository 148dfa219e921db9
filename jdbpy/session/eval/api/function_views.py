"""Views of the user's own that are Python functions: what they are given, and what they may return.

A plain function names the fields that it wants by its parameters: they are read in one wave for all objects that are
shown together. An ``async def`` function reads for itself. Both may return plain Python instead of a ``Shown``.
"""

from __future__ import annotations

import inspect
import os
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from jdbpy.errors import JdbpyError, PluginError
from jdbpy.session.java.literals import unescape
from jdbpy.session.java.texts import primitive_text
from jdbpy.session.values.obj import Obj
from jdbpy.session.values.shown import Holder, Items, Part, Parts, Scalar, Shown, UnknownLayout
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue
from jdbpy.wire.layout import OBJECT_TAGS


class FieldText(str):
    """The text of a string field, which knows its string."""

    held: TaggedValue


class FunctionView:
    """A view that is a function of the user. Raises TypeError for one whose parameters cannot be fields."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.__qualname__ = getattr(function, "__qualname__", type(function).__name__)
        self._fields: list[str] | None = None
        if not inspect.iscoroutinefunction(function):
            parameters = inspect.signature(function).parameters
            if any(each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD) for each in parameters.values()):
                raise TypeError("the parameters of a view are the names of fields")
            self._fields = list(parameters)

    async def __call__(self, obj: Obj) -> Shown:
        """Show an object. Raises UnknownLayout when a field is not there. wire: 1 trip, and 1 for texts, for all
        objects that are shown together."""
        try:
            return await self._shown(obj)
        except (UnknownLayout, JdbpyError) as error:
            if self._fields is None or not isinstance(error, UnknownLayout):
                raise
            raise self._fault(error, str(error)) from error
        except Exception as error:
            raise self._fault(error, " ".join(traceback.format_exception_only(error)[-1].split())) from error

    async def _shown(self, obj: Obj) -> Shown:
        if self._fields is None:
            return shown(await self._function(obj))
        values = await obj.read(*self._fields) if self._fields else []
        strings = [each for each in values if each.tag == Tag.STRING and each.value]
        texts = dict(zip((each.value for each in strings), await obj.texts(strings), strict=True)) if strings else {}
        return shown(self._function(*(_python(each, texts.get(each.value, ""), obj) for each in values)))

    def _fault(self, error: Exception, text: str) -> PluginError:
        """Return the error of the function in words, with its file and the line there."""
        code = getattr(inspect.unwrap(self._function), "__code__", None)
        if code is None:
            return PluginError(text)
        lines = [
            number
            for frame, number in traceback.walk_tb(error.__traceback__)
            if frame.f_code.co_filename == code.co_filename
        ]
        return PluginError(f"{os.path.basename(code.co_filename)}, line {[code.co_firstlineno, *lines][-1]}: {text}")


def _python(value: TaggedValue, text: str | None, obj: Obj) -> Any:
    """Return a field as a view's function gets it."""
    if value.tag == Tag.STRING and value.value:
        made = FieldText(text or "")
        made.held = value
        return made
    if value.tag in OBJECT_TAGS:
        return value if value.value else None
    if value.tag == Tag.BOOLEAN:
        return bool(value.value)
    if value.tag == Tag.CHAR:
        return unescape(primitive_text(value, obj.reader.release)[1:-1])
    return value.value


def shown(made: Any) -> Shown:
    """Return what a function has returned, as a ``Shown``. Raises TypeError for what cannot be shown."""
    if isinstance(made, Shown):
        return made
    if isinstance(made, str) and not isinstance(made, FieldText):
        return Scalar(made)
    if isinstance(made, int | float):
        return Scalar(str(made).lower() if isinstance(made, bool) else str(made), held=_wire(made))
    if isinstance(made, Mapping):
        return Parts([Part(str(name), _wire(each)) for name, each in made.items()])
    if isinstance(made, list | tuple) and not isinstance(made, TaggedValue):
        return Items(len(made), [_wire(each) for each in made])
    if made is None:
        raise UnknownLayout("the view returned nothing")
    return Holder(_wire(made))


def _wire(value: Any) -> TaggedValue:
    """Return a part of what is shown as the target's value."""
    if isinstance(value, TaggedValue):
        return value
    if isinstance(value, FieldText):
        return value.held
    if value is None:
        return TaggedValue(Tag.OBJECT, 0)
    if isinstance(value, bool):
        return TaggedValue(Tag.BOOLEAN, value)
    if isinstance(value, int) and -(1 << 63) <= value < 1 << 63:
        return TaggedValue(Tag.INT if -(1 << 31) <= value < 1 << 31 else Tag.LONG, value)
    if isinstance(value, float):
        return TaggedValue(Tag.DOUBLE, value)
    raise TypeError(f"a part of what a view shows is a field or a number, not a {type(value).__name__}")
