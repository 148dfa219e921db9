"""The watchpoints of a session: which field a text means, and of which objects."""

from __future__ import annotations

import builtins
import re
from collections.abc import Awaitable, Callable

from jdbpy.errors import Disconnected, JdbpyError, UsageError
from jdbpy.session.concurrency import both
from jdbpy.session.model import Breakpoint, Frame, Value
from jdbpy.session.points.component import Points
from jdbpy.session.points.event_point import set_point
from jdbpy.session.points.fields import FieldPoint, is_object
from jdbpy.session.points.options import NO_OPTIONS, PointOptions
from jdbpy.session.target import Target
from jdbpy.session.types.class_names import ClassName, parse_class_name

Evaluate = Callable[[str], Awaitable[Value]]
SelectedFrame = Callable[[], Awaitable[Frame]]

_FIELD = re.compile(r"[^\W\d][\w$]*")


class Watchpoints:
    """The ``watchpoints`` of a session. Listing, switching and removing them is ``session.points``' business."""

    def __init__(self, target: Target, points: Points, evaluate: Evaluate, selected_frame: SelectedFrame) -> None:
        self._target = target
        self._points = points
        self._evaluate = evaluate
        self._selected_frame = selected_frame

    async def add(
        self, spec: str, *, access: bool = False, modification: bool = True, options: PointOptions = NO_OPTIONS
    ) -> Breakpoint:
        """Stops where a field is about to change (``modification``), where it is read (``access``), or both.

        ``spec`` is ``Class.field`` for the field of every object; a class that is not loaded yet is waited for.
        ``this.field``, or any expression before the dot that is an object, is for that object alone; so is a field's
        name alone, for ``this``. The stop has ``variable``, ``old_value``, ``new_value`` and ``object``. Raises
        UsageError when there is no such field. wire: 2 trips, and 1 a superclass that is new; 1 for an object of a
        variable, and what evaluating it takes.
        """
        if not (access or modification):
            raise UsageError("neither accesses nor modifications would be left")
        owner, field = split(spec)
        name, instance = await self._owner(owner, field)
        if instance is not None:
            options = options.replace(instance=instance)
        subject = {"name": name, "field": field, "access": access, "modification": modification}
        return await set_point(self._points, self._target, FieldPoint, options, **subject)

    def find(self, spec: str, *, access: bool | None = None, modification: bool | None = None) -> builtins.list[int]:
        """Numbers of the watchpoints of a field; with ``access`` and ``modification`` only of that sort. No trip."""
        owner, field = split(spec)
        points = self._points.of_type(FieldPoint)
        if not _is_class_name(owner):
            return []
        name = parse_class_name(owner)
        return [
            point.number
            for point in points
            if point.is_for(name, field)
            and access in (None, point.access)
            and modification in (None, point.modification)
        ]

    async def _owner(self, owner: str, field: str) -> tuple[ClassName, int | None]:
        """The class whose field is meant, and the object if it is one object's."""
        if not owner:
            return await self._here(field)
        if owner == "this" or not _is_class_name(owner):
            value = await self._evaluate(owner)
        else:
            name = parse_class_name(owner)
            if self._is_known(name):
                return name, None
            found = await self._class_or_value(name, owner)
            if found is None:
                return name, None  # or it is loaded later
            value = found
        if not is_object(value):
            raise UsageError(f"{owner} is no object: it is {value.text}", hint="watch CLASS.FIELD, or OBJECT.FIELD")
        return ClassName(value.type, bound=True), value.id

    async def _here(self, field: str) -> tuple[ClassName, int | None]:
        frame = await self._selected_frame()
        try:
            value = await self._evaluate("this")
        except Disconnected:
            raise
        except JdbpyError:  # static code
            return ClassName(frame.location.class_name, bound=True), None
        return ClassName(value.type, bound=True), value.id

    async def _class_or_value(self, name: ClassName, owner: str) -> Value | None:
        """The value of what may be the name of a class as well, None where it is that, or nothing.

        A name without a dot is a variable or a field of the class that runs: over a slow link it is read beside the
        listing of classes, as nothing is run for it.
        """

        async def value() -> Value | None:
            try:
                return await self._evaluate(owner)
            except Disconnected:
                raise
            except JdbpyError:
                return None

        if self._target.far and "." not in owner:
            found, _ = await both(value, self._target.types.all_classes)
            return None if self._is_known(name) else found
        await self._target.types.all_classes()
        return None if self._is_known(name) else await value()

    def _is_known(self, name: ClassName) -> bool:
        """Whether a class is known that the name means. No trip."""
        known = [each.name for each in self._target.types.all_known() if not each.is_array]
        return bool(name.choose(each for each in known if name.needle in each))


def split(spec: str) -> tuple[str, str]:
    """Owner and field of ``Order.total``, ``this.total`` or ``total``. Raises UsageError."""
    owner, _, field = spec.strip().rpartition(".")
    if not _FIELD.fullmatch(field.strip()):
        raise UsageError(f"'{spec}' names no field", hint="write Class.field, this.field or OBJECT.field")
    return owner.strip(), field.strip()


def _is_class_name(text: str) -> bool:
    try:
        parse_class_name(text)
    except UsageError:
        return False
    return True
