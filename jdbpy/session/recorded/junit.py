"""A recorded call as a test for JUnit: its arguments and its end, as far as they can be written in source. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from jdbpy.errors import StateError
from jdbpy.record import Record
from jdbpy.session.java.signatures import java_name, split_method
from jdbpy.session.recorded.call import RecordedCall
from jdbpy.session.recorded.java_source import NotInSource, ValueSource, in_a_comment, java_string
from jdbpy.session.recorded.kept_values import KeptValue
from jdbpy.session.recorded.shapes import SourceShape

_IMPORTS = {
    5: ("org.junit.jupiter.api.Test", "static org.junit.jupiter.api.Assertions.*"),
    4: ("org.junit.Test", "static org.junit.Assert.*"),
}
_CLASS_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


class JUnitTest(Record):
    """The source of a test. ``todo`` are sentences about what is left to be written."""

    class_name: str
    method: str
    source: str
    todo: tuple[str, ...] = ()


def values_of(call: RecordedCall) -> list[KeptValue]:
    """Return the arguments and the result of a call."""
    return [*(value for _, value in call.arguments), *([call.result] if call.result is not None else [])]


def classes_in(values: list[KeptValue]) -> Iterator[str]:
    """Return the names of the classes of all objects in values."""
    for each in values:
        if each.kind in ("object", "constant") and not each.type.startswith("java."):
            yield each.type.rstrip("[]")
        yield from classes_in([part for _, part in each.parts])
        yield from classes_in([*each.keys])


def junit_test(
    call: RecordedCall, shapes: Mapping[str, SourceShape], *, version: int = 5, class_name: str = ""
) -> JUnitTest:
    """Return a test that makes a call with the arguments that were kept, and compares how it ends.

    Raises StateError where no test can: the method is out of reach, or no value that the call was given can be written.
    """
    return _TestWriter(call, shapes, version, class_name).written()


class _TestWriter:
    def __init__(self, call: RecordedCall, shapes: Mapping[str, SourceShape], version: int, class_name: str) -> None:
        self._call = call
        self._version = version
        self._package, _, own = call.method.class_name.rpartition(".")
        self._source = ValueSource(self._package, shapes)
        self._own = own
        self._shape = shapes.get(call.method.class_name)
        self._lines: list[str] = []
        self._todo: list[str] = []
        self._class_name = class_name or own.replace("$", "_") + "Test"

    def written(self) -> JUnitTest:
        owner = self._require_in_reach()
        if not _CLASS_NAME.fullmatch(self._class_name):
            raise StateError(f"{self._class_name} is no name of a Java class", hint="to OrderTest.java", code="NO_TEST")
        called = self._called(owner)
        self._end(called)
        method = re.sub(r"\W", "", self._call.method.method.replace("<init>", "new"), flags=re.ASCII) or "call"
        method = f"{method}Call{self._call.number}"
        return JUnitTest(self._class_name, method, self._text(method), tuple(self._todo))

    def _refused(self, why: str) -> StateError:
        return StateError(f"no test can make recorded call {self._call.number}: {why}", code="NO_TEST")

    def _require_in_reach(self) -> str:
        """Return the name of the class. Raises StateError where source in its package cannot call the method."""
        method = self._call.method
        try:
            owner = self._source.type_name(method.class_name)
        except NotInSource as why:
            raise self._refused(str(why)) from None
        found = self._shape.method(method.method, method.signature) if self._shape is not None else None
        if found is not None and (found.is_private or found.is_synthetic):
            raise self._refused(f"{method.name} is {'private' if found.is_private else 'made by the compiler'}")
        if method.method == "<init>" and self._shape is not None and self._shape.is_abstract:
            raise self._refused(f"{method.class_name} is abstract")
        name = method.method
        if not (name == "<init>" or re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII)):
            raise self._refused(f"{name} has no name in source")
        return owner

    def _called(self, owner: str) -> str:
        """Write the variables that are given, and return the call. Raises StateError if none can be written."""
        method = self._call.method
        parameters = split_method(method.signature)[0]
        arguments = list(self._call.arguments)
        target, made = owner, 0
        reasons: list[str] = []
        has_this = not method.is_static and method.method != "<init>"
        if len(arguments) != len(parameters) + has_this:
            raise self._refused("its arguments were not all kept")
        if has_this:
            name, value = arguments.pop(0)
            target = self._source.name(owner.rpartition(".")[2][:1].lower() + owner.rpartition(".")[2][1:])
            made += self._variable(target, owner, value, f"L{value.type.replace('.', '/')};", reasons)
        given = []
        for (name, value), signature in zip(arguments, parameters, strict=True):
            given.append(self._source.name(name))
            try:
                type_ = self._source.type_name(java_name(signature))
            except NotInSource as why:
                raise self._refused(str(why)) from None
            made += self._variable(given[-1], type_, value, signature, reasons)
        if reasons and not made:
            raise self._refused(reasons[0])
        words = ", ".join(given)
        return f"new {owner}({words})" if method.method == "<init>" else f"{target}.{method.method}({words})"

    def _variable(self, name: str, type_: str, value: KeptValue, signature: str, reasons: list[str]) -> bool:
        """Write a variable; False if its value is left to be written."""
        try:
            written = self._source.value(value, signature)
        except NotInSource as why:
            self._take_statements(drop=True)
            reasons.append(f"{name} was {value.replace(parts=()).text}, and {why}")
            self._leave(f"{name} was {value.text}: {why}")
            default = {"Z": "false"}.get(signature, "null" if signature[0] in "L[" else "0")
            self._lines.append(f"{type_} {name} = {self._source.fresh(value.type) or default};")
            return False
        self._take_statements()
        self._lines.append(f"{type_} {name} = {written};")
        return True

    def _take_statements(self, *, drop: bool = False) -> None:
        if not drop:
            self._lines += self._source.statements
        self._source.statements.clear()

    def _leave(self, text: str) -> None:
        """Note what is left to be written."""
        self._todo.append(text)
        self._lines.append(f"// TODO: {in_a_comment(text)}")

    # -- its end -------------------------------------------------------------------------------------------------------

    def _end(self, called: str) -> None:
        call = self._call
        returns = split_method(call.method.signature)[1]
        if call.exception is not None:
            self._thrown(called)
        elif call.method.method == "<init>":
            self._lines.append(f"assertNotNull({called});")
        elif call.result is None:
            self._lines.append(f"{called};")
            if returns != "V":
                self._leave("what it returned was not kept")
        else:
            self._returned(called, returns, call.result)

    def _thrown(self, called: str) -> None:
        exception = self._call.exception
        assert exception is not None
        try:
            name = self._source.type_name(exception.type)
        except NotInSource as why:
            self._leave(f"it threw {exception.text}: {why}")
            name = "Throwable"
        thrown = self._source.name("thrown")
        self._lines.append(f"{name} {thrown} = assertThrows({name}.class, () -> {called});")
        if exception.message is None:
            self._lines.append(f"assertNull({thrown}.getMessage());")
        else:
            self._lines.append(f"assertEquals({java_string(exception.message)}, {thrown}.getMessage());")

    def _returned(self, called: str, returns: str, value: KeptValue) -> None:
        result = self._source.name("result")
        try:
            type_ = self._source.type_name(java_name(returns))
        except NotInSource:
            type_ = "Object"
        self._lines.append(f"{type_} {result} = {called};")
        if value.is_null:
            self._lines.append(f"assertNull({result});")
            return
        try:
            if value.kind in ("builder", "object") and not self._compares(value):
                raise NotInSource("its class is not known to compare objects by what they hold")
            written = self._source.value(value, returns)
        except NotInSource as why:
            self._take_statements(drop=True)
            self._leave(f"it returned {value.text}: {why}")
            self._lines.append(f"assertNotNull({result});")
            return
        self._take_statements()
        self._lines.append(self._comparison(written, result, returns, value))

    def _compares(self, value: KeptValue) -> bool:
        """True if ``equals`` compares what objects hold: those of collections, records, and classes that have it."""
        if value.type.endswith("]") or (value.type.startswith("java.util.") and value.size >= 0):
            return True
        shape = self._source.shape(value.type)
        return shape is not None and (shape.is_record or shape.method("equals", "(Ljava/lang/Object;)Z") is not None)

    def _comparison(self, written: str, result: str, returns: str, value: KeptValue) -> str:
        delta = {"F": ", 0.0f", "D": ", 0.0"} if self._version == 4 else {}
        if value.type.endswith("]"):  # of two dimensions as well
            element = {"float[]": "F", "double[]": "D"}.get(value.type, "")
            cast = f"({self._source.type_name(value.type)}) " if java_name(returns) != value.type else ""
            return f"assertArrayEquals({written}, {cast}{result}{delta.get(element, '')});"
        if value.kind == "constant":
            return f"assertSame({written}, {result});"
        return f"assertEquals({written}, {result}{delta.get(returns, '')});"

    # -- the whole -----------------------------------------------------------------------------------------------------

    def _text(self, method: str) -> str:
        call = self._call
        about = ", ".join(
            f"{name} = {value.replace(parts=()).text}" for name, value in call.arguments if name != "this"
        )
        test, assertions = _IMPORTS[self._version]
        public = "" if self._version == 5 else "public "
        lines = [f"package {self._package};", ""] if self._package else []
        lines += ["import java.util.*;", f"import {test};", f"import {assertions};", ""]
        lines += ['@SuppressWarnings({"unchecked", "rawtypes"})', f"{public}class {self._class_name} {{"]
        lines += [
            f"    // recorded: {in_a_comment(f'{call.method.name}({about})')}",
            "    @Test",
            f"    {public}void {method}() throws Throwable {{",
            *(f"        {each}" for each in self._lines),
            "    }",
            "}",
        ]
        return "\n".join(lines) + "\n"
