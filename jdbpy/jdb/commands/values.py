"""print, eval, dump, set, save, disablegc, enablegc."""

from __future__ import annotations

import re
from contextlib import suppress

from jdbpy import Disconnected, EvalError, JdbpyError, Limits, StateError, UsageError, ValueInfo
from jdbpy.identifiers import WORD
from jdbpy.jdb.conversions import (
    PRIMITIVES,
    NotAssignable,
    argument_at,
    assignment,
    converted,
    literal,
    refused,
    with_long_literals,
)
from jdbpy.jdb.debugger import Debugger
from jdbpy.jdb.interpreter import jdb_command
from jdbpy.jdb.values import SHORT, is_object, massaged, text_of
from jdbpy.jdb.words import Words

_ALL = Limits(depth=1, string=1_000_000, elements=1_000_000, fields=10_000)
_UNKNOWN = re.compile(rf"cannot find symbol: (?:variable|method) ([{WORD}]+)(?:\(.*\))?(?: in \w+ (\S+))?")
_NO_TYPE = re.compile(r"package \S+ does not exist|cannot find symbol: class \S+(?: in package \S+)?")
_NO_FIT = re.compile(r"no suitable method found|method \S+ in \w+ \S+ cannot be applied")
_TOO_LARGE = re.compile(r"integer number too large: (?:(\d+)|0[xX]([0-9a-fA-F]+))")
_COUNT = re.compile(r"method .* required (?P<wanted>.*), found (?P<given>.*) \(actual and formal .* in length\)")
_NOT_STATIC = re.compile(rf"non-static method ([{WORD}]+)\(.*\) cannot be referenced from a static context")
_WRONG_TYPE = re.compile(
    r"incompatible types: (?:.+ cannot be converted to (?P<to>.+)|possible lossy conversion from .+ to (?P<narrow>.+))"
)
_DOTTED = re.compile(rf"([{WORD}]+(?:\.[{WORD}]+)*)(\(.*\))?")
_VALUE = "jdb$value"
"""The variable that keeps what is assigned: that is shown, whatever it becomes in the program's variable."""
_HIDDEN_CLASS = re.compile(rf"((?:[{WORD}]+\.)*[{WORD}]+)/0x[0-9a-f]{{16}}(?![{WORD}])")
"""The name of a hidden class, which is a division to Java, and to jdb."""
_NEEDS_TARGET = re.compile(r"->|::|^\{")
_MOST_CONVERTED = 50
"""Arguments of one expression that are converted."""


@jdb_command("print", "eval", evaluates=True)
async def print_(jdb: Debugger, words: Words) -> None:
    if not words.more():
        jdb.out.line("No objects specified.")
        return
    await _print(jdb, words.rest())


@jdb_command("set", evaluates=True)
async def set_(jdb: Debugger, words: Words) -> None:
    text = words.rest()
    if "=" not in text:
        jdb.out.line("Invalid assignment syntax")
        return
    await _print(jdb, text)


@jdb_command("dump", evaluates=True)
async def dump(jdb: Debugger, words: Words) -> None:
    if not words.more():
        jdb.out.line("No objects specified.")
        return
    text = words.rest()
    value = await evaluated(jdb, text)
    if value is None or not is_object(value) or value.tag == "s":
        jdb.out.line(f"{text} = {'null' if value is None else text_of(value)}")
        return
    whole = await jdb.target.values.dump("$_", _ALL)
    jdb.out.line(f"{text} = {{")
    if whole.tag == "[":
        jdb.out.line(", ".join(text_of(each.value) for each in whole.children))
        jdb.out.line("}")
        return
    declared = [(each.class_name, each.name) for each in await jdb.target.classes.fields(whole.type)]
    places = {field: place for place, field in enumerate(declared)}
    for each in sorted(whole.children, key=lambda one: places.get((one.declared_in or whole.type, one.name), 0)):
        owner = "" if each.declared_in in ("", whole.type) else each.declared_in + "."
        jdb.out.line(f"    {owner}{each.name}: {text_of(each.value)}")
    jdb.out.line("}")


@jdb_command("save", evaluates=True)
async def save(jdb: Debugger, words: Words) -> None:
    if not words.more():
        if not jdb.saved:
            jdb.out.line("No saved values")
        for key, kept in jdb.saved.items():
            jdb.out.line(f"{key} = {kept}")
        return
    key = words.next()
    if not words.more():
        jdb.out.line("No expression specified.")
        return
    value = await evaluated(jdb, words.rest())
    if value is None:
        jdb.out.line("Expression cannot be void")
        return
    await jdb.target.values.save(key, "$_")
    jdb.saved[key] = text_of(value)
    if (text := await shown(jdb, value)) is not None:
        jdb.out.line(f"{text} saved")


@jdb_command("disablegc", evaluates=True)
async def disablegc(jdb: Debugger, words: Words) -> None:
    value = await object_of(jdb, words)
    if value is not None:
        name = f"gc{value.id}"
        await jdb.target.values.save(name, "$_")
        jdb.kept[value.id or 0] = name
        if (text := await shown(jdb, value)) is not None:
            jdb.out.line(f"GC Disabled for {text}:")


@jdb_command("enablegc", evaluates=True)
async def enablegc(jdb: Debugger, words: Words) -> None:
    value = await object_of(jdb, words)
    if value is not None:
        name = jdb.kept.pop(value.id or 0, None)
        if name is not None:
            jdb.target.values.forget(name)
        if (text := await shown(jdb, value)) is not None:
            jdb.out.line(f"GC Enabled for {text}:")


async def object_of(jdb: Debugger, words: Words) -> ValueInfo | None:
    """Return the object that the rest of the line evaluates to, as ``$_``; says so if it is none."""
    if not words.more():
        jdb.out.line("No object specified.")
        return None
    value = await evaluated(jdb, words.rest())
    if value is None or not is_object(value):
        jdb.out.line("Expression must evaluate to an object")
        return None
    return value


async def evaluated(jdb: Debugger, text: str) -> ValueInfo | None:
    """Return the value of an expression, also as ``$_``; None for null, and for one that fails, which is said then.

    What Java would refuse to assign or to hand over, and JDI converts, is converted.
    """
    await jdb.follow()
    if hidden := _HIDDEN_CLASS.match(text.strip()):
        jdb.out.line(f"com.sun.tools.example.debug.expr.ParseException: Name unknown: {hidden[1]}")
        return None
    attempt = _Attempt(with_long_literals(text.strip()))
    for _ in range(_MOST_CONVERTED):
        try:
            value = await jdb.target.values.evaluate(attempt.program, limits=SHORT)
        except Disconnected:
            raise
        except JdbpyError as error:
            try:
                complaint = await _convert(jdb, attempt, error)
            except NotAssignable as reason:
                complaint = str(reason)
            if complaint:
                jdb.out.line(complaint)
                return None
        else:
            return None if value.tag != "V" and value.text == "null" and not value.id else value
    return None


class _Attempt:
    """An expression that is evaluated: what is assigned stands before the assignment, so that it is computed once."""

    def __init__(self, text: str) -> None:
        sides = assignment(text)
        self.is_assignment = sides is not None and not _NEEDS_TARGET.search(sides[1])
        self.left, self.right = sides if sides is not None and self.is_assignment else ("", text)
        self.converted = ""  # what is assigned instead of the right side

    @property
    def program(self) -> str:
        if not self.is_assignment:
            return self.right
        if self.converted:
            return f"{self.left} = {self.converted}; {self.right}"
        return f"{self._head}{self.right}; {self.left} = {_VALUE}; {_VALUE}"

    @property
    def _head(self) -> str:
        return f"var {_VALUE} = " if self.is_assignment else ""

    def part_at(self, column: int) -> tuple[str, int]:
        """Return the side that a column of the program is in, and the column there."""
        if self.is_assignment and column >= len(self._head) + len(self.right):
            return self.left, column - len(self._head) - len(self.right) - len("; ")
        return self.right, column - len(self._head)

    def replace_in(self, part: str, begin: int, end: int, text: str) -> None:
        """Put a text in the place of an argument."""
        changed = f"{part[:begin]}{text}{part[end:]}"
        if part is self.left:
            self.left = changed
        else:
            self.right = changed


async def _convert(jdb: Debugger, attempt: _Attempt, error: JdbpyError) -> str:
    """Convert what an error speaks of; return what is to be said where nothing can be converted.

    Raises NotAssignable with what JDI says of it.
    """
    wrong = _WRONG_TYPE.fullmatch(error.message) if isinstance(error, EvalError) else None
    if not isinstance(error, EvalError) or error.column is None:
        return _complaint(error, attempt.right)
    part, column = attempt.part_at(error.column)
    if wrong is None or attempt.converted:
        return _complaint(error, part)
    place = argument_at(part, column)
    if place is None and not attempt.is_assignment:
        return _complaint(error, part)
    text = part[slice(*place)] if place is not None else attempt.right
    try:
        found = await jdb.target.values.evaluate(text.strip(), limits=SHORT, remember=False)
    except JdbpyError:
        return _complaint(error, part)
    value = None if found.text == "null" and not found.id and found.tag != "V" else found
    try:
        instead = await _fitted(jdb, value, wrong["to"] or wrong["narrow"])
    except NotAssignable as reason:
        if place is not None:
            raise NotAssignable(f"com.sun.jdi.InvalidTypeException: {reason}") from None
        what = f"Attempt to set value of incorrect typecom.sun.jdi.InvalidTypeException: {reason}"
        raise NotAssignable(f"com.sun.tools.example.debug.expr.ParseException: {what}") from None
    if place is not None:
        attempt.replace_in(part, *place, instead)
    else:
        attempt.right, attempt.converted = literal(found), instead
    return ""


async def _fitted(jdb: Debugger, value: ValueInfo | None, wanted: str) -> str:
    """Return a value as Java of another type. Raises NotAssignable."""
    if wanted in PRIMITIVES:
        return converted(value, wanted)
    element = wanted.partition("<")[0].rstrip("[]")
    dimensions = "[]" * wanted.count("[]")
    found = []
    if element not in PRIMITIVES:
        with suppress(UsageError):  # the name is of several classes
            found = await jdb.target.classes.find(element)
    raise NotAssignable(refused(value, (found[0].name if found else element) + dimensions))


async def shown(jdb: Debugger, value: ValueInfo) -> str | None:
    """Return the value, which is ``$_``, as ``print`` shows it; None, and it is said, when its toString() cannot be
    run."""
    try:
        return await massaged(jdb.target, value)
    except StateError:
        what = "Unable to complete expression. Thread not suspended for method invoke"
        jdb.out.line(f"com.sun.tools.example.debug.expr.ParseException: {what}")
    except EvalError as error:
        jdb.out.line(_complaint(error, "$_"))
    return None


async def _print(jdb: Debugger, text: str) -> None:
    value = await evaluated(jdb, text)
    result = "null" if value is None else await shown(jdb, value)
    if result is not None:
        jdb.out.line(f"{text} = {result}")


def _complaint(error: JdbpyError, text: str) -> str:
    """Return an error of an expression in jdb's words where it has such, else in ours."""
    thrown = getattr(error, "exception_type", "")
    if thrown:
        return f"Exception in expression: {thrown}"
    if not isinstance(error, EvalError) or error.column is None:
        return error.message
    what = error.message
    if large := _TOO_LARGE.fullmatch(what):
        number = f'"{large[1]}"' if large[1] else f'"{large[2]}" under radix 16'
        return f"java.lang.NumberFormatException: For input string: {number}"
    if count := _COUNT.fullmatch(what):
        wanted, given = (_parameters(count[each]) for each in ("wanted", "given"))
        return f"java.lang.IllegalArgumentException: Invalid argument count: expected {wanted}, received {given}"
    dotted = _DOTTED.fullmatch(text.strip())
    name = dotted[1] if dotted else ""
    if unknown := _UNKNOWN.fullmatch(what):
        before, found, _ = f"{name}.".partition(f".{unknown[1]}.")
        if found and unknown[2]:
            kind = "static" if before.split("$")[-1] == unknown[2] else "instance"
            what = f"No {kind} field or method with the name {unknown[1]} in {unknown[2]}"
        else:
            what = f"Name unknown: {name or unknown[1]}"
    elif (instance := _NOT_STATIC.fullmatch(what)) and name.endswith(f".{instance[1]}"):
        what = f"No static field or method with the name {instance[1]} in {name.removesuffix(f'.{instance[1]}')}"
    elif name and _NO_TYPE.fullmatch(what):
        what = f"Name unknown: {name}"
    elif _NO_FIT.match(what):
        return "Arguments match no method"
    elif "variable this cannot be referenced" in what:
        what = "No 'this'.  In native or static method"
    return f"com.sun.tools.example.debug.expr.ParseException: {what}"


def _parameters(types: str) -> int:
    """Return the number of types in a list that javac gives; commas of type arguments do not count."""
    if types in ("", "no arguments"):
        return 0
    while (plain := re.sub(r"<[^<>]*>", "", types)) != types:
        types = plain
    return types.count(",") + 1
