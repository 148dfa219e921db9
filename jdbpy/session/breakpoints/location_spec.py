"""The syntax of places in code, as users of jdb, gdb, delve and IDEs write them.

    com.acme.Order:42             a line of a class; the class may be short, nested, or a pattern with one *
    com.acme.Order.total          a method, all overloads; also Order#total and Order::total
    Order.total(int,String...)    one overload; types need no package; also pasted from source, with parameter names
    Order.<init>  Order.<clinit>  constructors and the static initializer
    Order.total(int)@12           the instruction at that index of a method, as `disassemble` shows it
    src/com/acme/Order.java:42    a line of a file, with or without directories
    42  :42                       a line of the file that the selected frame stands in
    +3  -2                        lines from the selected frame's line on
    total                         a method of the selected frame's class
    Order:42:line                 of a line that holds a lambda, the line only; also behind the other lines above
    Order:42:lambda               the lambdas only; :lambda2 is the second

Pure: reads text, knows nothing of what is loaded. What a place means in the target is found by ``places``.
"""

from __future__ import annotations

import re

from jdbpy.errors import UsageError
from jdbpy.identifiers import START, WORD
from jdbpy.record import Record
from jdbpy.session.java.class_names import ClassName, is_hidden_name, parse_class_name
from jdbpy.session.java.generics import generic_method
from jdbpy.session.jvm.refs import Method

FORMS = "a place is Class:LINE, Class.method, Class.method(int,String), File.java:LINE, LINE, +N or -N"

LINE = "line"
LAMBDA = "lambda"
PARTS = (LINE, LAMBDA)
"""Words for a part of a line, which follow it after a colon; ``lambda2`` is the second of several."""

MOST_LINES = 65_535
"""Line numbers of class files have two bytes (JVMS 4.7.12)."""

_SOURCE_SUFFIXES = (
    ".java", ".kt", ".kts", ".groovy", ".scala", ".clj", ".jsp", ".jspx", ".tag", ".xtend", ".aj", ".rb", ".py", ".js",
)  # fmt: skip
_FILE = re.compile(r"[^\W\d_a-z]\w*\.[a-z]{1,6}")
"""``Page.ftl``: a file of a language that is not among these. A class inside another one has a capital, or is written
with a ``$``."""
_PART = re.compile(r"(.*\d)\s*:\s*(line|lambda(?:[1-9]\d{0,2})?)", re.IGNORECASE | re.DOTALL)
_INDEX = re.compile(rf"(.*[{WORD}>)])\s*@\s*(\d{{1,5}})", re.DOTALL)
_METHOD = re.compile(rf"<init>|<clinit>|{START}[{WORD}-]*")
_MODIFIERS_OF_PARAMETERS = re.compile(rf"(?:@[{WORD}.]+(?:\([^)]*\))?|final)\s+")


class ClassLine(Record):
    """A line of a class or of the classes inside it."""

    class_name: ClassName
    line: int
    part: str = ""

    def __str__(self) -> str:
        return f"{self.class_name.text}:{self.line}{_shown(self.part)}"


class FileLine(Record):
    """A line of a source file. ``directory`` is what stood before the name, with slashes, "" for nothing."""

    directory: str
    file: str
    line: int
    part: str = ""

    def __str__(self) -> str:
        path = f"{self.directory}/{self.file}" if self.directory else self.file
        return f"{path}:{self.line}{_shown(self.part)}"


class CurrentLine(Record):
    """A line of the current file; ``relative`` to the current line when it was given with a sign."""

    line: int
    relative: bool
    part: str = ""

    def __str__(self) -> str:
        return (f"{self.line:+d}" if self.relative else f":{self.line}") + _shown(self.part)


class MethodPlace(Record):
    """The entry of a method, or the instruction at an ``index`` above 0.

    ``class_name`` None is the current class, ``parameters`` None every overload. Parameter types are spelled as they
    were typed, without type arguments: "Map.Entry", "int[]", "String...".
    """

    class_name: ClassName | None
    method: str
    parameters: tuple[str, ...] | None = None
    index: int = 0

    def __str__(self) -> str:
        owner = f"{self.class_name.text}." if self.class_name else ""
        return f"{owner}{self.method_text}"

    @property
    def method_text(self) -> str:
        """Return the method without its class, "total(int)"."""
        parameters = f"({','.join(self.parameters)})" if self.parameters is not None else ""
        return self.method + parameters + (f"@{self.index}" if self.index else "")

    def fits(self, method: Method) -> bool:
        """True if the method has this name, and these parameter types if they were given."""
        if method.name != self.method:
            return False
        if self.parameters is None:
            return True
        generic = generic_method(method.generic)
        declared = [method.parameters] + ([generic.parameters] if generic else [])
        return any(_same_types(self.parameters, types) for types in declared)


LocationSpec = ClassLine | FileLine | CurrentLine | MethodPlace


def parse_location(text: str) -> LocationSpec:
    """Read a place. Raises UsageError with a hint at the forms there are."""
    text, part = text.strip(), ""
    if behind := _PART.fullmatch(text):
        text, part = behind[1], behind[2].lower()
    if behind := _INDEX.fullmatch(text):
        method = _whole(behind[1])
        if not isinstance(method, MethodPlace):
            raise UsageError("only a method has instructions", hint="Class.method@INDEX, as 'disassemble' shows it")
        return method.replace(index=int(behind[2]))
    spec = _whole(text)
    if part and not isinstance(spec, MethodPlace):
        spec = spec.replace(part=part)
    return spec


def _whole(text: str) -> LocationSpec:
    if not text:
        raise UsageError("a place in code is missing", hint=FORMS)
    if re.fullmatch(r"[+-]0+", text):
        return CurrentLine(0, relative=True)
    if re.fullmatch(r"[+-]\d+", text):
        return CurrentLine(_line(text[1:]) * (-1 if text[0] == "-" else 1), relative=True)
    if re.fullmatch(r":?\s*\d+", text):
        return CurrentLine(_line(text.lstrip(": ")), relative=False)
    if "(" in text or ")" in text:
        return _method_with_parameters(text)
    before, colon, after = text.replace("::", "#").rpartition(":")
    if not colon:
        return _method(text)
    if not re.fullmatch(r"\s*\d+\s*", after):
        of_line = re.search(r":\s*\d+\s*$", before)
        hint = "behind a line may stand :line, :lambda, :lambda2 and so on" if of_line else FORMS
        raise UsageError(f"'{after.strip()}' is not a {'part of a line' if of_line else 'line number'}", hint=hint)
    return _class_or_file(before.strip(), _line(after))


def _shown(part: str) -> str:
    return f":{part}" if part else ""


def _line(text: str) -> int:
    text = text.strip().lstrip("0")
    if not text:
        raise UsageError("lines count from 1")
    if len(text) > len(str(MOST_LINES)) or int(text) > MOST_LINES:
        raise UsageError(f"line {text[:20]} is more than a class file can name, {MOST_LINES}")
    return int(text)


def _class_or_file(name: str, line: int) -> ClassLine | FileLine:
    if is_hidden_name(name):
        return ClassLine(parse_class_name(name), line)
    path = name.replace("\\", "/")
    directory, slash, file = path.rpartition("/")
    if slash or file.endswith(_SOURCE_SUFFIXES) or _FILE.fullmatch(file):
        if not file:
            raise UsageError(f"'{name}' names a directory, not a file", hint=FORMS)
        return FileLine(directory, file, line)
    return ClassLine(parse_class_name(name), line)


def _method(text: str, parameters: tuple[str, ...] | None = None) -> MethodPlace:
    owner, dot, name = text.replace("::", "#").replace("#", ".").rpartition(".")
    is_path = ("/" in text or "\\" in text) and not is_hidden_name(owner)
    if text.endswith((".java", ".kt")) or is_path:
        raise UsageError(f"{text}: which line?", hint=f"write {text}:LINE")
    if not _METHOD.fullmatch(name):
        raise UsageError(f"'{text}' is not a place in code", hint=FORMS)
    if dot and parameters is None and name[:1].isupper() and owner.rpartition(".")[2][:1].islower():
        raise UsageError(f"{text} looks like a class without a method or a line", hint=f"{text}:LINE or {text}.METHOD")
    return MethodPlace(parse_class_name(owner) if dot else None, name, parameters)


def _method_with_parameters(text: str) -> MethodPlace:
    name, _, rest = text.partition("(")
    if not rest.endswith(")") or "(" in rest:
        raise UsageError(
            f"'{text}' should end with the list of parameter types", hint="Class.method(int,String), Class.method()"
        )
    parameters = tuple(_parameter(each) for each in _split(rest[:-1]))
    return _method("".join(name.split()), parameters)


def _split(text: str) -> list[str]:
    """Return the list at its commas, those inside of type arguments left alone."""
    parts = [""]
    depth = 0
    for letter in text:
        depth += (letter == "<") - (letter == ">")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    if parts == [""] or parts == [" "]:
        return []
    return parts


def _parameter(text: str) -> str:
    """Return one type of the list: type arguments, annotations, ``final`` and a parameter's name are dropped."""
    bare = _MODIFIERS_OF_PARAMETERS.sub("", text.strip() + " ").strip()
    while "<" in bare and ">" in bare:
        shorter = re.sub(r"<[^<>]*>", "", bare)
        if shorter == bare:
            break
        bare = shorter
    bare = re.sub(r"\s*(\[\s*\]|\.\.\.)", lambda match: "..." if "." in match[1] else "[]", bare)
    match = re.fullmatch(rf"([{WORD}.]+(?:\[\])*(?:\.\.\.)?)(?:\s+[{WORD}]+)?", bare)
    if not match:
        raise UsageError(f"'{text.strip()}' is not a type", hint="types are as in Java: int, String[], Map.Entry")
    return match[1]


def _same_types(typed: tuple[str, ...], declared: tuple[str, ...]) -> bool:
    return len(typed) == len(declared) and all(map(_same_type, typed, declared))


def _same_type(typed: str, declared: str) -> bool:
    """True if ``declared``, a type in full, is what was typed, which may lack the package or outer classes."""
    typed, declared = (re.sub(r"<.*>", "", name).replace("...", "[]").replace("$", ".") for name in (typed, declared))
    return declared == typed or declared.endswith("." + typed)
