"""What is read of a failure: the names and texts that it is told by, and whether the test expects the exception.

Fields are read where that is enough; methods of the target are run only for what a rule or an annotation of the
program expects, and for what clojure.test reports.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from jdbpy.errors import JdbpyError, JdwpError
from jdbpy.record import Record
from jdbpy.session.events.requests import RequestHit
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import model_frame, wire_thread
from jdbpy.session.java.signatures import simple_name
from jdbpy.session.model.events import ExceptionInfo
from jdbpy.session.model.testing import FailedTest
from jdbpy.session.model.threads import ThreadRef
from jdbpy.session.model.values import ValueInfo
from jdbpy.session.testing import frameworks
from jdbpy.session.testing.frameworks import FoundTest
from jdbpy.session.values.obj import named_fields
from jdbpy.session.values.objects import Objects
from jdbpy.session.values.shown import UnknownLayout
from jdbpy.session.values.strings import message_text
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import CodeLocation, FrameID, ReferenceTypeID, TaggedValue
from jdbpy.wire.messages import stack_frame, thread_reference
from jdbpy.wire.messages.stack_frame import SlotInfo

_EXPECTS_CLASS = "org.junit.internal.runners.statements.ExpectException"
_RULE = "org.junit.rules.ExpectedException$ExpectedExceptionStatement"
_TESTNG = frozenset(
    ("org.testng.internal.MethodInvocationHelper", "org.testng.internal.invokers.MethodInvocationHelper")
)
_TIMED = {
    "org.junit.internal.runners.statements.FailOnTimeout$CallableStatement": ("this$0", "timeout", "timeUnit"),
    "org.junit.jupiter.engine.extension.TimeoutInvocation": ("timeout", "value", "unit"),
}
"""Classes of frames under which a test has a time limit: the field with what has the limit, and its fields."""

_MATCHES = "this$0.matcherBuilder.expectsThrowable() && this$0.matcherBuilder.build().matches(exc)"
_ANNOTATION = (
    "((org.testng.annotations.Test) ((java.lang.reflect.Method) method)"
    ".getAnnotation(org.testng.annotations.Test.class))"
)
_ANNOTATED = f"java.util.Arrays.toString({_ANNOTATION}.expectedExceptions())"
_MESSAGE_FITS = (
    f'{_ANNOTATION}.expectedExceptionsMessageRegExp().equals(".*") || exc.getMessage() != null && '
    f"java.util.regex.Pattern.compile({_ANNOTATION}.expectedExceptionsMessageRegExp(), 32)"
    ".matcher(exc.getMessage()).matches()"
)
"""As TestNG decides; 32 is ``DOTALL``."""

_FEATURE_NAMES = (
    "specificationContext.getCurrentIteration().getName()",
    "specificationContext.getIterationInfo().getName()",
)
"""In Spock 1 and later, and before."""

_RUNNING = 'clojure.lang.RT.printString(clojure.lang.RT.var("clojure.test", "*testing-vars*").deref())'
_PRINTED = 'clojure.lang.RT.printString(((java.util.Map) report).get(clojure.lang.Keyword.intern("{}")))'

_FAILED = ("fail", "error")
_MOST_KEYS = 32


class EvaluateIn(Protocol):
    """Returns the value of an expression in a frame; as ``session.values.evaluate``."""

    async def __call__(self, text: str, *, frame: Any, given: Any) -> ValueInfo: ...


class FailureFrame(Record):
    """A frame of the stack of a failure, ``index`` counted from 0."""

    index: int
    id: FrameID
    place: CodeLocation
    class_name: str


class FailureReader:
    """Reads failures of one target. ``limit`` is what the build tool allows for the tests of this JVM, in words."""

    def __init__(self, target: Target, evaluate: EvaluateIn) -> None:
        self.limit = ""
        self._target = target
        self._evaluate = evaluate
        self._reader = Objects.of(target).reader

    async def is_expected(self, hit: RequestHit, found: FoundTest, frames: Sequence[FailureFrame]) -> bool:
        """True if an exception that leaves a test is none of its failures. Raises JdwpError.

        wire: 2 trips for a class that is new, and those of the test's own expectations.
        """
        thrown = int(hit.event.exception.objectID)
        type_id = await self._reader.run(self._reader.type_id(thrown))
        above = await self._target.types.ancestors(type_id)
        kinds = {type_id: (await self._target.types.info([type_id]))[type_id].name} | {
            each.id: each.name for each in above
        }
        if frameworks.ABORTED.intersection(kinds.values()):
            return True
        for frame in frames[found.test + 1 :]:
            if frame.class_name == _EXPECTS_CLASS:
                expected = await self._field_of_this(hit.thread, frame, "expected", "fExpected")
                if expected and await self._reader.run(self._reader.reflected_type(expected)) in kinds:
                    return True
            elif frame.class_name == _RULE:
                matched = await self._run(_MATCHES, hit.thread, frame, {"exc": _object(kinds[type_id], thrown)})
                return matched == "true"  # else frames have other ids now
            elif frame.class_name in _TESTNG:
                return await self._is_annotated(hit.thread, frame, kinds, type_id, thrown)
        return False

    async def _is_annotated(
        self, thread: int, frame: FailureFrame, kinds: dict[ReferenceTypeID, str], type_id: ReferenceTypeID, thrown: int
    ) -> bool:
        """True if the annotation of TestNG's test expects an exception: its class, and its message. wire: 5 trips, 3
        more for an expected class."""
        slots = [SlotInfo(0, Tag.OBJECT)]
        reply = await self._target.conn.request(stack_frame.GetValues(wire_thread(thread), frame.id, slots))
        method = _object("java.lang.reflect.Method", int(reply.values[0].value or 0))
        text = await self._run(_ANNOTATED, thread, frame, {"method": method})
        expected = [each.strip().removeprefix("class ") for each in text.strip('"[]').split(",")]
        if not any(name in expected for name in kinds.values()):
            return False
        given = {"method": method, "exc": _object(kinds[type_id], thrown)}
        return await self._run(_MESSAGE_FITS, thread, frame, given) != "false"

    async def _run(self, text: str, thread: int, frame: FailureFrame, given: dict[str, ValueInfo]) -> str:
        """Return the text of an expression's value; "" where it has none."""
        try:
            return (await self._evaluated(text, thread, frame, given)).text
        except JdbpyError:
            return ""

    async def _evaluated(self, text: str, thread: int, frame: FailureFrame, given: dict[str, ValueInfo]) -> ValueInfo:
        [location] = await self._target.types.locations([frame.place])
        epoch = self._target.suspension.epoch_of(thread)
        where = model_frame(frame.index + 1, frame.id, location, ThreadRef(thread, ""), epoch)
        return await self._evaluate(text, frame=where, given=given)

    async def _field_of_this(self, thread: int, frame: FailureFrame, *names: str) -> int:
        """Return the object in the first of the fields of a frame's ``this`` that there is, 0 for none."""
        reply = await self._target.conn.request(stack_frame.ThisObject(wire_thread(thread), frame.id))
        for name in names if reply.objectThis.objectID else ():
            try:
                [value] = await self._fields(int(reply.objectThis.objectID), name)
            except UnknownLayout:
                continue
            return int(value.value or 0)
        return 0

    async def _fields(self, object_id: int, *names: str) -> list[TaggedValue]:
        return await self._reader.run(named_fields(self._reader, object_id, names))

    # What is told

    async def failed_test(
        self, hit: RequestHit, found: FoundTest, frames: Sequence[FailureFrame], thrown: ExceptionInfo | None
    ) -> FailedTest:
        """Return what is known of a failure. Raises JdwpError. wire: 1 to 6 trips."""
        test = frames[found.test]
        methods = (await self._target.types.methods([test.place.classID])).get(test.place.classID, ())
        method = next((each.name for each in methods if each.id == test.place.methodID), "")
        limit = ", ".join(filter(None, (await self._time_limit(hit.thread, found, frames), self.limit)))
        if thrown is None:
            return await self._reported(hit, found, frames, limit)
        expected, actual = await self._compared(thrown)
        if method.startswith(frameworks.FEATURE):
            method = await self._feature_name(hit.thread, test) or method
        name = f"{test.class_name}.{method}"
        if found.framework == frameworks.CLOJURE:
            name = await self._clojure_name(hit.thread, frames) or name
        return FailedTest(name, found.framework, found.test + 1, expected, actual, time_limit=limit)

    async def with_message(
        self, hit: RequestHit, thrown: ExceptionInfo, found: FoundTest, frames: Sequence[FailureFrame]
    ) -> ExceptionInfo:
        """Return what was thrown with the message that its own method makes, where it has no other."""
        if thrown.message is not None or thrown.type not in frameworks.COMPUTED_MESSAGES:
            return thrown
        try:
            given = {"exc": _object(thrown.type, thrown.id)}
            value = await self._evaluated("exc.getMessage()", hit.thread, frames[found.own], given)
            return thrown.replace(message=await self._reader.run(message_text(self._reader, value.id or 0)))
        except JdbpyError:
            return thrown

    async def _feature_name(self, thread: int, test: FailureFrame) -> str:
        """Return the name that a feature of Spock has in the source; "" where that cannot be told."""
        for expression in _FEATURE_NAMES:
            if name := await self._run(expression, thread, test, {}):
                return name.strip('"')
        return ""

    async def _compared(self, thrown: ExceptionInfo) -> tuple[str | None, str | None]:
        type_id = await self._reader.run(self._reader.type_id(thrown.id))
        names = {thrown.type, *(each.name for each in await self._target.types.ancestors(type_id))}
        fields = next((fields for name, fields in frameworks.COMPARED.items() if name in names), None)
        if fields is not None:
            try:
                expected, actual = [await self._text(each) for each in await self._fields(thrown.id, *fields)]
            except UnknownLayout:
                expected = actual = None
            if expected is not None or actual is not None:
                return expected, actual
        return frameworks.compared_in(thrown.message or "")

    async def _text(self, value: TaggedValue) -> str | None:
        """Return a text, or that of a ``ValueWrapper``; None for null."""
        held = int(value.value or 0)
        if not held:
            return None
        if value.tag != Tag.STRING:
            [value] = await self._fields(held, "stringRepresentation")
            held = int(value.value or 0)
        return await self._reader.run(message_text(self._reader, held)) if held else "null"

    async def _time_limit(self, thread: int, found: FoundTest, frames: Sequence[FailureFrame]) -> str:
        """Return the time limit that the test has by its own framework, in words; "" without any."""
        for frame in frames[found.test + 1 :]:
            names = _TIMED.get(frame.class_name)
            if names is None:
                continue
            try:
                holder = await self._field_of_this(thread, frame, names[0])
                value, unit = await self._fields(holder, *names[1:]) if holder else (None, None)
                if value is not None and unit is not None and value.value:
                    [name] = await self._fields(int(unit.value or 0), "name")
                    return f"{found.framework} gives this test {value.value} {str(await self._text(name)).lower()}"
            except (JdwpError, UnknownLayout):  # what has failed is told without it
                continue
        return ""

    # clojure.test

    async def reported_failure(self, hit: RequestHit, frames: Sequence[FailureFrame]) -> int | None:
        """Return the object that a failure has for ``:actual`` (0: none) if what is reported is one: a map whose
        ``:type`` is ``:fail`` or ``:error``. None if it is not. Raises JdwpError."""
        report = await self._report(hit, frames)
        try:
            [array] = await self._fields(report, "array")
            held = int(array.value or 0)
            length = await self._reader.run(self._reader.length(held))
            elements = await self._reader.run(self._reader.elements(held, 0, min(length, _MOST_KEYS)))
            pairs = zip(elements[::2], elements[1::2], strict=False)
            found = {await self._keyword(key): value for key, value in pairs}
            failed = "type" in found and await self._keyword(found["type"]) in _FAILED
            return int(found["actual"].value or 0) if failed and "actual" in found else 0 if failed else None
        except UnknownLayout:  # another kind of map
            return None

    async def _report(self, hit: RequestHit, frames: Sequence[FailureFrame]) -> int:
        methods = await self._target.types.methods([frames[0].place.classID])
        method = next(each for each in methods[frames[0].place.classID] if each.id == frames[0].place.methodID)
        slots = [SlotInfo(0 if method.is_static else 1, Tag.OBJECT)]
        reply = await self._target.conn.request(stack_frame.GetValues(wire_thread(hit.thread), frames[0].id, slots))
        return int(reply.values[0].value or 0)

    async def _keyword(self, value: TaggedValue) -> str:
        [symbol] = await self._fields(int(value.value or 0), "sym")
        [name] = await self._fields(int(symbol.value or 0), "name")
        return await self._text(name) or ""

    async def _reported(
        self, hit: RequestHit, found: FoundTest, frames: Sequence[FailureFrame], limit: str
    ) -> FailedTest:
        report = _object("java.lang.Object", await self._report(hit, frames))
        texts: list[str | None] = []
        top = frames[0]
        for key in ("expected", "actual"):
            printed = await self._run(_PRINTED.format(key), hit.thread, top, {"report": report})
            texts.append(printed.strip('"').replace('\\"', '"').replace("\\n", "\n") or None)
            again = thread_reference.Frames(wire_thread(hit.thread), 0, 1)  # a method that was run has made ids void
            top = top.replace(id=(await self._target.conn.request(again)).frames[0].frameID)
        name = await self._clojure_name(hit.thread, [top]) or simple_name(frames[found.test].class_name)
        return FailedTest(
            name,
            frameworks.CLOJURE,
            found.test + 1,
            texts[0],
            texts[1],
            time_limit=limit,
        )

    async def _clojure_name(self, thread: int, frames: Sequence[FailureFrame]) -> str:
        """Return the test that a thread runs, as ``shop.price-test/compares``; "" where that cannot be told."""
        return (await self._run(_RUNNING, thread, frames[0], {})).strip('"()').removeprefix("#'")


def _object(type_name: str, object_id: int) -> ValueInfo:
    return ValueInfo(type_name, "", "L", object_id, id=object_id)
